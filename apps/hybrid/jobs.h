/* SPDX-License-Identifier: Apache-2.0
 *
 * The three jobs in software: functions for pthread_create with the same argument and the same result as the hardware
 * threads of these names (hwt_units.h). */
#ifndef JOBS_H
#define JOBS_H

void jobs_prepare(void); /* once, before the first of them */
void *crc32_thread(void *block);       /* struct hwt_crc32 */
void *convolution_thread(void *block); /* struct hwt_convolution */
void *sort_thread(void *block);        /* struct hwt_sort */

#endif
