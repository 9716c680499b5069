/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread-specific data. */
#include <limits.h>

#include "conformance.h"

static pthread_key_t key, other_key;
static char here, there; /* values */
static volatile int destroyed, go, rounds;
static void *volatile last;

static void destroy(void *value) {
  destroyed++;
  last = value;
}

static void *look(void *unused) { return (void)unused, pthread_getspecific(key); }

static void *set(void *value) { return (void *)(long)pthread_setspecific(key, value); }

TEST(pthread_key_create, begins_null, "a new key's value is NULL in every thread") {
  OK(pthread_key_create(&key, NULL));
  TRUE(pthread_getspecific(key) == NULL);
  IS(0, joined(started(look, NULL)));
  OK(pthread_key_delete(key));
}

TEST(pthread_key_create, distinct, "two keys are two: a value of one is not one of the other") {
  OK(pthread_key_create(&key, NULL));
  OK(pthread_key_create(&other_key, NULL));
  TRUE(key != other_key);
  OK(pthread_setspecific(key, &here));
  TRUE(pthread_getspecific(other_key) == NULL);
  OK(pthread_key_delete(key));
  OK(pthread_key_delete(other_key));
}

TEST(pthread_key_create, destructor_gets_value, "at a thread's end its value goes to the destructor") {
  destroyed = 0;
  OK(pthread_key_create(&key, destroy));
  IS(0, joined(started(set, &here)));
  IS(1, destroyed);
  TRUE(last == &here);
  OK(pthread_key_delete(key));
}

TEST(pthread_key_create, no_destructor_for_null, "a value that is NULL has no destructor called") {
  destroyed = 0;
  OK(pthread_key_create(&key, destroy));
  IS(0, joined(started(set, NULL)));
  IS(0, destroyed);
  OK(pthread_key_delete(key));
}

static void sees_null(void *value) {
  destroyed = pthread_getspecific(key) == NULL ? 1 : 2;
  last = value;
}

TEST(pthread_key_create, null_before_destructor, "the value is NULL before the destructor is called") {
  destroyed = 0;
  OK(pthread_key_create(&key, sees_null));
  IS(0, joined(started(set, &here)));
  IS(1, destroyed);
  OK(pthread_key_delete(key));
}

static void set_again(void *value) {
  rounds++;
  pthread_setspecific(key, value);
}

TEST(pthread_key_create, destructor_iterations,
     "a destructor that sets a value is called again, at least PTHREAD_DESTRUCTOR_ITERATIONS times, not for ever") {
  rounds = 0;
  OK(pthread_key_create(&key, set_again));
  IS(0, joined(started(set, &here)));
  TRUE(rounds >= PTHREAD_DESTRUCTOR_ITERATIONS);
  OK(pthread_key_delete(key));
}

static void *exit_with_value(void *value) {
  pthread_setspecific(key, value);
  pthread_exit(NULL);
}

TEST(pthread_key_create, destructor_at_exit, "the destructor is called by pthread_exit, too") {
  destroyed = 0;
  OK(pthread_key_create(&key, destroy));
  IS(0, joined(started(exit_with_value, &here)));
  IS(1, destroyed);
  OK(pthread_key_delete(key));
}

static void *wait_with_value(void *value) {
  pthread_setspecific(key, value);
  go = 1;
  for (;;) {
    nap();
    pthread_testcancel();
  }
}

TEST(pthread_key_create, destructor_at_cancellation, "the destructor is called for a cancelled thread") {
  destroyed = go = 0;
  OK(pthread_key_create(&key, destroy));
  const pthread_t thread = started(wait_with_value, &here);
  AWAIT(go);
  OK(pthread_cancel(thread));
  IS((long)PTHREAD_CANCELED, joined(thread));
  IS(1, destroyed);
  OK(pthread_key_delete(key));
}

