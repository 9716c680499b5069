/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls one function of linux/exclusive's reading part on a tree of files: FOLDER choose [OPTION...]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof.h"
#include "say.h"

#include <stdarg.h>
__attribute__((weak)) void cl_warn(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
}
__attribute__((weak)) int cl_journal_list(struct cl_reservation **list, size_t *count) {
  *list = NULL;
  *count = 0;
  return 0;
}

static void print_cpus(const char *name, const struct cl_cpus *cpus) {
  char text[CL_CPUS_TEXT];
  printf("%s %s\n", name, cl_cpus_format(cpus, text));
}

static int choose(char **option) {
  struct cl_request request = {.count = 1};
  struct cl_hold hold = {.request = &request, .id = 100};
  char why[4096];
  for (; *option; option++) {
    if (strcmp(*option, "force") == 0) request.force = true;
    else if (strcmp(*option, "share") == 0) request.smt = CL_SMT_SHARE;
    else if (strncmp(*option, "cpus=", 5) == 0) cl_cpus_parse(*option + 5, &request.asked);
    else if (strncmp(*option, "count=", 6) == 0) request.count = atoi(*option + 6);
    else if (strncmp(*option, "pid=", 4) == 0) request.pid = atoi(*option + 4);
    else if (strncmp(*option, "tid=", 4) == 0) request.tid = atoi(*option + 4);
    else if (strncmp(*option, "sample=", 7) == 0) request.sample_s = strtod(*option + 7, NULL);
    else return 2;
  }
  int error = cl_choose(&hold, why, sizeof why);
  puts(why);
  if (error) return 1;
  print_cpus("cpus", &hold.cpus);
  print_cpus("use", &hold.use);
  print_cpus("rest", &hold.rest);
  return 0;
}

int main(int count, char **argument) {
  if (count < 3) return 2;
  cl_files_root(argument[1]);
  if (strcmp(argument[2], "choose") == 0) return choose(argument + 3);
  return 2;
}
