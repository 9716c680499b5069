/* SPDX-License-Identifier: Apache-2.0
 *
 * Alarms: a thread sleeps until the first of a sorted list. */
#include <errno.h>

#include "api.h"

static struct cl_api_thread thread;
static struct cl_api_alarm *first;
static struct cl_queue sleeper;

static void serve(struct cl_api_thread *self) {
  (void)self;
  cl_api_enter();
  for (;;) {
    struct cl_api_alarm *due = first;
    if (due && due->at <= cl_now()) {
      first = due->next;
      due->runs = 0;
      due->call(due);
    } else {
      struct cl_api_waiter me;
      cl_api_nap(&sleeper, &me, due ? due->at : CL_NEVER);
    }
    cl_api_enter();
  }
}

int cl_api_alarms(int priority, int in_handler) {
  static int done;
  cl_api_enter();
  int is_first = !done;
  done = 1;
  cl_api_leave_quietly();
  if (!is_first) return 0;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setname_np(&attr, "alarms");
  thread = (struct cl_api_thread){.run = serve, .priority = priority, .in_handler = (uint8_t)in_handler};
  int status = cl_api_create(&thread, &attr);
  if (status) done = 0;
  else cl_api_start(&thread);
  return status;
}

void cl_api_alarm_start(struct cl_api_alarm *alarm, uint64_t at) {
  struct cl_api_alarm **link = &first;
  while (*link && (*link)->at <= at) link = &(*link)->next;
  alarm->at = at;
  alarm->runs = 1;
  alarm->next = *link;
  *link = alarm;
  if (first == alarm) cl_api_wake_first(&sleeper);
}

void cl_api_alarm_stop(struct cl_api_alarm *alarm) {
  struct cl_api_alarm **link = &first;
  if (!alarm->runs) return;
  alarm->runs = 0;
  while (*link != alarm) link = &(*link)->next;
  *link = alarm->next;
}

uint64_t cl_api_alarm_next(void) { return first ? first->at : CL_NEVER; }
