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

/* --- Window --- */

/* Words of a transfer: half of the area before each ring, which is free while a program runs. One half is filled while
 * the other is emptied. */
#define PIECE (CL_BACKDOOR_AREA_BYTES / 8)

static inline uint32_t half(uint32_t piece) { return piece % 2 * 4 * PIECE; }

size_t far_window(int *writable) {
  uint32_t window = cl_far_read(CL_BACKDOOR_FAR_WINDOW);
  if (writable) *writable = window >> CL_BACKDOOR_WINDOW_WORD_WRITABLE_LSB & 1;
  return window & ~3u;
}

static int check(const void *local, size_t offset, size_t bytes, int writes) {
  int writable;
  size_t size = far_window(&writable);
  if (is_unaligned(local, offset | bytes)) return EINVAL;
  if (!size || offset > size || bytes > size - offset) return EFAULT;
  return writes && !writable ? EACCES : 0;
}

static inline uint32_t piece_of(size_t left) { return left < PIECE ? (uint32_t)left : PIECE; }

static void window_start(uint32_t piece, size_t offset, uint32_t words, uint32_t up) {
  cl_far_write(CL_BACKDOOR_FAR_WINDOW_OFFSET, (uint32_t)offset + 4 * PIECE * piece);
  cl_far_write(CL_BACKDOOR_FAR_WINDOW_BLOCK, half(piece));
  cl_far_write(CL_BACKDOOR_FAR_WINDOW_START, words | up << CL_BACKDOOR_WINDOW_START_WORD_UP_LSB);
}

/* Until the transfer has ended. */
static int window_wait(void) {
  uint32_t status;
  do status = cl_far_read(CL_BACKDOOR_FAR_WINDOW_STATUS);
  while (status >> CL_BACKDOOR_WINDOW_STATUS_WORD_BUSY_LSB & CL_BACKDOOR_WINDOW_STATUS_WORD_BUSY_MASK);
  switch (status >> CL_BACKDOOR_WINDOW_STATUS_WORD_ERROR_LSB & CL_BACKDOOR_WINDOW_STATUS_WORD_ERROR_MASK) {
    case CL_BACKDOOR_WINDOW_ERROR_NONE: return 0;
    case CL_BACKDOOR_WINDOW_ERROR_WRITE: return EACCES;
    case CL_BACKDOOR_WINDOW_ERROR_CUT: return ECANCELED;
    default: return EFAULT;
  }
}

int far_read(void *to, size_t offset, size_t bytes) {
  uint32_t *words = to;
  size_t left = bytes / 4;
  int status = check(to, offset, bytes, 0);
  if (status || !left) return status;
  uint32_t now = piece_of(left);
  window_start(0, offset, now, 0);
  for (uint32_t piece = 0;; piece++, words += PIECE) {
    status = window_wait();
    if (status) return status;
    left -= now;
    uint32_t next = piece_of(left);
    if (next) window_start(piece + 1, offset, next, 0);
    if (cl_far_dma(CL_BACKDOOR_DMA_OP_DOWN, now, cl_far_address(words), half(piece))) status = EFAULT;
    if (!next) return status;
    if (status) {
      window_wait(); /* nothing is under way when this returns */
      return status;
    }
    now = next;
  }
}

int far_write(size_t offset, const void *from, size_t bytes) {
  const uint32_t *words = from;
  int status = check(from, offset, bytes, 1);
  if (status) return status;
  size_t left = bytes / 4;
  for (uint32_t piece = 0, now; left && !status; piece++, words += PIECE, left -= now) {
    now = piece_of(left);
    uint32_t error = cl_far_dma(CL_BACKDOOR_DMA_OP_UP, now, cl_far_address(words), half(piece));
    if (piece) status = window_wait();
    if (error) return status ? status : EFAULT;
    if (!status) window_start(piece, offset, now, 1);
  }
  return status || !bytes ? status : window_wait();
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
