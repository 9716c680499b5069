/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers. While there is one that notifies somebody, a thread of the highest priority waits for the first to expire, and
 * sends its signal or makes a thread for its call. One that notifies nobody is only looked at. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "../posix/clock.h"
#include "../posix/notify.h"
#include "../posix/signals.h"

struct timer {
  struct cl_source source; /* the first; while its signal is pending its expirations are not looked at */
  int exists;
  clockid_t clock;
  uint32_t thread; /* whose CPU time it counts, or CL_ALL_THREADS; larger: none's */
  struct cl_notice notice;
  uint64_t at;           /* when it expires, by its clock; CL_NEVER: it is not armed */
  struct timespec until; /* the same by CLOCK_REALTIME, if it follows that */
  int follows;
  uint64_t interval; /* cycles, 0: once */
  uint64_t missed;   /* expirations since the one that was notified last, without a thread */
  int overrun;       /* such expirations up to the one that was notified last */
};

/* Under the back end's lock. */
static struct timer timers[TIMER_MAX];
static volatile int serving; /* there is such a thread */
static int count_cpu_time;   /* of some timer the clock does: else the program is linked without any account of it */

/* Nobody tells when CPU time has passed: it is looked at when it can be over, but not again within so many cycles. */
#define LOOK_AGAIN 10000

static struct timer *timer_of(timer_t id) {
  return id - 1 < TIMER_MAX && timers[id - 1].exists ? &timers[id - 1] : NULL;
}

/* NULL, and unlocked: no such timer. */
static struct timer *begin(timer_t id) {
  cl_backend_lock();
  struct timer *timer = timer_of(id);
  if (!timer) cl_backend_unlock();
  return timer;
}

static int counts_cpu_time(const struct timer *timer) { return count_cpu_time && timer->thread <= CL_ALL_THREADS; }

static uint64_t now_of(const struct timer *timer) {
  return counts_cpu_time(timer) ? cl_cpu_time(timer->thread) : cl_now();
}

/* The mtime at which to look at an armed timer. */
static uint64_t look_at(const struct timer *timer) {
  if (!counts_cpu_time(timer) || timer->at == CL_NEVER) return timer->at;
  uint64_t now = now_of(timer), left = timer->at > now ? timer->at - now : 0;
  if (timer->thread == CL_ALL_THREADS) left /= CL_CPUS;
  if (left < LOOK_AGAIN) left = LOOK_AGAIN;
  return left > CL_NEVER - cl_now() ? CL_NEVER : cl_now() + left;
}

static uint64_t due(struct timer *timer) {
  if (timer->follows) cl_deadline(CLOCK_REALTIME, &timer->until, &timer->at);
  return timer->at;
}

/* Takes the expirations until now. Returns how many there were. */
static uint64_t expire(struct timer *timer, uint64_t now) {
  uint64_t at = due(timer), times = 1;
  if (at > now) return 0;
  timer->follows = 0;
  if (timer->interval) times += (now - at) / timer->interval;
  timer->at = timer->interval ? at + times * timer->interval : CL_NEVER;
  return times;
}

static int shown(uint64_t overrun) { return overrun < DELAYTIMER_MAX ? (int)overrun : DELAYTIMER_MAX; }

/* Its signal is, with all expirations until now. */
static void taken(struct cl_source *source, siginfo_t *info) {
  struct timer *timer = (struct timer *)source;
  timer->overrun = shown((uint64_t)info->si_overrun + expire(timer, now_of(timer)));
  info->si_overrun = timer->overrun;
  cl_queue_wake(&cl_clock_timers);
}

/* Calls for a timer that has expired. With the lock, which is released meanwhile. */
static void serve_one(struct timer *timer, uint64_t times) {
  struct cl_notice notice = timer->notice;
  uint64_t overrun = timer->missed + times - 1;
  if (notice.function) timer->overrun = shown(overrun); /* of a signal when it is taken */
  timer->missed = 0;
  cl_backend_unlock();
  int status = cl_notify(&notice, SI_TIMER, &timer->source, shown(overrun));
  cl_backend_lock();
  if (status) timer->missed += overrun + 1;
}

static void *serve(void *unused) {
  (void)unused;
  if (CL_SIGNALS) pthread_sigmask(SIG_SETMASK, &(sigset_t){~(sigset_t)0}, NULL);
  cl_backend_lock();
  for (;;) {
    uint64_t first = CL_NEVER, times = 0;
    int needed = 0;
    for (struct timer *timer = timers; timer < timers + TIMER_MAX; timer++) {
      if (!timer->exists || !cl_notice_is(&timer->notice)) continue;
      needed = 1;
      if (timer->source.pending) continue;
      times = expire(timer, now_of(timer));
      if (times) {
        serve_one(timer, times);
        break;
      }
      uint64_t look = look_at(timer);
      if (look < first) first = look;
    }
    if (times) continue;
    if (!needed) break;
    cl_queue_wait(&cl_clock_timers, &(struct cl_waiter){0}, first);
    cl_backend_lock();
  }
  serving = 0;
  cl_backend_unlock();
  return NULL;
}

