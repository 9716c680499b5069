/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "layers.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "out.h"
#include "proof.h"
#include "restore.h"
#include "say.h"
#include "session.h"
#include "settle.h"
#include "state.h"
#include "target.h"
#include "urgent.h"
#include "watch.h"

#define SWEEP_S 0.1
#define CHECK_S 0.25 /* is all still as it was made? */
#define LOCK_S 60.0 /* the longest wait for another tool that sets up or takes down */
#define TELL_S 0.5  /* a longer wait is said */
#define AGAIN_S 0.2 /* how often it is tried whether a CPU has become free */
#define WHY 4096
#define TRY_AGAIN (-1)

/* A process of an attach: its counters when it was first read, and when last. */
struct counted {
  int tid;
  unsigned long long born;
  struct cl_program began, seen;
};

struct run {
  const struct cl_request *request;
  const struct cl_output *output;
  struct cl_out report;
  struct cl_hold hold;
  struct cl_layer layer;
  struct cl_baseline base;
  const struct cl_mechanism *mechanism;
  struct cl_watcher watcher;
  struct cl_watch *strays;
  struct cl_proof proof;
  struct cl_target target;
  struct counted *counted; /* attach: all that were there */
  size_t counted_count;
  char executable[PATH_MAX];
  struct cl_user user;
  struct cl_session session;
  sigset_t before; /* signals blocked when the tool was started */
  int signals, pidfd;
  int go, failed;   /* run: pipes to the child: its start; the error of its exec */
  bool child_waits; /* for its start */
  bool child_lives;
  int child_status;
  double entered, deadline;
  double patience; /* until when it is waited for CPUs that are held (--wait) */
  int told;         /* signals so far */
  bool unfinished; /* something is left to do for the watcher */
  bool held, offline_said, away_said, group_said, wait_said;
};

/* State 0: is the request possible? Nothing is changed by these. */

static int find_executable(struct run *r) {
  const char *name = r->request->command[0], *path = getenv("PATH");
  bool found = false;
  struct stat file;
  if (strchr(name, '/')) path = "";
  else if (path == NULL) path = "/usr/local/bin:/usr/bin:/bin";
  for (const char *at = path, *end; *name != '\0'; at = end + 1) {
    end = at + strcspn(at, ":");
    size_t length = (size_t)(end - at);
    int size = strchr(name, '/') ? snprintf(r->executable, sizeof r->executable, "%s", name)
                                 : snprintf(r->executable, sizeof r->executable, "%.*s%s%s", (int)length, at,
                                            length ? "/" : "./", name);
    if ((size_t)size < sizeof r->executable && stat(r->executable, &file) == 0) {
      found = true;
      if (S_ISREG(file.st_mode) && access(r->executable, X_OK) == 0) return 0;
    }
    if (*end == '\0') break;
  }
  if (found) {
    cl_fail("%s is not executable", name);
    return CL_EXIT_CANNOT;
  }
  cl_fail("there is no command %s%s", name, strchr(name, '/') ? "" : " in PATH");
  return CL_EXIT_MISSING;
}

/* One of ours that another reservation has, too; 0: none. */
static int shared(const struct cl_tasks *ours, const struct cl_tasks *theirs) {
  for (size_t i = 0; i < ours->count; i++)
    for (size_t j = 0; j < theirs->count; j++)
      if (ours->task[i].pid == theirs->task[j].tid && ours->task[i].born == theirs->task[j].born)
        return ours->task[i].pid;
  return 0;
}

/* A program is in one reservation at most. */
static int check_free(const struct run *r) {
  struct cl_reservation *list;
  size_t count;
  int pid = 0, by = 0;
  if (cl_layers(&list, &count)) return 0; /* cl_choose says it */
  for (size_t i = 0; i < count && pid == 0; i++) {
    struct cl_held held;
    if (!list[i].alive) continue;
    cl_held_of(&list[i], &held);
    pid = shared(&r->target.process, &held.target.process);
    by = list[i].tool;
    cl_held_free(&held);
  }
  free(list);
  return pid ? cl_fail("process %d is already held by reservation %d", pid, by) : 0;
}

/* The name of the program's scope is not another's. */
static int check_unit(const struct cl_request *request) {
  char folder[CL_PATH_MOST];
  if (!cl_systemd_runs()) return cl_fail("--unit %s: systemd does not run here: leave it out", request->unit);
  if (cl_systemd_find(request->unit, folder, sizeof folder)) return 0;
  return cl_fail("--unit %s: this unit already exists: give another name", request->unit);
}

static int check_report(struct run *r) {
  const char *path = r->output->report;
  int error = path ? cl_out_open(path, &r->report) : 0;
  return error ? cl_fail("--report %s cannot be written: %s", path, cl_out_error(error)) : 0;
}

