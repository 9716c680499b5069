/* SPDX-License-Identifier: Apache-2.0
 *
 * <threads.h>, and what <time.h> has for it. Keys are apart (tss.c), as they use malloc. A program may have each name for
 * its own, as on Linux: libraries have these functions for where there are none. */
#include <errno.h>
#include <stdint.h>
#include <threads.h>

#pragma weak thrd_create
#pragma weak thrd_current
#pragma weak thrd_detach
#pragma weak thrd_equal
#pragma weak thrd_exit
#pragma weak thrd_join
#pragma weak thrd_sleep
#pragma weak thrd_yield
#pragma weak mtx_init
#pragma weak mtx_destroy
#pragma weak mtx_lock
#pragma weak mtx_timedlock
#pragma weak mtx_trylock
#pragma weak mtx_unlock
#pragma weak cnd_init
#pragma weak cnd_destroy
#pragma weak cnd_signal
#pragma weak cnd_broadcast
#pragma weak cnd_wait
#pragma weak cnd_timedwait
#pragma weak call_once
#pragma weak timespec_get
#pragma weak timespec_getres

static int result(int status) {
  switch (status) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ETIMEDOUT: return thrd_timedout;
    case ENOMEM:
    case EAGAIN: return thrd_nomem;
    default: return thrd_error;
  }
}

/* A function's int is where a pointer would be: in a0. */
int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
  return result(pthread_create(thread, NULL, (void *(*)(void *))(void (*)(void))start, argument));
}

thrd_t thrd_current(void) { return pthread_self(); }
int thrd_detach(thrd_t thread) { return result(pthread_detach(thread)); }
int thrd_equal(thrd_t a, thrd_t b) { return pthread_equal(a, b); }
void thrd_exit(int code) { pthread_exit((void *)(intptr_t)code); }

int thrd_join(thrd_t thread, int *code) {
  void *value;
  int status = pthread_join(thread, &value);
  if (!status && code) *code = (int)(intptr_t)value;
  return result(status);
}

int thrd_sleep(const struct timespec *time, struct timespec *left) {
  int status = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
  return status == EINTR ? -1 : status ? -2 : 0;
}

void thrd_yield(void) { sched_yield(); }

int mtx_init(mtx_t *mutex, int type) {
  if (type & ~(mtx_recursive | mtx_timed)) return thrd_error;
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_DEFAULT);
  return result(pthread_mutex_init(mutex, &attr));
}

void mtx_destroy(mtx_t *mutex) { pthread_mutex_destroy(mutex); }
int mtx_lock(mtx_t *mutex) { return result(pthread_mutex_lock(mutex)); }
int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until) {
  return result(pthread_mutex_timedlock(mutex, until));
}
int mtx_trylock(mtx_t *mutex) { return result(pthread_mutex_trylock(mutex)); }
int mtx_unlock(mtx_t *mutex) { return result(pthread_mutex_unlock(mutex)); }

int cnd_init(cnd_t *condition) { return result(pthread_cond_init(condition, NULL)); }
void cnd_destroy(cnd_t *condition) { pthread_cond_destroy(condition); }
int cnd_signal(cnd_t *condition) { return result(pthread_cond_signal(condition)); }
int cnd_broadcast(cnd_t *condition) { return result(pthread_cond_broadcast(condition)); }
int cnd_wait(cnd_t *condition, mtx_t *mutex) { return result(pthread_cond_wait(condition, mutex)); }
int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until) {
  return result(pthread_cond_timedwait(condition, mutex, until));
}

void call_once(once_flag *flag, void (*routine)(void)) { pthread_once(flag, routine); }

static clockid_t clock_of(int base) {
  return base == TIME_UTC ? CLOCK_REALTIME : base == TIME_MONOTONIC ? CLOCK_MONOTONIC : (clockid_t)-1;
}

int timespec_get(struct timespec *time, int base) { return clock_gettime(clock_of(base), time) ? 0 : base; }

int timespec_getres(struct timespec *resolution, int base) {
  return clock_getres(clock_of(base), resolution) ? 0 : base;
}
