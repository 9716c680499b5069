/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of CPUs, and their text in Linux's list form ("0,2-3"); and sets of other numbers. */
#ifndef CL_CPUS_H
#define CL_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CL_CPUS_MOST 1024             /* as glibc's cpu_set_t */
#define CL_CPUS_TEXT (CL_CPUS_MOST * 5) /* longest list with its final zero */

struct cl_cpus {
  uint64_t word[CL_CPUS_MOST / 64];
};

struct cl_cpus cl_cpus_none(void);
struct cl_cpus cl_cpus_one(int cpu);
bool cl_cpus_has(const struct cl_cpus *set, int cpu);
void cl_cpus_add(struct cl_cpus *set, int cpu);
int cl_cpus_count(const struct cl_cpus *set);
/* The lowest CPU above `after`, or -1: for (cpu = cl_cpus_next(s, -1); cpu >= 0; cpu = cl_cpus_next(s, cpu)). */
int cl_cpus_next(const struct cl_cpus *set, int after);
struct cl_cpus cl_cpus_and(const struct cl_cpus *a, const struct cl_cpus *b);
struct cl_cpus cl_cpus_or(const struct cl_cpus *a, const struct cl_cpus *b);
struct cl_cpus cl_cpus_minus(const struct cl_cpus *a, const struct cl_cpus *b);
bool cl_cpus_equal(const struct cl_cpus *a, const struct cl_cpus *b);
bool cl_cpus_empty(const struct cl_cpus *set);
/* All of `set` are in `of`, as none are; one of them is. */
bool cl_cpus_within(const struct cl_cpus *set, const struct cl_cpus *of);
bool cl_cpus_meet(const struct cl_cpus *a, const struct cl_cpus *b);

/* Reads a list; a final newline and an empty text (no CPU) are fine. EINVAL: not a list; ERANGE: a CPU too high. */
int cl_cpus_parse(const char *text, struct cl_cpus *set);
/* Writes the list as the kernel does: ranges joined, ascending. Returns `text`. */
char *cl_cpus_format(const struct cl_cpus *set, char text[CL_CPUS_TEXT]);
/* The same for messages, in one of a few buffers in turn, so that one line may have several. */
const char *cl_cpus_text(const struct cl_cpus *set);
/* The same for the other form, a mask in hexadecimal, commas between words of 32 bits: "7", "ff,ffffffff". */
int cl_cpus_parse_mask(const char *text, struct cl_cpus *set);
char *cl_cpus_format_mask(const struct cl_cpus *set, char text[CL_CPUS_TEXT]);

/* Numbers of tasks or interrupts, ascending; free() `number`. */
struct cl_numbers {
  int *number;
  size_t count;
};

/* *at (NULL: nobody asks): where it is, or would be. */
bool cl_numbers_have(const struct cl_numbers *numbers, int number, size_t *at);
int cl_numbers_add(struct cl_numbers *numbers, int number);

#endif
