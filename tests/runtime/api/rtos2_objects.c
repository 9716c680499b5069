/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers, event flags, mutexes, semaphores, memory pools, message queues. */
#include "rtos2.h"

#include <string.h>

static void before_start(void) { osKernelInitialize(); }

#define FOREVER osWaitForever

/* --- timers --------------------------------------------------------------------------------------- */

static volatile unsigned fired;
static volatile uint32_t fired_at;
static void fire(void *argument) {
  fired++;
  fired_at = osKernelGetTickCount();
  found[0] = (long)(intptr_t)argument;
}

TEST(osTimerNew, errors, "NULL without a function, and for another type") {
  TRUE(!osTimerNew(NULL, osTimerOnce, NULL, NULL));
  TRUE(!osTimerNew(fire, (osTimerType_t)2, NULL, NULL));
}

TEST(osTimerStart, once, "it calls its function once, with its argument, at its time") {
  fired = 0;
  osTimerId_t timer = osTimerNew(fire, osTimerOnce, (void *)5, &(osTimerAttr_t){.name = "once"});
  OK(strcmp("once", osTimerGetName(timer)));
  uint32_t ticks = osKernelGetTickCount();
  OK(osTimerStart(timer, 3));
  IS(1, osTimerIsRunning(timer));
  OK(osDelay(10));
  IS(1, fired);
  IS(3, fired_at - ticks);
  IS(5, found[0]);
  IS(0, osTimerIsRunning(timer));
  OK(osTimerDelete(timer));
}

TEST(osTimerStart, periodic, "again and again, without drift, until stop") {
  fired = 0;
  osTimerId_t timer = osTimerNew(fire, osTimerPeriodic, NULL, NULL);
  uint32_t ticks = osKernelGetTickCount();
  OK(osTimerStart(timer, 2));
  OK(osDelay(9));
  OK(osTimerStop(timer));
  IS(4, fired);
  IS(8, fired_at - ticks);
  OK(osDelay(5));
  IS(4, fired);
  OK(osTimerDelete(timer));
}

TEST(osTimerStart, again, "one that runs begins anew") {
  fired = 0;
  osTimerId_t timer = osTimerNew(fire, osTimerOnce, NULL, NULL);
  OK(osTimerStart(timer, 4));
  OK(osDelay(2));
  OK(osTimerStart(timer, 4));
  OK(osDelay(3));
  IS(0, fired);
  OK(osDelay(3));
  IS(1, fired);
  OK(osTimerDelete(timer));
}

TEST(osTimerStop, errors, "no timer or 0 ticks: osErrorParameter; one that does not run: osErrorResource") {
  osTimerId_t timer = osTimerNew(fire, osTimerOnce, NULL, NULL);
  IS(osErrorParameter, osTimerStart(timer, 0));
  IS(osErrorResource, osTimerStop(timer));
  IS(osErrorParameter, osTimerStart(NULL, 1));
  IS(osErrorParameter, osTimerStop(NULL));
  OK(osTimerDelete(timer));
  IS(osErrorParameter, osTimerDelete(timer));
  IS(0, osTimerIsRunning(timer));
}

TEST(osTimerDelete, running, "one that runs does not go off any more") {
  fired = 0;
  osTimerId_t timer = osTimerNew(fire, osTimerOnce, NULL, NULL);
  OK(osTimerStart(timer, 2));
  OK(osTimerDelete(timer));
  OK(osDelay(4));
  IS(0, fired);
}

/* --- event flags ---------------------------------------------------------------------------------- */

static osEventFlagsId_t events;
static void wait_any(void *wanted) {
  found[0] = (long)osEventFlagsWait(events, (uint32_t)(intptr_t)wanted, osFlagsWaitAny, FOREVER);
}
static void wait_all(void *wanted) {
  found[1] = (long)osEventFlagsWait(events, (uint32_t)(intptr_t)wanted, osFlagsWaitAll, FOREVER);
}

