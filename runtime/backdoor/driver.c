/* SPDX-License-Identifier: Apache-2.0
 *
 * The near side of a Back-Door. Everything that processor 1 sends is checked before use: its counters, report and state
 * may be corrupted by a faulty program. */
#include <errno.h>
#include <string.h>

#include "cl_backdoor.h"

#define FIELD(word, layout) ((word) >> CL_BACKDOOR_##layout##_LSB & CL_BACKDOOR_##layout##_MASK)
#define PROTOCOL (1u << CL_BACKDOOR_DOORBELL)
#define PUBLISH 256u /* words of a stream per counter update: the other side processes them meanwhile */
#define CHUNK 16u

enum { STATE, DETAIL, UP_FILLED, DOWN_FREED };     /* words of processor 1 */
enum { COMMAND, PARAMETER, DOWN_FILLED, UP_FREED }; /* of this side */

static inline uint32_t read(const struct cl_backdoor *door, uint32_t offset) {
  return door->mmio->read(door->mmio, offset);
}

static inline void write(const struct cl_backdoor *door, uint32_t offset, uint32_t word) {
  door->mmio->write(door->mmio, offset, word);
}

static inline uint32_t far_word(const struct cl_backdoor *door, unsigned n) {
  return read(door, CL_BACKDOOR_NEAR_FAR_WORD + 4 * n);
}

static inline void set_word(const struct cl_backdoor *door, unsigned n, uint32_t word) {
  write(door, CL_BACKDOOR_NEAR_WORD + 4 * n, word);
}

static inline int is_awake(const struct cl_backdoor *door) {
  return FIELD(read(door, CL_BACKDOOR_NEAR_STATUS), STATUS_WORD_RUNNING);
}

static inline uint32_t state_of(const struct cl_backdoor *door) {
  return FIELD(far_word(door, STATE), COMMAND_WORD_CODE);
}

static inline int has_ended(uint32_t state) {
  return state == CL_BACKDOOR_STATE_DONE || state == CL_BACKDOOR_STATE_FAULT || state == CL_BACKDOOR_STATE_LIMIT;
}

static inline int is_unaligned(const void *address, size_t bytes) { return ((uintptr_t)address | bytes) % 4 != 0; }

/* --- Waiting --- */

struct wait {
  uint32_t since, epoch;
  unsigned looks;
  int late;
};

static inline struct wait begin(const struct cl_backdoor *door) {
  return (struct wait){.since = door->mmio->time(door->mmio), .epoch = door->epoch};
}

/* The condition does not hold yet. Returns 0 to poll again. The last poll always comes after the time limit. */
static int again(struct cl_backdoor *door, struct wait *wait) {
  if (wait->late) {
    door->silent = 1;
    for (unsigned n = 0; n < CL_BACKDOOR_WORDS; n++) door->silent_words[n] = far_word(door, n);
    return ETIMEDOUT;
  }
  uint32_t passed = door->mmio->time(door->mmio) - wait->since;
  if (passed < door->patience) door->mmio->wait(door->mmio, wait->looks++, door->patience - passed);
  else wait->late = 1;
  return wait->epoch == door->epoch ? 0 : EPIPE;
}

static int is_silent(const struct cl_backdoor *door) {
  if (!door->silent) return 0;
  for (unsigned n = 0; n < CL_BACKDOOR_WORDS; n++)
    if (far_word(door, n) != door->silent_words[n]) return 0;
  return 1;
}

/* --- Processor 1 --- */

int cl_backdoor_open(struct cl_backdoor *door, const struct cl_mmio *mmio, uint32_t patience) {
  *door = (struct cl_backdoor){.mmio = mmio, .patience = patience};
  if (read(door, CL_BACKDOOR_NEAR_ID) != CL_BACKDOOR_ID_WORD) return ENODEV;
  door->block_bytes = read(door, CL_BACKDOOR_NEAR_SIZE);
  door->ring_words = (door->block_bytes - CL_BACKDOOR_AREA_BYTES) / 4;
  return 0;
}

int cl_backdoor_hold(struct cl_backdoor *door) {
  door->epoch++;
  write(door, CL_BACKDOOR_NEAR_CONTROL, 0);
  struct wait wait = begin(door);
  while (is_awake(door)) {
    int status = again(door, &wait);
    if (status) return status;
  }
  door->silent = 0;
  uint32_t held = CL_BACKDOOR_NEAR_ERROR_WORD_HELD_MASK << CL_BACKDOOR_NEAR_ERROR_WORD_HELD_LSB;
  if (!(read(door, CL_BACKDOOR_NEAR_ERROR) & held)) return 0;
  write(door, CL_BACKDOOR_NEAR_ERROR, held);
  return EIO;
}

