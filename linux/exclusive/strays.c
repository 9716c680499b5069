/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof.h"
#include "say.h"
#include "target.h"

#define BUFFER_KB "1024" /* of the trace, a held CPU: about 10 000 switches */

typedef unsigned long long count;

struct seen {
  int tid;
  count born, times;
};

struct cl_watch {
  char instance[CL_PATH_MOST]; /* of tracefs, or "" */
  struct seen *seen;           /* without it: the tasks that were allowed there at the start, by tid */
  size_t seens;
  struct cl_numbers own; /* with it: tasks of the program */
};

/* -- the program's own tasks ------------------------------------------------------------------------------------- */

static bool in_group(const struct cl_hold *hold, int tid) {
  char folder[CL_FOLDER_MOST];
  return hold->group[0] && cl_task_folder(tid, folder, sizeof folder) == 0 && cl_is_below(folder, hold->group);
}

static bool has_ended(const struct cl_task *task) { return !cl_task_lives(task->tid, task->born); }

bool cl_is_program(const struct cl_hold *hold, const struct cl_task *task) {
  const struct cl_task *program = &hold->program;
  if (task->kernel) return false;
  if (cl_target_has(hold, task) || in_group(hold, task->tid) || cl_target_contains(hold, task->tid)) return true;
  int parent = task->parent;
  for (int depth = 0; parent > 1 && depth < 64; depth++) {
    struct cl_task up;
    if (parent == hold->id) return true; /* an orphan that the tool has adopted */
    if (hold->request->tid == 0 && cl_target_has(hold, &(struct cl_task){.pid = parent})) return true;
    if (parent == program->pid) return has_ended(task);
    if (cl_task_read(parent, &up)) break;
    parent = up.parent;
  }
  return has_ended(task);
}

/* -- from /proc ------------------------------------------------------------------------------------------------- */

/* How often a task got a CPU: the third figure of its schedstat. Without it, its time in ticks, which grows less. */
static count times_of(const struct cl_task *task) {
  char text[128];
  count times;
  if (cl_read(cl_path("/proc/%d/schedstat", task->tid), text, sizeof text) || sscanf(text, "%*s %*s %llu", &times) != 1)
    return task->used;
  return times;
}

static int by_tid(const void *a, const void *b) {
  const struct seen *x = a, *y = b;
  return (x->tid > y->tid) - (x->tid < y->tid);
}

static int remember(struct cl_watch *watch, const struct cl_hold *hold) {
  struct cl_tasks tasks;
  int error = cl_tasks_on(&hold->cpus, &tasks);
  if (error) return error;
  watch->seen = calloc(tasks.count + 1, sizeof *watch->seen);
  for (size_t i = 0; watch->seen != NULL && i < tasks.count; i++)
    watch->seen[watch->seens++] = (struct seen){tasks.task[i].tid, tasks.task[i].born, times_of(&tasks.task[i])};
  cl_tasks_free(&tasks);
  if (watch->seen == NULL) return ENOMEM;
  qsort(watch->seen, watch->seens, sizeof *watch->seen, by_tid);
  return 0;
}

static struct cl_stray *add_stray(struct cl_proof *proof, const struct cl_task *task, count times) {
  struct cl_stray *more = realloc(proof->stray, (proof->strays + 1) * sizeof *more);
  if (more == NULL) return NULL;
  proof->stray = more;
  struct cl_stray *stray = &more[proof->strays++];
  *stray = (struct cl_stray){.tid = task->tid, .kernel = task->kernel, .fixed = task->fixed, .times = times};
  memcpy(stray->name, task->name, sizeof stray->name);
  return stray;
}

static bool holds(const struct cl_hold *hold) { return hold->partition[0] == '\0' || cl_exists(hold->partition); }

static bool nowhere_else(const void *cpus, const struct cl_cpus *allowed) { return cl_cpus_within(allowed, cpus); }

/* Which tasks may have been on the CPUs. systemd removes the cgroup with its last process: then any task may be
 * there again, and none of those was. */
static int candidates(const struct cl_hold *hold, struct cl_tasks *tasks) {
  if (holds(hold)) {
    int error = cl_tasks_on(&hold->cpus, tasks);
    if (error || holds(hold)) return error;
    cl_tasks_free(tasks);
  }
  return cl_tasks_if(nowhere_else, &hold->cpus, tasks);
}

/* A task that may also run elsewhere counts if it was there last. */
static int compare_tasks(const struct cl_watch *watch, const struct cl_hold *hold, struct cl_proof *proof) {
  struct cl_tasks tasks;
  int error = candidates(hold, &tasks);
  for (size_t i = 0; !error && i < tasks.count; i++) {
    const struct cl_task *task = &tasks.task[i];
    if (!cl_cpus_has(&hold->cpus, task->cpu) && !cl_cpus_within(&task->allowed, &hold->cpus)) continue;
    struct seen key = {task->tid, 0, 0};
    const struct seen *then = bsearch(&key, watch->seen, watch->seens, sizeof key, by_tid);
    count before = then && then->born == task->born ? then->times : 0, now = times_of(task);
    if (now > before && !cl_is_program(hold, task) && add_stray(proof, task, now - before) == NULL) error = ENOMEM;
  }
  cl_tasks_free(&tasks);
  return error;
}

