/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of the front end. */
#ifndef CL_API_IT_H
#define CL_API_IT_H

#include "../common/api.h"
#include "itron.h"

/* Identifiers are 1 to this, for each kind of object. */
#define IT_IDS 64
#define IT_MS ((uint32_t)(CL_CLOCK_HZ / 1000))
#if CL_PRIORITIES < TMAX_TPRI + 4
#error "uITRON needs 20 priorities: set kernel.priorities of the platform to 20 or more"
#endif

enum { IT_MADE = 1, IT_IN_MAKING }; /* exists */

/* What all objects that tasks wait for begin with. */
struct it_object {
  uint8_t exists;
  ATR attr;
  struct cl_queue waiters;
};

/* On a waiting task's stack. */
struct it_waiter {
  struct cl_api_waiter is;
  VP_INT data; /* message, or pattern; both ways */
  MODE mode;
};

/* bits of cl_api_thread.locks */
enum { IT_CPU = 1, IT_DISPATCH = 2 };

/* Where the caller is: E_OK or E_CTX. */
static inline ER it_in_task(void) {
  const struct cl_api_thread *self = cl_api_self();
  return self && (self->in_handler | (self->locks & IT_CPU)) ? E_CTX : E_OK;
}
static inline ER it_in_handler(void) {
  const struct cl_api_thread *self = cl_api_self();
  return self && self->in_handler && !(self->locks & IT_CPU) ? E_OK : E_CTX;
}
static inline ER it_may_wait(void) {
  const struct cl_api_thread *self = cl_api_self();
  return !self || self->in_handler | self->locks ? E_CTX : E_OK;
}

#define IT_EXISTS(id, objects) \
  ((id) < 1 || (id) > IT_IDS ? E_ID : (objects)[(id) - 1].is.exists == IT_MADE ? E_OK : E_NOEXS)
/* The caller's context and the object; or return the error. */
#define IT_CHECK(context, id, objects)                             \
  do {                                                             \
    const ER status_ = (context) ? E_CTX : IT_EXISTS(id, objects); \
    if (CL_UNLIKELY(status_)) return status_;                      \
  } while (0)

uint64_t it_until(TMO tmout);
/* A time limit of a call that may wait. */
#define IT_CHECK_TIME(tmout)                           \
  do {                                                 \
    if (CL_UNLIKELY((tmout) < TMO_FEVR)) return E_PAR; \
  } while (0)

/* With the lock, which it releases: by arrival, or, with TA_TPRI, by priority. */
ER it_wait(ATR attr, struct cl_queue *queue, struct it_waiter *me, TMO tmout);
ID it_first(const struct cl_queue *queue); /* the task that waits first, TSK_NONE */

/* The identifier of a new object, which is in the making: `id`, or, if it is 0, the first that is free. Else an error:
 * E_RSATR if it has attributes beyond `allowed`. */
ER_ID it_new(ID id, void *objects, size_t size, ATR attr, ATR allowed);
/* It exists from now on, after whatever else is in it. */
void it_made(struct it_object *object, ATR attr);

extern volatile uint8_t it_started;

#endif
