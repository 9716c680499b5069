/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts, the daemon that spreads them, and the watchdog's threads.
 *
 * What is written and given back is smp_affinity_list, the CPUs that may take an interrupt. Which of these takes it
 * (effective_affinity_list) is the kernel's choice, before as after: where the held CPU was among others, the interrupt
 * may come back to another of them. An interrupt that is requested while CPUs are held begins, and stays, without them.
 *
 * irqbalance answers `setup` on a socket with the CPUs that it keeps free, and takes `settings cpus LIST` (irqbalance(1),
 * API). It applies a list only when it next wakes up, and until then answers with the one before; so what it was told is
 * remembered until then. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "hold.h"
#include "say.h"

#define NAMED_MOST 6 /* interrupts that stay, listed in the log by name */

/* irqbalance */

#define IRQBALANCE_FOLDER "/run/irqbalance"
#define TOLD CL_JOURNALS "/irqbalance"

/* `socket`: a path, or "@name" of an abstract one. */
static int connect_to(const char *socket_name, int *fd) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char real[CL_PATH_MOST + 256];
  bool abstract = socket_name[0] == '@';
  const char *name = abstract ? socket_name : cl_files_path(socket_name, real);
  size_t length = strlen(name);
  if (length >= sizeof address.sun_path) return ENAMETOOLONG;
  memcpy(address.sun_path, name, length + 1);
  if (abstract) address.sun_path[0] = '\0';
  else length++;
  *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*fd < 0) return errno;
  const struct timeval patience = {.tv_sec = 2};
  int error = 0;
  if (setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) ||
      setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) ||
      connect(*fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)))
    error = errno;
  if (error) close(*fd);
  return error;
}

/* Sends one line with our credentials, which irqbalance insists on, and reads what it answers until it hangs up. */
static int converse(const char *socket_name, const char *line, char *answer, size_t size) {
  struct ucred credentials = {.pid = getpid(), .uid = getuid(), .gid = getgid()};
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof credentials)];
  } control = {.bytes = {0}};
  struct iovec data = {.iov_base = (char *)line, .iov_len = strlen(line)};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_CREDENTIALS;
  head->cmsg_len = CMSG_LEN(sizeof credentials);
  memcpy(CMSG_DATA(head), &credentials, sizeof credentials);
  int fd, error = connect_to(socket_name, &fd);
  if (error) return error;
  if (sendmsg(fd, &message, MSG_NOSIGNAL) < 0) error = errno;
  size_t length = 0;
  for (ssize_t got = 1; !error && got > 0 && length + 1 < size; length += got > 0 ? (size_t)got : 0) {
    got = recv(fd, answer + length, size - 1 - length, 0);
    if (got < 0 && errno != ECONNRESET) error = errno == EAGAIN ? ETIMEDOUT : errno;
  }
  answer[length] = '\0';
  close(fd);
  return error;
}

static long long seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec;
}

/* What irqbalance was told and may not have applied yet. ENOENT: nothing such. */
static int read_told(const char *socket_name, struct cl_cpus *banned) {
  char text[CL_CPUS_TEXT + 256], *save = NULL;
  int error = cl_read(TOLD, text, sizeof text);
  if (error) return error;
  const char *who = strtok_r(text, "\t", &save), *until = strtok_r(NULL, "\t", &save), *list = save ? save : "";
  if (who == NULL || until == NULL || strcmp(who, socket_name) != 0 || atoll(until) < seconds()) return ENOENT;
  return cl_cpus_parse(list, banned);
}

/* The CPUs that irqbalance keeps free, and how many seconds it sleeps. */
static int ask(const char *socket_name, struct cl_cpus *banned, int *sleep_s) {
  char answer[8192];
  int error = converse(socket_name, "setup", answer, sizeof answer);
  if (error) return error;
  const char *sleeps = strstr(answer, "SLEEP "), *mask = strstr(answer, "BANNED ");
  if (sleeps == NULL || mask == NULL) return EPROTO;
  *sleep_s = atoi(sleeps + strlen("SLEEP "));
  char word[1024];
  snprintf(word, sizeof word, "%.*s", (int)strcspn(mask + strlen("BANNED "), " \n"), mask + strlen("BANNED "));
  error = cl_cpus_parse_mask(word, banned);
  if (error) return EPROTO;
  struct cl_cpus told;
  if (read_told(socket_name, &told) == 0) *banned = told;
  return 0;
}

static int tell(const char *socket_name, const struct cl_cpus *banned, int sleep_s) {
  char list[CL_CPUS_TEXT], line[CL_CPUS_TEXT + 64], answer[64], told[CL_CPUS_TEXT + 256];
  cl_cpus_format(banned, list);
  snprintf(told, sizeof told, "%s\t%lld\t%s\n", socket_name, seconds() + sleep_s + 2, list);
  int error = cl_write_whole(TOLD, told);
  /* NULL: as configured. An empty list ends versions up to 1.9.4. */
  snprintf(line, sizeof line, "settings cpus %s", list[0] ? list : "NULL");
  return error ? error : converse(socket_name, line, answer, sizeof answer);
}

