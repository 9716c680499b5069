/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
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
#include "hold.h"
#include "lines.h"
#include "say.h"
#include "state.h"

#define NAMED 8   /* tasks changed by others that are named, the others counted */
#define ROUNDS 10 /* over newborn tasks: one that is not told yet may have children meanwhile */

enum answer { NOTHING, DONE, ALREADY, FOREIGN, FAILED, LATER, AGAIN };

/* A layer and what is left to do for its end. */
struct ending {
  struct cl_text text;
  bool ends, gone; /* gone: its folders and groups are */
};

struct settle {
  const struct cl_settling *how;
  struct cl_settled *out;
  struct cl_baseline base;
  bool has_base, other_boot;
  struct ending *layer;
  size_t layers;
  struct cl_cpus before, after, ended; /* CPUs held by all, by those that stay, by those that end */
  struct cl_cpus narrowed; /* CPUs that no cgroup lists while the layers that stay are alive: not those held
                                        * by affinity, as the program of such a layer is in some cgroup */
  struct cl_cpus queues; /* CPUs that the workqueues leave */
  bool cpusets, controller; /* groups without a list are narrowed; the controller is needed */
  bool forgets; /* before Linux 6.2: the kernel forgets what a task has requested with any change of its cpuset */
  bool wrote_tasks; /* tasks were told their CPUs by us */
  bool look; /* write nothing */
  int named;
  void (*find)(void *context, bool foreign, const char *line);
  void *context;
};

static void pause_ms(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

static enum answer failed(const char *what, int error) {
  cl_warn("cannot restore %s: %s", what, strerror(error));
  return FAILED;
}

/* A group or an interrupt that no longer exists takes its files along. */
static bool is_gone(int error) { return error == ENOENT || error == ENODEV; }

static enum answer wrote(const char *path, int error) {
  return is_gone(error) ? ALREADY : error ? failed(path, error) : DONE;
}

static void count(struct settle *s, enum answer answer) {
  s->out->done += answer == DONE;
  s->out->already += answer == ALREADY;
  s->out->foreign += answer == FOREIGN;
  s->out->failed += answer == FAILED;
}

static bool is(const char *mechanism, const char *name) { return strcmp(mechanism, name) == 0; }

static void join(char *path, size_t size, const char *folder, const char *file) {
  snprintf(path, size, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, file);
}

static void folder_of(char *folder, size_t size, const char *path) {
  snprintf(folder, size, "%.*s", (int)(strrchr(path, '/') - path), path);
}

static bool empty(const struct cl_cpus *cpus) { return cl_cpus_count(cpus) == 0; }

static bool within(const struct cl_cpus *some, const struct cl_cpus *all) {
  struct cl_cpus out = cl_cpus_minus(some, all);
  return empty(&out);
}

/* -- the end of a layer's own things: its partition, its program's place, its folders ------------------------------ */

static int is_group(void *context, const char *name) {
  char path[CL_PATH_MOST + 64], procs[CL_PATH_MOST + 128];
  join(path, sizeof path, context, name);
  join(procs, sizeof procs, path, "cgroup.procs");
  return cl_exists(procs) ? -1 : 0;
}

static bool has_groups(char *folder) { return cl_list(folder, is_group, folder) == -1; }

static int unlink_one(void *context, const char *name) {
  char path[CL_PATH_MOST + 64], real[CL_PATH_MOST + 256];
  join(path, sizeof path, context, name);
  return unlink(cl_files_path(path, real)) ? errno : 0;
}

/* Where the program was before it came into the group `path`, or NULL. */
static const char *came_from(const struct cl_text *t, const char *path) {
  for (size_t i = t ? t->count : 0; i-- > 0;) {
    const struct cl_entry *e = &t->entry[i];
    if ((e->kind == CL_ENTRY_GROUP || e->kind == CL_ENTRY_THREAD) && strcmp(e->field[4], path) == 0) return e->field[3];
  }
  return NULL;
}

/* Moves every process out of the cgroup `path`: back to where the program came from, else to the parent, else (if
 * that may not hold any) to the root. */
static void empty_group(const struct cl_text *t, const char *path) {
  char procs[CL_PATH_MOST + 64], up[CL_PATH_MOST], file[CL_PATH_MOST + 64], top[CL_PATH_MOST];
  folder_of(up, sizeof up, path);
  snprintf(top, sizeof top, "%s", up);
  for (;;) {
    char above[CL_PATH_MOST];
    folder_of(above, sizeof above, top);
    join(file, sizeof file, above, "cgroup.procs");
    if (!cl_exists(file)) break;
    snprintf(top, sizeof top, "%s", above);
  }
  const char *to[] = {came_from(t, path), up, top};
  join(procs, sizeof procs, path, "cgroup.procs");
  for (int round = 0; round < 20; round++) { /* a program that forks meanwhile */
    char *text, *save = NULL;
    if (cl_read_all(procs, &text)) return;
    bool any = *text != '\0';
    for (char *pid = strtok_r(text, "\n", &save); pid != NULL; pid = strtok_r(NULL, "\n", &save))
      for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        if (to[i] == NULL || strcmp(pid, "0") == 0) continue; /* 0: of another container; written, it would be us */
        join(file, sizeof file, to[i], "cgroup.procs");
        int error = cl_write(file, pid);
        if (error == 0 || error == ESRCH) break;
      }
    free(text);
    if (!any || cl_files_is_tree()) return;
  }
}

static enum answer remove_group(const struct cl_text *t, char *path, bool last) {
  char real[CL_PATH_MOST + 256];
  if (!cl_exists(path)) return ALREADY;
  if (has_groups(path)) return last ? failed(path, EBUSY) : LATER;
  empty_group(t, path);
  if (cl_files_is_tree()) cl_list(path, unlink_one, path);
  for (int tries = 0; rmdir(cl_files_path(path, real)); tries++) {
    if (errno == ENOENT) return ALREADY;
    if (errno != EBUSY || tries == 200) return last ? failed(path, errno) : LATER;
    pause_ms(1); /* tasks that are ending */
    if (tries % 20 == 19) empty_group(t, path);
  }
  return DONE;
}

/* A partition ends before its directory is removed: else it would end some time after, and take from tasks what they
 * are given until then. */
static enum answer end_partition(const char *group) {
  char path[CL_PATH_MOST + 64], text[256];
  join(path, sizeof path, group, "cpuset.cpus.partition");
  if (cl_read(path, text, sizeof text) || strncmp(text, "member", 6) == 0) return ALREADY;
  return wrote(path, cl_write(path, "member"));
}

