/* SPDX-License-Identifier: Apache-2.0
 *
 * chaos tool|plain FOLDER PREFIX... <SCENARIO: performs a scenario with `coreloom exclusive`, one step per line, and
 * reports whether the machine is then as it was (`state PREFIX...`, kept in FOLDER/before and FOLDER/after). plain: the
 * same without the tool: programs are started directly, steps about the tool are skipped.
 *
 *   victim K THREADS same|mixed GROUP|-   a process for `attach`; mixed: each thread with its own affinity
 *   hostile COUNT                         unprivileged processes that keep changing their own affinity
 *   before                                the state to compare with
 *   storm, calm                           many short processes begin, end
 *   start K WORD...                       the tool with these words; @K is the pid of victim K
 *   held K, gone K                        waits until K's program has its CPU, K's tool has ended
 *   us N; part start|stop K N             sleeps; for N/1000 of the time that starting or stopping K took before
 *   term K, end K                         SIGTERM to the tool; SIGKILL to the program that it started
 *   kill tool|watcher|both K, kill every  SIGKILL; every: all processes of the tool's executable
 *   pause K, continue K                   SIGSTOP, SIGCONT to the tool
 *   cpu N 0|1                             offline, online
 *   restore [WORD]                        the tool's command, K stands for the pid of K's tool
 *   remove K|all                          the files of K's reservation, or of all, and the lock
 *   quiet                                 the hostile processes stop changing their affinity
 *   settle programs|restore               everything ends and is compared; which comes first if the tool left something
 *
 * Prints "equal" or "unequal", "exit N" for each tool, "asked N LIST" for the hostile processes, "problem TEXT"; exits
 * with 1 if a scenario cannot be read. It checks only files, statuses and processes, never the tool's output. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "program.h"

#define TOOL "coreloom-exclusive"
#define JOURNALS "/run/coreloom-exclusive"
#define MOST 4        /* reservations, hostile processes, CPUs */
#define PATIENCE_S 30 /* for what a busy host makes slow */
#define ENDING_S 3    /* for tasks that are just ending */
#define FIRST_S 0.2   /* what starting and stopping take, until it is known */

static const char how[] = "chaos tool|plain FOLDER PREFIX... <SCENARIO";

static struct reservation {
  pid_t tool, victim, program; /* program: in plain mode, what the tool would have started */
  int cpu, status;
  bool started, ended, attach, tool_killed, watcher_killed, paused;
  char mechanism[32];
  double began, told;
} all[MOST];

static struct {
  volatile int go, stop, all_cpus, there[MOST], quiet[MOST], asked[MOST]; /* asked: bits of a mask */
} *shared;
static pid_t hostile[MOST], storm;
static int hostiles, problems;
static bool plain, needs_restore;
static const char *folder;
static char **dump; /* the command that prints the state */

static void problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void problem(const char *format, ...) {
  va_list values;
  va_start(values, format);
  printf("problem ");
  vprintf(format, values);
  puts("");
  va_end(values);
  problems++;
}

static void bad(const char *line) {
  fprintf(stderr, "chaos: no step: %s\n", line);
  exit(1);
}

/* --- processes --- */

struct process {
  pid_t pid, parent;
  char name[20];
};

/* Those of an executable. Zombies have none. */
static int processes(const char *executable, struct process *found, int most) {
  DIR *list = opendir("/proc");
  int count = 0;
  for (struct dirent *one; list != NULL && count < most && (one = readdir(list)) != NULL;) {
    char path[280], target[64], text[512];
    if (!isdigit((unsigned char)one->d_name[0])) continue;
    snprintf(path, sizeof path, "/proc/%s/exe", one->d_name);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) continue;
    target[length] = '\0';
    if (strcmp(target, executable) != 0) continue;
    snprintf(path, sizeof path, "/proc/%s/stat", one->d_name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (length <= 0) continue;
    text[length] = '\0';
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (open == NULL || close == NULL || close[2] == 'Z') continue;
    struct process *to = &found[count++];
    to->pid = atoi(one->d_name);
    to->parent = (pid_t)strtol(close + 3, NULL, 10);
    snprintf(to->name, sizeof to->name, "%.*s", (int)(close - open - 1), open + 1);
  }
  if (list != NULL) closedir(list);
  return count;
}