int cl_irqbalance_restore(const char *socket_name, const char *old, const char *new) {
  struct cl_cpus was, became, now;
  int sleep_s;
  int error = cl_cpus_parse(old, &was);
  if (!error) error = cl_cpus_parse(new, &became);
  if (!error) error = ask(socket_name, &now, &sleep_s);
  if (error == ENOENT || error == ECONNREFUSED) return EALREADY;
  if (error) return error;
  struct cl_cpus added = cl_cpus_minus(&became, &was);
  struct cl_cpus wanted = cl_cpus_minus(&now, &added);
  return cl_cpus_equal(&wanted, &now) ? EALREADY : tell(socket_name, &wanted, sleep_s);
}

struct found {
  char name[128];
};

static int find_socket(void *context, const char *name) {
  struct found *found = context;
  size_t length = strlen(name);
  if (strncmp(name, "irqbalance", 10) != 0 || length < 15 || strcmp(name + length - 5, ".sock") != 0) return 0;
  return (size_t)snprintf(found->name, sizeof found->name, IRQBALANCE_FOLDER "/%s", name) < sizeof found->name ? -1 : 0;
}

/* Old versions, and those that may not write to /run, have an abstract socket, "@irqbalance123.sock". */
static bool find_abstract(struct found *found) {
  char *text;
  if (cl_read_all("/proc/net/unix", &text)) return false;
  const char *at = strstr(text, " @irqbalance");
  if (at) snprintf(found->name, sizeof found->name, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
  free(text);
  return at != NULL;
}

static int find_process(const struct cl_tasks *tasks) {
  for (size_t i = 0; i < tasks->count; i++)
    if (strcmp(tasks->task[i].name, "irqbalance") == 0) return tasks->task[i].pid;
  return 0;
}

static void warn_irqbalance(const struct cl_hold *hold, const char *name, int error) {
  char list[CL_CPUS_TEXT];
  cl_warn("%s does not listen (%s): it may give CPU %s interrupts again; set IRQBALANCE_BANNED_CPULIST=%s for it", name,
          error ? strerror(error) : "no socket", cl_cpus_format(&hold->cpus, list), list);
}

static void clear_irqbalance(struct cl_hold *hold) {
  struct found found;
  if (cl_list(IRQBALANCE_FOLDER, find_socket, &found) != -1 && !find_abstract(&found)) {
    char who[48];
    int pid = find_process(&hold->tasks);
    if (pid == 0) return; /* there is none */
    snprintf(who, sizeof who, "irqbalance (process %d)", pid);
    warn_irqbalance(hold, who, 0);
    return;
  }
  struct cl_cpus was;
  int sleep_s, error = ask(found.name, &was, &sleep_s);
  if (error == ECONNREFUSED) return; /* the socket of one that has gone */
  struct cl_cpus becomes = cl_cpus_or(&was, &hold->cpus);
  if (!error && !cl_cpus_equal(&was, &becomes)) {
    char old[CL_CPUS_TEXT], new[CL_CPUS_TEXT], what[CL_CPUS_TEXT * 2];
    const char *field[] = {found.name, cl_cpus_format(&was, old), cl_cpus_format(&becomes, new)};
    snprintf(what, sizeof what, "tell irqbalance to keep interrupts off CPU %s", new);
    error = cl_change_other(&hold->changes, what, "irqbalance", field, 3);
    if (!error && !hold->changes.plan) error = tell(found.name, &becomes, sleep_s);
    if (!error && !hold->changes.plan) cl_say("irqbalance keeps interrupts off CPU %s", new);
  }
  if (error) warn_irqbalance(hold, "irqbalance", error);
}

/* Interrupts */

struct numbers {
  int *number;
  size_t count, room;
};

static int add_number(void *context, const char *name) {
  struct numbers *n = context;
  if (!isdigit((unsigned char)name[0])) return 0;
  if (n->count == n->room) {
    size_t room = n->room ? n->room * 2 : 64;
    int *more = realloc(n->number, room * sizeof *more);
    if (more == NULL) return ENOMEM;
    n->number = more;
    n->room = room;
  }
  n->number[n->count++] = atoi(name);
  return 0;
}

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

struct action {
  int irq;
  char name[64];
};

/* The folder in /proc/irq/N that has no fixed name is that of the driver's action. */
static int find_action(void *context, const char *name) {
  struct action *action = context;
  char path[CL_PATH_MOST];
  snprintf(path, sizeof path, "/proc/irq/%d/%.200s/.", action->irq, name);
  if (!cl_exists(path)) return 0;
  snprintf(action->name, sizeof action->name, "%.60s", name);
  return -1;
}

static bool has_action(struct action *action) {
  char path[64];
  snprintf(path, sizeof path, "/proc/irq/%d", action->irq);
  return cl_list(path, find_action, action) == -1;
}

static bool meets(int irq, const char *file, const struct cl_cpus *cpus, struct cl_cpus *list) {
  char path[96], text[CL_CPUS_TEXT];
  snprintf(path, sizeof path, "/proc/irq/%d/%s", irq, file);
  if (cl_read(path, text, sizeof text) || cl_cpus_parse(text, list)) return false;
  struct cl_cpus both = cl_cpus_and(list, cpus);
  return cl_cpus_count(&both) > 0;
}

/* The kernel refuses to move these. Known beforehand where debugfs says it. */
static bool is_managed(int irq) {
  char path[64], *text;
  snprintf(path, sizeof path, "/sys/kernel/debug/irq/irqs/%d", irq);
  if (cl_read_all(path, &text)) return false;
  bool managed = strstr(text, "IRQD_AFFINITY_MANAGED") != NULL;
  free(text);
  return managed;
}

struct staying {
  char text[1024];
  size_t length;
};

/* error: EIO, or EPERM from 6.x on, where the kernel manages it */
static void stays(struct cl_hold *hold, struct staying *list, const struct action *action, int error) {
  bool managed = error == EIO || error == EPERM;
  struct cl_cpus effective;
  char path[96];
  snprintf(path, sizeof path, "/proc/irq/%d/effective_affinity_list", action->irq);
  /* It may be allowed on a held CPU and yet be delivered to another: then it does no harm. */
  if (cl_exists(path) && !meets(action->irq, "effective_affinity_list", &hold->cpus, &effective)) return;
  if (hold->irqs_managed++ >= NAMED_MOST) return;
  list->length += (size_t)snprintf(list->text + list->length, sizeof list->text - list->length, "%s%d (%.40s)%s%s",
                                   list->length ? ", " : "", action->irq, action->name, managed ? "" : ": ",
                                   managed ? "" : strerror(error));
}

static int clear_interrupt(struct cl_hold *hold, int irq, struct staying *list) {
  struct action action = {.irq = irq};
  struct cl_cpus allowed;
  char path[64];
  /* One without a driver takes its CPUs from the default once it gets one. */
  if (!meets(irq, "smp_affinity_list", &hold->cpus, &allowed) || !has_action(&action)) return 0;
  int error = EIO;
  if (!hold->changes.plan || !is_managed(irq)) {
    struct cl_cpus left = cl_cpus_minus(&allowed, &hold->cpus);
    struct cl_cpus alive = cl_cpus_and(&left, &hold->online);
    snprintf(path, sizeof path, "/proc/irq/%d/smp_affinity_list", irq);
    error = cl_change_cpus(&hold->changes, path, cl_cpus_count(&alive) ? &left : &hold->rest);
  }
  if (error == ENOMEM) return error;
  if (error == 0) hold->irqs_moved++;
  else if (error != ENOENT) stays(hold, list, &action, error); /* ENOENT: it has gone meanwhile */
  return 0;
}

static int clear_interrupts(struct cl_hold *hold) {
  struct numbers all = {NULL, 0, 0};
  struct staying list = {"", 0};
  int error = cl_list("/proc/irq", add_number, &all);
  if (!error && all.count) qsort(all.number, all.count, sizeof *all.number, ascending);
  for (size_t i = 0; !error && i < all.count; i++) error = clear_interrupt(hold, all.number[i], &list);
  free(all.number);
  if (error) return error == ENOENT ? 0 : error; /* a kernel or container without /proc/irq */
  const char *moved = !hold->changes.plan            ? "moved"
                      : cl_exists("/sys/kernel/debug/irq") ? "to move"
                                                           : "to move, but for those that the kernel manages";
  int more = hold->irqs_managed - NAMED_MOST;
  if (hold->irqs_managed == 0) cl_say("interrupts: %d %s", hold->irqs_moved, moved);
  else if (more <= 0)
    cl_say("interrupts: %d %s, %d stay as the kernel manages them: %s", hold->irqs_moved, moved, hold->irqs_managed,
           list.text);
  else
    cl_say("interrupts: %d %s, %d stay as the kernel manages them: %s and %d more", hold->irqs_moved, moved,
           hold->irqs_managed, list.text, more);
  return 0;
}

/* Leaves the held CPUs out of a file, if it is there and has them. One that may not be written is said. */
static void leave_out(struct cl_hold *hold, const char *path, bool mask) {
  char text[CL_CPUS_TEXT];
  struct cl_cpus now;
  if (cl_read(path, text, sizeof text) || (mask ? cl_cpus_parse_mask : cl_cpus_parse)(text, &now)) return;
  struct cl_cpus held = cl_cpus_and(&now, &hold->cpus), left = cl_cpus_minus(&now, &hold->cpus);
  if (cl_cpus_count(&held) == 0 || cl_cpus_count(&left) == 0) return;
  int error = (mask ? cl_change_mask : cl_change_cpus)(&hold->changes, path, &left);
  if (error) cl_warn("%s stays as it is: %s", path, strerror(error));
}

int cl_irqs_clear(struct cl_hold *hold) {
  clear_irqbalance(hold); /* first, or it would put back what is moved */
  leave_out(hold, "/proc/irq/default_smp_affinity", true);
  leave_out(hold, "/proc/sys/kernel/watchdog_cpumask", false);
  return clear_interrupts(hold);
}