static int check_mechanism(const char *name) {
  char names[128] = "";
  for (int i = 0; cl_mechanisms[i]; i++) {
    if (name == NULL || strcmp(name, cl_mechanisms[i]->name) == 0) return 0;
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", cl_mechanisms[i]->name);
  }
  if (strncmp(name, "cpuset", strlen("cpuset")) == 0)
    return cl_fail(
        "the mechanism %s no longer exists: isolated and root replace it, affinity where there is no cgroup v2", name);
  return cl_fail("there is no mechanism %s: choose one of %s", name, names);
}

static int check(struct run *r, struct cl_request *request) {
  char why[WHY];
  int status = check_mechanism(request->mechanism);
  if (!status && request->command) status = find_executable(r);
  if (!status && request->command && request->unit) status = check_unit(request);
  if (!request->command) r->hold.target = &r->target;
  if (!status && request->command == NULL) status = cl_target_find(&r->hold, request);
  if (!status && request->user && !cl_user_find(request->user, &r->user, why, sizeof why))
    status = cl_fail("--as %s", why);
  if (!status) status = check_report(r);
  if (!status && request->command == NULL) status = check_free(r);
  return status;
}

/* The child: waits for the end of state 3, then becomes the program. */

static int set_priority(const struct cl_request *request) {
  struct sched_param param = {.sched_priority = request->fifo};
  if (request->fifo && syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &param)) return errno;
  return request->has_nice && setpriority(PRIO_PROCESS, 0, request->nice) ? errno : 0;
}

/* Restores the signal mask; ignored signals are as they were, as the tool ignores none before this process is
 * created, and handlers are reset by the exec. */
static void become(const struct run *r, int go, int failed) {
  char byte;
  if (read(go, &byte, 1) != 1) _exit(CL_EXIT_FAILED); /* the tool has refused, or was killed */
  int error = set_priority(r->request);
  if (!error && r->request->user) error = cl_user_become(&r->user);
  sigprocmask(SIG_SETMASK, &r->before, NULL);
  if (!error) execv(r->executable, r->request->command);
  if (!error) error = errno;
  if (write(failed, &error, sizeof error) < 0) _exit(CL_EXIT_FAILED);
  _exit(error == ENOENT ? CL_EXIT_MISSING : CL_EXIT_CANNOT);
}

static int start_child(struct run *r) {
  int go[2], failed[2];
  if (pipe2(go, O_CLOEXEC)) return errno;
  if (pipe2(failed, O_CLOEXEC)) return errno;
  pid_t pid;
  int error = cl_session_fork(&r->session, r->request->user ? &r->user : NULL, &pid);
  if (error) return error;
  if (pid == 0) {
    close(go[1]);
    close(r->watcher.fd); /* only the tool's own end tells the watcher of the tool */
    become(r, go[0], failed[1]);
  }
  close(go[0]);
  close(failed[1]);
  r->go = go[1];
  r->failed = failed[0];
  r->child_waits = r->child_lives = true;
  return cl_task_read(pid, &r->hold.program);
}

/* A child that has not become the program ends. */
static void drop_child(struct run *r) {
  if (r->child_waits) {
    close(r->go);
    close(r->failed);
    r->child_waits = false;
  }
  while (waitpid(r->session.child, &r->child_status, 0) < 0 && errno == EINTR) continue;
  r->child_lives = false;
}

