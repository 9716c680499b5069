/* SPDX-License-Identifier: Apache-2.0
 *
 * What is held, by which tools, and the counters of the CPUs: for people, as JSON, and for Prometheus (counters since
 * boot, as it computes differences itself). */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plain.h"
#include "proof.h"
#include "say.h"
#include "state.h"

#define LOOK_S 0.2 /* the first window */

static const char *const states[] = {"starting", "held", "tool gone", "other boot", "damaged"};
enum { STARTING, HELD, GONE, OTHER_BOOT, DAMAGED, STATES };

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

/* The cgroup of this tool that a directory is in: up to the part whose name has its number, or for systemd the scope
 * below. */
static void own_group(const char *folder, int id, char group[CL_PATH_MOST]) {
  char name[48];
  group[0] = '\0';
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, i ? "/coreloom_%d.slice" : "/coreloom-%d", id);
    const char *found = strstr(folder, name), *end = found ? found + strlen(name) : NULL;
    if (found == NULL || (*end != '\0' && *end != '/')) continue;
    if (i && *end == '/') end += 1 + strcspn(end + 1, "/");
    if (end - folder < CL_PATH_MOST) snprintf(group, CL_PATH_MOST, "%.*s", (int)(end - folder), folder);
  }
}

static int first_group(void *context, const char *name) {
  char *folder = context, path[CL_PATH_MOST];
  size_t length = strlen(folder);
  if ((size_t)snprintf(path, sizeof path, "%s/%s/cgroup.procs", folder, name) >= sizeof path || !cl_exists(path))
    return 0;
  snprintf(folder + length, CL_PATH_MOST - length, "/%s", name);
  return -1;
}

/* Where the processes of a cgroup were moved to, if they were. */
static void made_group(int id, char group[CL_PATH_MOST]) {
  static const char *const form[] = {"%s/coreloom-%d", "%s/coreloom_%d.slice"};
  static const char *const hierarchy[] = {"", "cpuset"};
  char mount[CL_PATH_MOST - 64];
  for (size_t i = 0; i < 4; i++) {
    if (cl_group_mount(hierarchy[i / 2], mount, sizeof mount)) continue;
    if (i % 2) snprintf(group, CL_PATH_MOST, form[1], mount, id);
    else snprintf(group, CL_PATH_MOST, form[0], mount, id);
    if (i % 2) cl_list(group, first_group, group);
    if (cl_exists(group)) return;
  }
  group[0] = '\0';
}

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

static void read_programs(const struct cl_reservation *r, struct cl_held *held) {
  struct cl_text t;
  const char *folder;
  if (cl_layer_read(r->path, &t)) return;
  for (size_t i = 0; i < t.count; i++) {
    const struct cl_entry *e = &t.entry[i];
    if (e->kind != CL_ENTRY_NOTE || (strcmp(e->field[0], "program") != 0 && strcmp(e->field[0], "also") != 0)) continue;
    if (add_program(held, e->field[1])) break;
  }
  if ((folder = cl_layer_value(&t, "cgroup")) != NULL && cl_target_folder(folder, &held->target) != 0)
    held->target.folder[0] = '\0';
  cl_layer_free(&t);
}

void cl_held_of(const struct cl_reservation *r, struct cl_held *held) {
  struct cl_hold *hold = &held->hold;
  char text[CL_CPUS_TEXT], folder[CL_FOLDER_MOST];
  memset(held, 0, sizeof *held);
  hold->request = &held->request;
  hold->target = &held->target;
  hold->id = r->tool;
  hold->cpus = hold->use = r->cpus;
  cl_online(&hold->online);
  if (!cl_layer_note(r->path, "use", text, sizeof text)) cl_cpus_parse(text, &hold->use);
  read_programs(r, held);
  if (held->target.folder[0]) made_group(r->tool, hold->group);
  cl_target_refresh(hold);
  if (hold->program.tid == 0) return;
  if (hold->program.tid != hold->program.pid) held->request.tid = hold->program.tid;
  static const char *const hierarchy[] = {"", "cpuset"};
  for (size_t i = 0; i < 2 && hold->group[0] == '\0'; i++)
    if (!cl_task_folder(hold->program.tid, hierarchy[i], folder, sizeof folder))
      own_group(folder, r->tool, hold->group);
}

