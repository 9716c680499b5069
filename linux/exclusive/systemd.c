/* SPDX-License-Identifier: Apache-2.0
 *
 * Where systemd runs, it owns the cgroups. It is asked for a slice and a scope with AllowedCPUs; for that it enables
 * the cpuset controller down to there itself, and writes the same CPUs again whenever it is reloaded. Other units are
 * not written to.
 *
 * The slice belongs to one reservation, so that one can end without regard to the others, and is directly below the
 * root, so that it can be a partition even on kernels without remote ones (before 6.7). It is removed with its scope. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dbus.h"
#include "hold.h"
#include "lines.h"
#include "say.h"

#define SOCKET "/run/systemd/private"
#define MANAGER "/org/freedesktop/systemd1"
#define SYSTEMD "org.freedesktop.systemd1"
#define INTERFACE SYSTEMD ".Manager"
#define PATIENCE_S 10.0
#define LEAVE_MS 3000
#define UNTOLD_MS 500 /* after which systemd may not know that a scope is empty */
#define ROUNDS 20 /* over processes that fork while they are sent back */
#define NAME_MOST 64 /* of a slice or scope by our number */

bool cl_systemd_runs(void) { return cl_exists("/run/systemd/system"); }

static bool ends(const char *name, size_t length, const char *suffix) {
  size_t size = strlen(suffix);
  return length > size && strncmp(name + length - size, suffix, size) == 0;
}

void cl_systemd_unit(int tid, char *unit, size_t size) {
  char path[PATH_MAX]; /* the most that the kernel tells: one that did not fit would seem to be in no unit */
  unit[0] = '\0';
  if (!cl_systemd_runs() || cl_task_group(tid, path, sizeof path)) return;
  /* From the root: slices are only directories; what the first other one contains is up to its owner. */
  for (const char *at = path; *at == '/';) {
    const char *name = at + 1 + (at[1] == '_'); /* "_" is put before a name that looks like a file of the kernel's */
    at += 1 + strcspn(at + 1, "/");
    size_t length = (size_t)(at - name);
    bool slice = ends(name, length, ".slice");
    if (!slice && !ends(name, length, ".service") && !ends(name, length, ".scope")) return;
    snprintf(unit, size, "%.*s", (int)length, name);
    if (!slice) return;
  }
}

/* Names of units, and where they are */

int cl_systemd_name(const char *given, const char *suffix, char name[CL_UNIT_MOST]) {
  static const char *const types[] = {".service", ".scope", ".slice", ".socket", ".mount",    ".swap",
                                      ".target",  ".timer", ".path",  ".device", ".automount"};
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@";
  size_t length = strlen(given);
  if (length == 0 || given[strspn(given, letters)] != '\0' || *given == '@' || *given == '.') return EINVAL;
  bool typed = false;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) typed |= ends(given, length, types[i]);
  return snprintf(name, CL_UNIT_MOST, "%s%s", given, typed ? "" : suffix) < CL_UNIT_MOST ? 0 : EINVAL;
}

struct unit {
  const char *name;
  char *folder; /* in which it is looked for; its own, once it is found */
  size_t size;
};

/* Only slices are gone through: what is in another unit's group is not systemd's, or another user's systemd's. */
static int find_unit(void *context, const char *name) {
  struct unit *unit = context;
  const char *shown = name + (*name == '_'); /* see cl_systemd_unit */
  size_t length = strlen(unit->folder);
  bool found = strcmp(name, unit->name) == 0 || strcmp(shown, unit->name) == 0;
  if (!found && !ends(name, strlen(name), ".slice")) return 0;
  if ((size_t)snprintf(unit->folder + length, unit->size - length, "/%s", name) >= unit->size - length) {
    unit->folder[length] = '\0';
    return 0;
  }
  int status = found ? -1 : cl_list(unit->folder, find_unit, unit);
  if (status != -1) unit->folder[length] = '\0';
  return status == -1 ? -1 : 0;
}

int cl_systemd_find(const char *name, char *folder, size_t size) {
  struct unit unit = {name, folder, size};
  int error = cl_group_mount(folder, size);
  return error ? error : cl_list(folder, find_unit, &unit) == -1 ? 0 : ENOENT;
}

