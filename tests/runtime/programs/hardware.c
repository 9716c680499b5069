/* SPDX-License-Identifier: Apache-2.0
 *
 * Hardware threads against software threads: units 0 and 1 carry out scripts, unit 2 sorts. Every kind of service from
 * hardware; a unit that hangs, faults, or is reset in a wait, while the rest goes on; wrong commands. With the software
 * kernel: there are none. */
#include "check.h"

#include <cl_kernel_ops.h>
#include <hthread.h>
#include <hwt_units.h>

#define STEP(code, object, word) {.op = (code), .id = (object), .word0 = (uint32_t)(word)}
#define ADDRESS(of) ((uint32_t)(uintptr_t)(of))

static pthread_attr_t *on_unit(pthread_attr_t *attr, int unit) {
  int got = -1;
  EQUAL(pthread_attr_init(attr), 0);
  EQUAL(pthread_attr_gethardware_np(attr, &got), 0);
  EQUAL(got, PTHREAD_HARDWARE_NONE_NP);
  EQUAL(pthread_attr_sethardware_np(attr, unit), 0);
  EQUAL(pthread_attr_gethardware_np(attr, &got), 0);
  EQUAL(got, unit);
  return attr;
}

static pthread_t run_script(int unit, struct hwt_script *steps) {
  pthread_attr_t attr;
  pthread_t thread = ~0u;
  EQUAL(pthread_create(&thread, on_unit(&attr, unit), NULL, steps), 0);
  return thread;
}

static int state_of(int unit) {
  struct hardware_status_np status = {0};
  EQUAL(hardware_status_np(unit, &status), 0);
  return status.state;
}

/* Until the thread waits for something. */
static void until_blocked(pthread_t thread) {
  while (pthread_continue_np(thread) != EINPROGRESS) continue;
  waste(500);
}

static volatile uint32_t flag, seen;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t to_software = PTHREAD_COND_INITIALIZER;