int cl_backdoor_release(struct cl_backdoor *door) {
  if (read(door, CL_BACKDOOR_NEAR_CONTROL) || is_awake(door)) return EINVAL;
  for (unsigned n = 0; n < CL_BACKDOOR_WORDS; n++) set_word(door, n, 0); /* no command */
  door->number = 0;
  write(door, CL_BACKDOOR_NEAR_BELL_CLEAR, ~0u);
  write(door, CL_BACKDOOR_NEAR_BELL_MERGED, 0);
  write(door, CL_BACKDOOR_NEAR_CONTROL, 1);
  struct wait wait = begin(door);
  while (state_of(door) != CL_BACKDOOR_STATE_READY) {
    int status = again(door, &wait);
    if (status) return status;
  }
  return 0;
}

/* Send a command and wait for its answer, the resulting state. */
static int command(struct cl_backdoor *door, uint32_t code, uint32_t parameter, uint32_t *state) {
  door->number = (door->number + 1) & CL_BACKDOOR_COMMAND_WORD_NUMBER_MASK;
  uint32_t word = code << CL_BACKDOOR_COMMAND_WORD_CODE_LSB | door->number << CL_BACKDOOR_COMMAND_WORD_NUMBER_LSB;
  set_word(door, PARAMETER, parameter);
  set_word(door, COMMAND, word);
  write(door, CL_BACKDOOR_NEAR_BELL_RING, PROTOCOL);
  struct wait wait = begin(door);
  for (;;) {
    uint32_t answer = far_word(door, STATE);
    *state = FIELD(answer, COMMAND_WORD_CODE);
    if (FIELD(answer, COMMAND_WORD_NUMBER) == door->number) return 0;
    int status = again(door, &wait);
    if (status) return status;
  }
}

static int check_image(const struct cl_backdoor *door, const uint32_t *image, size_t bytes) {
  if (is_unaligned(image, bytes)) return EINVAL;
  return bytes > door->block_bytes ? EFBIG : 0;
}

int cl_backdoor_load(struct cl_backdoor *door, const uint32_t *image, size_t bytes) {
  int status = check_image(door, image, bytes);
  if (status) return status;
  uint32_t state = state_of(door);
  if (!is_awake(door) || state == CL_BACKDOOR_STATE_HELD || state == CL_BACKDOOR_STATE_RUNNING) return EINVAL;
  door->mmio->put(door->mmio, CL_BACKDOOR_DOWN_OFFSET, image, bytes / 4);
  status = command(door, CL_BACKDOOR_COMMAND_LOAD, (uint32_t)bytes, &state);
  if (status) return status;
  if (state == CL_BACKDOOR_STATE_LOADED) return 0;
  return state == CL_BACKDOOR_STATE_REFUSED ? ENOEXEC : EIO;
}

int cl_backdoor_boot(struct cl_backdoor *door, const uint32_t *image, size_t bytes) {
  int status = check_image(door, image, bytes);
  if (status) return status;
  status = cl_backdoor_hold(door);
  if (status && status != EIO) return status; /* an interrupted transfer is discarded */
  status = cl_backdoor_release(door);
  return status ? status : cl_backdoor_load(door, image, bytes);
}

static void put_bytes(const struct cl_backdoor *door, uint32_t offset, const char *from, size_t bytes) {
  while (bytes) {
    uint32_t words[CHUNK];
    size_t now = bytes < sizeof words ? bytes : sizeof words;
    words[(now - 1) / 4] = 0;
    memcpy(words, from, now);
    door->mmio->put(door->mmio, offset, words, (now + 3) / 4);
    offset += sizeof words;
    from += now;
    bytes -= now;
  }
}

int cl_backdoor_start(struct cl_backdoor *door, const void *argument, size_t bytes, uint32_t limit_cycles) {
  if (bytes > CL_BACKDOOR_ARGUMENT_MAX) return EMSGSIZE;
  uint32_t state = state_of(door);
  if (!is_awake(door) || state != CL_BACKDOOR_STATE_LOADED) return EINVAL;
  uint32_t length = (uint32_t)bytes;
  door->mmio->put(door->mmio, CL_BACKDOOR_DOWN_OFFSET, &length, 1);
  put_bytes(door, CL_BACKDOOR_DOWN_OFFSET + 4, argument, bytes);
  set_word(door, DOWN_FILLED, 0);
  set_word(door, UP_FREED, 0);
  door->filled = door->put_at = door->freed = door->get_at = 0;
  int status = command(door, CL_BACKDOOR_COMMAND_START, limit_cycles, &state);
  if (status) return status;
  return state == CL_BACKDOOR_STATE_RUNNING || has_ended(state) ? 0 : EIO;
}

