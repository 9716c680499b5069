/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "layers.h"
#include "settle.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "baseline.h"
#include "ending.h"
#include "hold.h"
#include "lines.h"
#include "say.h"

#define NAMED 8   /* tasks changed by others that are named, the others counted */
#define ROUNDS 10 /* over newborn tasks: one that is not told yet may have children meanwhile */

/* A layer and what is left to do for its end. */
struct layer {
  struct cl_text text;
  bool ends, gone; /* gone: its folders and groups are */
};

struct settle {
  const struct cl_settling *how;
  struct cl_settled *out;
  struct cl_baseline base;
  bool has_base;
  bool elsewhere; /* the records are of another PID namespace, whose tasks are taken to have ended with it */
  struct layer *layer;
  size_t layers;
  struct cl_cpus before, after, ended; /* CPUs held by all, by those that stay, by those that end */
  struct cl_cpus narrowed; /* CPUs that no cgroup lists while the layers that stay are alive: not those held
                                        * by affinity, as the program of such a layer is in some cgroup */
  struct cl_cpus via;      /* where the layers that end send tasks first */
  bool controller;         /* a layer that stays needs it */
  bool forgets; /* before Linux 6.2: the kernel forgets what a task has requested with any change of its cpuset */
  bool look; /* write nothing */
  int named;
  void (*find)(void *context, bool foreign, const char *line);
  void *context;
};

static void count(void *settle, enum cl_answer answer) {
  struct cl_settled *out = ((struct settle *)settle)->out;
  out->done += answer == CL_DONE;
  out->already += answer == CL_ALREADY;
  out->foreign += answer == CL_FOREIGN;
  out->failed += answer == CL_FAILED;
}

