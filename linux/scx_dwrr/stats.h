/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Statistics: tables, and the socket on which sched_ext's tools ask for them (a line of JSON each way, as scx_stats). */
#ifndef DWRR_STATS_H
#define DWRR_STATS_H

#include <poll.h>
#include <stdio.h>

#include "scx_dwrr.h"

#define DWRR_SOCKET \
  "/var/run/scx/"   \
  "root"            \
  "/stats" /* where scx_stats looks for it */
#define DWRR_CLIENTS_MAX 16

/* The counters at one time. */
struct dwrr_sample {
  struct dwrr_stats sum;
  u64 at_ns;
  u64 cpus;
  struct dwrr_totals totals;
};

/* Counts between two samples, and the state at the second: names and texts are in stats.c. */
struct dwrr_row {
  struct dwrr_stats in;
  u64 interval_ns, cpus, rounds, lowest, threads, weight, cgroups, active;
};

typedef int dwrr_read(void *from, struct dwrr_sample *sample); /* the error number */

struct dwrr_server {
  dwrr_read *read;
  void *from;
  const char *path;
  struct pollfd files[1 + DWRR_CLIENTS_MAX]; /* to poll: the one that listens first; -1: none */
  struct {
    struct dwrr_sample before; /* of the last answer */
    char line[1024];
    size_t size;
  } clients[DWRR_CLIENTS_MAX];
};

struct dwrr_row dwrr_since(const struct dwrr_sample *before, const struct dwrr_sample *now);
void dwrr_print_row(FILE *to, int number, const struct dwrr_row *row); /* row 0, 20, ... with the names above */
void dwrr_help_stats(FILE *to);

/* Listens at server->path. 0, or the error number. */
int dwrr_serve(struct dwrr_server *server);
void dwrr_answer(struct dwrr_server *server); /* after poll(): all that has come */
void dwrr_serve_end(struct dwrr_server *server);

/* Prints a row each interval for the server at path, until it ends or *stop: ENOENT no server, EPROTO another's. */
int dwrr_monitor(const char *path, double interval_s, FILE *to, const volatile int *stop);

#endif