/* --- Its report --- */

/* EIO: it does not match the state. */
static int report(const struct cl_backdoor *door, uint32_t word, uint32_t *words) {
  door->mmio->get(door->mmio, CL_BACKDOOR_UP_OFFSET, words, CL_BACKDOOR_REPORT_WORDS);
  int same = words[CL_BACKDOOR_REPORT_AT_STATE] == word &&
             words[CL_BACKDOOR_REPORT_AT_DETAIL] == far_word(door, DETAIL) &&
             words[CL_BACKDOOR_REPORT_AT_RESULT_BYTES] <= 4 * door->ring_words &&
             words[CL_BACKDOOR_REPORT_AT_LOG_BYTES] <= CL_BACKDOOR_AREA_BYTES - CL_BACKDOOR_REPORT_BYTES;
  return same ? 0 : EIO;
}

int cl_backdoor_status(struct cl_backdoor *door, struct cl_backdoor_status *status) {
  uint32_t word = far_word(door, STATE);
  *status = (struct cl_backdoor_status){
      .state = FIELD(word, COMMAND_WORD_CODE),
      .bells_merged = read(door, CL_BACKDOOR_NEAR_BELL_MERGED),
      .dma_error = FIELD(read(door, CL_BACKDOOR_NEAR_FAR_DMA), DMA_STATUS_WORD_ERROR),
  };
  if (!is_awake(door)) {
    status->state = CL_BACKDOOR_STATE_HELD;
    status->pc = read(door, CL_BACKDOOR_NEAR_FAR_PC);
    return 0;
  }
  if (status->state > CL_BACKDOOR_STATE_REFUSED || is_silent(door)) {
    status->state = CL_BACKDOOR_SILENT;
    return 0;
  }
  if (!has_ended(status->state) && status->state != CL_BACKDOOR_STATE_REFUSED) return 0;
  uint32_t words[CL_BACKDOOR_REPORT_WORDS];
  int error = report(door, word, words);
  if (error) return error;
  status->detail = words[CL_BACKDOOR_REPORT_AT_DETAIL];
  status->pc = words[CL_BACKDOOR_REPORT_AT_PC];
  status->address = words[CL_BACKDOOR_REPORT_AT_ADDRESS];
  status->cycles = words[CL_BACKDOOR_REPORT_AT_CYCLES];
  status->result_bytes = words[CL_BACKDOOR_REPORT_AT_RESULT_BYTES];
  status->log_bytes = words[CL_BACKDOOR_REPORT_AT_LOG_BYTES];
  status->log_lost = words[CL_BACKDOOR_REPORT_AT_LOG_LOST];
  return 0;
}

int cl_backdoor_wait(struct cl_backdoor *door) {
  struct wait wait = begin(door);
  for (;;) {
    uint32_t state = state_of(door);
    if (has_ended(state)) return 0;
    if (state != CL_BACKDOOR_STATE_RUNNING) return EINVAL;
    int status = again(door, &wait);
    if (status) return status;
  }
}

/* The report of a program that has ended. */
static int last_report(const struct cl_backdoor *door, uint32_t *words) {
  uint32_t word = far_word(door, STATE), state = FIELD(word, COMMAND_WORD_CODE);
  if (state == CL_BACKDOOR_STATE_RUNNING) return EBUSY;
  return has_ended(state) ? report(door, word, words) : EINVAL;
}

/* CRC-32 of the words. */
static uint32_t get_bytes(const struct cl_backdoor *door, uint32_t offset, char *to, size_t bytes) {
  uint32_t crc = 0;
  while (bytes) {
    uint32_t words[CHUNK];
    size_t now = bytes < sizeof words ? bytes : sizeof words, count = (now + 3) / 4;
    door->mmio->get(door->mmio, offset, words, count);
    crc = cl_backdoor_crc(crc, words, count);
    memcpy(to, words, now);
    offset += sizeof words;
    to += now;
    bytes -= now;
  }
  return crc;
}

