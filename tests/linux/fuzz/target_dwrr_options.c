/* SPDX-License-Identifier: GPL-2.0-only
 *
 * scx_dwrr's options, a word a line. */
#define _GNU_SOURCE
#define main scx_dwrr_main
#include "../../../linux/scx_dwrr/scx_dwrr.c"
#undef main

#include "fuzz.h"

static const char *const fuzz_words[] = {"-s",
                                         "--slice-us",
                                         "--sleepers-wait",
                                         "--stats",
                                         "--monitor",
                                         "--help-stats",
                                         "--exit-dump-len",
                                         "-v",
                                         "-V",
                                         "-h",
                                         "=",
                                         "--",
                                         "\n",
                                         "20000",
                                         "1",
                                         "1048576",
                                         NULL};

static void run_options(const char *data, size_t size) {
  struct options o = {.slice_us = DWRR_SLICE_US, .dump_size = DWRR_DUMP_SIZE};
  char *copy = malloc(size + 1), *word[70] = {"scx_dwrr"};
  int count = 1;
  if (!copy) abort();
  memcpy(copy, data, size + 1);
  count = fuzz_split(copy, word, count, 68);
  optind = 0; /* begins anew */
  int status = parse(count, word, &o);
  fuzz_check(status >= 0 && status <= 3, "status %d", status - 1);
  fuzz_note_number((uint64_t)status);
  if (status == 0) {
    fuzz_check(o.slice_us >= 1000 && o.slice_us <= 1000000 && o.dump_size <= DWRR_DUMP_SIZE, "a number has no limit");
    fuzz_check(o.stats_s >= 0 && o.stats_s <= 86400 && o.monitor_s >= 0 && o.monitor_s <= 86400, "a time has no limit");
  }
  free(copy);
}

FUZZ_TARGET(dwrr_options, .run = run_options, .words = fuzz_words, .most = 2048)
