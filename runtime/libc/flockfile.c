/* SPDX-License-Identifier: Apache-2.0
 *
 * For programs without our POSIX layer, whose own (runtime/posix/libc.c) replaces this. */
#include <stdio.h>

__attribute__((weak)) void flockfile(FILE *stream) { (void)stream; }
__attribute__((weak)) int ftrylockfile(FILE *stream) { return (void)stream, 0; }
__attribute__((weak)) void funlockfile(FILE *stream) { (void)stream; }
