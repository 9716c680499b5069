/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "baseline.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines.h"
#include "say.h"
#include "state.h"

#define MAGIC "coreloom-baseline 2"
#define FILE_NEW CL_BASELINE ".new"
#define SPARE 256 /* lines that may be out of date before the file is rewritten */
#define WRITES_MOST 16 /* of one value that are looked at: more than two are there only after deaths in a row */

static const char *const kinds[CL_KINDS] = {"cpus", "mask", "controller", "irqbalance", "task"};
static const char *const hows[CL_HOWS] = {"was", "ours", "theirs"};

/* What is known */

static uint32_t hash(enum cl_kind kind, const char *key) {
  uint32_t value = 2166136261u ^ (uint32_t)kind;
  for (; *key; key++) value = (value ^ (unsigned char)*key) * 16777619u;
  return value;
}

/* Where a key is, or would be, in the table. */
static size_t place(const struct cl_baseline *b, enum cl_kind kind, const char *key) {
  size_t at = hash(kind, key) & (b->slots - 1);
  while (b->slot[at]) {
    const struct cl_known *known = &b->known[b->slot[at] - 1];
    if (known->kind == kind && strcmp(known->key, key) == 0) break;
    at = (at + 1) & (b->slots - 1);
  }
  return at;
}

static int grow(struct cl_baseline *b) {
  size_t room = b->room ? b->room * 2 : 512;
  struct cl_known *known = realloc(b->known, room * sizeof *known);
  if (known) b->known = known;
  uint32_t *slot = known ? calloc(room * 2, sizeof *slot) : NULL;
  if (slot == NULL) return ENOMEM;
  free(b->slot);
  b->slot = slot;
  b->slots = room * 2;
  b->room = room;
  for (size_t i = 0; i < b->count; i++) b->slot[place(b, known[i].kind, known[i].key)] = (uint32_t)i + 1;
  return 0;
}

static void forget(struct cl_known *known) {
  for (struct cl_known *older = known->older, *next; older; older = next) {
    next = older->older;
    free(older->line);
    free(older);
  }
  free(known->line);
}

/* The line that is replaced stays behind the new one as long as it says the same base. */
static int replace(struct cl_known *old, struct cl_known new) {
  if (strcmp(old->base, new.base) == 0) {
    new.older = malloc(sizeof *new.older);
    if (new.older == NULL) {
      free(new.line);
      return ENOMEM;
    }
    *new.older = *old;
  } else {
    forget(old);
  }
  *old = new;
  return 0;
}

/* Takes the line over. */
static int know(struct cl_baseline *b, const struct cl_known *new) {
  int error = b->count == b->room ? grow(b) : 0;
  if (error) {
    free(new->line);
    return error;
  }
  size_t at = place(b, new->kind, new->key);
  if (b->slot[at]) {
    error = replace(&b->known[b->slot[at] - 1], *new);
  } else {
    b->known[b->count++] = *new;
    b->slot[at] = (uint32_t)b->count;
  }
  return error;
}

struct cl_known *cl_baseline_find(const struct cl_baseline *b, enum cl_kind kind, const char *key) {
  if (b->slots == 0) return NULL;
  uint32_t found = b->slot[place(b, kind, key)];
  return found ? &b->known[found - 1] : NULL;
}

static char *task_key(char key[48], int tid, unsigned long long born) {
  snprintf(key, 48, "%d %llu", tid, born);
  return key;
}

struct cl_known *cl_baseline_task(const struct cl_baseline *b, int tid, unsigned long long born) {
  char key[48];
  return cl_baseline_find(b, CL_TASK, task_key(key, tid, born));
}

/* Reading */

static bool word(const char *const *words, int count, const char *text, int *at) {
  for (*at = 0; *at < count; ++*at)
    if (strcmp(words[*at], text) == 0) return true;
  return false;
}

/* "TID BORN", as task_key() writes it: any other form of it would be another key. */
static bool read_key(struct cl_known *k) {
  char tid[16];
  size_t digits = strcspn(k->key, " ");
  if (digits >= sizeof tid || k->key[digits] == '\0') return false;
  memcpy(tid, k->key, digits);
  tid[digits] = '\0';
  char key[48];
  return cl_line_id(tid, &k->tid) && cl_line_number(k->key + digits + 1, &k->born) &&
         strcmp(task_key(key, k->tid, k->born), k->key) == 0;
}

