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

#define PID_MOST 4194304 /* PID_MAX_LIMIT of a 64-bit kernel */
#define PIDS_MOST 1024   /* that attach takes */

/* Which commands an option is for. */
enum { RUN = 1, ATTACH = 2, STATUS = 4, RESTORE = 8, TEST = 16 };
enum value { NONE, NEEDED, MAYBE };

struct arguments {
  struct cl_request request;
  struct cl_output output;
  struct cl_status_request status;
  const char *log;
  bool all, repair, sized; /* --all; --repair; one of --cpu, --cpus, --count */
  char **rest;
  int rest_count, rest_most;
};

static int usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int usage(const char *format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  cl_fail("%s; see coreloom exclusive --help", text);
  return CL_EXIT_USAGE;
}

static bool whole(const char *text, int *value) {
  char *end;
  errno = 0;
  long number = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : -1;
  if (number < 0 || *end != '\0' || errno || number > 0x7fffffff) return false;
  *value = (int)number;
  return true;
}

static bool is_pid(const char *text, int *pid) { return whole(text, pid) && *pid >= 1 && *pid <= PID_MOST; }

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

static int take_cpus(struct arguments *a, const char *name, const char *value) {
  struct cl_request *request = &a->request;
  int number;
  if (a->sized) return usage("give only one of --cpu, --cpus and --count");
  a->sized = true;
  if (strcmp(name, "--count") == 0) {
    if (!whole(value, &request->count) || request->count < 1 || request->count > CL_CPUS_MOST)
      return usage("--count %s: give a number from 1 to %d", value, CL_CPUS_MOST);
  } else if (strcmp(name, "--cpus") == 0) {
    if (cl_cpus_parse(value, &request->asked) || cl_cpus_count(&request->asked) == 0)
      return usage("--cpus %s: give a list such as 2-3 or 1,3, of CPUs up to %d", value, CL_CPUS_MOST - 1);
  } else if (strcmp(value, "auto") != 0) {
    if (!whole(value, &number) || number >= CL_CPUS_MOST)
      return usage("--cpu %s: give a number up to %d or auto", value, CL_CPUS_MOST - 1);
    request->asked = cl_cpus_one(number);
  }
  return 0;
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

static const struct {
  const char *name;
  int commands;
  enum value value;
} options[] = {
    {"--cpu", RUN | ATTACH, NEEDED},
    {"--cpus", RUN | ATTACH, NEEDED},
    {"--count", RUN | ATTACH, NEEDED},
    {"--smt", RUN | ATTACH, NEEDED},
    {"--force", RUN | ATTACH, NONE},
    {"--sample", RUN | ATTACH, NEEDED},
    {"--mechanism", RUN | ATTACH, NEEDED},
    {"--max", RUN | ATTACH, NEEDED},
    {"--move", ATTACH, NONE},
    {"--as", RUN, NEEDED},
    {"--cgroup", ATTACH, NEEDED},
    {"--unit", RUN | ATTACH, NEEDED},
    {"--report", RUN | ATTACH, NEEDED},
    {"--json", RUN | ATTACH | STATUS | RESTORE | TEST, NONE},
    {"--prometheus", STATUS, NONE},
    {"--watch", RUN | ATTACH | STATUS, MAYBE},
    {"--trace", RUN | ATTACH, NONE},
    {"--log", RUN | ATTACH | RESTORE, NEEDED},
    {"--quiet", RUN | ATTACH | RESTORE, NONE},
    {"--all", RESTORE, NONE},
    {"--repair", RESTORE, NONE},
    {"--wait", RUN | ATTACH, NEEDED},
    {"--fifo", RUN, NEEDED},
    {"--nice", RUN, NEEDED},
};

static int take_unit(struct cl_request *request, int commands, const char *value) {
  static char name[CL_UNIT_MOST];
  if (cl_systemd_name(value, commands == RUN ? ".scope" : ".service", name))
    return usage("--unit %s: use only letters, digits and : - _ . \\ @ in a unit name, at most %d", value,
                 CL_UNIT_MOST - 1);
  if (commands == RUN && strcmp(strrchr(name, '.'), ".scope") != 0)
    return usage("--unit %s: run creates a scope: give a name without suffix, or with .scope", value);
  request->unit = name;
  return 0;
}

static int take(struct arguments *a, int commands, const char *name, const char *value) {
  struct cl_request *request = &a->request;
  if (strncmp(name, "--cpu", 5) == 0 || strcmp(name, "--count") == 0) return take_cpus(a, name, value);
  if (strcmp(name, "--unit") == 0) return take_unit(request, commands, value);
  if (strcmp(name, "--smt") == 0) {
    if (strcmp(value, "idle") != 0 && strcmp(value, "share") != 0) return usage("--smt %s: give idle or share", value);
    request->smt = *value == 'i' ? CL_SMT_IDLE : CL_SMT_SHARE;
  } else if (strcmp(name, "--sample") == 0) {
    return take_time(name, value, "0", "1m", &request->sample_s);
  } else if (strcmp(name, "--max") == 0) {
    return take_time(name, value, "1ms", "8784h", &request->most_s);
  } else if (strcmp(name, "--wait") == 0) {
    return take_time(name, value, "0", "24h", &request->wait_s);
  } else if (strcmp(name, "--fifo") == 0) {
    if (!whole(value, &request->fifo) || request->fifo < 1 || request->fifo > 99)
      return usage("--fifo %s: give a priority from 1 to 99", value);
  } else if (strcmp(name, "--nice") == 0) {
    bool less = *value == '-';
    if (!whole(value + less, &request->nice) || request->nice > (less ? 20 : 19))
      return usage("--nice %s: give a number from -20 to 19", value);
    if (less) request->nice = -request->nice;
    request->has_nice = true;
  } else if (strcmp(name, "--watch") == 0) {
    a->output.watch_s = 1;
    int status = value ? take_time(name, value, "10ms", "24h", &a->output.watch_s) : 0;
    a->status.watch_s = a->output.watch_s;
    return status;
  } else if (strcmp(name, "--force") == 0) request->force = true;
  else if (strcmp(name, "--mechanism") == 0) request->mechanism = value;
  else if (strcmp(name, "--move") == 0) request->move = true;
  else if (strcmp(name, "--cgroup") == 0) request->cgroup = value;
  else if (strcmp(name, "--as") == 0) request->user = value;
  else if (strcmp(name, "--report") == 0) a->output.report = value;
  else if (strcmp(name, "--json") == 0) a->output.json = a->status.json = true;
  else if (strcmp(name, "--prometheus") == 0) a->status.prometheus = true;
  else if (strcmp(name, "--trace") == 0) request->trace = true;
  else if (strcmp(name, "--log") == 0) a->log = value;
  else if (strcmp(name, "--quiet") == 0) a->output.quiet = true;
  else if (strcmp(name, "--all") == 0) a->all = true;
  else if (strcmp(name, "--repair") == 0) a->repair = true;
  return 0;
}

/* One option at word[*at]; what it takes from the next word moves *at on. */
static int option(struct arguments *a, const char *command, int commands, char **word, int *at) {
  const char *given = word[*at], *equals = strchr(given, '=');
  size_t length = equals ? (size_t)(equals - given) : strlen(given);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const char *name = options[i].name, *value = equals ? equals + 1 : NULL;
    if (strncmp(name, given, length) != 0 || name[length] != '\0') continue;
    if (!(options[i].commands & commands)) return usage("%s is not an option of %s", name, command);
    if (options[i].value == NONE && value) return usage("%s takes no value", name);
    if (options[i].value == NEEDED && value == NULL) {
      value = word[*at + 1];
      if (value == NULL) return usage("%s needs a value", name);
      ++*at;
    }
    if (options[i].value == NEEDED && *value == '\0') return usage("%s needs a value", name);
    return take(a, commands, name, value);
  }
  return usage("unknown option %.*s", (int)length, given);
}

