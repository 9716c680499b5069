/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether what is held is held, as the kernel enforces it; whether everything else is as the baseline says; and whether
 * anything is left over from a reservation that has ended. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layers.h"
#include "enforced.h"
#include "plain.h"
#include "proof.h"
#include "say.h"
#include "settle.h"
#include "state.h"

#define LOOK_MS 200 /* how long it watches which tasks run there */

struct check {
  struct cl_reservation *list;
  size_t count;
  const struct cl_reservation *now; /* looked at */
  struct cl_held held;
  struct cl_tasks tasks; /* all */
  int findings, lines;
  bool json;
};

static void find(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void find(struct check *c, const char *format, ...) {
  char text[16384];
  int length = c->now && c->now->tool ? snprintf(text, sizeof text, "reservation %d: ", c->now->tool) : 0;
  va_list values;
  va_start(values, format);
  vsnprintf(text + length, sizeof text - (size_t)length, format, values);
  va_end(values);
  if (c->json) {
    fputs(c->lines ? ",\n    " : "\n    ", stdout);
    cl_json_string(stdout, text);
  } else {
    cl_plain_put(stdout, text);
    putchar('\n');
  }
  c->lines++;
  c->findings++;
}

static const struct cl_reservation *living(const struct check *c, int id) {
  for (size_t i = 0; i < c->count; i++)
    if (c->list[i].tool == id && c->list[i].alive) return &c->list[i];
  return NULL;
}

/* -- what is recorded ------------------------------------------------------------------------------------ */

static void check_value(void *context, bool foreign, const char *line) {
  struct check *c = context;
  c->now = NULL;
  find(c, "%s", line);
  c->findings -= foreign; /* somebody has the right to it: said, no fault */
}

static void check_layer(struct check *c, const struct cl_text *t) {
  char folder[CL_FOLDER_MOST];
  for (size_t i = 0; i < t->damages; i++) find(c, "line %zu of %s cannot be read", t->damaged[i], c->now->path);
  for (size_t i = 0; i < t->count; i++) {
    const struct cl_entry *e = &t->entry[i];
    if (e->kind != CL_ENTRY_GROUP || !cl_task_lives(e->tid, e->born)) continue;
    const char *group = e->field[3];
    size_t length = strlen(group);
    int error = cl_task_folder(e->tid, folder, sizeof folder);
    if (error == ENAMETOOLONG)
      find(c, "task %d is in a cgroup nested too deeply to name: cannot tell whether it is in %s", e->tid, group);
    if (error == EXDEV) find(c, "task %d is outside of this cgroup namespace, not in %s", e->tid, group);
    if (error) continue;
    if (strncmp(folder, group, length) != 0 || (folder[length] != '\0' && folder[length] != '/'))
      find(c, "task %d is in %s, not in %s", e->tid, folder, group);
  }
}

/* -- what is in force ------------------------------------------------------------------------------------------- */

struct breach {
  struct check *check;
  const struct cl_proof *proof;
};

static void check_breach(void *context, const struct cl_task *task, const char *line) {
  const struct breach *b = context;
  bool came = false;
  for (size_t i = 0; task && i < b->proof->strays; i++) came |= b->proof->stray[i].tid == task->tid;
  find(b->check, "%s%s", line, came ? ", and does" : "");
}

static int check_enforced(struct check *c) {
  struct cl_proof proof = {.strays = 0};
  struct cl_watch *watch;
  int error = cl_strays_begin(&c->held.hold, &watch);
  if (error) return error;
  nanosleep(&(struct timespec){0, LOOK_MS * 1000000}, NULL);
  error = cl_strays_end(watch, &c->held.hold, &proof);
  if (!error) cl_enforced(&c->held, c->now->mechanism, &c->tasks, check_breach, &(struct breach){c, &proof});
  free(proof.stray);
  return error;
}

static int check_reservation(struct check *c) {
  char boot[40];
  struct cl_text t;
  if (c->now->tool == 0) {
    find(c, "%s is damaged: inspect it, then run %s restore", c->now->path, cl_self());
    return 0;
  }
  if (cl_boot(boot) || strcmp(boot, c->now->boot) != 0) {
    find(c, "it is from another boot: run %s restore to remove it", cl_self());
    return 0;
  }
  if (!c->now->alive) {
    find(c, "its tool is gone but its changes remain: run %s restore", cl_self());
    return 0;
  }
  if (c->now->mechanism[0] == '\0') return 0; /* it is being set up */
  int error = cl_layer_read(c->now->path, &t);
  if (error) return error == ENOENT ? 0 : error; /* it has ended meanwhile */
  cl_held_of(c->now, &c->held);
  if (!t.first.watched)
    find(c, "it has no watcher: if the tool is killed, the next run, attach or restore undoes its changes");
  check_layer(c, &t);
  cl_layer_free(&t);
  error = check_enforced(c);
  cl_held_free(&c->held);
  return error;
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
      find(place->check, "%s %s/%s is left over from a reservation that has ended", place->what, place->folder, name);
  }
  return 0;
}

static void check_left(struct check *c) {
  char mount[CL_PATH_MOST];
  c->now = NULL;
  if (!cl_group_mount(mount, sizeof mount)) cl_list(mount, check_name, &(struct place){c, mount, "group"});
  static const char *const instances = "/sys/kernel/tracing/instances";
  cl_list(instances, check_name, &(struct place){c, instances, "trace"});
}

int cl_verify(bool json) {
  struct check c = {.json = json};
  if (json) fputs("{\n  \"findings\": [", stdout);
  int error = cl_layers(&c.list, &c.count);
  if (!error) error = cl_tasks_read(&c.tasks);
  if (!error && geteuid() != 0 && !cl_files_is_tree() && c.count && !cl_exists("/proc/1/stat"))
    find(&c, "/proc hides the tasks of others (hidepid): run this as root to check them");
  for (size_t i = 0; i < c.count && !error; i++) {
    c.now = &c.list[i];
    error = check_reservation(&c);
  }
  if (!error) check_left(&c);
  if (!error) error = cl_settle_look(check_value, &c);
  if (json) printf("%s],\n  \"reservations\": %zu,\n  \"faults\": %d\n}\n", c.lines ? "\n  " : "", c.count, c.findings);
  if (!error && c.findings == 0 && !json) {
    if (c.count == 0) puts("nothing is held, nothing is left over");
    else printf("%zu reservation%s: no problems found\n", c.count, c.count == 1 ? "" : "s");
  }
  cl_tasks_free(&c.tasks);
  free(c.list);
  return error ? cl_fail("cannot verify: %s", cl_state_error(error)) : c.findings != 0;
}
