/* SPDX-License-Identifier: Apache-2.0
 *
 * The definitions that FreeRTOS's RISC-V port needs for a chip: Ibex with Coreloom's mtime, no further registers. */
#define portasmHAS_SIFIVE_CLINT 0
#define portasmHAS_MTIME 1
#define portasmADDITIONAL_CONTEXT_SIZE 0

  .macro portasmSAVE_ADDITIONAL_REGISTERS
  .endm

  .macro portasmRESTORE_ADDITIONAL_REGISTERS
  .endm
