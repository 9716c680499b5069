/* SPDX-License-Identifier: Apache-2.0
 *
 * Actions, masks and waits of signals, and their delivery (docs/decisions/0055-signals.md). A thread calls its handlers
 * itself: when a wait of its has been ended for that, at a cancellation point, after a signal to itself, and in a trap
 * that has interrupted it. All is under the back end's lock. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include "../posix/cancel.h"
#include "../posix/clock.h"
#include "../posix/signals.h"
#include "wait.h"

/* A program without the header may have these names for its own. */
#pragma weak signal
#pragma weak pause
#pragma weak sigset

typedef uint64_t set;

static set bit(int signal) { return (set)1 << (signal - 1); }
#define REAL_TIME (~(set)0 << (SIGRTMIN - 1))
static const set unblockable = (set)1 << (SIGKILL - 1) | (set)1 << (SIGSTOP - 1);

static int is_signal(int signal) { return signal > 0 && signal < NSIG; }

/* --- what is pending ------------------------------------------------------------------------------ */

static struct sigaction actions[NSIG];

static struct {
  uint8_t lives;
  set mask;
  set pending;
  set waits; /* for these, in sigtimedwait */
} threads[CL_THREADS] = {{.lives = 1}};

static set pending_of_process;

/* Data of pending signals, by arrival; a signal without an entry was sent without data. */
static struct entry {
  struct entry *next;
  uint32_t to;
  siginfo_t info; /* si_signo 0: it is free */
  struct cl_source *source;
} entries[SIGQUEUE_MAX], *first;

static set *pending_at(uint32_t to) { return to == CL_TO_PROCESS ? &pending_of_process : &threads[to].pending; }

static set pending_for(uint32_t thread) { return threads[thread].pending | pending_of_process; }

static struct entry **find(uint32_t to, int signal) {
  struct entry **link = &first;
  while (*link && ((*link)->to != to || (*link)->info.si_signo != signal)) link = &(*link)->next;
  return link;
}

/* The first of the signals that are pending there, which is no more; info may be NULL. */
static int take_from(uint32_t to, set which, siginfo_t *info) {
  set *pending = pending_at(to);
  which &= *pending;
  if (!which) return 0;
  int signal = __builtin_ctzll(which) + 1;
  struct entry **link = find(to, signal), *entry = *link;
  siginfo_t found = entry ? entry->info : (siginfo_t){.si_signo = signal, .si_pid = CL_PROCESS};
  if (entry) {
    struct cl_source *source = entry->source;
    *link = entry->next;
    entry->info.si_signo = 0;
    if (source) {
      source->pending = 0;
      source->taken(source, &found);
    }
  }
  if (info) *info = found;
  if (!*find(to, signal)) *pending &= ~bit(signal);
  return signal;
}

static int take(uint32_t thread, set which, siginfo_t *info) {
  set own = threads[thread].pending & which, common = pending_of_process & which;
  int is_own = own && (!common || __builtin_ctzll(own) <= __builtin_ctzll(common));
  return take_from(is_own ? thread : CL_TO_PROCESS, which, info);
}

static void discard(int signal) {
  for (uint32_t thread = 0; thread < CL_THREADS; thread++)
    while (take_from(thread, bit(signal), NULL)) continue;
  while (take_from(CL_TO_PROCESS, bit(signal), NULL)) continue;
}

static int is_ignored(int signal) {
  return actions[signal].sa_handler == SIG_IGN ||
         (actions[signal].sa_handler == SIG_DFL && cl_signal_is_ignored(signal));
}

/* --- its receiver --------------------------------------------------------------------------------- */

uint32_t cl_signals_now(uint32_t thread) {
  set pending = pending_for(thread);
  return (pending & ~threads[thread].mask ? CL_NOW_SIGNAL : 0) | (pending & threads[thread].waits ? CL_NOW_AWAITED : 0);
}

static void tell(uint32_t thread) {
  cl_cancel_look(thread);
  if (cl_cancels[thread].now && thread != pthread_self()) cl_cancel_end_wait(thread);
}

static int takes(uint32_t thread, int signal) {
  if (!threads[thread].lives) return 0;
  return threads[thread].waits & bit(signal) ? 2 : !(threads[thread].mask & bit(signal));
}

/* A signal of the process goes to a thread that waits for it, else to the caller, else to the first that allows it. */
static void tell_one(int signal) {
  uint32_t best = pthread_self();
  int how = takes(best, signal);
  for (uint32_t thread = 0; thread < CL_THREADS; thread++) {
    int other = takes(thread, signal);
    if (other > how) how = other, best = thread;
  }
  if (how) tell(best);
}

