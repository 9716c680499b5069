// SPDX-License-Identifier: Apache-2.0
// Shows a pattern on the LEDs and never ends.
#include <stdint.h>
#include "../../../rtl/board/boot/cl_board.h"

int main(void) {
  *(volatile uint32_t *)CL_BOARD_LEDS = 0xA5;
  for (;;) continue;
}
