/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "files.h"
#include "lines.h"

#define RATE_DIGITS 24 /* of a rate that is noted, with its point */

typedef unsigned long long count;

const struct cl_counted cl_counted[CL_COUNTED] = {
    {"run-queue wait, % of a CPU", "wait %", "run_queue_wait_percent", "cpu_run_queue_wait_seconds_total",
     "Time tasks waited for the CPU.", "before_run_queue_wait_ratio", "Average waiting tasks", 9, true, false, 1e-9},
    {"busy, % of a CPU", "busy %", "busy_percent", "cpu_idle_seconds_total", "Time the CPU was idle.",
     "before_busy_ratio", "Average busy CPUs", 9, false, false, 1e-9},
    {"context switches per second", "switches/s", "switches_per_s", "cpu_switches_total", "Context switches to a task.",
     "before_switches_per_second", "Context switches", 12, true, false, 1},
    {"device interrupts per second", "devices/s", "device_interrupts_per_s", "cpu_device_interrupts_total",
     "Device interrupts.", "before_device_interrupts_per_second", "Device interrupts", 11, false, true, 1},
    {"IPIs per second", "IPIs/s", "cpu_interrupts_per_s", "cpu_cpu_interrupts_total",
     "Inter-processor interrupts (IPIs).", "before_cpu_interrupts_per_second", "IPIs", 11, false, true, 1},
    {"timer interrupts per second", "timer/s", "timer_interrupts_per_s", "cpu_timer_interrupts_total",
     "Local timer interrupts.", "before_timer_interrupts_per_second", "Timer interrupts", 9, false, true, 1},
    {"softirqs per second", "softirqs/s", "softirqs_per_s", "cpu_softirqs_total", "Softirqs.",
     "before_softirqs_per_second", "Softirqs", 12, false, true, 1},
};

double cl_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double cl_uptime(void) {
  char text[64];
  return cl_read("/proc/uptime", text, sizeof text) ? NAN : strtod(text, NULL);
}

/* A line is "cpuN" and nine numbers since version 14 (2.6.23); the last two are kept even where the sysctl
 * kernel.sched_schedstats is off: time that tasks waited here, counted when one gets the CPU; how often one got it. (The
 * one before, time of tasks that ran here, is counted when one leaves: of a task that is alone it tells nothing.) */
static void parse_schedstat(char *text, struct cl_counters *counters) {
  char *save = NULL, more;
  bool waits = false;
  if (strncmp(text, "version ", 8) != 0 || atoi(text + 8) < 14) return;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    count wait, switches;
    int cpu, got = sscanf(line, "cpu%4d %*u %*u %*u %*u %*u %*u %*u %llu %llu %c", &cpu, &wait, &switches, &more);
    if (got != 3 || cpu < 0 || cpu >= CL_CPUS_MOST || !isdigit((unsigned char)line[3])) continue;
    counters[cpu].wait_ns = wait;
    counters[cpu].switches = switches;
    if (switches) waits = true;
  }
  for (int cpu = 0; cpu < CL_CPUS_MOST; cpu++) counters[cpu].waits = waits;
}

