/* SPDX-License-Identifier: Apache-2.0 */
#include "cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (CL_CPUS_MOST / 64)

struct cl_cpus cl_cpus_none(void) { return (struct cl_cpus){{0}}; }

struct cl_cpus cl_cpus_one(int cpu) {
  struct cl_cpus set = cl_cpus_none();
  cl_cpus_add(&set, cpu);
  return set;
}

bool cl_cpus_has(const struct cl_cpus *set, int cpu) {
  return cpu >= 0 && cpu < CL_CPUS_MOST && (set->word[cpu / 64] >> (cpu % 64) & 1);
}

void cl_cpus_add(struct cl_cpus *set, int cpu) { set->word[cpu / 64] |= UINT64_C(1) << (cpu % 64); }

int cl_cpus_count(const struct cl_cpus *set) {
  int count = 0;
  for (int i = 0; i < WORDS; i++) count += __builtin_popcountll(set->word[i]);
  return count;
}

int cl_cpus_next(const struct cl_cpus *set, int after) {
  int at = after + 1;
  if (at >= CL_CPUS_MOST) return -1;
  uint64_t word = set->word[at / 64] >> (at % 64) << (at % 64);
  for (int i = at / 64;; word = set->word[i]) {
    if (word) return i * 64 + __builtin_ctzll(word);
    if (++i == WORDS) return -1;
  }
}

struct cl_cpus cl_cpus_and(const struct cl_cpus *a, const struct cl_cpus *b) {
  struct cl_cpus set;
  for (int i = 0; i < WORDS; i++) set.word[i] = a->word[i] & b->word[i];
  return set;
}

struct cl_cpus cl_cpus_or(const struct cl_cpus *a, const struct cl_cpus *b) {
  struct cl_cpus set;
  for (int i = 0; i < WORDS; i++) set.word[i] = a->word[i] | b->word[i];
  return set;
}

struct cl_cpus cl_cpus_minus(const struct cl_cpus *a, const struct cl_cpus *b) {
  struct cl_cpus set;
  for (int i = 0; i < WORDS; i++) set.word[i] = a->word[i] & ~b->word[i];
  return set;
}

bool cl_cpus_equal(const struct cl_cpus *a, const struct cl_cpus *b) { return memcmp(a, b, sizeof *a) == 0; }

bool cl_cpus_empty(const struct cl_cpus *set) { return cl_cpus_next(set, -1) < 0; }

bool cl_cpus_within(const struct cl_cpus *set, const struct cl_cpus *of) {
  struct cl_cpus out = cl_cpus_minus(set, of);
  return cl_cpus_empty(&out);
}

bool cl_cpus_meet(const struct cl_cpus *a, const struct cl_cpus *b) {
  struct cl_cpus both = cl_cpus_and(a, b);
  return !cl_cpus_empty(&both);
}

/* A number at *text, which moves behind it. */
static int number(const char **text, int *value) {
  if (!isdigit((unsigned char)**text)) return EINVAL;
  for (*value = 0; isdigit((unsigned char)**text); (*text)++) {
    *value = *value * 10 + (**text - '0');
    if (*value >= CL_CPUS_MOST) return ERANGE;
  }
  return 0;
}

int cl_cpus_parse(const char *text, struct cl_cpus *set) {
  *set = cl_cpus_none();
  while (*text != '\0' && strcmp(text, "\n") != 0) {
    int first, last;
    int error = number(&text, &first);
    if (error) return error;
    last = first;
    if (*text == '-') {
      text++;
      error = number(&text, &last);
      if (error || last < first) return error ? error : EINVAL;
    }
    for (int cpu = first; cpu <= last; cpu++) cl_cpus_add(set, cpu);
    if (*text == ',' && isdigit((unsigned char)text[1])) text++;
    else if (*text != '\0' && strcmp(text, "\n") != 0) return EINVAL;
  }
  return 0;
}

char *cl_cpus_format(const struct cl_cpus *set, char text[CL_CPUS_TEXT]) {
  size_t length = 0;
  text[0] = '\0';
  for (int first = cl_cpus_next(set, -1); first >= 0;) {
    int last = first;
    while (cl_cpus_has(set, last + 1)) last++;
    length += (size_t)snprintf(text + length, CL_CPUS_TEXT - length, "%s%d", length ? "," : "", first);
    if (last > first) length += (size_t)snprintf(text + length, CL_CPUS_TEXT - length, "-%d", last);
    first = cl_cpus_next(set, last);
  }
  return text;
}

const char *cl_cpus_text(const struct cl_cpus *set) {
  static char ring[4][CL_CPUS_TEXT];
  static unsigned turn;
  return cl_cpus_format(set, ring[turn++ % 4]);
}

int cl_cpus_parse_mask(const char *text, struct cl_cpus *set) {
  *set = cl_cpus_none();
  size_t length = strcspn(text, "\n");
  if (length == 0 || text[0] == ',' || text[length - 1] == ',' || strstr(text, ",,")) return EINVAL;
  if (text[length] != '\0' && text[length + 1] != '\0') return EINVAL; /* a second line */
  int digit = 0; /* from the right; a comma stands where a word of eight digits ends, so it needs no counting */
  for (size_t at = length; at-- > 0;) {
    if (text[at] == ',' && digit % 8 == 0) continue;
    if (!isxdigit((unsigned char)text[at])) return EINVAL;
    int value = isdigit((unsigned char)text[at]) ? text[at] - '0' : tolower((unsigned char)text[at]) - 'a' + 10;
    if (value && digit >= CL_CPUS_MOST / 4) return ERANGE;
    if (value) set->word[digit / 16] |= (uint64_t)value << (digit % 16 * 4);
    digit++;
  }
  return 0;
}

char *cl_cpus_format_mask(const struct cl_cpus *set, char text[CL_CPUS_TEXT]) {
  size_t length = 0;
  for (int half = WORDS * 2 - 1; half >= 0; half--) {
    uint32_t value = (uint32_t)(set->word[half / 2] >> (half % 2 * 32));
    if (length) length += (size_t)snprintf(text + length, CL_CPUS_TEXT - length, ",%08x", value);
    else if (value || half == 0) length += (size_t)snprintf(text, CL_CPUS_TEXT, "%x", value);
  }
  return text;
}

bool cl_numbers_have(const struct cl_numbers *numbers, int number, size_t *at) {
  size_t low = 0, high = numbers->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (numbers->number[middle] < number) low = middle + 1;
    else high = middle;
  }
  if (at) *at = low;
  return low < numbers->count && numbers->number[low] == number;
}

int cl_numbers_add(struct cl_numbers *numbers, int number) {
  size_t at;
  if (cl_numbers_have(numbers, number, &at)) return 0;
  int *more = realloc(numbers->number, (numbers->count + 1) * sizeof *more);
  if (more == NULL) return ENOMEM;
  numbers->number = more;
  memmove(more + at + 1, more + at, (numbers->count++ - at) * sizeof *more);
  more[at] = number;
  return 0;
}
