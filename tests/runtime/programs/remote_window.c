/* SPDX-License-Identifier: Apache-2.0
 *
 * The window of the Back-Door: processor 1 reads and writes memory of processor 0, and nothing outside of it. Prints
 * cycles of processor 1 to read and to write LARGE words, one word, and the same with processor 0 on its bus. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remote.h"

#define LARGE 16384u
#define GUARD 64u
#define END (CL_OUTPUT + 4u + CL_OUTPUT_MAX) /* of the memory that a program has */

enum { COPY, RANGE, HOLD }; /* what the program does: its argument */

int far_main(const void *argument, size_t bytes) {
  static uint32_t buffer[LARGE];
  uint32_t cycles[5], word, what = *(const uint32_t *)argument;
  int writable;
  size_t size = far_window(&writable);
  (void)bytes;
  if (what == HOLD) /* until it is stopped */
    while (!far_read(buffer, 0, size)) far_write(0, buffer, size);
  if (what == RANGE) {
    int errors = 0;
    errors += far_read(buffer, size, 4) != EFAULT;
    errors += far_read(buffer, 4, size) != EFAULT;
    errors += far_read(buffer, (size_t)-4, 8) != EFAULT;
    errors += far_read(buffer, 2, 4) != EINVAL;
    errors += far_read((char *)buffer + 1, 0, 4) != EINVAL;
    errors += far_write(0, buffer, 4) != (writable ? 0 : EACCES);
    errors += far_write(size - 4, buffer, 8) != EFAULT;
    errors += far_read((void *)0x50000000, 0, 8) != EFAULT;
    errors += far_read(buffer, size - 4, 4) != 0;
    return errors;
  }
  cycles[0] = far_cycle();
  if (far_read(buffer, 0, 4 * LARGE)) return 1;
  cycles[1] = far_cycle();
  for (uint32_t n = 0; n < LARGE; n++) buffer[n] = ~buffer[n];
  cycles[2] = far_cycle();
  if (far_write(0, buffer, 4 * LARGE)) return 2;
  cycles[3] = far_cycle();
  if (far_read(&word, 0, 4)) return 3;
  cycles[4] = far_cycle();
  uint32_t took[] = {cycles[1] - cycles[0], cycles[3] - cycles[2], cycles[4] - cycles[3]};
  return far_result(took, sizeof took) + (word != buffer[0]);
}

static uint32_t memory[4] REMOTE_WINDOW;
static uint32_t kernels; /* not the kernel's, but among its data */

static int run(uint32_t what) {
  EQUAL(remote_start(&what, sizeof what, 0), 0);
  EQUAL(remote_wait(), 0);
  struct remote_status status;
  EQUAL(remote_status(&status), 0);
  EQUAL(status.state, REMOTE_DONE);
  return (int)status.detail;
}

int main(void) {
  uint32_t stack[4], took[3];
  size_t bytes;
  int wrong = 0;
  char *heap = malloc(4 * (LARGE + 2 * GUARD));
  uint32_t *guarded = (uint32_t *)heap, *words = guarded + GUARD;
  EQUAL(remote_window_open(words, 16, 0), EPIPE);
  EQUAL(remote_load(remote_image, remote_image_bytes), 0);

  /* Refused: nothing is open afterwards. */
  EQUAL(remote_window_open(words, 0, 0), EINVAL);
  EQUAL(remote_window_open(words, 6, 0), EINVAL);
  EQUAL(remote_window_open(heap + 2, 8, 0), EINVAL);
  EQUAL(remote_window_open((void *)(CL_RAM - 4), 8, 0), EFAULT);
  EQUAL(remote_window_open((void *)(END - 4), 8, 0), EFAULT);
  EQUAL(remote_window_open((void *)(END), 4, 0), EFAULT);
  EQUAL(remote_window_open((void *)CL_UART, 4, 1), EFAULT);
  EQUAL(remote_window_open((void *)0xfffffffc, 8, 0), EFAULT);
  EQUAL(remote_window_open((void *)CL_RAM, END - CL_RAM, 0), EACCES);
  EQUAL(remote_window_open((void *)CL_RAM, 4, 0), EACCES);
  EQUAL(remote_window_open(&kernels, 4, 0), EACCES);
  EQUAL(remote_window_open(stack, 4, 0), EACCES);
  EQUAL(remote_window_open(memory, sizeof memory + 16, 0), EACCES);
  EQUAL(remote_window_open(memory - 4, sizeof memory, 0), EACCES);
  EQUAL(run(RANGE), 2); /* closed: two of its calls get EFAULT where they count on another answer */
  for (int writable = 0; writable < 2; writable++) {
    EQUAL(remote_load(remote_image, remote_image_bytes), 0);
    EQUAL(remote_window_open(memory, sizeof memory, writable), 0);
    EQUAL(remote_window_open(words, 4, 0), EBUSY);
    EQUAL(run(RANGE), 0);
  }

  /* All of it arrives, and nothing beside it. */
  for (uint32_t n = 0; n < LARGE + 2 * GUARD; n++) guarded[n] = n * 0x01000193u;
  EQUAL(remote_load(remote_image, remote_image_bytes), 0);
  EQUAL(remote_window_open(words, 4 * LARGE, 1), 0);
  EQUAL(run(COPY), 0);
  EQUAL(remote_result(took, sizeof took, &bytes), 0);
  for (uint32_t n = 0; n < LARGE + 2 * GUARD; n++) {
    int inside = n >= GUARD && n < GUARD + LARGE;
    wrong += guarded[n] != (inside ? ~(n * 0x01000193u) : n * 0x01000193u);
  }
  EQUAL(wrong, 0);

  /* Closed or stopped in the midst of it: still from then on. */
  for (int stop = 0; stop < 2; stop++) {
    uint32_t what = HOLD;
    EQUAL(remote_load(remote_image, remote_image_bytes), 0);
    EQUAL(remote_window_open(words, 4 * LARGE, 1), 0);
    EQUAL(remote_start(&what, sizeof what, 0), 0);
    for (uint32_t since = cl_cycle(); cl_cycle() - since < 5000u;) continue;
    if (stop) EQUAL(remote_stop() == 0 || stop, 1);
    else EQUAL(remote_window_close(), 0);
    memset(words, 0x55, 4 * LARGE);
    for (uint32_t since = cl_cycle(); cl_cycle() - since < 1000u;) continue;
    for (uint32_t n = 0; n < LARGE; n++) wrong += words[n] != 0x55555555u;
    EQUAL(wrong, 0);
  }
  printf("%lu %lu %lu\n", (unsigned long)took[0], (unsigned long)took[1], (unsigned long)took[2]);
  return finish();
}
