/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lines.h"
#include "proof.h"

#define RATE_DIGITS 24 /* of a rate that is noted, with its point */

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

/* A line is "cpuN" and nine numbers since version 14 (2.6.23); the last two are kept even where the sysctl
 * kernel.sched_schedstats is off: time that tasks waited here, counted when one gets the CPU; how often one got it. (The
 * one before, time of tasks that ran here, is counted when one leaves: of a task that is alone it tells nothing.) */
static void parse_schedstat(char *text, struct cl_counters *counters) {
  char *save = NULL;
  bool waits = false;
  if (strncmp(text, "version ", 8) != 0 || atoi(text + 8) < 14) return;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    count value[10];
    int cpu = cpu_line(&line);
    if (cpu < 0 || numbers(line, value, 10) != 9) continue;
    counters[cpu].wait_ns = value[7];
    counters[cpu].switches = value[8];
    if (value[8]) waits = true;
  }
  for (int cpu = 0; cpu < CL_CPUS_MOST; cpu++) counters[cpu].waits = waits;
}

/* cpuN user nice system idle iowait ...: waiting for a disk is idle too. */
static int parse_stat(char *text, struct cl_counters *counters) {
  char *save = NULL;
  count tick_ns = 1000000000ull / (count)sysconf(_SC_CLK_TCK);
  bool any = false;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    count value[5];
    int cpu = cpu_line(&line);
    if (cpu < 0 || numbers(line, value, 5) != 5) continue;
    counters[cpu].idle_ns = (value[3] + value[4]) * tick_ns;
    any = true;
  }
  return any ? 0 : EINVAL;
}

/* -- tables with a column a CPU: /proc/interrupts, /proc/softirqs ----------------------------------------------- */

