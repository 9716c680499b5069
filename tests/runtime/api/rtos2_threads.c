/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernel, threads, their flags, delays. */
#include "rtos2.h"

#include <string.h>

/* --- before the kernel runs ----------------------------------------------------------------------- */

static int32_t first_state, first_lock, ready_state, twice, no_wait, first_start, ran_early;
static void nothing(void *argument) { (void)argument; }
static void run_early(void *argument) {
  (void)argument;
  ran_early++;
}

static void before_start(void) {
  first_state = osKernelGetState();
  first_start = osKernelStart();
  OK(osKernelInitialize());
  ready_state = osKernelGetState();
  twice = osKernelInitialize();
  first_lock = osKernelLock();
  no_wait = osDelay(1);
  osThreadNew(run_early, NULL, NULL);
  if (ran_early) ran_early = 100;
}

TEST(osKernelGetState, inactive, "inactive before osKernelInitialize") { IS(osKernelInactive, first_state); }
TEST(osKernelGetState, ready, "ready after it") { IS(osKernelReady, ready_state); }
TEST(osKernelGetState, running, "running in a thread") { IS(osKernelRunning, osKernelGetState()); }
TEST(osKernelInitialize, twice, "once more before the start changes nothing") { OK(twice); }
TEST(osKernelInitialize, running, "osError in a kernel that runs") { IS(osError, osKernelInitialize()); }
TEST(osKernelStart, not_ready, "osError before osKernelInitialize") { IS(osError, first_start); }
TEST(osKernelStart, running, "osError in a kernel that runs") { IS(osError, osKernelStart()); }
TEST(osKernelLock, not_running, "osError before the start") { IS(osError, first_lock); }
TEST(osDelay, not_running, "osError before the start") { IS(osError, no_wait); }
TEST(osThreadNew, before_start, "a thread made before the start runs after it") {
  settle();
  IS(1, ran_early);
}

TEST(osKernelGetInfo, version, "an API of version 2 and a name that ends") {
  osVersion_t version;
  char name[6];
  OK(osKernelGetInfo(&version, name, sizeof name));
  IS(2, version.api / 10000000);
  IS(5, strlen(name));
  OK(osKernelGetInfo(NULL, NULL, 0));
}

/* --- time ----------------------------------------------------------------------------------------- */

TEST(osKernelGetTickFreq, hertz, "1000 unless the program says something else") { IS(1000, osKernelGetTickFreq()); }

TEST(osKernelGetTickCount, steps, "a tick is as long as its frequency and that of the system timer say") {
  uint32_t ticks = osKernelGetTickCount(), cycles = osKernelGetSysTimerCount();
  OK(osDelay(10));
  IS(10, osKernelGetTickCount() - ticks);
  cycles = osKernelGetSysTimerCount() - cycles;
  uint32_t tick = osKernelGetSysTimerFreq() / osKernelGetTickFreq();
  TRUE(cycles > 9 * tick && cycles < 11 * tick);
}

TEST(osDelay, zero, "osErrorParameter for 0 ticks") { IS(osErrorParameter, osDelay(0)); }

TEST(osDelayUntil, absolute, "until a tick count") {
  uint32_t ticks = osKernelGetTickCount() + 4;
  OK(osDelayUntil(ticks));
  IS(ticks, osKernelGetTickCount());
}

TEST(osDelayUntil, past, "osErrorParameter for now, and for a time that is over") {
  IS(osErrorParameter, osDelayUntil(osKernelGetTickCount()));
  IS(osErrorParameter, osDelayUntil(osKernelGetTickCount() - 1));
}

/* --- the lock of the kernel ----------------------------------------------------------------------- */

static void note_b(void *argument) {
  (void)argument;
  note('b');
}

TEST(osKernelLock, no_switch, "a more urgent thread does not run until unlock") {
  begin();
  IS(0, osKernelLock());
  IS(osKernelLocked, osKernelGetState());
  osThreadId_t thread = start_above(note_b, NULL);
  note('a');
  IS(1, osKernelUnlock());
  osThreadYield();
  note('c');
  OK(osThreadJoin(thread));
  TRUE(ordered("abc"));
}

TEST(osKernelLock, before, "the answer is what it was before") {
  IS(0, osKernelLock());
  IS(1, osKernelLock());
  IS(1, osKernelUnlock());
  IS(0, osKernelUnlock());
}