static void tell_of_process(void) {
  for (set left = pending_of_process; left; left &= left - 1) tell_one(__builtin_ctzll(left) + 1);
}

static int post(uint32_t to, const siginfo_t *info, struct cl_source *source) {
  int signal = info->si_signo;
  set *pending = pending_at(to);
  uint32_t whom = to == CL_TO_PROCESS ? pthread_self() : to;
  if (is_ignored(signal) && !(threads[whom].mask & bit(signal))) return 0;
  struct entry **link = &first;
  while (*link) link = &(*link)->next;
  int queued = source || info->si_code == SI_QUEUE || bit(signal) & REAL_TIME;
  if (!queued && *pending & bit(signal)) return 0;
  struct entry *entry = entries;
  while (entry < entries + SIGQUEUE_MAX && entry->info.si_signo) entry++;
  if (entry < entries + SIGQUEUE_MAX) {
    *entry = (struct entry){.to = to, .info = *info, .source = source};
    *link = entry;
    if (source) source->pending = 1;
  } else if (queued) {
    return EAGAIN;
  }
  *pending |= bit(signal);
  if (to == CL_TO_PROCESS) tell_one(signal);
  else tell(to);
  return 0;
}

int cl_signals_post(uint32_t to, const siginfo_t *info, struct cl_source *source) {
  cl_backend_lock();
  int status = post(to, info, source);
  cl_backend_unlock();
  cl_signals_test();
  return status;
}

void cl_signals_abort(void) {
  cl_backend_lock();
  threads[pthread_self()].mask &= ~bit(SIGABRT);
  cl_backend_unlock();
  cl_signal_send(pthread_self(), &(siginfo_t){.si_signo = SIGABRT, .si_code = SI_TKILL, .si_pid = CL_PROCESS}, NULL);
}

/* --- delivery ------------------------------------------------------------------------------------- */

/* With the lock. */
static void set_mask(uint32_t thread, set mask) {
  threads[thread].mask = mask & ~unblockable;
  cl_cancel_look(thread);
  if (pending_of_process) tell_of_process();
}

static void call(const struct sigaction *action, siginfo_t *info, set mask_after) {
  int error = errno;
  if (action->sa_flags & SA_SIGINFO) {
    action->sa_sigaction(info->si_signo, info, &(ucontext_t){.uc_sigmask = mask_after});
  } else {
    action->sa_handler(info->si_signo);
  }
  errno = error;
}

CL_COLD int cl_signals_run(void) {
  uint32_t thread = pthread_self();
  int done = 0, signal;
  siginfo_t info;
  cl_backend_lock();
  cl_cancel_forget(thread);
  while ((signal = take(thread, ~threads[thread].mask, &info))) {
    struct sigaction action = actions[signal];
    if (is_ignored(signal)) continue;
    if (action.sa_handler == SIG_DFL) {
      cl_backend_unlock();
      cl_signal_end(signal);
    }
    set before = threads[thread].mask;
    if (action.sa_flags & (int)SA_RESETHAND && signal != SIGILL && signal != SIGTRAP) {
      actions[signal].sa_handler = SIG_DFL;
      actions[signal].sa_flags &= ~SA_SIGINFO;
    }
    set_mask(thread, before | action.sa_mask | (action.sa_flags & SA_NODEFER ? 0 : bit(signal)));
    cl_backend_unlock();
    call(&action, &info, before);
    cl_backend_lock();
    cl_cancel_forget(thread);
    set_mask(thread, before);
    done |= action.sa_flags & SA_RESTART ? CL_HANDLED : CL_HANDLED | CL_INTERRUPTED;
  }
  cl_cancel_look(thread);
  cl_backend_unlock();
  return done;
}

int cl_signals_act(void) {
  int done = cl_signals_run();
  if (cl_cancel_mine()->now & CL_NOW_CANCEL) cl_cancel_end();
  return done;
}

CL_COLD int cl_signals_enter_apart(uint32_t leave, uint32_t object) {
  struct cl_cancel *cancel = cl_cancel_mine();
  cl_backend_lock();
  int now = (cancel->now & CL_NOW_SIGNAL) != 0;
  cancel->leave = (uint16_t)(now ? 0 : leave);
  cancel->ends = CL_NOW_SIGNAL;
  cancel->held = (uint8_t)now;
  cancel->object = object;
  cl_backend_unlock();
  return now;
}

/* A trap acts on signals, and on the request to a thread that may be cancelled at any time. */
static int is_for_trap(const struct cl_cancel *cancel) {
  return cancel->now & (cl_cancel_any_time && cancel->asynchronous ? CL_NOW_SIGNAL | CL_NOW_CANCEL : CL_NOW_SIGNAL);
}

