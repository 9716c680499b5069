/* SPDX-License-Identifier: Apache-2.0 */
#include "mechanisms.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

const struct cl_mechanism *const cl_mechanisms[] = {&cl_isolated, &cl_root,     &cl_cpuset,
                                                    &cl_cpuset_v1, &cl_affinity, NULL};

int cl_why(char *why, size_t size, int error, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(why, size, format, list);
  va_end(list);
  if (length >= 0 && (size_t)length < size)
    snprintf(why + length, size - (size_t)length, ": %s", strerror(error));
  return error;
}

bool cl_kernel_since(int major, int minor) {
  char text[128];
  int has_major, has_minor;
  if (cl_read("/proc/sys/kernel/osrelease", text, sizeof text)) return true;
  if (sscanf(text, "%d.%d", &has_major, &has_minor) != 2) return true;
  return has_major != major ? has_major > major : has_minor >= minor;
}

const char *cl_join(char path[CL_PATH_MOST], const char *folder, const char *name) {
  snprintf(path, CL_PATH_MOST, "%s/%s", folder, name);
  return path;
}

void cl_group_name(const struct cl_hold *hold, const char *mount, const char *suffix, char path[CL_PATH_MOST]) {
  snprintf(path, CL_PATH_MOST, "%s/coreloom-%d%s", mount, hold->id, suffix);
}

bool cl_needs_root(const struct cl_hold *hold) {
  return geteuid() != 0 && !hold->changes.plan && !cl_files_is_tree();
}

const char *cl_v2_cannot(const struct cl_hold *hold) {
  char mount[CL_PATH_MOST], path[CL_PATH_MOST], text[512], padded[sizeof text + 2];
  if (cl_needs_root(hold)) return "needs root";
  if (cl_group_mount("", mount, sizeof mount)) return "no cgroup v2 is mounted";
  if (cl_read(cl_join(path, mount, "cgroup.controllers"), text, sizeof text)) text[0] = '\0';
  snprintf(padded, sizeof padded, " %s ", text);
  if (strstr(padded, " cpuset ") == NULL) return "cgroup v2 has no cpusets here: the kernel lacks them, or v1 has them";
  if (hold->request->tid > 0) return "in cgroup v2 one thread cannot leave the group of its process";
  return NULL;
}

static bool meets(const struct cl_cpus *a, const struct cl_cpus *b) {
  struct cl_cpus both = cl_cpus_and(a, b);
  return cl_cpus_count(&both) > 0;
}

int cl_granted(const struct cl_task *task, const char *controller, struct cl_cpus *cpus) {
  static const char *const name[] = {"cpuset.cpus.effective", "cpuset.effective_cpus", "effective_cpus"};
  char folder[CL_PATH_MOST], path[CL_PATH_MOST], text[CL_CPUS_TEXT];
  int error = cl_task_folder(task->tid, controller, folder, sizeof folder);
  while (!error) {
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
      if (cl_read(cl_join(path, folder, name[i]), text, sizeof text) == 0) return cl_cpus_parse(text, cpus);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) return ENOENT;
    *slash = '\0';
  }
  return error;
}

/* The task has asked for its CPUs, as they are not all that its group grants, nor what another reservation has left it. */
static bool pinned(const struct cl_hold *hold, const char *controller, const struct cl_task *task, struct cl_cpus *all) {
  if (task->fixed || cl_cpus_equal(&task->allowed, &hold->online) || cl_granted(task, controller, all)) return false;
  struct cl_cpus free = cl_cpus_or(&hold->rest, &hold->cpus), left = cl_cpus_and(all, &free);
  return !cl_cpus_equal(&task->allowed, all) && !cl_cpus_equal(&task->allowed, &left);
}

/* The entry says: when the cpusets are as before and the task has `then`, give it `allowed`. */
static int note(struct cl_hold *hold, const struct cl_task *task, const struct cl_cpus *then) {
  char what[CL_CPUS_TEXT + 64], tid[16], born[24], old[CL_CPUS_TEXT], new[CL_CPUS_TEXT];
  snprintf(tid, sizeof tid, "%d", task->tid);
  snprintf(born, sizeof born, "%llu", task->born);
  cl_cpus_format(&task->allowed, old);
  cl_cpus_format(then, new);
  snprintf(what, sizeof what, "remember that task %d (%s) may use CPUs %s", task->tid, task->name, old);
  return cl_change_other(&hold->changes, what, "affinity", (const char *const[]){tid, born, old, new}, 4);
}

