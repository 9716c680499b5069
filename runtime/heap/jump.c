/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>

#include "../posix/signals.h"

void cl_jump_note(sigjmp_buf place, int with_mask) {
  place->cl_has_mask = CL_SIGNALS && with_mask;
  if (place->cl_has_mask) pthread_sigmask(SIG_SETMASK, NULL, &place->cl_mask);
}

void siglongjmp(sigjmp_buf place, int value) {
  if (CL_SIGNALS && place->cl_has_mask) pthread_sigmask(SIG_SETMASK, &place->cl_mask, NULL);
  longjmp(place->cl_jump, value);
}
