/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tasks.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "lines.h"

/* include/linux/sched.h: not in a header for programs, but part of /proc/PID/stat since 2.6. */
#define PF_KTHREAD 0x00200000u
#define PF_NO_SETAFFINITY 0x04000000u

_Static_assert(sizeof(cpu_set_t) == sizeof(struct cl_cpus), "a set of CPUs is what the system calls take");

int cl_task_allowed(int tid, struct cl_cpus *cpus) {
  if (cl_files_is_tree()) return cl_task_asked(tid, cpus);
  *cpus = cl_cpus_none();
  return sched_getaffinity(tid, sizeof *cpus, (cpu_set_t *)cpus) ? errno : 0;
}

int cl_task_asked(int tid, struct cl_cpus *cpus) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%d/status", tid);
  int error = cl_read(path, text, sizeof text);
  const char *list = error ? NULL : strstr(text, "\nCpus_allowed_list:\t");
  if (list == NULL) return error ? error : EINVAL;
  list += strlen("\nCpus_allowed_list:\t");
  char line[CL_CPUS_TEXT];
  snprintf(line, sizeof line, "%.*s", (int)strcspn(list, "\n"), list);
  return cl_cpus_parse(line, cpus);
}

int cl_task_allow(int tid, const struct cl_cpus *cpus) {
  if (!cl_files_is_tree()) return sched_setaffinity(tid, sizeof *cpus, (const cpu_set_t *)cpus) ? errno : 0;
  char path[64], text[4096], list[CL_CPUS_TEXT], whole[sizeof text + sizeof list];
  snprintf(path, sizeof path, "/proc/%d/status", tid);
  int error = cl_read(path, text, sizeof text);
  char *at = error ? NULL : strstr(text, "\nCpus_allowed_list:\t");
  if (at == NULL) return error ? ESRCH : EINVAL;
  at += strlen("\nCpus_allowed_list:\t");
  snprintf(whole, sizeof whole, "%.*s%s%s\n", (int)(at - text), text, cl_cpus_format(cpus, list),
           at + strcspn(at, "\n"));
  return cl_write(path, whole);
}

/* The fields of proc(5)'s stat that are used, counted from 1; the name may hold blanks and brackets. */
static int parse_stat(const char *text, struct cl_task *task) {
  const char *open = strchr(text, '('), *close = strrchr(text, ')');
  if (open == NULL || close == NULL || close < open || close[1] != ' ' || close[2] == '\0') return EINVAL;
  snprintf(task->name, sizeof task->name, "%.*s", (int)(close - open - 1), open + 1);
  task->state = close[2];
  unsigned long long field[40] = {0};
  char *at = (char *)close + 3;
  for (int i = 4; i < 40; i++) {
    char *end;
    field[i] = strtoull(at, &end, 10);
    if (end == at) return EINVAL;
    at = end;
  }
  unsigned flags = (unsigned)field[9];
  task->parent = (int)field[4];
  task->used = field[14] + field[15];
  task->born = field[22];
  task->cpu = (int)field[39];
  task->kernel = (flags & PF_KTHREAD) != 0;
  task->fixed = (flags & PF_NO_SETAFFINITY) != 0;
  return 0;
}

static int has_ended(int error) { return error == ENOENT ? ESRCH : error; }

/* All but the CPUs it may use. */
static int read_stat(const char *path, int pid, int tid, struct cl_task *task) {
  char text[2048]; /* 52 numbers, and a name that the kernel bounds */
  memset(task, 0, sizeof *task);
  task->pid = pid;
  task->tid = tid;
  int error = cl_read(path, text, sizeof text);
  return has_ended(error ? error : parse_stat(text, task));
}

struct gather {
  struct cl_tasks *tasks;
  size_t room;
  int pid;
  bool (*wanted)(const void *context, const struct cl_cpus *allowed);
  const void *context;
};

/* The call that asks for its CPUs is cheap, reading its file is not. */
static int add_tid(struct gather *g, int tid) {
  struct cl_tasks *tasks = g->tasks;
  struct cl_cpus allowed;
  char path[64];
  int error = has_ended(cl_task_allowed(tid, &allowed));
  if (error) return error == ESRCH ? 0 : error;
  if (g->wanted && !g->wanted(g->context, &allowed)) return 0;
  if (tasks->count == g->room) {
    size_t room = g->room ? g->room * 2 : 256;
    struct cl_task *more = realloc(tasks->task, room * sizeof *more);
    if (more == NULL) return ENOMEM;
    tasks->task = more;
    g->room = room;
  }
  struct cl_task *task = &tasks->task[tasks->count];
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", g->pid, tid);
  error = read_stat(path, g->pid, tid, task);
  task->allowed = allowed;
  if (!error) tasks->count++;
  return error == ESRCH ? 0 : error; /* it has ended meanwhile */
}

static int add_thread(void *context, const char *name) {
  int tid;
  return cl_line_id(name, &tid) ? add_tid(context, tid) : 0;
}

