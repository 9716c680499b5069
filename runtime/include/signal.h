/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals of the one process and of its threads, by the numbers of Linux; runtime/CAVEATS.md says what differs.
 * A program that uses none of them pays nothing (docs/decisions/0055-signals.md). */
#ifndef CORELOOM_SIGNAL_H
#define CORELOOM_SIGNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/_sigset.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timespec;
typedef struct pthread_attr pthread_attr_t; /* pthread.h */
typedef int sig_atomic_t;

#ifndef _SIGSET_T_DECLARED
#define _SIGSET_T_DECLARED
typedef __sigset_t sigset_t; /* a bit each, from signal 1 */
#endif

#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGIOT SIGABRT
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGSTKFLT 16
#define SIGCHLD 17
#define SIGCLD SIGCHLD
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGURG 23
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGIO 29
#define SIGPOLL SIGIO
#define SIGPWR 30
#define SIGSYS 31
#define SIGRTMIN 34
#define SIGRTMAX 64
#define NSIG 65
#define _NSIG NSIG

typedef void (*_sig_func_ptr)(int);
typedef _sig_func_ptr sighandler_t;
typedef _sig_func_ptr sig_t;
#define SIG_DFL ((_sig_func_ptr)0)
#define SIG_IGN ((_sig_func_ptr)1)
#define SIG_HOLD ((_sig_func_ptr)2)
#define SIG_ERR ((_sig_func_ptr) - 1)

union sigval {
  int sival_int;
  void *sival_ptr;
};
typedef union sigval sigval_t;

#define SIGEV_NONE 1
#define SIGEV_SIGNAL 2
#define SIGEV_THREAD 3

struct sigevent {
  int sigev_notify;
  int sigev_signo;
  union sigval sigev_value;
  void (*sigev_notify_function)(union sigval);
  pthread_attr_t *sigev_notify_attributes;
};

#define SI_USER 0
#define SI_QUEUE (-1)
#define SI_TIMER (-2)
#define SI_MESGQ (-3)
#define SI_ASYNCIO (-4)
#define SI_TKILL (-6)

typedef struct {
  int si_signo;
  int si_code;
  int si_errno;
  pid_t si_pid;
  uid_t si_uid;
  int si_status;
  void *si_addr;
  union sigval si_value;
  int si_timerid;
  int si_overrun; /* of a timer: further expirations that this signal stands for */
} siginfo_t;
#define si_int si_value.sival_int
#define si_ptr si_value.sival_ptr

#define SA_NOCLDSTOP 1 /* makes no difference: there are no children */
#define SA_NOCLDWAIT 2
#define SA_SIGINFO 4
#define SA_ONSTACK 8 /* makes no difference without sigaltstack */
#define SA_RESTART 16
#define SA_NODEFER 32
#define SA_NOMASK SA_NODEFER
#define SA_RESETHAND 64
#define SA_ONESHOT SA_RESETHAND

struct sigaction {
  union {
    _sig_func_ptr cl_handler;
    void (*cl_sigaction)(int, siginfo_t *, void *);
  } cl_function;
  sigset_t sa_mask;
  int sa_flags;
};
#define sa_handler cl_function.cl_handler
#define sa_sigaction cl_function.cl_sigaction

#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

typedef struct {
  void *ss_sp;
  int ss_flags;
  size_t ss_size;
} stack_t;
#define SS_ONSTACK 1
#define SS_DISABLE 2
#define MINSIGSTKSZ 2048
#define SIGSTKSZ 8192

/* The type behind a handler's third argument. */
typedef struct ucontext {
  struct ucontext *uc_link;
  sigset_t uc_sigmask; /* of the thread, when the handler has returned */
  stack_t uc_stack;
} ucontext_t;

int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, int signal); /* EINVAL: no such signal */
int sigdelset(sigset_t *set, int signal);
int sigismember(const sigset_t *set, int signal);

/* EINVAL: no such signal, or SIGKILL or SIGSTOP with an action. */
int sigaction(int signal, const struct sigaction *__restrict action, struct sigaction *__restrict before);
_sig_func_ptr signal(int signal, _sig_func_ptr handler); /* with SA_RESTART */
int siginterrupt(int signal, int ends);                  /* whether it ends waits: without SA_RESTART */

/* Handlers have been called when a signal to the caller returns. A process is 0 or getpid() (ESRCH), as there is one.
 * EINVAL: no such signal. 0: only whether there is such a process or thread. */
int raise(int signal);
int kill(pid_t process, int signal);
int killpg(pid_t group, int signal);
int pthread_kill(uint32_t thread, int signal);                        /* ESRCH: no such thread; no errno */
int sigqueue(pid_t process, int signal, union sigval value);          /* EAGAIN: SIGQUEUE_MAX are pending */
int pthread_sigqueue(uint32_t thread, int signal, union sigval value); /* the same to a thread; no errno */

int pthread_sigmask(int how, const sigset_t *__restrict set, sigset_t *__restrict before); /* no errno */
int sigprocmask(int how, const sigset_t *__restrict set, sigset_t *__restrict before);
int sigpending(sigset_t *set);

/* Until a handler has been called: EINTR. */
int sigsuspend(const sigset_t *mask);
/* Until one of the signals is pending, which is taken; of several the lowest, of equals the first. EINTR: a handler has
 * been called. EAGAIN: not in time. sigwait returns an error number. */
int sigwait(const sigset_t *__restrict set, int *__restrict signal);
int sigwaitinfo(const sigset_t *__restrict set, siginfo_t *__restrict info);
int sigtimedwait(const sigset_t *__restrict set, siginfo_t *__restrict info, const struct timespec *__restrict limit);

/* From System V: one signal of the caller's mask; sigset also sets the handler. */
int sighold(int signal);
int sigrelse(int signal);
int sigignore(int signal);
int sigpause(int signal);
_sig_func_ptr sigset(int signal, _sig_func_ptr handler);

void psignal(int signal, const char *text);

/* From other systems, not supported: the linker says so. */
int sigaltstack(const stack_t *__restrict stack, stack_t *__restrict before);

#ifdef __cplusplus
}
#endif

#endif
