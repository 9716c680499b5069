/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * Nothing is read before there is room for it, so a slow terminal slows the program as it would without a relay; and
 * nothing is polled that cannot be served, so the relay sleeps while nothing happens. */
#define _GNU_SOURCE
#include "relay.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNK 4096
#define LATE_MS 50
#define LAST (128 << 10) /* more than a pseudo-terminal holds */

struct buffer {
  char text[2 * CHUNK];
  size_t from, end;
};

struct state {
  struct cl_relay *r;
  int signals;
  bool begun;
  bool types; /* what is typed is the program's: descriptor 0 is the terminal, or the program has asked to read */
  bool reads; /* and just now it is: the terminal is raw */
  bool alone; /* the tool has left */
  bool over;  /* the program has ended */
  struct buffer out, in;
};

/* --- the terminal's mode --- */

static bool same_mode(const struct termios *a, const struct termios *b) {
  return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag && a->c_lflag == b->c_lflag &&
         memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

void cl_relay_restore(const struct cl_relay *r) {
  struct termios now = {0}; /* musl leaves what the kernel does not fill as it is */
  if (tcgetattr(r->outer, &now) == 0 && same_mode(&now, &r->raw)) tcsetattr(r->outer, TCSANOW, &r->before);
}

/* A terminal that does not control the tool's session stops nobody. */
static bool in_front(const struct state *s) {
  pid_t group = tcgetpgrp(s->r->outer);
  return group < 0 ? errno == ENOTTY : group == getpgrp();
}

static void copy_size(const struct state *s) {
  struct winsize size;
  if (ioctl(s->r->outer, TIOCGWINSZ, &size) == 0) ioctl(s->r->master, TIOCSWINSZ, &size);
}

static void take_terminal(struct state *s) {
  if (s->reads) return;
  if (tcgetattr(s->r->outer, &s->r->before)) return;
  s->r->raw = s->r->before;
  cfmakeraw(&s->r->raw);
  s->reads = tcsetattr(s->r->outer, TCSANOW, &s->r->raw) == 0;
  tcgetattr(s->r->outer, &s->r->raw); /* as the driver has understood it */
}

static void leave_terminal(struct state *s) {
  if (s->reads) cl_relay_restore(s->r);
  s->reads = false;
}

/* The terminal has gone. The pseudo-terminal goes with it, and tells the program. */
static void end(struct state *s) {
  leave_terminal(s);
  _exit(0);
}

/* --- text --- */

/* As much as the terminal takes now. */
static void put(struct state *s, int fd, struct buffer *b) {
  while (b->from < b->end) {
    ssize_t wrote = write(fd, b->text + b->from, b->end - b->from);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) return;
    if (wrote <= 0 && fd == s->r->outer) end(s);
    if (wrote <= 0) b->from = b->end; /* the program's side is closed */
    else b->from += (size_t)wrote;
  }
  b->from = b->end = 0;
}

static void put_all(struct state *s) {
  struct pollfd outer = {s->r->outer, POLLOUT, 0};
  for (put(s, outer.fd, &s->out); s->out.end; put(s, outer.fd, &s->out)) poll(&outer, 1, -1);
}

/* Bytes read into an empty buffer; 0: none now; -1: none ever. */
static ssize_t get(int fd, struct buffer *b) {
  ssize_t got;
  do got = read(fd, b->text, CHUNK);
  while (got < 0 && errno == EINTR);
  b->from = 0;
  b->end = got > 0 ? (size_t)got : 0;
  return got > 0 ? got : got < 0 && errno == EAGAIN ? 0 : -1;
}

/* Passes on the tool's output. While the terminal is raw it makes no new line of a line feed. */
static bool get_said(struct state *s) {
  char text[CHUNK];
  ssize_t got = get(s->r->said, &s->out);
  if (got > 0 && s->reads) {
    memcpy(text, s->out.text, (size_t)got);
    s->out.end = 0;
    for (ssize_t i = 0; i < got; i++) {
      if (text[i] == '\n') s->out.text[s->out.end++] = '\r';
      s->out.text[s->out.end++] = text[i];
    }
  }
  return got > 0;
}

/* Passes on the program's output. While the terminal is not raw it makes a new line of a line feed once more. */
static ssize_t get_printed(struct state *s) {
  ssize_t got = get(s->r->master, &s->out);
  struct termios mode;
  size_t kept = 0;
  if (got <= 0 || s->reads || tcgetattr(s->r->outer, &mode) || (~mode.c_oflag & (OPOST | ONLCR))) return got;
  for (size_t i = 0; i < s->out.end; i++)
    if (s->out.text[i] != '\r' || i + 1 == s->out.end || s->out.text[i + 1] != '\n')
      s->out.text[kept++] = s->out.text[i];
  s->out.end = kept;
  return got;
}

