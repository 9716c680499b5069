/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the front end. An object is known by the address of its control block, which is never given back
 * to the heap: so what a program uses after its deletion is found to be none. */
#ifndef CL_API_OS_H
#define CL_API_OS_H

#include "../common/api.h"
#include "cmsis_os2.h"

#if OS_TICK_FREQ < 1 || CL_CLOCK_HZ % OS_TICK_FREQ
#error "OS_TICK_FREQ must divide the platform's clock, in Hz: ticks are whole cycles"
#endif
#if CL_PRIORITIES < 32
#error "CMSIS-RTOS2 needs 32 priorities: set kernel.priorities of the platform to 32 or more"
#endif
#define OS_TICK ((uint32_t)(CL_CLOCK_HZ / OS_TICK_FREQ))

enum os_kind { OS_NONE, OS_THREAD, OS_TIMER, OS_EVENTS, OS_MUTEX, OS_SEMAPHORE, OS_POOL, OS_QUEUE, OS_KINDS };

struct os_object {
  uint8_t kind; /* OS_NONE: deleted */
  const char *name;
  struct os_object *next; /* of a thread, or of a deleted object: in its list */
};

/* A new control block, all 0 but kind and name, from attributes that all begin alike; NULL: no memory, or a handler. */
void *os_new(enum os_kind kind, size_t size, const void *attr);
void os_free(struct os_object *object); /* with the lock */
void *os_memory(void *given, uint32_t given_size, size_t size); /* the program's, or from the heap; NULL */

static inline int os_is(const void *id, enum os_kind kind) {
  return id && !((uintptr_t)id & 3) && ((const struct os_object *)id)->kind == kind;
}

extern volatile osKernelState_t os_state;

/* mtime of the tick that many after the last one. */
uint64_t os_at(uint32_t ticks);
/* 1: the caller may wait: the kernel runs, and the caller has not locked it. */
int os_may_wait(void);

const char *os_name(const void *id, enum os_kind kind);
int os_kernel_priority(osPriority_t priority);

/* Flags, of a thread or on their own. The wait returns them, or an osStatus_t. */
int os_flags_wait(uint32_t *flags, struct cl_queue *queue, uint32_t wanted, uint32_t options, uint32_t timeout);
uint32_t os_flags_set(uint32_t *flags, struct cl_queue *queue, uint32_t set);
uint32_t os_flags_clear(uint32_t *flags, uint32_t cleared);

/* Deletes an object; those who wait in the queues, of which `other` may be NULL, get osErrorResource. */
osStatus_t os_delete(void *id, enum os_kind kind, struct cl_queue *one, struct cl_queue *other);
void os_give_back(void *memory); /* of os_memory; NULL: nothing */

/* The parameters of a call that may wait, before its own: 0, or the error. */
#define OS_WAITS(id, kind, timeout) (!os_is(id, kind) || ((timeout) && cl_api_in_handler()) ? osErrorParameter : osOK)

#endif
