/* Generated from rtl/soc/data/soc.toml by `coreloom generate`; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_SOC_MAP_H
#define CL_SOC_MAP_H

#define CL_ROM                             0x10000000 /* ROM of processor 1 behind a Back-Door: its loader */
#define CL_LOCAL_MEMORY                    0x20000000 /* local memory, private to each core, never on the bus */
#define CL_RAM                             0x40000000 /* memory; for processor 1 behind a Back-Door, its local memory */
#define CL_UNCACHED                        0xC0000000 /* with the fast core: the memory again, uncached */
#define CL_UART                            0xE0000000 /* console */
#define CL_HWT                             0xE1000000 /* registers of the hardware threads, 256 bytes each */
#define CL_BACK_DOOR                       0xE2000000 /* near side of the Back-Door */
#define CL_SCHEDULER_PORT                  0xE3000000 /* [HT]'s scheduler: op << 20 | thread << 10 | argument << 2 */
#define CL_USER                            0xE4000000 /* a device of the user's, on a bus port of cl_soc; a bus error without one */
#define CL_DEBUG                           0xE5000000 /* page of a debug module outside of cl_soc; a bus error without one */
#define CL_PRIVATE                         0xF0000000 /* private to each core: never reaches the shared bus */
#define CL_KERNEL_PORT                     0xF0000000 /* kernel port: op << 12 | id << 2 */
#define CL_LOCAL                           0xF0100000 /* local device */
#define CL_IPC_PORT                        0xF0200000 /* communication port: patience << 16 | op << 10 | index << 2 */
#define CL_NEAR_KERNEL                     0xFFFFF800 /* with two banks of registers: kernel port again, op << 2 */
#define CL_NEAR_LOCAL                      0xFFFFF900 /* with two banks of registers: local device again */
#define CL_BANKS                           0xFFFFFFF0 /* two banks of registers */
#define CL_FAR                             0xF0300000 /* processor 1: far side of the Back-Door */
#define CL_TICK_CYCLES                     1000 /* unit of the time slice */

#define CL_INPUT                           0x40200000 /* word 0: length in bytes; the data follow */
#define CL_INPUT_MAX                       0x00DFFFFC /* bytes of data */
#define CL_OUTPUT                          0x41000000 /* the same */
#define CL_OUTPUT_MAX                      0x00FFFFFC /* bytes of data */

/* Registers on the shared bus, and of the banks: addresses */
#define CL_UART_TX                         0xE0000000 /* wo: a byte */
#define CL_UART_STATUS                     0xE0000004 /* ro: bit 0: ready for a byte */
#define CL_BANKS_SAVE                      0xFFFFFFF0 /* wo: changes the bank, and stores the frame of the one before from this address on */
#define CL_BANKS_BACK                      0xFFFFFFF4 /* wo: changes the bank back, and stores no more */
#define CL_BANKS_RESUME                    0xFFFFFFF8 /* wo: first word of every frame: where a preempted thread goes on */

/* Registers of the local device: offsets from CL_LOCAL */
#define CL_CPU_ID                          0x00 /* ro: number of this processor */
#define CL_CPU_COUNT                       0x04 /* ro: number of processors */
#define CL_CYCLE                           0x08 /* ro: cycles since reset, low word */
#define CL_CYCLE_H                         0x0C /* ro: high word at the time of the last load of cycle */
#define CL_BUS_COUNT                       0x10 /* ro: transfers on the shared bus since reset */
#define CL_LOCK_ADDRESS                    0x20 /* wo: lock unit: requests the lock of this address */
#define CL_LOCK_GRANT                      0x24 /* ro: lock unit: 1 if granted */
#define CL_LOCK_ACQUIRE                    0x28 /* ro: lock unit: waits until granted */
#define CL_LOCK_RELEASE                    0x2C /* wo: lock unit: releases the lock */
#define CL_TRACE                           0x40 /* wo: + 4 * n: logs an event of kind n */
#define CL_EXIT                            0x80 /* wo: ends the simulation with this status */
#define CL_MTIME_LO                        0xC0 /* ro: time in cycles */
#define CL_MTIME_HI                        0xC4 /* ro: its high word, not latched */
#define CL_MTIMECMP_LO                     0xC8 /* rw: interrupt while mtime >= mtimecmp */
#define CL_MTIMECMP_HI                     0xCC /* rw: its high word */
#define CL_IPI                             0xD0 /* wo: interrupts the processor with this number */
#define CL_IPI_CLEAR                       0xD4 /* wo: clears this processor's IPI */
#define CL_LINE_PENDING                    0xE0 /* ro: processor 0: interrupt lines with a rising edge since cleared */
#define CL_LINE_CLEAR                      0xE4 /* wo: processor 0: clears the bits that are 1 */
#define CL_LINE_ENABLE                     0xE8 /* rw: processor 0: interrupt while line_pending & line_enable is not 0; 0 after reset */

#endif /* CL_SOC_MAP_H */
