/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The command lagmeter: options, the command that it starts, and when to print. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <math.h>
#include <pwd.h>
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

#define GROUPS "/sys/fs/cgroup"
#define LOOK_MS 100   /* how often events are read, unless there are many */
#define SAMPLE_MS 10
#define END_ROWS 40
#define LIVE_ROWS 20
#define PATH "/usr/local/bin:/usr/bin:/bin" /* for a command of another user */

struct options {
  struct lag_filter whom;
  const char *json, *perfetto, *cgroup;
  const struct passwd *user; /* NULL: the command is not to be another's */
  double time_s, sample_ms, interval_s;
  uint64_t cpus;
  bool chosen, verbose;
  char **command;
};

static volatile sig_atomic_t stop, child_ended;

static void on_signal(int number) {
  if (number == SIGCHLD) child_ended = 1;
  else stop = 1;
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
        o->user = getpwnam(optarg);
        if (!o->user) status = fail(2, "--as %s: there is no such user", optarg);
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
  if (o->user && !o->command) return 1 + fail(2, "--as needs a command: give one after --");
  if (o->user && geteuid()) return 1 + fail(1, "--as needs root: run it with sudo");
  int status = o->cgroup ? find_group(o) : 0;
  return status ? 1 + status : 0;
}

/* Another user's command keeps language and terminal from the environment, and gets its own identity. 0, or an errno
 * number. */
static int become(const struct passwd *user) {
  static const char *const kept[] = {"TERM", "LANG", "TZ"};
  char **before = environ, *none = NULL;
  if (initgroups(user->pw_name, user->pw_gid) || setresgid(user->pw_gid, user->pw_gid, user->pw_gid) ||
      setresuid(user->pw_uid, user->pw_uid, user->pw_uid))
    return errno;
  environ = &none;
  for (; *before; before++) {
    size_t length = strcspn(*before, "=");
    bool keep = strncmp(*before, "LC_", 3) == 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
      keep |= strlen(kept[i]) == length && strncmp(*before, kept[i], length) == 0;
    if (keep && putenv(*before)) return errno;
  }
  const char *shell = *user->pw_shell ? user->pw_shell : "/bin/sh";
  return setenv("PATH", PATH, 1) || setenv("HOME", user->pw_dir, 1) || setenv("USER", user->pw_name, 1) ||
                 setenv("LOGNAME", user->pw_name, 1) || setenv("SHELL", shell, 1)
             ? errno
             : 0;
}

/* The command waits for a word before it begins. */
static int start(char **command, const struct passwd *user, pid_t *pid, int *go) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC)) return errno;
  *pid = fork();
  if (*pid < 0) return errno;
  if (*pid == 0) {
    char word;
    close(pipe_ends[1]);
    if (read(pipe_ends[0], &word, 1) != 1) _exit(1); /* lagmeter did not come so far */
    errno = user ? become(user) : 0;
    if (errno) {
      fail(0, "cannot become %s: %s", user->pw_name, strerror(errno));
      _exit(126);
    }
    execvp(command[0], command);
    fail(0, "cannot run %s: %s", command[0], strerror(errno));
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

static int watch(struct lag_source *s, const struct options *o, FILE *to) {
  uint64_t begun = s->meter->begun_ns, shown = begun, now;
  bool terminal = isatty(fileno(to)) && !o->command;
  double interval = o->interval_s > 0 ? o->interval_s : terminal ? 1 : 0;
  int error = 0;
  while (!error && !stop && !child_ended) {
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

static int measure(const struct options *o, FILE *json, FILE *timeline) {
  struct lag_source s = {.whom = o->whom};
  struct lag_perfetto perfetto;
  FILE *to = o->command ? stderr : stdout; /* the standard output is the command's */
  pid_t pid = 0;
  int go = -1, ended = 0, status;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  s.whom.own = getpid();
  if (o->command && (status = start(o->command, o->user, &pid, &go)))
    return fail(1, "cannot start a process: %s", strerror(status));
  if (pid) s.whom.pid = pid;
  signal(SIGPIPE, SIG_IGN); /* else its end would take the other files along */
  s.meter = lag_meter_new(o->cpus ? (uint32_t)o->cpus : (uint32_t)online);
  if (!s.meter) return fail(1, "no memory");
  if (timeline) lag_perfetto_begin(&perfetto, timeline, s.meter, LAG_TIMELINE_MOST);
  status = open_source(&s, o);
  if (status) return status;
  come_first();
  s.own_before_ms = lag_own_ms();
  if (pid) status = write(go, "g", 1) == 1 ? 0 : fail(1, "the command's process ended before it started");
  if (!status) status = watch(&s, o, to);
  if (!status) status = report(&s, to, json);
  if (timeline) lag_perfetto_end(&perfetto);
  if (timeline && perfetto.full_ns)
    fprintf(stderr, "lagmeter: %s stops at %.3f s, at its limit of %u MiB: watch fewer threads, or for less time\n",
            o->perfetto, (double)(perfetto.full_ns - s.meter->begun_ns) / 1e9, LAG_TIMELINE_MOST >> 20);
  s.close(&s);
  lag_meter_free(s.meter);
  if (!pid) return status;
  close(go);
  while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
    continue; /* ended by -t or Ctrl-C: the command goes on to its end */
  int of_command = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
  return of_command ? of_command : status;
}

int main(int count, char **words) {
  struct options o = {0};
  const struct sigaction noted = {.sa_handler = on_signal};
  FILE *json = NULL, *timeline = NULL;
  int status = parse(count, words, &o);
  if (status) return fflush(stdout) ? 1 : status - 1;
  if (o.whom.whom == LAG_PROCESS && kill(o.whom.pid, 0) && errno == ESRCH)
    return fail(1, "there is no process %d", o.whom.pid);
  if (open_file(o.json, &json) || open_file(o.perfetto, &timeline)) return 1;
  sigaction(SIGINT, &noted, NULL);
  sigaction(SIGTERM, &noted, NULL);
  sigaction(SIGCHLD, &noted, NULL);
  status = measure(&o, json, timeline);
  if (json && close_file(o.json, json) && !status) status = 1;
  if (timeline && close_file(o.perfetto, timeline) && !status) status = 1;
  return status;
}
