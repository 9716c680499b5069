/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers, spin locks, read-write locks: who goes on when, and every error. */
#include <string.h>
#include <time.h>

#include "check.h"

#define MIDDLE PTHREAD_PRIORITY_DEFAULT_NP

static char text[32];
static volatile int length;

static void mark(char letter) { text[length++] = letter; }

static void marked(const char *wanted) {
  CHECK(strcmp(text, wanted) == 0);
  if (strcmp(text, wanted) != 0) printf("%s, not %s\n", text, wanted);
  memset(text, 0, sizeof text);
  length = 0;
}

static struct timespec soon(long nanoseconds) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += nanoseconds;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    time.tv_sec++;
  }
  return time;
}

/* --- barriers --- */

#define THREADS 4
#define ROUNDS 30
static pthread_barrier_t barrier;
static volatile int serial, round_of[THREADS];

static void *meets(void *number) {
  int who = (int)(intptr_t)number;
  for (int i = 0; i < ROUNDS; i++) {
    round_of[who] = i;
    int status = pthread_barrier_wait(&barrier);
    CHECK(status == 0 || status == PTHREAD_BARRIER_SERIAL_THREAD);
    if (status) serial++;
    for (int other = 0; other < THREADS; other++) CHECK(round_of[other] >= i && round_of[other] <= i + 1);
  }
  return NULL;
}

static void *waits(void *unused) {
  (void)unused;
  EQUAL(pthread_barrier_wait(&barrier), 0);
  mark('w');
  return NULL;
}

static void *destroys_at_once(void *unused) {
  (void)unused;
  EQUAL(pthread_barrier_init(&barrier, NULL, 2), 0);
  pthread_t thread = spawn(MIDDLE + 1, waits, NULL);
  EQUAL(pthread_barrier_destroy(&barrier), EBUSY);
  EQUAL(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
  EQUAL(pthread_barrier_destroy(&barrier), 0); /* at once */
  EQUAL(pthread_join(thread, NULL), 0);
  marked("w");
  return NULL;
}

static void barriers(void) {
  pthread_t threads[THREADS];
  pthread_barrierattr_t attr;
  pthread_barrier_t none;
  memset(&none, 0x5a, sizeof none);
  int shared;
  EQUAL(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
  EQUAL(pthread_barrier_wait(&none), EINVAL);
  EQUAL(pthread_barrier_destroy(&none), EINVAL);
  EQUAL(pthread_barrierattr_init(&attr), 0);
  EQUAL(pthread_barrierattr_getpshared(&attr, &shared), 0);
  EQUAL(shared, PTHREAD_PROCESS_PRIVATE);
  EQUAL(pthread_barrierattr_setpshared(&attr, 42), EINVAL);
  EQUAL(pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED), 0);
  EQUAL(pthread_barrierattr_getpshared(&attr, &shared), 0);
  EQUAL(shared, PTHREAD_PROCESS_SHARED);
  EQUAL(pthread_barrier_init(&barrier, &attr, THREADS), 0);
  EQUAL(pthread_barrierattr_destroy(&attr), 0);
  EQUAL(pthread_barrier_init(&none, &attr, 1), EINVAL);
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_create(&threads[i], NULL, meets, (void *)(intptr_t)i), 0);
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(serial, ROUNDS);
  EQUAL(pthread_barrier_destroy(&barrier), 0);
  EQUAL(pthread_barrier_wait(&barrier), EINVAL);
  EQUAL(pthread_barrier_destroy(&barrier), EINVAL);
  EQUAL(pthread_join(spawn(MIDDLE, destroys_at_once, NULL), NULL), 0);
}

/* --- spin locks --- */

static pthread_spinlock_t spin;
static volatile int inside, total;

static void *spins(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    EQUAL(pthread_spin_lock(&spin), 0);
    EQUAL(inside++, 0);
    total++;
    if (i % 8 == 0) sched_yield();
    EQUAL(--inside, 0);
    EQUAL(pthread_spin_unlock(&spin), 0);
  }
  return NULL;
}

static void *does_not_get_it(void *unused) {
  (void)unused;
  EQUAL(pthread_spin_trylock(&spin), EBUSY);
  EQUAL(pthread_spin_unlock(&spin), EPERM);
  return NULL;
}

/* More urgent than the owner, on its CPU. */
static void *gets_it_later(void *unused) {
  (void)unused;
  EQUAL(pthread_spin_lock(&spin), 0);
  mark('b');
  EQUAL(pthread_spin_unlock(&spin), 0);
  return NULL;
}

static void *lets_others_wait(void *unused) {
  (void)unused;
  EQUAL(pthread_spin_lock(&spin), 0);
  pthread_t thread = spawn(MIDDLE + 2, gets_it_later, NULL);
  mark('a');
  EQUAL(pthread_spin_unlock(&spin), 0);
  EQUAL(pthread_join(thread, NULL), 0);
  mark('c');
  return NULL;
}