/* -- from tracefs ----------------------------------------------------------------------------------------------- */

static const char *tracefs(void) {
  static const char *const folder[] = {"/sys/kernel/tracing/instances", "/sys/kernel/debug/tracing/instances"};
  for (size_t i = 0; i < 2; i++)
    if (cl_exists(folder[i])) return folder[i];
  return NULL;
}

static const char *inside(const struct cl_watch *watch, const char *name) {
  return cl_path("%s/%s", watch->instance, name);
}

/* The files of an instance are removed with its directory: only that is recorded. A plan shows them all. */
static int set(struct cl_hold *hold, const struct cl_watch *watch, const char *name, const char *text) {
  const char *path = inside(watch, name);
  return hold->changes.plan ? cl_change_file(&hold->changes, path, text) : cl_write(path, text);
}

/* Forks are traced too: most tasks of the program have ended by the time the trace is read. */
static int start_trace(struct cl_hold *hold, struct cl_watch *watch) {
  char mask[CL_CPUS_TEXT];
  int error = cl_change_folder(&hold->changes, watch->instance);
  if (!error) error = set(hold, watch, "buffer_size_kb", "4");
  for (int cpu = cl_cpus_next(&hold->cpus, -1); !error && cpu >= 0; cpu = cl_cpus_next(&hold->cpus, cpu))
    error = set(hold, watch, cl_path("per_cpu/cpu%d/buffer_size_kb", cpu), BUFFER_KB);
  if (!error) error = set(hold, watch, "tracing_cpumask", cl_cpus_format_mask(&hold->cpus, mask));
  if (!error) error = set(hold, watch, "events/sched/sched_switch/filter", "next_pid != 0");
  if (!error) error = set(hold, watch, "events/sched/sched_process_fork/enable", "1");
  if (!error) error = set(hold, watch, "events/sched/sched_switch/enable", "1");
  return error;
}

/* Whether a text begins as a form: # is a number, * a word, $ the end of a line. Answers what is behind it. */
static char *match(char *text, const char *form, int *number) {
  for (; *form; form++) {
    if (*form == '#') {
      bool less = *text == '-'; /* a priority of SCHED_DEADLINE */
      if (!isdigit((unsigned char)text[less])) return NULL;
      unsigned long value = strtoul(text + less, &text, 10);
      *number++ = !less && value <= INT_MAX ? (int)value : 0;
    } else if (*form == '*') {
      text += strcspn(text, " \n");
    } else if (*form == '$') {
      if (*text != '\n' && *text != '\0') return NULL;
    } else if (*text++ != *form) {
      return NULL;
    }
  }
  return text;
}

#define NAME_MOST 15

/* A name may contain anything, even newlines and what looks like the rest of an entry; but that rest, as a whole, is
 * longer than a name. So the name ends at the last place, not too far on, from which the rest follows. */
static char *behind_name(char *name, const char *rest, int *number, size_t *length) {
  for (size_t at = strnlen(name, NAME_MOST) + 1; at-- > 0;) {
    char *end = match(name + at, rest, number);
    if (end == NULL) continue;
    *length = at;
    return end;
  }
  return NULL;
}

/* "prev_comm=NAME prev_pid=... ==> next_comm=NAME next_pid=TID next_prio=120", behind the first = */
static int read_switch(char *text, const struct cl_numbers *own, struct cl_proof *proof) {
  int number[2]; /* as many as a form has */
  size_t length;
  char *name = behind_name(text, " prev_pid=# prev_prio=# prev_state=* ==> next_comm=", number, &length);
  if (name == NULL || behind_name(name, " next_pid=# next_prio=#$", number, &length) == NULL) return 0;
  struct cl_task task = {.tid = number[0]};
  if (task.tid <= 0 || cl_numbers_have(own, task.tid, NULL)) return 0;
  snprintf(task.name, sizeof task.name, "%.*s", (int)length, name);
  for (size_t i = 0; i < proof->strays; i++)
    if (proof->stray[i].tid == task.tid) {
      memcpy(proof->stray[i].name, task.name, sizeof task.name); /* after an exec */
      proof->stray[i].times++;
      return 0;
    }
  return add_stray(proof, &task, 1) ? 0 : ENOMEM;
}

/* "comm=NAME pid=PARENT child_comm=NAME child_pid=CHILD", behind the first = */
static int read_fork(char *text, struct cl_numbers *own) {
  int parent[1], child[1];
  size_t length;
  char *name = behind_name(text, " pid=# child_comm=", parent, &length);
  if (name == NULL || behind_name(name, " child_pid=#$", child, &length) == NULL) return 0;
  return cl_numbers_have(own, parent[0], NULL) && child[0] > 0 ? cl_numbers_add(own, child[0]) : 0;
}

