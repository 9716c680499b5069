/* SPDX-License-Identifier: Apache-2.0
 *
 * Packet processing of [SMP]: ten threads from a capture to packets forwarded, stored or discarded.
 *
 *                +--> Decoder 0 --> CRC 0 --+                              +--> Forward --+
 *   Packetizer --+                          +--> Enqueue --> Classifier ---+--> Store ----+--> free list
 *    ^           +--> Decoder 1 --> CRC 1 --+                              +--> Discard --+        |
 *    +---------------------------------------------------------------------------------------------+
 *
 * A message is a packet's index in the pool, or END after the last one. README.md has rules and result. */

#include "app.h"
#include "capture.h"
#include "crc32.h"
#include "frame.h"
#include "output.h"
#include "rules.h"

#include <string.h>

/* Maximum number of packets in flight. */
#ifndef PACKETS_POOL
#define PACKETS_POOL 16
#endif

/* PORT_BUFFERED: the double buffering of [SMP]. */
#ifndef PACKETS_PORTS
#define PACKETS_PORTS PORT_DIRECT
#endif

#define END 0xFFFFFFFFu

/* All but the first: of each stream. */
enum {
  PORT_READY,
  PORT_FREE, /* the free list of the pool */
  PORT_DECODER, /* two of each: one a lane */
  PORT_CRC = PORT_DECODER + 2,
  PORT_ENQUEUE = PORT_CRC + 2,
  PORT_CLASSIFIER = PORT_ENQUEUE + 2,
  PORT_ACTION, /* one an action, in the order of enum action */
  PORT_CRC_OWN = PORT_ACTION + ACTION_COUNT,
  PORT_COUNT = PORT_CRC_OWN + 2
};

/* The head of the output region; ring and forwarded frames follow. Each counter has one thread that writes it. */
struct result {
  uint32_t frames, bytes; /* in the capture; bytes without FCS */
  uint32_t crc_sum;       /* sum of all CRC-32s, modulo 2^32 */
  uint32_t kinds[KIND_COUNT]; /* undamaged packets */
  uint32_t actions[ACTION_COUNT];
  uint32_t reasons[REASON_COUNT]; /* of ACTION_DISCARD */
  uint32_t forwarded_bytes;   /* of frames, without FCS */
  uint32_t forwarded_crc_sum; /* of the frames as sent on */
  uint32_t stored_bytes;      /* written to the ring, with record headers */
  uint32_t fcs_bytes;         /* 4: frames carry their FCS; 0: they do not */
  uint32_t nanoseconds;       /* 1: unit of the time stamps' fractions; 0: microseconds */
  uint32_t broken;            /* 1: the capture ended within a record */
  uint32_t forward_words;     /* of the records of forwarded frames */
};

static struct stream {
  struct packet pool[PACKETS_POOL];
  struct capture capture;
  struct result *result;
  struct store ring;
  uint32_t *forward_at;
} streams[APP_STREAMS];

static struct stream *stream_of(const void *given) { return &streams[app_stream(given)]; }

static int port_of(const struct stream *s, int port) { return port + (int)(s - streams) * (PORT_COUNT - 1); }

static void open_port(const struct stream *s, int port) { app_open(port_of(s, port), PACKETS_PORTS); }

static void send(const struct stream *s, int port, uint32_t id) { app_send(port_of(s, port), id); }

static uint32_t receive(const struct stream *s, int port) { return app_receive(port_of(s, port)); }

static void *packetizer(void *given) {
  struct stream *const s = stream_of(given);
  open_port(s, PORT_FREE);
  app_send(PORT_READY, 0);

  unsigned lane = 0;
  uint32_t id = receive(s, PORT_FREE);
  while (capture_next(&s->capture, &s->pool[id])) {
    send(s, PORT_DECODER + (int)lane, id);
    lane ^= 1;
    id = receive(s, PORT_FREE);
  }
  send(s, PORT_DECODER + (int)lane, END);
  send(s, PORT_DECODER + (int)(lane ^ 1), END);
  /* Others may wait for room in the free list until all are back. */
  for (unsigned back = 1; back < PACKETS_POOL; ++back) {
    (void)receive(s, PORT_FREE);
  }
  return NULL;
}

