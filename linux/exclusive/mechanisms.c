/* SPDX-License-Identifier: Apache-2.0 */
#include "mechanisms.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

const struct cl_mechanism *const cl_mechanisms[] = {&cl_isolated, &cl_root, &cl_affinity, NULL};

int cl_why(char *why, size_t size, int error, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(why, size, format, list);
  va_end(list);
  if (length >= 0 && (size_t)length < size) snprintf(why + length, size - (size_t)length, ": %s", strerror(error));
  return error;
}

void cl_group_name(const struct cl_hold *hold, const char *mount, const char *suffix, char path[CL_PATH_MOST]) {
  snprintf(path, CL_PATH_MOST, "%s/coreloom-%d%s", mount, hold->id, suffix);
}

bool cl_needs_root(const struct cl_hold *hold) { return geteuid() != 0 && !hold->changes.plan && !cl_files_is_tree(); }

void cl_warn_container(const struct cl_tasks *kernel) {
  if (kernel->count == 0)
    cl_warn("running in a container: programs outside it are not seen and may still use the CPUs");
}

int cl_workqueues_away(struct cl_hold *hold) {
  static const char path[] = CL_QUEUES;
  char text[CL_CPUS_TEXT];
  struct cl_cpus set;
  if (cl_baseline_now(path, text, sizeof text) || cl_cpus_parse_mask(text, &set)) return 0; /* a kernel without it */
  set = cl_cpus_minus(&set, hold->changes.plan ? &hold->cpus : &hold->changes.base->held);
  if (cl_cpus_empty(&set)) return 0;
  int error = cl_change_mask(&hold->changes, path, &set);
  return error == EACCES || error == EROFS || error == EPERM ? 0 : error;
}
