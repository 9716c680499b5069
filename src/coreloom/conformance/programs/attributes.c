/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of threads. */
#include <limits.h>

#include "conformance.h"

static pthread_attr_t attr;
static volatile int ran;

static void *note(void *argument) {
  ran = 1;
  return argument;
}

/* A test with fresh attributes. */
#define FRESH(function, requirement, text) \
  TEST_BETWEEN(function, requirement, text, pthread_attr_init(&attr), pthread_attr_destroy(&attr))

FRESH(pthread_attr_init, defaults, "joinable, system scope, a stack of PTHREAD_STACK_MIN or more") {
  int value = -1;
  size_t size = 0;
  OK(pthread_attr_getdetachstate(&attr, &value));
  IS(PTHREAD_CREATE_JOINABLE, value);
  OK(pthread_attr_getscope(&attr, &value));
  IS(PTHREAD_SCOPE_SYSTEM, value);
  OK(pthread_attr_getstacksize(&attr, &size));
  TRUE(size >= (size_t)PTHREAD_STACK_MIN);
}

FRESH(pthread_attr_init, several_threads, "one attributes object serves several threads") {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) OK(pthread_create(&threads[i], &attr, note, (void *)i));
  for (long i = 0; i < 3; i++) IS(i, joined(threads[i]));
}

TEST(pthread_attr_destroy, nothing_einval, "a null pointer is no attributes: EINVAL") {
  KERNELS_ONLY();
  IS(EINVAL, pthread_attr_destroy(nothing));
  int state;
  IS(EINVAL, pthread_attr_getdetachstate(nothing, &state));
}

TEST(pthread_attr_destroy, init_again, "destroyed attributes can be initialised again") {
  for (int i = 0; i < 10; i++) {
    OK(pthread_attr_init(&attr));
    OK(pthread_attr_destroy(&attr));
  }
}

TEST(pthread_attr_destroy, then_use_einval, "destroyed attributes, and bytes that are none: EINVAL") {
  KERNELS_ONLY();
  pthread_t thread;
  int state;
  OK(pthread_attr_init(&attr));
  OK(pthread_attr_destroy(&attr));
  for (int foreign = 0; foreign < 2; foreign++) {
    IS(EINVAL, pthread_attr_destroy(&attr));
    IS(EINVAL, pthread_attr_getdetachstate(&attr, &state));
    IS(EINVAL, pthread_attr_setguardsize(&attr, 0));
    IS(EINVAL, pthread_create(&thread, &attr, note, NULL));
    memset(&attr, 0xA5, sizeof attr);
  }
}

TEST(pthread_attr_destroy, thread_lives_on, "a thread made with them is not affected") {
  pthread_t thread;
  OK(pthread_attr_init(&attr));
  OK(pthread_create(&thread, &attr, note, (void *)4));
  OK(pthread_attr_destroy(&attr));
  IS(4, joined(thread));
}

FRESH(pthread_attr_setdetachstate, kept, "both states are kept") {
  int value = -1;
  OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
  OK(pthread_attr_getdetachstate(&attr, &value));
  IS(PTHREAD_CREATE_DETACHED, value);
  OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE));
  OK(pthread_attr_getdetachstate(&attr, &value));
  IS(PTHREAD_CREATE_JOINABLE, value);
}

FRESH(pthread_attr_setdetachstate, unknown_einval, "another number: EINVAL") {
  IS(EINVAL, pthread_attr_setdetachstate(&attr, 1234));
}

FRESH(pthread_attr_setdetachstate, detached_thread, "a thread made with PTHREAD_CREATE_DETACHED runs") {
  pthread_t thread;
  ran = 0;
  OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
  OK(pthread_create(&thread, &attr, note, NULL));
  AWAIT(ran);
}

FRESH(pthread_attr_getdetachstate, default_joinable, "PTHREAD_CREATE_JOINABLE unless set") {
  int value = -1;
  OK(pthread_attr_getdetachstate(&attr, &value));
  IS(PTHREAD_CREATE_JOINABLE, value);
}

