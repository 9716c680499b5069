/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
#define _GNU_SOURCE
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "relay.h"

struct cl_session_shared {
  struct cl_relay relay;
  bool ended; /* the program; then: */
  int status;
  struct rusage used;
  /* The tool's own. */
  bool is_terminal[3];
  int outer, control, own; /* the terminal; the other ends of relay.tool and relay.said */
  int kept[3];             /* descriptors 1 and 2 while `own` is in their place, else -1 */
};

/* --- the leader: the program's parent, in its session --- */

static pid_t group_in_front(int slave, pid_t program) {
  pid_t group = tcgetpgrp(slave);
  return group > 0 && group != getpgrp() ? group : program;
}

/* Passes on what the relay says until the program ends. Without a parent in its session the kernel would stop no
 * program that has no job control of its own. */
static void lead(struct cl_session_shared *shared, pid_t program, int slave, int relay) {
  pid_t front = program; /* the group that had the terminal last: a shell gives it to its jobs */
  int status;
  sigset_t set;
  prctl(PR_SET_NAME, "coreloom-leader");
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGHUP);
  int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  signal(SIGCHLD, SIG_DFL); /* also of a program that stops, whatever the tool has set */
  signal(SIGPIPE, SIG_IGN);
  const int keep[] = {slave, relay, signals};
  cl_relay_keep_only(keep, 3);
  for (;;) {
    struct pollfd on[] = {{signals, POLLIN, 0}, {relay, POLLIN, 0}};
    struct signalfd_siginfo info;
    char what;
    pid_t pid;
    while ((pid = wait4(-1, &status, WUNTRACED | WNOHANG, &shared->used)) > 0) {
      if (pid != program) continue; /* an orphan, where the leader is the first process of a namespace */
      if (!WIFSTOPPED(status)) {
        shared->status = status;
        shared->ended = true;
        tcsetpgrp(slave,
                  getpgrp()); /* or the end of the session would be a hang-up for what the program left running */
        _exit(0);
      }
      what = (char)WSTOPSIG(status);
      if (write(relay, &what, 1) < 0) close(relay), relay = -1;
    }
    if (poll(on, 2, -1) < 0) continue;
    while (read(signals, &info, sizeof info) > 0)
      if (info.ssi_signo == SIGHUP) { /* the pseudo-terminal has gone: the kernel tells the leader alone */
        kill(-group_in_front(slave, program), SIGHUP);
        kill(-program, SIGCONT);
      }
    if (!on[1].revents) continue;
    ssize_t got = recv(relay, &what, 1, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close(relay), relay = -1;
    if (got != 1) continue;
    if (what == CL_LEAD_FRONT) {
      if (tcgetpgrp(slave) == getpgrp() && tcsetpgrp(slave, front)) tcsetpgrp(slave, front = program);
    } else if (what == CL_LEAD_BACK) {
      front = group_in_front(slave, program);
      tcsetpgrp(slave, getpgrp());
    } else {
      kill(-group_in_front(slave, program), what);
      continue;
    }
    kill(-program, SIGCONT);
    if (write(relay, &what, 1) < 0) close(relay), relay = -1;
  }
}

/* --- the tool's side --- */

/* A pseudo-terminal of the user's in the terminal's mode and size. */
static int open_terminal(struct cl_session_shared *s, const struct cl_user *user, int *slave) {
  struct termios mode;
  struct winsize size;
  char name[64];
  s->relay.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (s->relay.master < 0 || grantpt(s->relay.master) || unlockpt(s->relay.master)) return errno;
  *slave = ioctl(s->relay.master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC); /* never another file of its name */
  if (*slave < 0 && ptsname_r(s->relay.master, name, sizeof name) == 0)
    *slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC); /* before Linux 4.13 */
  if (*slave < 0) return errno;
  int unowned = fchown(*slave, user->uid, (gid_t)-1); /* without CAP_CHOWN the user cannot open it by its name */
  (void)unowned;
  if (tcgetattr(s->outer, &mode) == 0) tcsetattr(*slave, TCSANOW, &mode);
  if (ioctl(s->outer, TIOCGWINSZ, &size) == 0) ioctl(s->relay.master, TIOCSWINSZ, &size);
  return 0;
}

/* The relay's own description of the tool's terminal, as it does not wait while the shell's does. */
static int open_again(int fd) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int again = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  return again >= 0 ? again : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static void close_all(const int *fd, int count) {
  for (int i = 0; i < count; i++)
    if (fd[i] >= 0) close(fd[i]);
}

/* In the leader: forks the program, which returns. */
static void fork_program(struct cl_session_shared *s, int slave, const int relay[2], const int born[2],
                         pid_t *program) {
  sigset_t all, before;
  setsid();
  ioctl(slave, TIOCSCTTY, 0);
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  *program = fork();
  if (*program == 0) {
    for (int fd = 0; fd < 3; fd++)
      if (s->is_terminal[fd] && dup2(slave, fd) < 0) _exit(1);
    const int ours[] = {slave, relay[0], relay[1], born[0], born[1], s->relay.master, s->outer};
    close_all(ours, 7);
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return;
  }
  if (*program > 0) setpgid(*program, *program);
  if (*program < 0 || write(born[1], program, sizeof *program) < 0) _exit(1);
  lead(s, *program, slave, relay[1]);
}

