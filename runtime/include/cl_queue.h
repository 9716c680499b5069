/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of objects that live in memory: the threads that wait for one (memory/wait.h). */
#ifndef CL_QUEUE_H
#define CL_QUEUE_H

/* By priority, then by arrival. {0}: empty. */
struct cl_queue {
  struct cl_waiter *first;
};

#endif
