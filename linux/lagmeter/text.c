/* SPDX-License-Identifier: GPL-2.0-only */
#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* How many bytes the character here has; 0: this is no UTF-8. Neither is a form that is too long, or a surrogate. */
static size_t decode(const char *at, uint32_t *character) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char first = (unsigned char)*at;
  size_t size = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (!size) return 0;
  uint32_t c = size == 1 ? first : first & (0x7fu >> size);
  for (size_t i = 1; i < size; i++) {
    unsigned char next = (unsigned char)at[i]; /* the end is none of these */
    if (next >> 6 != 2) return 0;
    c = c << 6 | (next & 0x3f);
  }
  if (c < least[size] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
  *character = c;
  return size;
}

/* Controls (C0, DEL, C1), and invisible characters that change the text: direction, joiners, separators, tags. */
static bool steers(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || c == 0x180e || (c >= 0x200b && c < 0x2010) ||
         (c >= 0x2028 && c < 0x202f) || (c >= 0x2060 && c < 0x2070) || c == 0xfeff || (c >= 0xfff9 && c < 0xfffc) ||
         (c >= 0xe0000 && c < 0xe0080);
}

const char *lag_shown(const char *name, char shown[LAG_SHOWN]) {
  char *to = shown;
  for (size_t size; *name; name += size) { /* four bytes for each of the name, at most */
    uint32_t c;
    size = decode(name, &c);
    bool plain = size && !steers(c) && c != '\\';
    if (!size) size = 1;
    if (plain) memcpy(to, name, size), to += size;
    else if (*name == '\\') memcpy(to, "\\\\", 2), to += 2;
    else
      for (size_t i = 0; i < size; i++) to += sprintf(to, "\\x%02x", (unsigned char)name[i]);
  }
  *to = '\0';
  return shown;
}

size_t lag_json_text(FILE *to, const char *name) {
  size_t written = 0;
  for (size_t size; *name; name += size) {
    uint32_t c;
    int put;
    size = decode(name, &c);
    if (!size) size = 1, c = 0xfffd;
    if (c == '"' || c == '\\') put = fprintf(to, "\\%c", (char)c);
    else if (c >= ' ' && c <= '~') put = fprintf(to, "%c", (char)c);
    else if (c < 0x10000) put = fprintf(to, "\\u%04x", c);
    else put = fprintf(to, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
    if (put > 0) written += (size_t)put;
  }
  return written;
}
