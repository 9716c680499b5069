/* SPDX-License-Identifier: Apache-2.0
 *
 * PicoRV32: what the interrupts that end a program say. The core's own come with the address behind the instruction. */
#include "loader.h"

#define ILLEGAL (1u << 1)
#define MISALIGNED (1u << 2)
#define BUS_ERROR (1u << 4)

_Noreturn void cl_loader_trap(uint32_t causes, uint32_t pc);
_Noreturn void cl_loader_trap(uint32_t causes, uint32_t pc) {
  if (causes & BUS_ERROR) { /* first: what a fetch from nowhere gives is illegal, too */
    uint32_t at = cl_far_read(CL_BACKDOOR_FAR_BUS_ERROR_PC), address = cl_far_read(CL_BACKDOOR_FAR_BUS_ERROR_ADDRESS);
    if (at != address) at -= 4; /* a load or store: the next instruction is fetched before its access */
    cl_loader_end(CL_BACKDOOR_STATE_FAULT, CL_BACKDOOR_CAUSE_ACCESS, at, address);
  }
  if (causes & ILLEGAL) cl_loader_end(CL_BACKDOOR_STATE_FAULT, CL_BACKDOOR_CAUSE_ILLEGAL, pc - 4, 0);
  if (causes & MISALIGNED) cl_loader_end(CL_BACKDOOR_STATE_FAULT, CL_BACKDOOR_CAUSE_ALIGNMENT, pc - 4, 0);
  cl_loader_end(CL_BACKDOOR_STATE_LIMIT, 0, pc, 0);
}