static bool well_formed(struct cl_known *k) {
  struct cl_cpus cpus;
  switch (k->kind) {
    case CL_CPUS:
    case CL_MASK:
      if (!cl_line_path(k->key)) return false;
      return (k->kind == CL_MASK ? cl_cpus_parse_mask : cl_cpus_parse)(k->base, &cpus) == 0;
    case CL_CONTROLLER: return cl_line_path(k->key) && (strcmp(k->base, "on") == 0 || strcmp(k->base, "off") == 0);
    case CL_TASK:
      if (!read_key(k) || cl_cpus_parse(k->written, &cpus)) return false;
      break;
    default: break;
  }
  return cl_cpus_parse(k->base, &cpus) == 0;
}

/* A line but the first: taken over, or false. */
static bool read_line(struct cl_baseline *b, const char *text) {
  char *line = strdup(text), *field[5];
  int kind, how;
  size_t count = line ? cl_line_split(line, field, 5) : 0;
  if (count == 2 && strcmp(field[0], "held") == 0) {
    struct cl_cpus held;
    bool good = cl_cpus_parse(field[1], &held) == 0;
    if (good) b->held = held;
    free(line);
    return good;
  }
  if (count == 2 && strcmp(field[0], "offline") == 0) {
    bool good = cl_cpus_parse(field[1], &b->offline) == 0;
    free(line);
    return good;
  }
  unsigned long long *number = count != 2                          ? NULL
                               : strcmp(field[0], "topology") == 0 ? &b->topology
                               : strcmp(field[0], "copy") == 0     ? &b->copy
                                                                   : NULL;
  if (number) {
    bool good = cl_line_number(field[1], number);
    free(line);
    return good;
  }
  unsigned long long id = 0;
  if (count == 5 && word(kinds, CL_KINDS, field[0], &kind) &&
      (word(hows, CL_HOWS, field[4], &how) || (cl_line_number(field[4], &id) && id <= INT32_MAX))) {
    struct cl_known known = {(enum cl_kind)kind, (enum cl_how)how, line, field[1], field[2],
                             field[3],           (int)id,          0,    0,        NULL};
    if (well_formed(&known)) return know(b, &known) == 0;
  }
  free(line);
  return false;
}

/* ENOENT: of another boot, or never begun; EPROTO: of another version of this tool. */
static int read_first(struct cl_baseline *b, char *line) {
  char *field[4], boot[40];
  size_t fields = cl_line_split(line, field, 4), word = strcspn(MAGIC, " ") + 1;
  if (fields == SIZE_MAX || fields < 3 || strncmp(field[0], MAGIC, word) != 0) return ENOENT;
  if (cl_boot(boot) || strcmp(field[1], boot) != 0) return ENOENT;
  if (strcmp(field[0], MAGIC) != 0 || fields != 4) return EPROTO;
  snprintf(b->space, sizeof b->space, "%s", field[3]);
  return cl_line_number(field[2], &b->taken) ? 0 : ENOENT;
}

static int begin(struct cl_baseline *b) {
  char text[CL_CPUS_TEXT];
  *b = (struct cl_baseline){.fd = -1};
  cl_state_space(b->space);
  int error = cl_online(&b->online);
  if (cl_read("/sys/devices/system/cpu/possible", text, sizeof text) || cl_cpus_parse(text, &b->possible))
    b->possible = b->online;
  return error;
}

void cl_baseline_free(struct cl_baseline *b) {
  if (b->fd >= 0) close(b->fd);
  for (size_t i = 0; i < b->count; i++) forget(&b->known[i]);
  free(b->known);
  free(b->slot);
  *b = (struct cl_baseline){.fd = -1};
}

