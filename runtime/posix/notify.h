/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens by a struct sigevent: nothing, or a function is called in a new thread. */
#ifndef CL_NOTIFY_H
#define CL_NOTIFY_H

#include <pthread.h>
#include <signal.h>

struct cl_notice {
  void (*function)(union sigval); /* NULL: nothing happens */
  union sigval value;
  pthread_attr_t attr;
};

/* EINVAL, or ENOTSUP: by a signal. */
int cl_notice_make(struct cl_notice *notice, const struct sigevent *event);
/* EAGAIN: there is no room for a thread. */
int cl_notify(const struct cl_notice *notice);

#endif