TEST(pthread_key_create, number_of_keys, "PTHREAD_KEYS_MAX, at least 128, is enough for 100 more; then EAGAIN") {
  static pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
  int made = 0, error = 0;
  TRUE(PTHREAD_KEYS_MAX >= 128);
  while (made <= PTHREAD_KEYS_MAX && (error = pthread_key_create(&keys[made], NULL)) == 0) made++;
  for (int i = 0; i < made; i++) OK(pthread_key_delete(keys[i]));
  TRUE(made >= 100);
  TRUE(made <= PTHREAD_KEYS_MAX);
  IS(EAGAIN, error);
}

TEST(pthread_key_create, reuse_is_null, "a key made after the deletion of another has no value of that") {
  OK(pthread_key_create(&key, NULL));
  OK(pthread_setspecific(key, &here));
  OK(pthread_key_delete(key));
  OK(pthread_key_create(&key, NULL));
  TRUE(pthread_getspecific(key) == NULL);
  OK(pthread_key_delete(key));
}

TEST(pthread_setspecific, per_thread, "each thread has its own value") {
  OK(pthread_key_create(&key, NULL));
  OK(pthread_setspecific(key, &here));
  IS(0, joined(started(set, &there)));
  TRUE(pthread_getspecific(key) == &here);
  OK(pthread_key_delete(key));
}

TEST(pthread_setspecific, replaces, "a later value replaces the earlier one") {
  OK(pthread_key_create(&key, NULL));
  OK(pthread_setspecific(key, &here));
  OK(pthread_setspecific(key, &there));
  TRUE(pthread_getspecific(key) == &there);
  OK(pthread_setspecific(key, NULL));
  TRUE(pthread_getspecific(key) == NULL);
  OK(pthread_key_delete(key));
}

TEST(pthread_setspecific, deleted_einval, "a deleted key: EINVAL") {
  OK(pthread_key_create(&key, NULL));
  OK(pthread_key_delete(key));
  IS(EINVAL, pthread_setspecific(key, &here));
  KERNELS_ONLY();
  TRUE(pthread_getspecific(key) == NULL && pthread_getspecific((pthread_key_t)~0u) == NULL);
}

TEST(pthread_getspecific, returns_value, "the value that the thread has set") {
  OK(pthread_key_create(&key, NULL));
  OK(pthread_setspecific(key, &there));
  TRUE(pthread_getspecific(key) == &there);
  OK(pthread_key_delete(key));
}

TEST(pthread_getspecific, many_keys, "the values of 32 keys do not mix") {
  pthread_key_t keys[32];
  for (long i = 0; i < 32; i++) {
    OK(pthread_key_create(&keys[i], NULL));
    OK(pthread_setspecific(keys[i], (void *)(i + 1)));
  }
  for (long i = 0; i < 32; i++) IS(i + 1, (long)pthread_getspecific(keys[i]));
  for (int i = 0; i < 32; i++) OK(pthread_key_delete(keys[i]));
}

TEST(pthread_key_delete, no_destructor, "the deletion calls no destructor, nor does a later end of a thread") {
  destroyed = 0;
  OK(pthread_key_create(&key, destroy));
  OK(pthread_setspecific(key, &here));
  OK(pthread_key_delete(key));
  IS(0, destroyed);
}

TEST(pthread_key_delete, twice_einval, "a deleted key: EINVAL") {
  OK(pthread_key_create(&key, NULL));
  OK(pthread_key_delete(key));
  IS(EINVAL, pthread_key_delete(key));
}

static pthread_key_t deleted_inside;

static void delete_key(void *value) {
  destroyed += pthread_key_delete(deleted_inside) == 0;
  last = value;
}

static void *set_inside(void *value) { return (void *)(long)pthread_setspecific(deleted_inside, value); }

TEST(pthread_key_delete, in_destructor, "a destructor may delete its key") {
  destroyed = 0;
  OK(pthread_key_create(&deleted_inside, delete_key));
  IS(0, joined(started(set_inside, &here)));
  IS(1, destroyed);
  IS(EINVAL, pthread_key_delete(deleted_inside));
}
