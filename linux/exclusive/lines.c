/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

#define LINE 16384 /* the longest entry, with its newline */

/* `room`: there is none for it and what ends it. */
static size_t escaped(char *to, size_t room, const char *text) {
  size_t length = 0;
  for (; *text != '\0'; text++) {
    const char *found = strchr("\t\n\\", *text);
    if (length + (found ? 2 : 1) >= room) return room;
    if (found) to[length++] = '\\';
    to[length++] = found ? "tn\\"[found - "\t\n\\"] : *text;
  }
  return length;
}

int cl_line_add(int fd, const char *const *field, size_t count) {
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

size_t cl_line_split(char *line, char **field, size_t most) {
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

bool cl_line_number(const char *text, unsigned long long *value) {
  char *end;
  if (!isdigit((unsigned char)*text)) return false;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *end == '\0' && errno == 0;
}

const char *cl_line_of(unsigned long long number) {
  static char ring[4][24];
  static unsigned turn;
  char *text = ring[turn++ % 4];
  snprintf(text, sizeof *ring, "%llu", number);
  return text;
}

bool cl_line_id(const char *text, int *id) {
  unsigned long long value;
  if (!cl_line_number(text, &value) || value == 0 || value > INT32_MAX) return false;
  *id = (int)value;
  return true;
}

bool cl_leads_up(const char *path) {
  for (const char *at = path; (at = strstr(at, "/..")) != NULL; at++)
    if (at[3] == '/' || at[3] == '\0') return true;
  return false;
}

bool cl_line_path(const char *text) { return *text == '/' && strlen(text) < CL_PATH_MOST && !cl_leads_up(text); }

bool cl_lists_word(const char *text, const char *word) {
  size_t length = strlen(word);
  for (const char *at = text + strspn(text, " \n"); *at != '\0'; at += strspn(at, " \n")) {
    size_t this = strcspn(at, " \n");
    if (this == length && strncmp(at, word, length) == 0) return true;
    at += this;
  }
  return false;
}

/* Not strchr: some C libraries' first looks for the end of the whole text, for every line. A line longer than any
 * that is written is not an entry; taken for one it could not be rewritten. */
char *cl_line_next(char **at, const char *end, bool *whole) {
  char *line = *at;
  if (line >= end) return NULL;
  char *newline = memchr(line, '\n', (size_t)(end - line));
  *whole = newline != NULL && newline - line < LINE && memchr(line, '\0', (size_t)(newline - line)) == NULL;
  if (newline) *newline = '\0';
  *at = newline ? newline + 1 : (char *)end;
  return line;
}