/* Lets it go on to its exec. errno's number of what went wrong there. */
static int let_go(struct run *r) {
  int error = 0;
  cl_session_begin(&r->session);
  if (write(r->go, "g", 1) != 1) error = errno;
  ssize_t got;
  do got = read(r->failed, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  close(r->go);
  close(r->failed);
  r->child_waits = false;
  return error;
}

/* A signal that came while it is set up: 128 + N, or 0. */
static int interrupted(const struct run *r) {
  struct signalfd_siginfo info;
  while (read(r->signals, &info, sizeof info) == (ssize_t)sizeof info)
    if (info.ssi_signo != SIGCHLD) {
      cl_say("ended by signal %u: all changes undone", info.ssi_signo);
      return 128 + (int)info.ssi_signo;
    }
  return 0;
}

/* Takes the lock, which others hold only while they set up or release. While this tool sets up, a signal or a
 * timeout ends the wait; to release it waits as long as it takes. Returns the exit status. */
static int lock_state(const struct run *r, bool gives_back, int *lock) {
  double start = cl_now();
  bool said = false;
  char who[64];
  for (;;) {
    int error = cl_state_try(lock);
    if (error == 0) return 0;
    if (error != EWOULDBLOCK) return cl_fail("%s cannot be used: %s", CL_STATE, cl_state_error(error));
    double waited = cl_now() - start;
    int status = gives_back ? 0 : interrupted(r);
    if (status) return status;
    if (!gives_back && waited > LOCK_S)
      return cl_fail(
          "%s has been setting up or releasing a reservation for %.0f s: check what it is doing, then try again",
          cl_state_holder_text(who), waited);
    if (!said && waited > TELL_S)
      cl_say("waiting for %s, which is setting up or releasing a reservation", cl_state_holder_text(who));
    said |= waited > TELL_S;
    struct pollfd signals = {r->signals, POLLIN, 0};
    poll(&signals, !gives_back, 20);
  }
}

/* State 3 */

/* Written down as held, before anything is changed. */
static int hold_cpus(struct run *r) {
  struct cl_cpus held = cl_cpus_or(&r->base.held, &r->hold.cpus);
  return cl_baseline_hold(&r->base, &held);
}

static void command_text(const struct run *r, char *text, size_t size) {
  size_t length = 0;
  char whole[CL_TARGET_TEXT];
  bool several = r->target.process.count > 1 || r->target.folder[0];
  text[0] = '\0';
  if (r->request->command == NULL)
    snprintf(text, size, "%s", several ? cl_target_text(&r->hold, whole) : r->hold.program.name);
  for (char **word = r->request->command; word && *word && length < size; word++)
    length += (size_t)snprintf(text + length, size - length, "%s%s", length ? " " : "", *word);
}

/* Notes the program's cgroup and its tasks after the first. */
static int note_others(const struct run *r) {
  const struct cl_target *t = &r->target;
  char text[64];
  int error = t->folder[0] ? cl_layer_put_note(&r->layer, "cgroup", t->folder) : 0;
  if (r->request->command && r->request->unit) error = cl_layer_put_note(&r->layer, "unit", r->request->unit);
  for (size_t i = 0; i < t->process.count && !error && t->folder[0] == '\0'; i++) {
    const struct cl_task *task = &t->process.task[i];
    if (task->pid == r->hold.program.pid) continue;
    snprintf(text, sizeof text, "%d %llu", task->pid, task->born);
    error = cl_layer_put_note(&r->layer, "also", text);
  }
  return error;
}

/* Records the machine's settings before all reservations, and begins this one. */
static int open_layer(struct run *r) {
  struct cl_reservation first = {.tool = getpid(), .cpus = r->hold.cpus};
  struct cl_task self;
  char program[64], list[CL_CPUS_TEXT], before[256];
  int error = cl_baseline_refresh(&r->base);
  if (error == ENOENT) error = cl_baseline_take(&r->base);
  if (!error && cl_baseline_is_elsewhere(&r->base)) error = EXDEV;
  if (!error) error = cl_task_read(getpid(), &self);
  if (!error) error = cl_boot(first.boot);
  if (error) return error;
  first.born = self.born;
  command_text(r, first.command, sizeof first.command);
  error = cl_layer_open(&r->layer, &first);
  if (error) return error;
  r->held = true;
  const struct cl_task *task = &r->hold.program;
  snprintf(program, sizeof program, "%d %llu", r->request->tid ? r->request->tid : task->pid, task->born);
  error = cl_layer_put_note(&r->layer, "program", program);
  if (!error) error = note_others(r);
  if (!error) error = cl_layer_put_note(&r->layer, "use", cl_cpus_format(&r->hold.use, list));
  struct cl_cpus wish = cl_baseline_wish(&r->base, task);
  if (!error) error = cl_layer_put_note(&r->layer, "wish", cl_cpus_format(&wish, list));
  struct cl_rates rates = cl_rates_of(&r->hold.before[0], &r->hold.before[1]);
  cl_rates_format(&rates, before);
  if (!error) error = cl_layer_put_note(&r->layer, "before", before);
  return error ? error : hold_cpus(r);
}

static bool has(const struct cl_tasks *tasks, const struct cl_task *task) {
  for (size_t i = 0; i < tasks->count; i++)
    if (tasks->task[i].tid == task->tid && tasks->task[i].born == task->born) return true;
  return false;
}

/* A task with the CPUs that it was allowed in state 1: by now systemd may have put its process into the scope, which
 * before 6.2 makes the kernel forget that. */
static struct cl_task as_it_was(const struct cl_tasks *then, const struct cl_task *task) {
  for (size_t i = 0; i < then->count; i++)
    if (then->task[i].tid == task->tid && then->task[i].born == task->born) return then->task[i];
  return *task;
}

/* Every thread of the program, including those that it creates meanwhile, and for a cgroup every process that joins:
 * the children of one that has entered are already in. */
static int enter(struct run *r, const struct cl_mechanism *m, char *why, size_t size) {
  struct cl_hold *hold = &r->hold;
  if (r->request->command || r->request->tid) return m->enter(hold, &hold->program, why, size);
  struct cl_tasks known = {NULL, 0}, now;
  int error = 0;
  for (int pass = 0, more = 1; pass < 20 && more && !error; pass++) {
    more = 0;
    error = cl_target_refresh(hold);
    if (!error) error = cl_target_tasks(hold, &now);
    if (error) {
      now = (struct cl_tasks){NULL, 0};
      snprintf(why, size, "%s", error == ESRCH ? "the program has ended" : strerror(error));
    }
    for (size_t i = 0; !error && i < now.count; i++) {
      const struct cl_task *task = &now.task[i];
      if (has(&known, task) || (pass && cl_cpus_equal(&task->allowed, &hold->use))) continue;
      more = 1;
      const struct cl_task was = as_it_was(&hold->tasks, task);
      error = m->enter(hold, &was, why, size);
      if (error && !cl_task_lives(task->tid, task->born)) error = 0; /* it has ended: perhaps the others live */
    }
    cl_tasks_free(&known);
    known = now;
    if (hold->changes.plan) break;
  }
  cl_tasks_free(&known);
  return error;
}

/* A mechanism that failed half way: all is as before it. */
static int begin_anew(struct run *r) {
  const struct cl_settling again = {.id = r->hold.id, .again = true};
  struct cl_settled done;
  int error = cl_settle(&again, &done);
  if (!error) error = cl_baseline_refresh(&r->base);
  return error ? error : hold_cpus(r);
}

/* The first mechanism that works, best first; what a failed one has done is undone. */
static int clear(struct run *r) {
  struct cl_hold *hold = &r->hold;
  const char *wanted = r->request->mechanism;
  const struct cl_hold fresh = *hold;
  char why[WHY], last[WHY] = "";
  for (int i = 0; cl_mechanisms[i]; i++) {
    const struct cl_mechanism *m = cl_mechanisms[i];
    if (wanted && strcmp(wanted, m->name) != 0) continue;
    why[0] = '\0';
    bool names = r->request->command && r->request->unit;
    const char *no = names && !m->scopes ? "it creates no scope for --unit" : m->cannot(hold, why, sizeof why);
    if (no) {
      cl_say_state(3, "not %s: %s", m->name, no);
      if (!names || m->scopes || *last == '\0') snprintf(last, sizeof last, "%s", no);
      continue;
    }
    why[0] = '\0';
    int error = cl_layer_put_note(&r->layer, "trying", m->name);
    if (!error) error = m->clear(hold, why, sizeof why);
    if (!error) error = enter(r, m, why, sizeof why);
    if (!error) {
      r->mechanism = m;
      return cl_layer_put_note(&r->layer, "mechanism", m->name);
    }
    if (*why == '\0') snprintf(why, sizeof why, "%s", strerror(error));
    if (cl_interrupted(hold)) return EINTR; /* the caller undoes everything */
    cl_say_state(3, "not %s: %s", m->name, why);
    snprintf(last, sizeof last, "%s", why);
    if (!hold->changes.plan && (error = begin_anew(r)) != 0) {
      cl_fail("%s: its changes cannot be undone: %s", m->name, strerror(error));
      return error;
    }
    int made = hold->changes.made;
    *hold = fresh;
    hold->changes.made = made;
  }
  if (wanted) cl_fail("the mechanism %s cannot be used: %s", wanted, last);
  else cl_fail("no mechanism works on this machine: %s", last);
  return ENOTSUP;
}

static void add(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t size, const char *format, ...) {
  size_t length = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + length, size - length, format, values);
  va_end(values);
}

