/* SPDX-License-Identifier: Apache-2.0
 *
 * <time.h>: calendar times, and clocks that go on. */
#include <stdio.h>
#include <string.h>
#include <time.h>

static void show(time_t at) {
  struct tm parts;
  char text[80];
  if (!gmtime_r(&at, &parts)) return;
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %j %a %A %b %B %p %I %U %w %y %%", &parts);
  printf("%lld %s\n", (long long)at, text);
  printf("%s", asctime(&parts));
  printf("%d %d\n", parts.tm_isdst, mktime(&parts) == at);
}

int main(void) {
  show(0);
  show(951782400);
  show(1700000000);
  show(-1);
  show(2147483647);
  show(4102444800);
  struct tm given = {.tm_year = 124, .tm_mon = 13, .tm_mday = 0, .tm_hour = 25};
  const time_t made = mktime(&given);
  printf("%lld %d-%d-%d %d\n", (long long)made, given.tm_year, given.tm_mon, given.tm_mday, given.tm_wday);
  printf("%g\n", difftime(10, 4));
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  clock_gettime(CLOCK_MONOTONIC, &after);
  const long long ns = (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec;
  printf("%d %d\n", ns >= 1000000, clock() != (clock_t)-1);
  return 0;
}
