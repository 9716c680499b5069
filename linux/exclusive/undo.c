/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking back what a journal says: one entry after the other, the last first. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "entries.h"
#include "hold.h"
#include "say.h"

enum answer { DONE, ALREADY, FOREIGN, FAILED, LATER };

struct undo {
  struct cl_text mine;
  struct cl_text *other; /* of reservations that live on */
  size_t others;
  struct cl_cpus online, possible;
  struct cl_cpus taken; /* by the others */
  struct cl_cpus via; /* where tasks were sent before they got all that they may use */
  struct cl_cpus gone;  /* given back since by others that have ended */
  struct cl_cpus loose; /* what a set of CPUs may have gained or lost by us, by the others, by a CPU going away */
  struct cl_cpus lost; /* by any task, and to be given back */
  bool given;    /* others have told CPUs that they gave back to tasks of ours */
  bool programs; /* not only kernel threads were told their CPUs */
};

/* A partition that lost its CPUs reads as "isolated invalid (...)": it is what was written all the same. */
static char *valid(char *text) {
  char *invalid = strstr(text, " invalid");
  if (invalid) *invalid = '\0';
  return text;
}

static enum answer failed(const char *what, int error) {
  cl_warn("cannot take back %s: %s", what, strerror(error));
  return FAILED;
}

/* A group or an interrupt that is no more takes its files along. */
static bool is_gone(int error) { return error == ENOENT || error == ENODEV; }

/* What a write came to. A group of systemd's may have gone since its file was read. */
static enum answer wrote(const char *path, int error) {
  return is_gone(error) ? ALREADY : error ? failed(path, error) : DONE;
}

static enum answer undo_file(const struct cl_entry *e) {
  char now[4096], old[4096];
  int error = cl_read(e->field[0], now, sizeof now);
  if (is_gone(error)) return ALREADY;
  if (error) return failed(e->field[0], error);
  snprintf(old, sizeof old, "%s", e->field[1]);
  if (strcmp(valid(now), valid(old)) == 0) return ALREADY;
  if (strcmp(now, e->field[2]) != 0) {
    cl_warn("%s is \"%s\", but \"%s\" was written: somebody has changed it, it is left", e->field[0], now, e->field[2]);
    return FOREIGN;
  }
  return wrote(e->field[0], cl_write(e->field[0], old));
}

/* What a set of CPUs should be again: what was taken is given back but for what others hold by now, what was put in
 * instead goes. False: it is not what was made of it. */
static bool give_back(const struct undo *u, const struct cl_cpus *old, const struct cl_cpus *new,
                      const struct cl_cpus *now, struct cl_cpus *target) {
  struct cl_cpus lost = cl_cpus_minus(old, new), gained = cl_cpus_minus(new, old);
  lost = cl_cpus_minus(&lost, &u->taken);
  *target = cl_cpus_minus(now, &gained);
  *target = cl_cpus_or(target, &lost);
  struct cl_cpus is = cl_cpus_minus(now, &u->loose), should = cl_cpus_minus(new, &u->loose);
  return cl_cpus_equal(&is, &should);
}

/* The journal of another reservation that has changed the same file. *empty: it was empty before. */
static struct cl_text *other_of(const struct undo *u, const char *path, bool *empty) {
  struct cl_text *found = NULL;
  *empty = false;
  for (size_t i = 0; i < u->others; i++)
    for (size_t j = 0; j < u->other[i].count; j++) {
      const struct cl_entry *e = &u->other[i].entry[j];
      if ((e->kind != CL_KIND_CPUS && e->kind != CL_KIND_MASK) || strcmp(e->field[0], path) != 0) continue;
      if (found == NULL || e->field[1][0] == '\0') found = &u->other[i];
      if (e->field[1][0] == '\0') *empty = true;
    }
  return found;
}

/* An empty list of the CPUs of a cgroup (v2) means those of the group above it; elsewhere none. */
static bool empty_is_all(const char *path) {
  const char *name = strrchr(path, '/');
  return strcmp(name, "/cpuset.cpus") == 0;
}

static int parse(const struct undo *u, const struct cl_entry *e, const char *text, struct cl_cpus *cpus) {
  if (e->kind == CL_KIND_MASK) return cl_cpus_parse_mask(text, cpus);
  if (*text != '\0' || !empty_is_all(e->field[0])) return cl_cpus_parse(text, cpus);
  *cpus = u->online;
  return 0;
}

static bool is_interrupt(const char *path) { return strncmp(path, "/proc/irq/", strlen("/proc/irq/")) == 0; }

/* The CPUs that we left an interrupt have all gone, so the kernel gave it all that there are. */
static bool is_homeless(const struct undo *u, const char *path, const struct cl_cpus *new) {
  struct cl_cpus left = cl_cpus_and(new, &u->online);
  return is_interrupt(path) && cl_cpus_count(&left) == 0;
}