TEST(osKernelLock, no_wait, "the caller cannot wait meanwhile") {
  osSemaphoreId_t semaphore = osSemaphoreNew(1, 0, NULL);
  IS(0, osKernelLock());
  int32_t delay = osDelay(1), acquire = osSemaphoreAcquire(semaphore, 5);
  IS(1, osKernelUnlock());
  IS(osError, delay);
  IS(osErrorTimeout, acquire);
  OK(osSemaphoreDelete(semaphore));
}

TEST(osKernelRestoreLock, restores, "the answer of lock or unlock is what it takes") {
  int32_t before = osKernelLock();
  IS(0, osKernelRestoreLock(before));
  IS(osKernelRunning, osKernelGetState());
  IS(1, osKernelRestoreLock(1));
  IS(osKernelLocked, osKernelGetState());
  IS(1, osKernelUnlock());
  IS(osError, osKernelRestoreLock(7));
}

static void tick(void *argument) { (void)argument; }

TEST(osKernelSuspend, ticks, "until the next timer, or for ever") {
  IS(osWaitForever, osKernelSuspend());
  IS(osKernelSuspended, osKernelGetState());
  osKernelResume(0);
  IS(osKernelRunning, osKernelGetState());
  osTimerId_t timer = osTimerNew(tick, osTimerOnce, NULL, NULL);
  OK(osTimerStart(timer, 50));
  uint32_t ticks = osKernelSuspend();
  osKernelResume(1);
  TRUE(ticks >= 48 && ticks <= 50);
  OK(osTimerDelete(timer));
}

/* --- threads -------------------------------------------------------------------------------------- */

TEST(osThreadNew, no_function, "NULL without a function") { TRUE(!osThreadNew(NULL, NULL, NULL)); }

TEST(osThreadNew, bad_priority, "NULL for a priority that there is not") {
  const osThreadAttr_t attr = {.priority = (osPriority_t)3}, above = {.priority = (osPriority_t)57};
  TRUE(!osThreadNew(nothing, NULL, &attr));
  TRUE(!osThreadNew(nothing, NULL, &above));
}

static void keep(void *argument) { found[0] = (long)(intptr_t)argument; }

TEST(osThreadNew, argument, "the function gets its argument") {
  forget();
  OK(osThreadJoin(start_above(keep, (void *)17)));
  IS(17, found[0]);
}

static void keep_own(void *argument) {
  (void)argument;
  found[0] = (long)(intptr_t)osThreadGetId();
  found[1] = osThreadGetPriority(osThreadGetId());
  found[2] = strcmp(osThreadGetName(osThreadGetId()), "helper");
}

TEST(osThreadGetId, own, "a thread knows its identifier, priority and name") {
  osThreadId_t thread = start_above(keep_own, NULL);
  OK(osThreadJoin(thread));
  IS((intptr_t)thread, found[0]);
  IS(osPriorityAboveNormal, found[1]);
  IS(0, found[2]);
}

TEST(osThreadGetName, none, "NULL without a name, and for no thread") {
  osThreadId_t thread = osThreadNew(nothing, NULL, &(osThreadAttr_t){.attr_bits = osThreadJoinable});
  TRUE(!osThreadGetName(thread));
  OK(osThreadJoin(thread));
  TRUE(!osThreadGetName(NULL));
}

TEST(osThreadNew, default_priority, "normal without attributes") {
  osThreadId_t thread = osThreadNew(nothing, NULL, &(osThreadAttr_t){.attr_bits = osThreadJoinable});
  IS(osPriorityNormal, osThreadGetPriority(thread));
  OK(osThreadJoin(thread));
}

static void measure(void *argument) {
  (void)argument;
  found[0] = osThreadGetStackSize(osThreadGetId());
  found[1] = osThreadGetStackSpace(osThreadGetId());
  found[2] = (long)(intptr_t)&argument;
}

TEST(osThreadNew, own_stack, "a stack that the program gives is the one that is used") {
  static uint64_t stack[512];
  const osThreadAttr_t attr = {
      .attr_bits = osThreadJoinable, .stack_mem = stack, .stack_size = sizeof stack, .priority = osPriorityHigh};
  OK(osThreadJoin(osThreadNew(measure, NULL, &attr)));
  IS(sizeof stack, found[0]);
  TRUE(found[1] > 0 && found[1] < found[0]);
  TRUE(found[2] > (long)(intptr_t)stack && found[2] < (long)(intptr_t)(stack + 512));
}