static void *wait_for_hardware(void *unused) {
  (void)unused;
  EQUAL(pthread_mutex_lock(&mutex), 0);
  while (!flag) EQUAL(pthread_cond_wait(&to_software, &mutex), 0);
  seen = flag;
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

/* Locks, unlocks, waits, signals, sends, receives, posts, yields, exits. */
static void services(void) {
  pthread_cond_t to_hardware = PTHREAD_COND_INITIALIZER;
  sem_t to, from;
  pthread_t waiter, thread;
  uint32_t m, c, c2, s, s2, word;
  void *value;
  EQUAL(pthread_mutex_getnumber_np(&mutex, &m), 0);
  EQUAL(pthread_cond_getnumber_np(&to_software, &c), 0);
  EQUAL(pthread_cond_getnumber_np(&to_hardware, &c2), 0);
  EQUAL(sem_init(&to, 0, 0), 0);
  EQUAL(sem_init(&from, 0, 0), 0);
  EQUAL(sem_getnumber_np(&to, &s), 0);
  EQUAL(sem_getnumber_np(&from, &s2), 0);
  EQUAL(port_open(3, 0), 0);
  struct hwt_script steps[] = {
      STEP(CL_OP_SELF, 0, 0),
      STEP(CL_OP_PORT_OPEN, 4, 0),
      STEP(CL_OP_MUTEX_LOCK, m, 0), /* waits: main has it */
      STEP(HWT_SCRIPT_STORE, 7, ADDRESS(&flag)),
      STEP(CL_OP_COND_SIGNAL, c, 0),
      STEP(CL_OP_MUTEX_UNLOCK, m, 0),
      STEP(CL_OP_MUTEX_UNLOCK, m, 0), /* EPERM */
      STEP(CL_OP_SEMAPHORE_POST, s2, 0),
      STEP(CL_OP_SEMAPHORE_WAIT, s, 0),
      STEP(CL_OP_COND_WAIT, c2, 0), /* nobody has signalled yet: its ticket is 0 */
      STEP(CL_OP_PORT_SEND, 3, 0x1234),
      STEP(CL_OP_PORT_RECEIVE, 4, 0), /* publishes, and waits */
      STEP(CL_OP_YIELD, 0, 0),
      STEP(CL_OP_PORT_CLOSE, 4, 0),
      STEP(HWT_SCRIPT_END, 0, 0xabcd),
  };
  waiter = spawn(20, wait_for_hardware, NULL);
  EQUAL(pthread_mutex_lock(&mutex), 0);
  thread = run_script(0, steps);
  until_blocked(thread);
  EQUAL(flag, 0);
  EQUAL(pthread_mutex_unlock(&mutex), 0);
  EQUAL(sem_wait(&from), 0);
  EQUAL(pthread_join(waiter, NULL), 0);
  EQUAL(seen, 7);
  EQUAL(sem_post(&to), 0);
  until_blocked(thread);
  EQUAL(pthread_cond_signal(&to_hardware), 0);
  EQUAL(port_receive(3, &word), 0);
  EQUAL(word, 0x1234);
  EQUAL(pthread_setschedprio(thread, 3), ENOTSUP); /* it waits for the next word */
  EQUAL(port_send(4, 0x5678), 0);
  EQUAL(port_publish(), 0);
  EQUAL(pthread_join(thread, &value), 0);
  EQUAL(value, 0xabcd);
  EQUAL(steps[0].answer, thread);
  EQUAL(steps[6].answer >> CL_WORD_STATUS_LSB, EPERM);
  EQUAL(steps[11].message, 0x5678);
  for (unsigned i = 1; i < 14; i++)
    if (i != 6 && steps[i].op < 64) EQUAL(steps[i].answer >> CL_WORD_STATUS_LSB & CL_WORD_STATUS_MASK, 0);
  EQUAL(port_close(3), 0);
  EQUAL(pthread_cond_destroy(&to_hardware), 0);
  EQUAL(sem_destroy(&to), 0);
  EQUAL(sem_destroy(&from), 0);
}

static volatile int stop;
static volatile uint32_t turns;

static void *go_on(void *unused) {
  (void)unused;
  while (!stop) turns++;
  return NULL;
}

/* Unit 0 hangs: it is stopped and reset while software and unit 1 go on. */
static void hangs(void) {
  struct hardware_status_np status;
  static struct hwt_script hang[] = {STEP(HWT_SCRIPT_SPIN, 0, 0)};
  static struct hwt_script end[] = {STEP(HWT_SCRIPT_DELAY, 0, 3000), STEP(HWT_SCRIPT_END, 0, 5)};
  pthread_attr_t attr;
  pthread_t thread, other, software = spawn(1, go_on, NULL);
  void *value;
  EQUAL(hardware_command_np(0, HARDWARE_STOP), EINVAL);
  EQUAL(hardware_command_np(0, HARDWARE_RESUME), EINVAL);
  EQUAL(hardware_command_np(0, HARDWARE_RESET), EINVAL);
  EQUAL(state_of(0), HARDWARE_IDLE);
  thread = run_script(0, hang);
  waste(500);
  EQUAL(hardware_status_np(0, &status), 0);
  EQUAL(status.state, HARDWARE_RUNNING);
  EQUAL(status.has_thread, 1);
  EQUAL(status.thread, thread);
  EQUAL(status.kind, 15);
  /* START of a running one, by command and by a thread: nothing is changed */
  EQUAL(hardware_command_np(0, HARDWARE_START), EBUSY);
  EQUAL(hardware_command_np(0, HARDWARE_RESUME), EINVAL);
  EQUAL(pthread_create(&other, on_unit(&attr, 0), NULL, end), EBUSY);
  EQUAL(state_of(0), HARDWARE_RUNNING);
  EQUAL(hardware_command_np(0, HARDWARE_STOP), 0);
  EQUAL(state_of(0), HARDWARE_STOPPED);
  EQUAL(hardware_command_np(0, HARDWARE_STOP), EINVAL);
  EQUAL(hardware_command_np(0, HARDWARE_START), EBUSY);
  EQUAL(hardware_command_np(0, HARDWARE_RESUME), 0);
  EQUAL(state_of(0), HARDWARE_RUNNING);
  EQUAL(hardware_command_np(0, HARDWARE_STOP), 0);
  other = run_script(1, end);
  EQUAL(pthread_join(other, &value), 0); /* main waits, too: software goes on */
  EQUAL(value, 5);
  CHECK(turns > 10);
  EQUAL(state_of(0), HARDWARE_STOPPED);
  EQUAL(hardware_command_np(0, HARDWARE_RESET), 0);
  EQUAL(pthread_join(thread, &value), 0);
  CHECK(value == PTHREAD_CANCELED);
  EQUAL(state_of(0), HARDWARE_IDLE);
  /* and can be used again */
  EQUAL(pthread_join(run_script(0, end), &value), 0);
  EQUAL(value, 5);
  stop = 1;
  EQUAL(pthread_join(software, NULL), 0);
}

/* A bus error ends its thread; reset in a wait ends it when the wait does. */
static void faults(void) {
  struct hardware_status_np status;
  static struct hwt_script wild[] = {STEP(HWT_SCRIPT_LOAD, 0, 0x10000000), STEP(HWT_SCRIPT_END, 0, 1)};
  static struct hwt_script end[] = {STEP(HWT_SCRIPT_END, 0, 9)};
  struct hwt_script wait[] = {STEP(CL_OP_SEMAPHORE_WAIT, 0, 0), STEP(HWT_SCRIPT_END, 0, 1)};
  pthread_attr_t attr;
  pthread_t thread;
  sem_t sem;
  void *value;
  EQUAL(pthread_join(run_script(0, wild), &value), 0);
  CHECK(value == PTHREAD_CANCELED);
  EQUAL(hardware_status_np(0, &status), 0);
  EQUAL(status.state, HARDWARE_FAULTED);
  EQUAL(status.fault_address, 0x10000000);
  EQUAL(pthread_join(run_script(0, end), &value), 0); /* the next START clears it */
  EQUAL(value, 9);
  EQUAL(pthread_join(run_script(0, wild), &value), 0);
  EQUAL(hardware_command_np(0, HARDWARE_RESET), 0); /* so does RESET */
  EQUAL(state_of(0), HARDWARE_IDLE);

  EQUAL(sem_init(&sem, 0, 0), 0);
  EQUAL(sem_getnumber_np(&sem, &wait[0].id), 0);
  thread = run_script(1, wait);
  until_blocked(thread);
  EQUAL(hardware_command_np(1, HARDWARE_RESET), 0);
  EQUAL(pthread_create(&thread, on_unit(&attr, 1), NULL, end), EBUSY);
  EQUAL(sem_post(&sem), 0);
  EQUAL(pthread_join(thread, &value), 0);
  CHECK(value == PTHREAD_CANCELED);
  EQUAL(sem_destroy(&sem), 0);

  /* created suspended, and detached */
  on_unit(&attr, 1);
  EQUAL(pthread_attr_setsuspended_np(&attr, 1), 0);
  EQUAL(pthread_create(&thread, &attr, NULL, end), 0);
  waste(500);
  EQUAL(state_of(1), HARDWARE_IDLE);
  EQUAL(pthread_setidle_np(thread), ENOTSUP);
  EQUAL(pthread_continue_np(thread), 0);
  EQUAL(pthread_join(thread, &value), 0);
  EQUAL(value, 9);
  EQUAL(pthread_attr_setsuspended_np(&attr, 0), 0);
  EQUAL(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED), 0);
  for (int i = 0; i < 3; i++) {
    EQUAL(pthread_create(&thread, &attr, NULL, end), 0);
    waste(1000);
    EQUAL(pthread_join(thread, NULL), ESRCH);
  }
  /* without a thread */
  struct hwt_sort block = {NULL, 0};
  EQUAL(pthread_create(&thread, on_unit(&attr, 2), NULL, &block), 0);
  EQUAL(pthread_join(thread, &value), 0);
  EQUAL(value, 0);
  EQUAL(hardware_command_np(2, HARDWARE_START), 0);
  waste(500);
  EQUAL(hardware_status_np(2, &status), 0);
  EQUAL(status.state, HARDWARE_IDLE);
  EQUAL(status.has_thread, 0);
  EQUAL(status.kind, 3);
}

