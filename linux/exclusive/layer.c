/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "layer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines.h"
#include "records.h"
#include "tasks.h"

#define MAGIC "coreloom-exclusive 3"

/* Writing */

#define ADD (O_RDWR | O_APPEND)

/* A new file of the living tool. Nobody can open it, and so lock it, before it is ours; then everybody may read it,
 * whatever the umask is. */
static int create(const char *path, int *fd) {
  int error = cl_state_folder();
  if (!error) error = cl_state_open(path, ADD | O_CREAT | O_EXCL, fd);
  if (error) return error;
  error = cl_state_mark(*fd, CL_MARK_TOOL);
  if (!error && fchmod(*fd, 0644)) error = errno;
  if (error) close(*fd);
  return error;
}

void cl_layer_path(int id, char path[CL_PATH_MOST]) { snprintf(path, CL_PATH_MOST, CL_STATE "/%d.layer", id); }

int cl_layer_open(struct cl_layer *layer, const struct cl_reservation *first) {
  cl_layer_path(first->tool, layer->path);
  int error = create(layer->path, &layer->fd);
  if (error) {
    layer->fd = -1;
    return error;
  }
  const char *field[] = {MAGIC,
                         first->boot,
                         cl_line_of((unsigned)first->tool),
                         cl_line_of(first->born),
                         cl_cpus_text(&first->cpus),
                         first->command};
  error = cl_line_add(layer->fd, field, sizeof field / sizeof *field);
  if (error) {
    close(layer->fd);
    layer->fd = -1;
    unlink(cl_files_path(layer->path));
  }
  return error;
}

int cl_layer_add(const struct cl_layer *layer, const char *const *field, size_t count) {
  return layer->fd < 0 ? 0 : cl_line_add(layer->fd, field, count);
}

int cl_layer_put_note(const struct cl_layer *layer, const char *key, const char *value) {
  return cl_layer_add(layer, (const char *const[]){"note", key, value}, 3);
}

/* Reading */

/* The form of each field: p absolute path, i number of a task, n number, t text. */
static const struct {
  const char *name, *form;
} kinds[CL_ENTRIES] = {
    [CL_ENTRY_GROUP] = {"group", "inpp"},
    [CL_ENTRY_SCOPE] = {"scope", "t"},
    [CL_ENTRY_NOTE] = {"note", "tt"},
};

void cl_layer_free(struct cl_text *t) {
  free(t->all);
  free(t->entry);
  free(t->damaged);
  memset(t, 0, sizeof *t);
}

static bool read_field(char form, const char *text, struct cl_entry *entry) {
  if (form == 'p') return cl_line_path(text);
  if (form == 'i') return cl_line_id(text, &entry->tid);
  return form != 'n' || cl_line_number(text, &entry->born);
}

static bool read_entry(char *line, struct cl_entry *entry) {
  char *field[6];
  size_t count = cl_line_split(line, field, 6);
  if (count == SIZE_MAX) return false;
  for (entry->kind = 0; entry->kind < CL_ENTRIES; entry->kind++) {
    const char *form = kinds[entry->kind].form;
    if (strcmp(kinds[entry->kind].name, field[0]) != 0) continue;
    if (count != strlen(form) + 1) return false;
    for (size_t i = 0; form[i] != '\0'; i++)
      if (!read_field(form[i], entry->field[i] = field[i + 1], entry)) return false;
    return true;
  }
  return false;
}

/* "coreloom-exclusive 2": a file of another version, in this boot. */
static bool is_foreign(const char *magic, const char *boot) {
  char now[40];
  size_t length = strcspn(MAGIC, " ") + 1;
  return strncmp(magic, MAGIC, length) == 0 && strcmp(magic, MAGIC) != 0 && cl_boot(now) == 0 && strcmp(boot, now) == 0;
}

static bool read_first(char *line, struct cl_reservation *first) {
  char *field[8];
  size_t count = cl_line_split(line, field, 8);
  if (count == SIZE_MAX || count < 2) return false;
  first->foreign = is_foreign(field[0], field[1]);
  if (count != 6 || strcmp(field[0], MAGIC) != 0) return false;
  if (!cl_line_id(field[2], &first->tool)) return false;
  if (!cl_line_number(field[3], &first->born) || cl_cpus_parse(field[4], &first->cpus)) return false;
  snprintf(first->boot, sizeof first->boot, "%s", field[1]);
  snprintf(first->command, sizeof first->command, "%s", field[5]);
  return true;
}

