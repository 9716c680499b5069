/* SPDX-License-Identifier: Apache-2.0
 *
 * Older ways to write a double, of printf's digits. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int strfromd(char *restrict to, size_t room, const char *restrict format, double value) {
  return snprintf(to, room, format, value);
}

int strfromf(char *restrict to, size_t room, const char *restrict format, float value) {
  return snprintf(to, room, format, (double)value);
}

char *gcvt(double value, int digits, char *to) {
  sprintf(to, "%.*g", digits, value);
  return to;
}

#define MOST 17 /* digits that make a difference */

/* The digits of a number in printf's text, and where its point is. */
static int digits_of(char *text, int *point, int *sign, char *to, size_t room) {
  char *const exponent = strchr(text, 'e'), *at = text;
  *sign = *at == '-';
  at += *sign;
  const char *const dot = strchr(at, '.');
  size_t length = 0, before = dot ? (size_t)(dot - at) : exponent ? (size_t)(exponent - at) : strlen(at);
  *point = (int)before + (exponent ? atoi(exponent + 1) : 0);
  if (exponent) *exponent = 0;
  for (bool leading = !exponent; *at; at++) {
    if (*at == '.') continue;
    if (leading && *at == '0' && at[1]) {
      --*point;
      continue;
    }
    leading = false;
    if (length + 1 >= room) return -1;
    to[length++] = *at;
  }
  to[length] = 0;
  return 0;
}

int ecvt_r(double value, int digits, int *point, int *sign, char *to, size_t room) {
  char text[MOST + 10];
  if (digits > MOST) digits = MOST;
  snprintf(text, sizeof text, "%.*e", digits > 0 ? digits - 1 : 0, value);
  const int status = digits_of(text, point, sign, to, room);
  if (digits <= 0 && !status) *to = 0;
  return status;
}

int fcvt_r(double value, int digits, int *point, int *sign, char *to, size_t room) {
  char text[330 + MOST];
  if (digits > MOST) digits = MOST;
  snprintf(text, sizeof text, "%.*f", digits > 0 ? digits : 0, value);
  return digits_of(text, point, sign, to, room);
}

char *ecvt(double value, int digits, int *point, int *sign) {
  static char text[MOST + 1];
  return ecvt_r(value, digits, point, sign, text, sizeof text) ? NULL : text;
}

char *fcvt(double value, int digits, int *point, int *sign) {
  static char text[330 + MOST];
  return fcvt_r(value, digits, point, sign, text, sizeof text) ? NULL : text;
}
