/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of others made harmless: names of processes, paths and answers come from whoever is on the machine, and a
 * terminal obeys what is in them. What would be obeyed is shown as what it is ("\x1b", "\u202e"): control characters
 * of both kinds, bytes that are no UTF-8, and characters that turn the direction of what follows. All else stays. */
#ifndef CL_PLAIN_H
#define CL_PLAIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at `text`, and which it is; 0: it is none, or the end. */
size_t cl_utf8(const char *text, unsigned *code);
/* A character that a terminal shows and nothing else. */
bool cl_shown(unsigned code);
/* As much as fits in whole characters, with the final zero; its length. */
size_t cl_plain(char *to, size_t size, const char *text);
void cl_plain_put(FILE *out, const char *text);
/* What printf would print, escaped as a whole. */
void cl_plain_print(FILE *out, const char *format, va_list values) __attribute__((format(printf, 2, 0)));

/* Text in quotes as JSON wants it; bytes that are no UTF-8 become U+FFFD, what a terminal would
 * obey (plain.h) its number. */
void cl_json_string(FILE *out, const char *text);

#endif
