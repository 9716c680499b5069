/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel: every operation is a call (cl_sw.c), which link-time optimisation inlines. */
#ifndef CL_BACKEND_H
#define CL_BACKEND_H

#define CL_SW_DECLARE(name, CODE, arguments) uint32_t cl_op_##name(CL_PARAMETERS_##arguments);
CL_OPS_DIRECT(CL_SW_DECLARE)
CL_OPS_WAITING(CL_SW_DECLARE)
CL_OPS_FRAMELESS(CL_SW_DECLARE)

/* The caller sees that the common answer is 0, and looks for no error in it. _once, also of receive: for timed waits. */
#define CL_SW_SENDING(name, pass, ...)                                 \
  uint32_t cl_sw_port_##name(__VA_ARGS__);                             \
  uint32_t cl_op_port_try##name(__VA_ARGS__);                          \
  uint32_t cl_op_port_##name##_once(__VA_ARGS__);                      \
  CL_INLINE uint32_t cl_op_port_##name(__VA_ARGS__) {                  \
    uint32_t answer = cl_sw_port_##name pass;                          \
    if (CL_LIKELY(!answer)) return 0;                                  \
    __asm__("" : "+r"(answer)); /* else the compiler drops the test */ \
    return answer;                                                     \
  }
CL_SW_SENDING(send, (id, word), uint32_t id, uint32_t word)
CL_SW_SENDING(send_words, (id, words, count), uint32_t id, const uint32_t *words, uint32_t count)

/* cl_sw_...: may return GIVE_WAY, with interrupts disabled and the kernel locked. */
#define CL_SW_IN_PLACE(name, CODE, arguments, MOSTLY)          \
  uint32_t cl_sw_##name(CL_PARAMETERS_##arguments);            \
  CL_INLINE uint32_t cl_op_##name(CL_PARAMETERS_##arguments) { \
    uint32_t word = cl_sw_##name(CL_SW_PASS_##arguments);      \
    if (CL_UNLIKELY((int32_t)word >= 0)) return word;          \
    cl_switch_here(word);                                      \
    return CL_RESUMED;                                         \
  }
#define CL_SW_PASS_V
#define CL_SW_PASS_I id
CL_OPS_IN_PLACE(CL_SW_IN_PLACE)

/* The same; or RESUMED: then call it again. */
#define CL_SW_RECEIVING(name, pass, ...)                         \
  uint32_t cl_sw_port_##name(__VA_ARGS__);                       \
  uint32_t cl_op_port_try##name(__VA_ARGS__);                    \
  static inline uint32_t cl_op_port_##name##_once(__VA_ARGS__) { \
    uint32_t answer = cl_sw_port_##name pass;                    \
    if ((int32_t)answer >= 0) return answer;                     \
    cl_switch_here(answer);                                      \
    return CL_RESUMED;                                           \
  }                                                              \
  CL_INLINE uint32_t cl_op_port_##name(__VA_ARGS__) {            \
    uint32_t answer;                                             \
    do {                                                         \
      answer = cl_sw_port_##name pass;                           \
      if ((int32_t)answer < 0) {                                 \
        cl_switch_here(answer);                                  \
        answer = CL_RESUMED;                                     \
      }                                                          \
    } while (answer == CL_RESUMED);                              \
    return answer;                                               \
  }
CL_SW_RECEIVING(receive, (id, word), uint32_t id, uint32_t *word)
CL_SW_RECEIVING(receive_words, (id, word, words, room), uint32_t id, uint32_t *word, uint32_t *words, uint32_t room)

#define CL_BACKEND_TIMEOUTS 0
static inline int cl_backend_timeout_start(uint64_t at) { return (void)at, 0; }
static inline void cl_backend_timeout_stop(void) {}
static inline uint32_t cl_backend_wait_until(unsigned op, uint32_t id, uint32_t word) {
  return (void)op, (void)id, (void)word, CL_STATUS(CL_STATUS_EINVAL);
}
#define cl_op_port_send_until cl_op_port_send_once
#define cl_op_port_receive_until cl_op_port_receive_once
#define cl_op_port_send_words_until cl_op_port_send_words_once
#define cl_op_port_receive_words_until cl_op_port_receive_words_once

#define CL_BACKEND_EVENT_FLAGS 0
static inline uint32_t cl_op_flags(unsigned op, uint32_t id, uint32_t word) {
  return (void)op, (void)id, (void)word, CL_STATUS(CL_STATUS_EINVAL);
}
static inline uint32_t cl_op_flags_wait(unsigned op, uint32_t id, uint32_t word) { return cl_op_flags(op, id, word); }
static inline uint32_t cl_op_flags_read(unsigned op, uint32_t id, uint32_t *word) {
  return cl_op_flags(op, id, *word = 0);
}
#define CL_BACKEND_INHERITANCE 0
static inline uint32_t cl_backend_mutex_protocol(uint32_t id, uint32_t word) {
  return (void)id, (void)word, CL_STATUS(CL_STATUS_EINVAL);
}

/* The kernel is never interrupted, so every thread that is computes. */
#define CL_BACKEND_CLEARS_IPI 0
#define CL_BACKEND_TRAPS_FOR_SIGNALS 1
static inline int cl_backend_computes(uint32_t thread) { return (void)thread, 1; }

uint32_t cl_op_semaphore_post_in_trap(uint32_t id);
uint32_t cl_op_mutex_lock_apart(uint32_t id);
uint32_t cl_op_move(uint32_t word);
__attribute__((noreturn)) void cl_op_thread_exit(void);
void cl_backend_start(void);

#endif
