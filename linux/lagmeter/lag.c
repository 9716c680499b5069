/* SPDX-License-Identifier: GPL-2.0-only */
#include "lag.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define UNIT_WEIGHT 1024.0

/* The kernel's table sched_prio_to_weight, and the weight of SCHED_IDLE. Heaviest first. */
const uint32_t lag_weights[LAG_CLASSES] = {88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548,
                                           7620,  6100,  4904,  3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,
                                           655,   526,   423,   335,   272,   215,   172,   137,   110,   87,    70,
                                           56,    45,    36,    29,    23,    18,    15,    3};

uint32_t lag_class(int nice, bool idle) {
  if (idle) return LAG_IDLE_CLASS;
  return nice < -20 ? 0 : nice > 19 ? 39 : (uint32_t)(nice + 20);
}

/* The first class, from `from` on, that has threads; LAG_CLASSES: none. */
static uint32_t class_from(const struct lag *lag, uint32_t from) {
  uint64_t left = lag->present >> from << from;
  return left ? (uint32_t)__builtin_ctzll(left) : LAG_CLASSES;
}

#define FOR_EACH_CLASS(i, from) for (uint32_t i = class_from(lag, from); i < LAG_CLASSES; i = class_from(lag, i + 1))

struct lag *lag_new(uint32_t cpus) {
  struct lag *lag = calloc(1, sizeof *lag);
  if (!lag) return NULL;
  lag->cpus = cpus;
  return lag;
}

void lag_free(struct lag *lag) {
  if (lag) free(lag->running);
  free(lag);
}

void lag_serve(struct lag *lag, struct lag_one *one, double ns) {
  one->served += ns;
  one->value += ns * lag->unit[one->class];
  if (one->slot == LAG_PAIRS) return;
  lag->value[one->slot] = one->value;
  lag->served[one->slot] = true;
}

void lag_clock(struct lag *lag, uint64_t now_ns) {
  if (now_ns <= lag->now_ns) return; /* the CPUs' clocks differ by a little */
  double passed = (double)(now_ns - lag->now_ns);
  FOR_EACH_CLASS(i, 0) lag->clock[i] += passed * lag->rate[i];
  for (uint32_t i = 0; i < lag->runs; i++) lag_serve(lag, lag->running[i], passed);
  lag->now_ns = now_ns;
}

static double apart(const struct lag *lag, uint32_t a, uint32_t b) {
  return lag->value[a] - lag->value[b] - lag->before[a][b];
}

double lag_gap(const struct lag *lag) {
  double most = 0;
  for (uint32_t a = 0; a < lag->slots; a++)
    for (uint32_t b = 0; lag->one[a] && b < a; b++)
      if (lag->one[b]) most = fmax(most, fabs(apart(lag, a, b)));
  return most;
}

/* Between two events service grows linearly, so the gap of two threads is largest where one of them starts, stops or
 * leaves, or where the unit of one changes. */
static void look_at(struct lag *lag, uint32_t a) {
  if (a == LAG_PAIRS) return;
  double most = 0;
  uint32_t with = a;
  for (uint32_t b = 0; b < lag->slots; b++) {
    if (!lag->one[b]) continue;
    double gap = fabs(apart(lag, a, b));
    if (gap > most) most = gap, with = b;
  }
  if (most <= lag->largest.gap) return;
  const struct lag_one *one = lag->one[a], *other = lag->one[with];
  bool ahead = apart(lag, a, with) > 0;
  lag->largest = (struct lag_largest){.gap = most,
                                      .ahead = ahead ? one->tag : other->tag,
                                      .behind = ahead ? other->tag : one->tag,
                                      .from_ns = one->since_ns > other->since_ns ? one->since_ns : other->since_ns,
                                      .at_ns = lag->now_ns};
}

/* Threads of one class ask for the same, so either all of them ask for more than a CPU or none does. */
static void readjust(struct lag *lag) {
  uint64_t sum = lag->weight;
  uint32_t left = lag->cpus, feasible = class_from(lag, 0);
  bool changed = false;
  while (feasible < LAG_CLASSES && (uint64_t)lag_weights[feasible] * left > sum) {
    sum -= (uint64_t)lag_weights[feasible] * lag->count[feasible];
    left -= lag->count[feasible];
    feasible = class_from(lag, feasible + 1);
  }
  FOR_EACH_CLASS(i, 0) {
    bool whole = i < feasible; /* it asks for more than a CPU */
    double unit = !whole ? UNIT_WEIGHT / lag_weights[i] : sum ? UNIT_WEIGHT * left / (double)sum : 1;
    lag->rate[i] = whole ? 1 : lag_weights[i] * (double)left / (double)sum;
    changed |= lag->unit[i] != unit;
    lag->unit[i] = unit;
  }
  for (uint32_t i = 0; changed && i < lag->runs; i++) look_at(lag, lag->running[i]->slot);
}