/* cpuN user nice system idle iowait ...: waiting for a disk is idle too. The first line, without N, is of all. */
static int parse_stat(char *text, struct cl_counters *counters) {
  char *save = NULL;
  count tick_ns = 1000000000ull / (count)sysconf(_SC_CLK_TCK);
  bool any = false;
  for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    count idle, disk;
    int cpu, got = sscanf(line, "cpu%4d %*u %*u %*u %llu %llu", &cpu, &idle, &disk);
    if (got != 3 || cpu < 0 || cpu >= CL_CPUS_MOST || !isdigit((unsigned char)line[3])) continue;
    counters[cpu].idle_ns = (idle + disk) * tick_ns;
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

bool cl_irq_is_managed(int irq) {
  char *text;
  if (cl_read_all(cl_path("/sys/kernel/debug/irq/irqs/%d", irq), &text)) return false;
  bool managed = strstr(text, "IRQD_AFFINITY_MANAGED") != NULL;
  free(text);
  return managed;
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

bool cl_counters_tell(const struct cl_counters *counters, size_t which) {
  return (counters->waits || !cl_counted[which].of_waits) && (counters->interrupts || !cl_counted[which].of_interrupts);
}

struct cl_counters cl_counters_sum(const struct cl_counters counters[CL_CPUS_MOST], const struct cl_cpus *cpus) {
  struct cl_counters sum = {.at = counters[0].at, .waits = counters[0].waits, .interrupts = counters[0].interrupts};
  for (int cpu = cl_cpus_next(cpus, -1); cpu >= 0; cpu = cl_cpus_next(cpus, cpu)) {
    sum.cpus++;
    for (size_t i = 0; i < CL_COUNTED; i++) sum.count[i] += counters[cpu].count[i];
  }
  return sum;
}

int cl_counters_read(const struct cl_cpus *cpus, struct cl_counters *sum) {
  static struct cl_counters counters[CL_CPUS_MOST];
  int error = cl_counters_each(counters);
  *sum = cl_counters_sum(counters, cpus);
  return error;
}

/* All time that is not idle is busy; a clock tick beyond the window is ignored. */
struct cl_rates cl_rates_of(const struct cl_counters *from, const struct cl_counters *to) {
  double seconds = to->at - from->at;
  struct cl_rates rates = {.seconds = seconds > 0 ? seconds : NAN};
  for (size_t i = 0; i < CL_COUNTED; i++) {
    bool known = cl_counters_tell(from, i) && cl_counters_tell(to, i) && to->count[i] >= from->count[i];
    rates.rate[i] = known ? (double)(to->count[i] - from->count[i]) / rates.seconds : NAN;
    if (cl_counted[i].unit < 1) rates.rate[i] *= cl_counted[i].unit * 100;
  }
  if (!isnan(rates.busy)) rates.busy = fmax(0, 100.0 * to->cpus - rates.busy);
  return rates;
}

char *cl_rates_format(const struct cl_rates *r, char text[256]) {
  int length = snprintf(text, 256, "%.3f", r->seconds);
  for (size_t i = 0; i < CL_COUNTED; i++) length += snprintf(text + length, 256 - (size_t)length, " %.3f", r->rate[i]);
  return text;
}

/* As they are written: numbers that are not known or have three digits behind the point. */
int cl_rates_parse(const char *text, struct cl_rates *r) {
  for (size_t i = 0; i <= CL_COUNTED; i++) {
    double *value = i ? &r->rate[i - 1] : &r->seconds;
    size_t size = strcspn(text, " "), sign = *text == '-';
    bool known = strncmp(text + sign, "nan", 3) != 0;
    if (known ? size > RATE_DIGITS || sign || strspn(text, "0123456789.") != size : size != sign + 3) return EINVAL;
    char *end;
    *value = known ? strtod(text, &end) : NAN;
    if (known && (!isdigit((unsigned char)*text) || end != text + size || *value >= 1e20)) return EINVAL;
    text += size;
    if (*text != '\0' && *++text == '\0') return EINVAL;
  }
  return *text == '\0' ? 0 : EINVAL;
}

/* -- the program ------------------------------------------------------------------------------------------------ */

static int add_switches(struct cl_program *program, int pid, int tid) {
  char *text;
  int error = cl_read_all(cl_path("/proc/%d/task/%d/status", pid, tid),
                          &text); /* thousands of supplementary groups come before */
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
  char text[2048];
  if (tid > 0 && !cl_read(cl_path("/proc/%d/task/%d/schedstat", pid, tid), text, sizeof text) &&
      (*cpu_s = strtod(text, NULL) * 1e-9) > 0)
    return 0;
  const char *path = tid > 0 ? cl_path("/proc/%d/task/%d/stat", pid, tid) : cl_path("/proc/%d/stat", pid);
  int error = cl_read(path, text, sizeof text);
  if (error) return error == ENOENT ? ESRCH : error;
  const char *close = strrchr(text, ')');
  count user, kernel;
  if (close == NULL || sscanf(close, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &user, &kernel) != 2)
    return EINVAL;
  *cpu_s = (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
  return 0;
}

int cl_program_read(int pid, int tid, struct cl_program *program) {
  struct threads threads = {program, pid};
  *program = (struct cl_program){.wall_s = cl_now()};
  int error = read_cpu_time(pid, tid, &program->cpu_s);
  if (error) return error;
  if (tid > 0) return add_switches(program, pid, tid);
  error = cl_list(cl_path("/proc/%d/task", pid), add_thread, &threads);
  return error == ENOENT ? ESRCH : error;
}

static count more(count before, count now) { return now > before ? now - before : 0; }

struct cl_program cl_program_since(const struct cl_program *before, const struct cl_program *now) {
  return (struct cl_program){.wall_s = now->wall_s - before->wall_s,
                             .cpu_s = now->cpu_s > before->cpu_s ? now->cpu_s - before->cpu_s : 0,
                             .voluntary = more(before->voluntary, now->voluntary),
                             .involuntary = more(before->involuntary, now->involuntary)};
}
