/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of others on its way to a terminal or to JSON. */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "plain.h"

static const char *const words[] = {"\x1b[2J",          "\xe2\x80\xae", "\xc2\x9b", "\xed\xa0\x80",
                                    "\xf4\x90\x80\x80", "\xc0\x80",     "\\",       NULL};

static void run(const char *data, size_t size) {
  char text[64];
  for (size_t room = 1; room <= sizeof text; room++) {
    size_t length = cl_plain(text, room, data);
    fuzz_check(length < room && strlen(text) == length, "%zu bytes in a room of %zu", length, room);
    unsigned code;
    for (size_t at = 0, got; at < length; at += got) {
      got = cl_utf8(text + at, &code);
      fuzz_check(got && cl_shown(code), "byte %02x is left", (unsigned char)text[at]);
    }
  }
  cl_plain_put(stdout, data);
  fuzz_note_text(fuzz_printed(false));
  fputs("\n", stderr);
  cl_json_string(stderr, data);
  fuzz_check(fuzz_json(fuzz_printed(true)), "this is not JSON: %s", fuzz_printed(true));
}

FUZZ_TARGET(plain, .run = run, .words = words, .most = 4096)