static int of_tool(struct process *found, int most) { return processes("/usr/bin/" TOOL, found, most); }

static void reap(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    for (int k = 0; k < MOST; k++)
      if (all[k].tool == pid && !all[k].ended) {
        all[k].ended = true;
        all[k].status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      }
}

/* The prey of that name, or all; by the arguments, which are there from the first moment on. */
static int preys(const char *name, struct process *found, int most) {
  int all_of_us = processes("/usr/bin/chaos", found, most), count = 0;
  for (int i = 0; i < all_of_us; i++) {
    char path[64], text[128] = "";
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)found[i].pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    const char *second = length > 0 ? text + strlen(text) + 1 : "", *third = second + strlen(second) + 1;
    if (length <= 0 || strcmp(second, "prey") != 0 || (name && strcmp(third, name) != 0)) continue;
    found[count++] = found[i];
  }
  return count;
}

/* Polls; false: in vain. */
static bool wait_until(bool (*is)(struct reservation *), struct reservation *r, double seconds) {
  for (double end = now(CLOCK_MONOTONIC) + seconds; !is(r); usleep(4000)) {
    if (now(CLOCK_MONOTONIC) > end) return false;
    reap();
  }
  return true;
}

static void to_log(void) {
  char path[512];
  snprintf(path, sizeof path, "%s/log", folder);
  int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(log, 1);
  dup2(log, 2);
}

static pid_t start(char *const *word, const char *output) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0) exit(failed("chaos", "fork"));
  if (pid > 0) return pid;
  setpgid(0, 0);
  to_log();
  if (output != NULL) dup2(open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), 1);
  execvp(word[0], word);
  _exit(127);
}

static int status_of(char *const *word) {
  pid_t pid = start(word, NULL);
  int status = 0;
  double end = now(CLOCK_MONOTONIC) + PATIENCE_S;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (now(CLOCK_MONOTONIC) > end) {
      problem("%s %s did not end", word[0], word[1]);
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      break;
    }
    usleep(1000);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* --- programs: those given CPUs, and those in the way --- */

static void allow(int mask) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < MOST; cpu++)
    if (mask >> cpu & 1) CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static void *prey_thread(void *text) {
  static const int masks[] = {0xf, 0xe, 0x2, 0xc, 0x5};
  int number = 0, mixed = 0;
  char name[16] = "", kind = 0;
  if (sscanf(text, "%d %c %15s", &number, &kind, name) == 3) mixed = kind == 'm';
  prctl(PR_SET_NAME, name);
  if (mixed) allow(masks[number % 5]);
  *(char *)text = '\0'; /* it is there */
  for (;;) pause();
  return NULL;
}

/* prey NAME THREADS same|mixed READY: sleeping threads; READY is there when they are. */
static int prey(char **word) {
  static char text[64][32];
  int count = atoi(word[1]);
  for (int i = 0; i < count && i < 64; i++) {
    pthread_t thread;
    snprintf(text[i], sizeof text[i], "%d %c %s.%d", i, *word[2], word[0], i);
    if (i && pthread_create(&thread, NULL, prey_thread, text[i])) return failed("chaos", "prey");
  }
  for (int i = 1; i < count; i++)
    while (((volatile char *)text[i])[0] != '\0') usleep(500);
  char name[32];
  snprintf(name, sizeof name, "%s.0", word[0]);
  prctl(PR_SET_NAME, name);
  if (close(open(word[3], O_WRONLY | O_CREAT | O_CLOEXEC, 0600))) return 1;
  for (;;) pause();
}

static void harass(int n) {
  unsigned int seed = (unsigned int)getpid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (setgid(65534) || setuid(65534)) _exit(1);
  prctl(PR_SET_NAME, "hostile");
  shared->there[n] = 1;
  while (!shared->go) usleep(1000);
  while (!shared->stop) {
    int mask = 1 + rand_r(&seed) % 15;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int cpu = 0; cpu < MOST; cpu++)
      if (mask >> cpu & 1) CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) == 0) shared->asked[n] = mask;
    usleep((useconds_t)(rand_r(&seed) % 3000));
  }
  if (shared->all_cpus) {
    allow(0xf);
    shared->asked[n] = 0xf;
  }
  shared->quiet[n] = 1;
  for (;;) pause();
}

