/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "baseline.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters.h"
#include "lines.h"
#include "state.h"

#define MAGIC "coreloom-baseline 2"
#define FILE_NEW CL_BASELINE ".new"
#define SPARE 256 /* lines that may be out of date before the file is rewritten */
#define WRITES_MOST 16 /* of one value that are looked at: more than two are there only after deaths in a row */

static const char *const kinds[CL_KINDS] = {"cpus", "mask", "controller", "irqbalance", "task"};
static const char *const hows[CL_HOWS] = {"was", "ours", "theirs"};

/* The known values. */

static int by_key(const void *a, const void *b) {
  const struct cl_known *x = a, *y = b;
  return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : strcmp(x->key, y->key);
}

static void forget(void *known) {
  for (struct cl_known *k = known, *older; k; k = older) {
    older = k->older;
    free(k->line);
    free(k);
  }
}

/* Takes `line` over, into which the fields of `new` point. A line that is replaced stays behind the new one as long as it
 * says the same base. */
static int know(struct cl_baseline *b, const struct cl_known *new) {
  struct cl_known *k = malloc(sizeof *k);
  if (k == NULL) return free(new->line), ENOMEM;
  *k = *new;
  struct cl_known **found = tsearch(k, &b->tree, by_key);
  if (found == NULL) return forget(k), ENOMEM;
  if (*found == k) {
    *(b->last ? &b->last->next : &b->known) = k;
    b->last = k;
    b->count++;
    return 0;
  }
  struct cl_known *is = *found, old = *is;
  *is = *new;
  is->next = old.next;
  *k = old;
  if (strcmp(old.base, new->base) == 0) is->older = k;
  else forget(k);
  return 0;
}