static enum answer move_back(const struct cl_entry *e, bool last) {
  const char *controller = e->field[2], *old = e->field[3], *new = e->field[4];
  char now[CL_FOLDER_MOST], path[CL_PATH_MOST + 64];
  if (!cl_task_lives(e->tid, e->born)) return ALREADY;
  int error = cl_task_folder(e->tid, controller, now, sizeof now);
  if (error == ESRCH || is_gone(error)) return ALREADY;
  if (error == ENAMETOOLONG)
    snprintf(now, sizeof now, "a cgroup nested too deeply to name"); /* so not in the one of ours */
  else if (error == EXDEV) snprintf(now, sizeof now, "a cgroup outside of this cgroup namespace");
  else if (error) return failed(new, error);
  if (strcmp(now, old) == 0) return ALREADY;
  if (strcmp(now, new) != 0) {
    cl_warn("task %d is in %s, but was put into %s: moved by others, left there", e->tid, now, new);
    return FOREIGN;
  }
  join(path, sizeof path, old, e->kind == CL_ENTRY_GROUP ? "cgroup.procs" : *controller ? "tasks" : "cgroup.threads");
  error = cl_write(path, e->field[0]);
  if (error == ESRCH) return ALREADY;
  if (error == EBUSY && !last) return LATER; /* a container's root takes no tasks while its controllers are on */
  if (is_gone(error)) {
    cl_warn("%s, where task %d came from, no longer exists: it moves to the parent of %s", old, e->tid, new);
    return FOREIGN;
  }
  return error ? failed(path, error) : DONE;
}

/* Folders of a reservation, by its number: what is not there any more, or never was, is no work. */
static enum answer end_folders(struct settle *s, struct ending *l, bool last) {
  static const char *const hierarchy[] = {"", "cpuset"}, *const suffix[] = {"", "-idle"};
  char mount[CL_PATH_MOST], path[CL_PATH_MOST + 64];
  bool later = false;
  for (size_t i = 0; i < 4; i++) {
    if (cl_group_mount(hierarchy[i / 2], mount, sizeof mount)) continue;
    snprintf(path, sizeof path, "%s/coreloom-%d%s", mount, l->text.first.id, suffix[i % 2]);
    if (!cl_exists(path)) continue;
    enum answer answer = remove_group(&l->text, path, last);
    later |= answer == LATER;
    if (answer != LATER) count(s, answer);
  }
  static const char *const traces[] = {"/sys/kernel/tracing/instances", "/sys/kernel/debug/tracing/instances"};
  for (size_t i = 0; i < 2; i++) {
    char real[CL_PATH_MOST + 256];
    if (!cl_exists(traces[i])) continue; /* a look at the second place mounts it */
    snprintf(path, sizeof path, "%s/coreloom-%d", traces[i], l->text.first.id);
    if (cl_exists(path))
      count(s, rmdir(cl_files_path(path, real)) == 0 ? DONE : is_gone(errno) ? ALREADY : failed(path, errno));
    break;
  }
  return later ? LATER : DONE;
}

static void end_partitions(struct settle *s, const struct ending *l) {
  static const char *const before[] = {"coreloom-", "coreloom-", "coreloom_"}, *const behind[] = {"", "-idle",
                                                                                                  ".slice"};
  char mount[CL_PATH_MOST], path[CL_PATH_MOST + 64];
  if (cl_group_mount("", mount, sizeof mount)) return;
  for (size_t i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s%d%s", mount, before[i], l->text.first.id, behind[i]);
    if (cl_exists(path)) count(s, end_partition(path));
  }
}

static void await_scope(const struct cl_text *t) {
  const char *name = cl_layer_value(t, "unit"), *scoped = cl_layer_value(t, "scoped");
  bool comes = scoped && is(scoped, "no");
  for (size_t i = t->count; comes && i-- > 0;) {
    if (t->entry[i].kind != CL_ENTRY_SCOPE) continue;
    cl_systemd_await(name ? name : t->entry[i].field[0]);
    return;
  }
}

/* Its program goes back first, then its scope and its folders. */
static void end_layer(struct settle *s, struct ending *l, bool last) {
  bool later = false;
  if (!last) await_scope(&l->text);
  if (!last) end_partitions(s, l);
  for (size_t i = l->text.count; i-- > 0;) {
    const struct cl_entry *e = &l->text.entry[i];
    enum answer answer = ALREADY;
    if (e->kind == CL_ENTRY_GROUP || e->kind == CL_ENTRY_THREAD) answer = move_back(e, last);
    else if (e->kind != CL_ENTRY_SCOPE || last) continue;
    else {
      int error = cl_systemd_leave(e->field[0]);
      answer = error == EALREADY ? ALREADY : error ? failed(e->field[0], error) : DONE;
    }
    later |= answer == LATER;
    if (answer != LATER) count(s, answer);
  }
  later |= end_folders(s, l, last) == LATER;
  l->gone = !later;
}

/* -- what a set of CPUs should be ---------------------------------------------------------------------------------- */

static bool is_irq(const char *path) {
  return strncmp(path, "/proc/irq/", strlen("/proc/irq/")) == 0 && strstr(path, "_list");
}

static bool is_list_of_group(const char *path) {
  const char *name = strrchr(path, '/');
  return strcmp(name, "/cpuset.cpus") == 0 || strcmp(name, "/cpus") == 0;
}

static struct cl_cpus target_of(const struct settle *s, const struct cl_known *k, const struct cl_cpus *base) {
  struct cl_cpus rest = cl_baseline_rest(&s->base, &s->after), to;
  if (is_list_of_group(k->key)) {
    rest = cl_baseline_rest(&s->base, &s->narrowed);
    if (*k->base == '\0') return s->cpusets ? rest : *base;
    to = cl_cpus_minus(base, &s->narrowed);
    return empty(&to) ? rest : to;
  }
  to = cl_cpus_minus(base, strcmp(k->key, CL_QUEUES) == 0 ? &s->queues : &s->after);
  if (!is_irq(k->key)) return empty(&to) ? *base : to;
  struct cl_cpus alive = cl_cpus_and(&to, &s->base.online);
  return empty(&alive) && !cl_cpus_equal(&to, base) ? rest : to;
}