/* Interrupts are irqbalance's to spread, where it runs: it has been told, and moves them as it thinks fit. */
static bool is_spread(const struct undo *u, const char *path) {
  if (!is_interrupt(path)) return false;
  for (size_t i = 0; i < u->mine.count; i++)
    if (u->mine.entry[i].kind == CL_KIND_IRQBALANCE) return true;
  return false;
}

/* One that has ended since has put it back: what it had meanwhile, which is what we saw, was not the first. */
static bool is_put_back(const struct undo *u, const struct cl_cpus *new, const struct cl_cpus *now) {
  struct cl_cpus was = cl_cpus_and(new, &u->gone), is = cl_cpus_and(now, &u->gone);
  return cl_cpus_count(&was) == 0 && cl_cpus_count(&is) > 0;
}

/* What was there before an entry of a journal: its text, or what a reservation before it has told that has ended since. */
static const char *first_of(const struct undo *u, const struct cl_text *t, const struct cl_entry *e) {
  size_t length = strlen(e->field[0]);
  struct cl_cpus cpus;
  for (size_t i = t->count; i-- > 0;) {
    const struct cl_entry *note = &t->entry[i];
    if (note->kind != CL_KIND_NOTE || strcmp(note->field[0], "first") != 0) continue;
    if (strncmp(note->field[1], e->field[0], length) != 0 || note->field[1][length] != '\t') continue;
    if (parse(u, e, note->field[1] + length + 1, &cpus) == 0) return note->field[1] + length + 1;
  }
  return e->field[1];
}

/* Another reservation that has replaced what we wrote altogether: nothing of ours is in what it made. It is told what
 * was there before us, for its own end. */
static const struct cl_text *upon(const struct undo *u, const struct cl_entry *e) {
  for (size_t i = 0; i < u->others; i++)
    for (size_t j = 0; j < u->other[i].count; j++) {
      const struct cl_entry *its = &u->other[i].entry[j];
      if (its->kind == e->kind && strcmp(its->field[0], e->field[0]) == 0 &&
          strcmp(first_of(u, &u->other[i], its), e->field[2]) == 0)
        return &u->other[i];
    }
  return NULL;
}

static int tell_first(const struct cl_text *other, const char *path, const char *old) {
  char first[CL_PATH_MOST + CL_CPUS_TEXT];
  snprintf(first, sizeof first, "%s\t%s", path, old);
  return cl_text_add(other, (const char *const[]){"note", "first", first}, 3);
}

static enum answer undo_cpus(const struct undo *u, const struct cl_entry *e) {
  const char *path = e->field[0], *old_text = first_of(u, &u->mine, e), *new_text = e->field[2];
  char now_text[CL_CPUS_TEXT], text[CL_CPUS_TEXT];
  struct cl_cpus old, new, now, target;
  bool was_empty;
  int error = cl_read(path, now_text, sizeof now_text);
  if (is_gone(error)) return ALREADY;
  if (!error) error = parse(u, e, now_text, &now);
  if (error) return failed(path, error);
  parse(u, e, old_text, &old); /* both were found to be well formed */
  parse(u, e, new_text, &new);
  const struct cl_text *other = other_of(u, path, &was_empty);
  if (strcmp(now_text, old_text) == 0) return ALREADY;
  if (!other && strcmp(now_text, new_text) == 0) {
    error = cl_write(path, old_text);
    /* Kernels before 7.0 let no group with tasks have an empty list: all CPUs, until the controller goes. */
    if (error == ENOSPC && *old_text == '\0') error = cl_write(path, cl_cpus_format(&u->online, text));
    return wrote(path, error);
  }
  bool ours = give_back(u, &old, &new, &now, &target);
  if (!ours && is_homeless(u, path, &new)) {
    target = cl_cpus_minus(&old, &u->taken);
    ours = true;
  }
  if (cl_cpus_count(&target) == 0 && *old_text != '\0') target = now;
  if (cl_cpus_equal(&target, &now) && (other || *old_text != '\0')) return ALREADY;
  if (!ours && (is_spread(u, path) || is_put_back(u, &new, &now))) return ALREADY;
  const struct cl_text *later = ours ? NULL : upon(u, e);
  if (later) {
    error = tell_first(later, path, old_text);
    return error ? failed(path, error) : ALREADY;
  }
  if (!ours) {
    cl_warn("%s is \"%s\", but \"%s\" was written: somebody has changed it, it is left", path, now_text, new_text);
    return FOREIGN;
  }
  if (e->kind == CL_KIND_MASK) cl_cpus_format_mask(&target, text);
  else cl_cpus_format(&target, text);
  if (!other && cl_cpus_equal(&target, &old)) snprintf(text, sizeof text, "%s", old_text);
  if (other && empty_is_all(path) && (*old_text == '\0' || was_empty)) {
    const char *field[] = {"cpus", path, "", text}; /* the last one to end empties the file again */
    error = cl_text_add(other, field, 4);
    if (error) return failed(path, error);
  }
  return wrote(path, cl_write(path, text));
}

