/* SPDX-License-Identifier: Apache-2.0
 *
 * What the explored program (program.c) and the explorer (explore.c) tell each other. */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <stdint.h>

/* An operation of a thread: CL_OP_..., with EXPLORE_TIMED one that waits, until `word` cycles after the start less 1000,
 * a port's until 2000 (EXPLORE_LIMIT); or EXPLORE_MARK + EXPLORE_GO, _PARK, _RING or _LISTEN. */
struct act {
  uint32_t op, id, word;
};
/* For explore_check, which keeps `coming` and `asleep` for itself. Masks of CPUs: */
struct seen {
  uint32_t cpu;         /* that has released the lock */
  uint32_t interrupted; /* have an interrupt pending */
  uint32_t awake;       /* have slept and not taken the lock since */
  uint32_t handling;    /* are in the trap of the communication port */
  uint32_t coming, asleep;
  uint64_t rings[4]; /* when the timers of the CPUs do */
};
#define EXPLORE_ACTS 64
#define EXPLORE_TIMED 256
#define EXPLORE_MARK 512
#define EXPLORE_LIMIT 2000

/* Kinds of trace events. */
#define EXPLORE_WORD 20   /* of the next call or return: its word */
#define EXPLORE_CALL 21   /* op << 16 | id */
#define EXPLORE_RETURN 22 /* the answer */
#define EXPLORE_GO 23     /* the thread is where exploration begins */
#define EXPLORE_PARK 24   /* the thread has done what it had to, and keeps its CPU */
#define EXPLORE_FAILED 25
#define EXPLORE_RING 26    /* rings the bell of this CPU: the interrupt of the communication port */
#define EXPLORE_POST 27    /* its handler posts this semaphore */
#define EXPLORE_TAKE 28    /* a load: whether the bell rang, which does so no more */
#define EXPLORE_LISTEN 29  /* the thread's CPU serves its bell; the host is not told */

#endif