TEST(osThreadNew, bad_stack, "NULL for memory that is not aligned, or without a size") {
  static uint64_t stack[512];
  const osThreadAttr_t odd = {.stack_mem = (char *)stack + 4, .stack_size = 2048}, none = {.stack_mem = stack};
  TRUE(!osThreadNew(nothing, NULL, &odd));
  TRUE(!osThreadNew(nothing, NULL, &none));
}

static void exit_inside(void *argument) {
  found[0] = 1;
  if (argument) osThreadExit();
  found[0] = 2;
}

TEST(osThreadExit, does_not_return, "the thread ends there") {
  OK(osThreadJoin(start_above(exit_inside, (void *)1)));
  IS(1, found[0]);
}

static void acquire_forever(void *semaphore) { found[1] = osSemaphoreAcquire(semaphore, osWaitForever); }

TEST(osThreadGetState, states, "running, ready, blocked, terminated, and an error for no thread") {
  osSemaphoreId_t semaphore = osSemaphoreNew(1, 0, NULL);
  IS(osThreadRunning, osThreadGetState(driver));
  osThreadId_t blocked = start_above(acquire_forever, semaphore), ready = start_below(nothing, NULL);
  settle();
  IS(osThreadBlocked, osThreadGetState(blocked));
  osThreadId_t next = start_below(nothing, NULL);
  IS(osThreadReady, osThreadGetState(next));
  OK(osSemaphoreRelease(semaphore));
  settle();
  IS(osThreadTerminated, osThreadGetState(blocked));
  IS(osThreadError, osThreadGetState(NULL));
  OK(osThreadJoin(blocked));
  OK(osThreadJoin(ready));
  OK(osThreadJoin(next));
  IS(osThreadError, osThreadGetState(next));
  OK(osSemaphoreDelete(semaphore));
}

TEST(osThreadSetPriority, preempts, "a thread that is made more urgent runs at once") {
  begin();
  osThreadId_t thread = start_below(note_b, NULL);
  note('a');
  OK(osThreadSetPriority(thread, osPriorityHigh));
  settle();
  note('c');
  IS(osErrorResource, osThreadSetPriority(thread, osPriorityLow));
  OK(osThreadJoin(thread));
  TRUE(ordered("abc"));
}

TEST(osThreadSetPriority, errors, "osErrorParameter for no thread and no priority") {
  IS(osErrorParameter, osThreadSetPriority(NULL, osPriorityNormal));
  IS(osErrorParameter, osThreadSetPriority(driver, osPriorityNone));
  IS(osErrorParameter, osThreadSetPriority(driver, (osPriority_t)60));
  IS(osPriorityError, osThreadGetPriority(NULL));
  IS(osPriorityNormal, osThreadGetPriority(driver));
}

static void note_twice(void *who) {
  note(*(char *)who);
  osThreadYield();
  note(*(char *)who);
}

TEST(osThreadYield, takes_turns, "to the next thread of the same priority") {
  begin();
  IS(0, osKernelLock());
  osThreadId_t one = start_above(note_twice, "1"), two = start_above(note_twice, "2");
  IS(1, osKernelUnlock());
  OK(osThreadJoin(one));
  OK(osThreadJoin(two));
  TRUE(ordered("1212"));
}

static void note_and_suspend(void *argument) {
  (void)argument;
  note('a');
  found[0] = osThreadSuspend(osThreadGetId());
  note('c');
}

TEST(osThreadSuspend, itself, "a thread that suspends itself waits for resume") {
  begin();
  osThreadId_t thread = start_above(note_and_suspend, NULL);
  settle();
  note('b');
  IS(osThreadBlocked, osThreadGetState(thread));
  OK(osThreadResume(thread));
  settle();
  OK(osThreadJoin(thread));
  TRUE(ordered("abc"));
  OK(found[0]);
}

