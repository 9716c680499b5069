/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "socket.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double cl_socket_deadline(double seconds) { return now_s() + seconds; }

/* The user that called listen() on the socket, as the kernel reports it. */
static int check_owner(int fd, unsigned *owner) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)) return errno;
  *owner = peer.uid;
  return peer.uid == 0 || (cl_files_is_tree() && peer.uid == geteuid()) ? 0 : EPERM;
}

int cl_socket_open(const char *name, int *fd, unsigned *owner) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  bool abstract = name[0] == '@';
  const char *path = abstract ? name : cl_files_path(name);
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) return ENAMETOOLONG;
  memcpy(address.sun_path, path, length + 1);
  if (abstract) address.sun_path[0] = '\0';
  else length++;
  *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (*fd < 0) return errno;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  int error = connect(*fd, (struct sockaddr *)&address, size) ? errno : 0;
  if (!error) error = check_owner(*fd, owner);
  if (error) close(*fd);
  return error;
}

int cl_socket_wait(int fd, short events, double deadline) {
  struct pollfd one = {.fd = fd, .events = events};
  for (;;) {
    double left = deadline - now_s();
    int ready = left > 0 ? poll(&one, 1, (int)(left * 1000) + 1) : 0;
    if (ready > 0) return 0;
    if (ready == 0) return ETIMEDOUT;
    if (errno != EINTR) return errno;
  }
}