FRESH(pthread_attr_setguardsize, kept, "the size is returned as it was set, also 0") {
  size_t size = 1;
  OK(pthread_attr_setguardsize(&attr, 0));
  OK(pthread_attr_getguardsize(&attr, &size));
  IS(0, size);
  OK(pthread_attr_setguardsize(&attr, 123));
  OK(pthread_attr_getguardsize(&attr, &size));
  IS(123, size);
}

FRESH(pthread_attr_setguardsize, thread_runs, "a thread with a guard, and one without, run") {
  pthread_t thread;
  OK(pthread_attr_setguardsize(&attr, 0));
  OK(pthread_create(&thread, &attr, note, (void *)1));
  IS(1, joined(thread));
  OK(pthread_attr_setguardsize(&attr, 512));
  OK(pthread_create(&thread, &attr, note, (void *)2));
  IS(2, joined(thread));
}

TEST(pthread_attr_getguardsize, default_constant, "the default is the same for each new object") {
  size_t size = 1, again = 2;
  OK(pthread_attr_init(&attr));
  OK(pthread_attr_getguardsize(&attr, &size));
  OK(pthread_attr_destroy(&attr));
  OK(pthread_attr_init(&attr));
  OK(pthread_attr_getguardsize(&attr, &again));
  OK(pthread_attr_destroy(&attr));
  IS(size, again);
}

FRESH(pthread_attr_setinheritsched, kept, "both values are kept") {
  int value = -1;
  OK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
  OK(pthread_attr_getinheritsched(&attr, &value));
  IS(PTHREAD_EXPLICIT_SCHED, value);
  OK(pthread_attr_setinheritsched(&attr, PTHREAD_INHERIT_SCHED));
  OK(pthread_attr_getinheritsched(&attr, &value));
  IS(PTHREAD_INHERIT_SCHED, value);
}

FRESH(pthread_attr_setinheritsched, unknown_einval, "another number: EINVAL") {
  IS(EINVAL, pthread_attr_setinheritsched(&attr, 1234));
}

TEST(pthread_attr_getinheritsched, default_constant, "a value of the two, the same for each new object") {
  int value = -1, again = -2;
  OK(pthread_attr_init(&attr));
  OK(pthread_attr_getinheritsched(&attr, &value));
  OK(pthread_attr_destroy(&attr));
  OK(pthread_attr_init(&attr));
  OK(pthread_attr_getinheritsched(&attr, &again));
  OK(pthread_attr_destroy(&attr));
  TRUE(value == PTHREAD_INHERIT_SCHED || value == PTHREAD_EXPLICIT_SCHED);
  IS(value, again);
}

static int policy_seen, priority_seen;

static void *see_scheduling(void *unused) {
  (void)unused;
  struct sched_param param;
  const int error = pthread_getschedparam(pthread_self(), &policy_seen, &param);
  priority_seen = param.sched_priority;
  return (void *)(long)error;
}

TEST(pthread_attr_setinheritsched, inherits, "PTHREAD_INHERIT_SCHED: policy and priority are the creator's") {
  pthread_t thread;
  struct sched_param param = {.sched_priority = sched_get_priority_min(SCHED_FIFO) + 1}, own;
  int policy;
  OK(pthread_attr_init(&attr));
  OK(pthread_attr_setinheritsched(&attr, PTHREAD_INHERIT_SCHED));
  OK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
  OK(pthread_attr_setschedparam(&attr, &param));
  OK(pthread_create(&thread, &attr, see_scheduling, NULL));
  IS(0, joined(thread));
  OK(pthread_attr_destroy(&attr));
  OK(pthread_getschedparam(pthread_self(), &policy, &own));
  IS(policy, policy_seen);
  IS(own.sched_priority, priority_seen);
}

