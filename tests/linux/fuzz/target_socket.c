/* SPDX-License-Identifier: Apache-2.0
 *
 * socket.c and irq.c's conversation, with an irqbalance that plays the file /peer of an input. Conversations are apart by
 * 0x1d: a letter, and what is sent, in parts apart by 0x1c. The letter: e hangs up then, n says the last part for ever,
 * s says nothing more, u is another user, r refuses, a is too busy. An empty part takes a second, "!" is a signal. Time
 * is played, too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "fuzz.h"
#include "hold.h"
#include "settle.h"

static struct {
  const char *at, *end; /* of what is yet to be played */
  const char *stop;     /* of this conversation */
  const char *last;     /* part that was sent */
  size_t last_size;
  char kind;
  int fd;
  double now;
} peer = {.fd = -1};

static int peer_clock(clockid_t clock, struct timespec *time) {
  double now = peer.now + (clock == CLOCK_MONOTONIC ? 100 : 1000);
  time->tv_sec = (time_t)now;
  time->tv_nsec = (long)((now - (double)time->tv_sec) * 1e9);
  return 0;
}

static int peer_nap(const struct timespec *time, struct timespec *left) {
  (void)left;
  peer.now += (double)time->tv_sec + (double)time->tv_nsec * 1e-9;
  return 0;
}

/* What it was told must be a line that irqbalance knows. */
static void peer_close(void) {
  static const char setting[] = "settings cpus ";
  char text[CL_CPUS_TEXT + 64];
  struct cl_cpus cpus;
  if (peer.fd < 0) return;
  ssize_t got = recv(peer.fd, text, sizeof text - 1, MSG_DONTWAIT);
  text[got > 0 ? got : 0] = '\0';
  const char *list = strncmp(text, setting, strlen(setting)) == 0 ? text + strlen(setting) : NULL;
  bool known = got <= 0 || strcmp(text, "setup") == 0 || (list && strcmp(list, "NULL") == 0);
  fuzz_check(known || (list && *list && cl_cpus_parse(list, &cpus) == 0), "it is told '%s'", text);
  fuzz_note_text(text);
  close(peer.fd);
  peer.fd = -1;
}

static int peer_connect(int fd, const struct sockaddr *address, socklen_t size) {
  int two[2];
  fuzz_check(address->sa_family == AF_UNIX && size > sizeof(sa_family_t) && size <= sizeof(struct sockaddr_un),
             "an address of %u bytes", (unsigned)size);
  peer_close();
  if (peer.at == peer.end) return errno = ENOENT, -1;
  const char *stop = memchr(peer.at, '\x1d', (size_t)(peer.end - peer.at));
  peer.stop = stop ? stop : peer.end;
  peer.kind = peer.at < peer.stop ? *peer.at++ : 'e';
  const char *next = stop ? stop + 1 : peer.end;
  if (peer.kind == 'r' || peer.kind == 'a') {
    peer.at = next;
    return errno = peer.kind == 'r' ? ECONNREFUSED : EAGAIN, -1;
  }
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, two)) abort();
  if (dup3(two[0], fd, O_CLOEXEC) < 0) abort();
  close(two[0]);
  peer.fd = two[1];
  peer.last_size = 0;
  return 0;
}

static int peer_option(int fd, int level, int name, void *value, socklen_t *size) {
  (void)fd;
  fuzz_check(level == SOL_SOCKET && name == SO_PEERCRED && *size == sizeof(struct ucred), "another option");
  *(struct ucred *)value = (struct ucred){.pid = 1, .uid = peer.kind == 'u' ? 65534 : 0};
  return 0;
}

