/* SPDX-License-Identifier: Apache-2.0
 *
 * The decimal digits of a binary number, exactly: what printf prints and what strtod compares with. No heap, and no
 * floating-point arithmetic. */
#ifndef CL_DECIMAL_H
#define CL_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* A number's digits still to come. `words` begins with the groups of nine digits of its integer part, the lowest first;
 * from word 2 on is the fraction, 32 bits a word, the lowest first, which no number has that is larger than two groups. */
struct cl_decimal {
  uint32_t words[36];
  int groups;    /* still to come */
  int low, high; /* the fraction's words that are not 0 */
  uint32_t group,
      unit; /* what is left of the current group, and the worth of its next digit; 0: the group is used up */
  int position;         /* power of ten of the next digit */

  /* Of cl_decimal_round: */
  int exponent; /* power of ten of the first digit that is not 0; 0 for 0 */
  int last;     /* power of ten of the last digit that is not 0, at most exponent */
  enum { CL_AS_IS, CL_UP, CL_ONE, CL_ZERO } rounded; /* CL_ONE: a 1 and nothing but 0 */
};

/* The number m * 2^e; m below 2^55, e from -1075 to 971. */
void cl_decimal_begin(struct cl_decimal *digits, uint64_t m, int e);
/* The digit at `position`, which then goes one down. */
unsigned cl_decimal_digit(struct cl_decimal *digits);
/* Whether a digit to come is not 0. */
bool cl_decimal_rest(const struct cl_decimal *digits);

/* m * 2^e rounded to its first `count` digits (to its digits down to 10^-decimals if that is 0), half to even. */
void cl_decimal_round(struct cl_decimal *digits, uint64_t m, int e, int count, int decimals);
/* The digits of the rounded number, from 10^exponent on. */
unsigned cl_decimal_next(struct cl_decimal *digits);

#endif
