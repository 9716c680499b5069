/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine's settings before the first reservation, and as they should be now.
 *
 * The baseline is taken once, when nothing is held, and kept until nothing is held again. A reservation is a layer over
 * it (layer.h). Target values are computed from the base values and the CPUs of all live layers, never from what
 * another reservation left: so reservations may end in any order and in any way, and settle.c need not know which
 * changes were made (decision 0018 says why that is right).
 *
 * A text file, /run/coreloom-exclusive/baseline; a line (lines.h) replaces an earlier one of the same kind and key:
 *
 *   coreloom-baseline 2   BOOT-ID   TAKEN SPACE   the first line; TAKEN: when, in clock ticks since boot; SPACE: the
 *                                               PID namespace in whose numbers tasks are recorded
 *   held         LIST                           the CPUs that all layers hold together
 *   copy         NUMBER                         how often the file was rewritten
 *   topology     NUMBER                         highest inode of a CPU's directory `topology`, which comes and goes with it
 *   offline      LIST                           CPUs that were offline at some time since
 *   cpus         PATH  BASE WRITTEN HOW         a list of CPUs in a file
 *   mask         PATH  BASE WRITTEN HOW         the same where it is a mask ("f", "ff,ffffffff")
 *   controller   PATH  BASE WRITTEN HOW         PATH a cgroup.subtree_control; the cpuset controller "on" or "off"
 *   irqbalance   SOCKET BASE WRITTEN HOW        the CPUs that irqbalance leaves alone
 *   task         TID BORN  BASE WRITTEN HOW     the CPUs that a task has requested
 *
 * HOW: `was`: as found, never written by this tool; `ours`: WRITTEN was written last; `theirs`: the same, but others
 * had changed the value since, and BASE is what they want; a number: `ours`, for a task of that layer's program. A task
 * that is not listed and is older than TAKEN was allowed every CPU. A line is written before its change is made. */
#ifndef CL_BASELINE_H
#define CL_BASELINE_H

#include "layer.h"
#include "state.h"
#include "tasks.h"
#include "whose.h"

enum cl_kind { CL_CPUS, CL_MASK, CL_CONTROLLER, CL_IRQBALANCE, CL_TASK, CL_KINDS };
enum cl_how { CL_WAS, CL_OURS, CL_THEIRS, CL_HOWS, CL_PROGRAM = CL_HOWS };

struct cl_known {
  enum cl_kind kind;
  enum cl_how how;
  char *line; /* what follows points in here */
  const char *key, *base, *written;
  int id;  /* of the layer whose program a task is (CL_PROGRAM), else 0 */
  int tid; /* of a task */
  unsigned long long born;
  /* The previous line, if it had the same base: the tool that wrote this one may have been killed before its change,
   * so the previous one may still be in force. */
  struct cl_known *older;
  struct cl_known *next;
};

struct cl_baseline {
  int fd; /* -1: there is none */
  unsigned long long inode;
  size_t length, lines; /* of the file, as it was read */
  unsigned long long taken;
  char space[CL_SPACE_TEXT];
  struct cl_cpus online, possible;
  struct cl_cpus held, offline;
  unsigned long long copy, topology;
  struct cl_known *known, *last; /* in the order in which they became known: one that does meanwhile comes last */
  void *tree; /* of <search.h>: the same by kind and key */
  size_t count, damaged;
};

/* The caller holds the lock in all that writes. */
/* Reads it, also where it was removed and a living tool has it open. ENOENT: there is none; *b is empty then. EPROTO:
 * another version of this tool has written it. */
int cl_baseline_read(struct cl_baseline *b);
int cl_baseline_look(struct cl_baseline *b, const char *path); /* this file, only to be read */
/* Reads the machine and writes it down. */
int cl_baseline_take(struct cl_baseline *b);
/* The same again where others have added lines or rewritten the file (fd -1: it was not read yet); rewritten where
 * it was removed. */
int cl_baseline_refresh(struct cl_baseline *b);
/* Rewrites the file without replaced lines and ended tasks, if that makes it much shorter. */
int cl_baseline_compact(struct cl_baseline *b);
void cl_baseline_free(struct cl_baseline *b);
void cl_baseline_remove(void);

/* Its tasks are recorded by the numbers that they have in another PID namespace than this process's. */
bool cl_baseline_is_elsewhere(const struct cl_baseline *b);

struct cl_known *cl_baseline_find(const struct cl_baseline *b, enum cl_kind kind, const char *key);
int cl_baseline_put(struct cl_baseline *b, enum cl_kind kind, const char *key, const char *base, const char *written,
                    enum cl_how how);
int cl_baseline_hold(struct cl_baseline *b, const struct cl_cpus *held);
/* Notes the CPUs that are offline now, and those that were since the baseline was taken, seen or not. */
int cl_baseline_note_offline(struct cl_baseline *b);
/* The same, after reading which CPUs are online. True: some have gone offline or come back, so a value that was
 * found may be the kernel's doing: ask before taking it for a user's request. */
bool cl_baseline_cpus_changed(struct cl_baseline *b);
struct cl_known *cl_baseline_task(const struct cl_baseline *b, int tid, unsigned long long born);
/* id: of the layer whose program it is (how: CL_PROGRAM), else 0. */
int cl_baseline_put_task(struct cl_baseline *b, const struct cl_task *task, const struct cl_cpus *base,
                         const struct cl_cpus *written, enum cl_how how, int id);

/* A list or mask, or (cgroup v2) an empty list of a cgroup, which means every CPU. */
int cl_baseline_parse(const struct cl_baseline *b, const struct cl_known *known, const char *text,
                      struct cl_cpus *cpus);
/* The CPUs that a task has requested: as recorded; else its current affinity. A task born later may have inherited the
 * CPUs that its parent was left with. */
struct cl_cpus cl_baseline_wish(const struct cl_baseline *b, const struct cl_task *task);
struct cl_ground cl_baseline_ground(const struct cl_baseline *b);
/* The reading of a known value (whose.h); its record and the value written are filled in from the record. */
enum cl_reading cl_baseline_reading(const struct cl_baseline *b, const struct cl_known *known, struct cl_value *value);
/* While CPUs are held, a task that may use no others gets the rest. */
struct cl_cpus cl_baseline_rest(const struct cl_baseline *b, const struct cl_cpus *held);

/* Files: the workqueues' CPUs as requested (the kernel shows them without isolated ones), and as written. */
#define CL_QUEUES "/sys/devices/virtual/workqueue/cpumask"
#define CL_QUEUES_ASKED "/sys/devices/virtual/workqueue/cpumask_requested"
bool cl_is_irq(const char *path); /* "/proc/irq/N/smp_affinity_list" */
/* Reads a file of a known set: of CL_QUEUES what was asked for. */
int cl_baseline_now(const char *path, char *text, size_t size);
/* Calls `each` with the cpuset.cpus file of every cgroup of others directly below the mount of cgroup v2. */
int cl_baseline_groups(int (*each)(void *context, const char *path), void *context);
/* A name of ours: coreloom-100, coreloom-100-idle, coreloom_100.slice */
bool cl_is_ours(const char *name);

#endif