/* Calls */

/* Of AllowedCPUs: CPU n is bit n % 8 of byte n / 8. */
struct mask {
  uint32_t length;
  unsigned char byte[CL_CPUS_MOST / 8];
};

static struct mask mask_of(const struct cl_cpus *cpus) {
  struct mask mask = {.length = 0};
  for (int cpu = cl_cpus_next(cpus, -1); cpu >= 0; cpu = cl_cpus_next(cpus, cpu)) {
    mask.byte[cpu / 8] |= (unsigned char)(1u << cpu % 8);
    mask.length = (uint32_t)cpu / 8 + 1;
  }
  return mask;
}

/* Waits for the answer of the call made last; with a unit's name, also for the end of its job. */
static int wait_for(struct cl_dbus *bus, const char *unit, char *why, size_t size) {
  static struct cl_dbus_message message;
  bool answered = false, done = *unit == '\0';
  while (!answered || !done) {
    int error = cl_dbus_next(bus, &message);
    if (error) {
      snprintf(why, size, "systemd does not answer: %s", strerror(error));
      return error;
    }
    if (message.type == CL_DBUS_ERROR && message.serial == bus->serial) {
      const char *said = message.signature[0] == 's' ? cl_dbus_read_text(&message) : message.error;
      snprintf(why, size, "systemd refused: %s", said);
      return ECANCELED;
    }
    if (message.type == CL_DBUS_REPLY && message.serial == bus->serial) answered = true;
    if (message.type == CL_DBUS_SIGNAL && strcmp(message.member, "JobRemoved") == 0 &&
        strcmp(message.signature, "uoss") == 0) {
      cl_dbus_read_u32(&message);
      cl_dbus_read_text(&message);
      if (strcmp(cl_dbus_read_text(&message), unit) != 0) continue;
      const char *result = cl_dbus_read_text(&message);
      done = true;
      if (strcmp(result, "done") != 0) {
        snprintf(why, size, "systemd could not start %s: %s", unit, result);
        return ECANCELED;
      }
    }
  }
  return 0;
}

/* A call of one that is asked, and its answer. */
static int get(struct cl_dbus *bus, struct cl_dbus_message *message, const char *object, const char *interface,
               const char *member, const char *types, ...) {
  va_list values;
  va_start(values, types);
  int error = cl_dbus_call(bus, object, interface, member, types, &values);
  va_end(values);
  do
    if (!error) error = cl_dbus_next(bus, message);
  while (!error && (message->serial != bus->serial || message->type == CL_DBUS_SIGNAL));
  return error || message->type == CL_DBUS_REPLY ? error : ECANCELED;
}

/* A property of a unit, of the interface of all units or of one kind; *message is where its value begins. */
static int ask(struct cl_dbus *bus, const char *unit, const char *of, const char *name, const char *signature,
               struct cl_dbus_message *message) {
  char object[CL_PATH_MOST];
  int error = get(bus, message, MANAGER, INTERFACE, "GetUnit", "s", unit);
  if (error) return error;
  if ((size_t)snprintf(object, sizeof object, "%s", cl_dbus_read_text(message)) >= sizeof object) return ENAMETOOLONG;
  error = get(bus, message, object, "org.freedesktop.DBus.Properties", "Get", "ss", of, name);
  return error || strcmp(cl_dbus_read_signature(message), signature) == 0 ? error : EPROTO;
}

bool cl_systemd_outlives(const char *unit) {
  static struct cl_dbus_message message;
  struct cl_dbus bus;
  if (!ends(unit, strlen(unit), ".service") || cl_dbus_open(&bus, SOCKET, PATIENCE_S)) return false;
  bool lives = ask(&bus, unit, SYSTEMD ".Service", "MainPID", "u", &message) == 0 && cl_dbus_read_u32(&message) > 0;
  cl_dbus_close(&bus);
  return lives;
}

