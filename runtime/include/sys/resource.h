/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <sys/resource.h>, and priorities and limits, which a program can only ask for. */
#include_next <sys/resource.h>

#ifndef CORELOOM_SYS_RESOURCE_H
#define CORELOOM_SYS_RESOURCE_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t rlim_t;
#define RLIM_INFINITY UINT64_MAX
#define RLIM_SAVED_MAX RLIM_INFINITY
#define RLIM_SAVED_CUR RLIM_INFINITY

#define RUSAGE_THREAD 1
#define PRIO_PROCESS 0
#define PRIO_PGRP 1
#define PRIO_USER 2

enum { RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_NOFILE = 7, RLIMIT_AS = 9 };

struct rlimit {
  rlim_t rlim_cur, rlim_max;
};

/* Always 0. */
int getpriority(int kind, id_t of);
int setpriority(int kind, id_t of, int value);
int getrlimit(int what, struct rlimit *limit);
/* EPERM, unless it is what there is, or above. */
int setrlimit(int what, const struct rlimit *limit);

#ifdef __cplusplus
}
#endif

#endif
