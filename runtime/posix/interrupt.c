/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupt lines, bound to threads, semaphores and ports. */
#include <errno.h>

#include "cancel.h"
#include "coreloom.h"

enum { THREAD, SEMAPHORE, PORT }; /* kinds of bindings */

static inline int bad(unsigned line) { return CL_UNLIKELY(line >= CL_LINES); }

static int bind(unsigned line, uint32_t kind, uint32_t object) {
  if (bad(line) || object > CL_BINDING_OBJECT_MASK) return EINVAL;
  return cl_status(cl_op_interrupt_bind(line, kind << CL_BINDING_KIND_LSB | object << CL_BINDING_OBJECT_LSB));
}

int interrupt_bind_thread_np(unsigned line) { return bind(line, THREAD, 0); }

int interrupt_bind_semaphore_np(unsigned line, sem_t *sem) { return bind(line, SEMAPHORE, cl_object(sem->handle)); }

int interrupt_bind_port_np(unsigned line, unsigned port) { return bind(line, PORT, port); }

int interrupt_unbind_np(unsigned line) {
  if (bad(line)) return EINVAL;
  return cl_status(cl_op_interrupt_unbind(line));
}

__attribute__((always_inline)) int interrupt_wait_np(unsigned line) {
  cl_trace_call();
  if (bad(line)) return EINVAL;
  while (cl_cancel_enter(CL_OP_INTERRUPT_WAIT, line)) cl_cancel_act();
  int status = cl_status(cl_op_interrupt_wait(line));
  cl_cancel_left();
  cl_cancel_test();
  return status;
}

int interrupt_raise_np(unsigned line) {
  if (bad(line)) return EINVAL;
  int status = cl_status(cl_op_interrupt_raise(line));
  return CL_UNLIKELY(status == ERANGE) ? EOVERFLOW : status;
}
