/* SPDX-License-Identifier: Apache-2.0
 *
 * Hardware threads at the real kernel: every kind of operation by script units (0 and 2; 1 sorts), waiting and not,
 * against software and against each other; what goes wrong is said by name. */
#include <coreloom.h>
#include <errno.h>
#include <hwt_units.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "cl_kernel_ops.h"
#include "equal.h"

#define RESUMED (1u << CL_WORD_RESUMED_LSB)
#define STATUS(code) ((uint32_t)(code) << CL_WORD_STATUS_LSB)
#define NOWHERE 0x50000010u

static pthread_t begin(int unit, void *argument) {
  pthread_attr_t attr;
  pthread_t thread = ~0u;
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_sethardware_np(&attr, unit), 0);
  EQUAL(pthread_create(&thread, &attr, NULL, argument), 0);
  return thread;
}

static uint32_t end(pthread_t thread) {
  void *value = NULL;
  EQUAL(pthread_join(thread, &value), 0);
  return (uint32_t)(uintptr_t)value;
}

static void wait_cycles(uint32_t cycles) {
  uint32_t start = cl_cycle();
  while (cl_cycle() - start < cycles) continue;
}

static int state(int unit) {
  struct hardware_status_np status;
  EQUAL(hardware_status_np(unit, &status), 0);
  return status.state;
}

static uint32_t semaphore(sem_t *sem, unsigned count) {
  uint32_t number = ~0u;
  sem_init(sem, 0, count);
  sem_getnumber_np(sem, &number);
  return number;
}

/* Operations that need nobody else. */
static void alone(void) {
  struct hwt_script steps[] = {
      {.op = CL_OP_SELF},
      {.op = CL_OP_YIELD},
      {.op = CL_OP_WORD0},
      {.op = CL_OP_MUTEX_CREATE},
      {.op = CL_OP_MUTEX_LOCK, .id = 1023},
      {.op = CL_OP_MOVE},
      {.op = HWT_SCRIPT_END, .word0 = 4711},
  };
  pthread_t thread = begin(0, steps);
  EQUAL(end(thread), 4711);
  EQUAL(steps[0].answer, thread);
  EQUAL(steps[1].answer, 0);
  EQUAL(steps[4].answer, STATUS(CL_STATUS_EINVAL));
  EQUAL(steps[5].answer, STATUS(CL_STATUS_ENOTSUP));
}

/* A mutex between software and a unit, either of which waits. */
static void locks(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  uint32_t number;
  pthread_mutex_getnumber_np(&mutex, &number);
  struct hwt_script steps[] = {
      {.op = CL_OP_MUTEX_LOCK, .id = number},   {.op = CL_OP_MUTEX_LOCK, .id = number},
      {.op = HWT_SCRIPT_DELAY, .word0 = 3000},  {.op = CL_OP_MUTEX_UNLOCK, .id = number},
      {.op = CL_OP_MUTEX_UNLOCK, .id = number}, {.op = HWT_SCRIPT_END, .word0 = 1},
  };
  pthread_mutex_lock(&mutex);
  pthread_t thread = begin(0, steps);
  wait_cycles(2000);
  EQUAL(state(0), HARDWARE_RUNNING);
  pthread_mutex_unlock(&mutex);
  wait_cycles(500);
  EQUAL(pthread_mutex_trylock(&mutex), EBUSY);
  EQUAL(pthread_mutex_lock(&mutex), 0);
  pthread_mutex_unlock(&mutex);
  EQUAL(end(thread), 1);
  EQUAL(steps[0].answer, RESUMED);
  EQUAL(steps[1].answer, STATUS(CL_STATUS_EDEADLK));
  EQUAL(steps[3].answer, 0);
  EQUAL(steps[4].answer, STATUS(CL_STATUS_EPERM));
}

