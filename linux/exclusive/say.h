/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything the tool prints except tables and plans: lines on standard error, each starting "coreloom exclusive: ".
 * Text of others in them is escaped (plain.h), also in the log file. */
#ifndef CL_SAY_H
#define CL_SAY_H

#include <stdbool.h>

/* The name by which the user called the tool, for hints such as "run NAME restore": the last part of argv[0]. */
void cl_say_self(const char *argv0);
const char *cl_self(void);
void cl_say_quiet(bool quiet); /* no log, only warnings and errors */
int cl_say_log(const char *path); /* also to this file (out.h), each with the time; errno's number */

/* A step of the state machine: "state 2: CPU 3: run-queue wait 2 %, ...". */
void cl_say_state(int state, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cl_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cl_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The one line of a failure. Answers 1, the exit status, so that `return cl_fail(...)` reads well. */
int cl_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A plan's lines are to be JSON: {"plan": [LINE, ...], "changes": N}, printed as a whole by the second. */
void cl_say_plan_json(void);
void cl_say_plan_end(int changes);
/* A change that a plan would make: a line on the standard output. */
void cl_say_planned(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
