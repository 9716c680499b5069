/* SPDX-License-Identifier: Apache-2.0
 *
 * Carries out a stream of POSIX calls that is given as data (stream.py), and logs what each has returned. So one program
 * serves all streams, on every kernel; a model of POSIX says what the log must be (coreloom.reference.posix). */
#include <coreloom.h>
#include <coreloom_events.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cl_kernel.h"

#define CALL(name) CALL_##name,
enum {
#include "calls.h"
};
#undef CALL

struct record {
  uint8_t thread, call, object, other;
  int32_t argument;
  int32_t limit; /* in units */
  uint32_t next; /* record of the same thread */
};
struct stream {
  uint32_t first[8]; /* record of each thread, the first after this head */
  struct record records[];
};

#ifdef EXPLORE
#include "../explore/explore.h"
volatile uint32_t stream_room[STREAM_WORDS] __attribute__((section(".data"), used));
#define STREAM ((const struct stream *)(const void *)stream_room)
#else
#define STREAM ((const struct stream *)cl_input(NULL))
#endif

enum { MAIN, THREADS = 8, NOTIFIER = 7, PLACES = 4, MUTEX = 5, SEMAPHORE, CONDITION, THREAD, HEAP, QUEUE, TIMER };

#define UNIT (1u << 17) /* cycles: more than the threads do until all of them wait */
#define NANOSECONDS 1000000000

/* --- the log ------------------------------------------------------------------------------------ */

static pthread_t ids[THREADS];
#ifndef EXPLORE
static uint8_t alive[THREADS]; /* the number of the slot is a thread's */
#endif
static uint8_t slot_of[CL_THREADS];

#ifndef EXPLORE
/* What each thread's priority is, in the order of slots; 0: it has ended. And the unit of time that it is. */
static uint32_t look(void) {
  uint32_t all = 0;
  for (uint32_t slot = 1; slot < NOTIFIER; slot++) {
    uint32_t word = alive[slot] ? cl_op_thread_read(ids[slot]) : CL_STATUS(CL_STATUS_ESRCH);
    uint32_t state = word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK;
    if (cl_status(word) || state == CL_STATE_EXITED) continue;
    all |= (word >> CL_THREAD_WORD_PRIORITY_LSB & 7) << 3 * slot;
  }
  return all | (uint32_t)(cl_now() / UNIT) << 21;
}
#endif

/* 1: interrupts are disabled, 2: the CPU has the lock. */
static uint32_t mistakes(void) {
  uint32_t status;
  __asm__ volatile("csrr %0, mstatus" : "=r"(status));
  return (status >> 3 & 1 ? 0 : 1) | (CL_CPUS > 1 && cl_local_read(CL_LOCK_GRANT) ? 2 : 0);
}

static void note(uint32_t slot, uint32_t call, uint32_t result) {
  uint32_t word = slot << 28 | mistakes() << 24 | call << 16 | (result & 0xffff);
#ifdef EXPLORE
  cl_trace(EXPLORE_RETURN, word);
#else
  cl_irq_off(); /* both words together */
  cl_trace(LOG, word);
  cl_trace(LOG + 1, look());
  cl_irq_on();
#endif
}

/* The kernel's interrupt comes some cycles after the operation that made a better thread ready. */
static void settle(uint32_t cycles) {
#ifndef EXPLORE
  uint32_t from = cl_cycle();
  while (cl_cycle() - from < cycles) continue;
#else
  (void)cycles;
#endif
}

/* --- objects ------------------------------------------------------------------------------------ */

static pthread_mutex_t mutexes[PLACES];
static pthread_cond_t conditions[PLACES];
static pthread_rwlock_t rwlocks[PLACES];
static sem_t semaphores[PLACES];
static pthread_barrier_t barriers[PLACES];
static pthread_once_t onces[PLACES];
static pthread_key_t keys[PLACES];
static timer_t timers[PLACES];
static mqd_t queues[PLACES];
static event_flags_t events[PLACES];
static int32_t ahead; /* units that CLOCK_REALTIME is */

static struct timespec time_of(int64_t units) {
  if (units < 0) return (struct timespec){0, NANOSECONDS}; /* no time */
  int64_t nanoseconds = units * UNIT * (NANOSECONDS / CL_CLOCK_HZ);
  return (struct timespec){nanoseconds / NANOSECONDS, (long)(nanoseconds % NANOSECONDS)};
}

