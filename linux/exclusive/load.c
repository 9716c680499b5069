/* SPDX-License-Identifier: Apache-2.0
 *
 * States 1 and 2 of [GF]: which tasks are on each CPU and how busy it is; which CPUs to take, and where all other tasks
 * go.
 *
 * A request for a number of CPUs takes those that are cheapest to clear: fewest tasks pinned to it, then least
 * run-queue wait and busy time (in whole percents, so that noise does not decide), then fewest managed interrupts (all
 * interrupts where the kernel does not say which are managed), then the highest number. CPU 0 comes last and only with
 * --force. Siblings that must stay idle count with their core. Several CPUs are taken below one last-level cache if
 * there are enough, else in one package, else anywhere. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers.h"
#include "proof.h"
#include "say.h"
#include "state.h"
#include "target.h"

#define NAMED 4 /* pinned tasks that are named in a reason */
#define CPU "/sys/devices/system/cpu/cpu"
#define APART 8 /* of more CPUs the reason is told together */

struct cpu {
  int wait, busy; /* percent of the sample */
  int movable, pinned, irqs, managed;
};

struct load {
  struct cl_hold *hold;
  struct cpu cpu[CL_CPUS_MOST];
  struct cl_counters first[CL_CPUS_MOST], second[CL_CPUS_MOST];
  struct cl_tasks tasks;
  struct cl_cpus isolated; /* at boot, by isolcpus=: nobody goes there by itself */
  struct cl_reservation *other;
  size_t others;
  struct cl_cpus taken; /* by them */
  bool waits;           /* the kernel keeps run-queue waits */
  bool managed_known;   /* it tells which interrupts are managed */
  char *why;
  size_t size;
};

