/* SPDX-License-Identifier: Apache-2.0
 *
 * The CPUs held, by which tools, and the counters of the CPUs: for people, as JSON, and for Prometheus (counters since
 * boot, as it computes differences itself). */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layers.h"
#include "enforced.h"
#include "plain.h"
#include "proof.h"
#include "say.h"
#include "state.h"

#define LOOK_S 0.2 /* the first window */

static const char *const states[] = {"starting", "held", "broken", "tool gone", "other boot", "damaged"};
enum { STARTING, HELD, BROKEN, GONE, OTHER_BOOT, DAMAGED, STATES };

/* A reservation, read once. */
struct row {
  struct cl_reservation *reservation;
  struct cl_held held;
  int state;
  double seconds; /* since it began; NAN: not known */
  bool lives;     /* its program */
  struct cl_program program;
  bool knows_before;
  struct cl_rates before; /* of its CPUs together, before they were cleared */
  int others; /* tasks of others that may run there though they could be moved */
};

/* A CPU that one of them has. */
struct cpu {
  int cpu, id;
  struct cl_counters counters;
};

struct look {
  struct cl_reservation *list;
  struct row *row;
  size_t rows;
  struct cpu *cpu;
  size_t cpus;
};

/* -- reading ---------------------------------------------------------------------------------------------------- */

/* A process of the program, if it lives: the first of these is hold->program. */
static int add_program(struct cl_held *held, const char *text) {
  struct cl_task task;
  unsigned long long born;
  int tid;
  if (sscanf(text, "%d %llu", &tid, &born) != 2 || cl_task_read(tid, &task) || task.born != born) return 0;
  int error = cl_tasks_add(&held->target.process, &task);
  if (!error && held->hold.program.tid == 0) held->hold.program = task;
  return error;
}

static void read_layer(const struct cl_reservation *r, struct cl_held *held) {
  struct cl_text t;
  const char *folder, *use;
  if (cl_layer_read(r->path, &t)) return;
  if ((use = cl_layer_value(&t, "use")) != NULL) cl_cpus_parse(use, &held->hold.use);
  for (size_t i = 0; i < t.count; i++) {
    const struct cl_entry *e = &t.entry[i];
    /* Where a process was moved to, unless that was not made in the end. */
    if (e->kind == CL_ENTRY_GROUP && cl_exists(e->field[3]))
      snprintf(held->hold.group, CL_PATH_MOST, "%s", e->field[3]);
    if (e->kind != CL_ENTRY_NOTE || (strcmp(e->field[0], "program") != 0 && strcmp(e->field[0], "also") != 0)) continue;
    if (add_program(held, e->field[1])) break;
  }
  if ((folder = cl_layer_value(&t, "cgroup")) != NULL && cl_target_folder(folder, &held->target) != 0)
    held->target.folder[0] = '\0';
  cl_layer_free(&t);
}

void cl_held_of(const struct cl_reservation *r, struct cl_held *held) {
  struct cl_hold *hold = &held->hold;
  memset(held, 0, sizeof *held);
  hold->request = &held->request;
  hold->target = &held->target;
  hold->id = r->tool;
  hold->cpus = hold->use = r->cpus;
  cl_online(&hold->online);
  read_layer(r, held);
  cl_target_refresh(hold);
  if (hold->program.tid != hold->program.pid) held->request.tid = hold->program.tid;
}

void cl_held_free(struct cl_held *held) { cl_target_free(&held->target); }

/* The counters of all its processes together; false: none lives. */
static bool count(const struct cl_held *held, struct cl_program *sum) {
  bool lives = false;
  *sum = (struct cl_program){.wall_s = cl_now()};
  for (size_t i = 0; i < held->target.process.count; i++) {
    struct cl_program one;
    if (cl_program_read(held->target.process.task[i].pid, held->request.tid, &one)) continue;
    lives = true;
    sum->cpu_s += one.cpu_s;
    sum->voluntary += one.voluntary;
    sum->involuntary += one.involuntary;
  }
  return lives;
}

static int state_of(const struct cl_reservation *r) {
  char boot[40];
  if (r->tool == 0) return DAMAGED;
  if (cl_boot(boot) || strcmp(boot, r->boot) != 0) return OTHER_BOOT;
  if (!r->alive) return GONE;
  return r->mechanism[0] ? HELD : STARTING;
}

/* Its program and its CPUs can be looked at. */
static bool can_look(const struct row *row) { return row->state >= HELD && row->state <= GONE; }

static void count_breach(void *context, const struct cl_task *task, const char *line) {
  struct row *row = context;
  (void)line;
  if (task) row->others++;
  else if (row->state == HELD) row->state = BROKEN;
}

