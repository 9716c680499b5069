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

enum {
  PORT_READY,
  PORT_FREE, /* the free list of the pool */
  PORT_DECODER, /* two of each: one a lane */
  PORT_CRC = PORT_DECODER + 2,
  PORT_ENQUEUE = PORT_CRC + 2,
  PORT_CLASSIFIER = PORT_ENQUEUE + 2,
  PORT_ACTION, /* one an action, in the order of enum action */
  PORT_CRC_OWN = PORT_ACTION + ACTION_COUNT,
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

static struct packet pool[PACKETS_POOL];
static struct capture capture;
static struct result *result;
static struct store ring;
static uint32_t *forward_at;

static void open_port(int port) { app_open(port, PACKETS_PORTS); }

static void *packetizer(void *unused) {
  (void)unused;
  open_port(PORT_FREE);
  app_send(PORT_READY, 0);

  unsigned lane = 0;
  uint32_t id = app_receive(PORT_FREE);
  while (capture_next(&capture, &pool[id])) {
    app_send(PORT_DECODER + (int)lane, id);
    lane ^= 1;
    id = app_receive(PORT_FREE);
  }
  app_send(PORT_DECODER + (int)lane, END);
  app_send(PORT_DECODER + (int)(lane ^ 1), END);
  /* Others may wait for room in the free list until all are back. */
  for (unsigned back = 1; back < PACKETS_POOL; ++back) {
    (void)app_receive(PORT_FREE);
  }
  return NULL;
}

static void *decoder(void *argument) {
  const int lane = (int)(uintptr_t)argument;
  open_port(PORT_DECODER + lane);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = app_receive(PORT_DECODER + lane)) != END) {
    frame_parse(&pool[id]);
    app_send(PORT_CRC + lane, id);
  }
  app_send(PORT_CRC + lane, END);
  return NULL;
}

/* Damage to the frame as a whole takes precedence over what the Decoder found in it. */
static void check(struct packet *packet) {
  packet->crc = crc32(packet->data, packet->length);
  if (packet->cut) {
    packet->reason = REASON_CUT;
  } else if (capture.fcs_bytes != 0 && packet->reason != REASON_SHORT) {
    const uint8_t *const fcs = packet->data + packet->length;
    const uint32_t sent = fcs[0] | (uint32_t)fcs[1] << 8 | (uint32_t)fcs[2] << 16 | (uint32_t)fcs[3] << 24;
    if (packet->crc != sent) {
      packet->reason = REASON_FCS;
    }
  }
}

static void *crc(void *argument) {
  const int lane = (int)(uintptr_t)argument;
  open_port(PORT_CRC + lane);
  open_port(PORT_CRC_OWN + lane);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = app_receive(PORT_CRC + lane)) != END) {
    check(&pool[id]);
    app_send(PORT_ENQUEUE + lane, id);
    /* Half of a packet's work is here: buffered until the lane is empty, packets would come in bursts. */
    if (PACKETS_PORTS == PORT_BUFFERED) {
      app_hand_over(PORT_CRC_OWN + lane);
    }
  }
  app_send(PORT_ENQUEUE + lane, END);
  return NULL;
}

/* Merges the lanes. Packets alternate between them, so taking turns keeps the order of the capture. */
static void *enqueue(void *unused) {
  (void)unused;
  open_port(PORT_ENQUEUE);
  open_port(PORT_ENQUEUE + 1);
  app_send(PORT_READY, 0);

  for (int lane = 0;; lane ^= 1) {
    const uint32_t id = app_receive(PORT_ENQUEUE + lane);
    if (id == END) {
      break;
    }
    ++result->frames;
    result->bytes += pool[id].length;
    result->crc_sum += pool[id].crc;
    app_send(PORT_CLASSIFIER, id);
  }
  app_send(PORT_CLASSIFIER, END);
  return NULL;
}

/* Action for a packet. */
static enum action classify(struct packet *packet) {
  if (packet->reason != REASON_NONE) {
    return ACTION_DISCARD;
  }
  ++result->kinds[packet->kind];
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

static void *classifier(void *unused) {
  (void)unused;
  open_port(PORT_CLASSIFIER);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = app_receive(PORT_CLASSIFIER)) != END) {
    app_send(PORT_ACTION + (int)classify(&pool[id]), id);
  }
  for (int action = 0; action < ACTION_COUNT; ++action) {
    app_send(PORT_ACTION + action, END);
  }
  return NULL;
}

static void finish(uint32_t id) {
  app_send(PORT_FREE, id);
  cl_done(1);
}

static void *forward(void *unused) {
  (void)unused;
  open_port(PORT_ACTION + ACTION_FORWARD);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = app_receive(PORT_ACTION + ACTION_FORWARD)) != END) {
    uint32_t crc_sent;
    forward_at = output_forward(&capture, &pool[id], forward_at, &crc_sent);
    ++result->actions[ACTION_FORWARD];
    result->forwarded_bytes += pool[id].length;
    result->forwarded_crc_sum += crc_sent;
    finish(id);
  }
  return NULL;
}

static void *store(void *unused) {
  (void)unused;
  open_port(PORT_ACTION + ACTION_STORE);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = app_receive(PORT_ACTION + ACTION_STORE)) != END) {
    result->stored_bytes += output_store(&ring, &pool[id]);
    ++result->actions[ACTION_STORE];
    finish(id);
  }
  return NULL;
}

static void *discard(void *unused) {
  (void)unused;
  open_port(PORT_ACTION + ACTION_DISCARD);
  app_send(PORT_READY, 0);

  uint32_t id;
  while ((id = app_receive(PORT_ACTION + ACTION_DISCARD)) != END) {
    ++result->reasons[pool[id].reason];
    ++result->actions[ACTION_DISCARD];
    finish(id);
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
  app_id ids[COUNT];
  size_t length, capacity;
  const uint8_t *const data = cl_input(&length);
  uint32_t *const words = cl_output(&capacity);

  cl_output_set_length(0);
  if (!capture_open(&capture, data, length)) {
    return APP_EXIT_INPUT;
  }
  /* A forwarded frame is at least 34 bytes, its record 3 longer than in the capture. */
  if (sizeof *result + STORE_WORDS * 4 + length + length / 16 > capacity) {
    return APP_EXIT_ROOM;
  }
  result = (struct result *)(void *)words;
  memset(result, 0, sizeof *result);
  ring.words = words + sizeof *result / 4;
  uint32_t *const forwarded = ring.words + STORE_WORDS;
  forward_at = forwarded;
  crc32_init();

  app_open(PORT_READY, PORT_DIRECT);
  app_start(threads, ids, COUNT, PORT_READY);
  cl_ready();
  for (uint32_t id = 0; id < PACKETS_POOL; ++id) {
    app_send(PORT_FREE, id);
  }
  app_join(ids, COUNT);

  result->fcs_bytes = capture.fcs_bytes;
  result->nanoseconds = capture.nanoseconds;
  result->broken = capture.broken;
  result->forward_words = (uint32_t)(forward_at - forwarded);
  if (result->stored_bytes < STORE_WORDS * 4) { /* what the ring has not held yet */
    memset(ring.words + result->stored_bytes / 4, 0, STORE_WORDS * 4 - result->stored_bytes);
  }
  cl_output_set_length((size_t)((uint8_t *)forward_at - (uint8_t *)words));
  return capture.broken ? APP_EXIT_INPUT : 0;
}

int main(void) { return app_run(packets); }
