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

/* Its status, and where its CPUs are in it. */
static int find_list(int tid, char text[4096], char **list) {
  static const char head[] = "\nCpus_allowed_list:\t";
  int error = cl_read(cl_path("/proc/%d/status", tid), text, 4096);
  if (error) return error;
  *list = strstr(text, head);
  return *list ? *list += sizeof head - 1, 0 : EINVAL;
}

int cl_task_asked(int tid, struct cl_cpus *cpus) {
  char text[4096], *list;
  int error = find_list(tid, text, &list);
  if (error) return error;
  list[strcspn(list, "\n")] = '\0';
  return cl_cpus_parse(list, cpus);
}

int cl_task_allow(int tid, const struct cl_cpus *cpus) {
  if (!cl_files_is_tree()) return sched_setaffinity(tid, sizeof *cpus, (const cpu_set_t *)cpus) ? errno : 0;
  char text[4096], whole[sizeof text + CL_CPUS_TEXT], *at;
  int error = find_list(tid, text, &at);
  if (error) return error == EINVAL ? error : ESRCH;
  snprintf(whole, sizeof whole, "%.*s%s%s\n", (int)(at - text), text, cl_cpus_text(cpus), at + strcspn(at, "\n"));
  return cl_write(cl_path("/proc/%d/status", tid), whole);
}

/* The fields of proc(5)'s stat that are used, counted from 1; the name may hold blanks and brackets. */
static int parse_stat(const char *text, struct cl_task *task) {
  const char *open = strchr(text, '('), *close = strrchr(text, ')');
  if (open == NULL || close == NULL || close < open || close[1] != ' ' || close[2] == '\0') return EINVAL;
  snprintf(task->name, sizeof task->name, "%.*s", (int)(close - open - 1), open + 1);
  task->state = close[2];
  unsigned long long flags, user, system;
  if (sscanf(
          close + 3,
          "%d %*s %*s %*s %*s %llu %*s %*s %*s %*s %llu %llu %*s %*s %*s %*s %*s %*s %llu %*s %*s %*s %*s %*s %*s %*s "
          "%*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
          &task->parent, &flags, &user, &system, &task->born, &task->cpu) != 6)
    return EINVAL;
  task->used = user + system;
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
  int pid;
  bool (*wanted)(const void *context, const struct cl_cpus *allowed);
  const void *context;
};

/* The call that asks for its CPUs is cheap, reading its file is not. */
static int add_tid(struct gather *g, int tid) {
  struct cl_cpus allowed;
  int error = has_ended(cl_task_allowed(tid, &allowed));
  if (error) return error == ESRCH ? 0 : error;
  if (g->wanted && !g->wanted(g->context, &allowed)) return 0;
  struct cl_task task;
  error = read_stat(cl_path("/proc/%d/task/%d/stat", g->pid, tid), g->pid, tid, &task);
  task.allowed = allowed;
  if (!error) error = cl_tasks_add(g->tasks, &task);
  return error == ESRCH ? 0 : error; /* it has ended meanwhile */
}

static int add_thread(void *context, const char *name) {
  int tid;
  return cl_line_id(name, &tid) ? add_tid(context, tid) : 0;
}

