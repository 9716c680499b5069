/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Samples of /proc, for whom BPF is not there. What happens between two samples is not seen: sleeps that are shorter,
 * when a thread woke, and who ran when. CPU time is the kernel's own, some ms late for a thread that runs. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"

#define LIST_NS 100000000u /* how often it looks for new processes */
#define KTHREAD 0x200000   /* PF_KTHREAD */

struct proc {
  const char *cgroup; /* its path below the mount */
  int32_t *pids;      /* of those watched, and for a command of all that ever were */
  uint32_t count, room;
  uint64_t listed_ns, begun_ns, took_ns; /* when it last did; when the last sample began, and how long it took */
};

struct stat_line {
  char command[LAG_COMMAND], state;
  int parent, nice;
  unsigned flags, policy;
};

static bool read_file(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "re");
  if (!file) return false;
  size_t got = fread(text, 1, size - 1, file);
  fclose(file);
  text[got] = '\0';
  return got > 0;
}

static bool read_stat(const char *path, struct stat_line *l) {
  char text[1024], *open, *end;
  if (!read_file(path, text, sizeof text) || !(open = strchr(text, '(')) || !(end = strrchr(text, ')'))) return false;
  *end = '\0';
  snprintf(l->command, sizeof l->command, "%s", open + 1);
  return sscanf(end + 1, " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %d %*d %*d %*u %*u %*d %*u %*u %*u %*u %*u "
                         "%*u %*u %*u %*u %*u %*u %*u %*u %*d %*d %*u %u",
                &l->state, &l->parent, &l->flags, &l->nice, &l->policy) == 5;
}

static bool holds(const struct proc *p, int32_t pid) {
  for (uint32_t i = 0; i < p->count; i++)
    if (p->pids[i] == pid) return true;
  return false;
}

static int add(struct proc *p, int32_t pid) {
  if (p->count == p->room) {
    uint32_t room = p->room ? 2 * p->room : 64;
    int32_t *more = realloc(p->pids, room * sizeof *more);
    if (!more) return ENOMEM;
    p->pids = more;
    p->room = room;
  }
  p->pids[p->count++] = pid;
  return 0;
}

static bool is_below(const struct proc *p, int32_t pid) {
  char path[64], text[4096];
  size_t length = strlen(p->cgroup);
  snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
  char *own = read_file(path, text, sizeof text) ? strstr(text, "0::") : NULL;
  return own && strncmp(own + 3, p->cgroup, length) == 0 && (!length || strchr("/\n", own[3 + length]));
}

static bool is_watched(const struct lag_source *s, int32_t pid) {
  const struct proc *p = s->own;
  struct stat_line l;
  char path[64];
  if (pid == s->whom.own) return false;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (!read_stat(path, &l) || (l.flags & KTHREAD && !s->whom.kernel_threads)) return false;
  if (s->whom.whom == LAG_TREE) return pid == s->whom.pid || holds(p, pid) || holds(p, l.parent);
  return s->whom.whom != LAG_CGROUP || is_below(p, pid);
}

/* A directory's entries that are numbers. */
static int next_number(DIR *folder) {
  struct dirent *entry;
  while ((entry = readdir(folder)))
    if (isdigit((unsigned char)*entry->d_name)) return atoi(entry->d_name);
  return 0;
}

/* Parents have lower numbers than their children as a rule; else a child is found the next time. */
static int list(struct lag_source *s) {
  struct proc *p = s->own;
  int error = 0;
  if (s->whom.whom != LAG_TREE) p->count = 0;
  if (s->whom.whom == LAG_PROCESS) return add(p, s->whom.pid);
  DIR *folder = opendir("/proc");
  if (!folder) return lag_refuse(errno, "/proc cannot be read: %s", strerror(errno));
  for (int32_t pid; !error && (pid = next_number(folder));)
    if (is_watched(s, pid) && !holds(p, pid)) error = add(p, pid);
  closedir(folder);
  return error;
}

/* A machine has more CPUs than cpu_set_t at times; those are taken for allowed on all. */
static uint16_t allowed(int32_t tid) {
  cpu_set_t set;
  return sched_getaffinity(tid, sizeof set, &set) ? UINT16_MAX : (uint16_t)CPU_COUNT(&set);
}

static int sample_thread(struct lag_source *s, int32_t pid, int32_t tid) {
  char path[96], text[128];
  struct stat_line l;
  struct lag_sample got = {.who = {.kind = LAG_IN, .tid = tid, .pid = pid}};
  unsigned long long cpu, wait, runs;
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
  if (!read_stat(path, &l)) return 0; /* it has just ended */
  if (s->whom.whom == LAG_NAME && strcmp(l.command, s->whom.command) != 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, tid);
  if (!read_file(path, text, sizeof text) || sscanf(text, "%llu %llu %llu", &cpu, &wait, &runs) != 3) return 0;
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
  for (uint32_t i = 0; !error && i < p->count; i++) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", p->pids[i]);
    DIR *folder = opendir(path);
    for (int32_t tid; folder && !error && (tid = next_number(folder));) error = sample_thread(s, p->pids[i], tid);
    if (folder) closedir(folder);
  }
  lag_sample_end(s->meter);
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
  free(p->pids);
  free(p);
  s->own = NULL;
}

int lag_proc_open(struct lag_source *s, const char *cgroup) {
  struct proc *p = s->own = calloc(1, sizeof *p);
  char text[128];
  if (!p) return lag_refuse(ENOMEM, "no memory");
  if (!read_file("/proc/self/schedstat", text, sizeof text))
    return lag_refuse(ENOTSUP, "this kernel does not tell CPU times in /proc (CONFIG_SCHED_INFO): only root can use lagmeter, by BPF");
  p->cgroup = cgroup;
  s->name = "proc";
  s->look = look;
  s->lost = lost;
  s->close = close_all;
  lag_meter_begin(s->meter, lag_now_ns());
  return sample(s);
}
