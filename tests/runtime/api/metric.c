/* SPDX-License-Identifier: Apache-2.0
 *
 * Services in the manner of Thread-Metric, by the API that the program is linked with: cycles of one turn each, on one
 * CPU. `coreloom run --cpus 1 --api cmsis_rtos2 -DAPI_RTOS2 metric.c`, --api itron -DAPI_ITRON, or without both. */
#include <coreloom.h>
#include <stdio.h>
#include <stdlib.h>

#define TURNS 200
#define THREADS 5

static void must(int error) {
  if (error) cl_exit(error);
}

static void body(unsigned number);
static void drive(void);

#if defined(API_RTOS2)
#include <cmsis_os2.h>

static osSemaphoreId_t semaphores[2];
static osMessageQueueId_t queue;
static osMemoryPoolId_t pool;
static osThreadId_t threads[THREADS];

static void entry(void *number) { body((unsigned)(uintptr_t)number); }
static void begin(unsigned number, int urgency) {
  const osThreadAttr_t attr = {.priority = (osPriority_t)(osPriorityLow + urgency)};
  threads[number] = osThreadNew(entry, (void *)(uintptr_t)number, &attr);
}
static void yield(void) { must(osThreadYield()); }
static void take(int which) { must(osSemaphoreAcquire(semaphores[which], osWaitForever)); }
static void give(int which) { must(osSemaphoreRelease(semaphores[which])); }
static void stop(unsigned number) { must(osThreadSuspend(threads[number])); }
static void go(unsigned number) { must(osThreadResume(threads[number])); }
static void put(const uint32_t *words) { must(osMessageQueuePut(queue, words, 0, osWaitForever)); }
static void get(uint32_t *words) { must(osMessageQueueGet(queue, words, NULL, osWaitForever)); }
static void *allocate(void) { return osMemoryPoolAlloc(pool, 0); }
static void release(void *block) { must(osMemoryPoolFree(pool, block)); }
static void sleep_ms(uint32_t ms) { must(osDelay(ms)); }
static void entry_of_driver(void *unused) {
  (void)unused;
  drive();
}
int main(void) {
  osKernelInitialize();
  for (int i = 0; i < 2; i++) semaphores[i] = osSemaphoreNew(10, (uint32_t)!i, NULL);
  queue = osMessageQueueNew(8, 16, NULL);
  pool = osMemoryPoolNew(8, 128, NULL);
  osThreadNew(entry_of_driver, NULL, &(osThreadAttr_t){.priority = osPriorityRealtime});
  osKernelStart();
}

#elif defined(API_ITRON)
#include <itron.h>

static void entry(VP_INT number) { body((unsigned)number); }
static void begin(unsigned number, int urgency) {
  must(cre_tsk((ID)number + 2, &(T_CTSK){TA_ACT, (VP_INT)number, entry, 15 - urgency, 2048, NULL}));
}
static void yield(void) { must(rot_rdq(TPRI_SELF)); }
static void take(int which) { must(wai_sem(which + 1)); }
static void give(int which) { must(sig_sem(which + 1)); }
static void stop(unsigned number) {
  (void)number;
  must(slp_tsk());
}
static void go(unsigned number) { must(wup_tsk((ID)number + 2)); }
static T_MSG messages[1];
static void put(const uint32_t *words) {
  for (int i = 0; i < 4; i++) must(snd_dtq(1, (VP_INT)words[i]));
}
static void get(uint32_t *words) {
  for (int i = 0; i < 4; i++) must(rcv_dtq(1, (VP_INT *)&words[i]));
}
static void *allocate(void) { /* no pools: a message through a mailbox, by its address */
  T_MSG *message;
  must(snd_mbx(1, messages));
  must(rcv_mbx(1, &message));
  return message;
}
static void release(void *block) { (void)block; }
static void sleep_ms(uint32_t ms) {
  must(dly_tsk(ms));
  for (ID id = 2; id < 2 + THREADS; id++) del_tsk(id);
}
static void entry_of_driver(VP_INT unused) {
  (void)unused;
  drive();
}
CRE_TSK(1, {TA_ACT, 0, entry_of_driver, 1, 4096, NULL});
CRE_SEM(1, {TA_TFIFO, 1, 10});
CRE_SEM(2, {TA_TFIFO, 0, 10});
CRE_DTQ(1, {TA_TFIFO, 8, NULL});
CRE_MBX(1, {TA_TFIFO, 0, NULL});

