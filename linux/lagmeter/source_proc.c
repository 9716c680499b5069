/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Samples of /proc, for when BPF cannot be used. Events between two samples are not seen: shorter sleeps, when a
 * thread woke, and which thread ran when. CPU time is the kernel's own, some ms late for a running thread. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"

#define LIST_NS 100000000u /* how often it looks for new processes */
#define KTHREAD 0x200000   /* PF_KTHREAD */
#define CPUS_MOST 65536

struct pids { /* of processes, in order */
  int32_t *pid;
  uint32_t count, room;
};

struct proc {
  const char *cgroup; /* its path below the mount */
  struct pids watched, before; /* before: while listing, who was watched up to now */
  char *text; /* of the file that was read last */
  size_t room;
  uint64_t listed_ns, begun_ns, took_ns; /* when it last did; when the last sample began, and how long it took */
};

struct stat_line {
  char command[LAG_COMMAND], state;
  int parent, nice;
  unsigned flags, policy;
};

/* All of it, in p->text. */
static bool read_file(struct proc *p, const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  size_t size = 0;
  ssize_t got = file < 0 ? -1 : 1;
  while (got > 0) {
    if (p->room < size + 2) {
      size_t room = p->room ? 2 * p->room : 4096;
      char *more = realloc(p->text, room);
      if (!more) break;
      p->text = more;
      p->room = room;
    }
    got = read(file, p->text + size, p->room - size - 1);
    if (got > 0) size += (size_t)got;
  }
  if (file >= 0) close(file);
  if (got || !size) return false;
  p->text[size] = '\0';
  return true;
}

static bool read_stat(struct proc *p, const char *path, struct stat_line *l) {
  char *open, *end;
  if (!read_file(p, path) || !(open = strchr(p->text, '(')) || !(end = strrchr(p->text, ')')) || end < open)
    return false;
  *end = '\0';
  snprintf(l->command, sizeof l->command, "%s", open + 1);
  return sscanf(
             end + 1,
             " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %d %*d %*d %*u %*u %*d %*u %*u %*u %*u %*u "
             "%*u %*u %*u %*u %*u %*u %*u %*u %*d %*d %*u %u",
             &l->state, &l->parent, &l->flags, &l->nice, &l->policy) == 5;
}

static int compare(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

static bool holds(const struct pids *p, int32_t pid) {
  return p->count && bsearch(&pid, p->pid, p->count, sizeof pid, compare);
}

static int add(struct pids *p, int32_t pid) {
  if (p->count == p->room) {
    uint32_t room = p->room ? 2 * p->room : 64;
    int32_t *more = realloc(p->pid, room * sizeof *more);
    if (!more) return ENOMEM;
    p->pid = more;
    p->room = room;
  }
  p->pid[p->count++] = pid;
  return 0;
}

static bool is_below(struct proc *p, int32_t pid) {
  char path[64], *own = NULL;
  size_t length = strlen(p->cgroup);
  snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
  if (!read_file(p, path)) return false;
  for (char *line = p->text; line && !own; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, "0::", 3) == 0) own = line + 3;
  }
  return own && strncmp(own, p->cgroup, length) == 0 && (!length || strchr("/\n", own[length]));
}

static bool is_watched(const struct lag_source *s, int32_t pid) {
  struct proc *p = s->own;
  struct stat_line l;
  char path[64];
  if (pid == s->whom.own) return false;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (!read_stat(p, path, &l) || (l.flags & KTHREAD && !s->whom.kernel_threads)) return false;
  if (s->whom.whom == LAG_TREE)
    return pid == s->whom.pid || holds(&p->before, pid) || holds(&p->before, l.parent) || holds(&p->watched, l.parent);
  return s->whom.whom != LAG_CGROUP || is_below(p, pid);
}

/* A directory's entries that are numbers. */
static int next_number(DIR *folder) {
  struct dirent *entry;
  while ((entry = readdir(folder)))
    if (isdigit((unsigned char)*entry->d_name)) return atoi(entry->d_name);
  return 0;
}

