/* SPDX-License-Identifier: Apache-2.0
 *
 * The owner of a value that was found: the one table by which all ends and all later changes decide. It reads nothing,
 * so a test can enumerate it. A value is a set of CPUs: what a file lists, or what a task may use. */
#ifndef CL_WHOSE_H
#define CL_WHOSE_H

#include "cpus.h"

/* Facts about the machine. */
struct cl_ground {
  struct cl_cpus online, possible;
  struct cl_cpus held; /* by all reservations, those that are ending among them */
  struct cl_cpus away; /* offline now, or at some time since the baseline was taken */
  bool forgets; /* before Linux 6.2: with any change of its cpuset the kernel forgets what a task has requested */
};

/* How a value is recorded: never written by this tool; written by it (also over what others had set); the affinity of
 * a reservation's program. */
enum cl_record { CL_RECORD_WAS, CL_RECORD_WRITTEN, CL_RECORD_PROGRAM, CL_RECORDS };
enum cl_sort { CL_SORT_FILE, CL_SORT_IRQ, CL_SORT_TASK, CL_SORT_THREAD /* of the kernel */, CL_SORTS };

struct cl_value {
  enum cl_sort sort;
  enum cl_record record;
  struct cl_cpus now, base;
  struct cl_cpus may; /* more is not shown: what the task's cpuset grants, of a file `possible` */
  const struct cl_cpus *written; /* by this tool, the last first: a killed one may not have come to write that */
  size_t writes;
  struct cl_cpus via; /* where an ending reservation sends tasks before it lets them have all they may */
  struct cl_cpus program; /* CPUs of the reservation whose program this is */
};

/* The reading of a value: the first that fits. Equal always means: but for CPUs that are held or were away, since those
 * the tool or the kernel may have taken or given. */
enum cl_reading {
  CL_READS_WRITTEN,  /* exactly what this tool wrote */
  CL_READS_BASE,     /* its base. A thread that asks again for what it was shown while CPUs were held has this, too */
  CL_READS_REST,     /* all its own CPUs are held or away: everything else was lent to it */
  CL_READS_STRANDED, /* what the holding had left to it went away: the kernel gave it everything, and forgot its base;
                      * or a program's own CPUs did */
  CL_READS_FREED, /* everything, as the kernel forgets what this one had requested */
  CL_READS_SENT, /* where tasks are sent first: the tool was killed before the second step */
  CL_READS_PROGRAM, /* the CPUs that its reservation gave it */
  CL_READS_OTHER, /* what somebody else has set */
  CL_READINGS
};

/* It becomes what it should be; it is kept, named, and its base from now on; it is none of this tool's business. */
enum cl_whose { CL_OURS_TO_SET, CL_THEIRS_TO_KEEP, CL_LEFT_ALONE };

bool cl_alike(const struct cl_ground *ground, const struct cl_cpus *one, const struct cl_cpus *other);
enum cl_reading cl_reading(const struct cl_ground *ground, const struct cl_value *value);
enum cl_whose cl_whose(enum cl_sort sort, enum cl_record record, enum cl_reading reading);

#endif
