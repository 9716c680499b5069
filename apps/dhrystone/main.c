/* SPDX-License-Identifier: Apache-2.0
 *
 * PAIR_SIZE runs of Dhrystone 2.1, in two halves. The benchmark is compiled unchanged (build.toml); the C library
 * functions that it calls are here: scanf returns the number of runs, and the values that it prints are captured. */
#include <pair.h>
#include <stdarg.h>
#include <string.h>

enum { NEAR_RUNS = PAIR_SIZE / 2, FAR_RUNS = PAIR_SIZE - NEAR_RUNS };

/* The runs, and the final values in the order in which they are printed: numbers, and strings of 8 words.
 * Pointers are left out. */
enum { VALUES = 17, STRINGS = 4, STRING_BYTES = 32, RECORD_WORDS = VALUES + STRINGS * STRING_BYTES / 4 };

/* One of the two copies of the benchmark at work. */
struct copy {
  uint32_t record[RECORD_WORDS];
  size_t words;   /* of it so far */
  int runs;
  _Alignas(8) char heap[128];
  unsigned taken; /* of it */
};

static int keep(struct copy *copy, const char *format, va_list values) {
  const char *const conversion = strchr(format, '%');
  /* "        should be:   %d", and "  Ptr_Comp:          %d" */
  if (conversion == NULL || format[2] == ' ' || format[2] == 'P') return 0;
  uint32_t *const to = copy->record + copy->words;
  if (conversion[1] == 's') {
    strncpy((char *)to, va_arg(values, const char *), STRING_BYTES);
    copy->words += STRING_BYTES / 4;
  } else {
    *to = (uint32_t)va_arg(values, int);
    copy->words += 1;
  }
  return 0;
}

/* For each `side`: its variables, and the functions that its copy of the benchmark calls. time() is a dummy: it would
 * need floating point, and pair.c measures. */
#define SIDE(side)                             \
  static struct copy side;                     \
  int side##_main(void);                       \
  int side##_printf(const char *format, ...);  \
  int side##_scanf(const char *format, ...);   \
  char *side##_malloc(unsigned bytes);         \
  long side##_time(long *to);                  \
  int side##_printf(const char *format, ...) { \
    va_list values;                            \
    va_start(values, format);                  \
    keep(&side, format, values);               \
    va_end(values);                            \
    return 0;                                  \
  }                                            \
  int side##_scanf(const char *format, ...) {  \
    va_list to;                                \
    va_start(to, format);                      \
    *va_arg(to, int *) = side.runs;            \
    va_end(to);                                \
    return 1;                                  \
  }                                            \
  char *side##_malloc(unsigned bytes) {        \
    char *const got = side.heap + side.taken;  \
    side.taken += (bytes + 7) & ~7u;           \
    return got;                                \
  }                                            \
  long side##_time(long *to) {                 \
    (void)to;                                  \
    return 0;                                  \
  }                                            \
  static uint32_t *side##_run(int runs) {      \
    side = (struct copy){.runs = runs};        \
    side##_main();                             \
    return side.record;                        \
  }

SIDE(dhry_near)
SIDE(dhry_far)

static uint32_t result[2][RECORD_WORDS], far_runs PAIR_SHARED;

void pair_prepare(void) {}

uint32_t pair_alone(void) {
  memcpy(result[0], dhry_near_run(NEAR_RUNS), sizeof result[0]);
  memcpy(result[1], dhry_near_run(FAR_RUNS), sizeof result[1]);
  pair_result(result, sizeof result);
  return 0;
}

void pair_near(void) {
  far_runs = FAR_RUNS;
  pair_to_far(&far_runs, sizeof far_runs);
  pair_result(dhry_near_run(NEAR_RUNS), sizeof result[0]);
  pair_result(pair_from_far(result[1], sizeof result[1]), sizeof result[1]);
}

void pair_far(void) {
  static uint32_t room;
  const uint32_t *const runs = pair_from_near(&room, sizeof room);
  pair_to_near(dhry_far_run((int)*runs), RECORD_WORDS * 4);
}
