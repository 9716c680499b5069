/* SPDX-License-Identifier: Apache-2.0
 *
 * The work of the applications without threads and messages, for its cost in cycles.
 * Built with -DIMAGE or without; logs one MARK for each row of the README's table: hundredths of cycles a unit. */
#include <coreloom.h>

static uint32_t spent, units;

static void report(void) { cl_mark((uint32_t)((uint64_t)spent * 100 / units)); }

#define TIMED(total, work)              \
  do {                                  \
    const uint32_t begin_ = cl_cycle(); \
    work;                               \
    (total) += cl_cycle() - begin_;     \
  } while (0)

#ifdef IMAGE

#include "../../../apps/image/qoi.c"
#include "../../../apps/image/smooth.c"

enum { ROWS = 60, GRAIN = 16, MAX_WIDTH = 256 };
static uint32_t rows[3][MAX_WIDTH], out[MAX_WIDTH];

int main(void) {
  static struct qoi qoi;
  size_t length;
  const uint8_t *const data = cl_input(&length);
  if (!qoi_open(&qoi, data, length) || qoi.width > MAX_WIDTH) {
    return 1;
  }
  uint32_t decode = 0, filter = 0;
  for (unsigned y = 0; y < ROWS; ++y) {
    uint32_t *const row = rows[y % 3];
    for (uint32_t x = 0; x < qoi.width; x += GRAIN) {
      const uint32_t count = qoi.width - x < GRAIN ? qoi.width - x : GRAIN;
      TIMED(decode, qoi_decode(&qoi, row + x, count));
    }
    struct smooth state = {0, 0, 0, 0};
    for (uint32_t x = 1; y >= 2 && x < qoi.width - 1; x += GRAIN) {
      const uint32_t end = x + GRAIN < qoi.width - 1 ? x + GRAIN : qoi.width - 1;
      TIMED(filter, smooth(&state, rows[(y + 1) % 3], rows[(y + 2) % 3], row, out, x, end));
    }
  }
  spent = decode, units = ROWS * qoi.width;
  report();
  spent = filter, units = (ROWS - 2) * (qoi.width - 2);
  report();
  return 0;
}

#else

#include "../../../apps/packets/capture.c"
#undef get_32
#define get_32 get_32_of_frame
#include "../../../apps/packets/frame.c"
#undef get_32
#include "../../../apps/packets/crc32.c"
#include "../../../apps/packets/output.c"
#include "../../../apps/packets/rules.c"

enum { PACKETS = 400 };

int main(void) {
  static struct capture capture;
  static struct packet packet;
  size_t length;
  const uint8_t *const data = cl_input(&length);
  uint32_t *out = cl_output(NULL);
  struct store store = {out + (1 << 20), 0};
  uint32_t next = 0, parse = 0, crc = 0, rules_time = 0, forward = 0, put_away = 0;
  uint32_t whole = 0, forwarded = 0, stored = 0, crc_sent;
  crc32_init();
  if (!capture_open(&capture, data, length)) {
    return 1;
  }
  for (unsigned i = 0; i < PACKETS; ++i) {
    TIMED(next, capture_next(&capture, &packet));
    TIMED(parse, frame_parse(&packet));
    TIMED(crc, packet.crc = crc32(packet.data, packet.length));
    if (packet.reason != REASON_NONE) {
      continue;
    }
    enum action action;
    ++whole;
    TIMED(rules_time, action = rules_apply(&packet));
    if (action == ACTION_FORWARD) {
      ++forwarded;
      TIMED(forward, out = output_forward(&capture, &packet, out, &crc_sent));
    } else if (action == ACTION_STORE) {
      ++stored;
      TIMED(put_away, output_store(&store, &packet));
    }
  }
  const uint32_t table[][2] = {{next, PACKETS},     {parse, PACKETS},     {crc, PACKETS},
                               {rules_time, whole}, {forward, forwarded}, {put_away, stored}};
  for (unsigned i = 0; i < sizeof table / sizeof table[0]; ++i) {
    spent = table[i][0], units = table[i][1];
    report();
  }
  return 0;
}

#endif
