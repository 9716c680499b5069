/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

void psignal(int signal, const char *text) {
  fprintf(stderr, "%s%s%s\n", text ? text : "", text && *text ? ": " : "", strsignal(signal));
}
