/* SPDX-License-Identifier: Apache-2.0
 *
 * sscanf, and standard input, which is at its end. */
#include <stdio.h>
#include <string.h>

int main(void) {
  int a = 0, b = 0, count = 0;
  unsigned c = 0;
  char word[20] = "", set[20] = "", letter = 0;
  float f = 0;
  double d = 0;
  long long l = 0;
  short h = 0;
  printf("%d", sscanf("12 -3 ff", "%d %i %x", &a, &b, &c));
  printf(" %d %d %u\n", a, b, c);
  printf("%d", sscanf("name: John Smith", "name: %19s %19[A-Z a-z]", word, set));
  printf(" %s %s\n", word, set);
  printf("%d", sscanf("3.25e2,1e-3", "%f,%lf%n", &f, &d, &count));
  printf(" %g %g %d\n", (double)f, d, count);
  printf("%d", sscanf("x 123456789012 -7", "%c %lld %hd", &letter, &l, &h));
  printf(" %c %lld %d\n", letter, l, h);
  printf("%d %d %d\n", sscanf("abc", "%d", &a), sscanf("", "%d", &a), sscanf("5", "%d %d", &a, &b));
  printf("%d", sscanf("12345", "%3d%d", &a, &b));
  printf(" %d %d\n", a, b);
  printf("%d", sscanf("a=1;b=2", "a=%d;b=%d", &a, &b));
  printf(" %d %d\n", a, b);
  printf("%d\n", sscanf("10 20", "%*d %d", &a));
  printf("%d\n", sscanf("100%", "%d%%%n", &a, &count));
  printf("%d\n", sscanf("]ab]c", "%[]ab]%c", set, &letter));
  printf("%s %c\n", set, letter);
  return 0;
}
