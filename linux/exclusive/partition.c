/* SPDX-License-Identifier: Apache-2.0
 *
 * cgroup v2: the CPUs are a partition of their own, that of the program's cgroup. One write of cpuset.cpus.partition
 * takes them from every other cgroup, and the kernel moves the tasks.
 *
 * Why no task can come in: a task may use only the CPUs of its cgroup, whatever it requests by sched_setaffinity, and a
 * new task is born in its parent's cgroup. The partition's CPUs belong to no other cgroup, not to new ones either. The
 * program cannot leave for the same reason. Only kernel threads are left: those bound to the CPU stay; of the others
 * the kernel moves the existing ones, and new ones, which older kernels allow all CPUs, are swept away.
 *
 * isolated: no load balancing, so tasks run one after the other on one CPU, and several threads would pile up on the
 * first of several CPUs; root: a scheduling domain of its own. CPUs that are held idle (siblings) are an isolated
 * partition without tasks, as no task of the program must get there by itself. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "mechanisms.h"
#include "target.h"

/* -- the kernel's threads ---------------------------------------------------------------------------------------- */

/* The kernel's threads that were there in state 1. */
static int kernel_tasks(const struct cl_hold *hold, struct cl_tasks *kernel) {
  int error = 0;
  for (size_t i = 0; i < hold->tasks.count && !error; i++) {
    struct cl_task task = hold->tasks.task[i];
    if (task.kernel && cl_task_allowed(task.tid, &task.allowed) == 0) error = cl_tasks_add(kernel, &task);
  }
  return error;
}

/* The kernel forgets the affinity of its own threads when it creates a partition, and before 6.2 what any task has
 * requested whenever its cpuset changes: pins those again that were pinned, to what is left to them. */
static void pins_again(const struct cl_hold *hold) {
  const struct cl_baseline *base = hold->changes.base;
  bool forgets = !cl_kernel_since(6, 2);
  for (const struct cl_known *known = hold->changes.plan ? NULL : base->known; known; known = known->next) {
    struct cl_task is;
    struct cl_cpus left;
    bool program = known->how == CL_PROGRAM;
    if (known->kind != CL_TASK || cl_cpus_parse(program ? known->written : known->base, &left)) continue;
    if (!program) left = cl_cpus_minus(&left, &base->held);
    if (cl_cpus_empty(&left) || cl_task_look(known->tid, &is) || is.born != known->born) continue;
    if (!is.kernel && !forgets) continue;
    /* Skip a task whose CPUs were narrowed since by a user that may: the kernel has not merely forgotten its value. */
    if (cl_cpus_equal(&is.allowed, &left) || ((is.kernel || program) && !cl_cpus_within(&left, &is.allowed))) continue;
    if (!is.kernel && !program) {
      struct cl_cpus may = cl_granted_of(known->tid, &base->possible);
      if (!cl_cpus_equal(&is.allowed, &may)) continue; /* requested since */
    }
    cl_task_allow(known->tid, &left); /* or its cpuset has none of these */
  }
}

/* Moves kernel threads off the CPUs: those that `kernel` lists, as they were before. `itself`: the kernel has done
 * it, or in a plan will do it, so that they only have to be counted. */
static int kernel_away(struct cl_hold *hold, const struct cl_tasks *kernel, bool itself) {
  for (size_t i = 0; i < kernel->count; i++) {
    struct cl_task task = kernel->task[i];
    if (!cl_cpus_meet(&task.allowed, &hold->cpus)) continue;
    if (itself && hold->changes.plan) {
      if (task.fixed) hold->kernel_stay++;
      else hold->kernel_moved++;
      continue;
    }
    if (cl_task_allowed(task.tid, &task.allowed)) continue; /* it has ended */
    struct cl_cpus left = cl_cpus_minus(&task.allowed, &hold->cpus);
    int error = 0;
    if (!cl_cpus_meet(&task.allowed, &hold->cpus)) hold->kernel_moved++;
    else if (task.fixed || cl_cpus_empty(&left)) hold->kernel_stay++;
    else if ((error = cl_change_affinity(&hold->changes, &task, NULL, &left)) == 0) hold->kernel_moved++;
    else if (error == EINVAL) hold->kernel_stay++;
    else if (error != ESRCH) return error;
  }
  return 0;
}

/* Moves off kernel threads that came since: a new one starts with all CPUs, whatever kthreadd has. Returns their
 * number. */
static int kernel_sweep(struct cl_hold *hold) {
  static char *last;
  char *list;
  struct cl_tasks kernel;
  if (cl_read_all("/proc/2/task/2/children", &list) == 0) {
    bool same = last != NULL && strcmp(last, list) == 0;
    free(last);
    last = list;
    if (same) return 0;
  }
  int before = hold->kernel_moved, stay = hold->kernel_stay;
  if (cl_tasks_kernel(&kernel)) return 0;
  kernel_away(hold, &kernel, false);
  cl_tasks_free(&kernel);
  hold->kernel_stay = stay; /* these were counted when it was cleared */
  return hold->kernel_moved - before;
}