static int parse(struct cl_baseline *b, char *text, size_t length) {
  int error;
  bool whole;
  char *at = text;
  size_t number = 0;
  for (char *line; (line = cl_line_next(&at, text + length, &whole)) != NULL;) {
    if (++number > 1) b->damaged += !(whole && read_line(b, line));
    else if (!whole) return ENOENT;
    else if ((error = read_first(b, line)) != 0) return error;
  }
  b->lines = number;
  b->length = length;
  return number ? 0 : ENOENT;
}

static int identify(struct cl_baseline *b) {
  struct stat file;
  if (fstat(b->fd, &file)) return errno;
  b->inode = file.st_ino;
  return 0;
}

static int read_file(struct cl_baseline *b, const char *path, int flags) {
  char *text;
  size_t length;
  int error = begin(b);
  if (!error) error = cl_state_open(path, flags, &b->fd);
  if (error == EACCES) error = cl_state_open(path, O_RDONLY, &b->fd); /* without root only read */
  if (!error) error = identify(b);
  if (!error && (error = cl_lines_read(b->fd, &text, &length)) == 0) {
    error = parse(b, text, length);
    free(text);
  }
  if (error) {
    cl_baseline_free(b);
    begin(b);
  }
  return error;
}

int cl_baseline_look(struct cl_baseline *b, const char *path) { return read_file(b, path, O_RDONLY); }

int cl_baseline_read(struct cl_baseline *b) {
  char path[CL_PATH_MOST];
  int error = read_file(b, CL_BASELINE, O_RDWR | O_APPEND);
  return error == ENOENT && cl_state_baseline(path) == 0 ? read_file(b, path, O_RDWR | O_APPEND) : error;
}

/* Writing */

static int add(struct cl_baseline *b, const char *const *field, size_t count) {
  int error = cl_line_add(b->fd, field, count);
  struct stat file;
  if (error || fstat(b->fd, &file)) return error;
  b->length = (size_t)file.st_size;
  b->lines++;
  return 0;
}

static const char *how_text(enum cl_how how, int id, char text[16]) {
  if (how != CL_PROGRAM) return hows[how];
  snprintf(text, 16, "%d", id);
  return text;
}

static int put(struct cl_baseline *b, enum cl_kind kind, const char *key, const char *base, const char *written,
               enum cl_how how, int id) {
  const struct cl_known *is = cl_baseline_find(b, kind, key);
  char number[16];
  if (is && is->how == how && is->id == id && strcmp(is->base, base) == 0 && strcmp(is->written, written) == 0)
    return 0;
  const char *field[] = {kinds[kind], key, base, written, how_text(how, id, number)};
  int error = b->fd < 0 ? EBADF : add(b, field, 5);
  if (error) return error;
  size_t size[] = {strlen(key) + 1, strlen(base) + 1, strlen(written) + 1};
  char *line = malloc(size[0] + size[1] + size[2]);
  if (line == NULL) return ENOMEM;
  char *at[] = {line, line + size[0], line + size[0] + size[1]};
  memcpy(at[0], key, size[0]);
  memcpy(at[1], base, size[1]);
  memcpy(at[2], written, size[2]);
  struct cl_known new = {kind, how, line, at[0], at[1], at[2], id, 0, 0, NULL};
  well_formed(&new); /* fills in the number of a task */
  return know(b, &new);
}

int cl_baseline_put(struct cl_baseline *b, enum cl_kind kind, const char *key, const char *base, const char *written,
                    enum cl_how how) {
  return put(b, kind, key, base, written, how, 0);
}

int cl_baseline_put_task(struct cl_baseline *b, const struct cl_task *task, const struct cl_cpus *base,
                         const struct cl_cpus *written, enum cl_how how, int id) {
  char key[48], list[CL_CPUS_TEXT], text[CL_CPUS_TEXT];
  task_key(key, task->tid, task->born);
  return put(b, CL_TASK, key, cl_cpus_format(base, list), cl_cpus_format(written, text), how, id);
}

int cl_baseline_hold(struct cl_baseline *b, const struct cl_cpus *held) {
  char list[CL_CPUS_TEXT];
  if (cl_cpus_equal(held, &b->held)) return 0;
  b->held = *held;
  return add(b, (const char *const[]){"held", cl_cpus_format(held, list)}, 2);
}

