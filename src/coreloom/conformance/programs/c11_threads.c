/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of C11. */
#include <threads.h>

#include "conformance.h"

static mtx_t mutex;
static cnd_t condition;
static tss_t key;
static volatile int count, ended;

static int returns(void *argument) { return *(int *)argument; }

static int exits(void *argument) {
  thrd_exit(*(int *)argument + 1);
  return 0;
}

TEST(thrd_create, result, "the thread calls the function with the argument; thrd_join has its result") {
  thrd_t thread;
  int number = 41, result = 0;
  IS(thrd_success, thrd_create(&thread, returns, &number));
  IS(thrd_success, thrd_join(thread, &result));
  IS(41, result);
}

TEST(thrd_join, no_result, "where to put the result may be NULL") {
  thrd_t thread;
  int number = 1;
  IS(thrd_success, thrd_create(&thread, returns, &number));
  IS(thrd_success, thrd_join(thread, NULL));
}

TEST(thrd_exit, result, "it ends the thread with the result") {
  thrd_t thread;
  int number = 41, result = 0;
  IS(thrd_success, thrd_create(&thread, exits, &number));
  IS(thrd_success, thrd_join(thread, &result));
  IS(42, result);
}

static int counts(void *unused) {
  (void)unused;
  ended = 1;
  return 0;
}

TEST(thrd_detach, goes_on, "a detached thread goes on") {
  thrd_t thread;
  ended = 0;
  IS(thrd_success, thrd_create(&thread, counts, NULL));
  IS(thrd_success, thrd_detach(thread));
  AWAIT_ANY(ended);
}

TEST(thrd_current, itself, "it is the calling thread") { TRUE(thrd_equal(thrd_current(), thrd_current())); }

static int is_current(void *thread) { return thrd_equal(*(thrd_t *)thread, thrd_current()); }

TEST(thrd_equal, others, "threads differ") {
  thrd_t thread, self = thrd_current();
  int result = -1;
  IS(thrd_success, thrd_create(&thread, is_current, &self));
  IS(thrd_success, thrd_join(thread, &result));
  IS(0, result);
}

TEST(thrd_sleep, not_before, "0, not before its time; a time that is none is an error") {
  const struct timespec at = in_ms(CLOCK_MONOTONIC, 2), time = {.tv_nsec = 2000000}, wrong = {.tv_nsec = -1};
  IS(0, thrd_sleep(&time, NULL));
  TRUE(has_come(CLOCK_MONOTONIC, at));
  TRUE(thrd_sleep(&wrong, NULL) < -1);
}

TEST(thrd_yield, returns, "it returns") { thrd_yield(); }

TEST(timespec_get, utc, "TIME_UTC: the base is returned, and the time is that of the clock; another base: 0") {
  const struct timespec before = in_ms(CLOCK_REALTIME, 0);
  struct timespec now;
  IS(TIME_UTC, timespec_get(&now, TIME_UTC));
  TRUE(!is_before(now, before));
  IS(0, timespec_get(&now, 1234));
}

TEST(mtx_init, kinds, "all kinds can be locked and unlocked") {
  const int kinds[] = {mtx_plain, mtx_timed, mtx_plain | mtx_recursive, mtx_timed | mtx_recursive};
  for (int i = 0; i < 4; i++) {
    IS(thrd_success, mtx_init(&mutex, kinds[i]));
    IS(thrd_success, mtx_lock(&mutex));
    IS(thrd_success, mtx_unlock(&mutex));
    mtx_destroy(&mutex);
  }
}

TEST(mtx_destroy, again, "it can be made again then") {
  IS(thrd_success, mtx_init(&mutex, mtx_plain));
  mtx_destroy(&mutex);
  IS(thrd_success, mtx_init(&mutex, mtx_plain));
  mtx_destroy(&mutex);
}

static int adds(void *unused) {
  (void)unused;
  for (int i = 0; i < 100; i++) {
    mtx_lock(&mutex);
    count++;
    mtx_unlock(&mutex);
  }
  return 0;
}

TEST(mtx_lock, excludes, "one thread at a time") {
  thrd_t threads[3];
  count = 0;
  IS(thrd_success, mtx_init(&mutex, mtx_plain));
  for (int i = 0; i < 3; i++) IS(thrd_success, thrd_create(&threads[i], adds, NULL));
  for (int i = 0; i < 3; i++) IS(thrd_success, thrd_join(threads[i], NULL));
  IS(300, count);
  mtx_destroy(&mutex);
}

static int tries(void *unused) {
  (void)unused;
  return mtx_trylock(&mutex);
}

static int waits_a_moment(void *unused) {
  (void)unused;
  const struct timespec until = in_ms(CLOCK_REALTIME, 2);
  return mtx_timedlock(&mutex, &until);
}

static int result_of(thrd_start_t start) {
  thrd_t thread;
  int result = -1;
  return thrd_create(&thread, start, NULL) || thrd_join(thread, &result) ? -1 : result;
}