TEST(osEventFlagsSet, answer, "the flags after it; clear answers those before") {
  events = osEventFlagsNew(&(osEventFlagsAttr_t){.name = "events"});
  OK(strcmp("events", osEventFlagsGetName(events)));
  IS(3, osEventFlagsSet(events, 3));
  IS(3, osEventFlagsClear(events, 1));
  IS(2, osEventFlagsGet(events));
  OK(osEventFlagsDelete(events));
}

TEST(osEventFlagsWait, conditions, "any, all, and with osFlagsNoClear") {
  events = osEventFlagsNew(NULL);
  osEventFlagsSet(events, 6);
  IS(6, osEventFlagsWait(events, 2, osFlagsWaitAny | osFlagsNoClear, 0));
  IS(osFlagsErrorResource, osEventFlagsWait(events, 3, osFlagsWaitAll, 0));
  IS(6, osEventFlagsWait(events, 3, osFlagsWaitAny, 0));
  IS(4, osEventFlagsGet(events));
  IS(osFlagsErrorTimeout, osEventFlagsWait(events, 1, osFlagsWaitAny, 2));
  OK(osEventFlagsDelete(events));
}

TEST(osEventFlagsSet, several, "wakes all for whom they suffice") {
  forget();
  events = osEventFlagsNew(NULL);
  osThreadId_t one = start_above(wait_any, (void *)1), two = start_above(wait_all, (void *)6);
  settle();
  osEventFlagsSet(events, 2);
  settle();
  IS(0, found[1]);
  osEventFlagsSet(events, 5);
  OK(osThreadJoin(one));
  OK(osThreadJoin(two));
  TRUE(found[0] & 1);
  IS(6, found[1] & 6);
  IS(0, osEventFlagsGet(events));
  OK(osEventFlagsDelete(events));
}

TEST(osEventFlagsDelete, wakes, "who waits gets osFlagsErrorResource") {
  events = osEventFlagsNew(NULL);
  osThreadId_t one = start_above(wait_any, (void *)1);
  settle();
  OK(osEventFlagsDelete(events));
  OK(osThreadJoin(one));
  IS(osFlagsErrorResource, (uint32_t)found[0]);
}

TEST(osEventFlagsSet, errors, "no flags object and bit 31: osFlagsErrorParameter") {
  events = osEventFlagsNew(NULL);
  IS(osFlagsErrorParameter, osEventFlagsSet(NULL, 1));
  IS(osFlagsErrorParameter, osEventFlagsSet(events, 1u << 31));
  IS(osFlagsErrorParameter, osEventFlagsClear(events, 1u << 31));
  IS(osFlagsErrorParameter, osEventFlagsWait(NULL, 1, 0, 0));
  IS(0, osEventFlagsGet(NULL));
  OK(osEventFlagsDelete(events));
  IS(osErrorParameter, osEventFlagsDelete(events));
}

/* --- mutexes -------------------------------------------------------------------------------------- */

static osMutexId_t mutex;
static void lock_and_note(void *timeout) {
  found[0] = osMutexAcquire(mutex, (uint32_t)(intptr_t)timeout);
  note('m');
  if (!found[0]) found[1] = osMutexRelease(mutex);
}
static void lock_and_end(void *argument) {
  (void)argument;
  found[0] = osMutexAcquire(mutex, 0);
}

TEST(osMutexAcquire, owner, "the owner is known until release") {
  mutex = osMutexNew(&(osMutexAttr_t){.name = "mutex"});
  OK(strcmp("mutex", osMutexGetName(mutex)));
  TRUE(!osMutexGetOwner(mutex));
  OK(osMutexAcquire(mutex, 0));
  TRUE(osMutexGetOwner(mutex) == driver);
  OK(osMutexRelease(mutex));
  TRUE(!osMutexGetOwner(mutex));
  OK(osMutexDelete(mutex));
}

