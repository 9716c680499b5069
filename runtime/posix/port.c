/* SPDX-License-Identifier: Apache-2.0 */
#include "port.h"

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

/* --- Send and receive --- */

/* A message of one word, or with `words`, as the kernel takes it. Which of them is known where it is inlined. */

struct source {
  uint32_t word;
  const uint32_t *words;
};

struct sink {
  uint32_t *word, *words;
  uint32_t room;
};

CL_COLD static int send_cancellable(uint32_t port, struct source from) {
  uint32_t answer = CL_RESUMED;
  do {
    if (!cl_cancel_enter(CL_OP_PORT_LEAVE, port)) do
        answer = from.words ? cl_op_port_send(port, from.word, from.words, CL_ONCE)
                            : cl_op_port_send(port, from.word, NULL, CL_ONCE);
      while (goes_on(answer));
    after(answer);
  } while (CL_SIGNALS && answer == CL_RESUMED);
  return cl_status(answer);
}

CL_COLD static int receive_cancellable(uint32_t port, struct sink to) {
  uint32_t answer = CL_RESUMED;
  do {
    if (!cl_cancel_enter(CL_OP_PORT_LEAVE, port)) do
        answer = to.words ? cl_op_port_receive(port, to.word, to.words, to.room, CL_ONCE)
                          : cl_op_port_receive(port, to.word, NULL, 0, CL_ONCE);
      while (goes_on(answer));
    after(answer);
  } while (CL_SIGNALS && answer == CL_RESUMED);
  return cl_status(answer);
}

CL_INLINE int send(int port, struct source from) {
  cl_trace_call();
  if (bad(port)) return EINVAL;
  if (CL_CANCEL) return send_cancellable((uint32_t)port, from);
  return cl_status(cl_op_port_send((uint32_t)port, from.word, from.words, CL_NEVER));
}

CL_INLINE int receive(int port, struct sink to) {
  cl_trace_call();
  if (bad(port)) return EINVAL;
  if (CL_CANCEL) return receive_cancellable((uint32_t)port, to);
  return cl_status(cl_op_port_receive((uint32_t)port, to.word, to.words, to.room, CL_NEVER));
}

CL_INLINE struct source one(uint32_t word) { return (struct source){.word = word}; }
CL_INLINE struct sink to_one(uint32_t *word) { return (struct sink){.word = word}; }

static int send_again(uint32_t port, struct source from, uint64_t at);
static int receive_again(uint32_t port, struct sink to, uint64_t at);

/* Called when there was no room. After a wait there may be some by now, or another thread may have taken it. */
CL_INLINE int send_until(uint32_t port, struct source from, uint64_t at) {
  cl_trace_call();
  uint32_t answer = CL_RESUMED;
  if (!cl_cancel_enter(CL_OP_PORT_LEAVE, port)) answer = cl_op_port_send(port, from.word, from.words, at);
  after(answer);
  if (CL_LIKELY(answer == CL_LATE)) return ETIMEDOUT;
  if (answer == CL_RESUMED) answer = cl_op_port_send(port, from.word, from.words, CL_NOW);
  return answer == CL_STATUS(CL_STATUS_EAGAIN) ? send_again(port, from, at) : cl_status(answer);
}

/* The same when there was no message. */
CL_INLINE int receive_until(uint32_t port, struct sink to, uint64_t at) {
  cl_trace_call();
  uint32_t answer = CL_RESUMED;
  if (!cl_cancel_enter(CL_OP_PORT_LEAVE, port)) answer = cl_op_port_receive(port, to.word, to.words, to.room, at);
  after(answer);
  if (CL_LIKELY(answer == CL_LATE)) return ETIMEDOUT;
  if (answer == CL_RESUMED) answer = cl_op_port_receive(port, to.word, to.words, to.room, CL_NOW);
  return answer == CL_STATUS(CL_STATUS_EAGAIN) ? receive_again(port, to, at) : cl_status(answer);
}

