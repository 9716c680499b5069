/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "change.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lines.h"
#include "say.h"

#define MANY 1024

/* The things that a plan counts as made: folders, and files with a text. */
static struct {
  char path[CL_PATH_MOST];
  char *text;
} planned[MANY];
static int plans;

void cl_change_expect(const struct cl_changes *c, const char *path, const char *text) {
  if (!c->plan || plans == MANY) return;
  snprintf(planned[plans].path, sizeof planned[plans].path, "%s", path);
  planned[plans++].text = text ? strdup(text) : NULL;
}

static bool in_planned(const char *path) {
  for (int i = 0; i < plans; i++) {
    size_t length = strlen(planned[i].path);
    bool below = strncmp(path, planned[i].path, length) == 0 && (path[length] == '/' || path[length] == '\0');
    if (below && planned[i].text == NULL) return true;
  }
  return false;
}

static int read_old(const struct cl_changes *c, const char *path, char *text, size_t size) {
  for (int i = 0; c->plan && i < plans; i++)
    if (planned[i].text && strcmp(planned[i].path, path) == 0) {
      snprintf(text, size, "%s", planned[i].text);
      return 0;
    }
  if (!c->plan || !in_planned(path)) return cl_read(path, text, size);
  text[0] = '\0';
  return 0;
}

static int planned_write(const char *path, const char *new, const char *old) {
  cl_say_planned("write %s \"%s\" (was \"%s\")", path, new, old);
  return 0;
}

int cl_change_file(struct cl_changes *c, const char *path, const char *text) {
  char old[4096];
  int error = read_old(c, path, old, sizeof old);
  if (error || strcmp(old, text) == 0) return error;
  c->made++;
  return c->plan ? planned_write(path, text, old) : cl_write(path, text);
}

/* A value that others have written since this tool did is the one they want from now on. */
static int note_set(struct cl_changes *c, enum cl_kind kind, const char *path, const char *old, const char *new) {
  const struct cl_known *known = cl_baseline_find(c->base, kind, path);
  struct cl_value v = {.sort = cl_is_irq(path) ? CL_SORT_IRQ : CL_SORT_FILE, .may = c->base->possible};
  if (known == NULL) return cl_baseline_put(c->base, kind, path, old, new, CL_OURS);
  bool read = cl_baseline_parse(c->base, known, known->base, &v.base) == 0 &&
              cl_baseline_parse(c->base, known, old, &v.now) == 0;
  if (!read || cl_baseline_reading(c->base, known, &v) != CL_READS_OTHER)
    return cl_baseline_put(c->base, kind, path, known->base, new, known->how == CL_THEIRS ? CL_THEIRS : CL_OURS);
  if (known->how == CL_WAS) return cl_baseline_put(c->base, kind, path, old, new, CL_OURS);
  cl_warn("%s is \"%s\", but \"%s\" was written: changed by others, kept", path, old, known->written);
  return cl_baseline_put(c->base, kind, path, old, new, CL_THEIRS);
}

static int put_set(struct cl_changes *c, enum cl_kind kind, const char *path, const char *old, const char *new) {
  c->made++;
  if (c->plan) return planned_write(path, new, old);
  const struct cl_known *known = cl_baseline_find(c->base, kind, path);
  bool first = known == NULL || known->how == CL_WAS;
  int error = note_set(c, kind, path, old, new);
  if (!error && (error = cl_write(path, new)) != 0 && first) /* the kernel refuses: it is as it was */
    cl_baseline_put(c->base, kind, path, old, old, CL_WAS);
  return error;
}

static int change_set(struct cl_changes *c, enum cl_kind kind, const char *path, const struct cl_cpus *cpus) {
  char old[CL_CPUS_TEXT], new[CL_CPUS_TEXT];
  struct cl_cpus is;
  bool mask = kind == CL_MASK;
  int error = mask ? cl_baseline_now(path, old, sizeof old) : read_old(c, path, old, sizeof old);
  if (!error) error = (mask ? cl_cpus_parse_mask : cl_cpus_parse)(old, &is);
  if (error || cl_cpus_equal(&is, cpus)) return error;
  return put_set(c, kind, path, old, (mask ? cl_cpus_format_mask : cl_cpus_format)(cpus, new));
}

int cl_change_cpus(struct cl_changes *c, const char *path, const struct cl_cpus *cpus) {
  return change_set(c, CL_CPUS, path, cpus);
}

int cl_change_mask(struct cl_changes *c, const char *path, const struct cl_cpus *cpus) {
  return change_set(c, CL_MASK, path, cpus);
}

int cl_change_cpuset_on(struct cl_changes *c, const char *group) {
  char on[4096];
  const char *path = cl_path("%s/cgroup.subtree_control", group);
  int error = read_old(c, path, on, sizeof on);
  if (error || cl_lists_word(on, "cpuset")) return error;
  c->made++;
  if (c->plan) return planned_write(path, "+cpuset", on);
  const struct cl_known *known = cl_baseline_find(c->base, CL_CONTROLLER, path);
  error = cl_baseline_put(c->base, CL_CONTROLLER, path, known ? known->base : "off", "on", CL_OURS);
  return error ? error : cl_write(path, "+cpuset");
}

