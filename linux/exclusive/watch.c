/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "baseline.h"
#include "counters.h"
#include "say.h"
#include "settle.h"
#include "state.h"
#include "urgent.h"

#define GRACE_S 0.5 /* the tool itself releases the CPUs at the deadline, unless it is stopped */

struct watch {
  int tool;
  struct cl_layer layer; /* fd -1: nothing is held yet */
  struct cl_baseline base;
};

/* Opens the kernel's reports on its devices, CPUs among them. -1: not in this network namespace, say. */
static int open_uevents(void) {
  const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};
  int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
  if (fd < 0 || bind(fd, (const struct sockaddr *)&kernel, sizeof kernel) == 0) return fd;
  close(fd);
  return -1;
}

/* A report only says that it is time to look. */
static void drain(int fd) {
  char text[4096];
  while (recv(fd, text, sizeof text, MSG_DONTWAIT) > 0) continue;
}

static void open_state(struct watch *w) {
  if (w->layer.fd >= 0) close(w->layer.fd);
  cl_baseline_free(&w->base);
  cl_layer_path(w->tool, w->layer.path);
  if (cl_state_open(w->layer.path, O_RDWR | O_APPEND, &w->layer.fd)) w->layer.fd = -1;
  else cl_state_mark(w->layer.fd, CL_MARK_WATCHER);
  cl_baseline_read(&w->base);
}

/* The number of tasks that wait for CPUs that are offline. */
static int take_back(struct watch *w, const char *why) {
  const struct cl_settling mine = {.id = w->tool};
  struct cl_settled settled = {0};
  bool ended = false;
  int lock;
  if (cl_state_lock(&lock, INFINITY)) return 0;
  cl_urgent(true);
  if (w->layer.fd >= 0 && cl_layer_keep(&w->layer, &ended) == 0 && !ended) cl_baseline_refresh(&w->base);
  if (!ended && cl_exists(w->layer.path)) cl_warn("%s", why); /* in the log file, if there is one */
  cl_settle(&mine, &settled); /* also without a layer: the tool may have been killed before it began one */
  close(lock);
  cl_urgent(false);
  return settled.owed;
}

/* The tool is gone and its layer too; what tasks wait for is in the baseline. */
static void wait_for_cpus(struct watch *w) {
  int uevents = open_uevents();
  struct pollfd event = {uevents, POLLIN, 0};
  sigset_t end;
  if (w->layer.fd >= 0) close(w->layer.fd);
  w->layer.fd = -1;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &end, NULL);
  while (take_back(w, "") > 0) { /* once more first: it may have come before uevents were listened to */
    poll(&event, 1, uevents < 0 ? 1000 : 60000); /* all the same now and then: a message may be lost */
    drain(uevents);
  }
}

/* Why a pipe and not the tool's pidfd: it is as reliable (the kernel closes the tool's end however it dies) and
 * older. */
static void watch(int fd, int tool) {
  struct watch w = {.tool = tool, .layer = {-1, ""}, .base = {.fd = -1}};
  double deadline = INFINITY;
  setsid(); /* a Ctrl-C and the end of the terminal are not for it */
  prctl(PR_SET_NAME, "coreloom-watch");
  for (int number = 1; number < 32; number++) signal(number, number == SIGCHLD ? SIG_DFL : SIG_IGN);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3 && null >= 0; i++) dup2(null, i);
  cl_layer_path(tool, w.layer.path);
  for (;;) {
    struct pollfd pipe = {fd, POLLIN, 0};
    double left = (deadline + GRACE_S - cl_now()) * 1e3;
    int ready = poll(&pipe, 1, isinf(left) ? -1 : left <= 0 ? 0 : left > 60000 ? 60000 : (int)left + 1);
    if (ready > 0) {
      ssize_t got = read(fd, &deadline, sizeof deadline);
      if (got == (ssize_t)sizeof deadline && isnan(deadline)) _exit(0);
      else if (got == (ssize_t)sizeof deadline) open_state(&w);
      else if (got == 0 || (got < 0 && errno != EINTR)) break;
    } else if (ready == 0 && cl_now() >= deadline + GRACE_S) {
      take_back(&w, "--max has expired and the tool is stopped: its watcher undoes everything");
      deadline = INFINITY;
    }
  }
  if (take_back(&w, "the tool was killed: its watcher undoes everything") > 0) wait_for_cpus(&w);
  _exit(0);
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

void cl_watcher_tell(const struct cl_watcher *watcher, double deadline) {
  ssize_t wrote;
  do wrote = write(watcher->fd, &deadline, sizeof deadline);
  while (wrote < 0 && errno == EINTR);
}

void cl_watcher_stop(struct cl_watcher *watcher, bool unfinished) {
  if (!unfinished) {
    cl_watcher_tell(watcher, NAN);
  } else if (waitpid(watcher->pid, NULL, WNOHANG) != 0) { /* it was killed */
    close(watcher->fd);
    if (cl_watcher_start(watcher)) return;
  }
  close(watcher->fd);
  if (unfinished) return;
  while (waitpid(watcher->pid, NULL, 0) < 0 && errno == EINTR) continue;
}
