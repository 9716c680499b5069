/* SPDX-License-Identifier: Apache-2.0
 *
 * Image filter of [SMP]: Control requests blocks of pixels, Image Decoder decodes them, Filter smooths them.
 *
 *   Control --request--> Image Decoder --decoded--> Filter --done--> Control
 *
 * A message is a number of pixels; pixels are processed in order.
 * No message crosses the end of a row. README.md has the formats. */

#include "app.h"
#include "qoi.h"
#include "smooth.h"

/* Maximum number of pixels per message, of which [SMP] says nothing; a large number means one message per row. */
#ifndef IMAGE_GRAIN
#define IMAGE_GRAIN 16
#endif

/* Requests in flight; no more than a port holds, so that sends normally do not wait. */
#ifndef IMAGE_WINDOW
#define IMAGE_WINDOW 8
#endif

/* Decoded rows kept. The Filter works up to one row behind the decoded pixels and reads one more;
 * the Decoder is ahead by at most one row per request. */
#define ROWS 16
_Static_assert(IMAGE_WINDOW + 4 <= ROWS, "the decoder would overwrite rows that the filter still reads");
_Static_assert((ROWS & (ROWS - 1)) == 0, "row() masks the number of a row");

/* PORT_BUFFERED: the double buffering of [SMP]. */
#ifndef IMAGE_PORTS
#define IMAGE_PORTS PORT_DIRECT
#endif

/* With buffered ports Image Decoder and Filter hand over after so many messages. Without, they would keep what they send
 * until they have taken the whole window, and the other would wait for that. */
#ifndef IMAGE_BATCH
#define IMAGE_BATCH ((IMAGE_WINDOW + 1) / 2)
#endif

enum { PORT_READY, PORT_REQUEST, PORT_DECODED, PORT_DONE, PORT_DECODER_OWN, PORT_FILTER_OWN };

#define RGB 0x00FFFFFFu

static struct qoi picture;
static uint32_t *rows;     /* ROWS decoded rows; row y is at y % ROWS */
static uint32_t *filtered; /* the whole result, a word a pixel */

static uint32_t *row(uint32_t y) { return rows + (size_t)(y & (ROWS - 1)) * picture.width; }

/* Image Decoder and Filter: `own` hands over, `sent` counts messages since then. */
static void send(int port, uint32_t count, uint32_t *sent, int own) {
  app_send(port, count);
  if (IMAGE_PORTS == PORT_BUFFERED && ++*sent == IMAGE_BATCH) {
    *sent = 0;
    app_hand_over(own);
  }
}

static void *control(void *unused) {
  (void)unused;
  app_open(PORT_DONE, IMAGE_PORTS);
  app_send(PORT_READY, 0);
  (void)app_receive(PORT_DONE); /* main's start signal */

  const uint32_t width = picture.width;
  uint32_t unfinished = width * picture.height;
  uint32_t unasked = unfinished;
  uint32_t left_in_row = width;
  uint32_t on_their_way = 0;
  while (unfinished != 0) {
    while (unasked != 0 && on_their_way < IMAGE_WINDOW) {
      const uint32_t count = left_in_row < IMAGE_GRAIN ? left_in_row : IMAGE_GRAIN;
      if (!app_trysend(PORT_REQUEST, count)) {
        break; /* ports shorter than the window: take completions first */
      }
      ++on_their_way;
      unasked -= count;
      left_in_row -= count;
      if (left_in_row == 0) {
        left_in_row = width;
      }
    }
    unfinished -= app_receive(PORT_DONE);
    --on_their_way;
  }
  return NULL;
}

static void *image_decoder(void *unused) {
  (void)unused;
  app_open(PORT_REQUEST, IMAGE_PORTS);
  app_open(PORT_DECODER_OWN, IMAGE_PORTS);
  app_send(PORT_READY, 0);

  uint32_t sent = 0;
  for (uint32_t y = 0; y < picture.height; ++y) {
    uint32_t *const out = row(y);
    for (uint32_t x = 0; x < picture.width;) {
      const uint32_t count = app_receive(PORT_REQUEST);
      qoi_decode(&picture, out + x, count);
      send(PORT_DECODED, count, &sent, PORT_DECODER_OWN);
      x += count;
    }
  }
  return NULL;
}

/* The first and the last row and column have no neighbours on one side: they are copied. */
static void copy(uint32_t *to, const uint32_t *from, uint32_t first, uint32_t end) {
  for (uint32_t x = first; x < end; ++x) {
    to[x] = from[x] & RGB;
  }
}

static void *filter(void *unused) {
  (void)unused;
  app_open(PORT_DECODED, IMAGE_PORTS);
  app_open(PORT_FILTER_OWN, IMAGE_PORTS);
  app_send(PORT_READY, 0);

  uint32_t sent = 0;
  const uint32_t width = picture.width;
  const uint32_t last = picture.height - 1;
  struct smooth state = {0, 0, 0, 0};
  for (uint32_t y = 0; y <= last; ++y) {
    uint32_t *const out = filtered + (size_t)y * width;
    uint32_t *const out_above = y >= 2 ? out - width : out;
    const uint32_t *const below = row(y), *const middle = row(y - 1), *const above = row(y - 2);
    uint32_t done_above = 0; /* pixels of row y - 1 that are filtered */
    for (uint32_t x = 0; x < width;) {
      const uint32_t count = app_receive(PORT_DECODED);
      const uint32_t decoded = x + count;
      uint32_t done = 0;
      if (y == 0 || y == last) {
        copy(out, below, x, decoded);
        done += count;
      }
      if (y >= 2) {
        /* A pixel needs its right neighbours, too. */
        const uint32_t end = decoded == width ? width - 1 : decoded - 1;
        uint32_t first = done_above;
        if (first == 0) {
          copy(out_above, middle, 0, 1);
          first = 1;
        }
        if (first < end) {
          smooth(&state, above, middle, below, out_above, first, end);
          first = end;
        }
        if (decoded == width) {
          copy(out_above, middle, width - 1, width);
          first = width;
        }
        done += first - done_above;
        done_above = first;
      }
      x = decoded;
      if (done != 0) {
        cl_done(done);
      }
      send(PORT_DONE, done, &sent, PORT_FILTER_OWN);
    }
  }
  return NULL;
}

static int image(void) {
  static const struct app_thread threads[] = {
      {"control", control, 0, 2},
      {"decoder", image_decoder, 0, 0},
      {"filter", filter, 0, 1},
  };
  enum { COUNT = sizeof threads / sizeof threads[0] };
  app_id ids[COUNT];
  size_t length, capacity;
  const uint8_t *const data = cl_input(&length);
  uint32_t *const result = cl_output(&capacity);

  cl_output_set_length(0);
  if (!qoi_open(&picture, data, length)) {
    return APP_EXIT_INPUT;
  }
  /* Result: width, height, pixels. What the output region has left behind it holds the decoded rows. */
  const uint64_t pixels = (uint64_t)picture.width * picture.height;
  if (pixels > capacity / 4 || 8 + 4 * (pixels + (uint64_t)picture.width * ROWS) > capacity) {
    return APP_EXIT_ROOM;
  }
  result[0] = picture.width;
  result[1] = picture.height;
  filtered = result + 2;
  rows = filtered + pixels;

  app_open(PORT_READY, PORT_DIRECT);
  app_start(threads, ids, COUNT, PORT_READY);
  cl_ready();
  app_send(PORT_DONE, 0);
  app_join(ids, COUNT);

  cl_output_set_length(8 + 4 * (size_t)pixels);
  return picture.broken ? APP_EXIT_INPUT : 0;
}

int main(void) { return app_run(image); }
