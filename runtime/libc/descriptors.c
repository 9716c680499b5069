/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls for several descriptors, buffers or places at once. All descriptors are plain files to select and poll: ready,
 * whatever is asked; so these wait only where they are given no descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "cl_host.h"

#define WEAK __attribute__((weak))

/* NULL: for ever, until a signal. */
static int pause_for(const struct timespec *time) { return time ? nanosleep(time, NULL) : pause(); }

static int members(int count, const fd_set *set) {
  int found = 0;
  for (int file = 0; set && file < count; file++) found += FD_ISSET(file, set);
  return found;
}

WEAK int pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *time, const sigset_t *mask) {
  (void)mask;
  if (other) FD_ZERO(other);
  const int ready = members(count, in) + members(count, out);
  return ready ? ready : pause_for(time);
}

WEAK int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *time) {
  const struct timespec same = time ? (struct timespec){time->tv_sec, time->tv_usec * 1000} : (struct timespec){0};
  return pselect(count, in, out, other, time ? &same : NULL, NULL);
}

WEAK int poll(struct pollfd *files, nfds_t count, int milliseconds) {
  int ready = 0;
  for (nfds_t i = 0; i < count; i++) {
    files[i].revents = files[i].fd < 0 ? 0 : files[i].events & (POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM);
    ready += files[i].revents != 0;
  }
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  return ready ? ready : pause_for(milliseconds < 0 ? NULL : &time);
}

/* Up to the first part that is not whole. */
static ssize_t each(int file, const struct iovec *parts, int count, ssize_t (*call)(int, void *, size_t)) {
  ssize_t all = 0;
  for (int i = 0; i < count; i++) {
    const ssize_t done = call(file, parts[i].iov_base, parts[i].iov_len);
    if (done < 0) return all ? all : done;
    all += done;
    if ((size_t)done < parts[i].iov_len) break;
  }
  return all;
}

static ssize_t write_out(int file, void *from, size_t bytes) { return cl_write(file, from, bytes); }
WEAK ssize_t readv(int file, const struct iovec *parts, int count) { return each(file, parts, count, cl_read); }
WEAK ssize_t writev(int file, const struct iovec *parts, int count) { return each(file, parts, count, write_out); }

/* At a place of the file, whose own place stays; the lock of all streams keeps other threads away. */
static ssize_t at(int file, void *memory, size_t bytes, off_t place, ssize_t (*call)(int, void *, size_t)) {
  flockfile(stdout);
  ssize_t done = -1;
  const off_t before = cl_seek(file, 0, SEEK_CUR);
  if (before >= 0 && cl_seek(file, place, SEEK_SET) >= 0) {
    done = call(file, memory, bytes);
    cl_seek(file, before, SEEK_SET);
  }
  funlockfile(stdout);
  return done;
}

WEAK ssize_t pread(int file, void *to, size_t bytes, off_t place) { return at(file, to, bytes, place, cl_read); }
WEAK ssize_t pwrite(int file, const void *from, size_t bytes, off_t place) {
  return at(file, (void *)from, bytes, place, write_out);
}

WEAK int truncate(const char *path, off_t bytes) {
  const int file = cl_open(path, O_WRONLY, 0);
  if (file < 0) return -1;
  const int status = ftruncate(file, bytes);
  cl_close(file);
  return status;
}