int cl_backdoor_result(struct cl_backdoor *door, void *to, size_t room, size_t *bytes) {
  uint32_t words[CL_BACKDOOR_REPORT_WORDS];
  *bytes = 0;
  int status = last_report(door, words);
  if (status) return status;
  *bytes = words[CL_BACKDOOR_REPORT_AT_RESULT_BYTES];
  if (*bytes > room) return EMSGSIZE;
  uint32_t crc = get_bytes(door, CL_BACKDOOR_UP_OFFSET + CL_BACKDOOR_AREA_BYTES, to, *bytes);
  return crc == words[CL_BACKDOOR_REPORT_AT_CRC] ? 0 : EIO;
}

int cl_backdoor_log(struct cl_backdoor *door, char *to, size_t room) {
  uint32_t words[CL_BACKDOOR_REPORT_WORDS];
  if (!room) return EMSGSIZE;
  *to = 0;
  int status = last_report(door, words);
  if (status) return status;
  size_t bytes = words[CL_BACKDOOR_REPORT_AT_LOG_BYTES], fits = bytes < room ? bytes : room - 1;
  get_bytes(door, CL_BACKDOOR_UP_OFFSET + CL_BACKDOOR_REPORT_BYTES, to, fits);
  to[fits] = 0;
  return fits < bytes ? EMSGSIZE : 0;
}

/* --- Streams --- */

static inline uint32_t smaller(size_t a, uint32_t b) { return a < b ? (uint32_t)a : b; }

int cl_backdoor_send(struct cl_backdoor *door, const void *words, size_t bytes, size_t *done) {
  const uint32_t *from = words;
  size_t left = bytes / 4;
  int status = is_unaligned(words, bytes) ? EINVAL : 0;
  struct wait wait = begin(door);
  while (left && !status) {
    if (state_of(door) != CL_BACKDOOR_STATE_RUNNING) {
      status = EPIPE;
      break;
    }
    uint32_t room = door->ring_words - (door->filled - far_word(door, DOWN_FREED));
    if (!room) {
      status = again(door, &wait);
      continue;
    }
    if (room > door->ring_words) {
      status = EIO;
      break;
    }
    uint32_t now = smaller(smaller(left, room), door->ring_words - door->put_at);
    left -= now;
    for (uint32_t piece; now; now -= piece) {
      piece = smaller(now, PUBLISH);
      door->mmio->put(door->mmio, CL_BACKDOOR_DOWN_OFFSET + CL_BACKDOOR_AREA_BYTES + 4 * door->put_at, from, piece);
      from += piece;
      door->put_at += piece;
      set_word(door, DOWN_FILLED, door->filled += piece);
    }
    if (door->put_at == door->ring_words) door->put_at = 0;
    wait = begin(door);
  }
  *done = (size_t)((const char *)from - (const char *)words);
  return status;
}

int cl_backdoor_receive(struct cl_backdoor *door, void *words, size_t bytes, size_t *done) {
  uint32_t *to = words;
  size_t left = bytes / 4;
  int status = is_unaligned(words, bytes) ? EINVAL : 0;
  struct wait wait = begin(door);
  while (left && !status) {
    uint32_t state = state_of(door); /* read before the counter, which does not grow after the program's end */
    uint32_t there = far_word(door, UP_FILLED) - door->freed;
    if (state != CL_BACKDOOR_STATE_RUNNING && !(has_ended(state) && there)) {
      status = EPIPE;
      break;
    }
    if (!there) {
      status = again(door, &wait);
      continue;
    }
    if (there > door->ring_words) {
      status = EIO;
      break;
    }
    uint32_t now = smaller(smaller(left, there), door->ring_words - door->get_at);
    left -= now;
    for (uint32_t piece; now; now -= piece) {
      piece = smaller(now, PUBLISH);
      door->mmio->get(door->mmio, CL_BACKDOOR_UP_OFFSET + CL_BACKDOOR_AREA_BYTES + 4 * door->get_at, to, piece);
      to += piece;
      door->get_at += piece;
      set_word(door, UP_FREED, door->freed += piece);
    }
    if (door->get_at == door->ring_words) door->get_at = 0;
    wait = begin(door);
  }
  *done = (size_t)((char *)to - (char *)words);
  return status;
}

/* --- Messages and bells --- */

int cl_backdoor_post(struct cl_backdoor *door, uint32_t message) {
  uint32_t status = read(door, CL_BACKDOOR_NEAR_STATUS);
  if (!FIELD(status, STATUS_WORD_RUNNING)) return EPIPE;
  if (!FIELD(status, STATUS_WORD_MAIL_ROOM)) return EAGAIN;
  write(door, CL_BACKDOOR_NEAR_MAIL_SEND, message);
  return 0;
}