static void *decoder(void *given) {
  struct stream *const s = stream_of(given);
  const int lane = (int)app_argument(given);
  open_port(s, PORT_DECODER + lane);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = receive(s, PORT_DECODER + lane)) != END) {
    frame_parse(&s->pool[id]);
    send(s, PORT_CRC + lane, id);
  }
  send(s, PORT_CRC + lane, END);
  return NULL;
}

/* Damage to the frame as a whole takes precedence over what the Decoder found in it. */
static void check(const struct stream *s, struct packet *packet) {
  packet->crc = crc32(packet->data, packet->length);
  if (packet->cut) {
    packet->reason = REASON_CUT;
  } else if (s->capture.fcs_bytes != 0 && packet->reason != REASON_SHORT) {
    const uint8_t *const fcs = packet->data + packet->length;
    const uint32_t sent = fcs[0] | (uint32_t)fcs[1] << 8 | (uint32_t)fcs[2] << 16 | (uint32_t)fcs[3] << 24;
    if (packet->crc != sent) {
      packet->reason = REASON_FCS;
    }
  }
}

static void *crc(void *given) {
  struct stream *const s = stream_of(given);
  const int lane = (int)app_argument(given);
  open_port(s, PORT_CRC + lane);
  open_port(s, PORT_CRC_OWN + lane);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = receive(s, PORT_CRC + lane)) != END) {
    check(s, &s->pool[id]);
    send(s, PORT_ENQUEUE + lane, id);
    /* Half of a packet's work is here: buffered until the lane is empty, packets would come in bursts. */
    if (PACKETS_PORTS == PORT_BUFFERED) {
      app_hand_over(port_of(s, PORT_CRC_OWN + lane));
    }
  }
  send(s, PORT_ENQUEUE + lane, END);
  return NULL;
}

/* Merges the lanes. Packets alternate between them, so taking turns keeps the order of the capture. */
static void *enqueue(void *given) {
  struct stream *const s = stream_of(given);
  open_port(s, PORT_ENQUEUE);
  open_port(s, PORT_ENQUEUE + 1);
  app_send(PORT_READY, 0);

  for (int lane = 0;; lane ^= 1) {
    const uint32_t id = receive(s, PORT_ENQUEUE + lane);
    if (id == END) {
      break;
    }
    ++s->result->frames;
    s->result->bytes += s->pool[id].length;
    s->result->crc_sum += s->pool[id].crc;
    send(s, PORT_CLASSIFIER, id);
  }
  send(s, PORT_CLASSIFIER, END);
  return NULL;
}

/* Action for a packet. */
static enum action classify(struct stream *s, struct packet *packet) {
  if (packet->reason != REASON_NONE) {
    return ACTION_DISCARD;
  }
  ++s->result->kinds[packet->kind];
  const enum action action = rules_apply(packet);
  if (action == ACTION_FORWARD) {
    const uint8_t *const header = packet->data + packet->network;
    if ((packet->kind < KIND_ICMP6 ? header[8] : header[7]) <= 1) {
      packet->reason = REASON_EXPIRED;
      return ACTION_DISCARD;
    }
  }
  return action;
}

static void *classifier(void *given) {
  struct stream *const s = stream_of(given);
  open_port(s, PORT_CLASSIFIER);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = receive(s, PORT_CLASSIFIER)) != END) {
    send(s, PORT_ACTION + (int)classify(s, &s->pool[id]), id);
  }
  for (int action = 0; action < ACTION_COUNT; ++action) {
    send(s, PORT_ACTION + action, END);
  }
  return NULL;
}

static void finish(const struct stream *s, uint32_t id) {
  send(s, PORT_FREE, id);
  cl_done(1);
}

static void *forward(void *given) {
  struct stream *const s = stream_of(given);
  open_port(s, PORT_ACTION + ACTION_FORWARD);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = receive(s, PORT_ACTION + ACTION_FORWARD)) != END) {
    uint32_t crc_sent;
    s->forward_at = output_forward(&s->capture, &s->pool[id], s->forward_at, &crc_sent);
    ++s->result->actions[ACTION_FORWARD];
    s->result->forwarded_bytes += s->pool[id].length;
    s->result->forwarded_crc_sum += crc_sent;
    finish(s, id);
  }
  return NULL;
}

