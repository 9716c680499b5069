/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot ROM of a board: receives a program over the UART and starts it. The protocol is in rtl/board/README.md. */
#include <stddef.h>
#include <stdint.h>
#include "cl_board.h"
#include "cl_machine.h"

#define VERSION 1
#define HEADER 7      /* operation, length, address */
#define PATIENCE 20   /* log2 of the cycles that the next byte of a frame may take */
#define MARK_0 0x04   /* a frame begins with these three, and so does an answer */
#define MARK_1 'C'
#define MARK_2 'L'

enum { INFO = 'I', WRITE = 'W', GO = 'G' };                                  /* operations */
enum { DONE = 'K', WRONG_CRC = 'E', OUT_OF_RANGE = 'R', UNKNOWN = 'U', ENDED = 'X' }; /* answers */

static uint32_t load(uint32_t address) { return *(const volatile uint32_t *)address; }

static void store(uint32_t address, uint32_t word) { *(volatile uint32_t *)address = word; }

/* The next byte; -1 if none comes in time. */
static int receive(void) {
  uint32_t since = cl_local_read(CL_CYCLE);
  while (!(load(CL_UART_STATUS) & CL_UART_THERE)) {
    if ((cl_local_read(CL_CYCLE) - since) >> PATIENCE) return -1;
  }
  return (int)(load(CL_UART_RX) & 0xFF);
}

static void answer(char code) {
  cl_uart_put(MARK_0);
  cl_uart_put(MARK_1);
  cl_uart_put(MARK_2);
  cl_uart_put(code);
}

/* CRC-32 of Ethernet and zlib, four bits at a time. */
static uint32_t crc_of(uint32_t crc, uint32_t byte) {
  static const uint32_t table[] = {
      0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
      0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
  };
  crc = crc >> 4 ^ table[(crc ^ byte) & 15];
  return crc >> 4 ^ table[(crc ^ byte >> 4) & 15];
}

struct frame {
  uint32_t operation, length, address;
};

/* Receives a frame behind its mark, and writes its bytes: those of a wrong frame are written again. 0 if it ends early. */
static char take(struct frame *frame) {
  uint8_t head[HEADER];
  uint32_t crc = ~0u;
  for (size_t i = 0; i < HEADER; i++) {
    int byte = receive();
    if (byte < 0) return 0;
    head[i] = (uint8_t)byte;
    crc = crc_of(crc, head[i]);
  }
  frame->operation = head[0];
  frame->length = head[1] | (uint32_t)head[2] << 8;
  frame->address = head[3] | (uint32_t)head[4] << 8 | (uint32_t)head[5] << 16 | (uint32_t)head[6] << 24;
  const uint32_t room = CL_RAM_BYTES - CL_BOOT_STACK_BYTES;
  int inside = frame->length <= room && frame->address <= room - frame->length;
  volatile uint8_t *to = (volatile uint8_t *)(CL_BOOT_RAM + frame->address);
  for (uint32_t i = 0; i < frame->length; i++) {
    int byte = receive();
    if (byte < 0) return 0;
    crc = crc_of(crc, (uint32_t)byte);
    if (inside && frame->operation == WRITE) to[i] = (uint8_t)byte;
  }
  crc = ~crc;
  for (uint32_t i = 0; i < 4; i++, crc >>= 8) {
    int byte = receive();
    if (byte < 0) return 0;
    if ((uint32_t)byte != (crc & 0xFF)) return WRONG_CRC;
  }
  return inside ? DONE : OUT_OF_RANGE;
}

_Noreturn void cl_boot(void);
_Noreturn void cl_boot(void) {
  uint32_t ended = load(CL_BOARD_ENDED);
  if (ended >> 8) {
    answer(ENDED);
    cl_uart_put((char)ended);
  }
  for (;;) {
    if (receive() != MARK_0 || receive() != MARK_1 || receive() != MARK_2) continue;
    struct frame frame;
    char code = take(&frame);
    if (!code) continue;
    if (code != DONE) {
      answer(code);
    } else if (frame.operation == INFO) {
      answer(INFO);
      cl_uart_put(VERSION);
      cl_uart_put(CL_BOOT_CORE);
      cl_uart_put((char)cl_local_read(CL_CPU_COUNT));
      cl_uart_put((char)__builtin_ctz(CL_RAM_BYTES));
    } else if (frame.operation == WRITE) {
      answer(DONE);
    } else if (frame.operation == GO) {
      answer(DONE);
      store(CL_BOARD_START, 0);
      for (;;) continue;
    } else {
      answer(UNKNOWN);
    }
  }
}
