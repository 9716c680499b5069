/* SPDX-License-Identifier: Apache-2.0
 *
 * HOW the heap is misused, under --check: 0 not at all. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *misuse(void *argument) {
  char *const bytes = argument;
  if (HOW == 2) free(bytes + 8);
  if (HOW == 3) bytes[24] = 1;
  if (HOW == 4) bytes[-1] = 1;
  free(bytes);
  if (HOW == 1) free(bytes);
  if (HOW == 5 || HOW == 6) bytes[3] = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  char *const bytes = malloc(24), *const other = malloc(10);
  strcpy(other, "123456789");
  pthread_create(&thread, NULL, misuse, bytes);
  pthread_join(thread, NULL);
  if (HOW == 7) other[10] = 1;
  for (int i = 0; i < 100 && HOW != 6; i++) free(malloc(1000));
  return atoi(other) != 123456789;
}
