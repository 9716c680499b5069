/* SPDX-License-Identifier: Apache-2.0
 *
 * Producers on all CPUs fill small ports faster than the consumers empty them, and the other way round: nothing is
 * lost, doubled or out of order, and nobody sleeps for good. */
#include "check.h"

#define PORTS 3
#define PRODUCERS 4 /* for each port */
#ifndef WORDS
#define WORDS 120
#endif

static sem_t opened;

static void *consume(void *number) {
  int port = (int)(intptr_t)number;
  uint32_t next[PRODUCERS] = {0};
  EQUAL(port_open(port, port == 1 ? PORT_DIRECT : PORT_BUFFERED), 0);
  EQUAL(sem_post(&opened), 0);
  for (int i = 0; i < PRODUCERS * WORDS; i++) {
    uint32_t word = 0;
    if (i % 3 || port_tryreceive(port, &word)) EQUAL(port_receive(port, &word), 0);
    EQUAL(word & 0xffff, next[word >> 16]);
    next[word >> 16]++;
    if (i % 64 == port * 8) waste(1500);
  }
  EQUAL(port_close(port), 0);
  return NULL;
}

static void *produce(void *number) {
  int me = (int)(intptr_t)number;
  int port = me % PORTS;
  uint32_t random = (uint32_t)me + 1;
  for (uint32_t i = 0; i < WORDS; i++) {
    EQUAL(port_send(port, (uint32_t)(me / PORTS) << 16 | i), 0);
    random = random * 1664525 + 1013904223;
    for (volatile uint32_t wait = random >> 27; wait > 0; wait--) continue;
    if (random >> 29 == 0) port_publish();
  }
  EQUAL(port_publish(), 0);
  return NULL;
}

int main(void) {
  pthread_t consumers[PORTS], producers[PORTS * PRODUCERS];
  pthread_attr_t attr;
  EQUAL(sem_init(&opened, 0, 0), 0);
  for (int i = 0; i < PORTS; i++)
    EQUAL(pthread_create(&consumers[i], attributes(&attr, 16 + i % 2, i ? -1 : 0), consume, (void *)(intptr_t)i), 0);
  for (int i = 0; i < PORTS; i++) EQUAL(sem_wait(&opened), 0);
  for (int i = 0; i < PORTS * PRODUCERS; i++)
    EQUAL(pthread_create(&producers[i], attributes(&attr, 15 + i % 3, -1), produce, (void *)(intptr_t)i), 0);
  for (int i = 0; i < PORTS * PRODUCERS; i++) EQUAL(pthread_join(producers[i], NULL), 0);
  for (int i = 0; i < PORTS; i++) EQUAL(pthread_join(consumers[i], NULL), 0);
  return finish();
}