static count overruns(const struct cl_watch *watch, const struct cl_cpus *cpus) {
  char text[1024];
  count sum = 0;
  for (int cpu = cl_cpus_next(cpus, -1); cpu >= 0; cpu = cl_cpus_next(cpus, cpu)) {
    const char *path = inside(watch, cl_path("per_cpu/cpu%d/stats", cpu));
    const char *found = cl_read(path, text, sizeof text) ? NULL : strstr(text, "overrun: ");
    if (found && (found == text || found[-1] == '\n')) sum += strtoull(found + strlen("overrun: "), NULL, 10);
  }
  return sum;
}

/* Live tasks can be checked. For one that has ended, and whose fork may be among the lost events, it cannot be told
 * whether it was the program's: its switches count as lost too. */
static void sort_out(const struct cl_hold *hold, struct cl_proof *proof) {
  size_t kept = 0;
  for (size_t i = 0; i < proof->strays; i++) {
    struct cl_stray stray = proof->stray[i];
    struct cl_task task;
    bool lives = cl_task_read(stray.tid, &task) == 0;
    if (lives && cl_is_program(hold, &task)) continue;
    if (!lives && proof->lost) {
      proof->lost += stray.times;
      continue;
    }
    stray.kernel = lives && task.kernel;
    stray.fixed = lives && task.fixed;
    proof->stray[kept++] = stray;
  }
  proof->strays = kept;
}

static int read_trace(struct cl_watch *watch, const struct cl_hold *hold, struct cl_proof *proof) {
  char *text;
  int error = cl_write(inside(watch, "tracing_on"), "0");
  if (!error) error = cl_read_all(inside(watch, "trace"), &text);
  if (error) return error;
  /* Not line by line: a name may have a newline. Both of these are longer than a name. */
  static const char switches[] = ": sched_switch: prev_comm=", forks[] = ": sched_process_fork: comm=";
  for (char *at = text; !error && (at = strstr(at, ": sched_")) != NULL; at++) {
    if (strncmp(at, switches, sizeof switches - 1) == 0)
      error = read_switch(at + sizeof switches - 1, &watch->own, proof);
    else if (strncmp(at, forks, sizeof forks - 1) == 0) error = read_fork(at + sizeof forks - 1, &watch->own);
  }
  free(text);
  proof->lost = overruns(watch, &hold->cpus);
  if (!error) sort_out(hold, proof);
  return error;
}

static int know_program(struct cl_watch *watch, const struct cl_hold *hold) {
  struct cl_tasks tasks;
  int error = cl_numbers_add(&watch->own, hold->program.tid);
  if (error || hold->request->tid > 0) return error;
  if (hold->target ? cl_target_tasks(hold, &tasks) : cl_tasks_of(hold->program.pid, &tasks)) return 0;
  for (size_t i = 0; i < tasks.count && !error; i++) error = cl_numbers_add(&watch->own, tasks.task[i].tid);
  cl_tasks_free(&tasks);
  return error;
}

/* --------------------------------------------------------------------------------------------------------------- */

static void free_watch(struct cl_watch *watch) {
  free(watch->seen);
  free(watch->own.number);
  free(watch);
}

int cl_strays_begin(struct cl_hold *hold, struct cl_watch **watch) {
  const char *instances = hold->request->trace ? tracefs() : NULL;
  int error = ENOENT;
  struct cl_watch *w = *watch = calloc(1, sizeof *w);
  if (w == NULL) return ENOMEM;
  if (instances != NULL) {
    snprintf(w->instance, sizeof w->instance, "%s/coreloom-%d", instances, hold->id);
    error = know_program(w, hold);
    if (!error) error = start_trace(hold, w);
  }
  if (error && hold->request->trace) {
    cl_warn("cannot trace: %s; strays are counted from /proc instead",
            instances ? strerror(error) : "tracefs is not mounted at /sys/kernel/tracing");
    w->instance[0] = '\0';
  }
  error = error && !hold->changes.plan ? remember(w, hold) : 0;
  if (error || hold->changes.plan) {
    free_watch(w);
    *watch = NULL;
  }
  return error;
}

static int most_first(const void *a, const void *b) {
  const struct cl_stray *x = a, *y = b;
  return x->times != y->times ? (x->times < y->times) - (x->times > y->times) : x->tid - y->tid;
}

int cl_strays_end(struct cl_watch *watch, const struct cl_hold *hold, struct cl_proof *proof) {
  proof->stray = NULL;
  proof->strays = 0;
  proof->source = NULL;
  proof->lost = 0;
  if (watch == NULL) return 0;
  bool traced = watch->instance[0] != '\0';
  int error = traced ? read_trace(watch, hold, proof) : compare_tasks(watch, hold, proof);
  if (!error) proof->source = traced ? "sched_switch" : "/proc";
  if (proof->strays) qsort(proof->stray, proof->strays, sizeof *proof->stray, most_first);
  free_watch(watch);
  return error;
}
