/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX <poll.h>. All descriptors are plain: each is ready, but a read of standard input may wait. */
#ifndef CORELOOM_POLL_H
#define CORELOOM_POLL_H

#ifdef __cplusplus
extern "C" {
#endif

#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
#define POLLRDNORM 64
#define POLLRDBAND 128
#define POLLWRNORM 256
#define POLLWRBAND 512

typedef unsigned long nfds_t;

struct pollfd {
  int fd;
  short events, revents;
};

int poll(struct pollfd *files, nfds_t count, int milliseconds);

#ifdef __cplusplus
}
#endif

#endif
