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
  const char *real = cl_files_path(CL_STATE);
  if (mkdir(real, 0755)) return errno == EEXIST ? 0 : errno;
  return chmod(real, 0755) ? errno : 0; /* mkdir is subject to the umask */
}

int cl_state_open(const char *path, int flags, int *fd) {
  struct stat file;
  int follow = strncmp(path, "/proc/", strlen("/proc/")) == 0 ? 0 : O_NOFOLLOW;
  *fd = open(cl_files_path(path), flags | follow | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
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

/* Asks for a lock for reading: only a lock for writing is in its way, which takes write access to the file. */
bool cl_state_marked(int fd, enum cl_mark mark) {
  struct flock lock = mark_of(mark, F_RDLCK);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

void cl_state_space(char text[CL_SPACE_TEXT]) {
  char link[64];
  ssize_t length = readlink(cl_files_path("/proc/self/ns/pid"), link, sizeof link - 1);
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

/* The file that a process has open in CL_STATE; "": none. */
struct open_files {
  char layer[64], baseline[64]; /* /proc/PID/fd/N; the latter only where it was removed */
  bool layer_removed, lock_removed;
};

struct opens {
  struct open_files *list;
  size_t count;
  char folder[32]; /* looked into */
  struct open_files now; /* found there */
};

static bool has_end(const char *text, const char *end) {
  size_t length = strlen(text), of_end = strlen(end);
  return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static int look_at(void *context, const char *name) {
  struct opens *o = context;
  char to[CL_PATH_MOST];
  const char *path = cl_path("%s/%s", o->folder, name);
  ssize_t length = readlink(cl_files_path(path), to, sizeof to - 1);
  if (length <= 0) return 0;
  to[length] = '\0';
  if (strncmp(to, CL_STATE "/", strlen(CL_STATE "/")) != 0) return 0;
  if (strcmp(to, CL_BASELINE REMOVED) == 0) snprintf(o->now.baseline, sizeof o->now.baseline, "%s", path);
  if (strcmp(to, CL_STATE "/lock" REMOVED) == 0) o->now.lock_removed = true;
  bool removed = has_end(to, ".layer" REMOVED);
  if (!removed && !has_end(to, ".layer")) return 0;
  snprintf(o->now.layer, sizeof o->now.layer, "%s", path);
  o->now.layer_removed = removed;
  return 0;
}

static int look_into(void *context, const char *name) {
  struct opens *o = context;
  struct stat owner;
  if (!isdigit((unsigned char)*name)) return 0;
  if (stat(cl_files_path(cl_path("/proc/%s", name)), &owner) || (owner.st_uid != 0 && !cl_files_is_tree())) return 0;
  if ((size_t)snprintf(o->folder, sizeof o->folder, "/proc/%s/fd", name) >= sizeof o->folder) return 0;
  o->now = (struct open_files){.lock_removed = false};
  cl_list(o->folder, look_at, o); /* one that has ended meanwhile has none */
  if (!*o->now.layer && !o->now.lock_removed) return 0;
  struct open_files *more = realloc(o->list, (o->count + 1) * sizeof *more);
  if (more) (o->list = more)[o->count++] = o->now;
  return more ? 0 : ENOMEM;
}

/* All processes that have one of ours open; free() its list, also after an error. */
static int search(struct opens *o) {
  *o = (struct opens){.count = 0};
  return geteuid() == 0 || cl_files_is_tree() ? cl_list("/proc", look_into, o) : 0;
}

/* -- the lock --------------------------------------------------------------------------------------------------------- */

/* A tool working under a lock whose file was removed goes first: the new file was never written to. EWOULDBLOCK:
 * there is one. */
static int give_way(int fd) {
  struct stat file;
  struct opens o;
  bool any = false;
  if (fstat(fd, &file)) return errno;
  if (file.st_size > 0) return 0;
  search(&o);
  for (size_t i = 0; i < o.count; i++) any |= o.list[i].lock_removed;
  free(o.list);
  return any ? EWOULDBLOCK : 0;
}

/* The file may be removed while waiting for it: then the lock obtained is useless, and this starts again. */
int cl_state_try(int *fd) {
  struct stat got, there;
  for (;;) {
    int error = cl_state_folder();
    if (!error) error = cl_state_open(CL_STATE "/lock", O_RDWR | O_CREAT, fd);
    if (error) return error;
    if (flock(*fd, LOCK_EX | LOCK_NB)) error = errno;
    bool is = !error && fstat(*fd, &got) == 0 && stat(cl_files_path(CL_STATE "/lock"), &there) == 0;
    bool same = is && got.st_ino == there.st_ino;
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

const char *cl_state_holder_text(char text[64]) {
  struct cl_task task;
  char number[16];
  int pid = cl_read(CL_STATE "/lock", number, sizeof number) ? 0 : atoi(number);
  if (cl_task_look(pid, &task)) snprintf(text, 64, "another tool");
  else snprintf(text, 64, "pid %d (%s%s)", pid, task.name, task.state == 'T' ? ", stopped" : "");
  return text;
}

/* -- the baseline ----------------------------------------------------------------------------------------------------- */

/* An open layer `path` is that of a tool or watcher that lives, and not replaced or ended since; then *first is what
 * it says. */
static bool counts(const char *path, struct cl_reservation *first) {
  struct cl_text t;
  if (*path == '\0' || cl_layer_read(path, &t)) return false;
  bool alive = t.first.tool && (t.first.alive || t.first.watched) && !t.first.ended && !cl_layer_value(&t, "moved");
  *first = t.first;
  cl_layer_free(&t);
  return alive;
}

int cl_state_baseline(char path[CL_PATH_MOST]) {
  struct opens o;
  struct cl_reservation first;
  struct cl_baseline b;
  unsigned long long newest = 0;
  int error = search(&o);
  path[0] = '\0';
  for (size_t i = 0; i < o.count; i++) {
    const struct open_files *of = &o.list[i];
    if (*of->baseline == '\0' || !counts(of->layer, &first) || cl_baseline_look(&b, of->baseline)) continue;
    if (*path == '\0' || b.copy > newest) snprintf(path, CL_PATH_MOST, "%s", of->baseline);
    if (b.copy > newest) newest = b.copy;
    cl_baseline_free(&b);
  }
  free(o.list);
  return error ? error : *path ? 0 : ENOENT;
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
  struct cl_text t;
  const char *path = cl_path(CL_STATE "/%s", name);
  if (!has_end(name, ".layer")) return 0;
  int error = cl_layer_read(path, &t);
  if (error) return error == ENOENT ? 0 : error; /* it has ended meanwhile */
  if (t.strange) cl_warn("%s is no file of this tool: ignored, remove it", path);
  error = t.strange ? 0 : add(context, &t.first);
  cl_layer_free(&t);
  return error;
}

static int add_removed(struct gather *g) {
  struct opens o;
  struct cl_reservation first;
  int error = search(&o);
  for (size_t i = 0; i < o.count && !error; i++) {
    bool new = o.list[i].layer_removed && counts(o.list[i].layer, &first);
    for (size_t j = 0; new && j < g->count; j++) new = g->list[j].id != first.id;
    if (new) error = add(g, &first);
  }
  free(o.list);
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
  if (!error && !add_up(&g)) error = add_removed(&g);
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
