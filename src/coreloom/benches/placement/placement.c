/* SPDX-License-Identifier: Apache-2.0
 *
 * What one service costs, -DSERVICE=name: prints a line for each case, name and cycles, the mean of ROUNDS rounds with a
 * warm cache.
 *   take    the call that may wait finds what it wants
 *   give    the call that ends waits, and nobody waits
 *   blocks  take must wait: until the next thread of the CPU goes on (1 CPU)
 *   woken   from the call of give until the thread that waits, a more urgent one, returns
 *   late    a wait with a time limit: from the limit until its return
 *   round   four equal threads, each comes once
 * With several CPUs the thread that waits is on CPU 1, and the other one on CPU 0. */
#include <coreloom.h>
#include <coreloom_events.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM_UP 4
#define ROUNDS 16
#define COMES_TO_WAIT 8000 /* cycles in which a thread on another CPU does */
#define LIMIT 6000         /* of a timed wait */
#define MEETING 4
#define LOW 10
#define HIGH 20

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define NAMED(part) JOINED(SERVICE, JOINED(_, part))

CL_INLINE void must(int status) {
  if (status) abort();
}

/* --- The services: what take wants is there at first --- */

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static pthread_rwlock_t lock;
static sem_t sem;
static event_flags_t events;
static pthread_barrier_t barrier;

#define NOTHING(name) \
  CL_INLINE void name(void) {}

CL_INLINE void mutex_make(void) { must(pthread_mutex_init(&mutex, NULL)); }
CL_INLINE void mutex_take(void) { must(pthread_mutex_lock(&mutex)); }
CL_INLINE void mutex_give(void) { must(pthread_mutex_unlock(&mutex)); }
CL_INLINE void mutex_hold(void) { mutex_take(); }
CL_INLINE void mutex_after(void) { mutex_give(); }
NOTHING(mutex_before)

CL_INLINE void inheriting_make(void) {
  pthread_mutexattr_t attr;
  must(pthread_mutexattr_init(&attr));
  must(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT));
  must(pthread_mutex_init(&mutex, &attr));
}
CL_INLINE void inheriting_take(void) { mutex_take(); }
CL_INLINE void inheriting_give(void) { mutex_give(); }
CL_INLINE void inheriting_hold(void) { mutex_take(); }
CL_INLINE void inheriting_after(void) { mutex_give(); }
NOTHING(inheriting_before)

CL_INLINE void rwlock_make(void) { must(pthread_rwlock_init(&lock, NULL)); }
CL_INLINE void rwlock_take(void) { must(pthread_rwlock_rdlock(&lock)); }
CL_INLINE void rwlock_give(void) { must(pthread_rwlock_unlock(&lock)); }
CL_INLINE void rwlock_hold(void) { must(pthread_rwlock_wrlock(&lock)); }
CL_INLINE void rwlock_after(void) { rwlock_give(); }
NOTHING(rwlock_before)

CL_INLINE void semaphore_make(void) { must(sem_init(&sem, 0, 1)); }
CL_INLINE void semaphore_take(void) { must(sem_wait(&sem)); }
CL_INLINE void semaphore_give(void) { must(sem_post(&sem)); }
CL_INLINE void semaphore_hold(void) { semaphore_take(); }
CL_INLINE void semaphore_after(void) { semaphore_give(); }
NOTHING(semaphore_before)

/* A wait always waits, so there is no `take`. */
CL_INLINE void condition_make(void) {
  must(pthread_cond_init(&cond, NULL));
  must(pthread_mutex_init(&mutex, NULL));
}
CL_INLINE void condition_before(void) { mutex_take(); }
CL_INLINE void condition_take(void) { must(pthread_cond_wait(&cond, &mutex)); }
CL_INLINE void condition_give(void) { must(pthread_cond_signal(&cond)); }
CL_INLINE void condition_after(void) { mutex_give(); }
NOTHING(condition_hold)

CL_INLINE void events_make(void) { must(event_flags_init(&events, 1)); }
CL_INLINE void events_take(void) { must(event_flags_wait(&events, 1, EVENT_FLAGS_CLEAR, NULL)); }
CL_INLINE void events_give(void) { must(event_flags_set(&events, 1)); }
CL_INLINE void events_hold(void) { events_take(); }
CL_INLINE void events_after(void) { events_give(); }
NOTHING(events_before)

/* --- What is measured --- */

static uint32_t sums[6], counts[6];
enum { TAKE, GIVE, BLOCKS, WOKEN, LATE, ROUND };

static void note(int what, int round, uint32_t cycles) {
  if (round < WARM_UP) return;
  sums[what] += cycles;
  counts[what]++;
}

