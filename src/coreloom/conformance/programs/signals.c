/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals of the process and of threads. */
#include <mqueue.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "conformance.h"

static volatile int calls, last, value, code, blocked, first, second;
static volatile pthread_t by;
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sigjmp_buf place;
static volatile int began, ready;

static int is_blocked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  return sigismember(&now, signal);
}

static void note(int signal) {
  if (!calls) first = signal;
  else if (calls == 1) second = signal;
  last = signal;
  by = pthread_self();
  blocked = is_blocked(signal) | is_blocked(SIGUSR2) << 1;
  calls++;
}

static void note_info(int signal, siginfo_t *info, void *context) {
  value = info->si_signo == signal && context ? info->si_value.sival_int : -1;
  code = info->si_code;
  note(signal);
}

static void action(int signal, int flags) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  if (flags & SA_SIGINFO) act.sa_sigaction = note_info;
  else act.sa_handler = note;
  act.sa_flags = flags;
  sigemptyset(&act.sa_mask);
  sigaction(signal, &act, NULL);
}

static sigset_t of(int one, int other) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, one);
  if (other) sigaddset(&set, other);
  return set;
}

static void mask(int how, int one, int other) {
  const sigset_t set = of(one, other);
  pthread_sigmask(how, &set, NULL);
}

static void begin(int flags) {
  sigset_t none;
  calls = last = value = code = blocked = first = second = began = ready = 0;
  action(SIGUSR1, flags);
  action(SIGUSR2, flags);
  action(SIGRTMIN, flags);
  action(SIGRTMIN + 1, flags);
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  sem_init(&semaphore, 0, 0);
}

/* Whether the signal is pending. */
static int is_pending(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigpending(&set);
  return sigismember(&set, signal);
}

/* Send it until the thread has called its handler: it may not wait yet. */
static void interrupt(pthread_t thread) {
  AWAIT_ANY(began);
  nap();
  pthread_kill(thread, SIGUSR1);
  AWAIT_ANY(calls);
}

/* --- sets --- */

TEST(sigemptyset, none, "no signal is in it") {
  sigset_t set;
  OK(sigemptyset(&set));
  for (int signal = 1; signal <= SIGTERM; signal++) IS(0, sigismember(&set, signal));
  IS(0, sigismember(&set, SIGRTMAX));
}

TEST(sigfillset, all, "every signal is in it") {
  sigset_t set;
  OK(sigfillset(&set));
  for (int signal = 1; signal <= SIGTERM; signal++) IS(1, sigismember(&set, signal));
  IS(1, sigismember(&set, SIGRTMAX));
}

TEST(sigaddset, one, "the signal is in it then, and no other") {
  sigset_t set;
  sigemptyset(&set);
  OK(sigaddset(&set, SIGUSR1));
  IS(1, sigismember(&set, SIGUSR1));
  IS(0, sigismember(&set, SIGUSR2));
}

TEST(sigaddset, unknown_einval, "no signal: EINVAL") {
  sigset_t set;
  sigemptyset(&set);
  FAILS(EINVAL, sigaddset(&set, -1));
  FAILS(EINVAL, sigaddset(&set, 1000));
}

TEST(sigdelset, one, "the signal is not in it then, all others are") {
  sigset_t set;
  sigfillset(&set);
  OK(sigdelset(&set, SIGUSR1));
  IS(0, sigismember(&set, SIGUSR1));
  IS(1, sigismember(&set, SIGUSR2));
  FAILS(EINVAL, sigdelset(&set, 1000));
}

TEST(sigismember, unknown_einval, "no signal: EINVAL") {
  sigset_t set;
  sigemptyset(&set);
  FAILS(EINVAL, sigismember(&set, 1000));
}

/* --- actions --- */

TEST(raise, at_once, "the handler has been called when it returns, in the caller") {
  begin(0);
  OK(raise(SIGUSR1));
  IS(1, calls);
  IS(SIGUSR1, last);
  TRUE(pthread_equal(by, pthread_self()));
  FAILS(EINVAL, raise(1000));
}

