/* SPDX-License-Identifier: Apache-2.0
 *
 * Of Linux' prctl the thread's name, which is all that portable programs ask of it. */
#ifndef CORELOOM_SYS_PRCTL_H
#define CORELOOM_SYS_PRCTL_H

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#define PR_SET_NAME 15
#define PR_GET_NAME 16

static __inline int prctl(int option, ...) {
  char name[16] = "";
  va_list rest;
  va_start(rest, option);
  char *given = option == PR_SET_NAME || option == PR_GET_NAME ? va_arg(rest, char *) : NULL;
  va_end(rest);
  int error = EINVAL;
  if (option == PR_GET_NAME) {
    error = pthread_getname_np(pthread_self(), given, sizeof name);
  } else if (option == PR_SET_NAME) {
    error = pthread_setname_np(pthread_self(), strncat(name, given, sizeof name - 1)); /* cut, as there */
  }
  if (error) errno = error;
  return error ? -1 : 0;
}

#endif