static void join(char *path, size_t size, const char *folder, const char *file) {
  snprintf(path, size, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, file);
}

static void folder_of(char *folder, size_t size, const char *path) {
  snprintf(folder, size, "%.*s", (int)(strrchr(path, '/') - path), path);
}

static bool lists(const char *text, const char *word) {
  size_t length = strlen(word);
  for (const char *at = text; (at = strstr(at, word)) != NULL; at += length)
    if ((at == text || isspace((unsigned char)at[-1])) && (at[length] == '\0' || isspace((unsigned char)at[length])))
      return true;
  return false;
}

struct need {
  const struct undo *undo;
  const char *group, *controller;
  char by[CL_PATH_MOST];
};

/* A list that was empty before us. */
static bool was_empty(const struct undo *u, const char *path) {
  for (size_t i = 0; i < u->mine.count; i++) {
    const struct cl_entry *e = &u->mine.entry[i];
    if (e->kind == CL_KIND_CPUS && strcmp(e->field[0], path) == 0) return *e->field[1] == '\0';
  }
  return false;
}

/* A child group that uses the controller: hands it on, or has set something. */
static int needs(void *context, const char *name) {
  struct need *n = context;
  char child[CL_PATH_MOST], path[CL_PATH_MOST + 64], text[4096];
  static const char *const set[] = {"cpuset.cpus", "cpuset.mems", "cpuset.cpus.exclusive"};
  join(child, sizeof child, n->group, name);
  join(path, sizeof path, child, "cgroup.subtree_control");
  if (cl_read(path, text, sizeof text)) return 0; /* not a group */
  bool needed = lists(text, n->controller);
  if (strcmp(n->controller, "cpuset") == 0) {
    for (size_t i = 0; i < sizeof set / sizeof *set && !needed; i++) {
      join(path, sizeof path, child, set[i]);
      needed = cl_read(path, text, sizeof text) == 0 && *text != '\0' && !was_empty(n->undo, path);
    }
    join(path, sizeof path, child, "cpuset.cpus.partition");
    needed = needed || (cl_read(path, text, sizeof text) == 0 && strncmp(text, "member", 6) != 0);
  } else {
    needed = true;
  }
  if (needed) snprintf(n->by, sizeof n->by, "%s", child);
  return needed;
}

static enum answer undo_controller(const struct undo *u, const struct cl_entry *e) {
  const char *path = e->field[0], *name = e->field[1];
  char text[4096], group[CL_PATH_MOST];
  int error = cl_read(path, text, sizeof text);
  if (is_gone(error)) return ALREADY;
  if (error) return failed(path, error);
  if (!lists(text, name)) return ALREADY;
  if (u->others) {
    const char *field[] = {"controller", path, name};
    error = cl_text_add(&u->other[0], field, 3);
    return error ? failed(path, error) : DONE;
  }
  folder_of(group, sizeof group, path);
  struct need n = {u, group, name, ""};
  cl_list(group, needs, &n);
  if (*n.by) {
    cl_warn("controller %s stays on in %s, as %s uses it by now", name, group, n.by);
    return FOREIGN;
  }
  snprintf(text, sizeof text, "-%s", name);
  return wrote(path, cl_write(path, text));
}

static void pause_ms(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

/* Where the program was before it came into the group `path`, or NULL. */
static const char *came_from(const struct undo *u, const char *path) {
  for (size_t i = u->mine.count; i-- > 0;) {
    const struct cl_entry *e = &u->mine.entry[i];
    if ((e->kind == CL_KIND_GROUP || e->kind == CL_KIND_THREAD) && strcmp(e->field[4], path) == 0) return e->field[3];
  }
  return NULL;
}

/* Moves every process out of the group `path`: back to where the program came from, else to the group above, else (it
 * may not hold any) to the root. */
static void empty_group(const struct undo *u, const char *path) {
  char procs[CL_PATH_MOST + 64], text[65536], up[CL_PATH_MOST], file[CL_PATH_MOST + 64], top[CL_PATH_MOST];
  folder_of(up, sizeof up, path);
  snprintf(top, sizeof top, "%s", up);
  for (;;) {
    char above[CL_PATH_MOST];
    folder_of(above, sizeof above, top);
    join(file, sizeof file, above, "cgroup.procs");
    if (!cl_exists(file)) break;
    snprintf(top, sizeof top, "%s", above);
  }
  const char *to[] = {came_from(u, path), up, top};
  join(procs, sizeof procs, path, "cgroup.procs");
  for (int round = 0; round < 20; round++) { /* a program that forks meanwhile */
    if (cl_read(procs, text, sizeof text) || *text == '\0') return;
    char *save = NULL;
    for (char *pid = strtok_r(text, "\n", &save); pid != NULL; pid = strtok_r(NULL, "\n", &save))
      for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        if (to[i] == NULL || strcmp(pid, "0") == 0) continue; /* 0: of another container; written, it would be us */
        join(file, sizeof file, to[i], "cgroup.procs");
        int error = cl_write(file, pid);
        if (error == 0 || error == ESRCH) break;
      }
    if (cl_files_is_tree()) return;
  }
}

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