TEST(osMutexAcquire, recursive, "as often as the owner likes, if recursive") {
  mutex = osMutexNew(&(osMutexAttr_t){.attr_bits = osMutexRecursive});
  OK(osMutexAcquire(mutex, 0));
  OK(osMutexAcquire(mutex, FOREVER));
  OK(osMutexRelease(mutex));
  osThreadId_t thread = start_above(lock_and_note, NULL);
  OK(osThreadJoin(thread));
  IS(osErrorResource, found[0]);
  OK(osMutexRelease(mutex));
  IS(osErrorResource, osMutexRelease(mutex));
  OK(osMutexDelete(mutex));
}

TEST(osMutexAcquire, not_recursive, "else not again: osErrorResource, or osErrorTimeout after that time") {
  mutex = osMutexNew(NULL);
  OK(osMutexAcquire(mutex, 0));
  IS(osErrorResource, osMutexAcquire(mutex, 0));
  IS(osErrorTimeout, osMutexAcquire(mutex, 2));
  OK(osMutexRelease(mutex));
  OK(osMutexDelete(mutex));
}

TEST(osMutexAcquire, timeout, "osErrorTimeout when it is not free in time") {
  mutex = osMutexNew(NULL);
  OK(osMutexAcquire(mutex, 0));
  osThreadId_t thread = start_above(lock_and_note, (void *)2);
  OK(osThreadJoin(thread));
  IS(osErrorTimeout, found[0]);
  OK(osMutexRelease(mutex));
  OK(osMutexDelete(mutex));
}

TEST(osMutexRelease, hands_over, "a thread that waits has it next") {
  begin();
  mutex = osMutexNew(NULL);
  OK(osMutexAcquire(mutex, 0));
  osThreadId_t thread = start_above(lock_and_note, (void *)FOREVER);
  settle();
  note('a');
  OK(osMutexRelease(mutex));
  OK(osThreadJoin(thread));
  TRUE(ordered("am"));
  OK(found[0]);
  OK(found[1]);
  OK(osMutexDelete(mutex));
}

static void release_other(void *argument) {
  (void)argument;
  found[0] = osMutexRelease(mutex);
}

TEST(osMutexRelease, not_owner, "osErrorResource") {
  mutex = osMutexNew(NULL);
  IS(osErrorResource, osMutexRelease(mutex));
  OK(osMutexAcquire(mutex, 0));
  OK(osThreadJoin(start_above(release_other, NULL)));
  IS(osErrorResource, found[0]);
  OK(osMutexRelease(mutex));
  OK(osMutexDelete(mutex));
}

static void hold(void *argument) {
  (void)argument;
  osMutexAcquire(mutex, 0);
  note('l');
  for (uint32_t at = osKernelGetTickCount() + 3; osKernelGetTickCount() < at;) continue;
  note('f');
  osMutexRelease(mutex);
}
static void compute(void *argument) {
  (void)argument;
  for (uint32_t at = osKernelGetTickCount() + 6; osKernelGetTickCount() < at;) continue;
  note('c');
}

TEST(osMutexPrioInherit, inherits, "who has it is as urgent as who waits for it") {
  begin();
  mutex = osMutexNew(&(osMutexAttr_t){.attr_bits = osMutexPrioInherit});
  osThreadId_t low = start(hold, NULL, osPriorityLow);
  settle();
  osKernelLock(); /* both are there before one runs */
  osThreadId_t middle = start(compute, NULL, osPriorityAboveNormal),
               high = start(lock_and_note, (void *)FOREVER, osPriorityHigh);
  osKernelUnlock();
  OK(osThreadJoin(high));
  OK(osThreadJoin(low));
  OK(osThreadJoin(middle));
  TRUE(ordered("lfmc"));
  OK(osMutexDelete(mutex));
}

TEST(osMutexRobust, ended, "free again when its owner ends") {
  mutex = osMutexNew(&(osMutexAttr_t){.attr_bits = osMutexRobust});
  OK(osThreadJoin(start_above(lock_and_end, NULL)));
  OK(found[0]);
  OK(osMutexAcquire(mutex, 0));
  OK(osMutexRelease(mutex));
  OK(osMutexAcquire(mutex, 0));
  OK(osMutexRelease(mutex));
  OK(osMutexDelete(mutex));
}