static int peer_poll(struct pollfd *one, nfds_t count, int wait_ms) {
  double until = peer.now + wait_ms * 1e-3;
  fuzz_check(count == 1 && wait_ms >= 0, "it waits for ever");
  for (;;) {
    int ready = poll(one, count, 0);
    if (ready) return ready;
    if (peer.at < peer.stop) {
      const char *end = memchr(peer.at, '\x1c', (size_t)(peer.stop - peer.at));
      peer.last = peer.at;
      peer.last_size = (size_t)((end ? end : peer.stop) - peer.at);
      peer.at = end ? end + 1 : peer.stop;
      if (peer.last_size == 1 && *peer.last == '!') return errno = EINTR, -1;
      if (peer.last_size && send(peer.fd, peer.last, peer.last_size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
          errno != EAGAIN)
        abort();
      peer.now += peer.last_size ? 0.001 : 1;
    } else if (peer.kind == 'n' && peer.last_size) {
      if (send(peer.fd, peer.last, peer.last_size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN) abort();
      peer.now += 0.001;
    } else if (peer.kind == 's' || peer.kind == 'n') {
      peer.now = until;
    } else {
      shutdown(peer.fd, SHUT_WR);
    }
    if (peer.now >= until) {
      peer.now = until;
      return 0;
    }
  }
}

#define clock_gettime peer_clock
#define nanosleep peer_nap
#define connect peer_connect
#define getsockopt peer_option
#define poll peer_poll
#define cl_socket_deadline played_deadline
#define cl_socket_open played_open
#define cl_socket_wait played_wait
#define cl_irqbalance_restore played_restore
#define cl_irqs_clear played_clear
#include "../../../linux/exclusive/socket.c"
int cl_irqbalance_restore(const char *name, const char *old, const char *new);
int cl_irqs_clear(struct cl_hold *hold);
#include "../../../linux/exclusive/irq.c"
#undef poll

static const char *const fuzz_words[] = {"SLEEP ",
                                         "BANNED ",
                                         "SLEEP 10 IRQ 5 LOAD 0 DIFF 0 CLASS 1 BANNED 00000000,00000008",
                                         "\x1c",
                                         "\x1c\x1c",
                                         "\x1c!\x1c",
                                         "\x1d",
                                         "\x1d"
                                         "e",
                                         "\x1d"
                                         "n",
                                         "\x1d"
                                         "s",
                                         "\x1d"
                                         "u",
                                         "\x1d"
                                         "r",
                                         "\x1d"
                                         "a",
                                         " @irqbalance1.sock\n",
                                         FUZZ_FILE "/peer" FUZZ_TEXT "e",
                                         NULL};

static int lowest_free(void) {
  int fd = dup(STDOUT_FILENO);
  close(fd);
  return fd;
}

static void begin(const char *data, size_t size) {
  size_t length;
  peer_close();
  peer.at = peer.stop = fuzz_file(data, size, "/peer", &length);
  peer.end = peer.at + length;
  peer.kind = 'e';
  peer.now = 0;
}

static void end(int error, int fd) {
  fuzz_note_number((uint64_t)error);
  fuzz_check(peer.now < PATIENCE_S + 0.1, "it was kept for %.3f s", peer.now);
  peer_close();
  int now = lowest_free();
  fuzz_check(now == fd, "a socket is left open: %d, not %d", now, fd);
}

static void run_peer(const char *data, size_t size) {
  struct cl_request request = {.count = 1};
  struct cl_layer layer = {.fd = -1};
  struct cl_baseline base = {.fd = -1};
  struct cl_hold hold = {.request = &request, .id = 100, .cpus = cl_cpus_one(3), .signals = -1};
  fuzz_tree(data, size);
  peer_close();
  int fd = lowest_free();
  begin(data, size);
  end(cl_irqbalance_restore("@irqbalance1.sock", "0", "0,3"), fd);
  hold.use = hold.cpus;
  hold.online = cl_cpus_one(0);
  cl_cpus_add(&hold.online, 3);
  hold.rest = cl_cpus_minus(&hold.online, &hold.cpus);
  hold.changes = (struct cl_changes){.layer = &layer, .base = &base};
  begin(data, size);
  end(cl_irqs_clear(&hold), fd);
  fuzz_printed(true);
}

FUZZ_TARGET(socket, .run = run_peer, .words = fuzz_words, .most = 140000)
