/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads read lines of one stream and write them to another: each is read once, and written whole. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, LINES = 200 };
static FILE *in, *out;

static void *copy(void *argument) {
  char line[40];
  while (fgets(line, sizeof line, in)) fprintf(out, "%s", line);
  return argument;
}

int main(void) {
  static int seen[LINES];
  pthread_t threads[THREADS];
  in = fopen("in", "w+");
  out = fopen("out", "w+");
  for (int n = 0; n < LINES; n++) fprintf(in, "line %d\n", n);
  rewind(in);
  for (int n = 0; n < THREADS; n++) pthread_create(&threads[n], NULL, copy, NULL);
  for (int n = 0; n < THREADS; n++) pthread_join(threads[n], NULL);
  rewind(out);
  int number, lines = 0, wrong = 0;
  while (fscanf(out, "line %d\n", &number) == 1) lines++, seen[number]++;
  for (int n = 0; n < LINES; n++) wrong += seen[n] != 1;
  printf("%d lines, %d wrong\n", lines, wrong);
  return 0;
}
