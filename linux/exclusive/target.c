/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

#define GROUPS "/sys/fs/cgroup"
#define DEEP 64  /* groups in groups */
#define NAMED 4  /* processes that are named in a line */

/* -- lists of tasks --------------------------------------------------------------------------------------------- */

static int by_pid(const void *a, const void *b) {
  const struct cl_task *x = a, *y = b;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct cl_task *find_pid(const struct cl_tasks *tasks, int pid) {
  const struct cl_task key = {.pid = pid};
  return tasks->count ? bsearch(&key, tasks->task, tasks->count, sizeof key, by_pid) : NULL;
}

static bool has_task(const struct cl_tasks *tasks, const struct cl_task *task) {
  const struct cl_task *found = find_pid(tasks, task->pid);
  return found && found->born == task->born;
}

static void sort(struct cl_tasks *tasks) {
  size_t kept = 0;
  if (tasks->count) qsort(tasks->task, tasks->count, sizeof *tasks->task, by_pid);
  for (size_t i = 0; i < tasks->count; i++)
    if (kept == 0 || tasks->task[kept - 1].pid != tasks->task[i].pid) tasks->task[kept++] = tasks->task[i];
  tasks->count = kept;
}

void cl_target_free(struct cl_target *target) {
  cl_tasks_free(&target->process);
  cl_tasks_free(&target->came);
}

/* -- cgroups ---------------------------------------------------------------------------------------------------- */

bool cl_is_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* No part is empty, "." or "..", so a folder below the mount is meant, and one name is one folder. */
static bool is_clean(const char *path) {
  for (const char *at = path; *at; at += *at == '/') {
    size_t length = strcspn(at, "/");
    if (length == 0 || (length == 1 && at[0] == '.') || (length == 2 && strncmp(at, "..", 2) == 0)) return false;
    at += length;
  }
  return *path != '\0';
}

int cl_target_folder(const char *path, struct cl_target *t) {
  char clean[CL_PATH_MOST], mount_path[CL_PATH_MOST];
  size_t length = strlen(path), mount = strlen(GROUPS);
  bool of_proc = *path == '/' && !cl_is_below(path, GROUPS);
  while (length > 1 && path[length - 1] == '/') length--; /* as the shell completes a folder */
  if (length >= sizeof clean) return EINVAL;
  memcpy(clean, path, length);
  clean[length] = '\0';
  const char *below = clean;
  if (*clean == '/') below = of_proc ? clean + 1 : clean + mount + (clean[mount] == '/');
  if (*below == '\0') return EPERM;
  if (!is_clean(below)) return EINVAL;
  if (snprintf(t->folder, CL_PATH_MOST, GROUPS "/%s", below) >= CL_PATH_MOST) return EINVAL;
  if (cl_group_mount(mount_path, sizeof mount_path) || !cl_is_below(t->folder, mount_path)) return ENOENT;
  if (strcmp(t->folder, mount_path) == 0) return EPERM;
  return cl_is_group(t->folder) ? 0 : ENOENT;
}

static int add_processes(const char *folder, struct cl_tasks *tasks) {
  char *text;
  int error = cl_read_all(cl_path("%s/cgroup.procs", folder), &text);
  if (error) return 0; /* it has gone meanwhile; or its threads are apart, and their processes are listed above */
  for (char *at = text, *end; !error; at = end) {
    struct cl_task task;
    int pid = (int)strtol(at, &end, 10);
    if (end == at) break;
    if (pid == 0 || cl_task_read(pid, &task) || task.kernel || task.state == 'Z')
      continue; /* 0: not to be seen from here */
    error = cl_tasks_add(tasks, &task);
  }
  free(text);
  return error;
}

struct walk {
  struct cl_tasks *tasks;
  const char *folder;
  int depth;
};

static int walk_group(void *context, const char *name);

/* The processes of a group and of all groups in it. */
static int read_group(const struct walk *walk) {
  if (!cl_is_group(walk->folder)) return 0;
  int error = add_processes(walk->folder, walk->tasks);
  if (!error) error = cl_list(walk->folder, walk_group, (void *)walk);
  return error == ENOENT ? 0 : error;
}

static int walk_group(void *context, const char *name) {
  const struct walk *above = context;
  char path[CL_PATH_MOST];
  if (above->depth == DEEP || snprintf(path, sizeof path, "%s/%s", above->folder, name) >= CL_PATH_MOST)
    return ENAMETOOLONG;
  return read_group(&(struct walk){above->tasks, path, above->depth + 1});
}

/* -- its identity ----------------------------------------------------------------------------------------------- */

static int read_members(const struct cl_hold *hold, struct cl_tasks *now) {
  const struct cl_target *t = hold->target;
  int error = read_group(&(struct walk){now, t->folder, 0});
  if (!error && hold->group[0] && !cl_is_below(hold->group, t->folder))
    error = read_group(&(struct walk){now, hold->group, 0});
  return error;
}

static int read_named(const struct cl_target *t, struct cl_tasks *now) {
  int error = 0;
  for (size_t i = 0; i < t->process.count && !error; i++) {
    struct cl_task task;
    const struct cl_task *known = &t->process.task[i];
    if (cl_task_read(known->tid, &task) == 0 && task.born == known->born && task.state != 'Z')
      error = cl_tasks_add(now, &task);
  }
  return error;
}

int cl_target_refresh(struct cl_hold *hold) {
  struct cl_target *t = hold->target;
  struct cl_tasks now = {NULL, 0};
  if (t == NULL) return 0;
  int error = t->folder[0] ? read_members(hold, &now) : read_named(t, &now);
  sort(&now);
  for (size_t i = 0; i < now.count && !error && t->folder[0]; i++)
    if (!has_task(&t->process, &now.task[i])) error = cl_tasks_add(&t->came, &now.task[i]);
  if (error) {
    cl_tasks_free(&now);
    return error;
  }
  cl_tasks_free(&t->process);
  t->process = now;
  if (now.count && !has_task(&now, &hold->program)) hold->program = now.task[0];
  return 0;
}

bool cl_target_lives(struct cl_hold *hold) {
  if (cl_task_lives(hold->program.tid, hold->program.born)) return true;
  return hold->target && cl_target_refresh(hold) == 0 && hold->target->process.count > 0;
}

bool cl_target_has(const struct cl_hold *hold, const struct cl_task *task) {
  int tid = hold->request->tid;
  if (tid > 0) return task->tid == tid;
  if (task->pid == hold->program.pid) return true;
  return hold->target && find_pid(&hold->target->process, task->pid) != NULL;
}

bool cl_target_contains(const struct cl_hold *hold, int tid) {
  const struct cl_target *t = hold->target;
  char folder[CL_FOLDER_MOST];
  return t && t->folder[0] && cl_task_folder(tid, folder, sizeof folder) == 0 && cl_is_below(folder, t->folder);
}

int cl_target_tasks(const struct cl_hold *hold, struct cl_tasks *tasks) {
  const struct cl_target *t = hold->target;
  *tasks = (struct cl_tasks){NULL, 0};
  int error = 0;
  for (size_t i = 0; i < t->process.count && !error; i++) {
    struct cl_tasks threads;
    error = cl_tasks_of(t->process.task[i].pid, &threads);
    for (size_t j = 0; j < threads.count && !error; j++) error = cl_tasks_add(tasks, &threads.task[j]);
    cl_tasks_free(&threads);
    if (error == ESRCH) error = 0; /* the others live */
  }
  if (!error && tasks->count == 0) error = ESRCH;
  if (error) cl_tasks_free(tasks);
  return error;
}

static void add_names(const struct cl_tasks *tasks, char *text, size_t size) {
  for (size_t i = 0; i < tasks->count && i < NAMED; i++) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%d %s", i ? ", " : "", tasks->task[i].pid, tasks->task[i].name);
  }
  size_t length = strlen(text);
  if (tasks->count > NAMED) snprintf(text + length, size - length, " and %zu more", tasks->count - NAMED);
}