int cl_change_folder(struct cl_changes *c, const char *path) {
  if (cl_exists(path) || (c->plan && in_planned(path))) return 0;
  c->made++;
  if (c->plan) {
    cl_change_expect(c, path, NULL);
    cl_say_planned("create %s", path);
    return 0;
  }
  const char *real = cl_files_path(path);
  if (mkdir(real, 0755)) return errno;
  return chmod(real, 0755) ? errno : 0; /* `status` of other users reads it, whatever the umask is */
}

int cl_change_group(struct cl_changes *c, const struct cl_task *task, const char *group) {
  char old[CL_PATH_MOST];
  if (c->plan && task->tid == 0) { /* one that is yet to be started */
    c->made++;
    cl_say_planned("start %s in %s", task->name, group);
    return 0;
  }
  int error = cl_task_folder(task->tid, old, sizeof old);
  if (error || strcmp(old, group) == 0) return error;
  c->made++;
  if (c->plan) {
    cl_say_planned("move process %d (%s) to %s (was in %s)", task->tid, task->name, group, old);
    return 0;
  }
  const char *tid = cl_line_of((unsigned)task->tid);
  error = cl_layer_add(c->layer, (const char *const[]){"group", tid, cl_line_of(task->born), old, group}, 5);
  return error ? error : cl_write(cl_path("%s/cgroup.procs", group), tid);
}

/* Nobody but this tool or the kernel has changed what the task had. */
static bool is_as_left(const struct cl_baseline *b, const struct cl_known *known, const struct cl_task *task,
                       const struct cl_cpus *wish) {
  struct cl_value v = {.sort = task->kernel ? CL_SORT_THREAD : CL_SORT_TASK,
                       .now = task->allowed,
                       .base = *wish,
                       .may = cl_granted_of(task->tid, &b->possible)};
  return cl_baseline_reading(b, known, &v) != CL_READS_OTHER;
}

/* A task that has requested other CPUs since its affinity was set wants those. */
static int note_task(struct cl_changes *c, const struct cl_task *task, const struct cl_cpus *new) {
  struct cl_baseline *b = c->base;
  struct cl_cpus wish = cl_baseline_wish(b, task);
  const struct cl_known *known = cl_baseline_task(b, task->tid, task->born);
  if (known == NULL) { /* what it inherited is ours, too */
    bool inherited = !cl_cpus_equal(&wish, &b->possible) && !cl_cpus_equal(&wish, &task->allowed);
    int error = inherited ? cl_baseline_put_task(b, task, &wish, &task->allowed, CL_OURS, 0) : 0;
    return error ? error : cl_baseline_put_task(b, task, &wish, new, CL_OURS, 0);
  }
  if (known->how == CL_PROGRAM) return cl_baseline_put_task(b, task, &wish, new, CL_PROGRAM, known->id);
  if (is_as_left(b, known, task, &wish) || (cl_baseline_cpus_changed(b) && is_as_left(b, known, task, &wish)))
    return cl_baseline_put_task(b, task, &wish, new, known->how == CL_THEIRS ? CL_THEIRS : CL_OURS, 0);
  return cl_baseline_put_task(b, task, &task->allowed, new, known->how == CL_WAS ? CL_OURS : CL_THEIRS, 0);
}

int cl_change_program(struct cl_changes *c, const struct cl_task *task, const struct cl_cpus *use, int id) {
  if (c->plan) return 0;
  struct cl_cpus wish = cl_baseline_wish(c->base, task), written;
  const struct cl_known *known = cl_baseline_task(c->base, task->tid, task->born);
  if (known == NULL || cl_cpus_parse(known->written, &written)) written = task->allowed;
  return cl_baseline_put_task(c->base, task, &wish, use ? use : &written, CL_PROGRAM, id);
}

int cl_change_affinity(struct cl_changes *c, const struct cl_task *task, const struct cl_cpus *via,
                       const struct cl_cpus *cpus) {
  struct cl_task is = *task;
  if (c->plan && task->tid == 0) {
    c->made++;
    cl_say_planned("start %s on CPUs %s", task->name, cl_cpus_text(cpus));
    return 0;
  }
  int error = cl_task_allowed(task->tid, &is.allowed);
  /* A task of the program is set anyway: it may have requested more, which a partition denies it for now. */
  const struct cl_known *known = c->plan ? NULL : cl_baseline_task(c->base, task->tid, task->born);
  bool program = known && known->how == CL_PROGRAM;
  if (error || (cl_cpus_equal(&is.allowed, cpus) && !program)) return error;
  c->made++;
  if (c->plan) {
    cl_say_planned("set affinity of task %d (%s) to %s (was %s)", task->tid, task->name, cl_cpus_text(cpus),
                   cl_cpus_text(&is.allowed));
    return 0;
  }
  /* Without this, a request made while the task is recorded would be lost. */
  for (int tries = 0; tries < 4; tries++) {
    struct cl_cpus now;
    error = note_task(c, &is, cpus);
    if (!error) error = cl_task_allowed(task->tid, &now);
    if (error) return error;
    if (cl_cpus_equal(&now, &is.allowed)) break;
    is.allowed = now;
  }
  if (via) cl_task_allow(task->tid, via); /* if that is refused, so is the next, which tells */
  return cl_task_allow(task->tid, cpus);
}

int cl_change_other(struct cl_changes *c, const char *what, const char *const *field, size_t count) {
  c->made++;
  if (!c->plan) return cl_layer_add(c->layer, field, count);
  cl_say_planned("%s", what);
  return 0;
}
