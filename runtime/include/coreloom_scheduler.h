/* SPDX-License-Identifier: Apache-2.0
 *
 * [HT]'s scheduler on the shared bus, of platforms with that service in kernel.services: a table of threads and a ready queue near
 * the kernel, for threads that the program manages itself. rtl/kernel/SCHEDULER.md has the operations and their errors.
 *
 * An operation is one load, atomic on any number of processors; a hardware thread issues it by a load, too. A thread
 * whose parameter is SCHEDULER_HARDWARE + n runs in hardware: enqueueing it stores START to the command register of
 * hardware thread n, before the caller's next access to the bus. With another parameter it is a software thread of that
 * priority: its dequeuer runs it. The hardware thread runs bare, without a thread of the kernel (rtl/hwt/README.md). */
#ifndef CORELOOM_SCHEDULER_H
#define CORELOOM_SCHEDULER_H

#include <stdint.h>

#include "cl_soc_map.h"

#if defined(CL_SCHEDULER) && !CL_SCHEDULER
#error "coreloom_scheduler.h is for platforms whose kernel.services have scheduler, such as hthreads-scheduler"
#endif

#define SCHEDULER_HARDWARE 128u /* parameter of hardware thread 0 */
#define SCHEDULER_LINE 5u       /* interrupt line: a queued thread beats the one dequeued last */

enum scheduler_op_np {
  SCHEDULER_ENQUEUE = 1,
  SCHEDULER_DEQUEUE,
  SCHEDULER_GET_ENTRY,
  SCHEDULER_IS_QUEUED,
  SCHEDULER_IS_EMPTY,
  SCHEDULER_SET_IDLE_THREAD,
  SCHEDULER_GET_SCHED_PARAM,
  SCHEDULER_CHECK_SCHED_PARAM,
  SCHEDULER_SET_SCHED_PARAM,
  SCHEDULER_REMOVE,
  SCHEDULER_CREATE_ENTRY,
  SCHEDULER_FREE_ENTRY
};

/* Where a load is the operation. thread: 0 to 1023; argument: a scheduling parameter, 0 to 255. */
#define SCHEDULER_ADDRESS(op, thread, argument) \
  (CL_SCHEDULER_PORT + ((uint32_t)(op) << 20) + ((uint32_t)(thread) << 10) + ((uint32_t)(argument) << 2))

/* The answer: scheduler_status_np() of it is 0 or an error number of SCHEDULER.md, scheduler_value_np() its value. */
static inline uint32_t scheduler_np(enum scheduler_op_np op, unsigned thread, unsigned argument) {
  return *(volatile uint32_t *)SCHEDULER_ADDRESS(op, thread, argument);
}
static inline unsigned scheduler_status_np(uint32_t answer) { return answer >> 16; }
static inline unsigned scheduler_value_np(uint32_t answer) { return answer & 0xffff; }

#endif