TEST(osThreadSuspend, ready, "a thread that is ready does not run until resume") {
  begin();
  osThreadId_t thread = start_below(note_b, NULL);
  OK(osThreadSuspend(thread));
  IS(osThreadBlocked, osThreadGetState(thread));
  osDelay(2);
  note('a');
  OK(osThreadResume(thread));
  settle();
  OK(osThreadJoin(thread));
  TRUE(ordered("ab"));
}

static volatile uint32_t counted;
static volatile int ends;
static void counting(void *argument) {
  (void)argument;
  while (!ends) counted++;
}

TEST(osThreadSuspend, computes, "one that computes stops, and goes on after resume") {
  ends = 0;
  osThreadId_t thread = start_below(counting, NULL);
  osDelay(2);
  OK(osThreadSuspend(thread));
  settle();
  uint32_t before = counted;
  osDelay(3);
  IS(before, counted);
  OK(osThreadResume(thread));
  osDelay(2);
  TRUE(counted != before);
  ends = 1;
  OK(osThreadJoin(thread));
}

TEST(osThreadSuspend, on_another_cpu, "one that computes on another CPU stops") {
  ends = 0;
  const osThreadAttr_t attr = {.attr_bits = osThreadJoinable, .priority = osPriorityLow};
  osThreadId_t thread = osThreadNew(counting, NULL, &attr);
  osDelay(2);
  OK(osThreadSuspend(thread));
  osDelay(2);
  uint32_t before = counted;
  osDelay(3);
  IS(before, counted);
  ends = 1;
  OK(osThreadResume(thread));
  OK(osThreadJoin(thread));
}

TEST(osThreadSuspend, errors, "no thread: osErrorParameter; suspended already: osErrorResource") {
  osThreadId_t thread = start_below(nothing, NULL);
  IS(osErrorParameter, osThreadSuspend(NULL));
  IS(osErrorParameter, osThreadResume(NULL));
  IS(osErrorResource, osThreadResume(thread));
  OK(osThreadSuspend(thread));
  IS(osErrorResource, osThreadSuspend(thread));
  OK(osThreadResume(thread));
  OK(osThreadJoin(thread));
}

TEST(osThreadResume, waiting, "a wait for an object ends as by its time limit") {
  osSemaphoreId_t semaphore = osSemaphoreNew(1, 0, NULL);
  osThreadId_t thread = start_above(acquire_forever, semaphore);
  settle();
  OK(osThreadResume(thread));
  OK(osThreadJoin(thread));
  IS(osErrorTimeout, found[1]);
  OK(osSemaphoreDelete(semaphore));
}

TEST(osThreadJoin, waits, "until the thread has ended") {
  begin();
  osThreadId_t thread = start_below(note_b, NULL);
  note('a');
  OK(osThreadJoin(thread));
  note('c');
  TRUE(ordered("abc"));
}

TEST(osThreadJoin, errors, "no thread: osErrorParameter; detached, or the caller: osErrorResource") {
  osThreadId_t thread = start_below(nothing, NULL);
  IS(osErrorParameter, osThreadJoin(NULL));
  IS(osErrorResource, osThreadJoin(driver));
  OK(osThreadJoin(thread));
  IS(osErrorParameter, osThreadJoin(thread));
}

TEST(osThreadDetach, no_join, "it cannot be joined then; and not be detached again") {
  osThreadId_t thread = start_below(nothing, NULL);
  OK(osThreadDetach(thread));
  IS(osErrorResource, osThreadJoin(thread));
  IS(osErrorResource, osThreadDetach(thread));
  settle();
  IS(osErrorParameter, osThreadDetach(thread));
}

TEST(osThreadDetach, ended, "one that has ended is no more") {
  osThreadId_t thread = start_above(nothing, NULL);
  settle();
  OK(osThreadDetach(thread));
  IS(osErrorParameter, osThreadJoin(thread));
}

TEST(osThreadTerminate, ready, "a thread that has never run never does") {
  begin();
  osThreadId_t thread = start_below(note_b, NULL);
  OK(osThreadTerminate(thread));
  IS(osThreadTerminated, osThreadGetState(thread));
  OK(osThreadJoin(thread));
  TRUE(ordered(""));
}

