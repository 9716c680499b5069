/* SPDX-License-Identifier: Apache-2.0
 *
 * The same pthread_create starts a thread on a CPU or in a circuit: here CRC-32 of 4 KiB. Look at the cycles with
 * `--platform hthreads` on both kernels; where there is no circuit, the C function below runs instead. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "coreloom.h"
#include "hwt_units.h"

static uint8_t data[4096];

static void *crc32(void *argument) {
  const struct hwt_crc32 *block = argument;
  uint32_t crc = ~block->crc;
  for (uint32_t i = 0; i < block->length; i++) {
    crc ^= ((const uint8_t *)block->data)[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return (void *)(uintptr_t)~crc;
}

int main(void) {
  struct hwt_crc32 block = {.data = data, .length = sizeof data};
  pthread_t thread;
  pthread_attr_t attr;
  void *crc;
  for (unsigned i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * i);
  pthread_attr_init(&attr);
  pthread_attr_sethardware_np(&attr, hardware_find_np("crc32")); /* ENODEV if there is none, and nothing changes */
  pthread_create(&thread, &attr, crc32, &block);
  pthread_join(thread, &crc);
  printf("CRC-32: %08x\n", (unsigned)(uintptr_t)crc);
}
