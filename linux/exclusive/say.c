/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "out.h"
#include "plain.h"

#define NAME "coreloom exclusive: "

static bool is_quiet;
static int file = -1;
static char self[64] = "coreloom exclusive";

void cl_say_self(const char *argv0) {
  const char *slash = strrchr(argv0, '/'), *name = slash ? slash + 1 : argv0;
  if (*name != '\0' && strlen(name) < sizeof self) snprintf(self, sizeof self, "%s", name);
}

const char *cl_self(void) { return self; }

void cl_say_quiet(bool quiet) { is_quiet = quiet; }

int cl_say_log(const char *path) { return cl_out_append(path, &file); }

/* One write(2) a line, so that lines of several tools in one terminal or file stay whole. */
static void line(bool shown, const char *before, const char *format, va_list rest) {
  char raw[4096], text[sizeof raw] = NAME;
  int length = snprintf(raw, sizeof raw, "%s", before);
  vsnprintf(raw + length, sizeof raw - (size_t)length, format, rest);
  size_t size = strlen(NAME);
  size += cl_plain(text + size, sizeof text - 1 - size, raw);
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
  if (write(file, stamped, at + size) < 0 && errno != EAGAIN) file = -1; /* or nobody reads the pipe just now */
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

static FILE *plan; /* as JSON */
static char *plan_text;
static size_t plan_size;
static bool plan_begun;

void cl_say_plan_json(void) { plan = open_memstream(&plan_text, &plan_size); }

void cl_say_plan_end(int changes) {
  if (plan == NULL || fclose(plan)) return;
  printf("{\n  \"plan\": [%s%s],\n  \"changes\": %d\n}\n", plan_text, plan_begun ? "\n  " : "", changes);
  free(plan_text);
}

void cl_say_planned(const char *format, ...) {
  char text[16384];
  va_list rest;
  va_start(rest, format);
  if (plan) {
    vsnprintf(text, sizeof text, format, rest);
    fputs(plan_begun ? ",\n    " : "\n    ", plan);
    cl_json_string(plan, text);
    plan_begun = true;
  } else {
    cl_plain_print(stdout, format, rest);
    putchar('\n');
  }
  va_end(rest);
}