static int start_serving(void) {
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_attr_setschedparam(&attr, &(struct sched_param){sched_get_priority_max(SCHED_FIFO)});
  pthread_attr_setname_np(&attr, "timers");
  return pthread_create(&thread, &attr, serve, NULL);
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict id) {
  struct cl_notice notice;
  const uint32_t thread = cl_cpu_time_of(clock);
  if (thread <= CL_ALL_THREADS) count_cpu_time = 1;
  else if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) return cl_fail(EINVAL);
  struct sigevent alarm = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  int status = cl_notice_make(&notice, event ? event : &alarm);
  if (status) return cl_fail(status);
  cl_backend_lock();
  timer_t number = 1;
  while (number <= TIMER_MAX && (timer_of(number) || timers[number - 1].source.pending)) number++;
  if (!event) notice.value.sival_int = (int)number;
  int start = number <= TIMER_MAX && cl_notice_is(&notice) && !serving;
  if (number <= TIMER_MAX)
    timers[number - 1] = (struct timer){
        .source = {.taken = taken}, .exists = 1, .clock = clock, .thread = thread, .notice = notice, .at = CL_NEVER};
  if (start) serving = 1;
  cl_backend_unlock();
  if (number > TIMER_MAX) return cl_fail(EAGAIN);
  status = start ? start_serving() : 0;
  if (status) {
    cl_backend_lock();
    serving = 0;
    timers[number - 1].exists = 0;
    cl_backend_unlock();
    return cl_fail(status);
  }
  *id = number;
  return 0;
}

int timer_delete(timer_t id) {
  struct timer *timer = begin(id);
  if (!timer) return cl_fail(EINVAL);
  timer->exists = 0;
  cl_queue_wake(&cl_clock_timers);
  cl_backend_unlock();
  return 0;
}

/* With the lock. A timer that notifies nobody has its expirations taken here. */
static void show(struct timer *timer, struct itimerspec *value) {
  uint64_t now = now_of(timer);
  if (!cl_notice_is(&timer->notice)) expire(timer, now);
  uint64_t at = due(timer);
  value->it_interval = cl_time_of(timer->interval);
  value->it_value = cl_time_of(at == CL_NEVER ? 0 : at > now ? at - now : 1);
}

int timer_gettime(timer_t id, struct itimerspec *value) {
  struct timer *timer = begin(id);
  if (!timer) return cl_fail(EINVAL);
  show(timer, value);
  cl_backend_unlock();
  return 0;
}

static uint64_t at_cpu_time(const struct timer *timer, const struct timespec *time, int absolute) {
  uint64_t from = absolute ? 0 : now_of(timer), cycles = time->tv_sec < 0 ? 0 : cl_cycles_of(time);
  return cycles > CL_NEVER - from ? CL_NEVER : from + cycles;
}

int timer_settime(timer_t id, int flags, const struct itimerspec *restrict value, struct itimerspec *restrict before) {
  const struct timespec *time = &value->it_value;
  int absolute = flags & TIMER_ABSTIME;
  if (!cl_is_time(time) || !cl_is_time(&value->it_interval) || value->it_interval.tv_sec < 0 ||
      (time->tv_sec < 0 && !absolute))
    return cl_fail(EINVAL);
  struct timer *timer = begin(id);
  if (!timer) return cl_fail(EINVAL);
  if (before) show(timer, before);
  timer->at = CL_NEVER;
  timer->follows = 0;
  if (time->tv_sec || time->tv_nsec) {
    timer->interval = cl_cycles_of(&value->it_interval);
    timer->missed = 0;
    timer->overrun = 0;
    timer->until = *time;
    timer->follows = absolute && timer->clock == CLOCK_REALTIME;
    if (counts_cpu_time(timer)) timer->at = at_cpu_time(timer, time, absolute);
    else if (absolute) cl_deadline(timer->clock, time, &timer->at);
    else timer->at = cl_after(time);
  }
  cl_queue_wake(&cl_clock_timers);
  cl_backend_unlock();
  return 0;
}

int timer_getoverrun(timer_t id) {
  struct timer *timer = begin(id);
  if (!timer) return cl_fail(EINVAL);
  int overrun = timer->overrun;
  cl_backend_unlock();
  return overrun;
}
