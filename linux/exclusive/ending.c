/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "ending.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hold.h"
#include "say.h"

#define ROUNDS 20 /* over the processes of a group, as they fork meanwhile */

bool cl_is_gone(int error) { return error == ENOENT || error == ENODEV; }

enum cl_answer cl_end_failed(const char *what, int error) {
  cl_warn("cannot restore %s: %s", what, strerror(error));
  return CL_FAILED;
}

enum cl_answer cl_end_wrote(const char *path, int error) {
  return cl_is_gone(error) ? CL_ALREADY : error ? cl_end_failed(path, error) : CL_DONE;
}

static int is_group(void *context, const char *name) {
  return cl_is_group(cl_path("%s/%s", (const char *)context, name)) ? -1 : 0;
}

static int unlink_one(void *context, const char *name) {
  return unlink(cl_files_path(cl_path("%s/%s", (const char *)context, name))) ? errno : 0;
}

/* Where the program was before it came into the group `path`, or NULL. */
static const char *came_from(const struct cl_text *t, const char *path) {
  for (size_t i = t->count; i-- > 0;) {
    const struct cl_entry *e = &t->entry[i];
    if (e->kind == CL_ENTRY_GROUP && strcmp(e->field[3], path) == 0) return e->field[2];
  }
  return NULL;
}

/* Moves every process out of the cgroup `path`: back to where the program came from, else to the root. */
static void empty_group(const struct cl_text *t, const char *path) {
  char root[CL_PATH_MOST];
  if (cl_group_mount(root, sizeof root)) return;
  const char *to[] = {came_from(t, path), root};
  for (int round = 0; round < ROUNDS; round++) {
    char *text, *save = NULL;
    if (cl_read_all(cl_path("%s/cgroup.procs", path), &text)) return;
    bool any = *text != '\0';
    for (char *pid = strtok_r(text, "\n", &save); pid != NULL; pid = strtok_r(NULL, "\n", &save))
      for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        if (to[i] == NULL || strcmp(pid, "0") == 0) continue; /* 0: of another container; written, it would be us */
        int error = cl_write(cl_path("%s/cgroup.procs", to[i]), pid);
        if (error == 0 || error == ESRCH) break;
      }
    free(text);
    if (!any || cl_files_is_tree()) return;
  }
}

static enum cl_answer remove_group(const struct cl_text *t, char *path, bool last) {
  if (cl_list(path, is_group, path) == -1) return last ? cl_end_failed(path, EBUSY) : CL_LATER;
  empty_group(t, path);
  if (cl_files_is_tree()) cl_list(path, unlink_one, path);
  for (int tries = 0; rmdir(cl_files_path(path)); tries++) {
    if (errno == ENOENT) return CL_ALREADY;
    if (errno != EBUSY || tries == 200) return last ? cl_end_failed(path, errno) : CL_LATER;
    nanosleep(&(struct timespec){0, 1000000}, NULL); /* tasks that are ending */
    if (tries % 20 == 19) empty_group(t, path);
  }
  return CL_DONE;
}

/* A partition ends before its directory is removed: else it would end some time after, and take from tasks what they
 * are given until then. */
static enum cl_answer end_partition(const char *group) {
  char text[256];
  const char *path = cl_path("%s/cpuset.cpus.partition", group);
  if (cl_read(path, text, sizeof text) || strncmp(text, "member", 6) == 0) return CL_ALREADY;
  return cl_end_wrote(path, cl_write(path, "member"));
}

