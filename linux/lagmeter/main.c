/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The command lagmeter: options, the command that it starts, and when to print. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "create.h"
#include "help.h"
#include "perfetto.h"
#include "report.h"
#include "session.h"

#define GROUPS "/sys/fs/cgroup"
#define LOOK_MS 100   /* how often events are read, unless there are many */
#define SAMPLE_MS 10
#define END_ROWS 40
#define LIVE_ROWS 20

struct options {
  struct lag_filter whom;
  const char *json, *perfetto, *cgroup;
  struct cl_user user;
  bool as_user; /* the command is to be the user's */
  double time_s, sample_ms, interval_s;
  uint64_t cpus;
  bool chosen, verbose;
  char **command;
};

static volatile sig_atomic_t stop, child_ended; /* some child */
static struct cl_session session; /* the command's */

/* Ctrl-C ends the watching and, where the terminal is not its own, the command. */
static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  if (number == SIGCHLD) child_ended = 1;
  else stop = 1;
  if (number != SIGCHLD && session.apart && info->si_code == SI_KERNEL) kill(session.program, number);
}

static int fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(int status, const char *format, ...) {
  va_list values;
  va_start(values, format);
  fputs("lagmeter: error: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  return status;
}

static bool number(const char *text, uint64_t least, uint64_t most, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno && *value >= least && *value <= most;
}

static bool real(const char *text, double least, double most, double *value) {
  char *end;
  *value = strtod(text, &end);
  return ((*text >= '0' && *text <= '9') || *text == '.') && !strpbrk(text, "xX") && !*end && isfinite(*value) &&
         *value >= least && *value <= most;
}

/* The group's id and depth. */
static int find_group(struct options *o) {
  static char path[PATH_MAX];
  char given[PATH_MAX];
  struct stat at;
  const size_t root = strlen(GROUPS);
  int length = snprintf(given, sizeof given, *o->cgroup == '/' ? "%s" : GROUPS "/%s", o->cgroup);
  if (length >= PATH_MAX || !realpath(given, path) || stat(path, &at) || !S_ISDIR(at.st_mode) ||
      strncmp(path, GROUPS, root) != 0 || (path[root] && path[root] != '/'))
    return fail(2, "-g %s: there is no such cgroup below " GROUPS, o->cgroup);
  o->whom.cgroup = at.st_ino;
  for (const char *c = path + root; *c; c++) o->whom.level += *c == '/';
  o->cgroup = path + root;
  return 0;
}

static int choose(struct options *o, uint32_t whom) {
  if (o->chosen) return fail(2, "give only one of -p, -n, -g and -a; see lagmeter --help");
  o->chosen = true;
  o->whom.whom = whom;
  return 0;
}

/* 0: go on; else the exit status + 1 */
static int parse(int count, char **words, struct options *o) {
  enum { JSON = 256, PERFETTO, SAMPLE, INTERVAL, AS };
  static const struct option known[] = {{"pid", required_argument, NULL, 'p'},
                                        {"name", required_argument, NULL, 'n'},
                                        {"cgroup", required_argument, NULL, 'g'},
                                        {"all", no_argument, NULL, 'a'},
                                        {"kernel", no_argument, NULL, 'k'},
                                        {"time", required_argument, NULL, 't'},
                                        {"cpus", required_argument, NULL, 'c'},
                                        {"json", required_argument, NULL, JSON},
                                        {"perfetto", required_argument, NULL, PERFETTO},
                                        {"sample", required_argument, NULL, SAMPLE},
                                        {"interval", required_argument, NULL, INTERVAL},
                                        {"verbose", no_argument, NULL, 'v'},
                                        {"as", required_argument, NULL, AS},
                                        {"version", no_argument, NULL, 'V'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  char why[512];
  uint64_t value;
  opterr = 0;
  for (int option; (option = getopt_long(count, words, "+:p:n:g:akt:c:vVh", known, NULL)) != -1;) {
    const char *given = words[optind - 1];
    int status = 0;
    switch (option) {
      case 'p':
        status = choose(o, LAG_PROCESS);
        if (!status && !number(optarg, 1, INT32_MAX, &value))
          status = fail(2, "-p %s: give a process number from 1 to %d", optarg, INT32_MAX);
        if (!status) o->whom.pid = (int32_t)value;
        break;
      case 'n':
        status = choose(o, LAG_NAME);
        if (!status && (!*optarg || strlen(optarg) >= LAG_COMMAND))
          status = fail(2, "-n %s: a thread's name has 1 to %d characters", optarg, LAG_COMMAND - 1);
        if (!status) strcpy(o->whom.command, optarg);
        break;
      case 'g':
        status = choose(o, LAG_CGROUP);
        o->cgroup = optarg;
        break;
      case 'a': status = choose(o, LAG_ALL); break;
      case 'k': o->whom.kernel_threads = 1; break;
      case 't':
        if (!real(optarg, 0.01, 1e6, &o->time_s)) status = fail(2, "-t %s: give seconds from 0.01 to 1000000", optarg);
        break;
      case 'c':
        if (!number(optarg, 1, 65536, &o->cpus))
          status = fail(2, "-c %s: give a number of CPUs from 1 to 65536", optarg);
        break;
      case AS:
        o->as_user = true;
        if (!cl_user_find(optarg, &o->user, why, sizeof why)) status = fail(2, "--as %s", why);
        break;
      case JSON: o->json = optarg; break;
      case PERFETTO: o->perfetto = optarg; break;
      case SAMPLE:
        if (!real(optarg, 1, 10000, &o->sample_ms))
          status = fail(2, "--sample %s: give milliseconds from 1 to 10000", optarg);
        break;
      case INTERVAL:
        if (!real(optarg, 0.1, 86400, &o->interval_s))
          status = fail(2, "--interval %s: give seconds from 0.1 to 86400", optarg);
        break;
      case 'v': o->verbose = true; break;
      case 'V': return 1 + (puts("lagmeter " VERSION) < 0);
      case 'h': return 1 + (fputs(help, stdout) < 0);
      case ':': status = fail(2, "%s needs a value; see lagmeter --help", given); break;
      default: status = fail(2, "unknown option %s; see lagmeter --help", given);
    }
    if (status) return 1 + status;
  }
  if (optind < count) {
    if (o->chosen) return 1 + fail(2, "a command is watched with all its descendants: omit -p, -n, -g and -a");
    o->command = words + optind;
    o->whom.whom = LAG_TREE;
  } else if (!o->chosen) {
    return 1 + fail(2, "nothing to watch: give -p, -n, -g, -a, or a command after --; see lagmeter --help");
  }
  if (o->as_user && !o->command) return 1 + fail(2, "--as needs a command: give one after --");
  if (o->as_user && geteuid()) return 1 + fail(1, "--as needs root: run it with sudo");
  int status = o->cgroup ? find_group(o) : 0;
  return status ? 1 + status : 0;
}

/* The command waits for a word before it begins. */
static int start(const struct options *o, int *go) {
  int pipe_ends[2];
  pid_t pid;
  if (pipe2(pipe_ends, O_CLOEXEC)) return errno;
  int error = cl_session_fork(&session, o->as_user ? &o->user : NULL, &pid);
  if (error) return error;
  if (pid == 0) {
    char word;
    close(pipe_ends[1]);
    if (read(pipe_ends[0], &word, 1) != 1) _exit(1); /* lagmeter did not come so far */
    errno = o->as_user ? cl_user_become(&o->user) : 0;
    if (errno) {
      fail(0, "cannot become %s: %s", o->user.name, strerror(errno));
      _exit(126);
    }
    execvp(o->command[0], o->command);
    fail(0, "cannot run %s: %s", o->command[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
  }
  close(pipe_ends[0]);
  *go = pipe_ends[1];
  return 0;
}

static int open_file(const char *path, FILE **file) {
  if (!path) return 0;
  const char *why;
  return lag_create(path, file, &why) ? fail(1, "cannot write %s: %s", path, why) : 0;
}

static int close_file(const char *path, FILE *file) {
  bool bad = ferror(file);
  return fclose(file) || bad ? fail(1, "cannot write %s: %s", path, strerror(errno)) : 0;
}

/* By BPF if it can be, else by sampling. */
static int open_source(struct lag_source *s, const struct options *o) {
  if (o->sample_ms > 0) {
    s->sample_ms = o->sample_ms;
  } else {
    if (!lag_bpf_open(s, o->verbose)) return 0;
    s->sample_ms = SAMPLE_MS;
    fprintf(stderr, "lagmeter: sampling /proc every %d ms, as BPF cannot be used: %s\n", SAMPLE_MS, lag_why());
  }
  return lag_proc_open(s, o->cgroup) ? fail(1, "%s", lag_why()) : 0;
}

/* Never behind those it watches, or events would be lost and samples late. */
static void come_first(void) {
  const struct sched_param first = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
}

/* Not just the relay of its terminal, say. */
static bool command_ended(void) {
  siginfo_t info = {0};
  if (!child_ended) return false;
  child_ended = 0;
  return waitid(P_PID, (id_t)session.child, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

static int watch(struct lag_source *s, const struct options *o, FILE *to) {
  uint64_t begun = s->meter->begun_ns, shown = begun, now;
  bool terminal = isatty(fileno(to)) && !o->command;
  double interval = o->interval_s > 0 ? o->interval_s : terminal ? 1 : 0;
  int error = 0;
  while (!error && !stop && !command_ended()) {
    error = s->look(s, s->sample_ms > 0 ? (int)s->sample_ms : LOOK_MS);
    now = lag_now_ns();
    if (o->time_s > 0 && (double)(now - begun) >= o->time_s * 1e9) break;
    if (interval <= 0 || (double)(now - shown) < interval * 1e9) continue;
    shown = now;
    lag_until(s->meter, now);
    if (terminal) fputs("\033[H\033[J", to);
    if (!error) error = lag_print(to, s, LIVE_ROWS);
    if (!terminal) fputc('\n', to);
    if (fflush(to)) break; /* nobody reads it any more */
  }
  if (!error) error = s->look(s, 0);
  lag_until(s->meter, lag_now_ns());
  return error ? fail(1, "%s", error == ENOMEM ? "no memory" : lag_why()) : 0;
}

static int report(struct lag_source *s, FILE *to, FILE *json) {
  if (s->whom.whom != LAG_TREE && !lag_anything(s->meter))
    return fail(1, "no watched thread was ever runnable: check what is watched");
  int error = json ? lag_write_json(json, s) : 0;
  if (!error) error = lag_print(to, s, END_ROWS);
  return error ? fail(1, "no memory") : 0;
}

/* From the command's start, for which it waits, to the report. */
static int measure(const struct options *o, FILE *json, FILE *timeline, int go) {
  struct lag_source s = {.whom = o->whom};
  struct lag_perfetto perfetto;
  FILE *to = o->command ? stderr : stdout; /* the standard output is the command's */
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  s.whom.own = getpid();
  if (o->command) s.whom.pid = session.program;
  signal(SIGPIPE, SIG_IGN); /* else its end would take the other files along */
  s.meter = lag_meter_new(o->cpus ? (uint32_t)o->cpus : (uint32_t)online);
  if (!s.meter) return fail(1, "no memory");
  if (timeline) lag_perfetto_begin(&perfetto, timeline, s.meter, LAG_TIMELINE_MOST);
  int status = open_source(&s, o);
  if (status) return status;
  come_first();
  s.own_before_ms = lag_own_ms();
  cl_session_begin(&session);
  if (o->command) status = write(go, "g", 1) == 1 ? 0 : fail(1, "the command's process ended before it started");
  if (!status) status = watch(&s, o, to);
  if (!status) status = report(&s, to, json);
  if (timeline) lag_perfetto_end(&perfetto);
  if (timeline && perfetto.full_ns)
    fprintf(stderr, "lagmeter: %s stops at %.3f s, at its limit of %u MiB: watch fewer threads, or for less time\n",
            o->perfetto, (double)(perfetto.full_ns - s.meter->begun_ns) / 1e9, LAG_TIMELINE_MOST >> 20);
  s.close(&s);
  lag_meter_free(s.meter);
  return status;
}

static int measure_command(const struct options *o, FILE *json, FILE *timeline) {
  int go, ended = 0, error = start(o, &go);
  if (error) return fail(1, "cannot create a process or its terminal: %s", strerror(error));
  int status = measure(o, json, timeline, go);
  close(go);
  while (waitpid(session.child, &ended, 0) < 0 && errno == EINTR)
    continue; /* ended by -t or Ctrl-C: the command goes on to its end */
  cl_session_ended(&session, session.child, &ended, NULL);
  cl_session_close(&session);
  int of_command = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
  return of_command ? of_command : status;
}

int main(int count, char **words) {
  struct options o = {0};
  const struct sigaction noted = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NOCLDSTOP};
  FILE *json = NULL, *timeline = NULL;
  cl_session_descriptors();
  int status = parse(count, words, &o);
  if (status) return fflush(stdout) ? 1 : status - 1;
  if (o.whom.whom == LAG_PROCESS && kill(o.whom.pid, 0) && errno == ESRCH)
    return fail(1, "there is no process %d", o.whom.pid);
  if (open_file(o.json, &json) || open_file(o.perfetto, &timeline)) return 1;
  sigaction(SIGINT, &noted, NULL);
  sigaction(SIGTERM, &noted, NULL);
  sigaction(SIGCHLD, &noted, NULL);
  status = o.command ? measure_command(&o, json, timeline) : measure(&o, json, timeline, -1);
  if (json && close_file(o.json, json) && !status) status = 1;
  if (timeline && close_file(o.perfetto, timeline) && !status) status = 1;
  return status;
}
