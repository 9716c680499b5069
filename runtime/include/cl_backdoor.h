/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver of the near side of a Back-Door (docs/reference/backdoor.md): portable C11 on a device that is given as
 * struct cl_mmio, without a kernel and without memory of its own. See runtime/backdoor/README.md.
 *
 * Functions return 0 or an error number of errno.h. Those that wait for processor 1 do so for `patience` cycles at
 * most; ETIMEDOUT says that it did not answer. One caller at a time; during mmio->wait another may call, and whoever
 * waits for a program that is then held ends with EPIPE. */
#ifndef CL_BACKDOOR_H
#define CL_BACKDOOR_H

#include <stddef.h>
#include <stdint.h>

#include "cl_backdoor_regs.h"
#include "cl_mmio.h"

struct cl_backdoor {
  const struct cl_mmio *mmio;
  uint32_t patience;           /* cycles; may be changed at any time */
  uint32_t block_bytes;        /* of each block */
  uint32_t number;             /* of the last command */
  uint32_t ring_words;         /* of each stream's ring */
  uint32_t filled, put_at;     /* stream down: words put in since start, place of the next in the ring */
  uint32_t freed, get_at;      /* stream up: words taken out, likewise */
  int silent;                  /* a call has given processor 1 up; its words then */
  uint32_t silent_words[CL_BACKDOOR_WORDS];
  uint32_t epoch;              /* holds of the program so far: a waiting thread sees by it that the program is new */
};

/* In addition to the states of backdoor.toml. */
#define CL_BACKDOOR_SILENT 8u /* it has not answered, and said nothing since */

struct cl_backdoor_status {
  uint32_t state;  /* CL_BACKDOOR_STATE_* or CL_BACKDOOR_SILENT */
  uint32_t detail; /* DONE: exit status. FAULT: CL_BACKDOOR_CAUSE_*. REFUSED: CL_BACKDOOR_REASON_*. Else 0 */
  uint32_t pc;     /* FAULT, LIMIT: of the instruction. HELD: where it was then. Else 0 */
  uint32_t address; /* FAULT: where the access went, if it was one */
  uint32_t cycles;  /* of processor 1 that the program ran */
  uint32_t result_bytes, log_bytes, log_lost;
  uint32_t bells_merged; /* doorbells of either side that came while they were pending, up to 65535 */
  uint32_t dma_error;    /* CL_BACKDOOR_DMA_ERROR_* of the last list of processor 1 */
};

/* ENODEV: it is no Back-Door. */
int cl_backdoor_open(struct cl_backdoor *door, const struct cl_mmio *mmio, uint32_t patience);

/* Holds processor 1 in reset, whatever it does. EIO: it is held, but its DMA was busy: what it moved is not whole.
 * ETIMEDOUT: it does not say that it is held (its clock stands still); it will be when it has a clock. */
int cl_backdoor_hold(struct cl_backdoor *door);

/* Lets it go, to its loader, and waits for that. EINVAL: it is not held. */
int cl_backdoor_release(struct cl_backdoor *door);

/* Has the loader take an image of `bytes`. EINVAL: the loader does not listen, or not whole words. EFBIG: larger than
 * the block; nothing is written. ENOEXEC: refused, the status says why. */
int cl_backdoor_load(struct cl_backdoor *door, const uint32_t *image, size_t bytes);

/* Hold, release and load: works whatever processor 1 does. EINVAL and EFBIG as for load; nothing is done then. */
int cl_backdoor_boot(struct cl_backdoor *door, const uint32_t *image, size_t bytes);

/* EINVAL: nothing is loaded. EMSGSIZE: the argument has more than CL_BACKDOOR_ARGUMENT_MAX bytes. */
#define CL_BACKDOOR_ARGUMENT_MAX (CL_BACKDOOR_AREA_BYTES - 4)
int cl_backdoor_start(struct cl_backdoor *door, const void *argument, size_t bytes, uint32_t limit_cycles);

/* Never waits. EIO: the report contradicts the state; state and bells_merged only are set then. */
int cl_backdoor_status(struct cl_backdoor *door, struct cl_backdoor_status *status);

/* Until no program runs. */
int cl_backdoor_wait(struct cl_backdoor *door);

/* The program's result. EBUSY: it still runs. EINVAL: none has run. EMSGSIZE: more than `room`; *bytes says how many.
 * EIO: the CRC is wrong. The log is text, ended by 0, cut and EMSGSIZE if it does not fit. */
int cl_backdoor_result(struct cl_backdoor *door, void *to, size_t room, size_t *bytes);
int cl_backdoor_log(struct cl_backdoor *door, char *to, size_t room);

/* Streams, of whole words at word addresses (EINVAL). EPIPE: no program runs, and, to receive, nothing of it is left.
 * EIO: its counters cannot be. *done says how many bytes went through in any case. */
int cl_backdoor_send(struct cl_backdoor *door, const void *words, size_t bytes, size_t *done);
int cl_backdoor_receive(struct cl_backdoor *door, void *words, size_t bytes, size_t *done);

/* Mailbox. EAGAIN: full, or empty. EPIPE: processor 1 is held. */
int cl_backdoor_post(struct cl_backdoor *door, uint32_t message);
int cl_backdoor_take(struct cl_backdoor *door, uint32_t *message);

/* Bells 1 to 31; bell 0 is the protocol's. Ring: EINVAL for bell 0 or none, EPIPE: processor 1 is held. */
int cl_backdoor_ring(struct cl_backdoor *door, uint32_t bells);
uint32_t cl_backdoor_bells(struct cl_backdoor *door); /* takes those that rang */

/* The window on the memory of processor 0: `bytes` from the bus address `base` on, which processor 1 may read by DMA, and
 * write if writable. A hold closes it. Whether the memory may be shown is for the caller to check. EINVAL: no or not whole
 * words. EPIPE: processor 1 is held. EBUSY: a window is open. */
int cl_backdoor_window_open(struct cl_backdoor *door, uint32_t base, uint32_t bytes, int writable);
/* From its return on, the hardware makes no access to the window; a transfer under way is cut. */
void cl_backdoor_window_close(struct cl_backdoor *door);

/* CRC-32 (IEEE 802.3) of words, of what has crc so far; 0 of nothing. */
uint32_t cl_backdoor_crc(uint32_t crc, const uint32_t *words, size_t count);

/* Short texts of codes. */
const char *cl_backdoor_reason_text(uint32_t reason);
const char *cl_backdoor_cause_text(uint32_t cause);

#endif