/* -- the partition ---------------------------------------------------------------------------------------------- */

static const char *v2_cannot(const struct cl_hold *hold) {
  char mount[CL_PATH_MOST], text[512];
  if (cl_needs_root(hold)) return "needs root";
  if (cl_group_mount(mount, sizeof mount)) return "cgroup v2 is not mounted";
  if (cl_read(cl_path("%s/cgroup.controllers", mount), text, sizeof text) || !cl_lists_word(text, "cpuset"))
    return "cgroup v2 has no cpuset controller: the kernel lacks it, or cgroup v1 uses it";
  if (hold->request->tid > 0) return "in cgroup v2 a thread cannot leave the cgroup of its process";
  return NULL;
}

/* The unit that one of the processes is in, or "". */
static void unit_of(const struct cl_hold *hold, char *unit, size_t size) {
  const struct cl_target *t = hold->target;
  cl_systemd_unit(hold->request->pid, unit, size);
  for (size_t i = 0; t && i < t->process.count && unit[0] == '\0'; i++)
    cl_systemd_unit(t->process.task[i].pid, unit, size);
}

static const char *cannot(const struct cl_hold *hold, bool isolated, char *why, size_t size) {
  const struct cl_request *request = hold->request;
  const char *no = v2_cannot(hold);
  if (no != NULL) return no;
  if (isolated && request->mechanism == NULL && cl_cpus_count(&hold->use) > 1)
    return "the kernel does not balance threads across isolated CPUs";
  if (request->pid > 0 && !request->move && cl_systemd_runs()) {
    char unit[CL_UNIT_MOST];
    bool several = hold->target && hold->target->process.count > 1;
    unit_of(hold, unit, sizeof unit);
    if (unit[0] != '\0') {
      snprintf(why, size, "it would take %s out of %s: add --move to allow it", several ? "processes" : "the process",
               unit);
      return why;
    }
  }
  return NULL;
}

static const char *isolated_cannot(const struct cl_hold *hold, char *why, size_t size) {
  return cannot(hold, true, why, size);
}

static const char *root_cannot(const struct cl_hold *hold, char *why, size_t size) {
  return cannot(hold, false, why, size);
}

/* Pressure accounting of a cgroup wakes a kernel thread on its CPUs every two seconds; nothing reads that of this
 * tool's cgroups. */
static int without_pressure(struct cl_changes *changes, const char *group) {
  if (!cl_exists("/proc/pressure") || !cl_kernel_since(6, 1)) return 0;
  int error = cl_change_file(changes, cl_path("%s/cgroup.pressure", group), "0");
  return error == ENOENT ? 0 : error;
}

static int partition(struct cl_hold *hold, const char *group, const struct cl_cpus *cpus, const char *kind, char *why,
                     size_t size) {
  struct cl_changes *changes = &hold->changes;
  char text[256];
  int error = without_pressure(changes, group);
  if (error) return cl_why(why, size, error, "cannot turn off pressure accounting of %s", group);
  const char *path = cl_path("%s/cpuset.cpus", group);
  error = cl_change_file(changes, path, cl_cpus_text(cpus));
  if (!error) error = cl_change_file(changes, path = cl_path("%s/cpuset.cpus.partition", group), kind);
  if (error) return cl_why(why, size, error, "cannot write %s", path);
  if (hold->partition[0] == '\0') snprintf(hold->partition, sizeof hold->partition, "%s", group);
  if (changes->plan) return 0;
  /* The write succeeds even where the kernel then finds the partition invalid: only reading it back tells. */
  error = cl_read(path, text, sizeof text);
  if (error) return cl_why(why, size, error, "cannot read %s", path);
  if (strcmp(text, kind) == 0) return 0;
  snprintf(why, size, "%s says: %s", path, text);
  return EBUSY;
}

/* systemd has created a slice with all the CPUs and in it the scope with those for the program: the slice, directly
 * below the root, becomes the partition. A cgroup of systemd that lists the CPUs is left alone, and then the kernel
 * reports it. */
static int make_by_systemd(struct cl_hold *hold, const char *mount, const char *kind, char *why, size_t size) {
  char slice[CL_PATH_MOST];
  int error = cl_systemd_scope(hold, &hold->program, why, size);
  if (error) return error;
  size_t root = strlen(mount) + 1;
  snprintf(slice, sizeof slice, "%.*s", (int)(root + strcspn(hold->group + root, "/")), hold->group);
  error = without_pressure(&hold->changes, hold->group);
  if (error) return cl_why(why, size, error, "cannot turn off pressure accounting of %s", hold->group);
  return partition(hold, slice, &hold->cpus, kind, why, size);
}

/* A group directly below the mount that lists some of the CPUs is in the way of a partition: it loses them. One with no
 * CPU left gets what the others have, as "" would be all. */
