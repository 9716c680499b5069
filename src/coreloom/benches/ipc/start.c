/* SPDX-License-Identifier: Apache-2.0
 *
 * From reset until the kernel starts the user's tasks: one thread on every CPU, made by main.
 * The host watches cl_boot_main (memory is ready, the kernel's own start begins), main, and each thread. */
#include "ipc.h"

static void *task(void *unused) {
  MOMENT(start_task);
  return unused;
}

int main(void) {
  MOMENT(start_main);
  on_every_cpu(task);
  return 0;
}