static void lock_and_compute(void *argument) {
  (void)argument;
  osMutexAcquire(mutex, 0);
  for (;;) continue;
}

TEST(osMutexRobust, terminated, "or is terminated, recursive as it may be") {
  mutex = osMutexNew(&(osMutexAttr_t){.attr_bits = osMutexRobust | osMutexRecursive | osMutexPrioInherit});
  osThreadId_t thread = start_below(lock_and_compute, NULL);
  settle();
  IS(osErrorResource, osMutexAcquire(mutex, 0));
  OK(osThreadTerminate(thread));
  OK(osThreadJoin(thread));
  OK(osMutexAcquire(mutex, 0));
  OK(osMutexAcquire(mutex, 0));
  OK(osMutexRelease(mutex));
  OK(osMutexRelease(mutex));
  OK(osMutexDelete(mutex));
}

TEST(osMutexDelete, wakes, "who waits gets osErrorResource") {
  mutex = osMutexNew(NULL);
  OK(osMutexAcquire(mutex, 0));
  osThreadId_t one = start_above(lock_and_note, (void *)FOREVER), two = start_above(lock_and_note, (void *)FOREVER);
  settle();
  OK(osMutexDelete(mutex));
  OK(osThreadJoin(one));
  OK(osThreadJoin(two));
  IS(osErrorResource, found[0]);
  IS(osErrorParameter, osMutexAcquire(mutex, 0));
}

TEST(osMutexNew, errors, "no mutex: osErrorParameter; other attributes: NULL") {
  IS(osErrorParameter, osMutexAcquire(NULL, 0));
  IS(osErrorParameter, osMutexRelease(NULL));
  IS(osErrorParameter, osMutexDelete(NULL));
  TRUE(!osMutexGetOwner(NULL));
  TRUE(!osMutexNew(&(osMutexAttr_t){.attr_bits = 64}));
}

/* --- semaphores ----------------------------------------------------------------------------------- */

static osSemaphoreId_t semaphore;
static void acquire(void *who) {
  found[0] = osSemaphoreAcquire(semaphore, FOREVER);
  note(*(char *)who);
}

TEST(osSemaphoreNew, errors, "NULL for a largest count of 0, and for more than it") {
  TRUE(!osSemaphoreNew(0, 0, NULL));
  TRUE(!osSemaphoreNew(2, 3, NULL));
}

TEST(osSemaphoreAcquire, counts, "as often as its count says; then osErrorResource or osErrorTimeout") {
  semaphore = osSemaphoreNew(3, 2, &(osSemaphoreAttr_t){.name = "two"});
  OK(strcmp("two", osSemaphoreGetName(semaphore)));
  OK(osSemaphoreAcquire(semaphore, 0));
  IS(1, osSemaphoreGetCount(semaphore));
  OK(osSemaphoreAcquire(semaphore, FOREVER));
  IS(osErrorResource, osSemaphoreAcquire(semaphore, 0));
  uint32_t ticks = osKernelGetTickCount();
  IS(osErrorTimeout, osSemaphoreAcquire(semaphore, 3));
  IS(3, osKernelGetTickCount() - ticks);
  OK(osSemaphoreDelete(semaphore));
}

TEST(osSemaphoreRelease, most, "osErrorResource at the largest count") {
  semaphore = osSemaphoreNew(1, 0, NULL);
  OK(osSemaphoreRelease(semaphore));
  IS(osErrorResource, osSemaphoreRelease(semaphore));
  IS(1, osSemaphoreGetCount(semaphore));
  OK(osSemaphoreDelete(semaphore));
}