/* The end of a trap that has interrupted a thread with interrupts enabled, or a CPU without one: interrupts are disabled
 * again. A thread that waits, or is about to, has its wait ended instead. With the hardware kernel such a thread is not
 * between GIVE_WAY and SAVED (cl_backend.h). */
void cl_signals_in_trap(void);
void cl_signals_in_trap(void) {
  uint32_t thread = cl_self_number();
  if (CL_BACKEND_CLEARS_IPI) cl_local_write(CL_IPI_CLEAR, 0);
  if (thread >= CL_THREADS || !is_for_trap(&cl_cancels[thread])) return;
  if (cl_cancels[thread].leave || cl_cancels[thread].held || cl_waiters[thread] || !cl_backend_computes(thread)) return;
  cl_irq_on();
  if (cl_cancel_asynchronous()) cl_signals_act();
  else cl_signals_run();
  cl_irq_off();
}

/* By a timer: the thread shall look for its signals. */
static int poke(uint32_t thread) {
  const struct cl_cancel *cancel = &cl_cancels[thread];
  if (cancel->now & cancel->ends && cancel->leave && cancel->leave != CL_OP_INTERRUPT_WAIT)
    return cl_status(cl_backend_leave(cancel->leave, cancel->object, thread));
  if (!is_for_trap(cancel)) return ESRCH;
  if (!CL_BACKEND_TRAPS_FOR_SIGNALS) return EAGAIN;
  uint32_t word = cl_backend_op(CL_OP_THREAD_READ, thread, 0);
  uint32_t cpu = word >> CL_THREAD_WORD_CPU_LSB & CL_THREAD_WORD_CPU_MASK;
  int runs = (word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK) == CL_STATE_RUNNING;
  if (CL_CPUS > 1 && runs && cpu != cl_local_read(CL_CPU_ID) && cpu < CL_CPUS) cl_local_write(CL_IPI, cpu);
  return EAGAIN;
}

int (*const cl_timer_call)(uint32_t thread) = poke;

void cl_signals_begin(uint32_t thread) {
  cl_backend_lock();
  threads[thread].lives = 1;
  threads[thread].mask = threads[pthread_self()].mask;
  while (take_from(thread, ~(set)0, NULL)) continue;
  threads[thread].waits = 0;
  cl_cancel_look(thread);
  cl_backend_unlock();
}

void cl_signals_end(void) {
  uint32_t thread = pthread_self();
  cl_backend_lock();
  cl_cancel_forget(thread);
  threads[thread].lives = 0;
  threads[thread].mask = ~(set)0;
  cl_cancel_look(thread);
  tell_of_process();
  cl_backend_unlock();
}

/* --- sets ----------------------------------------------------------------------------------------- */

int sigemptyset(sigset_t *of) {
  *of = 0;
  return 0;
}

int sigfillset(sigset_t *of) {
  *of = ~(set)0;
  return 0;
}

int sigaddset(sigset_t *to, int signal) {
  if (!is_signal(signal)) return cl_fail(EINVAL);
  *to |= bit(signal);
  return 0;
}

int sigdelset(sigset_t *from, int signal) {
  if (!is_signal(signal)) return cl_fail(EINVAL);
  *from &= ~bit(signal);
  return 0;
}

int sigismember(const sigset_t *in, int signal) {
  if (!is_signal(signal)) return cl_fail(EINVAL);
  return (*in & bit(signal)) != 0;
}

/* --- actions and masks ---------------------------------------------------------------------------- */

int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict before) {
  if (!is_signal(signal) || (action && bit(signal) & unblockable)) return cl_fail(EINVAL);
  cl_signals_used();
  cl_backend_lock();
  if (before) *before = actions[signal];
  if (action) {
    actions[signal] = *action;
    if (is_ignored(signal)) discard(signal);
  }
  cl_backend_unlock();
  return 0;
}

_sig_func_ptr signal(int number, _sig_func_ptr handler) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
  if (handler == SIG_ERR) return cl_fail(EINVAL), SIG_ERR;
  return sigaction(number, &action, &before) ? SIG_ERR : before.sa_handler;
}

int siginterrupt(int signal, int ends) {
  struct sigaction action;
  if (sigaction(signal, NULL, &action)) return -1;
  action.sa_flags = ends ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return sigaction(signal, &action, NULL);
}

