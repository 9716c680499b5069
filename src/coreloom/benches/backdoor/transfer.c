/* SPDX-License-Identifier: Apache-2.0
 *
 * What it takes to move a block between the memory of processor 0 and that of processor 1: by stream, where processor 0
 * stores or loads each word, and through the window, where processor 1's DMA does.
 *
 * Output: for each way (down, up), means (stream, window) and size two words: cycles of processor 0 from its first call
 * until the block has arrived and it knows; and how many of them it spends in calls that move or ask for words.
 * src/coreloom/benches/backdoor/transfer.py reads them. The first round, with a cold cache, is left out. */
#include <coreloom.h>
#include <coreloom_far.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "../moment.h"

enum { DOWN, UP, WAYS };
enum { STREAM, WINDOW, MEANS };
enum { ROUNDS = 2, SIZES = 8, MOST = 16384, PAUSE = 2000 };

#define WORDS(size) (1u << 2 * (size)) /* 1, 4, ... MOST */

#define EACH(way, means, size, round)           \
  for (int way = 0; way < WAYS; way++)          \
    for (int means = 0; means < MEANS; means++) \
      for (int size = 0; size < SIZES; size++)  \
        for (int round = 0; round < ROUNDS; round++)

static uint32_t words[MOST] REMOTE_WINDOW;

/* --- Processor 1 --- */

int far_main(const void *argument, size_t bytes) {
  static uint32_t block[MOST];
  (void)argument, (void)bytes;
  EACH(way, means, size, round) {
    size_t size_bytes = 4 * WORDS(size);
    uint32_t go;
    while (far_take(&go)) {}
    int error = means == WINDOW ? (way == DOWN ? far_read(block, 0, size_bytes) : far_write(0, block, size_bytes))
                : way == DOWN   ? far_receive(block, size_bytes)
                                : far_send(block, size_bytes);
    if (error) return error;
    if (means == WINDOW || way == DOWN) far_post(0);
  }
  return 0;
}

/* --- Processor 0 --- */

CL_INLINE void must(int error) {
  if (error) exit(error);
}

CL_INLINE void wait_for_mail(void) {
  uint32_t message;
  int error;
  do error = remote_take(&message);
  while (error == EAGAIN);
  must(error);
}

CL_INLINE void pause_for(uint32_t cycles) {
  for (uint32_t since = cl_cycle(); cl_cycle() - since < cycles;) {}
}

int main(void) {
  size_t room;
  uint32_t *found = cl_output(&room), *at = found;
  must(remote_load(remote_image, remote_image_bytes));
  must(remote_window_open(words, sizeof words, 1));
  must(remote_start(NULL, 0, 0));
  EACH(way, means, size, round) {
    size_t bytes = 4 * WORDS(size);
    uint32_t begin, works;
    pause_for(PAUSE); /* processor 1 waits again */
    if (means == STREAM && way == DOWN) {
      must(remote_post(0));
      pause_for(PAUSE);
      begin = cl_cycle();
      must(remote_send(words, bytes));
      works = cl_cycle() - begin;
      wait_for_mail();
    } else {
      begin = cl_cycle();
      must(remote_post(0));
      works = cl_cycle() - begin;
      if (means == WINDOW) wait_for_mail();
      else {
        must(remote_receive(words, 4)); /* until it is there, it is processor 1's time */
        uint32_t came = cl_cycle();
        if (bytes > 4) must(remote_receive(words + 1, bytes - 4));
        works += cl_cycle() - came;
      }
    }
    at[0] = cl_cycle() - begin;
    at[1] = works;
    if (round == ROUNDS - 1) at += 2;
  }
  must(remote_wait());
  struct remote_status status;
  must(remote_status(&status));
  must(status.state != REMOTE_DONE || status.detail);
  cl_output_set_length((size_t)(at - found) * sizeof *at);
  return 0;
}
