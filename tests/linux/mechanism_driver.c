/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls one mechanism without the rest of the tool: FOLDER MECHANISM [OPTION...] [-- COMMAND...]. With a FOLDER (a tree
 * of files) it prints the plan; with "" it clears the CPUs of the machine, runs the command there, sweeping, and takes
 * everything back. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mechanisms.h"
#include "say.h"
#include "settle.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int failed(const char *step, int error, const char *why) {
  printf("%s: %s (%d)\n", step, why, error);
  return 1;
}

/* The child waits until it has been placed. */
static int start(struct cl_hold *hold, int *go) {
  int ends[2];
  char byte;
  if (pipe(ends)) return errno;
  int pid = fork();
  if (pid < 0) return errno;
  if (pid == 0) {
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 1) _exit(1);
    close(ends[0]);
    execvp(hold->request->command[0], hold->request->command);
    _exit(127);
  }
  close(ends[0]);
  *go = ends[1];
  return cl_task_read(pid, &hold->program);
}

static int enter(const struct cl_mechanism *mechanism, struct cl_hold *hold, char *why, size_t size) {
  struct cl_tasks tasks;
  const struct cl_request *request = hold->request;
  if (request->command != NULL || request->tid > 0) return mechanism->enter(hold, &hold->program, why, size);
  int error = cl_tasks_of(request->pid, &tasks);
  for (size_t i = 0; i < tasks.count && !error; i++) error = mechanism->enter(hold, &tasks.task[i], why, size);
  cl_tasks_free(&tasks);
  return error;
}

/* Until the command has ended; `attach`: for two seconds. */
static int wait_for(const struct cl_mechanism *mechanism, struct cl_hold *hold) {
  int swept = 0, status = 0;
  double end = now() + 2;
  while (hold->request->command ? waitpid(hold->program.pid, &status, WNOHANG) == 0 : now() < end) {
    if (mechanism->sweep) swept += mechanism->sweep(hold);
    usleep(50000);
  }
  printf("swept %d, exit %d\n", swept, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  return 0;
}

static int do_it(const struct cl_mechanism *mechanism, struct cl_hold *hold) {
  const struct cl_settling mine = {.id = hold->id};
  struct cl_reservation first = {.tool = hold->id, .cpus = hold->cpus, .command = "test"};
  struct cl_layer layer = {.fd = -1, .path = ""};
  struct cl_baseline base;
  struct cl_settled settled;
  struct cl_task self;
  char why[1024] = "";
  int go = -1;
  hold->changes.layer = &layer;
  hold->changes.base = &base;
  int error = hold->request->command ? start(hold, &go) : cl_task_read(hold->request->pid, &hold->program);
  if (!error) error = cl_boot(first.boot);
  if (!error) error = cl_task_read(hold->id, &self);
  first.born = self.born;
  if (!error) error = cl_baseline_take(&base);
  if (!error) error = cl_layer_open(&layer, &first);
  if (!error) error = cl_layer_put_note(&layer, "mechanism", mechanism->name);
  if (!error) error = cl_baseline_hold(&base, &hold->cpus);
  if (error) return failed("begin", error, strerror(error));
  cl_tasks_read(&hold->tasks);
  double begin = now();
  error = mechanism->clear(hold, why, sizeof why);
  printf("clear %.1f ms: %d entries, %d tasks moved, %d of the kernel moved, %d stay\n", (now() - begin) * 1e3,
         hold->changes.made, hold->moved, hold->kernel_moved, hold->kernel_stay);
  if (!error) error = enter(mechanism, hold, why, sizeof why);
  if (error) failed("clear", error, why);
  else {
    if (go >= 0 && write(go, "", 1) != 1) return 1;
    wait_for(mechanism, hold);
  }
  fflush(stdout);
  int undone = cl_settle(&mine, &settled);
  printf("restore %d: %d done, %d already, %d foreign, %d failed\n", undone, settled.done, settled.already,
         settled.foreign, settled.failed);
  return error || undone;
}

int main(int count, char **argument) {
  struct cl_request request = {.smt = CL_SMT_SHARE};
  struct cl_hold hold = {.signals = -1, .request = &request, .id = count > 1 && *argument[1] ? 100 : (int)getpid()};
  char why[1024];
  if (count < 3) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  cl_files_root(argument[1]);
  if (cl_online(&hold.online)) return 2;
  for (char **option = argument + 3; *option; option++) {
    const char *value = strchr(*option, '=') ? strchr(*option, '=') + 1 : "";
    if (strcmp(*option, "--") == 0) {
      request.command = option + 1;
      break;
    }
    if (strncmp(*option, "cpus=", 5) == 0) cl_cpus_parse(value, &hold.cpus);
    else if (strncmp(*option, "use=", 4) == 0) cl_cpus_parse(value, &hold.use);
    else if (strncmp(*option, "lightest=", 9) == 0) cl_cpus_parse(value, &hold.lightest);
    else if (strncmp(*option, "pid=", 4) == 0) request.pid = atoi(value);
    else if (strncmp(*option, "tid=", 4) == 0) request.tid = atoi(value);
    else if (strcmp(*option, "move") == 0) request.move = true;
    else if (strcmp(*option, "choose") != 0) return 2;
    else request.mechanism = argument[2]; /* asked for by name */
  }
  if (cl_cpus_count(&hold.use) == 0) hold.use = hold.cpus;
  hold.lists = hold.rest = cl_cpus_minus(&hold.online, &hold.cpus);
  for (const struct cl_mechanism *const *at = cl_mechanisms; *at != NULL; at++) {
    const struct cl_mechanism *mechanism = *at;
    if (strcmp(mechanism->name, argument[2]) != 0) continue;
    const char *no = mechanism->cannot(&hold, why, sizeof why);
    if (no != NULL) {
      puts(no);
      return 1;
    }
    if (*argument[1] == '\0') return do_it(mechanism, &hold);
    hold.changes.plan = true;
    hold.changes.layer = &(struct cl_layer){.fd = -1};
    if (request.pid == 0) request.command = (char *[]){"work", NULL};
    if (request.pid) cl_task_read(request.tid ? request.tid : request.pid, &hold.program);
    else snprintf(hold.program.name, sizeof hold.program.name, "work");
    cl_tasks_read(&hold.tasks);
    int error = mechanism->clear(&hold, why, sizeof why);
    if (!error) error = enter(mechanism, &hold, why, sizeof why);
    if (error) return failed("plan", error, why);
    printf("%d changes, %d tasks, %d of the kernel, %d stay\n", hold.changes.made, hold.moved, hold.kernel_moved,
           hold.kernel_stay);
    return 0;
  }
  return 2;
}
