/* SPDX-License-Identifier: Apache-2.0
 *
 * There are no signals. This is picolibc's <signal.h>, for its constants, and POSIX's struct sigevent, which picolibc
 * has without the function to call. */
#ifndef CORELOOM_SIGNAL_H
#define CORELOOM_SIGNAL_H

#define sigevent cl_sigevent_of_picolibc
#include_next <signal.h>
#undef sigevent
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pthread_attr pthread_attr_t; /* pthread.h */

struct sigevent {
  int sigev_notify; /* SIGEV_NONE or SIGEV_THREAD; SIGEV_SIGNAL: ENOTSUP */
  int sigev_signo;
  union sigval sigev_value;
  void (*sigev_notify_function)(union sigval);
  pthread_attr_t *sigev_notify_attributes;
};

/* 0: whether there is such a thread (ESRCH: not). Else ENOTSUP, as there are no signals; EINVAL: no such number. */
int pthread_kill(uint32_t thread, int signal);

#ifdef __cplusplus
}
#endif

#endif
