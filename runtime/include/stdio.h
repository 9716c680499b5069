/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <stdio.h>, and what POSIX adds. Standard output and standard error are the console, which is not buffered;
 * standard input and files are the simulator's (cl_host.h). A call has its stream for itself until it returns. */
#include_next <stdio.h>

#ifndef CORELOOM_STDIO_H
#define CORELOOM_STDIO_H

#include <sys/types.h>

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

#define FOPEN_MAX 64
#define FILENAME_MAX 1024

ssize_t getline(char **line, size_t *room, FILE *stream);
ssize_t getdelim(char **line, size_t *room, int end, FILE *stream);
FILE *open_memstream(char **text, size_t *length);

int dprintf(int file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int vdprintf(int file, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

#ifdef __cplusplus
}
#endif

#endif
