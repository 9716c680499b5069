/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <stdio.h>, and what POSIX adds for threads. The three standard streams are the console; nothing is
 * buffered. A call that writes has the stream for itself until it returns. */
#include_next <stdio.h>

#ifndef CORELOOM_STDIO_H
#define CORELOOM_STDIO_H

#ifdef __cplusplus
extern "C" {
#endif

/* All streams have one lock; a thread may take it several times. */
void flockfile(FILE *stream);
int ftrylockfile(FILE *stream); /* not 0: another thread has it */
void funlockfile(FILE *stream);

int getc_unlocked(FILE *stream);
int getchar_unlocked(void);
int putc_unlocked(int c, FILE *stream);
int putchar_unlocked(int c);

/* EBADF: only 1 and 2 are open for writing. */
int dprintf(int file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vdprintf(int file, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#ifdef __cplusplus
}
#endif

#endif