/* The kernel makes a CPU's folder when it comes online, each time with a number that was not used before. 0: there is
 * none. */
static unsigned long long topology_of(int cpu) {
  char path[64], real[CL_PATH_MOST + 256];
  struct stat file;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology", cpu);
  return stat(cl_files_path(path, real), &file) ? 0 : file.st_ino;
}

static unsigned long long highest_topology(const struct cl_baseline *b) {
  unsigned long long highest = 0;
  for (int cpu = cl_cpus_next(&b->online, -1); cpu >= 0; cpu = cl_cpus_next(&b->online, cpu)) {
    unsigned long long one = topology_of(cpu);
    if (one > highest) highest = one;
  }
  return highest;
}

static int add_offline(struct cl_baseline *b, const struct cl_cpus *off) {
  char list[CL_CPUS_TEXT];
  struct cl_cpus new = cl_cpus_minus(off, &b->offline);
  if (cl_cpus_count(&new) == 0) return 0;
  b->offline = cl_cpus_or(&b->offline, off);
  return add(b, (const char *const[]){"offline", cl_cpus_format(&b->offline, list)}, 2);
}

int cl_baseline_note_offline(struct cl_baseline *b) {
  struct cl_cpus off = cl_cpus_minus(&b->possible, &b->online);
  for (int cpu = cl_cpus_next(&b->online, -1); b->topology && cpu >= 0; cpu = cl_cpus_next(&b->online, cpu))
    if (topology_of(cpu) > b->topology) cl_cpus_add(&off, cpu);
  return add_offline(b, &off);
}

/* A CPU's hotplug state: the highest is online. 0: the kernel does not report it. */
static unsigned long long hotplug_state(int cpu) {
  char path[64], text[32];
  unsigned long long state;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/hotplug/state", cpu);
  return cl_read(path, text, sizeof text) == 0 && cl_line_number(text, &state) ? state : 0;
}

/* CPUs that still count as online but are going offline: their tasks have already been moved. */
static struct cl_cpus going(const struct cl_baseline *b) {
  struct cl_cpus some = cl_cpus_none();
  unsigned long long most = 0;
  for (int cpu = cl_cpus_next(&b->online, -1); cpu >= 0; cpu = cl_cpus_next(&b->online, cpu)) {
    unsigned long long state = hotplug_state(cpu);
    if (state > most) most = state;
  }
  for (int cpu = cl_cpus_next(&b->online, -1); cpu >= 0; cpu = cl_cpus_next(&b->online, cpu))
    if (hotplug_state(cpu) < most) cl_cpus_add(&some, cpu);
  return some;
}

bool cl_baseline_cpus_changed(struct cl_baseline *b) {
  struct cl_cpus online = b->online, offline = b->offline;
  if (cl_online(&b->online)) return false;
  struct cl_cpus go = going(b); /* first, as one that has gone since is then seen by the next */
  if (add_offline(b, &go) || cl_online(&b->online) || cl_baseline_note_offline(b)) return false;
  return !cl_cpus_equal(&online, &b->online) || !cl_cpus_equal(&offline, &b->offline);
}

void cl_baseline_remove(void) {
  char real[CL_PATH_MOST + 256];
  unlink(cl_files_path(CL_BASELINE, real));
  unlink(cl_files_path(FILE_NEW, real)); /* left by a tool that was killed while taking it */
}

/* A new file beside it, with its first line; commit() puts it in its place. */
static int begin_new(const struct cl_baseline *b, int *fd) {
  char real[CL_PATH_MOST + 256], boot[40], number[24];
  int error = cl_state_folder();
  unlink(cl_files_path(FILE_NEW, real)); /* left by a tool killed meanwhile */
  if (!error) error = cl_boot(boot);
  if (!error) error = cl_state_open(FILE_NEW, O_RDWR | O_APPEND | O_CREAT | O_EXCL, fd);
  if (error) return error;
  snprintf(number, sizeof number, "%llu", b->taken);
  error = fchmod(*fd, 0644) ? errno : 0; /* everybody may read it, whatever the umask is */
  if (!error) error = cl_line_add(*fd, (const char *const[]){MAGIC, boot, number, b->space}, 4);
  if (error) {
    close(*fd);
    unlink(real);
  }
  return error;
}