static enum answer undo_folder(const struct undo *u, const struct cl_entry *e, bool last) {
  char *path = e->field[0], real[CL_PATH_MOST + 256];
  if (!cl_exists(path)) return ALREADY;
  if (has_groups(path)) { /* a group of another reservation, or of the program itself */
    if (!last) return LATER;
    if (u->others) {
      const char *field[] = {"folder", path};
      int error = cl_text_add(&u->other[0], field, 2);
      return error ? failed(path, error) : DONE;
    }
  }
  empty_group(u, path);
  if (cl_files_is_tree()) cl_list(path, unlink_one, path);
  for (int tries = 0; rmdir(cl_files_path(path, real)); tries++) {
    if (errno == ENOENT) return ALREADY;
    if (errno != EBUSY || tries == 200) return last ? failed(path, errno) : LATER;
    pause_ms(1); /* tasks that are ending */
    if (tries % 20 == 19) empty_group(u, path);
  }
  return DONE;
}

static enum answer undo_group(const struct cl_entry *e, bool last) {
  int tid = e->tid;
  const char *controller = e->field[2], *old = e->field[3], *new = e->field[4];
  char now[CL_PATH_MOST], path[CL_PATH_MOST + 64];
  if (!cl_task_lives(tid, e->born)) return ALREADY;
  int error = cl_task_folder(tid, controller, now, sizeof now);
  if (error == ESRCH || is_gone(error)) return ALREADY;
  if (error) return failed(new, error);
  if (strcmp(now, old) == 0) return ALREADY;
  if (strcmp(now, new) != 0) {
    cl_warn("task %d is in %s, but was put into %s: somebody has moved it, it is left", tid, now, new);
    return FOREIGN;
  }
  join(path, sizeof path, old, e->kind == CL_KIND_GROUP ? "cgroup.procs" : *controller ? "tasks" : "cgroup.threads");
  error = cl_write(path, e->field[0]);
  if (error == ESRCH) return ALREADY;
  if (error == EBUSY && !last) return LATER; /* a container's root takes no tasks while its controllers are on */
  if (is_gone(error)) {
    cl_warn("%s, where task %d came from, is no more: it goes up from %s", old, tid, new);
    return FOREIGN;
  }
  return error ? failed(path, error) : DONE;
}

/* Tasks */

static int allow(const struct undo *u, int tid, const struct cl_cpus *target) {
  struct cl_cpus missing = cl_cpus_minus(&u->online, target), all = cl_cpus_or(target, &u->possible);
  /* A task that may use every CPU may use those that come later, too. */
  return cl_task_allow(tid, cl_cpus_count(&missing) ? target : &all);
}

static bool has_task(const struct cl_text *other, const struct cl_entry *e) {
  for (size_t i = 0; i < other->count; i++) {
    const struct cl_entry *o = &other->entry[i];
    if (o->kind == CL_KIND_AFFINITY && o->tid == e->tid && o->born == e->born) return true;
  }
  return false;
}

/* What a task was left with may be what another reservation had left it: when that one ends it tells the CPUs that it
 * gave back to those who have written down the task without them. */
static int tell_given(const struct undo *u, const struct cl_entry *e, const struct cl_cpus *given) {
  char text[CL_CPUS_TEXT + 48], list[CL_CPUS_TEXT];
  snprintf(text, sizeof text, "%d %llu %s", e->tid, e->born, cl_cpus_format(given, list));
  for (size_t i = 0; i < u->others; i++) {
    if (!has_task(&u->other[i], e)) continue;
    int error = cl_text_add(&u->other[i], (const char *const[]){"note", "given", text}, 3);
    if (error) return error;
  }
  return 0;
}

/* The kernel forgets a task's wish with every change of its cpuset, so with the end of the others as well: they give it
 * back then, even if it was not to be seen any more when they came. */