/* What a task asks for while CPUs are held is told from what this tool or the kernel has left it by what is held: with
 * affinity not in the moment in which it is moved, and with another reservation not always. */
static void warn_partial(const struct run *r) {
  static const char partial[] = "a task that sets its own affinity meanwhile may keep only a part of it";
  struct cl_cpus others = cl_cpus_minus(&r->base.held, &r->hold.cpus);
  char cpus[CL_CPUS_TEXT];
  if (cl_cpus_count(&others)) cl_warn("CPU %s is held, too: %s", cl_cpus_format(&others, cpus), partial);
  else if (strcmp(r->mechanism->name, "affinity") == 0) cl_warn("with affinity, %s", partial);
}

static void count_moves(const struct cl_hold *h, char *text, size_t size) {
  text[0] = '\0';
  if (h->moved) add(text, size, ", %d task%s moved", h->moved, h->moved == 1 ? "" : "s");
  if (h->kernel_moved || h->kernel_stay)
    add(text, size, ", %d kernel thread%s moved, %d bound to the CPU stay%s", h->kernel_moved,
        h->kernel_moved == 1 ? "" : "s", h->kernel_stay, h->kernel_stay == 1 ? "s" : "");
  if (h->irqs_moved || h->irqs_managed)
    add(text, size, ", %d interrupt%s moved, %d managed by the kernel stay%s", h->irqs_moved,
        h->irqs_moved == 1 ? "" : "s", h->irqs_managed, h->irqs_managed == 1 ? "s" : "");
}

static int choose(struct run *r, char *why) {
  int error = cl_choose(&r->hold, why, WHY);
  if (error == EINTR) return interrupted(r);
  if (error == EBUSY && cl_now() < r->patience) return TRY_AGAIN;
  if (error) return cl_fail("%s", why);
  memcpy(r->proof.before, r->hold.before, sizeof r->proof.before);
  cl_say_state(2, "%s", why);
  return 0;
}

/* One process, or thread, and none will join. */
static bool is_one(const struct run *r) {
  return r->request->command || (r->target.process.count == 1 && r->target.folder[0] == '\0');
}

