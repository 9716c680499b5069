/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether what is held is held: every change that a journal lists is still in place, nobody else may come in, and
 * nothing of ours is left of a reservation that is no more. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proof.h"
#include "say.h"

#define LOOK_MS 200 /* how long it is watched who runs there */

struct check {
  struct cl_reservation *list;
  size_t count;
  const struct cl_reservation *now; /* looked at */
  struct cl_held held;
  struct cl_tasks tasks; /* all */
  int findings;
};

static void find(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void find(struct check *c, const char *format, ...) {
  va_list values;
  if (c->now && c->now->tool) printf("reservation %d: ", c->now->tool);
  va_start(values, format);
  vprintf(format, values);
  va_end(values);
  putchar('\n');
  c->findings++;
}

static const struct cl_reservation *living(const struct check *c, int id) {
  for (size_t i = 0; i < c->count; i++)
    if (c->list[i].tool == id && c->list[i].alive) return &c->list[i];
  return NULL;
}

/* -- what a journal lists --------------------------------------------------------------------------------------- */

static void check_text(struct check *c, char *const *field) {
  char text[4096];
  int error = cl_read(field[0], text, sizeof text);
  if (error) find(c, "%s cannot be read: %s", field[0], strerror(error));
  else if (strcmp(text, field[2]) != 0) find(c, "%s is \"%s\", not \"%s\"", field[0], text, field[2]);
}

/* CPUs that were taken out are in again, or those put in are out: other changes are other people's business. */
static void check_set(struct check *c, char *const *field, bool mask) {
  int (*parse)(const char *, struct cl_cpus *) = mask ? cl_cpus_parse_mask : cl_cpus_parse;
  char text[CL_CPUS_TEXT], list[CL_CPUS_TEXT];
  struct cl_cpus old, new, is;
  int error = cl_read(field[0], text, sizeof text);
  if (error == ENOENT) return; /* an interrupt or a group that is no more */
  if (!error) error = parse(text, &is);
  if (error) {
    find(c, "%s cannot be read: %s", field[0], strerror(error));
    return;
  }
  if (parse(field[1], &old) || parse(field[2], &new)) return;
  struct cl_cpus taken = cl_cpus_minus(&old, &new), put = cl_cpus_minus(&new, &old);
  struct cl_cpus again = cl_cpus_and(&taken, &is), missing = cl_cpus_minus(&put, &is);
  if (cl_cpus_count(&again))
    find(c, "%s is \"%s\": CPU %s is in it again", field[0], text, cl_cpus_format(&again, list));
  if (cl_cpus_count(&missing))
    find(c, "%s is \"%s\": CPU %s is missing", field[0], text, cl_cpus_format(&missing, list));
}

static void check_controller(struct check *c, char *const *field) {
  char text[4096], padded[sizeof text + 2], word[128];
  if (cl_read(field[0], text, sizeof text)) text[0] = '\0';
  snprintf(padded, sizeof padded, " %s ", text);
  snprintf(word, sizeof word, " %s ", field[1]);
  if (strstr(padded, word) == NULL) find(c, "%s does not list \"%s\" any more", field[0], field[1]);
}

static void check_group(struct check *c, char *const *field) {
  char folder[CL_PATH_MOST];
  int tid = atoi(field[0]);
  size_t length = strlen(field[4]);
  if (!cl_task_lives(tid, strtoull(field[1], NULL, 10)) || cl_task_folder(tid, field[2], folder, sizeof folder)) return;
  if (strncmp(folder, field[4], length) != 0 || (folder[length] != '\0' && folder[length] != '/'))
    find(c, "task %d is in %s, not in %s", tid, folder, field[4]);
}

static int check_entry(void *context, const char *kind, char *const *field) {
  struct check *c = context;
  if (strcmp(kind, "file") == 0) {
    check_text(c, field);
  } else if (strcmp(kind, "cpus") == 0 || strcmp(kind, "mask") == 0) {
    check_set(c, field, kind[0] == 'm');
  } else if (strcmp(kind, "controller") == 0) {
    check_controller(c, field);
  } else if (strcmp(kind, "folder") == 0) {
    if (!cl_exists(field[0])) find(c, "%s is gone", field[0]);
  } else if (strcmp(kind, "damaged") == 0) {
    find(c, "line %s of its journal is damaged", field[0]);
  } else if (strcmp(kind, "group") == 0 || strcmp(kind, "thread") == 0) {
    check_group(c, field);
  }
  return 0;
}

/* -- who may be there ------------------------------------------------------------------------------------------- */

static const struct cl_stray *stray_of(const struct cl_proof *proof, int tid) {
  for (size_t i = 0; i < proof->strays; i++)
    if (proof->stray[i].tid == tid) return &proof->stray[i];
  return NULL;
}

static int check_tasks(struct check *c) {
  struct cl_hold *hold = &c->held.hold;
  struct cl_proof proof = {.strays = 0};
  struct cl_watch *watch;
  int error = cl_strays_begin(hold, &watch);
  if (error) return error;
  nanosleep(&(struct timespec){0, LOOK_MS * 1000000}, NULL);
  error = cl_strays_end(watch, hold, &proof);
  for (size_t i = 0; !error && i < c->tasks.count; i++) {
    const struct cl_task *task = &c->tasks.task[i];
    struct cl_cpus there = cl_cpus_and(&task->allowed, &hold->cpus);
    if (cl_cpus_count(&there) == 0 || task->fixed || task->state == 'Z' || cl_is_program(hold, task)) continue;
    const struct cl_stray *stray = stray_of(&proof, task->tid);
    char text[CL_CPUS_TEXT];
    find(c, "task %d (%s) may run on CPU %s%s", task->tid, task->name, cl_cpus_format(&there, text),
         stray ? ", and does" : "");
  }
  free(proof.stray);
  return error;
}

static void check_watcher(struct check *c) {
  for (size_t i = 0; i < c->tasks.count; i++)
    if (c->tasks.task[i].parent == c->now->tool && strcmp(c->tasks.task[i].name, "coreloom-watch") == 0) return;
  find(c, "it has no watcher: were its tool killed, only the next start would restore");
}

static int check_reservation(struct check *c) {
  char boot[40];
  if (c->now->tool == 0) {
    find(c, "%s is damaged: look at it, then run coreloom exclusive restore", c->now->path);
    return 0;
  }
  if (cl_boot(boot) || strcmp(boot, c->now->boot) != 0) {
    find(c, "it is of another boot: coreloom exclusive restore removes its journal");
    return 0;
  }
  if (!c->now->alive) {
    find(c, "its tool is gone and its changes are still there: run coreloom exclusive restore");
    return 0;
  }
  if (c->now->mechanism[0] == '\0') return 0; /* it is being set up */
  cl_held_of(c->now, &c->held);
  check_watcher(c);
  int error = cl_journal_each(c->now->path, check_entry, c);
  if (error == ENOENT) return 0; /* it has ended meanwhile */
  return error ? error : check_tasks(c);
}

/* -- what is left ----------------------------------------------------------------------------------------------- */

struct place {
  struct check *check;
  const char *folder, *what;
};

/* Names of ours: coreloom-ID, coreloom-ID-idle, coreloom_ID.scope, coreloom_ID.slice. */
static int check_name(void *context, const char *name) {
  struct place *place = context;
  static const char *const ours[] = {"coreloom-", "coreloom_"};
  for (size_t i = 0; i < 2; i++) {
    size_t length = strlen(ours[i]);
    if (strncmp(name, ours[i], length) != 0 || !isdigit((unsigned char)name[length])) continue;
    if (living(place->check, atoi(name + length)) == NULL)
      find(place->check, "%s %s/%s is left of a reservation that is no more", place->what, place->folder, name);
  }
  return 0;
}

static void check_left(struct check *c) {
  char mount[CL_PATH_MOST];
  static const char *const hierarchy[] = {"", "cpuset"};
  c->now = NULL;
  for (size_t i = 0; i < 2; i++)
    if (!cl_group_mount(hierarchy[i], mount, sizeof mount))
      cl_list(mount, check_name, &(struct place){c, mount, "group"});
  static const char *const instances = "/sys/kernel/tracing/instances";
  cl_list(instances, check_name, &(struct place){c, instances, "trace"});
  for (size_t i = 0; i < c->tasks.count; i++) {
    const struct cl_task *task = &c->tasks.task[i];
    if (strcmp(task->name, "coreloom-watch") == 0 && living(c, task->parent) == NULL)
      find(c, "watcher %d is left of a reservation that is no more", task->pid);
  }
}

int cl_verify(void) {
  struct check c = {.findings = 0};
  int error = cl_journal_list(&c.list, &c.count);
  if (!error) error = cl_tasks_read(&c.tasks);
  for (size_t i = 0; i < c.count && !error; i++) {
    c.now = &c.list[i];
    error = check_reservation(&c);
  }
  if (!error) check_left(&c);
  if (!error && c.findings == 0) {
    if (c.count == 0) puts("nothing is held, nothing is left");
    else printf("%zu reservation%s: all is as it should be\n", c.count, c.count == 1 ? "" : "s");
  }
  cl_tasks_free(&c.tasks);
  free(c.list);
  return error ? cl_fail("cannot verify: %s", strerror(error)) : c.findings != 0;
}