struct cl_known *cl_baseline_find(const struct cl_baseline *b, enum cl_kind kind, const char *key) {
  const struct cl_known wanted = {.kind = kind, .key = key};
  struct cl_known **found = tfind(&wanted, &b->tree, by_key);
  return found ? *found : NULL;
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
  char key[48];
  const char *blank = strchr(k->key, ' ');
  k->tid = (int)strtol(k->key, NULL, 10);
  return blank && k->tid > 0 && cl_line_number(blank + 1, &k->born) &&
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

/* A line of two fields, which is about the whole machine. */
static bool read_value(struct cl_baseline *b, const char *name, const char *text) {
  struct cl_cpus *set = strcmp(name, "held") == 0 ? &b->held : strcmp(name, "offline") == 0 ? &b->offline : NULL, read;
  if (set) return cl_cpus_parse(text, &read) == 0 && (*set = read, true);
  if (strcmp(name, "topology") == 0) return cl_line_number(text, &b->topology);
  return strcmp(name, "copy") == 0 && cl_line_number(text, &b->copy);
}

/* A line but the first: taken over, or false. */
static bool read_line(struct cl_baseline *b, const char *text) {
  char *line = strdup(text), *field[5];
  int kind, how;
  size_t count = line ? cl_line_split(line, field, 5) : 0;
  unsigned long long id = 0;
  if (count == 2) {
    bool good = read_value(b, field[0], field[1]);
    free(line);
    return good;
  }
  if (count == 5 && word(kinds, CL_KINDS, field[0], &kind) &&
      (word(hows, CL_HOWS, field[4], &how) || (cl_line_number(field[4], &id) && id <= INT32_MAX))) {
    struct cl_known known = {.kind = (enum cl_kind)kind,
                             .how = (enum cl_how)how,
                             .line = line,
                             .key = field[1],
                             .base = field[2],
                             .written = field[3],
                             .id = (int)id};
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
  *b = (struct cl_baseline){.fd = -1};
  cl_state_space(b->space);
  int error = cl_online(&b->online);
  if (cl_read_cpus("/sys/devices/system/cpu/possible", &b->possible)) b->possible = b->online;
  return error;
}

void cl_baseline_free(struct cl_baseline *b) {
  if (b->fd >= 0) close(b->fd);
  tdestroy(b->tree, forget);
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
  b->length = (size_t)file.st_size;
  return 0;
}

static int read_file(struct cl_baseline *b, const char *path, int flags) {
  char *text;
  size_t length;
  int error = begin(b);
  if (!error) error = cl_state_open(path, flags, &b->fd);
  if (error == EACCES) error = cl_state_open(path, O_RDONLY, &b->fd); /* without root only read */
  if (!error) error = identify(b);
  if (!error && (error = cl_read_open(b->fd, &text, &length)) == 0) {
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

/* The newest of those that were removed and that a living reservation has open. */
struct newest {
  char path[CL_PATH_MOST];
  unsigned long long copy;
};

static int newer(void *context, const struct cl_opens *of, const struct cl_reservation *first) {
  struct newest *n = context;
  struct cl_baseline b;
  (void)first;
  if (*of->baseline == '\0' || cl_baseline_look(&b, of->baseline)) return 0;
  if (*n->path == '\0' || b.copy > n->copy) {
    snprintf(n->path, sizeof n->path, "%s", of->baseline);
    n->copy = b.copy;
  }
  cl_baseline_free(&b);
  return 0;
}

int cl_baseline_read(struct cl_baseline *b) {
  struct newest n = {.copy = 0};
  int error = read_file(b, CL_BASELINE, O_RDWR | O_APPEND);
  if (error == ENOENT && cl_state_alive(newer, &n) == 0 && *n.path) return read_file(b, n.path, O_RDWR | O_APPEND);
  return error;
}

/* Writing */

static int add(struct cl_baseline *b, const char *name, const char *value) {
  int error = cl_line_add(b->fd, (const char *const[]){name, value}, 2);
  if (!error) b->lines++;
  return error ? error : identify(b);
}

/* Remembers a value in this process only; the number and birth of a task are filled in from its key. */
static int learn(struct cl_baseline *b, struct cl_known new) {
  size_t key = strlen(new.key) + 1, base = strlen(new.base) + 1, written = strlen(new.written) + 1;
  char *line = new.line = malloc(key + base + written);
  if (line == NULL) return ENOMEM;
  new.key = memcpy(line, new.key, key);
  new.base = memcpy(line + key, new.base, base);
  new.written = memcpy(line + key + base, new.written, written);
  well_formed(&new);
  return know(b, &new);
}

static int write_known(int fd, const struct cl_known *k) {
  const char *how = k->how == CL_PROGRAM ? cl_line_of((unsigned)k->id) : hows[k->how];
  return cl_line_add(fd, (const char *const[]){kinds[k->kind], k->key, k->base, k->written, how}, 5);
}

static int put(struct cl_baseline *b, const struct cl_known *new) {
  const struct cl_known *is = cl_baseline_find(b, new->kind, new->key);
  if (is && is->how == new->how && is->id == new->id && strcmp(is->base, new->base) == 0 &&
      strcmp(is->written, new->written) == 0)
    return 0;
  int error = b->fd < 0 ? EBADF : write_known(b->fd, new);
  b->lines += !error;
  if (!error) error = identify(b);
  return error ? error : learn(b, *new);
}

int cl_baseline_put(struct cl_baseline *b, enum cl_kind kind, const char *key, const char *base, const char *written,
                    enum cl_how how) {
  return put(b, &(struct cl_known){.kind = kind, .how = how, .key = key, .base = base, .written = written});
}

int cl_baseline_put_task(struct cl_baseline *b, const struct cl_task *task, const struct cl_cpus *base,
                         const struct cl_cpus *written, enum cl_how how, int id) {
  char key[48];
  return put(b, &(struct cl_known){.kind = CL_TASK,
                                   .how = how,
                                   .key = task_key(key, task->tid, task->born),
                                   .base = cl_cpus_text(base),
                                   .written = cl_cpus_text(written),
                                   .id = id});
}

int cl_baseline_hold(struct cl_baseline *b, const struct cl_cpus *held) {
  if (cl_cpus_equal(held, &b->held)) return 0;
  b->held = *held;
  return add(b, "held", cl_cpus_text(held));
}

/* The kernel makes a CPU's folder when it comes online, each time with a number that was not used before. 0: there is
 * none. */
static unsigned long long topology_of(int cpu) {
  struct stat file;
  return stat(cl_files_path(cl_path("/sys/devices/system/cpu/cpu%d/topology", cpu)), &file) ? 0 : file.st_ino;
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
  if (cl_cpus_within(off, &b->offline)) return 0;
  b->offline = cl_cpus_or(&b->offline, off);
  return add(b, "offline", cl_cpus_text(&b->offline));
}

int cl_baseline_note_offline(struct cl_baseline *b) {
  struct cl_cpus off = cl_cpus_minus(&b->possible, &b->online);
  for (int cpu = cl_cpus_next(&b->online, -1); b->topology && cpu >= 0; cpu = cl_cpus_next(&b->online, cpu))
    if (topology_of(cpu) > b->topology) cl_cpus_add(&off, cpu);
  return add_offline(b, &off);
}

/* A CPU's hotplug state: the highest is online. 0: the kernel does not report it. */
static unsigned long long hotplug_state(int cpu) {
  char text[32];
  unsigned long long state;
  const char *path = cl_path("/sys/devices/system/cpu/cpu%d/hotplug/state", cpu);
  return cl_read(path, text, sizeof text) == 0 && cl_line_number(text, &state) ? state : 0;
}

/* CPUs that still count as online but are going offline: their tasks have already been moved. */
static struct cl_cpus going(const struct cl_baseline *b) {
  struct cl_cpus some = cl_cpus_none(), seen = cl_cpus_none();
  unsigned long long most = 0;
  for (int cpu = cl_cpus_next(&b->online, -1); cpu >= 0; cpu = cl_cpus_next(&b->online, cpu)) {
    unsigned long long state = hotplug_state(cpu);
    if (state > most) most = state, some = seen;
    else if (state < most) cl_cpus_add(&some, cpu);
    cl_cpus_add(&seen, cpu);
  }
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
  unlink(cl_files_path(CL_BASELINE));
  unlink(cl_files_path(FILE_NEW)); /* left by a tool that was killed while taking it */
}

static bool is_current(const struct cl_known *k) { return k->kind != CL_TASK || cl_task_lives(k->tid, k->born); }

/* One value; with `replaced` also the lines that it replaced and that still count: the oldest first. */
static int write_all(int fd, const struct cl_known *k, bool replaced) {
  int error = replaced && k->older ? write_all(fd, k->older, true) : 0;
  return error ? error : write_known(fd, k);
}

static int write_body(const struct cl_baseline *b, int fd, bool replaced) {
  char boot[40];
  const char *const value[][2] = {{"copy", cl_line_of(b->copy + 1)},
                                  {"topology", cl_line_of(b->topology)},
                                  {"held", cl_cpus_text(&b->held)},
                                  {"offline", cl_cpus_text(&b->offline)}};
  int error = cl_boot(boot);
  if (!error) error = cl_line_add(fd, (const char *const[]){MAGIC, boot, cl_line_of(b->taken), b->space}, 4);
  for (size_t i = 0; i < 4 && !error; i++)
    if (*value[i][1] || i == 2) error = cl_line_add(fd, value[i], 2);
  for (const struct cl_known *k = b->known; k && !error; k = k->next)
    if (is_current(k)) error = write_all(fd, k, replaced);
  return error;
}

/* Writes all that is known to a new file, puts it in its place and reads that; without `replaced`: all that has been done
 * is recorded as done. */
static int write_anew(struct cl_baseline *b, bool replaced) {
  int fd, error = cl_state_folder();
  unlink(cl_files_path(FILE_NEW)); /* left by a tool killed meanwhile */
  if (!error) error = cl_state_open(FILE_NEW, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, &fd);
  if (error) return error;
  error = fchmod(fd, 0644) ? errno : 0; /* everybody may read it, whatever the umask is */
  if (!error) error = write_body(b, fd, replaced);
  close(fd);
  if (!error && rename(cl_files_path(FILE_NEW), cl_files_path(CL_BASELINE))) error = errno;
  if (error) {
    unlink(cl_files_path(FILE_NEW));
    return error;
  }
  cl_baseline_free(b);
  return read_file(b, CL_BASELINE, O_RDWR | O_APPEND);
}

int cl_baseline_compact(struct cl_baseline *b) {
  return b->fd < 0 || b->lines < b->count + 4 + SPARE ? 0 : write_anew(b, false);
}

int cl_baseline_refresh(struct cl_baseline *b) {
  struct stat file;
  struct cl_baseline now;
  bool there = stat(cl_files_path(CL_BASELINE), &file) == 0;
  if (!there && errno != ENOENT) return errno;
  if (there && b->fd >= 0 && file.st_ino == b->inode && (size_t)file.st_size == b->length) return cl_online(&b->online);
  int error = cl_baseline_read(&now); /* if it was removed, others may know more */
  bool alone = error == ENOENT && !there && b->fd >= 0;
  if (!alone) {
    cl_baseline_free(b);
    *b = now;
  }
  return there || (error && !alone) ? error : write_anew(b, true);
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
  if (cl_is_ours(name) || !cl_is_group(cl_path("%s/%s", w->mount, name))) return 0;
  const char *path = cl_path("%s/%s/cpuset.cpus", w->mount, name);
  return strlen(path) < CL_PATH_MOST && cl_exists(path) ? w->each(w->context, path) : 0;
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
  return learn(b, (struct cl_known){.kind = kind, .key = path, .base = text, .written = text});
}

static int take_group(void *baseline, const char *path) { return take_file(baseline, CL_CPUS, path); }

static int take_irq(void *baseline, const char *name) {
  if (!isdigit((unsigned char)*name) || strlen(name) > 10) return 0;
  return take_file(baseline, CL_CPUS, cl_path("/proc/irq/%s/smp_affinity_list", name));
}

static int take_tasks(struct cl_baseline *b) {
  struct cl_tasks tasks;
  int error = cl_tasks_read(&tasks);
  for (size_t i = 0; i < tasks.count && !error; i++) {
    const struct cl_task *task = &tasks.task[i];
    if (task->fixed || cl_cpus_within(&b->online, &task->allowed)) continue;
    struct cl_cpus base = task->allowed, all;
    if (!cl_cpus_within(&b->possible, &b->online) && cl_task_asked(task->tid, &all) == 0) base = all;
    char key[48];
    const char *text = cl_cpus_text(&base);
    task_key(key, task->tid, task->born);
    error = learn(b, (struct cl_known){.kind = CL_TASK, .key = key, .base = text, .written = text});
  }
  cl_tasks_free(&tasks);
  return error;
}

static int take_controller(struct cl_baseline *b) {
  char mount[CL_PATH_MOST], text[4096];
  if (cl_group_mount(mount, sizeof mount)) return 0; /* one that is told fits with a name behind it */
  const char *path = cl_path("%s/cgroup.subtree_control", mount);
  if (cl_read(path, text, sizeof text)) return 0;
  const char *state = cl_lists_word(text, "cpuset") ? "on" : "off";
  return learn(b, (struct cl_known){.kind = CL_CONTROLLER, .key = path, .base = state, .written = state});
}

int cl_baseline_take(struct cl_baseline *b) {
  int error = begin(b);
  double up = cl_uptime();
  b->taken = up > 0 ? (unsigned long long)(up * 100) : 0; /* not NAN: it is not known */
  b->topology = highest_topology(b);
  if (!error) error = take_file(b, CL_MASK, "/proc/irq/default_smp_affinity");
  if (!error) error = take_file(b, CL_CPUS, "/proc/sys/kernel/watchdog_cpumask");
  if (!error) error = take_file(b, CL_MASK, CL_QUEUES);
  if (!error) error = cl_list("/proc/irq", take_irq, b);
  if (error == ENOENT) error = 0; /* a kernel or container without /proc/irq */
  if (!error) error = take_controller(b);
  if (!error) error = cl_baseline_groups(take_group, b);
  if (!error) error = take_tasks(b);
  return error ? error : write_anew(b, false);
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
  if (known && cl_cpus_within(&base, &b->held) && alike(b, &task->allowed, &b->online)) return base;
  if (alike(b, &task->allowed, &b->online)) return b->possible;
  return known && alike(b, &task->allowed, &base) ? base : task->allowed;
}
