/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of fields: any text is split or refused; any fields that are written are read back the same. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files.h"
#include "fuzz.h"
#include "lines.h"

#define FIELDS 6
#define LINE 16384 /* of an entry, at most */

static const char *const words[] = {"\t", "\\t", "\\n", "\\\\", "\\", "\n", "\r", NULL};

static size_t written_length(const char *const *field, size_t count) {
  size_t length = count;
  for (size_t i = 0; i < count; i++)
    for (const char *at = field[i]; *at; at++) length += strchr("\t\n\\", *at) ? 2 : 1;
  return length;
}

/* Fields apart by a zero. */
static void round_trip(const char *data, size_t size) {
  const char *field[FIELDS];
  char *text, *found[FIELDS];
  size_t count = 0, length;
  bool whole;
  for (const char *at = data; at <= data + size && count < FIELDS; at += strlen(at) + 1) field[count++] = at;
  int fd = memfd_create("lines", MFD_CLOEXEC);
  int error = cl_line_add(fd, field, count);
  if (!error) error = cl_line_add(fd, field, count);
  fuzz_check(error == (written_length(field, count) > LINE ? E2BIG : 0), "error %d", error);
  fuzz_check(cl_read_open(fd, &text, &length) == 0, "the file cannot be read");
  close(fd);
  char *at = text, *end = text + length;
  int lines = 0;
  for (char *line; (line = cl_line_next(&at, end, &whole)) != NULL; lines++) {
    fuzz_check(whole, "a part of a line was left");
    fuzz_check(cl_line_split(line, found, FIELDS) == count, "not %zu fields", count);
    for (size_t i = 0; i < count; i++) fuzz_check(strcmp(field[i], found[i]) == 0, "field %zu is another", i);
  }
  fuzz_check(lines == (error ? 0 : 2), "%d lines", lines);
  free(text);
}

static void run(const char *data, size_t size) {
  unsigned long long number;
  char *copy = malloc(size + 1), *field[FIELDS], *at = copy;
  bool whole;
  memcpy(copy, data, size + 1);
  for (char *line; (line = cl_line_next(&at, copy + size, &whole)) != NULL;) {
    size_t count = cl_line_split(line, field, FIELDS);
    fuzz_note_number(count + whole);
    for (size_t i = 0; i < count && count != SIZE_MAX; i++) {
      fuzz_note_text(field[i]);
      if (cl_line_number(field[i], &number)) fuzz_note_number(number);
      fuzz_note_number(cl_lists_word(field[i], "cpuset"));
    }
  }
  free(copy);
  round_trip(data, size);
}

FUZZ_TARGET(lines, .run = run, .words = words, .most = 40000)