/* Options and words; words are moved to the front, over the options. For run everything from the first word on is
 * the command. */
static int parse(struct arguments *a, const char *command, int commands, char **word) {
  a->rest = word;
  for (int at = 0; word[at]; at++) {
    bool dashes = strcmp(word[at], "--") == 0;
    if (commands == RUN && (dashes || word[at][0] != '-')) {
      a->rest = word + at + dashes;
      for (a->rest_count = 0; a->rest[a->rest_count];) a->rest_count++;
      return 0;
    }
    if (dashes) continue;
    if (word[at][0] != '-' || word[at][1] == '\0') {
      if (a->rest_count == a->rest_most) return usage("unexpected argument '%s'", word[at]);
      word[a->rest_count++] = word[at];
      continue;
    }
    int status = option(a, command, commands, word, &at);
    if (status) return status;
  }
  return 0;
}

/* Whom attach takes: one of three ways to say it. */
static int take_target(struct arguments *a, const char *command) {
  static int pids[PIDS_MOST];
  struct cl_request *request = &a->request;
  int ways = (a->rest_count > 0) + (request->cgroup != NULL) + (request->unit != NULL);
  if (ways == 0) return usage("%s needs PIDs, a TID, --cgroup or --unit", command);
  if (ways > 1) return usage("give only one of PIDs, --cgroup and --unit");
  for (int i = 0; i < a->rest_count; i++)
    if (!is_pid(a->rest[i], &pids[i]))
      return usage("'%s' is not a PID or TID: give a number from 1 to %d", a->rest[i], PID_MOST);
  request->pids = pids;
  request->pid_count = a->rest_count;
  return 0;
}

