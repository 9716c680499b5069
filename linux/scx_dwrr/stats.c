/* SPDX-License-Identifier: GPL-2.0-only */
#include "stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The members of struct dwrr_row in their order. */
static const struct {
  const char *name, *text;
} fields[] = {
    {"picked", "threads taken from a queue to run"},
    {"kept", "times a thread continued with a new slice: no other was due before it"},
    {"balanced", "threads taken from another CPU's queue before a round ended (round balancing)"},
    {"direct", "threads woken onto an idle CPU, bypassing the queues"},
    {"kernel", "per-CPU kernel threads, which bypass the rounds"},
    {"woken", "woken threads that preempted a thread that had run for a while"},
    {"pinned", "queued threads that may not run on all CPUs"},
    {"awaited", "times a thread many rounds ahead ran before all others because RCU waited for it"},
    {"held", "times a CPU idled because all its threads were in a round not yet open"},
    {"held_ns", "ns that CPUs idled for that reason"},
    {"borrowed", "ticks run ahead of the round so that a CPU did not idle"},
    {"skipped", "rounds ended without threads stuck on a CPU that a real-time thread occupies"},
    {"closed", "rounds ended early for a thread whose weight exceeds the share of one CPU"},
    {"throttled", "times a cgroup used up its cpu.max budget"},
    {"rescued", "threads run out of turn after waiting 15 s: their cgroup's share is too small for all its threads"},
    {"forgiven_ns", "ns of CPU time not charged: too far ahead, or no more threads than CPUs"},
    {"interval_ns", "ns since the previous answer: all counters above cover this interval"},
    {"cpus", "CPUs online"},
    {"rounds", "rounds that ended in the interval"},
    {"lowest", "L, the lowest round of the counted threads; all cgroups together"},
    {"threads", "runnable threads that may run on all CPUs"},
    {"weight", "sum of their weights"},
    {"cgroups", "cgroups with the cpu controller"},
    {"active", "cgroups that have runnable threads"},
};
enum { FIELDS = sizeof fields / sizeof *fields, COUNTERS = sizeof(struct dwrr_stats) / sizeof(u64) };
_Static_assert(sizeof(struct dwrr_row) == FIELDS * sizeof(u64), "each member of struct dwrr_row has its line here");

struct dwrr_row dwrr_since(const struct dwrr_sample *before, const struct dwrr_sample *now) {
  struct dwrr_row row = {.interval_ns = now->at_ns - before->at_ns, .cpus = now->cpus};
  const u64 *from = (const u64 *)&before->sum, *to = (const u64 *)&now->sum;
  for (int i = 0; i < COUNTERS; i++) ((u64 *)&row.in)[i] = to[i] - from[i];
  s32 rounds = (s32)(now->totals.lowest - before->totals.lowest); /* round numbers wrap */
  row.rounds = rounds > 0 ? (u64)rounds : 0;
  row.lowest = now->totals.lowest;
  row.threads = now->totals.threads;
  row.weight = now->totals.weight;
  row.cgroups = now->totals.cgroups;
  row.active = now->totals.active;
  return row;
}

void dwrr_print_row(FILE *to, int number, const struct dwrr_row *row) {
  const struct dwrr_stats *in = &row->in;
  double seconds = (double)row->interval_ns / 1e9, all = (double)row->interval_ns * (double)row->cpus;
  if (number % 20 == 0)
    fprintf(to, "%8s %9s %9s %8s %8s %8s %8s %6s %8s %8s %9s %10s %7s %7s\n", "seconds", "picked", "kept", "balanced",
            "direct", "woken", "pinned", "held%", "borrowed", "closed", "rounds/s", "L", "threads", "cgroups");
  fprintf(to, "%8.1f %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64, seconds, in->picked,
          in->kept, in->balanced, in->direct, in->woken, in->pinned);
  fprintf(to, " %6.2f %8" PRIu64 " %8" PRIu64 " %9.2f %10" PRIu64 " %7" PRIu64 " %7" PRIu64 "\n",
          all > 0 ? 100 * (double)in->held_ns / all : 0, in->borrowed, in->closed,
          seconds > 0 ? (double)row->rounds / seconds : 0, row->lowest, row->threads, row->active);
  fflush(to);
}

