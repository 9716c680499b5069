/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of scx_dwrr with made-up counters: `serve PATH` answers until its input ends, each time 1 s later with
 * counter i (from 1) i more; `monitor PATH` prints a row of them every 10 ms. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stats.h"

static int grow(void *from, struct dwrr_sample *sample) {
  struct dwrr_sample *now = from;
  u64 *counters = (u64 *)&now->sum;
  for (u64 i = 0; i < sizeof now->sum / sizeof *counters; i++) counters[i] += i + 1;
  now->at_ns += 1000000000;
  now->totals.lowest += 40;
  *sample = *now;
  return 0;
}

int main(int count, char **words) {
  struct dwrr_sample now = {.cpus = 4,
                            .totals = {.lowest = 0xffffffe0, .threads = 5, .weight = 5120, .cgroups = 3, .active = 2}};
  struct dwrr_server server = {.read = grow, .from = &now, .path = words[2]};
  volatile int stop = 0;
  struct pollfd input[1 + 1 + DWRR_CLIENTS_MAX] = {{.fd = STDIN_FILENO, .events = POLLIN}};
  if (count == 3 && strcmp(words[1], "monitor") == 0) return dwrr_monitor(words[2], 0.01, stdout, &stop);
  if (count != 3 || strcmp(words[1], "serve") != 0 || dwrr_serve(&server)) return 1;
  puts("serves");
  fflush(stdout);
  do {
    memcpy(input + 1, server.files, sizeof server.files);
    poll(input, sizeof input / sizeof *input, -1);
    memcpy(server.files, input + 1, sizeof server.files);
    dwrr_answer(&server);
  } while (!input[0].revents);
  dwrr_serve_end(&server);
  return 0;
}
