/* SPDX-License-Identifier: Apache-2.0
 *
 * The locale "C", wide characters, patterns, dates that are read. */
#include <fnmatch.h>
#include <langinfo.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
  printf("%s %s %d\n", setlocale(LC_ALL, NULL), setlocale(LC_ALL, ""), setlocale(LC_ALL, "xx_YY") == NULL);
  const struct lconv *convention = localeconv();
  printf("%s[%s][%s] %d\n", convention->decimal_point, convention->thousands_sep, convention->currency_symbol,
         convention->frac_digits == CHAR_MAX);
  printf("%s[%s] %s %s", nl_langinfo(RADIXCHAR), nl_langinfo(THOUSEP), nl_langinfo(DAY_1), nl_langinfo(ABMON_12));
  printf(" %s %s\n", nl_langinfo(YESEXPR), nl_langinfo(D_T_FMT));
  wchar_t wide[20], c;
  char text[20];
  mbstate_t state = {0};
  printf("%zu %zu %d", mbstowcs(wide, "hello", 20), wcslen(wide), mblen("a", 1));
  printf(" %zu %zu\n", wcstombs(text, wide, 20), mbrtowc(&c, "z", 1, &state));
  printf("%s %d %d %d\n", text, iswalpha(L'x') != 0, (int)towupper(L'q'), wcscmp(L"ab", L"ac") < 0);
  struct tm date = {0};
  const char *rest = strptime("2024-02-03 04:05:06 x", "%Y-%m-%d %H:%M:%S", &date);
  printf("%s %d %d %d %d\n", rest, date.tm_year, date.tm_mon, date.tm_mday, date.tm_sec);
  regex_t expression;
  regmatch_t found[2];
  printf("%d", regcomp(&expression, "a(b+)c", REG_EXTENDED));
  printf(" %d %d", regexec(&expression, "xxabbbc", 2, found, 0), (int)found[1].rm_so);
  printf(" %d %d\n", (int)found[1].rm_eo, regexec(&expression, "ac", 0, NULL, 0));
  regfree(&expression);
  char path[] = "/a/b/c.txt", other[] = "/a/b/c.txt";
  printf("%s %s %d %d\n", basename(path), dirname(other), fnmatch("*.c", "x.c", 0), fnmatch("*.c", "x.h", 0));
  char key[] = "one", value[] = "1", missing[] = "two";
  printf("%d", hcreate(10) != 0);
  hsearch((ENTRY){key, value}, ENTER);
  const ENTRY *entry = hsearch((ENTRY){key, NULL}, FIND);
  printf(" %s %d\n", entry ? (char *)entry->data : "none", hsearch((ENTRY){missing, NULL}, FIND) == NULL);
  return 0;
}
