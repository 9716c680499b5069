/* SPDX-License-Identifier: GPL-2.0-only */
#include "source.h"

#include <stdarg.h>
#include <time.h>

static char why[1024];

const char *lag_why(void) { return why; }

int lag_refuse(int error, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(why, sizeof why, format, values);
  va_end(values);
  return error;
}

uint64_t lag_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double lag_own_ms(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}
