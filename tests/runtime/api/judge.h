/* SPDX-License-Identifier: Apache-2.0
 *
 * Conformance tests of a front end: TEST(function, requirement, text) { ... } as often as need be, each for one
 * requirement of the published API. judge() calls them and prints a line for each, then how many passed and failed. */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl_kernel.h"

/* How many semaphores the kernel has left. */
__attribute__((unused)) static int semaphores_left(void) {
  uint32_t made[256];
  int left = 0;
  while (left < 256 && !cl_status(made[left] = cl_op_semaphore_create(0))) left++;
  for (int i = 0; i < left; i++) cl_op_semaphore_destroy(cl_value(made[i]));
  return left;
}

struct test {
  struct test *next;
  const char *name;
  void (*run)(void);
};

static struct test *judge_first, **judge_end = &judge_first;
static char judge_text[160]; /* what is wrong, or nothing */

#define TEST(function, requirement, text)                                                    \
  static void function##__##requirement(void);                                               \
  __attribute__((constructor)) static void function##__##requirement##_(void) {              \
    static struct test test = {NULL, #function "_" #requirement, function##__##requirement}; \
    *judge_end = &test;                                                                      \
    judge_end = &test.next;                                                                  \
  }                                                                                          \
  static void function##__##requirement(void)

#define SAY_AND_RETURN(...)                               \
  do {                                                    \
    snprintf(judge_text, sizeof judge_text, __VA_ARGS__); \
    return;                                               \
  } while (0)
/* `call` must be `wanted`; both are converted to long. */
#define IS(wanted, call)                                                                                     \
  do {                                                                                                       \
    const long got_ = (long)(call), wanted_ = (long)(wanted);                                                \
    if (got_ != wanted_) SAY_AND_RETURN("fail line %d: %s is %ld, not %ld", __LINE__, #call, got_, wanted_); \
  } while (0)
#define OK(call) IS(0, call)
#define TRUE(condition)                                                                 \
  do {                                                                                  \
    if (!(condition)) SAY_AND_RETURN("fail line %d: not so: %s", __LINE__, #condition); \
  } while (0)

__attribute__((noreturn)) static void judge(void) {
  unsigned passed = 0, failed = 0;
  for (const struct test *test = judge_first; test; test = test->next) {
    printf("%s: ", test->name);
    *judge_text = '\0';
    test->run();
    if (*judge_text) failed++;
    else passed++;
    puts(*judge_text ? judge_text : "pass");
  }
  printf("%u passed, %u failed\n", passed, failed);
  exit(failed != 0);
}

#endif