static int tell_wish(const struct undo *u, const struct cl_entry *e, const struct cl_cpus *old) {
  char list[CL_CPUS_TEXT];
  cl_cpus_format(old, list);
  const char *field[] = {"affinity", e->field[0], e->field[1], list, e->field[3]};
  for (size_t i = 0; i < u->others; i++) {
    int error = has_task(&u->other[i], e) ? 0 : cl_text_add(&u->other[i], field, 5);
    if (error) return error;
  }
  return 0;
}

/* OLD and NEW of an entry, OLD with what others gave back since; where we took CPUs away, without what we had left. */
static void masks(const struct undo *u, const struct cl_entry *e, struct cl_cpus *old, struct cl_cpus *new) {
  cl_cpus_parse(e->field[2], old);
  cl_cpus_parse(e->field[3], new);
  const struct cl_cpus lost = cl_cpus_minus(old, new);
  for (size_t i = 0; i < u->mine.count && u->given; i++) {
    const struct cl_entry *note = &u->mine.entry[i];
    struct cl_cpus given;
    int tid, length = 0;
    unsigned long long born;
    if (note->kind != CL_KIND_NOTE || strcmp(note->field[0], "given") != 0) continue;
    if (sscanf(note->field[1], "%d %llu %n", &tid, &born, &length) != 2 || tid != e->tid || born != e->born) continue;
    if (cl_cpus_parse(note->field[1] + length, &given)) continue;
    if (cl_cpus_count(&lost)) given = cl_cpus_minus(&given, new);
    *old = cl_cpus_or(old, &given);
  }
}

static enum answer undo_affinity(struct undo *u, const struct cl_entry *e) {
  struct cl_task task;
  struct cl_cpus old, new, target;
  char now[CL_CPUS_TEXT], what[64];
  bool lives = cl_task_look(e->tid, &task) == 0 && task.born == e->born && task.state != 'Z';
  if (!lives || !task.kernel) u->programs = true;
  if (!lives) return ALREADY;
  masks(u, e, &old, &new);
  struct cl_cpus lost = cl_cpus_minus(&old, &new), came = cl_cpus_and(&u->gone, &task.allowed);
  if (cl_cpus_count(&lost) == 0) { /* a wish that the kernel forgot */
    int error = tell_wish(u, e, &old);
    if (error) return failed("a task's CPUs", error);
    new = cl_cpus_or(&new, &came); /* the kernel has given what another reservation gave back since, too */
  }
  /* The tool was killed between sending the task to the lightest CPUs and letting it have all it may. */
  struct cl_cpus on_the_way = cl_cpus_and(&new, &u->via);
  if (cl_cpus_count(&lost) && cl_cpus_equal(&task.allowed, &on_the_way)) task.allowed = new;
  bool ours = give_back(u, &old, &new, &task.allowed, &target);
  if (cl_cpus_count(&target) == 0 || cl_cpus_equal(&target, &task.allowed)) return ALREADY;
  if (!ours) {
    cl_warn("task %d (%s) may use CPUs %s, but was given %s: somebody has changed it, it is left", e->tid, task.name,
            cl_cpus_format(&task.allowed, now), e->field[3]);
    return FOREIGN;
  }
  int error = allow(u, e->tid, &target);
  if (error == ESRCH) return ALREADY;
  if (!error && u->others) {
    struct cl_cpus given = cl_cpus_minus(&target, &task.allowed);
    error = tell_given(u, e, &given);
  }
  snprintf(what, sizeof what, "the CPUs of task %d (%s)", e->tid, task.name);
  return error ? failed(what, error) : DONE;
}

static bool is_ours(const struct undo *u, const struct cl_task *task) {
  for (size_t i = 0; i < u->mine.count; i++) {
    const struct cl_entry *e = &u->mine.entry[i];
    if (e->kind == CL_KIND_AFFINITY && e->tid == task->tid && e->born == task->born) return true;
  }
  return false;
}

/* It has the CPUs of another reservation, so it is of that one's program. */
static bool is_others(const struct undo *u, const struct cl_task *task) {
  struct cl_cpus more = cl_cpus_minus(&task->allowed, &u->taken);
  return cl_cpus_count(&more) == 0;
}

/* A task born since inherited what its parent was left with: it gets back what tasks so narrowed get back. Entries by
 * which a task keeps what it has asked for itself are no measure for others. */
