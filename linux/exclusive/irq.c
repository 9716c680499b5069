/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts, the daemon that balances them, and the watchdog's threads.
 *
 * The tool writes and restores smp_affinity_list, the CPUs that may take an interrupt. Which of these takes it
 * (effective_affinity_list) is up to the kernel: where the held CPU was one of several, the interrupt may return to
 * another of them. An interrupt that is requested while CPUs are held starts, and stays, without them.
 *
 * irqbalance answers `setup` on a socket with the CPUs that it leaves alone, and accepts `settings cpus LIST`
 * (irqbalance(1), API). It applies a list only when it next wakes up, and until then answers with the previous one; so
 * what it was told is remembered until then. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hold.h"
#include "say.h"
#include "socket.h"

#define NAMED_MOST 6 /* interrupts that stay, listed in the log by name */

/* irqbalance */

#define IRQBALANCE_FOLDER "/run/irqbalance"
#define TOLD CL_STATE "/irqbalance"
#define PATIENCE_S 5.0    /* with all of it; only root's is waited for */
#define ANSWER_MOST 65536 /* it names each interrupt that it may not move */
#define SLEEP_MOST_S 86400
#define NAME_MOST 110     /* an address has room for 108 */

/* Sends one line with our credentials, which irqbalance insists on, and reads what it answers until it hangs up. */
static int converse(int fd, double deadline, const char *line, char *answer, size_t size) {
  const int on = 1;
  int error = setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) ? errno : 0; /* the kernel adds them */
  if (!error && send(fd, line, strlen(line), MSG_NOSIGNAL) < 0) error = errno; /* it always fits, as it is the first */
  size_t length = 0;
  while (!error) {
    if (length + 1 == size) error = EMSGSIZE;
    if (!error) error = cl_socket_wait(fd, POLLIN, deadline);
    if (error) break;
    ssize_t got = recv(fd, answer + length, size - 1 - length, 0);
    if (got == 0 || (got < 0 && errno == ECONNRESET)) break;
    if (got > 0) length += (size_t)got;
    else if (errno != EINTR && errno != EAGAIN) error = errno;
  }
  answer[length] = '\0';
  return error;
}

/* Some time later, unless the deadline comes first. */
static bool rest_until(double deadline) {
  nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  return cl_socket_deadline(0) < deadline;
}

static long long seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec;
}

/* The CPUs that irqbalance was told to avoid, perhaps not applied yet. ENOENT: it was told none. */
static int read_told(const char *socket_name, struct cl_cpus *banned) {
  char text[CL_CPUS_TEXT + 256], *save = NULL;
  int error = cl_read(TOLD, text, sizeof text);
  if (error) return error;
  const char *who = strtok_r(text, "\t", &save), *until = strtok_r(NULL, "\t", &save), *list = save ? save : "";
  if (who == NULL || until == NULL || strcmp(who, socket_name) != 0 || atoll(until) < seconds()) return ENOENT;
  return cl_cpus_parse(list, banned);
}

/* One of `SLEEP 10 IRQ 5 LOAD 0 ... BANNED 00000000,00000008`. */
static int read_answer(const char *answer, struct cl_cpus *banned, int *sleep_s) {
  const char *sleeps = strstr(answer, "SLEEP "), *mask = strstr(answer, "BANNED ");
  if (sleeps == NULL || mask == NULL) return EPROTO;
  char *end;
  long sleep = strtol(sleeps += strlen("SLEEP "), &end, 10);
  if (end == sleeps || sleep < 0 || sleep > SLEEP_MOST_S) return EPROTO;
  *sleep_s = (int)sleep;
  char word[CL_CPUS_TEXT];
  int length = (int)strcspn(mask + strlen("BANNED "), " \n");
  if (snprintf(word, sizeof word, "%.*s", length, mask + strlen("BANNED ")) >= (int)sizeof word) return EPROTO;
  return cl_cpus_parse_mask(word, banned) ? EPROTO : 0;
}

