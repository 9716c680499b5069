/* SPDX-License-Identifier: Apache-2.0
 *
 * Back end for a Back-Door: far is processor 1, and data are copied: by near, through the streams; or, if PAIR_WINDOW is
 * 1, by far's DMA, through a window on what is PAIR_SHARED, and each side says by mail where data are. */
#if CL_BACKDOOR
#include <coreloom.h>
#include <errno.h>
#include <coreloom_far.h>
#include <stdio.h>

#include "backend.h"
#include "pair.h"

struct pair_counts pair_counts;

/* Ends the program with processor 1's status. */
static void remote_must(int error, const char *what) {
  static char log[1024];
  struct remote_status status;
  if (error == 0) return;
  remote_status(&status);
  printf("processor 1: state %d, detail %u, pc %#x, address %#x\n", status.state, (unsigned)status.detail,
         (unsigned)status.pc, (unsigned)status.address);
  if (remote_log(log, sizeof log) == 0) fputs(log, stdout);
  pair_must(error, what);
}

#if PAIR_WINDOW
/* Where far leaves what it passes on, in near's memory; the most is that of the largest size of sort and wavelet. */
static uint32_t room_of_far[20480] PAIR_SHARED;
static struct room {
  uint32_t at, end; /* offsets in the window */
} room_left;

extern char __window_start[], __window_end[];

static uint32_t offset_of(const void *place) { return (uint32_t)((const char *)place - __window_start); }

void pair_to_far(void *data, size_t bytes) {
  const uint32_t begin = cl_cycle();
  int error;
  do error = remote_post(offset_of(data));
  while (error == EAGAIN);
  remote_must(error, "remote_post");
  pair_counts.transfer_cycles += cl_cycle() - begin;
  pair_counts.words_down += bytes / 4;
}

void *pair_from_far(void *room, size_t bytes) {
  (void)room;
  const uint32_t begin = cl_cycle();
  uint32_t offset;
  int error;
  do error = remote_take(&offset);
  while (error == EAGAIN);
  remote_must(error, "remote_take");
  pair_counts.wait_cycles += cl_cycle() - begin;
  pair_counts.words_up += bytes / 4;
  return __window_start + offset;
}

void pair_to_near(void *data, size_t bytes) {
  if (bytes > room_left.end - room_left.at || far_write(room_left.at, data, bytes) != 0) __builtin_trap();
  while (far_post(room_left.at) != 0) continue;
  room_left.at += bytes;
}

void *pair_from_near(void *room, size_t bytes) {
  uint32_t offset;
  while (far_take(&offset) != 0) continue;
  if (far_read(room, offset, bytes) != 0) __builtin_trap();
  return room;
}
#else
void pair_to_far(void *data, size_t bytes) {
  const uint32_t begin = cl_cycle();
  remote_must(remote_send(data, bytes), "remote_send");
  pair_counts.transfer_cycles += cl_cycle() - begin;
  pair_counts.words_down += bytes / 4;
}

void *pair_from_far(void *room, size_t bytes) {
  /* The time until the first word arrives is far's work. */
  const uint32_t begin = cl_cycle();
  remote_must(remote_receive(room, 4), "remote_receive");
  const uint32_t came = cl_cycle();
  if (bytes > 4) remote_must(remote_receive((uint32_t *)room + 1, bytes - 4), "remote_receive");
  pair_counts.wait_cycles += came - begin;
  pair_counts.transfer_cycles += cl_cycle() - came;
  pair_counts.words_up += bytes / 4;
  return room;
}

/* On processor 1 a failure is a fault, which is reported to near. */
void pair_to_near(void *data, size_t bytes) {
  if (far_send(data, bytes) != 0) __builtin_trap();
}

void *pair_from_near(void *room, size_t bytes) {
  if (far_receive(room, bytes) != 0) __builtin_trap();
  return room;
}

#endif

int far_main(const void *argument, size_t bytes) {
#if PAIR_WINDOW
  room_left = *(const struct room *)argument;
#endif
  (void)argument, (void)bytes;
  pair_far();
  return 0;
}

void pair_open(void) {
  remote_patience(UINT32_MAX);
  remote_must(remote_load(remote_image, remote_image_bytes), "remote_load");
#if PAIR_WINDOW
  remote_must(remote_window_open(__window_start, (size_t)(__window_end - __window_start), 1), "remote_window_open");
#endif
}

void pair_start(void) {
#if PAIR_WINDOW
  const struct room argument = {offset_of(room_of_far), offset_of(room_of_far) + (uint32_t)sizeof room_of_far};
  remote_must(remote_start(&argument, sizeof argument, 0), "remote_start");
#else
  remote_must(remote_start(NULL, 0, 0), "remote_start");
#endif
}

void pair_close(void) {
  struct remote_status status;
  remote_must(remote_wait(), "remote_wait");
  remote_must(remote_status(&status), "remote_status");
  remote_must(status.state == REMOTE_DONE ? 0 : EIO, "the program of processor 1");
}
#endif