/* Says what was found, and answers what that is, so that `return say(...)` reads well. */
static enum cl_answer say(struct settle *s, bool foreign, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum cl_answer say(struct settle *s, bool foreign, const char *format, ...) {
  char text[3 * CL_CPUS_TEXT];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (s->look) s->find(s->context, foreign, text);
  else cl_warn("%s", text);
  return foreign ? CL_FOREIGN : CL_FAILED;
}

/* The layer whose program a task is. */
static const struct layer *layer_of(const struct settle *s, const struct cl_known *k) {
  for (size_t i = 0; k->how == CL_PROGRAM && i < s->layers; i++)
    if (s->layer[i].text.first.id == k->id) return &s->layer[i];
  return NULL;
}

static bool is(const char *mechanism, const char *name) { return strcmp(mechanism, name) == 0; }

static bool any_offline(const struct settle *s) { return !cl_cpus_equal(&s->base.online, &s->base.possible); }

/* The CPUs that a task's cpuset grants. */
static struct cl_cpus granted(const struct settle *s, int tid) { return cl_granted_of(tid, &s->base.possible); }

/* The owner of a value. A value that looks like a request is read again if CPUs have gone offline or come back. */
static enum cl_whose whose(struct settle *s, const struct cl_known *k, struct cl_value *v) {
  if (s->how->repair) return CL_OURS_TO_SET;
  for (;;) {
    enum cl_reading reading = cl_baseline_reading(&s->base, k, v);
    enum cl_whose answer = cl_whose(v->sort, v->record, reading);
    if (answer != CL_THEIRS_TO_KEEP || s->look || !cl_baseline_cpus_changed(&s->base)) return answer;
  }
}

/* -- files with a set of CPUs --------------------------------------------------------------------------------------- */

static bool is_list_of_group(const char *path) { return is(strrchr(path, '/'), "/cpuset.cpus"); }

static struct cl_cpus target_of(const struct settle *s, const struct cl_known *k, const struct cl_cpus *base) {
  bool group = is_list_of_group(k->key);
  struct cl_cpus rest = cl_baseline_rest(&s->base, group ? &s->narrowed : &s->after), to;
  if (group && *k->base == '\0') return *base;
  to = cl_cpus_minus(base, group ? &s->narrowed : &s->after);
  if (group) return cl_cpus_empty(&to) ? rest : to;
  if (!cl_is_irq(k->key)) return cl_cpus_empty(&to) ? *base : to;
  struct cl_cpus alive = cl_cpus_and(&to, &s->base.online);
  return cl_cpus_empty(&alive) && !cl_cpus_equal(&to, base) ? rest : to;
}

/* Where irqbalance runs, it places interrupts: it has been told, and moves them as it sees fit. */
static bool is_spread(const struct settle *s, const char *path) {
  const struct cl_known *k = cl_is_irq(path) ? s->base.known : NULL;
  while (k && k->kind != CL_IRQBALANCE) k = k->next;
  return k != NULL;
}

/* The kernel does not take isolated CPUs out of a mask of the workqueues that is written: then what is in force has
 * more than what was asked for. */
static bool queues_have(const struct settle *s, const char *path) {
  char text[CL_CPUS_TEXT];
  struct cl_cpus now;
  if (!is(path, CL_QUEUES) || cl_read(path, text, sizeof text) || cl_cpus_parse_mask(text, &now)) return false;
  return cl_cpus_meet(&now, &s->after);
}

static enum cl_answer write_set(struct settle *s, const struct cl_known *k, const char *text) {
  int error = cl_baseline_put(&s->base, k->kind, k->key, k->base, text, k->how == CL_THEIRS ? CL_THEIRS : CL_OURS);
  if (error) return cl_end_failed(CL_BASELINE, error);
  error = cl_write(k->key, text);
  /* Before 7.0 the kernel lets no cgroup with tasks have an empty list: all CPUs except those of partitions, until
   * the controller is disabled. */
  struct cl_cpus most = cl_baseline_rest(&s->base, &s->narrowed);
  if (error == ENOSPC && *text == '\0') error = cl_write(k->key, cl_cpus_text(&most));
  return cl_end_wrote(k->key, error);
}

static enum cl_answer settle_set(struct settle *s, struct cl_known *k) {
  char now_text[CL_CPUS_TEXT], text[CL_CPUS_TEXT];
  struct cl_value v = {.sort = cl_is_irq(k->key) ? CL_SORT_IRQ : CL_SORT_FILE, .may = s->base.possible};
  int error = cl_baseline_now(k->key, now_text, sizeof now_text);
  if (cl_is_gone(error)) return CL_ALREADY;
  if (!error) error = cl_baseline_parse(&s->base, k, now_text, &v.now);
  if (!error) error = cl_baseline_parse(&s->base, k, k->base, &v.base);
  if (error && s->look) return say(s, false, "%s cannot be read: %s", k->key, strerror(error));
  if (error) return cl_end_failed(k->key, error);
  struct cl_cpus to = target_of(s, k, &v.base);
  bool as_base = cl_cpus_equal(&to, &v.base);
  if (k->how == CL_WAS && is(now_text, k->base)) return CL_ALREADY; /* never ours: left so by intent */
  bool right = *k->base == '\0' && as_base ? *now_text == '\0' : cl_cpus_equal(&v.now, &to) && *now_text != '\0';
  if (right && !queues_have(s, k->key)) return CL_ALREADY;
  enum cl_whose of = right ? CL_OURS_TO_SET : whose(s, k, &v);
  if (of != CL_OURS_TO_SET && is_spread(s, k->key)) return CL_ALREADY;
  if (of != CL_OURS_TO_SET) {
    say(s, true, "%s is \"%s\", but \"%s\" was written: changed by others, kept", k->key, now_text, k->written);
    if (!s->look) cl_baseline_put(&s->base, k->kind, k->key, now_text, now_text, CL_THEIRS);
    return CL_FOREIGN;
  }
  if (as_base) snprintf(text, sizeof text, "%s", k->base);
  else (k->kind == CL_MASK ? cl_cpus_format_mask : cl_cpus_format)(&to, text);
  if (!s->look) return write_set(s, k, text);
  if (!right) say(s, false, "%s is \"%s\", but should be \"%s\"", k->key, now_text, text);
  return CL_FAILED; /* what is in force instead is said by verify.c */
}

static int by_key(const void *a, const void *b) {
  const struct cl_known *const *x = a, *const *y = b;
  return strcmp((*x)->key, (*y)->key);
}

static void settle_sets(struct settle *s, bool groups) {
  struct cl_known **list = malloc((s->base.count + 1) * sizeof *list);
  size_t count_of = 0;
  if (list == NULL) {
    s->out->failed++;
    return;
  }
  for (struct cl_known *k = s->base.known; k; k = k->next)
    if ((k->kind == CL_CPUS || k->kind == CL_MASK) && is_list_of_group(k->key) == groups &&
        (k->how != CL_WAS || s->how->repair || s->look))
      list[count_of++] = k;
  qsort(list, count_of, sizeof *list, by_key);
  for (size_t i = 0; i < count_of; i++) count(s, settle_set(s, list[i]));
  free(list);
}

/* -- the cpuset controller ------------------------------------------------------------------------------------------ */

/* With any change of its cpuset the kernel gives a task whose CPUs are all offline everything the cpuset grants: as
 * this tool caused it, it is recorded, to be corrected when the CPUs are back. */
static void note_lost(struct settle *s) {
  if (!any_offline(s)) return;
  for (const struct cl_known *k = s->base.known; k; k = k->next) {
    struct cl_cpus base;
    struct cl_task task;
    const struct layer *of = layer_of(s, k);
    if (k->kind != CL_TASK || (of && !of->ends) || cl_cpus_parse(k->base, &base)) continue;
    if (cl_cpus_meet(&base, &s->base.online) || cl_task_look(k->tid, &task) || task.born != k->born ||
        cl_cpus_empty(&task.allowed))
      continue;
    struct cl_cpus may = granted(s, task.tid);
    may = cl_cpus_and(&may, &s->base.online);
    const struct cl_ground ground = cl_baseline_ground(&s->base);
    if (cl_alike(&ground, &task.allowed, &may)) /* but for partitions that have ended */
      cl_baseline_put_task(&s->base, &task, &base, &task.allowed, k->how == CL_THEIRS ? CL_THEIRS : CL_OURS, 0);
  }
}

/* The kernel lets a task keep its CPUs if its cgroup has the same online ones before and after: offline ones would be
 * lost to it. So, while any are offline, the groups get another list before the controller is disabled and all lists
 * disappear: recorded first, as the tool may be killed before that. */
static int touch_group(void *settle, const char *path) {
  struct settle *s = settle;
  char now[CL_CPUS_TEXT];
  const char *list = cl_line_of((unsigned)cl_cpus_next(&s->base.online, -1));
  if (cl_read(path, now, sizeof now) || *now) return 0; /* somebody's: it stays */
  int error = cl_baseline_put(&s->base, CL_CPUS, path, "", list, CL_OURS);
  if (!error) cl_write(path, list);
  return error;
}

struct need {
  const struct settle *settle;
  char group[CL_PATH_MOST], by[CL_PATH_MOST];
};

/* A child cgroup that uses the controller: enables it for its children, or has set something. */
static int needs(void *context, const char *name) {
  static const char *const set[] = {"cpuset.cpus", "cpuset.mems", "cpuset.cpus.exclusive"};
  struct need *n = context;
  char text[4096];
  const char *child = cl_path("%s/%s", n->group, name);
  if (cl_is_ours(name)) return 0;
  if (cl_read(cl_path("%s/cgroup.subtree_control", child), text, sizeof text)) return 0; /* not a group */
  bool needed = cl_lists_word(text, "cpuset");
  for (size_t i = 0; i < sizeof set / sizeof *set && !needed; i++) {
    const char *path = cl_path("%s/%s", child, set[i]);
    const struct cl_known *k = cl_baseline_find(&n->settle->base, CL_CPUS, path);
    bool touched = k && *k->base == '\0';
    needed = cl_read(path, text, sizeof text) == 0 && *text != '\0' && !(touched && is(text, k->written));
  }
  const char *kind = cl_path("%s/cpuset.cpus.partition", child);
  needed = needed || (cl_read(kind, text, sizeof text) == 0 && strncmp(text, "member", 6) != 0);
  if (needed) snprintf(n->by, sizeof n->by, "%s", child);
  return needed;
}

static enum cl_answer settle_controller(struct settle *s, const struct cl_known *k) {
  char text[4096];
  if (k->how == CL_WAS || is(k->base, "on")) return CL_NOTHING;
  int error = cl_read(k->key, text, sizeof text);
  if (cl_is_gone(error)) return CL_ALREADY;
  if (error) return cl_end_failed(k->key, error);
  bool on = cl_lists_word(text, "cpuset");
  if (on == s->controller) return CL_ALREADY;
  if (!on && s->look) return say(s, false, "%s no longer lists \"cpuset\"", k->key);
  if (!on) return s->how->repair ? cl_end_wrote(k->key, cl_write(k->key, "+cpuset")) : CL_NOTHING;
  struct need n = {s, "", ""};
  snprintf(n.group, sizeof n.group, "%.*s", (int)(strrchr(k->key, '/') - k->key), k->key);
  cl_list(n.group, needs, &n);
  if (*n.by) return say(s, true, "the cpuset controller stays enabled in %s: %s uses it", n.group, n.by);
  if (s->look) return say(s, false, "the cpuset controller is enabled in %s, but should not be", n.group);
  if (any_offline(s)) cl_baseline_groups(touch_group, s);
  note_lost(s);
  enum cl_answer answer = cl_end_wrote(k->key, cl_write(k->key, "-cpuset"));
  if (answer == CL_FAILED) settle_sets(s, true);
  return answer;
}

static void settle_controllers(struct settle *s) {
  for (const struct cl_known *k = s->base.known; k; k = k->next)
    if (k->kind == CL_CONTROLLER) count(s, settle_controller(s, k));
}

/* -- tasks ----------------------------------------------------------------------------------------------------------- */

static int allow(const struct settle *s, int tid, const struct cl_cpus *to) {
  struct cl_cpus all = cl_cpus_or(to, &s->base.possible);
  /* A task that may use every CPU may use those that come later, too. */
  return cl_task_allow(tid, cl_cpus_within(&s->base.online, to) ? &all : to);
}

static enum cl_answer wrong(struct settle *s, const struct cl_task *task, const struct cl_cpus *to) {
  return say(s, false, "task %d (%s) is allowed on CPUs %s, but should be on %s", task->tid, task->name,
             cl_cpus_text(&task->allowed), cl_cpus_text(to));
}

static enum cl_answer give(struct settle *s, const struct cl_known *k, const struct cl_task *task,
                           const struct cl_cpus *base, const struct cl_cpus *to) {
  char what[64];
  if (s->look) return wrong(s, task, to);
  /* It is ours only because it belongs to a program: so that stays recorded until its affinity is set. */
  bool program = k->how == CL_PROGRAM;
  int error = cl_baseline_put_task(&s->base, task, base, to, k->how == CL_WAS ? CL_OURS : k->how, k->id);
  struct cl_cpus is;
  if (!error && cl_task_allowed(task->tid, &is) == 0 && !cl_cpus_equal(&is, &task->allowed)) return CL_AGAIN;
  if (!error) error = allow(s, task->tid, to);
  if (!error && program) error = cl_baseline_put_task(&s->base, task, base, to, CL_OURS, 0);
  if (error == ESRCH) return CL_ALREADY;
  struct cl_cpus can = cl_cpus_and(to, &s->base.online), may = granted(s, task->tid);
  if (error == EINVAL && !cl_cpus_meet(&can, &may))
    return say(s, true, "task %d (%s) had CPUs %s, which its cgroup no longer has: it keeps %s", task->tid, task->name,
               cl_cpus_text(to), cl_cpus_text(&task->allowed));
  snprintf(what, sizeof what, "the CPUs of task %d (%s)", task->tid, task->name);
  return error ? cl_end_failed(what, error) : CL_DONE;
}

/* The CPUs that a task should have: those it wants that nobody holds; if all of them are held, the rest. */
static struct cl_cpus due(const struct settle *s, int tid, const struct cl_cpus *base) {
  struct cl_cpus to = cl_cpus_minus(base, &s->after), rest = cl_baseline_rest(&s->base, &s->after);
  return cl_cpus_empty(&to) ? cl_granted_of(tid, &rest) : to;
}

/* All that it should have is offline: until that is back it gets the rest, as from the kernel. */
static enum cl_answer owe(struct settle *s, const struct cl_task *task, const struct cl_cpus *base,
                          const struct cl_cpus *to) {
  struct cl_cpus asked, rest = cl_baseline_rest(&s->base, &s->after), may = granted(s, task->tid);
  if (cl_task_asked(task->tid, &asked) == 0 && cl_cpus_equal(&asked, to)) return CL_ALREADY;
  if (s->look)
    return say(s, true, "task %d (%s) waits for CPU %s, which is offline", task->tid, task->name, cl_cpus_text(to));
  s->out->owed++;
  may = cl_cpus_and(&may, &rest);
  if (cl_cpus_empty(&may) || cl_cpus_equal(&task->allowed, &may)) return CL_ALREADY;
  int error = cl_baseline_put_task(&s->base, task, base, &rest, CL_OURS, 0);
  if (!error) error = allow(s, task->tid, &rest);
  return error && error != ESRCH ? cl_end_failed("the CPUs of a task whose own are offline", error) : CL_DONE;
}

/* It lacks CPUs that are offline, which only its file tells. */
static bool lacks_offline(const struct settle *s, int tid, const struct cl_cpus *to) {
  struct cl_cpus off = cl_cpus_minus(&s->base.possible, &s->base.online), wanted = cl_cpus_and(to, &off), asked;
  return !cl_cpus_empty(&wanted) && cl_task_asked(tid, &asked) == 0 && !cl_cpus_within(&wanted, &asked);
}

/* A program that stays where it belongs; only before 6.2, and without a cgroup of its own, the kernel lets it out
 * with every change of its cpuset. */
static enum cl_answer pin_again(struct settle *s, const struct cl_known *k, const struct cl_task *task) {
  struct cl_cpus written, may = granted(s, task->tid);
  if (!s->forgets || !cl_cpus_equal(&task->allowed, &may) || cl_cpus_parse(k->written, &written)) return CL_NOTHING;
  struct cl_cpus can = cl_cpus_and(&written, &may);
  if (cl_cpus_empty(&can) || cl_cpus_equal(&can, &may)) return CL_NOTHING;
  if (s->look) return wrong(s, task, &written);
  return cl_task_allow(task->tid, &written) ? CL_NOTHING : CL_DONE; /* it has ended */
}

static enum cl_answer settle_task(struct settle *s, struct cl_known *k) {
  struct cl_task task;
  struct cl_cpus base;
  bool lives = cl_task_look(k->tid, &task) == 0 && task.born == k->born && task.state != 'Z';
  if (!lives || cl_cpus_parse(k->base, &base)) return k->how == CL_WAS ? CL_NOTHING : CL_ALREADY;
  const struct layer *of = layer_of(s, k);
  if (of && !of->ends) return pin_again(s, k, &task);
  if (task.kernel && cl_cpus_within(&base, &s->after)) return CL_ALREADY; /* bound to a held CPU */
  struct cl_cpus to = due(s, task.tid, &base);
  if (cl_cpus_empty(&to)) return CL_ALREADY;
  struct cl_cpus can = cl_cpus_and(&to, &s->base.online);
  bool lacks_some = lacks_offline(s, task.tid, &to);
  if (cl_cpus_equal(&can, &task.allowed) && !lacks_some) return CL_ALREADY;
  struct cl_cpus may = granted(s, task.tid);
  struct cl_value v = {.sort = task.kernel ? CL_SORT_THREAD : CL_SORT_TASK,
                       .now = task.allowed,
                       .base = base,
                       .may = may,
                       .via = s->via,
                       .program = of ? of->text.first.cpus : s->ended};
  enum cl_whose owner = whose(s, k, &v);
  if (owner == CL_LEFT_ALONE) return CL_NOTHING;
  if (owner == CL_THEIRS_TO_KEEP) {
    if (s->look || s->named++ < NAMED)
      say(s, true, "task %d (%s) is allowed on CPUs %s, but was left on %s: changed by others, kept", k->tid, task.name,
          cl_cpus_text(&task.allowed), cl_cpus_text(&to));
    if (!s->look) cl_baseline_put_task(&s->base, &task, &task.allowed, &task.allowed, CL_THEIRS, 0);
    return CL_FOREIGN;
  }
  if (cl_cpus_empty(&can)) return owe(s, &task, &base, &to);
  /* A task cannot get CPUs outside its cpuset; what it has inside is right. */
  if (!s->look && (lacks_some || !cl_cpus_within(&can, &task.allowed))) return give(s, k, &task, &base, &to);
  can = cl_cpus_and(&can, &may);
  return cl_cpus_equal(&can, &task.allowed) ? CL_ALREADY : give(s, k, &task, &base, &to);
}

static void settle_tasks(struct settle *s) {
  for (struct cl_known *k = s->base.known; k; k = k->next) {
    if (k->kind != CL_TASK) continue;
    enum cl_answer answer = settle_task(s, k);
    for (int tries = 0; answer == CL_AGAIN && tries < 4; tries++) answer = settle_task(s, k); /* it asks meanwhile */
    count(s, answer);
  }
  if (s->named > NAMED) cl_warn("%d more tasks have requested other CPUs since: they keep them", s->named - NAMED);
}

/* Where the task got its CPUs from: the first thread of its process, or that one's parent. NULL: not recorded. */
static const struct cl_known *maker(const struct settle *s, const struct cl_task *task) {
  struct cl_task leader, parent;
  if (task->pid != task->tid && cl_task_look(task->pid, &leader) == 0) {
    const struct cl_known *k = cl_baseline_task(&s->base, leader.tid, leader.born);
    if (k) return k;
  }
  return cl_task_look(task->parent, &parent) ? NULL : cl_baseline_task(&s->base, parent.tid, parent.born);
}

/* The CPUs that an unrecorded task should have. One that was born on CPUs of an ending layer belongs to its program and
 * gets what its parent had requested, or the program's first process; one that was made while its parent was on its way
 * to the lightest CPUs would keep those for ever, and gets its parent's. */
static struct cl_cpus wish_of(const struct settle *s, const struct cl_task *task) {
  const struct cl_known *k = task->born < s->base.taken ? NULL : maker(s, task);
  struct cl_cpus wish, written;
  for (size_t i = 0; i < s->layers && task->born >= s->base.taken; i++) {
    const struct layer *l = &s->layer[i];
    const char *text = cl_layer_value(&l->text, "wish");
    if (!l->ends || !text || task->born < l->text.first.born || !cl_cpus_within(&task->allowed, &l->text.first.cpus))
      continue;
    if ((k && cl_cpus_parse(k->base, &wish) == 0) || cl_cpus_parse(text, &wish) == 0) return wish;
  }
  for (const struct cl_known *one = k; one && !cl_cpus_empty(&s->via); one = one->older) {
    if (cl_cpus_parse(one->written, &written)) continue;
    written = cl_cpus_and(&written, &s->via);
    if (cl_cpus_equal(&task->allowed, &written) && cl_cpus_parse(k->base, &wish) == 0) return wish;
  }
  return cl_baseline_wish(&s->base, task);
}

/* Before 6.2 one that lacks nothing, too: its parent was told all when the kernel had forgotten its pin. */
static bool lacks(const void *settle, const struct cl_cpus *allowed) {
  const struct settle *s = settle;
  struct cl_cpus rest = cl_baseline_rest(&s->base, &s->after);
  return s->forgets || !cl_cpus_within(&rest, allowed) || any_offline(s);
}

/* Tasks without a record have less than they should in three ways: one born since inherited what its parent was left
 * with; one asked, while CPUs were held, for what it was shown; and while CPUs go offline and come back, the kernel
 * leaves a task with what a cpuset had at some moment. Repeats until none is found: one that is not yet set may have
 * children meanwhile. */
static void settle_unrecorded(struct settle *s, int rounds) {
  struct cl_cpus rest = cl_baseline_rest(&s->base, &s->after);
  for (int round = 0, changed = 1; changed && round < rounds; round++) {
    struct cl_tasks tasks;
    changed = 0;
    if (cl_tasks_if(lacks, s, &tasks)) return;
    for (size_t i = 0; i < tasks.count; i++) {
      const struct cl_task *task = &tasks.task[i];
      if (task->fixed || task->state == 'Z' || cl_baseline_task(&s->base, task->tid, task->born)) continue;
      if (cl_cpus_within(&task->allowed, &s->after)) continue;
      struct cl_cpus wish = wish_of(s, task), to = due(s, task->tid, &wish);
      struct cl_cpus can = cl_cpus_and(&to, &s->base.online), has = cl_cpus_and(&task->allowed, &s->base.online);
      bool enough = cl_cpus_equal(&can, &has) || (cl_cpus_within(&rest, &has) && cl_cpus_within(&rest, &can));
      if (cl_cpus_empty(&to) || (enough && !lacks_offline(s, task->tid, &to))) continue;
      struct cl_cpus may = granted(s, task->tid);
      can = cl_cpus_and(&can, &may);
      if (task->born < s->base.taken && cl_cpus_equal(&can, &has) && !lacks_offline(s, task->tid, &to)) continue;
      if (allow(s, task->tid, &to)) continue;
      changed = 1;
      s->out->done++;
    }
    cl_tasks_free(&tasks);
  }
}

/* -- the kernel's own work -------------------------------------------------------------------------------------------- */

/* Since 7.0 the kernel tells the workqueues of the start or end of a partition only after the write, and a writer
 * killed right then never does: the workqueues stay off CPUs that no partition has. True: none is left so. */
static bool queues_know(const struct settle *s, const char *mount) {
  char text[CL_CPUS_TEXT];
  struct cl_cpus kept, isolated;
  if (cl_read("/sys/devices/virtual/workqueue/cpumask_isolated", text, sizeof text) || cl_cpus_parse_mask(text, &kept))
    return true;
  if (cl_read_cpus(cl_path("%s/cpuset.cpus.isolated", mount), &isolated)) return true;
  kept = cl_cpus_minus(&kept, &isolated);
  return !cl_cpus_meet(&kept, &s->ended);
}

/* Begins and ends a partition once more, under a name that the next try would find. */
static void blink(const struct settle *s, const char *mount, const char *kind, const struct cl_cpus *with) {
  char on[4096];
  int id = 0;
  for (size_t i = 0; i < s->layers; i++)
    if (s->layer[i].ends) id = s->layer[i].text.first.id;
  const char *group = cl_path("%s/coreloom-%d", mount, id), *control = cl_path("%s/cgroup.subtree_control", mount);
  if (cl_read(control, on, sizeof on)) return;
  bool was_on = cl_lists_word(on, "cpuset");
  if (!was_on) cl_write(control, "+cpuset");
  mkdir(cl_files_path(group), 0755);
  cl_write(cl_path("%s/cpuset.cpus", group), cl_cpus_text(with));
  cl_write(cl_path("%s/cpuset.cpus.partition", group), kind);
  cl_write(cl_path("%s/cpuset.cpus.partition", group), "member");
  rmdir(cl_files_path(group));
  if (!was_on) cl_write(control, "-cpuset");
}

/* When a partition's CPUs go offline the kernel leaves tasks with what was lent to them, though it knows what they
 * had requested: it looks again when another partition ends. */
static void remind_tasks(const struct settle *s) {
  char mount[CL_PATH_MOST];
  struct cl_cpus held = cl_cpus_and(&s->ended, &s->base.offline), some = cl_cpus_and(&s->ended, &s->base.online);
  if (cl_cpus_empty(&s->base.offline) || cl_group_mount(mount, sizeof mount)) return;
  if (!cl_cpus_empty(&held) && !cl_cpus_empty(&some)) blink(s, mount, "root", &some);
}

/* Nothing to do in all cases but the one that queues_know() tells. */
static void remind_queues(struct settle *s) {
  char mount[CL_PATH_MOST];
  struct cl_cpus ours = cl_cpus_and(&s->ended, &s->base.online);
  if (cl_group_mount(mount, sizeof mount) || cl_cpus_empty(&ours)) return;
  for (int tries = 0; tries < 5 && !queues_know(s, mount); tries++) {
    nanosleep(&(struct timespec){0, 10000000}, NULL); /* it may be about to */
    if (!queues_know(s, mount)) blink(s, mount, "isolated", &ours);
  }
  if (queues_know(s, mount)) return;
  cl_warn("the kernel keeps its workqueues off CPU %s", cl_cpus_text(&ours));
  s->out->failed++;
}

/* -- all of it -------------------------------------------------------------------------------------------------------- */

static bool of_this_boot(const struct cl_reservation *r) {
  char boot[40];
  return r->tool && cl_boot(boot) == 0 && strcmp(boot, r->boot) == 0;
}

static void sum_up(struct settle *s) {
  bool groups_are_systemds = cl_systemd_runs();
  for (size_t i = 0; i < s->layers; i++) {
    const struct layer *l = &s->layer[i];
    const struct cl_cpus *cpus = &l->text.first.cpus;
    const char *mechanism = l->text.first.trying, *via = l->ends ? cl_layer_value(&l->text, "via") : NULL;
    struct cl_cpus sent;
    s->before = cl_cpus_or(&s->before, cpus);
    if (via && cl_cpus_parse(via, &sent) == 0) s->via = cl_cpus_or(&s->via, &sent);
    if (l->ends) {
      s->ended = cl_cpus_or(&s->ended, cpus);
      continue;
    }
    s->after = cl_cpus_or(&s->after, cpus);
    if (is(mechanism, "affinity") || is(mechanism, "")) continue;
    s->controller = true;
    if (!groups_are_systemds) s->narrowed = cl_cpus_or(&s->narrowed, cpus);
  }
  s->ended = cl_cpus_minus(&s->ended, &s->after);
}

static void forget_layers(struct settle *s) {
  for (size_t i = 0; i < s->layers; i++) cl_layer_free(&s->layer[i].text);
  free(s->layer);
  s->layer = NULL;
  s->layers = 0;
}

static int read_layers(struct settle *s) {
  struct cl_reservation *list;
  size_t count_of;
  int error = cl_layers(&list, &count_of);
  if (error) return error;
  s->layer = calloc(count_of + 1, sizeof *s->layer);
  if (s->layer == NULL) error = ENOMEM;
  for (size_t i = 0; !error && i < count_of; i++) {
    struct layer *l = &s->layer[s->layers];
    error = cl_layer_read(list[i].path, &l->text);
    if (error) break;
    const struct cl_reservation *r = &l->text.first;
    l->ends = !r->alive || s->how->all || (s->how->id && r->id == s->how->id);
    s->layers++;
  }
  free(list);
  return error;
}

static int begin(struct settle *s) {
  s->forgets = !cl_kernel_since(6, 2);
  int error = read_layers(s);
  for (int tries = 0; error == ENOENT && tries < 10; tries++) { /* removed in between */
    forget_layers(s);
    error = read_layers(s);
  }
  if (error) return error;
  error = s->look ? cl_baseline_read(&s->base) : cl_baseline_refresh(&s->base);
  s->has_base = !error;
  sum_up(s);
  s->base.held = cl_cpus_or(&s->base.held, &s->before); /* what may differ by our doing */
  s->elsewhere = s->has_base && cl_baseline_is_elsewhere(&s->base);
  if (s->elsewhere && !s->how->all) return EXDEV;
  if (s->has_base && !s->look) cl_baseline_note_offline(&s->base);
  return error == ENOENT ? 0 : error;
}

static void end(struct settle *s) {
  forget_layers(s);
  cl_baseline_free(&s->base);
}

static void settle_irqbalance(struct settle *s, const struct cl_known *k) {
  struct cl_cpus base, both;
  if (cl_cpus_parse(k->base, &base)) return;
  both = cl_cpus_or(&base, &s->ended);
  int error = cl_irqbalance_restore(k->key, cl_cpus_text(&base), cl_cpus_text(&both));
  count(s, error == EALREADY ? CL_ALREADY : error ? cl_end_failed(k->key, error) : CL_DONE);
}

static void settle_all(struct settle *s) {
  note_lost(s);
  for (size_t i = 0; i < s->layers; i++)
    if (s->layer[i].ends) s->layer[i].gone = cl_end_layer(&s->layer[i].text, false, count, s);
  settle_sets(s, true);
  settle_controllers(s);
  for (size_t i = 0; i < s->layers; i++)
    if (s->layer[i].ends && !s->layer[i].gone) cl_end_layer(&s->layer[i].text, true, count, s);
  for (const struct cl_known *k = s->base.known; k; k = k->next)
    if (k->kind == CL_IRQBALANCE) settle_irqbalance(s, k);
  settle_sets(s, false);
  if (!s->has_base || s->elsewhere) return; /* what tasks had is not known */
  if (!cl_files_is_tree()) remind_tasks(s);
  cl_baseline_cpus_changed(&s->base); /* while it is not yet known which of the held ones are given back */
  settle_unrecorded(s, 1); /* while their parents have what they have inherited */
  settle_tasks(s);
  settle_unrecorded(s, ROUNDS);
  if (cl_baseline_cpus_changed(&s->base)) settle_tasks(s);
}

static void say_damage(struct settle *s) {
  for (size_t i = 0; i < s->layers; i++) {
    const struct cl_text *t = &s->layer[i].text;
    for (size_t j = 0; j < t->damages && s->layer[i].ends; j++)
      cl_warn("line %zu of %s cannot be read: skipped", t->damaged[j], t->first.path);
    if (s->layer[i].ends) s->out->damaged += (int)t->damages;
  }
  if (s->base.damaged)
    cl_warn("%zu line%s of %s cannot be read: skipped", s->base.damaged, s->base.damaged == 1 ? "" : "s", CL_BASELINE);
  s->out->damaged += (int)s->base.damaged;
}

static bool stays(const struct settle *s, const struct layer *l) {
  return !l->ends || (s->how->again && l->text.first.id == s->how->id);
}

/* Removes the files of the layers that have ended, and with the last one the baseline, if no task waits. First
 * releases what they held: a CPU recorded as held but held by no layer would be kept from tasks as long as the
 * others are alive. */
static void forget_ended(struct settle *s) {
  bool any = s->out->owed > 0;
  for (size_t i = 0; i < s->layers; i++) any |= stays(s, &s->layer[i]);
  if (any && s->base.fd >= 0) cl_baseline_hold(&s->base, &s->after);
  for (size_t i = 0; i < s->layers; i++) {
    const struct layer *l = &s->layer[i];
    const char *path = l->text.first.path;
    if (stays(s, l)) continue;
    cl_layer_mark_ended(path);
    if (strncmp(path, CL_STATE "/", strlen(CL_STATE "/")) != 0) continue; /* it was removed already */
    if (l->text.damages && of_this_boot(&l->text.first) && !l->text.empty)
      rename(cl_files_path(path), cl_files_path(cl_path("%s.damaged", path)));
    else unlink(cl_files_path(path));
    s->out->layers++;
  }
  if (any && s->base.fd >= 0) cl_baseline_compact(&s->base);
  else if (!any) cl_baseline_remove();
}

int cl_settle(const struct cl_settling *how, struct cl_settled *settled) {
  struct settle s = {.how = how, .out = settled, .base = {.fd = -1}};
  *settled = (struct cl_settled){0};
  int error = begin(&s);
  bool work = how->repair || (s.layers == 0 && s.has_base); /* what could not be undone the last time */
  bool of_boot = s.layers == 0, begun = false;
  for (size_t i = 0; i < s.layers; i++) {
    const struct cl_reservation *first = &s.layer[i].text.first;
    work |= s.layer[i].ends;
    of_boot |= first->tool == 0 || of_this_boot(first);
    begun |= s.layer[i].ends && *first->trying;
  }
  if (s.layers == 0 && !s.has_base && !error) cl_baseline_remove();
  if (error == EXDEV && !work) error = 0; /* nothing is to be done here */
  work &= !error;
  if (work && of_boot && begun && !s.has_base) {
    cl_warn("%s is missing, so the state before is unknown: only cgroups of this tool are removed", CL_BASELINE);
    settled->damaged++;
  }
  if (work && of_boot) {
    say_damage(&s);
    settle_all(&s);
    if (!cl_files_is_tree()) remind_queues(&s);
  }
  if (work && settled->failed) error = EIO;
  else if (work) forget_ended(&s);
  end(&s);
  return error;
}

int cl_settle_look(void (*find)(void *context, bool foreign, const char *line), void *context) {
  static const struct cl_settling nothing = {0};
  struct cl_settled settled = {0};
  struct settle s = {
      .how = &nothing, .out = &settled, .base = {.fd = -1}, .look = true, .find = find, .context = context};
  int error = begin(&s);
  if (error == EXDEV) {
    say(&s, false, "the records in %s cannot be compared from here: %s", CL_STATE, cl_state_error(error));
    error = 0;
  } else if (!error && s.has_base) {
    settle_sets(&s, true);
    settle_controllers(&s);
    settle_sets(&s, false);
    settle_tasks(&s);
  }
  end(&s);
  return error;
}