static bool inherited(const struct undo *u, const struct cl_task *task, struct cl_cpus *target) {
  for (size_t i = 0; i < u->mine.count; i++) {
    const struct cl_entry *e = &u->mine.entry[i];
    struct cl_cpus old, new;
    if (e->kind != CL_KIND_AFFINITY || cl_cpus_parse(e->field[2], &old) || cl_cpus_parse(e->field[3], &new)) continue;
    struct cl_cpus gained = cl_cpus_minus(&new, &old), lost = cl_cpus_minus(&old, &new);
    struct cl_cpus strange = cl_cpus_minus(&lost, &u->mine.first.cpus);
    struct cl_cpus others = cl_cpus_minus(&new, &u->mine.first.cpus);
    bool program = cl_cpus_count(&others) == 0; /* it was put on the CPUs, else it was sent away from them */
    if (cl_cpus_count(&gained) || (cl_cpus_count(&strange) && !program)) continue;
    if (give_back(u, &old, &new, &task->allowed, target) && cl_cpus_count(target) &&
        !cl_cpus_equal(target, &task->allowed))
      return true;
  }
  return false;
}

static bool lacks(const void *undo, const struct cl_cpus *allowed) {
  const struct undo *u = undo;
  struct cl_cpus missing = cl_cpus_minus(&u->lost, allowed);
  return cl_cpus_count(&missing) > 0;
}

/* Until nobody is found: one that is not widened yet may have children meanwhile. */
static void widen_newborn(const struct undo *u, struct cl_restored *restored) {
  for (int round = 0, changed = 1; changed && round < 10; round++) {
    struct cl_tasks tasks;
    changed = 0;
    if (u->programs ? cl_tasks_if(lacks, u, &tasks) : cl_tasks_kernel(&tasks)) return;
    for (size_t i = 0; i < tasks.count; i++) {
      const struct cl_task *task = &tasks.task[i];
      struct cl_cpus target;
      if (task->born < u->mine.first.born || task->fixed || is_ours(u, task) || is_others(u, task)) continue;
      if (!inherited(u, task, &target) || allow(u, task->tid, &target)) continue;
      changed = 1;
      restored->done++;
    }
    cl_tasks_free(&tasks);
  }
}

/* All of it */

static void undo_free(struct undo *u) {
  cl_text_free(&u->mine);
  for (size_t i = 0; i < u->others; i++) cl_text_free(&u->other[i]);
  free(u->other);
}

static int read_others(struct undo *u) {
  struct cl_reservation *list;
  size_t count;
  int error = cl_journal_list(&list, &count);
  if (!error && count && (u->other = calloc(count, sizeof *u->other)) == NULL) error = ENOMEM;
  for (size_t i = 0; !error && i < count; i++) {
    if (!list[i].alive || strcmp(list[i].path, u->mine.first.path) == 0) continue;
    if (cl_text_read(list[i].path, &u->other[u->others])) continue; /* removed by a hand: nothing to respect */
    u->taken = cl_cpus_or(&u->taken, &list[i].cpus);
    u->others++;
  }
  free(list);
  return error;
}

static int undo_begin(struct undo *u, const char *path) {
  memset(u, 0, sizeof *u);
  int error = cl_text_read(path, &u->mine);
  if (!error) error = read_others(u);
  if (!error) error = cl_online(&u->online);
  if (error) return error;
  char text[CL_CPUS_TEXT];
  if (cl_read("/sys/devices/system/cpu/possible", text, sizeof text) || cl_cpus_parse(text, &u->possible))
    u->possible = u->online;
  u->loose = cl_cpus_or(&u->mine.first.cpus, &u->taken);
  for (size_t i = 0; i < u->mine.count; i++) {
    const struct cl_entry *e = &u->mine.entry[i];
    struct cl_cpus gone;
    u->given |= e->kind == CL_KIND_NOTE && strcmp(e->field[0], "given") == 0;
    if (e->kind == CL_KIND_NOTE && strcmp(e->field[0], "via") == 0) cl_cpus_parse(e->field[1], &u->via);
    if (e->kind == CL_KIND_NOTE && strcmp(e->field[0], "gone") == 0 && cl_cpus_parse(e->field[1], &gone) == 0)
      u->gone = cl_cpus_or(&u->gone, &gone);
  }
  u->loose = cl_cpus_or(&u->loose, &u->gone);
  for (int cpu = 0; cpu < CL_CPUS_MOST; cpu++)
    if (!cl_cpus_has(&u->online, cpu)) cl_cpus_add(&u->loose, cpu);
  return 0;
}

/* The folder that we made for a group and that a file of the group goes with, or NULL. */
static char *made_for(const struct undo *u, const struct cl_entry *e) {
  for (size_t i = 0; i < u->mine.count; i++) {
    const struct cl_entry *f = &u->mine.entry[i];
    size_t length = f->kind == CL_KIND_FOLDER ? strlen(f->field[0]) : 0;
    const char *name = strrchr(e->field[0], '/');
    if (length && name == e->field[0] + length && strncmp(e->field[0], f->field[0], length) == 0) return f->field[0];
  }
  return NULL;
}

