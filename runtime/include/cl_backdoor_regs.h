/* Generated from rtl/ipc/backdoor/data/backdoor.toml by `coreloom generate`; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_BACKDOOR_REGS_H
#define CL_BACKDOOR_REGS_H

#define CL_BACKDOOR_STATUS_WORD_RUNNING_LSB 0 /* processor 1 is not held; follows run a few cycles of both clocks later. After a store of 0 and then 1: it has been restarted */
#define CL_BACKDOOR_STATUS_WORD_RUNNING_MASK 0x1u
#define CL_BACKDOOR_STATUS_WORD_DMA_BUSY_LSB 1 /* dma_status.busy of the far side, as of its last bundle */
#define CL_BACKDOOR_STATUS_WORD_DMA_BUSY_MASK 0x1u
#define CL_BACKDOOR_STATUS_WORD_MAIL_ROOM_LSB 2 /* mail_send would be accepted */
#define CL_BACKDOOR_STATUS_WORD_MAIL_ROOM_MASK 0x1u
#define CL_BACKDOOR_STATUS_WORD_MAIL_WAITING_LSB 3 /* mail_receive has a word */
#define CL_BACKDOOR_STATUS_WORD_MAIL_WAITING_MASK 0x1u

#define CL_BACKDOOR_MAIL_WORD_ROOM_LSB     0 /* at least this many words can be sent */
#define CL_BACKDOOR_MAIL_WORD_ROOM_MASK    0xffu
#define CL_BACKDOOR_MAIL_WORD_WAITING_LSB  8 /* at least this many words can be received */
#define CL_BACKDOOR_MAIL_WORD_WAITING_MASK 0xffu

#define CL_BACKDOOR_NEAR_ERROR_WORD_MAIL_FULL_LSB 0 /* mail_send was refused: full */
#define CL_BACKDOOR_NEAR_ERROR_WORD_MAIL_FULL_MASK 0x1u
#define CL_BACKDOOR_NEAR_ERROR_WORD_MAIL_EMPTY_LSB 1 /* mail_receive found the mailbox empty */
#define CL_BACKDOOR_NEAR_ERROR_WORD_MAIL_EMPTY_MASK 0x1u
#define CL_BACKDOOR_NEAR_ERROR_WORD_MAIL_HELD_LSB 2 /* mail_send was refused: processor 1 is held */
#define CL_BACKDOOR_NEAR_ERROR_WORD_MAIL_HELD_MASK 0x1u
#define CL_BACKDOOR_NEAR_ERROR_WORD_HELD_LSB 3 /* processor 1 was held while its DMA was busy: that transfer is incomplete */
#define CL_BACKDOOR_NEAR_ERROR_WORD_HELD_MASK 0x1u

#define CL_BACKDOOR_FAR_ERROR_WORD_MAIL_FULL_LSB 0 /* mail_send was refused: full */
#define CL_BACKDOOR_FAR_ERROR_WORD_MAIL_FULL_MASK 0x1u
#define CL_BACKDOOR_FAR_ERROR_WORD_MAIL_EMPTY_LSB 1 /* mail_receive found the mailbox empty */
#define CL_BACKDOOR_FAR_ERROR_WORD_MAIL_EMPTY_MASK 0x1u
#define CL_BACKDOOR_FAR_ERROR_WORD_DMA_BUSY_LSB 2 /* dma_list was refused: busy */
#define CL_BACKDOOR_FAR_ERROR_WORD_DMA_BUSY_MASK 0x1u
#define CL_BACKDOOR_FAR_ERROR_WORD_WINDOW_BUSY_LSB 3 /* a store to window_offset, window_block or window_start was refused: busy */
#define CL_BACKDOOR_FAR_ERROR_WORD_WINDOW_BUSY_MASK 0x1u