/* Where irqbalance runs, it places interrupts: it has been told, and moves them as it sees fit. */
static bool is_spread(const struct settle *s, const char *path) {
  if (!is_irq(path)) return false;
  for (size_t i = 0; i < s->base.count; i++)
    if (s->base.known[i].kind == CL_IRQBALANCE) return true;
  return false;
}

/* It was allowed only CPUs that are held or gone, so we gave it the rest: perhaps that of an earlier time, if the
 * tool that recorded what follows was killed before it made the change. `may`: the most that it can have. */
static bool is_rest(const struct settle *s, const struct cl_cpus *base, const struct cl_cpus *now,
                    const struct cl_cpus *may) {
  struct cl_cpus none = cl_cpus_none(), rest = cl_cpus_and(&s->base.online, may);
  return cl_baseline_alike(&s->base, base, &none) && cl_baseline_alike(&s->base, now, &rest);
}

/* `now` is what we wrote last, or before that: then the tool that was to write the last one was killed. `may`: no
 * more is shown (NULL: all). */
static bool is_written(const struct settle *s, const struct cl_known *k, const struct cl_cpus *now,
                       const struct cl_cpus *may) {
  for (; k; k = k->older) {
    struct cl_cpus written;
    if (cl_baseline_parse(&s->base, k, k->written, &written)) continue;
    if (may) written = cl_cpus_and(&written, may);
    if (cl_cpus_equal(now, &written)) return true;
  }
  return false;
}

static void say(struct settle *s, bool foreign, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(struct settle *s, bool foreign, const char *format, ...) {
  char text[3 * CL_CPUS_TEXT];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (s->look) s->find(s->context, foreign, text);
  else cl_warn("%s", text);
}

static bool any_offline(const struct settle *s) { return !cl_cpus_equal(&s->base.online, &s->base.possible); }

static struct cl_cpus one_online(const struct settle *s) { return cl_cpus_one(cl_cpus_next(&s->base.online, -1)); }

static const struct ending *layer_of(const struct settle *s, int id) {
  for (size_t i = 0; i < s->layers; i++)
    if (s->layer[i].text.first.id == id) return &s->layer[i];
  return NULL;
}

/* What the cpuset of a task grants. */
static struct cl_cpus granted(const struct settle *s, int tid) { return cl_granted_of(tid, &s->base.possible); }

/* With any change of its cpuset the kernel gives a task whose CPUs are all offline everything the cpuset grants: as
 * this tool caused it, it is recorded, to be corrected when the CPUs are back. */
static void note_lost(struct settle *s) {
  if (!any_offline(s)) return;
  for (size_t i = 0; i < s->base.count; i++) {
    const struct cl_known *k = &s->base.known[i];
    const struct ending *l = k->kind == CL_TASK && k->how == CL_PROGRAM ? layer_of(s, k->id) : NULL;
    struct cl_cpus base;
    struct cl_task task;
    if (k->kind != CL_TASK || (l && !l->ends) || cl_cpus_parse(k->base, &base)) continue;
    struct cl_cpus left = cl_cpus_and(&base, &s->base.online);
    if (!empty(&left) || cl_task_look(k->tid, &task) || task.born != k->born || empty(&task.allowed)) continue;
    struct cl_cpus may = granted(s, task.tid);
    may = cl_cpus_and(&may, &s->base.online);
    if (cl_baseline_alike(&s->base, &task.allowed, &may)) /* but for partitions that have ended */
      cl_baseline_put_task(&s->base, &task, &base, &task.allowed, k->how == CL_THEIRS ? CL_THEIRS : CL_OURS, 0);
  }
}

/* The kernel lets a task that changes its cgroup keep its CPUs if both cgroups have the same online CPUs: offline
 * ones would be lost to it. So, while any are offline, the cgroup gets another list before its tasks leave it, or
 * before the controller is disabled and all lists disappear. */
static void touch_tasks(struct settle *s, const char *group) {
  char path[CL_PATH_MOST + 64], list[CL_CPUS_TEXT];
  if (!any_offline(s)) return;
  struct cl_cpus one = one_online(s);
  join(path, sizeof path, group, "cpuset.cpus");
  if (cl_exists(path)) cl_write(path, cl_cpus_format(&one, list));
  note_lost(s);
}

static bool is_our_set(const struct settle *s, const struct cl_known *k, const struct cl_cpus *base,
                       const struct cl_cpus *written, const struct cl_cpus *now) {
  return is_written(s, k, now, NULL) || cl_cpus_equal(now, written) || cl_baseline_alike(&s->base, now, base) ||
         is_rest(s, base, now, &s->base.online) || (is_irq(k->key) && cl_baseline_stranded(&s->base, written, now)) ||
         s->how->repair;
}

/* A list that was empty, and has what we wrote: nobody has set it since. */
static bool is_our_list(const struct settle *s, const char *path, const char *now_text) {
  const struct cl_known *k = cl_baseline_find(&s->base, CL_CPUS, path);
  struct cl_cpus base, written, now;
  if (k == NULL || *k->base || cl_baseline_parse(&s->base, k, now_text, &now)) return false;
  if (cl_baseline_parse(&s->base, k, k->base, &base)) return false;
  if (cl_baseline_parse(&s->base, k, k->written, &written)) written = base;
  return is_our_set(s, k, &base, &written, &now);
}

/* As touch_tasks, for a cgroup whose list disappears with the controller: recorded first, as the tool may be killed
 * before that. */
static int touch_group(void *settle, const char *path) {
  struct settle *s = settle;
  char now[CL_CPUS_TEXT], list[CL_CPUS_TEXT];
  struct cl_cpus one = one_online(s);
  if (cl_read(path, now, sizeof now) || (*now && !is_our_list(s, path, now))) return 0; /* somebody's: it stays */
  int error = cl_baseline_put(&s->base, CL_CPUS, path, "", cl_cpus_format(&one, list), CL_OURS);
  if (!error) cl_write(path, list);
  return error;
}

static enum answer settle_set(struct settle *s, struct cl_known *k) {
  char now_text[CL_CPUS_TEXT], text[CL_CPUS_TEXT];
  struct cl_cpus base, written, now, to;
  int error = cl_baseline_now(k->key, now_text, sizeof now_text);
  if (is_gone(error)) return ALREADY;
  if (!error) error = cl_baseline_parse(&s->base, k, now_text, &now);
  if (!error) error = cl_baseline_parse(&s->base, k, k->base, &base);
  if (!error && cl_baseline_parse(&s->base, k, k->written, &written)) written = base;
  if (error && s->look) {
    say(s, false, "%s cannot be read: %s", k->key, strerror(error));
    return FAILED;
  }
  if (error) return failed(k->key, error);
  to = target_of(s, k, &base);
  if (k->how == CL_WAS && strcmp(now_text, k->base) == 0) return ALREADY; /* never ours: left so by intent */
  bool unset = *k->base == '\0' && cl_cpus_equal(&to, &base);
  if (unset ? *now_text == '\0' : cl_cpus_equal(&now, &to) && *now_text != '\0') return ALREADY;
  bool ours = is_our_set(s, k, &base, &written, &now);
  if (!ours && !s->look && cl_baseline_cpus_changed(&s->base)) ours = is_our_set(s, k, &base, &written, &now);
  if (!ours && is_spread(s, k->key)) return ALREADY;
  if (!ours) {
    say(s, true, "%s is \"%s\", but \"%s\" was written: changed by others, kept", k->key, now_text, k->written);
    if (!s->look) cl_baseline_put(&s->base, k->kind, k->key, now_text, now_text, CL_THEIRS);
    return FOREIGN;
  }
  if (cl_cpus_equal(&to, &base)) snprintf(text, sizeof text, "%s", k->base);
  else if (k->kind == CL_MASK) cl_cpus_format_mask(&to, text);
  else cl_cpus_format(&to, text);
  if (s->look) {
    say(s, false, "%s is \"%s\", but should be \"%s\"", k->key, now_text, text);
    return FAILED;
  }
  error = cl_baseline_put(&s->base, k->kind, k->key, k->base, text, k->how == CL_THEIRS ? CL_THEIRS : CL_OURS);
  if (error) return failed(CL_BASELINE, error);
  error = cl_write(k->key, text);
  /* Before 7.0 the kernel lets no cgroup with tasks have an empty list: all CPUs except those of partitions, until
   * the controller is disabled. */
  struct cl_cpus most = cl_baseline_rest(&s->base, &s->narrowed);
  if (error == ENOSPC && *text == '\0') error = cl_write(k->key, cl_cpus_format(&most, text));
  return wrote(k->key, error);
}

/* Parents before children, as a v1 cgroup gets no more than its parent; then a second time the other way. */
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
  for (size_t i = 0; i < s->base.count; i++) {
    struct cl_known *k = &s->base.known[i];
    if ((k->kind == CL_CPUS || k->kind == CL_MASK) && is_list_of_group(k->key) == groups &&
        (k->how != CL_WAS || s->how->repair || s->look))
      list[count_of++] = k;
  }
  qsort(list, count_of, sizeof *list, by_key);
  for (size_t i = 0; i < count_of; i++) count(s, settle_set(s, list[i]));
  free(list);
}

