/* SPDX-License-Identifier: Apache-2.0
 *
 * state [PREFIX...]: prints everything that `coreloom exclusive` could change on this machine, one sorted line each, so
 * that two outputs are equal if and only if it left nothing behind. Tasks whose name starts with a PREFIX are left out:
 * those that come and go by themselves (kworker/). It shares no code with the tool, and so no bugs. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **line;
static size_t lines, room;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...) {
  va_list values;
  if (lines == room && (line = realloc(line, (room = room * 2 + 256) * sizeof *line)) == NULL) die("state");
  va_start(values, format);
  if (vasprintf(&line[lines++], format, values) < 0) die("state");
  va_end(values);
}

/* The text of a file, its lines joined by "|"; "" for what cannot be read. */
static const char *text_of(const char *path) {
  static char text[65536];
  FILE *file = fopen(path, "r");
  size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  while (length && text[length - 1] == '\n') length--;
  text[length] = '\0';
  for (char *at = text; (at = strchr(at, '\n')) != NULL;) *at = '|';
  return text;
}

static void add_files(const char *pattern) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++) add("file %s = %s", found.gl_pathv[i], text_of(found.gl_pathv[i]));
  globfree(&found);
}

static void add_names(const char *pattern, const char *but) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++)
      if (fnmatch(but, found.gl_pathv[i], 0)) add("there %s", found.gl_pathv[i]);
  globfree(&found);
}

/* nice, real-time priority and policy matter too: nobody asked for another one. */
static void add_task(const char *pid, const char *tid, char **prefix) {
  char path[96], name[64], allowed[4096] = "?", memory[256] = "?", *value;
  snprintf(path, sizeof path, "/proc/%s/task/%s/stat", pid, tid);
  const char *stat = text_of(path), *open = strchr(stat, '('), *close = strrchr(stat, ')');
  if (open == NULL || close == NULL) return; /* it has ended */
  snprintf(name, sizeof name, "%.*s", (int)(close - open - 1), open + 1);
  for (; *prefix != NULL; prefix++)
    if (strncmp(name, *prefix, strlen(*prefix)) == 0) return;
  unsigned long long field[42] = {0};
  char *at = (char *)close + 3;
  for (int i = 4; i < 42; i++) field[i] = strtoull(at, &at, 10);
  snprintf(path, sizeof path, "/proc/%s/task/%s/status", pid, tid);
  if ((value = strstr(text_of(path), "|Cpus_allowed_list:\t")) == NULL) return;
  value += strlen("|Cpus_allowed_list:\t");
  snprintf(allowed, sizeof allowed, "%.*s", (int)strcspn(value, "|"), value);
  if ((value = strstr(value, "|Mems_allowed_list:\t")) != NULL) {
    value += strlen("|Mems_allowed_list:\t");
    snprintf(memory, sizeof memory, "%.*s", (int)strcspn(value, "|"), value);
  }
  snprintf(path, sizeof path, "/proc/%s/task/%s/cgroup", pid, tid);
  add("task %07d of %s, born %llu, %s: cpus %s, nice %lld, policy %llu/%llu, groups %s, memory %s", atoi(tid), pid,
      field[22], name, allowed, (long long)field[19], field[41], field[40], text_of(path), memory);
}

static void add_tasks(char **prefix) {
  DIR *all = opendir("/proc");
  if (all == NULL) die("/proc");
  for (struct dirent *process; (process = readdir(all)) != NULL;) {
    char path[sizeof process->d_name + 16];
    snprintf(path, sizeof path, "/proc/%s/task", process->d_name);
    if (atoi(process->d_name) == getpid()) continue;
    DIR *threads = isdigit((unsigned char)process->d_name[0]) ? opendir(path) : NULL;
    for (struct dirent *thread; threads && (thread = readdir(threads)) != NULL;)
      if (isdigit((unsigned char)thread->d_name[0])) add_task(process->d_name, thread->d_name, prefix);
    if (threads) closedir(threads);
  }
  closedir(all);
}

/* Settings only: counters and values that follow the load are left out; the tasks tell the members of a group. */
static int add_group(const char *path, const struct stat *status, int kind, struct FTW *where) {
  static const char *const counts[] = {"*.stat",     "*.stat.local", "cpu.pressure",   "*.events",   "*.events.local",
                                       "*_pressure", "cgroup.procs", "cgroup.threads", "cgroup.kill"};
  const char *name = path + where->base;
  (void)status;
  if (kind == FTW_D || kind == FTW_DP) add("group %s", path);
  bool setting = strncmp(name, "cpu", 3) == 0 || strncmp(name, "cgroup.", 7) == 0 || strstr(name, "_release");
  if (kind != FTW_F || !setting) return 0;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (fnmatch(counts[i], name, 0) == 0) return 0;
  add("file %s = %s", path, text_of(path));
  return 0;
}

static void add_mounts(void) {
  FILE *table = setmntent("/proc/self/mounts", "r");
  if (table == NULL) die("/proc/self/mounts");
  for (struct mntent *mount; (mount = getmntent(table)) != NULL;) {
    add("mount %s on %s: %s", mount->mnt_type, mount->mnt_dir, mount->mnt_opts);
    if (strcmp(mount->mnt_type, "cgroup2") == 0 || strcmp(mount->mnt_type, "cgroup") == 0)
      nftw(mount->mnt_dir, add_group, 16, FTW_PHYS | FTW_MOUNT);
  }
  endmntent(table);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int main(int count, char **argument) {
  (void)count;
  add_tasks(argument + 1);
  add_mounts();
  add_files("/proc/irq/*/smp_affinity_list");
  add_files("/proc/irq/default_smp_affinity");
  add_files("/proc/sys/kernel/watchdog_cpumask");
  add_files("/proc/sys/kernel/sched_*");
  add_files("/sys/devices/virtual/workqueue/cpumask*");
  add_files("/sys/devices/virtual/workqueue/*/cpumask");
  add_files("/sys/devices/system/cpu/online");
  add_files("/sys/devices/system/cpu/isolated");
  add_files("/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
  add_files("/sys/kernel/tracing/tracing_on");
  add_files("/sys/kernel/tracing/set_event");
  add_files("/sys/kernel/tracing/current_tracer");
  add_names("/sys/kernel/tracing/instances/*", "");
  add_names("/run/*", "/run/coreloom-exclusive");
  add_names("/run/coreloom-exclusive/*", "*/lock"); /* the folder and its lock stay: removing a lock is a race */
  qsort(line, lines, sizeof *line, by_text);
  for (size_t i = 0; i < lines; i++) puts(line[i]);
  return fflush(stdout) ? 1 : 0;
}