static void start_hostile(int count) {
  for (; hostiles < count && hostiles < MOST; hostiles++) {
    fflush(stdout);
    shared->asked[hostiles] = 0xf;
    if ((hostile[hostiles] = fork()) == 0) harass(hostiles);
    while (!shared->there[hostiles] && waitpid(hostile[hostiles], NULL, WNOHANG) == 0) usleep(500);
  }
}

static bool are_quiet(struct reservation *none) {
  (void)none;
  for (int i = 0; i < hostiles; i++)
    if (!shared->quiet[i]) return false;
  return true;
}

static void quiet(bool with_all_cpus) {
  if (shared->stop) return;
  shared->all_cpus = with_all_cpus;
  shared->stop = 1;
  if (!wait_until(are_quiet, NULL, PATIENCE_S)) problem("the hostile did not end");
}

static void ready_file(int k, char path[512]) { snprintf(path, 512, "%s/ready.%d", folder, k); }

static bool is_ready(struct reservation *r) {
  char path[512];
  ready_file((int)(r - all), path);
  return access(path, F_OK) == 0;
}

static void start_victim(int k, const char *threads, const char *kind, const char *group) {
  char name[16], ready[512], place[300];
  snprintf(name, sizeof name, "prey%d", k);
  ready_file(k, ready);
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0) exit(failed("chaos", "victim"));
  if (pid == 0) {
    snprintf(place, sizeof place, "%s/cgroup.procs", group);
    int fd = *group == '-' ? -1 : open(place, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "0", 1) != 1) _exit(1);
    if (fd >= 0) close(fd);
    setpgid(0, 0);
    to_log();
    execl("/proc/self/exe", "chaos", "prey", name, threads, kind, ready, (char *)NULL);
    _exit(127);
  }
  all[k].victim = pid;
  if (!wait_until(is_ready, &all[k], PATIENCE_S)) problem("victim %d is not there", k);
}

/* --- a reservation --- */

static bool ended(struct reservation *r) { return r->ended; }