/* As the kernel enforces it, whatever was asked for. */
static void check_held(struct row *row) {
  struct cl_tasks tasks;
  if (cl_tasks_on(&row->held.hold.cpus, &tasks)) return;
  cl_enforced(&row->held, row->reservation->mechanism, &tasks, count_breach, row);
  cl_tasks_free(&tasks);
}

static void fill(struct row *row, struct cl_reservation *r) {
  row->reservation = r;
  row->state = state_of(r);
  double now = row->state >= OTHER_BOOT ? NAN : cl_uptime();
  row->seconds = isnan(now) ? NAN : fmax(now - (double)r->born / (double)sysconf(_SC_CLK_TCK), 0);
  if (row->state != HELD && row->state != GONE) return;
  cl_held_of(r, &row->held);
  struct cl_text t;
  const char *before = cl_layer_read(r->path, &t) ? NULL : cl_layer_value(&t, "before");
  row->knows_before = before && !cl_rates_parse(before, &row->before);
  cl_layer_free(&t);
  row->lives = count(&row->held, &row->program);
  check_held(row);
}

static void free_look(struct look *look) {
  for (size_t i = 0; look->row && i < look->rows; i++) cl_held_free(&look->row[i].held);
  free(look->list);
  free(look->row);
  free(look->cpu);
  memset(look, 0, sizeof *look);
}

static int take_look(struct look *look) {
  static struct cl_counters counters[CL_CPUS_MOST];
  memset(look, 0, sizeof *look);
  int error = cl_layers(&look->list, &look->rows);
  if (error) return error;
  look->row = calloc(look->rows + 1, sizeof *look->row);
  look->cpu = calloc(CL_CPUS_MOST, sizeof *look->cpu);
  if (look->row == NULL || look->cpu == NULL) error = ENOMEM;
  for (size_t i = 0; i < look->rows && !error; i++) {
    const struct cl_cpus *cpus = &look->list[i].cpus;
    fill(&look->row[i], &look->list[i]);
    if (look->row[i].state >= OTHER_BOOT) continue;
    if (look->cpus == 0) error = cl_counters_each(counters);
    for (int cpu = cl_cpus_next(cpus, -1); cpu >= 0 && look->cpus < CL_CPUS_MOST; cpu = cl_cpus_next(cpus, cpu))
      look->cpu[look->cpus++] = (struct cpu){cpu, look->list[i].tool, counters[cpu]};
  }
  if (error) free_look(look);
  return error;
}

static struct cl_rates rates_of(const struct look *before, const struct cpu *cpu) {
  for (size_t i = 0; before && i < before->cpus; i++)
    if (before->cpu[i].cpu == cpu->cpu) return cl_rates_of(&before->cpu[i].counters, &cpu->counters);
  return cl_rates_of(&cpu->counters, &cpu->counters);
}

/* -- the table -------------------------------------------------------------------------------------------------- */

static char *span(double seconds, char text[32]) {
  if (isnan(seconds)) snprintf(text, 32, "-");
  else if (seconds < 60) snprintf(text, 32, "%.0f s", floor(seconds));
  else if (seconds < 3600) snprintf(text, 32, "%.0f min", floor(seconds / 60));
  else if (seconds < 86400) snprintf(text, 32, "%.0f h %02d min", floor(seconds / 3600), (int)fmod(seconds / 60, 60));
  else snprintf(text, 32, "%.0f d %02d h", floor(seconds / 86400), (int)fmod(seconds / 3600, 24));
  return text;
}

static void put_rates(const char *name, int id, const struct cl_rates *r, int cpus) {
  printf("%-7s %-8d", name, id);
  for (size_t i = 0; i < CL_COUNTED; i++) {
    if (isnan(r->rate[i])) printf("%*s", cl_counted[i].width, "-");
    else printf("%*.1f", cl_counted[i].width, r->rate[i] / cpus);
  }
  putchar('\n');
}

