/* SPDX-License-Identifier: Apache-2.0
 *
 * Many threads of different priorities on all CPUs, each with a pattern of its own in all registers that survive
 * calls and in some that do not, preempted by slices and by each other. Nothing may change by itself. */
#include "check.h"

#define THREADS 20
#ifndef ROUNDS
#define ROUNDS 12
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t baton;
static volatile int total;

/* Fill the registers from a, do nothing for `loops` loops, and fold them again: a * 20 + 210 if all is well. */
__attribute__((noinline)) static uint32_t hold(uint32_t a, uint32_t loops) {
  uint32_t result;
  __asm__ volatile(
      "addi s1, %1, 1\n addi s2, %1, 2\n addi s3, %1, 3\n addi s4, %1, 4\n addi s5, %1, 5\n"
      "addi s6, %1, 6\n addi s7, %1, 7\n addi s8, %1, 8\n addi s9, %1, 9\n addi s10, %1, 10\n"
      "addi s11, %1, 11\n addi t3, %1, 12\n addi t4, %1, 13\n addi t5, %1, 14\n addi t6, %1, 15\n"
      "addi a4, %1, 16\n addi a5, %1, 17\n addi a6, %1, 18\n addi a7, %1, 19\n addi ra, %1, 20\n"
      "1: addi %2, %2, -1\n bnez %2, 1b\n"
      "mv %0, s1\n add %0, %0, s2\n add %0, %0, s3\n add %0, %0, s4\n add %0, %0, s5\n add %0, %0, s6\n"
      "add %0, %0, s7\n add %0, %0, s8\n add %0, %0, s9\n add %0, %0, s10\n add %0, %0, s11\n"
      "add %0, %0, t3\n add %0, %0, t4\n add %0, %0, t5\n add %0, %0, t6\n"
      "add %0, %0, a4\n add %0, %0, a5\n add %0, %0, a6\n add %0, %0, a7\n add %0, %0, ra\n"
      : "=&r"(result), "+&r"(a), "+&r"(loops)
      :
      : "ra", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "a4", "a5",
        "a6", "a7");
  return result;
}

static void *work(void *number) {
  uint32_t me = (uint32_t)(intptr_t)number;
  uint32_t random = me * 2654435761u + 1;
  int mine = 0;
  for (int i = 0; i < ROUNDS; i++) {
    random = random * 1664525 + 1013904223;
    uint32_t a = random & 0xffffff;
    uint32_t loops = 1 + (random >> 24) * 4;
    EQUAL(hold(a, loops), a * 20 + 210);
    switch (random >> 28) {
      case 0:
      case 1:
      case 2: sched_yield(); break;
      case 3:
      case 4:
      case 5:
        EQUAL(pthread_mutex_lock(&lock), 0);
        EQUAL(hold(a ^ 0x5555, 30), (a ^ 0x5555) * 20 + 210);
        EQUAL(pthread_mutex_unlock(&lock), 0);
        break;
      case 6:
      case 7:
      case 8:
        EQUAL(sem_wait(&baton), 0);
        EQUAL(hold(a ^ 0x3333, 20), (a ^ 0x3333) * 20 + 210);
        EQUAL(sem_post(&baton), 0);
        break;
      case 9: EQUAL(pthread_setschedprio(pthread_self(), (int)(random >> 20 & 7) + 10), 0); break;
      default: break;
    }
    mine++;
  }
  EQUAL(pthread_mutex_lock(&lock), 0);
  total += mine;
  EQUAL(pthread_mutex_unlock(&lock), 0);
  return number;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t threads[THREADS];
  sem_init(&baton, 0, 2);
  for (int generation = 0; generation < 3; generation++) {
    for (int i = 0; i < THREADS; i++) {
      int cpu = i % 5 ? -1 : (int)((unsigned)i / 5 % cl_cpu_count());
      EQUAL(pthread_create(&threads[i], attributes(&attr, 10 + i % 4, cpu), work, (void *)(intptr_t)(i + 1)), 0);
    }
    for (int i = 0; i < THREADS; i++) {
      void *value = NULL;
      EQUAL(pthread_join(threads[i], &value), 0);
      EQUAL((intptr_t)value, i + 1);
    }
  }
  EQUAL(total, 3 * THREADS * ROUNDS);
  return finish();
}