TEST(osSemaphoreRelease, most_urgent, "the most urgent thread goes on, then the first that came") {
  begin();
  semaphore = osSemaphoreNew(5, 0, NULL);
  osThreadId_t low = start(acquire, "l", osPriorityAboveNormal), one = start(acquire, "1", osPriorityHigh),
               two = start(acquire, "2", osPriorityHigh);
  settle();
  for (int i = 0; i < 3; i++) {
    OK(osSemaphoreRelease(semaphore));
    settle();
  }
  TRUE(ordered("12l"));
  OK(osThreadJoin(low));
  OK(osThreadJoin(one));
  OK(osThreadJoin(two));
  IS(0, osSemaphoreGetCount(semaphore));
  OK(osSemaphoreDelete(semaphore));
}

TEST(osSemaphoreDelete, wakes, "who waits gets osErrorResource") {
  semaphore = osSemaphoreNew(1, 0, NULL);
  osThreadId_t thread = start_above(acquire, "a");
  settle();
  OK(osSemaphoreDelete(semaphore));
  OK(osThreadJoin(thread));
  IS(osErrorResource, found[0]);
  IS(osErrorParameter, osSemaphoreAcquire(semaphore, 0));
  IS(osErrorParameter, osSemaphoreRelease(semaphore));
  IS(osErrorParameter, osSemaphoreDelete(semaphore));
  IS(0, osSemaphoreGetCount(semaphore));
}

static volatile uint32_t together;
static void add(void *argument) {
  (void)argument;
  for (int i = 0; i < 200; i++) {
    osMutexAcquire(mutex, FOREVER);
    together++;
    osMutexRelease(mutex);
    osSemaphoreAcquire(semaphore, FOREVER);
    found[2]++;
    osSemaphoreRelease(semaphore);
  }
}

TEST(osMutexAcquire, excludes, "threads on all CPUs exclude each other") {
  forget();
  together = 0;
  mutex = osMutexNew(NULL);
  semaphore = osSemaphoreNew(1, 1, NULL);
  osThreadId_t threads[4];
  for (int i = 0; i < 4; i++) threads[i] = osThreadNew(add, NULL, &(osThreadAttr_t){.attr_bits = osThreadJoinable});
  for (int i = 0; i < 4; i++) OK(osThreadJoin(threads[i]));
  IS(800, together);
  IS(800, found[2]);
  OK(osMutexDelete(mutex));
  OK(osSemaphoreDelete(semaphore));
}

/* --- memory pools --------------------------------------------------------------------------------- */

static osMemoryPoolId_t pool;
static void allocate(void *argument) {
  (void)argument;
  found[0] = (long)(intptr_t)osMemoryPoolAlloc(pool, FOREVER);
}

TEST(osMemoryPoolNew, numbers, "capacity, block size in whole words, count, space") {
  pool = osMemoryPoolNew(3, 6, &(osMemoryPoolAttr_t){.name = "pool"});
  OK(strcmp("pool", osMemoryPoolGetName(pool)));
  IS(3, osMemoryPoolGetCapacity(pool));
  IS(8, osMemoryPoolGetBlockSize(pool));
  IS(0, osMemoryPoolGetCount(pool));
  void *block = osMemoryPoolAlloc(pool, 0);
  TRUE(block);
  IS(1, osMemoryPoolGetCount(pool));
  IS(2, osMemoryPoolGetSpace(pool));
  OK(osMemoryPoolFree(pool, block));
  OK(osMemoryPoolDelete(pool));
}

TEST(osMemoryPoolAlloc, all, "as many blocks as there are, all different; then NULL") {
  static uint32_t memory[8];
  pool = osMemoryPoolNew(4, 8, &(osMemoryPoolAttr_t){.mp_mem = memory, .mp_size = sizeof memory});
  char *blocks[4];
  for (int i = 0; i < 4; i++) {
    blocks[i] = osMemoryPoolAlloc(pool, 0);
    TRUE(blocks[i] >= (char *)memory && blocks[i] < (char *)(memory + 8));
    for (int j = 0; j < i; j++) TRUE(blocks[j] != blocks[i]);
  }
  TRUE(!osMemoryPoolAlloc(pool, 0));
  TRUE(!osMemoryPoolAlloc(pool, 2));
  OK(osMemoryPoolFree(pool, blocks[2]));
  TRUE(osMemoryPoolAlloc(pool, 0) == blocks[2]);
  OK(osMemoryPoolDelete(pool));
}

