/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "state.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baseline.h"
#include "counters.h"
#include "lines.h"
#include "say.h"
#include "tasks.h"

#define REMOVED " (deleted)"

/* -- files ------------------------------------------------------------------------------------------------------------ */

int cl_state_folder(void) {
  char real[CL_PATH_MOST + 256];
  cl_files_path(CL_STATE, real);
  if (mkdir(real, 0755)) return errno == EEXIST ? 0 : errno;
  return chmod(real, 0755) ? errno : 0; /* mkdir is subject to the umask */
}

int cl_state_open(const char *path, int flags, int *fd) {
  char real[CL_PATH_MOST + 256];
  struct stat file;
  int follow = strncmp(path, "/proc/", strlen("/proc/")) == 0 ? 0 : O_NOFOLLOW;
  *fd = open(cl_files_path(path, real), flags | follow | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  int error = *fd < 0 ? errno : fstat(*fd, &file) ? errno : S_ISREG(file.st_mode) ? 0 : ENOTSUP;
  if (*fd >= 0 && error) close(*fd);
  /* A folder that is to be written, a FIFO without a reader, a socket, a link. */
  return error == EISDIR || error == ENXIO || error == ELOOP ? ENOTSUP : error;
}

static struct flock mark_of(enum cl_mark mark, short type) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = mark, .l_len = 1};
}

int cl_state_mark(int fd, enum cl_mark mark) {
  struct flock lock = mark_of(mark, F_WRLCK);
  return fcntl(fd, F_OFD_SETLK, &lock) ? errno : 0;
}