static uint32_t slot(void) { return slot_of[pthread_self()]; }
static uint32_t with(int status, uint32_t value) { return status ? (uint32_t)status : (value & 0xff) << 8; }
static uint32_t failed(int result) { return result < 0 ? (uint32_t)errno : 0; }

static void cleanup(void *mutex) {
  note(slot(), CALL_cleanup,
       (uint32_t)pthread_mutex_unlock(mutex) | (uint32_t)((pthread_mutex_t *)mutex - mutexes) << 8);
}

static void destructor(void *value) { note(slot(), CALL_destructor, (uint32_t)(uintptr_t)value); }

static void notified(union sigval semaphore) {
  slot_of[pthread_self()] = NOTIFIER;
  note(NOTIFIER, CALL_notified, (uint32_t)semaphore.sival_int);
  sem_post(&semaphores[semaphore.sival_int]);
}

static uint8_t routine_waits[THREADS]; /* at which semaphore each thread's routine does, + 1 */
static void routine(void) {
  note(slot(), CALL_routine, 0);
  if (routine_waits[slot()]) sem_wait(&semaphores[routine_waits[slot()] - 1]);
}

static void *life(void *argument);

/* argument: detached, placed << 1, at which CPU << 8. */
static int create(const struct record *r) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, r->argument & 1 ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  pthread_attr_setschedparam(&attr, &(struct sched_param){r->other});
#ifndef EXPLORE
  alive[r->object] = 1;
#endif
  if (r->argument & 2) pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, (unsigned)r->argument >> 8);
  return pthread_create(&ids[r->object], &attr, life, (void *)(uintptr_t)r->object);
}

static uint32_t join(const struct record *r, int try) {
  void *value = NULL;
  int status = try ? pthread_tryjoin_np(ids[r->object], &value) : pthread_join(ids[r->object], &value);
  return with(status, (uint32_t)(uintptr_t)value);
}

/* argument: type, protocol << 2, robust << 4, static initialisation << 5, ceiling << 8. */
static int mutex_init(pthread_mutex_t *mutex, uint32_t what) {
  pthread_mutexattr_t attr;
  if (what >> 5 & 1) {
    *mutex = (pthread_mutex_t){.type = what & 3};
    return 0;
  }
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, what & 3);
  pthread_mutexattr_setprotocol(&attr, what >> 2 & 3);
  pthread_mutexattr_setrobust(&attr, what >> 4 & 1);
  pthread_mutexattr_setprioceiling(&attr, what >> 8 & 0xff);
  return pthread_mutex_init(mutex, &attr);
}

static int cond_init(pthread_cond_t *condition, int monotonic) {
  pthread_condattr_t attr;
  if (!monotonic) return pthread_cond_init(condition, NULL);
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  return pthread_cond_init(condition, &attr);
}

static uint32_t getprio(pthread_t thread) {
  struct sched_param param = {0};
  int policy, status = pthread_getschedparam(thread, &policy, &param);
  return with(status, (uint32_t)param.sched_priority);
}

/* How it notifies: by a call in a thread, which posts a semaphore. */
static struct sigevent event_of(int how, int semaphore, pthread_attr_t *attr) {
  struct sigevent event = {.sigev_notify = how, .sigev_notify_attributes = attr, .sigev_notify_function = notified};
  pthread_attr_init(attr);
  pthread_attr_setschedparam(attr, &(struct sched_param){7});
#ifndef EXPLORE
  pthread_attr_setplacement_np(attr, PTHREAD_PLACEMENT_STATIC_NP, 0);
#endif
  event.sigev_value.sival_int = semaphore;
  return event;
}

/* argument: monotonic clock, call in a thread << 1; other: the semaphore that the call posts. */
static uint32_t make_timer(const struct record *r) {
  pthread_attr_t attr;
  struct sigevent event = event_of(r->argument & 2 ? SIGEV_THREAD : SIGEV_NONE, r->other, &attr);
  return failed(timer_create(r->argument & 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME, &event, &timers[r->object]));
}

/* In units, rounded up. */
static uint32_t units_of(const struct timespec *time) {
  uint64_t left = (uint64_t)time->tv_sec * NANOSECONDS + (uint32_t)time->tv_nsec;
  uint64_t unit = (uint64_t)UNIT * (NANOSECONDS / CL_CLOCK_HZ);
  return (uint32_t)((left + unit - 1) / unit);
}