TEST(osMemoryPoolAlloc, waits, "for a block that another thread frees") {
  pool = osMemoryPoolNew(1, 4, NULL);
  void *block = osMemoryPoolAlloc(pool, 0);
  osThreadId_t thread = start_above(allocate, NULL);
  settle();
  OK(osMemoryPoolFree(pool, block));
  OK(osThreadJoin(thread));
  IS((intptr_t)block, found[0]);
  IS(1, osMemoryPoolGetCount(pool));
  OK(osMemoryPoolDelete(pool));
}

TEST(osMemoryPoolDelete, wakes, "who waits gets NULL") {
  pool = osMemoryPoolNew(1, 4, NULL);
  osMemoryPoolAlloc(pool, 0);
  osThreadId_t thread = start_above(allocate, NULL);
  settle();
  OK(osMemoryPoolDelete(pool));
  OK(osThreadJoin(thread));
  IS(0, found[0]);
  IS(osErrorParameter, osMemoryPoolDelete(pool));
}

TEST(osMemoryPoolFree, errors, "what is no block of the pool: osErrorParameter") {
  uint32_t other;
  pool = osMemoryPoolNew(2, 8, NULL);
  char *block = osMemoryPoolAlloc(pool, 0);
  IS(osErrorParameter, osMemoryPoolFree(pool, NULL));
  IS(osErrorParameter, osMemoryPoolFree(pool, &other));
  IS(osErrorParameter, osMemoryPoolFree(pool, block + 4));
  IS(osErrorParameter, osMemoryPoolFree(NULL, block));
  OK(osMemoryPoolFree(pool, block));
  IS(osErrorResource, osMemoryPoolFree(pool, block));
  OK(osMemoryPoolDelete(pool));
  TRUE(!osMemoryPoolNew(0, 4, NULL));
  TRUE(!osMemoryPoolNew(4, 0, NULL));
  TRUE(!osMemoryPoolNew(2, 8, &(osMemoryPoolAttr_t){.mp_mem = &other, .mp_size = sizeof other}));
  TRUE(!osMemoryPoolAlloc(NULL, 0));
}

/* --- message queues ------------------------------------------------------------------------------- */

static osMessageQueueId_t queue;
static void receive(void *argument) {
  uint8_t priority = 0;
  uint32_t data = 0;
  (void)argument;
  found[0] = osMessageQueueGet(queue, &data, &priority, FOREVER);
  found[1] = (long)data;
  found[2] = priority;
}
static void send(void *data) {
  uint32_t word = (uint32_t)(intptr_t)data;
  found[0] = osMessageQueuePut(queue, &word, 0, FOREVER);
}

TEST(osMessageQueueNew, numbers, "capacity, message size, count, space") {
  uint32_t word = 7;
  queue = osMessageQueueNew(3, 4, &(osMessageQueueAttr_t){.name = "queue"});
  OK(strcmp("queue", osMessageQueueGetName(queue)));
  IS(3, osMessageQueueGetCapacity(queue));
  IS(4, osMessageQueueGetMsgSize(queue));
  OK(osMessageQueuePut(queue, &word, 0, 0));
  IS(1, osMessageQueueGetCount(queue));
  IS(2, osMessageQueueGetSpace(queue));
  OK(osMessageQueueDelete(queue));
}

TEST(osMessageQueueGet, order, "by priority, then by arrival") {
  queue = osMessageQueueNew(6, 4, NULL);
  const uint8_t priorities[] = {1, 5, 1, 0, 5, 3};
  for (uint32_t i = 0; i < 6; i++) OK(osMessageQueuePut(queue, &i, priorities[i], 0));
  static const uint32_t wanted[] = {1, 4, 5, 0, 2, 3};
  for (int i = 0; i < 6; i++) {
    uint32_t got;
    uint8_t priority;
    OK(osMessageQueueGet(queue, &got, &priority, 0));
    IS(wanted[i], got);
    IS(priorities[got], priority);
  }
  OK(osMessageQueueDelete(queue));
}