TEST(mtx_trylock, busy, "thrd_busy while another thread has it") {
  IS(thrd_success, mtx_init(&mutex, mtx_plain));
  IS(thrd_success, mtx_lock(&mutex));
  IS(thrd_busy, result_of(tries));
  IS(thrd_success, mtx_unlock(&mutex));
  mtx_destroy(&mutex);
}

TEST(mtx_timedlock, timedout, "thrd_timedout at the limit") {
  IS(thrd_success, mtx_init(&mutex, mtx_timed));
  IS(thrd_success, mtx_lock(&mutex));
  IS(thrd_timedout, result_of(waits_a_moment));
  IS(thrd_success, mtx_unlock(&mutex));
  mtx_destroy(&mutex);
}

TEST(mtx_unlock, recursive, "as often as it was locked") {
  IS(thrd_success, mtx_init(&mutex, mtx_recursive));
  IS(thrd_success, mtx_lock(&mutex));
  IS(thrd_success, mtx_lock(&mutex));
  IS(thrd_success, mtx_unlock(&mutex));
  IS(thrd_busy, result_of(tries));
  IS(thrd_success, mtx_unlock(&mutex));
  mtx_destroy(&mutex);
}

static int awaits(void *unused) {
  (void)unused;
  mtx_lock(&mutex);
  while (!count) cnd_wait(&condition, &mutex);
  ended++;
  return mtx_unlock(&mutex);
}

static void begin(void) {
  count = ended = 0;
  mtx_init(&mutex, mtx_plain);
}

TEST(cnd_init, unused, "it can be destroyed at once") {
  IS(thrd_success, cnd_init(&condition));
  cnd_destroy(&condition);
}

TEST(cnd_destroy, again, "it can be made again then") {
  for (int i = 0; i < 2; i++) {
    IS(thrd_success, cnd_init(&condition));
    cnd_destroy(&condition);
  }
}

static int wake(int threads, int (*how)(cnd_t *)) {
  thrd_t thread[3];
  begin();
  cnd_init(&condition);
  for (int i = 0; i < threads; i++)
    if (thrd_create(&thread[i], awaits, NULL)) return -1;
  nap();
  mtx_lock(&mutex);
  const int before = ended;
  count = 1;
  const int status = how(&condition);
  mtx_unlock(&mutex);
  for (int i = 0; i < threads; i++) thrd_join(thread[i], NULL);
  cnd_destroy(&condition);
  mtx_destroy(&mutex);
  return status == thrd_success && !before ? ended : -1;
}

TEST(cnd_signal, one, "a thread that waits goes on") { IS(1, wake(1, cnd_signal)); }
TEST(cnd_broadcast, all, "all threads that wait go on") { IS(3, wake(3, cnd_broadcast)); }

TEST(cnd_wait, has_mutex, "it has the mutex when it returns") { IS(1, wake(1, cnd_broadcast)); }

TEST(cnd_timedwait, timedout, "thrd_timedout at the limit, with the mutex") {
  begin();
  IS(thrd_success, cnd_init(&condition));
  IS(thrd_success, mtx_lock(&mutex));
  const struct timespec until = in_ms(CLOCK_REALTIME, 2);
  int status;
  do status = cnd_timedwait(&condition, &mutex, &until);
  while (status == thrd_success);
  IS(thrd_timedout, status);
  IS(thrd_success, mtx_unlock(&mutex));
  cnd_destroy(&condition);
  mtx_destroy(&mutex);
}

static void note_end(void *value) { count += *(int *)value; }

static int sets(void *value) {
  if (tss_get(key)) return -1;
  return tss_set(key, value);
}

TEST(tss_create, destructor, "its destructor is called at a thread's end with the value") {
  thrd_t thread;
  int value = 7, result = -1;
  count = 0;
  IS(thrd_success, tss_create(&key, note_end));
  IS(thrd_success, thrd_create(&thread, sets, &value));
  IS(thrd_success, thrd_join(thread, &result));
  IS(thrd_success, result);
  IS(7, count);
  tss_delete(key);
}

TEST(tss_get, own, "a value is the thread's; NULL at first") {
  int value = 7;
  IS(thrd_success, tss_create(&key, NULL));
  TRUE(!tss_get(key));
  IS(thrd_success, tss_set(key, &value));
  TRUE(tss_get(key) == &value);
  tss_delete(key);
}

TEST(tss_set, replaces, "a new value replaces the old one") {
  int value = 7;
  IS(thrd_success, tss_create(&key, NULL));
  IS(thrd_success, tss_set(key, &value));
  IS(thrd_success, tss_set(key, NULL));
  TRUE(!tss_get(key));
  tss_delete(key);
}

TEST(tss_delete, no_destructor, "it calls no destructor") {
  int value = 7;
  count = 0;
  IS(thrd_success, tss_create(&key, note_end));
  IS(thrd_success, tss_set(key, &value));
  tss_delete(key);
  IS(0, count);
}

static void add(void) { count++; }

TEST(call_once, once, "the function is called once") {
  static once_flag flag = ONCE_FLAG_INIT;
  count = 0;
  for (int i = 0; i < 3; i++) call_once(&flag, add);
  IS(1, count);
}
