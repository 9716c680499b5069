/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "fuzz.h"
#include "socket.h"
#include "state.h"

static char folder[64], tree[80];
static unsigned trees;
static bool guards;

enum { LIVING = 8 }; /* reservations at the most */

static bool is_inside(const char *path) { return strncmp(path, folder, strlen(folder)) == 0; }

/* What nothing that is fuzzed may do. A path that was composed of what was read must not lead out of the tree. */
static void check_path(const char *call, const char *path, bool writes) {
  if (!guards) return;
  bool up = strstr(path, "/../") != NULL || strncmp(path, "../", 3) == 0;
  size_t length = strlen(path);
  up |= length >= 3 && strcmp(path + length - 3, "/..") == 0;
  bool device = strcmp(path, "/dev/null") == 0 || strcmp(path, "/dev/full") == 0;
  fuzz_check(!up || !is_inside(path), "%s(%s): it leads out of where it should be", call, path);
  fuzz_check(!writes || *path != '/' || is_inside(path) || device, "%s(%s): it is outside of the tree", call, path);
}

int open(const char *path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(values, mode_t) : 0;
  va_end(values);
  check_path("open", path, (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int unlink(const char *path) {
  check_path("unlink", path, true);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rmdir(const char *path) {
  check_path("rmdir", path, true);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char *path, mode_t mode) {
  check_path("mkdir", path, true);
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

#define NEVER(name, ...)                       \
  int name(__VA_ARGS__) {                      \
    fuzz_check(false, "it calls " #name "()"); \
    return errno = EPERM, -1;                  \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NEVER(kill, pid_t a, int b)
NEVER(execve, const char *a, char *const b[], char *const c[])
NEVER(execvp, const char *a, char *const b[])
NEVER(sched_setaffinity, pid_t a, size_t b, const void *c)
NEVER(sched_setscheduler, pid_t a, int b, const void *c)
NEVER(mount, const char *a, const char *b, const char *c, unsigned long d, const void *e)
NEVER(umount2, const char *a, int b)
NEVER(setns, int a, int b)

/* Nobody waits; who would look again and again for ever finds that nobody reads what is printed. */
static int naps;

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
  if (++naps > 300) dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
  fuzz_check(naps < 10000, "it waits for ever");
  return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left) { return clock_nanosleep(0, 0, time, left); }

/* Memory */

#ifdef FUZZ_ASAN
size_t __sanitizer_get_current_allocated_bytes(void);
size_t fuzz_allocated(void) { return __sanitizer_get_current_allocated_bytes(); }
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1024:detect_stack_use_after_return=0:"
         "handle_abort=0:handle_sigill=0:malloc_context_size=8:strict_string_checks=0";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "halt_on_error=1:print_stacktrace=1"; }
#endif

/* The tree */

void fuzz_place_begin(void) {
  bool memory = access("/dev/shm", W_OK) == 0;
  snprintf(folder, sizeof folder, "%s/cl-fuzz-XXXXXX", memory ? "/dev/shm" : "/tmp");
  if (mkdtemp(folder) == NULL) {
    perror(folder);
    exit(2);
  }
}

void fuzz_place_enter(void) {
  if (chdir(folder)) abort();
  guards = true;
}

static int remove_one(const char *path, const struct stat *is, int type, struct FTW *at) { return remove(path); }

static void remove_all(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

void fuzz_place_end(void) { remove_all(folder); }

const char *fuzz_root(void) { return tree; }

static bool is_path(const char *path, size_t size) {
  if (size < 2 || size > 300 || path[0] != '/' || path[size - 1] == '/') return false;
  int depth = 0;
  for (size_t i = 0; i < size; i++) {
    if (path[i] == '\0') return false;
    if (path[i] != '/') continue;
    const char *part = path + i + 1;
    size_t left = size - i - 1;
    if (++depth > 12 || (left && *part == '/')) return false;
    if (left >= 1 && part[0] == '.' && (left == 1 || part[1] == '/')) return false;
    if (left >= 2 && part[0] == '.' && part[1] == '.' && (left == 2 || part[2] == '/')) return false;
  }
  return true;
}

static void put_file(const char *path, size_t size, const char *text, size_t length) {
  char real[512];
  if (!is_path(path, size)) return;
  size_t root = strlen(tree);
  memcpy(real, tree, root);
  memcpy(real + root, path, size);
  real[root + size] = '\0';
  int fd = open(real, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  for (char *at = real + root; fd < 0 && errno == ENOENT && (at = strchr(at + 1, '/')) != NULL;) {
    *at = '\0';
    mkdir(real, 0755);
    errno = ENOENT;
    *at = '/';
  }
  if (fd < 0) fd = open(real, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  if (length && write(fd, text, length) < 0) abort();
  close(fd);
}

/* The next file of an input; false: no more. */
static bool next_file(const char **at, const char *end, const char **path, size_t *size, const char **text,
                      size_t *length) {
  const char *begin = memchr(*at, *FUZZ_FILE, (size_t)(end - *at));
  if (begin == NULL) return false;
  const char *next = memchr(begin + 1, *FUZZ_FILE, (size_t)(end - begin - 1)), *stop = next ? next : end;
  const char *middle = memchr(begin, *FUZZ_TEXT, (size_t)(stop - begin));
  *path = begin + 1;
  *size = (size_t)((middle ? middle : stop) - begin - 1);
  *text = middle ? middle + 1 : stop;
  *length = (size_t)(stop - *text);
  *at = stop;
  return true;
}

static int living[LIVING]; /* open files */
static size_t lives;

/* The file of a reservation whose tool is among the tasks is locked, as by the tool and its watcher. */
static void mark_living(const char *path, size_t size) {
  char name[64], task[64];
  int id, length = 0, fd;
  if (size >= sizeof name || lives == LIVING) return;
  snprintf(name, sizeof name, "%.*s", (int)size, path);
  if (sscanf(name, CL_STATE "/%9d.layer%n", &id, &length) != 1 || (size_t)length != size) return;
  snprintf(task, sizeof task, "/proc/%d/stat", id);
  if (!cl_exists(task) || cl_state_open(name, O_RDWR, &fd)) return;
  living[lives++] = fd;
  cl_state_mark(fd, CL_MARK_TOOL);
  cl_state_mark(fd, CL_MARK_WATCHER);
}

void fuzz_tree(const char *data, size_t size) {
  const char *path, *text, *at = data;
  size_t path_size, length;
  if (*tree) remove_all(tree);
  snprintf(tree, sizeof tree, "%s/%u", folder, trees++ % 2); /* a name of a changing file is not cached */
  remove_all(tree); /* of a process that failed */
  mkdir(tree, 0755);
  cl_files_root(tree);
  while (lives) close(living[--lives]);
  while (next_file(&at, data + size, &path, &path_size, &text, &length)) put_file(path, path_size, text, length);
  for (at = data; next_file(&at, data + size, &path, &path_size, &text, &length);) mark_living(path, path_size);
  naps = 0;
}

const char *fuzz_file(const char *data, size_t size, const char *name, size_t *length) {
  const char *path, *text, *at = data;
  size_t path_size;
  while (next_file(&at, data + size, &path, &path_size, &text, length))
    if (path_size == strlen(name) && memcmp(path, name, path_size) == 0) return text;
  *length = 0;
  return "";
}

/* In place of socket.c: the other side has answered already, and hung up. */

static const char *answers, *answers_end;

void fuzz_answers(const char *data, size_t size) {
  answers = data;
  answers_end = data + size;
}

int cl_socket_open(const char *name, int *fd, unsigned *owner) {
  int two[2];
  *owner = 0;
  if (*name == '\0' || strlen(name) > 107) return ENAMETOOLONG;
  if (answers == NULL) return ENOENT;
  const char *end = memchr(answers, '\x1d', (size_t)(answers_end - answers));
  size_t left = (size_t)((end ? end : answers_end) - answers);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, two)) return errno;
  if (send(two[1], answers, left, MSG_NOSIGNAL) < 0 && errno != EAGAIN) abort();
  if (end) answers = end + 1;
  shutdown(two[1], SHUT_WR);
  *fd = two[0];
  static int other = -1; /* stays open, so that what is sent goes somewhere */
  if (other >= 0) close(other);
  other = two[1];
  return 0;
}

double cl_socket_deadline(double seconds) { return seconds; }

int cl_socket_wait(int fd, short events, double deadline) {
  struct pollfd one = {.fd = fd, .events = events};
  return poll(&one, 1, 0) > 0 ? 0 : ETIMEDOUT;
}

/* JSON */

static const char *json_value(const char *at, int depth);

static const char *blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

static const char *json_text(const char *at) {
  if (*at++ != '"') return NULL;
  for (; *at != '"'; at++) {
    if ((unsigned char)*at < 0x20) return NULL;
    if (*at != '\\') continue;
    if (*++at == 'u') {
      if (strspn(at + 1, "0123456789abcdefABCDEF") < 4) return NULL;
      at += 4;
    } else if (*at == '\0' || strchr("\"\\/bfnrt", *at) == NULL) {
      return NULL;
    }
  }
  return at + 1;
}

static const char *json_many(const char *at, int depth, char end) {
  at = blanks(at + 1);
  if (*at == end) return at + 1;
  for (;;) {
    if (end == '}') {
      at = json_text(at);
      if (at == NULL || *(at = blanks(at)) != ':') return NULL;
      at = blanks(at + 1);
    }
    at = json_value(at, depth + 1);
    if (at == NULL) return NULL;
    at = blanks(at);
    if (*at == end) return at + 1;
    if (*at != ',') return NULL;
    at = blanks(at + 1);
  }
}

static const char *json_value(const char *at, int depth) {
  static const char *const words[] = {"true", "false", "null"};
  if (depth > 32) return NULL;
  if (*at == '{') return json_many(at, depth, '}');
  if (*at == '[') return json_many(at, depth, ']');
  if (*at == '"') return json_text(at);
  for (size_t i = 0; i < 3; i++)
    if (strncmp(at, words[i], strlen(words[i])) == 0) return at + strlen(words[i]);
  const char *begin = at;
  at += *at == '-';
  size_t digits = strspn(at, "0123456789");
  if (digits == 0 || (digits > 1 && *at == '0')) return NULL;
  at += digits;
  if (*at == '.') {
    if ((digits = strspn(at + 1, "0123456789")) == 0) return NULL;
    at += 1 + digits;
  }
  if (*at == 'e' || *at == 'E') {
    at += 1 + (at[1] == '-' || at[1] == '+');
    if ((digits = strspn(at, "0123456789")) == 0) return NULL;
    at += digits;
  }
  return at > begin ? at : NULL;
}

bool fuzz_json(const char *text) {
  const char *at = json_value(blanks(text), 0);
  return at != NULL && *blanks(at) == '\0';
}