void lag_look(struct lag *lag) {
  for (uint32_t i = 0; i < lag->slots; i++) {
    if (lag->served[i]) look_at(lag, i);
    lag->served[i] = false;
  }
  uint64_t passed = lag->now_ns - lag->noted_ns;
  lag->noted_ns = lag->now_ns;
  lag->gap = lag_gap(lag);
  if (lag->paired > 1) lag_count(&lag->gaps, (uint64_t)(lag->gap / 1e3), passed);
}

bool lag_due(const struct lag *lag) {
  return lag->now_ns - lag->noted_ns >= (lag->paired > LAG_FEW ? 10 * LAG_NOTED_NS : LAG_NOTED_NS);
}

double lag_of(const struct lag *lag, const struct lag_one *one) {
  return one->runnable ? lag->clock[one->class] - one->ideal_before - one->served : 0;
}

double lag_ideal(const struct lag *lag, const struct lag_one *one) {
  return one->ideal + (one->runnable ? lag->clock[one->class] - one->ideal_before : 0);
}

/* It only rises while a thread waits and only falls while it runs: to be noted where that changes. */
void lag_note(const struct lag *lag, struct lag_one *one) {
  double now = lag_of(lag, one);
  one->behind = fmax(one->behind, now);
  one->ahead = fmax(one->ahead, -now);
}

void lag_join(struct lag *lag, struct lag_one *one, uint32_t class) {
  one->runnable = true;
  one->class = class;
  one->since_ns = lag->now_ns;
  one->value = one->served = 0;
  one->ideal_before = lag->clock[class];
  one->at = 0;
  lag->runnable++;
  lag->count[class]++;
  lag->present |= 1ull << class;
  lag->weight += lag_weights[class];
  readjust(lag);
  uint32_t slot = 0;
  while (slot < lag->slots && lag->one[slot]) slot++;
  one->slot = slot;
  if (slot == LAG_PAIRS) {
    lag->unpaired++;
    return;
  }
  if (slot == lag->slots) lag->slots++;
  if (lag->paired++ == 1) lag->noted_ns = lag->now_ns;
  lag->one[slot] = one;
  lag->value[slot] = 0;
  lag->served[slot] = false;
  for (uint32_t i = 0; i < lag->slots; i++) {
    lag->before[slot][i] = -lag->value[i];
    lag->before[i][slot] = lag->value[i];
  }
}

void lag_leave(struct lag *lag, struct lag_one *one) {
  if (one->at) {
    lag_stop(lag, one);
  } else {
    look_at(lag, one->slot);
    lag_note(lag, one);
  }
  one->ideal = lag_ideal(lag, one);
  one->runnable = false;
  if (--lag->count[one->class] == 0) lag->present &= ~(1ull << one->class);
  lag->weight -= lag_weights[one->class];
  lag->runnable--;
  readjust(lag);
  if (one->slot == LAG_PAIRS) return;
  lag->one[one->slot] = NULL;
  lag->served[one->slot] = false;
  lag->paired--;
  while (lag->slots && !lag->one[lag->slots - 1]) lag->slots--;
}

int lag_run(struct lag *lag, struct lag_one *one) {
  if (one->at) return 0;
  if (lag->runs == lag->room) {
    uint32_t room = lag->room ? 2 * lag->room : 16;
    struct lag_one **more = realloc(lag->running, room * sizeof(struct lag_one *));
    if (!more) return ENOMEM;
    lag->running = more;
    lag->room = room;
  }
  look_at(lag, one->slot);
  lag_note(lag, one);
  lag->running[lag->runs++] = one;
  one->at = lag->runs;
  return 0;
}

void lag_stop(struct lag *lag, struct lag_one *one) {
  if (!one->at) return;
  look_at(lag, one->slot);
  struct lag_one *last = lag->running[--lag->runs];
  lag->running[one->at - 1] = last;
  last->at = one->at;
  one->at = 0;
  lag_note(lag, one);
}