static bool holds(struct reservation *r) {
  cpu_set_t set;
  if (r->ended) return true;
  if (!r->attach || plain) return is_ready(r);
  return sched_getaffinity(r->victim, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(r->cpu, &set);
}

/* How long starting or stopping took the last time, by mechanism; files, so that the next scenario knows. */
static double took(const char *what, const struct reservation *r, double value) {
  char path[512];
  snprintf(path, sizeof path, "%s/took.%s.%s", folder, what, r->mechanism);
  FILE *file = fopen(path, value > 0 ? "w" : "r");
  if (file == NULL) return FIRST_S;
  if (value > 0) fprintf(file, "%f\n", value);
  else if (fscanf(file, "%lf", &value) != 1) value = FIRST_S;
  fclose(file);
  return value;
}

static void begin(int k, char **word) {
  static char text[MOST][16], ready[MOST][512], name[MOST][16];
  char *run[64] = {TOOL}, path[512];
  int count = 1;
  struct reservation *r = &all[k];
  ready_file(k, ready[k]);
  snprintf(name[k], sizeof name[k], "prey%d", k);
  r->attach = strcmp(word[0], "attach") == 0;
  if (!r->attach) unlink(ready[k]);
  for (int i = 0; word[i] && count < 56; i++) {
    if (word[i][0] == '@') {
      snprintf(text[k], sizeof text[k], "%d", (int)all[atoi(word[i] + 1)].victim);
      run[count++] = text[k];
    } else run[count++] = word[i];
    if (strcmp(word[i], "--mechanism") == 0) snprintf(r->mechanism, sizeof r->mechanism, "%s", word[i + 1]);
    if (strcmp(word[i], "--cpu") == 0) r->cpu = atoi(word[i + 1]);
    if (strcmp(word[i], "--") == 0) { /* THREADS KIND follow */
      char *const program[] = {"/usr/bin/chaos", "prey", name[k], word[i + 1], word[i + 2], ready[k]};
      memcpy(&run[count], program, sizeof program);
      if (plain) r->tool = start(&run[count], NULL);
      count += 6;
      break;
    }
  }
  r->started = true;
  r->began = now(CLOCK_MONOTONIC);
  snprintf(path, sizeof path, "%s/out.%d", folder, k);
  if (!plain) r->tool = start(run, NULL);
  else if (r->attach) r->ended = true;
}

static void wait_held(struct reservation *r) {
  if (!wait_until(holds, r, PATIENCE_S)) problem("reservation %d does not begin", (int)(r - all));
  else if (!plain && !r->ended && !r->tool_killed) took("start", r, now(CLOCK_MONOTONIC) - r->began);
}

static void wait_gone(struct reservation *r) {
  if (!r->started || r->paused) return;
  if (!wait_until(ended, r, PATIENCE_S)) {
    problem("tool %d does not end", (int)(r - all));
    kill(r->tool, SIGKILL);
    wait_until(ended, r, PATIENCE_S);
    needs_restore = true;
  } else if (!plain && r->told > 0 && !r->tool_killed) took("stop", r, now(CLOCK_MONOTONIC) - r->told);
  r->told = 0;
}

static void tell(struct reservation *r, int number) {
  if (!r->started || r->ended) return;
  r->told = now(CLOCK_MONOTONIC);
  kill(r->tool, number);
}

/* The program that a tool has started: by its name, as it may live on when the tool is dead. */
static void end_program(int k) {
  struct process found[64];
  char name[16];
  snprintf(name, sizeof name, "prey%d", k);
  int count = preys(name, found, 64);
  for (int i = 0; i < count; i++)
    if (found[i].pid != all[k].victim) kill(found[i].pid, SIGKILL);
  if (!all[k].attach && all[k].told <= 0) all[k].told = now(CLOCK_MONOTONIC);
}

/* A watcher: a child of the tool that is neither the program nor waiting to become it; where none is the tool's
 * child, one shared by all tools. */
static int watchers(const struct reservation *r, pid_t *to) {
  struct process found[64];
  int count = of_tool(found, 64), some = 0;
  for (int pass = 0; pass < 3 && some == 0; pass++)
    for (int i = 0; i < count; i++) {
      bool child = found[i].parent == r->tool, of_other = false,
           other_name = strcmp(found[i].name, "coreloom-exclus") != 0;
      for (int k = 0; k < MOST; k++)
        of_other |= all[k].tool == found[i].pid || (&all[k] != r && all[k].tool > 0 && all[k].tool == found[i].parent);
      if (of_other) continue;
      if (pass == 0 ? child && other_name : pass == 1 ? child && some == 0 : other_name) to[some++] = found[i].pid;
    }
  return some;
}

static void kill_some(const char *whom, struct reservation *r) {
  pid_t pid[64];
  if (plain) return;
  if (strcmp(whom, "every") == 0) {
    struct process found[64];
    for (int count; (count = of_tool(found, 64)) > 0; reap())
      for (int i = 0; i < count; i++) kill(found[i].pid, SIGKILL);
    for (int k = 0; k < MOST; k++) all[k].tool_killed = all[k].watcher_killed |= all[k].started;
    needs_restore = true;
    return;
  }
  if (!r->started) return;
  bool tool = strcmp(whom, "watcher") != 0, watcher = strcmp(whom, "tool") != 0;
  int count = watcher ? watchers(r, pid) : 0;
  if (tool && !r->ended) {
    kill(r->tool, SIGKILL);
    r->tool_killed = true;
  }
  for (int i = 0; i < count; i++) kill(pid[i], SIGKILL);
  if (watcher) r->watcher_killed = true;
  needs_restore |= r->tool_killed && r->watcher_killed;
}

static void remove_files(int k) {
  DIR *list = opendir(JOURNALS);
  char begin[16];
  snprintf(begin, sizeof begin, "%d.", k < 0 ? 0 : (int)all[k].tool);
  for (struct dirent *one; list != NULL && (one = readdir(list)) != NULL;) {
    if (one->d_name[0] == '.') continue;
    if (k < 0 || strncmp(one->d_name, begin, strlen(begin)) == 0) unlinkat(dirfd(list), one->d_name, 0);
  }
  if (list != NULL) closedir(list);
}

static bool is_offline(const char *path) {
  char is = '1';
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool offline = fd >= 0 && read(fd, &is, 1) == 1 && is == '0';
  if (fd >= 0) close(fd);
  return offline;
}

static void set_cpu(int cpu, char value) {
  char path[64];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", cpu);
  /* The kernel treats a task whose CPU is offline when the task wakes: the control run has to show all of that. */
  if (plain && value == '1' && is_offline(path)) usleep(300000);
  for (int tries = 0; tries < 200; tries++) { /* busy for a moment, now and then */
    int fd = open(path, O_RDWR | O_CLOEXEC);
    char is = 0;
    if (fd < 0) return;
    bool there = read(fd, &is, 1) == 1 && is == value;
    if (!there) there = pwrite(fd, &value, 1, 0) == 1;
    close(fd);
    if (there) return;
    usleep(5000);
  }
  problem("CPU %d does not go %s", cpu, value == '1' ? "online" : "offline");
}

/* --- the end --- */

static void print_state(const char *name) {
  char path[512];
  int status = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  pid_t pid = start(dump, path);
  if (waitpid(pid, &status, 0) != pid || status) problem("state ended with %d", status);
}

static char *content(const char *name, size_t *length) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "r");
  char *text = malloc(1 << 22);
  if (file == NULL || text == NULL) exit(failed("chaos", path));
  *length = fread(text, 1, 1 << 22, file);
  fclose(file);
  return text;
}