/* The PID, or the end of the leader. */
static int hear_of(int born, pid_t *program) {
  ssize_t got;
  do got = read(born, program, sizeof *program);
  while (got < 0 && errno == EINTR);
  return got == (ssize_t)sizeof *program ? 0 : EAGAIN;
}

static int fork_relay(struct cl_session *session) {
  struct cl_session_shared *s = session->shared;
  int control[2] = {-1, -1}, said[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) || pipe2(said, O_CLOEXEC)) return errno;
  if (fcntl(said[0], F_SETFL, O_NONBLOCK)) return errno;
  s->relay.tool = control[1];
  s->relay.said = said[0];
  s->relay.outer = s->outer;
  session->relay = fork();
  if (session->relay == 0) cl_relay_run(&s->relay);
  int error = session->relay < 0 ? errno : 0;
  close(control[1]);
  close(said[0]);
  s->control = control[0];
  s->own = said[1];
  return error;
}

static int fork_on_terminal(struct cl_session *session, const struct cl_user *user, pid_t *program) {
  struct cl_session_shared *s = session->shared;
  int slave = -1, relay[2] = {-1, -1}, born[2] = {-1, -1};
  int error = s->outer < 0 ? errno : open_terminal(s, user, &slave);
  if (!error && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, relay)) error = errno;
  if (!error && pipe2(born, O_CLOEXEC)) error = errno;
  s->relay.leader = relay[0];
  session->child = error ? -1 : fork();
  if (session->child == 0) {
    fork_program(s, slave, relay, born, program);
    return 0;
  }
  if (!error && session->child < 0) error = errno;
  close_all((const int[]){slave, relay[1], born[1]}, 3);
  if (!error) error = hear_of(born[0], program);
  if (!error) {
    session->program = *program;
    error = fork_relay(session);
    if (error) kill(*program, SIGKILL);
  }
  if (error && session->child > 0) waitpid(session->child, NULL, 0);
  close_all((const int[]){born[0], relay[0], s->relay.master}, 3);
  return error;
}

void cl_session_descriptors(void) {
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) _exit(1); /* the lowest that is closed */
}

int cl_session_fork(struct cl_session *session, const struct cl_user *user, pid_t *program) {
  struct cl_session_shared *s = MAP_FAILED;
  int terminal = -1;
  *session = (struct cl_session){0};
  for (int fd = 2; user && fd >= 0; fd--)
    if (isatty(fd)) terminal = fd;
  if (terminal >= 0) {
    s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) return errno;
    session->shared = s;
    *s = (struct cl_session_shared){.outer = open_again(terminal), .control = -1, .own = -1, .kept = {-1, -1, -1}};
    s->relay.types = isatty(STDIN_FILENO);
    for (int fd = 0; fd < 3; fd++) s->is_terminal[fd] = isatty(fd);
    return fork_on_terminal(session, user, program);
  }
  session->apart = user != NULL;
  *program = session->child = session->program = fork();
  if (*program < 0) return errno;
  if (*program == 0 && user) setsid();
  return 0;
}

/* Waits until it has done so. If it was killed, the program has lost its terminal. */
static void ask_relay(const struct cl_session_shared *s, char what) {
  if (send(s->control, &what, 1, MSG_NOSIGNAL) == 1)
    while (read(s->control, &what, 1) < 0 && errno == EINTR) continue;
}

/* From here on the relay alone prints to the terminal. */
void cl_session_begin(struct cl_session *session) {
  struct cl_session_shared *s = session->shared;
  if (s == NULL) return;
  fflush(NULL);
  for (int fd = 1; fd < 3; fd++) {
    if (!s->is_terminal[fd]) continue;
    s->kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (s->kept[fd] >= 0) dup2(s->own, fd);
  }
  close(s->own);
  s->own = -1;
  ask_relay(s, CL_RELAY_BEGIN);
}

bool cl_session_ended(const struct cl_session *session, pid_t pid, int *status, struct rusage *used) {
  const struct cl_session_shared *s = session->shared;
  if (pid != session->child) return false;
  if (s && s->ended) {
    *status = s->status;
    if (used) *used = s->used;
  }
  return true;
}

void cl_session_close(struct cl_session *session) {
  struct cl_session_shared *s = session->shared;
  if (s == NULL || s->control < 0) return;
  fflush(NULL);
  for (int fd = 1; fd < 3; fd++) {
    if (s->kept[fd] < 0) continue;
    dup2(s->kept[fd], fd);
    close(s->kept[fd]);
    s->kept[fd] = -1;
  }
  if (waitid(P_PID, (id_t)session->relay, &(siginfo_t){0}, WEXITED | WNOHANG | WNOWAIT) == 0)
    kill(session->relay, SIGCONT); /* it may be stopped although the tool was continued */
  ask_relay(s, CL_RELAY_LEAVE);
  cl_relay_restore(&s->relay); /* if the relay was killed */
  close_all((const int[]){s->control, s->own, s->outer}, 3);
  s->control = -1;
}