TEST(sigaction, reads, "the action before is returned; NULL changes nothing") {
  struct sigaction before;
  begin(SA_RESTART);
  OK(sigaction(SIGUSR1, NULL, &before));
  TRUE(before.sa_handler == note);
  TRUE(before.sa_flags & SA_RESTART);
  raise(SIGUSR1);
  IS(1, calls);
}

TEST(sigaction, unknown_einval, "no signal, SIGKILL and SIGSTOP: EINVAL") {
  struct sigaction act = {.sa_handler = note};
  FAILS(EINVAL, sigaction(1000, &act, NULL));
  FAILS(EINVAL, sigaction(SIGKILL, &act, NULL));
  FAILS(EINVAL, sigaction(SIGSTOP, &act, NULL));
}

TEST(sigaction, blocks_itself, "the signal is blocked while its handler runs, and not afterwards") {
  begin(0);
  raise(SIGUSR1);
  IS(1, blocked);
  IS(0, is_blocked(SIGUSR1));
}

TEST(sigaction, mask, "sa_mask is blocked, too") {
  begin(0);
  struct sigaction act = {.sa_handler = note, .sa_mask = of(SIGUSR2, 0)};
  OK(sigaction(SIGUSR1, &act, NULL));
  raise(SIGUSR1);
  IS(3, blocked);
  IS(0, is_blocked(SIGUSR2));
}

TEST(sigaction, nodefer, "SA_NODEFER: it is not blocked") {
  begin((int)SA_NODEFER);
  raise(SIGUSR1);
  IS(0, blocked);
}

TEST(sigaction, resethand, "SA_RESETHAND: the default is back when the handler is called") {
  struct sigaction now;
  begin((int)SA_RESETHAND);
  raise(SIGUSR1);
  IS(1, calls);
  OK(sigaction(SIGUSR1, NULL, &now));
  TRUE(now.sa_handler == SIG_DFL);
}

TEST(sigaction, siginfo, "SA_SIGINFO: the handler gets the signal's information and a context") {
  begin(SA_SIGINFO);
  raise(SIGUSR1);
  IS(1, calls);
  IS(0, value);
}

TEST(sigaction, ignore_discards, "SIG_IGN: a pending signal is discarded") {
  begin(0);
  mask(SIG_BLOCK, SIGUSR1, 0);
  raise(SIGUSR1);
  IS(1, is_pending(SIGUSR1));
  struct sigaction act = {.sa_handler = SIG_IGN};
  OK(sigaction(SIGUSR1, &act, NULL));
  IS(0, is_pending(SIGUSR1));
  action(SIGUSR1, 0);
  mask(SIG_UNBLOCK, SIGUSR1, 0);
  IS(0, calls);
}

TEST(signal, before, "it returns the handler before; SIG_IGN ignores") {
  begin(0);
  TRUE(signal(SIGUSR1, SIG_IGN) == note);
  raise(SIGUSR1);
  IS(0, calls);
  TRUE(signal(SIGUSR1, note) == SIG_IGN);
  raise(SIGUSR1);
  IS(1, calls);
}

TEST(signal, unknown_einval, "no signal, SIGKILL: SIG_ERR and EINVAL") {
  errno = 0;
  TRUE(signal(1000, note) == SIG_ERR);
  IS(EINVAL, errno);
  TRUE(signal(SIGKILL, note) == SIG_ERR);
}

TEST(kill, process, "a signal to the process: its sender gets it before kill returns, unless it is blocked") {
  begin(0);
  OK(kill(getpid(), SIGUSR1));
  IS(1, calls);
  OK(kill(getpid(), 0));
  FAILS(EINVAL, kill(getpid(), 1000));
}

TEST(kill, default_ignored, "what is ignored by default does nothing") {
  begin(0);
  OK(raise(SIGCHLD));
  OK(raise(SIGCONT));
  OK(raise(SIGURG));
}

static void *computes(void *unused) {
  (void)unused;
  began = 1;
  while (!calls) continue;
  return NULL;
}

TEST(kill, who_does_not_block, "a signal to the process goes to a thread that does not block it") {
  begin(0);
  pthread_t thread = started(computes, NULL);
  AWAIT_ANY(began);
  mask(SIG_BLOCK, SIGUSR1, 0);
  OK(kill(getpid(), SIGUSR1));
  joined(thread);
  TRUE(pthread_equal(by, thread));
  IS(0, is_pending(SIGUSR1));
}