static bool as_before(void) {
  size_t a, b;
  char *before = content("before", &a), *after = content("after", &b);
  bool same = a == b && memcmp(before, after, a) == 0;
  free(before);
  free(after);
  return same;
}

static bool no_tool(struct reservation *none) {
  struct process found[1];
  (void)none;
  return of_tool(found, 1) == 0;
}

static bool no_program(struct reservation *none) {
  struct process found[64];
  int alive = preys(NULL, found, 64);
  (void)none;
  for (int k = 0; k < MOST; k++) alive -= all[k].victim > 0;
  return alive <= 0;
}

static void end_all_programs(void) {
  for (int k = 0; k < MOST; k++) end_program(k);
  if (!wait_until(no_program, NULL, PATIENCE_S)) problem("a program does not end");
}

static void calm(void) {
  if (storm <= 0) return;
  kill(storm, SIGTERM);
  waitpid(storm, NULL, 0);
  storm = 0;
}

static void settle(bool restore_first) {
  static char *restore[] = {TOOL, "restore", NULL}, *verify[] = {TOOL, "verify", NULL};
  reap();
  for (int k = 0; k < MOST; k++) {
    struct reservation *r = &all[k];
    if (!r->started) continue;
    if (r->paused) kill(r->tool, SIGCONT);
    r->paused = false;
    tell(r, SIGTERM); /* what has not ended by its own steps */
    if (!r->attach && !r->tool_killed) end_program(k);
  }
  for (int k = 0; k < MOST; k++) wait_gone(&all[k]);
  for (int cpu = 1; cpu < MOST; cpu++) set_cpu(cpu, '1'); /* a watcher may wait for that */
  if (!plain && !wait_until(no_tool, NULL, PATIENCE_S)) {
    problem("a process of the tool does not end");
    kill_some("every", NULL);
  }
  int status = 0;
  if (restore_first && needs_restore && !plain) status = status_of(restore);
  end_all_programs();
  if (!restore_first && needs_restore && !plain) status = status_of(restore);
  if (status) problem("restore ended with %d", status);
  calm();
  quiet(true);
  reap();
  bool equal = false;
  double end = now(CLOCK_MONOTONIC) + ENDING_S;
  do {
    print_state("after");
    equal = as_before();
    if (!equal) usleep(20000);
    reap();
  } while (!equal && now(CLOCK_MONOTONIC) < end);
  if (!plain && (status = status_of(verify)) != 0) problem("verify ended with %d", status);
  puts(equal ? "equal" : "unequal");
  for (int k = 0; k < MOST; k++)
    if (all[k].started) printf("exit %d\n", all[k].status);
  for (int i = 0; i < hostiles; i++) {
    printf("asked %d ", (int)hostile[i]);
    for (int cpu = 0, first = 1; cpu < MOST; cpu++) { /* as the kernel writes lists: runs of CPUs */
      if (!(shared->asked[i] >> cpu & 1)) continue;
      int last = cpu;
      while (shared->asked[i] >> (last + 1) & 1) last++;
      printf(last > cpu ? "%s%d-%d" : "%s%d", first ? "" : ",", cpu, last);
      first = 0;
      cpu = last;
    }
    puts("");
  }
  for (int i = 0; i < hostiles; i++) kill(hostile[i], SIGKILL);
  for (int k = 0; k < MOST; k++)
    if (all[k].victim > 0) kill(all[k].victim, SIGKILL);
  while (waitpid(-1, NULL, 0) > 0) continue;
}