/* The CPUs that irqbalance keeps free, and how many seconds it sleeps. Closes the socket. */
static int ask(int fd, double deadline, const char *name, struct cl_cpus *banned, int *sleep_s) {
  static char answer[ANSWER_MOST];
  int error = converse(fd, deadline, "setup", answer, sizeof answer);
  close(fd);
  if (!error) error = read_answer(answer, banned, sleep_s);
  struct cl_cpus told;
  if (!error && read_told(name, &told) == 0) *banned = told;
  return error;
}

static int tell(double deadline, const char *name, const struct cl_cpus *banned, int sleep_s) {
  const char *list = cl_cpus_text(banned);
  char line[CL_CPUS_TEXT + 64], answer[64], told[CL_CPUS_TEXT + 256];
  int fd;
  unsigned owner;
  snprintf(told, sizeof told, "%s\t%lld\t%s\n", name, seconds() + sleep_s + 2, list);
  int error = cl_write_whole(TOLD, told);
  if (!error) error = cl_socket_open(name, &fd, &owner);
  if (error) return error;
  /* NULL: as configured. An empty list ends versions up to 1.9.4. */
  snprintf(line, sizeof line, "settings cpus %s", list[0] ? list : "NULL");
  error = converse(fd, deadline, line, answer, sizeof answer);
  close(fd);
  return error;
}

static void say_not_asked(const char *name, unsigned owner) {
  cl_warn("socket %s belongs to user %u, not to irqbalance: ignored", name, owner);
}

int cl_irqbalance_restore(const char *name, const char *old, const char *new) {
  double deadline = cl_socket_deadline(PATIENCE_S);
  struct cl_cpus was, became, now;
  unsigned owner;
  int sleep_s, fd;
  int error = cl_cpus_parse(old, &was);
  if (!error) error = cl_cpus_parse(new, &became);
  while (!error && (error = cl_socket_open(name, &fd, &owner)) == EAGAIN && rest_until(deadline)) error = 0;
  if (error == EPERM) say_not_asked(name, owner);
  if (error == ENOENT || error == ECONNREFUSED || error == EPERM) return EALREADY; /* it has gone */
  if (!error) error = ask(fd, deadline, name, &now, &sleep_s);
  if (error) return error;
  struct cl_cpus added = cl_cpus_minus(&became, &was);
  struct cl_cpus wanted = cl_cpus_minus(&now, &added);
  return cl_cpus_equal(&wanted, &now) ? EALREADY : tell(deadline, name, &wanted, sleep_s);
}

/* Looks for one that is owned by root. Any number of others may have such names: they are ignored, and busy ones do not
 * block the next. */
struct search {
  double deadline;
  char name[NAME_MOST]; /* of the last */
  int fd;
  int error; /* of the last that was busy, say; ENOENT: none was */
  int foreign, gone;
};

/* -1: it is the one, or time is over. */
static int try_name(struct search *s, const char *format, int length, const char *name) {
  unsigned owner;
  char path[NAME_MOST];
  if (snprintf(path, sizeof path, format, length, name) >= NAME_MOST) return 0;
  memcpy(s->name, path, sizeof path);
  if (cl_socket_deadline(0) > s->deadline) return s->error = ETIMEDOUT, -1;
  int error = cl_socket_open(path, &s->fd, &owner);
  if (error == 0) return s->error = 0, -1;
  if (error == EPERM && s->foreign++ == 0) say_not_asked(path, owner);
  if (error == ECONNREFUSED) s->gone++;
  else if (error != EPERM && error != ENOENT) s->error = error;
  return 0;
}

/* A file is root's: /run is. One that another user could put there would have another owner, or be a link. */
static bool is_socket(const char *path) {
  struct stat file;
  if (lstat(cl_files_path(path), &file) || !S_ISSOCK(file.st_mode)) return false;
  return file.st_uid == 0 || (cl_files_is_tree() && file.st_uid == geteuid());
}

static int try_file(void *context, const char *name) {
  size_t length = strlen(name);
  if (strncmp(name, "irqbalance", 10) != 0 || length < 15 || strcmp(name + length - 5, ".sock") != 0) return 0;
  return is_socket(cl_path(IRQBALANCE_FOLDER "/%s", name))
             ? try_name(context, IRQBALANCE_FOLDER "/%.*s", (int)length, name)
             : 0;
}

