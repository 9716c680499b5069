/* SPDX-License-Identifier: Apache-2.0
 *
 * killat WHOM START WHEN COMMAND...: runs a command and kills it (SIGKILL) at a moment.
 *
 *   WHOM   tool: only the command; all: also every other process of its executable, including those it left behind
 *   START  the moment counts from the start of the command (-), or from when FILE exists; then it gets SIGTERM
 *   WHEN   MICROSECONDS, or lN: as soon as the baseline has N lines
 *
 * Prints the microseconds from there to the kill, and "killed", or "ended" when it was too late. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "program.h"

static const char how[] = "killat tool|all -|FILE MICROSECONDS|lN COMMAND...";

static bool is_there(const char *path) { return access(path, F_OK) == 0; }

static int lines(void) {
  static char text[1 << 20];
  int count = 0;
  int fd = open("/run/coreloom-exclusive/baseline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t length = read(fd, text, sizeof text);
  close(fd);
  for (ssize_t i = 0; i < length; i++) count += text[i] == '\n';
  return count;
}

/* Kills every process that runs this executable, until there is none. The child's own comes first, by its pid. */
static void kill_all(const char *executable) {
  for (int found = 1; found;) {
    DIR *all = opendir("/proc");
    found = 0;
    for (struct dirent *one; all != NULL && (one = readdir(all)) != NULL;) {
      char path[280], target[512];
      if (!isdigit((unsigned char)one->d_name[0])) continue;
      snprintf(path, sizeof path, "/proc/%s/exe", one->d_name);
      ssize_t length = readlink(path, target, sizeof target - 1);
      if (length < 0 || (size_t)length >= sizeof target) continue;
      target[length] = '\0';
      if (strcmp(target, executable) == 0 && kill(atoi(one->d_name), SIGKILL) == 0) found = 1;
    }
    if (all != NULL) closedir(all);
  }
}

int main(int argc, char **argv) {
  char executable[512] = "";
  int status;
  if (argc < 5) usage(how);
  bool all = strcmp(argv[1], "all") == 0, later = strcmp(argv[2], "-") != 0, by_lines = argv[3][0] == 'l';
  long when = strtol(argv[3] + by_lines, NULL, 10);
  double began = now(CLOCK_MONOTONIC);
  pid_t child = fork();
  if (child < 0) return perror("killat"), 1;
  if (child == 0) {
    execvp(argv[4], argv + 4);
    _exit(127);
  }
  snprintf(executable, sizeof executable, "/usr/bin/%s", argv[4]);
  while (later && !is_there(argv[2]) && waitpid(child, &status, WNOHANG) == 0) usleep(1000);
  if (later) {
    began = now(CLOCK_MONOTONIC);
    kill(child, SIGTERM);
  }
  bool ended = false;
  while (!ended && (by_lines ? lines() < when : (now(CLOCK_MONOTONIC) - began) * 1e6 < (double)when))
    ended = waitpid(child, &status, WNOHANG) != 0;
  double at = now(CLOCK_MONOTONIC) - began;
  if (!ended) {
    kill(child, SIGKILL);
    if (all) kill_all(executable);
    waitpid(child, &status, 0);
    ended = !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
  }
  printf("%.0f %s\n", at * 1e6, ended ? "ended" : "killed");
  return 0;
}