void cl_held_free(struct cl_held *held) { cl_target_free(&held->target); }

bool cl_held_count(const struct cl_held *held, struct cl_program *sum) {
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

static double since(const struct cl_reservation *r) {
  char text[64];
  if (cl_read("/proc/uptime", text, sizeof text)) return NAN;
  double now = strtod(text, NULL), then = (double)r->born / (double)sysconf(_SC_CLK_TCK);
  return now > then ? now - then : 0;
}

static int count_others(const struct cl_hold *hold) {
  struct cl_tasks tasks;
  int count = 0;
  if (cl_tasks_on(&hold->cpus, &tasks)) return 0;
  for (size_t i = 0; i < tasks.count; i++)
    count += !tasks.task[i].fixed && tasks.task[i].state != 'Z' && !cl_is_program(hold, &tasks.task[i]);
  cl_tasks_free(&tasks);
  return count;
}

static void fill(struct row *row, struct cl_reservation *r) {
  row->reservation = r;
  row->state = state_of(r);
  row->seconds = row->state == DAMAGED || row->state == OTHER_BOOT ? NAN : since(r);
  if (row->state != HELD && row->state != GONE) return;
  cl_held_of(r, &row->held);
  char text[256];
  row->knows_before = !cl_layer_note(r->path, "before", text, sizeof text) && !cl_rates_parse(text, &row->before);
  row->lives = cl_held_count(&row->held, &row->program);
  row->others = count_others(&row->held.hold);
}

static void free_look(struct look *look) {
  for (size_t i = 0; look->row && i < look->rows; i++) cl_held_free(&look->row[i].held);
  free(look->list);
  free(look->row);
  free(look->cpu);
  memset(look, 0, sizeof *look);
}

static int add_cpu(struct look *look, int cpu, int id) {
  struct cl_cpus one = cl_cpus_one(cpu);
  struct cpu *more = realloc(look->cpu, (look->cpus + 1) * sizeof *more);
  if (more == NULL) return ENOMEM;
  look->cpu = more;
  more[look->cpus] = (struct cpu){.cpu = cpu, .id = id};
  return cl_counters_read(&one, &more[look->cpus++].counters);
}

static int take_look(struct look *look) {
  memset(look, 0, sizeof *look);
  int error = cl_layers(&look->list, &look->rows);
  if (error) return error;
  look->row = calloc(look->rows + 1, sizeof *look->row);
  if (look->row == NULL) error = ENOMEM;
  for (size_t i = 0; i < look->rows && !error; i++) {
    const struct cl_cpus *cpus = &look->list[i].cpus;
    fill(&look->row[i], &look->list[i]);
    if (look->row[i].state >= OTHER_BOOT) continue;
    for (int cpu = cl_cpus_next(cpus, -1); cpu >= 0 && !error; cpu = cl_cpus_next(cpus, cpu))
      error = add_cpu(look, cpu, look->list[i].tool);
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
  const double value[] = {r->wait, r->busy, r->switches, r->devices, r->between, r->ticks, r->softirqs};
  static const int width[] = {9, 9, 12, 11, 11, 9, 12};
  printf("%-7s %-8d", name, id);
  for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
    if (isnan(value[i])) printf("%*s", width[i], "-");
    else printf("%*.1f", width[i], value[i] / cpus);
  }
  putchar('\n');
}

static void put_table(const struct look *look, const struct look *before) {
  char text[CL_CPUS_TEXT], time[32], program[32], others[16];
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
    bool known = row->state == HELD || row->state == GONE;
    snprintf(program, sizeof program, row->lives ? "%llu" : "-", row->program.involuntary);
    snprintf(others, sizeof others, known ? "%d" : "-", row->others);
    printf("%-7d %-7s %-10s %-12s %-11s %12s%8s  ", r->tool, cl_cpus_format(&r->cpus, text),
           r->mechanism[0] ? r->mechanism : "-", span(row->seconds, time), states[row->state], program, others);
    cl_plain_put(stdout, r->command);
    putchar('\n');
  }
  if (look->cpus == 0) return;
  printf("\n%-8s%-8s%9s%9s%12s%11s%11s%9s%12s\n", "CPU", "id", "wait %", "busy %", "switches/s", "devices/s", "IPIs/s",
         "timer/s", "softirqs/s");
  for (size_t i = 0; i < look->cpus; i++) {
    struct cl_rates rates = rates_of(before, &look->cpu[i]);
    snprintf(text, sizeof text, "%d", look->cpu[i].cpu);
    put_rates(text, look->cpu[i].id, &rates, 1);
  }
  for (size_t i = 0; i < look->rows; i++) {
    const struct row *row = &look->row[i];
    if (row->knows_before)
      put_rates("before", row->reservation->tool, &row->before, cl_cpus_count(&row->reservation->cpus));
  }
}