const char *cl_target_text(const struct cl_hold *hold, char text[CL_TARGET_TEXT]) {
  const struct cl_target *t = hold->target;
  const struct cl_task *one = &hold->program;
  size_t count = t ? t->process.count : 1;
  char names[256] = "";
  if (t && t->folder[0]) {
    const char *name = hold->request->unit ? strrchr(t->folder, '/') + 1 : t->folder;
    snprintf(text, CL_TARGET_TEXT, "%s (%zu process%s)", name, count, count == 1 ? "" : "es");
  } else if (count > 1) {
    add_names(&t->process, names, sizeof names);
    snprintf(text, CL_TARGET_TEXT, "%zu processes (%s)", count, names);
  } else {
    snprintf(text, CL_TARGET_TEXT, "%s %d (%s)", hold->request->tid ? "thread" : "process", one->tid, one->name);
  }
  return text;
}

/* -- state 0 ---------------------------------------------------------------------------------------------------- */

static int find_one(int pid, struct cl_task *task) {
  if (cl_task_read(pid, task)) return cl_fail("there is no process or thread %d", pid);
  if (task->kernel) return cl_fail("%d (%s) is a kernel thread", pid, task->name);
  if (task->state == 'Z') return cl_fail("process %d (%s) has ended", pid, task->name);
  if (task->pid == getpid()) return cl_fail("%d is this tool itself", pid);
  return 0;
}