static void put_table(const struct look *look, const struct look *before) {
  char cpu[16], time[32], program[32], others[16];
  if (look->rows == 0) {
    puts("no CPU is held");
    return;
  }
  printf("%-8s%-8s%-11s%-13s%-12s%12s%8s  %s\n", "id", "CPUs", "mechanism", "for", "state", "involuntary", "others",
         "command");
  for (size_t i = 0; i < look->rows; i++) {
    const struct row *row = &look->row[i];
    const struct cl_reservation *r = row->reservation;
    if (row->state == DAMAGED) {
      cl_plain_put(stdout, r->path);
      puts(" is damaged");
      continue;
    }
    snprintf(program, sizeof program, row->lives ? "%llu" : "-", row->program.involuntary);
    snprintf(others, sizeof others, can_look(row) ? "%d" : "-", row->others);
    printf("%-7d %-7s %-10s %-12s %-11s %12s%8s  ", r->tool, cl_cpus_text(&r->cpus),
           r->mechanism[0] ? r->mechanism : "-", span(row->seconds, time), states[row->state], program, others);
    cl_plain_put(stdout, r->command);
    putchar('\n');
  }
  if (look->cpus == 0) return;
  printf("\n%-8s%-8s", "CPU", "id");
  for (size_t i = 0; i < CL_COUNTED; i++) printf("%*s", cl_counted[i].width, cl_counted[i].heading);
  putchar('\n');
  for (size_t i = 0; i < look->cpus; i++) {
    struct cl_rates rates = rates_of(before, &look->cpu[i]);
    snprintf(cpu, sizeof cpu, "%d", look->cpu[i].cpu);
    put_rates(cpu, look->cpu[i].id, &rates, 1);
  }
  for (size_t i = 0; i < look->rows; i++) {
    const struct row *row = &look->row[i];
    if (row->knows_before)
      put_rates("before", row->reservation->tool, &row->before, cl_cpus_count(&row->reservation->cpus));
  }
}

/* -- JSON ------------------------------------------------------------------------------------------------------- */

static void put_json(const struct look *look, const struct look *before) {
  fputs("{\n  \"reservations\": [", stdout);
  for (size_t i = 0; i < look->rows; i++) {
    const struct row *row = &look->row[i];
    const struct cl_reservation *r = row->reservation;
    printf("%s    {\"id\": %d", i ? ",\n" : "\n", r->tool);
    cl_json_text(stdout, ", ", "state", states[row->state]);
    cl_json_text(stdout, ", ", "cpus", cl_cpus_text(&r->cpus));
    cl_json_text(stdout, ", ", "used", cl_cpus_text(can_look(row) ? &row->held.hold.use : &r->cpus));
    cl_json_text(stdout, ", ", "mechanism", r->mechanism[0] ? r->mechanism : NULL);
    cl_json_text(stdout, ", ", "command", r->command);
    cl_json_text(stdout, ", ", "layer", r->path);
    cl_json_number(stdout, ", ", "seconds", row->seconds);
    printf(can_look(row) ? ", \"others\": %d, \"program\": " : ", \"others\": null, \"program\": ", row->others);
    if (row->lives) {
      printf("{\"pid\": %d", row->held.hold.program.pid);
      cl_json_number(stdout, ", ", "cpu_s", row->program.cpu_s);
      printf(", \"involuntary_switches\": %llu, \"voluntary_switches\": %llu}", row->program.involuntary,
             row->program.voluntary);
    }
    fputs(row->lives ? ", \"before\": " : "null, \"before\": ", stdout);
    if (row->knows_before) {
      putchar('{');
      cl_rates_json(stdout, &row->before);
    }
    fputs(row->knows_before ? "}}" : "null}", stdout);
  }
  fputs(look->rows ? "\n  ],\n  \"cpus\": [" : "],\n  \"cpus\": [", stdout);
  for (size_t i = 0; i < look->cpus; i++) {
    struct cl_rates rates = rates_of(before, &look->cpu[i]);
    printf("%s    {\"cpu\": %d, \"id\": %d, ", i ? ",\n" : "\n", look->cpu[i].cpu, look->cpu[i].id);
    cl_rates_json(stdout, &rates);
    putchar('}');
  }
  fputs(look->cpus ? "\n  ]\n}\n" : "]\n}\n", stdout);
}

/* -- Prometheus ------------------------------------------------------------------------------------------------- */

static void put_family(const char *name, const char *type, const char *help) {
  printf("# HELP coreloom_exclusive_%s %s\n# TYPE coreloom_exclusive_%s %s\n", name, help, name, type);
}

/* A label's value: of JSON's escapes only quote, backslash and newline are known, so any character that JSON would
 * escape by number becomes a blank. */
static void put_label(const char *text) {
  char plain[sizeof(struct cl_reservation)];
  size_t length = 0;
  while (*text && length + 4 < sizeof plain) {
    unsigned code = 0;
    size_t size = cl_utf8(text, &code), more = size ? size : 1;
    if (size && !cl_shown(code)) plain[length++] = ' ';
    else memcpy(plain + length, text, more), length += more;
    text += more;
  }
  plain[length] = '\0';
  cl_json_string(stdout, plain);
}

static void put_counters(const struct look *look) {
  for (size_t i = 0; i < CL_COUNTED; i++) {
    put_family(cl_counted[i].family, "counter", cl_counted[i].help);
    for (const struct cpu *cpu = look->cpu; cpu < look->cpu + look->cpus; cpu++)
      if (cl_counters_tell(&cpu->counters, i))
        printf("coreloom_exclusive_%s{cpu=\"%d\",id=\"%d\"} %.15g\n", cl_counted[i].family, cpu->cpu, cpu->id,
               (double)cpu->counters.count[i] * cl_counted[i].unit);
  }
}

