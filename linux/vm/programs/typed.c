/* SPDX-License-Identifier: Apache-2.0
 *
 * typed COMMAND...: root's shell, as far as it concerns terminals. Runs the command as a job on a terminal of its own,
 * passes on what that shows and prints, last, what its next command would be: everything that is then in the terminal's
 * input, although nobody types. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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
  waitpid(job, &status, 0);
  tcsetpgrp(STDIN_FILENO, getpgrp());
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int count, char **argument) {
  char text[4096];
  int terminal, status, left = 0;
  if (count < 2) return fprintf(stderr, "usage: typed COMMAND...\n"), 2;
  pid_t shell = forkpty(&terminal, NULL, NULL, NULL);
  if (shell < 0) return perror("typed"), 2;
  if (shell == 0) {
    struct termios mode;
    signal(SIGTTOU, SIG_IGN);
    status = run(argument + 1);
    tcgetattr(STDIN_FILENO, &mode);
    mode.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &mode);
    ioctl(STDIN_FILENO, FIONREAD, &left);
    printf("typed %d\n", left);
    fflush(stdout);
    _exit(status);
  }
  /* The read fails once nobody has the terminal open any more. */
  for (ssize_t got; (got = read(terminal, text, sizeof text)) > 0;) fwrite(text, 1, (size_t)got, stdout);
  waitpid(shell, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