static int find_named(struct cl_hold *hold, const struct cl_request *request) {
  for (int i = 0; i < request->pid_count; i++) {
    struct cl_task task;
    int status = find_one(request->pids[i], &task);
    if (status) return status;
    if (request->pid_count > 1 && task.tid != task.pid)
      return cl_fail("%d is a thread of process %d: give only processes when giving several", task.tid, task.pid);
    if (cl_tasks_add(&hold->target->process, &task)) return cl_fail("%s", strerror(ENOMEM));
    if (i == 0) hold->program = task;
  }
  sort(&hold->target->process);
  return 0;
}

static int refuse_folder(const char *path, int error) {
  if (error == EPERM) return cl_fail("--cgroup %s: this is the root cgroup: give one below it", path);
  if (error == ENOENT)
    return cl_fail("--cgroup %s: there is no such v2 cgroup: give a directory below %s", path, GROUPS);
  return cl_fail("--cgroup %s: give a directory below %s, without . and ..", path, GROUPS);
}

static int find_folder(struct cl_hold *hold, const struct cl_request *request) {
  struct cl_target *t = hold->target;
  if (request->cgroup) {
    int error = cl_target_folder(request->cgroup, t);
    return error ? refuse_folder(request->cgroup, error) : 0;
  }
  char name[CL_UNIT_MOST];
  if (!cl_systemd_runs()) return cl_fail("--unit %s: systemd does not run here: give PIDs or --cgroup", request->unit);
  cl_systemd_name(request->unit, ".service", name);
  int error = cl_systemd_find(name, t->folder, sizeof t->folder);
  if (!error) return 0;
  return cl_fail("%s is not running: see `systemctl status %s`", name, name);
}

/* systemd considers a unit without processes ended, unless it knows the main one: so there must be a main one if all
 * are moved. */
static int check_move(const struct cl_hold *hold) {
  const struct cl_tasks *tasks = &hold->target->process;
  char last[CL_UNIT_MOST] = "", unit[CL_UNIT_MOST];
  for (size_t i = 0; i < tasks->count; i++) {
    cl_systemd_unit(tasks->task[i].pid, unit, sizeof unit);
    if (unit[0] == '\0' || strcmp(unit, last) == 0) continue;
    snprintf(last, sizeof last, "%s", unit);
    if (!cl_systemd_outlives(unit))
      return cl_fail("%s has no main process, so systemd would consider it ended: omit --move", unit);
  }
  return 0;
}

static int find_members(struct cl_hold *hold, const struct cl_request *request) {
  struct cl_target *t = hold->target;
  int status = find_folder(hold, request);
  if (status) return status;
  int error = cl_target_refresh(hold);
  if (error) return cl_fail("%s cannot be read: %s", t->folder, strerror(error));
  cl_tasks_free(&t->came);
  if (t->process.count == 0 && request->cgroup) return cl_fail("--cgroup %s: no process is in it", request->cgroup);
  if (t->process.count == 0) return cl_fail("%s has no process: see `systemctl status`", strrchr(t->folder, '/') + 1);
  if (find_pid(&t->process, getpid())) return cl_fail("this tool itself is in %s: give a cgroup without it", t->folder);
  return request->move && geteuid() == 0 && cl_systemd_runs() && !cl_files_is_tree() ? check_move(hold) : 0;
}

int cl_target_find(struct cl_hold *hold, struct cl_request *request) {
  int status = request->pid_count ? find_named(hold, request) : find_members(hold, request);
  if (status) return status;
  const struct cl_task *one = &hold->program;
  request->tid = one->pid == one->tid ? 0 : one->tid;
  request->pid = one->pid;
  return 0;
}