/* --- steps --- */

static int index_of(const char *text) {
  if (text == NULL || !isdigit((unsigned char)*text) || atoi(text) >= MOST) bad(text ? text : "(a number is missing)");
  return atoi(text);
}

static void restore_by_hand(const char *which) {
  char id[16], *word[] = {TOOL, "restore", NULL, NULL};
  if (which && isdigit((unsigned char)*which)) {
    snprintf(id, sizeof id, "%d", (int)all[index_of(which)].tool);
    word[2] = id;
  } else if (which) word[2] = (char *)which;
  if (!plain) status_of(word); /* an ID may have ended */
}

static void step(char **word, int count) {
  const char *what = word[0];
  char *first = word[1], *second = first ? word[2] : NULL;
  struct reservation *r = first && isdigit((unsigned char)*first) && atoi(first) < MOST ? &all[atoi(first)] : NULL;
  reap();
  if (strcmp(what, "victim") == 0 && count == 5) start_victim(index_of(first), second, word[3], word[4]);
  else if (strcmp(what, "hostile") == 0 && count == 2) start_hostile(atoi(first));
  else if (strcmp(what, "before") == 0) {
    print_state("before");
    shared->go = 1;
  } else if (strcmp(what, "storm") == 0) storm = start((char *[]){"spawn", "-w", "1", "2", NULL}, NULL);
  else if (strcmp(what, "calm") == 0) calm();
  else if (strcmp(what, "start") == 0 && r && second) begin(index_of(first), word + 2);
  else if (strcmp(what, "held") == 0 && r) wait_held(r);
  else if (strcmp(what, "gone") == 0 && r) wait_gone(r);
  else if (strcmp(what, "us") == 0 && first) usleep((useconds_t)atoi(first));
  else if (strcmp(what, "part") == 0 && count == 4)
    usleep((useconds_t)(took(first, &all[index_of(second)], 0) * 1000 * atoi(word[3])));
  else if (strcmp(what, "term") == 0 && r) tell(r, SIGTERM);
  else if (strcmp(what, "end") == 0 && r) end_program(index_of(first));
  else if (strcmp(what, "kill") == 0 && first) kill_some(first, second ? &all[index_of(second)] : NULL);
  else if (strcmp(what, "pause") == 0 && r) {
    if (!plain && r->started && !r->ended) kill(r->tool, SIGSTOP);
    r->paused = !plain && r->started && !r->ended;
  } else if (strcmp(what, "continue") == 0 && r) {
    if (r->paused) kill(r->tool, SIGCONT);
    r->paused = false;
  } else if (strcmp(what, "cpu") == 0 && count == 3) set_cpu(atoi(first), *second);
  else if (strcmp(what, "restore") == 0) restore_by_hand(first);
  else if (strcmp(what, "remove") == 0 && first) {
    if (!plain) remove_files(strcmp(first, "all") == 0 ? -1 : index_of(first));
  } else if (strcmp(what, "quiet") == 0) quiet(false);
  else if (strcmp(what, "settle") == 0 && first) settle(*first == 'r');
  else bad(what);
}

int main(int argc, char **argv) {
  char line[1024];
  if (argc == 6 && strcmp(argv[1], "prey") == 0) return prey(argv + 2);
  if (argc < 3 || (strcmp(argv[1], "tool") != 0 && strcmp(argv[1], "plain") != 0)) usage(how);
  plain = *argv[1] == 'p';
  folder = argv[2];
  argv[2] = "state";
  dump = argv + 2;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return failed("chaos", "no memory");
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* programs whose tool is dead come here, and leave no zombie */
  while (fgets(line, sizeof line, stdin)) {
    char *word[48] = {NULL};
    int count = 0;
    for (char *at = strtok(line, " \n"); at && count < 47; at = strtok(NULL, " \n")) word[count++] = at;
    if (count) step(word, count);
  }
  return 0;
}