/* -- the controller, and the group of those that were in the root ---------------------------------------------------- */

struct need {
  const struct settle *settle;
  const char *group;
  char by[CL_PATH_MOST];
};

/* A child cgroup that uses the controller: enables it for its children, or has set something. What we set does not
 * count. */
static int needs(void *context, const char *name) {
  struct need *n = context;
  char child[CL_PATH_MOST], path[CL_PATH_MOST + 64], text[4096];
  static const char *const set[] = {"cpuset.cpus", "cpuset.mems", "cpuset.cpus.exclusive"};
  if (cl_is_ours(name)) return 0;
  join(child, sizeof child, n->group, name);
  join(path, sizeof path, child, "cgroup.subtree_control");
  if (cl_read(path, text, sizeof text)) return 0; /* not a group */
  bool needed = cl_lists_word(text, "cpuset");
  for (size_t i = 0; i < sizeof set / sizeof *set && !needed; i++) {
    join(path, sizeof path, child, set[i]);
    needed = cl_read(path, text, sizeof text) == 0 && *text != '\0' && !is_our_list(n->settle, path, text);
  }
  join(path, sizeof path, child, "cpuset.cpus.partition");
  needed = needed || (cl_read(path, text, sizeof text) == 0 && strncmp(text, "member", 6) != 0);
  if (needed) snprintf(n->by, sizeof n->by, "%s", child);
  return needed;
}

static enum answer settle_controller(struct settle *s, const struct cl_known *k) {
  char text[4096], group[CL_PATH_MOST], path[CL_PATH_MOST];
  if (k->how == CL_WAS || strcmp(k->base, "on") == 0) return NOTHING;
  int error = cl_read(k->key, text, sizeof text);
  if (is_gone(error)) return ALREADY;
  if (error) return failed(k->key, error);
  bool on = cl_lists_word(text, "cpuset");
  if (on == s->controller) return ALREADY;
  if (!on && s->look) {
    say(s, false, "%s no longer lists \"cpuset\"", k->key);
    return FAILED;
  }
  if (!on) return s->how->repair ? wrote(k->key, cl_write(k->key, "+cpuset")) : NOTHING;
  folder_of(group, sizeof group, k->key);
  struct need n = {s, group, ""};
  cl_list(group, needs, &n);
  if (*n.by) {
    say(s, true, "the cpuset controller stays enabled in %s: %s uses it", group, n.by);
    return FOREIGN;
  }
  if (s->look) {
    say(s, false, "the cpuset controller is enabled in %s, but should not be", group);
    return FAILED;
  }
  snprintf(path, sizeof path, "%s", k->key); /* k may move when more becomes known */
  if (any_offline(s)) cl_baseline_groups(touch_group, s);
  note_lost(s);
  enum answer answer = wrote(path, cl_write(path, "-cpuset"));
  if (answer == FAILED) settle_sets(s, true);
  return answer;
}

static enum answer settle_rest(struct settle *s, const char *controller, bool last) {
  char mount[CL_PATH_MOST], rest[CL_PATH_MOST + 32], path[CL_PATH_MOST + 64], text[CL_CPUS_TEXT];
  if (cl_group_mount(controller, mount, sizeof mount)) return NOTHING;
  join(rest, sizeof rest, mount, CL_REST);
  if (!cl_exists(rest)) return NOTHING;
  if (!s->cpusets) {
    touch_tasks(s, rest);
    return remove_group(NULL, rest, last);
  }
  struct cl_cpus left = cl_baseline_rest(&s->base, &s->narrowed), now;
  join(path, sizeof path, rest, "cpuset.cpus");
  if (!cl_exists(path)) join(path, sizeof path, rest, "cpus");
  if (cl_read(path, text, sizeof text) || cl_cpus_parse(text, &now) || cl_cpus_equal(&now, &left)) return ALREADY;
  return wrote(path, cl_write(path, cl_cpus_format(&left, text)));
}