/* argument: absolute, interval << 1; limit 0: disarm. Returns what was left. */
static uint32_t set_timer(const struct record *r) {
  struct itimerspec before = {0}, value = {.it_value = time_of(r->limit), .it_interval = time_of(r->argument >> 1)};
  uint32_t status = failed(timer_settime(timers[r->object], r->argument & 1 ? TIMER_ABSTIME : 0, &value, &before));
  return with((int)status, units_of(&before.it_value));
}

static uint32_t get_timer(timer_t timer) {
  struct itimerspec value;
  return timer_gettime(timer, &value) ? (uint32_t)errno : with(0, units_of(&value.it_value));
}

static const char *name_of(uint32_t queue) {
  static const char *const names[] = {"/a", "/b", "/c", "/d"};
  return names[queue % 4];
}

/* argument: room, without waiting << 8. */
static uint32_t open_queue(const struct record *r) {
  struct mq_attr attr = {.mq_maxmsg = r->argument & 0xff, .mq_msgsize = 2};
  int flags = O_RDWR | O_CREAT | (r->argument >> 8 & 1 ? O_NONBLOCK : 0);
  queues[r->object] = mq_open(name_of(r->other), flags, 0600, &attr);
  return failed(queues[r->object]);
}

static uint32_t send(const struct record *r, const struct timespec *until) {
  char text[2] = {(char)r->argument, 0};
  uint32_t priority = (uint32_t)r->argument >> 8;
  mqd_t queue = queues[r->object];
  return failed(until ? mq_timedsend(queue, text, 2, priority, until) : mq_send(queue, text, 2, priority));
}

static uint32_t receive(const struct record *r, const struct timespec *until) {
  unsigned char text[2] = {0};
  mqd_t queue = queues[r->object];
  ssize_t length = until ? mq_timedreceive(queue, (char *)text, 2, NULL, until)
                         : mq_receive(queue, (char *)text, 2, NULL);
  return length == 2 ? with(0, text[0]) : (uint32_t)errno;
}

/* argument: a call is wanted, which posts the semaphore `other`. */
static uint32_t notify(const struct record *r) {
  pthread_attr_t attr;
  struct sigevent event = event_of(SIGEV_THREAD, r->other, &attr);
  return failed(mq_notify(queues[r->object], r->argument ? &event : NULL));
}

static uint32_t set_flags(const struct record *r) {
  struct mq_attr attr = {.mq_flags = r->argument ? O_NONBLOCK : 0}, before = {0};
  uint32_t status = failed(mq_setattr(queues[r->object], &attr, &before));
  uint32_t flags = (before.mq_flags & O_NONBLOCK) != 0;
  return with((int)status, flags | (uint32_t)before.mq_curmsgs << 1 | (uint32_t)before.mq_maxmsg << 4);
}

static uint32_t wait_for_events(const struct record *r, const struct timespec *until) {
  uint32_t got = 0, flags = r->argument & 0xff;
  int how = r->argument >> 8 & 3;
  event_flags_t *which = &events[r->object];
  int status = until                            ? event_flags_timedwait(which, flags, how, &got, until)
               : r->call == CALL_events_trywait ? event_flags_trywait(which, flags, how, &got)
                                                : event_flags_wait(which, flags, how, &got);
  return with(status, got);
}

/* --- how much is left --------------------------------------------------------------------------- */

enum { MOST = 128 };
static union {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  sem_t semaphore;
} taken[3][MOST];
static uint32_t taken_count[3];

/* 1: the kernel had one left. */
static int take(uint32_t kind, uint32_t i) {
  uint32_t number;
  if (kind == MUTEX) {
    pthread_mutex_init(&taken[0][i].mutex, NULL);
    return !pthread_mutex_getnumber_np(&taken[0][i].mutex, &number);
  }
  if (kind == SEMAPHORE) {
    sem_init(&taken[1][i].semaphore, 0, 0);
    return !sem_getnumber_np(&taken[1][i].semaphore, &number);
  }
  pthread_cond_init(&taken[2][i].condition, NULL);
  return !pthread_cond_getnumber_np(&taken[2][i].condition, &number);
}

