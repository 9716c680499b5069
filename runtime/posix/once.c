/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>

#include "cancel.h"
#include "wait.h"

enum { CL_ONCE_NEW, CL_ONCE_RUNS, CL_ONCE_DONE };

static struct cl_queue others; /* that wait for the end of a routine, of whichever once */

static void set(pthread_once_t *once, uint32_t state) {
  cl_backend_lock();
  once->state = state;
  while (cl_queue_wake(&others)) continue;
  cl_backend_unlock();
}

/* The routine was cancelled: as if nobody had come yet. */
static void undo(void *once) { set(once, CL_ONCE_NEW); }

CL_COLD static void first(pthread_once_t *once, void (*routine)(void)) {
  for (;;) {
    cl_backend_lock();
    if (once->state != CL_ONCE_RUNS) break;
    cl_queue_wait(&others, &(struct cl_waiter){0}, CL_NEVER);
  }
  int mine = once->state == CL_ONCE_NEW;
  if (mine) once->state = CL_ONCE_RUNS;
  cl_backend_unlock();
  if (!mine) return;
  pthread_cleanup_push(undo, once);
  routine();
  pthread_cleanup_pop(0);
  set(once, CL_ONCE_DONE);
}

int pthread_once(pthread_once_t *once, void (*routine)(void)) {
  if (CL_UNLIKELY(once->state > CL_ONCE_DONE || !routine)) return EINVAL;
  if (CL_UNLIKELY(once->state != CL_ONCE_DONE)) first(once, routine);
  return 0;
}
