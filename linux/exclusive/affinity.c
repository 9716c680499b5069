/* SPDX-License-Identifier: Apache-2.0
 *
 * Without cpusets: the affinity of every other task that may use the CPUs is changed, one by one.
 *
 * Why few tasks can come in: a new task inherits its parent's affinity, init and kthreadd are changed first, and
 * clear() repeats until a pass finds no task left, so one born between the listing and the call is found by the next
 * pass. But a task may call sched_setaffinity at any time, and a new kernel thread starts with all CPUs: they stay
 * until the next sweep().
 *
 * A task belongs to the program if it is in its process or descends from it and has the program's CPUs; a program taken
 * by attach may have older children, and those are moved off. The tool adopts the orphans of a program it has started.
 * For a cgroup, membership decides. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mechanisms.h"
#include "say.h"
#include "target.h"

#define GENERATIONS 1000
#define PASSES 100 /* enough for a machine that keeps forking: the sweeps do the rest */

/* Tasks that the kernel does not let move: left there. One reservation per process. */
static struct cl_tasks left_there;

static bool is_process_of(const struct cl_hold *hold, int pid) {
  const struct cl_task process = {.pid = pid, .tid = pid};
  return pid == hold->program.pid || (hold->request->tid == 0 && cl_target_has(hold, &process));
}

/* `later`: in a sweep; when the CPUs are cleared a program that the tool starts has made no other yet. */
static bool is_programs(const struct cl_hold *hold, const struct cl_task *task, bool later) {
  const struct cl_request *request = hold->request;
  bool started = request->command != NULL;
  if (task->kernel) return false;
  if (cl_target_has(hold, task)) return true;
  if (started ? !later : !cl_cpus_within(&task->allowed, &hold->cpus)) return false;
  if (cl_target_contains(hold, task->tid)) return true;
  struct cl_task at = *task;
  for (int i = 0; i < GENERATIONS && at.pid > 1; i++) {
    if (is_process_of(hold, at.pid)) return true;
    /* An orphan that the tool has adopted; its watcher has not got the CPUs. */
    if (started && at.parent == hold->id) return cl_cpus_within(&at.allowed, &hold->cpus);
    if (cl_task_read(at.parent, &at)) return false;
  }
  return false;
}

static bool is_left(const struct cl_task *task) {
  for (size_t i = 0; i < left_there.count; i++)
    if (left_there.task[i].tid == task->tid && left_there.task[i].born == task->born) return true;
  return false;
}

static int leave(const struct cl_task *task) {
  int error = cl_tasks_add(&left_there, task);
  if (!error) cl_say("task %d (%s) is allowed on no other CPUs: it stays", task->tid, task->name);
  return error;
}

/* Sets one task's affinity; *told: it was set. A task that may use nothing else gets the rest while the CPUs are
 * held, as with cpusets. */
static int tell(struct cl_hold *hold, const struct cl_task *task, bool *told) {
  struct cl_cpus rest = cl_cpus_minus(&task->allowed, &hold->cpus);
  bool here = cl_cpus_has(&hold->cpus, task->cpu);
  *told = false;
  if (cl_cpus_empty(&rest)) {
    if (task->kernel) return leave(task);
    rest = cl_granted_of(task->tid, &hold->rest); /* the kernel gives no more, and that is recorded */
    if (cl_cpus_empty(&rest)) return leave(task);
  }
  struct cl_cpus via = cl_cpus_and(&hold->lightest, &rest);
  int error = cl_change_affinity(&hold->changes, task, here && !cl_cpus_empty(&via) ? &via : NULL, &rest);
  if (error == ESRCH) return 0;
  if (error == EINVAL || error == EPERM) return leave(task);
  *told = !error;
  return error;
}

/* One pass over all tasks that may use the CPUs, or over `known` ones; *found: those changed. */
static int pass(struct cl_hold *hold, const struct cl_tasks *known, bool later, int *found) {
  struct cl_tasks tasks;
  int error = known ? cl_tasks_still(known, &hold->cpus, &tasks) : cl_tasks_on(&hold->cpus, &tasks);
  *found = 0;
  for (size_t i = 0; i < tasks.count && !error; i++) { /* by pid: init and kthreadd, the ancestors of all, first */
    const struct cl_task *task = &tasks.task[i];
    bool told;
    if (task->state == 'Z' || is_programs(hold, task, later) || is_left(task)) continue;
    if (task->fixed) {
      hold->kernel_stay += !later;
      continue;
    }
    error = tell(hold, task, &told);
    if (error || !told) continue;
    (*found)++;
    if (task->kernel) hold->kernel_moved++;
    else hold->moved++;
  }
  cl_tasks_free(&tasks);
  return error;
}

static const char *cannot(const struct cl_hold *hold, char *why, size_t size) {
  (void)why, (void)size;
  return cl_needs_root(hold) ? "needs root" : NULL;
}

static int clear(struct cl_hold *hold, char *why, size_t size) {
  int found = 1;
  struct cl_tasks kernel;
  int error = cl_tasks_kernel(&kernel);
  if (error) return cl_why(why, size, error, "cannot read the tasks");
  cl_warn_container(&kernel);
  cl_tasks_free(&kernel);
  hold->group[0] = '\0';
  cl_tasks_free(&left_there);
  if (hold->request->command != NULL && !hold->changes.plan) prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!hold->changes.plan) error = cl_layer_put_note(hold->changes.layer, "via", cl_cpus_text(&hold->lightest));
  for (int i = 0; i < PASSES && found && !error; i++) {
    hold->kernel_stay = 0;
    /* A task with the ID of one that has ended since state 1 is new, and is restored as such. */
    error = pass(hold, i == 0 ? &hold->tasks : NULL, false, &found);
    if (hold->changes.plan) break;
    if (!error && cl_interrupted(hold)) error = EINTR;
  }
  if (error) return cl_why(why, size, error, "cannot move the tasks");
  error = cl_workqueues_away(hold);
  return error ? cl_why(why, size, error, "cannot move the workqueues") : 0;
}

static int enter(struct cl_hold *hold, const struct cl_task *task, char *why, size_t size) {
  int error = cl_change_program(&hold->changes, task, &hold->use, hold->id);
  if (!error) error = cl_change_affinity(&hold->changes, task, NULL, &hold->use);
  return error ? cl_why(why, size, error, "cannot place task %d (%s)", task->tid, task->name) : 0;
}

static int sweep(struct cl_hold *hold) {
  int found;
  pass(hold, NULL, true, &found);
  return found;
}

const struct cl_mechanism cl_affinity = {
    .name = "affinity",
    .text = "CPU affinity of every task",
    .cannot = cannot,
    .clear = clear,
    .enter = enter,
    .sweep = sweep,
};