static void give(uint32_t kind, uint32_t i) {
  if (kind == MUTEX) pthread_mutex_destroy(&taken[0][i].mutex);
  else if (kind == SEMAPHORE) sem_destroy(&taken[1][i].semaphore);
  else pthread_cond_destroy(&taken[2][i].condition);
}

/* Leaves the kernel so many of its objects of a kind. Returns how many it had. */
static uint32_t fill(uint32_t kind, uint32_t leave) {
  uint32_t *count = &taken_count[kind - MUTEX], free = 0;
  while (*count) give(kind, --*count);
  while (take(kind, free)) free++;
  give(kind, free);
  for (*count = free; *count && *count + leave > free;) give(kind, --*count);
  return free;
}

static uint32_t count_heap(void) {
  struct block {
    struct block *next;
    char rest[60];
  } *list = NULL, *block;
  uint32_t count = 0;
  free(malloc(PTRDIFF_MAX / 2)); /* no such room: then the heap joins what it has kept for small blocks */
  for (; (block = malloc(sizeof *block)); count++) {
    block->next = list;
    list = block;
  }
  while ((block = list)) {
    list = block->next;
    free(block);
  }
  return count;
}

static uint32_t count(uint32_t kind) {
  uint32_t found = 0;
  timer_t made[64];
  if (kind <= CONDITION) {
    while (take(kind, taken_count[kind - MUTEX] + found)) found++;
    for (uint32_t i = 0; i <= found; i++) give(kind, taken_count[kind - MUTEX] + i);
  } else if (kind == THREAD) {
    for (uint32_t thread = 0; thread < CL_THREADS; thread++) found += cl_status(cl_op_thread_read(thread)) != 0;
  } else if (kind == HEAP) {
    found = count_heap();
  } else if (kind == TIMER) {
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    while (found < 64 && !timer_create(CLOCK_MONOTONIC, &none, &made[found])) found++;
    for (uint32_t i = 0; i < found; i++) timer_delete(made[i]);
  } else {
    struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 1};
    mqd_t opened[64];
    while (found < 64 && (opened[found] = mq_open("/x", O_RDWR | O_CREAT, 0600, &attr)) >= 0) found++;
    for (uint32_t i = 0; i < found; i++) mq_close(opened[i]);
    mq_unlink("/x");
  }
  return found;
}

/* --- calls -------------------------------------------------------------------------------------- */

