/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults that must be found, each of a kind that parsers have had: else the fuzzing shows nothing. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const char *const words[] = {"task\t", "BANNED ", NULL};

/* Behind the end of the input: a name is skipped without a look whether something follows. */
static void past_input(const char *data, size_t size) {
  (void)size;
  if (strncmp(data, "task\t", 5) == 0) fuzz_note_number((uint64_t)data[strlen(data) + 1]);
}

/* Behind the end of what malloc gave: the final zero has no room. */
static void past_heap(const char *data, size_t size) {
  char *copy = malloc(size ? size : 1);
  memcpy(copy, data, size);
  if (size > 5 && memcmp(copy, "task\t", 5) == 0) copy[size] = '\0';
  fuzz_note_number((uint64_t)*copy);
  free(copy);
}

/* Behind the end of an array: a word is thought to be short. */
static void past_array(const char *data, size_t size) {
  char word[8];
  size_t length = 0;
  (void)size;
  if (strncmp(data, "BANNED ", 7) == 0)
    for (const char *at = data + 7; *at; at++) word[length++] = *at;
  word[length < 7 ? length : 7] = '\0';
  fuzz_note_text(word);
}

/* A number that is too large for its type. */
static void overflow(const char *data, size_t size) {
  int number = 0;
  (void)size;
  for (; *data >= '0' && *data <= '9'; data++) number = number * 10 + (*data - '0');
  fuzz_note_number((uint64_t)number);
}

/* The list of a group's processes as it once was read: 64 KiB of it, so that the last number loses digits. */
static void cut(const char *data, size_t size) {
  static char text[65536];
  size_t length = size < sizeof text - 1 ? size : sizeof text - 1;
  memcpy(text, data, length);
  text[length] = '\0';
  char *last = strrchr(text, '\n'), *true_last = strrchr(data, '\n');
  if (last && true_last) fuzz_check(strcmp(last, true_last) == 0, "the last process is read as '%s'", last + 1);
}

/* What is behind the end of a line is read, and nobody ever wrote it. */
static void unwritten(const char *data, size_t size) {
  char text[256];
  size_t length = size < 255 ? size : 255;
  memcpy(text, data, length);
  text[length] = '\0';
  char *close = strchr(text, ')');
  if (close && close < text + 200) fuzz_note(close + 3, 1);
}

static void leak(const char *data, size_t size) {
  char *copy = malloc(size + 1);
  memcpy(copy, data, size + 1);
  if (size < 4 || memcmp(copy, "task", 4) != 0) free(copy);
  fuzz_note(&size, sizeof size);
}

static void endless(const char *data, size_t size) {
  size_t at = 0;
  while (at < size) at += data[at] == '\x1b' ? 0 : 1;
}

FUZZ_TARGET(planted_input, .run = past_input, .words = words, .most = 256, .planted = true)
FUZZ_TARGET(planted_heap, .run = past_heap, .words = words, .most = 256, .planted = true)
FUZZ_TARGET(planted_array, .run = past_array, .words = words, .most = 256, .planted = true)
FUZZ_TARGET(planted_overflow, .run = overflow, .words = words, .most = 256, .planted = true)
FUZZ_TARGET(planted_cut, .run = cut, .words = words, .most = 200000, .planted = true)
FUZZ_TARGET(planted_unwritten, .run = unwritten, .words = words, .most = 256, .planted = true)
FUZZ_TARGET(planted_leak, .run = leak, .words = words, .most = 256, .planted = true)
FUZZ_TARGET(planted_endless, .run = endless, .words = words, .most = 256, .planted = true)
