/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks (threads, including kernel threads) of the machine, read from /proc; and the two system calls that place
 * one. */
#ifndef CL_TASKS_H
#define CL_TASKS_H

#include "cpus.h"

struct cl_task {
  int pid, tid;
  int parent;              /* pid of the process that made it; of a kernel thread 2, kthreadd */
  char name[16];           /* comm */
  char state;              /* R S D ... */
  int cpu;                 /* where it is or was last */
  unsigned long long born; /* start time in clock ticks after boot: with the tid, the name of a task for ever */
  unsigned long long used; /* user + system time in clock ticks */
  bool kernel;             /* a kernel thread */
  bool fixed;              /* PF_NO_SETAFFINITY: the kernel refuses to move it */
  struct cl_cpus allowed;  /* as the scheduler applies it now */
};

struct cl_tasks {
  struct cl_task *task; /* by pid, then tid */
  size_t count; /* there is room for the next power of two: only cl_tasks_add() adds to a list */
};

/* All tasks; those that end meanwhile are left out. cl_tasks_free() it. Cost: one file (stat) and one call a task. */
int cl_tasks_read(struct cl_tasks *tasks);
/* Those that `wanted` takes by the CPUs they may use. Cost: the call a task; the file only for those. */
int cl_tasks_if(bool (*wanted)(const void *context, const struct cl_cpus *allowed), const void *context,
                struct cl_tasks *tasks);
/* Those that may run on one of these CPUs. */
int cl_tasks_on(const struct cl_cpus *cpus, struct cl_tasks *tasks);
/* Of tasks read before, those that are alive and may run on one of these CPUs, with `allowed` as it is now. Cost:
 * one call per task. One whose ID has been reused since counts as alive. */
int cl_tasks_still(const struct cl_tasks *before, const struct cl_cpus *cpus, struct cl_tasks *tasks);
/* Those of one process. ESRCH: there is none. */
int cl_tasks_of(int pid, struct cl_tasks *tasks);
/* The kernel's threads alone, without reading every task where the kernel lists kthreadd's children. */
int cl_tasks_kernel(struct cl_tasks *tasks);
/* One thread by its tid, `pid` filled in. ESRCH: there is none. */
int cl_task_read(int tid, struct cl_task *task);
/* The same but for its `pid`, which costs a second file. */
int cl_task_look(int tid, struct cl_task *task);
int cl_tasks_add(struct cl_tasks *tasks, const struct cl_task *task);
void cl_tasks_free(struct cl_tasks *tasks);
/* The task is there and is still the one that was born then. */
bool cl_task_lives(int tid, unsigned long long born);
/* Path of its group in cgroup v2 ("/a/b"). ENOENT: in none. EXDEV: in one outside of this program's cgroup namespace,
 * which has no path here. */
int cl_task_group(int tid, char *path, size_t size);
/* Where cgroup v2 is mounted: "/sys/fs/cgroup". ENOENT: nowhere. */
int cl_group_mount(char *path, size_t size);
/* Whether a folder is a cgroup. */
bool cl_is_group(const char *folder);
/* The directory of a task's cgroup: the mount with the cgroup's path, "/sys/fs/cgroup/a/b", without trailing slash.
 * One of any task fits in CL_FOLDER_MOST; ENAMETOOLONG: it does not fit, or is so deep that the kernel does not
 * tell. */
int cl_task_folder(int tid, char *path, size_t size);

int cl_task_allowed(int tid, struct cl_cpus *cpus);
/* The same with those that are offline. Cost: a file. */
int cl_task_asked(int tid, struct cl_cpus *cpus);
/* EINVAL: the kernel refuses, as for fixed ones. In a tree it is a line of the task's status. */
int cl_task_allow(int tid, const struct cl_cpus *cpus);

/* The CPUs that a task gets without a request: the cpuset of the first cgroup upwards that has one. */
int cl_granted(int tid, struct cl_cpus *cpus);
/* Those of `cpus` that its cpuset gives. */
struct cl_cpus cl_granted_of(int tid, const struct cl_cpus *cpus);

/* By /proc/sys/kernel/osrelease: true where that cannot be read. */
bool cl_kernel_since(int major, int minor);

/* CPUs that are online, and the siblings of one (itself too) that share its core. */
int cl_online(struct cl_cpus *cpus);
struct cl_cpus cl_siblings(int cpu);
/* /proc/sys/kernel/random/boot_id, 36 characters: what was recorded in another boot is void. */
int cl_boot(char text[40]);

#endif
