/* SPDX-License-Identifier: Apache-2.0 */
/* <coreloom.h> and the Coreloom part of <pthread.h> on a POSIX host, as far as the applications use them. */
#ifndef HOST_CORELOOM_H
#define HOST_CORELOOM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#if CL_BACKDOOR
#include <coreloom_remote.h>
#endif

#define PORT_BUFFERED 0
#define PORT_DIRECT 1

#define PTHREAD_PLACEMENT_DYNAMIC_NP 0
#define PTHREAD_PLACEMENT_STATIC_NP 1

int port_open(int port, int flags);
int port_send(int port, uint32_t word);
int port_trysend(int port, uint32_t word);
int port_receive(int port, uint32_t *word);

const void *cl_input(size_t *length);
void *cl_output(size_t *capacity);
void cl_output_set_length(size_t length);
unsigned cl_cpu_count(void);
uint32_t cl_cycle(void); /* microseconds */
void cl_ready(void);
void cl_done(uint32_t units);
__attribute__((noreturn)) void cl_exit(int status);

int pthread_attr_setplacement_np(pthread_attr_t *attr, int placement, unsigned cpu);
static inline int host_attr_setname(pthread_attr_t *attr, const char *name) {
  (void)attr, (void)name;
  return 0;
}
#define pthread_attr_setname_np host_attr_setname

int host_join(pthread_t thread, void **result);
#define pthread_join host_join

/* The host's main calls the application's. */
#define main app_main
int app_main(void);

#endif
