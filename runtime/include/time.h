/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX <time.h>: clocks, sleep and timers. picolibc declares all of it; the functions are in posix/.
 *
 * All clocks count the cycles of the SoC, CL_CLOCK_HZ a second (platform key clock_hz). CLOCK_REALTIME begins at the
 * Epoch when the SoC starts, as there is no clock that runs without it; clock_settime sets it. */
#include "cl_options.h"
#include_next <time.h>
