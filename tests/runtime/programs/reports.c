/* SPDX-License-Identifier: Apache-2.0
 *
 * Input, output, names, marks, the C library. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *named(void *unused) {
  (void)unused;
  return NULL;
}

int main(void) {
  size_t length = 0, capacity = 0;
  const char *input = cl_input(&length);
  char *output = cl_output(&capacity);
  CHECK(capacity > 1 << 20);
  for (size_t i = 0; i < length; i++) output[i] = input[length - 1 - i];
  cl_output_set_length(length);
  cl_ready();
  cl_mark(0x1234);
  cl_done(3);
  pthread_setname_np(pthread_self(), "first");
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  EQUAL(pthread_attr_setname_np(&attr, "second"), 0);
  EQUAL(pthread_create(&thread, &attr, named, NULL), 0);
  EQUAL(pthread_join(thread, NULL), 0);

  int numbers[] = {5, -3, 9, 0, 2};
  qsort(numbers, 5, sizeof *numbers, by_value);
  char text[80];
  snprintf(text, sizeof text, "%d %d %05d %x %s %.3f %lld", numbers[0], numbers[4], 42, 255u, "text", 2.5, 1LL << 40);
  puts(text);
  EQUAL(strtol("-123xyz", NULL, 10), -123);
  EQUAL(strcmp("abc", "abd") < 0, 1);
  char *block[8];
  for (int i = 0; i < 8; i++) {
    block[i] = malloc(100u << i);
    CHECK(block[i] != NULL);
    memset(block[i], i, 100u << i);
  }
  for (int i = 0; i < 8; i++) {
    EQUAL(block[i][(100 << i) - 1], i);
    free(block[i]);
  }
  return finish();
}