/* `error`: of what was to be in it. */
static int commit(struct cl_baseline *b, int fd, int error) {
  char from[CL_PATH_MOST + 256], to[CL_PATH_MOST + 256];
  cl_files_path(FILE_NEW, from);
  if (!error && rename(from, cl_files_path(CL_BASELINE, to))) error = errno;
  if (error) {
    close(fd);
    unlink(from);
    return error;
  }
  if (b->fd >= 0) close(b->fd);
  b->fd = fd;
  return identify(b);
}

static bool is_current(const struct cl_known *k) {
  struct cl_task task;
  return k->kind != CL_TASK || (cl_task_look(k->tid, &task) == 0 && task.born == k->born && task.state != 'Z');
}

/* The line, and with `replaced` those before it that still count: the oldest first. */
static int write_known(int fd, const struct cl_known *k, bool replaced, size_t *lines) {
  int error = replaced && k->older ? write_known(fd, k->older, true, lines) : 0;
  char id[16];
  const char *field[] = {kinds[k->kind], k->key, k->base, k->written, how_text(k->how, k->id, id)};
  ++*lines;
  return error ? error : cl_line_add(fd, field, 5);
}

/* Writes all that is known to a new file; without `replaced`: all that has been done is recorded as done. */
static int write_anew(struct cl_baseline *b, bool replaced) {
  char list[CL_CPUS_TEXT], copy[24], topology[24];
  size_t lines = 4;
  int fd, error = begin_new(b, &fd);
  if (error) return error;
  snprintf(copy, sizeof copy, "%llu", ++b->copy);
  snprintf(topology, sizeof topology, "%llu", b->topology);
  error = cl_line_add(fd, (const char *const[]){"copy", copy}, 2);
  if (!error) error = cl_line_add(fd, (const char *const[]){"topology", topology}, 2);
  if (!error) error = cl_line_add(fd, (const char *const[]){"held", cl_cpus_format(&b->held, list)}, 2);
  if (!error && cl_cpus_count(&b->offline)) {
    error = cl_line_add(fd, (const char *const[]){"offline", cl_cpus_format(&b->offline, list)}, 2);
    lines++;
  }
  for (size_t i = 0; i < b->count && !error; i++) {
    const struct cl_known *k = &b->known[i];
    if (is_current(k)) error = write_known(fd, k, replaced, &lines);
  }
  error = commit(b, fd, error);
  if (!error) b->lines = lines;
  return error;
}

int cl_baseline_compact(struct cl_baseline *b) {
  if (b->fd < 0 || b->lines < b->count + 4 + SPARE) return 0;
  int error = write_anew(b, false);
  if (error) return error;
  cl_baseline_free(b);
  return cl_baseline_read(b);
}

int cl_baseline_refresh(struct cl_baseline *b) {
  char real[CL_PATH_MOST + 256];
  struct stat file;
  struct cl_baseline now;
  bool there = stat(cl_files_path(CL_BASELINE, real), &file) == 0;
  if (!there && errno != ENOENT) return errno;
  if (there && b->fd >= 0 && file.st_ino == b->inode && (size_t)file.st_size == b->length) return cl_online(&b->online);
  int error = cl_baseline_read(&now); /* if it was removed, others may know more */
  bool alone = error == ENOENT && !there && b->fd >= 0;
  if (!alone) {
    cl_baseline_free(b);
    *b = now;
  }
  if (there || (error && !alone)) return error;
  error = write_anew(b, true);
  if (error) return error;
  cl_baseline_free(b);
  return read_file(b, CL_BASELINE, O_RDWR | O_APPEND);
}

/* Taking */

bool cl_is_ours(const char *name) {
  return strncmp(name, "coreloom", 8) == 0 && (name[8] == '-' || name[8] == '_') && isdigit((unsigned char)name[9]);
}

struct walk {
  int (*each)(void *context, const char *path);
  void *context;
  const char *mount;
};

