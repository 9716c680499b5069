/* SPDX-License-Identifier: Apache-2.0
 *
 * Of Linux's <sys/sysinfo.h> the number of processors. */
#ifndef CORELOOM_SYS_SYSINFO_H
#define CORELOOM_SYS_SYSINFO_H

#ifdef __cplusplus
extern "C" {
#endif

int get_nprocs(void);
int get_nprocs_conf(void);

#ifdef __cplusplus
}
#endif

#endif