/* Two units hand a semaphore to and fro, software waits for the end of it. */
static void semaphores(void) {
  sem_t ping, pong, done;
  uint32_t to = semaphore(&ping, 0), back = semaphore(&pong, 0), last = semaphore(&done, 0);
  struct hwt_script one[] = {
      {.op = CL_OP_SEMAPHORE_WAIT, .id = to}, {.op = CL_OP_SEMAPHORE_POST, .id = back},
      {.op = CL_OP_SEMAPHORE_WAIT, .id = to}, {.op = CL_OP_SEMAPHORE_POST, .id = back},
      {.op = HWT_SCRIPT_END, .word0 = 1},
  };
  struct hwt_script other[] = {
      {.op = CL_OP_SEMAPHORE_POST, .id = to},   {.op = CL_OP_SEMAPHORE_WAIT, .id = back},
      {.op = HWT_SCRIPT_DELAY, .word0 = 200},   {.op = CL_OP_SEMAPHORE_POST, .id = to},
      {.op = CL_OP_SEMAPHORE_WAIT, .id = back}, {.op = CL_OP_SEMAPHORE_POST, .id = last},
      {.op = HWT_SCRIPT_END, .word0 = 2},
  };
  pthread_t first = begin(0, one);
  wait_cycles(300);
  pthread_t second = begin(2, other);
  sem_wait(&done);
  EQUAL(end(first), 1);
  EQUAL(end(second), 2);
  EQUAL(one[0].answer, RESUMED);
  EQUAL(one[2].answer, RESUMED);
  EQUAL(other[0].answer, 0);
}

/* Messages both ways: the unit waits for one, and for room when it sends more than the port holds. */
static void messages(void) {
  enum { TO = 3, BACK = 4, MANY = CL_PORT_DEPTH + 4 };
  struct hwt_script steps[4 + MANY + 2] = {
      {.op = CL_OP_PORT_OPEN, .id = TO},
      {.op = CL_OP_PORT_RECEIVE, .id = TO},
      {.op = CL_OP_PORT_TRYRECEIVE, .id = TO},
      {.op = CL_OP_PORT_SEND, .id = 1000},
  };
  for (uint32_t i = 0; i < MANY; i++)
    steps[4 + i] = (struct hwt_script){.op = CL_OP_PORT_SEND, .id = BACK, .word0 = 100 + i};
  steps[4 + MANY] = (struct hwt_script){.op = CL_OP_PORT_CLOSE, .id = TO};
  steps[4 + MANY + 1] = (struct hwt_script){.op = HWT_SCRIPT_END, .word0 = 7};
  EQUAL(port_open(BACK, 0), 0);
  pthread_t thread = begin(0, steps);
  wait_cycles(500);
  EQUAL(port_send(TO, 0x1234), 0);
  EQUAL(port_publish(), 0);
  wait_cycles(3000);
  EQUAL(state(0), HARDWARE_RUNNING); /* there is no room for all of them */
  for (uint32_t i = 0; i < MANY; i++) {
    uint32_t word = 0;
    EQUAL(port_receive(BACK, &word), 0);
    EQUAL(word, 100 + i);
  }
  EQUAL(end(thread), 7);
  EQUAL(steps[1].answer, 0);
  EQUAL(steps[1].message, 0x1234);
  EQUAL(steps[2].answer, STATUS(CL_STATUS_EAGAIN));
  EQUAL(steps[3].answer, STATUS(CL_STATUS_EINVAL));
  for (uint32_t i = 0; i < MANY; i++) EQUAL(steps[4 + i].answer, 0);
  EQUAL(steps[4 + MANY].answer, 0);
  EQUAL(port_close(BACK), 0);
}

/* A unit creates a thread in software, starts it and waits for its end. */
static volatile uint32_t born;

static void *child(void *argument) {
  born = (uint32_t)(uintptr_t)argument;
  return NULL;
}

static void threads(void) {
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setsuspended_np(&attr, 1);
  EQUAL(pthread_create(&thread, &attr, child, (void *)55), 0);
  struct hwt_script steps[] = {
      {.op = CL_OP_THREAD_START, .id = thread},
      {.op = CL_OP_THREAD_JOIN, .id = thread},
      {.op = CL_OP_THREAD_JOIN, .id = thread},
      {.op = HWT_SCRIPT_END, .word0 = 1},
  };
  pthread_t unit = begin(0, steps);
  EQUAL(end(unit), 1);
  EQUAL(born, 55);
  EQUAL(steps[0].answer, 0);
  EQUAL(steps[1].answer & ~RESUMED, 0);
  EQUAL(steps[2].answer, STATUS(CL_STATUS_ESRCH));
}