static int narrow(void *context, const char *path) {
  struct cl_hold *hold = context;
  struct cl_cpus set;
  if (cl_read_cpus(path, &set) || cl_cpus_empty(&set)) return 0;
  struct cl_cpus left = cl_cpus_minus(&set, &hold->cpus);
  if (cl_cpus_empty(&left)) left = hold->lists;
  int error = cl_cpus_equal(&left, &set) ? 0 : cl_change_cpus(&hold->changes, path, &left);
  return error == ENOENT || error == ENODEV ? 0 : error;
}

static int make(struct cl_hold *hold, const char *kind, struct cl_tasks *kernel, char *why, size_t size) {
  struct cl_changes *changes = &hold->changes;
  char mount[CL_PATH_MOST], idle[CL_PATH_MOST];
  int error = cl_group_mount(mount, sizeof mount);
  if (error) return cl_why(why, size, error, "cgroup v2 is not mounted");
  if ((error = kernel_tasks(hold, kernel)) != 0) return cl_why(why, size, error, "cannot read the tasks");
  /* For an isolated partition the kernel moves its own threads, and back. For others newer versions do not, nor do
   * they restore a thread whose affinity is narrowed while the partition exists: so they are moved before it is
   * created, and restored after it is gone. */
  if (strcmp(kind, "isolated") != 0 && (error = kernel_away(hold, kernel, false)) != 0)
    return cl_why(why, size, error, "cannot move the kernel threads");
  if (cl_systemd_runs()) return make_by_systemd(hold, mount, kind, why, size);
  /* Cgroups that list the CPUs forbid the partition, and the partition forbids them to get the CPUs back: so it is
   * created after they are narrowed, and removed before. */
  error = cl_change_cpuset_on(changes, mount);
  if (error) return cl_why(why, size, error, "cannot enable the cpuset controller in %s", mount);
  if ((error = cl_baseline_groups(narrow, hold)) != 0)
    return cl_why(why, size, error, "cannot narrow the cgroups in %s", mount);
  cl_group_name(hold, mount, "", hold->group);
  error = cl_change_folder(changes, hold->group);
  if (error) return cl_why(why, size, error, "cannot create %s", hold->group);
  error = partition(hold, hold->group, &hold->use, kind, why, size);
  struct cl_cpus empty = cl_cpus_minus(&hold->cpus, &hold->use);
  if (error || cl_cpus_empty(&empty)) return error;
  cl_group_name(hold, mount, "-idle", idle);
  error = cl_change_folder(changes, idle);
  if (error) return cl_why(why, size, error, "cannot create %s", idle);
  return partition(hold, idle, &empty, "isolated", why, size);
}

static int clear(struct cl_hold *hold, const char *kind, char *why, size_t size) {
  bool isolated = strcmp(kind, "isolated") == 0;
  struct cl_tasks kernel = {NULL, 0};
  *why = '\0';
  int error = make(hold, kind, &kernel, why, size);
  if (!error) pins_again(hold);
  if (!error && isolated) error = kernel_away(hold, &kernel, true);
  if (error && *why == '\0') cl_why(why, size, error, "cannot place the tasks");
  /* From 6.9 on the kernel keeps the workqueues off isolated CPUs by itself, but forgets that whenever the mask is
   * written, as another reservation may do. */
  if (!error && (error = cl_workqueues_away(hold)) != 0) cl_why(why, size, error, "cannot move the workqueues");
  cl_tasks_free(&kernel);
  return error;
}

/* Moves a task of the program into hold->group, and onto hold->use whatever it has requested. task->allowed is what it
 * had before the first thread of its process entered: recorded first, as the kernel gives a task what it has asked for out
 * of its new group's CPUs, before 6.2 forgets it, and shows nobody what that was. */
static int enter(struct cl_hold *hold, const struct cl_task *task, char *why, size_t size) {
  struct cl_changes *changes = &hold->changes;
  int error = cl_change_program(changes, task, NULL, hold->id);
  if (!error) error = cl_change_group(changes, task, hold->group);
  if (!error && !changes->plan) error = cl_change_program(changes, task, &hold->use, hold->id);
  if (!error && !changes->plan) error = cl_task_allow(task->tid, &hold->use);
  return error ? cl_why(why, size, error, "cannot move task %d (%s) to %s", task->tid, task->name, hold->group) : 0;
}

static int isolated_clear(struct cl_hold *hold, char *why, size_t size) { return clear(hold, "isolated", why, size); }

static int root_clear(struct cl_hold *hold, char *why, size_t size) { return clear(hold, "root", why, size); }

/* From 7.0 on a new kernel thread has no CPU of an isolated partition. */
static int isolated_sweep(struct cl_hold *hold) { return cl_kernel_since(7, 0) ? 0 : kernel_sweep(hold); }

const struct cl_mechanism cl_isolated = {
    .name = "isolated",
    .text = "cgroup v2, isolated partition",
    .scopes = true,
    .cannot = isolated_cannot,
    .clear = isolated_clear,
    .enter = enter,
    .sweep = isolated_sweep,
};

const struct cl_mechanism cl_root = {
    .name = "root",
    .text = "cgroup v2, partition with load balancing",
    .scopes = true,
    .cannot = root_cannot,
    .clear = root_clear,
    .enter = enter,
    .sweep = kernel_sweep,
};