/* Adds to the reason; answers the error, so that `return tell(...)` reads well. */
static int tell(struct load *l, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int tell(struct load *l, int error, const char *format, ...) {
  size_t length = strlen(l->why);
  va_list values;
  va_start(values, format);
  vsnprintf(l->why + length, l->size - length, format, values);
  va_end(values);
  return error;
}

static const char *s(int count) { return count == 1 ? "" : "s"; }

/* "0, 2-3" in one of a few buffers in turn, so that a line may have several. */
static const char *list(const struct cl_cpus *cpus) {
  static char ring[3][2 * CL_CPUS_TEXT];
  static int turn;
  char *to = ring[turn = (turn + 1) % 3], *start = to;
  for (const char *from = cl_cpus_text(cpus); *from; from++) {
    *to++ = *from;
    if (*from == ',') *to++ = ' ';
  }
  *to = '\0';
  return start;
}

/* The CPUs that a group's list may have while this and the other reservations hold. */
static struct cl_cpus lists_of(const struct cl_hold *hold, const struct cl_reservation *other, size_t others) {
  struct cl_cpus lists = cl_cpus_minus(&hold->online, &hold->cpus);
  for (size_t i = 0; i < others; i++)
    if (other[i].tool != hold->id && strcmp(other[i].trying, "affinity") != 0)
      lists = cl_cpus_minus(&lists, &other[i].cpus);
  return lists;
}

bool cl_interrupted(const struct cl_hold *hold) {
  struct pollfd signals = {hold->signals, POLLIN, 0};
  return poll(&signals, 1, 0) > 0;
}

/* -- state 1: what is there ----------------------------------------------------------------------------------- */

static bool is_own(const struct cl_hold *hold, const struct cl_task *task) {
  const struct cl_request *request = hold->request;
  if (task->pid == hold->id || (request->command && task->pid == hold->program.pid)) return true;
  if (request->tid > 0) return task->tid == request->tid;
  return request->pid > 0 && (task->pid == request->pid || cl_target_has(hold, task));
}

/* It could run nowhere else: on one CPU only, or only on CPUs of `held`. Kernel threads may always be moved, except
 * the fixed ones, which do not count. */
static bool is_pinned(const struct load *l, const struct cl_task *task, const struct cl_cpus *held) {
  struct cl_cpus may = cl_cpus_and(&task->allowed, &l->hold->online);
  return !task->kernel && (cl_cpus_count(&may) == 1 || cl_cpus_within(&may, held));
}

static void count_tasks(struct load *l, const struct cl_cpus *held) {
  for (int cpu = 0; cpu < CL_CPUS_MOST; cpu++) l->cpu[cpu].movable = l->cpu[cpu].pinned = 0;
  for (size_t i = 0; i < l->tasks.count; i++) {
    const struct cl_task *task = &l->tasks.task[i];
    if (task->fixed || task->cpu < 0 || task->cpu >= CL_CPUS_MOST || is_own(l->hold, task)) continue;
    if (is_pinned(l, task, held)) l->cpu[task->cpu].pinned++;
    else l->cpu[task->cpu].movable++;
  }
}

static int whole(double percent) { return isnan(percent) ? 0 : percent < 999999 ? (int)(percent + 0.5) : 999999; }

/* The tasks are read while the sample runs, so it costs no more than the longer of both. Without a time for it the
 * load is that since boot. */
static int sample(struct load *l) {
  double window = l->hold->request->sample_s;
  int error = window > 0 ? cl_counters_each(l->first) : 0;
  double start = cl_now();
  if (!error) error = cl_tasks_read(&l->tasks);
  if (error) return error;
  struct pollfd signals = {l->hold->signals, POLLIN, 0};
  for (double left; (left = start + window - cl_now()) > 0;)
    if (poll(&signals, 1, (int)(left * 1e3) + 1) > 0) return EINTR;
  error = cl_counters_each(l->second);
  double boot = window > 0 ? 0 : cl_now() - cl_uptime();
  for (int i = 0; i < CL_CPUS_MOST && !error; i++) {
    if (window <= 0) l->first[i] = (struct cl_counters){.at = boot, .cpus = 1, .waits = true, .interrupts = true};
    struct cl_rates rates = cl_rates_of(&l->first[i], &l->second[i]);
    l->cpu[i].wait = whole(rates.wait);
    l->cpu[i].busy = whole(rates.busy);
  }
  l->waits = l->second[0].waits;
  return error;
}

static int add_irq(void *context, const char *name) {
  struct load *l = context;
  struct cl_cpus cpus;
  if (!isdigit((unsigned char)name[0]) || cl_read_cpus(cl_path("/proc/irq/%s/effective_affinity_list", name), &cpus))
    return 0;
  bool managed = l->managed_known && cl_irq_is_managed(atoi(name));
  for (int cpu = cl_cpus_next(&cpus, -1); cpu >= 0; cpu = cl_cpus_next(&cpus, cpu)) {
    l->cpu[cpu].irqs++;
    if (managed) l->cpu[cpu].managed++;
  }
  return 0;
}

/* -- state 2: which, and where to ------------------------------------------------------------------------------ */

static const struct cl_reservation *holder(const struct load *l, int cpu) {
  for (size_t i = 0; i < l->others; i++)
    if (cl_cpus_has(&l->other[i].cpus, cpu)) return &l->other[i];
  return NULL;
}

/* Inside another reservation: the CPUs belong to that one, and it restores them when it ends. */
static int check_nested_one(struct load *l, int target) {
  struct cl_cpus allowed;
  if (cl_task_allowed(target > 0 ? target : l->hold->id, &allowed)) return 0;
  for (size_t i = 0; i < l->others; i++) {
    if (cl_cpus_empty(&allowed) || !cl_cpus_within(&allowed, &l->other[i].cpus)) continue;
    const struct cl_reservation *by = &l->other[i];
    if (target > 0)
      return tell(l, EPERM, "task %d is already held on CPU %s by pid %d", target, list(&by->cpus), by->tool);
    return tell(l, EPERM, "started on CPU %s, which pid %d holds: reservations cannot be nested", list(&by->cpus),
                by->tool);
  }
  return 0;
}

static int check_nested(struct load *l) {
  const struct cl_request *request = l->hold->request;
  const struct cl_target *t = l->hold->target;
  int error = check_nested_one(l, request->tid > 0 ? request->tid : request->pid);
  for (size_t i = 0; t && i < t->process.count && !error; i++) error = check_nested_one(l, t->process.task[i].tid);
  return error;
}

/* "CPU 3 is held by pid 4711 (lame a.wav)" */
static void add_holder(struct load *l, const struct cl_cpus *cpus, const struct cl_reservation *by) {
  if (by->alive) tell(l, 0, "CPU %s is held by pid %d (%s)", list(cpus), by->tool, by->command);
  else tell(l, 0, "CPU %s was held by pid %d, which is gone (run %s restore)", list(cpus), by->tool, cl_self());
}

static struct cl_cpus core_of(const struct load *l, int cpu) {
  struct cl_cpus core = l->hold->request->smt == CL_SMT_IDLE ? cl_siblings(cpu) : cl_cpus_one(cpu);
  return cl_cpus_and(&core, &l->hold->online);
}

static int take_asked(struct load *l) {
  struct cl_hold *hold = l->hold;
  hold->use = hold->cpus = hold->request->asked;
  for (int cpu = cl_cpus_next(&hold->use, -1); cpu >= 0; cpu = cl_cpus_next(&hold->use, cpu)) {
    if (!cl_cpus_has(&hold->online, cpu))
      return tell(l, EINVAL, "CPU %d does not exist or is offline: online CPUs are %s", cpu, list(&hold->online));
    struct cl_cpus core = core_of(l, cpu);
    hold->cpus = cl_cpus_or(&hold->cpus, &core);
  }
  for (int cpu = cl_cpus_next(&hold->cpus, -1); cpu >= 0; cpu = cl_cpus_next(&hold->cpus, cpu)) {
    bool sibling = !cl_cpus_has(&hold->use, cpu);
    if (cpu == 0 && !hold->request->force)
      return tell(l, EPERM, "CPU 0 %s: choose another%s, or add --force",
                  sibling ? "would have to stay idle as a sibling, but runs system work that cannot be moved"
                          : "runs system work that cannot be moved",
                  sibling ? ", allow sharing with --smt share" : "");
    if (cl_cpus_has(&l->taken, cpu)) {
      struct cl_cpus one = cl_cpus_one(cpu);
      add_holder(l, &one, holder(l, cpu));
      return tell(l, EBUSY, ": choose another%s", sibling ? ", or allow sharing a core with --smt share" : "");
    }
  }
  return 0;
}

/* The unit of choice: a CPU, or a whole core. */
struct unit {
  struct cl_cpus cpus;
  int first;
  int cost[4]; /* is CPU 0, pinned tasks, wait + busy, interrupts */
};

static int compare(const int a[4], const int b[4]) {
  for (int i = 0; i < 4; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

static int by_cost(const void *a, const void *b) {
  const struct unit *x = a, *y = b;
  int order = compare(x->cost, y->cost);
  return order ? order : y->first - x->first;
}

static int find_units(const struct load *l, struct unit *unit) {
  struct cl_cpus left = cl_cpus_minus(&l->hold->online, &l->taken);
  int count = 0;
  for (int cpu = cl_cpus_next(&left, -1); cpu >= 0; cpu = cl_cpus_next(&left, cpu)) {
    struct unit *u = &unit[count];
    *u = (struct unit){core_of(l, cpu), cpu, {0}};
    bool all = cl_cpus_within(&u->cpus, &left);
    left = cl_cpus_minus(&left, &u->cpus);
    if (!all || (cl_cpus_has(&u->cpus, 0) && !l->hold->request->force)) continue;
    for (int one = cl_cpus_next(&u->cpus, -1); one >= 0; one = cl_cpus_next(&u->cpus, one)) {
      const struct cpu *c = &l->cpu[one];
      u->cost[0] += one == 0;
      u->cost[1] += c->pinned;
      u->cost[2] += c->wait + c->busy;
      u->cost[3] += l->managed_known ? c->managed : c->irqs;
    }
    count++;
  }
  qsort(unit, (size_t)count, sizeof *unit, by_cost);
  return count;
}

/* The CPUs near one: level 0 below its last-level cache, 1 in its package, 2 all. */
static struct cl_cpus near(const struct load *l, int cpu, int level) {
  struct cl_cpus set;
  for (int i = 4; level == 0 && i >= 0; i--)
    if (!cl_read_cpus(cl_path(CPU "%d/cache/index%d/shared_cpu_list", cpu, i), &set) && cl_cpus_has(&set, cpu))
      return set;
  if (level < 2 && !cl_read_cpus(cl_path(CPU "%d/topology/package_cpus_list", cpu), &set) && cl_cpus_has(&set, cpu))
    return set;
  return l->hold->online;
}

/* Takes the cheapest `count` units that are near each other at this level. */
static bool take_near(struct load *l, const struct unit *unit, int units, int count, int level) {
  struct cl_cpus seen = cl_cpus_none();
  int best[4];
  bool any = false;
  for (int i = 0; i < units; i++) {
    if (cl_cpus_has(&seen, unit[i].first)) continue;
    struct cl_cpus domain = near(l, unit[i].first, level), cpus = cl_cpus_none(), use = cl_cpus_none();
    int sum[4] = {0}, got = 0;
    seen = cl_cpus_or(&seen, &domain);
    for (int j = 0; j < units && got < count; j++) {
      if (!cl_cpus_has(&domain, unit[j].first)) continue;
      cpus = cl_cpus_or(&cpus, &unit[j].cpus);
      cl_cpus_add(&use, unit[j].first);
      for (int k = 0; k < 4; k++) sum[k] += unit[j].cost[k];
      got++;
    }
    if (got < count || (any && compare(sum, best) >= 0)) continue;
    memcpy(best, sum, sizeof best);
    l->hold->cpus = cpus;
    l->hold->use = use;
    any = true;
  }
  return any;
}

static int take_cheapest(struct load *l) {
  struct cl_hold *hold = l->hold;
  struct unit *unit = malloc(CL_CPUS_MOST * sizeof *unit);
  if (unit == NULL) return tell(l, ENOMEM, "no memory");
  int units = find_units(l, unit), count = hold->request->count > 0 ? hold->request->count : 1;
  int level = 0;
  while (level < 3 && !take_near(l, unit, units, count, level)) level++;
  free(unit);
  if (level < 3) return 0;
  const char *what = hold->request->smt == CL_SMT_IDLE ? "CPU with its siblings" : "CPU";
  tell(l, 0, "%d %s%s requested, only %d available", count, count == 1 ? what : "CPUs",
       count > 1 && hold->request->smt == CL_SMT_IDLE ? " with their siblings" : "", units);
  if (cl_cpus_has(&hold->online, 0) && !cl_cpus_has(&l->taken, 0) && !hold->request->force)
    tell(l, 0, "; CPU 0 needs --force");
  for (size_t i = 0; i < l->others; i++) {
    if (cl_cpus_empty(&l->other[i].cpus)) continue;
    tell(l, 0, "; ");
    add_holder(l, &l->other[i].cpus, &l->other[i]);
  }
  return EBUSY;
}

static int cost(const struct load *l, int cpu) { return l->cpu[cpu].wait + l->cpu[cpu].busy; }

/* Where all other tasks go; the lightest of these are those within ten percent of the least loaded. */
static int find_rest(struct load *l) {
  struct cl_hold *hold = l->hold;
  struct cl_cpus left = cl_cpus_minus(&hold->online, &l->taken);
  hold->rest = cl_cpus_minus(&left, &hold->cpus);
  hold->lists = lists_of(hold, l->other, l->others);
  struct cl_cpus open = cl_cpus_minus(&hold->rest, &l->isolated);
  int least = INT_MAX;
  for (int cpu = cl_cpus_next(&open, -1); cpu >= 0; cpu = cl_cpus_next(&open, cpu))
    if (cost(l, cpu) < least) least = cost(l, cpu);
  if (cl_cpus_empty(&open))
    return tell(l, EBUSY, "holding CPU %s leaves none for others: leave at least one", list(&hold->cpus));
  hold->lightest = cl_cpus_none();
  for (int cpu = cl_cpus_next(&open, -1); cpu >= 0; cpu = cl_cpus_next(&open, cpu))
    if (cost(l, cpu) <= least + 10) cl_cpus_add(&hold->lightest, cpu);
  return 0;
}

/* " (mysqld 812, sh 900, and 3 more)" */
static void add_pinned(struct load *l, const struct cl_cpus *cpus, int pinned) {
  int named = 0;
  for (size_t i = 0; i < l->tasks.count && named < NAMED; i++) {
    const struct cl_task *task = &l->tasks.task[i];
    if (!cl_cpus_has(cpus, task->cpu) || task->fixed || is_own(l->hold, task)) continue;
    if (!is_pinned(l, task, &l->hold->cpus)) continue;
    tell(l, 0, "%s%s %d", named++ ? ", " : " (", task->name, task->tid);
  }
  if (pinned > named) tell(l, 0, ", and %d more", pinned - named);
  if (named) tell(l, 0, ")");
}

/* Describes the load of these CPUs in one phrase. */
static void describe(struct load *l, const struct cl_cpus *cpus, const char *remark) {
  struct cpu sum = {0};
  for (int cpu = cl_cpus_next(cpus, -1); cpu >= 0; cpu = cl_cpus_next(cpus, cpu)) {
    const struct cpu *c = &l->cpu[cpu];
    sum = (struct cpu){sum.wait + c->wait,     sum.busy + c->busy, sum.movable + c->movable,
                       sum.pinned + c->pinned, sum.irqs + c->irqs, sum.managed + c->managed};
  }
  tell(l, 0, "%sCPU %s%s: ", *l->why ? "; " : "", list(cpus), remark);
  if (l->waits) tell(l, 0, "run-queue wait %d %%", sum.wait);
  else tell(l, 0, "busy %d %% (this kernel does not record run-queue wait)", sum.busy);
  tell(l, 0, ", %d movable task%s, %d pinned", sum.movable, s(sum.movable), sum.pinned);
  add_pinned(l, cpus, sum.pinned);
  if (l->managed_known) tell(l, 0, ", %d managed IRQ%s", sum.managed, s(sum.managed));
  else tell(l, 0, ", %d IRQ%s", sum.irqs, s(sum.irqs));
  if (sum.pinned)
    cl_warn("CPU %s: %d task%s of others %s pinned to it: moved off while it is held", list(cpus), sum.pinned,
            s(sum.pinned), sum.pinned == 1 ? "is" : "are");
}

static void explain(struct load *l) {
  struct cl_hold *hold = l->hold;
  hold->before[0] = cl_counters_sum(l->first, &hold->cpus);
  hold->before[1] = cl_counters_sum(l->second, &hold->cpus);
  count_tasks(l, &hold->cpus);
  bool many = cl_cpus_count(&hold->cpus) > APART;
  if (many) describe(l, &hold->cpus, " together");
  for (int cpu = cl_cpus_next(&hold->cpus, -1); cpu >= 0 && !many; cpu = cl_cpus_next(&hold->cpus, cpu)) {
    struct cl_cpus one = cl_cpus_one(cpu);
    describe(l, &one, cl_cpus_has(&hold->use, cpu) ? "" : " (stays idle)");
  }
  /* Only affinity sends tasks there; with a partition the kernel moves them, and its balancer spreads them. */
  bool sent = hold->request->mechanism != NULL && strcmp(hold->request->mechanism, "affinity") == 0;
  tell(l, 0, ", %s CPU %s", sent ? "others go to" : "lightest of the rest:", list(&hold->lightest));
}

static int look(struct load *l) {
  int error = cl_online(&l->hold->online);
  if (error) return tell(l, error, "/sys/devices/system/cpu/online cannot be read: %s", strerror(error));
  if (cl_cpus_count(&l->hold->online) < 2) return tell(l, ENODEV, "only one CPU is online: at least two are needed");
  if (cl_read_cpus("/sys/devices/system/cpu/isolated", &l->isolated)) l->isolated = cl_cpus_none();
  error = cl_layers(&l->other, &l->others);
  if (error) return tell(l, error, "the records in %s cannot be used: %s", CL_STATE, cl_state_error(error));
  for (size_t i = 0; i < l->others; i++) l->taken = cl_cpus_or(&l->taken, &l->other[i].cpus);
  error = check_nested(l);
  if (error) return error;
  error = sample(l);
  if (error) return tell(l, error, "the load cannot be read from /proc: %s", strerror(error));
  l->managed_known = cl_exists("/sys/kernel/debug/irq/irqs");
  cl_list("/proc/irq", add_irq, l);
  struct cl_cpus none = cl_cpus_none();
  count_tasks(l, &none);
  return 0;
}

int cl_choose(struct cl_hold *hold, char *why, size_t size) {
  struct load *l = calloc(1, sizeof *l);
  why[0] = '\0';
  if (l == NULL) {
    snprintf(why, size, "no memory");
    return ENOMEM;
  }
  l->hold = hold;
  l->why = why;
  l->size = size;
  int error = look(l);
  if (!error) error = cl_cpus_empty(&hold->request->asked) ? take_cheapest(l) : take_asked(l);
  if (!error) error = find_rest(l);
  if (!error) explain(l);
  if (!error) hold->tasks = l->tasks;
  else cl_tasks_free(&l->tasks);
  free(l->other);
  free(l);
  return error;
}
