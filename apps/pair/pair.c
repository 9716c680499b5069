/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures a program alone and with both processors, and compares the results; README.md has the OUTPUT. */
#include "pair.h"

#include <coreloom.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"

enum { EXIT_DIFFERENT = 1, EXIT_FAILED = 3 };
enum { MAGIC = 0x52494150, PARTS = 4 };

struct output {
  uint32_t magic, size;
  uint32_t cycles_1, cycles_2;
  uint32_t serial_cycles, transfer_cycles;
  uint32_t words_down, words_up;
  uint32_t load_cycles;
  uint32_t crc_1, crc_2;
  uint32_t wait_cycles;
};

static struct part {
  const uint8_t *data;
  size_t bytes;
} parts[PARTS];
static unsigned part_count;

void pair_must(int error, const char *what) {
  if (error == 0) return;
  printf("%s: %s\n", what, strerror(error));
  cl_exit(EXIT_FAILED);
}

void pair_result(const void *data, size_t bytes) {
  pair_must(part_count == PARTS ? ENOMEM : 0, "pair_result");
  parts[part_count++] = (struct part){data, bytes};
}

uint32_t pair_cycle(void) { return cl_cycle(); }

/* CRC-32 (IEEE 802.3), four bits at a time. */
static uint32_t crc32(uint32_t crc, const uint8_t *data, size_t bytes) {
  static uint32_t table[16];
  for (unsigned i = 0; table[15] == 0 && i < 16; ++i) {
    uint32_t entry = i;
    for (unsigned bit = 0; bit < 4; ++bit) entry = entry >> 1 ^ (0xEDB88320u & (0u - (entry & 1)));
    table[i] = entry;
  }
  crc = ~crc;
  for (const uint8_t *const end = data + bytes; data != end; ++data) {
    crc ^= *data;
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

/* Returns the cycles of `work`, and those of its unsplit part in *serial. */
static uint32_t measure(uint32_t (*work)(void), uint32_t *serial) {
  part_count = 0;
  pair_prepare();
  const uint32_t begin = cl_cycle();
  *serial = work();
  return cl_cycle() - begin;
}

static uint32_t both(void) {
  pair_start();
  pair_near();
  return 0;
}

int main(void) {
  size_t room;
  struct output *const output = cl_output(&room);
  uint8_t *const result = (uint8_t *)(output + 1);
  uint32_t unused;
  *output = (struct output){.magic = MAGIC, .size = PAIR_SIZE};

  const uint32_t begin = cl_cycle();
  pair_open();
  output->load_cycles = cl_cycle() - begin;
  cl_ready();

  output->cycles_1 = measure(pair_alone, &output->serial_cycles);
  size_t length = 0;
  for (unsigned i = 0; i < part_count; ++i) {
    memcpy(result + length, parts[i].data, parts[i].bytes);
    length += parts[i].bytes;
  }
  output->crc_1 = crc32(0, result, length);
  cl_output_set_length(sizeof *output + length);

  output->cycles_2 = measure(both, &unused);
  output->transfer_cycles = pair_counts.transfer_cycles;
  output->wait_cycles = pair_counts.wait_cycles;
  output->words_down = pair_counts.words_down;
  output->words_up = pair_counts.words_up;
  pair_close();
  int different = 0;
  size_t at = 0;
  for (unsigned i = 0; i < part_count; at += parts[i++].bytes) {
    different |= memcmp(result + at, parts[i].data, parts[i].bytes) != 0;
    output->crc_2 = crc32(output->crc_2, parts[i].data, parts[i].bytes);
  }
  cl_done(PAIR_SIZE);

  const uint32_t hundredths = (uint32_t)((uint64_t)output->cycles_1 * 1000 / output->cycles_2 + 5) / 10;
  printf("%u cycles with one processor, %u with two: speed-up %u.%02u\n", (unsigned)output->cycles_1,
         (unsigned)output->cycles_2, (unsigned)(hundredths / 100), (unsigned)(hundredths % 100));
  if (different || at != length) {
    puts("error: the results with one and two processors differ");
    return EXIT_DIFFERENT;
  }
  return 0;
}