#define CL_BACKDOOR_DMA_STATUS_WORD_BUSY_LSB 0 /* a list is being processed */
#define CL_BACKDOOR_DMA_STATUS_WORD_BUSY_MASK 0x1u
#define CL_BACKDOOR_DMA_STATUS_WORD_DONE_LSB 1 /* a list has ended, with or without error */
#define CL_BACKDOOR_DMA_STATUS_WORD_DONE_MASK 0x1u
#define CL_BACKDOOR_DMA_STATUS_WORD_ERROR_LSB 4 /* error of the descriptor that stopped the list, see DMA errors */
#define CL_BACKDOOR_DMA_STATUS_WORD_ERROR_MASK 0xfu

#define CL_BACKDOOR_WINDOW_WORD_WRITABLE_LSB 0 /* processor 1 may store to the window */
#define CL_BACKDOOR_WINDOW_WORD_WRITABLE_MASK 0x1u
#define CL_BACKDOOR_WINDOW_WORD_WORDS_LSB  2 /* words of the window; 0: closed */
#define CL_BACKDOOR_WINDOW_WORD_WORDS_MASK 0x3fffffffu

#define CL_BACKDOOR_WINDOW_START_WORD_WORDS_LSB 0 /* words to move; 0 moves nothing */
#define CL_BACKDOOR_WINDOW_START_WORD_WORDS_MASK 0xfffffu
#define CL_BACKDOOR_WINDOW_START_WORD_UP_LSB 31 /* 0: from the window to the down block; 1: from the up block to the window */
#define CL_BACKDOOR_WINDOW_START_WORD_UP_MASK 0x1u

#define CL_BACKDOOR_WINDOW_STATUS_WORD_BUSY_LSB 0 /* a window transfer was started and its end has not arrived */
#define CL_BACKDOOR_WINDOW_STATUS_WORD_BUSY_MASK 0x1u
#define CL_BACKDOOR_WINDOW_STATUS_WORD_ERROR_LSB 4 /* while not busy: error of the last window transfer, see window errors */
#define CL_BACKDOOR_WINDOW_STATUS_WORD_ERROR_MASK 0x7u

#define CL_BACKDOOR_DESCRIPTOR_CONTROL_WORDS_LSB 0 /* words to move; 0 moves nothing */
#define CL_BACKDOOR_DESCRIPTOR_CONTROL_WORDS_MASK 0xffffffu
#define CL_BACKDOOR_DESCRIPTOR_CONTROL_OP_LSB 28 /* see DMA operations */
#define CL_BACKDOOR_DESCRIPTOR_CONTROL_OP_MASK 0x3u
#define CL_BACKDOOR_DESCRIPTOR_CONTROL_LAST_LSB 31 /* the list ends here */
#define CL_BACKDOOR_DESCRIPTOR_CONTROL_LAST_MASK 0x1u

#define CL_BACKDOOR_COMMAND_WORD_CODE_LSB  0 /* see commands (near) and states (far) */
#define CL_BACKDOOR_COMMAND_WORD_CODE_MASK 0xffu
#define CL_BACKDOOR_COMMAND_WORD_NUMBER_LSB 8 /* near: incremented for each command; far: number of the command that led to the state */
#define CL_BACKDOOR_COMMAND_WORD_NUMBER_MASK 0xffffffu