#else
#include <pthread.h>
#include <unistd.h>

static sem_t semaphores[2], gates[THREADS];

static void *entry(void *number) {
  body((unsigned)(uintptr_t)number);
  return NULL;
}
static void begin(unsigned number, int urgency) {
  pthread_attr_t attr;
  pthread_t thread;
  must(pthread_attr_init(&attr));
  must(pthread_attr_setschedparam(&attr, &(struct sched_param){1 + urgency}));
  must(pthread_create(&thread, &attr, entry, (void *)(uintptr_t)number));
}
static void yield(void) { must(sched_yield()); }
static void take(int which) { must(sem_wait(&semaphores[which])); }
static void give(int which) { must(sem_post(&semaphores[which])); }
static void stop(unsigned number) { must(sem_wait(&gates[number])); }
static void go(unsigned number) { must(sem_post(&gates[number])); }
static void put(const uint32_t *words) { must(port_send_block(0, words, 4)); }
static void get(uint32_t *words) {
  size_t count;
  must(port_receive_block(0, words, 4, &count));
}
static void *allocate(void) { return malloc(128); }
static void release(void *block) { free(block); }
static void sleep_ms(uint32_t ms) { must(usleep(1000 * ms)); }
int main(void) {
  for (int i = 0; i < 2; i++) must(sem_init(&semaphores[i], 0, (unsigned)!i));
  for (int i = 0; i < THREADS; i++) must(sem_init(&gates[i], 0, 0));
  must(port_open(0, PORT_DIRECT));
  must(pthread_setschedprio(pthread_self(), sched_get_priority_max(SCHED_RR)));
  drive();
}
#endif

/* --- what is measured ------------------------------------------------------------------------------- */

static volatile enum { COOPERATIVE, PREEMPTIVE, ROUND_TRIP } what;
static volatile uint32_t first, last; /* moments */

static void body(unsigned number) {
  switch (what) {
    case COOPERATIVE:
      if (!number) first = cl_cycle();
      for (int i = 0; i < TURNS / THREADS; i++) yield();
      last = cl_cycle();
      break;
    case PREEMPTIVE:
      if (number) {
        for (int i = 0; i < TURNS / THREADS + 1; i++) {
          stop(number);
          if (number < THREADS - 1) go(number + 1);
        }
      } else {
        go(1);
        first = cl_cycle();
        for (int i = 0; i < TURNS / THREADS; i++) go(1);
        last = cl_cycle();
      }
      break;
    case ROUND_TRIP:
      if (!number) first = cl_cycle();
      for (int i = 0; i < TURNS; i++) {
        take((int)number);
        give((int)!number);
      }
      last = cl_cycle();
      break;
  }
}

static void report(const char *text) { printf("%-45s %5u\n", text, (unsigned)(last - first) / TURNS); }

static void drive(void) {
  uint32_t words[4] = {1, 2, 3, 4};
  first = cl_cycle();
  for (int i = 0; i < TURNS; i++) take(0), give(0);
  last = cl_cycle();
  report("synchronisation: semaphore, take and give");
  first = cl_cycle();
  for (int i = 0; i < TURNS; i++) put(words), get(words);
  last = cl_cycle();
  report("message: 16 bytes, send and receive");
  first = cl_cycle();
  for (int i = 0; i < TURNS; i++) release(allocate());
  last = cl_cycle();
  report("memory: allocate and release 128 bytes");
  what = COOPERATIVE;
  for (unsigned i = 0; i < THREADS; i++) begin(i, 1);
  sleep_ms(50);
  report("cooperative: yield in a ring of five");
  what = PREEMPTIVE;
  for (unsigned i = THREADS; i-- > 0;) begin(i, (int)i);
  sleep_ms(50);
  report("preemptive: resume and suspend, each");
  what = ROUND_TRIP;
  for (unsigned i = 0; i < 2; i++) begin(i, 1);
  sleep_ms(50);
  report("semaphore: round trip of equals");
  exit(0);
}
