/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads: names in attributes, placement, limits in cycles. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "coreloom.h"
#include "ground.h"

/* The C library's attributes have no name: those that have one are in a list, until they are initialised again or
 * destroyed. */
struct named {
  struct named *next;
  const pthread_attr_t *attr;
  char name[PTHREAD_NAME_MAX_NP];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct named *named;

static struct named **find(const pthread_attr_t *attr) {
  struct named **at = &named;
  while (*at && (*at)->attr != attr) at = &(*at)->next;
  return at;
}

static void forget(const pthread_attr_t *attr) {
  pthread_mutex_lock(&lock);
  struct named **const at = find(attr), *const old = *at;
  if (old) *at = old->next;
  pthread_mutex_unlock(&lock);
  free(old);
}

int pthread_attr_setname_np(pthread_attr_t *attr, const char *name) {
  if (strlen(name) >= PTHREAD_NAME_MAX_NP) return ERANGE;
  struct named *const made = malloc(sizeof *made);
  if (made == NULL) return ENOMEM;
  forget(attr);
  made->attr = attr;
  strcpy(made->name, name);
  pthread_mutex_lock(&lock);
  made->next = named;
  named = made;
  pthread_mutex_unlock(&lock);
  return 0;
}

/* Defined here, these go before the C library's. */
static void *library(const char *function) { return dlsym(RTLD_NEXT, function); }

int pthread_attr_init(pthread_attr_t *attr) {
  int (*const original)(pthread_attr_t *) = (int (*)(pthread_attr_t *))library("pthread_attr_init");
  forget(attr);
  return original(attr);
}

int pthread_attr_destroy(pthread_attr_t *attr) {
  int (*const original)(pthread_attr_t *) = (int (*)(pthread_attr_t *))library("pthread_attr_destroy");
  forget(attr);
  return original(attr);
}

struct start {
  void *(*function)(void *);
  void *argument;
  char name[PTHREAD_NAME_MAX_NP];
};

static void *run(void *argument) {
  const struct start start = *(struct start *)argument;
  free(argument);
  pthread_setname_np(pthread_self(), start.name);
  return start.function(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *), void *argument) {
  int (*const original)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = (int (*)(
      pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))library("pthread_create");
  struct start *start = NULL;
  pthread_mutex_lock(&lock);
  const struct named *const found = attr ? *find(attr) : NULL;
  if (found) {
    start = malloc(sizeof *start);
    if (start) {
      start->function = function;
      start->argument = argument;
      strcpy(start->name, found->name);
    }
  }
  pthread_mutex_unlock(&lock);
  const int error = start ? original(thread, attr, run, start) : original(thread, attr, function, argument);
  if (error) free(start);
  return error;
}

static int all_cpus(cpu_set_t *set) {
  CPU_ZERO(set);
  for (unsigned cpu = 0; cpu < cl_cpu_count(); cpu++) CPU_SET(cl_host_cpu(cpu), set);
  return 0;
}

int pthread_attr_setplacement_np(pthread_attr_t *attr, int placement, unsigned cpu) {
  cpu_set_t set;
  if (placement == PTHREAD_PLACEMENT_DYNAMIC_NP) {
    all_cpus(&set);
  } else if (placement == PTHREAD_PLACEMENT_STATIC_NP && cpu < cl_cpu_count()) {
    CPU_ZERO(&set);
    CPU_SET(cl_host_cpu(cpu), &set);
  } else {
    return EINVAL;
  }
  return pthread_attr_setaffinity_np(attr, sizeof set, &set);
}

int pthread_attr_getplacement_np(const pthread_attr_t *attr, int *placement, unsigned *cpu) {
  cpu_set_t set;
  const int error = pthread_attr_getaffinity_np(attr, sizeof set, &set);
  if (error) return error;
  *placement = PTHREAD_PLACEMENT_DYNAMIC_NP;
  *cpu = 0;
  for (unsigned each = 0; CPU_COUNT(&set) == 1 && each < cl_cpu_count(); each++) {
    if (!CPU_ISSET(cl_host_cpu(each), &set)) continue;
    *placement = PTHREAD_PLACEMENT_STATIC_NP;
    *cpu = each;
  }
  return 0;
}

int pthread_attr_sethardware_np(pthread_attr_t *attr, int unit) {
  return (void)attr, unit == PTHREAD_HARDWARE_NONE_NP ? 0 : ENODEV;
}
int pthread_attr_gethardware_np(const pthread_attr_t *attr, int *unit) {
  return (void)attr, *unit = PTHREAD_HARDWARE_NONE_NP, 0;
}
int pthread_attr_setsuspended_np(pthread_attr_t *attr, int suspended) { return (void)attr, suspended ? ENOTSUP : 0; }
int pthread_attr_getsuspended_np(const pthread_attr_t *attr, int *suspended) { return (void)attr, *suspended = 0; }
int pthread_attr_setweight_np(pthread_attr_t *attr, int weight) { return (void)attr, weight == 1 ? 0 : ENOTSUP; }
int pthread_attr_getweight_np(const pthread_attr_t *attr, int *weight) { return (void)attr, *weight = 1, 0; }
int pthread_attr_setdeadline_np(pthread_attr_t *attr, int ticks) { return (void)attr, ticks ? ENOTSUP : 0; }
int pthread_attr_getdeadline_np(const pthread_attr_t *attr, int *ticks) { return (void)attr, *ticks = 0; }
int pthread_setweight_np(pthread_t thread, int weight) { return (void)thread, (void)weight, ENOTSUP; }
int pthread_setdeadline_np(pthread_t thread, int ticks) { return (void)thread, (void)ticks, ENOTSUP; }
int pthread_suspend_np(pthread_t thread) { return (void)thread, ENOTSUP; }
int pthread_continue_np(pthread_t thread) { return (void)thread, ENOTSUP; }
int pthread_setidle_np(pthread_t thread) { return (void)thread, ENOTSUP; }
int pthread_mutex_getnumber_np(pthread_mutex_t *mutex, uint32_t *number) { return (void)mutex, (void)number, ENOTSUP; }
int pthread_cond_getnumber_np(pthread_cond_t *cond, uint32_t *number) { return (void)cond, (void)number, ENOTSUP; }

int pthread_mutex_timedlock_np(pthread_mutex_t *mutex, uint32_t cycles) {
  const struct timespec at = cl_after(CLOCK_MONOTONIC, cycles);
  return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &at);
}

int pthread_cond_timedwait_np(pthread_cond_t *cond, pthread_mutex_t *mutex, uint32_t cycles) {
  const struct timespec at = cl_after(CLOCK_MONOTONIC, cycles);
  return pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, &at);
}

int sem_timedwait_np(sem_t *sem, uint32_t cycles) {
  const struct timespec at = cl_after(CLOCK_MONOTONIC, cycles);
  int result;
  do result = sem_clockwait(sem, CLOCK_MONOTONIC, &at);
  while (result && errno == EINTR);
  return result;
}

int sem_getnumber_np(const sem_t *sem, uint32_t *number) {
  (void)sem, (void)number;
  errno = ENOTSUP;
  return -1;
}
