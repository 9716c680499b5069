/* SPDX-License-Identifier: Apache-2.0
 *
 * CRC-32, convolution and sort of a picture, each as a thread in software and as a hardware thread, created by the same
 * pthread_create; then all three at once. See README.md. */
#include <app.h>
#include <hwt_units.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "jobs.h"

enum { EXIT_DIFFERENT = 4 }; /* the results of hardware and software differ */
enum { JOBS = 3 };

struct header {
  uint32_t width, height, stride;
};

struct result {
  struct header header;
  uint32_t crc;
};

static const struct {
  const char *name;
  void *(*start)(void *);
} jobs[JOBS] = {{"crc32", crc32_thread}, {"convolution", convolution_thread}, {"sort", sort_thread}};

/* Arguments of one round's threads. */
struct blocks {
  struct hwt_crc32 crc32;
  struct hwt_convolution convolution;
  struct hwt_sort sort;
};

static void *block_of(struct blocks *blocks, unsigned job) {
  void *const all[JOBS] = {&blocks->crc32, &blocks->convolution, &blocks->sort};
  return all[job];
}

/* 1: hardware, 0: software. */
static int start(pthread_t *thread, unsigned job, struct blocks *blocks, int wanted) {
  pthread_attr_t attr;
  app_must(pthread_attr_init(&attr));
  app_must(pthread_attr_setname_np(&attr, jobs[job].name));
  int hardware = wanted && pthread_attr_sethardware_np(&attr, hardware_find_np(jobs[job].name)) == 0;
  app_must(pthread_create(thread, &attr, jobs[job].start, block_of(blocks, job)));
  app_must(pthread_attr_destroy(&attr));
  return hardware;
}

static uint32_t finish(pthread_t thread) {
  void *value = NULL;
  app_must(pthread_join(thread, &value));
  cl_done(1);
  return (uint32_t)(uintptr_t)value;
}

int main(void) {
  size_t length, room;
  const struct header *header = cl_input(&length);
  struct result *result = cl_output(&room);
  if (length < sizeof *header) return APP_EXIT_INPUT;
  size_t size = (size_t)header->stride * header->height;
  if (length != sizeof *header + size) return APP_EXIT_INPUT;
  if (sizeof *result + 4 * size > room) return APP_EXIT_ROOM;
  uint8_t *from = (uint8_t *)(header + 1);
  uint8_t *image[2] = {(uint8_t *)(result + 1), (uint8_t *)(result + 1) + 2 * size};
  uint32_t *words[2] = {(uint32_t *)(image[0] + size), (uint32_t *)(image[1] + size)};

  /* [0]: in software, checked and kept; [1]: in hardware, or in software again */
  struct blocks blocks[2];
  for (int i = 0; i < 2; i++) {
    blocks[i].crc32 = (struct hwt_crc32){.data = from, .length = (uint32_t)size};
    blocks[i].convolution = (struct hwt_convolution){
        .from = from,
        .to = image[i],
        .width = header->width,
        .height = header->height,
        .stride = header->stride,
        .shift = 2,
        .offset = 64,
        .kernel = {-1, -2, 1, -2, 10, 2, -1, 2, 1},
    };
    blocks[i].sort = (struct hwt_sort){.words = words[i], .count = (uint32_t)(size / 4)};
  }
  jobs_prepare();
  memset(image[0], 0, size); /* the bytes between width and stride */
  memset(image[1], 0, size);
  memcpy(words[0], from, size);
  memcpy(words[1], from, size);
  cl_ready();

  int different = 0, units = 0;
  uint32_t value[2][JOBS];
  pthread_t threads[JOBS];
  for (unsigned job = 0; job < JOBS; job++) {
    uint32_t cycles[2];
    int hardware = 0;
    for (int i = 0; i < 2; i++) {
      uint32_t begin = cl_cycle();
      hardware = start(&threads[job], job, &blocks[i], i);
      value[i][job] = finish(threads[job]);
      cycles[i] = cl_cycle() - begin;
    }
    units += hardware;
    different |= value[0][job] != value[1][job];
    if (hardware)
      printf("%s: %u cycles in software, %u in hardware\n", jobs[job].name, (unsigned)cycles[0], (unsigned)cycles[1]);
    else printf("%s: %u cycles in software\n", jobs[job].name, (unsigned)cycles[0]);
  }
  different |= memcmp(image[0], image[1], 2 * size) != 0;

  /* all at once, [1] again */
  memset(image[1], 0, size);
  memcpy(words[1], from, size);
  uint32_t begin = cl_cycle();
  for (unsigned job = 0; job < JOBS; job++) start(&threads[job], job, &blocks[1], 1);
  for (unsigned job = 0; job < JOBS; job++) different |= finish(threads[job]) != value[0][job];
  printf("all at once: %u cycles, %d of %d in hardware\n", (unsigned)(cl_cycle() - begin), units, JOBS);
  different |= memcmp(image[0], image[1], 2 * size) != 0;

  result->header = *header;
  result->crc = value[0][0];
  cl_output_set_length(sizeof *result + 2 * size);
  if (value[0][1] || value[0][2]) return APP_EXIT_SERVICE;
  return different ? EXIT_DIFFERENT : 0;
}
