/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's <pthread.h>, and Coreloom's functions beyond POSIX as far as Linux can do them: what they mean stands
 * in runtime/include/pthread.h. ENOTSUP: Linux cannot. A limit in cycles is one in units of 1/CL_CLOCK_HZ seconds. */
#ifndef CORELOOM_LINUX_PTHREAD_H
#define CORELOOM_LINUX_PTHREAD_H

#include_next <pthread.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTHREAD_PLACEMENT_DYNAMIC_NP 0
#define PTHREAD_PLACEMENT_STATIC_NP 1
#define PTHREAD_NAME_MAX_NP 16
#define PTHREAD_HARDWARE_NONE_NP (-2)

int pthread_attr_setplacement_np(pthread_attr_t *attr, int placement, unsigned cpu);
int pthread_attr_getplacement_np(const pthread_attr_t *attr, int *placement, unsigned *cpu);
int pthread_attr_setname_np(pthread_attr_t *attr, const char *name);

/* ENODEV, unless it is PTHREAD_HARDWARE_NONE_NP. */
int pthread_attr_sethardware_np(pthread_attr_t *attr, int unit);
int pthread_attr_gethardware_np(const pthread_attr_t *attr, int *unit);
/* ENOTSUP, unless it is the default: 0; weight 1; no deadline, 0. */
int pthread_attr_setsuspended_np(pthread_attr_t *attr, int suspended);
int pthread_attr_getsuspended_np(const pthread_attr_t *attr, int *suspended);
int pthread_attr_setweight_np(pthread_attr_t *attr, int weight);
int pthread_attr_getweight_np(const pthread_attr_t *attr, int *weight);
int pthread_attr_setdeadline_np(pthread_attr_t *attr, int ticks);
int pthread_attr_getdeadline_np(const pthread_attr_t *attr, int *ticks);
/* ENOTSUP. */
int pthread_setweight_np(pthread_t thread, int weight);
int pthread_setdeadline_np(pthread_t thread, int ticks);
int pthread_suspend_np(pthread_t thread);
int pthread_continue_np(pthread_t thread);
int pthread_setidle_np(pthread_t thread);
int pthread_mutex_getnumber_np(pthread_mutex_t *mutex, uint32_t *number);
int pthread_cond_getnumber_np(pthread_cond_t *cond, uint32_t *number);

int pthread_mutex_timedlock_np(pthread_mutex_t *mutex, uint32_t cycles);
int pthread_cond_timedwait_np(pthread_cond_t *cond, pthread_mutex_t *mutex, uint32_t cycles);

#ifdef __cplusplus
}
#endif

#endif
