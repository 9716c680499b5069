/* SPDX-License-Identifier: Apache-2.0
 *
 * <coreloom_remote.h> and <coreloom_far.h> on a POSIX host, as far as the programs for two processors use them:
 * processor 1 is a process of its own, so nothing but what is sent can be seen there. */
#if CL_BACKDOOR
#include <coreloom_far.h>
#include <coreloom_remote.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

const uint32_t remote_image[1] = {0};
const size_t remote_image_bytes = sizeof remote_image;

static int stream = -1;
static pid_t processor_1;
static struct remote_status last;

static int put(const void *words, size_t bytes) {
  for (const char *from = words; bytes != 0;) {
    const ssize_t count = write(stream, from, bytes);
    if (count <= 0) return EPIPE;
    from += count;
    bytes -= (size_t)count;
  }
  return 0;
}

static int get(void *words, size_t bytes) {
  for (char *to = words; bytes != 0;) {
    const ssize_t count = read(stream, to, bytes);
    if (count <= 0) return EPIPE;
    to += count;
    bytes -= (size_t)count;
  }
  return 0;
}

int remote_load(const void *image, size_t bytes) {
  last.state = REMOTE_LOADED;
  return image == remote_image && bytes == sizeof remote_image ? 0 : ENOEXEC;
}

int remote_start(const void *argument, size_t bytes, uint32_t limit_cycles) {
  int ends[2];
  (void)limit_cycles;
  if (last.state != REMOTE_LOADED) return EINVAL;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return errno;
  processor_1 = fork();
  if (processor_1 < 0) return errno;
  stream = ends[processor_1 == 0];
  close(ends[processor_1 != 0]);
  if (processor_1 == 0) _exit(far_main(argument, bytes));
  last.state = REMOTE_RUNNING;
  return 0;
}

int remote_wait(void) {
  int status;
  if (waitpid(processor_1, &status, 0) < 0) return errno;
  last.state = WIFEXITED(status) ? REMOTE_DONE : REMOTE_FAULT;
  return 0;
}

int remote_status(struct remote_status *status) {
  *status = last;
  return 0;
}

int remote_log(char *to, size_t room) {
  if (room != 0) *to = 0;
  return 0;
}

void remote_patience(uint32_t cycles) { (void)cycles; }

int remote_send(const void *words, size_t bytes) { return put(words, bytes); }
int remote_receive(void *words, size_t bytes) { return get(words, bytes); }
int far_send(const void *words, size_t bytes) { return put(words, bytes); }
int far_receive(void *words, size_t bytes) { return get(words, bytes); }
#endif