TEST(osThreadTerminate, waiting, "one that waits takes nothing with it") {
  osSemaphoreId_t semaphore = osSemaphoreNew(1, 0, NULL);
  osThreadId_t thread = start_above(acquire_forever, semaphore);
  settle();
  OK(osThreadTerminate(thread));
  OK(osThreadJoin(thread));
  OK(osSemaphoreRelease(semaphore));
  IS(1, osSemaphoreGetCount(semaphore));
  OK(osSemaphoreDelete(semaphore));
}

TEST(osThreadTerminate, computes, "one that computes ends, on whichever CPU") {
  ends = 0;
  const osThreadAttr_t attr = {.attr_bits = osThreadJoinable, .priority = osPriorityLow};
  osThreadId_t thread = osThreadNew(counting, NULL, &attr);
  osDelay(2);
  OK(osThreadTerminate(thread));
  uint32_t before = counted;
  osDelay(2);
  IS(before, counted);
  OK(osThreadJoin(thread));
}

TEST(osThreadTerminate, suspended, "one that is suspended") {
  osThreadId_t thread = start_above(note_and_suspend, NULL);
  settle();
  OK(osThreadTerminate(thread));
  IS(osErrorResource, osThreadTerminate(thread));
  OK(osThreadJoin(thread));
  IS(osErrorParameter, osThreadTerminate(thread));
}

static void join(void *thread) { found[2] = osThreadJoin(thread); }

TEST(osThreadTerminate, wakes_joiner, "who joins it goes on") {
  osSemaphoreId_t semaphore = osSemaphoreNew(1, 0, NULL);
  osThreadId_t thread = start_above(acquire_forever, semaphore);
  osThreadId_t joiner = start_above(join, thread);
  settle();
  OK(osThreadTerminate(thread));
  OK(osThreadJoin(joiner));
  OK(found[2]);
  IS(osErrorParameter, osThreadJoin(thread));
  OK(osSemaphoreDelete(semaphore));
}

TEST(osThreadGetCount, counts, "those that have not ended, and enumerate lists them") {
  osThreadId_t list[8];
  uint32_t before = osThreadGetCount();
  osThreadId_t thread = start_below(nothing, NULL);
  IS(before + 1, osThreadGetCount());
  IS(before + 1, osThreadEnumerate(list, 8));
  int is_there = 0;
  for (uint32_t i = 0; i <= before; i++) is_there |= list[i] == thread;
  TRUE(is_there);
  IS(1, osThreadEnumerate(list, 1));
  IS(0, osThreadEnumerate(NULL, 8));
  OK(osThreadJoin(thread));
  IS(before, osThreadGetCount());
}

TEST(osThreadGetAffinityMask, own, "the mask that it was made with") {
  IS(osThreadProcessor(0), osThreadGetAffinityMask(driver));
  IS(osErrorParameter, osThreadSetAffinityMask(NULL, 1));
  IS(0, osThreadGetAffinityMask(NULL));
}

/* --- flags of a thread ---------------------------------------------------------------------------- */

TEST(osThreadFlagsSet, answer, "the flags after it") {
  IS(5, osThreadFlagsSet(driver, 5));
  IS(7, osThreadFlagsSet(driver, 2));
  IS(7, osThreadFlagsGet());
  IS(7, osThreadFlagsClear(3));
  IS(4, osThreadFlagsClear(4));
  IS(0, osThreadFlagsGet());
}

TEST(osThreadFlagsSet, errors, "bit 31 and no thread: osFlagsErrorParameter") {
  IS(osFlagsErrorParameter, osThreadFlagsSet(driver, 1u << 31));
  IS(osFlagsErrorParameter, osThreadFlagsSet(NULL, 1));
  IS(osFlagsErrorParameter, osThreadFlagsClear(1u << 31));
  IS(osFlagsErrorParameter, osThreadFlagsWait(1u << 31, osFlagsWaitAny, 0));
}

TEST(osThreadFlagsSet, ended, "a thread that has ended: osFlagsErrorResource") {
  osThreadId_t thread = start_above(nothing, NULL);
  settle();
  IS(osFlagsErrorResource, osThreadFlagsSet(thread, 1));
  OK(osThreadJoin(thread));
}

TEST(osThreadFlagsWait, any, "any of them; the answer is what was set before they are cleared") {
  osThreadFlagsSet(driver, 6);
  IS(6, osThreadFlagsWait(3, osFlagsWaitAny, 0));
  IS(4, osThreadFlagsClear(7));
}

