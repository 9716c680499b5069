/* SPDX-License-Identifier: Apache-2.0
 *
 * For programs without our POSIX layer, whose own (runtime/posix/libc.c) stands in place of this. */
#include <stdio.h>

void flockfile(FILE *stream) { (void)stream; }
int ftrylockfile(FILE *stream) { return (void)stream, 0; }
void funlockfile(FILE *stream) { (void)stream; }
