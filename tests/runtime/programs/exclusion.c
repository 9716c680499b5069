/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes and barriers between processors: in every form, release by a non-owner, members and others, the reset of a
 * processor that holds and is a member. */
#include "sides.h"

#define CYCLES 700u
#define TURNS 200

static volatile uint32_t guarded, stage;

static void wrong_numbers(void) {
  EQUAL(cpu_mutex_lock(CL_CPU_MUTEXES), EINVAL);
  EQUAL(cpu_mutex_trylock(~0u), EINVAL);
  EQUAL(cpu_mutex_timedlock(256, 10), EINVAL);
  EQUAL(cpu_mutex_unlock(CL_CPU_MUTEXES), EINVAL);
  EQUAL(cpu_barrier_init(CL_BARRIERS, 1), EINVAL);
  EQUAL(cpu_barrier_init(0, 0), EINVAL);
  EQUAL(cpu_barrier_init(0, 1u << CL_CPUS), EINVAL);
  EQUAL(cpu_barrier_wait(CL_BARRIERS), EINVAL);
  EQUAL(cpu_barrier_trywait(~0u), EINVAL);
  EQUAL(cpu_barrier_timedwait(256, 10), EINVAL);
}

static void take_turns(void) {
  for (int i = 0; i < TURNS; i++) {
    EQUAL(cpu_mutex_lock(5), 0);
    uint32_t value = guarded;
    waste(20);
    guarded = value + 1;
    EQUAL(cpu_mutex_unlock(5), 0);
  }
}

static void *left(void *unused) {
  (void)unused;
  wrong_numbers();
  EQUAL(cpu_mutex_unlock(0), EPERM); /* nobody has it */
  EQUAL(cpu_mutex_trylock(0), 0);
  EQUAL(cpu_mutex_lock(0), EDEADLK);
  EQUAL(cpu_mutex_trylock(0), EDEADLK);
  EQUAL(cpu_mutex_timedlock(0, 1000), EDEADLK);
  EQUAL(cpu_mutex_timedlock(CL_CPU_MUTEXES - 1, 1000), 0);
  meet(); /* 1 */
  meet(); /* 2 */
  EQUAL(cpu_mutex_unlock(0), 0);
  EQUAL(cpu_mutex_unlock(0), EPERM);
  EQUAL(cpu_mutex_unlock(CL_CPU_MUTEXES - 1), 0);
  meet(); /* 3 */
  take_turns();
  meet(); /* 4 */
  EQUAL(guarded, 2 * TURNS);

  EQUAL(cpu_barrier_init(0, 3), 0);
  EQUAL(cpu_barrier_init(1, 2), 0);
  EQUAL(cpu_barrier_wait(1), EPERM);
  EQUAL(cpu_barrier_trywait(1), EPERM);
  EQUAL(cpu_barrier_wait(2), EPERM); /* nobody's */
  EQUAL(cpu_barrier_trywait(0), EAGAIN);
  TIMES_OUT(cpu_barrier_timedwait(0, CYCLES), CYCLES);
  meet(); /* 5 */
  for (uint32_t i = 1; i <= 100; i++) {
    stage = i;
    EQUAL(cpu_barrier_wait(0), 0);
    EQUAL(cpu_barrier_timedwait(0, 1000000), 0);
  }
  meet(); /* 6 */

  /* A processor holds a mutex and is reset. */
  EQUAL(cpu_mutex_lock(3), 0);
  EQUAL(mailbox_send(1, 5), 0);
  EQUAL(doorbell_ring(1, 0xff), 0);
  EQUAL(channel_request(1, 1), 0);
  meet(); /* 7 */
  waste(3000); /* the other waits for the mutex */
  EQUAL(cpu_reset_end(), 0);
  uint32_t which;
  EQUAL(doorbell_trytake(0xff, &which), EAGAIN);
  EQUAL(mailbox_tryreceive(1, &which), EAGAIN);
  EQUAL(cpu_mutex_unlock(3), EPERM);
  EQUAL(cpu_barrier_wait(0), ECONNRESET);
  EQUAL(cpu_barrier_init(MEETING, 3), 0);
  stage = 1000;
  meet(); /* 8 */
  EQUAL(mailbox_send(1, 6), 0);
  meet(); /* 9 */
  return NULL;
}

static void *right(void *unused) {
  (void)unused;
  uint32_t word = 0;
  wrong_numbers();
  meet(); /* 1 */
  EQUAL(cpu_mutex_unlock(0), EPERM);
  EQUAL(cpu_mutex_trylock(0), EAGAIN);
  TIMES_OUT(cpu_mutex_timedlock(0, CYCLES), CYCLES);
  EQUAL(cpu_mutex_trylock(CL_CPU_MUTEXES - 1), EAGAIN);
  EQUAL(cpu_mutex_lock(1), 0);
  EQUAL(cpu_mutex_unlock(1), 0);
  meet(); /* 2 */
  EQUAL(cpu_mutex_timedlock(0, 1000000), 0);
  EQUAL(cpu_mutex_unlock(0), 0);
  meet(); /* 3 */
  take_turns();
  meet(); /* 4 */
  meet(); /* 5 */
  EQUAL(cpu_barrier_wait(1), 0); /* alone */
  EQUAL(cpu_barrier_trywait(1), 0);
  for (uint32_t i = 1; i <= 100; i++) {
    EQUAL(cpu_barrier_wait(0), 0);
    EQUAL(stage, i);
    while (cpu_barrier_trywait(0)) continue;
  }
  meet(); /* 6 */
  meet(); /* 7 */
  EQUAL(channel_trywait(0, CHANNEL_REQ, 1), 0);
  EQUAL(cpu_mutex_lock(3), EOWNERDEAD);
  EQUAL(cpu_mutex_lock(3), EDEADLK);
  EQUAL(cpu_mutex_unlock(3), 0);
  EQUAL(cpu_mutex_trylock(3), 0); /* whole again */
  EQUAL(cpu_mutex_unlock(3), 0);
  EQUAL(channel_wait(0, CHANNEL_REQ, 0), 0);
  EQUAL(mailbox_receive(0, &word), ECONNRESET);
  EQUAL(mailbox_send(0, 1), ECONNRESET);
  EQUAL(mailbox_acknowledge(0, MAILBOX_SENDING | MAILBOX_RECEIVING), 0);
  EQUAL(cpu_barrier_trywait(0), ECONNRESET);
  EQUAL(cpu_barrier_timedwait(0, 1000), ECONNRESET);
  while (stage != 1000) continue;
  meet(); /* 8 */
  EQUAL(mailbox_receive(0, &word), 0);
  EQUAL(word, 6);
  EQUAL(cpu_barrier_init(0, 2), 0);
  EQUAL(cpu_barrier_wait(0), 0);
  meet(); /* 9 */
  return NULL;
}

int main(void) {
  run_sides((void *(*const[])(void *)){left, right}, 2);
  return finish();
}
