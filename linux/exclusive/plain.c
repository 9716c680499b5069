/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "plain.h"

#include <stdlib.h>
#include <string.h>

#define ESCAPE 12 /* room for the longest one */

size_t cl_utf8(const char *text, unsigned *code) {
  const unsigned char *at = (const unsigned char *)text;
  size_t length = at[0] == 0     ? 0
                  : at[0] < 0x80 ? 1
                  : at[0] < 0xc2 ? 0
                  : at[0] < 0xe0 ? 2
                  : at[0] < 0xf0 ? 3
                  : at[0] < 0xf5 ? 4
                                 : 0;
  unsigned value = length > 1 ? at[0] & (0xffu >> (length + 1)) : at[0];
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xc0) != 0x80) return 0;
    value = value << 6 | (at[i] & 0x3fu);
  }
  /* too long a form, half of a pair, above the last */
  if ((length == 3 && value < 0x800) || (value >= 0xd800 && value < 0xe000) || (length == 4 && value < 0x10000) ||
      value > 0x10ffff)
    return 0;
  *code = value;
  return length;
}

bool cl_shown(unsigned code) {
  static const unsigned char none[][2] = {{0x0e, 0x0f}, {0x28, 0x2e}, {0x66, 0x69}}; /* of U+20xx: directions, lines */
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0xfeff) return false;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (code >= 0x2000u + none[i][0] && code <= 0x2000u + none[i][1]) return false;
  return true;
}

/* The next character as it is shown; how many bytes of the text it took. */
static size_t next(const char *text, char shown[ESCAPE]) {
  unsigned code = 0;
  size_t length = cl_utf8(text, &code);
  if (length == 0) snprintf(shown, ESCAPE, "\\x%02x", (unsigned char)*text);
  else if (!cl_shown(code)) snprintf(shown, ESCAPE, code < 0x80 ? "\\x%02x" : "\\u%04x", code);
  else snprintf(shown, ESCAPE, "%.*s", (int)length, text);
  return length ? length : 1;
}

size_t cl_plain(char *to, size_t size, const char *text) {
  size_t length = 0;
  char shown[ESCAPE];
  while (*text) {
    text += next(text, shown);
    size_t more = strlen(shown);
    if (length + more >= size) break;
    memcpy(to + length, shown, more);
    length += more;
  }
  to[length] = '\0';
  return length;
}

void cl_plain_put(FILE *out, const char *text) {
  char shown[ESCAPE];
  while (*text) {
    text += next(text, shown);
    fputs(shown, out);
  }
}

void cl_plain_print(FILE *out, const char *format, va_list values) {
  char *text;
  if (vasprintf(&text, format, values) < 0) return;
  cl_plain_put(out, text);
  free(text);
}

void cl_json_string(FILE *out, const char *text) {
  fputc('"', out);
  while (*text) {
    unsigned code;
    size_t length = cl_utf8(text, &code);
    if (length == 0) fputs("\xef\xbf\xbd", out);
    else if (!cl_shown(code)) fprintf(out, "\\u%04x", code);
    else if (code == '"' || code == '\\') fprintf(out, "\\%c", *text);
    else fwrite(text, 1, length, out);
    text += length ? length : 1;
  }
  fputc('"', out);
}

void cl_json_text(FILE *out, const char *comma, const char *key, const char *text) {
  fprintf(out, "%s\"%s\": ", comma, key);
  if (text) cl_json_string(out, text);
  else fputs("null", out);
}
