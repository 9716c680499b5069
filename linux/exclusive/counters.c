/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proof.h"

typedef unsigned long long count;

double cl_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The number of a line "cpu3 ..."; the text moves behind it. -1: not such a line. */
static int cpu_line(char **text) {
  if (strncmp(*text, "cpu", 3) != 0 || !isdigit((unsigned char)(*text)[3])) return -1;
  long cpu = strtol(*text + 3, text, 10);
  return cpu < CL_CPUS_MOST ? (int)cpu : -1;
}

/* Numbers up to the end of the line; how many there were, at most `most`. */
static size_t numbers(char *text, count *value, size_t most) {
  size_t got = 0;
  while (got < most) {
    char *end;
    value[got] = strtoull(text, &end, 10);
    if (end == text) break;
    text = end;
    got++;
  }
  return got;
}

/* A line is "cpuN" and nine numbers since version 14 (2.6.23); the last three are kept even where the sysctl
 * kernel.sched_schedstats is off: time of tasks that ran here, counted when one leaves; time that tasks waited here,
 * counted when one gets the CPU; how often one got it. */
static void parse_schedstat(char *text, struct cl_times *times, bool *waits) {
  char *save = NULL;
  if (strncmp(text, "version ", 8) != 0 || atoi(text + 8) < 14) return;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    count value[10];
    int cpu = cpu_line(&line);
    if (cpu < 0 || numbers(line, value, 10) != 9) continue;
    times[cpu].ran_ns = value[6];
    times[cpu].wait_ns = value[7];
    times[cpu].switches = value[8];
    if (value[6] || value[7]) *waits = true;
  }
}

/* cpuN user nice system idle iowait irq softirq ...: all but idle, iowait and steal. */
static int parse_stat(char *text, struct cl_times *times) {
  char *save = NULL;
  count tick_ns = 1000000000ull / (count)sysconf(_SC_CLK_TCK);
  bool any = false;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    count value[7];
    int cpu = cpu_line(&line);
    if (cpu < 0 || numbers(line, value, 7) != 7) continue;
    times[cpu].busy_ns = (value[0] + value[1] + value[2] + value[5] + value[6]) * tick_ns;
    any = true;
  }
  return any ? 0 : EINVAL;
}

int cl_times_read(struct cl_times times[CL_CPUS_MOST], bool *waits) {
  char *text;
  memset(times, 0, CL_CPUS_MOST * sizeof *times);
  *waits = false;
  if (!cl_read_all("/proc/schedstat", &text)) {
    parse_schedstat(text, times, waits);
    free(text);
  }
  int error = cl_read_all("/proc/stat", &text);
  if (error) return error;
  error = parse_stat(text, times);
  free(text);
  return error;
}

/* -- tables with a column a CPU: /proc/interrupts, /proc/softirqs ----------------------------------------------- */

struct row {
  const char *name; /* before the colon */
  const char *text; /* behind the numbers */
  count sum;        /* of the columns asked for */
};

/* The CPU of each column from the line "   CPU0   CPU2"; how many columns. */
static size_t heading(char *line, int cpu[CL_CPUS_MOST]) {
  size_t columns = 0;
  char *save = NULL;
  for (char *word = strtok_r(line, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save)) {
    if (strncmp(word, "CPU", 3) != 0 || columns == CL_CPUS_MOST) return 0;
    cpu[columns++] = atoi(word + 3);
  }
  return columns;
}

/* Calls `each` with every row that has a number for each CPU. */
static int read_rows(const char *path, const struct cl_cpus *cpus, struct cl_counters *counters,
                     void (*each)(struct cl_counters *, const struct row *)) {
  static int cpu[CL_CPUS_MOST];
  char *text, *save = NULL;
  int error = cl_read_all(path, &text);
  if (error) return error;
  char *line = strtok_r(text, "\n", &save);
  size_t columns = line != NULL ? heading(line, cpu) : 0;
  while (columns && (line = strtok_r(NULL, "\n", &save)) != NULL) {
    char *colon = strchr(line, ':');
    if (colon == NULL) continue;
    *colon = '\0';
    struct row row = {line + strspn(line, " "), colon + 1, 0};
    size_t got = 0;
    for (; got < columns; got++) {
      char *end;
      count value = strtoull(row.text, &end, 10);
      if (end == row.text) break;
      if (cl_cpus_has(cpus, cpu[got])) row.sum += value;
      row.text = end;
    }
    if (got == columns) each(counters, &row);
  }
  free(text);
  return columns ? 0 : EINVAL;
}

