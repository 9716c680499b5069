/* SPDX-License-Identifier: Apache-2.0
 *
 * Look at what main, the most urgent thread, waits for: without a protocol also for one that has no part in it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t mutex;
static sem_t begun;
static volatile int middle_done;

static void *compute(void *low) {
  if (low) pthread_mutex_lock(&mutex);
  sem_post(&begun);
  for (volatile int i = 0; i < 5000; i++) continue;
  if (low) return pthread_mutex_unlock(&mutex), NULL;
  return middle_done = 1, NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, 0); /* a second CPU would hide it */
  sem_init(&begun, 0, 0);
  for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_INHERIT; protocol++) {
    pthread_t threads[2];
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setprotocol(&kind, protocol);
    pthread_mutex_init(&mutex, &kind);
    middle_done = 0;
    for (int i = 0; i < 2; i++) {
      pthread_attr_setschedparam(&attr, &(struct sched_param){.sched_priority = 10 + i});
      pthread_create(&threads[i], &attr, compute, i == 0 ? &mutex : NULL);
      sem_wait(&begun);
    }
    pthread_mutex_lock(&mutex); /* which low holds; middle is ready, and more urgent than low */
    printf("%s: waited for low%s\n", protocol ? "inheritance" : "no protocol", middle_done ? " and for middle" : "");
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  }
}