static int walk_group(void *context, const char *name) {
  const struct walk *w = context;
  char path[CL_PATH_MOST + 288]; /* a name of 255 bytes, and a file's */
  if (cl_is_ours(name)) return 0;
  snprintf(path, sizeof path, "%s/%s/cgroup.procs", w->mount, name);
  if (!cl_exists(path)) return 0;
  bool fits = snprintf(path, sizeof path, "%s/%s/cpuset.cpus", w->mount, name) < CL_PATH_MOST;
  return fits && cl_exists(path) ? w->each(w->context, path) : 0;
}

int cl_baseline_groups(int (*each)(void *context, const char *path), void *context) {
  char mount[CL_PATH_MOST];
  return cl_group_mount(mount, sizeof mount) ? 0 : cl_list(mount, walk_group, &(struct walk){each, context, mount});
}

bool cl_is_irq(const char *path) {
  return strncmp(path, "/proc/irq/", strlen("/proc/irq/")) == 0 && strstr(path, "_list");
}

int cl_baseline_now(const char *path, char *text, size_t size) {
  if (strcmp(path, CL_QUEUES) == 0 && cl_exists(CL_QUEUES_ASKED)) path = CL_QUEUES_ASKED;
  return cl_read(path, text, size);
}

static int take_file(struct cl_baseline *b, enum cl_kind kind, const char *path) {
  char text[CL_CPUS_TEXT];
  struct cl_cpus cpus;
  if (cl_baseline_now(path, text, sizeof text)) return 0; /* not on this kernel */
  if ((kind == CL_MASK ? cl_cpus_parse_mask : cl_cpus_parse)(text, &cpus)) return 0;
  return cl_baseline_put(b, kind, path, text, text, CL_WAS);
}

static int take_group(void *baseline, const char *path) { return take_file(baseline, CL_CPUS, path); }

static int take_irq(void *baseline, const char *name) {
  char path[64];
  if (!isdigit((unsigned char)*name) || strlen(name) > 10) return 0;
  snprintf(path, sizeof path, "/proc/irq/%s/smp_affinity_list", name);
  return take_file(baseline, CL_CPUS, path);
}

static int take_tasks(struct cl_baseline *b) {
  struct cl_tasks tasks;
  int error = cl_tasks_read(&tasks);
  for (size_t i = 0; i < tasks.count && !error; i++) {
    const struct cl_task *task = &tasks.task[i];
    struct cl_cpus lacks = cl_cpus_minus(&b->online, &task->allowed);
    if (task->fixed || cl_cpus_count(&lacks) == 0) continue;
    struct cl_cpus base = task->allowed, off = cl_cpus_minus(&b->possible, &b->online), all;
    if (cl_cpus_count(&off) && cl_task_asked(task->tid, &all) == 0) base = all;
    error = cl_baseline_put_task(b, task, &base, &base, CL_WAS, 0);
  }
  cl_tasks_free(&tasks);
  return error;
}

static int take_controller(struct cl_baseline *b) {
  char mount[CL_PATH_MOST], path[CL_PATH_MOST + 32], text[4096];
  if (cl_group_mount(mount, sizeof mount)) return 0;
  snprintf(path, sizeof path, "%s/cgroup.subtree_control", mount);
  if (strlen(path) >= CL_PATH_MOST || cl_read(path, text, sizeof text)) return 0;
  const char *state = cl_lists_word(text, "cpuset") ? "on" : "off";
  return cl_baseline_put(b, CL_CONTROLLER, path, state, state, CL_WAS);
}

static unsigned long long ticks(void) {
  char text[64];
  return cl_read("/proc/uptime", text, sizeof text) ? 0 : (unsigned long long)(strtod(text, NULL) * 100);
}

int cl_baseline_take(struct cl_baseline *b) {
  int fd, error = begin(b);
  b->taken = ticks();
  if (!error) error = begin_new(b, &fd);
  if (error) return error;
  b->fd = fd;
  char number[24];
  snprintf(number, sizeof number, "%llu", b->topology = highest_topology(b));
  error = add(b, (const char *const[]){"topology", number}, 2);
  if (!error) error = take_file(b, CL_MASK, "/proc/irq/default_smp_affinity");
  if (!error) error = take_file(b, CL_CPUS, "/proc/sys/kernel/watchdog_cpumask");
  if (!error) error = take_file(b, CL_MASK, CL_QUEUES);
  if (!error) error = cl_list("/proc/irq", take_irq, b);
  if (error == ENOENT) error = 0; /* a kernel or container without /proc/irq */
  if (!error) error = take_controller(b);
  if (!error) error = cl_baseline_groups(take_group, b);
  if (!error) error = take_tasks(b);
  b->fd = -1;
  return commit(b, fd, error);
}

