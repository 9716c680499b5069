/* SPDX-License-Identifier: Apache-2.0
 *
 * The notification that a struct sigevent asks for: nothing, a signal, or a function is called in a new thread. */
#ifndef CL_NOTIFY_H
#define CL_NOTIFY_H

#include <pthread.h>

#include "signals.h"

struct cl_notice {
  int signal;                     /* 0: none */
  void (*function)(union sigval); /* NULL: none */
  union sigval value;
  pthread_attr_t attr;
};

static inline int cl_notice_is(const struct cl_notice *notice) { return notice->signal || notice->function; }

/* EINVAL: it is no such event. */
int cl_notice_make(struct cl_notice *notice, const struct sigevent *event);
/* code: why there is a signal, SI_...; source, overrun: of a timer. EAGAIN: there is no room for a thread or a signal. */
int cl_notify(const struct cl_notice *notice, int code, struct cl_source *source, int overrun);

#endif
