/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls one function of linux/exclusive's reading part on a tree of files: FOLDER COMMAND [OPTION...]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof.h"

static void print_cpus(const char *name, const struct cl_cpus *cpus) {
  char text[CL_CPUS_TEXT];
  printf("%s %s\n", name, cl_cpus_format(cpus, text));
}

static int choose(char **option) {
  struct cl_request request = {.count = 1};
  struct cl_hold hold = {.signals = -1, .request = &request, .id = 100};
  char why[4096];
  for (; *option; option++) {
    if (strcmp(*option, "force") == 0) request.force = true;
    else if (strcmp(*option, "share") == 0) request.smt = CL_SMT_SHARE;
    else if (strcmp(*option, "affinity") == 0) request.mechanism = *option;
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

/* Counters from the trees FOLDER/0 to FOLDER/3, at seconds that are exact. */
static int proof(const char *folder, bool json) {
  static const double at[4] = {0, 2, 3, 13};
  struct cl_stray stray[] = {{"kworker/3:1", 81, true, true, 3}, {"a\"\\\tb\xff\xc3\xa9", 900, false, false, 1}};
  struct cl_proof proof = {.stray = stray,
                           .strays = 2,
                           .source = "sched_switch",
                           .lost = 7,
                           .program = {10.25, 10.0, 12, 1},
                           .cleared_s = 0.0042};
  struct cl_hold hold = {
      .id = 100, .moved = 5, .kernel_moved = 2, .kernel_stay = 8, .irqs_moved = 3, .irqs_managed = 1};
  static const struct cl_mechanism isolated = {.name = "isolated"};
  char root[4096];
  cl_cpus_parse("2-3", &hold.cpus);
  cl_cpus_parse("3", &hold.use);
  for (int i = 0; i < 4; i++) {
    struct cl_counters *counters = i < 2 ? &proof.before[i] : &proof.during[i - 2];
    snprintf(root, sizeof root, "%s/%d", folder, i);
    cl_files_root(root);
    int error = cl_counters_read(&hold.cpus, counters);
    if (error) {
      puts(strerror(error));
      return 1;
    }
    counters->at = at[i];
  }
  if (json) cl_proof_json(stdout, &hold, &isolated, &proof);
  else cl_proof_table(stdout, &hold, &proof);
  return 0;
}

static int nothing(bool json) {
  struct cl_proof proof = {.source = "/proc"};
  struct cl_hold hold = {.cpus = cl_cpus_one(3), .use = cl_cpus_one(3)};
  if (json) cl_proof_json(stdout, &hold, NULL, &proof);
  else cl_proof_table(stdout, &hold, &proof);
  return 0;
}

static int program(int pid, int tid) {
  struct cl_program program, zero = {0};
  int error = cl_program_read(pid, tid, &program);
  if (error) {
    puts(strerror(error));
    return 1;
  }
  program = cl_program_since(&zero, &program);
  printf("%.3f %llu %llu\n", program.cpu_s, program.voluntary, program.involuntary);
  return 0;
}

/* From the tree FOLDER/0 to FOLDER/1: CPU 3 held for process 200, or the thread `tid` of it. `how`: proc; partition:
 * likewise, its group is one; else trace, plan. */
static int strays(const char *folder, const char *how, int tid) {
  bool partition = strcmp(how, "partition") == 0, plan = strcmp(how, "plan") == 0;
  struct cl_request request = {.pid = 200, .tid = tid, .trace = !partition && strcmp(how, "proc") != 0};
  struct cl_layer layer = {.fd = -1};
  struct cl_hold hold = {.signals = -1,
                         .request = &request,
                         .id = 100,
                         .cpus = cl_cpus_one(3),
                         .program = {.pid = 200, .tid = tid ? tid : 200},
                         .group = "/sys/fs/cgroup/coreloom-100",
                         .changes = {.plan = plan, .layer = &layer}};
  struct cl_proof proof = {.strays = 0};
  struct cl_watch *watch;
  char root[4096];
  if (partition) memcpy(hold.partition, hold.group, sizeof hold.group);
  snprintf(root, sizeof root, "%s/0", folder);
  cl_files_root(root);
  int error = cl_strays_begin(&hold, &watch);
  snprintf(root, sizeof root, "%s/1", folder);
  cl_files_root(root);
  if (!error) error = cl_strays_end(watch, &hold, &proof);
  if (error) puts(strerror(error));
  printf("%s, lost %llu\n", proof.source ? proof.source : "nobody looked", proof.lost);
  for (size_t i = 0; i < proof.strays; i++)
    printf("%s %d%s%s %llu\n", proof.stray[i].name, proof.stray[i].tid, proof.stray[i].kernel ? " kernel" : "",
           proof.stray[i].fixed ? " fixed" : "", proof.stray[i].times);
  free(proof.stray);
  return error != 0;
}

int main(int count, char **argument) {
  if (count < 3) return 2;
  cl_files_root(argument[1]);
  if (strcmp(argument[2], "choose") == 0) return choose(argument + 3);
  if (strcmp(argument[2], "proof") == 0) return proof(argument[1], count > 3);
  if (strcmp(argument[2], "nothing") == 0) return nothing(count > 3);
  if (strcmp(argument[2], "program") == 0 && count > 4) return program(atoi(argument[3]), atoi(argument[4]));
  if (strcmp(argument[2], "strays") == 0 && count > 4) return strays(argument[1], argument[3], atoi(argument[4]));
  if (strcmp(argument[2], "verify") == 0) return cl_verify(count > 3);
  if (strcmp(argument[2], "status") == 0) {
    struct cl_status_request request = {.watch_s = count > 4 ? strtod(argument[4], NULL) : 0};
    request.json = count > 3 && strcmp(argument[3], "json") == 0;
    request.prometheus = count > 3 && strcmp(argument[3], "prometheus") == 0;
    return cl_status(&request);
  }
  return 2;
}
