/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Loads the scheduler, watches it, and unloads it. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "help.h"
#include "loader.h"
#include "stats.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define OPS "dwrr" /* the map with struct sched_ext_ops */
#define SCX_EXIT_UNREG_KERN 66 /* an end by request up to here; above: an error, or SysRq-S */
#define WATCH_MS 100 /* how often it looks whether the kernel has ended it */

CL_BPF_EMBED(OBJECT);

struct options {
  u64 slice_us, dump_size;
  double stats_s, monitor_s; /* 0: not asked for */
  bool sleepers_wait, no_cgroups, verbose;
};

static volatile int stop;

static void on_signal(int number) {
  (void)number;
  stop = 1;
}

static int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  fputs("scx_dwrr: error: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  return 1;
}

static int usage(const char *format, const char *option, const char *value) {
  char text[256];
  snprintf(text, sizeof text, format, option, value);
  fail("%s; see scx_dwrr --help", text);
  return 2;
}

static bool number(const char *text, u64 least, u64 most, u64 *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno && *value >= least && *value <= most;
}

static bool seconds(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return ((*text >= '0' && *text <= '9') || *text == '.') && !*end && isfinite(*value) && *value >= 0.01 &&
         *value <= 86400;
}

/* 0: go on; else the exit status + 1 */
static int parse(int count, char **words, struct options *o) {
  enum { STATS = 256, MONITOR, HELP_STATS, DUMP, WAIT, NO_CGROUPS };
  static const struct option known[] = {{"slice-us", required_argument, NULL, 's'},
                                        {"sleepers-wait", no_argument, NULL, WAIT},
                                        {"no-cgroups", no_argument, NULL, NO_CGROUPS},
                                        {"stats", required_argument, NULL, STATS},
                                        {"monitor", required_argument, NULL, MONITOR},
                                        {"help-stats", no_argument, NULL, HELP_STATS},
                                        {"exit-dump-len", required_argument, NULL, DUMP},
                                        {"verbose", no_argument, NULL, 'v'},
                                        {"version", no_argument, NULL, 'V'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  opterr = 0;
  for (int option; (option = getopt_long(count, words, ":s:vVh", known, NULL)) != -1;) {
    const char *given = words[optind - 1];
    switch (option) {
      case 's':
        if (!number(optarg, 1000, 1000000, &o->slice_us))
          return 1 + usage("%s %s: give microseconds from 1000 to 1000000", "--slice-us", optarg);
        break;
      case DUMP:
        if (!number(optarg, 0, DWRR_DUMP_SIZE, &o->dump_size))
          return 1 + usage("%s %s: give bytes from 0 to " TEXT(DWRR_DUMP_SIZE), "--exit-dump-len", optarg);
        break;
      case STATS:
      case MONITOR:
        if (!seconds(optarg, option == STATS ? &o->stats_s : &o->monitor_s))
          return 1 + usage("%s %s: give seconds from 0.01 to 86400", option == STATS ? "--stats" : "--monitor", optarg);
        break;
      case WAIT: o->sleepers_wait = true; break;
      case NO_CGROUPS: o->no_cgroups = true; break;
      case 'v': o->verbose = true; break;
      case 'V': return 1 + (puts("scx_dwrr " VERSION) < 0);
      case 'h': return 1 + (fputs(help, stdout) < 0);
      case HELP_STATS: return dwrr_help_stats(stdout), 1;
      case ':': return 1 + usage("%s needs a value%s", given, "");
      default: return 1 + usage("unknown option %s%s", given, "");
    }
  }
  if (optind < count) return 1 + usage("unexpected argument '%s'%s", words[optind], "");
  if (o->stats_s > 0 && o->monitor_s > 0) return 1 + usage("give only one of %s and %s", "--stats", "--monitor");
  return 0;
}

struct scheduler {
  struct bpf_object *object;
  struct bpf_link *link;
  volatile struct dwrr_exit *end;
  const char *dump;
};

static u64 now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

static int sample(void *from, struct dwrr_sample *found) {
  const struct scheduler *s = from;
  static struct dwrr_stats each[DWRR_CPUS_MAX];
  *found = (struct dwrr_sample){.at_ns = now_ns(), .cpus = (u64)sysconf(_SC_NPROCESSORS_ONLN)};
  int cpus = libbpf_num_possible_cpus();
  int error = cl_bpf_read(s->object, "stats", 0, each, DWRR_CPUS_MAX, sizeof *each);
  if (!error) error = cl_bpf_read(s->object, "totals", 0, &found->totals, 1, sizeof found->totals);
  for (int cpu = 0; cpu < cpus; cpu++)
    for (size_t i = 0; i < sizeof *each / sizeof(u64); i++) ((u64 *)&found->sum)[i] += ((u64 *)&each[cpu])[i];
  return error;
}

static void show_cost(const struct scheduler *s) {
  struct bpf_program *program;
  uint32_t cost, all = 0;
  bpf_object__for_each_program(program, s->object) {
    if (cl_bpf_verified(program, &cost)) continue;
    fprintf(stderr, "scx_dwrr: verifier: %s %u instructions\n", bpf_program__name(program), cost);
    all += cost;
  }
  fprintf(stderr, "scx_dwrr: verifier: %u instructions in total\n", all);
}

/* Without what this kernel does not tell its schedulers, or what nobody wants; says so once. */
static int fit_cgroups(struct scheduler *s, const struct options *o, bool *all) {
  static const char *const functions[] = {"cgroup_init",       "cgroup_exit",          "cgroup_move",
                                          "cgroup_set_weight", "cgroup_set_bandwidth", "cgroup_set_idle"};
  bool weights = cl_scx_knows("cgroup_init"), limits = cl_scx_knows("cgroup_set_bandwidth");
  int error = 0;
  *all = weights && !o->no_cgroups;
  if (!o->no_cgroups && !weights)
    fputs("scx_dwrr: cpu.weight and cpu.max have no effect: this kernel has no CONFIG_EXT_GROUP_SCHED\n", stderr);
  else if (!o->no_cgroups && !limits)
    fputs("scx_dwrr: cpu.max has no effect: this kernel does not pass it to sched_ext schedulers\n", stderr);
  for (size_t i = 0; !error && i < sizeof functions / sizeof *functions; i++)
    if (!*all || !cl_scx_knows(functions[i])) error = cl_scx_drop(s->object, OPS, functions[i]);
  return error;
}

static int load(struct scheduler *s, const struct options *o) {
  struct timespec tick;
  int cpus = libbpf_num_possible_cpus();
  if (cpus > DWRR_CPUS_MAX)
    return fail("this machine can have %d CPUs, but at most %d are supported", cpus, DWRR_CPUS_MAX);
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick); /* 1 s / CONFIG_HZ */
  if (cl_scx_check() || cl_bpf_open("scx_dwrr", o->verbose, &s->object)) return fail("%s", cl_bpf_why());
  struct dwrr_tuning *tuning = cl_bpf_global(s->object, "tuning", sizeof *tuning);
  s->end = cl_bpf_global(s->object, "uei", sizeof *s->end);
  s->dump = cl_bpf_global(s->object, "uei_dump", DWRR_DUMP_SIZE);
  if (!tuning || !s->end) return fail("the BPF object does not match its loader");
  bool cgroups;
  if (fit_cgroups(s, o, &cgroups)) return fail("%s", cl_bpf_why());
  *tuning = (struct dwrr_tuning){.slice_ns = o->slice_us * 1000,
                                 .tick_ns = (u64)tick.tv_nsec,
                                 .cpus = (u32)cpus,
                                 .lanes = (u32)cpus * (cgroups ? DWRR_GROUPS_MAX : 1),
                                 .sleepers_first = !o->sleepers_wait};
  if (cl_bpf_resize(s->object, ".data.lanes", tuning->lanes * sizeof(struct dwrr_lane)))
    return fail("%s", cl_bpf_why());
  if (cl_scx_set(s->object, OPS, "exit_dump_len", o->dump_size) || cl_bpf_load(s->object))
    return fail("%s", cl_bpf_why());
  if (o->verbose) show_cost(s);
  if (cl_scx_attach(s->object, OPS, &s->link)) return fail("%s", cl_bpf_why());
  fprintf(stderr, "scx_dwrr: round slice %g ms, tick %g ms, %ld CPUs\n", (double)o->slice_us / 1e3,
          (double)tick.tv_nsec / 1e6, sysconf(_SC_NPROCESSORS_ONLN));
  return 0;
}

/* Until a signal comes or the kernel has ended it. */
static void watch(struct scheduler *s, const struct options *o) {
  struct dwrr_server server = {.read = sample, .from = s, .path = DWRR_SOCKET};
  struct dwrr_sample first = {0}, before, now;
  struct dwrr_row row;
  int rows = 0, error = dwrr_serve(&server);
  bool counts = o->stats_s > 0 && sample(s, &first) == 0;
  if (error) fprintf(stderr, "scx_dwrr: no statistics at %s: %s\n", DWRR_SOCKET, strerror(error));
  before = first;
  while (!stop && !s->end->kind) {
    if (poll(server.files, 1 + DWRR_CLIENTS_MAX, WATCH_MS) > 0) dwrr_answer(&server);
    if (!counts || (double)(now_ns() - before.at_ns) < o->stats_s * 1e9 || sample(s, &now)) continue;
    row = dwrr_since(&before, &now);
    dwrr_print_row(stdout, rows++, &row);
    before = now;
  }
  if (rows && sample(s, &now) == 0) {
    row = dwrr_since(&first, &now);
    puts("total:");
    dwrr_print_row(stdout, 0, &row);
  }
  dwrr_serve_end(&server);
}

/* How it has ended. */
static int report(const struct scheduler *s) {
  const struct dwrr_exit *end = (const struct dwrr_exit *)s->end; /* nobody writes it any more */
  bool error = end->kind > SCX_EXIT_UNREG_KERN;
  if (s->dump && *s->dump) fprintf(stderr, "\nDEBUG DUMP\n%.*s\n\n", DWRR_DUMP_SIZE, s->dump);
  fprintf(stderr, "%sEXIT: %s%s%s%s\n", error ? "scx_dwrr: error: " : "", *end->reason ? end->reason : "unknown reason",
          *end->message ? " (" : "", end->message, *end->message ? ")" : "");
  return error;
}

static int run(const struct options *o) {
  struct scheduler s = {0};
  int status = load(&s, o);
  if (!status) {
    watch(&s, o);
    bpf_link__destroy(s.link);
    status = report(&s);
  }
  bpf_object__close(s.object);
  return status;
}

static int monitor(const struct options *o) {
  int error = dwrr_monitor(DWRR_SOCKET, o->monitor_s, stdout, &stop);
  if (error == ENOENT) return fail("nothing to monitor: start scx_dwrr first, it answers at %s", DWRR_SOCKET);
  if (error == EACCES) return fail("--monitor needs root: run it with sudo");
  if (error == EPROTO) return fail("the scheduler that answers at %s is not scx_dwrr", DWRR_SOCKET);
  return error ? fail("%s: %s", DWRR_SOCKET, strerror(error)) : 0;
}

int main(int count, char **words) {
  struct options o = {.slice_us = DWRR_SLICE_US, .dump_size = DWRR_DUMP_SIZE};
  const struct sigaction ends = {.sa_handler = on_signal};
  int status = parse(count, words, &o);
  if (status) return fflush(stdout) ? 1 : status - 1;
  sigaction(SIGINT, &ends, NULL);
  sigaction(SIGTERM, &ends, NULL);
  return o.monitor_s > 0 ? monitor(&o) : run(&o);
}
