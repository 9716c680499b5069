/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program sees of a board: its registers (rtl/board/README.md). For C and assembly. */
#ifndef CL_BOARD_H
#define CL_BOARD_H

#include "cl_soc_map.h"

#define CL_BOARD_LEDS (CL_USER + 0)    /* rw: bit n: LED n */
#define CL_BOARD_BUTTONS (CL_USER + 4) /* ro: bit n: pressed: fire 1 and 2, up, down, left, right */
#define CL_BOARD_START (CL_USER + 8)   /* wo: the SoC starts again, with the memory alone */
#define CL_BOARD_ENDED (CL_USER + 8)   /* ro: bit 8: a program has ended, bits 7 to 0: its status */
#define CL_BOARD_CLOCK (CL_USER + 12)  /* ro: Hz */

/* The UART of a board: also bits of CL_UART_STATUS, and a load of CL_UART_TX takes the oldest byte received. */
#define CL_UART_RX CL_UART_TX
#define CL_UART_THERE 2 /* a byte has been received */
#define CL_UART_LOST 4  /* one was lost */

/* Interrupt lines. */
#define CL_LINE_UART 0 /* a byte has been received */
#define CL_LINE_FIRE_1 1
#define CL_LINE_FIRE_2 2
#define CL_LINE_MOVE 3 /* up, down, left or right */

/* Boot ROM. */
#define CL_BOOT_RAM (CL_RAM + CL_DATA_OFFSET) /* where it writes the memory */
#define CL_BOOT_STACK_BYTES 1024              /* at the end of the memory: nothing is loaded there */

#endif