static void report(void) {
  static const char *const names[] = {"take", "give", "blocks", "woken", "late", "round"};
  for (int n = 0; n < 6; n++)
    if (counts[n]) printf("%s %u\n", names[n], (unsigned)((sums[n] + counts[n] / 2) / counts[n]));
}

static pthread_t started(int priority, unsigned cpu, void *(*body)(void *)) {
  pthread_attr_t attr;
  struct sched_param param = {priority};
  pthread_t thread;
  must(pthread_attr_init(&attr));
  must(pthread_attr_setschedparam(&attr, &param));
  if (CL_CPUS > 1) must(pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, cpu));
  must(pthread_create(&thread, &attr, body, NULL));
  return thread;
}

static void pause(uint32_t cycles) {
  for (uint32_t since = cl_cycle(); cl_cycle() - since < cycles;) {}
}

#if defined(MEETS)

static uint32_t begun;

static void *comes(void *is_first) {
  for (int round = 0; round <= WARM_UP + ROUNDS; round++) {
    int result = pthread_barrier_wait(&barrier);
    must(result && result != PTHREAD_BARRIER_SERIAL_THREAD);
    if (!is_first) continue;
    uint32_t now = cl_cycle();
    note(ROUND, round, now - begun);
    begun = now;
  }
  return NULL;
}

static void measure(void) {
  pthread_t threads[MEETING];
  must(pthread_barrier_init(&barrier, NULL, 1));
  for (int round = 0; round < WARM_UP + ROUNDS; round++) {
    uint32_t begin = cl_cycle();
    pthread_barrier_wait(&barrier);
    note(TAKE, round, cl_cycle() - begin);
  }
  must(pthread_barrier_destroy(&barrier));
  must(pthread_barrier_init(&barrier, NULL, MEETING));
  for (int n = 0; n < MEETING; n++) must(pthread_create(&threads[n], NULL, comes, n ? NULL : &barrier));
  for (int n = 0; n < MEETING; n++) must(pthread_join(threads[n], NULL));
}

#elif defined(TIMES)

/* Another thread computes meanwhile. */
static void *waits(void *unused) {
  (void)unused;
  must(sem_init(&sem, 0, 0));
  for (int round = 0; round < WARM_UP + ROUNDS; round++) {
    uint32_t begin = cl_cycle();
    if (!sem_timedwait_np(&sem, LIMIT)) abort();
    note(LATE, round, cl_cycle() - begin - LIMIT);
  }
  report();
  cl_exit(0);
}

static void *computes(void *unused) {
  (void)unused;
  for (;;) {}
}

static void measure(void) {
  started(HIGH, CL_CPUS - 1, waits);
  must(pthread_join(started(LOW, CL_CPUS - 1, computes), NULL));
}

#else

static sem_t ready, start;
static volatile uint32_t asked, gave;
static volatile int the_round;

static void *waits(void *unused) {
  (void)unused;
  for (int round = 0; round < WARM_UP + ROUNDS; round++) {
    uint32_t begin, taken, given;
#if !defined(ALWAYS_WAITS)
    NAMED(before)();
    begin = cl_cycle();
    NAMED(take)();
    taken = cl_cycle();
    note(TAKE, round, taken - begin);
    NAMED(after)();
    NAMED(take)();
#endif
    begin = cl_cycle();
    NAMED(give)();
    given = cl_cycle();
    note(GIVE, round, given - begin);
    (void)taken;
  }
  must(sem_post(&ready));
  for (int round = 0; round < WARM_UP + ROUNDS; round++) {
    must(sem_wait(&start));
    NAMED(before)();
    asked = cl_cycle();
    NAMED(take)();
    note(WOKEN, round, cl_cycle() - gave);
    NAMED(after)();
  }
  return NULL;
}

static void *gives(void *unused) {
  (void)unused;
  must(sem_wait(&ready));
  for (int round = 0; round < WARM_UP + ROUNDS; round++) {
    NAMED(hold)();
    const uint32_t before = asked;
    must(sem_post(&start));
    while (asked == before) continue; /* the interrupt that lets the other thread run comes some cycles later */
    uint32_t goes_on = cl_cycle();
    if (CL_CPUS > 1) pause(COMES_TO_WAIT + ((uint32_t)round & 7)); /* at different distances to what the other does */
    else note(BLOCKS, round, goes_on - asked);
    gave = cl_cycle();
    NAMED(give)();
    if (CL_CPUS > 1) pause(COMES_TO_WAIT);
  }
  return NULL;
}

static void measure(void) {
  NAMED(make)();
  must(sem_init(&ready, 0, 0));
  must(sem_init(&start, 0, 0));
  pthread_t waiting = started(HIGH, CL_CPUS - 1, waits), giving = started(LOW, 0, gives);
  must(pthread_join(waiting, NULL));
  must(pthread_join(giving, NULL));
}

#endif

int main(void) {
  measure();
  report();
  return 0;
}
