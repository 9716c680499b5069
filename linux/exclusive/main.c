/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments and commands. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "out.h"
#include "proof.h"
#include "restore.h"
#include "run.h"
#include "say.h"
#include "session.h"

#define PID_MOST 4194304 /* PID_MAX_LIMIT of a 64-bit kernel */
#define PIDS_MOST 1024   /* that attach takes */

/* Commands, and which of them an option is for; SIZE: it says how many CPUs, or which. */
enum { RUN = 1, ATTACH = 2, STATUS = 4, RESTORE = 8, VERIFY = 16, PLACE = RUN | ATTACH, SIZE = 32 };

struct arguments {
  struct cl_request request;
  struct cl_output output;
  struct cl_status_request status;
  const char *log;
  bool all, repair, sized; /* --all; --repair; one of --cpu, --cpus, --count */
  char **rest;
  int rest_count;
};

static struct arguments args;

static int usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int usage(const char *format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  cl_fail("%s; see %s --help", text, cl_self());
  return CL_EXIT_USAGE;
}

/* Digits; where `least` is below 0 a sign may be before them. */
static bool whole(const char *text, int least, int most, int *value) {
  char *end;
  bool less = least < 0 && *text == '-';
  errno = 0;
  if (!isdigit((unsigned char)text[less])) return false;
  long number = strtol(text, &end, 10);
  if (*end != '\0' || errno || number < least || number > most) return false;
  *value = (int)number;
  return true;
}

/* "500ms", "90", "90s", "10m", "2h"; strtod alone would take "0x1p3", "1e9" and "inf", too */
static bool seconds(const char *text, double *value) {
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
  char *end;
  size_t digits = strspn(text, "0123456789.");
  if (digits == 0 || digits > 20) return false;
  double number = strtod(text, &end);
  if (end != text + digits) return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].unit) == 0) {
      *value = number * units[i].seconds;
      return true;
    }
  return false;
}

/* `least` and `most` as a user writes them. */
static int take_time(const char *name, const char *value, const char *least, const char *most, double *to) {
  double time, from = 0, upto = 0;
  seconds(least, &from);
  seconds(most, &upto);
  if (!seconds(value, &time)) return usage("%s %s: give a time such as 500ms, 90, 10m or 2h", name, value);
  if (time < from || time > upto) return usage("%s %s: give a time from %s to %s", name, value, least, most);
  *to = time;
  return 0;
}

static int take_cpu(const char *value) {
  int number;
  if (strcmp(value, "auto") == 0) return 0;
  if (!whole(value, 0, CL_CPUS_MOST - 1, &number))
    return usage("--cpu %s: give a number up to %d or auto", value, CL_CPUS_MOST - 1);
  args.request.asked = cl_cpus_one(number);
  return 0;
}

static int take_cpus(const char *value) {
  if (!cl_cpus_parse(value, &args.request.asked) && !cl_cpus_empty(&args.request.asked)) return 0;
  return usage("--cpus %s: give a list such as 2-3 or 1,3, of CPUs up to %d", value, CL_CPUS_MOST - 1);
}

static int take_smt(const char *value) {
  if (strcmp(value, "idle") != 0 && strcmp(value, "share") != 0) return usage("--smt %s: give idle or share", value);
  args.request.smt = *value == 'i' ? CL_SMT_IDLE : CL_SMT_SHARE;
  return 0;
}