static int add_process(void *context, const char *name) {
  struct gather *g = context;
  if (!cl_line_id(name, &g->pid)) return 0;
  int error = cl_list(cl_path("/proc/%d/task", g->pid), add_thread, g);
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

static bool meets(const void *cpus, const struct cl_cpus *allowed) { return cl_cpus_meet(cpus, allowed); }

int cl_tasks_on(const struct cl_cpus *cpus, struct cl_tasks *tasks) { return cl_tasks_if(meets, cpus, tasks); }

int cl_tasks_read(struct cl_tasks *tasks) { return cl_tasks_if(NULL, NULL, tasks); }

int cl_tasks_still(const struct cl_tasks *before, const struct cl_cpus *cpus, struct cl_tasks *tasks) {
  int error = 0;
  *tasks = (struct cl_tasks){NULL, 0};
  for (size_t i = 0; i < before->count && !error; i++) {
    struct cl_task task = before->task[i];
    if (cl_task_allowed(task.tid, &task.allowed) == 0 && meets(cpus, &task.allowed)) error = cl_tasks_add(tasks, &task);
  }
  return error;
}

int cl_tasks_of(int pid, struct cl_tasks *tasks) {
  *tasks = (struct cl_tasks){NULL, 0};
  struct gather g = {.tasks = tasks};
  int error = pid > 0 ? add_process(&g, cl_path("%d", pid)) : ESRCH;
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
  if (tid <= 0) return ESRCH;
  /* The one in its own folder adds up the times of all threads of its process. */
  int error = read_stat(cl_path("/proc/%d/task/%d/stat", tid, tid), 0, tid, task);
  if (error && cl_files_is_tree()) /* where threads have no folder `task` */
    error = read_stat(cl_path("/proc/%d/stat", tid), 0, tid, task);
  return error ? error : has_ended(cl_task_allowed(tid, &task->allowed));
}

int cl_task_read(int tid, struct cl_task *task) {
  char text[4096];
  if (tid <= 0) return ESRCH;
  int error = cl_read_start(cl_path("/proc/%d/status", tid), text, sizeof text); /* the fourth line of it */
  const char *group = error ? NULL : strstr(text, "\nTgid:\t");
  if (group == NULL) return error == ENOENT || !error ? ESRCH : error;
  error = cl_task_look(tid, task);
  task->pid = atoi(group + strlen("\nTgid:\t"));
  return error;
}

int cl_tasks_add(struct cl_tasks *tasks, const struct cl_task *task) {
  if ((tasks->count & (tasks->count - 1)) == 0) { /* as many as there was room for */
    struct cl_task *more = realloc(tasks->task, (tasks->count ? tasks->count * 2 : 1) * sizeof *more);
    if (more == NULL) return ENOMEM;
    tasks->task = more;
  }
  tasks->task[tasks->count++] = *task;
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
  char *text;
  int error = cl_read_all(cl_path("/proc/%d/cgroup", tid),
                          &text); /* a line for each hierarchy; a path has up to 4096 bytes */
  if (error) return error;
  char *group = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
  if (group) group = strchr(group, '/');
  if (group) group[strcspn(group, "\n")] = '\0';
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
    /* Whole fields, split at every blank: users that may mount in a namespace of their own must not choose where a
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

bool cl_is_group(const char *folder) { return cl_exists(cl_path("%s/cgroup.procs", folder)); }

int cl_task_folder(int tid, char *path, size_t size) {
  char group[CL_FOLDER_MOST];
  int error = cl_group_mount(path, size);
  if (!error) error = cl_task_group(tid, group, sizeof group);
  if (error || strcmp(group, "/") == 0) return error;
  size_t length = strlen(path);
  return (size_t)snprintf(path + length, size - length, "%s", group) < size - length ? 0 : ENAMETOOLONG;
}

int cl_granted(int tid, struct cl_cpus *cpus) {
  char folder[CL_FOLDER_MOST], text[CL_CPUS_TEXT];
  int error = cl_task_folder(tid, folder, sizeof folder);
  while (!error) {
    int unread = cl_read(cl_path("%s/cpuset.cpus.effective", folder), text, sizeof text);
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

int cl_online(struct cl_cpus *cpus) { return cl_read_cpus("/sys/devices/system/cpu/online", cpus); }

struct cl_cpus cl_siblings(int cpu) {
  struct cl_cpus set;
  const char *path = cl_path("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
  /* A kernel without topology: a core of its own. */
  return cl_read_cpus(path, &set) || !cl_cpus_has(&set, cpu) ? cl_cpus_one(cpu) : set;
}

int cl_boot(char text[40]) { return cl_read("/proc/sys/kernel/random/boot_id", text, 40); }