/* -- tasks ----------------------------------------------------------------------------------------------------------- */

static int allow(const struct settle *s, int tid, const struct cl_cpus *to) {
  struct cl_cpus missing = cl_cpus_minus(&s->base.online, to), all = cl_cpus_or(to, &s->base.possible);
  /* A task that may use every CPU may use those that come later, too. */
  return cl_task_allow(tid, empty(&missing) ? &all : to);
}

/* Whether a task's affinity has to be checked: the kernel itself forgets that of its own threads when it creates or
 * ends a partition. */
static bool is_forgotten(const struct settle *s, const struct cl_task *task) { return task->kernel || s->forgets; }

/* It should have `now` and more, which the kernel allowed once it had forgotten the request. */
static bool is_part_of_written(const struct cl_known *k, const struct cl_cpus *now) {
  for (struct cl_cpus written; k; k = k->older)
    if (cl_cpus_parse(k->written, &written) == 0 && within(now, &written)) return true;
  return false;
}

/* The tool was killed between sending a task to the lightest CPUs and letting it have all it may. */
static bool is_on_the_way(const struct settle *s, const struct cl_known *k, const struct cl_task *task,
                          const struct cl_cpus *base) {
  const struct cl_cpus *now = &task->allowed;
  bool may_be = within(now, base) || within(base, &s->before) || (is_forgotten(s, task) && is_part_of_written(k, now));
  for (size_t i = 0; may_be && i < s->layers; i++) {
    const char *text = cl_layer_value(&s->layer[i].text, "via");
    struct cl_cpus via;
    if (text && s->layer[i].ends && cl_cpus_parse(text, &via) == 0 && within(now, &via)) return true;
  }
  return false;
}

static bool is_ours(const struct settle *s, const struct cl_known *k, const struct cl_task *task,
                    const struct cl_cpus *base) {
  const struct cl_cpus *now = &task->allowed;
  struct cl_cpus left, may;
  if (s->how->repair || cl_baseline_alike(&s->base, now, base)) return true;
  if (k->how == CL_PROGRAM) {
    const struct ending *l = layer_of(s, k->id);
    if (within(now, l ? &l->text.first.cpus : &s->ended)) return true;
  }
  if (cl_baseline_stranded(&s->base, base, now)) return true;
  if (is_forgotten(s, task) && cl_baseline_alike(&s->base, now, &s->base.online)) return true;
  if (is_on_the_way(s, k, task, base)) return true;
  may = granted(s, task->tid);
  if (is_rest(s, base, now, &s->base.possible) || is_rest(s, base, now, &may)) return true;
  if (is_written(s, k, now, &may)) return true;
  left = cl_cpus_and(base, &may);
  if (cl_baseline_alike(&s->base, now, &left)) return true;
  return s->forgets && cl_baseline_alike(&s->base, now, &may);
}

static enum answer give(struct settle *s, const struct cl_known *k, const struct cl_task *task,
                        const struct cl_cpus *base, const struct cl_cpus *to) {
  char what[64], now[CL_CPUS_TEXT], list[CL_CPUS_TEXT];
  if (s->look) {
    say(s, false, "task %d (%s) is allowed on CPUs %s, but should be on %s", task->tid, task->name,
        cl_cpus_format(&task->allowed, now), cl_cpus_format(to, list));
    return FAILED;
  }
  /* It is ours only because it belongs to a program: so that stays recorded until its affinity is set. */
  bool program = k->how == CL_PROGRAM;
  int error = cl_baseline_put_task(&s->base, task, base, to, k->how == CL_WAS ? CL_OURS : k->how, k->id);
  struct cl_cpus is;
  if (!error && cl_task_allowed(task->tid, &is) == 0 && !cl_cpus_equal(&is, &task->allowed)) return AGAIN;
  if (!error) error = allow(s, task->tid, to);
  if (!error && program) error = cl_baseline_put_task(&s->base, task, base, to, CL_OURS, 0);
  if (error == ESRCH) return ALREADY;
  struct cl_cpus alive = cl_cpus_and(to, &s->base.online), may = granted(s, task->tid), can = cl_cpus_and(&alive, &may);
  if (error == EINVAL && empty(&can)) {
    cl_warn("task %d (%s) had CPUs %s, which its cgroup no longer has: it keeps %s", task->tid, task->name,
            cl_cpus_format(to, list), cl_cpus_format(&task->allowed, now));
    return FOREIGN;
  }
  snprintf(what, sizeof what, "the CPUs of task %d (%s)", task->tid, task->name);
  return error ? failed(what, error) : DONE;
}

/* All that it should have is offline: until that is back it gets the rest, as from the kernel. */
static enum answer owe(struct settle *s, const struct cl_task *task, const struct cl_cpus *base,
                       const struct cl_cpus *to) {
  char list[CL_CPUS_TEXT];
  struct cl_cpus asked, rest = cl_baseline_rest(&s->base, &s->after), may = granted(s, task->tid);
  if (cl_task_asked(task->tid, &asked) == 0 && cl_cpus_equal(&asked, to)) return ALREADY;
  if (s->look) {
    say(s, true, "task %d (%s) waits for CPU %s, which is offline", task->tid, task->name, cl_cpus_format(to, list));
    return FOREIGN;
  }
  s->out->owed++;
  may = cl_cpus_and(&may, &rest);
  if (empty(&may) || cl_cpus_equal(&task->allowed, &may)) return ALREADY;
  int error = cl_baseline_put_task(&s->base, task, base, &rest, CL_OURS, 0);
  if (!error) error = allow(s, task->tid, &rest);
  return error && error != ESRCH ? failed("the CPUs of a task whose own are offline", error) : DONE;
}

/* It lacks CPUs that are offline, which only its file tells. */
static bool lacks_offline(const struct settle *s, int tid, const struct cl_cpus *to) {
  struct cl_cpus off = cl_cpus_minus(&s->base.possible, &s->base.online), wanted = cl_cpus_and(to, &off), asked;
  return !empty(&wanted) && cl_task_asked(tid, &asked) == 0 && !within(&wanted, &asked);
}