/* Calls the manager; with a unit's name, also waits for the end of its job. */
static int call(const char *unit, char *why, size_t size, const char *member, const char *types, ...) {
  struct cl_dbus bus;
  va_list values;
  int error = cl_dbus_open(&bus, SOCKET, PATIENCE_S);
  bool is_open = !error;
  va_start(values, types);
  if (!error) error = cl_dbus_call(&bus, MANAGER, INTERFACE, member, types, &values);
  va_end(values);
  if (error) snprintf(why, size, "systemd does not listen at %s: %s", SOCKET, strerror(error));
  else error = wait_for(&bus, unit, why, size);
  if (is_open) cl_dbus_close(&bus);
  return error;
}

/* The second array has the units that are made with it: the slice. */
static int start(const struct cl_hold *hold, const struct cl_task *task, const char *scope, const char *slice,
                 char *why, size_t size) {
  struct mask use = mask_of(&hold->use), all = mask_of(&hold->cpus);
  char text[64];
  snprintf(text, sizeof text, "coreloom exclusive %d", hold->id);
  return call(scope, why, size, "StartTransientUnit", "ssa(sv)a(sa(sv))", scope, "fail", 5, "Description", "s", text,
              "Slice", "s", slice, "CollectMode", "s", "inactive-or-failed", "AllowedCPUs", "ay", use.length, use.byte,
              "PIDs", "au", 1, task->pid, 1, slice, 3, "Description", "s", text, "AllowedCPUs", "ay", all.length,
              all.byte, "StopWhenUnneeded", "b", 1);
}

/* Notes the files that systemd will have written for the scope, so that a plan lists only what we write. */
static void expect(struct cl_hold *hold, const char *mount) {
  char slice[CL_PATH_MOST], on[4096];
  const struct cl_changes *c = &hold->changes;
  snprintf(slice, sizeof slice, "%.*s", (int)(strrchr(hold->group, '/') - hold->group), hold->group);
  cl_change_expect(c, slice, NULL);
  cl_change_expect(c, cl_path("%s/cpuset.cpus", slice), cl_cpus_text(&hold->cpus));
  cl_change_expect(c, cl_path("%s/cpuset.cpus", hold->group), cl_cpus_text(&hold->use));
  cl_change_expect(c, cl_path("%s/cgroup.subtree_control", slice), "cpuset");
  const char *path = cl_path("%s/cgroup.subtree_control", mount);
  if (cl_read(path, on, sizeof on - sizeof " cpuset") || strstr(on, "cpuset")) return;
  strcat(on, " cpuset");
  cl_change_expect(c, path, on);
}

/* The entry by which the process goes back to its group when the scope is left. */
static int note_group(struct cl_hold *hold, const struct cl_task *task, char *why, size_t size) {
  char old[CL_PATH_MOST], what[CL_PATH_MOST * 2 + 128];
  int error = cl_task_folder(task->tid, old, sizeof old);
  if (error) {
    snprintf(why, size, "cannot find the cgroup of process %d: %s", task->pid, strerror(error));
    return error;
  }
  snprintf(what, sizeof what, "systemd moves process %d (%s) to %s (was in %s)", task->pid, task->name, hold->group,
           old);
  const char *pid = cl_line_of((unsigned)task->pid);
  return cl_change_other(&hold->changes, what, (const char *[]){"group", pid, cl_line_of(task->born), old, hold->group},
                         5);
}

static bool gives_cpusets(const char *group) {
  char text[4096];
  return cl_read(cl_path("%s/cgroup.subtree_control", group), text, sizeof text) == 0 && strstr(text, "cpuset") != NULL;
}