/* /proc is in order, and parents have lower numbers than their children as a rule; else a child is found the next time. */
static int list(struct lag_source *s) {
  struct proc *p = s->own;
  struct pids before = p->watched;
  int error = 0;
  p->watched = p->before;
  p->watched.count = 0;
  p->before = before;
  if (s->whom.whom == LAG_PROCESS) return add(&p->watched, s->whom.pid);
  DIR *folder = opendir("/proc");
  if (!folder) return lag_refuse(errno, "/proc cannot be read: %s", strerror(errno));
  for (int32_t pid; !error && (pid = next_number(folder));)
    if (is_watched(s, pid)) error = add(&p->watched, pid);
  closedir(folder);
  if (p->watched.count) qsort(p->watched.pid, p->watched.count, sizeof *p->watched.pid, compare);
  return error;
}

/* The CPUs that a thread may use; all of them if it has just ended. */
static uint16_t allowed(int32_t tid) {
  static cpu_set_t set[CPUS_MOST / CPU_SETSIZE]; /* a machine may have more CPUs than one */
  if (sched_getaffinity(tid, sizeof set, set)) return UINT16_MAX;
  int count = CPU_COUNT_S(sizeof set, set);
  return count < UINT16_MAX ? (uint16_t)count : UINT16_MAX;
}

static int sample_thread(struct lag_source *s, int32_t pid, int32_t tid) {
  struct proc *p = s->own;
  char path[96];
  struct stat_line l;
  struct lag_sample got = {.who = {.kind = LAG_IN, .tid = tid, .pid = pid}};
  unsigned long long cpu, wait, runs;
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
  if (!read_stat(p, path, &l)) return 0; /* it has just ended */
  if (s->whom.whom == LAG_NAME && strcmp(l.command, s->whom.command) != 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, tid);
  if (!read_file(p, path) || sscanf(p->text, "%llu %llu %llu", &cpu, &wait, &runs) != 3) return 0;
  memcpy(got.who.command, l.command, LAG_COMMAND);
  got.who.nice = (int8_t)l.nice;
  got.who.policy = (uint8_t)l.policy;
  got.who.allowed = allowed(tid);
  got.runnable = l.state == 'R';
  got.cpu_ns = cpu, got.wait_ns = wait, got.runs = runs;
  return lag_sampled(s->meter, &got);
}

static int sample(struct lag_source *s) {
  struct proc *p = s->own;
  uint64_t now = lag_now_ns(), last = p->begun_ns;
  int error = 0;
  p->begun_ns = now;
  if (now - p->listed_ns >= LIST_NS) {
    error = list(s);
    p->listed_ns = now;
  }
  lag_sample_begin(s->meter, lag_now_ns());
  for (uint32_t i = 0; !error && i < p->watched.count; i++) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", p->watched.pid[i]);
    DIR *folder = opendir(path);
    for (int32_t tid; folder && !error && (tid = next_number(folder));)
      error = sample_thread(s, p->watched.pid[i], tid);
    if (folder) closedir(folder);
  }
  if (!error) error = lag_sample_end(s->meter);
  p->took_ns = lag_now_ns() - now;
  double apart_ms = last ? (double)(now + p->took_ns - last) / 1e6 : 0;
  if (apart_ms > s->longest_sample_ms) s->longest_sample_ms = apart_ms;
  return error;
}

static int look(struct lag_source *s, int wait_ms) {
  struct proc *p = s->own;
  uint64_t wait_us = (uint64_t)wait_ms * 1000, took_us = p->took_ns / 1000;
  if (wait_ms > 0) usleep((unsigned)(wait_us > took_us ? wait_us : took_us)); /* at most half of a CPU is for samples */
  return sample(s);
}

static uint64_t lost(const struct lag_source *s) {
  (void)s;
  return 0;
}

static void close_all(struct lag_source *s) {
  struct proc *p = s->own;
  free(p->watched.pid);
  free(p->before.pid);
  free(p->text);
  free(p);
  s->own = NULL;
}

int lag_proc_open(struct lag_source *s, const char *cgroup) {
  struct proc *p = s->own = calloc(1, sizeof *p);
  if (!p) return lag_refuse(ENOMEM, "no memory");
  if (!read_file(p, "/proc/self/schedstat"))
    return lag_refuse(ENOTSUP,
                      "this kernel has no CPU times in /proc (CONFIG_SCHED_INFO): run lagmeter as root to use BPF");
  p->cgroup = cgroup;
  s->name = "proc";
  s->look = look;
  s->lost = lost;
  s->close = close_all;
  lag_meter_begin(s->meter, lag_now_ns());
  return sample(s);
}
