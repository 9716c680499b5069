/* SPDX-License-Identifier: Apache-2.0
 *
 * The meaning of the words of pthread_attr_t. */
#ifndef CL_ATTR_H
#define CL_ATTR_H

#include <limits.h>

#include "posix.h"

/* `kind`: this, and a bit for each thing that few attributes ask for. */
#define CL_ATTR_KIND 0x61740000u
enum {
  CL_ATTR_HARDWARE = 1,
  CL_ATTR_SUSPENDED = 2,
  CL_ATTR_WHAT = 4, /* a weight or a deadline */
  CL_ATTR_INHERIT = 8,
  CL_ATTR_BIG_STACK = 16, /* from the heap */
};
#define CL_ATTR_RARE 31u

#define CL_ATTR_DEFAULTS                                                   \
  {                                                                        \
      .kind = CL_ATTR_KIND,                                                \
      .stack_size = PTHREAD_STACK_DEFAULT_NP,                              \
      .guard_size = PAGESIZE,                                              \
      .word = (uint32_t)(CL_PRIORITIES / 2) << CL_ATTRIBUTES_PRIORITY_LSB, \
  }

static inline int cl_attr_bad(const pthread_attr_t *attr) {
  return !attr || (attr->kind & ~CL_ATTR_RARE) != CL_ATTR_KIND;
}

static inline void cl_attr_ask(pthread_attr_t *attr, uint32_t what, int yes) {
  attr->kind = yes ? attr->kind | what : attr->kind & ~what;
}

/* The following are constants, and all code for them gone, in a program that never calls the function which sets them.
 *
 * 1 once attributes have asked to inherit. */
extern int cl_inherits;

/* Stacks from the heap; NULL until attributes have asked for one. */
struct cl_heap_stacks {
  void *(*make)(size_t size);
  void (*undo)(void *stack);               /* for a thread that was not created */
  void (*own)(uint32_t tid, void *stack);  /* by a new thread, which may have none (NULL) */
  uint32_t (*age)(uint32_t tid);           /* before joining the thread */
  void (*ended)(uint32_t tid, uint32_t age); /* after it */
};
extern const struct cl_heap_stacks *cl_heap_stacks;

#endif
