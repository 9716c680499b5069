/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs of processor 1 do here, as their argument says, and how processor 0 begins one. */
#ifndef REMOTE_H
#define REMOTE_H

#include <coreloom_far.h>
#include <coreloom_remote.h>
#include <string.h>

#include "check.h"
#include "cl_backdoor_regs.h"

enum operation {
  RETURN,
  ECHO,
  RESULT,
  LOG,
  MAIL,
  BELLS,
  ANSWER,
  FOREVER,
  DEAF,
  FLOOD,
  MOVE,
  OUTSIDE,
  WRECK,
  ZEROES,
  ILLEGAL,
  BREAKPOINT,
  CALL,
  LOAD,
  STORE,
  FETCH,
  MISALIGNED,
  STARE
};

#define RING_WORDS ((CL_BACKDOOR_BLOCK_BYTES - CL_BACKDOOR_AREA_BYTES) / 4)
#define NOWHERE 0x90000000u

/* The instruction at fault says its own address before, by mail. */
#define TELL "la t0, 1f\n sw t0, 0(%0)\n"
#define FAR(offset) (CL_BACKDOOR_FAR_BASE + CL_BACKDOOR_FAR_##offset)

static void far_rang(uint32_t bells) { far_ring(bells << 1); }

static __attribute__((unused)) uint32_t zeroes[500], not_zero = 0x1234567;

__attribute__((unused)) static int play(const void *argument, size_t bytes) {
  static uint32_t buffer[2600];
  const uint32_t *words = argument, *end = words + bytes / 4;
  uint32_t value = words + 1 < end ? words[1] : 0, message;
  switch (words < end ? (enum operation)words[0] : RETURN) {
    case RETURN: return (int)value;
    case ECHO: /* of value words, a buffer at a time */
      while (value) {
        uint32_t now = value < 2600 ? value : 2600;
        if (far_receive(buffer, 4 * now)) return 1;
        for (uint32_t n = 0; n < now; n++) buffer[n] = ~buffer[n];
        if (far_send(buffer, 4 * now)) return 2;
        value -= now;
      }
      return 0;
    case RESULT:
      far_send(words, 8);
      for (uint32_t n = 0; n < 2600; n++) buffer[n] = n * 0x9e3779b9u;
      if (far_result(buffer, value)) return 1;
      return far_send(words, 4) != EPIPE;
    case LOG:
      for (uint32_t n = 0; n < value; n++) printf("line %2u\n", (unsigned)n);
      return 0;
    case MAIL:
      for (uint32_t n = 0; n < value;) {
        if (far_take(&message)) continue;
        while (far_post(message + 1)) continue;
        n++;
      }
      return 0;
    case BELLS: /* polls; ends with bell 31 */
      for (;;) {
        uint32_t bells = far_bells();
        if (bells) far_ring(bells >> 1 & ~1u);
        if (bells >> 31) return 0;
      }
    case ANSWER: /* the same in a handler */
      far_bell_handler(far_rang);
      for (;;) buffer[0]++;
    case FOREVER:
      for (;;) buffer[0]++;
    case DEAF: /* with interrupts off */
#if defined(CL_CORE_STANDARD)
      __asm__ volatile("csrci mstatus, 8");
#else
      __asm__ volatile(".insn r 0x0b, 6, 3, x0, %0, x0" ::"r"(~6));
#endif
      for (;;) buffer[0]++;
    case FLOOD:
      for (;;) *(volatile uint32_t *)FAR(BELL_RING) = value;
    case MOVE: /* as much as the DMA can */
      for (;;) {
        static uint32_t list[3] = {1u << 31 | 1u << 28 | RING_WORDS, CL_BACKDOOR_MEMORY_BASE, CL_BACKDOOR_AREA_BYTES};
        *(volatile uint32_t *)FAR(DMA_LIST) = (uint32_t)list;
        while (*(volatile uint32_t *)FAR(DMA_STATUS) & 1) continue;
      }
    case OUTSIDE:
      return far_send((const void *)(CL_BACKDOOR_MEMORY_BASE + CL_BACKDOOR_MEMORY_BYTES - 4 * value), 4 * value + 4);
    case WRECK: /* what the loader has in the memory */
      for (uint32_t *at = (uint32_t *)(CL_BACKDOOR_MEMORY_BASE + CL_BACKDOOR_MEMORY_BYTES - CL_BACKDOOR_LOADER_BYTES);
           at != (uint32_t *)(CL_BACKDOOR_MEMORY_BASE + CL_BACKDOOR_MEMORY_BYTES); at++)
        *(volatile uint32_t *)at = 0xeeeeeeee;
      if (value) __builtin_trap();
      return 5;
    case ZEROES: /* and what is not zero; then neither is as it was */
      for (uint32_t n = 0; n < 500; n++)
        if (zeroes[n]) return 1;
      if (not_zero != 0x1234567) return 2;
      memset(zeroes, 0xff, sizeof zeroes);
      not_zero = 0;
      return 0;
    case ILLEGAL: __asm__ volatile(TELL "1: .word 0" ::"r"(FAR(MAIL_SEND)) : "t0"); break;
    case BREAKPOINT: __asm__ volatile(TELL "1: ebreak" ::"r"(FAR(MAIL_SEND)) : "t0"); break;
    case CALL: __asm__ volatile(TELL "1: ecall" ::"r"(FAR(MAIL_SEND)) : "t0"); break;
    case LOAD: __asm__ volatile(TELL "1: lw t0, 4(%1)" ::"r"(FAR(MAIL_SEND)), "r"(NOWHERE) : "t0"); break;
    case STORE: __asm__ volatile(TELL "1: sw t0, 8(%1)" ::"r"(FAR(MAIL_SEND)), "r"(NOWHERE) : "t0"); break;
    case FETCH: __asm__ volatile(TELL "1: jr %1" ::"r"(FAR(MAIL_SEND)), "r"(NOWHERE) : "t0"); break;
    case MISALIGNED: __asm__ volatile(TELL "1: lw t0, 2(%1)" ::"r"(FAR(MAIL_SEND)), "r"(buffer) : "t0"); break;
    case STARE: /* at a word that never comes */ far_receive(buffer, 4);
  }
  return 0;
}

static uint32_t patience = 10000000; /* with the program */

__attribute__((unused)) static void begin(enum operation operation, uint32_t value, uint32_t limit) {
  const uint32_t words[] = {operation, value};
  remote_patience(10000000);
  EQUAL(remote_load(remote_image, remote_image_bytes), 0);
  EQUAL(remote_start(words, sizeof words, limit), 0);
  remote_patience(patience);
}

/* The status of processor 1 now. */
__attribute__((unused)) static struct remote_status status(int state, uint32_t detail) {
  struct remote_status now = {0};
  EQUAL(remote_status(&now), 0);
  EQUAL(now.state, state);
  EQUAL(now.detail, detail);
  return now;
}

#endif
