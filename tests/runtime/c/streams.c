/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams in memory, and lines of any length. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char *text, *line = NULL;
  size_t length, room = 0;
  FILE *file = open_memstream(&text, &length);
  fprintf(file, "hello %d", 1);
  fflush(file);
  printf("%s %zu\n", text, length);
  for (int n = 0; n < 100; n++) fprintf(file, " %d", n);
  fclose(file);
  printf("%s %zu\n", text, length);

  file = fmemopen(text, strlen(text), "r");
  printf("%zd", getdelim(&line, &room, ' ', file));
  printf(" [%s]", line);
  printf(" %zd", getline(&line, &room, file));
  printf(" %zu %d\n", strlen(line), room > strlen(line));
  printf("%zd %d\n", getline(&line, &room, file), feof(file) != 0);
  fclose(file);
  free(text);

  char bytes[16] = "0123456789abcde";
  file = fmemopen(bytes, sizeof bytes, "r+");
  printf("%c", getc(file));
  fseek(file, 5, SEEK_SET);
  fputs("XY", file);
  fflush(file);
  fseek(file, 3, SEEK_SET);
  int number = 0;
  printf(" %d %d\n", fscanf(file, "%d", &number), number);
  fclose(file);
  printf("%.10s\n", bytes);
  file = fmemopen(bytes, 5, "r");
  memcpy(bytes, "12\0x", 5);
  printf("%d", fscanf(file, "%d", &number));
  printf(" %d %d\n", number, getc(file) == 0 && getc(file) == 'x'); /* a zero is no end */
  fclose(file);
  file = fmemopen(NULL, 10, "w+");
  fputs("a\nb\n", file);
  rewind(file);
  while (getline(&line, &room, file) >= 0) printf("<%.1s>", line);
  fclose(file);
  char word[8];
  printf("\n%d %s\n", sscanf("abc def", "%*s %7s", word), word);
  free(line);
  return 0;
}
