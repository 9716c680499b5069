/* SPDX-License-Identifier: Apache-2.0
 *
 * What a reservation has changed, written down before each change, and how it is taken back.
 *
 * A journal is a text file, /run/coreloom-exclusive/ID.journal, ID the tool's pid. One line an entry, fields by tabs:
 *
 *   coreloom-exclusive 1   BOOT-ID   TOOL-PID   BORN   CPUS   MECHANISM   COMMAND      the first line
 *   file         PATH  OLD  NEW           the text of a file of the kernel
 *   cpus         PATH  OLD  NEW           the same where the text is a list of CPUs: what is given back are OLD - NEW,
 *                                         so that reservations may end in another order than they came
 *   mask         PATH  OLD  NEW           the same where it is a mask ("f", "ff,ffffffff")
 *   controller   PATH  NAME               a controller switched on in a group: PATH its cgroup.subtree_control
 *   folder       PATH                     a cgroup made
 *   group        PID BORN CONTROLLER OLD NEW   a process moved to another cgroup, folders both ("" = v2)
 *   thread       TID BORN CONTROLLER OLD NEW   the same of one thread
 *   affinity     TID BORN OLD NEW         the CPUs a task may use
 *   scope        NAME                     a transient unit asked of systemd
 *   irqbalance   SOCKET OLD NEW           what irqbalance was told
 *   note         KEY VALUE                nothing to take back: what status and the proof need (counters at the start),
 *                                         and what a reservation that ends tells one that lives on
 *
 * An entry is one write(2) to a file of a tmpfs, so it is whole or not there, whenever the tool is killed; an entry
 * whose change was not made any more does no harm, as restoring compares first.
 *
 * Restoring goes from the last entry to the first. For each: what is there is compared with NEW; equal: OLD is written;
 * equal to OLD: nothing to do; something else: somebody has changed it since, it is left and said. Then the file is
 * removed. It may be done twice or by two at once (a lock), and after any part of it. */
#ifndef CL_JOURNAL_H
#define CL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "cpus.h"
#include "files.h"

#define CL_JOURNALS "/run/coreloom-exclusive"

struct cl_journal {
  int fd; /* -1: nothing is written down (plan) */
  char path[CL_PATH_MOST];
};

/* The first line of a journal. */
struct cl_reservation {
  char path[CL_PATH_MOST];
  char boot[40];
  int tool; /* pid */
  unsigned long long born;
  struct cl_cpus cpus;
  char mechanism[32];
  char command[256];
  bool alive; /* its tool lives, in this boot */
};

struct cl_restored {
  int done;    /* changes taken back */
  int already; /* were as before */
  int foreign; /* left, as somebody else has changed them; each said by cl_warn */
  int failed;  /* the kernel refused; each said by cl_warn. The journal stays */
  int damaged; /* lines that cannot be read; each said by cl_warn */
};

/* Only one tool at a time sets up or takes down: a lock on CL_JOURNALS/lock, until the answer is closed. */
int cl_journal_lock(int *fd);
int cl_journal_try(int *fd); /* EWOULDBLOCK: another has it */
int cl_journal_open(struct cl_journal *journal, const struct cl_reservation *first);
/* Appends an entry of `kind` with `count` fields; tabs, newlines and backslashes in them are escaped. */
int cl_journal_add(struct cl_journal *journal, const char *kind, const char *const *field, size_t count);
/* Last value noted for KEY, or ENOENT. */
int cl_journal_note(const char *path, const char *key, char *value, size_t size);
/* Calls `each` with every entry, the first first: its kind and fields; then with "damaged" and the number of each line
 * that cannot be read. Stops at its first answer but 0. */
int cl_journal_each(const char *path, int (*each)(void *context, const char *kind, char *const *field), void *context);
/* Says the mechanism, once it is known: a note, which from then on stands for the first line's. */
int cl_journal_mechanism(struct cl_journal *journal, const char *mechanism);

/* All reservations, damaged journals too (tool = 0); free() *list. */
int cl_journal_list(struct cl_reservation **list, size_t *count);
/* Takes everything back and removes the journal; the caller holds the lock. `from`: entries before this offset are
 * kept, and the journal too (a mechanism that failed half way takes back only its own); 0: all. A missing journal is
 * success with nothing done. EIO: something failed, the journal stays. Damaged lines are said and the file is kept as
 * ID.journal.damaged; a journal of another boot is removed. */
int cl_journal_restore(const char *path, size_t from, struct cl_restored *restored);
size_t cl_journal_offset(const struct cl_journal *journal);

#endif
