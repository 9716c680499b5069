/* SPDX-License-Identifier: Apache-2.0 */
#include "mechanisms.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

const struct cl_mechanism *const cl_mechanisms[] = {&cl_isolated,  &cl_root,     &cl_cpuset,
                                                    &cl_cpuset_v1, &cl_affinity, NULL};

int cl_why(char *why, size_t size, int error, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(why, size, format, list);
  va_end(list);
  if (length >= 0 && (size_t)length < size) snprintf(why + length, size - (size_t)length, ": %s", strerror(error));
  return error;
}

const char *cl_join(char path[CL_PATH_MOST], const char *folder, const char *name) {
  if (*folder == '\0' || snprintf(path, CL_PATH_MOST, "%s/%s", folder, name) >= CL_PATH_MOST) path[0] = '\0';
  return path;
}

void cl_group_name(const struct cl_hold *hold, const char *mount, const char *suffix, char path[CL_PATH_MOST]) {
  snprintf(path, CL_PATH_MOST, "%s/coreloom-%d%s", mount, hold->id, suffix);
}

bool cl_needs_root(const struct cl_hold *hold) { return geteuid() != 0 && !hold->changes.plan && !cl_files_is_tree(); }

const char *cl_v2_cannot(const struct cl_hold *hold) {
  char mount[CL_PATH_MOST], path[CL_PATH_MOST], text[512], padded[sizeof text + 2];
  if (cl_needs_root(hold)) return "needs root";
  if (cl_group_mount("", mount, sizeof mount)) return "cgroup v2 is not mounted";
  if (cl_read(cl_join(path, mount, "cgroup.controllers"), text, sizeof text)) text[0] = '\0';
  snprintf(padded, sizeof padded, " %s ", text);
  if (strstr(padded, " cpuset ") == NULL)
    return "cgroup v2 has no cpuset controller: the kernel lacks it, or cgroup v1 uses it";
  if (hold->request->tid > 0) return "in cgroup v2 a thread cannot leave the cgroup of its process";
  return NULL;
}

static bool meets(const struct cl_cpus *a, const struct cl_cpus *b) {
  struct cl_cpus both = cl_cpus_and(a, b);
  return cl_cpus_count(&both) > 0;
}

int cl_kernel_tasks(const struct cl_hold *hold, struct cl_tasks *kernel) {
  *kernel = (struct cl_tasks){malloc((hold->tasks.count + 1) * sizeof *kernel->task), 0};
  if (kernel->task == NULL) return ENOMEM;
  for (size_t i = 0; i < hold->tasks.count; i++) {
    struct cl_task task = hold->tasks.task[i];
    if (task.kernel && cl_task_allowed(task.tid, &task.allowed) == 0) kernel->task[kernel->count++] = task;
  }
  return 0;
}

void cl_pins_again(const struct cl_hold *hold) {
  const struct cl_baseline *base = hold->changes.base;
  bool forgets = !cl_kernel_since(6, 2);
  for (size_t i = 0; !hold->changes.plan && i < base->count; i++) {
    const struct cl_known *known = &base->known[i];
    struct cl_task is;
    struct cl_cpus left;
    bool program = known->how == CL_PROGRAM;
    if (known->kind != CL_TASK || cl_cpus_parse(program ? known->written : known->base, &left)) continue;
    if (!program) left = cl_cpus_minus(&left, &base->held);
    if (cl_cpus_count(&left) == 0 || cl_task_look(known->tid, &is) || is.born != known->born) continue;
    if (!is.kernel && !forgets) continue;
    /* What was told to be less since, by whom it may, is more than forgotten. */
    struct cl_cpus lost = cl_cpus_minus(&left, &is.allowed);
    if (cl_cpus_equal(&is.allowed, &left) || ((is.kernel || program) && cl_cpus_count(&lost))) continue;
    if (!is.kernel && !program) {
      struct cl_cpus may = cl_granted_of(known->tid, &base->possible);
      if (!cl_cpus_equal(&is.allowed, &may)) continue; /* requested since */
    }
    cl_task_allow(known->tid, &left); /* or its cpuset has none of these */
  }
}