int cl_systemd_scope(struct cl_hold *hold, const struct cl_task *task, char *why, size_t size) {
  char own[NAME_MOST], scope[CL_UNIT_MOST], slice[NAME_MOST], mount[CL_PATH_MOST];
  char what[CL_CPUS_TEXT + CL_UNIT_MOST + 256];
  bool plan = hold->changes.plan;
  /* Without a dash, which would nest the slice. */
  snprintf(own, sizeof own, "coreloom_%d.scope", hold->id);
  snprintf(slice, sizeof slice, "coreloom_%d.slice", hold->id);
  const char *name = hold->request->command ? hold->request->unit : NULL;
  if (cl_systemd_name(name ? name : own, ".scope", scope)) return EINVAL;
  int error = cl_group_mount(mount, sizeof mount);
  if (error) {
    snprintf(why, size, "cgroup v2 is not mounted");
    return error;
  }
  if ((size_t)snprintf(hold->group, sizeof hold->group, "%s/%s/%s", mount, slice, scope) >= sizeof hold->group)
    return ENAMETOOLONG;
  snprintf(what, sizeof what, "ask systemd for %s in %s with AllowedCPUs=%s", scope, slice, cl_cpus_text(&hold->use));
  snprintf(why, size, "the reservation file cannot be written");
  error = cl_change_other(&hold->changes, what, (const char *[]){"scope", own}, 2);
  if (!error && !plan) error = cl_layer_put_note(hold->changes.layer, "scoped", "no");
  if (!error && !plan && !gives_cpusets(mount)) error = cl_layer_put_note(hold->changes.layer, "controller", "off");
  /* In a plan the program may be yet to be started (0); it is said to be started there. */
  if (!error && task->tid != 0) error = note_group(hold, task, why, size);
  if (!error && plan) expect(hold, mount);
  else if (!error) error = start(hold, task, scope, slice, why, size);
  if (!error && !plan) error = cl_layer_put_note(hold->changes.layer, "scoped", "yes");
  if (error) hold->group[0] = '\0';
  return error;
}

/* Gives what lives on in a unit all online CPUs again: systemd keeps an empty list to itself and does not write it
 * (its issue 43846). */
static int widen(const char *unit, const struct cl_cpus *online) {
  struct mask mask = mask_of(online);
  char why[256];
  int error = call("", why, sizeof why, "SetUnitProperties", "sba(sv)", unit, true /* until the next boot at most */, 1,
                   "AllowedCPUs", "ay", mask.length, mask.byte);
  if (error) cl_warn("%s keeps the reserved CPUs: %s", unit, why);
  return error;
}

struct leaving {
  char mount[CL_PATH_MOST], folder[CL_PATH_MOST]; /* of the slice */
  char scope[CL_UNIT_MOST];                       /* the one in it, or "": it has gone */
  struct cl_cpus cpus;                            /* of the reservation */
  bool was_off;                                   /* the controller, before */
};

/* The groups have gone, and the CPUs may be used by all again: the kernel ends a partition some time after its group has
 * gone, if systemd was faster with that than we with the partition. */
static bool given_back(const struct leaving *l) {
  struct cl_cpus effective, online;
  if (cl_exists(l->folder)) return false;
  if (cl_read_cpus(cl_path("%s/cpuset.cpus.effective", l->mount), &effective) || cl_online(&online)) return true;
  struct cl_cpus back = cl_cpus_and(&l->cpus, &online);
  return cl_cpus_within(&back, &effective);
}

static int uses(void *context, const char *name) {
  const struct leaving *l = context;
  char text[CL_CPUS_TEXT];
  if (gives_cpusets(cl_path("%s/%s", l->mount, name))) return -1;
  return cl_read(cl_path("%s/%s/cpuset.cpus", l->mount, name), text, sizeof text) == 0 && text[0] != '\0' ? -1 : 0;
}

/* systemd disables the controller somewhat later; then kernels before 6.2 allow all tasks all CPUs, so restoring
 * affinities has to wait for it. If another unit uses it by now it stays enabled. */
static bool switched_off(const struct leaving *l) {
  return !l->was_off || !gives_cpusets(l->mount) || cl_list(l->mount, uses, (void *)l) != 0;
}

static void wait_until(bool (*so)(const struct leaving *l), const struct leaving *l, int ms) {
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int i = 0; i < ms && !so(l); i++) nanosleep(&pause, NULL);
}

/* The kernel puts an exiting process into no cgroup, and systemd, which is not told, waits for the end of a scope
 * that has never had a process: this happens if the tool was killed right when it asked for the scope. With no
 * process in it or below it, stopping it ends nothing. */
static void stop_empty(const struct leaving *l) {
  char text[256], why[256]; /* if it is refused, that the folder stays is said */
  if (l->scope[0] == '\0' || cl_read(cl_path("%s/%s/cgroup.events", l->folder, l->scope), text, sizeof text)) return;
  if (strstr(text, "populated 0")) call("", why, sizeof why, "StopUnit", "ss", l->scope, "replace");
}

