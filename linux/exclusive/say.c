/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NAME "coreloom exclusive: "

static bool is_quiet;
static int file = -1;

void cl_say_quiet(bool quiet) { is_quiet = quiet; }

int cl_say_log(const char *path) {
  file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  return file < 0 ? errno : 0;
}

/* One write(2) a line, so that lines of several tools in one terminal or file stay whole. */
static void line(bool shown, const char *before, const char *format, va_list rest) {
  char text[4096];
  int length = snprintf(text, sizeof text - 1, "%s%s", NAME, before);
  int more = vsnprintf(text + length, sizeof text - 1 - (size_t)length, format, rest);
  size_t size = (size_t)(length + (more > 0 ? more : 0));
  if (size > sizeof text - 2) size = sizeof text - 2;
  text[size++] = '\n';
  if (shown && write(STDERR_FILENO, text, size) < 0) return; /* nobody is left to be told */
  if (file < 0) return;
  struct timespec now;
  struct tm date;
  char stamped[sizeof text + 32];
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &date);
  size_t at = strftime(stamped, sizeof stamped, "%Y-%m-%dT%H:%M:%S", &date);
  at += (size_t)snprintf(stamped + at, sizeof stamped - at, ".%03ldZ ", now.tv_nsec / 1000000);
  size -= strlen(NAME);
  memcpy(stamped + at, text + strlen(NAME), size);
  if (write(file, stamped, at + size) < 0) file = -1;
}

void cl_say_state(int state, const char *format, ...) {
  char before[32];
  va_list rest;
  snprintf(before, sizeof before, "state %d: ", state);
  va_start(rest, format);
  line(!is_quiet, before, format, rest);
  va_end(rest);
}

void cl_say(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  line(!is_quiet, "", format, rest);
  va_end(rest);
}

void cl_warn(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  line(true, "warning: ", format, rest);
  va_end(rest);
}

int cl_fail(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  line(true, "error: ", format, rest);
  va_end(rest);
  return 1;
}

void cl_say_planned(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  vprintf(format, rest);
  va_end(rest);
  putchar('\n');
}
