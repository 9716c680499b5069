/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of any length. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define WEAK __attribute__((weak))

WEAK ssize_t getdelim(char **line, size_t *room, int end, FILE *stream) {
  if (!line || !room) {
    errno = EINVAL;
    return -1;
  }
  if (!*line) *room = 0;
  size_t length = 0;
  int c = 0;
  flockfile(stream);
  while (c != end && (c = getc_unlocked(stream)) >= 0) {
    if (length + 2 > *room) {
      const size_t more = *room ? 2 * *room : 128;
      char *const grown = realloc(*line, more);
      if (!grown) {
        length = 0;
        break;
      }
      *line = grown;
      *room = more;
    }
    (*line)[length++] = (char)c;
  }
  funlockfile(stream);
  if (!length) return -1;
  (*line)[length] = 0;
  return (ssize_t)length;
}

WEAK ssize_t getline(char **line, size_t *room, FILE *stream) { return getdelim(line, room, '\n', stream); }
