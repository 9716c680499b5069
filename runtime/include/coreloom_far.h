/* SPDX-License-Identifier: Apache-2.0
 *
 * API for a program on processor 1 behind a Back-Door. It has its local memory and the functions below, but no threads,
 * console or heap; printf writes to the log. coreloom_remote.h is the API of processor 0.
 *
 * Functions that return int return 0 or an error number. Waits have no time limit of their own: the program's limit or
 * a stop ends them. */
#ifndef CORELOOM_FAR_H
#define CORELOOM_FAR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program; its return value is the exit status for processor 0. argument: word aligned, at most 1020 bytes. */
int far_main(const void *argument, size_t bytes);

/* Streams, moved by DMA: whole words at word addresses (else EINVAL) in the local memory (else EFAULT; that part is not
 * moved). far_send returns when the words are in the Back-Door, far_receive when all have arrived.
 * EPIPE: far_send after far_result. */
int far_send(const void *words, size_t bytes);
int far_receive(void *words, size_t bytes);
/* Window that processor 0 has opened in its memory (remote_window_open): blocks of whole words at word addresses (else
 * EINVAL), moved by DMA without work of processor 0. EFAULT: not all in the window, or it is closed: nothing is moved; or
 * not in the local memory: that part is not moved. EACCES: far_write, and the window is not writable. ECANCELED: processor
 * 0 has closed it meanwhile; a part was moved. */
size_t far_window(int *writable); /* its bytes; 0: closed. writable may be NULL */
int far_read(void *to, size_t offset, size_t bytes);
int far_write(size_t offset, const void *from, size_t bytes);
/* Sets the result, replacing an earlier one. Call it after the last far_send: it waits until processor 0 has taken the
 * stream. EMSGSIZE: larger than the block less 1024 bytes. EINVAL: not word-aligned. */
int far_result(const void *data, size_t bytes);
void far_log(const char *text); /* up to 960 bytes per program; bytes that do not fit are counted */

/* Mailbox. EAGAIN: full, empty. */
int far_post(uint32_t message);
int far_take(uint32_t *message);

/* Bells 1 to 31, one bit each; a bell that rings while pending stays one bell. Bell 0 is used by the protocol. */
void far_ring(uint32_t bells);
uint32_t far_bells(void); /* takes and returns the pending bells */
/* Installs `handler`, called in an interrupt with the bells that it takes; NULL removes it. */
int far_bell_handler(void (*handler)(uint32_t bells));

uint32_t far_cycle(void); /* of processor 1, modulo 2^32 */

#ifdef __cplusplus
}
#endif

#endif
