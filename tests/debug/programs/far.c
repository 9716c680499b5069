// SPDX-License-Identifier: Apache-2.0
// Two programs: processor 1 adds up numbers, and `sum` is another variable on each side.
#include <coreloom.h>
#include <coreloom_far.h>
#include <stdio.h>

static volatile int sum, rings;
static int *volatile nowhere;

static int add(int n) {
  sum += n;
  return sum;
}

static void rang(uint32_t bells) { rings += bells != 0; }

int far_main(const void *argument, size_t bytes) {
  const int *numbers = argument;
  int last = 0;
  far_bell_handler(rang);
  while (!rings) continue;
  for (size_t i = 0; i < bytes / sizeof *numbers; i++) {
    last = add(numbers[i]);
    far_ring(2);
  }
  if (last > 100) *nowhere = last;
  return last;
}

int main(void) {
  static const int numbers[] = {10, 20, 30};
  struct remote_status status;
  if (remote_load(remote_image, remote_image_bytes) || remote_start(numbers, sizeof numbers, 0)) return 1;
  sum = 1;
  if (remote_ring(2) || remote_wait() || remote_status(&status)) return 2;
  printf("%d here, state %d, %d there\n", sum, (int)status.state, (int)status.detail);
  return (int)status.detail;
}
