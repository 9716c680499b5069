/* SPDX-License-Identifier: Apache-2.0
 *
 * An interrupt that is not the kernel's, pending at a CPU that waits: the wait goes on and its thread is woken by
 * what it waits for. Needs two CPUs; with one the CPU never waits. */
#include "check.h"
#include "cl_machine.h"

static void *wait_for_two(void *unused) {
  (void)unused;
  EQUAL(port_open(1, PORT_DIRECT), 0);
  for (uint32_t i = 1; i <= 2; i++) {
    uint32_t word = 0;
    EQUAL(port_receive(1, &word), 0);
    EQUAL(word, i);
    EQUAL(cl_cpu_id(), cl_cpu_count() - 1);
    cl_local_write(CL_IPI_CLEAR, 0);
  }
  return NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t thread;
  unsigned other = cl_cpu_count() - 1;
  EQUAL(pthread_create(&thread, attributes(&attr, 16, (int)other), wait_for_two, NULL), 0);
  if (other == 0) sched_yield();
  waste(3000);
  for (uint32_t i = 1; i <= 2; i++) {
    if (other != 0) cl_local_write(CL_IPI, other);
    waste(3000);
    EQUAL(port_send(1, i), 0);
    if (other == 0) sched_yield();
    waste(3000);
  }
  EQUAL(pthread_join(thread, NULL), 0);
  return finish();
}