TEST(pthread_kill, computing, "a thread that computes is interrupted") {
  begin(0);
  pthread_t thread = started(computes, NULL);
  AWAIT_ANY(began);
  OK(pthread_kill(thread, SIGUSR1));
  joined(thread);
  IS(1, calls);
  TRUE(pthread_equal(by, thread));
}

TEST(pthread_kill, unknown_einval, "no signal: EINVAL; 0: nothing is sent") {
  IS(EINVAL, pthread_kill(pthread_self(), 1000));
  OK(pthread_kill(pthread_self(), 0));
}

TEST(sigqueue, value, "the value and SI_QUEUE come with the signal; real-time signals are queued in their order") {
  begin(SA_SIGINFO);
  mask(SIG_BLOCK, SIGRTMIN, SIGRTMIN + 1);
  OK(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 1}));
  OK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 2}));
  OK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 3}));
  siginfo_t info;
  const sigset_t set = of(SIGRTMIN, SIGRTMIN + 1);
  for (int i = 0; i < 3; i++) {
    const int expected[] = {2, 3, 1};
    IS(i < 2 ? SIGRTMIN : SIGRTMIN + 1, sigwaitinfo(&set, &info));
    IS(expected[i], info.si_value.sival_int);
    IS(SI_QUEUE, info.si_code);
  }
  OK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 7}));
  IS(7, value);
  IS(SI_QUEUE, code);
  FAILS(EINVAL, sigqueue(getpid(), 1000, (union sigval){0}));
}

/* --- masks --- */

TEST(pthread_sigmask, blocks, "a blocked signal is pending until it is unblocked, and then called before it returns") {
  begin(0);
  mask(SIG_BLOCK, SIGUSR1, 0);
  raise(SIGUSR1);
  raise(SIGUSR1);
  IS(0, calls);
  mask(SIG_UNBLOCK, SIGUSR1, 0);
  IS(1, calls);
}

TEST(pthread_sigmask, own, "a mask is the thread's; a new thread has its creator's") {
  begin(0);
  mask(SIG_BLOCK, SIGUSR1, 0);
  pthread_t thread = started((void *(*)(void *))(void (*)(void))is_blocked, (void *)SIGUSR1);
  IS(1, joined(thread));
  mask(SIG_UNBLOCK, SIGUSR1, 0);
  IS(0, is_blocked(SIGUSR1));
}

TEST(pthread_sigmask, unknown_einval, "no such change: EINVAL; without a set it is not looked at") {
  sigset_t set = of(SIGUSR1, 0);
  IS(EINVAL, pthread_sigmask(1000, &set, NULL));
  OK(pthread_sigmask(1000, NULL, &set));
}

TEST(pthread_sigmask, kill_stays, "SIGKILL and SIGSTOP cannot be blocked") {
  mask(SIG_BLOCK, SIGKILL, SIGSTOP);
  IS(0, is_blocked(SIGKILL));
  IS(0, is_blocked(SIGSTOP));
}

TEST(sigprocmask, thread, "it changes the caller's mask, and returns the mask before") {
  begin(0);
  const sigset_t set = of(SIGUSR1, 0), two = of(SIGUSR2, 0);
  sigset_t before;
  OK(sigprocmask(SIG_BLOCK, &set, NULL));
  OK(sigprocmask(SIG_SETMASK, &two, &before));
  IS(1, sigismember(&before, SIGUSR1));
  IS(0, is_blocked(SIGUSR1));
  IS(1, is_blocked(SIGUSR2));
  OK(sigprocmask(SIG_UNBLOCK, &two, NULL));
  FAILS(EINVAL, sigprocmask(1000, &set, NULL));
}

TEST(sigpending, both, "it has what is pending for the thread and for the process") {
  begin(0);
  mask(SIG_BLOCK, SIGUSR1, SIGUSR2);
  IS(0, is_pending(SIGUSR1));
  pthread_kill(pthread_self(), SIGUSR1);
  kill(getpid(), SIGUSR2);
  IS(1, is_pending(SIGUSR1));
  IS(1, is_pending(SIGUSR2));
  mask(SIG_UNBLOCK, SIGUSR1, SIGUSR2);
  IS(2, calls);
  IS(0, is_pending(SIGUSR1));
}