/* States 1 to 4. 0, or the exit status; then all is as before. */
static int set_up(struct run *r) {
  struct cl_hold *hold = &r->hold;
  char why[WHY], cpus[CL_CPUS_TEXT], text[CL_TARGET_TEXT];
  const char *name = hold->program.name;
  if (r->request->command) cl_say_state(1, "reading tasks and load");
  else if (is_one(r))
    cl_say_state(1, "%s %d is %s; reading tasks and load", r->request->tid ? "thread" : "process", hold->program.tid,
                 name);
  else cl_say_state(1, "%s; reading tasks and load", cl_target_text(hold, text));
  int status = choose(r, why);
  if (status == TRY_AGAIN && !r->wait_said) cl_say("waiting for up to %g s: %s", r->request->wait_s, why);
  r->wait_said |= status == TRY_AGAIN;
  if (status) return status;
  int error = open_layer(r);
  if (error) return cl_fail("the records in %s cannot be used: %s", CL_STATE, cl_state_error(error));
  hold->changes.layer = &r->layer;
  hold->changes.base = &r->base;
  double start = cl_now();
  int refused = clear(r);
  if ((status = interrupted(r)) != 0) return status;
  if (refused) return CL_EXIT_REFUSED;
  warn_partial(r);
  error = cl_irqs_clear(hold);
  if (error) cl_warn("not all interrupts could be moved: %s", strerror(error));
  r->proof.cleared_s = cl_now() - start;
  error = cl_strays_begin(hold, &r->strays);
  if (error) cl_warn("strays cannot be counted: %s", strerror(error));
  count_moves(hold, why, sizeof why);
  cl_say_state(3, "CPU %s cleared in %.1f ms by %s (%s)%s", cl_cpus_format(&hold->cpus, cpus), r->proof.cleared_s * 1e3,
               r->mechanism->name, r->mechanism->text, why);
  return 0;
}

static struct counted *counted_of(struct run *r, const struct cl_task *task) {
  for (size_t i = 0; i < r->counted_count; i++)
    if (r->counted[i].tid == task->tid && r->counted[i].born == task->born) return &r->counted[i];
  struct counted *more = realloc(r->counted, (r->counted_count + 1) * sizeof *more);
  if (more == NULL) return NULL;
  r->counted = more;
  more += r->counted_count++;
  *more = (struct counted){.tid = task->tid, .born = task->born};
  if (cl_program_read(task->pid, r->request->tid, &more->began)) more->began = (struct cl_program){0};
  more->seen = more->began;
  return more;
}

/* Counts the work of all attached tasks since they were attached. */
static void count_attached(struct run *r) {
  struct cl_program now, sum = {.wall_s = 0};
  for (size_t i = 0; i < r->target.process.count; i++) {
    const struct cl_task *task = &r->target.process.task[i];
    struct counted *c = counted_of(r, task);
    if (c && cl_program_read(task->pid, r->request->tid, &now) == 0) c->seen = now;
  }
  for (size_t i = 0; i < r->counted_count; i++) {
    struct cl_program did = cl_program_since(&r->counted[i].began, &r->counted[i].seen);
    sum.cpu_s += did.cpu_s;
    sum.voluntary += did.voluntary;
    sum.involuntary += did.involuntary;
    sum.wall_s = fmax(sum.wall_s, r->counted[i].seen.wall_s - r->entered);
  }
  r->proof.program = sum;
}

static void read_program(struct run *r) {
  struct cl_program now;
  static const struct cl_program none;
  if (r->request->command == NULL) {
    count_attached(r);
    return;
  }
  if (!r->child_lives || cl_program_read(r->hold.program.pid, 0, &now)) return; /* its end has told all */
  r->proof.program = cl_program_since(&none, &now);
  r->proof.program.wall_s = cl_now() - r->entered;
}

static int start(struct run *r) {
  char cpus[CL_CPUS_TEXT];
  struct cl_hold *hold = &r->hold;
  cl_cpus_format(&hold->use, cpus);
  cl_counters_read(&hold->cpus, &r->proof.during[0]);
  r->entered = cl_now();
  r->deadline = r->request->most_s > 0 ? r->entered + r->request->most_s : INFINITY;
  cl_watcher_tell(&r->watcher, r->deadline);
  if (r->request->command == NULL) {
    char text[CL_TARGET_TEXT];
    cl_tasks_free(&r->target.came);
    read_program(r);
    cl_say_state(4, "%s %s alone on CPU %s", cl_target_text(hold, text), r->target.process.count > 1 ? "are" : "is",
                 cpus);
    return 0;
  }
  cl_say_state(4, "%s starts alone on CPU %s, pid %d", r->request->command[0], cpus, hold->program.pid);
  int error = let_go(r);
  if (!error) return 0;
  cl_fail("%s cannot be executed: %s", r->request->command[0], strerror(error));
  drop_child(r);
  return error == ENOENT ? CL_EXIT_MISSING : CL_EXIT_CANNOT;
}

/* The end */

