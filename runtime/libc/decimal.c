/* SPDX-License-Identifier: Apache-2.0
 *
 * An integer part becomes groups of nine digits by shifting, a fraction yields a group with each multiplication by 10^9.
 * So digits come from the first on, and a number needs no more room than its bits; rounding looks through them once
 * before they are used. */
#include "decimal.h"

#define GROUP 1000000000u

/* t / GROUP, for t below 2^59. A division of 64 bits takes several hundred cycles. */
static uint32_t divided(uint64_t t, uint32_t *remainder) {
  uint32_t quotient = (uint32_t)((t >> 29) * 2305843009u >> 32); /* 2^61 / GROUP; at most 2 too small */
  uint32_t left = (uint32_t)t - quotient * GROUP;
  for (; left >= GROUP; left -= GROUP) quotient++;
  *remainder = left;
  return quotient;
}

void cl_decimal_begin(struct cl_decimal *d, uint64_t m, int e) {
  uint64_t whole = e >= 0 ? m : e > -64 ? m >> -e : 0;
  d->groups = 0;
  d->low = d->high = 2;
  d->unit = 0;
  while (whole) {
    const uint32_t above = divided(whole, &d->words[d->groups++]);
    whole = above;
  }
  for (int shift; e > 0; e -= shift) {
    uint32_t carry = 0;
    shift = e < 29 ? e : 29;
    for (int i = 0; i < d->groups; i++) carry = divided(((uint64_t)d->words[i] << shift) + carry, &d->words[i]);
    if (carry) d->words[d->groups++] = carry;
  }
  if (e < 0) {
    const uint64_t part = e > -64 ? m & ((UINT64_C(1) << -e) - 1) : m;
    const int shift = e & 31;
    d->high += (31 - e) / 32;
    for (int i = d->low; i < d->high; i++) d->words[i] = 0;
    const uint64_t above = shift ? part >> (64 - shift) : 0;
    const uint32_t bits[] = {(uint32_t)(part << shift), (uint32_t)(part << shift >> 32), (uint32_t)above};
    for (int i = 0; i < 3 && d->low + i < d->high; i++) d->words[d->low + i] = bits[i];
  }
  d->position = 9 * d->groups - 1;
}

static uint32_t next_group(struct cl_decimal *d) {
  if (d->groups) return d->words[--d->groups];
  uint32_t carry = 0;
  while (d->low < d->high && !d->words[d->low]) d->low++;
  for (int i = d->low; i < d->high; i++) {
    const uint64_t product = (uint64_t)d->words[i] * GROUP + carry;
    d->words[i] = (uint32_t)product;
    carry = (uint32_t)(product >> 32);
  }
  return carry;
}

unsigned cl_decimal_digit(struct cl_decimal *d) {
  if (!d->unit) {
    d->group = next_group(d);
    d->unit = GROUP / 10;
  }
  const uint32_t digit = d->group / d->unit;
  d->group -= digit * d->unit;
  d->unit /= 10;
  d->position--;
  return digit;
}

bool cl_decimal_rest(const struct cl_decimal *d) {
  uint32_t any = d->unit ? d->group : 0;
  for (int i = 0; i < d->groups; i++) any |= d->words[i];
  for (int i = d->low; i < d->high; i++) any |= d->words[i];
  return any != 0;
}

void cl_decimal_round(struct cl_decimal *d, uint64_t m, int e, int count, int decimals) {
  d->exponent = d->last = d->position = 0;
  d->rounded = CL_ZERO;
  if (!m) return;
  unsigned digit, before = 0;
  cl_decimal_begin(d, m, e);
  do digit = cl_decimal_digit(d);
  while (!digit);
  const int first = d->position + 1, end = count ? first - count : -decimals - 1; /* the first that is not kept */
  int at = first, last = first, up = first; /* up: where 1 may be added */
  bool nines = true;
  for (; at > end; at--) {
    if (digit) last = at;
    if (digit != 9) up = at, nines = false;
    before = digit;
    digit = cl_decimal_digit(d);
  }
  const bool more = at == end && (digit > 5 || (digit == 5 && (before & 1 || cl_decimal_rest(d))));
  if (!more && first <= end) {
    d->position = 0;
    return;
  }
  d->rounded = !more ? CL_AS_IS : nines ? CL_ONE : CL_UP;
  d->exponent = d->rounded == CL_ONE ? first + 1 : first;
  d->last = d->rounded == CL_ONE ? first + 1 : more ? up : last;
  d->position = d->exponent;
  if (d->rounded == CL_ONE) return;
  cl_decimal_begin(d, m, e);
  while (d->position > first) cl_decimal_digit(d);
}

unsigned cl_decimal_next(struct cl_decimal *d) {
  const int at = d->position;
  if (d->rounded == CL_ZERO || d->rounded == CL_ONE || (d->rounded == CL_UP && at < d->last)) {
    d->position--;
    return d->rounded == CL_ONE && at == d->exponent;
  }
  return cl_decimal_digit(d) + (d->rounded == CL_UP && at == d->last);
}