/* A value from before the CPUs were cleared, which no scrape can have seen, summed over a reservation's CPUs. */
static void put_before(const struct look *look) {
  char help[80];
  for (size_t i = 0; i < CL_COUNTED; i++) {
    snprintf(help, sizeof help, "%s, before the CPUs were cleared.", cl_counted[i].before_help);
    put_family(cl_counted[i].before, "gauge", help);
    for (const struct row *row = look->row; row < look->row + look->rows; row++)
      if (row->knows_before && !isnan(row->before.rate[i]))
        printf("coreloom_exclusive_%s{id=\"%d\"} %.15g\n", cl_counted[i].before, row->reservation->tool,
               row->before.rate[i] / (cl_counted[i].unit < 1 ? 100 : 1));
  }
}

static void put_prometheus(const struct look *look) {
  const struct row *row, *end = look->row + look->rows;
  int count[STATES] = {0};
  for (row = look->row; row < end; row++) count[row->state]++;
  put_family("reservations", "gauge", "Reservations by state.");
  for (int i = 0; i < STATES; i++) printf("coreloom_exclusive_reservations{state=\"%s\"} %d\n", states[i], count[i]);
  put_family("reservation_info", "gauge", "A reservation: its CPUs, mechanism and command.");
  for (row = look->row; row < end; row++) {
    const struct cl_reservation *r = row->reservation;
    if (row->state == DAMAGED) continue;
    printf("coreloom_exclusive_reservation_info{id=\"%d\",cpus=\"%s\",mechanism=", r->tool, cl_cpus_text(&r->cpus));
    put_label(r->mechanism);
    fputs(",command=", stdout);
    put_label(r->command);
    puts("} 1");
  }
  put_family("held_seconds", "gauge", "Time since a reservation began.");
  for (row = look->row; row < end; row++)
    if (!isnan(row->seconds))
      printf("coreloom_exclusive_held_seconds{id=\"%d\"} %.2f\n", row->reservation->tool, row->seconds);
  put_family("foreign_tasks", "gauge", "Movable tasks of others that may run on held CPUs.");
  for (row = look->row; row < end; row++)
    if (can_look(row)) printf("coreloom_exclusive_foreign_tasks{id=\"%d\"} %d\n", row->reservation->tool, row->others);
  put_family("program_cpu_seconds_total", "counter", "CPU time of the program.");
  for (row = look->row; row < end; row++)
    if (row->lives)
      printf("coreloom_exclusive_program_cpu_seconds_total{id=\"%d\"} %.3f\n", row->reservation->tool,
             row->program.cpu_s);
  put_family("program_switches_total", "counter", "Context switches of the program's living threads.");
  for (row = look->row; row < end; row++)
    for (int forced = 1; row->lives && forced >= 0; forced--)
      printf("coreloom_exclusive_program_switches_total{id=\"%d\",kind=\"%s\"} %llu\n", row->reservation->tool,
             forced ? "involuntary" : "voluntary", forced ? row->program.involuntary : row->program.voluntary);
  put_counters(look);
  put_before(look);
}

/* --------------------------------------------------------------------------------------------------------------- */

static void pause_s(double seconds) {
  struct timespec left = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) continue;
}

static int put(const struct cl_status_request *request, const struct look *look, const struct look *before) {
  if (request->watch_s > 0 && isatty(STDOUT_FILENO)) fputs("\033[H\033[J", stdout);
  if (request->json) put_json(look, before);
  else if (request->prometheus) put_prometheus(look);
  else put_table(look, before);
  if (request->watch_s > 0 && !request->json && !request->prometheus && !isatty(STDOUT_FILENO)) putchar('\n');
  return fflush(stdout) || ferror(stdout) ? EPIPE : 0;
}

int cl_status(const struct cl_status_request *request) {
  struct look before = {0}, now;
  int error = take_look(&now);
  if (!error && now.cpus && !request->prometheus) { /* rates need a second one */
    pause_s(LOOK_S);
    before = now;
    error = take_look(&now);
  }
  while (!error) {
    error = put(request, &now, &before);
    if (error || request->watch_s <= 0) break;
    pause_s(request->watch_s);
    free_look(&before);
    before = now;
    error = take_look(&now);
  }
  free_look(&before);
  free_look(&now);
  if (error == EPIPE) return 1; /* nobody reads on */
  return error ? cl_fail("the reservations and counters cannot be read: %s", cl_state_error(error)) : 0;
}