int cl_pins_of(struct cl_hold *hold, int pid) {
  struct cl_tasks tasks;
  if (hold->changes.plan || cl_kernel_since(6, 2)) return 0;
  int error = cl_tasks_of(pid, &tasks);
  for (size_t i = 0; i < tasks.count && !error; i++) {
    const struct cl_task *task = &tasks.task[i];
    if (cl_baseline_task(hold->changes.base, task->tid, task->born)) continue;
    struct cl_cpus wish = cl_baseline_wish(hold->changes.base, task);
    if (!cl_cpus_equal(&wish, &hold->changes.base->possible))
      error = cl_baseline_put_task(hold->changes.base, task, &wish, &wish, CL_WAS, 0);
  }
  cl_tasks_free(&tasks);
  return error;
}

int cl_kernel_away(struct cl_hold *hold, const struct cl_tasks *kernel, bool itself) {
  for (size_t i = 0; i < kernel->count; i++) {
    struct cl_task task = kernel->task[i];
    if (!meets(&task.allowed, &hold->cpus)) continue;
    if (itself && hold->changes.plan) {
      if (task.fixed) hold->kernel_stay++;
      else hold->kernel_moved++;
      continue;
    }
    if (cl_task_allowed(task.tid, &task.allowed)) continue; /* it has ended */
    struct cl_cpus left = cl_cpus_minus(&task.allowed, &hold->cpus);
    int error = 0;
    if (!meets(&task.allowed, &hold->cpus)) hold->kernel_moved++;
    else if (task.fixed || cl_cpus_count(&left) == 0) hold->kernel_stay++;
    else if ((error = cl_change_affinity(&hold->changes, &task, NULL, &left)) == 0) hold->kernel_moved++;
    else if (error == EINVAL) hold->kernel_stay++;
    else if (error != ESRCH) return error;
  }
  return 0;
}

bool cl_unchanged(char **last, char *text) {
  bool same = *last != NULL && strcmp(*last, text) == 0;
  free(*last);
  *last = text;
  return same;
}

int cl_kernel_sweep(struct cl_hold *hold) {
  static char *last;
  char *list;
  struct cl_tasks kernel;
  if (cl_read_all("/proc/2/task/2/children", &list) == 0 && cl_unchanged(&last, list)) return 0;
  int before = hold->kernel_moved, stay = hold->kernel_stay;
  if (cl_tasks_kernel(&kernel)) return 0;
  cl_kernel_away(hold, &kernel, false);
  cl_tasks_free(&kernel);
  hold->kernel_stay = stay; /* these were counted when it was cleared */
  return hold->kernel_moved - before;
}

int cl_group_enter(struct cl_hold *hold, const char *controller, const struct cl_task *task, char *why, size_t size) {
  struct cl_changes *changes = &hold->changes;
  struct cl_cpus now;
  /* The kernel gives it what it has asked for out of its new group's CPUs, and before 6.2 forgets it. What we had told it
   * is ours to undo. */
  const struct cl_known *known = changes->plan ? NULL : cl_baseline_task(changes->base, task->tid, task->born);
  bool ours = (known && known->how != CL_WAS) || !cl_kernel_since(6, 2);
  int error = ours ? cl_change_program(changes, task, NULL, hold->id) : 0;
  if (!error) error = cl_change_group(changes, task, controller, hold->group, hold->request->tid == 0);
  if (!error && !changes->plan && (error = cl_task_allowed(task->tid, &now)) == 0 && !cl_cpus_equal(&now, &hold->use)) {
    error = cl_change_program(changes, task, &hold->use, hold->id);
    if (!error) error = cl_task_allow(task->tid, &hold->use);
  }
  return error ? cl_why(why, size, error, "cannot move task %d (%s) to %s", task->tid, task->name, hold->group) : 0;
}

void cl_warn_container(const struct cl_tasks *kernel) {
  if (kernel->count == 0)
    cl_warn("running in a container: programs outside it are not seen and may still use the CPUs");
}

int cl_workqueues_away(struct cl_hold *hold) {
  static const char path[] = CL_QUEUES;
  char text[CL_CPUS_TEXT];
  struct cl_cpus set;
  if (cl_baseline_now(path, text, sizeof text) || cl_cpus_parse_mask(text, &set)) return 0; /* a kernel without it */
  set = cl_cpus_minus(&set, &hold->cpus);
  if (cl_cpus_count(&set) == 0) return 0;
  int error = cl_change_mask(&hold->changes, path, &set);
  return error == EACCES || error == EROFS || error == EPERM ? 0 : error;
}