/* Asks for a lock for reading: only a lock for writing is in its way, and who may only read the file has none. */
bool cl_state_marked(int fd, enum cl_mark mark) {
  struct flock lock = mark_of(mark, F_RDLCK);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

void cl_state_space(char text[CL_SPACE_TEXT]) {
  char real[CL_PATH_MOST + 256], link[64];
  ssize_t length = readlink(cl_files_path("/proc/self/ns/pid", real), link, sizeof link - 1);
  link[length < 0 ? 0 : length] = '\0';
  if (sscanf(link, "pid:[%20[0-9]]", text) != 1) snprintf(text, CL_SPACE_TEXT, "-");
}

const char *cl_state_error(int error) {
  switch (error) {
    case EPROTO:
      return "another version of coreloom-exclusive wrote them: end its reservations with that version, or reboot";
    case EXDEV:
      return "they are of another PID namespace, where tasks have other numbers: run it there (nsenter --pid), or, if that "
             "has ended, restore --all";
    case ENOTSUP: return "a FIFO, folder or link has the name of a record: remove it";
    default: return strerror(error);
  }
}

/* -- files that processes have open ------------------------------------------------------------------------------------ */

/* What a process has open in CL_STATE; "": nothing. */
struct open_files {
  int pid;
  char folder[32]; /* /proc/PID/fd */
  char layer[64], baseline[64]; /* the latter only where it was removed */
  bool layer_removed, lock_removed;
};

static bool has_end(const char *text, const char *end) {
  size_t length = strlen(text), of_end = strlen(end);
  return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static int look_at(void *context, const char *name) {
  struct open_files *o = context;
  char path[64], real[CL_PATH_MOST + 256], to[CL_PATH_MOST];
  if ((size_t)snprintf(path, sizeof path, "%s/%s", o->folder, name) >= sizeof path) return 0;
  ssize_t length = readlink(cl_files_path(path, real), to, sizeof to - 1);
  if (length <= (ssize_t)strlen(CL_STATE "/") || strncmp(to, CL_STATE "/", strlen(CL_STATE "/")) != 0) return 0;
  to[length] = '\0';
  bool removed = has_end(to, REMOVED);
  if (removed) to[length - (ssize_t)strlen(REMOVED)] = '\0';
  if (removed && strcmp(to, CL_BASELINE) == 0) snprintf(o->baseline, sizeof o->baseline, "%s", path);
  if (removed && strcmp(to, CL_STATE "/lock") == 0) o->lock_removed = true;
  if (!has_end(to, ".layer")) return 0;
  snprintf(o->layer, sizeof o->layer, "%s", path);
  o->layer_removed = removed;
  return 0;
}

struct search {
  int (*each)(void *context, const struct open_files *of);
  void *context;
};

static int look_into(void *context, const char *name) {
  struct search *search = context;
  char path[32], real[CL_PATH_MOST + 256];
  struct stat owner;
  struct open_files open = {.pid = 0};
  if (!isdigit((unsigned char)*name) || (size_t)snprintf(path, sizeof path, "/proc/%s", name) >= sizeof path) return 0;
  if (stat(cl_files_path(path, real), &owner) || (owner.st_uid != 0 && !cl_files_is_tree())) return 0;
  open.pid = atoi(name);
  if ((size_t)snprintf(open.folder, sizeof open.folder, "%s/fd", path) >= sizeof open.folder) return 0;
  cl_list(open.folder, look_at, &open); /* one that has ended meanwhile has none */
  return open.layer[0] || open.lock_removed ? search->each(search->context, &open) : 0;
}

/* Stops at the first non-zero answer. */
static int search(int (*each)(void *context, const struct open_files *of), void *context) {
  struct search all = {each, context};
  return geteuid() == 0 || cl_files_is_tree() ? cl_list("/proc", look_into, &all) : 0;
}

/* -- the lock --------------------------------------------------------------------------------------------------------- */

static int has_lock(void *context, const struct open_files *of) {
  (void)context;
  return of->lock_removed ? -1 : 0;
}

/* A tool working under a lock whose file was removed goes first: the new file was never written to. EWOULDBLOCK:
 * there is one. */
static int give_way(int fd) {
  struct stat file;
  if (fstat(fd, &file)) return errno;
  return file.st_size == 0 && search(has_lock, NULL) == -1 ? EWOULDBLOCK : 0;
}

/* The file may be removed while waiting for it: then the lock obtained is useless, and this starts again. */
int cl_state_try(int *fd) {
  char real[CL_PATH_MOST + 256];
  struct stat got, there;
  cl_files_path(CL_STATE "/lock", real);
  for (;;) {
    int error = cl_state_folder();
    if (!error) error = cl_state_open(CL_STATE "/lock", O_RDWR | O_CREAT, fd);
    if (error) return error;
    if (flock(*fd, LOCK_EX | LOCK_NB)) error = errno;
    bool same = !error && fstat(*fd, &got) == 0 && stat(real, &there) == 0 && got.st_ino == there.st_ino;
    if (same && (error = give_way(*fd)) == 0) break;
    close(*fd);
    if (error) return error;
  }
  char text[16];
  int length = snprintf(text, sizeof text, "%d\n", (int)getpid());
  if (ftruncate(*fd, 0) == 0 && pwrite(*fd, text, (size_t)length, 0) < 0) return 0; /* it only says who has it */
  return 0;
}

int cl_state_lock(int *fd, double patience_s) {
  int error;
  for (double until = cl_now() + patience_s; (error = cl_state_try(fd)) == EWOULDBLOCK && cl_now() < until;)
    poll(NULL, 0, 10);
  return error;
}

int cl_state_holder(void) {
  char text[16];
  return cl_read(CL_STATE "/lock", text, sizeof text) ? 0 : atoi(text);
}

const char *cl_state_holder_text(char text[64]) {
  struct cl_task task;
  int pid = cl_state_holder();
  if (pid == 0 || cl_task_look(pid, &task)) snprintf(text, 64, "another tool");
  else snprintf(text, 64, "pid %d (%s%s)", pid, task.name, task.state == 'T' ? ", stopped" : "");
  return text;
}

/* -- the baseline ----------------------------------------------------------------------------------------------------- */

struct newest {
  char *path;
  unsigned long long copy;
};

/* A removed layer of a tool or watcher that lives, and not replaced or ended since. */
static bool counts(const struct cl_text *t) {
  return t->first.tool && (t->first.alive || t->first.watched) && !t->first.ended && !cl_layer_value(t, "moved");
}

static int compare_baseline(void *context, const struct open_files *of) {
  struct newest *newest = context;
  struct cl_text t;
  if (of->baseline[0] == '\0' || cl_layer_read(of->layer, &t)) return 0;
  bool lives = counts(&t);
  cl_layer_free(&t);
  struct cl_baseline b;
  if (!lives || cl_baseline_look(&b, of->baseline)) return 0;
  if (newest->path[0] == '\0' || b.copy > newest->copy) {
    newest->copy = b.copy;
    snprintf(newest->path, CL_PATH_MOST, "%s", of->baseline);
  }
  cl_baseline_free(&b);
  return 0;
}

int cl_state_baseline(char path[CL_PATH_MOST]) {
  struct newest newest = {path, 0};
  path[0] = '\0';
  int error = search(compare_baseline, &newest);
  return error ? error : path[0] ? 0 : ENOENT;
}

/* -- all reservations ------------------------------------------------------------------------------------------------- */

struct gather {
  struct cl_reservation *list;
  size_t count;
};

static int add(struct gather *g, const struct cl_reservation *one) {
  struct cl_reservation *more = realloc(g->list, (g->count + 1) * sizeof *more);
  if (more) (g->list = more)[g->count++] = *one;
  return more ? 0 : ENOMEM;
}

static int add_layer(void *context, const char *name) {
  char path[CL_PATH_MOST];
  struct cl_text t;
  if (!has_end(name, ".layer")) return 0;
  if ((size_t)snprintf(path, sizeof path, "%s/%s", CL_STATE, name) >= sizeof path) return ENAMETOOLONG;
  int error = cl_layer_read(path, &t);
  if (error) return error == ENOENT ? 0 : error; /* it has ended meanwhile */
  if (t.strange) cl_warn("%s is no file of this tool: ignored, remove it", path);
  error = t.strange ? 0 : add(context, &t.first);
  cl_layer_free(&t);
  return error;
}

static int add_removed(void *context, const struct open_files *of) {
  struct gather *g = context;
  struct cl_text t;
  if (!of->layer_removed || cl_layer_read(of->layer, &t)) return 0;
  bool new = counts(&t);
  for (size_t i = 0; i < g->count; i++) new &= g->list[i].id != t.first.id;
  int error = new ? add(g, &t.first) : 0;
  cl_layer_free(&t);
  return error;
}

/* The layers have together just the CPUs that the baseline says are held. */
static bool add_up(const struct gather *g) {
  struct cl_baseline b;
  struct cl_cpus all = cl_cpus_none();
  for (size_t i = 0; i < g->count; i++) all = cl_cpus_or(&all, &g->list[i].cpus);
  if (cl_baseline_look(&b, CL_BASELINE)) return false;
  bool same = cl_cpus_equal(&all, &b.held);
  cl_baseline_free(&b);
  return same;
}

static int by_tool(const void *a, const void *b) {
  const struct cl_reservation *x = a, *y = b;
  return x->tool != y->tool ? (x->tool > y->tool) - (x->tool < y->tool) : strcmp(x->path, y->path);
}

int cl_layers(struct cl_reservation **list, size_t *count) {
  struct gather g = {NULL, 0};
  int error = cl_list(CL_STATE, add_layer, &g);
  if (error == ENOENT) error = 0;
  if (!error && !add_up(&g)) error = search(add_removed, &g);
  if (error) {
    free(g.list);
    g = (struct gather){NULL, 0};
  } else if (g.count) {
    qsort(g.list, g.count, sizeof *g.list, by_tool);
  }
  *list = g.list;
  *count = g.count;
  return error;
}
