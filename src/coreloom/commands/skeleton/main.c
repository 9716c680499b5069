/* Adds up an array: one half in a thread on a processor, the other in the hardware thread `total`, if there is one. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "coreloom.h"

#define WORDS 4096u

struct part { /* units/total.sv reads these two words */
  const uint32_t *words;
  uint32_t count;
};

static uint32_t words[WORDS];

static void *total(void *argument) {
  const struct part *part = argument;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < part->count; i++) sum += part->words[i];
  return (void *)(uintptr_t)sum;
}

int main(void) {
  static struct part part[2] = {{words, WORDS / 2}, {words + WORDS / 2, WORDS / 2}};
  for (uint32_t i = 0; i < WORDS; i++) words[i] = i;

  pthread_attr_t attr;
  pthread_attr_init(&attr);
  int unit = hardware_find_np("total");
  if (unit >= 0) pthread_attr_sethardware_np(&attr, unit);

  cl_ready(); /* figures count from here */
  pthread_t thread[2];
  if (pthread_create(&thread[0], NULL, total, &part[0]) || pthread_create(&thread[1], &attr, total, &part[1])) return 1;
  uint32_t sum = 0;
  for (int i = 0; i < 2; i++) {
    void *result;
    if (pthread_join(thread[i], &result)) return 1;
    sum += (uint32_t)(uintptr_t)result;
    cl_done(1);
  }
  printf("%u words, total %u, half of it by a %s thread\n", WORDS, (unsigned)sum, unit >= 0 ? "hardware" : "software");
  return sum == WORDS / 2 * (WORDS - 1) ? 0 : 1;
}
