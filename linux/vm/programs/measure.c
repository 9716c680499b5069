/* SPDX-License-Identifier: Apache-2.0
 *
 * measure: runs a command and appends to FILE its wall time, CPU time and context switches, over all its threads and
 * children; -g: the CPU time that a cgroup got meanwhile; -p: frames that players (mpeg4 -p) showed and dropped.
 * Started below taskset, chrt and the like it inherits their settings, so their start-up time does not count. */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/wait.h>

#include "program.h"

static const char how[] = "measure -o FILE [-l LABEL] [-g CGROUP] [-p COUNTER] [-t SECONDS] [-- COMMAND...]";

/* Seconds of CPU time of a group; negative: there is none. */
static double group_cpu(const char *group) {
  char path[512], line[128];
  double used = -1;
  snprintf(path, sizeof path, "%s/cpu.stat", group);
  FILE *file = fopen(path, "re");
  if (file == NULL) return used;
  while (fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "usage_usec ", 11) == 0) used = strtod(line + 11, NULL) / 1e6;
  fclose(file);
  return used;
}

/* Adds a player's frames to those shown and dropped. */
static void frames(const char *counter, uint64_t count[2]) {
  uint64_t found[2] = {0, 0};
  FILE *file = fopen(counter, "re");
  if (file == NULL || fread(found, sizeof found, 1, file) != 1) exit(failed("measure", counter));
  fclose(file);
  count[0] += found[0];
  count[1] += found[1];
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

int main(int argc, char **argv) {
  const char *file = NULL, *label = "", *group = NULL, *player[4] = {NULL};
  int players = 0;
  double idle = 0;
  for (int option; (option = getopt(argc, argv, "+o:l:g:p:t:")) != -1;) {
    if (option == 'o') file = optarg;
    else if (option == 'l') label = optarg;
    else if (option == 'g') group = optarg;
    else if (option == 'p' && players < 4) player[players++] = optarg;
    else if (option == 't') idle = number(optarg, 0, how);
    else usage(how);
  }
  if (file == NULL || (argv[optind] == NULL) == (idle <= 0)) usage(how);
  FILE *out = fopen(file, "ae");
  if (out == NULL) return failed("measure", file);
  int status = 0;
  uint64_t before[2] = {0, 0}, after[2] = {0, 0};
  for (int i = 0; i < players; i++) frames(player[i], before);
  double others = group ? group_cpu(group) : 0, began = now(CLOCK_MONOTONIC);
  if (argv[optind] == NULL) wait_for(idle);
  else {
    pid_t child = fork();
    if (child == 0) {
      execvp(argv[optind], argv + optind);
      failed("measure", argv[optind]);
      _exit(127);
    }
    if (child < 0) return failed("measure", "cannot start it");
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  }
  double wall = now(CLOCK_MONOTONIC) - began, others_after = group ? group_cpu(group) : 0;
  for (int i = 0; i < players; i++) frames(player[i], after);
  struct rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  fprintf(out, "{\"label\": \"%s\", \"status\": %d, \"wall_s\": %.6f, \"cpu_s\": %.6f, ", label,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), wall,
          seconds(used.ru_utime) + seconds(used.ru_stime));
  fprintf(out, "\"voluntary\": %ld, \"involuntary\": %ld, ", used.ru_nvcsw, used.ru_nivcsw);
  fprintf(out, "\"shown\": %llu, \"dropped\": %llu, ", (unsigned long long)(after[0] - before[0]),
          (unsigned long long)(after[1] - before[1]));
  if (group && others >= 0) fprintf(out, "\"others_cpu_s\": %.6f}\n", others_after - others);
  else fputs("\"others_cpu_s\": null}\n", out);
  if (fclose(out)) return failed("measure", file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
