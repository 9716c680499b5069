/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of POSIX.1-2017 about time that Coreloom has; picolibc's headers declare the functions by them. */
#ifndef CL_OPTIONS_H
#define CL_OPTIONS_H

#define _POSIX_CLOCK_SELECTION 200809L
#define _POSIX_CPUTIME 200809L
#define _POSIX_MONOTONIC_CLOCK 200809L
#define _POSIX_THREAD_CPUTIME 200809L
#define _POSIX_TIMERS 200809L

#endif
