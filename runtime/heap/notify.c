/* SPDX-License-Identifier: Apache-2.0 */
#include "../posix/notify.h"

#include <errno.h>
#include <stdlib.h>

#include "../posix/posix.h"
#include "../posix/signals.h"

int cl_notice_make(struct cl_notice *notice, const struct sigevent *event) {
  notice->signal = 0;
  notice->function = NULL;
  notice->value = event->sigev_value;
  if (event->sigev_notify == SIGEV_NONE) return 0;
  if (event->sigev_notify == SIGEV_SIGNAL) {
    notice->signal = event->sigev_signo;
    return notice->signal > 0 && notice->signal < NSIG ? 0 : EINVAL;
  }
  if (event->sigev_notify != SIGEV_THREAD) return EINVAL;
  if (!event->sigev_notify_function) return EINVAL;
  notice->function = event->sigev_notify_function;
  if (event->sigev_notify_attributes) notice->attr = *event->sigev_notify_attributes;
  else pthread_attr_init(&notice->attr);
  return pthread_attr_setdetachstate(&notice->attr, PTHREAD_CREATE_DETACHED);
}

struct call {
  void (*function)(union sigval);
  union sigval value;
};

static void *begin(void *argument) {
  struct call call = *(struct call *)argument;
  free(argument);
  call.function(call.value);
  return NULL;
}

int cl_notify(const struct cl_notice *notice, int code, struct cl_source *source, int overrun) {
  if (notice->signal) {
    siginfo_t info = {.si_signo = notice->signal, .si_code = code, .si_pid = CL_PROCESS, .si_value = notice->value};
    info.si_overrun = overrun;
    return cl_signal_send(CL_TO_PROCESS, &info, source);
  }
  if (!notice->function) return 0;
  pthread_t thread;
  struct call *call = malloc(sizeof *call);
  if (!call) return EAGAIN;
  *call = (struct call){notice->function, notice->value};
  int status = pthread_create(&thread, &notice->attr, begin, call);
  if (status) free(call);
  return status;
}
