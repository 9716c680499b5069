/* SPDX-License-Identifier: Apache-2.0
 *
 * Futexes: a lock and a condition made of them, limits, bits, threads that are moved to another word. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4

static uint32_t mutex, gate, side, count, through;

static long futex(uint32_t *word, int operation, uint32_t value, const void *limit, uint32_t *other, uint32_t last) {
  return syscall(SYS_futex, word, operation, value, limit, other, last);
}

static void lock(void) {
  uint32_t seen = 0;
  if (__atomic_compare_exchange_n(&mutex, &seen, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
  while (__atomic_exchange_n(&mutex, 2, __ATOMIC_SEQ_CST)) futex(&mutex, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void) {
  if (__atomic_exchange_n(&mutex, 0, __ATOMIC_SEQ_CST) == 2) futex(&mutex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *adds(void *unused) {
  for (int n = 0; n < 50; n++) {
    lock();
    const uint32_t was = count;
    if (n % 8 == 0) sched_yield();
    count = was + 1;
    unlock();
  }
  return unused;
}

static void *waits(void *bits) {
  if (futex(&gate, FUTEX_WAIT_BITSET, 0, NULL, NULL, (uint32_t)(uintptr_t)bits)) perror("wait");
  __atomic_fetch_add(&through, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

/* Until so many are through, or for ever. */
static void until(uint32_t number) {
  while (__atomic_load_n(&through, __ATOMIC_SEQ_CST) != number) usleep(1000);
}

static void say(const char *what, long answer) {
  static const struct {
    int number;
    const char *name;
  } errors[] = {{EAGAIN, "EAGAIN"}, {ETIMEDOUT, "ETIMEDOUT"}, {EINVAL, "EINVAL"}, {ENOSYS, "ENOSYS"}};
  const char *name = "";
  for (size_t n = 0; answer < 0 && n < sizeof errors / sizeof *errors; n++)
    if (errors[n].number == errno) name = errors[n].name;
  printf("%s: %ld %s\n", what, answer, name);
}

int main(void) {
  pthread_t threads[THREADS];
  for (int n = 0; n < THREADS; n++) pthread_create(&threads[n], NULL, adds, NULL);
  for (int n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
  printf("%u\n", (unsigned)count);

  const struct timespec brief = {0, 2000000}, wrong = {0, 1000000000}, past = {0, 1};
  say("another value", futex(&gate, FUTEX_WAIT, 1, NULL, NULL, 0));
  say("late", futex(&gate, FUTEX_WAIT, 0, &brief, NULL, 0));
  say("past", futex(&gate, FUTEX_WAIT_BITSET, 0, &past, NULL, 1));
  say("past, real time", futex(&gate, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &past, NULL, 1));
  say("no time", futex(&gate, FUTEX_WAIT, 0, &wrong, NULL, 0));
  say("no bits", futex(&gate, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0));
  say("no bits to wake", futex(&gate, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0));
  say("no word", futex((uint32_t *)((uintptr_t)&gate + 1), FUTEX_WAKE, 1, NULL, NULL, 0));
  say("no operation", futex(&gate, 99, 1, NULL, NULL, 0));
  say("nobody", futex(&gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0));

  for (uintptr_t n = 0; n < THREADS; n++) pthread_create(&threads[n], NULL, waits, (void *)(1 + n / 2));
  usleep(20000); /* all wait */
  say("one of bit 1", futex(&gate, FUTEX_WAKE_BITSET, 1, NULL, NULL, 2));
  until(1);
  say("another value", futex(&gate, FUTEX_CMP_REQUEUE, 0, (void *)1, &side, 7));
  say("one moves", futex(&gate, FUTEX_CMP_REQUEUE, 0, (void *)1, &side, 0));
  say("one wakes, one moves", futex(&gate, FUTEX_REQUEUE, 1, (void *)(uintptr_t)INT_MAX, &side, 0));
  until(2);
  say("nobody", futex(&gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0));
  say("two moved", futex(&side, FUTEX_WAKE, INT_MAX, NULL, NULL, 0));
  for (int n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
  printf("%u\n", (unsigned)through);
  return 0;
}