/* --- waits for signals --- */

TEST(sigwait, pending, "a pending signal is taken and its handler not called") {
  begin(0);
  mask(SIG_BLOCK, SIGUSR1, 0);
  raise(SIGUSR1);
  const sigset_t set = of(SIGUSR1, SIGUSR2);
  int signal = 0;
  OK(sigwait(&set, &signal));
  IS(SIGUSR1, signal);
  IS(0, is_pending(SIGUSR1));
  IS(0, calls);
}

static void *waits(void *unused) {
  (void)unused;
  const sigset_t set = of(SIGUSR1, SIGUSR2);
  int signal = 0;
  began = 1;
  sigwait(&set, &signal);
  return (void *)(long)signal;
}

TEST(sigwait, sent, "a signal to the process or the thread ends the wait") {
  begin(0);
  mask(SIG_BLOCK, SIGUSR1, SIGUSR2);
  for (int i = 0; i < 2; i++) {
    began = 0;
    pthread_t thread = started(waits, NULL);
    AWAIT_ANY(began);
    nap();
    OK(i ? pthread_kill(thread, SIGUSR2) : kill(getpid(), SIGUSR1));
    IS(i ? SIGUSR2 : SIGUSR1, joined(thread));
  }
  IS(0, calls);
}

TEST(sigwaitinfo, information, "it returns the signal with what it says of itself") {
  begin(0);
  mask(SIG_BLOCK, SIGUSR1, 0);
  const sigset_t set = of(SIGUSR1, 0);
  siginfo_t info;
  kill(getpid(), SIGUSR1);
  IS(SIGUSR1, sigwaitinfo(&set, &info));
  IS(SIGUSR1, info.si_signo);
  IS(SI_USER, info.si_code);
  IS(getpid(), info.si_pid);
}

TEST(sigtimedwait, eagain, "no signal in time: EAGAIN; a limit of 0 only looks") {
  begin(0);
  mask(SIG_BLOCK, SIGUSR1, 0);
  const sigset_t set = of(SIGUSR1, 0);
  struct timespec limit = {.tv_nsec = 2000000}, at = in_ms(CLOCK_MONOTONIC, 2);
  FAILS(EAGAIN, sigtimedwait(&set, NULL, &limit));
  TRUE(has_come(CLOCK_MONOTONIC, at));
  limit.tv_nsec = 0;
  FAILS(EAGAIN, sigtimedwait(&set, NULL, &limit));
  raise(SIGUSR1);
  IS(SIGUSR1, sigtimedwait(&set, NULL, &limit));
  limit.tv_nsec = 1000000000;
  FAILS(EINVAL, sigtimedwait(&set, NULL, &limit));
}

TEST(sigsuspend, mask, "it waits with the mask, and the mask before is back when it returns: EINTR") {
  begin(SA_RESTART);
  sigset_t none;
  sigemptyset(&none);
  mask(SIG_BLOCK, SIGUSR1, SIGUSR2);
  raise(SIGUSR1);
  IS(0, calls);
  FAILS(EINTR, sigsuspend(&none));
  IS(1, calls);
  IS(1, is_blocked(SIGUSR1));
  mask(SIG_UNBLOCK, SIGUSR1, SIGUSR2);
}

/* --- other waits --- */

static mqd_t queue;
static time_t left;
static pthread_t later;