/* The same for a program written for hthreads. */
static void in_hthreads(void) {
  uint32_t words[40];
  struct hwt_sort block = {words, 40};
  struct sched_param param;
  hthread_attr_t attr;
  hthread_t thread, other;
  void *value;
  for (uint32_t i = 0; i < 40; i++) words[i] = (i * 2654435761u) >> 7;
  EQUAL(hthread_attr_init(&attr), SUCCESS);
  EQUAL(hthread_attr_sethardware(&attr, HWTI_BASEADDR(3)), ENODEV);
  EQUAL(hthread_attr_sethardware(&attr, HWTI_TWO_BASEADDR), SUCCESS);
  EQUAL(hthread_create(&thread, &attr, NULL, &block), SUCCESS);
  EQUAL(hthread_setschedparam(thread, SCHED_OTHER, &(struct sched_param){3}), ENOTSUP); /* while it runs */
  EQUAL(hthread_create(&other, &attr, NULL, &block), EBUSY);
  EQUAL(hthread_getschedparam(thread, NULL, &param), SUCCESS);
  EQUAL(param.sched_priority, 128 + 2);
  EQUAL(hthread_join(thread, &value), SUCCESS);
  EQUAL(value, 0);
  for (uint32_t i = 1; i < 40; i++) CHECK(words[i - 1] <= words[i]);
}

