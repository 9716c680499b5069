/* SPDX-License-Identifier: Apache-2.0
 *
 * Processor 1 behind a Back-Door, for programs on processor 0: load a program there, start and stop it, get its result
 * and log, and exchange words, messages and bells with it while it runs. Modelled on Linux remoteproc. Part of
 * coreloom.h; coreloom_far.h is the API of the program there.
 *
 * Functions return 0 or an error number. Each waits for processor 1 for at most remote_patience cycles (ETIMEDOUT),
 * first polling, then asleep, so that other threads run. Whatever processor 1 does, remote_stop and remote_load recover
 * it.
 * Threads may call concurrently; calls are serialised except while they wait. A stream has one sender and one receiver.
 * When a stop or a load ends the program, calls that wait for it return EPIPE.
 * ENODEV: the platform has no Back-Door. */
#ifndef CORELOOM_REMOTE_H
#define CORELOOM_REMOTE_H

#include <stddef.h>
#include <stdint.h>

#ifndef CL_BACKDOOR
#define CL_BACKDOOR 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The image of far_main, built from the same sources if they define it. */
extern const uint32_t remote_image[];
extern const size_t remote_image_bytes;

enum {
  REMOTE_HELD,    /* in reset, or starting its loader */
  REMOTE_READY,   /* its loader waits for an image */
  REMOTE_LOADED,  /* its loader waits for remote_start */
  REMOTE_RUNNING,
  REMOTE_DONE,    /* the program has returned */
  REMOTE_FAULT,   /* the program was ended by a fault */
  REMOTE_LIMIT,   /* the program was ended at its limit */
  REMOTE_REFUSED, /* the image was refused */
  REMOTE_SILENT,  /* a call has timed out, and processor 1 has not responded since */
};

struct remote_status {
  int state;        /* REMOTE_HELD ... */
  uint32_t detail;  /* DONE: exit status. FAULT: cause. REFUSED: reason. Else 0 */
  uint32_t pc;      /* FAULT, LIMIT: of the instruction. HELD: when it was held. Else 0 */
  uint32_t address; /* FAULT of an access: its address */
  uint32_t cycles;  /* cycles of processor 1 that the program ran */
  size_t result_bytes, log_bytes;
  uint32_t bells_merged; /* bells that arrived at processor 0 while pending, including bell 0; at most 65535 */
};

/* Resets processor 1 and has its loader load an image (word aligned). EFBIG: larger than the Back-Door's block, nothing
 * is written. ENOEXEC: refused, the status has the reason, nothing is loaded. EINVAL: not whole words. */
int remote_load(const void *image, size_t bytes);
/* EINVAL: no program is loaded (a loaded program runs once). EMSGSIZE: an argument of more than 1020 bytes.
 * limit_cycles: time limit in cycles of processor 1; 0: none. */
int remote_start(const void *argument, size_t bytes, uint32_t limit_cycles);
/* Holds it in reset. EIO: it is held, but a transfer was interrupted and is incomplete. ETIMEDOUT: its clock is
 * stopped; it will be held when the clock runs again. */
int remote_stop(void);
int remote_status(struct remote_status *status); /* never waits */
int remote_wait(void); /* until the program has ended, in any way. EINVAL: none was started */

/* After its end. EBUSY: it still runs. EINVAL: none was run. EMSGSIZE: larger than room; *bytes is the size.
 * EIO: its CRC is wrong. */
int remote_result(void *to, size_t room, size_t *bytes);
int remote_log(char *to, size_t room); /* text, NUL-terminated; cut if EMSGSIZE */

/* Streams of any length, of whole words at word addresses (EINVAL). EPIPE: the program has ended and, for receive, all
 * it sent has been taken. After ETIMEDOUT or EPIPE part of the words may have been transferred. */
int remote_send(const void *words, size_t bytes);
int remote_receive(void *words, size_t bytes);

/* Mailbox of the platform's mail_depth words in each direction; never waits. EAGAIN: full, empty. EPIPE: it is held. */
int remote_post(uint32_t message);
int remote_take(uint32_t *message);

/* Bells 1 to 31, one bit each; bell 0 is used by the protocol. A bell that rings while pending stays one bell.
 * EINVAL: bell 0, or none. EPIPE: it is held. */
int remote_ring(uint32_t bells);
uint32_t remote_bells(void); /* takes and returns the pending bells */
/* Installs `handler`, called in the interrupt with the bells that it takes; NULL removes it. It may call what
 * coreloom_ipc.h allows in handlers (of the kernel only sem_post_handler_np), and remote_ring, _post and _take. A flood
 * of bells that would starve everything else disables it until the next call of another function here; the bells stay
 * pending. */
int remote_bell_handler_np(void (*handler)(uint32_t bells));

/* Window: memory of processor 0 that the program there reads and, if `writable`, writes by DMA (far_read, far_write),
 * without work of processor 0. It may be memory of the heap or of cl_input and cl_output, or variables declared with
 * REMOTE_WINDOW; all else, such as code, stacks and the kernel's data, is closed. The hardware refuses each access outside.
 * There is one window; a stop, a load and remote_window_close close it, in the cycle of its store at the latest.
 * EINVAL: no or not whole words. EFAULT: not in the memory. EACCES: some of it is closed. EBUSY: a window is open. EPIPE:
 * processor 1 is held. An error changes nothing. */
#define REMOTE_WINDOW __attribute__((section(".bss.window"), aligned(4)))
int remote_window_open(void *memory, size_t bytes, int writable);
int remote_window_close(void);

void remote_patience(uint32_t cycles); /* default 100 000 000 */

const char *remote_reason_text(uint32_t reason);
const char *remote_cause_text(uint32_t cause);

#ifdef __cplusplus
}
#endif

#endif