/* Use of an option's value: it is stored where the entry points, or a function takes it. */
static const struct option {
  const char *name;
  int commands;
  bool *flag;
  const char **text;
  double *time;
  const char *least, *most; /* of the time */
  int (*take)(const char *value);
  int *number;
  const char *what; /* the number is */
  int from, to;
} options[] = {
    {"--cpu", PLACE | SIZE, .take = take_cpu},
    {"--cpus", PLACE | SIZE, .take = take_cpus},
    {"--count", PLACE | SIZE, .number = &args.request.count, .what = "number", .from = 1, .to = CL_CPUS_MOST},
    {"--smt", PLACE, .take = take_smt},
    {"--force", PLACE, .flag = &args.request.force},
    {"--sample", PLACE, .time = &args.request.sample_s, .least = "0", .most = "1m"},
    {"--mechanism", PLACE, .text = &args.request.mechanism},
    {"--max", PLACE, .time = &args.request.most_s, .least = "1ms", .most = "8784h"},
    {"--move", ATTACH, .flag = &args.request.move},
    {"--as", RUN, .text = &args.request.user},
    {"--cgroup", ATTACH, .text = &args.request.cgroup},
    {"--unit", PLACE, .text = &args.request.unit},
    {"--report", PLACE, .text = &args.output.report},
    {"--json", PLACE | STATUS | RESTORE | VERIFY, .flag = &args.output.json},
    {"--prometheus", STATUS, .flag = &args.status.prometheus},
    {"--watch", PLACE | STATUS, .time = &args.output.watch_s, .least = "10ms", .most = "24h"},
    {"--trace", PLACE, .flag = &args.request.trace},
    {"--log", PLACE | RESTORE, .text = &args.log},
    {"--quiet", PLACE | RESTORE, .flag = &args.output.quiet},
    {"--all", RESTORE, .flag = &args.all},
    {"--repair", RESTORE, .flag = &args.repair},
    {"--wait", PLACE, .time = &args.request.wait_s, .least = "0", .most = "24h"},
    {"--fifo", RUN, .number = &args.request.fifo, .what = "priority", .from = 1, .to = 99},
    {"--nice", RUN, .number = &args.request.nice, .what = "number", .from = -20, .to = 19},
};

static int check_unit(int which) {
  static char name[CL_UNIT_MOST];
  const char *value = args.request.unit;
  if (value == NULL) return 0;
  if (cl_systemd_name(value, which == RUN ? ".scope" : ".service", name))
    return usage("--unit %s: use only letters, digits and : - _ . \\ @ in a unit name, at most %d", value,
                 CL_UNIT_MOST - 1);
  if (which == RUN && strcmp(strrchr(name, '.'), ".scope") != 0)
    return usage("--unit %s: run creates a scope: give a name without suffix, or with .scope", value);
  args.request.unit = name;
  return 0;
}

/* One option at word[*at]; what it takes from the next word moves *at on. --watch alone may be without a value. */
static int option(const char *command, int which, char **word, int *at) {
  const char *given = word[*at], *equals = strchr(given, '='), *value = equals ? equals + 1 : NULL;
  size_t length = equals ? (size_t)(equals - given) : strlen(given);
  const struct option *o = options, *end = options + sizeof options / sizeof *options;
  while (o < end && (strncmp(o->name, given, length) != 0 || o->name[length] != '\0')) o++;
  if (o == end) return usage("unknown option %.*s", (int)length, given);
  if (!(o->commands & which)) return usage("%s is not an option of %s", o->name, command);
  if (o->flag) {
    *o->flag = true;
    return value ? usage("%s takes no value", o->name) : 0;
  }
  if (value == NULL && strcmp(o->name, "--watch") == 0) value = "1";
  if (value == NULL && (value = word[*at + 1]) != NULL) ++*at;
  if (value == NULL || *value == '\0') return usage("%s needs a value", o->name);
  if (o->time) return take_time(o->name, value, o->least, o->most, o->time);
  if (o->commands & SIZE && args.sized) return usage("give only one of --cpu, --cpus and --count");
  args.sized |= (o->commands & SIZE) != 0;
  if (o->take) return o->take(value);
  if (o->number && !whole(value, o->from, o->to, o->number))
    return usage("%s %s: give a %s from %d to %d", o->name, value, o->what, o->from, o->to);
  args.request.has_nice |= o->number == &args.request.nice;
  if (o->number) return 0;
  *o->text = value;
  return 0;
}

/* Options and words; words are moved to the front, over the options. For run everything from the first word on is
 * the command. */
static int parse(const char *command, int which, int words_most, char **word) {
  args.rest = word;
  for (int at = 0; word[at]; at++) {
    bool dashes = strcmp(word[at], "--") == 0;
    if (which == RUN && (dashes || word[at][0] != '-')) {
      args.rest = word + at + dashes;
      for (args.rest_count = 0; args.rest[args.rest_count];) args.rest_count++;
      return 0;
    }
    if (dashes) continue;
    if (word[at][0] != '-' || word[at][1] == '\0') {
      if (args.rest_count == words_most) return usage("unexpected argument '%s'", word[at]);
      word[args.rest_count++] = word[at];
      continue;
    }
    int status = option(command, which, word, &at);
    if (status) return status;
  }
  return 0;
}

