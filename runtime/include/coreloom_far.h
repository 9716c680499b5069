/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of processor 1 behind a Back-Door. It has its local memory, and nothing else but what is here: no threads,
 * console or heap. printf goes to the log. What processor 0 does with it is in coreloom_remote.h.
 *
 * Functions that return int return 0 or an error number. Waits have no limit but the program's own: who waits for ever
 * is ended by that, or stopped. */
#ifndef CORELOOM_FAR_H
#define CORELOOM_FAR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program, of which processor 0 has the exit status. argument: word aligned, at most 1020 bytes. */
int far_main(const void *argument, size_t bytes);

/* Streams, moved by DMA: whole words at word addresses (EINVAL) in the local memory (EFAULT: they are not; nothing of
 * that part was moved). far_send returns when the words are in the Back-Door, far_receive when they are all here.
 * EPIPE: far_send after far_result. */
int far_send(const void *words, size_t bytes);
int far_receive(void *words, size_t bytes);
/* The result, by which an earlier one is replaced; the last that a program sends: waits until processor 0 has taken the
 * stream. EMSGSIZE: larger than the block less 1024 bytes. EINVAL: not at a word. */
int far_result(const void *data, size_t bytes);
void far_log(const char *text); /* up to 960 bytes a program; what does not fit is counted */

/* Mailbox. EAGAIN: full, empty. */
int far_post(uint32_t message);
int far_take(uint32_t *message);

/* Bells 1 to 31, a bit each; a bell that rings while it is pending stays one bell. Bell 0 is the protocol's. */
void far_ring(uint32_t bells);
uint32_t far_bells(void); /* takes those that rang */
/* Has bells call `handler`, in an interrupt, with those that it takes; NULL: none. */
int far_bell_handler(void (*handler)(uint32_t bells));

uint32_t far_cycle(void); /* of processor 1, modulo 2^32 */

#ifdef __cplusplus
}
#endif

#endif
