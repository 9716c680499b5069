/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on a word that nothing interrupts, on any CPU: all but a compare-and-swap give the value from before. */
#ifndef ATOMIC_H
#define ATOMIC_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before atomic.h"
#endif

#define ATOMIC_COMPARE_AND_SWAP_SUCCESS 1
#define ATOMIC_COMPARE_AND_SWAP_FAILURE 0
#define ATOMIC_ENTER_CRITICAL() portENTER_CRITICAL()
#define ATOMIC_EXIT_CRITICAL() portEXIT_CRITICAL()

/* NAME(word, by): *word = RESULT, where `was` is its value. */
#define CL_ATOMIC(name, result)                                       \
  static inline uint32_t name(volatile uint32_t *word, uint32_t by) { \
    portENTER_CRITICAL();                                             \
    uint32_t was = *word;                                             \
    *word = (result);                                                 \
    portEXIT_CRITICAL();                                              \
    return was;                                                       \
  }
CL_ATOMIC(Atomic_Add_u32, was + by)
CL_ATOMIC(Atomic_Subtract_u32, was - by)
CL_ATOMIC(Atomic_OR_u32, was | by)
CL_ATOMIC(Atomic_AND_u32, was &by)
CL_ATOMIC(Atomic_NAND_u32, ~(was &by))
CL_ATOMIC(Atomic_XOR_u32, was ^ by)

static inline uint32_t Atomic_Increment_u32(volatile uint32_t *word) { return Atomic_Add_u32(word, 1); }
static inline uint32_t Atomic_Decrement_u32(volatile uint32_t *word) { return Atomic_Subtract_u32(word, 1); }

static inline uint32_t Atomic_CompareAndSwap_u32(volatile uint32_t *word, uint32_t to, uint32_t from) {
  portENTER_CRITICAL();
  uint32_t swaps = *word == from;
  if (swaps) *word = to;
  portEXIT_CRITICAL();
  return swaps;
}

static inline uint32_t Atomic_CompareAndSwapPointers_p32(void *volatile *word, void *to, void *from) {
  portENTER_CRITICAL();
  uint32_t swaps = *word == from;
  if (swaps) *word = to;
  portEXIT_CRITICAL();
  return swaps;
}

static inline void *Atomic_SwapPointers_p32(void *volatile *word, void *to) {
  portENTER_CRITICAL();
  void *was = *word;
  *word = to;
  portEXIT_CRITICAL();
  return was;
}

#endif
