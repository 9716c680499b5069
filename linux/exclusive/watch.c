/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "restore.h"
#include "say.h"
#include "urgent.h"

/* Why a pipe and not the tool's pidfd: it is as sure (the kernel closes the tool's end in every death) and older. */
static void watch(int fd, int tool) {
  char byte, path[CL_PATH_MOST];
  struct cl_restored restored;
  int lock;
  setsid(); /* a Ctrl-C and the end of the terminal are not for it */
  prctl(PR_SET_NAME, "coreloom-watch");
  for (int number = 1; number < 32; number++) signal(number, number == SIGCHLD ? SIG_DFL : SIG_IGN);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3 && null >= 0; i++) dup2(null, i);
  while (read(fd, &byte, 1) < 0 && errno == EINTR) continue;
  cl_urgent(true);
  cl_journal_of(tool, path);
  if (!cl_exists(path) || cl_journal_lock(&lock)) _exit(0);
  cl_warn("pid %d was killed: its watcher takes everything back", tool); /* in the log file, if there is one */
  int error = cl_journal_restore(path, 0, &restored);
  _exit(error != 0);
}

int cl_watcher_start(struct cl_watcher *watcher) {
  int ends[2], tool = getpid();
  if (pipe2(ends, O_CLOEXEC)) return errno;
  watcher->pid = fork();
  if (watcher->pid == 0) {
    close(ends[1]);
    watch(ends[0], tool);
  }
  int error = watcher->pid < 0 ? errno : 0;
  close(ends[0]);
  if (error) close(ends[1]);
  watcher->fd = ends[1];
  return error;
}

void cl_watcher_stop(struct cl_watcher *watcher) {
  close(watcher->fd);
  while (waitpid(watcher->pid, NULL, 0) < 0 && errno == EINTR) continue;
}