static void spin_locks(void) {
  pthread_t threads[THREADS];
  memset(&spin, 0x5a, sizeof spin);
  EQUAL(pthread_spin_lock(&spin), EINVAL);
  EQUAL(pthread_spin_trylock(&spin), EINVAL);
  EQUAL(pthread_spin_unlock(&spin), EINVAL);
  EQUAL(pthread_spin_destroy(&spin), EINVAL);
  EQUAL(pthread_spin_init(&spin, 42), EINVAL);
  EQUAL(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
  EQUAL(pthread_spin_unlock(&spin), EPERM);
  EQUAL(pthread_spin_lock(&spin), 0);
  EQUAL(pthread_spin_lock(&spin), EDEADLK);
  EQUAL(pthread_spin_trylock(&spin), EBUSY);
  EQUAL(pthread_spin_destroy(&spin), EBUSY);
  EQUAL(pthread_join(spawn(MIDDLE, does_not_get_it, NULL), NULL), 0);
  EQUAL(pthread_spin_unlock(&spin), 0);
  EQUAL(pthread_join(spawn(MIDDLE + 1, lets_others_wait, NULL), NULL), 0);
  marked("abc");
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_create(&threads[i], NULL, spins, NULL), 0);
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  EQUAL(total, THREADS * ROUNDS);
  EQUAL(pthread_spin_destroy(&spin), 0);
  EQUAL(pthread_spin_lock(&spin), EINVAL);
}

/* --- read-write locks --- */

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int written[2];

static void *reads(void *letter) {
  EQUAL(pthread_rwlock_rdlock(&lock), 0);
  mark((char)(intptr_t)letter);
  EQUAL(pthread_rwlock_unlock(&lock), 0);
  return NULL;
}

static void *writes(void *letter) {
  EQUAL(pthread_rwlock_wrlock(&lock), 0);
  mark((char)(intptr_t)letter);
  EQUAL(pthread_rwlock_unlock(&lock), 0);
  return NULL;
}

static void *gives_up_writing(void *unused) {
  (void)unused;
  struct timespec until = soon(2000000);
  EQUAL(pthread_rwlock_timedwrlock(&lock, &until), ETIMEDOUT);
  mark('t');
  return NULL;
}

static void *tries(void *writer) {
  struct timespec wrong = {0, 1000000000}, past = {0, 0};
  EQUAL(pthread_rwlock_tryrdlock(&lock), writer ? EBUSY : 0);
  if (!writer) EQUAL(pthread_rwlock_timedrdlock(&lock, &wrong), 0); /* not looked at */
  EQUAL(pthread_rwlock_trywrlock(&lock), EBUSY);
  EQUAL(pthread_rwlock_timedwrlock(&lock, &wrong), EINVAL);
  EQUAL(pthread_rwlock_timedwrlock(&lock, &past), ETIMEDOUT);
  if (writer) EQUAL(pthread_rwlock_timedrdlock(&lock, &wrong), EINVAL);
  if (writer) EQUAL(pthread_rwlock_timedrdlock(&lock, &past), ETIMEDOUT);
  EQUAL(pthread_rwlock_unlock(&lock), writer ? EPERM : 0);
  if (!writer) EQUAL(pthread_rwlock_unlock(&lock), 0);
  return NULL;
}

static void *shares(void *writer) {
  for (int i = 0; i < ROUNDS; i++) {
    if (writer) {
      EQUAL(pthread_rwlock_wrlock(&lock), 0);
      int before = written[0];
      EQUAL(written[1], before);
      written[0] = before + 1;
      sched_yield();
      written[1] = before + 1;
    } else {
      EQUAL(pthread_rwlock_rdlock(&lock), 0);
      EQUAL(written[0], written[1]);
    }
    EQUAL(pthread_rwlock_unlock(&lock), 0);
  }
  return NULL;
}

static void join(pthread_t *threads, int count) {
  for (int i = 0; i < count; i++) EQUAL(pthread_join(threads[i], NULL), 0);
}

