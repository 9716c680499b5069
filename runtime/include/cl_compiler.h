/* SPDX-License-Identifier: Apache-2.0
 *
 * Hints to the compiler about functions and conditions. */
#ifndef CL_COMPILER_H
#define CL_COMPILER_H

#define CL_LIKELY(x) __builtin_expect(!!(x), 1)
#define CL_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CL_INLINE static inline __attribute__((always_inline))
#define CL_APART static __attribute__((noinline))
#define CL_COLD __attribute__((noinline, cold))

#endif