static int sigwaitinfo_(void) {
  const sigset_t set = of(SIGUSR2, 0);
  return sigwaitinfo(&set, NULL) == -1 ? errno : 0;
}
static int pause_(void) { return pause() == -1 ? errno : 0; }
static int sem_wait_(void) { return sem_wait(&semaphore) ? errno : 0; }
static int sem_timedwait_(void) {
  const struct timespec until = in_ms(CLOCK_REALTIME, 60000);
  return sem_timedwait(&semaphore, &until) ? errno : 0;
}
static int nanosleep_(void) {
  struct timespec rest = {0};
  const int status = nanosleep(&(struct timespec){.tv_sec = 60}, &rest) ? errno : 0;
  left = rest.tv_sec;
  return status;
}
static int sleep_(void) { return (int)sleep(60); }
static int mq_receive_(void) {
  char text[16];
  return mq_receive(queue, text, sizeof text, NULL) == -1 ? errno : 0;
}
static int mutex_(void) { return pthread_mutex_lock(&mutex) || pthread_mutex_unlock(&mutex); }
static int read_(void) { return pthread_rwlock_rdlock(&lock) || pthread_rwlock_unlock(&lock); }
static int write_(void) { return pthread_rwlock_wrlock(&lock) || pthread_rwlock_unlock(&lock); }
static int barrier_(void) {
  const int status = pthread_barrier_wait(&barrier);
  return status == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : status;
}
static int condition_(void) {
  int status = pthread_mutex_lock(&mutex);
  while (!ready && !status) status = pthread_cond_wait(&condition, &mutex);
  return pthread_mutex_unlock(&mutex) || status;
}
static int join_(void) { return pthread_join(later, NULL); }

static void post(void) { sem_post(&semaphore); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }
static void unlock_rw(void) { pthread_rwlock_unlock(&lock); }
static void arrive(void) { barrier_(); }
static void wake(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}

static void *calls_it(void *what) {
  began = 1;
  return (void *)(long)(*(int (**)(void))what)();
}

/* The call's result in a thread that is interrupted in it; then `release` is called, if any, to end it. */
static long interrupted(int (*what)(void), void (*release)(void)) {
  pthread_t thread = started(calls_it, &what);
  interrupt(thread);
  if (release) release();
  return joined(thread);
}

TEST(sigwaitinfo, eintr, "another signal's handler ends it: EINTR") {
  begin(SA_RESTART);
  mask(SIG_BLOCK, SIGUSR2, 0);
  IS(EINTR, interrupted(sigwaitinfo_, NULL));
}

TEST(pause, eintr, "it waits for a handler: EINTR") {
  begin(SA_RESTART);
  IS(EINTR, interrupted(pause_, NULL));
}

TEST(sem_wait, eintr, "a handler ends the wait: EINTR") {
  begin(0);
  IS(EINTR, interrupted(sem_wait_, NULL));
}

TEST(sem_wait, restart, "unless it has SA_RESTART: then it waits on") {
  begin(SA_RESTART);
  IS(0, interrupted(sem_wait_, post));
}

TEST(sem_timedwait, eintr, "a handler ends the wait: EINTR") {
  begin(0);
  IS(EINTR, interrupted(sem_timedwait_, NULL));
}

TEST(nanosleep, eintr, "a handler ends it, also with SA_RESTART: EINTR, and what is left") {
  begin(SA_RESTART);
  IS(EINTR, interrupted(nanosleep_, NULL));
  TRUE(left >= 50 && left < 60);
}

TEST(sleep, left, "a handler ends it: it returns the seconds that are left") {
  begin(0);
  const long seconds = interrupted(sleep_, NULL);
  TRUE(seconds > 50 && seconds <= 60);
}

TEST(mq_receive, eintr, "a handler ends the wait: EINTR") {
  begin(0);
  struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 16};
  queue = mq_open("/signals", O_RDWR | O_CREAT, 0600, &attr);
  TRUE(queue != (mqd_t)-1);
  IS(EINTR, interrupted(mq_receive_, NULL));
  OK(mq_close(queue));
  OK(mq_unlink("/signals"));
}

TEST(pthread_mutex_lock, handler, "a handler is called while it waits, and it waits on") {
  begin(0);
  pthread_mutex_lock(&mutex);
  IS(0, interrupted(mutex_, unlock));
}

static pthread_mutex_t ceiled;
static int set_ceiling_(void) {
  int old;
  return pthread_mutex_setprioceiling(&ceiled, sched_get_priority_max(SCHED_FIFO), &old);
}
static void unlock_ceiled(void) { pthread_mutex_unlock(&ceiled); }

