/* SPDX-License-Identifier: Apache-2.0
 *
 * Bells from a store of either side to the first instruction of the other's handler; the test watches these places. */
#include "remote.h"

#define ROUNDS 20

static volatile uint32_t rings;

__attribute__((noinline)) static void ring_far(uint32_t bells) {
  __asm__ volatile(".globl rings_far\nrings_far: sw %0, 0(%1)" ::"r"(bells),
                   "r"(CL_BACKDOOR_NEAR_BASE + CL_BACKDOOR_NEAR_BELL_RING));
}

__attribute__((noinline)) static void ring_near(uint32_t bells) {
  __asm__ volatile(".globl rings_near\nrings_near: sw %0, 0(%1)" ::"r"(bells), "r"(FAR(BELL_RING)));
}

void near_handler(uint32_t bells);
__attribute__((used)) void near_handler(uint32_t bells) { rings += bells; }

static volatile int answers;
void far_handler(uint32_t bells);
__attribute__((used)) void far_handler(uint32_t bells) { answers += bells != 0; }

int far_main(const void *argument, size_t bytes) {
  (void)argument, (void)bytes;
  far_bell_handler(far_handler);
  for (int seen = 0; seen < ROUNDS; seen++) {
    while (answers == seen) continue;
    uint32_t since = far_cycle();
    while (far_cycle() - since < 500u + 7u * (unsigned)seen) continue;
    ring_near(4);
  }
  return 0;
}

int main(void) {
  EQUAL(remote_load(remote_image, remote_image_bytes), 0);
  EQUAL(remote_start(NULL, 0, 0), 0);
  EQUAL(remote_bell_handler_np(near_handler), 0);
  waste(2000);
  for (int n = 0; n < ROUNDS; n++) {
    uint32_t before = rings;
    ring_far(2);
    while (rings == before) continue;
    waste(4000 + 11 * (unsigned)n);
  }
  EQUAL(remote_wait(), 0);
  EQUAL(rings, 4 * ROUNDS);
  return finish();
}