/* Passes on the program's output from before it stopped or ended; others of its session may print for ever. On a busy
 * machine the kernel may be late with it. */
static void get_last(struct state *s) {
  struct pollfd master = {s->r->master, POLLIN, 0};
  ssize_t got = 0;
  put_all(s);
  for (size_t all = 0; s->begun && all < LAST && got >= 0; all += (size_t)got) {
    got = get_printed(s);
    put_all(s);
    if (got == 0 && poll(&master, 1, LATE_MS) == 0) return;
    if (got < 0) return;
  }
}

static void get_typed(struct state *s) {
  if (get(s->r->outer, &s->in) >= 0) return;
  if (tcgetpgrp(s->r->outer) < 0 && errno != ENOTTY) end(s);
  if (in_front(s)) end(s); /* end of file: a hang-up */
  leave_terminal(s);       /* somebody else has been brought to the front */
}

/* --- job control --- */

static void tell(const struct state *s, int what) {
  char byte = (char)what;
  if (!s->over && write(s->r->leader, &byte, 1) < 0) return; /* it has just ended: the next read says so */
}

/* 0: nothing; also when the program has ended, which is noted. */
static int told(struct state *s) {
  char signal = 0;
  ssize_t got = recv(s->r->leader, &signal, 1, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) s->over = true;
  return got == 1 ? signal : 0;
}

/* Puts the program in front or behind and lets it go on. Waits for that, as a Ctrl-C goes to those in front; where it
 * was stopped before, it no longer is. */
static void lead(struct state *s, int where) {
  char answer = 0;
  tell(s, where);
  while (!s->over && answer != where) {
    ssize_t got = read(s->r->leader, &answer, 1);
    s->over = got == 0 || (got < 0 && errno != EINTR);
  }
}

/* The tool, and with it the program, begins or goes on, in front or behind. */
static void go_on(struct state *s) {
  bool front = !s->alone && in_front(s);
  if (!s->begun || s->over) return;
  if (front) copy_size(s);
  if (front && s->types) take_terminal(s);
  else leave_terminal(s);
  lead(s, s->reads ? CL_LEAD_FRONT : CL_LEAD_BACK);
}

/* Stops the job as the terminal would. False: nobody could continue it, so it has not been stopped. */
static bool stop_job(struct state *s, int signal) {
  sigset_t one, pending;
  leave_terminal(s);
  if (s->alone) return false;
  sigemptyset(&one);
  sigaddset(&one, signal);
  kill(0, signal);
  sigprocmask(SIG_UNBLOCK, &one, NULL); /* stops here */
  sigprocmask(SIG_BLOCK, &one, NULL);
  return sigpending(&pending) == 0 && sigismember(&pending, SIGCONT);
}

/* The program was stopped, perhaps as it is not in front in its session and wants to use the terminal. */
static void stopped(struct state *s, int signal) {
  bool wants = signal == SIGTTIN || signal == SIGTTOU;
  s->types |= wants;
  if (wants && !s->alone && in_front(s)) return go_on(s);
  get_last(s); /* a screen that it has set back, say */
  if (stop_job(s, wants ? signal : SIGTSTP)) return; /* SIGCONT is read next */
  if (wants) lead(s, CL_LEAD_FRONT); /* else it would be stopped again at once: it waits for input that does not come */
  else if (!s->alone) go_on(s);
}

static void stop_all(struct state *s) {
  tell(s, SIGTSTP);
  if (!stop_job(s, SIGTSTP)) go_on(s);
}

static void signalled(struct state *s) {
  struct signalfd_siginfo info;
  struct termios mode;
  while (read(s->signals, &info, sizeof info) == (ssize_t)sizeof info) switch ((int)info.ssi_signo) {
      case SIGHUP:
        if (tcgetattr(s->r->outer, &mode)) end(s);
        break;
      case SIGWINCH:
        if (in_front(s)) copy_size(s);
        break;
      case SIGCONT: go_on(s); break;
      case SIGTSTP: stop_all(s); break;
      default: /* SIGINT, SIGQUIT: typed while the terminal is not raw. Those that are sent the tool passes on. */
        if (info.ssi_code == SI_KERNEL) tell(s, (int)info.ssi_signo);
    }
}

/* --- the tool --- */

static void leave_tool(struct state *s, bool asked) {
  char byte = CL_RELAY_LEAVE;
  put_all(s);
  while (get_said(s)) put_all(s);
  leave_terminal(s);
  s->alone = true;
  if (asked && write(s->r->tool, &byte, 1) < 0) asked = false;
  close(s->r->tool);
  close(s->r->said);
  s->r->tool = s->r->said = -1;
  if (s->begun) lead(s, CL_LEAD_BACK);
}