#define CL_BACKDOOR_NEAR_ID                0x00 /* ro */
#define CL_BACKDOOR_NEAR_SIZE              0x04 /* ro */
#define CL_BACKDOOR_NEAR_CONTROL           0x08 /* rw */
#define CL_BACKDOOR_NEAR_STATUS            0x0c /* ro */
#define CL_BACKDOOR_NEAR_ERROR             0x10 /* rc */
#define CL_BACKDOOR_NEAR_BELL_RING         0x20 /* wo */
#define CL_BACKDOOR_NEAR_BELL_PENDING      0x24 /* ro */
#define CL_BACKDOOR_NEAR_BELL_CLEAR        0x28 /* wo */
#define CL_BACKDOOR_NEAR_BELL_TAKE         0x34 /* ro */
#define CL_BACKDOOR_NEAR_BELL_ENABLE       0x2c /* rw */
#define CL_BACKDOOR_NEAR_BELL_MERGED       0x30 /* rw */
#define CL_BACKDOOR_NEAR_MAIL_SEND         0x40 /* wo */
#define CL_BACKDOOR_NEAR_MAIL_RECEIVE      0x44 /* ro */
#define CL_BACKDOOR_NEAR_MAIL_COUNT        0x48 /* ro */
#define CL_BACKDOOR_NEAR_WORD              0x60 /* rw */
#define CL_BACKDOOR_NEAR_FAR_WORD          0x70 /* ro */
#define CL_BACKDOOR_NEAR_FAR_PC            0x80 /* ro */
#define CL_BACKDOOR_NEAR_FAR_DMA           0x84 /* ro */
#define CL_BACKDOOR_NEAR_FAR_DOWN_BYTES    0x88 /* ro */
#define CL_BACKDOOR_NEAR_FAR_UP_BYTES      0x8c /* ro */
#define CL_BACKDOOR_NEAR_FAR_DMA_CYCLES    0x90 /* ro */
#define CL_BACKDOOR_NEAR_DOWN_BYTES        0x94 /* ro */
#define CL_BACKDOOR_NEAR_UP_BYTES          0x98 /* ro */
#define CL_BACKDOOR_NEAR_WINDOW_BASE       0xa0 /* rw */
#define CL_BACKDOOR_NEAR_WINDOW            0xa4 /* rw */
#define CL_BACKDOOR_NEAR_WINDOW_WORDS      0xa8 /* ro */

#define CL_BACKDOOR_FAR_ID                 0x00 /* ro */
#define CL_BACKDOOR_FAR_SIZE               0x04 /* ro */
#define CL_BACKDOOR_FAR_MEMORY             0x08 /* ro */
#define CL_BACKDOOR_FAR_ERROR              0x10 /* rc */
#define CL_BACKDOOR_FAR_BELL_RING          0x20 /* wo */
#define CL_BACKDOOR_FAR_BELL_PENDING       0x24 /* ro */
#define CL_BACKDOOR_FAR_BELL_CLEAR         0x28 /* wo */
#define CL_BACKDOOR_FAR_BELL_TAKE          0x34 /* ro */
#define CL_BACKDOOR_FAR_BELL_ENABLE        0x2c /* rw */
#define CL_BACKDOOR_FAR_MAIL_SEND          0x40 /* wo */
#define CL_BACKDOOR_FAR_MAIL_RECEIVE       0x44 /* ro */
#define CL_BACKDOOR_FAR_MAIL_COUNT         0x48 /* ro */
#define CL_BACKDOOR_FAR_WORD               0x60 /* rw */
#define CL_BACKDOOR_FAR_NEAR_WORD          0x70 /* ro */
#define CL_BACKDOOR_FAR_DMA_LIST           0x80 /* wo */
#define CL_BACKDOOR_FAR_DMA_STATUS         0x84 /* ro */
#define CL_BACKDOOR_FAR_DMA_CLEAR          0x88 /* wo */
#define CL_BACKDOOR_FAR_DMA_ENABLE         0x8c /* rw */
#define CL_BACKDOOR_FAR_DMA_CRC            0x90 /* rw */
#define CL_BACKDOOR_FAR_DOWN_BYTES         0x94 /* ro */
#define CL_BACKDOOR_FAR_UP_BYTES           0x98 /* ro */
#define CL_BACKDOOR_FAR_DMA_CYCLES         0x9c /* ro */
#define CL_BACKDOOR_FAR_BUS_ERROR          0xa0 /* ro */
#define CL_BACKDOOR_FAR_BUS_ERROR_CLEAR    0xa4 /* wo */
#define CL_BACKDOOR_FAR_BUS_ERROR_ADDRESS  0xa8 /* ro */
#define CL_BACKDOOR_FAR_BUS_ERROR_PC       0xac /* ro */
#define CL_BACKDOOR_FAR_WINDOW             0xb0 /* ro */
#define CL_BACKDOOR_FAR_WINDOW_OFFSET      0xb4 /* rw */
#define CL_BACKDOOR_FAR_WINDOW_BLOCK       0xb8 /* rw */
#define CL_BACKDOOR_FAR_WINDOW_START       0xbc /* wo */
#define CL_BACKDOOR_FAR_WINDOW_STATUS      0xc0 /* ro */