TEST(pthread_attr_setinheritsched, explicit_applies,
     "PTHREAD_EXPLICIT_SCHED: policy and priority are the attributes'") {
  const int policies[] = {SCHED_FIFO, SCHED_RR};
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    struct sched_param param = {.sched_priority = sched_get_priority_min(policies[i]) + 3};
    OK(pthread_attr_init(&attr));
    OK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
    OK(pthread_attr_setschedpolicy(&attr, policies[i]));
    OK(pthread_attr_setschedparam(&attr, &param));
    const int error = pthread_create(&thread, &attr, see_scheduling, NULL);
    OK(pthread_attr_destroy(&attr));
    if (error == EPERM) UNTESTED("no right to SCHED_FIFO");
    OK(error);
    IS(0, joined(thread));
    IS(policies[i], policy_seen);
    IS(param.sched_priority, priority_seen);
  }
}

FRESH(pthread_attr_setschedpolicy, kept, "SCHED_FIFO, SCHED_RR and SCHED_OTHER are kept") {
  const int policies[] = {SCHED_FIFO, SCHED_RR, SCHED_OTHER};
  int value = -1;
  for (int i = 0; i < 3; i++) {
    OK(pthread_attr_setschedpolicy(&attr, policies[i]));
    OK(pthread_attr_getschedpolicy(&attr, &value));
    IS(policies[i], value);
  }
}

FRESH(pthread_attr_setschedpolicy, unknown, "another number: EINVAL or ENOTSUP") {
  const int error = pthread_attr_setschedpolicy(&attr, 1234);
  TRUE(error == EINVAL || error == ENOTSUP);
}

FRESH(pthread_attr_getschedpolicy, default_is_a_policy, "the default is a policy that there is") {
  int value = -1;
  OK(pthread_attr_getschedpolicy(&attr, &value));
  TRUE(value == SCHED_OTHER || value == SCHED_FIFO || value == SCHED_RR);
}

FRESH(pthread_attr_setschedparam, kept, "each priority of the policy is kept") {
  const int policies[] = {SCHED_FIFO, SCHED_RR};
  for (int i = 0; i < 2; i++) {
    OK(pthread_attr_setschedpolicy(&attr, policies[i]));
    for (int p = sched_get_priority_min(policies[i]); p <= sched_get_priority_max(policies[i]); p++) {
      struct sched_param param = {.sched_priority = p}, found = {.sched_priority = -1};
      OK(pthread_attr_setschedparam(&attr, &param));
      OK(pthread_attr_getschedparam(&attr, &found));
      IS(p, found.sched_priority);
    }
  }
}

FRESH(pthread_attr_setschedparam, outside, "a priority outside the policy's range: EINVAL or ENOTSUP") {
  struct sched_param param = {.sched_priority = sched_get_priority_max(SCHED_FIFO) + 1};
  OK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
  int error = pthread_attr_setschedparam(&attr, &param);
  TRUE(error == EINVAL || error == ENOTSUP);
  param.sched_priority = sched_get_priority_min(SCHED_FIFO) - 1;
  error = pthread_attr_setschedparam(&attr, &param);
  TRUE(error == EINVAL || error == ENOTSUP);
}

FRESH(pthread_attr_getschedparam, default_priority, "the default can be set back") {
  struct sched_param param;
  OK(pthread_attr_getschedparam(&attr, &param));
  OK(pthread_attr_setschedparam(&attr, &param));
}

FRESH(pthread_attr_setscope, system, "PTHREAD_SCOPE_SYSTEM is kept") {
  int value = -1;
  OK(pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM));
  OK(pthread_attr_getscope(&attr, &value));
  IS(PTHREAD_SCOPE_SYSTEM, value);
}

FRESH(pthread_attr_setscope, process_enotsup, "PTHREAD_SCOPE_PROCESS: 0 or ENOTSUP; another number: EINVAL") {
  const int error = pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS);
  TRUE(error == 0 || error == ENOTSUP);
  IS(EINVAL, pthread_attr_setscope(&attr, 1234));
}