/* A group that stays for the groups of others in it: they get the entry, and the file loses our CPUs. */
static enum answer leave_to_others(const struct undo *u, const struct cl_entry *e) {
  const char *field[] = {cl_kind_name(e->kind), e->field[0], e->field[1], e->field[2]};
  char text[CL_CPUS_TEXT];
  struct cl_cpus now;
  int error = cl_text_add(&u->other[0], field, 4);
  if (error) return failed(e->field[0], error);
  if (e->kind != CL_KIND_CPUS || cl_read(e->field[0], text, sizeof text) || cl_cpus_parse(text, &now)) return DONE;
  now = cl_cpus_minus(&now, &u->mine.first.cpus);
  if (cl_cpus_count(&now)) error = cl_write(e->field[0], cl_cpus_format(&now, text));
  return error ? failed(e->field[0], error) : DONE;
}

/* A file: one of a group of ours goes with its folder, unless that has to stay. But a partition ends now: it would end
 * some time after its folder has gone, and take from tasks what they are given back until then. */
static enum answer undo_text(const struct undo *u, const struct cl_entry *e, bool last) {
  char *folder = made_for(u, e);
  bool partition = strcmp(strrchr(e->field[0], '/'), "/cpuset.cpus.partition") == 0;
  if (folder && !last && !partition && cl_exists(folder)) return LATER;
  if (folder && u->others && has_groups(folder)) return leave_to_others(u, e);
  return e->kind == CL_KIND_FILE ? undo_file(e) : undo_cpus(u, e);
}

/* Kernels before 6.2 let all tasks of the groups have all CPUs when the controller goes: what is to be given back after
 * that was written down before the controller came. */
static bool before_controller(const struct undo *u, const struct cl_entry *e) {
  for (const struct cl_entry *later = e + 1; later < u->mine.entry + u->mine.count; later++)
    if (later->kind == CL_KIND_CONTROLLER && !later->undone) return true;
  return false;
}

/* What a task had asked for, written down as the kernel forgets it whenever it changes the task's cpuset: that is given
 * back after all cpusets. */
static bool is_wish(const struct cl_entry *e) {
  struct cl_cpus old, new;
  if (e->kind != CL_KIND_AFFINITY || cl_cpus_parse(e->field[2], &old) || cl_cpus_parse(e->field[3], &new)) return false;
  old = cl_cpus_minus(&old, &new);
  return cl_cpus_count(&old) == 0;
}

static enum answer undo_entry(struct undo *u, const struct cl_entry *e, bool last) {
  int error = 0;
  switch (e->kind) {
    case CL_KIND_FILE: case CL_KIND_CPUS: case CL_KIND_MASK: return undo_text(u, e, last);
    case CL_KIND_CONTROLLER: return last ? undo_controller(u, e) : LATER; /* after every group below has gone */
    case CL_KIND_FOLDER: return undo_folder(u, e, last);
    case CL_KIND_GROUP: case CL_KIND_THREAD: return undo_group(e, last);
    case CL_KIND_AFFINITY: return !last && before_controller(u, e) ? LATER : undo_affinity(u, e);
    case CL_KIND_SCOPE: error = cl_systemd_leave(e->field[0]); break;
    case CL_KIND_IRQBALANCE: error = cl_irqbalance_restore(e->field[0], e->field[1], e->field[2]); break;
    case CL_KIND_NOTE: case CL_KINDS: return ALREADY;
  }
  if (error == EALREADY) return ALREADY;
  return error ? failed(e->field[0], error) : DONE;
}

/* Since 7.0 the kernel lets the work queues know of the begin or end of a partition only behind the write, and a writer
 * killed right then never does it: the queues stay off CPUs that no partition has. True: none of ours is left so. */
static bool settled(const struct undo *u, const char *mount) {
  char path[CL_PATH_MOST + 64], text[CL_CPUS_TEXT];
  struct cl_cpus kept, isolated;
  if (cl_read("/sys/devices/virtual/workqueue/cpumask_isolated", text, sizeof text) || cl_cpus_parse_mask(text, &kept))
    return true;
  join(path, sizeof path, mount, "cpuset.cpus.isolated");
  if (cl_read(path, text, sizeof text) || cl_cpus_parse(text, &isolated)) return true;
  kept = cl_cpus_minus(&kept, &isolated);
  kept = cl_cpus_and(&kept, &u->mine.first.cpus);
  return cl_cpus_count(&kept) == 0;
}