#define CL_BACKDOOR_DMA_OP_DOWN            0 /* from the down block to the local memory */
#define CL_BACKDOOR_DMA_OP_UP              1 /* from the local memory to the up block */
#define CL_BACKDOOR_DMA_OP_CHECK           2 /* reads the down block for dma_crc only */

#define CL_BACKDOOR_DMA_ERROR_NONE         0 /* no error */
#define CL_BACKDOOR_DMA_ERROR_MEMORY       1 /* the local address is not a word address in the local memory, or the transfer runs past its end; nothing was moved */
#define CL_BACKDOOR_DMA_ERROR_BLOCK        2 /* the offset is not a word offset in the block, or the transfer runs past its end; nothing was moved */
#define CL_BACKDOOR_DMA_ERROR_LIST         3 /* a descriptor is outside the local memory or not word-aligned */
#define CL_BACKDOOR_DMA_ERROR_OP           4 /* no such operation */

#define CL_BACKDOOR_WINDOW_ERROR_NONE      0 /* no error */
#define CL_BACKDOOR_WINDOW_ERROR_WINDOW    1 /* the window is closed, the offset is not a word offset, or the transfer leaves the window; nothing was moved */
#define CL_BACKDOOR_WINDOW_ERROR_WRITE     2 /* a transfer into a window that is not writable; nothing was moved */
#define CL_BACKDOOR_WINDOW_ERROR_BLOCK     3 /* the offset in the block is not a word offset, or the transfer leaves the block; nothing was moved */
#define CL_BACKDOOR_WINDOW_ERROR_CUT       4 /* the window was changed or closed during the transfer; a part was moved */
#define CL_BACKDOOR_WINDOW_ERROR_MEMORY    5 /* nothing answers on the bus of processor 0 at an address of the window; a part was moved */

#define CL_BACKDOOR_COMMAND_NONE           0 /* nothing yet */
#define CL_BACKDOOR_COMMAND_LOAD           1 /* check and load the image at the start of the down block; word 1: its size in bytes */
#define CL_BACKDOOR_COMMAND_START          2 /* run the program with the argument in the area of the down block: its length in a word, then its bytes; word 1: limit in cycles of processor 1, 0 for none. Both sides start with ring counters of 0 */

#define CL_BACKDOOR_STATE_HELD             0 /* held, or the loader is still starting */
#define CL_BACKDOOR_STATE_READY            1 /* the loader waits for an image */
#define CL_BACKDOOR_STATE_LOADED           2 /* the loader waits for start */
#define CL_BACKDOOR_STATE_RUNNING          3 /* the program runs; word 1: the cycle of processor 1 in which it started */
#define CL_BACKDOOR_STATE_DONE             4 /* the program has ended; word 1: its exit status */
#define CL_BACKDOOR_STATE_FAULT            5 /* the program was ended by a fault; word 1: the cause, see causes */
#define CL_BACKDOOR_STATE_LIMIT            6 /* the program was ended at its limit */
#define CL_BACKDOOR_STATE_REFUSED          7 /* the command was not carried out; word 1: the reason, see reasons */

#define CL_BACKDOOR_REASON_NONE            0 /* no reason */
#define CL_BACKDOOR_REASON_COMMAND         1 /* no such command, or not allowed in this state */
#define CL_BACKDOOR_REASON_MAGIC           2 /* not an image: its first word is not image_word */
#define CL_BACKDOOR_REASON_TRUNCATED       3 /* the image is shorter than its header says, or an ELF header or segment runs past its end */
#define CL_BACKDOOR_REASON_CRC             4 /* the CRC-32 does not match the header */
#define CL_BACKDOOR_REASON_ELF             5 /* not a 32-bit little-endian ELF file */
#define CL_BACKDOOR_REASON_MACHINE         6 /* not for RISC-V */
#define CL_BACKDOOR_REASON_KIND            7 /* not an executable */
#define CL_BACKDOOR_REASON_SEGMENTS        8 /* no segment, or more than 8 program headers */
#define CL_BACKDOOR_REASON_MEMORY          9 /* a segment is not inside the local memory below the loader */
#define CL_BACKDOOR_REASON_OVERLAP         10 /* two segments overlap */
#define CL_BACKDOOR_REASON_ALIGNMENT       11 /* a segment is not word-aligned, in the file or in memory */
#define CL_BACKDOOR_REASON_ENTRY           12 /* the entry point is not in an executable segment */
#define CL_BACKDOOR_REASON_ARGUMENT        13 /* the argument is longer than its area */