static void report(struct run *r) {
  if (r->output->report == NULL && r->output->quiet) return;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return;
  if (r->output->json) cl_proof_json(out, &r->hold, r->mechanism, &r->proof);
  else cl_proof_table(out, &r->hold, &r->proof);
  fclose(out);
  int error = 0;
  if (r->output->report) error = cl_out_write(&r->report, text);
  else fputs(text, stderr);
  if (error) cl_warn("--report %s cannot be written: %s", r->output->report, cl_out_error(error));
  free(text);
}

/* Everything back; 0 or CL_EXIT_FAILED. `proven`: the program has run. */
static int give_back(struct run *r, bool proven) {
  const struct cl_settling mine = {.id = r->hold.id};
  struct cl_settled done;
  char cpus[CL_CPUS_TEXT];
  bool ended;
  int lock;
  r->held = false;
  if (proven) {
    read_program(r);
    cl_counters_read(&r->hold.cpus, &r->proof.during[1]);
  }
  cl_urgent(true);
  if (r->strays) cl_strays_end(r->strays, &r->hold, &r->proof);
  r->strays = NULL;
  if (lock_state(r, true, &lock)) {
    cl_urgent(false);
    return CL_EXIT_FAILED;
  }
  double start = cl_now();
  int error = cl_layer_keep(&r->layer, &ended);
  if (!error && !ended) error = cl_baseline_refresh(&r->base);
  if (!error) error = cl_settle(&mine, &done);
  if (error)
    cl_fail("not everything could be undone: the records in %s are kept, run `%s restore`", CL_STATE, cl_self());
  else
    cl_say_state(0, "CPU %s released in %.1f ms: %d changes undone, %d already as before, %d left to others",
                 cl_cpus_format(&r->hold.cpus, cpus), (cl_now() - start) * 1e3, done.done, done.already, done.foreign);
  r->unfinished = error || done.owed;
  if (!error && done.owed)
    cl_say("%d task%s CPUs that are offline: the watcher (pid %d) restores their affinity when they are back",
           done.owed, done.owed == 1 ? " waits for" : "s wait for", r->watcher.pid);
  close(lock);
  close(r->layer.fd);
  cl_baseline_free(&r->base);
  if (proven) report(r);
  free(r->proof.stray);
  r->proof.stray = NULL;
  cl_urgent(false);
  return error ? CL_EXIT_FAILED : 0;
}

/* While it holds */

static void look_after(struct run *r) {
  struct cl_cpus online, off;
  char path[CL_PATH_MOST + 64], text[512], list[CL_CPUS_TEXT];
  bool ended, there = cl_exists(r->layer.path);
  if (cl_layer_keep(&r->layer, &ended) == 0 && !there && !ended) {
    cl_warn("%s was removed while CPUs are held: writing it again", r->layer.path);
    cl_watcher_tell(&r->watcher, r->deadline);
  }
  if (ended) {
    cl_warn("the CPUs were released by somebody else: the program keeps running without CPUs of its own");
    r->held = false;
    if (r->strays) cl_strays_end(r->strays, &r->hold, &r->proof);
    r->strays = NULL;
    return;
  }
  if (!r->offline_said && cl_online(&online) == 0) {
    off = cl_cpus_minus(&r->hold.cpus, &online);
    if (cl_cpus_count(&off)) {
      cl_warn("CPU %s went offline while held", cl_cpus_format(&off, list));
      r->offline_said = true;
    }
  }
  if (r->group_said || r->hold.group[0] == '\0') return;
  snprintf(path, sizeof path, "%s/cpuset.cpus.partition", r->hold.partition);
  int error = cl_read(path, text, sizeof text);
  there = cl_exists(r->hold.group);
  /* Once the program has ended, its group may go: systemd removes its own. So this is looked at last. */
  if (!cl_target_lives(&r->hold)) return;
  if (!there) cl_warn("%s, the program's cgroup, was removed", r->hold.group);
  else if (error || strstr(text, " invalid") == NULL) return;
  else cl_warn("%s is \"%s\": others may now run on the CPUs", path, text);
  r->group_said = true;
}

/* Where everybody else goes: other reservations may have come or gone. */
static void find_room(struct run *r) {
  r->hold.online = r->base.online;
  r->hold.rest = cl_baseline_rest(&r->base, &r->base.held);
}

/* Processes that joined the cgroup without being children of its members: a worker that systemd starts, say. */
static void take_newcomers(struct run *r) {
  struct cl_hold *hold = &r->hold;
  struct cl_tasks came = {NULL, 0}, threads;
  char why[WHY];
  if (r->target.folder[0] == '\0' || cl_target_refresh(hold)) return;
  came = r->target.came;
  r->target.came = (struct cl_tasks){NULL, 0};
  for (size_t i = 0; i < came.count; i++) {
    const struct cl_task *task = &came.task[i];
    struct cl_cpus out = cl_cpus_minus(&task->allowed, &hold->use);
    if (cl_cpus_count(&out) == 0 || cl_tasks_of(task->pid, &threads)) continue;
    int error = 0;
    for (size_t j = 0; j < threads.count && !error; j++)
      error = r->mechanism->enter(hold, &threads.task[j], why, sizeof why);
    cl_tasks_free(&threads);
    if (!error) cl_say("process %d (%s) joined and is now held", task->pid, task->name);
    else if (cl_task_lives(task->tid, task->born))
      cl_warn("process %d (%s) joined but cannot be held: %s", task->pid, task->name, why);
  }
  cl_tasks_free(&came);
}