void dwrr_help_stats(FILE *to) {
  for (int i = 0; i < FIELDS; i++) fprintf(to, "  %-12s (u64) : %s\n", fields[i].name, fields[i].text);
}

/* A line of JSON, put together. */
struct text {
  size_t size;
  char text[4096];
};

static void add(struct text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int more = vsnprintf(to->text + to->size, sizeof to->text - to->size, format, values);
  va_end(values);
  if (more > 0 && to->size + (size_t)more < sizeof to->text) to->size += (size_t)more;
}

static void add_row(struct text *to, const struct dwrr_row *row) {
  for (int i = 0; i < FIELDS; i++) add(to, "%s\"%s\":%" PRIu64, i ? "," : "{", fields[i].name, ((const u64 *)row)[i]);
  add(to, "}");
}

static void add_meta(struct text *to) {
  add(to, "{\"scx_dwrr\":{\"name\":\"scx_dwrr\",\"top\":\"true\",\"desc\":\"distributed weighted round-robin\",");
  add(to, "\"user\":{\"_om_prefix\":\"dwrr_\"},\"fields\":");
  for (int i = 0; i < FIELDS; i++)
    add(to, "%s\"%s\":{\"datum\":\"u64\",\"desc\":\"%s\"}", i ? "," : "{", fields[i].name, fields[i].text);
  add(to, "}}}");
}

/* The string that a line of JSON has for a name: at most size - 1 characters of it, "" if there is none. */
static void word(const char *line, const char *name, char *value, size_t size) {
  char key[32];
  int length = snprintf(key, sizeof key, "\"%s\"", name);
  const char *at = strstr(line, key);
  *value = '\0';
  if (!at) return;
  at += length;
  at += strspn(at, " \t:");
  if (*at++ == '"') snprintf(value, size, "%.*s", (int)strcspn(at, "\"\\"), at);
}

static void reply(const struct dwrr_server *server, struct dwrr_sample *before, const char *line, struct text *to) {
  char request[32], target[32];
  struct dwrr_sample now;
  word(line, "req", request, sizeof request);
  word(line, "target", target, sizeof target);
  to->size = 0;
  if (strcmp(request, "stats_meta") == 0) {
    add(to, "{\"errno\":0,\"args\":{\"resp\":");
    add_meta(to);
  } else if (strcmp(request, "stats") != 0 || (*target && strcmp(target, "top") != 0)) {
    bool known = strcmp(request, "stats") == 0;
    add(to, "{\"errno\":%d,\"args\":{\"resp\":\"%s\"", EINVAL, known ? "unknown stat target" : "unknown command");
  } else {
    int error = server->read(server->from, &now);
    add(to, "{\"errno\":%d,\"args\":{\"resp\":", error);
    if (error) {
      add(to, "\"the counters cannot be read\"");
    } else {
      struct dwrr_row row = dwrr_since(before, &now);
      add_row(to, &row);
      *before = now;
    }
  }
  add(to, "}}\n");
}

static struct sockaddr_un address(const char *path) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
  return at;
}

int dwrr_serve(struct dwrr_server *server) {
  struct sockaddr_un at = address(server->path);
  char folder[sizeof at.sun_path];
  for (int i = 0; i <= DWRR_CLIENTS_MAX; i++) server->files[i] = (struct pollfd){-1, POLLIN, 0};
  for (const char *end = server->path; (end = strchr(end + 1, '/'));) {
    snprintf(folder, sizeof folder, "%.*s", (int)(end - server->path), server->path);
    if (mkdir(folder, 0755) && errno != EEXIST) return errno;
  }
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return errno;
  unlink(server->path); /* left by one that was killed: no other scheduler runs now */
  if (bind(file, (struct sockaddr *)&at, sizeof at) || listen(file, DWRR_CLIENTS_MAX)) {
    int error = errno;
    close(file);
    return error;
  }
  server->files[0].fd = file;
  return 0;
}

