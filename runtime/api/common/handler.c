/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of interrupt lines: a thread for each line, of a priority above all others', which is what an interrupt is
 * here (runtime/README.md). */
#include <errno.h>
#include <semaphore.h>

#include "api.h"
#include "coreloom.h"

static struct line {
  struct cl_api_thread thread; /* first: a thread is its line */
  void (*call)(unsigned line);
  sem_t bound;
  int status;
  uint8_t lives, disabled, pending;
} lines[CL_LINES];

static void serve(struct cl_api_thread *self) {
  struct line *line = (struct line *)self;
  const unsigned number = (unsigned)(line - lines);
  line->status = interrupt_bind_thread_np(number);
  sem_post(&line->bound);
  while (!line->status && !interrupt_wait_np(number)) {
    cl_api_enter();
    line->pending |= line->disabled;
    void (*call)(unsigned) = line->disabled ? NULL : line->call;
    cl_api_leave();
    if (call) call(number);
  }
}

static void ended(struct cl_api_thread *self, int by_other) {
  (void)by_other;
  ((struct line *)self)->lives = 0;
}

int cl_api_handle(unsigned number, void (*call)(unsigned line)) {
  if (number >= CL_LINES) return EINVAL;
  struct line *line = &lines[number];
  line->call = call;
  if (line->lives || !call) return 0;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setname_np(&attr, "handler");
  line->thread = (struct cl_api_thread){.run = serve, .ended = ended, .priority = CL_API_HANDLER, .in_handler = 1};
  int status = cl_api_create(&line->thread, &attr);
  if (status) return status;
  sem_init(&line->bound, 0, 0);
  line->lives = 1;
  cl_api_start(&line->thread);
  while (sem_wait(&line->bound)) continue;
  sem_destroy(&line->bound);
  return line->status;
}

void cl_api_line(unsigned number, int enabled) {
  struct line *line = &lines[number];
  cl_api_enter();
  line->disabled = !enabled;
  int pending = enabled && line->pending;
  if (enabled) line->pending = 0;
  cl_api_leave();
  if (pending) interrupt_raise_np(number);
}