struct row {
  const char *name; /* before the colon */
  const char *text; /* behind the numbers */
  count value[CL_CPUS_MOST]; /* by CPU */
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
static int read_rows(const char *path, struct cl_counters *counters,
                     void (*each)(struct cl_counters *, const struct row *)) {
  static int cpu[CL_CPUS_MOST];
  static struct row row;
  char *text, *save = NULL;
  int error = cl_read_all(path, &text);
  if (error) return error;
  char *line = strtok_r(text, "\n", &save);
  size_t columns = line != NULL ? heading(line, cpu) : 0;
  while (columns && (line = strtok_r(NULL, "\n", &save)) != NULL) {
    char *colon = strchr(line, ':');
    if (colon == NULL) continue;
    *colon = '\0';
    row.name = line + strspn(line, " ");
    char *at = colon + 1, *end;
    size_t got = 0;
    for (; got < columns; got++, at = end) {
      count value = strtoull(at, &end, 10);
      if (end == at) break;
      if (cpu[got] >= 0 && cpu[got] < CL_CPUS_MOST) row.value[cpu[got]] = value;
    }
    row.text = at;
    if (got == columns) each(counters, &row);
  }
  memset(row.value, 0, sizeof row.value);
  free(text);
  return columns ? 0 : EINVAL;
}

/* x86 has the row LOC for its timer; elsewhere it is a numbered interrupt with a name. ERR and MIS are of no CPU. */
static void add_interrupts(struct cl_counters *counters, const struct row *row) {
  bool device = isdigit((unsigned char)row->name[0]);
  bool timer = strcmp(row->name, "LOC") == 0 ||
               (device && (strstr(row->text, "arch_timer") || strstr(row->text, "riscv-timer")));
  if (strcmp(row->name, "ERR") == 0 || strcmp(row->name, "MIS") == 0) return;
  for (int cpu = 0; cpu < CL_CPUS_MOST; cpu++) {
    struct cl_counters *c = &counters[cpu];
    *(timer ? &c->ticks : device ? &c->devices : &c->between) += row->value[cpu];
  }
}

static void add_softirqs(struct cl_counters *counters, const struct row *row) {
  for (int cpu = 0; cpu < CL_CPUS_MOST; cpu++) counters[cpu].softirqs += row->value[cpu];
}

/* -- all of them ------------------------------------------------------------------------------------------------ */

int cl_counters_each(struct cl_counters counters[CL_CPUS_MOST]) {
  char *text;
  double now = cl_now();
  memset(counters, 0, CL_CPUS_MOST * sizeof *counters);
  if (!cl_read_all("/proc/schedstat", &text)) {
    parse_schedstat(text, counters);
    free(text);
  }
  int error = cl_read_all("/proc/stat", &text);
  if (error) return error;
  error = parse_stat(text, counters);
  free(text);
  bool interrupts = !read_rows("/proc/interrupts", counters, add_interrupts) &&
                    !read_rows("/proc/softirqs", counters, add_softirqs);
  for (int cpu = 0; cpu < CL_CPUS_MOST; cpu++) {
    counters[cpu].at = now;
    counters[cpu].cpus = 1;
    counters[cpu].interrupts = interrupts;
  }
  return error;
}

struct cl_counters cl_counters_sum(const struct cl_counters counters[CL_CPUS_MOST], const struct cl_cpus *cpus) {
  struct cl_counters sum = {.at = counters[0].at, .waits = counters[0].waits, .interrupts = counters[0].interrupts};
  for (int cpu = cl_cpus_next(cpus, -1); cpu >= 0; cpu = cl_cpus_next(cpus, cpu)) {
    const struct cl_counters *c = &counters[cpu];
    sum.cpus++;
    sum.wait_ns += c->wait_ns;
    sum.idle_ns += c->idle_ns;
    sum.switches += c->switches;
    sum.devices += c->devices;
    sum.between += c->between;
    sum.ticks += c->ticks;
    sum.softirqs += c->softirqs;
  }
  return sum;
}

int cl_counters_read(const struct cl_cpus *cpus, struct cl_counters *sum) {
  static struct cl_counters counters[CL_CPUS_MOST];
  int error = cl_counters_each(counters);
  *sum = cl_counters_sum(counters, cpus);
  return error;
}

static double rate(count from, count to, double seconds) {
  return seconds > 0 && to >= from ? (double)(to - from) / seconds : NAN;
}

/* What is not idle is busy; a clock tick more than the window has is none. */
static double busy(const struct cl_counters *from, const struct cl_counters *to, double seconds) {
  return fmax(0, 100.0 * to->cpus - rate(from->idle_ns, to->idle_ns, seconds) * 1e-7);
}

struct cl_rates cl_rates_of(const struct cl_counters *from, const struct cl_counters *to) {
  double seconds = to->at - from->at;
  bool waits = from->waits && to->waits, interrupts = from->interrupts && to->interrupts;
  return (struct cl_rates){.seconds = seconds > 0 ? seconds : NAN,
                           .wait = waits ? rate(from->wait_ns, to->wait_ns, seconds) * 1e-7 : NAN,
                           .busy = to->idle_ns >= from->idle_ns && seconds > 0 ? busy(from, to, seconds) : NAN,
                           .switches = waits ? rate(from->switches, to->switches, seconds) : NAN,
                           .devices = interrupts ? rate(from->devices, to->devices, seconds) : NAN,
                           .between = interrupts ? rate(from->between, to->between, seconds) : NAN,
                           .ticks = interrupts ? rate(from->ticks, to->ticks, seconds) : NAN,
                           .softirqs = interrupts ? rate(from->softirqs, to->softirqs, seconds) : NAN};
}

char *cl_rates_format(const struct cl_rates *r, char text[256]) {
  snprintf(text, 256, "%.3f %.3f %.3f %.3f %.3f %.3f %.3f %.3f", r->seconds, r->wait, r->busy, r->switches, r->devices,
           r->between, r->ticks, r->softirqs);
  return text;
}

/* As they are written: eight numbers that are not known or have three digits behind the point. */
int cl_rates_parse(const char *text, struct cl_rates *r) {
  double *const value[] = {&r->seconds, &r->wait,    &r->busy,  &r->switches,
                           &r->devices, &r->between, &r->ticks, &r->softirqs};
  for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
    size_t size = strcspn(text, " "), sign = *text == '-';
    bool known = strncmp(text + sign, "nan", 3) != 0;
    if (known ? size > RATE_DIGITS || sign || strspn(text, "0123456789.") != size : size != sign + 3) return EINVAL;
    char *end;
    *value[i] = known ? strtod(text, &end) : NAN;
    if (known && (!isdigit((unsigned char)*text) || end != text + size || *value[i] >= 1e20)) return EINVAL;
    text += size;
    if (*text != '\0' && *++text == '\0') return EINVAL;
  }
  return *text == '\0' ? 0 : EINVAL;
}

/* -- the program ------------------------------------------------------------------------------------------------ */

static int add_switches(struct cl_program *program, int pid, int tid) {
  char path[64], *text;
  snprintf(path, sizeof path, "/proc/%d/task/%d/status", pid, tid);
  int error = cl_read_all(path, &text); /* thousands of supplementary groups come before */
  if (error) return error == ENOENT ? ESRCH : error;
  const char *own = strstr(text, "\nvoluntary_ctxt_switches:"), *forced = strstr(text, "\nnonvoluntary_ctxt_switches:");
  if (own == NULL || forced == NULL) error = EINVAL;
  if (!error) program->voluntary += strtoull(strchr(own, ':') + 1, NULL, 10);
  if (!error) program->involuntary += strtoull(strchr(forced, ':') + 1, NULL, 10);
  free(text);
  return error;
}

struct threads {
  struct cl_program *program;
  int pid;
};

static int add_thread(void *context, const char *name) {
  struct threads *threads = context;
  int tid, error = cl_line_id(name, &tid) ? add_switches(threads->program, threads->pid, tid) : 0;
  return error == ESRCH ? 0 : error; /* it has ended meanwhile */
}

/* Of a process: what its first task's stat says for all threads, ended ones too. Of a thread: to the nanosecond. */
static int read_cpu_time(int pid, int tid, double *cpu_s) {
  char path[64], text[2048];
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
  if (at == NULL || at[1] != ' ' || at[2] == '\0') return EINVAL;
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
