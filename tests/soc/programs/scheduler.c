/* SPDX-License-Identifier: Apache-2.0
 *
 * [HT]'s scheduler on the bus: a thread that runs in software, then in hardware, then in software again; START comes
 * by the bus; hardware threads use the scheduler as processors do. Units 0 and 2 are scripts, 1 sorts. */
#include <coreloom.h>
#include <coreloom_scheduler.h>
#include <hwt_units.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "cl_machine.h"
#include "equal.h"

#define COUNT 40
#define SORT (SCHEDULER_HARDWARE + 1)
#define ERROR(number) ((uint32_t)(number) << 16)
#define SCHED_EBUSY 16
#define SCHED_EAGAIN 11
#define SCHED_EALREADY 120
#define SCHED_ENODEV 19

static volatile uint32_t *reg(unsigned unit, unsigned offset) {
  return (volatile uint32_t *)(CL_HWT + CL_HWT_STRIDE * unit + offset);
}

static void await_idle(unsigned unit) {
  while (*reg(unit, CL_HWT_STATUS) & CL_HWT_STATE_MASK) continue;
}

/* --- A thread that sorts: its function, and what the unit is told ----------------------------------------------- */

static uint32_t words[COUNT];
static const struct hwt_sort block = {words, COUNT};
static unsigned in_software;

static void shuffle(void) {
  for (unsigned i = 0; i < COUNT; i++) words[i] = i * 2654435761u;
}

static int sorted(void) {
  for (unsigned i = 1; i < COUNT; i++) {
    if (words[i - 1] >= words[i]) return 0;
  }
  return 1;
}

static void sort_in_software(void) {
  in_software++;
  for (unsigned i = 1; i < COUNT; i++) {
    uint32_t word = words[i];
    unsigned at = i;
    for (; at && words[at - 1] > word; at--) words[at] = words[at - 1];
    words[at] = word;
  }
}

/* Enqueued like any thread: whoever it is for runs it. */
static void run_sort(unsigned thread) {
  shuffle();
  EQUAL(sorted(), 0);
  EQUAL(scheduler_np(SCHEDULER_ENQUEUE, thread, 0), 0);
  uint32_t param = scheduler_np(SCHEDULER_GET_SCHED_PARAM, thread, 0);
  if (param < SCHEDULER_HARDWARE) {
    EQUAL(scheduler_np(SCHEDULER_DEQUEUE, 0, 0), thread);
    sort_in_software();
  } else {
    EQUAL(scheduler_np(SCHEDULER_IS_QUEUED, thread, 0), 0);
    await_idle(param - SCHEDULER_HARDWARE);
  }
  EQUAL(sorted(), 1);
}

static void test_software_to_hardware_and_back(void) {
  *reg(1, CL_HWT_ARGUMENT) = (uint32_t)(uintptr_t)&block;
  EQUAL(scheduler_np(SCHEDULER_CREATE_ENTRY, 7, 5), 0);
  run_sort(7);
  EQUAL(in_software, 1);
  EQUAL(scheduler_np(SCHEDULER_SET_SCHED_PARAM, 7, SORT), 0);
  run_sort(7);
  EQUAL(in_software, 1);
  EQUAL(scheduler_np(SCHEDULER_SET_SCHED_PARAM, 7, 6), 0);
  run_sort(7);
  EQUAL(in_software, 2);
}

/* --- START, and what runs ---------------------------------------------------------------------------------------- */

static struct hwt_script delay[] = {{.op = HWT_SCRIPT_DELAY, .word0 = 2000}, {.op = HWT_SCRIPT_END, .word0 = 9}};