static void hear_tool(struct state *s) {
  char byte = 0;
  ssize_t got = read(s->r->tool, &byte, 1);
  if (got < 0 && errno == EINTR) return;
  if (got == 1 && byte == CL_RELAY_BEGIN) {
    s->begun = true;
    go_on(s);
    if (write(s->r->tool, &byte, 1) < 0) return; /* the tool was killed: read next */
  } else {
    leave_tool(s, got == 1);
  }
}

/* --- all of it --- */

static void see_end(struct state *s) {
  get_last(s);
  leave_terminal(s);
  close(s->r->leader);
  s->r->leader = -1;
}

static void relay(struct state *s) {
  /* poll() looks at them in this order. The tool speaks of the program's end after the leader has ended: so where its
   * words are seen, that end is seen with them, and what the program printed last goes first. */
  enum { SAID, SIGNALS, LEADER, TOOL, OUTER, MASTER, ALL };
  while (!s->over || !s->alone) {
    bool room = s->out.end == 0, live = s->begun && !s->over;
    short outer = (short)((room ? 0 : POLLOUT) | (s->reads && s->in.end == 0 ? POLLIN : 0));
    short master = (short)((live && room ? POLLIN : 0) | (live && s->in.end ? POLLOUT : 0));
    struct pollfd on[ALL] = {
        [SAID] = {room ? s->r->said : -1, POLLIN, 0},
        [SIGNALS] = {s->signals, POLLIN, 0},
        [LEADER] = {s->r->leader, POLLIN, 0},
        [TOOL] = {s->r->tool, POLLIN, 0},
        [OUTER] = {s->r->outer, outer, 0},
        [MASTER] = {live ? s->r->master : -1, master, 0},
    };
    if (poll(on, ALL, -1) < 0) continue;
    if (on[OUTER].revents & (POLLHUP | POLLERR | POLLNVAL)) end(s);
    if (on[OUTER].revents & POLLOUT) put(s, s->r->outer, &s->out);
    if (on[OUTER].revents & POLLIN) get_typed(s);
    if (s->in.end) put(s, s->r->master, &s->in);
    if (s->out.end == 0 && on[MASTER].revents & POLLIN) get_printed(s);
    if (s->out.end) put(s, s->r->outer, &s->out);
    if (on[SIGNALS].revents) signalled(s);
    if (on[LEADER].revents) {
      int signal = told(s);
      if (signal) stopped(s, signal);
      if (s->over) see_end(s);
    }
    /* After what the program printed last: the tool speaks of its end. */
    if (s->out.end == 0 && on[SAID].revents && !get_said(s) && on[SAID].revents & POLLHUP)
      close(s->r->said), s->r->said = -1;
    if (s->out.end) put(s, s->r->outer, &s->out);
    if (on[TOOL].revents) hear_tool(s);
  }
  if (s->r->leader >= 0) see_end(s);
  end(s);
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

void cl_relay_keep_only(const int *keep, int count) {
  int all[8], from = STDERR_FILENO + 1;
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3; i++)
    if (null < 0 || dup2(null, i) < 0) close(i);
  memcpy(all, keep, (size_t)count * sizeof *all);
  qsort(all, (size_t)count, sizeof *all, compare);
  for (int i = 0; i <= count; i++) {
    unsigned end = i < count ? (unsigned)all[i] : ~0u;
    if ((unsigned)from < end && syscall(SYS_close_range, (unsigned)from, end - (i < count), 0))
      for (int fd = from; (unsigned)fd < end && fd < sysconf(_SC_OPEN_MAX); fd++) close(fd);
    if (i < count) from = all[i] + 1;
  }
}

void cl_relay_run(struct cl_relay *r) {
  static const int handled[] = {SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGHUP};
  static struct state state;
  struct state *s = &state;
  sigset_t set;
  prctl(PR_SET_NAME, "coreloom-relay");
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) sigaddset(&set, handled[i]);
  *s = (struct state){.r = r, .types = r->types, .signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
  sigfillset(&set); /* SIGTTIN and SIGTTOU, too: a read fails then, and a mode is set all the same */
  sigprocmask(SIG_SETMASK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  for (int stop = 0; stop < 3; stop++) signal((const int[]){SIGTSTP, SIGTTIN, SIGTTOU}[stop], SIG_DFL);
  const int keep[] = {r->outer, r->master, r->leader, r->tool, r->said, s->signals};
  cl_relay_keep_only(keep, 6);
  relay(s);
  _exit(0);
}
