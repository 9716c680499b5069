/* SPDX-License-Identifier: Apache-2.0
 *
 * Escapes text that others control: names of processes, paths and answers may contain anything, and a terminal acts on
 * what is in them. Characters that it would act on are shown escaped ("\x1b", "\u202e"): control characters of both
 * kinds, bytes that are not UTF-8, and characters that change the text direction. Everything else stays. */
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
/* The output of printf, escaped as a whole. */
void cl_plain_print(FILE *out, const char *format, va_list values) __attribute__((format(printf, 2, 0)));

/* Text in quotes as JSON; bytes that are not UTF-8 become U+FFFD, what a terminal would act on (plain.h) its number. */
void cl_json_string(FILE *out, const char *text);
/* "key": "text", or null, behind `comma` */
void cl_json_text(FILE *out, const char *comma, const char *key, const char *text);

#endif
