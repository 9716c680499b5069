/* SPDX-License-Identifier: Apache-2.0
 *
 * What runtime/libc/printf.c needs of picolibc's <stdio.h>, on this machine. */
#pragma once
#include <stdarg.h>
#include <stddef.h>

struct _IO_FILE {
  unsigned char flags;
  int (*put)(char, struct _IO_FILE *);
};
typedef struct _IO_FILE FILE;
#define __SWR 2
#define EOF (-1)