int pthread_sigmask(int how, const sigset_t *restrict change, sigset_t *restrict before) {
  uint32_t thread = pthread_self();
  if (change && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
  cl_signals_used();
  cl_backend_lock();
  set mask = threads[thread].mask;
  if (change) {
    set wanted = *change;
    set_mask(thread, how == SIG_BLOCK ? mask | wanted : how == SIG_UNBLOCK ? mask & ~wanted : wanted);
  }
  if (before) *before = mask;
  cl_backend_unlock();
  cl_signals_test();
  return 0;
}

int sigprocmask(int how, const sigset_t *restrict change, sigset_t *restrict before) {
  int status = pthread_sigmask(how, change, before);
  return status ? cl_fail(status) : 0;
}

int sigpending(sigset_t *found) {
  cl_signals_used();
  cl_backend_lock();
  *found = pending_for(pthread_self()) & threads[pthread_self()].mask;
  cl_backend_unlock();
  return 0;
}

/* Those of System V. */

static int block(int how, int signal) {
  sigset_t one = 0;
  return sigaddset(&one, signal) ? -1 : sigprocmask(how, &one, NULL);
}

int sighold(int signal) { return block(SIG_BLOCK, signal); }
int sigrelse(int signal) { return block(SIG_UNBLOCK, signal); }
int sigignore(int signal) { return sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL); }

_sig_func_ptr sigset(int signal, _sig_func_ptr handler) {
  struct sigaction action = {.sa_handler = handler}, before;
  sigset_t mask;
  if (sigaction(signal, NULL, &before) || sigprocmask(SIG_BLOCK, NULL, &mask)) return SIG_ERR;
  if (handler != SIG_HOLD && sigaction(signal, &action, NULL)) return SIG_ERR;
  if (block(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, signal)) return SIG_ERR;
  return mask & bit(signal) ? SIG_HOLD : before.sa_handler;
}

/* --- waits ---------------------------------------------------------------------------------------- */

static struct cl_queue waiting; /* nobody wakes them but their signals */

int sigtimedwait(const sigset_t *restrict wanted, siginfo_t *restrict info, const struct timespec *restrict limit) {
  uint32_t thread = pthread_self();
  uint64_t at = CL_NEVER;
  int status = 0, signal;
  cl_signals_used();
  cl_trace_call();
  cl_cancel_test();
  if (limit && !cl_is_time(limit)) return cl_fail(EINVAL);
  if (limit) at = cl_after(limit);
  cl_backend_lock();
  while (!(signal = take(thread, *wanted, info)) && !status) {
    struct cl_waiter me = {.ends = CL_POINT};
    threads[thread].waits = *wanted;
    cl_cancel_look(thread);
    status = cl_queue_wait(&waiting, &me, at);
    cl_backend_lock();
    threads[thread].waits = 0;
    cl_cancel_look(thread);
    if (status == ETIMEDOUT) status = EAGAIN;
    if (status != ECANCELED) continue;
    status = 0;
    if (pending_for(thread) & *wanted) continue;
    cl_backend_unlock();
    if (cl_cancel_act()) status = EINTR;
    cl_backend_lock();
  }
  cl_cancel_forget(thread);
  if (pending_of_process) tell_of_process();
  cl_backend_unlock();
  return signal ? signal : cl_fail(status);
}

int sigwaitinfo(const sigset_t *restrict wanted, siginfo_t *restrict info) { return sigtimedwait(wanted, info, NULL); }

int sigwait(const sigset_t *restrict wanted, int *restrict signal) {
  int error = errno, found;
  do found = sigtimedwait(wanted, NULL, NULL);
  while (found < 0 && errno == EINTR);
  if (found < 0) return errno;
  errno = error;
  *signal = found;
  return 0;
}

/* With the lock, which it releases. */
static void wait_for_handler(void) {
  for (;;) {
    struct cl_waiter me = {.ends = CL_POINT};
    if (cl_queue_wait(&waiting, &me, CL_NEVER) == ECANCELED && cl_cancel_act()) return;
    cl_backend_lock();
  }
}

int pause(void) {
  cl_signals_used();
  cl_trace_call();
  cl_cancel_test();
  cl_backend_lock();
  wait_for_handler();
  return cl_fail(EINTR);
}

int sigsuspend(const sigset_t *mask) {
  cl_signals_used();
  cl_trace_call();
  cl_cancel_test();
  cl_backend_lock();
  set before = threads[pthread_self()].mask;
  set_mask(pthread_self(), *mask);
  wait_for_handler();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return cl_fail(EINTR);
}

int sigpause(int signal) {
  set mask = threads[pthread_self()].mask;
  return is_signal(signal) ? sigsuspend(&(sigset_t){mask & ~bit(signal)}) : cl_fail(EINVAL);
}
