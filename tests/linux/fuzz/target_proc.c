/* SPDX-License-Identifier: GPL-2.0-only
 *
 * lagmeter's samples of /proc, from a tree. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

static const char *in_tree(const char *path) {
  static char real[512];
  snprintf(real, sizeof real, "%s%s", fuzz_root(), path);
  return real;
}

static int open_in_tree(const char *path, int flags) { return open(in_tree(path), flags); }
static DIR *opendir_in_tree(const char *path) { return opendir(in_tree(path)); }

#define open open_in_tree
#define opendir opendir_in_tree
#include "source_proc.c"
#undef open
#undef opendir

#include "report.h"

static const char *const words[] = {") S 1 ",
                                    ") R 1 ",
                                    "(",
                                    ")",
                                    "\n",
                                    "0::/a",
                                    "0::/a/b",
                                    "0::",
                                    "1 2 3\n",
                                    "/",
                                    FUZZ_FILE "/proc/200/task/201/schedstat" FUZZ_TEXT,
                                    NULL};

static void watch(struct lag_filter whom, const char *cgroup) {
  struct lag_source s = {.whom = whom, .sample_ms = 10};
  s.meter = lag_meter_new(4);
  if (!s.meter) return;
  int error = lag_proc_open(&s, cgroup);
  for (int i = 0; !error && i < 2; i++) {
    struct proc *p = s.own;
    p->listed_ns = 0; /* as if it were time again */
    error = s.look(&s, 0);
  }
  fuzz_note_number((uint64_t)error);
  if (s.own) fuzz_note_number(((struct proc *)s.own)->watched.count);
  fuzz_note_number(s.meter->count);
  for (uint32_t i = 0; i < s.meter->count; i++) {
    const struct lag_thread *t = s.meter->threads[i];
    fuzz_check(memchr(t->command, '\0', sizeof t->command) != NULL, "a name without an end");
    fuzz_check(t->nice >= -20 && t->nice <= 19, "nice %d", t->nice);
    fuzz_note_text(t->command), fuzz_note_number((uint64_t)t->tid), fuzz_note_number(t->sampled_cpu_ns);
  }
  lag_until(s.meter, lag_now_ns());
  fuzz_forget();
  if (!error) lag_write_json(stdout, &s);
  if (!error) fuzz_check(fuzz_json(fuzz_printed(false)), "this is not JSON: %s", fuzz_printed(false));
  if (!error) lag_print(stderr, &s, 10);
  fuzz_printed(true);
  if (s.close) s.close(&s);
  else if (s.own) free(((struct proc *)s.own)->text), free(s.own); /* as its process would by ending */
  lag_meter_free(s.meter);
}

static void run(const char *data, size_t size) {
  fuzz_tree(data, size);
  watch((struct lag_filter){.whom = LAG_ALL, .own = 1}, NULL);
  switch (size % 4) {
    case 0: watch((struct lag_filter){.whom = LAG_PROCESS, .pid = 200, .own = 1}, NULL); break;
    case 1: watch((struct lag_filter){.whom = LAG_TREE, .pid = 200, .own = 1, .kernel_threads = 1}, NULL); break;
    case 2: watch((struct lag_filter){.whom = LAG_NAME, .own = 1, .command = "job"}, NULL); break;
    default: watch((struct lag_filter){.whom = LAG_CGROUP, .own = 1}, "/a");
  }
}

FUZZ_TARGET(proc, .run = run, .words = words, .most = 60000)
