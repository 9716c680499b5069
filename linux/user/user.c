/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
#define _GNU_SOURCE
#include "user.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH "/usr/local/bin:/usr/bin:/bin"
#ifdef __GLIBC__
#define NO_USER "there is no such user"
#define NO_UID "no user has this UID"
#else /* musl */
#define NO_USER "there is no such user in /etc/passwd, and LDAP and SSSD are not asked"
#define NO_UID "no user in /etc/passwd has this UID, and LDAP and SSSD are not asked"
#endif

static bool refuse(char *why, size_t size, const char *given, const char *text) {
  snprintf(why, size, "%s: %s", given, text);
  return false;
}

/* Digits alone. (uid_t)-1 is no ID: the kernel takes it for "leave as it is". */
static const char *read_id(const char *text, unsigned *id) {
  char *end;
  errno = 0;
  unsigned long long value = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : ~0ull;
  if (errno || value >= (unsigned)-1) return NULL;
  *id = (unsigned)value;
  return end;
}

bool cl_user_find(const char *given, struct cl_user *user, char *why, size_t size) {
  const struct passwd *known = getpwnam(given);
  unsigned uid = 0, gid = 0;
  *user = (struct cl_user){.all_groups = known != NULL};
  if (known == NULL) {
    const char *end = read_id(given, &uid);
    if (given[strspn(given, "0123456789:")] != '\0')
      return refuse(why, size, given, NO_USER ": check the name, or give UID:GID, as `id` prints them");
    bool pair = end && *end == ':';
    if (pair) end = read_id(end + 1, &gid);
    if (end == NULL || *end != '\0')
      return refuse(why, size, given, "give a user's name, a UID or UID:GID, with numbers up to 4294967294");
    known = getpwuid(uid);
    if (known == NULL && !pair) return refuse(why, size, given, NO_UID ": give UID:GID, as `id` prints them");
    user->all_groups = !pair;
    user->uid = uid;
    user->gid = pair ? gid : known->pw_gid;
  } else {
    user->uid = known->pw_uid;
    user->gid = known->pw_gid;
  }
  char number[16];
  snprintf(number, sizeof number, "%u", uid);
  const char *shell = known ? known->pw_shell : "";
  const struct {
    char *to;
    size_t size;
    const char *from;
  } texts[] = {{user->name, sizeof user->name, known ? known->pw_name : number},
               {user->home, sizeof user->home, known ? known->pw_dir : "/"},
               {user->shell, sizeof user->shell, *shell ? shell : "/bin/sh"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if ((size_t)snprintf(texts[i].to, texts[i].size, "%s", texts[i].from) >= texts[i].size)
      return refuse(why, size, given, "its line in /etc/passwd is too long: give UID:GID");
  return true;
}

/* A user gets from root's environment only terminal and language; SSH_AUTH_SOCK, LD_LIBRARY_PATH, CI tokens and the
 * rest stay with root. */
static bool is_for_all(const char *variable) {
  static const char *const names[] = {"TERM=", "LANG=", "TZ=", "LC_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(variable, names[i], strlen(names[i])) == 0) return true;
  return false;
}

static int clean_environment(const struct cl_user *user) {
  size_t kept = 0;
  for (char **at = environ; *at; at++)
    if (is_for_all(*at)) environ[kept++] = *at;
  environ[kept] = NULL;
  const char *const own[][2] = {
      {"PATH", PATH}, {"HOME", user->home}, {"SHELL", user->shell}, {"USER", user->name}, {"LOGNAME", user->name}};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (setenv(own[i][0], own[i][1], 1)) return errno;
  return 0;
}

/* Descriptors that the tool was started with, too. */
static int close_on_exec(void) {
  if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 4 /* CLOSE_RANGE_CLOEXEC, Linux 5.11 */) == 0) return 0;
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return errno;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    int fd = atoi(entry->d_name);
    if (fd > STDERR_FILENO) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  closedir(folder);
  return 0;
}

/* The kernel does so itself, unless root's securebits say otherwise; and never with inheritable ones. */
static int drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[2] = {{0}};
  return syscall(SYS_capset, &header, none) ? errno : 0;
}

int cl_user_become(const struct cl_user *user) {
  if (user->all_groups ? initgroups(user->name, user->gid) : setgroups(1, &user->gid)) return errno;
  if (setresgid(user->gid, user->gid, user->gid) || setresuid(user->uid, user->uid, user->uid)) return errno;
  int error = user->uid ? drop_capabilities() : 0;
  /* Keys in root's session keyring can be read by whoever has that keyring, whatever the UID. A sandbox that forbids
   * keyctl() forbids it to the program, too. */
  if (!error && syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS && errno != EPERM)
    error = errno;
  if (!error) error = clean_environment(user);
  return error ? error : close_on_exec();
}