static void test_start(void) {
  for (unsigned unit = 0; unit < 3; unit += 2) {
    *reg(unit, CL_HWT_ARGUMENT) = (uint32_t)(uintptr_t)delay;
    EQUAL(scheduler_np(SCHEDULER_CREATE_ENTRY, 10 + unit, SCHEDULER_HARDWARE + unit), 0);
  }
  EQUAL(scheduler_np(SCHEDULER_ENQUEUE, 10, 0), 0);
  EQUAL(*reg(0, CL_HWT_STATUS) & CL_HWT_STATE_MASK, HARDWARE_RUNNING); /* it came before this access */
  EQUAL(scheduler_np(SCHEDULER_ENQUEUE, 12, 0), 0);
  EQUAL(scheduler_np(SCHEDULER_ENQUEUE, 12, 0), ERROR(SCHED_EBUSY));
  EQUAL(scheduler_np(SCHEDULER_ENQUEUE, 10, 0), ERROR(SCHED_EBUSY));
  EQUAL(scheduler_np(SCHEDULER_SET_SCHED_PARAM, 10, 3), ERROR(SCHED_EBUSY));
  EQUAL(scheduler_np(SCHEDULER_FREE_ENTRY, 12, 0), ERROR(SCHED_EBUSY));
  EQUAL(scheduler_np(SCHEDULER_SET_SCHED_PARAM, 7, SCHEDULER_HARDWARE + 3), ERROR(SCHED_ENODEV));
  await_idle(0);
  await_idle(2);
  EQUAL(*reg(0, CL_HWT_RESULT), 9);
  EQUAL(*reg(2, CL_HWT_RESULT), 9);
  EQUAL(*reg(0, CL_HWT_STATUS) & CL_HWT_REFUSED, 0);
  EQUAL(*reg(2, CL_HWT_STATUS) & CL_HWT_REFUSED, 0);
}

/* The kernel's threads and the scheduler's share a unit: START would be refused, so it is not sent. */
static void test_a_unit_with_a_thread(void) {
  pthread_attr_t attr;
  pthread_t thread;
  void *value = NULL;
  EQUAL(pthread_attr_init(&attr), 0);
  EQUAL(pthread_attr_sethardware_np(&attr, 0), 0);
  EQUAL(pthread_create(&thread, &attr, NULL, delay), 0);
  while (!(*reg(0, CL_HWT_STATUS) & CL_HWT_HAS_THREAD)) continue;
  EQUAL(scheduler_np(SCHEDULER_ENQUEUE, 10, 0), ERROR(SCHED_EBUSY));
  EQUAL(pthread_join(thread, &value), 0);
  EQUAL((uintptr_t)value, 9);
  *reg(0, CL_HWT_ARGUMENT) = (uint32_t)(uintptr_t)delay;
  EQUAL(scheduler_np(SCHEDULER_ENQUEUE, 10, 0), 0);
  await_idle(0);
}

/* --- A hardware thread uses the scheduler; the processor hears of it by an interrupt ------------------------------ */

static struct hwt_script wakes[] = {
    {.op = HWT_SCRIPT_LOAD, .word0 = SCHEDULER_ADDRESS(SCHEDULER_ENQUEUE, 20, 0)},
    {.op = HWT_SCRIPT_LOAD, .word0 = SCHEDULER_ADDRESS(SCHEDULER_ENQUEUE, 20, 0)},
    {.op = HWT_SCRIPT_LOAD, .word0 = SCHEDULER_ADDRESS(SCHEDULER_ENQUEUE, 12, 0)}, /* starts another */
    {.op = HWT_SCRIPT_END, .word0 = 3},
};

static void test_from_hardware(void) {
  sem_t better;
  EQUAL(sem_init(&better, 0, 0), 0);
  EQUAL(interrupt_bind_semaphore_np(SCHEDULER_LINE, &better), 0);
  EQUAL(scheduler_np(SCHEDULER_CREATE_ENTRY, 20, 30), 0);
  *reg(0, CL_HWT_ARGUMENT) = (uint32_t)(uintptr_t)wakes;
  EQUAL(scheduler_np(SCHEDULER_DEQUEUE, 0, 0), ERROR(SCHED_EAGAIN));
  EQUAL(scheduler_np(SCHEDULER_ENQUEUE, 10, 0), 0);
  EQUAL(sem_wait(&better), 0);
  EQUAL(scheduler_np(SCHEDULER_DEQUEUE, 0, 0), 20);
  await_idle(0);
  await_idle(2);
  EQUAL(wakes[0].answer, 0);
  EQUAL(wakes[1].answer, ERROR(SCHED_EALREADY));
  EQUAL(wakes[2].answer, 0);
  EQUAL(*reg(2, CL_HWT_RESULT), 9);
  EQUAL(interrupt_unbind_np(SCHEDULER_LINE), 0);
}

int main(void) {
  test_software_to_hardware_and_back();
  test_start();
  test_a_unit_with_a_thread();
  test_from_hardware();
  puts(failures ? "failed" : "ok");
  return failures != 0;
}
