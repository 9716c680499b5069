/* SPDX-License-Identifier: Apache-2.0 */
#include "enforced.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct look {
  const struct cl_hold *hold;
  void (*find)(void *context, const struct cl_task *task, const char *line);
  void *context;
};

static void find(const struct look *l, const struct cl_task *task, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void find(const struct look *l, const struct cl_task *task, const char *format, ...) {
  char text[3 * CL_CPUS_TEXT];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  l->find(l->context, task, text);
}

/* The file is to have all of `cpus`. */
static void check_has(const struct look *l, const char *path, const struct cl_cpus *cpus) {
  struct cl_cpus is;
  if (cl_read_cpus(path, &is)) return; /* not on this kernel */
  struct cl_cpus online = cl_cpus_and(cpus, &l->hold->online), missing = cl_cpus_minus(&online, &is);
  if (!cl_cpus_empty(&missing))
    find(l, NULL, "%s is \"%s\": CPU %s is missing", path, cl_cpus_text(&is), cl_cpus_text(&missing));
}

static void check_partition(const struct look *l, const char *kind) {
  const struct cl_hold *hold = l->hold;
  char mount[CL_PATH_MOST], text[256];
  if (cl_group_mount(mount, sizeof mount)) return;
  const char *group = cl_path(cl_systemd_runs() ? "%s/coreloom_%d.slice" : "%s/coreloom-%d", mount, hold->id);
  const char *path = cl_path("%s/cpuset.cpus.partition", group);
  int error = cl_read(path, text, sizeof text);
  if (error) find(l, NULL, "%s cannot be read: %s", path, strerror(error));
  else if (strcmp(text, kind) != 0) find(l, NULL, "%s is \"%s\", not \"%s\"", path, text, kind);
  check_has(l, cl_path("%s/cpuset.cpus.effective", group), &hold->use);
  if (strcmp(kind, "isolated") == 0) check_has(l, cl_path("%s/cpuset.cpus.isolated", mount), &hold->cpus);
}

/* True: they may. */
static bool check_queues(const struct look *l) {
  char text[CL_CPUS_TEXT];
  struct cl_cpus now;
  if (cl_read(CL_QUEUES, text, sizeof text) || cl_cpus_parse_mask(text, &now)) return false;
  now = cl_cpus_and(&now, &l->hold->cpus);
  if (cl_cpus_empty(&now)) return false;
  find(l, NULL, "%s is \"%s\": work of the kernel may run on CPU %s", CL_QUEUES, text, cl_cpus_text(&now));
  return true;
}

/* A task of others that may run on the held CPUs though it could be elsewhere. Not one that the kernel has bound to
 * them; a worker of the unbound workqueues only while these may use the CPUs: else it gets no more work there. */
static bool may_come(const struct cl_hold *hold, const struct cl_task *task, bool queues) {
  if (!cl_cpus_meet(&task->allowed, &hold->cpus) || task->state == 'Z') return false;
  /* A kernel thread that may be nowhere else is the CPU's own; that of an interrupt goes along with it the next time it
   * is woken. */
  if (task->kernel && cl_cpus_within(&task->allowed, &hold->cpus)) return false;
  if (task->fixed) return queues && task->kernel && strncmp(task->name, "kworker/u", strlen("kworker/u")) == 0;
  return !cl_is_program(hold, task);
}

void cl_enforced(const struct cl_held *held, const char *mechanism, const struct cl_tasks *tasks,
                 void (*to)(void *context, const struct cl_task *task, const char *line), void *context) {
  const struct look l = {&held->hold, to, context};
  if (strcmp(mechanism, "affinity") != 0) check_partition(&l, mechanism);
  bool queues = check_queues(&l);
  for (size_t i = 0; i < tasks->count; i++) {
    const struct cl_task *task = &tasks->task[i];
    if (!may_come(l.hold, task, queues)) continue;
    struct cl_cpus there = cl_cpus_and(&task->allowed, &l.hold->cpus);
    find(&l, task, "task %d (%s) may run on CPU %s", task->tid, task->name, cl_cpus_text(&there));
  }
}
