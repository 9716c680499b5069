/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of coreloom_far.h. Waits have no time limit: the loader ends the program, or processor 0 holds it. */
#include <errno.h>
#include <string.h>

#include "cl_far.h"
#include "coreloom_far.h"

#define PROTOCOL (1u << CL_BACKDOOR_DOORBELL)
#define PUBLISH 512u /* words of a stream per DMA transfer: the other side processes the previous ones meanwhile */

enum { UP_FILLED = 2, DOWN_FREED };  /* words of this side */
enum { DOWN_FILLED = 2, UP_FREED };  /* of processor 0 */

static struct cl_far_page *page;
static uint32_t ring_words;
static struct stream {
  uint32_t count; /* words transferred, modulo 2^32 */
  uint32_t at;    /* position of the next in the ring */
} up, down;

int cl_start(const void *argument, size_t bytes, struct cl_far_page *loaders);
int cl_start(const void *argument, size_t bytes, struct cl_far_page *loaders) {
  page = loaders;
  up = down = (struct stream){0, 0};
  ring_words = (cl_far_read(CL_BACKDOOR_FAR_SIZE) - CL_BACKDOOR_AREA_BYTES) / 4;
  return far_main(argument, bytes);
}

static inline uint32_t near_word(unsigned n) { return cl_far_read(CL_BACKDOOR_FAR_NEAR_WORD + 4 * n); }

static inline int is_unaligned(const void *address, size_t bytes) { return ((uintptr_t)address | bytes) % 4 != 0; }

/* --- Streams --- */

/* Moves words between the ring and the memory; `there` are available. Updates word `n`. */
static int move(struct stream *stream, uint32_t op, unsigned n, const uint32_t **words, size_t *left, uint32_t there) {
  uint32_t now = there < *left ? there : (uint32_t)*left;
  if (now > ring_words - stream->at) now = ring_words - stream->at;
  if (now > PUBLISH) now = PUBLISH;
  if (cl_far_dma(op, now, cl_far_address(*words), CL_BACKDOOR_AREA_BYTES + 4 * stream->at)) return EFAULT;
  stream->at = stream->at + now == ring_words ? 0 : stream->at + now;
  stream->count += now;
  *words += now;
  *left -= now;
  cl_far_write(CL_BACKDOOR_FAR_WORD + 4 * n, stream->count);
  cl_far_write(CL_BACKDOOR_FAR_BELL_RING, PROTOCOL);
  return 0;
}

int far_send(const void *words, size_t bytes) {
  const uint32_t *from = words;
  size_t left = bytes / 4;
  int status = is_unaligned(words, bytes) ? EINVAL : page->program.result_bytes ? EPIPE : 0;
  while (left && !status) {
    uint32_t room = ring_words - (up.count - near_word(UP_FREED));
    if (room) status = move(&up, CL_BACKDOOR_DMA_OP_UP, UP_FILLED, &from, &left, room);
  }
  return status;
}

int far_receive(void *words, size_t bytes) {
  const uint32_t *to = words;
  size_t left = bytes / 4;
  int status = is_unaligned(words, bytes) ? EINVAL : 0;
  while (left && !status) {
    uint32_t there = near_word(DOWN_FILLED) - down.count;
    if (there) status = move(&down, CL_BACKDOOR_DMA_OP_DOWN, DOWN_FREED, &to, &left, there);
  }
  return status;
}

int far_result(const void *data, size_t bytes) {
  if (bytes > 4 * ring_words) return EMSGSIZE;
  if ((uintptr_t)data % 4) return EINVAL;
  while (near_word(UP_FREED) != up.count) continue;
  page->program.result_bytes = 0;
  cl_far_write(CL_BACKDOOR_FAR_DMA_CRC, 0);
  if (cl_far_dma(CL_BACKDOOR_DMA_OP_UP, (uint32_t)(bytes + 3) / 4, cl_far_address(data), CL_BACKDOOR_AREA_BYTES))
    return EFAULT;
  page->program.result_crc = cl_far_read(CL_BACKDOOR_FAR_DMA_CRC);
  page->program.result_bytes = (uint32_t)bytes;
  return 0;
}

void far_log(const char *text) {
  uint32_t bytes = (uint32_t)strlen(text), room = CL_FAR_LOG_BYTES - page->program.log_bytes;
  uint32_t fits = bytes < room ? bytes : room;
  memcpy(page->log + page->program.log_bytes, text, fits);
  page->program.log_bytes += fits;
  page->program.log_lost += bytes - fits;
}

/* --- Messages and bells --- */

static inline uint32_t mail(unsigned lsb) { return cl_far_read(CL_BACKDOOR_FAR_MAIL_COUNT) >> lsb & 0xff; }

int far_post(uint32_t message) {
  if (!mail(CL_BACKDOOR_MAIL_WORD_ROOM_LSB)) return EAGAIN;
  cl_far_write(CL_BACKDOOR_FAR_MAIL_SEND, message);
  return 0;
}

int far_take(uint32_t *message) {
  if (!mail(CL_BACKDOOR_MAIL_WORD_WAITING_LSB)) return EAGAIN;
  *message = cl_far_read(CL_BACKDOOR_FAR_MAIL_RECEIVE);
  return 0;
}

void far_ring(uint32_t bells) { cl_far_write(CL_BACKDOOR_FAR_BELL_RING, bells & ~PROTOCOL); }

uint32_t far_bells(void) {
  uint32_t bells = cl_far_read(CL_BACKDOOR_FAR_BELL_PENDING) & ~PROTOCOL;
  if (bells) cl_far_write(CL_BACKDOOR_FAR_BELL_CLEAR, bells);
  return bells;
}

/* The loader's interrupt entry takes the bells and calls it. */
int far_bell_handler(void (*handler)(uint32_t bells)) {
  cl_far_write(CL_BACKDOOR_FAR_BELL_ENABLE, 0);
#if defined(__riscv)
  __asm__ volatile("mv tp, %0" ::"r"(handler) : "memory");
#endif
  if (handler) cl_far_write(CL_BACKDOOR_FAR_BELL_ENABLE, ~PROTOCOL);
  return 0;
}

uint32_t far_cycle(void) { return cl_far_cycle(); }
