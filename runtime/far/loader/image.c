/* SPDX-License-Identifier: Apache-2.0
 *
 * ELF: Tool Interface Standard, Executable and Linking Format 1.2, with its numbers. Lengths are compared with the rest,
 * never added first: a sum could wrap around. */
#include "image.h"

#define HEADER_WORDS 13 /* of an ELF file */
#define SEGMENT_WORDS 8 /* of a program header */
#define LOADED 1u       /* type of a segment */
#define EXECUTABLE 1u   /* its flag */

/* Words of an ELF file's header: identification, then ... */
enum { MAGIC, FORMAT, TYPE_MACHINE = 4, VERSION, ENTRY, SEGMENTS_AT, SIZES = 10, SEGMENTS };
/* of a program header */
enum { TYPE, OFFSET, ADDRESS, FILE_BYTES = 4, MEMORY_BYTES, FLAGS };

static int is_inside(uint32_t at, uint32_t bytes, uint32_t begin, uint32_t end) {
  return at >= begin && at <= end && bytes <= end - at;
}

static uint32_t check_file(const uint32_t *header, uint32_t bytes) {
  if (header[MAGIC] != 0x464c457f || (header[FORMAT] & 0xffffff) != 0x010101 || header[VERSION] != 1)
    return CL_BACKDOOR_REASON_ELF; /* 32 bits, little-endian, version 1 */
  if (header[TYPE_MACHINE] >> 16 != 243) return CL_BACKDOOR_REASON_MACHINE;
  if ((header[TYPE_MACHINE] & 0xffff) != 2) return CL_BACKDOOR_REASON_KIND;
  uint32_t count = header[SEGMENTS] & 0xffff;
  if (header[SIZES] >> 16 != 4 * SEGMENT_WORDS || count == 0 || count > CL_IMAGE_SEGMENTS)
    return CL_BACKDOOR_REASON_SEGMENTS;
  if (!is_inside(header[SEGMENTS_AT], count * 4 * SEGMENT_WORDS, 0, bytes)) return CL_BACKDOOR_REASON_TRUNCATED;
  return header[SEGMENTS_AT] % 4 ? CL_BACKDOOR_REASON_ALIGNMENT : CL_BACKDOOR_REASON_NONE;
}

static uint32_t check_segment(const struct cl_image_source *source, const uint32_t *segment, uint32_t bytes) {
  uint32_t offset = segment[FILE_BYTES] ? segment[OFFSET] : 0; /* an empty segment may have any offset */
  if (!is_inside(offset, segment[FILE_BYTES], 0, bytes)) return CL_BACKDOOR_REASON_TRUNCATED;
  if (segment[FILE_BYTES] > segment[MEMORY_BYTES] ||
      !is_inside(segment[ADDRESS], segment[MEMORY_BYTES], source->memory, source->memory_end))
    return CL_BACKDOOR_REASON_MEMORY;
  if ((offset | segment[FILE_BYTES] | segment[ADDRESS] | segment[MEMORY_BYTES]) % 4)
    return CL_BACKDOOR_REASON_ALIGNMENT;
  return CL_BACKDOOR_REASON_NONE;
}

uint32_t cl_image_check(const struct cl_image_source *source, struct cl_image_plan *plan) {
  uint32_t record[CL_BACKDOOR_IMAGE_WORDS], header[HEADER_WORDS], reason;
  const uint32_t file = sizeof record; /* offset of the ELF file in the image */

  if (source->bytes > source->room || source->bytes < sizeof record) return CL_BACKDOOR_REASON_TRUNCATED;
  source->fetch(0, CL_BACKDOOR_IMAGE_WORDS, record);
  if (record[CL_BACKDOOR_IMAGE_AT_MAGIC] != CL_BACKDOOR_IMAGE_WORD) return CL_BACKDOOR_REASON_MAGIC;
  uint32_t bytes = record[CL_BACKDOOR_IMAGE_AT_BYTES];
  if (bytes > source->bytes - file || bytes < sizeof header || bytes % 4) return CL_BACKDOOR_REASON_TRUNCATED;
  if (source->crc(file, bytes / 4) != record[CL_BACKDOOR_IMAGE_AT_CRC]) return CL_BACKDOOR_REASON_CRC;

  source->fetch(file, HEADER_WORDS, header);
  reason = check_file(header, bytes);
  if (reason) return reason;

  uint32_t highest = source->memory;
  int has_entry = 0;
  plan->entry = header[ENTRY];
  plan->count = 0;
  for (uint32_t n = 0; n < (header[SEGMENTS] & 0xffff); n++) {
    uint32_t segment[SEGMENT_WORDS];
    source->fetch(file + header[SEGMENTS_AT] + n * sizeof segment, SEGMENT_WORDS, segment);
    if (segment[TYPE] != LOADED || (!segment[FILE_BYTES] && !segment[MEMORY_BYTES])) continue;
    reason = check_segment(source, segment, bytes);
    if (reason) return reason;
    uint32_t begin = segment[ADDRESS], end = begin + segment[MEMORY_BYTES];
    for (uint32_t other = 0; other < plan->count; other++)
      if (begin < plan->segments[other].address + plan->segments[other].memory_bytes &&
          plan->segments[other].address < end)
        return CL_BACKDOOR_REASON_OVERLAP;
    if (segment[FLAGS] & EXECUTABLE && is_inside(plan->entry, 4, begin, begin + segment[FILE_BYTES])) has_entry = 1;
    if (end > highest) highest = end;
    plan->segments[plan->count].offset = segment[FILE_BYTES] ? file + segment[OFFSET] : 0;
    plan->segments[plan->count].address = begin;
    plan->segments[plan->count].bytes = segment[FILE_BYTES];
    plan->segments[plan->count].memory_bytes = segment[MEMORY_BYTES];
    plan->count++;
  }
  if (!plan->count) return CL_BACKDOOR_REASON_SEGMENTS;
  if (record[CL_BACKDOOR_IMAGE_AT_STACK_BYTES] > source->memory_end - highest) return CL_BACKDOOR_REASON_MEMORY;
  return has_entry && plan->entry % 4 == 0 ? CL_BACKDOOR_REASON_NONE : CL_BACKDOOR_REASON_ENTRY;
}