TEST(osThreadFlagsWait, all, "all of them; none is cleared before that") {
  osThreadFlagsSet(driver, 2);
  IS(osFlagsErrorResource, osThreadFlagsWait(3, osFlagsWaitAll, 0));
  IS(osFlagsErrorTimeout, osThreadFlagsWait(3, osFlagsWaitAll, 1));
  osThreadFlagsSet(driver, 1);
  IS(3, osThreadFlagsWait(3, osFlagsWaitAll, 0));
  IS(0, osThreadFlagsGet());
}

TEST(osThreadFlagsWait, no_clear, "they stay with osFlagsNoClear") {
  osThreadFlagsSet(driver, 1);
  IS(1, osThreadFlagsWait(1, osFlagsWaitAny | osFlagsNoClear, 0));
  IS(1, osThreadFlagsClear(1));
}

static void wait_all(void *argument) {
  (void)argument;
  note('a');
  found[0] = (long)osThreadFlagsWait(5, osFlagsWaitAll, osWaitForever);
  note('c');
}

TEST(osThreadFlagsWait, waits, "until another thread has set them all") {
  begin();
  osThreadId_t thread = start_above(wait_all, NULL);
  settle();
  IS(1, osThreadFlagsSet(thread, 1));
  settle();
  note('b');
  osThreadFlagsSet(thread, 4);
  settle();
  OK(osThreadJoin(thread));
  IS(5, found[0]);
  TRUE(ordered("abc"));
}

/* --- in a handler --------------------------------------------------------------------------------- */

static void ask_kernel(void) {
  found[0] = osKernelLock();
  found[1] = osKernelInitialize();
  found[2] = osDelay(1);
  found[3] = osDelayUntil(osKernelGetTickCount() + 1);
  found[4] = osKernelGetState();
  found[5] = (long)(intptr_t)osThreadNew(nothing, NULL, NULL);
  found[6] = osThreadYield();
  found[7] = osThreadTerminate(driver);
  found[8] = osThreadSuspend(driver);
  found[9] = osThreadSetPriority(driver, osPriorityLow);
  found[10] = (long)osThreadFlagsWait(1, osFlagsWaitAny, 0);
  found[11] = osThreadGetCount();
}

TEST(osErrorISR, threads, "what a handler may not call says so") {
  forget();
  in_handler(ask_kernel);
  IS(osErrorISR, found[0]);
  IS(osErrorISR, found[1]);
  IS(osErrorISR, found[2]);
  IS(osErrorISR, found[3]);
  IS(osKernelRunning, found[4]);
  IS(0, found[5]);
  for (int i = 6; i < 11; i++) IS(osErrorISR, found[i]);
  IS(0, found[11]);
}

TEST(osThreadNew, no_thread, "NULL for want of threads leaves what the kernel has, as does a line's handler") {
  osThreadId_t made[128];
  const uint32_t before = osThreadGetCount();
  int numbers[2] = {0, 0}, semaphores = 0;
  for (int round = 0; round < 2; round++) {
    if (round) semaphores = semaphores_left(); /* each thread has what stays for the next of its number */
    int *number = &numbers[round];
    const osThreadAttr_t attr = {
        .attr_bits = osThreadJoinable, .priority = osPriorityLow, .affinity_mask = osThreadProcessor(0)};
    while (*number < 128 && (made[*number] = osThreadNew(nothing, NULL, &attr))) ++*number;
    TRUE(*number < 128);
    TRUE(!osThreadNew(nothing, NULL, NULL));
    IS(before + (uint32_t)*number, osThreadGetCount());
    IS(-1, IRQ_Enable(LINE + 1));
    if (round) IS(semaphores, semaphores_left());
    for (int i = 0; i < *number; i++) OK(osThreadJoin(made[i]));
    IS(before, osThreadGetCount());
  }
  IS(numbers[0], numbers[1]);
}

static void set_from_handler(void) { found[0] = (long)osThreadFlagsSet(driver, 8); }

TEST(osThreadFlagsSet, from_handler, "allowed in a handler, and wakes the thread") {
  forget();
  in_handler(set_from_handler);
  IS(8, osThreadFlagsWait(8, osFlagsWaitAny, 10));
  TRUE(found[0] == 8 || found[0] == 0);
}