/* A request of a task while a CPU is away is not shown whole either. */
static void warn_away(struct run *r) {
  char cpus[CL_CPUS_TEXT];
  if (r->away_said || cl_cpus_count(&r->base.offline) == 0) return;
  cl_warn("CPU %s was offline: a task that sets its own affinity meanwhile may keep only a part of it",
          cl_cpus_format(&r->base.offline, cpus));
  r->away_said = true;
}

static void sweep(struct run *r) {
  unsigned long long file = r->base.inode;
  int lock;
  if (cl_state_try(&lock)) return; /* another tool sets up or takes down: the next time */
  look_after(r);
  if (r->held && cl_baseline_refresh(&r->base) == 0) find_room(r);
  if (r->held && r->base.inode != file) cl_watcher_tell(&r->watcher, r->deadline);
  if (r->held) cl_baseline_note_offline(&r->base); /* before what tasks then have is taken for what they ask for */
  if (r->held) warn_away(r);
  if (r->held) take_newcomers(r);
  int came = r->held && r->mechanism->sweep ? r->mechanism->sweep(&r->hold) : 0;
  close(lock);
  if (came) cl_say("%d task%s that came to the CPUs moved off", came, came == 1 ? "" : "s");
}

static void show(struct run *r) {
  struct cl_proof now = r->proof;
  read_program(r);
  now.program = r->proof.program;
  cl_counters_read(&r->hold.cpus, &now.during[1]);
  cl_proof_table(stderr, &r->hold, &now);
}

/* Orphans of the program come to the tool (affinity.c), and end there. */
static void reap(struct run *r) {
  struct rusage used;
  int status;
  pid_t pid;
  while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0) {
    if (!r->child_lives || !cl_session_ended(&r->session, pid, &status, &used)) continue;
    r->child_lives = false;
    r->child_status = status;
    if (!r->held) continue;
    r->proof.program = (struct cl_program){
        .wall_s = cl_now() - r->entered,
        .cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6,
        .voluntary = (unsigned long long)used.ru_nvcsw,
        .involuntary = (unsigned long long)used.ru_nivcsw,
    };
  }
}

static bool target_ended(struct run *r) { return r->request->command ? !r->child_lives : !cl_target_lives(&r->hold); }

static void say_runs_on(const struct run *r, const char *why) {
  if (is_one(r)) cl_say("%sthe program (pid %d) keeps running", why, r->hold.program.pid);
  else cl_say("%sthe program (%zu processes) keeps running", why, r->target.process.count);
}

/* A signal to the tool; true: leave. The terminal's signals reach the program as well, unless it is apart from that, so
 * only others are passed on. A second one of either kind releases the CPUs at once. */
static bool signalled(struct run *r, int *number) {
  struct signalfd_siginfo info;
  while (read(r->signals, &info, sizeof info) == (ssize_t)sizeof info) {
    *number = (int)info.ssi_signo;
    if (*number == SIGCHLD) {
      reap(r);
      continue;
    }
    if (r->request->command == NULL || ++r->told > 1) return true;
    bool of_terminal = info.ssi_code == SI_KERNEL && *number != SIGTERM && !r->session.apart;
    if (!of_terminal && r->child_lives) kill(r->hold.program.pid, *number);
  }
  return false;
}

/* Until the program's end, the time's end or a signal. The exit status. */
static int hold(struct run *r) {
  double swept = cl_now(), seen = swept, shown = swept, every = r->mechanism->sweep ? SWEEP_S : CHECK_S;
  double show_s = r->output->watch_s > 0 ? r->output->watch_s : INFINITY;
  double read_every = SWEEP_S;
  int status = 0, number = 0;
  while (!target_ended(r)) {
    struct pollfd event[2] = {{r->signals, POLLIN, 0}, {r->pidfd, POLLIN, 0}};
    double next = r->held ? fmin(swept + every, fmin(r->deadline, shown + show_s)) : INFINITY;
    if (r->request->command == NULL) next = fmin(next, seen + read_every);
    double left = (next - cl_now()) * 1e3;
    poll(event, 2, isinf(left) ? -1 : left <= 0 ? 0 : left > 60000 ? 60000 : (int)left + 1);
    if (signalled(r, &number)) {
      if (r->held) status = give_back(r, true);
      if (!target_ended(r)) say_runs_on(r, "");
      return status ? status : 128 + number;
    }
    double now = cl_now();
    if (now >= seen + read_every) {
      if (r->request->command == NULL) read_program(r);
      seen = cl_now();
      read_every = fmax(SWEEP_S, 20 * (seen - now));
    }
    if (!r->held) {
      if (r->request->command == NULL) return 0; /* nothing to wait for */
      continue;
    }
    if (now >= r->deadline) {
      say_runs_on(r, "--max has expired: ");
      status = give_back(r, true);
    } else {
      if (now >= swept + every) {
        sweep(r);
        swept = cl_now();
        /* A twentieth of a CPU at most, whatever others do. */
        every = fmax(r->mechanism->sweep ? SWEEP_S : CHECK_S, 20 * (swept - now));
      }
      if (now >= shown + show_s) {
        show(r);
        shown = now;
      }
    }
  }
  if (r->held) status = give_back(r, true);
  if (status || r->request->command == NULL) return status;
  return WIFSIGNALED(r->child_status) ? 128 + WTERMSIG(r->child_status) : WEXITSTATUS(r->child_status);
}