/* No such unit. */
static void missing(void) {
  int count = hardware_count_np(), got = 0;
  struct hardware_status_np status;
  pthread_attr_t attr;
  EQUAL(hardware_find_np("nothing"), -1);
  CHECK(hardware_name_np(count) == NULL && hardware_name_np(-1) == NULL);
  EQUAL(hardware_command_np(count, HARDWARE_START), ENODEV);
  EQUAL(hardware_command_np(-1, HARDWARE_START), ENODEV);
  EQUAL(hardware_status_np(count, &status), ENODEV);
  EQUAL(pthread_attr_init(&attr), 0);
  EQUAL(pthread_attr_sethardware_np(&attr, count), ENODEV);
  EQUAL(pthread_attr_sethardware_np(&attr, -3), ENODEV);
  EQUAL(pthread_attr_sethardware_np(&attr, hardware_find_np("nothing")), ENODEV);
  EQUAL(pthread_attr_gethardware_np(&attr, &got), 0);
  EQUAL(got, PTHREAD_HARDWARE_NONE_NP);
  if (count) EQUAL(pthread_attr_sethardware_np(&attr, 0), 0);
  EQUAL(pthread_attr_sethardware_np(&attr, count), ENODEV); /* the attribute stays as it was */
  EQUAL(pthread_attr_gethardware_np(&attr, &got), 0);
  EQUAL(got, count ? 0 : PTHREAD_HARDWARE_NONE_NP);
  EQUAL(pthread_attr_sethardware_np(&attr, PTHREAD_HARDWARE_NONE_NP), 0);
  EQUAL(pthread_attr_gethardware_np(&attr, &got), 0);
  EQUAL(got, PTHREAD_HARDWARE_NONE_NP);
}

int main(void) {
  missing();
  if (hardware_count_np()) {
    EQUAL(hardware_count_np(), 3);
    EQUAL(hardware_find_np("script"), 0);
    EQUAL(hardware_find_np("sort"), 2);
    EQUAL(hardware_command_np(0, 0), EINVAL);
    EQUAL(hardware_command_np(0, 5), EINVAL);
    services();
    hangs();
    faults();
    in_hthreads();
  }
  printf("%d units\n", hardware_count_np());
  return finish();
}
