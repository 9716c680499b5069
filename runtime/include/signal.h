/* SPDX-License-Identifier: Apache-2.0
 *
 * There are no signals. This is picolibc's <signal.h>, for its constants, and POSIX's struct sigevent, which picolibc
 * has without the function to call. */
#ifndef CORELOOM_SIGNAL_H
#define CORELOOM_SIGNAL_H

#define sigevent cl_sigevent_of_picolibc
#include_next <signal.h>
#undef sigevent

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

#ifdef __cplusplus
}
#endif

#endif
