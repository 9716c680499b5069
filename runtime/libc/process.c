/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions about the only process, with plain answers. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#define WEAK __attribute__((weak))

WEAK int getrlimit(int what, struct rlimit *limit) {
  extern char __heap_start[], __heap_end[], __main_stack[], __main_stack_end[];
  rlim_t most = RLIM_INFINITY;
  if (what < 0 || what > RLIMIT_AS) {
    errno = EINVAL;
    return -1;
  }
  if (what == RLIMIT_STACK) most = (rlim_t)(__main_stack_end - __main_stack);
  else if (what == RLIMIT_DATA || what == RLIMIT_AS) most = (rlim_t)(__heap_end - __heap_start);
  else if (what == RLIMIT_NOFILE) most = OPEN_MAX;
  else if (what == RLIMIT_CORE) most = 0;
  *limit = (struct rlimit){most, most};
  return 0;
}

WEAK int setrlimit(int what, const struct rlimit *limit) {
  struct rlimit now;
  if (getrlimit(what, &now)) return -1;
  if (limit->rlim_cur >= now.rlim_cur) return 0;
  errno = EPERM;
  return -1;
}

/* There is no command interpreter. */
WEAK int system(const char *command) {
  if (!command) return 0;
  errno = ENOSYS;
  return -1;
}

/* Permissions, owners and times of files stay as they are. */
static int is_there(const char *path) {
  struct stat about;
  return stat(path, &about);
}

static int is_open(int file) {
  struct stat about;
  return fstat(file, &about);
}

WEAK mode_t umask(mode_t mode) { return (void)mode, 022; }
WEAK int chmod(const char *path, mode_t mode) { return (void)mode, is_there(path); }
WEAK int fchmod(int file, mode_t mode) { return (void)mode, is_open(file); }
WEAK int chown(const char *path, uid_t user, gid_t group) { return (void)user, (void)group, is_there(path); }
WEAK int fchown(int file, uid_t user, gid_t group) { return (void)user, (void)group, is_open(file); }
WEAK int fdatasync(int file) { return is_open(file); }
WEAK void sync(void) {}
WEAK int utime(const char *path, const struct utimbuf *times) { return (void)times, is_there(path); }

/* What belongs to users, terminals and a network. */
WEAK int nice(int more) { return (void)more, 0; }
WEAK int getpriority(int kind, id_t of) { return (void)kind, (void)of, 0; }
WEAK int setpriority(int kind, id_t of, int value) { return (void)kind, (void)of, (void)value, 0; }
WEAK int getpagesize(void) { return PAGESIZE; }
WEAK char *secure_getenv(const char *name) { return getenv(name); }
WEAK char *ctermid(char *name) {
  static char own[] = "/dev/tty";
  return name ? strcpy(name, own) : own;
}
WEAK char *ttyname(int file) {
  (void)file;
  errno = ENOTTY;
  return NULL;
}
WEAK int ttyname_r(int file, char *name, size_t bytes) { return (void)file, (void)name, (void)bytes, ENOTTY; }
WEAK int gethostname(char *name, size_t bytes) {
  struct utsname own;
  uname(&own);
  strncpy(name, own.nodename, bytes);
  return 0;
}
WEAK void openlog(const char *name, int options, int facility) { (void)name, (void)options, (void)facility; }
WEAK void syslog(int priority, const char *format, ...) { (void)priority, (void)format; }
WEAK void closelog(void) {}
WEAK int setlogmask(int mask) { return (void)mask, LOG_UPTO(LOG_DEBUG); }