FRESH(pthread_attr_getscope, default_system, "PTHREAD_SCOPE_SYSTEM unless set") {
  int value = -1;
  OK(pthread_attr_getscope(&attr, &value));
  IS(PTHREAD_SCOPE_SYSTEM, value);
}

FRESH(pthread_attr_setstacksize, kept, "the size is kept") {
  size_t size = 0;
  OK(pthread_attr_setstacksize(&attr, 65536));
  OK(pthread_attr_getstacksize(&attr, &size));
  IS(65536, size);
}

FRESH(pthread_attr_setstacksize, too_small_einval, "less than PTHREAD_STACK_MIN: EINVAL") {
  IS(EINVAL, pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN - 1));
  IS(EINVAL, pthread_attr_setstacksize(&attr, 0));
}

FRESH(pthread_attr_setstacksize, smallest, "a thread with PTHREAD_STACK_MIN runs") {
  pthread_t thread;
  OK(pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN));
  OK(pthread_create(&thread, &attr, note, (void *)5));
  IS(5, joined(thread));
}

static void *fill(void *bytes) {
  volatile char area[(size_t)60000];
  for (size_t i = 0; i < sizeof area; i++) area[i] = (char)i;
  long wrong = 0;
  for (size_t i = 0; i < sizeof area; i++) wrong += area[i] != (char)i;
  return (void *)(wrong ? wrong : (long)bytes);
}

FRESH(pthread_attr_setstacksize, large_can_be_used, "a thread can use all but a little of a stack of 64 KiB") {
  pthread_t thread;
  OK(pthread_attr_setstacksize(&attr, 65536));
  OK(pthread_create(&thread, &attr, fill, (void *)9));
  IS(9, joined(thread));
}

FRESH(pthread_attr_getstacksize, default_min, "the default is PTHREAD_STACK_MIN or more") {
  size_t size = 0;
  OK(pthread_attr_getstacksize(&attr, &size));
  TRUE(size >= (size_t)PTHREAD_STACK_MIN);
}

static char stack[65536] __attribute__((aligned(4096)));

static void *where(void *unused) {
  (void)unused;
  volatile char here = 0;
  const uintptr_t at = (uintptr_t)&here;
  return (void *)(long)(at >= (uintptr_t)stack && at < (uintptr_t)stack + sizeof stack);
}

FRESH(pthread_attr_setstack, kept, "address and size are kept") {
  void *address = NULL;
  size_t size = 0;
  OK(pthread_attr_setstack(&attr, stack, sizeof stack));
  OK(pthread_attr_getstack(&attr, &address, &size));
  TRUE(address == stack);
  IS(sizeof stack, size);
}

FRESH(pthread_attr_setstack, thread_runs_there, "the thread runs on that memory, again after it was joined") {
  OK(pthread_attr_setstack(&attr, stack, sizeof stack));
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    OK(pthread_create(&thread, &attr, where, NULL));
    IS(1, joined(thread));
  }
}

FRESH(pthread_attr_setstack, too_small_einval, "less than PTHREAD_STACK_MIN: EINVAL") {
  IS(EINVAL, pthread_attr_setstack(&attr, stack, (size_t)PTHREAD_STACK_MIN - 1));
}

FRESH(pthread_attr_setstack, unaligned_einval, "an address that no stack can begin at: EINVAL") {
  KERNELS_ONLY();
  IS(EINVAL, pthread_attr_setstack(&attr, stack + 1, sizeof stack - 16));
}

FRESH(pthread_attr_getstack, size_of_setstacksize, "the size is what setstacksize has set") {
  void *address = NULL;
  size_t size = 0;
  OK(pthread_attr_setstacksize(&attr, 32768));
  OK(pthread_attr_getstack(&attr, &address, &size));
  IS(32768, size);
}
