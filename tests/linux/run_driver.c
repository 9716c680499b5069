/* SPDX-License-Identifier: Apache-2.0
 *
 * `run` and `attach` on a tree of files: FOLDER OPTION... [-- COMMAND...]. The tool, its watcher and its program are real
 * processes, which the tree shows as a machine would; the machine's own tasks, CPUs and policies are not touched:
 * functions of libc here take the place of those in a static program. Each call that sets a policy adds a line to
 * FOLDER/policies. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "tasks.h"
#include "run.h"
#include "say.h"

#define KIND "cpuset.cpus.partition"

static int policy;               /* of this process */
static int forgotten;            /* a thread whose pinning the kernel forgets when there is a cgroup more */
static bool refuses;             /* the kernel makes no partition */
static int tool, signal_at_fork; /* its PID; what it sends to itself when its program waits for its start */

static long raw(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  long answer;
  __asm__ volatile("syscall"
                   : "=a"(answer)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return answer;
}

static void put(const char *path, int flags, const char *text) {
  int fd = open(cl_files_path(path), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
  if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd)) _exit(99);
}

/* What sched_setscheduler and pidfd_open say is made up; all else is the kernel's. */
long syscall(long number, ...) {
  long a[6], answer;
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_pidfd_open) return errno = ENOSYS, -1;
  if (number == SYS_sched_getscheduler) return policy;
  if (number == SYS_sched_setscheduler) {
    const struct {
      int priority;
    } *to = (const void *)a[2];
    policy = (int)a[1];
    put("/policies", O_APPEND,
        cl_path("%s: policy %x, priority %d\n", getpid() == tool ? "tool" : "other", policy, to->priority));
    return 0;
  }
  answer = raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return answer < 0 ? (errno = (int)-answer, -1) : answer;
}

/* Of a process: its folder in /proc. */
static void show(int pid, int parent) {
  char folder[3][64], stat[256], status[256];
  snprintf(stat, sizeof stat,
           "%d (%s) S %d 0 0 0 0 0 0 0 0 0 7 3 0 0 0 0 0 0 600 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", pid,
           pid == tool ? "tool" : "new", parent);
  snprintf(status, sizeof status,
           "Name:\tnew\nTgid:\t%d\nPid:\t%d\nCpus_allowed_list:\t0-3\nvoluntary_ctxt_switches:\t4\n"
           "nonvoluntary_ctxt_switches:\t2\n",
           pid, pid);
  for (size_t i = 0; i < 3; i++) {
    if (i == 2) snprintf(folder[i], sizeof folder[i], "/proc/%d/task/%d", pid, pid);
    else snprintf(folder[i], sizeof folder[i], "/proc/%d%s", pid, i ? "/task" : "");
    mkdir(cl_files_path(folder[i]), 0755);
  }
  for (size_t i = 0; i < 3; i += 2) {
    put(cl_path("%s/stat", folder[i]), O_TRUNC, stat);
    put(cl_path("%s/status", folder[i]), O_TRUNC, status);
    put(cl_path("%s/schedstat", folder[i]), O_TRUNC, "5 0 1\n");
    put(cl_path("%s/cgroup", folder[i]), O_TRUNC, "0::/\n");
  }
}

static void forget(int pid) {
  static const char *const files[] = {"stat", "status", "schedstat", "cgroup", ""};
  for (int task = 1; task >= 0; task--) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
      remove(cl_files_path(task ? cl_path("/proc/%d/task/%d/%s", pid, pid, files[i])
                                : cl_path("/proc/%d/%s", pid, files[i])));
    if (task) remove(cl_files_path(cl_path("/proc/%d/task", pid)));
  }
}

pid_t fork(void) {
  static int forks;
  int parent = (int)raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
  long pid = raw(SYS_fork, 0, 0, 0, 0, 0, 0);
  if (pid < 0) return errno = (int)-pid, -1;
  if (pid > 0) show((int)pid, parent);
  if (pid > 0 && ++forks == 2 && signal_at_fork) kill(parent, signal_at_fork); /* the first is the watcher */
  return (pid_t)pid;
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *used) {
  long got = raw(SYS_wait4, pid, (long)status, options, (long)used, 0, 0);
  if (got > 0) forget((int)got);
  return got < 0 ? errno = (int)-got, -1 : (pid_t)got;
}

/* A cgroup has its files; and to make one, the kernel forgets what a thread was pinned to. */
int mkdir(const char *path, mode_t mode) {
  static const char *const files[][2] = {{"cgroup.procs", ""}, {"cpuset.cpus", "\n"}, {KIND, "member\n"}};
  char group[CL_PATH_MOST] = "";
  const char *below = strstr(path, "/sys/fs/cgroup/");
  long error = raw(SYS_mkdir, (long)path, mode, 0, 0, 0, 0);
  if (error) return errno = (int)-error, -1;
  if (below) snprintf(group, sizeof group, "%s", below); /* `path` is one of a few buffers in turn */
  for (size_t i = 0; below && i < sizeof files / sizeof *files; i++)
    put(cl_path("%s/%s", group, files[i][0]), 0, files[i][1]);
  const char *kind = cl_files_path(cl_path("%s/" KIND, group));
  if (below && refuses && (unlink(kind) || symlink("/dev/null", kind))) _exit(99);
  struct cl_cpus all;
  if (below && forgotten && cl_online(&all) == 0) cl_task_allow(forgotten, &all);
  return 0;
}

pid_t waitpid(pid_t pid, int *status, int options) { return wait4(pid, status, options, NULL); }

int main(int count, char **word) {
  static struct cl_request request = {.count = 1};
  static struct cl_output output;
  if (count < 3) return 2;
  tool = getpid();
  cl_files_root(word[1]);
  setvbuf(stdout, NULL, _IOLBF, 0);
  show(tool, 1);
  for (char **option = word + 2; *option; option++) {
    const char *value = strchr(*option, '=') ? strchr(*option, '=') + 1 : "";
    size_t length = strcspn(*option, "=");
    static int pid;
    if (strcmp(*option, "--") == 0) {
      request.command = option + 1;
      break;
    }
    char name[16];
    snprintf(name, sizeof name, "%.*s", (int)length, *option);
    if (strcmp(name, "cpus") == 0) cl_cpus_parse(value, &request.asked);
    else if (strcmp(name, "mechanism") == 0) request.mechanism = value;
    else if (strcmp(name, "pid") == 0) request.pids = &pid, request.pid_count = 1, pid = atoi(value);
    else if (strcmp(name, "cgroup") == 0) request.cgroup = value;
    else if (strcmp(name, "as") == 0) request.user = value;
    else if (strcmp(name, "fifo") == 0) request.fifo = atoi(value);
    else if (strcmp(name, "nice") == 0) request.has_nice = true, request.nice = atoi(value);
    else if (strcmp(name, "max") == 0) request.most_s = strtod(value, NULL);
    else if (strcmp(name, "wait") == 0) request.wait_s = strtod(value, NULL);
    else if (strcmp(name, "watch") == 0) output.watch_s = strtod(value, NULL);
    else if (strcmp(name, "report") == 0) output.report = value;
    else if (strcmp(name, "json") == 0) output.json = true;
    else if (strcmp(name, "quiet") == 0) cl_say_quiet(output.quiet = true);
    else if (strcmp(name, "policy") == 0) policy = atoi(value);
    else if (strcmp(name, "forgets") == 0) forgotten = atoi(value);
    else if (strcmp(name, "refuses") == 0) refuses = true;
    else if (strcmp(name, "signal") == 0) signal_at_fork = atoi(value);
    else return 2;
  }
  return cl_run(&request, &output);
}