/* One thread a unit; hanging, resetting while it waits, and faults; the unit is as good as new each time. */
static void trouble(void) {
  struct hwt_script spin[] = {{.op = HWT_SCRIPT_SPIN}};
  struct hwt_script fault[] = {{.op = HWT_SCRIPT_LOAD, .word0 = NOWHERE}};
  struct hwt_script good[] = {{.op = CL_OP_SELF}, {.op = HWT_SCRIPT_END, .word0 = 5}};
  struct hardware_status_np status;
  pthread_attr_t attr;
  pthread_t thread, another;
  sem_t sem;
  uint32_t number = semaphore(&sem, 0);
  struct hwt_script waits[] = {{.op = CL_OP_SEMAPHORE_WAIT, .id = number}, {.op = HWT_SCRIPT_END}};

  thread = begin(0, spin);
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_sethardware_np(&attr, 0), 0);
  EQUAL(pthread_create(&another, &attr, NULL, good), EBUSY);
  EQUAL(hardware_command_np(0, HARDWARE_START), EBUSY);
  EQUAL(hardware_command_np(0, HARDWARE_RESUME), EINVAL);
  EQUAL(hardware_command_np(0, 9), EINVAL);
  EQUAL(hardware_command_np(3, HARDWARE_START), ENODEV);
  EQUAL(pthread_attr_sethardware_np(&attr, 3), ENODEV);
  EQUAL(hardware_command_np(0, HARDWARE_STOP), 0);
  EQUAL(state(0), HARDWARE_STOPPED);
  EQUAL(hardware_command_np(0, HARDWARE_RESUME), 0);
  EQUAL(state(0), HARDWARE_RUNNING);
  EQUAL(hardware_command_np(0, HARDWARE_RESET), 0);
  EQUAL(end(thread), -1);
  EQUAL(state(0), HARDWARE_IDLE);

  thread = begin(0, waits);
  wait_cycles(300);
  EQUAL(hardware_command_np(0, HARDWARE_RESET), 0);
  wait_cycles(300);
  EQUAL(hardware_status_np(0, &status), 0);
  EQUAL(status.has_thread, 1);
  EQUAL(status.thread, thread);
  sem_post(&sem);
  EQUAL(end(thread), -1);

  for (int i = 0; i < 2; i++) {
    thread = begin(0, fault);
    EQUAL(end(thread), -1);
    EQUAL(hardware_status_np(0, &status), 0);
    EQUAL(status.state, HARDWARE_FAULTED);
    EQUAL(status.fault_address, NOWHERE);
    EQUAL(status.has_thread, 0);
    if (i) EQUAL(hardware_command_np(0, HARDWARE_RESET), 0);
    thread = begin(0, good);
    EQUAL(end(thread), 5);
    EQUAL(good[0].answer, thread);
  }
}

/* A wait for an interrupt line, raised by software; and a condition variable. */
static void signals(void) {
  enum { LINE = 6 };
  struct hwt_script steps[] = {
      {.op = CL_OP_INTERRUPT_BIND, .id = LINE, .word0 = 0},
      {.op = CL_OP_INTERRUPT_WAIT, .id = LINE},
      {.op = CL_OP_COND_CREATE},
      {.op = HWT_SCRIPT_END, .word0 = 3},
  };
  pthread_t thread = begin(2, steps);
  while (interrupt_raise_np(LINE) == ENOENT) continue;
  EQUAL(end(thread), 3);
  EQUAL(steps[0].answer, 0);
  EQUAL(steps[1].answer & ~RESUMED, 0);
  struct hwt_script wait[] = {
      {.op = CL_OP_COND_WAIT, .id = steps[2].answer},
      {.op = CL_OP_COND_DESTROY, .id = steps[2].answer},
      {.op = HWT_SCRIPT_END, .word0 = 4},
  };
  struct hwt_script signal[] = {
      {.op = HWT_SCRIPT_DELAY, .word0 = 500},
      {.op = CL_OP_COND_SIGNAL, .id = steps[2].answer},
      {.op = HWT_SCRIPT_END, .word0 = 5},
  };
  thread = begin(2, wait);
  wait_cycles(300);
  pthread_t other = begin(0, signal);
  EQUAL(end(thread), 4);
  EQUAL(end(other), 5);
  EQUAL(wait[0].answer, RESUMED);
  EQUAL(wait[1].answer, 0);
}

int main(void) {
  alone();
  locks();
  semaphores();
  messages();
  threads();
  trouble();
  signals();
  puts(failures ? "FAILED" : "ok");
  return failures;
}
