/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The arithmetic of lag: README.md has the definitions. No input, no output, no clock of its own.
 *
 * It is told which threads are runnable from when to when, and how much CPU time each got. */
#ifndef LAG_LAG_H
#define LAG_LAG_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"

#define LAG_CLASSES 41     /* nice -20 to 19, and SCHED_IDLE */
#define LAG_IDLE_CLASS 40
#define LAG_PAIRS 512      /* threads runnable at a time of which all pairs are looked at */
#define LAG_FEW 64         /* up to here the gap is noted every LAG_NOTED_NS, else every tenth time */
#define LAG_NOTED_NS 1000000

/* A thread. From lag_join to lag_leave it is runnable; all of it but `tag` is lag.c's. */
struct lag_one {
  void *tag;
  uint64_t since_ns;        /* runnable */
  double value;             /* since then: service for each unit of weight, */
  double served;            /* service, */
  double ideal_before;      /* and where the ideal server's clock of its class was */
  double ideal;             /* of all times that it was runnable: what it had got there */
  double behind, ahead;     /* the largest lag, and the most negative one, as positive numbers */
  uint32_t class, slot;     /* slot: LAG_PAIRS if its pairs are not looked at */
  uint32_t at;              /* among those that run, + 1 */
  bool runnable;
};

struct lag_largest {
  double gap;
  const void *ahead, *behind; /* tags of the thread that got more, and of the one that got less */
  uint64_t from_ns, at_ns;    /* both runnable since, and when it was so large */
};

struct lag {
  uint64_t now_ns, noted_ns;
  uint32_t cpus, runnable, paired, slots; /* slots: in use, with holes */
  uint64_t unpaired;                      /* times that a thread found no slot */
  uint64_t weight;                        /* of all that are runnable */
  uint64_t present;                       /* classes that have threads now, a bit each */
  uint32_t count[LAG_CLASSES];
  double rate[LAG_CLASSES];               /* CPUs that the ideal server gives a thread, */
  double clock[LAG_CLASSES];              /* and has given to one that was always there */
  double unit[LAG_CLASSES];               /* 1024 / feasible weight */
  struct lag_one **running;
  uint32_t runs, room;
  struct lag_one *one[LAG_PAIRS];
  double value[LAG_PAIRS];
  bool served[LAG_PAIRS];                 /* since the last look */
  double before[LAG_PAIRS][LAG_PAIRS];    /* how far apart two were when the later one became runnable */
  double gap;                             /* when last noted */
  struct lag_largest largest;
  struct lag_histogram gaps;              /* us, by ns of time in which two or more were runnable */
};

extern const uint32_t lag_weights[LAG_CLASSES];
uint32_t lag_class(int nice, bool idle);

/* NULL: no memory */
struct lag *lag_new(uint32_t cpus);
void lag_free(struct lag *lag);

/* Time goes on to now; threads that run are served. Before all that follows. */
void lag_clock(struct lag *lag, uint64_t now_ns);
/* Other service, of which it is only known that it was given by now. */
void lag_serve(struct lag *lag, struct lag_one *one, double ns);
/* Look at all gaps, and note the largest of this moment: after all service up to now. Call it when due, after
 * lag_serve, and at the end. */
void lag_look(struct lag *lag);
bool lag_due(const struct lag *lag);

void lag_join(struct lag *lag, struct lag_one *one, uint32_t class);
void lag_leave(struct lag *lag, struct lag_one *one);
int lag_run(struct lag *lag, struct lag_one *one);
void lag_stop(struct lag *lag, struct lag_one *one);

/* How far it is behind the ideal server since it became runnable, in ns; less than 0: ahead. */
double lag_of(const struct lag *lag, const struct lag_one *one);
void lag_note(const struct lag *lag, struct lag_one *one);
/* The total service that the ideal server had given it, in ns */
double lag_ideal(const struct lag *lag, const struct lag_one *one);
/* The largest gap at this moment, in ns of nice 0 */
double lag_gap(const struct lag *lag);

#endif