/* A program that stays where it belongs; only before 6.2, and without a cgroup of its own, the kernel lets it out
 * with every change of its cpuset. */
static enum answer pin_again(struct settle *s, const struct cl_known *k, const struct cl_task *task) {
  struct cl_cpus written, may = granted(s, task->tid);
  char now[CL_CPUS_TEXT], list[CL_CPUS_TEXT];
  if (!s->forgets || !cl_cpus_equal(&task->allowed, &may) || cl_cpus_parse(k->written, &written)) return NOTHING;
  struct cl_cpus can = cl_cpus_and(&written, &may);
  if (empty(&can) || cl_cpus_equal(&can, &may)) return NOTHING;
  if (s->look) {
    say(s, false, "task %d (%s) is allowed on CPUs %s, but should be on %s", task->tid, task->name,
        cl_cpus_format(&task->allowed, now), cl_cpus_format(&written, list));
    return FAILED;
  }
  return cl_task_allow(task->tid, &written) ? NOTHING : DONE; /* it has ended */
}

static enum answer settle_task(struct settle *s, struct cl_known *k) {
  struct cl_task task;
  struct cl_cpus base, to, rest = cl_baseline_rest(&s->base, &s->after);
  char now[CL_CPUS_TEXT], list[CL_CPUS_TEXT];
  bool lives = cl_task_look(k->tid, &task) == 0 && task.born == k->born && task.state != 'Z';
  if (!lives || cl_cpus_parse(k->base, &base)) return k->how == CL_WAS ? NOTHING : ALREADY;
  /* Never told by us: what it has now is its own business, or the kernel took what it had. */
  if (k->how == CL_WAS && !is_forgotten(s, &task) && !cl_baseline_stranded(&s->base, &base, &task.allowed))
    return NOTHING;
  if (k->how == CL_PROGRAM) {
    const struct ending *l = layer_of(s, k->id);
    if (l && !l->ends) return pin_again(s, k, &task);
  }
  to = cl_cpus_minus(&base, &s->after);
  if (empty(&to)) {
    if (task.kernel) return ALREADY; /* bound to a held CPU */
    struct cl_cpus may = granted(s, task.tid);
    to = cl_cpus_and(&rest, &may);
    if (empty(&to)) return ALREADY;
  }
  struct cl_cpus can = cl_cpus_and(&to, &s->base.online);
  bool lacks_some = lacks_offline(s, task.tid, &to);
  if (cl_cpus_equal(&can, &task.allowed) && !lacks_some) return ALREADY;
  if (!is_ours(s, k, &task, &base) &&
      !(!s->look && cl_baseline_cpus_changed(&s->base) && is_ours(s, k, &task, &base))) {
    if (s->look || s->named++ < NAMED)
      say(s, true, "task %d (%s) is allowed on CPUs %s, but was left on %s: changed by others, kept", k->tid, task.name,
          cl_cpus_format(&task.allowed, now), cl_cpus_format(&to, list));
    if (!s->look) cl_baseline_put_task(&s->base, &task, &task.allowed, &task.allowed, CL_THEIRS, 0);
    return FOREIGN;
  }
  if (empty(&can)) return owe(s, &task, &base, &to);
  /* More than its cpuset has is not to be had: then what it has of it is right. */
  if (!s->look && (lacks_some || !within(&can, &task.allowed))) return give(s, k, &task, &base, &to);
  struct cl_cpus may = granted(s, task.tid);
  can = cl_cpus_and(&can, &may);
  return cl_cpus_equal(&can, &task.allowed) ? ALREADY : give(s, k, &task, &base, &to);
}

