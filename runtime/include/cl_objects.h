/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of pthread.h and semaphore.h: objects of the program, each of which is one of the kernel's or lives in memory
 * (memory/memory.h). */
#ifndef CL_OBJECTS_H
#define CL_OBJECTS_H

#include <stdint.h>

/* The threads that wait for an object in memory, by priority, then by arrival (memory/wait.h). {0}: empty. */
struct cl_queue {
  struct cl_waiter *first;
};

/* handle: of the kernel object; 0: not made yet; or it lives in memory, as the rest of the words do. */

struct cl_semaphore {
  uint32_t handle;
  unsigned value;
  struct cl_queue waiters;
};

struct cl_mutex {
  uint32_t handle;
  uint8_t type;
  uint8_t protocol;
  uint8_t robust; /* and, in memory, the state of a robust one */
  uint8_t ceiling;
  uint32_t owner_plus_1;
  uint32_t depth;
  struct cl_queue waiters;
  struct cl_mutex *next_held; /* by the same thread */
};

struct cl_condition {
  uint32_t handle;
  uint32_t monotonic; /* its clock is CLOCK_MONOTONIC */
  struct cl_queue waiters;
};

struct cl_barrier {
  uint32_t handle;
  unsigned count;
  unsigned missing;
  struct cl_queue queue;
};

#endif