TEST(pthread_mutex_setprioceiling, handler, "a handler is called while it waits, and it waits on") {
  pthread_mutexattr_t attr;
  begin(0);
  OK(pthread_mutexattr_init(&attr));
  OK(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT));
  OK(pthread_mutexattr_setprioceiling(&attr, sched_get_priority_max(SCHED_FIFO)));
  OK(pthread_mutex_init(&ceiled, &attr));
  if (pthread_mutex_lock(&ceiled)) UNTESTED("no right to SCHED_FIFO");
  IS(0, interrupted(set_ceiling_, unlock_ceiled));
  OK(pthread_mutex_destroy(&ceiled));
  OK(pthread_mutexattr_destroy(&attr));
}

TEST(pthread_rwlock_rdlock, handler, "a handler is called while it waits, and it waits on") {
  begin(0);
  pthread_rwlock_wrlock(&lock);
  IS(0, interrupted(read_, unlock_rw));
}

TEST(pthread_rwlock_wrlock, handler, "a handler is called while it waits, and it waits on") {
  begin(0);
  pthread_rwlock_rdlock(&lock);
  IS(0, interrupted(write_, unlock_rw));
}

TEST(pthread_barrier_wait, handler, "a handler is called while it waits, and it waits on") {
  begin(0);
  OK(pthread_barrier_init(&barrier, NULL, 2));
  IS(0, interrupted(barrier_, arrive));
  OK(pthread_barrier_destroy(&barrier));
}

static volatile int passed;

static void await_passed(int signal) {
  note(signal);
  AWAIT_ANY(passed);
}

TEST(pthread_barrier_wait, arrived_in_handler, "a thread that is in a handler has arrived: the others pass") {
  begin(0);
  passed = 0;
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = await_passed}, NULL);
  OK(pthread_barrier_init(&barrier, NULL, 2));
  int (*what)(void) = barrier_;
  pthread_t thread = started(calls_it, &what);
  interrupt(thread);
  OK(barrier_());
  passed = 1;
  IS(0, joined(thread));
  OK(pthread_barrier_destroy(&barrier));
}

TEST(pthread_barrier_init, waited_for_ebusy, "a barrier at which a thread waits: EBUSY") {
  KERNELS_ONLY();
  begin(0);
  OK(pthread_barrier_init(&barrier, NULL, 2));
  int (*what)(void) = barrier_;
  pthread_t thread = started(calls_it, &what);
  AWAIT_ANY(began);
  nap();
  IS(EBUSY, pthread_barrier_init(&barrier, NULL, 2));
  OK(barrier_());
  IS(0, joined(thread));
  OK(pthread_barrier_destroy(&barrier));
}

TEST(pthread_cond_wait, handler, "a handler is called while it waits; it never returns EINTR") {
  begin(0);
  IS(0, interrupted(condition_, wake));
}

static void *ends_later(void *unused) {
  (void)unused;
  sem_wait(&semaphore);
  return NULL;
}

TEST(pthread_join, handler, "a handler is called while it waits, and it waits on") {
  begin(SA_RESTART);
  later = started(ends_later, NULL);
  IS(0, interrupted(join_, post));
}

/* --- senders of signals --- */

TEST(alarm, seconds, "it returns the seconds that were left of the last; 0 takes it back") {
  IS(0, alarm(100));
  nap();
  IS(100, alarm(200));
  nap();
  IS(200, alarm(0));
  IS(0, alarm(0));
}

TEST(setitimer, periodic, "SIGALRM again and again") {
  begin(0);
  signal(SIGALRM, note);
  struct itimerval time = {.it_value = {.tv_usec = 2000}, .it_interval = {.tv_usec = 2000}}, off = {0}, now;
  OK(setitimer(ITIMER_REAL, &time, NULL));
  while (calls < 3) pause();
  OK(setitimer(ITIMER_REAL, &off, &now));
  IS(2000, now.it_interval.tv_usec);
}

TEST(setitimer, cpu_time, "ITIMER_VIRTUAL and ITIMER_PROF: SIGVTALRM and SIGPROF when the program has computed") {
  const int all[][2] = {{ITIMER_VIRTUAL, SIGVTALRM}, {ITIMER_PROF, SIGPROF}};
  const struct itimerval time = {.it_value = {.tv_usec = 2000}};
  for (int i = 0; i < 2; i++) {
    begin(0);
    signal(all[i][1], note);
    OK(setitimer(all[i][0], &time, NULL));
    while (!calls) continue;
    IS(all[i][1], last);
  }
}

