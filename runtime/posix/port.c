/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "cancel.h"
#include "coreloom.h"

_Static_assert(PORT_DIRECT == 1u << CL_PORT_FLAGS_IMMEDIATE_LSB, "flags go to the kernel as they are");

static inline int bad(int port) { return CL_UNLIKELY((unsigned)port >= CL_PORTS); }

int port_open(int port, int flags) {
  if (bad(port) || (flags & ~PORT_DIRECT)) return EINVAL;
  return cl_status(cl_op_port_open((uint32_t)port, (uint32_t)flags));
}

int port_close(int port) {
  if (bad(port)) return EINVAL;
  return cl_status(cl_op_port_close((uint32_t)port));
}

static inline int goes_on(uint32_t answer) { return answer == CL_RESUMED && !(CL_CANCEL && *cl_cancel_word()); }

/* After a wait that may have been cancelled: nothing has been sent or received if the answer is RESUMED. */
static inline void after(uint32_t answer) {
  cl_cancel_left();
  if (answer == CL_RESUMED) cl_cancel_test();
}

CL_COLD static int send_cancellable(uint32_t port, uint32_t word) {
  uint32_t answer = CL_RESUMED;
  if (!cl_cancel_enter(CL_OP_PORT_LEAVE, port)) do
      answer = cl_op_port_send_once(port, word);
    while (goes_on(answer));
  after(answer);
  return cl_status(answer);
}

CL_COLD static int receive_cancellable(uint32_t port, uint32_t *word) {
  uint32_t answer = CL_RESUMED;
  if (!cl_cancel_enter(CL_OP_PORT_LEAVE, port)) do
      answer = cl_op_port_receive_once(port, word);
    while (goes_on(answer));
  after(answer);
  return cl_status(answer);
}

int port_send(int port, uint32_t word) {
  cl_trace_call();
  if (bad(port)) return EINVAL;
  if (CL_CANCEL) return send_cancellable((uint32_t)port, word);
  return cl_status(cl_op_port_send((uint32_t)port, word));
}

int port_trysend(int port, uint32_t word) {
  if (bad(port)) return EINVAL;
  return cl_status(cl_op_port_trysend((uint32_t)port, word));
}

int port_timedsend(int port, uint32_t word, uint32_t cycles) {
  int status = port_trysend(port, word);
  if (status != EAGAIN) return status;
  cl_trace_call();
  struct cl_timer timer;
  cl_timer_start(&timer, CL_OP_PORT_LEAVE, (uint32_t)port, cl_now() + cycles);
  uint32_t answer = CL_RESUMED;
  if (!cl_cancel_enter(CL_OP_PORT_LEAVE, (uint32_t)port)) do
      answer = cl_op_port_send_once((uint32_t)port, word);
    while (goes_on(answer) && !cl_timer_ended(&timer));
  cl_timer_stop(&timer);
  after(answer);
  if (answer != CL_RESUMED) return cl_status(answer);
  status = port_trysend(port, word); /* there may be room by now */
  return status == EAGAIN ? ETIMEDOUT : status;
}

__attribute__((always_inline)) int port_receive(int port, uint32_t *word) {
  cl_trace_call();
  if (bad(port)) return EINVAL;
  if (CL_CANCEL) return receive_cancellable((uint32_t)port, word);
  return cl_status(cl_op_port_receive((uint32_t)port, word));
}

int port_tryreceive(int port, uint32_t *word) {
  if (bad(port)) return EINVAL;
  return cl_status(cl_op_port_tryreceive((uint32_t)port, word));
}

int port_timedreceive(int port, uint32_t *word, uint32_t cycles) {
  int status = port_tryreceive(port, word);
  if (status != EAGAIN) return status;
  cl_trace_call();
  struct cl_timer timer;
  cl_timer_start(&timer, CL_OP_PORT_LEAVE, (uint32_t)port, cl_now() + cycles);
  uint32_t answer = CL_RESUMED;
  if (!cl_cancel_enter(CL_OP_PORT_LEAVE, (uint32_t)port)) do
      answer = cl_op_port_receive_once((uint32_t)port, word);
    while (goes_on(answer) && !cl_timer_ended(&timer));
  cl_timer_stop(&timer);
  after(answer);
  if (answer != CL_RESUMED) return cl_status(answer);
  status = port_tryreceive(port, word); /* there may be a message by now */
  return status == EAGAIN ? ETIMEDOUT : status;
}

int port_publish(void) { return cl_status(cl_op_port_publish()); }
