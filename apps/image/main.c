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

#include <string.h>

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

/* With buffered ports Image Decoder and Filter hand over after so many messages; 0: never. Then they keep what they send
 * until they have taken the whole window, and the other waits for that. */
#ifndef IMAGE_BATCH
#define IMAGE_BATCH ((IMAGE_WINDOW + 1) / 2)
#endif

/* All but the first: of each stream. */
enum { PORT_READY, PORT_REQUEST, PORT_DECODED, PORT_DONE, PORT_DECODER_OWN, PORT_FILTER_OWN, PORT_COUNT };

#define RGB 0x00FFFFFFu

static struct stream {
  struct qoi picture;
  uint32_t *rows;     /* ROWS decoded rows; row y is at y % ROWS */
  uint32_t *filtered; /* the whole result, a word a pixel */
} streams[APP_STREAMS];

static uint32_t *row(const struct stream *s, uint32_t y) {
  return s->rows + (size_t)(y & (ROWS - 1)) * s->picture.width;
}

static int port_of(unsigned stream, int port) { return port + (int)stream * (PORT_COUNT - 1); }

/* Image Decoder and Filter: `own` hands over, `sent` counts messages since then. */
static void send(int port, uint32_t count, uint32_t *sent, int own) {
  app_send(port, count);
  if (IMAGE_PORTS == PORT_BUFFERED && IMAGE_BATCH != 0 && ++*sent == IMAGE_BATCH) {
    *sent = 0;
    app_hand_over(own);
  }
}

static void *control(void *given) {
  const unsigned stream = app_stream(given);
  const int request = port_of(stream, PORT_REQUEST), done = port_of(stream, PORT_DONE);
  app_open(done, IMAGE_PORTS);
  app_send(PORT_READY, 0);
  (void)app_receive(done); /* main's start signal */

  const uint32_t width = streams[stream].picture.width;
  uint32_t unfinished = width * streams[stream].picture.height;
  uint32_t unasked = unfinished;
  uint32_t left_in_row = width;
  uint32_t on_their_way = 0;
  while (unfinished != 0) {
    while (unasked != 0 && on_their_way < IMAGE_WINDOW) {
      const uint32_t count = left_in_row < IMAGE_GRAIN ? left_in_row : IMAGE_GRAIN;
      if (!app_trysend(request, count)) {
        break; /* ports shorter than the window: take completions first */
      }
      ++on_their_way;
      unasked -= count;
      left_in_row -= count;
      if (left_in_row == 0) {
        left_in_row = width;
      }
    }
    unfinished -= app_receive(done);
    --on_their_way;
  }
  return NULL;
}

static void *image_decoder(void *given) {
  const unsigned stream = app_stream(given);
  const int request = port_of(stream, PORT_REQUEST), own = port_of(stream, PORT_DECODER_OWN);
  struct stream *const s = &streams[stream];
  app_open(request, IMAGE_PORTS);
  app_open(own, IMAGE_PORTS);
  app_send(PORT_READY, 0);

  uint32_t sent = 0;
  for (uint32_t y = 0; y < s->picture.height; ++y) {
    uint32_t *const out = row(s, y);
    for (uint32_t x = 0; x < s->picture.width;) {
      const uint32_t count = app_receive(request);
      qoi_decode(&s->picture, out + x, count);
      send(port_of(stream, PORT_DECODED), count, &sent, own);
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

static void *filter(void *given) {
  const unsigned stream = app_stream(given);
  const int in = port_of(stream, PORT_DECODED), own = port_of(stream, PORT_FILTER_OWN);
  const struct stream *const s = &streams[stream];
  app_open(in, IMAGE_PORTS);
  app_open(own, IMAGE_PORTS);
  app_send(PORT_READY, 0);

  uint32_t sent = 0;
  const uint32_t width = s->picture.width;
  const uint32_t last = s->picture.height - 1;
  struct smooth state = {0, 0, 0, 0};
  for (uint32_t y = 0; y <= last; ++y) {
    uint32_t *const out = s->filtered + (size_t)y * width;
    uint32_t *const out_above = y >= 2 ? out - width : out;
    const uint32_t *const below = row(s, y), *const middle = row(s, y - 1), *const above = row(s, y - 2);
    uint32_t done_above = 0; /* pixels of row y - 1 that are filtered */
    for (uint32_t x = 0; x < width;) {
      const uint32_t count = app_receive(in);
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
      send(port_of(stream, PORT_DONE), done, &sent, own);
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
  app_id ids[COUNT * APP_STREAMS];
  size_t length, capacity;
  const uint8_t *const data = cl_input(&length);
  uint32_t *const result = cl_output(&capacity);

  cl_output_set_length(0);
  if (!qoi_open(&streams[0].picture, data, length)) {
    return APP_EXIT_INPUT;
  }
  /* Result: width, height, pixels. The rest of the output region holds the results of the other streams and
   * the decoded rows. */
  const uint32_t width = streams[0].picture.width, height = streams[0].picture.height;
  const uint64_t pixels = (uint64_t)width * height;
  if (pixels > capacity / 4 || 8 + 4 * APP_STREAMS * (pixels + (uint64_t)width * ROWS) > capacity) {
    return APP_EXIT_ROOM;
  }
  result[0] = width;
  result[1] = height;
  uint32_t *rows = result + 2 + APP_STREAMS * pixels;
  for (unsigned i = 0; i < APP_STREAMS; ++i) {
    streams[i].picture = streams[0].picture;
    streams[i].filtered = result + 2 + i * pixels;
    streams[i].rows = rows;
    rows += (size_t)width * ROWS;
  }

  app_open(PORT_READY, PORT_DIRECT);
  app_start(threads, ids, COUNT, PORT_READY);
  cl_ready();
  for (unsigned i = 0; i < APP_STREAMS; ++i) {
    app_send(port_of(i, PORT_DONE), 0);
  }
  app_join(ids, COUNT);

  for (unsigned i = 1; i < APP_STREAMS; ++i) {
    if (memcmp(streams[i].filtered, streams[0].filtered, 4 * (size_t)pixels) != 0) {
      return APP_EXIT_STREAMS;
    }
  }
  cl_output_set_length(8 + 4 * (size_t)pixels);
  return streams[0].picture.broken ? APP_EXIT_INPUT : 0;
}

int main(void) { return app_run(image); }
