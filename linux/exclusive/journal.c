/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "journal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entries.h"
#include "tasks.h"

#define MAGIC "coreloom-exclusive 1"
#define LINE 16384 /* the longest entry */

/* Writing */

static int make_folder(const char *path) {
  char real[CL_PATH_MOST + 256];
  return mkdir(cl_files_path(path, real), 0755) && errno != EEXIST ? errno : 0;
}

static int lock(int *fd, int how) {
  char real[CL_PATH_MOST + 256];
  int error = make_folder(CL_JOURNALS);
  if (error) return error;
  *fd = open(cl_files_path(CL_JOURNALS "/lock", real), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (*fd < 0) return errno;
  while (flock(*fd, how))
    if (errno != EINTR) {
      error = errno;
      close(*fd);
      return error;
    }
  return 0;
}

int cl_journal_lock(int *fd) { return lock(fd, LOCK_EX); }

int cl_journal_try(int *fd) { return lock(fd, LOCK_EX | LOCK_NB); }

static size_t escaped(char *to, size_t room, const char *text) {
  size_t length = 0;
  for (; *text != '\0' && length + 2 < room; text++) {
    const char *found = strchr("\t\n\\", *text);
    if (found) to[length++] = '\\';
    to[length++] = found ? "tn\\"[found - "\t\n\\"] : *text;
  }
  return *text == '\0' ? length : room;
}

/* One write(2) of all fields; a part of a line (a full /run) is taken off again. */
static int append(int fd, const char *const *field, size_t count) {
  char line[LINE];
  size_t length = 0;
  for (size_t i = 0; i < count; i++) {
    length += escaped(line + length, sizeof line - length, field[i]);
    if (length >= sizeof line) return E2BIG;
    line[length++] = i + 1 < count ? '\t' : '\n';
  }
  ssize_t wrote;
  do wrote = write(fd, line, length);
  while (wrote < 0 && errno == EINTR);
  if (wrote == (ssize_t)length) return 0;
  int error = wrote < 0 ? errno : ENOSPC;
  struct stat now;
  if (wrote > 0 && fstat(fd, &now) == 0 && ftruncate(fd, now.st_size - wrote)) error = errno;
  return error;
}

static int open_journal(const char *path, int flags, int *fd) {
  char real[CL_PATH_MOST + 256];
  *fd = open(cl_files_path(path, real), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0644);
  return *fd < 0 ? errno : 0;
}

int cl_journal_open(struct cl_journal *journal, const struct cl_reservation *first) {
  char tool[16], born[24], cpus[CL_CPUS_TEXT];
  int error = make_folder(CL_JOURNALS);
  if (error) return error;
  snprintf(journal->path, sizeof journal->path, "%s/%d.journal", CL_JOURNALS, first->tool);
  error = open_journal(journal->path, O_CREAT | O_EXCL, &journal->fd);
  if (error) return error;
  snprintf(tool, sizeof tool, "%d", first->tool);
  snprintf(born, sizeof born, "%llu", first->born);
  const char *field[] = {MAGIC, first->boot, tool, born, cl_cpus_format(&first->cpus, cpus), first->mechanism,
                         first->command};
  error = append(journal->fd, field, sizeof field / sizeof *field);
  if (error) {
    char real[CL_PATH_MOST + 256];
    close(journal->fd);
    journal->fd = -1;
    unlink(cl_files_path(journal->path, real));
  }
  return error;
}

int cl_journal_add(struct cl_journal *journal, const char *kind, const char *const *field, size_t count) {
  const char *all[8] = {kind};
  if (journal->fd < 0) return 0;
  if (count >= sizeof all / sizeof *all) return EINVAL;
  for (size_t i = 0; i < count; i++) all[i + 1] = field[i];
  return append(journal->fd, all, count + 1);
}

int cl_journal_mechanism(struct cl_journal *journal, const char *mechanism) {
  const char *field[] = {"mechanism", mechanism};
  return cl_journal_add(journal, "note", field, 2);
}

size_t cl_journal_offset(const struct cl_journal *journal) {
  struct stat now;
  return journal->fd >= 0 && fstat(journal->fd, &now) == 0 ? (size_t)now.st_size : 0;
}

/* Reading */

/* The form of each field: p absolute path, l list of CPUs, m mask of CPUs, n number, t text. */
static const struct {
  const char *name, *form;
} kinds[CL_KINDS] = {
    [CL_KIND_FILE] = {"file", "ptt"},         [CL_KIND_CPUS] = {"cpus", "pll"},
    [CL_KIND_MASK] = {"mask", "pmm"},         [CL_KIND_CONTROLLER] = {"controller", "pt"},
    [CL_KIND_FOLDER] = {"folder", "p"},       [CL_KIND_GROUP] = {"group", "nntpp"},
    [CL_KIND_THREAD] = {"thread", "nntpp"},   [CL_KIND_AFFINITY] = {"affinity", "nnll"},
    [CL_KIND_SCOPE] = {"scope", "t"},         [CL_KIND_IRQBALANCE] = {"irqbalance", "ttt"},
    [CL_KIND_NOTE] = {"note", "tt"},
};

const char *cl_kind_name(enum cl_kind kind) { return kinds[kind].name; }

void cl_text_free(struct cl_text *t) {
  free(t->all);
  free(t->entry);
  free(t->damaged);
  memset(t, 0, sizeof *t);
}

/* Splits a line in place and takes the escapes out. SIZE_MAX: too many fields or a bad escape. */
static size_t split(char *line, char **field, size_t most) {
  size_t count = 0;
  for (char *at = line; at != NULL;) {
    if (count == most) return SIZE_MAX;
    char *end = strchr(at, '\t'), *to = at;
    if (end) *end++ = '\0';
    field[count++] = at;
    for (const char *from = at; *from != '\0'; from++) {
      char c = *from;
      if (c == '\\') {
        c = *++from;
        if (c == 't') c = '\t';
        else if (c == 'n') c = '\n';
        else if (c != '\\') return SIZE_MAX;
      }
      *to++ = c;
    }
    *to = '\0';
    at = end;
  }
  return count;
}

static bool number(const char *text, unsigned long long *value) {
  char *end;
  if (!isdigit((unsigned char)*text)) return false;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *end == '\0' && errno == 0;
}

static bool well_formed(char form, const char *text) {
  struct cl_cpus cpus;
  unsigned long long value;
  switch (form) {
    case 'p': return *text == '/' && strstr(text, "/../") == NULL;
    case 'l': return cl_cpus_parse(text, &cpus) == 0;
    case 'm': return cl_cpus_parse_mask(text, &cpus) == 0;
    case 'n': return number(text, &value);
    default: return true;
  }
}

static bool read_entry(char *line, struct cl_entry *entry) {
  char *field[7];
  size_t count = split(line, field, 7);
  if (count == SIZE_MAX) return false;
  for (entry->kind = 0; entry->kind < CL_KINDS; entry->kind++) {
    const char *form = kinds[entry->kind].form;
    if (strcmp(kinds[entry->kind].name, field[0]) != 0) continue;
    if (count != strlen(form) + 1) return false;
    for (size_t i = 0; form[i] != '\0'; i++)
      if (!well_formed(form[i], entry->field[i] = field[i + 1])) return false;
    if (form[0] == 'n') {
      entry->tid = atoi(entry->field[0]);
      entry->born = strtoull(entry->field[1], NULL, 10);
    }
    return true;
  }
  return false;
}

static bool read_first(char *line, struct cl_reservation *first) {
  char *field[7];
  unsigned long long tool;
  if (split(line, field, 7) != 7 || strcmp(field[0], MAGIC) != 0) return false;
  if (!number(field[2], &tool) || !number(field[3], &first->born)) return false;
  if (cl_cpus_parse(field[4], &first->cpus)) return false;
  first->tool = (int)tool;
  snprintf(first->boot, sizeof first->boot, "%s", field[1]);
  snprintf(first->mechanism, sizeof first->mechanism, "%s", field[5]);
  snprintf(first->command, sizeof first->command, "%s", field[6]);
  return true;
}

static int add_damage(struct cl_text *t, size_t number) {
  size_t *more = realloc(t->damaged, (t->damages + 1) * sizeof *more);
  if (more == NULL) return ENOMEM;
  (t->damaged = more)[t->damages++] = number;
  return 0;
}

/* Not strchr: the C library's first looks for the end of all the text, for every line. */
static char *line_end(const char *line, const char *end) {
  return line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
}

int cl_text_read(const char *path, struct cl_text *t) {
  char real[CL_PATH_MOST + 256];
  struct stat file;
  memset(t, 0, sizeof *t);
  snprintf(t->first.path, sizeof t->first.path, "%s", path);
  if (stat(cl_files_path(path, real), &file)) return errno;
  int error = cl_read_all(path, &t->all);
  if (error) return error;
  size_t length = strlen(t->all), lines = 0;
  t->empty = file.st_size == 0;
  bool whole = (size_t)file.st_size == length + 1; /* the final newline is off */
  const char *end = t->all + length;
  for (const char *at = t->all; at != NULL; at = line_end(at + 1, end)) lines++;
  t->entry = calloc(lines, sizeof *t->entry);
  if (t->entry == NULL) error = ENOMEM;
  size_t number = 0;
  for (char *line = t->all, *next; !error && !t->empty && line != NULL; line = next) {
    next = line_end(line, end);
    if (next) *next++ = '\0';
    number++;
    struct cl_entry *entry = &t->entry[t->count];
    entry->offset = (size_t)(line - t->all);
    bool good = (next != NULL || whole);
    if (number == 1) good = t->first_good = good && read_first(line, &t->first);
    else if (good && (good = read_entry(line, entry))) t->count++;
    if (!good) error = add_damage(t, number);
  }
  if (!t->first_good) t->first.tool = 0;
  for (size_t i = 0; i < t->count; i++)
    if (t->entry[i].kind == CL_KIND_NOTE && strcmp(t->entry[i].field[0], "mechanism") == 0)
      snprintf(t->first.mechanism, sizeof t->first.mechanism, "%s", t->entry[i].field[1]);
  char boot[40];
  t->first.alive = t->first_good && cl_boot(boot) == 0 && strcmp(boot, t->first.boot) == 0 &&
                   cl_task_lives(t->first.tool, t->first.born);
  if (error) cl_text_free(t);
  return error;
}

int cl_journal_note(const char *path, const char *key, char *value, size_t size) {
  struct cl_text t;
  int error = cl_text_read(path, &t);
  if (error) return error;
  error = ENOENT;
  for (size_t i = t.count; i-- > 0 && error;)
    if (t.entry[i].kind == CL_KIND_NOTE && strcmp(t.entry[i].field[0], key) == 0)
      error = (size_t)snprintf(value, size, "%s", t.entry[i].field[1]) < size ? 0 : ERANGE;
  cl_text_free(&t);
  return error;
}

int cl_journal_each(const char *path, int (*each)(void *context, const char *kind, char *const *field), void *context) {
  struct cl_text t;
  int error = cl_text_read(path, &t);
  for (size_t i = 0; i < t.count && !error; i++) error = each(context, kinds[t.entry[i].kind].name, t.entry[i].field);
  for (size_t i = 0; i < t.damages && !error; i++) {
    char line[24], *field[] = {line};
    snprintf(line, sizeof line, "%zu", t.damaged[i]);
    error = each(context, "damaged", field);
  }
  cl_text_free(&t);
  return error;
}

struct gather {
  struct cl_reservation *list;
  size_t count;
};

static int add_journal(void *context, const char *name) {
  struct gather *g = context;
  const char *end = strrchr(name, '.');
  char path[CL_PATH_MOST];
  struct cl_text t;
  if (end == NULL || strcmp(end, ".journal") != 0) return 0;
  if ((size_t)snprintf(path, sizeof path, "%s/%s", CL_JOURNALS, name) >= sizeof path) return ENAMETOOLONG;
  int error = cl_text_read(path, &t);
  if (error) return error == ENOENT ? 0 : error; /* it has ended meanwhile */
  struct cl_reservation *more = realloc(g->list, (g->count + 1) * sizeof *more);
  if (more) (g->list = more)[g->count++] = t.first;
  cl_text_free(&t);
  return more ? 0 : ENOMEM;
}

static int by_tool(const void *a, const void *b) {
  const struct cl_reservation *x = a, *y = b;
  return x->tool != y->tool ? (x->tool > y->tool) - (x->tool < y->tool) : strcmp(x->path, y->path);
}

int cl_journal_list(struct cl_reservation **list, size_t *count) {
  struct gather g = {NULL, 0};
  int error = cl_list(CL_JOURNALS, add_journal, &g);
  if (error == ENOENT) error = 0;
  if (error) {
    free(g.list);
    g = (struct gather){NULL, 0};
  } else if (g.count) {
    qsort(g.list, g.count, sizeof *g.list, by_tool);
  }
  *list = g.list;
  *count = g.count;
  return error;
}

int cl_text_add(const struct cl_text *to, const char *const *field, size_t count) {
  int fd;
  int error = open_journal(to->first.path, 0, &fd);
  if (error) return error;
  error = append(fd, field, count);
  close(fd);
  return error;
}
