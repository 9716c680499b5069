/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that the compiler calls for atomic operations (stdatomic.h, __atomic_*), as no core has instructions
 * for them. Each is done with interrupts off and the Lock Unit's lock of its address; a load of up to a word needs
 * neither. Within shared_memory_lock the lock is not taken, as a CPU has one: other CPUs must hold the same memory lock
 * then.
 * Linked only with programs that use them. */
#include <stdbool.h>
#include <stdint.h>

#include "cl_arch.h"
#include "cl_machine.h"

struct before {
  int irq_off, holds;
};

static inline struct before enter(const volatile void *at) {
  struct before before = {cl_irq_is_off(), 0};
  cl_irq_off();
  before.holds = cl_local_read(CL_LOCK_GRANT) != 0;
  if (!before.holds) {
    cl_local_write(CL_LOCK_ADDRESS, (uint32_t)(uintptr_t)at);
    cl_local_read(CL_LOCK_ACQUIRE);
  }
  __asm__ volatile("" ::: "memory");
  return before;
}

static inline void leave(struct before before) {
  __asm__ volatile("" ::: "memory");
  if (!before.holds) cl_local_write(CL_LOCK_RELEASE, 0);
  if (!before.irq_off) cl_irq_on();
}

#define CHANGE(name, T, result)                   \
  T name(volatile void *at, T value, int order);  \
  T name(volatile void *at, T value, int order) { \
    (void)order;                                  \
    volatile T *const place = at;                 \
    const struct before before = enter(at);       \
    const T old = *place;                         \
    *place = (T)(result);                         \
    leave(before);                                \
    return old;                                   \
  }

#define SIZE(n, T)                                                                                            \
  CHANGE(__atomic_exchange_##n, T, value)                                                                     \
  CHANGE(__atomic_fetch_add_##n, T, old + value)                                                              \
  CHANGE(__atomic_fetch_sub_##n, T, old - value)                                                              \
  CHANGE(__atomic_fetch_and_##n, T, old &value)                                                               \
  CHANGE(__atomic_fetch_or_##n, T, old | value)                                                               \
  CHANGE(__atomic_fetch_xor_##n, T, old ^ value)                                                              \
  CHANGE(__atomic_fetch_nand_##n, T, ~(old & value))                                                          \
  T __atomic_load_##n(const volatile void *at, int order);                                                    \
  T __atomic_load_##n(const volatile void *at, int order) {                                                   \
    (void)order;                                                                                              \
    const volatile T *const place = at;                                                                       \
    if (sizeof(T) <= sizeof(uint32_t)) return *place;                                                         \
    const struct before before = enter(at);                                                                   \
    const T value = *place;                                                                                   \
    leave(before);                                                                                            \
    return value;                                                                                             \
  }                                                                                                           \
  void __atomic_store_##n(volatile void *at, T value, int order);                                             \
  void __atomic_store_##n(volatile void *at, T value, int order) { __atomic_exchange_##n(at, value, order); } \
  bool __atomic_compare_exchange_##n(volatile void *at, void *expected, T value, int success, int failure);   \
  bool __atomic_compare_exchange_##n(volatile void *at, void *expected, T value, int success, int failure) {  \
    (void)success, (void)failure;                                                                             \
    volatile T *const place = at;                                                                             \
    T *const wanted = expected;                                                                               \
    const struct before before = enter(at);                                                                   \
    const T old = *place;                                                                                     \
    const bool same = old == *wanted;                                                                         \
    if (same) *place = value;                                                                                 \
    leave(before);                                                                                            \
    *wanted = old;                                                                                            \
    return same;                                                                                              \
  }

SIZE(1, uint8_t)
SIZE(2, uint16_t)
SIZE(4, uint32_t)
SIZE(8, uint64_t)
