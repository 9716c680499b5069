/* What POSIX does not have: ports, the memory lock, and the machine around the program. */
#ifndef CORELOOM_H
#define CORELOOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Ports: messages of one word between threads -----------------------------------------------------------
 *
 * A port is a number 0 .. PORT_COUNT-1 that sender and receiver agree on. The receiver opens it; anybody may send.
 * A word waits in the sender's send buffer until the sender *publishes*: it does so whenever it blocks in
 * port_receive, and with port_publish. With PORT_DIRECT every send to that port publishes at once.
 * All functions return 0 or an error number. */

#define PORT_BUFFERED 0 /* words become visible when the sender publishes (the default of the paper) */
#define PORT_DIRECT 1   /* words become visible at once */

int port_open(int port, int flags); /* the caller becomes the receiver. EBUSY: has one already. EINVAL: bad number */
int port_close(int port);           /* EPERM: not the receiver */
int port_send(int port, uint32_t word);    /* waits while the port is full */
int port_trysend(int port, uint32_t word); /* EAGAIN: full */
int port_receive(int port, uint32_t *word);    /* waits while the port is empty. EPERM: not the receiver */
int port_tryreceive(int port, uint32_t *word); /* EAGAIN: empty */
int port_publish(void);                        /* makes everything the caller has sent visible */

/* --- Shared memory lock: a test-and-set for a few instructions ----------------------------------------------
 *
 * Excludes every other CPU that locks the same address; the caller is not preempted while it holds it.
 * One at a time, no kernel service in between. EDEADLK: the CPU holds one already. EPERM: it holds none. */
int shared_memory_lock(const volatile void *address);
int shared_memory_unlock(const volatile void *address);

/* --- The machine ------------------------------------------------------------------------------------------- */

const void *cl_input(size_t *length);   /* what the user gave; word aligned; NULL length is fine */
void *cl_output(size_t *capacity);      /* where the result goes; word aligned */
void cl_output_set_length(size_t length); /* how much of it is valid */

unsigned cl_cpu_count(void);
unsigned cl_cpu_id(void); /* of the CPU that runs this now: may be another a moment later */
uint32_t cl_cycle(void);  /* free running, the same on all CPUs */

void cl_ready(void);            /* initialisation is done: the measured window starts */
void cl_done(uint32_t units);   /* so many more pixels, packets ... are finished */
void cl_mark(uint32_t value);   /* a mark in the timeline */
__attribute__((noreturn)) void cl_exit(int status); /* stops the machine at once; exit() and return of main do too */

#ifdef __cplusplus
}
#endif

#endif