/* Rare, and no loop of the above, as the compiler would keep constants for it in registers that a switch stores. */
CL_COLD static int send_again(uint32_t port, struct source from, uint64_t at) {
  return from.words ? send_until(port, from, at) : send_until(port, one(from.word), at);
}
CL_COLD static int receive_again(uint32_t port, struct sink to, uint64_t at) {
  return to.words ? receive_until(port, to, at) : receive_until(port, to_one(to.word), at);
}

/* --- Of one word --- */

int port_send(int port, uint32_t word) { return send(port, one(word)); }

int port_trysend(int port, uint32_t word) {
  if (bad(port)) return EINVAL;
  return cl_status(cl_op_port_send((uint32_t)port, word, NULL, CL_NOW));
}

/* Apart: what switches in place saves all registers on entry, and the limit counts from before. */
CL_APART int send_one_until(uint32_t port, uint32_t word, uint64_t at) { return send_until(port, one(word), at); }

int port_timedsend(int port, uint32_t word, uint32_t cycles) {
  uint32_t called = cl_local_read(CL_MTIME_LO);
  if (bad(port)) return EINVAL;
  uint32_t answer = cl_op_port_send((uint32_t)port, word, NULL, CL_NOW);
  if (CL_LIKELY(answer == CL_STATUS(CL_STATUS_EAGAIN)))
    return send_one_until((uint32_t)port, word, cl_then(called) + cycles);
  return cl_status(answer);
}

__attribute__((always_inline)) int port_receive(int port, uint32_t *word) { return receive(port, to_one(word)); }

int port_tryreceive(int port, uint32_t *word) {
  if (bad(port)) return EINVAL;
  return cl_status(cl_op_port_receive((uint32_t)port, word, NULL, 0, CL_NOW));
}

CL_APART int receive_one_until(uint32_t port, uint32_t *word, uint64_t at) {
  return receive_until(port, to_one(word), at);
}

int port_timedreceive(int port, uint32_t *word, uint32_t cycles) {
  uint32_t called = cl_local_read(CL_MTIME_LO);
  if (bad(port)) return EINVAL;
  uint32_t answer = cl_op_port_receive((uint32_t)port, word, NULL, 0, CL_NOW);
  if (CL_LIKELY(answer == CL_STATUS(CL_STATUS_EAGAIN)))
    return receive_one_until((uint32_t)port, word, cl_then(called) + cycles);
  return cl_status(answer);
}

int port_publish(void) { return cl_status(cl_op_port_publish()); }

/* --- Of more words (message.c) --- */

CL_INLINE struct source more(const uint32_t *words, uint32_t count) { return (struct source){count, words}; }
CL_INLINE struct sink to_more(uint32_t *word, uint32_t *words, uint32_t room) {
  return (struct sink){word, words, room};
}

__attribute__((always_inline)) int cl_port_send_words(int port, const uint32_t *words, uint32_t count) {
  return send(port, more(words, count));
}

int cl_port_trysend_words(int port, const uint32_t *words, uint32_t count) {
  if (bad(port)) return EINVAL;
  return cl_status(cl_op_port_send((uint32_t)port, count, words, CL_NOW));
}

int cl_port_timedsend_words(int port, const uint32_t *words, uint32_t count, uint32_t cycles) {
  int status = cl_port_trysend_words(port, words, count);
  return status == EAGAIN ? send_until((uint32_t)port, more(words, count), cl_now() + cycles) : status;
}

__attribute__((always_inline)) int cl_port_receive_words(int port, uint32_t *word, uint32_t *words, uint32_t room) {
  return receive(port, to_more(word, words, room));
}

int cl_port_tryreceive_words(int port, uint32_t *word, uint32_t *words, uint32_t room) {
  if (bad(port)) return EINVAL;
  return cl_status(cl_op_port_receive((uint32_t)port, word, words, room, CL_NOW));
}

int cl_port_timedreceive_words(int port, uint32_t *word, uint32_t *words, uint32_t room, uint32_t cycles) {
  int status = cl_port_tryreceive_words(port, word, words, room);
  return status == EAGAIN ? receive_until((uint32_t)port, to_more(word, words, room), cl_now() + cycles) : status;
}