TEST(osMessageQueuePut, content, "messages of any size are copied") {
  struct {
    char text[11];
  } sent = {"ten letter"}, got;
  queue = osMessageQueueNew(2, sizeof sent, NULL);
  for (int i = 0; i < 5; i++) {
    OK(osMessageQueuePut(queue, &sent, 0, 0));
    memset(&got, 0, sizeof got);
    OK(osMessageQueueGet(queue, &got, NULL, 0));
    OK(strcmp(sent.text, got.text));
  }
  OK(osMessageQueueDelete(queue));
}

TEST(osMessageQueuePut, full, "osErrorResource at once, osErrorTimeout after that time") {
  uint32_t word = 1;
  queue = osMessageQueueNew(1, 4, NULL);
  OK(osMessageQueuePut(queue, &word, 0, 0));
  IS(osErrorResource, osMessageQueuePut(queue, &word, 0, 0));
  IS(osErrorTimeout, osMessageQueuePut(queue, &word, 0, 2));
  OK(osMessageQueueGet(queue, &word, NULL, 0));
  IS(osErrorResource, osMessageQueueGet(queue, &word, NULL, 0));
  IS(osErrorTimeout, osMessageQueueGet(queue, &word, NULL, 2));
  OK(osMessageQueueDelete(queue));
}

TEST(osMessageQueueGet, waits, "for what another thread puts") {
  uint32_t word = 33;
  queue = osMessageQueueNew(1, 4, NULL);
  osThreadId_t thread = start_above(receive, NULL);
  settle();
  OK(osMessageQueuePut(queue, &word, 9, 0));
  OK(osThreadJoin(thread));
  OK(found[0]);
  IS(33, found[1]);
  IS(9, found[2]);
  OK(osMessageQueueDelete(queue));
}

TEST(osMessageQueuePut, waits, "for room; the message is there then") {
  uint32_t word = 1;
  queue = osMessageQueueNew(1, 4, NULL);
  OK(osMessageQueuePut(queue, &word, 0, 0));
  osThreadId_t thread = start_above(send, (void *)2);
  settle();
  OK(osMessageQueueGet(queue, &word, NULL, 0));
  IS(1, word);
  OK(osMessageQueueGet(queue, &word, NULL, 5));
  IS(2, word);
  OK(osThreadJoin(thread));
  OK(found[0]);
  OK(osMessageQueueDelete(queue));
}

TEST(osMessageQueueReset, empties, "nothing is in it then, and who waits for room has it") {
  uint32_t word = 1;
  queue = osMessageQueueNew(1, 4, NULL);
  OK(osMessageQueuePut(queue, &word, 0, 0));
  osThreadId_t thread = start_above(send, (void *)2);
  settle();
  OK(osMessageQueueReset(queue));
  OK(osThreadJoin(thread));
  OK(osMessageQueueGet(queue, &word, NULL, 0));
  IS(2, word);
  IS(0, osMessageQueueGetCount(queue));
  OK(osMessageQueueDelete(queue));
}

TEST(osMessageQueueDelete, wakes, "who waits gets osErrorResource") {
  queue = osMessageQueueNew(1, 4, NULL);
  osThreadId_t thread = start_above(receive, NULL);
  settle();
  OK(osMessageQueueDelete(queue));
  OK(osThreadJoin(thread));
  IS(osErrorResource, found[0]);
  IS(osErrorParameter, osMessageQueueDelete(queue));
}

TEST(osMessageQueueNew, errors, "no sizes: NULL; no queue and no message: osErrorParameter") {
  uint32_t word;
  TRUE(!osMessageQueueNew(0, 4, NULL));
  TRUE(!osMessageQueueNew(4, 0, NULL));
  TRUE(!osMessageQueueNew(4, 4, &(osMessageQueueAttr_t){.mq_mem = &word, .mq_size = 4}));
  queue = osMessageQueueNew(1, 4, NULL);
  IS(osErrorParameter, osMessageQueuePut(NULL, &word, 0, 0));
  IS(osErrorParameter, osMessageQueuePut(queue, NULL, 0, 0));
  IS(osErrorParameter, osMessageQueueGet(NULL, &word, NULL, 0));
  IS(osErrorParameter, osMessageQueueGet(queue, NULL, NULL, 0));
  IS(osErrorParameter, osMessageQueueReset(NULL));
  IS(0, osMessageQueueGetCapacity(NULL));
  OK(osMessageQueueDelete(queue));
}

