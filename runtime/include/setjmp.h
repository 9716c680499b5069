/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's <setjmp.h>, and POSIX's jumps that keep the mask of signals. */
#ifndef CORELOOM_SETJMP_H
#define CORELOOM_SETJMP_H

#include_next <setjmp.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  jmp_buf cl_jump;
  uint64_t cl_mask;
  int cl_has_mask;
} sigjmp_buf[1];

void cl_jump_note(sigjmp_buf place, int with_mask);
void siglongjmp(sigjmp_buf place, int value) __attribute__((noreturn));
#define sigsetjmp(place, with_mask) (cl_jump_note((place), (with_mask)), setjmp((place)->cl_jump))
#define _setjmp(place) setjmp(place)
#define _longjmp(place, value) longjmp(place, value)

#ifdef __cplusplus
}
#endif

#endif
