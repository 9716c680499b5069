/* SPDX-License-Identifier: Apache-2.0
 *
 * Of the front ends: an interrupt that a thread causes itself is a line without a pin, raised by coreloom.h, as their APIs
 * have no call for that. Its handler is a thread for an interrupt. */
#ifndef OS_HANDLER_H
#define OS_HANDLER_H

#include <pthread.h>

#define OS_HANDLER_LINE 1

CL_INLINE void os_interrupt_self(void) { must(interrupt_raise_np(OS_HANDLER_LINE)); }

#endif