/* -- JSON ------------------------------------------------------------------------------------------------------- */

static void put_json(const struct look *look, const struct look *before) {
  char text[CL_CPUS_TEXT];
  fputs("{\n  \"reservations\": [", stdout);
  for (size_t i = 0; i < look->rows; i++) {
    const struct row *row = &look->row[i];
    const struct cl_reservation *r = row->reservation;
    bool known = row->state == HELD || row->state == GONE;
    printf("%s    {\"id\": %d, \"state\": \"%s\", \"cpus\": \"%s\", ", i ? ",\n" : "\n", r->tool, states[row->state],
           cl_cpus_format(&r->cpus, text));
    printf("\"used\": \"%s\", \"mechanism\": ", cl_cpus_format(known ? &row->held.hold.use : &r->cpus, text));
    if (r->mechanism[0]) cl_json_string(stdout, r->mechanism);
    else fputs("null", stdout);
    fputs(", \"command\": ", stdout);
    cl_json_string(stdout, r->command);
    fputs(", \"layer\": ", stdout);
    cl_json_string(stdout, r->path);
    cl_json_number(stdout, ", ", "seconds", row->seconds);
    if (known) printf(", \"others\": %d, \"program\": ", row->others);
    else fputs(", \"others\": null, \"program\": ", stdout);
    if (row->lives) {
      printf("{\"pid\": %d", row->held.hold.program.pid);
      cl_json_number(stdout, ", ", "cpu_s", row->program.cpu_s);
      printf(", \"involuntary_switches\": %llu, \"voluntary_switches\": %llu}", row->program.involuntary,
             row->program.voluntary);
    } else {
      fputs("null", stdout);
    }
    fputs(row->knows_before ? ", \"before\": {" : ", \"before\": null}", stdout);
    if (row->knows_before) {
      cl_rates_json(stdout, &row->before);
      fputs("}}", stdout);
    }
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

struct family {
  const char *name, *help;
  enum { ALWAYS, WAITS, INTERRUPTS } where; /* what must be known */
};

static const struct family families[] = {
    {"cpu_run_queue_wait_seconds_total", "Time tasks waited for the CPU.", WAITS},
    {"cpu_idle_seconds_total", "Time the CPU was idle.", ALWAYS},
    {"cpu_switches_total", "Context switches to a task.", WAITS},
    {"cpu_device_interrupts_total", "Device interrupts.", INTERRUPTS},
    {"cpu_cpu_interrupts_total", "Inter-processor interrupts (IPIs).", INTERRUPTS},
    {"cpu_timer_interrupts_total", "Local timer interrupts.", INTERRUPTS},
    {"cpu_softirqs_total", "Softirqs.", INTERRUPTS},
};

static double value_of(size_t family, const struct cl_counters *c) {
  const double value[] = {(double)c->wait_ns * 1e-9, (double)c->idle_ns * 1e-9, (double)c->switches, (double)c->devices,
                          (double)c->between,        (double)c->ticks,          (double)c->softirqs};
  return value[family];
}

/* What a scrape cannot have seen: a value before the CPUs were cleared, of those of a reservation together. */
static void put_before(const struct look *look) {
  static const struct {
    const char *name, *help;
    size_t at;
    double unit;
  } gauge[] = {
      {"before_run_queue_wait_ratio", "Average waiting tasks, before the CPUs were cleared.",
       offsetof(struct cl_rates, wait), 100},
      {"before_busy_ratio", "Average busy CPUs, before the CPUs were cleared.", offsetof(struct cl_rates, busy), 100},
      {"before_switches_per_second", "Context switches, before the CPUs were cleared.",
       offsetof(struct cl_rates, switches), 1},
      {"before_device_interrupts_per_second", "Device interrupts, before the CPUs were cleared.",
       offsetof(struct cl_rates, devices), 1},
      {"before_cpu_interrupts_per_second", "IPIs, before the CPUs were cleared.", offsetof(struct cl_rates, between),
       1},
      {"before_timer_interrupts_per_second", "Timer interrupts, before the CPUs were cleared.",
       offsetof(struct cl_rates, ticks), 1},
      {"before_softirqs_per_second", "Softirqs, before the CPUs were cleared.", offsetof(struct cl_rates, softirqs), 1},
  };
  for (size_t i = 0; i < sizeof gauge / sizeof *gauge; i++) {
    put_family(gauge[i].name, "gauge", gauge[i].help);
    for (size_t j = 0; j < look->rows; j++) {
      const struct row *row = &look->row[j];
      double value;
      memcpy(&value, (const char *)&row->before + gauge[i].at, sizeof value);
      if (row->knows_before && !isnan(value))
        printf("coreloom_exclusive_%s{id=\"%d\"} %.15g\n", gauge[i].name, row->reservation->tool,
               value / gauge[i].unit);
    }
  }
}

static bool is_known(const struct family *family, const struct cl_counters *c) {
  return family->where == WAITS ? c->waits : family->where == INTERRUPTS ? c->interrupts : true;
}

static void put_prometheus(const struct look *look) {
  int count[STATES] = {0};
  char text[CL_CPUS_TEXT];
  for (size_t i = 0; i < look->rows; i++) count[look->row[i].state]++;
  put_family("reservations", "gauge", "Reservations by state.");
  for (int i = 0; i < STATES; i++) printf("coreloom_exclusive_reservations{state=\"%s\"} %d\n", states[i], count[i]);
  put_family("reservation_info", "gauge", "A reservation: its CPUs, mechanism and command.");
  for (size_t i = 0; i < look->rows; i++) {
    const struct cl_reservation *r = look->row[i].reservation;
    if (look->row[i].state == DAMAGED) continue;
    printf("coreloom_exclusive_reservation_info{id=\"%d\",cpus=\"%s\",mechanism=", r->tool,
           cl_cpus_format(&r->cpus, text));
    put_label(r->mechanism);
    fputs(",command=", stdout);
    put_label(r->command);
    puts("} 1");
  }
  put_family("held_seconds", "gauge", "Time since a reservation began.");
  for (size_t i = 0; i < look->rows; i++)
    if (!isnan(look->row[i].seconds))
      printf("coreloom_exclusive_held_seconds{id=\"%d\"} %.2f\n", look->row[i].reservation->tool, look->row[i].seconds);
  put_family("foreign_tasks", "gauge", "Movable tasks of others that may run on held CPUs.");
  for (size_t i = 0; i < look->rows; i++)
    if (look->row[i].state == HELD || look->row[i].state == GONE)
      printf("coreloom_exclusive_foreign_tasks{id=\"%d\"} %d\n", look->row[i].reservation->tool, look->row[i].others);
  put_family("program_cpu_seconds_total", "counter", "CPU time of the program.");
  for (size_t i = 0; i < look->rows; i++)
    if (look->row[i].lives)
      printf("coreloom_exclusive_program_cpu_seconds_total{id=\"%d\"} %.3f\n", look->row[i].reservation->tool,
             look->row[i].program.cpu_s);
  put_family("program_switches_total", "counter", "Context switches of the program's living threads.");
  for (size_t i = 0; i < look->rows; i++)
    for (int forced = 1; look->row[i].lives && forced >= 0; forced--)
      printf("coreloom_exclusive_program_switches_total{id=\"%d\",kind=\"%s\"} %llu\n", look->row[i].reservation->tool,
             forced ? "involuntary" : "voluntary",
             forced ? look->row[i].program.involuntary : look->row[i].program.voluntary);
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    put_family(families[i].name, "counter", families[i].help);
    for (size_t j = 0; j < look->cpus; j++)
      if (is_known(&families[i], &look->cpu[j].counters))
        printf("coreloom_exclusive_%s{cpu=\"%d\",id=\"%d\"} %.15g\n", families[i].name, look->cpu[j].cpu,
               look->cpu[j].id, value_of(i, &look->cpu[j].counters));
  }
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
  return error ? cl_fail("the reservations and counters cannot be read: %s", strerror(error)) : 0;
}
