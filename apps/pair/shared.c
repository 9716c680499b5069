/* SPDX-License-Identifier: Apache-2.0
 *
 * Back end for shared memory: far is a thread, and a pointer is passed. */
#if !CL_BACKDOOR
#include <coreloom.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "pair.h"

enum { SLOTS = 8 }; /* pointers in flight */

struct way {
  void *slots[SLOTS];
  sem_t filled, free;
  unsigned put, taken;
};

struct pair_counts pair_counts;
static struct way down, up;
static pthread_t far;

static void open_way(struct way *way) {
  pair_must(sem_init(&way->filled, 0, 0), "sem_init");
  pair_must(sem_init(&way->free, 0, SLOTS), "sem_init");
}

static void put(struct way *way, void *data) {
  pair_must(sem_wait(&way->free), "sem_wait");
  way->slots[way->put++ % SLOTS] = data;
  pair_must(sem_post(&way->filled), "sem_post");
}

static void *take(struct way *way) {
  pair_must(sem_wait(&way->filled), "sem_wait");
  void *const data = way->slots[way->taken++ % SLOTS];
  pair_must(sem_post(&way->free), "sem_post");
  return data;
}

void pair_to_far(void *data, size_t bytes) {
  (void)bytes;
  put(&down, data);
}

void *pair_from_near(void *room, size_t bytes) {
  (void)room, (void)bytes;
  return take(&down);
}

void pair_to_near(void *data, size_t bytes) {
  (void)bytes;
  put(&up, data);
}

void *pair_from_far(void *room, size_t bytes) {
  (void)room, (void)bytes;
  const uint32_t begin = cl_cycle();
  void *const data = take(&up);
  pair_counts.wait_cycles += cl_cycle() - begin;
  return data;
}

static void *run(void *unused) {
  (void)unused;
  pair_far();
  return NULL;
}

void pair_open(void) {
  if (cl_cpu_count() < 2) {
    puts("this program needs two processors; use --cpus 2 or a platform with a Back-Door");
    exit(EXIT_FAILURE);
  }
  open_way(&down);
  open_way(&up);
}

void pair_start(void) {
  pthread_attr_t attr;
  pair_must(pthread_attr_init(&attr), "pthread_attr_init");
  pair_must(pthread_attr_setname_np(&attr, "far"), "pthread_attr_setname_np");
  pair_must(pthread_create(&far, &attr, run, NULL), "pthread_create");
}

void pair_close(void) { pair_must(pthread_join(far, NULL), "pthread_join"); }
#endif