bool cl_baseline_is_elsewhere(const struct cl_baseline *b) {
  char space[CL_SPACE_TEXT];
  cl_state_space(space);
  return strcmp(space, "-") != 0 && strcmp(b->space, "-") != 0 && strcmp(space, b->space) != 0;
}

/* Target values */

int cl_baseline_parse(const struct cl_baseline *b, const struct cl_known *known, const char *text,
                      struct cl_cpus *cpus) {
  if (known->kind == CL_MASK) return cl_cpus_parse_mask(text, cpus);
  const char *name = strrchr(known->key, '/');
  if (*text != '\0' || known->kind != CL_CPUS || strcmp(name, "/cpuset.cpus") != 0) return cl_cpus_parse(text, cpus);
  *cpus = b->possible;
  return 0;
}

struct cl_ground cl_baseline_ground(const struct cl_baseline *b) {
  struct cl_ground ground = {b->online, b->possible, b->held, b->offline, !cl_kernel_since(6, 2)};
  for (int cpu = 0; cpu < CL_CPUS_MOST; cpu++)
    if (!cl_cpus_has(&b->online, cpu)) cl_cpus_add(&ground.away, cpu);
  return ground;
}

static bool alike(const struct cl_baseline *b, const struct cl_cpus *one, const struct cl_cpus *other) {
  const struct cl_ground ground = cl_baseline_ground(b);
  return cl_alike(&ground, one, other);
}

enum cl_reading cl_baseline_reading(const struct cl_baseline *b, const struct cl_known *known, struct cl_value *value) {
  struct cl_cpus written[WRITES_MOST];
  const struct cl_ground ground = cl_baseline_ground(b);
  value->record = known->how == CL_WAS       ? CL_RECORD_WAS
                  : known->how == CL_PROGRAM ? CL_RECORD_PROGRAM
                                             : CL_RECORD_WRITTEN;
  value->written = written;
  value->writes = 0;
  for (const struct cl_known *k = known; k && value->writes < WRITES_MOST; k = k->older)
    if (cl_baseline_parse(b, k, k->written, &written[value->writes]) == 0) value->writes++;
  enum cl_reading reading = cl_reading(&ground, value);
  value->written = NULL;
  return reading;
}

struct cl_cpus cl_baseline_rest(const struct cl_baseline *b, const struct cl_cpus *held) {
  return cl_cpus_minus(&b->online, held);
}

struct cl_cpus cl_baseline_wish(const struct cl_baseline *b, const struct cl_task *task) {
  struct cl_cpus base = {0};
  const struct cl_known *known = cl_baseline_task(b, task->tid, task->born);
  if (known && cl_cpus_parse(known->base, &base) == 0) return base;
  struct cl_task parent;
  struct cl_cpus written;
  bool young = task->born >= b->taken && cl_task_look(task->parent, &parent) == 0;
  known = young ? cl_baseline_task(b, parent.tid, parent.born) : NULL;
  if (known && cl_cpus_parse(known->base, &base)) known = NULL;
  /* First, as a parent that might use nothing else was left with the rest by us or the kernel, which looks like all. */
  for (const struct cl_known *k = known; k; k = k->older)
    if (cl_cpus_parse(k->written, &written) == 0 && cl_cpus_equal(&task->allowed, &written)) return base;
  struct cl_cpus left = cl_cpus_minus(&base, &b->held);
  if (known && cl_cpus_count(&left) == 0 && alike(b, &task->allowed, &b->online)) return base;
  if (alike(b, &task->allowed, &b->online)) return b->possible;
  return known && alike(b, &task->allowed, &base) ? base : task->allowed;
}