int cl_backdoor_take(struct cl_backdoor *door, uint32_t *message) {
  uint32_t status = read(door, CL_BACKDOOR_NEAR_STATUS);
  if (!FIELD(status, STATUS_WORD_RUNNING)) return EPIPE;
  if (!FIELD(status, STATUS_WORD_MAIL_WAITING)) return EAGAIN;
  *message = read(door, CL_BACKDOOR_NEAR_MAIL_RECEIVE);
  return 0;
}

int cl_backdoor_ring(struct cl_backdoor *door, uint32_t bells) {
  if (!bells || bells & PROTOCOL) return EINVAL;
  if (!is_awake(door)) return EPIPE;
  write(door, CL_BACKDOOR_NEAR_BELL_RING, bells);
  return 0;
}

uint32_t cl_backdoor_bells(struct cl_backdoor *door) {
  uint32_t bells = read(door, CL_BACKDOOR_NEAR_BELL_PENDING) & ~PROTOCOL;
  if (bells) write(door, CL_BACKDOOR_NEAR_BELL_CLEAR, bells);
  return bells;
}

/* --- Window --- */

int cl_backdoor_window_open(struct cl_backdoor *door, uint32_t base, uint32_t bytes, int writable) {
  if (!bytes || (base | bytes) % 4) return EINVAL;
  if (!is_awake(door)) return EPIPE;
  if (read(door, CL_BACKDOOR_NEAR_WINDOW)) return EBUSY;
  write(door, CL_BACKDOOR_NEAR_WINDOW_BASE, base);
  write(door, CL_BACKDOOR_NEAR_WINDOW, bytes | (uint32_t)!!writable << CL_BACKDOOR_WINDOW_WORD_WRITABLE_LSB);
  return 0;
}

void cl_backdoor_window_close(struct cl_backdoor *door) { write(door, CL_BACKDOOR_NEAR_WINDOW, 0); }

/* --- Tables --- */

uint32_t cl_backdoor_crc(uint32_t crc, const uint32_t *words, size_t count) {
  static const uint32_t table[16] = {
      0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
      0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
  };
  crc = ~crc;
  for (; count; count--) {
    crc ^= *words++;
    for (int nibble = 0; nibble < 8; nibble++) crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

const char *cl_backdoor_reason_text(uint32_t reason) {
  static const char *const texts[] = {
      [CL_BACKDOOR_REASON_NONE] = "no reason",
      [CL_BACKDOOR_REASON_COMMAND] = "command unknown or not allowed in this state",
      [CL_BACKDOOR_REASON_MAGIC] = "not an image",
      [CL_BACKDOOR_REASON_TRUNCATED] = "truncated",
      [CL_BACKDOOR_REASON_CRC] = "wrong CRC",
      [CL_BACKDOOR_REASON_ELF] = "not a 32-bit little-endian ELF file",
      [CL_BACKDOOR_REASON_MACHINE] = "not for RISC-V",
      [CL_BACKDOOR_REASON_KIND] = "not an executable",
      [CL_BACKDOOR_REASON_SEGMENTS] = "no segment, or too many",
      [CL_BACKDOOR_REASON_MEMORY] = "a segment is outside the local memory",
      [CL_BACKDOOR_REASON_OVERLAP] = "overlapping segments",
      [CL_BACKDOOR_REASON_ALIGNMENT] = "a segment is not word-aligned",
      [CL_BACKDOOR_REASON_ENTRY] = "the entry point is not in an executable segment",
      [CL_BACKDOOR_REASON_ARGUMENT] = "the argument is too long",
  };
  return reason < sizeof texts / sizeof *texts ? texts[reason] : "unknown reason";
}

const char *cl_backdoor_cause_text(uint32_t cause) {
  static const char *const texts[] = {
      [CL_BACKDOOR_CAUSE_NONE] = "no fault",
      [CL_BACKDOOR_CAUSE_FETCH] = "instruction fetch from an unmapped address",
      [CL_BACKDOOR_CAUSE_ILLEGAL] = "illegal instruction",
      [CL_BACKDOOR_CAUSE_BREAKPOINT] = "breakpoint",
      [CL_BACKDOOR_CAUSE_LOAD] = "load from an unmapped address",
      [CL_BACKDOOR_CAUSE_STORE] = "store to an unmapped address",
      [CL_BACKDOOR_CAUSE_ALIGNMENT] = "misaligned access",
      [CL_BACKDOOR_CAUSE_CALL] = "environment call",
      [CL_BACKDOOR_CAUSE_ACCESS] = "access to an unmapped address",
  };
  return cause < sizeof texts / sizeof *texts ? texts[cause] : "unknown cause";
}
