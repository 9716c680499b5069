/* SPDX-License-Identifier: GPL-2.0-only
 *
 * lagmeter's options, a word a line. */
#define _GNU_SOURCE
#define main lagmeter_main
#include "../../../linux/lagmeter/main.c"
#undef main

#include "fuzz.h"

static const char *const fuzz_words[] = {"-p",
                                         "-n",
                                         "-g",
                                         "-a",
                                         "-k",
                                         "-t",
                                         "-c",
                                         "-v",
                                         "-V",
                                         "-h",
                                         "--pid",
                                         "--name",
                                         "--cgroup",
                                         "--all",
                                         "--kernel",
                                         "--time",
                                         "--cpus",
                                         "--json",
                                         "--perfetto",
                                         "--sample",
                                         "--interval",
                                         "--as",
                                         "root",
                                         "nobody",
                                         "=",
                                         "--",
                                         "\n",
                                         "/",
                                         "/sys/fs/cgroup",
                                         "..",
                                         NULL};

static void run_options(const char *data, size_t size) {
  struct options o = {0};
  char *copy = malloc(size + 1), *word[70] = {"lagmeter"};
  int count = 1;
  if (!copy) abort();
  memcpy(copy, data, size + 1);
  count = fuzz_split(copy, word, count, 68);
  optind = 0; /* begins anew */
  int status = parse(count, word, &o);
  fuzz_check(status >= 0 && status <= 3, "status %d", status - 1);
  fuzz_note_number((uint64_t)status);
  if (status == 0) {
    fuzz_check(o.command || o.chosen, "nobody is to be watched, and it goes on");
    fuzz_check(o.time_s >= 0 && o.time_s <= 1e6 && o.sample_ms >= 0 && o.sample_ms <= 10000 && o.cpus <= 65536,
               "a number has no limit");
    fuzz_check(memchr(o.whom.command, '\0', sizeof o.whom.command) != NULL, "a name without an end");
    fuzz_check(o.whom.pid >= 0, "process %d", o.whom.pid);
  }
  free(copy);
}

FUZZ_TARGET(lag_options, .run = run_options, .words = fuzz_words, .most = 2048)