static int place(struct arguments *a, const char *command, bool plan, bool attach, char **word) {
  struct cl_request *request = &a->request;
  a->rest_most = PIDS_MOST;
  int status = parse(a, command, attach ? ATTACH : RUN, word);
  if (status) return status;
  if (!attach && (a->rest_count == 0 || *a->rest[0] == '\0')) return usage("%s needs a command", command);
  if (attach && (status = take_target(a, command)) != 0) return status;
  if (!attach) request->command = a->rest;
  if (request->count == 0) request->count = 1;
  cl_say_quiet(a->output.quiet);
  int error = a->log ? cl_say_log(a->log) : 0;
  if (error) return cl_fail("--log %s cannot be written: %s", a->log, cl_out_error(error));
  if (request->fifo && request->has_nice) return usage("give only one of --fifo and --nice");
  return plan ? cl_plan(request, a->output.json) : cl_run(request, &a->output);
}

static int plain(struct arguments *a, const char *command, char **word) {
  bool restores = strcmp(command, "restore") == 0;
  a->rest_most = restores;
  int id = 0, status = parse(a, command, restores ? RESTORE : strcmp(command, "status") == 0 ? STATUS : TEST, word);
  if (status) return status;
  if (strcmp(command, "status") == 0) {
    if (a->status.json && a->status.prometheus) return usage("give only one of --json and --prometheus");
    return cl_status(&a->status);
  }
  if (!restores) return cl_verify(a->output.json);
  if (a->rest_count && !is_pid(a->rest[0], &id)) return usage("'%s' is not a reservation ID", a->rest[0]);
  if (a->rest_count && a->all) return usage("give an ID or --all, not both");
  cl_say_quiet(a->output.quiet);
  int error = a->log ? cl_say_log(a->log) : 0;
  if (error) return cl_fail("--log %s cannot be written: %s", a->log, cl_out_error(error));
  return cl_restore(&(struct cl_restore_request){id, a->all, a->repair, a->output.json});
}

int main(int count, char **word) {
  struct arguments a = {.request.sample_s = 0.05};
  (void)count;
  word++;
  if (*word && strcmp(*word, "--root") == 0 && word[1]) { /* for tests */
    cl_files_root(word[1]);
    word += 2;
  }
  const char *command = *word;
  if (command == NULL) return usage("give a command: run, attach, plan, status, restore or verify");
  word++;
  bool wants_help = strcmp(command, "help") == 0 || strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0;
  if (wants_help || (*word && (strcmp(*word, "--help") == 0 || strcmp(*word, "-h") == 0)))
    return fputs(help, stdout) < 0 || fflush(stdout) ? CL_EXIT_REFUSED : 0;
  if (strcmp(command, "--version") == 0 || strcmp(command, "-V") == 0) return puts("coreloom exclusive " VERSION) < 0;
  bool places = strcmp(command, "run") == 0 || strcmp(command, "attach") == 0;
  if (places && cl_files_is_tree()) return usage("--root works only with plan, status, restore and verify");
  if (places) return place(&a, command, false, *command == 'a', word);
  if (strcmp(command, "plan") == 0) {
    bool attach = *word && strcmp(*word, "attach") == 0, run = *word && strcmp(*word, "run") == 0;
    return place(&a, attach ? "plan attach" : "plan", true, attach, word + (attach || run));
  }
  if (strcmp(command, "status") == 0 || strcmp(command, "restore") == 0 || strcmp(command, "verify") == 0)
    return plain(&a, command, word);
  return usage("unknown command '%s'", command);
}
