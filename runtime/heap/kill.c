/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that are sent, and what they do by default. Nobody could continue a program that is stopped: so
 * a signal that stops ends it, too. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "../posix/posix.h"
#include "../posix/signals.h"
#include "cl_end.h"

/* A program without the header may have these names for its own. */
#pragma weak raise
#pragma weak kill
#pragma weak killpg

int cl_signal_is_ignored(int signal) {
  return signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH;
}

/* By number, from 1. */
#define NAMES                                                                                                       \
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG " \
  "XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"

void cl_signal_end(int signal) {
  uint32_t thread = pthread_self();
  char name[10] = "SIG";
  const char *at = NAMES;
  for (int number = 1; number < signal && *at; at++) number += *at == ' ';
  for (char *to = name + 3; *at && *at != ' '; to++) *to = *at++;
  cl_ended_in("thread", cl_posix_name ? cl_posix_name(thread) : NULL, thread, signal, name[3] ? name : "real-time");
}

int cl_signal_send(uint32_t to, const siginfo_t *info, struct cl_source *source) {
  if (CL_SIGNALS) return cl_signals_post(to, info, source);
  if (!cl_signal_is_ignored(info->si_signo)) cl_signal_end(info->si_signo);
  return 0;
}

static int send(uint32_t to, int signal, int code, union sigval value) {
  if (signal < 0 || signal >= NSIG) return EINVAL;
  siginfo_t info = {.si_signo = signal, .si_code = code, .si_pid = CL_PROCESS, .si_value = value};
  return signal ? cl_signal_send(to, &info, NULL) : 0;
}

static int result(int status) { return status ? cl_fail(status) : 0; }

static int send_to_process(pid_t process, int signal, int code, union sigval value) {
  if (signal < 0 || signal >= NSIG) return cl_fail(EINVAL);
  if (process && process != -1 && process != CL_PROCESS && process != -CL_PROCESS) return cl_fail(ESRCH);
  return result(send(CL_TO_PROCESS, signal, code, value));
}

static int send_to_thread(pthread_t thread, int signal, int code, union sigval value) {
  if (signal < 0 || signal >= NSIG) return EINVAL;
  if (thread >= CL_THREADS) return ESRCH;
  uint32_t word = cl_op_thread_read(thread);
  if (cl_status(word) || (word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK) == CL_STATE_EXITED)
    return ESRCH;
  return send(thread, signal, code, value);
}

int kill(pid_t process, int signal) { return send_to_process(process, signal, SI_USER, (union sigval){0}); }
int killpg(pid_t group, int signal) { return kill(group, signal); }
int sigqueue(pid_t process, int signal, union sigval value) {
  return send_to_process(process, signal, SI_QUEUE, value);
}

int pthread_kill(pthread_t thread, int signal) { return send_to_thread(thread, signal, SI_USER, (union sigval){0}); }
int pthread_sigqueue(pthread_t thread, int signal, union sigval value) {
  return send_to_thread(thread, signal, SI_QUEUE, value);
}
int raise(int signal) { return result(pthread_kill(pthread_self(), signal)); }
