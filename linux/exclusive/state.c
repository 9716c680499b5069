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

#include "counters.h"
#include "lines.h"
#include "say.h"
#include "tasks.h"

#define REMOVED " (deleted)"

/* -- words ------------------------------------------------------------------------------------------------------------ */

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

struct opens {
  struct cl_opens *list;
  size_t count;
  char folder[32]; /* looked into */
  struct cl_opens now; /* found there */
};

bool cl_has_end(const char *text, const char *end) {
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
  bool removed = cl_has_end(to, ".layer" REMOVED);
  if (!removed && !cl_has_end(to, ".layer")) return 0;
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
  o->now = (struct cl_opens){.lock_removed = false};
  cl_list(o->folder, look_at, o); /* one that has ended meanwhile has none */
  if (!*o->now.layer && !o->now.lock_removed) return 0;
  struct cl_opens *more = realloc(o->list, (o->count + 1) * sizeof *more);
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

/* -- living reservations ----------------------------------------------------------------------------------------------------- */

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

int cl_state_alive(int (*each)(void *context, const struct cl_opens *of, const struct cl_reservation *first),
                   void *context) {
  struct opens o;
  struct cl_reservation first;
  int error = search(&o);
  for (size_t i = 0; i < o.count && !error; i++) {
    const struct cl_opens *of = &o.list[i];
    if ((of->layer_removed || *of->baseline) && counts(of->layer, &first)) error = each(context, of, &first);
  }
  free(o.list);
  return error;
}
