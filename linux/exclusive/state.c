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
#include "lines.h"
#include "tasks.h"

#define REMOVED " (deleted)"

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

/* The layer's reservation lives, or its watcher does: `pid` is one of both, and it has not ended. */
static bool is_of(const struct cl_text *t, int pid) {
  const char *watcher = cl_layer_value(t, "watcher");
  unsigned long long number, born;
  char text[16];
  if (t->first.tool == 0 || t->first.ended || cl_layer_value(t, "moved")) return false;
  if (pid == t->first.tool) return t->first.alive;
  if (watcher == NULL || strcspn(watcher, " ") >= sizeof text || strchr(watcher, ' ') == NULL) return false;
  snprintf(text, sizeof text, "%.*s", (int)strcspn(watcher, " "), watcher);
  return cl_line_number(text, &number) && number == (unsigned long long)pid &&
         cl_line_number(strchr(watcher, ' ') + 1, &born) && cl_task_lives(pid, born);
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
static int give_way(int fd, bool waits) {
  struct stat file;
  if (fstat(fd, &file)) return errno;
  while (file.st_size == 0 && search(has_lock, NULL) == -1) {
    if (!waits) return EWOULDBLOCK;
    poll(NULL, 0, 10);
  }
  return 0;
}

/* The file may be removed while waiting for it: then the lock obtained is useless, and this starts again. */
static int lock(int *fd, int how) {
  char real[CL_PATH_MOST + 256];
  struct stat got, there;
  for (;;) {
    int error = mkdir(cl_files_path(CL_STATE, real), 0755) && errno != EEXIST ? errno : 0;
    if (error) return error;
    *fd = open(cl_files_path(CL_STATE "/lock", real), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0) return errno;
    while (!error && flock(*fd, how)) error = errno == EINTR && !(how & LOCK_NB) ? 0 : errno;
    bool same = !error && fstat(*fd, &got) == 0 && stat(real, &there) == 0 && got.st_ino == there.st_ino;
    if (same && (error = give_way(*fd, !(how & LOCK_NB))) == 0) break;
    close(*fd);
    if (error) return error;
  }
  char text[16];
  int length = snprintf(text, sizeof text, "%d\n", (int)getpid());
  if (ftruncate(*fd, 0) == 0 && pwrite(*fd, text, (size_t)length, 0) < 0) return 0; /* it only says who has it */
  return 0;
}

int cl_state_lock(int *fd) { return lock(fd, LOCK_EX); }

int cl_state_try(int *fd) { return lock(fd, LOCK_EX | LOCK_NB); }

int cl_state_holder(void) {
  char text[16];
  return cl_read(CL_STATE "/lock", text, sizeof text) ? 0 : atoi(text);
}

/* -- the baseline ----------------------------------------------------------------------------------------------------- */

struct newest {
  char *path;
  unsigned long long copy;
};

static int compare_baseline(void *context, const struct open_files *of) {
  struct newest *newest = context;
  struct cl_text t;
  if (of->baseline[0] == '\0' || cl_layer_read(of->layer, &t)) return 0;
  bool lives = is_of(&t, of->pid);
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
  error = add(context, &t.first);
  cl_layer_free(&t);
  return error;
}

static int add_removed(void *context, const struct open_files *of) {
  struct gather *g = context;
  struct cl_text t;
  if (!of->layer_removed || cl_layer_read(of->layer, &t)) return 0;
  bool new = is_of(&t, of->pid);
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
