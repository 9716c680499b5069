/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot ROM, all cores: processor 0 runs cl_boot with the last bytes of the memory as its stack; the others wait for the
 * reset that starts the program. No interrupt is enabled. */
#include "cl_board.h"

  .section .vectors, "ax", @progbits
  .option norelax
  .fill 0x80, 1, 0
  .globl cl_start
cl_start: /* + 0x80 */
  lui t0, %hi(CL_LOCAL)
  lw t0, %lo(CL_LOCAL + CL_CPU_ID)(t0)
1:
  bnez t0, 1b
  li sp, CL_BOOT_RAM + CL_RAM_BYTES
  j cl_boot