static uint32_t perform(const struct record *r, struct cl_cleanup *cleanups, uint32_t *depth) {
  const uint32_t i = r->object;
  const int32_t argument = r->argument;
  struct timespec until = time_of(r->limit);
  int old = 0;
  switch (r->call) {
    case CALL_create: return (uint32_t)create(r);
    case CALL_join: return join(r, 0);
    case CALL_tryjoin: return join(r, 1);
    case CALL_detach: return (uint32_t)pthread_detach(ids[i]);
    case CALL_exit: pthread_exit((void *)(uintptr_t)argument);
    case CALL_yield: return (uint32_t)sched_yield();
    case CALL_sleep:
      return (uint32_t)clock_nanosleep(argument ? CLOCK_REALTIME : CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    case CALL_nap: return failed(nanosleep(&until, NULL));
    case CALL_setprio: return (uint32_t)pthread_setschedprio(ids[i], argument);
    case CALL_getprio: return getprio(ids[i]);
    case CALL_cancel: return (uint32_t)pthread_cancel(ids[i]);
    case CALL_cancelstate: old = pthread_setcancelstate(argument, &old) ? -1 : old; return with(0, (uint32_t)old);
#if ANY_TIME /* the layer is another one for a program that asks for this */
    case CALL_canceltype: old = pthread_setcanceltype(argument, &old) ? -1 : old; return with(0, (uint32_t)old);
#endif
    case CALL_testcancel: pthread_testcancel(); return 0;
    case CALL_push: cl_cleanup_push(&cleanups[(*depth)++]); return 0;
    case CALL_pop: cl_cleanup_pop(&cleanups[--*depth], argument); return 0;
    case CALL_mutex_init: return (uint32_t)mutex_init(&mutexes[i], (uint32_t)argument);
    case CALL_mutex_destroy: return (uint32_t)pthread_mutex_destroy(&mutexes[i]);
    case CALL_mutex_lock: return (uint32_t)pthread_mutex_lock(&mutexes[i]);
    case CALL_mutex_trylock: return (uint32_t)pthread_mutex_trylock(&mutexes[i]);
    case CALL_mutex_timedlock: return (uint32_t)pthread_mutex_timedlock(&mutexes[i], &until);
    case CALL_mutex_unlock: return (uint32_t)pthread_mutex_unlock(&mutexes[i]);
    case CALL_mutex_consistent: return (uint32_t)pthread_mutex_consistent(&mutexes[i]);
    case CALL_mutex_setceiling: {
      int status = pthread_mutex_setprioceiling(&mutexes[i], argument, &old);
      return with(status, (uint32_t)old);
    }
    case CALL_mutex_getceiling: {
      int status = pthread_mutex_getprioceiling(&mutexes[i], &old);
      return with(status, (uint32_t)old);
    }
    case CALL_cond_init: return (uint32_t)cond_init(&conditions[i], argument);
    case CALL_cond_destroy: return (uint32_t)pthread_cond_destroy(&conditions[i]);
    case CALL_cond_wait: return (uint32_t)pthread_cond_wait(&conditions[i], &mutexes[r->other]);
    case CALL_cond_timedwait: return (uint32_t)pthread_cond_timedwait(&conditions[i], &mutexes[r->other], &until);
    case CALL_cond_signal: return (uint32_t)pthread_cond_signal(&conditions[i]);
    case CALL_cond_broadcast: return (uint32_t)pthread_cond_broadcast(&conditions[i]);
    case CALL_rwlock_init: return (uint32_t)pthread_rwlock_init(&rwlocks[i], NULL);
    case CALL_rwlock_destroy: return (uint32_t)pthread_rwlock_destroy(&rwlocks[i]);
    case CALL_rwlock_rdlock: return (uint32_t)pthread_rwlock_rdlock(&rwlocks[i]);
    case CALL_rwlock_tryrdlock: return (uint32_t)pthread_rwlock_tryrdlock(&rwlocks[i]);
    case CALL_rwlock_timedrdlock: return (uint32_t)pthread_rwlock_timedrdlock(&rwlocks[i], &until);
    case CALL_rwlock_wrlock: return (uint32_t)pthread_rwlock_wrlock(&rwlocks[i]);
    case CALL_rwlock_trywrlock: return (uint32_t)pthread_rwlock_trywrlock(&rwlocks[i]);
    case CALL_rwlock_timedwrlock: return (uint32_t)pthread_rwlock_timedwrlock(&rwlocks[i], &until);
    case CALL_rwlock_unlock: return (uint32_t)pthread_rwlock_unlock(&rwlocks[i]);
    case CALL_sem_init: return failed(sem_init(&semaphores[i], 0, (unsigned)argument));
    case CALL_sem_destroy: return failed(sem_destroy(&semaphores[i]));
    case CALL_sem_wait: return failed(sem_wait(&semaphores[i]));
    case CALL_sem_trywait: return failed(sem_trywait(&semaphores[i]));
    case CALL_sem_timedwait: return failed(sem_timedwait(&semaphores[i], &until));
    case CALL_sem_post: return failed(sem_post(&semaphores[i]));
    case CALL_sem_getvalue: {
      uint32_t status = failed(sem_getvalue(&semaphores[i], &old));
      return with((int)status, (uint32_t)old);
    }
    case CALL_barrier_init: return (uint32_t)pthread_barrier_init(&barriers[i], NULL, (unsigned)argument);
    case CALL_barrier_destroy: return (uint32_t)pthread_barrier_destroy(&barriers[i]);
    case CALL_barrier_wait: old = pthread_barrier_wait(&barriers[i]); return old < 0 ? 0x100 : (uint32_t)old;
    case CALL_once_init: onces[i] = (pthread_once_t)PTHREAD_ONCE_INIT; return 0;
    case CALL_once: routine_waits[r->thread] = (uint8_t)argument; return (uint32_t)pthread_once(&onces[i], routine);
    case CALL_key_create: return (uint32_t)pthread_key_create(&keys[i], argument ? destructor : NULL);
    case CALL_key_delete: return (uint32_t)pthread_key_delete(keys[i]);
    case CALL_key_set: return (uint32_t)pthread_setspecific(keys[i], (void *)(uintptr_t)argument);
    case CALL_key_get: return with(0, (uint32_t)(uintptr_t)pthread_getspecific(keys[i]));
    case CALL_settime: {
      struct timespec now, more = time_of(r->limit);
      clock_gettime(CLOCK_MONOTONIC, &now);
      now.tv_sec += more.tv_sec + (now.tv_nsec + more.tv_nsec) / NANOSECONDS;
      now.tv_nsec = (now.tv_nsec + more.tv_nsec) % NANOSECONDS;
      ahead = r->limit;
      return failed(clock_settime(CLOCK_REALTIME, &now));
    }
    case CALL_timer_create: return make_timer(r);
    case CALL_timer_delete: return failed(timer_delete(timers[i]));
    case CALL_timer_settime: return set_timer(r);
    case CALL_timer_gettime: return get_timer(timers[i]);
    case CALL_timer_getoverrun:
      old = timer_getoverrun(timers[i]);
      return old < 0 ? (uint32_t)errno : with(0, (uint32_t)old);
    case CALL_mq_open: return open_queue(r);
    case CALL_mq_close: return failed(mq_close(queues[i]));
    case CALL_mq_unlink: return failed(mq_unlink(name_of(r->other)));
    case CALL_mq_send: return send(r, NULL);
    case CALL_mq_timedsend: return send(r, &until);
    case CALL_mq_receive: return receive(r, NULL);
    case CALL_mq_timedreceive: return receive(r, &until);
    case CALL_mq_count: {
      struct mq_attr attr = {0};
      uint32_t status = failed(mq_getattr(queues[i], &attr));
      return with((int)status, (uint32_t)attr.mq_curmsgs);
    }
    case CALL_mq_notify: return notify(r);
    case CALL_mq_setflags: return set_flags(r);
    case CALL_events_init: return (uint32_t)event_flags_init(&events[i], (uint32_t)argument);
    case CALL_events_destroy: return (uint32_t)event_flags_destroy(&events[i]);
    case CALL_events_set: return (uint32_t)event_flags_set(&events[i], (uint32_t)argument);
    case CALL_events_clear: return (uint32_t)event_flags_clear(&events[i], (uint32_t)argument);
    case CALL_events_get: {
      uint32_t flags = 0;
      int status = event_flags_get(&events[i], &flags);
      return with(status, flags);
    }
    case CALL_events_wait:
    case CALL_events_trywait: return wait_for_events(r, NULL);
    case CALL_events_timedwait: return wait_for_events(r, &until);
    case CALL_fill: return fill(i, (uint32_t)argument);
    case CALL_count: return count(i);
#ifdef EXPLORE
    case CALL_go: cl_trace(EXPLORE_GO, 0); return 0;
    default:
      for (;;) cl_trace(EXPLORE_PARK, 0);
#else
    default: exit(0);
#endif
  }
}

static uint32_t following[THREADS]; /* record of each thread */

static void *life(void *argument) {
  const uint32_t me = (uint32_t)(uintptr_t)argument;
  struct cl_cleanup cleanups[PLACES];
  uint32_t depth = 0;
  slot_of[pthread_self()] = (uint8_t)me;
  if (me) note(me, CALL_begin, 0);
  for (;;) {
    const struct record *r = &STREAM->records[following[me]];
    following[me] = r->next;
    if (r->call == CALL_push) cleanups[depth] = (struct cl_cleanup){cleanup, &mutexes[r->object], NULL};
    uint32_t result = perform(r, cleanups, &depth);
    settle(r->call == CALL_cancel || (r->call >= CALL_timer_create && r->call <= CALL_timer_settime) ? 1000 : SETTLE);
    note(me, r->call, result);
  }
}

int main(void) {
  for (uint32_t i = 0; i < THREADS; i++) following[i] = STREAM->first[i];
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_settime(CLOCK_REALTIME, &now); /* both clocks begin with 0 here */
#ifndef EXPLORE
  struct timespec start = time_of(1);
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  pthread_setaffinity_np(pthread_self(), sizeof first, &first);
  pthread_setschedparam(pthread_self(), SCHED_FIFO, &(struct sched_param){0}); /* no slices */
  /* The first wait in memory takes a condition variable of the kernel for all. */
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL);
#else
  cl_op_slice(0); /* or the steps of time go to the ends of slices */
#endif
  mq_unlink("/none"); /* queues have a mutex of their own, */
  free(malloc(1));     /* and so may the heap */
  life((void *)MAIN);
  return 0;
}