/* --- in a handler --------------------------------------------------------------------------------- */

static void ask_objects(void) {
  uint32_t word = 4;
  found[0] = osMutexAcquire(mutex, 0);
  found[1] = osMutexRelease(mutex);
  found[2] = osMutexDelete(mutex);
  found[3] = osSemaphoreAcquire(semaphore, 1);
  found[4] = osSemaphoreDelete(semaphore);
  found[5] = osMessageQueuePut(queue, &word, 0, 1);
  found[6] = osMessageQueueReset(queue);
  found[7] = (long)osEventFlagsWait(events, 1, 0, 1);
  found[8] = osMemoryPoolAlloc(pool, 1) || osSemaphoreNew(1, 0, NULL) || osMutexNew(NULL) ||
             osTimerNew(fire, osTimerOnce, NULL, NULL) || osMemoryPoolNew(1, 4, NULL);
  found[9] = osMemoryPoolDelete(pool);
  found[10] = osEventFlagsDelete(events);
  found[11] = osMessageQueueDelete(queue);
}

static void use_objects(void) {
  uint32_t word = 4;
  found[0] = osSemaphoreAcquire(semaphore, 0);
  found[1] = osSemaphoreRelease(semaphore);
  found[2] = osMessageQueuePut(queue, &word, 0, 0);
  found[3] = osMessageQueueGet(queue, &word, NULL, 0);
  found[4] = (long)osEventFlagsSet(events, 6);
  found[5] = (long)osEventFlagsWait(events, 2, osFlagsWaitAny, 0);
  found[6] = (long)osEventFlagsClear(events, 4);
  void *block = osMemoryPoolAlloc(pool, 0);
  found[7] = block != NULL;
  found[8] = osMemoryPoolFree(pool, block);
}

TEST(osErrorISR, objects, "a handler may neither make, delete nor wait; and all else") {
  mutex = osMutexNew(NULL);
  semaphore = osSemaphoreNew(1, 1, NULL);
  queue = osMessageQueueNew(1, 4, NULL);
  events = osEventFlagsNew(NULL);
  pool = osMemoryPoolNew(1, 4, NULL);
  in_handler(ask_objects);
  for (int i = 0; i < 3; i++) IS(osErrorISR, found[i]);
  IS(osErrorParameter, found[3]);
  IS(osErrorISR, found[4]);
  IS(osErrorParameter, found[5]);
  IS(osErrorISR, found[6]);
  IS(osFlagsErrorParameter, (uint32_t)found[7]);
  IS(0, found[8]);
  for (int i = 9; i < 12; i++) IS(osErrorISR, found[i]);
  in_handler(use_objects);
  for (int i = 0; i < 4; i++) IS(0, found[i]);
  IS(6, found[4]);
  IS(6, found[5]);
  IS(4, found[6]);
  IS(1, found[7]);
  IS(0, found[8]);
}

TEST(IRQ_Disable, remembers, "one interrupt that comes while it is disabled; and none without a handler") {
  found[1] = 0;
  OK(IRQ_Disable(LINE));
  IS(0, IRQ_GetEnableState(LINE));
  ask = use_objects;
  OK(IRQ_SetPending(LINE));
  settle();
  IS(0, found[1]);
  found[7] = 5;
  OK(IRQ_Enable(LINE));
  settle();
  IS(1, found[7]);
  TRUE(IRQ_GetHandler(LINE) == handler);
  IS(-1, IRQ_Enable(100));
  IS(-1, IRQ_SetPending(5));
}
