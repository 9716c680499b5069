/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <sys/stat.h>, and what it declares for other systems only. */
#include_next <sys/stat.h>

#ifndef CORELOOM_SYS_STAT_H
#define CORELOOM_SYS_STAT_H

#ifdef __cplusplus
extern "C" {
#endif

int lstat(const char *__restrict path, struct stat *__restrict to); /* as stat */

#ifdef __cplusplus
}
#endif

#endif
