/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic operations of C11: threads of both CPUs change the same words, and no change is lost. */
#include <stdatomic.h>

#include "check.h"

enum { ROUNDS = 200, THREADS = 4 };

static _Atomic uint8_t byte;
static _Atomic uint16_t half;
static atomic_uint word;
static _Atomic uint64_t wide = UINT64_C(0xFFFFFFFF) - 100;
static atomic_uint by_comparison, bits;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static unsigned guarded;

static void *change(void *number) {
  const unsigned bit = 1u << (uintptr_t)number;
  for (int i = 0; i < ROUNDS; i++) {
    atomic_fetch_add(&byte, 1);
    half++;
    atomic_fetch_sub(&word, 3);
    wide += 2;
    unsigned old = atomic_load(&by_comparison);
    while (!atomic_compare_exchange_weak(&by_comparison, &old, old + 5)) continue;
    atomic_fetch_xor(&bits, bit);
    while (atomic_flag_test_and_set(&flag)) sched_yield();
    guarded++;
    atomic_flag_clear(&flag);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) EQUAL(pthread_create(&threads[i], NULL, change, (void *)i), 0);
  for (int i = 0; i < THREADS; i++) EQUAL(pthread_join(threads[i], NULL), 0);
  const unsigned all = THREADS * ROUNDS;
  EQUAL(byte, (uint8_t)all);
  EQUAL(half, all);
  EQUAL(word, -3 * all);
  CHECK(wide == UINT64_C(0xFFFFFFFF) - 100 + 2 * all);
  EQUAL(by_comparison, 5 * all);
  EQUAL(bits, 0);
  EQUAL(guarded, all);
  unsigned wrong = 1;
  EQUAL(atomic_compare_exchange_strong(&by_comparison, &wrong, 0), 0);
  EQUAL(wrong, 5 * all);
  EQUAL(atomic_exchange(&word, 7), -3 * all);
  EQUAL(atomic_fetch_and(&word, 6), 7);
  EQUAL(atomic_fetch_or(&word, 8), 6);
  EQUAL(word, 14);
  EQUAL(shared_memory_lock(&word), 0);
  word++;
  EQUAL(shared_memory_unlock(&word), 0);
  EQUAL(word, 15);
  return finish();
}
