/* SPDX-License-Identifier: Apache-2.0
 *
 * A request, and what the steps of holding its CPUs share. */
#ifndef CL_HOLD_H
#define CL_HOLD_H

#include "change.h"
#include "counters.h"

enum cl_smt { CL_SMT_IDLE, CL_SMT_SHARE };

struct cl_request {
  char **command;           /* run: what to start, ends with NULL; attach: NULL */
  const int *pids;          /* attach: as they were given */
  int pid_count;
  const char *cgroup;       /* attach --cgroup: all processes of this group */
  const char *unit;         /* --unit: attach: all processes of this unit; run: what its scope is called */
  int pid, tid;             /* attach: the first process, or one thread of it (tid > 0) */
  int count;                /* CPUs wanted when they are to be chosen */
  struct cl_cpus asked;     /* --cpu, --cpus; empty: choose */
  enum cl_smt smt;          /* idle: the siblings of the CPUs are held too, and stay empty */
  const char *mechanism;    /* --mechanism NAME, or NULL: the best that works */
  const char *user;         /* --as USER, or NULL */
  int fifo;                 /* --fifo: priority, 0: none */
  int nice;                 /* --nice */
  bool has_nice;
  bool force, move, trace; /* --force: CPU 0; --move: take processes out of their systemd unit; --trace: use tracefs */
  double most_s, sample_s; /* --max (0: no limit), --sample */
  double wait_s; /* --wait: for CPUs that another reservation holds (0: not at all) */
};

struct cl_target;

struct cl_hold {
  const struct cl_request *request;
  struct cl_cpus online;
  struct cl_cpus cpus; /* held */
  struct cl_cpus use; /* of these, what the program may use (without idle siblings) */
  struct cl_cpus rest; /* online - cpus - those of other reservations: where everybody else goes */
  struct cl_cpus lists; /* those and what others hold by affinity: their programs are in groups that list it */
  struct cl_cpus lightest; /* of the rest, the lightest: destinations */
  struct cl_tasks tasks; /* all, as they were read in state 1: reading them takes longer than all the rest */
  struct cl_counters before[2]; /* of cpus, at both ends of the sample in which they were chosen */
  struct cl_task program; /* its first process; run: the child, which waits for its exec; attach: the process or
                            * thread. Known before clear(), as systemd cannot create a scope without a process */
  struct cl_target *target; /* attach: all of them (target.h); NULL: only that one is known */
  struct cl_changes changes;
  int id; /* pid of the tool */
  int signals; /* a signalfd: what ends the tool while it sets up; -1: none */
  char group[CL_PATH_MOST]; /* folder of the program's cgroup, once a mechanism has made one; else "" */
  char partition[CL_PATH_MOST]; /* the same of the partition in which that is, or which it is; else "" */
  /* counted for the log */
  int moved, kernel_moved, kernel_stay, irqs_moved, irqs_managed;
};

/* A signal has come: what takes long stops, and answers EINTR. */
bool cl_interrupted(const struct cl_hold *hold);

/* A way to keep everybody else off the CPUs, and the program on them. All taking back is settle.c's. */
struct cl_mechanism {
  const char *name; /* isolated, root, affinity */
  const char *text; /* "cgroup v2, isolated partition" */
  bool scopes; /* where systemd runs the program is in a scope, which --unit names */
  /* Why it cannot be used here (one phrase, static or in `why`), or NULL. Changes nothing. */
  const char *(*cannot)(const struct cl_hold *hold, char *why, size_t size);
  /* Clears the CPUs. On an error the caller undoes what was recorded and tries the next; `why` says what failed. */
  int (*clear)(struct cl_hold *hold, char *why, size_t size);
  /* Puts a task of the program (of attach: every thread; of run: the child before its exec) on hold->use. */
  int (*enter)(struct cl_hold *hold, const struct cl_task *task, char *why, size_t size);
  /* Called periodically while the CPUs are held: moves off tasks that came since. Returns their number, or 0. NULL:
   * the kernel does it. */
  int (*sweep)(struct cl_hold *hold);
};
/* Best first, ended by NULL. */
extern const struct cl_mechanism *const cl_mechanisms[];

/* load.c: states 1 and 2. Fills cpus, use, rest, lightest, tasks, before; `why` is the reason in one line, for each
 * CPU chosen: "CPU 3: run-queue wait 2 %, 4 movable tasks, 0 pinned, 1 managed IRQ"; of more than 8 together. If it
 * refuses, it returns non-zero and `why` is the whole error text. */
int cl_choose(struct cl_hold *hold, char *why, size_t size);

/* irq.c: moves the interrupts away, tells irqbalance; counts. */
int cl_irqs_clear(struct cl_hold *hold);

/* systemd.c */
bool cl_systemd_runs(void);
/* Asks systemd for a transient scope with the process of `task` in it; fills hold->group with its directory. The
 * parent is a slice of this reservation, directly below the mount, with cpuset.cpus = hold->cpus: as good a place
 * for a partition as the scope, and the only one before 6.7. Writes the layer's entries `scope` and `group` first. */
int cl_systemd_scope(struct cl_hold *hold, const struct cl_task *task, char *why, size_t size);
/* The unit that owns a task's group ("nginx.service"), or "" where none does. */
void cl_systemd_unit(int tid, char *unit, size_t size);
#define CL_UNIT_MOST 256
/* A unit's name as a user gives it: with `suffix` if it has none of a unit's. EINVAL: it is none. */
int cl_systemd_name(const char *given, const char *suffix, char name[CL_UNIT_MOST]);
/* The folder of a unit that runs. ENOENT: none of that name runs. */
int cl_systemd_find(const char *name, char *folder, size_t size);
/* Whether a unit runs on for systemd when its group is empty, as its main process lives. */
bool cl_systemd_outlives(const char *unit);

/* Undoing: settle.c calls these for a layer's entry `scope NAME` and for irqbalance. EALREADY: nothing was left to
 * do (the scope lives on with a program that keeps running; irqbalance has been restarted). */
int cl_systemd_leave(const char *scope);
/* The tool was killed before systemd had answered: until the scope is there, if it is to come. */
void cl_systemd_await(const char *name);
int cl_irqbalance_restore(const char *socket, const char *old, const char *new);

#endif