static int add_process(void *context, const char *name) {
  struct gather *g = context;
  char path[64];
  if (!cl_line_id(name, &g->pid)) return 0;
  snprintf(path, sizeof path, "/proc/%d/task", g->pid);
  int error = cl_list(path, add_thread, g);
  return error == ENOENT || error == ESRCH ? 0 : error;
}

static int by_number(const void *a, const void *b) {
  const struct cl_task *x = a, *y = b;
  return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) : (x->tid > y->tid) - (x->tid < y->tid);
}

static int gathered(int error, struct cl_tasks *tasks) {
  if (error) cl_tasks_free(tasks);
  else if (tasks->count) qsort(tasks->task, tasks->count, sizeof *tasks->task, by_number);
  return error;
}

int cl_tasks_if(bool (*wanted)(const void *context, const struct cl_cpus *allowed), const void *context,
                struct cl_tasks *tasks) {
  *tasks = (struct cl_tasks){NULL, 0};
  struct gather g = {.tasks = tasks, .wanted = wanted, .context = context};
  return gathered(cl_list("/proc", add_process, &g), tasks);
}

static bool meets(const void *cpus, const struct cl_cpus *allowed) {
  struct cl_cpus both = cl_cpus_and(cpus, allowed);
  return cl_cpus_count(&both) > 0;
}

int cl_tasks_on(const struct cl_cpus *cpus, struct cl_tasks *tasks) { return cl_tasks_if(meets, cpus, tasks); }

int cl_tasks_read(struct cl_tasks *tasks) { return cl_tasks_if(NULL, NULL, tasks); }

int cl_tasks_still(const struct cl_tasks *before, const struct cl_cpus *cpus, struct cl_tasks *tasks) {
  *tasks = (struct cl_tasks){malloc((before->count + 1) * sizeof *tasks->task), 0};
  if (tasks->task == NULL) return ENOMEM;
  for (size_t i = 0; i < before->count; i++) {
    struct cl_cpus allowed;
    if (cl_task_allowed(before->task[i].tid, &allowed) || !meets(cpus, &allowed)) continue;
    tasks->task[tasks->count] = before->task[i];
    tasks->task[tasks->count++].allowed = allowed;
  }
  return 0;
}

int cl_tasks_of(int pid, struct cl_tasks *tasks) {
  char name[16];
  *tasks = (struct cl_tasks){NULL, 0};
  struct gather g = {.tasks = tasks};
  snprintf(name, sizeof name, "%d", pid);
  int error = pid > 0 ? add_process(&g, name) : ESRCH;
  if (!error && tasks->count == 0) error = ESRCH;
  return gathered(error, tasks);
}

int cl_tasks_kernel(struct cl_tasks *tasks) {
  char *list;
  *tasks = (struct cl_tasks){NULL, 0};
  struct gather g = {.tasks = tasks, .pid = 2};
  int error = cl_read_all("/proc/2/task/2/children", &list);
  if (!error) {
    error = add_tid(&g, 2);
    for (char *at = list, *end; !error && (g.pid = (int)strtol(at, &end, 10), end != at); at = end)
      error = add_tid(&g, g.pid);
    free(list);
  } else {
    error = cl_list("/proc", add_process, &g);
  }
  size_t kernel = 0;
  for (size_t i = 0; i < tasks->count; i++)
    if (tasks->task[i].kernel) tasks->task[kernel++] = tasks->task[i];
  tasks->count = kernel;
  return gathered(error, tasks);
}

int cl_task_look(int tid, struct cl_task *task) {
  char path[64];
  if (tid <= 0) return ESRCH;
  /* The one in its own folder adds up the times of all threads of its process. */
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", tid, tid);
  int error = read_stat(path, 0, tid, task);
  if (error && cl_files_is_tree()) { /* where threads have no folder `task` */
    snprintf(path, sizeof path, "/proc/%d/stat", tid);
    error = read_stat(path, 0, tid, task);
  }
  return error ? error : has_ended(cl_task_allowed(tid, &task->allowed));
}

int cl_task_read(int tid, struct cl_task *task) {
  char path[64], text[4096];
  if (tid <= 0) return ESRCH;
  snprintf(path, sizeof path, "/proc/%d/status", tid);
  int error = cl_read_start(path, text, sizeof text); /* the fourth line of it */
  const char *group = error ? NULL : strstr(text, "\nTgid:\t");
  if (group == NULL) return error == ENOENT || !error ? ESRCH : error;
  error = cl_task_look(tid, task);
  task->pid = atoi(group + strlen("\nTgid:\t"));
  return error;
}

int cl_tasks_add(struct cl_tasks *tasks, const struct cl_task *task) {
  struct cl_task *more = realloc(tasks->task, (tasks->count + 1) * sizeof *more);
  if (more == NULL) return ENOMEM;
  tasks->task = more;
  more[tasks->count++] = *task;
  return 0;
}

void cl_tasks_free(struct cl_tasks *tasks) {
  free(tasks->task);
  *tasks = (struct cl_tasks){NULL, 0};
}

bool cl_task_lives(int tid, unsigned long long born) {
  struct cl_task task;
  return cl_task_look(tid, &task) == 0 && task.born == born && task.state != 'Z';
}