/* x86 has the row LOC for its timer; elsewhere it is a numbered interrupt with a name. ERR and MIS are of no CPU. */
static void add_interrupts(struct cl_counters *counters, const struct row *row) {
  bool device = isdigit((unsigned char)row->name[0]);
  if (strcmp(row->name, "ERR") == 0 || strcmp(row->name, "MIS") == 0) return;
  if (strcmp(row->name, "LOC") == 0 || (device && (strstr(row->text, "arch_timer") || strstr(row->text, "riscv-timer"))))
    counters->ticks += row->sum;
  else if (device) counters->devices += row->sum;
  else counters->between += row->sum;
}

static void add_softirqs(struct cl_counters *counters, const struct row *row) { counters->softirqs += row->sum; }

int cl_counters_read(const struct cl_cpus *cpus, struct cl_counters *counters) {
  static struct cl_times times[CL_CPUS_MOST];
  memset(counters, 0, sizeof *counters);
  counters->at = cl_now();
  int error = cl_times_read(times, &counters->waits);
  for (int cpu = cl_cpus_next(cpus, -1); !error && cpu >= 0; cpu = cl_cpus_next(cpus, cpu)) {
    counters->times.wait_ns += times[cpu].wait_ns;
    counters->times.ran_ns += times[cpu].ran_ns;
    counters->times.busy_ns += times[cpu].busy_ns;
    counters->times.switches += times[cpu].switches;
  }
  if (!error) error = read_rows("/proc/interrupts", cpus, counters, add_interrupts);
  if (!error) error = read_rows("/proc/softirqs", cpus, counters, add_softirqs);
  return error;
}

/* -- the program ------------------------------------------------------------------------------------------------ */

static int add_switches(struct cl_program *program, int pid, int tid) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
  int error = cl_read(path, text, sizeof text);
  if (error) return error == ENOENT ? ESRCH : error;
  const char *own = strstr(text, "\nvoluntary_ctxt_switches:"), *forced = strstr(text, "\nnonvoluntary_ctxt_switches:");
  if (own == NULL || forced == NULL) return EINVAL;
  program->voluntary += strtoull(strchr(own, ':') + 1, NULL, 10);
  program->involuntary += strtoull(strchr(forced, ':') + 1, NULL, 10);
  return 0;
}

struct threads {
  struct cl_program *program;
  int pid;
};

static int add_thread(void *context, const char *name) {
  struct threads *threads = context;
  int error = isdigit((unsigned char)name[0]) ? add_switches(threads->program, threads->pid, atoi(name)) : 0;
  return error == ESRCH ? 0 : error; /* it has ended meanwhile */
}

/* Of a process: what its first task's stat says for all threads, ended ones too. Of a thread: to the nanosecond. */
static int read_cpu_time(int pid, int tid, double *cpu_s) {
  char path[64], text[1024];
  if (tid > 0) {
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, tid);
    if (!cl_read(path, text, sizeof text) && (*cpu_s = strtod(text, NULL) * 1e-9) > 0) return 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
  } else {
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
  }
  int error = cl_read(path, text, sizeof text);
  if (error) return error == ENOENT ? ESRCH : error;
  char *at = strrchr(text, ')');
  if (at == NULL || at[1] != ' ') return EINVAL;
  double ticks = 0;
  at += 3;
  for (int field = 4; field <= 15; field++) {
    double value = (double)strtoull(at, &at, 10);
    if (field >= 14) ticks += value;
  }
  *cpu_s = ticks / (double)sysconf(_SC_CLK_TCK);
  return 0;
}

int cl_program_read(int pid, int tid, struct cl_program *program) {
  struct threads threads = {program, pid};
  char path[64];
  *program = (struct cl_program){.wall_s = cl_now()};
  int error = read_cpu_time(pid, tid, &program->cpu_s);
  if (error) return error;
  if (tid > 0) return add_switches(program, pid, tid);
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  error = cl_list(path, add_thread, &threads);
  return error == ENOENT ? ESRCH : error;
}

static count more(count before, count now) { return now > before ? now - before : 0; }

struct cl_program cl_program_since(const struct cl_program *before, const struct cl_program *now) {
  return (struct cl_program){.wall_s = now->wall_s - before->wall_s,
                             .cpu_s = now->cpu_s > before->cpu_s ? now->cpu_s - before->cpu_s : 0,
                             .voluntary = more(before->voluntary, now->voluntary),
                             .involuntary = more(before->involuntary, now->involuntary)};
}
