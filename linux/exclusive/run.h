/* SPDX-License-Identifier: Apache-2.0
 *
 * The state machine: a request from its check to the end of its program. */
#ifndef CL_RUN_H
#define CL_RUN_H

#include "hold.h"

struct cl_output {
  double watch_s;     /* --watch: a table of the counters now and then; 0: none */
  const char *report; /* --report FILE, or NULL: the standard error */
  bool json, quiet;
};

enum {
  CL_EXIT_REFUSED = 1,   /* nothing was changed, or everything undone before the program began */
  CL_EXIT_USAGE = 2,
  CL_EXIT_FAILED = 125,  /* not everything could be undone: the records are kept */
  CL_EXIT_CANNOT = 126,  /* the command is not executable */
  CL_EXIT_MISSING = 127, /* there is no such command */
};

/* The commands `run` and `attach` (request->command or ->pid) and `plan`; exit status, of `run` the program's. */
int cl_run(struct cl_request *request, const struct cl_output *output);
int cl_plan(struct cl_request *request, bool json);

#endif
