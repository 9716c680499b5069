/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "uevents.h"

#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int cl_uevents_open(void) {
  const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};
  int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
  if (fd < 0 || bind(fd, (const struct sockaddr *)&kernel, sizeof kernel) == 0) return fd;
  close(fd);
  return -1;
}

struct cl_cpus cl_uevents_offline(int fd) {
  static const char what[] = "offline@/devices/system/cpu/cpu";
  struct cl_cpus were = cl_cpus_none();
  char text[4096];
  struct sockaddr_nl from;
  socklen_t size = sizeof from;
  ssize_t got;
  while ((got = recvfrom(fd, text, sizeof text - 1, MSG_DONTWAIT, (struct sockaddr *)&from, &size)) > 0) {
    text[got] = '\0';
    int cpu = strncmp(text, what, sizeof what - 1) == 0 ? atoi(text + sizeof what - 1) : -1;
    if (from.nl_pid == 0 && cpu >= 0 && cpu < CL_CPUS_MOST) cl_cpus_add(&were, cpu); /* 0: the kernel */
    size = sizeof from;
  }
  return were;
}