/* All of it */

static int block_signals(struct run *r) {
  sigset_t ours;
  sigemptyset(&ours);
  static const int number[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) sigaddset(&ours, number[i]);
  if (sigprocmask(SIG_BLOCK, &ours, &r->before)) return errno;
  r->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
  return r->signals < 0 ? errno : 0;
}

/* With the watcher and the child there: the states, under the lock until the program is let go. */
static int run_once(struct run *r) {
  int lock, locked = lock_state(r, false, &lock);
  if (locked) return locked;
  cl_urgent(true);
  int dead = cl_restore_dead();
  if (dead) cl_say_state(0, "%d reservation%s of dead tools undone first", dead, dead == 1 ? "" : "s");
  int status = set_up(r);
  if (!status) status = interrupted(r);
  if (!status) status = start(r);
  cl_tasks_free(&r->hold.tasks);
  close(lock);
  if (status && r->held && give_back(r, false)) status = CL_EXIT_FAILED;
  cl_urgent(false);
  return status ? status : hold(r);
}

/* Again and again while the CPUs are held by others and there is patience. */
static int run_locked(struct run *r) {
  struct pollfd signals = {r->signals, POLLIN, 0};
  r->patience = cl_now() + r->request->wait_s;
  for (;;) {
    int status = run_once(r);
    if (status != TRY_AGAIN) return status;
    poll(&signals, 1, (int)(AGAIN_S * 1e3));
    if ((status = interrupted(r)) != 0) return status;
  }
}

int cl_run(struct cl_request *request, const struct cl_output *output) {
  struct run r = {.request = request, .output = output, .layer.fd = -1, .base.fd = -1, .pidfd = -1};
  r.hold.request = request;
  r.hold.id = getpid();
  if (geteuid() != 0)
    return cl_fail("%s needs root; `plan`, `status` and `verify` do not", request->command ? "run" : "attach");
  int status = check(&r, request);
  if (status) return status;
  cl_say_state(0, "request checked");
  int error = block_signals(&r);
  r.hold.signals = r.signals;
  if (!error) error = cl_watcher_start(&r.watcher);
  if (error) return cl_fail("cannot create a process: %s", strerror(error));
  if (request->command) error = start_child(&r);
  else if (is_one(&r))
    r.pidfd = (int)syscall(SYS_pidfd_open, request->pid, 0); /* -1: an old kernel; then it is looked for */
  signal(SIGPIPE, SIG_IGN); /* after the child: if the reader of our output goes, the CPUs are still released */
  if (error) status = cl_fail("cannot create a process or its terminal: %s", strerror(error));
  else status = run_locked(&r);
  if (r.child_waits) drop_child(&r);
  cl_session_close(&r.session);
  cl_watcher_stop(&r.watcher, r.unfinished);
  return status;
}

int cl_plan(struct cl_request *request, bool json) {
  struct cl_output none = {.quiet = true};
  struct run r = {.request = request, .output = &none, .layer.fd = -1, .base.fd = -1};
  char why[WHY];
  struct cl_hold *hold = &r.hold;
  hold->request = request;
  hold->id = getpid();
  hold->signals = -1;
  hold->changes = (struct cl_changes){.plan = true, .layer = &r.layer};
  int status = check(&r, request);
  if (status) return status;
  if (request->command) {
    const char *name = strrchr(request->command[0], '/');
    hold->program = (struct cl_task){.parent = getpid()};
    snprintf(hold->program.name, sizeof hold->program.name, "%s", name ? name + 1 : request->command[0]);
    cl_task_allowed(getpid(), &hold->program.allowed);
  }
  if (cl_choose(hold, why, sizeof why)) return cl_fail("%s", why);
  if (json) cl_say_plan_json();
  cl_say_planned("%s", why);
  if (clear(&r)) return CL_EXIT_REFUSED;
  int error = cl_irqs_clear(hold);
  if (error) return cl_fail("the interrupts cannot be read: %s", strerror(error));
  cl_say_planned("%d changes with %s (%s); nothing was changed", hold->changes.made, r.mechanism->name,
                 r.mechanism->text);
  cl_say_plan_end(hold->changes.made);
  return 0;
}
