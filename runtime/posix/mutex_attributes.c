/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>

#include "posix.h"

static void use_protocols(void) {
  cl_mutex_protocols = 1;
  cl_timer_ended = cl_mutex_gave_up;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr) {
  *attr = (pthread_mutexattr_t){.ceiling = CL_PRIORITIES - 1};
  return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  attr->shared = -1;
  return 0;
}

static int set(const pthread_mutexattr_t *attr, uint8_t *to, int value, int most) {
  if (!CL_IS_ATTR(attr) || value < 0 || value > most) return EINVAL;
  *to = (uint8_t)value;
  return 0;
}

static int get(const pthread_mutexattr_t *attr, const uint8_t *from, int *value) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  *value = *from;
  return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type) {
  return set(attr, &attr->type, type, PTHREAD_MUTEX_RECURSIVE);
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *type) { return get(attr, &attr->type, type); }

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol) {
  use_protocols();
  return set(attr, &attr->protocol, protocol, PTHREAD_PRIO_PROTECT);
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attr, int *protocol) {
  return get(attr, &attr->protocol, protocol);
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling) {
  return set(attr, &attr->ceiling, ceiling, CL_PRIORITIES - 1);
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attr, int *ceiling) {
  return get(attr, &attr->ceiling, ceiling);
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust) {
  use_protocols();
  return set(attr, &attr->robust, robust, PTHREAD_MUTEX_ROBUST);
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust) {
  return get(attr, &attr->robust, robust);
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared) {
  if (!CL_IS_ATTR(attr) || !cl_is_sharing(shared)) return EINVAL;
  attr->shared = shared;
  return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr, int *shared) {
  if (!CL_IS_ATTR(attr)) return EINVAL;
  *shared = attr->shared;
  return 0;
}
