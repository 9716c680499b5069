/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks as /proc has them: their stat, status and cgroup, and the mounts. */
#include <limits.h>
#include <string.h>

#include "files.h"
#include "fuzz.h"
#include "tasks.h"

static const char *const words[] = {") S ",
                                    ") R 1 ",
                                    "(",
                                    ")",
                                    "\n",
                                    "\nTgid:\t",
                                    "\nCpus_allowed_list:\t",
                                    "0::/",
                                    "0::",
                                    ":",
                                    "\\040",
                                    "\\012",
                                    "cgroup2",
                                    "cgroup",
                                    "/",
                                    "/..",
                                    FUZZ_FILE "/proc/200/task/201/stat" FUZZ_TEXT,
                                    FUZZ_FILE "/proc/99999999999/stat" FUZZ_TEXT,
                                    NULL};

static void note(const struct cl_task *task) {
  fuzz_check(memchr(task->name, '\0', sizeof task->name) != NULL, "a name without an end");
  fuzz_note_text(task->name);
  fuzz_note_number((uint64_t)task->state), fuzz_note_number((uint64_t)task->cpu),
      fuzz_note_number((uint64_t)task->parent);
  fuzz_note_number(task->born), fuzz_note_number(task->used), fuzz_note_number(task->kernel + 2 * task->fixed);
  fuzz_note(&task->allowed, sizeof task->allowed);
}

static void look(int tid) {
  struct cl_task task;
  struct cl_cpus cpus;
  char path[CL_PATH_MOST];
  if (cl_task_read(tid, &task) == 0) {
    note(&task);
    cl_task_lives(tid, task.born);
    fuzz_check(task.state != '\0', "a task without a state");
  }
  if (cl_task_asked(tid, &cpus) == 0) fuzz_note(&cpus, sizeof cpus);
  if (cl_task_group(tid, path, sizeof path) == 0) fuzz_note_text(path);
  if (cl_task_folder(tid, path, sizeof path) == 0) fuzz_note_text(path);
  if (cl_granted(tid, &cpus) == 0) fuzz_note(&cpus, sizeof cpus);
}

static void run(const char *data, size_t size) {
  struct cl_tasks tasks;
  struct cl_cpus cpus;
  char boot[40];
  fuzz_tree(data, size);
  int error = cl_tasks_read(&tasks);
  fuzz_note_number((uint64_t)error);
  for (size_t i = 0; !error && i < tasks.count; i++) {
    note(&tasks.task[i]);
    fuzz_check(tasks.task[i].tid > 0 && tasks.task[i].pid > 0, "task %d of %d", tasks.task[i].tid, tasks.task[i].pid);
  }
  cl_tasks_free(&tasks);
  if (cl_tasks_kernel(&tasks) == 0) fuzz_note_number(tasks.count);
  cl_tasks_free(&tasks);
  if (cl_tasks_of(200, &tasks) == 0) fuzz_note_number(tasks.count);
  cl_tasks_free(&tasks);
  look(200), look(1);
  fuzz_note_number(cl_kernel_since(6, 7));
  if (cl_online(&cpus) == 0) fuzz_note(&cpus, sizeof cpus);
  cpus = cl_siblings(2);
  fuzz_check(cl_cpus_has(&cpus, 2), "a CPU that is not its own sibling");
  if (cl_boot(boot) == 0) fuzz_note_text(boot);
}

FUZZ_TARGET(tasks, .run = run, .words = words, .most = 60000)