/* Its name may be the user's (--unit); the slice is ours, and has no other. */
static int find_scope(void *context, const char *name) {
  struct leaving *l = context;
  if (ends(name, strlen(name), ".scope")) snprintf(l->scope, sizeof l->scope, "%s", name);
  return 0;
}

/* A process of a cgroup or unit that was born meanwhile goes to where one of the others came from. */
static void send_home(const struct cl_text *t, const char *pid) {
  for (size_t i = t->count; i-- > 0;) {
    const struct cl_entry *e = &t->entry[i];
    if (e->kind != CL_ENTRY_GROUP) continue;
    int error = cl_write(cl_path("%s/cgroup.procs", e->field[2]), pid);
    if (error == 0 || error == ESRCH) return;
  }
}

static void empty_scope(const struct cl_text *t, const char *procs) {
  char *text, *save = NULL;
  for (int round = 0; round < ROUNDS && cl_layer_value(t, "cgroup") && cl_read_all(procs, &text) == 0; round++) {
    bool any = *text != '\0';
    for (char *pid = strtok_r(text, "\n", &save); pid; pid = strtok_r(NULL, "\n", &save)) send_home(t, pid);
    free(text);
    if (!any) break;
  }
}

/* systemd takes one call after the other: when it answers, it has seen what was asked for before. */
void cl_systemd_await(const char *name) {
  static struct cl_dbus_message message;
  const struct timespec pause = {.tv_nsec = 10000000};
  char scope[CL_UNIT_MOST];
  struct cl_dbus bus;
  if (cl_systemd_name(name, ".scope", scope) || cl_dbus_open(&bus, SOCKET, PATIENCE_S)) return;
  for (int i = 0; i < LEAVE_MS / 10 && ask(&bus, scope, SYSTEMD ".Unit", "ActiveState", "s", &message) == 0; i++) {
    const char *state = cl_dbus_read_text(&message);
    if (strcmp(state, "inactive") != 0 && strcmp(state, "activating") != 0) break;
    nanosleep(&pause, NULL);
  }
  cl_dbus_close(&bus);
}

int cl_systemd_leave(const char *scope) {
  struct leaving l = {.was_off = false};
  char path[CL_PATH_MOST + CL_UNIT_MOST + 16], text[2]; /* has it any process? */
  int id = 0;
  sscanf(scope, "coreloom_%d.scope", &id);
  if (cl_group_mount(l.mount, sizeof l.mount)) return EALREADY;
  int size = snprintf(l.folder, sizeof l.folder, "%s/%.*s.slice", l.mount, (int)strcspn(scope, "."), scope);
  if ((size_t)size >= sizeof l.folder) return ENAMETOOLONG;
  const char *slice = strrchr(l.folder, '/') + 1;
  cl_list(l.folder, find_scope, &l);
  snprintf(path, sizeof path, "%s/%s/cgroup.procs", l.folder, l.scope);
  struct cl_text t;
  char layer[CL_PATH_MOST];
  cl_layer_path(id, layer);
  if (cl_layer_read(layer, &t) == 0) {
    l.was_off = cl_layer_value(&t, "controller") != NULL;
    l.cpus = t.first.cpus;
    if (l.scope[0]) empty_scope(&t, path);
    cl_layer_free(&t);
  }
  if (l.scope[0] && cl_read_start(path, text, sizeof text) == 0 && text[0] != '\0') {
    struct cl_cpus online;
    int error = cl_online(&online);
    if (!error) error = widen(slice, &online);
    return error ? error : widen(l.scope, &online);
  }
  /* Empty: systemd is told by the kernel and takes both away. Do it now, so that a later look finds nothing. */
  bool gone = given_back(&l) && switched_off(&l);
  wait_until(given_back, &l, UNTOLD_MS);
  if (cl_exists(l.folder)) stop_empty(&l);
  wait_until(given_back, &l, LEAVE_MS);
  wait_until(switched_off, &l, LEAVE_MS);
  /* The file says that the controller is off before that is done; to read a task's groups has to wait for it. */
  cl_task_group(getpid(), path, sizeof path);
  return cl_exists(l.folder) ? ETIMEDOUT : gone ? EALREADY : 0;
}
