/* SPDX-License-Identifier: Apache-2.0
 *
 * terminal READY COMMAND...: runs a command on a terminal of its own and, once it has printed READY, presses Ctrl-C.
 * Passes on its output and exit status, 128 + N if a signal ended it. */
#define _GNU_SOURCE
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **argument) {
  char text[65536];
  size_t length = 0;
  bool pressed = false;
  int terminal, status;
  if (count < 3) return fprintf(stderr, "usage: terminal READY COMMAND...\n"), 2;
  pid_t child = forkpty(&terminal, NULL, NULL, NULL);
  if (child < 0) return perror("terminal"), 2;
  if (child == 0) {
    execvp(argument[2], argument + 2);
    _exit(127);
  }
  /* The read fails once nobody has the terminal open any more. */
  for (ssize_t got; (got = read(terminal, text + length, sizeof text - 1 - length)) > 0;) {
    fwrite(text + length, 1, (size_t)got, stdout);
    fflush(stdout);
    text[length += (size_t)got] = '\0';
    if (pressed || strstr(text, argument[1]) == NULL) continue;
    pressed = write(terminal, "\003", 1) == 1;
  }
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
