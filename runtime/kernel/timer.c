/* SPDX-License-Identifier: Apache-2.0
 *
 * Timed waits. The hardware kernel may have timeouts (CL_TIMEOUTS) and end the wait by itself; this is for all others.
 *
 * A thread in a timed wait has a timer, in the list (sorted by time) of the CPU on which it started the
 * timer; only that CPU's timer interrupt ends the wait, with the kernel's ..._leave. The kernel's answer tells what
 * ended the wait: enoent means that the thread has been woken before, or does not wait yet.
 *
 * All lists are under one lock, the back end's. The interrupt holds it from the kernel's answer until that is recorded;
 * so a woken thread, on any CPU, learns from cl_timer_stop what woke it. */
#include "cl_end.h"
#include "cl_kernel.h"

struct cl_timer *cl_timers[CL_CPUS];
uint32_t cl_timers_count;
void (*cl_timer_ended)(uint32_t thread);

uint64_t cl_now(void) {
  uint32_t low; /* read first: a time limit counts from here */
  uint32_t high;
  do {
    low = cl_local_read(CL_MTIME_LO);
    high = cl_local_read(CL_MTIME_HI);
  } while (cl_local_read(CL_MTIME_LO) < low); /* it has wrapped */
  return (uint64_t)high << 32 | low;
}

static void insert(struct cl_timer *timer) {
  struct cl_timer **link = &cl_timers[timer->cpu];
  while (*link && (*link)->at <= timer->at) link = &(*link)->next;
  timer->next = *link;
  *link = timer;
}

CL_COLD void cl_timer_enter(struct cl_timer *timer) {
  timer->thread = cl_self_number();
  timer->cpu = CL_CPUS > 1 ? cl_local_read(CL_CPU_ID) : 0;
  timer->patience = 64;
  timer->runs = 1;
  timer->ended = 0;
  cl_timers_count++;
  insert(timer);
  cl_backend_timer(1);
}

static inline void take_off(struct cl_timer *timer) {
  if (!timer->runs) return;
  struct cl_timer **link = &cl_timers[timer->cpu];
  for (; *link != timer; link = &(*link)->next) {
    if (!*link || (*link)->at > timer->at) cl_broken("the list of time limits", timer);
  }
  *link = timer->next;
  cl_timers_count--;
  cl_backend_timer(0);
}

CL_COLD void cl_timer_remove(struct cl_timer *timer) { take_off(timer); }

CL_COLD void cl_timer_start(struct cl_timer *timer, uint32_t leave, uint32_t object, uint64_t at) {
  timer->at = at;
  timer->leave = leave;
  timer->object = object;
  cl_backend_lock();
  cl_timer_enter(timer);
  cl_backend_unlock_quietly();
}

CL_COLD int cl_timer_stop(struct cl_timer *timer) {
  if (!*(volatile uint32_t *)&timer->runs) return timer->ended; /* the interrupt has left it, and does so last */
  cl_backend_lock();
  take_off(timer);
  int ended = timer->ended;
  cl_backend_unlock_quietly();
  return ended;
}

CL_COLD void cl_timers_look(uint32_t cpu) {
  struct cl_timer *timer;
  while ((timer = cl_timers[cpu]) && timer->at <= cl_now()) {
    cl_timers[cpu] = timer->next;
    int status = CL_SIGNALS && timer->leave == CL_LEAVE_BY_CALL
                     ? cl_timer_call(timer->thread)
                     : cl_status(cl_backend_leave(timer->leave, timer->object, timer->thread));
    if (CL_SIGNALS && status == ESRCH) { /* there is nothing left to do */
      cl_timers_count--;
      timer->runs = 0;
    } else if (!status) {
      cl_timers_count--;
      timer->ended = 1;
      if (cl_timer_ended) cl_timer_ended(timer->thread);
      *(volatile uint32_t *)&timer->runs = 0;
    } else {
      /* It does not wait: not yet, or no more. Look again, but a thread that is kept from its CPU is no reason to
       * look all the time. */
      timer->at = cl_now() + timer->patience;
      if (timer->patience < 1u << 16) timer->patience *= 2;
      insert(timer);
    }
  }
}

/* A very late limit is rare: keep this code out of the callers. */
CL_COLD uint32_t cl_wait_by_timer(unsigned op, uint32_t id, uint32_t word, uint64_t at) {
  return cl_wait_by_timer_here(op, id, word, at);
}

CL_COLD uint32_t cl_port_send_by_timer(uint32_t id, uint32_t word, const uint32_t *words, uint64_t at) {
  return words ? cl_port_send_by_timer_here(id, word, words, at) : cl_port_send_by_timer_here(id, word, NULL, at);
}

CL_COLD uint32_t cl_port_receive_by_timer(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room, uint64_t at) {
  return words ? cl_port_receive_by_timer_here(id, word, words, room, at)
               : cl_port_receive_by_timer_here(id, word, NULL, 0, at);
}