TEST(setitimer, unknown_einval, "a timer that there is not: EINVAL") {
  const struct itimerval time = {0};
  FAILS(EINVAL, setitimer(3, &time, NULL));
}

static timer_t timer_of(int signal, int number) {
  struct sigevent event;
  timer_t timer = 0;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = signal;
  event.sigev_value.sival_int = number;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer)) abort();
  return timer;
}

TEST(timer_create, signal, "SIGEV_SIGNAL: the signal with its value, by SI_TIMER") {
  begin(SA_SIGINFO);
  mask(SIG_BLOCK, SIGRTMIN, 0);
  timer_t timer = timer_of(SIGRTMIN, 42);
  const struct itimerspec time = {.it_value = {.tv_nsec = 2000000}};
  const sigset_t set = of(SIGRTMIN, 0);
  siginfo_t info;
  OK(timer_settime(timer, 0, &time, NULL));
  IS(SIGRTMIN, sigwaitinfo(&set, &info));
  IS(42, info.si_value.sival_int);
  IS(SI_TIMER, info.si_code);
  OK(timer_delete(timer));
}

TEST(timer_create, no_event, "no event: SIGALRM") {
  begin(0);
  signal(SIGALRM, note);
  timer_t timer;
  const struct itimerspec time = {.it_value = {.tv_nsec = 2000000}};
  OK(timer_create(CLOCK_MONOTONIC, NULL, &timer));
  OK(timer_settime(timer, 0, &time, NULL));
  AWAIT_ANY(calls);
  IS(SIGALRM, last);
  OK(timer_delete(timer));
}

TEST(timer_getoverrun, signal, "expirations while the signal is pending are counted") {
  begin(0);
  mask(SIG_BLOCK, SIGRTMIN, 0);
  timer_t timer = timer_of(SIGRTMIN, 0);
  const struct itimerspec time = {.it_value = {.tv_nsec = 1000000}, .it_interval = {.tv_nsec = 1000000}};
  const sigset_t set = of(SIGRTMIN, 0);
  const struct timespec now = {0};
  OK(timer_settime(timer, 0, &time, NULL));
  usleep(20000);
  IS(SIGRTMIN, sigtimedwait(&set, NULL, &now));
  TRUE(timer_getoverrun(timer) >= 15);
  OK(timer_delete(timer));
}

TEST(mq_notify, signal, "SIGEV_SIGNAL: the signal with its value, by SI_MESGQ") {
  begin(SA_SIGINFO);
  struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 16};
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  event.sigev_value.sival_int = 5;
  queue = mq_open("/signals", O_RDWR | O_CREAT, 0600, &attr);
  TRUE(queue != (mqd_t)-1);
  OK(mq_notify(queue, &event));
  OK(mq_send(queue, "x", 1, 0));
  AWAIT_ANY(calls);
  IS(5, value);
  IS(SI_MESGQ, code);
  OK(mq_close(queue));
  OK(mq_unlink("/signals"));
}

/* --- jumps --- */

static void jumps(int signal) {
  calls++;
  siglongjmp(place, signal);
}

TEST(sigsetjmp, mask, "siglongjmp from a handler returns there, and the mask of then is back") {
  begin(0);
  signal(SIGUSR1, jumps);
  const int from = sigsetjmp(place, 1);
  if (!from) {
    raise(SIGUSR1);
    SAY_AND_RETURN("fail: raise has returned");
  }
  IS(SIGUSR1, from);
  IS(1, calls);
  IS(0, is_blocked(SIGUSR1));
}

static void *jumps_back(void *unused) {
  (void)unused;
  if (sigsetjmp(place, 1)) return (void *)1;
  began = 1;
  while (calls < 1000) continue;
  return NULL;
}

TEST(siglongjmp, computing, "it leaves a computation that a signal has interrupted") {
  begin(0);
  signal(SIGUSR1, jumps);
  pthread_t thread = started(jumps_back, NULL);
  interrupt(thread);
  IS(1, joined(thread));
}