/* Begins and ends a partition once more, written down as well. Nothing to do in all cases but the one above. */
static void settle(const struct undo *u, struct cl_restored *restored) {
  char mount[CL_PATH_MOST], group[CL_PATH_MOST + 64], control[CL_PATH_MOST + 64], path[CL_PATH_MOST + 128];
  char real[CL_PATH_MOST + 256], on[4096], cpus[CL_CPUS_TEXT];
  struct cl_cpus ours = cl_cpus_and(&u->mine.first.cpus, &u->online);
  if (cl_group_mount("", mount, sizeof mount) || cl_cpus_count(&ours) == 0) return;
  snprintf(group, sizeof group, "%s/coreloom-%d-settle", mount, u->mine.first.tool);
  join(control, sizeof control, mount, "cgroup.subtree_control");
  for (int tries = 0; tries < 5 && !settled(u, mount); tries++) {
    pause_ms(10); /* it may be about to */
    if (settled(u, mount) || cl_read(control, on, sizeof on)) break;
    bool was_on = lists(on, "cpuset");
    if (!was_on) {
      if (cl_text_add(&u->mine, (const char *const[]){"controller", control, "cpuset"}, 3)) break;
      cl_write(control, "+cpuset");
    }
    if (cl_text_add(&u->mine, (const char *const[]){"folder", group}, 2)) break;
    mkdir(cl_files_path(group, real), 0755);
    join(path, sizeof path, group, "cpuset.cpus");
    cl_write(path, cl_cpus_format(&ours, cpus));
    join(path, sizeof path, group, "cpuset.cpus.partition");
    cl_write(path, "isolated");
    cl_write(path, "member");
    rmdir(cl_files_path(group, real));
    if (!was_on) cl_write(control, "-cpuset");
  }
  if (settled(u, mount)) return;
  cl_warn("the kernel keeps its work queues off CPU %s", cl_cpus_format(&ours, cpus));
  restored->failed++;
}

static void undo_all(struct undo *u, size_t from, struct cl_restored *restored) {
  bool tasks = false;
  for (size_t i = 0; i < u->mine.count; i++) {
    const struct cl_entry *e = &u->mine.entry[i];
    struct cl_cpus old, new;
    if (e->kind != CL_KIND_AFFINITY || cl_cpus_parse(e->field[2], &old) || cl_cpus_parse(e->field[3], &new)) continue;
    old = cl_cpus_minus(&old, &new);
    u->lost = cl_cpus_or(&u->lost, &old);
    tasks = true;
  }
  u->lost = cl_cpus_minus(&u->lost, &u->taken);
  for (int pass = 0; pass < 3; pass++)
    for (size_t i = u->mine.count; i-- > 0 && u->mine.entry[i].offset >= from;) {
      struct cl_entry *e = &u->mine.entry[i];
      if (e->kind == CL_KIND_NOTE || e->undone || (pass < 2 && is_wish(e))) continue;
      enum answer answer = undo_entry(u, e, pass > 0);
      restored->done += answer == DONE;
      restored->already += answer == ALREADY;
      restored->foreign += answer == FOREIGN;
      restored->failed += answer == FAILED;
      e->undone = answer != LATER;
    }
  if (tasks && from == 0) widen_newborn(u, restored);
  if (from == 0 && !cl_files_is_tree()) settle(u, restored);
}

int cl_journal_restore(const char *path, size_t from, struct cl_restored *restored) {
  struct undo u;
  char boot[40], real[CL_PATH_MOST + 256], damaged[CL_PATH_MOST + 256 + 16];
  *restored = (struct cl_restored){0};
  int error = undo_begin(&u, path);
  if (error) {
    undo_free(&u);
    return error == ENOENT && !cl_exists(path) ? 0 : error;
  }
  cl_files_path(path, real);
  bool other_boot = u.mine.first_good && cl_boot(boot) == 0 && strcmp(boot, u.mine.first.boot) != 0;
  if (!other_boot && !u.mine.empty) undo_all(&u, from, restored);
  if (restored->failed) error = EIO;
  else if (from) error = truncate(real, (off_t)from) ? errno : 0;
  else {
    char cpus[CL_CPUS_TEXT];
    const char *gone[] = {"note", "gone", cl_cpus_format(&u.mine.first.cpus, cpus)};
    for (size_t i = 0; i < u.others && !other_boot; i++) cl_text_add(&u.other[i], gone, 3);
    restored->damaged = other_boot ? 0 : (int)u.mine.damages;
    for (size_t i = 0; i < u.mine.damages && !other_boot; i++)
      cl_warn("line %zu of %s cannot be read: nothing of it was taken back", u.mine.damaged[i], path);
    snprintf(damaged, sizeof damaged, "%s.damaged", real);
    if (u.mine.damages && !other_boot) error = rename(real, damaged) ? errno : 0;
    else error = unlink(real) && errno != ENOENT ? errno : 0;
  }
  undo_free(&u);
  return error;
}
