/* SPDX-License-Identifier: Apache-2.0
 *
 * Ports. A thread of Linux may be preempted at any instruction, and thus publish: so a buffered port is a direct one. */
#include <errno.h>
#include <pthread.h>

#include "coreloom.h"
#include "ground.h"

struct port {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t receiver;
  unsigned first, count;
  int open;
  uint32_t words[CL_PORT_DEPTH];
};

static struct port ports[CL_PORTS] = {
    [0 ... CL_PORTS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER}};

static struct port *locked(int number) {
  if ((unsigned)number >= CL_PORTS) return NULL;
  pthread_mutex_lock(&ports[number].lock);
  return &ports[number];
}

static int unlocked(struct port *port, int error) {
  pthread_mutex_unlock(&port->lock);
  return error;
}

int port_open(int number, int flags) {
  struct port *const port = flags & ~PORT_DIRECT ? NULL : locked(number);
  if (port == NULL) return EINVAL;
  if (port->open) return unlocked(port, EBUSY);
  port->open = 1;
  port->first = port->count = 0;
  port->receiver = pthread_self();
  return unlocked(port, 0);
}

/* Messages in it are lost, and so are messages that others wait to send. */
int port_close(int number) {
  struct port *const port = locked(number);
  if (port == NULL) return EINVAL;
  if (!port->open) return unlocked(port, EBADF);
  if (!pthread_equal(port->receiver, pthread_self())) return unlocked(port, EPERM);
  port->open = 0;
  pthread_cond_broadcast(&port->changed);
  return unlocked(port, 0);
}

/* until: NULL, wait without limit. */
static int wait(struct port *port, const struct timespec *until) {
  return until ? pthread_cond_clockwait(&port->changed, &port->lock, CLOCK_MONOTONIC, until)
               : pthread_cond_wait(&port->changed, &port->lock);
}

/* late: the error of one that does not wait; 0: it waits. */
static int send(int number, uint32_t word, int late, const struct timespec *until) {
  struct port *const port = locked(number);
  if (port == NULL) return EINVAL;
  while (port->open && port->count == CL_PORT_DEPTH) {
    const int error = late ? late : wait(port, until);
    if (error && port->open && port->count == CL_PORT_DEPTH) return unlocked(port, error);
  }
  if (!port->open) return unlocked(port, EBADF);
  port->words[(port->first + port->count++) % CL_PORT_DEPTH] = word;
  pthread_cond_broadcast(&port->changed);
  return unlocked(port, 0);
}

static int receive(int number, uint32_t *word, int late, const struct timespec *until) {
  struct port *const port = locked(number);
  if (port == NULL) return EINVAL;
  if (!port->open) return unlocked(port, EBADF);
  if (!pthread_equal(port->receiver, pthread_self())) return unlocked(port, EPERM);
  while (port->count == 0) {
    const int error = late ? late : wait(port, until);
    if (error && port->count == 0) return unlocked(port, error);
  }
  *word = port->words[port->first];
  port->first = (port->first + 1) % CL_PORT_DEPTH;
  port->count--;
  pthread_cond_broadcast(&port->changed);
  return unlocked(port, 0);
}

int port_send(int port, uint32_t word) { return send(port, word, 0, NULL); }
int port_trysend(int port, uint32_t word) { return send(port, word, EAGAIN, NULL); }
int port_timedsend(int port, uint32_t word, uint32_t cycles) {
  const struct timespec until = cl_after(CLOCK_MONOTONIC, cycles);
  return send(port, word, 0, &until);
}
int port_receive(int port, uint32_t *word) { return receive(port, word, 0, NULL); }
int port_tryreceive(int port, uint32_t *word) { return receive(port, word, EAGAIN, NULL); }
int port_timedreceive(int port, uint32_t *word, uint32_t cycles) {
  const struct timespec until = cl_after(CLOCK_MONOTONIC, cycles);
  return receive(port, word, 0, &until);
}
int port_publish(void) { return 0; }
