/* SPDX-License-Identifier: Apache-2.0
 *
 * qsort and bsearch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}
static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

struct record {
  char name[12];
  double value;
};
static int by_value(const void *a, const void *b) {
  const double x = ((const struct record *)a)->value, y = ((const struct record *)b)->value;
  return (x > y) - (x < y);
}

int main(void) {
  int numbers[200];
  unsigned random = 12345;
  for (int i = 0; i < 200; i++) {
    random = random * 1103515245u + 12345u;
    numbers[i] = (int)(random >> 16 & 0x3ff) - 512;
  }
  qsort(numbers, 200, sizeof *numbers, by_number);
  int wrong = 0;
  for (int i = 1; i < 200; i++) wrong += numbers[i - 1] > numbers[i];
  printf("%d %d %d\n", wrong, numbers[0], numbers[199]);
  const int *const found = bsearch(&numbers[77], numbers, 200, sizeof *numbers, by_number);
  const int absent = 5000;
  printf("%d %d\n", *found == numbers[77], bsearch(&absent, numbers, 200, sizeof *numbers, by_number) == NULL);
  const char *words[] = {"pear", "apple", "fig", "date", "banana"};
  qsort(words, 5, sizeof *words, by_text);
  for (int i = 0; i < 5; i++) printf("%s ", words[i]);
  struct record records[] = {{"pi", 3.25}, {"e", 2.75}, {"one", 1}, {"half", .5}};
  qsort(records, 4, sizeof *records, by_value);
  for (int i = 0; i < 4; i++) printf("%s=%g ", records[i].name, records[i].value);
  qsort(numbers, 0, sizeof *numbers, by_number);
  qsort(numbers, 1, sizeof *numbers, by_number);
  printf("\n");
  return 0;
}