/* With all threads on one CPU, and main on it. */
static void *orders(void *unused) {
  (void)unused;
  pthread_t threads[5];
  EQUAL(pthread_rwlock_wrlock(&lock), 0);
  threads[0] = spawn(MIDDLE + 4, reads, (void *)'a');
  threads[1] = spawn(MIDDLE + 5, writes, (void *)'b');
  threads[2] = spawn(MIDDLE + 5, reads, (void *)'c');
  threads[3] = spawn(MIDDLE + 6, reads, (void *)'d');
  threads[4] = spawn(MIDDLE + 4, writes, (void *)'e');
  EQUAL(pthread_rwlock_unlock(&lock), 0); /* a writer goes before readers of its priority */
  join(threads, 5);
  marked("dbcea");

  EQUAL(pthread_rwlock_rdlock(&lock), 0);
  threads[0] = spawn(MIDDLE + 4, writes, (void *)'w');
  threads[1] = spawn(MIDDLE + 3, reads, (void *)'r'); /* waits for the writer */
  threads[2] = spawn(MIDDLE + 5, reads, (void *)'q'); /* does not */
  mark('m');
  EQUAL(pthread_rwlock_unlock(&lock), 0);
  join(threads, 3);
  marked("qmwr");

  EQUAL(pthread_rwlock_rdlock(&lock), 0);
  threads[0] = spawn(MIDDLE + 4, gives_up_writing, NULL);
  threads[1] = spawn(MIDDLE + 4, reads, (void *)'r'); /* waits for it */
  mark('m');
  join(threads, 2);
  marked("mtr");
  EQUAL(pthread_rwlock_unlock(&lock), 0);
  return NULL;
}

static void *reads_and_ends(void *other) {
  EQUAL(pthread_rwlock_rdlock(other), 0);
  return NULL;
}

static void *waits_behind_writer(void *unused) {
  EQUAL(pthread_rwlock_tryrdlock(&lock), EBUSY);
  return unused;
}

/* A thread that ends while it reads: the next one of its number is no reader. */
static void *leaves_no_reader(void *unused) {
  pthread_rwlock_t other = PTHREAD_RWLOCK_INITIALIZER;
  pthread_t reader = spawn(MIDDLE + 2, reads_and_ends, &other), writer, next;
  EQUAL(pthread_join(reader, NULL), 0);
  EQUAL(pthread_rwlock_rdlock(&lock), 0);
  next = spawn(MIDDLE, waits_behind_writer, NULL);
  writer = spawn(MIDDLE + 2, writes, (void *)'w');
  EQUAL(next, reader);
  EQUAL(pthread_join(next, NULL), 0);
  EQUAL(pthread_rwlock_unlock(&lock), 0);
  EQUAL(pthread_join(writer, NULL), 0);
  marked("w");
  return unused;
}

static void read_write_locks(void) {
  pthread_t threads[THREADS];
  pthread_rwlockattr_t attr;
  pthread_rwlock_t other;
  int shared;
  memset(&other, 0x5a, sizeof other);
  EQUAL(pthread_rwlock_rdlock(&other), EINVAL);
  EQUAL(pthread_rwlock_wrlock(&other), EINVAL);
  EQUAL(pthread_rwlock_unlock(&other), EINVAL);
  EQUAL(pthread_rwlock_destroy(&other), EINVAL);
  EQUAL(pthread_rwlockattr_init(&attr), 0);
  EQUAL(pthread_rwlockattr_getpshared(&attr, &shared), 0);
  EQUAL(shared, PTHREAD_PROCESS_PRIVATE);
  EQUAL(pthread_rwlockattr_setpshared(&attr, 42), EINVAL);
  EQUAL(pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED), 0);
  EQUAL(pthread_rwlock_init(&other, &attr), 0);
  EQUAL(pthread_rwlockattr_destroy(&attr), 0);
  EQUAL(pthread_rwlock_init(&lock, &attr), EINVAL);
  EQUAL(pthread_rwlock_destroy(&other), 0);
  EQUAL(pthread_rwlock_tryrdlock(&other), EINVAL);

  EQUAL(pthread_rwlock_unlock(&lock), EPERM);
  EQUAL(pthread_rwlock_wrlock(&lock), 0);
  EQUAL(pthread_rwlock_wrlock(&lock), EDEADLK);
  EQUAL(pthread_rwlock_rdlock(&lock), EDEADLK);
  EQUAL(pthread_rwlock_trywrlock(&lock), EBUSY);
  EQUAL(pthread_rwlock_destroy(&lock), EBUSY);
  EQUAL(pthread_join(spawn(MIDDLE, tries, (void *)1), NULL), 0);
  EQUAL(pthread_rwlock_unlock(&lock), 0);
  EQUAL(pthread_rwlock_rdlock(&lock), 0);
  EQUAL(pthread_rwlock_destroy(&lock), EBUSY);
  EQUAL(pthread_join(spawn(MIDDLE, tries, NULL), NULL), 0);
  EQUAL(pthread_rwlock_unlock(&lock), 0);

  EQUAL(pthread_join(spawn(MIDDLE + 1, orders, NULL), NULL), 0);
  EQUAL(pthread_join(spawn(MIDDLE + 1, leaves_no_reader, NULL), NULL), 0);
  for (intptr_t i = 0; i < THREADS; i++) EQUAL(pthread_create(&threads[i], NULL, shares, (void *)(i & 1)), 0);
  join(threads, THREADS);
  EQUAL(written[0], ROUNDS * THREADS / 2);
  EQUAL(pthread_rwlock_destroy(&lock), 0);
}

int main(void) {
  barriers();
  spin_locks();
  read_write_locks();
  return finish();
}