/* Sets the tasks that attach takes, which the user gives in exactly one of three ways. */
static int take_target(const char *command) {
  static int pids[PIDS_MOST];
  int ways = (args.rest_count > 0) + (args.request.cgroup != NULL) + (args.request.unit != NULL);
  if (ways == 0) return usage("%s needs PIDs, a TID, --cgroup or --unit", command);
  if (ways > 1) return usage("give only one of PIDs, --cgroup and --unit");
  for (int i = 0; i < args.rest_count; i++)
    if (!whole(args.rest[i], 1, PID_MOST, &pids[i]))
      return usage("'%s' is not a PID or TID: give a number from 1 to %d", args.rest[i], PID_MOST);
  args.request.pids = pids;
  args.request.pid_count = args.rest_count;
  return 0;
}

static int open_log(void) {
  cl_say_quiet(args.output.quiet);
  int error = args.log ? cl_say_log(args.log) : 0;
  return error ? cl_fail("--log %s cannot be written: %s", args.log, cl_out_error(error)) : 0;
}

static int place(const char *command, bool plan, bool attach, char **word) {
  int which = attach ? ATTACH : RUN, status = parse(command, which, PIDS_MOST, word);
  if (!status) status = check_unit(which);
  if (status) return status;
  if (!attach && (args.rest_count == 0 || *args.rest[0] == '\0')) return usage("%s needs a command", command);
  if (attach && (status = take_target(command)) != 0) return status;
  if (!attach) args.request.command = args.rest;
  if (args.request.count == 0) args.request.count = 1;
  if ((status = open_log()) != 0) return status;
  if (args.request.fifo && args.request.has_nice) return usage("give only one of --fifo and --nice");
  return plan ? cl_plan(&args.request, args.output.json) : cl_run(&args.request, &args.output);
}

static int status(char **word) {
  int error = parse("status", STATUS, 0, word);
  if (error) return error;
  args.status.json = args.output.json;
  args.status.watch_s = args.output.watch_s;
  if (args.status.json && args.status.prometheus) return usage("give only one of --json and --prometheus");
  return cl_status(&args.status);
}

static int verify(char **word) {
  int error = parse("verify", VERIFY, 0, word);
  return error ? error : cl_verify(args.output.json);
}

static int restore(char **word) {
  int id = 0, error = parse("restore", RESTORE, 1, word);
  if (error) return error;
  if (args.rest_count && !whole(args.rest[0], 1, PID_MOST, &id))
    return usage("'%s' is not a reservation ID", args.rest[0]);
  if (args.rest_count && args.all) return usage("give an ID or --all, not both");
  error = open_log();
  return error ? error : cl_restore(&(struct cl_restore_request){id, args.all, args.repair, args.output.json});
}

static bool is(const char *word, const char *text) { return word && strcmp(word, text) == 0; }

static bool asks_help(const char *command) {
  return command && (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0);
}

int main(int count, char **word) {
  (void)count;
  cl_session_descriptors();
  args = (struct arguments){.request.sample_s = 0.05};
  cl_say_self(*word ? *word : "");
  if (*word) word++;
  if (is(*word, "--root") && word[1]) { /* for tests */
    cl_files_root(word[1]);
    word += 2;
  }
  const char *command = *word;
  if (command == NULL) return usage("give a command: run, attach, plan, status, restore or verify");
  word++;
  if (is(command, "help") || asks_help(command) || asks_help(*word))
    return fputs(help, stdout) < 0 || fflush(stdout) ? CL_EXIT_REFUSED : 0;
  if (strcmp(command, "--version") == 0 || strcmp(command, "-V") == 0) return puts("coreloom exclusive " VERSION) < 0;
  if (is(command, "run") || is(command, "attach")) {
    if (cl_files_is_tree()) return usage("--root works only with plan, status, restore and verify");
    return place(command, false, is(command, "attach"), word);
  }
  if (is(command, "plan")) {
    bool attach = is(*word, "attach");
    return place(attach ? "plan attach" : "plan", true, attach, word + (attach || is(*word, "run")));
  }
  if (is(command, "status")) return status(word);
  if (is(command, "verify")) return verify(word);
  return is(command, "restore") ? restore(word) : usage("unknown command '%s'", command);
}
