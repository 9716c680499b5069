/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks from the heap. A block belongs to the thread of a number: it is free as soon as that thread has ended, which the
 * kernel says by using the number again, or by letting a joiner go on. */
#include <errno.h>
#include <stdlib.h>

#include "../posix/attr.h"
#include "coreloom.h"

static struct {
  void *stack;
  volatile uint32_t age; /* how many threads the number has had, so that nobody frees a later one's */
} blocks[CL_THREADS];

static uint32_t age(uint32_t tid) { return blocks[tid].age; }

static void ended(uint32_t tid, uint32_t age) {
  void *stack = NULL;
  shared_memory_lock(blocks);
  if (blocks[tid].age == age) {
    stack = blocks[tid].stack;
    blocks[tid].stack = NULL;
  }
  shared_memory_unlock(blocks);
  free(stack);
}

/* A new thread has that number, and this block or none. */
static void own(uint32_t tid, void *stack) {
  shared_memory_lock(blocks);
  void *old = blocks[tid].stack;
  blocks[tid].stack = stack;
  blocks[tid].age++;
  shared_memory_unlock(blocks);
  free(old);
}

/* Stacks of detached threads stay until their number is used again, or memory is short. */
static void *make(size_t size) {
  if (size > SIZE_MAX - 15) return NULL;
  size = (size + 15) & ~(size_t)15;
  void *stack = aligned_alloc(16, size);
  if (stack) return stack;
  for (uint32_t tid = 0; tid < CL_THREADS; tid++) {
    uint32_t before = age(tid);
    if (cl_status(cl_op_thread_read(tid))) ended(tid, before);
  }
  return aligned_alloc(16, size);
}

static const struct cl_heap_stacks functions = {.make = make, .undo = free, .own = own, .age = age, .ended = ended};

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size) {
  if (cl_attr_bad(attr) || size < PTHREAD_STACK_MIN) return EINVAL;
  int big = !attr->stack && size > PTHREAD_STACK_DEFAULT_NP;
  if (big) cl_heap_stacks = &functions;
  cl_attr_ask(attr, CL_ATTR_BIG_STACK, big);
  attr->stack_size = size;
  return 0;
}