static void *store(void *given) {
  struct stream *const s = stream_of(given);
  open_port(s, PORT_ACTION + ACTION_STORE);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = receive(s, PORT_ACTION + ACTION_STORE)) != END) {
    s->result->stored_bytes += output_store(&s->ring, &s->pool[id]);
    ++s->result->actions[ACTION_STORE];
    finish(s, id);
  }
  return NULL;
}

static void *discard(void *given) {
  struct stream *const s = stream_of(given);
  open_port(s, PORT_ACTION + ACTION_DISCARD);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = receive(s, PORT_ACTION + ACTION_DISCARD)) != END) {
    ++s->result->reasons[s->pool[id].reason];
    ++s->result->actions[ACTION_DISCARD];
    finish(s, id);
  }
  return NULL;
}

static int packets(void) {
  /* Static placement: a lane a CPU, and the rest in halves. */
  static const struct app_thread threads[] = {
      {"packetizer", packetizer, 0, 0},
      {"decoder 0", decoder, 0, 0},
      {"decoder 1", decoder, 1, 1},
      {"crc 0", crc, 0, 2},
      {"crc 1", crc, 1, 3},
      {"enqueue", enqueue, 0, 1},
      {"classifier", classifier, 0, 0},
      {"forward", forward, 0, 1},
      {"store", store, 0, 2},
      {"discard", discard, 0, 0},
  };
  enum { COUNT = sizeof threads / sizeof threads[0] };
  app_id ids[COUNT * APP_STREAMS];
  size_t length, capacity;
  const uint8_t *const data = cl_input(&length);
  uint32_t *const words = cl_output(&capacity);

  cl_output_set_length(0);
  if (!capture_open(&streams[0].capture, data, length)) {
    return APP_EXIT_INPUT;
  }
  /* A forwarded frame is at least 34 bytes, its record 3 longer than in the capture. */
  const size_t room = (sizeof(struct result) + STORE_WORDS * 4 + length + length / 16 + 3) / 4 * 4;
  if (APP_STREAMS * room > capacity) {
    return APP_EXIT_ROOM;
  }
  for (unsigned i = 0; i < APP_STREAMS; ++i) {
    struct stream *const s = &streams[i];
    s->capture = streams[0].capture;
    s->result = (struct result *)(void *)(words + i * room / 4);
    memset(s->result, 0, sizeof *s->result);
    s->ring.words = (uint32_t *)(void *)(s->result + 1);
    s->forward_at = s->ring.words + STORE_WORDS;
  }
  crc32_init();

  app_open(PORT_READY, PORT_DIRECT);
  app_start(threads, ids, COUNT, PORT_READY);
  cl_ready();
  for (uint32_t id = 0; id < PACKETS_POOL; ++id) {
    for (unsigned i = 0; i < APP_STREAMS; ++i) {
      send(&streams[i], PORT_FREE, id);
    }
  }
  app_join(ids, COUNT);

  size_t size = 0; /* of the first stream's output */
  for (unsigned i = 0; i < APP_STREAMS; ++i) {
    struct stream *const s = &streams[i];
    s->result->fcs_bytes = s->capture.fcs_bytes;
    s->result->nanoseconds = s->capture.nanoseconds;
    s->result->broken = s->capture.broken;
    s->result->forward_words = (uint32_t)(s->forward_at - (s->ring.words + STORE_WORDS));
    if (s->result->stored_bytes < STORE_WORDS * 4) { /* what the ring has not held yet */
      memset(s->ring.words + s->result->stored_bytes / 4, 0, STORE_WORDS * 4 - s->result->stored_bytes);
    }
    const size_t own = (size_t)((uint8_t *)s->forward_at - (uint8_t *)s->result);
    if (i == 0) {
      size = own;
    } else if (own != size || memcmp(s->result, words, size) != 0) {
      return APP_EXIT_STREAMS;
    }
  }
  cl_output_set_length(size);
  return streams[0].capture.broken ? APP_EXIT_INPUT : 0;
}

int main(void) { return app_run(packets); }