static void settle_tasks(struct settle *s) {
  for (size_t i = 0; i < s->base.count; i++) {
    struct cl_known *k = &s->base.known[i];
    if (k->kind != CL_TASK) continue;
    enum answer answer = settle_task(s, k);
    for (int tries = 0; answer == AGAIN && tries < 4; tries++) answer = settle_task(s, k); /* it asks meanwhile */
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

/* A task that is not recorded and was born on CPUs of an ending layer belongs to its program: it gets what its
 * parent had requested, or the program's first process. */
static bool of_program(const struct settle *s, const struct cl_task *task, struct cl_cpus *wish) {
  for (size_t i = 0; i < s->layers; i++) {
    const struct ending *l = &s->layer[i];
    const char *text = cl_layer_value(&l->text, "wish");
    if (!l->ends || !text || task->born < l->text.first.born || !within(&task->allowed, &l->text.first.cpus)) continue;
    const struct cl_known *k = maker(s, task);
    return (k && cl_cpus_parse(k->base, wish) == 0) || cl_cpus_parse(text, wish) == 0;
  }
  return false;
}

/* A task created while its parent was on its way to the lightest CPUs would keep those for ever: it gets its
 * parent's. */
static bool made_on_the_way(const struct settle *s, const struct cl_task *task, struct cl_cpus *wish) {
  const struct cl_known *k = maker(s, task);
  for (size_t i = 0; k && i < s->layers; i++) {
    const char *text = s->layer[i].ends ? cl_layer_value(&s->layer[i].text, "via") : NULL;
    struct cl_cpus via;
    if (text && cl_cpus_parse(text, &via) == 0 && is_written(s, k, &task->allowed, &via))
      return cl_cpus_parse(k->base, wish) == 0;
  }
  return false;
}

/* Before 6.2 one that lacks nothing, too: its parent was told all when the kernel had forgotten its pin. */
static bool lacks(const void *settle, const struct cl_cpus *allowed) {
  const struct settle *s = settle;
  struct cl_cpus should = cl_cpus_minus(&s->base.online, &s->after);
  return s->forgets || !within(&should, allowed) || !cl_cpus_equal(&s->base.online, &s->base.possible);
}

/* A task born since inherited what its parent was left with. Repeats until none is found: one that is not yet set
 * may have children meanwhile. */
static void settle_newborn(struct settle *s, int rounds) {
  struct cl_cpus should = cl_cpus_minus(&s->base.online, &s->after), rest = cl_baseline_rest(&s->base, &s->after);
  for (int round = 0, changed = 1; changed && round < rounds; round++) {
    struct cl_tasks tasks;
    changed = 0;
    if (s->wrote_tasks ? cl_tasks_if(lacks, s, &tasks) : cl_tasks_kernel(&tasks)) return;
    for (size_t i = 0; i < tasks.count; i++) {
      const struct cl_task *task = &tasks.task[i];
      struct cl_cpus wish;
      if (task->born < s->base.taken || task->fixed || task->state == 'Z') continue;
      if (cl_baseline_task(&s->base, task->tid, task->born) || within(&task->allowed, &s->after)) continue;
      if (!of_program(s, task, &wish) && !made_on_the_way(s, task, &wish)) wish = cl_baseline_wish(&s->base, task);
      struct cl_cpus to = cl_cpus_minus(&wish, &s->after);
      if (empty(&to)) to = cl_granted_of(task->tid, &rest); /* all of it is still held */
      struct cl_cpus can = cl_cpus_and(&to, &s->base.online);
      struct cl_cpus has = cl_cpus_and(&task->allowed, &s->base.online);
      bool enough = cl_cpus_equal(&can, &has) || (within(&should, &has) && within(&should, &can));
      if (empty(&to) || (enough && !lacks_offline(s, task->tid, &to))) continue;
      if (allow(s, task->tid, &to)) continue;
      changed = 1;
      s->out->done++;
    }
    cl_tasks_free(&tasks);
  }
}

/* While CPUs go offline and come back, the kernel leaves tasks whose affinity was never set with what a cpuset had
 * at some moment: without CPUs that are offline, or were held. (systemd's controllers are disabled at any time.) */
static void settle_untold(struct settle *s) {
  struct cl_tasks tasks;
  if (empty(&s->base.offline) || s->forgets || cl_tasks_if(lacks, s, &tasks)) return;
  for (size_t i = 0; i < tasks.count; i++) {
    const struct cl_task *task = &tasks.task[i];
    const struct cl_known *k = cl_baseline_task(&s->base, task->tid, task->born);
    struct cl_cpus wish = s->base.possible;
    if (task->kernel || task->state == 'Z' || (k && (k->how != CL_WAS || cl_cpus_parse(k->base, &wish)))) continue;
    wish = cl_cpus_minus(&wish, &s->after);
    struct cl_cpus can = cl_cpus_and(&wish, &s->base.online);
    bool less = !cl_cpus_equal(&can, &task->allowed) || lacks_offline(s, task->tid, &wish);
    if (less && within(&task->allowed, &can) && cl_baseline_alike(&s->base, &task->allowed, &can) &&
        !allow(s, task->tid, &wish))
      s->out->done++;
  }
  cl_tasks_free(&tasks);
}

/* -- the kernel's own work -------------------------------------------------------------------------------------------- */

/* Since 7.0 the kernel tells the workqueues of the start or end of a partition only after the write, and a writer
 * killed right then never does: the workqueues stay off CPUs that no partition has. True: none is left so. */
static bool queues_know(const struct settle *s, const char *mount) {
  char path[CL_PATH_MOST + 64], text[CL_CPUS_TEXT];
  struct cl_cpus kept, isolated;
  if (cl_read("/sys/devices/virtual/workqueue/cpumask_isolated", text, sizeof text) || cl_cpus_parse_mask(text, &kept))
    return true;
  join(path, sizeof path, mount, "cpuset.cpus.isolated");
  if (cl_read(path, text, sizeof text) || cl_cpus_parse(text, &isolated)) return true;
  kept = cl_cpus_minus(&kept, &isolated);
  kept = cl_cpus_and(&kept, &s->ended);
  return empty(&kept);
}

/* Begins and ends a partition once more, under a name that the next try would find. */
static void blink(const struct settle *s, const char *mount, const char *kind, const struct cl_cpus *with) {
  char group[CL_PATH_MOST + 64], control[CL_PATH_MOST + 64], path[CL_PATH_MOST + 128], real[CL_PATH_MOST + 256];
  char on[4096], cpus[CL_CPUS_TEXT];
  int id = 0;
  for (size_t i = 0; i < s->layers; i++)
    if (s->layer[i].ends) id = s->layer[i].text.first.id;
  snprintf(group, sizeof group, "%s/coreloom-%d", mount, id);
  join(control, sizeof control, mount, "cgroup.subtree_control");
  if (cl_read(control, on, sizeof on)) return;
  bool was_on = cl_lists_word(on, "cpuset");
  if (!was_on) cl_write(control, "+cpuset");
  mkdir(cl_files_path(group, real), 0755);
  join(path, sizeof path, group, "cpuset.cpus");
  cl_write(path, cl_cpus_format(with, cpus));
  join(path, sizeof path, group, "cpuset.cpus.partition");
  cl_write(path, kind);
  cl_write(path, "member");
  rmdir(cl_files_path(group, real));
  if (!was_on) cl_write(control, "-cpuset");
}

/* When a partition's CPUs go offline the kernel leaves tasks with what was lent to them, though it knows what they
 * had requested: it looks again when another partition ends. */
static void remind_tasks(const struct settle *s) {
  char mount[CL_PATH_MOST];
  struct cl_cpus held = cl_cpus_and(&s->ended, &s->base.offline), some = cl_cpus_and(&s->ended, &s->base.online);
  if (empty(&s->base.offline) || cl_group_mount("", mount, sizeof mount)) return;
  if (!empty(&held) && !empty(&some)) blink(s, mount, "root", &some);
}

/* Nothing to do in all cases but the one that queues_know() tells. */
static void remind_queues(struct settle *s) {
  char mount[CL_PATH_MOST], cpus[CL_CPUS_TEXT];
  struct cl_cpus ours = cl_cpus_and(&s->ended, &s->base.online);
  if (cl_group_mount("", mount, sizeof mount) || empty(&ours)) return;
  for (int tries = 0; tries < 5 && !queues_know(s, mount); tries++) {
    pause_ms(10); /* it may be about to */
    if (!queues_know(s, mount)) blink(s, mount, "isolated", &ours);
  }
  if (queues_know(s, mount)) return;
  cl_warn("the kernel keeps its workqueues off CPU %s", cl_cpus_format(&ours, cpus));
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
    const struct ending *l = &s->layer[i];
    const struct cl_cpus *cpus = &l->text.first.cpus;
    const char *mechanism = l->text.first.trying;
    s->before = cl_cpus_or(&s->before, cpus);
    if (l->ends) {
      s->ended = cl_cpus_or(&s->ended, cpus);
      continue;
    }
    s->after = cl_cpus_or(&s->after, cpus);
    if (!is(mechanism, "isolated") || !cl_kernel_since(6, 9)) s->queues = cl_cpus_or(&s->queues, cpus);
    if (is(mechanism, "affinity") || is(mechanism, "")) continue;
    s->cpusets |= is(mechanism, "cpuset") || is(mechanism, "cpuset-v1");
    s->controller |= !is(mechanism, "cpuset-v1");
    if (!groups_are_systemds || is(mechanism, "cpuset-v1")) s->narrowed = cl_cpus_or(&s->narrowed, cpus);
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
    struct ending *l = &s->layer[s->layers];
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
  for (int tries = 0; error == ENOENT && tries < 10;
       tries++) { /* removed by hand in between, or ended if it only looks */
    forget_layers(s);
    error = read_layers(s);
  }
  if (error) return error;
  error = s->look ? cl_baseline_read(&s->base) : cl_baseline_refresh(&s->base);
  s->has_base = !error;
  sum_up(s);
  s->base.held = cl_cpus_or(&s->base.held, &s->before); /* what may differ by our doing */
  if (s->has_base && !s->look) cl_baseline_note_offline(&s->base);
  return error == ENOENT ? 0 : error;
}

static void end(struct settle *s) {
  forget_layers(s);
  cl_baseline_free(&s->base);
}

static void settle_irqbalance(struct settle *s, const struct cl_known *k) {
  struct cl_cpus base, both;
  char list[CL_CPUS_TEXT], now[CL_CPUS_TEXT];
  if (cl_cpus_parse(k->base, &base)) return;
  both = cl_cpus_or(&base, &s->ended);
  int error = cl_irqbalance_restore(k->key, cl_cpus_format(&base, list), cl_cpus_format(&both, now));
  count(s, error == EALREADY ? ALREADY : error ? failed(k->key, error) : DONE);
}

static void settle_all(struct settle *s) {
  note_lost(s);
  for (size_t i = 0; i < s->layers; i++)
    if (s->layer[i].ends) end_layer(s, &s->layer[i], false);
  settle_sets(s, true);
  /* Task by task, before the controller is disabled: with that the kernel moves those of all cgroups at once, and if
   * one of the cgroups had every CPU it looks at none of the others' tasks (cpuset_attach). */
  count(s, settle_rest(s, "", false));
  count(s, settle_rest(s, "cpuset", true));
  for (size_t i = 0; i < s->base.count; i++)
    if (s->base.known[i].kind == CL_CONTROLLER) count(s, settle_controller(s, &s->base.known[i]));
  if (!s->cpusets)
    count(s, settle_rest(s, "", true)); /* a container's root takes no tasks while its controllers are on */
  for (size_t i = 0; i < s->layers; i++)
    if (s->layer[i].ends && !s->layer[i].gone) end_layer(s, &s->layer[i], true);
  for (size_t i = 0; i < s->base.count; i++)
    if (s->base.known[i].kind == CL_IRQBALANCE) settle_irqbalance(s, &s->base.known[i]);
  settle_sets(s, false);
  for (size_t i = 0; i < s->base.count; i++)
    s->wrote_tasks |= s->base.known[i].kind == CL_TASK && s->base.known[i].how != CL_WAS;
  if (!cl_files_is_tree()) remind_tasks(s);
  cl_baseline_cpus_changed(&s->base); /* while it is not yet known which of the held ones are given back */
  settle_newborn(s, 1); /* while their parents have what they have inherited */
  settle_tasks(s);
  settle_newborn(s, ROUNDS);
  if (cl_baseline_cpus_changed(&s->base)) settle_tasks(s);
  settle_untold(s);
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

static bool stays(const struct settle *s, const struct ending *l) {
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
    const struct ending *l = &s->layer[i];
    char real[CL_PATH_MOST + 256], other[CL_PATH_MOST + 300];
    if (stays(s, l)) continue;
    cl_files_path(l->text.first.path, real);
    cl_layer_mark_ended(l->text.first.path);
    if (strncmp(l->text.first.path, CL_STATE "/", strlen(CL_STATE "/")) != 0) continue; /* it was removed already */
    snprintf(other, sizeof other, "%s.damaged", real);
    if (l->text.damages && of_this_boot(&l->text.first) && !l->text.empty) rename(real, other);
    else unlink(real);
    s->out->layers++;
  }
  if (any && s->base.fd >= 0) cl_baseline_compact(&s->base);
  else if (!any) cl_baseline_remove();
}

int cl_settle(const struct cl_settling *how, struct cl_settled *settled) {
  struct settle s = {.how = how, .out = settled, .base = {.fd = -1}};
  *settled = (struct cl_settled){0};
  int error = begin(&s);
  bool work = how->repair;
  for (size_t i = 0; i < s.layers; i++) work |= s.layer[i].ends;
  if (s.layers == 0 && s.has_base) work = true; /* what could not be undone the last time */
  if (s.layers == 0 && !s.has_base && !error) cl_baseline_remove();
  if (error || !work) {
    end(&s);
    return error;
  }
  bool any_of_boot = s.layers == 0;
  for (size_t i = 0; i < s.layers; i++)
    any_of_boot |= of_this_boot(&s.layer[i].text.first) || s.layer[i].text.first.tool == 0;
  if (any_of_boot && !s.has_base && s.layers) {
    bool begun = false;
    for (size_t i = 0; i < s.layers; i++) begun |= s.layer[i].ends && *s.layer[i].text.first.trying;
    if (begun) {
      cl_warn("%s is missing, so the state before is unknown: only cgroups of this tool are removed", CL_BASELINE);
      settled->damaged++;
    }
  }
  if (any_of_boot) {
    say_damage(&s);
    settle_all(&s);
    if (!cl_files_is_tree()) remind_queues(&s);
  }
  if (settled->failed) error = EIO;
  else forget_ended(&s);
  end(&s);
  return error;
}

int cl_settle_look(void (*find)(void *context, bool foreign, const char *line), void *context) {
  static const struct cl_settling nothing = {0};
  struct cl_settled settled = {0};
  struct settle s = {
      .how = &nothing, .out = &settled, .base = {.fd = -1}, .look = true, .find = find, .context = context};
  int error = begin(&s);
  if (!error && s.has_base) {
    settle_sets(&s, true);
    for (size_t i = 0; i < s.base.count; i++)
      if (s.base.known[i].kind == CL_CONTROLLER) settle_controller(&s, &s.base.known[i]);
    settle_sets(&s, false);
    settle_tasks(&s);
  }
  end(&s);
  return error;
}
