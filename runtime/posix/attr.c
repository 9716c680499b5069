/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of threads. */
#include "attr.h"

#include <errno.h>
#include <string.h>

#include "coreloom.h"
#include "posix.h"

int cl_inherits;

static void put(pthread_attr_t *attr, uint32_t mask, unsigned lsb, uint32_t value) {
  attr->word = (attr->word & ~(mask << lsb)) | value << lsb;
}
#define PUT(attr, FIELD, value) put(attr, CL_ATTRIBUTES_##FIELD##_MASK, CL_ATTRIBUTES_##FIELD##_LSB, value)
#define GET(attr, FIELD) ((attr)->word >> CL_ATTRIBUTES_##FIELD##_LSB & CL_ATTRIBUTES_##FIELD##_MASK)

int pthread_attr_init(pthread_attr_t *attr) {
  *attr = (pthread_attr_t)CL_ATTR_DEFAULTS;
  return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr) {
  if (cl_attr_bad(attr)) return EINVAL;
  attr->kind = 0;
  return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state) {
  if (cl_attr_bad(attr) || (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)) return EINVAL;
  PUT(attr, DETACHED, state == PTHREAD_CREATE_DETACHED);
  return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state) {
  if (cl_attr_bad(attr)) return EINVAL;
  *state = GET(attr, DETACHED) ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE;
  return 0;
}

/* --- scheduling --------------------------------------------------------------------------------- */

int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit) {
  if (cl_attr_bad(attr) || (inherit != PTHREAD_INHERIT_SCHED && inherit != PTHREAD_EXPLICIT_SCHED)) return EINVAL;
  cl_attr_ask(attr, CL_ATTR_INHERIT, inherit == PTHREAD_INHERIT_SCHED);
  if (inherit == PTHREAD_INHERIT_SCHED) cl_inherits = 1;
  return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attr, int *inherit) {
  if (cl_attr_bad(attr)) return EINVAL;
  *inherit = attr->kind & CL_ATTR_INHERIT ? PTHREAD_INHERIT_SCHED : PTHREAD_EXPLICIT_SCHED;
  return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy) {
  int status = cl_attr_bad(attr) ? EINVAL : cl_posix_policy(policy);
  if (status) return status;
  if (attr->policy != policy) cl_posix_ask(policy);
  attr->policy = (uint8_t)policy;
  return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attr, int *policy) {
  if (cl_attr_bad(attr)) return EINVAL;
  *policy = attr->policy;
  return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *param) {
  if (cl_attr_bad(attr) || param->sched_priority < 0 || param->sched_priority >= CL_PRIORITIES) return EINVAL;
  PUT(attr, PRIORITY, (uint32_t)param->sched_priority);
  return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attr, struct sched_param *param) {
  if (cl_attr_bad(attr)) return EINVAL;
  param->sched_priority = (int)GET(attr, PRIORITY);
  return 0;
}

int pthread_attr_setscope(pthread_attr_t *attr, int scope) {
  if (cl_attr_bad(attr)) return EINVAL;
  if (scope == PTHREAD_SCOPE_PROCESS) return ENOTSUP;
  return scope == PTHREAD_SCOPE_SYSTEM ? 0 : EINVAL;
}

int pthread_attr_getscope(const pthread_attr_t *attr, int *scope) {
  if (cl_attr_bad(attr)) return EINVAL;
  *scope = PTHREAD_SCOPE_SYSTEM;
  return 0;
}

/* --- stacks ------------------------------------------------------------------------------------- */

int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size) {
  if (cl_attr_bad(attr)) return EINVAL;
  *size = attr->stack_size;
  return 0;
}

int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size) {
  if (cl_attr_bad(attr) || !stack || (uintptr_t)stack % 8 || size < PTHREAD_STACK_MIN) return EINVAL;
  attr->stack = stack;
  attr->stack_size = size;
  cl_attr_ask(attr, CL_ATTR_BIG_STACK, 0);
  return 0;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, size_t *size) {
  if (cl_attr_bad(attr)) return EINVAL;
  *stack = attr->stack;
  *size = attr->stack_size;
  return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size) {
  if (cl_attr_bad(attr)) return EINVAL;
  attr->guard_size = size;
  return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attr, size_t *size) {
  if (cl_attr_bad(attr)) return EINVAL;
  *size = attr->guard_size;
  return 0;
}

/* --- not part of POSIX --------------------------------------------------------------------------- */