static enum cl_answer move_back(const struct cl_entry *e, bool last) {
  const char *old = e->field[2], *new = e->field[3];
  char now[CL_FOLDER_MOST];
  if (!cl_task_lives(e->tid, e->born)) return CL_ALREADY;
  int error = cl_task_folder(e->tid, now, sizeof now);
  if (error == ESRCH || cl_is_gone(error)) return CL_ALREADY;
  if (error == ENAMETOOLONG)
    snprintf(now, sizeof now, "a cgroup nested too deeply to name"); /* so not in the one of ours */
  else if (error == EXDEV) snprintf(now, sizeof now, "a cgroup outside of this cgroup namespace");
  else if (error) return cl_end_failed(new, error);
  if (strcmp(now, old) == 0) return CL_ALREADY;
  if (strcmp(now, new) != 0) {
    cl_warn("task %d is in %s, but was put into %s: moved by others, left there", e->tid, now, new);
    return CL_FOREIGN;
  }
  const char *path = cl_path("%s/cgroup.procs", old);
  error = cl_write(path, e->field[0]);
  if (error == ESRCH) return CL_ALREADY;
  if (error == EBUSY && !last) return CL_LATER; /* a container's root takes no tasks while its controllers are on */
  if (cl_is_gone(error)) {
    cl_warn("%s, where task %d came from, no longer exists: it moves to the parent of %s", old, e->tid, new);
    return CL_FOREIGN;
  }
  return error ? cl_end_failed(path, error) : CL_DONE;
}

static enum cl_answer remove_trace(const char *path) {
  if (rmdir(cl_files_path(path)) == 0) return CL_DONE;
  return cl_is_gone(errno) ? CL_ALREADY : cl_end_failed(path, errno);
}

static void await_scope(const struct cl_text *t) {
  const char *name = cl_layer_value(t, "unit"), *scoped = cl_layer_value(t, "scoped");
  if (scoped == NULL || strcmp(scoped, "no") != 0) return;
  for (size_t i = t->count; i-- > 0;) {
    if (t->entry[i].kind != CL_ENTRY_SCOPE) continue;
    cl_systemd_await(name ? name : t->entry[i].field[0]);
    return;
  }
}

static enum cl_answer end_entry(const struct cl_entry *e, bool last) {
  if (e->kind == CL_ENTRY_GROUP) return move_back(e, last);
  int error = cl_systemd_leave(e->field[0]);
  return error == EALREADY ? CL_ALREADY : error ? cl_end_failed(e->field[0], error) : CL_DONE;
}

bool cl_end_layer(const struct cl_text *t, bool last, void (*count)(void *context, enum cl_answer answer),
                  void *context) {
  static const char *const traces[] = {"/sys/kernel/tracing/instances", "/sys/kernel/debug/tracing/instances"};
  static const char *const ours[] = {"%s/coreloom-%d", "%s/coreloom-%d-idle", "%s/coreloom_%d.slice"};
  char mount[CL_PATH_MOST], path[3][CL_PATH_MOST + 64];
  bool later = false, mounted = cl_group_mount(mount, sizeof mount) == 0;
  for (size_t i = 0; mounted && i < 3; i++) snprintf(path[i], sizeof path[i], ours[i], mount, t->first.id);
  if (!last) await_scope(t);
  for (size_t i = 0; mounted && !last && i < 3; i++)
    if (cl_exists(path[i])) count(context, end_partition(path[i]));
  for (size_t i = t->count; i-- > 0;) {
    const struct cl_entry *e = &t->entry[i];
    if (e->kind == CL_ENTRY_NOTE || (e->kind == CL_ENTRY_SCOPE && last)) continue;
    enum cl_answer answer = end_entry(e, last);
    later |= answer == CL_LATER;
    count(context, answer);
  }
  for (size_t i = 0; mounted && i < 2; i++) { /* known by the number: what is not there any more is no work */
    if (!cl_exists(path[i])) continue;
    enum cl_answer answer = remove_group(t, path[i], last);
    later |= answer == CL_LATER;
    count(context, answer);
  }
  for (size_t i = 0; i < 2; i++) {
    if (!cl_exists(traces[i])) continue; /* a look at the second place mounts it */
    const char *trace = cl_path(ours[0], traces[i], t->first.id);
    if (cl_exists(trace)) count(context, remove_trace(trace));
    break;
  }
  return !later;
}
