/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a program as another user by linux/user, as a tool would: USER [leave] COMMAND.... Prints "started PID" before
 * and "ended STATUS" after it, to standard error. `leave`: gives the terminal back at SIGUSR1 and ends, with 99, while
 * the program runs on. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session.h"

static volatile sig_atomic_t told;
static void note(int number) { told = number; }

int main(int count, char **word) {
  struct cl_user user;
  struct cl_session session;
  struct rusage used;
  char why[512], byte = 0;
  int go[2], status = 0;
  pid_t program, pid;
  cl_session_descriptors();
  if (count < 3) return 2;
  if (!cl_user_find(word[1], &user, why, sizeof why)) return fprintf(stderr, "error: %s\n", why), 2;
  bool leaves = strcmp(word[2], "leave") == 0;
  char **command = word + 2 + leaves;
  if (pipe(go)) return 2;
  int error = cl_session_fork(&session, &user, &program);
  if (error) return fprintf(stderr, "error: %s\n", strerror(error)), 2;
  if (program == 0) {
    close(go[1]);
    if (read(go[0], &byte, 1) != 1) _exit(1);
    error = cl_user_become(&user);
    if (!error) execvp(command[0], command);
    _exit(126);
  }
  close(go[0]);
  const struct sigaction noted = {.sa_handler = note};
  sigaction(SIGUSR1, &noted, NULL);
  fprintf(stderr, "started %d\n", session.program);
  cl_session_begin(&session);
  fprintf(stderr, "begun\n");
  if (write(go[1], "g", 1) != 1) return 2;
  do pid = wait4(-1, &status, 0, &used);
  while (!(leaves && told) && (pid < 0 ? errno == EINTR : !cl_session_ended(&session, pid, &status, &used)));
  fprintf(stderr, "over\n");
  cl_session_close(&session);
  if (leaves && told) return fprintf(stderr, "left\n"), 99;
  status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  fprintf(stderr, "ended %d\n", status);
  return status;
}
