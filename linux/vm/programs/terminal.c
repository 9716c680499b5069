/* SPDX-License-Identifier: Apache-2.0
 *
 * terminal [TEXT KEYS]... -- COMMAND...: runs a command as the job of a small shell on a terminal of its own, passes on
 * what that shows, and types the KEYS (^C: Ctrl-C) once the TEXT has been shown after the one before. A stopped job is
 * continued. Prints, last, how many characters are then in the terminal's input: what a shell would take for its next
 * command. Exit status of the command, 128 + N if a signal ended it. */
#define _GNU_SOURCE
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int run(char **command) {
  int status;
  pid_t job = fork();
  if (job == 0) {
    setpgid(0, 0);
    tcsetpgrp(STDIN_FILENO, getpid());
    signal(SIGTTOU, SIG_DFL);
    execvp(*command, command);
    _exit(127);
  }
  while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
    tcsetpgrp(STDIN_FILENO, getpgrp());
    printf("stopped %d\n", WSTOPSIG(status));
    fflush(stdout);
    tcsetpgrp(STDIN_FILENO, job);
    kill(-job, SIGCONT);
  }
  tcsetpgrp(STDIN_FILENO, getpgrp());
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void shell(char **command) {
  struct termios mode;
  int left = 0;
  signal(SIGTTOU, SIG_IGN);
  int status = run(command);
  if (tcgetattr(STDIN_FILENO, &mode) == 0) {
    printf("mode %s\n", mode.c_lflag & ICANON ? "as before" : "raw");
    mode.c_lflag &= (tcflag_t)~ICANON;
    tcsetattr(STDIN_FILENO, TCSANOW, &mode);
  }
  ioctl(STDIN_FILENO, FIONREAD, &left);
  printf("typed %d\n", left);
  fflush(stdout);
  _exit(status);
}

static int type(int terminal, const char *keys) {
  char key = keys[0] == '^' ? (char)(keys[1] & 0x1f) : '\n';
  return (keys[0] == '^' || write(terminal, keys, strlen(keys)) > 0) && write(terminal, &key, 1) == 1;
}

int main(int count, char **argument) {
  char text[65536];
  size_t length = 0, seen = 0;
  int terminal, status, command = 1;
  while (command < count && strcmp(argument[command], "--") != 0) command += 2;
  if (command + 1 >= count) return fprintf(stderr, "usage: terminal [TEXT KEYS]... -- COMMAND...\n"), 2;
  pid_t child = forkpty(&terminal, NULL, NULL, NULL);
  if (child < 0) return perror("terminal"), 2;
  if (child == 0) shell(argument + command + 1);
  char **next = argument + 1, **last = argument + command;
  /* The read fails once nobody has the terminal open any more. */
  for (ssize_t got; (got = read(terminal, text + length, sizeof text - 1 - length)) > 0;) {
    fwrite(text + length, 1, (size_t)got, stdout);
    fflush(stdout);
    text[length += (size_t)got] = '\0';
    const char *found;
    if (next == last || (found = strstr(text + seen, next[0])) == NULL) continue;
    seen = (size_t)(found - text) + strlen(next[0]);
    if (!type(terminal, next[1])) return perror("terminal"), 2;
    next += 2;
  }
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
