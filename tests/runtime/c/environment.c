/* SPDX-License-Identifier: Apache-2.0
 *
 * What is around a program: its environment, limits, a command interpreter. */
#include <err.h>
#include <errno.h>
#include <features.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vwarn(format, list);
  va_end(list);
  va_start(list, format);
  verr(3, format, list);
}

int main(int count, char **arguments) {
  struct rlimit limit;
  for (int n = 0; n <= count; n++) printf("[%s]", arguments[n] ? arguments[n] : "");
  printf("\n");
  for (char **each = environ; *each; each++) printf("%s\n", *each);
  setenv("SECOND", "kept", 0);
  setenv("THIRD", "new", 1);
  unsetenv("FIRST");
  putenv("FOURTH=4");
  printf("%d %s %s %s\n", getenv("FIRST") != NULL, getenv("SECOND"), getenv("THIRD"), getenv("FOURTH"));
  printf("%d %d\n", getrlimit(RLIMIT_STACK, &limit), limit.rlim_cur >= 32768);
  printf("%d %d\n", sysconf(_SC_OPEN_MAX) >= 20, sysconf(_SC_PAGESIZE) > 0);
  freopen("told", "w", stderr);
  warnx("%d things", 2);
  errno = ENOENT;
  warn(NULL);
  tell("%d kinds", 3);
  return 0;
}