const char *cl_layer_value(const struct cl_text *t, const char *key) {
  for (size_t i = t->count; i-- > 0;)
    if (t->entry[i].kind == CL_ENTRY_NOTE && strcmp(t->entry[i].field[0], key) == 0) return t->entry[i].field[1];
  return NULL;
}

static int parse(struct cl_text *t, size_t length) {
  const char *end = t->all + length;
  size_t lines = 1, number = 0;
  for (const char *at = t->all; at < end; at++) lines += *at == '\n';
  t->entry = calloc(lines, sizeof *t->entry);
  t->damaged = calloc(lines, sizeof *t->damaged);
  if (t->entry == NULL || t->damaged == NULL) return ENOMEM;
  bool whole, first_good = false;
  char *at = t->all;
  for (char *line; (line = cl_line_next(&at, end, &whole)) != NULL;) {
    bool good = whole;
    if (++number == 1) good = first_good = good && read_first(line, &t->first);
    else if (good && (good = read_entry(line, &t->entry[t->count]))) t->count++;
    if (!good) t->damaged[t->damages++] = number;
  }
  if (!first_good) t->first.tool = 0;
  return 0;
}

/* "ID.layer"; 0: another name, which is none of ours. */
static int id_of(const char *name) {
  size_t digits = strspn(name, "0123456789");
  long id = strcmp(name + digits, ".layer") == 0 ? strtol(name, NULL, 10) : 0;
  return id <= INT32_MAX ? (int)id : 0;
}

int cl_layer_read(const char *path, struct cl_text *t) {
  char boot[40];
  size_t length;
  int fd;
  memset(t, 0, sizeof *t);
  snprintf(t->first.path, sizeof t->first.path, "%s", path);
  t->first.id = id_of(strrchr(path, '/') + 1);
  int error = cl_state_open(path, O_RDONLY, &fd);
  if (error == ENOTSUP) return t->strange = true, 0; /* a FIFO or folder by that name */
  if (error) return error;
  error = cl_read_open(fd, &t->all, &length);
  bool tool = cl_state_marked(fd, CL_MARK_TOOL);
  t->first.watched = cl_state_marked(fd, CL_MARK_WATCHER);
  close(fd);
  t->empty = !error && length == 0;
  if (!error) error = parse(t, length);
  if (!error && t->first.foreign) error = EPROTO;
  if (error) {
    cl_layer_free(t);
    return error;
  }
  const char *mechanism = cl_layer_value(t, "mechanism"), *trying = cl_layer_value(t, "trying");
  snprintf(t->first.mechanism, sizeof t->first.mechanism, "%s", mechanism ? mechanism : "");
  snprintf(t->first.trying, sizeof t->first.trying, "%s", mechanism ? mechanism : trying ? trying : "");
  t->first.ended = cl_layer_value(t, "ended") != NULL;
  if (t->first.id == 0) t->first.id = t->first.tool; /* by an open file, which has no name */
  t->first.alive = tool && t->first.tool && cl_boot(boot) == 0 && strcmp(boot, t->first.boot) == 0;
  return 0;
}

int cl_layer_keep(struct cl_layer *layer, bool *ended) {
  char *text;
  struct stat mine, there;
  size_t length;
  *ended = false;
  if (fstat(layer->fd, &mine)) return errno;
  if (stat(cl_files_path(layer->path), &there) == 0 && mine.st_ino == there.st_ino) return 0;
  int error = cl_read_open(layer->fd, &text, &length);
  if (error) return error;
  *ended = strstr(text, "\nnote\tended\t") != NULL;
  if (!*ended) {
    int fd;
    if (unlink(cl_files_path(layer->path)) && errno != ENOENT) error = errno; /* what others have put there */
    if (!error) error = create(layer->path, &fd);
    if (!error && write(fd, text, length) != (ssize_t)length) error = ENOSPC;
    if (!error) {
      cl_layer_put_note(layer, "moved", "to a new file");
      close(layer->fd);
      layer->fd = fd;
    }
  }
  free(text);
  return error;
}

void cl_layer_mark_ended(const char *path) {
  struct cl_layer layer;
  if (cl_state_open(path, ADD, &layer.fd)) return;
  cl_layer_put_note(&layer, "ended", "taken back");
  close(layer.fd);
}