int pthread_attr_setplacement_np(pthread_attr_t *attr, int placement, unsigned cpu) {
  if (placement != PTHREAD_PLACEMENT_DYNAMIC_NP && placement != PTHREAD_PLACEMENT_STATIC_NP) return EINVAL;
  if (cl_attr_bad(attr) || (placement == PTHREAD_PLACEMENT_STATIC_NP && cpu >= CL_CPUS)) return EINVAL;
  PUT(attr, STATIC, placement == PTHREAD_PLACEMENT_STATIC_NP);
  PUT(attr, CPU, placement == PTHREAD_PLACEMENT_STATIC_NP ? cpu : 0);
  return 0;
}

int pthread_attr_getplacement_np(const pthread_attr_t *attr, int *placement, unsigned *cpu) {
  if (cl_attr_bad(attr)) return EINVAL;
  *placement = GET(attr, STATIC) ? PTHREAD_PLACEMENT_STATIC_NP : PTHREAD_PLACEMENT_DYNAMIC_NP;
  *cpu = GET(attr, CPU);
  return 0;
}

int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set) {
  uint32_t cpus = size < sizeof *set ? 0 : set->cpus & CL_ALL_CPUS;
  if (!cpus) return EINVAL;
  if (cpus == CL_ALL_CPUS) return pthread_attr_setplacement_np(attr, PTHREAD_PLACEMENT_DYNAMIC_NP, 0);
  if (cpus & (cpus - 1)) return ENOTSUP;
  return pthread_attr_setplacement_np(attr, PTHREAD_PLACEMENT_STATIC_NP, (unsigned)__builtin_ctz(cpus));
}

int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size, cpu_set_t *set) {
  if (cl_attr_bad(attr) || size < sizeof *set) return EINVAL;
  set->cpus = GET(attr, STATIC) ? 1u << GET(attr, CPU) : CL_ALL_CPUS;
  return 0;
}

int pthread_attr_sethardware_np(pthread_attr_t *attr, int unit) {
  if (cl_attr_bad(attr)) return EINVAL;
  if (unit != PTHREAD_HARDWARE_NONE_NP && (unit < 0 || unit >= hardware_count_np())) return ENODEV;
  cl_attr_ask(attr, CL_ATTR_HARDWARE, unit != PTHREAD_HARDWARE_NONE_NP);
  attr->unit = (uint8_t)unit;
  return 0;
}

int pthread_attr_gethardware_np(const pthread_attr_t *attr, int *unit) {
  if (cl_attr_bad(attr)) return EINVAL;
  *unit = attr->kind & CL_ATTR_HARDWARE ? attr->unit : PTHREAD_HARDWARE_NONE_NP;
  return 0;
}

int pthread_attr_setsuspended_np(pthread_attr_t *attr, int suspended) {
  if (cl_attr_bad(attr) || (suspended != 0 && suspended != 1)) return EINVAL;
  cl_attr_ask(attr, CL_ATTR_SUSPENDED, suspended);
  return 0;
}

int pthread_attr_getsuspended_np(const pthread_attr_t *attr, int *suspended) {
  if (cl_attr_bad(attr)) return EINVAL;
  *suspended = (attr->kind & CL_ATTR_SUSPENDED) != 0;
  return 0;
}

int pthread_attr_setname_np(pthread_attr_t *attr, const char *name) {
  if (cl_attr_bad(attr)) return EINVAL;
  size_t length = strlen(name);
  if (length >= PTHREAD_NAME_MAX_NP) return ERANGE;
  memcpy(attr->name, name, length + 1);
  cl_posix_name = cl_name_of;
  return 0;
}

static void note_what(pthread_attr_t *attr) { cl_attr_ask(attr, CL_ATTR_WHAT, attr->weight || attr->deadline); }

int pthread_attr_setweight_np(pthread_attr_t *attr, int weight) {
  if (cl_attr_bad(attr) || weight < 1 || weight > CL_WEIGHT_MAX) return EINVAL;
  attr->weight = (uint8_t)weight;
  note_what(attr);
  return 0;
}

int pthread_attr_getweight_np(const pthread_attr_t *attr, int *weight) {
  if (cl_attr_bad(attr)) return EINVAL;
  *weight = attr->weight ? attr->weight : 1;
  return 0;
}

int pthread_attr_setdeadline_np(pthread_attr_t *attr, int ticks) {
  if (cl_attr_bad(attr) || ticks < 0 || ticks > CL_DEADLINE_MAX) return EINVAL;
  attr->deadline = (uint16_t)ticks;
  note_what(attr);
  return 0;
}

int pthread_attr_getdeadline_np(const pthread_attr_t *attr, int *ticks) {
  if (cl_attr_bad(attr)) return EINVAL;
  *ticks = attr->deadline;
  return 0;
}
