/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads values from standard input, one a line, and prints for each its reading and whose it is: "3o". A line has a
 * digit for each of: sort, record, forgets, number of written sets, then the sets of CPUs, three bits each: now, base,
 * may, written (the last, the one before), held, away, online, via, program. "!": the answer depends on the order of
 * the CPUs, which are alike. */
#include <stdio.h>

#include "whose.h"

#define CPUS 3
enum { SORT, RECORD, FORGETS, WRITES, NOW, BASE, MAY, WRITTEN, BEFORE, HELD, AWAY, ONLINE, VIA, PROGRAM, FIELDS };

static const int places[CPUS] = {0, 63, 64}; /* in more than one word */
static const int orders[][CPUS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static struct cl_cpus set(char digit, const int *order) {
  struct cl_cpus cpus = cl_cpus_none();
  for (int i = 0; i < CPUS; i++)
    if ((digit - '0') >> i & 1) cl_cpus_add(&cpus, places[order[i]]);
  return cpus;
}

static enum cl_reading read_in(const char *field, const int *order) {
  const struct cl_cpus written[] = {set(field[WRITTEN], order), set(field[BEFORE], order)};
  const struct cl_ground ground = {.online = set(field[ONLINE], order),
                                   .possible = set('7', order),
                                   .held = set(field[HELD], order),
                                   .away = set(field[AWAY], order),
                                   .forgets = field[FORGETS] == '1'};
  const struct cl_value value = {.sort = (enum cl_sort)(field[SORT] - '0'),
                                 .record = (enum cl_record)(field[RECORD] - '0'),
                                 .now = set(field[NOW], order),
                                 .base = set(field[BASE], order),
                                 .may = set(field[MAY], order),
                                 .written = written,
                                 .writes = (size_t)(field[WRITES] - '0'),
                                 .via = set(field[VIA], order),
                                 .program = set(field[PROGRAM], order)};
  return cl_reading(&ground, &value);
}

int main(void) {
  static const char answers[] = {[CL_OURS_TO_SET] = 'o', [CL_THEIRS_TO_KEEP] = 't', [CL_LEFT_ALONE] = '-'};
  char field[FIELDS + 2];
  while (fgets(field, sizeof field, stdin)) {
    enum cl_reading reading = read_in(field, orders[0]);
    bool same = true;
    for (size_t i = 1; i < sizeof orders / sizeof *orders; i++) same = same && read_in(field, orders[i]) == reading;
    enum cl_whose whose = cl_whose((enum cl_sort)(field[SORT] - '0'), (enum cl_record)(field[RECORD] - '0'), reading);
    putchar(same ? '0' + (int)reading : '!');
    putchar(answers[whose]);
    putchar('\n');
  }
  return 0;
}