/* Old versions, and those that may not write to /run, have an abstract socket, "@irqbalance123.sock". */
static int try_abstract(struct search *s) {
  char *text;
  int answer = 0;
  if (cl_read_all("/proc/net/unix", &text)) return 0;
  for (const char *at = text; !answer && (at = strstr(at, " @irqbalance")) != NULL; at++)
    answer = try_name(s, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
  free(text);
  return answer;
}

/* ENOENT: there is none; else the error of the last. */
static int find_socket(struct search *s) {
  do {
    s->error = ENOENT;
    if (cl_list(IRQBALANCE_FOLDER, try_file, s) == -1 || try_abstract(s) == -1) return s->error;
  } while (s->error == EAGAIN && rest_until(s->deadline));
  return s->error == ENOENT && s->gone ? ECONNREFUSED : s->error;
}

static void warn_irqbalance(const struct cl_hold *hold, const char *name, int error) {
  const char *list = cl_cpus_text(&hold->cpus);
  cl_warn("%s does not listen (%s) and may move interrupts back to CPU %s: set IRQBALANCE_BANNED_CPULIST=%s", name,
          error ? strerror(error) : "no socket", list, list);
}

/* The name is that of a process, which anybody may choose: said, no more. */
static void warn_process(const struct cl_hold *hold) {
  char who[48];
  for (size_t i = 0; i < hold->tasks.count; i++) {
    if (strcmp(hold->tasks.task[i].name, "irqbalance") != 0) continue;
    snprintf(who, sizeof who, "irqbalance (process %d)", hold->tasks.task[i].pid);
    warn_irqbalance(hold, who, 0);
    break;
  }
}

static int keep_off(struct cl_hold *hold, int fd, double deadline, const char *name) {
  struct cl_cpus was;
  int sleep_s, error = ask(fd, deadline, name, &was, &sleep_s);
  if (error) return error;
  struct cl_cpus becomes = cl_cpus_or(&was, &hold->cpus);
  if (cl_cpus_equal(&was, &becomes)) return 0;
  char old[CL_CPUS_TEXT], new[CL_CPUS_TEXT];
  struct cl_changes *changes = &hold->changes;
  cl_cpus_format(&was, old);
  cl_cpus_format(&becomes, new);
  changes->made++;
  if (changes->plan) {
    cl_say_planned("tell irqbalance to keep interrupts off CPU %s", new);
    return 0;
  }
  const struct cl_known *known = cl_baseline_find(changes->base, CL_IRQBALANCE, name);
  error = cl_baseline_put(changes->base, CL_IRQBALANCE, name, known ? known->base : old, new, CL_OURS);
  if (!error) error = tell(deadline, name, &becomes, sleep_s);
  if (!error) cl_say("irqbalance keeps interrupts off CPU %s", new);
  return error;
}

static void clear_irqbalance(struct cl_hold *hold) {
  struct search search = {.deadline = cl_socket_deadline(PATIENCE_S)};
  int error = find_socket(&search);
  if (error == ENOENT) warn_process(hold);
  else if (!error) error = keep_off(hold, search.fd, search.deadline, search.name);
  if (error && error != ENOENT && error != ECONNREFUSED) warn_irqbalance(hold, "irqbalance", error);
}

/* Interrupts */

static int add_number(void *numbers, const char *name) {
  return isdigit((unsigned char)name[0]) ? cl_numbers_add(numbers, atoi(name)) : 0;
}

struct action {
  int irq;
  char name[64];
};

/* The folder in /proc/irq/N that has no fixed name is that of the driver's action. */
static int find_action(void *context, const char *name) {
  struct action *action = context;
  if (!cl_exists(cl_path("/proc/irq/%d/%s/.", action->irq, name))) return 0;
  snprintf(action->name, sizeof action->name, "%.60s", name);
  return -1;
}

struct staying {
  char text[1024];
  size_t length;
};

/* error: EIO, or EPERM from 6.x on, where the kernel manages it */
static void stays(struct cl_hold *hold, struct staying *list, const struct action *action, int error) {
  bool managed = error == EIO || error == EPERM;
  struct cl_cpus effective;
  const char *path = cl_path("/proc/irq/%d/effective_affinity_list", action->irq);
  /* It may be allowed on a held CPU and yet be delivered to another: then it does no harm. */
  if (cl_exists(path) && (cl_read_cpus(path, &effective) || !cl_cpus_meet(&effective, &hold->cpus))) return;
  if (hold->irqs_managed++ >= NAMED_MOST) return;
  list->length += (size_t)snprintf(list->text + list->length, sizeof list->text - list->length, "%s%d (%.40s)%s%s",
                                   list->length ? ", " : "", action->irq, action->name, managed ? "" : ": ",
                                   managed ? "" : strerror(error));
}

static int clear_interrupt(struct cl_hold *hold, int irq, struct staying *list) {
  struct action action = {.irq = irq};
  struct cl_cpus allowed;
  const char *path = cl_path("/proc/irq/%d/smp_affinity_list", irq);
  if (cl_read_cpus(path, &allowed) || !cl_cpus_meet(&allowed, &hold->cpus)) return 0;
  /* One without a driver takes its CPUs from the default once it gets one. */
  if (cl_list(cl_path("/proc/irq/%d", irq), find_action, &action) != -1) return 0;
  int error = EIO;
  if (!hold->changes.plan || !cl_irq_is_managed(irq)) {
    struct cl_cpus left = cl_cpus_minus(&allowed, &hold->cpus);
    path = cl_path("/proc/irq/%d/smp_affinity_list", irq);
    error = cl_change_cpus(&hold->changes, path, cl_cpus_meet(&left, &hold->online) ? &left : &hold->rest);
  }
  if (error == ENOMEM) return error;
  if (error == 0) hold->irqs_moved++;
  else if (error != ENOENT) stays(hold, list, &action, error); /* ENOENT: it has gone meanwhile */
  return 0;
}

static int clear_interrupts(struct cl_hold *hold) {
  struct cl_numbers all = {NULL, 0};
  struct staying list = {"", 0};
  int error = cl_list("/proc/irq", add_number, &all);
  for (size_t i = 0; !error && i < all.count; i++) error = clear_interrupt(hold, all.number[i], &list);
  free(all.number);
  if (error) return error == ENOENT ? 0 : error; /* a kernel or container without /proc/irq */
  const char *moved = !hold->changes.plan                  ? "moved"
                      : cl_exists("/sys/kernel/debug/irq") ? "to move"
                                                           : "to move, except those managed by the kernel";
  char more[24] = "";
  if (hold->irqs_managed > NAMED_MOST) snprintf(more, sizeof more, " and %d more", hold->irqs_managed - NAMED_MOST);
  if (hold->irqs_managed == 0) cl_say("interrupts: %d %s", hold->irqs_moved, moved);
  else
    cl_say("interrupts: %d %s, %d managed by the kernel stay: %s%s", hold->irqs_moved, moved, hold->irqs_managed,
           list.text, more);
  return 0;
}

/* Removes the held CPUs from a file, if it exists and lists them. If it cannot be written, warns. */
static void leave_out(struct cl_hold *hold, const char *path, bool mask) {
  char text[CL_CPUS_TEXT];
  struct cl_cpus now;
  if (cl_read(path, text, sizeof text) || (mask ? cl_cpus_parse_mask : cl_cpus_parse)(text, &now)) return;
  struct cl_cpus left = cl_cpus_minus(&now, &hold->cpus);
  if (!cl_cpus_meet(&now, &hold->cpus) || cl_cpus_empty(&left)) return;
  int error = (mask ? cl_change_mask : cl_change_cpus)(&hold->changes, path, &left);
  if (error) cl_warn("%s cannot be changed: %s", path, strerror(error));
}

int cl_irqs_clear(struct cl_hold *hold) {
  clear_irqbalance(hold); /* first, or it would put back what is moved */
  leave_out(hold, "/proc/irq/default_smp_affinity", true);
  leave_out(hold, "/proc/sys/kernel/watchdog_cpumask", false);
  return clear_interrupts(hold);
}
