/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread storage: _Thread_local of C11. */
#include "conformance.h"

static _Thread_local int seven = 7;
static _Thread_local int zero;
static _Thread_local char block[64];
static _Thread_local struct {
  char a;
  long long b;
} __attribute__((aligned(16))) record = {'x', 1234567890123LL};
static volatile int go;

static void *initial(void *unused) {
  (void)unused;
  for (unsigned i = 0; i < sizeof block; i++)
    if (block[i]) return (void *)3;
  return (void *)(long)(seven != 7 ? 1 : zero != 0 ? 2 : 0);
}

TEST(thread_local, initialised, "a variable begins with its initial value, zero without one, in main") {
  IS(0, (long)initial(NULL));
}

TEST(thread_local, initialised_in_thread, "and in every thread, whatever others have stored") {
  seven = zero = 99;
  memset(block, 1, sizeof block);
  const long found = joined(started(initial, NULL));
  seven = 7;
  zero = 0;
  memset(block, 0, sizeof block);
  IS(0, found);
}

static void *own(void *argument) {
  seven = zero = (int)(long)argument;
  memset(block, (int)(long)argument, sizeof block);
  AWAIT(go);
  for (unsigned i = 0; i < sizeof block; i++)
    if (block[i] != (char)(long)argument) return (void *)3;
  return (void *)(long)(seven != (long)argument || zero != (long)argument);
}

TEST(thread_local, own_copy, "each thread has its own copy") {
  pthread_t threads[4];
  go = 0;
  for (long i = 0; i < 4; i++) threads[i] = started(own, (void *)(i + 10));
  nap();
  go = 1;
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
  IS(7, seven);
}

static void *again(void *unused) {
  (void)unused;
  const int found = seven;
  seven = 55;
  return (void *)(long)found;
}

TEST(thread_local, fresh_after_reuse, "a thread that reuses the resources of another one begins anew") {
  for (int i = 0; i < 20; i++) IS(7, joined(started(again, NULL)));
}

static void *address(void *unused) { return (void)unused, (void *)&seven; }

TEST(thread_local, addresses_differ, "two threads' copies have two addresses") {
  void *there = NULL;
  OK(pthread_join(started(address, NULL), &there));
  TRUE(there != (void *)&seven);
}

static void *aligned(void *unused) {
  (void)unused;
  return (void *)(long)((uintptr_t)&record % 16 || record.a != 'x' || record.b != 1234567890123LL);
}

TEST(thread_local, alignment, "a variable is aligned as it asks for") {
  IS(0, (long)aligned(NULL));
  IS(0, joined(started(aligned, NULL)));
}

static void *through_pointer(void *pointer) {
  *(int *)pointer = 31;
  return NULL;
}

TEST(thread_local, pointer_is_valid_elsewhere, "another thread can reach a copy by its address") {
  zero = 0;
  IS(0, joined(started(through_pointer, &zero)));
  const int found = zero;
  zero = 0;
  IS(31, found);
}
