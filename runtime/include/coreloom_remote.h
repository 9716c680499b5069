/* SPDX-License-Identifier: Apache-2.0
 *
 * Processor 1 behind a Back-Door, for programs of processor 0: load a program there, start and stop it, take its result
 * and log, and exchange words, messages and bells with it while it runs. After the model of Linux' remoteproc. Part of
 * coreloom.h; what the program itself uses is in coreloom_far.h.
 *
 * Functions return 0 or an error number. Each waits for processor 1 for remote_patience cycles at most (ETIMEDOUT),
 * first by looking, then asleep: other threads run meanwhile. Whatever processor 1 does, remote_stop and remote_load
 * get it back.
 * Threads may call at once: one call is inside at a time, but for those that wait. A stream has one sender and one
 * receiver. When a stop or a load takes the program away, calls that wait for it end with EPIPE.
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

/* The image of far_main, of the same sources; there if they define it. */
extern const uint32_t remote_image[];
extern const size_t remote_image_bytes;

enum {
  REMOTE_HELD,    /* in reset, or on the way to its loader */
  REMOTE_READY,   /* its loader waits for an image */
  REMOTE_LOADED,  /* it waits for remote_start */
  REMOTE_RUNNING,
  REMOTE_DONE,    /* the program has returned */
  REMOTE_FAULT,   /* it was ended by a fault */
  REMOTE_LIMIT,   /* it was ended at its limit */
  REMOTE_REFUSED, /* the image was refused */
  REMOTE_SILENT,  /* a call has given it up, and it has said nothing since */
};

struct remote_status {
  int state;        /* REMOTE_HELD ... */
  uint32_t detail;  /* DONE: exit status. FAULT: cause. REFUSED: reason. Else 0 */
  uint32_t pc;      /* FAULT, LIMIT: of the instruction. HELD: where it was then. Else 0 */
  uint32_t address; /* FAULT: where an access went, if it was one */
  uint32_t cycles;  /* of processor 1 that the program ran */
  size_t result_bytes, log_bytes;
  uint32_t bells_merged; /* bells that came to processor 0 while they were pending, up to 65535; with bell 0 */
};

/* Resets processor 1 and has its loader take an image (word aligned). EFBIG: larger than the Back-Door's block, nothing
 * is written. ENOEXEC: refused, the status says why, and nothing of it was written. EINVAL: not whole words. */
int remote_load(const void *image, size_t bytes);
/* EINVAL: nothing is loaded; a program runs once. EMSGSIZE: an argument of more than 1020 bytes. limit_cycles: of
 * processor 1, after which the program is ended; 0: none. */
int remote_start(const void *argument, size_t bytes, uint32_t limit_cycles);
/* Holds it in reset. EIO: it is, but in the middle of a transfer: what that moved is not whole. ETIMEDOUT: it does not
 * even answer that, so its clock stands still; it stays held when that goes on. */
int remote_stop(void);
int remote_status(struct remote_status *status); /* never waits */
int remote_wait(void);                           /* until the program has ended, in any way. EINVAL: none was started */

/* After its end. EBUSY: it still runs. EINVAL: there was none. EMSGSIZE: larger than room; *bytes says how large.
 * EIO: its CRC is wrong. */
int remote_result(void *to, size_t room, size_t *bytes);
int remote_log(char *to, size_t room); /* text, ended by 0; cut if EMSGSIZE */

/* Streams of any length, of whole words at word addresses (EINVAL). EPIPE: the program has ended, and, to receive, all
 * it sent is taken. After ETIMEDOUT or EPIPE part of the words may have gone through. */
int remote_send(const void *words, size_t bytes);
int remote_receive(void *words, size_t bytes);

/* Mailbox, of the platform's mail_depth words each way; never waits. EAGAIN: full, empty. EPIPE: it is held. */
int remote_post(uint32_t message);
int remote_take(uint32_t *message);

/* Bells 1 to 31, a bit each; bell 0 is the protocol's. A bell that rings while it is pending stays one bell.
 * EINVAL: bell 0, or none. EPIPE: it is held. */
int remote_ring(uint32_t bells);
uint32_t remote_bells(void); /* takes those that rang */
/* Has bells call `handler`, in the interrupt, with those that it takes; NULL: none. What handlers may do is said in
 * coreloom_ipc.h: of the kernel only sem_post_handler_np; of this header remote_ring, _post and _take. A flood, so many
 * bells that nothing else has time, turns it off until the next call of another function here; what rings stays
 * pending. */
int remote_bell_handler_np(void (*handler)(uint32_t bells));

void remote_patience(uint32_t cycles); /* default 100 000 000 */

const char *remote_reason_text(uint32_t reason);
const char *remote_cause_text(uint32_t cause);

#ifdef __cplusplus
}
#endif

#endif
