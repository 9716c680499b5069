/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls irq.c and systemd.c without the rest of the tool: FOLDER COMMAND [ARGUMENT...], FOLDER "" for the machine itself.
 *   irqs CPUS [plan] [ID]    clears the interrupts of CPUs; the layer is that of ID (100)
 *   scope CPUS PID [plan] [ID]
 *   restore [ID]
 *   unit TID */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers.h"
#include "hold.h"
#include "say.h"
#include "settle.h"
#include "state.h"

static int result(int error, const char *why) {
  fflush(stdout);
  if (error) printf("error: %s\n", *why ? why : strerror(error));
  return error != 0;
}

static int change(const char *command, char **option) {
  struct cl_request request = {.count = 1};
  struct cl_layer layer = {.fd = -1};
  struct cl_baseline base = {.fd = -1};
  struct cl_hold hold = {.signals = -1, .request = &request, .id = 100};
  char why[1024] = "";
  int pid = 0;
  if (*option == NULL || cl_cpus_parse(*option++, &hold.cpus)) return 2;
  if (strcmp(command, "scope") == 0) {
    if (*option == NULL) return 2;
    pid = atoi(*option++);
  }
  for (; *option; option++) {
    if (strcmp(*option, "plan") == 0) hold.changes.plan = true;
    else hold.id = atoi(*option);
  }
  hold.use = hold.cpus;
  int error = cl_online(&hold.online);
  hold.rest = cl_cpus_minus(&hold.online, &hold.cpus);
  struct cl_reservation *other = NULL;
  size_t others = 0;
  if (!error) error = cl_layers(&other, &others);
  for (size_t i = 0; i < others; i++) hold.rest = cl_cpus_minus(&hold.rest, &other[i].cpus);
  free(other);
  cl_tasks_read(&hold.tasks);
  hold.changes.layer = &layer;
  hold.changes.base = &base;
  struct cl_reservation first = {.tool = hold.id, .cpus = hold.cpus, .command = "test"};
  if (!error) error = cl_boot(first.boot);
  if (!error && !hold.changes.plan) {
    error = cl_baseline_read(&base);
    if (error == ENOENT) error = cl_baseline_take(&base);
    if (!error) error = cl_layer_open(&layer, &first);
    struct cl_cpus held = cl_cpus_or(&base.held, &hold.cpus);
    if (!error) error = cl_layer_put_note(&layer, "mechanism", "affinity");
    if (!error) error = cl_baseline_hold(&base, &held);
  }
  if (!error && pid) error = cl_task_read(pid, &hold.program);
  if (error) return result(error, "");
  if (strcmp(command, "irqs") == 0) {
    error = cl_irqs_clear(&hold);
    printf("moved %d, managed %d\n", hold.irqs_moved, hold.irqs_managed);
  } else {
    error = cl_systemd_scope(&hold, &hold.program, why, sizeof why);
    printf("group %s\n", hold.group);
  }
  return result(error, why);
}

static int restore(const char *id) {
  const struct cl_settling how = {.id = id ? atoi(id) : 100};
  struct cl_settled settled;
  int error = cl_settle(&how, &settled);
  printf("done %d, already %d, foreign %d, failed %d\n", settled.done, settled.already, settled.foreign,
         settled.failed);
  return result(error, "");
}

int main(int count, char **argument) {
  if (count < 3) return 2;
  char unit[256], **option = argument + 3;
  cl_files_root(argument[1]);
  setvbuf(stdout, NULL, _IONBF, 0);
  if (strcmp(argument[2], "restore") == 0) return restore(*option);
  if (strcmp(argument[2], "unit") != 0) return change(argument[2], option);
  if (*option == NULL) return 2;
  cl_systemd_unit(atoi(*option), unit, sizeof unit);
  puts(unit);
  return 0;
}