static void greet(struct dwrr_server *server) {
  int file = accept4(server->files[0].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  for (int i = 0; file >= 0 && i < DWRR_CLIENTS_MAX; i++) {
    if (server->files[1 + i].fd >= 0) continue;
    server->files[1 + i].fd = file;
    server->clients[i].size = 0;
    if (server->read(server->from, &server->clients[i].before) == 0) return;
    server->files[1 + i].fd = -1;
    break;
  }
  if (file >= 0) close(file); /* one too many */
}

/* Answers whole lines that client i has sent. False: it is gone, or sends or accepts nothing sensible. */
static bool serve(struct dwrr_server *server, int i) {
  char *line = server->clients[i].line, *end;
  size_t *size = &server->clients[i].size, room = sizeof server->clients[i].line - 1 - *size;
  ssize_t more = recv(server->files[1 + i].fd, line + *size, room, 0);
  struct text answer;
  if (more < 0) return errno == EAGAIN || errno == EINTR;
  if (more == 0) return false;
  *size += (size_t)more;
  line[*size] = '\0';
  while ((end = memchr(line, '\n', *size))) {
    *end++ = '\0';
    reply(server, &server->clients[i].before, line, &answer);
    if (send(server->files[1 + i].fd, answer.text, answer.size, MSG_NOSIGNAL) != (ssize_t)answer.size) return false;
    *size -= (size_t)(end - line);
    memmove(line, end, *size + 1);
  }
  return *size < sizeof server->clients[i].line - 1;
}

void dwrr_answer(struct dwrr_server *server) {
  for (int i = 0; i < DWRR_CLIENTS_MAX; i++) {
    if (server->files[1 + i].fd < 0 || !server->files[1 + i].revents || serve(server, i)) continue;
    close(server->files[1 + i].fd);
    server->files[1 + i].fd = -1;
  }
  if (server->files[0].fd >= 0 && server->files[0].revents) greet(server);
}

void dwrr_serve_end(struct dwrr_server *server) {
  if (server->files[0].fd >= 0) unlink(server->path);
  for (int i = 0; i <= DWRR_CLIENTS_MAX; i++)
    if (server->files[i].fd >= 0) close(server->files[i].fd);
}

static bool read_row(const char *line, struct dwrr_row *row) {
  for (int i = 0; i < FIELDS; i++) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", fields[i].name);
    const char *at = strstr(line, key);
    if (!at || sscanf(at + strlen(key), "%" SCNu64, (u64 *)row + i) != 1) return false;
  }
  return true;
}

int dwrr_monitor(const char *path, double interval_s, FILE *to, const volatile int *stop) {
  struct sockaddr_un at = address(path);
  struct timespec interval = {(time_t)interval_s, (long)((interval_s - (double)(time_t)interval_s) * 1e9)};
  char line[4096];
  int error = 0, file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return errno;
  FILE *server = connect(file, (struct sockaddr *)&at, sizeof at) ? NULL : fdopen(file, "r");
  if (!server) {
    error = errno;
    close(file);
    return error == ECONNREFUSED ? ENOENT : error;
  }
  for (int number = 0; !error; number++) {
    static const char request[] = "{\"req\":\"stats\",\"args\":{}}\n";
    struct dwrr_row row;
    nanosleep(&interval, NULL);
    if (*stop || send(file, request, sizeof request - 1, MSG_NOSIGNAL) < 0 || !fgets(line, sizeof line, server)) break;
    if (read_row(line, &row)) dwrr_print_row(to, number, &row);
    else error = EPROTO;
  }
  fclose(server);
  return error;
}