int cl_task_group(int tid, char *path, size_t size) {
  char file[64], *text;
  snprintf(file, sizeof file, "/proc/%d/cgroup", tid);
  int error = cl_read_all(file, &text); /* a line for each hierarchy; a path has up to 4096 bytes */
  if (error) return error;
  char *group = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
  if (group) {
    group = strchr(group, '/');
    group[strcspn(group, "\n")] = '\0';
  }
  if (group == NULL) error = ENOENT;
  else if (cl_leads_up(group)) error = EXDEV;
  else error = (size_t)snprintf(path, size, "%s", group) < size ? 0 : ENAMETOOLONG;
  free(text);
  return error;
}

/* A blank, tab, newline or backslash in a mount's folder is told as three octal digits. */
static void decode(char *text) {
  char *to = text;
  for (const char *from = text; *from != '\0'; to++) {
    bool octal = from[0] == '\\' && strspn(from + 1, "01234567") >= 3 && from[1] < '4';
    *to = octal ? (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0')) : *from;
    from += octal ? 4 : 1;
  }
  *to = '\0';
}

static int find_mount(char *path, size_t size) {
  char *text, *save = NULL;
  int error = cl_read_all("/proc/self/mounts", &text);
  if (error) return error;
  error = ENOENT;
  for (char *line = strtok_r(text, "\n", &save); line != NULL && error == ENOENT; line = strtok_r(NULL, "\n", &save)) {
    /* Whole fields, split at every blank: users who may mount in a namespace of their own must not choose where a
     * field ends. */
    strsep(&line, " ");
    char *folder = strsep(&line, " "), *type = strsep(&line, " ");
    if (type == NULL || strcmp(type, "cgroup2") != 0) continue;
    decode(folder);
    error = (size_t)snprintf(path, size, "%s", folder) < size ? 0 : ENAMETOOLONG;
  }
  free(text);
  return error;
}

int cl_group_mount(char *path, size_t size) {
  static char mount[CL_PATH_MOST / 2]; /* so that what is made in it has room; looked up for every task that is moved */
  int error = *mount && !cl_files_is_tree() ? 0 : find_mount(mount, sizeof mount);
  if (error) *mount = '\0';
  return error ? error : (size_t)snprintf(path, size, "%s", mount) < size ? 0 : ENAMETOOLONG;
}

bool cl_is_group(const char *folder) {
  char path[CL_PATH_MOST];
  return (size_t)snprintf(path, sizeof path, "%s/cgroup.procs", folder) < sizeof path && cl_exists(path);
}

int cl_task_folder(int tid, char *path, size_t size) {
  char group[CL_FOLDER_MOST];
  int error = cl_group_mount(path, size);
  if (!error) error = cl_task_group(tid, group, sizeof group);
  if (error || strcmp(group, "/") == 0) return error;
  size_t length = strlen(path);
  return (size_t)snprintf(path + length, size - length, "%s", group) < size - length ? 0 : ENAMETOOLONG;
}

int cl_granted(int tid, struct cl_cpus *cpus) {
  char folder[CL_FOLDER_MOST], path[CL_FOLDER_MOST + 32], text[CL_CPUS_TEXT];
  int error = cl_task_folder(tid, folder, sizeof folder);
  while (!error) {
    snprintf(path, sizeof path, "%s/cpuset.cpus.effective", folder);
    int unread = cl_read(path, text, sizeof text);
    if (unread == 0) return cl_cpus_parse(text, cpus);
    if (unread == ENAMETOOLONG) return unread; /* it may be there: what is above it may grant more */
    char *slash = strrchr(folder, '/');
    if (slash == NULL) return ENOENT;
    *slash = '\0';
  }
  return error;
}

struct cl_cpus cl_granted_of(int tid, const struct cl_cpus *cpus) {
  struct cl_cpus may;
  return cl_granted(tid, &may) ? *cpus : cl_cpus_and(cpus, &may);
}

bool cl_kernel_since(int major, int minor) {
  char text[128];
  int has_major, has_minor;
  if (cl_read("/proc/sys/kernel/osrelease", text, sizeof text)) return true;
  if (sscanf(text, "%d.%d", &has_major, &has_minor) != 2) return true;
  return has_major != major ? has_major > major : has_minor >= minor;
}

int cl_online(struct cl_cpus *cpus) {
  char text[CL_CPUS_TEXT];
  int error = cl_read("/sys/devices/system/cpu/online", text, sizeof text);
  return error ? error : cl_cpus_parse(text, cpus);
}

struct cl_cpus cl_siblings(int cpu) {
  char path[96], text[CL_CPUS_TEXT];
  struct cl_cpus set;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  if (cl_read(path, text, sizeof text) || cl_cpus_parse(text, &set) || !cl_cpus_has(&set, cpu))
    return cl_cpus_one(cpu); /* a kernel without topology: a core of its own */
  return set;
}

int cl_boot(char text[40]) { return cl_read("/proc/sys/kernel/random/boot_id", text, 40); }