/* The kernel's threads that were there in state 1. */
static int kernel_tasks(const struct cl_hold *hold, struct cl_tasks *kernel) {
  *kernel = (struct cl_tasks){malloc((hold->tasks.count + 1) * sizeof *kernel->task), 0};
  if (kernel->task == NULL) return ENOMEM;
  for (size_t i = 0; i < hold->tasks.count; i++) {
    struct cl_task task = hold->tasks.task[i];
    if (task.kernel && cl_task_allowed(task.tid, &task.allowed) == 0) kernel->task[kernel->count++] = task;
  }
  return 0;
}

static int note_all(struct cl_hold *hold, const char *controller, const struct cl_tasks *tasks, bool kernel) {
  int error = 0;
  for (size_t i = 0; i < tasks->count && !error; i++) {
    struct cl_cpus all;
    if (tasks->task[i].kernel == kernel && pinned(hold, controller, &tasks->task[i], &all) &&
        cl_task_lives(tasks->task[i].tid, tasks->task[i].born))
      error = note(hold, &tasks->task[i], &all);
  }
  return error;
}

int cl_pins_note(struct cl_hold *hold, const char *controller, struct cl_pins *pins) {
  *pins = (struct cl_pins){{NULL, 0}, {NULL, 0}};
  int error = kernel_tasks(hold, &pins->kernel);
  if (!error) error = note_all(hold, controller, &pins->kernel, true);
  if (error || cl_kernel_since(6, 2)) return error;
  error = cl_tasks_read(&pins->user);
  return error ? error : note_all(hold, controller, &pins->user, false);
}

/* Without an entry: taking back the groups lets them have all CPUs again, and then the note's entry gives them theirs. */
void cl_pins_again(const struct cl_hold *hold, const struct cl_pins *pins) {
  for (size_t i = 0; i < pins->user.count && !hold->changes.plan; i++) {
    const struct cl_task *was = &pins->user.task[i];
    struct cl_task is;
    struct cl_cpus left = cl_cpus_minus(&was->allowed, &hold->cpus);
    if (was->kernel || was->fixed || cl_cpus_count(&left) == 0 || cl_cpus_equal(&was->allowed, &hold->online)) continue;
    if (cl_task_read(was->tid, &is) || is.born != was->born || cl_cpus_equal(&is.allowed, &left)) continue;
    cl_task_allow(was->tid, &left); /* or it has ended, or its cpuset has none of these */
  }
}

int cl_pins_of(struct cl_hold *hold, const char *controller, int pid, struct cl_pins *pins) {
  *pins = (struct cl_pins){{NULL, 0}, {NULL, 0}};
  if (cl_kernel_since(6, 2)) return 0;
  int error = cl_tasks_of(pid, &pins->user);
  return error ? error : note_all(hold, controller, &pins->user, false);
}

void cl_pins_free(struct cl_pins *pins) {
  cl_tasks_free(&pins->kernel);
  cl_tasks_free(&pins->user);
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
  struct cl_cpus all, now;
  /* The kernel gives it what it has asked for out of its new group's CPUs; before 6.2, all of them. */
  int error = cl_kernel_since(6, 2) && pinned(hold, controller, task, &all) ? note(hold, task, &hold->use) : 0;
  if (!error) error = cl_change_group(changes, task, controller, hold->group, hold->request->tid == 0);
  if (!error && !changes->plan && (error = cl_task_allowed(task->tid, &now)) == 0 && !cl_cpus_equal(&now, &hold->use))
    error = cl_task_allow(task->tid, &hold->use);
  return error ? cl_why(why, size, error, "cannot move task %d (%s) to %s", task->tid, task->name, hold->group) : 0;
}

void cl_warn_container(const struct cl_tasks *kernel) {
  if (kernel->count == 0)
    cl_warn("this is a container: programs outside it are not seen, and may use the CPUs as before");
}

int cl_workqueues_away(struct cl_hold *hold) {
  static const char path[] = "/sys/devices/virtual/workqueue/cpumask";
  char text[CL_CPUS_TEXT];
  struct cl_cpus set;
  if (cl_read(path, text, sizeof text) || cl_cpus_parse_mask(text, &set)) return 0; /* a kernel without it */
  set = cl_cpus_minus(&set, &hold->cpus);
  if (cl_cpus_count(&set) == 0) return 0;
  int error = cl_change_mask(&hold->changes, path, &set);
  return error == EACCES || error == EROFS || error == EPERM ? 0 : error;
}