#define CL_BACKDOOR_CAUSE_NONE             0 /* no fault */
#define CL_BACKDOOR_CAUSE_FETCH            1 /* instruction fetch from an unmapped or misaligned address */
#define CL_BACKDOOR_CAUSE_ILLEGAL          2 /* illegal instruction */
#define CL_BACKDOOR_CAUSE_BREAKPOINT       3 /* ebreak; on the economy core as illegal */
#define CL_BACKDOOR_CAUSE_LOAD             4 /* load from an unmapped address */
#define CL_BACKDOOR_CAUSE_STORE            5 /* store to an unmapped address */
#define CL_BACKDOOR_CAUSE_ALIGNMENT        6 /* misaligned access (economy core) */
#define CL_BACKDOOR_CAUSE_CALL             7 /* ecall; on the economy core as illegal */
#define CL_BACKDOOR_CAUSE_ACCESS           8 /* fetch, load or store at an unmapped address (economy core) */

#define CL_BACKDOOR_IMAGE_AT_MAGIC         0 /* image_word */
#define CL_BACKDOOR_IMAGE_AT_BYTES         1 /* size of the ELF file, a multiple of 4 */
#define CL_BACKDOOR_IMAGE_AT_CRC           2 /* CRC-32 of the ELF file */
#define CL_BACKDOOR_IMAGE_AT_STACK_BYTES   3 /* minimum stack size of the program */
#define CL_BACKDOOR_IMAGE_WORDS            4

#define CL_BACKDOOR_REPORT_AT_STATE        0 /* as in word 0 */
#define CL_BACKDOOR_REPORT_AT_DETAIL       1 /* as in word 1 */
#define CL_BACKDOOR_REPORT_AT_PC           2 /* after a fault or limit: pc of the instruction; else 0 */
#define CL_BACKDOOR_REPORT_AT_ADDRESS      3 /* after a faulting access: its address; else 0 */
#define CL_BACKDOOR_REPORT_AT_CYCLES       4 /* cycles of processor 1 that the program ran, modulo 2^32 */
#define CL_BACKDOOR_REPORT_AT_RESULT_BYTES 5 /* size of the result, which is at area_bytes of the up block; 0: no result */
#define CL_BACKDOOR_REPORT_AT_LOG_BYTES    6 /* size of the log, which follows the report; what did not fit is dropped */
#define CL_BACKDOOR_REPORT_AT_LOG_LOST     7 /* bytes of the log that did not fit */
#define CL_BACKDOOR_REPORT_AT_CRC          8 /* CRC-32 of the result, including the padding of its last word */
#define CL_BACKDOOR_REPORT_WORDS           9

#define CL_BACKDOOR_NEAR_BASE              0xe2000000u
#define CL_BACKDOOR_DOWN_OFFSET            0x100000u
#define CL_BACKDOOR_UP_OFFSET              0x200000u
#define CL_BACKDOOR_FAR_BASE               0xf0300000u
#define CL_BACKDOOR_ID_WORD                0x434c4244u
#define CL_BACKDOOR_WORDS                  0x4u
#define CL_BACKDOOR_LINE                   0x4u
#define CL_BACKDOOR_ROM_BASE               0x10000000u
#define CL_BACKDOOR_MEMORY_BASE            0x40000000u
#define CL_BACKDOOR_LOADER_BYTES           0x1000u
#define CL_BACKDOOR_IMAGE_WORD             0x49524c43u
#define CL_BACKDOOR_AREA_BYTES             0x400u
#define CL_BACKDOOR_REPORT_BYTES           0x40u
#define CL_BACKDOOR_DOORBELL               0x0u

#endif /* CL_BACKDOOR_REGS_H */
