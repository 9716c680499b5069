/* SPDX-License-Identifier: Apache-2.0
 *
 * What POSIX does not have: ports, the memory lock, interrupts, hardware threads, the machine around the program, and
 * communication between processors (coreloom_ipc.h), and a processor behind a Back-Door (coreloom_remote.h). */
#ifndef CORELOOM_H
#define CORELOOM_H

#include <semaphore.h>
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
/* Wait at most that many cycles from the call. ETIMEDOUT: not earlier, and nothing has been sent or received then. */
int port_timedsend(int port, uint32_t word, uint32_t cycles);
int port_timedreceive(int port, uint32_t *word, uint32_t cycles);
int port_publish(void);                        /* makes everything the caller has sent visible */

/* --- Shared memory lock: a test-and-set for a few instructions ----------------------------------------------
 *
 * Excludes every other CPU that locks the same address; the caller is not preempted while it holds it.
 * One at a time, no kernel service in between. EDEADLK: the CPU holds one already. EPERM: it holds none. */
int shared_memory_lock(const volatile void *address);
int shared_memory_unlock(const volatile void *address);

/* --- Interrupts are threads ----------------------------------------------------------------------------------
 *
 * A line (0 .. CL_LINES-1; cl_soc drives 0 to 3) is bound to a thread, a semaphore or a port. Nobody is interrupted
 * but by a thread that becomes ready and is better than what runs; a line that is bound to nothing is not listened to.
 * All functions return 0 or an error number. EINVAL: no such line or object. */
int interrupt_bind_thread_np(unsigned line);               /* to the caller, until it ends. EBUSY: it is bound */
int interrupt_bind_semaphore_np(unsigned line, sem_t *sem); /* an interrupt posts it. EBUSY: it is bound */
int interrupt_bind_port_np(unsigned line, unsigned port);   /* an interrupt sends the line's number, at once; if the
                                                               port is full it is lost. EBUSY: bound. EBADF: not open */
int interrupt_unbind_np(unsigned line); /* ENOENT: not bound. EBUSY: its thread waits for it */
/* Waits for the line's next interrupt, or takes the one that has come since the last wait (one, if it was several).
 * ENOENT: not bound. EPERM: not bound to the caller. */
int interrupt_wait_np(unsigned line);
/* What an interrupt does, by software. ENOENT: not bound. EAGAIN: its port is full. EBADF: its port is closed.
 * EOVERFLOW: its semaphore is at its maximum. EINVAL: its semaphore is no more. */
int interrupt_raise_np(unsigned line);

/* --- Hardware threads ----------------------------------------------------------------------------------------
 *
 * A unit of the platform runs one thread at a time, made by pthread_create with pthread_attr_sethardware_np
 * (pthread.h). hwt_units.h has the arguments of the units that come with Coreloom. */

int hardware_count_np(void);                /* units 0 .. count-1; 0 with the software kernel */
int hardware_find_np(const char *name);     /* the first unit of that name in the platform file, or -1 */
const char *hardware_name_np(int unit);     /* NULL: no such unit */

#define HARDWARE_START 1  /* without a thread, for bring-up, with the argument it had last; of an idle one only */
#define HARDWARE_STOP 2   /* it stands still; its thread waits where it is */
#define HARDWARE_RESUME 3
#define HARDWARE_RESET 4  /* its thread ends with PTHREAD_CANCELED */

/* ENODEV: no such unit. EBUSY: START of one that is busy. EINVAL: no such command, or not in this state (STOP of one
 * that does not run, RESUME of one that is not stopped, RESET of an idle one). Nothing is changed then. */
int hardware_command_np(int unit, int command);

enum { HARDWARE_IDLE, HARDWARE_RUNNING, HARDWARE_STOPPED, HARDWARE_FAULTED };

struct hardware_status_np {
  int state;              /* HARDWARE_IDLE ... */
  int has_thread;         /* 1: `thread` runs on it, or is about to */
  uint32_t thread;        /* a pthread_t */
  uint32_t result;        /* of what ended last */
  uint32_t fault_address; /* HARDWARE_FAULTED: where nothing answered */
  uint32_t kind;          /* 1 crc32, 2 convolution, 3 sort; rtl/hwt/data/units.toml */
};

int hardware_status_np(int unit, struct hardware_status_np *status); /* ENODEV */

/* --- A CPU for one thread alone ([GF]) -------------------------------------------------------------------------
 *
 * `thread`, a pthread_t, runs on this CPU only and nobody else does, until cl_cpu_release or its end; what else was to
 * run there runs elsewhere meanwhile. With the hardware kernel, and the software kernel's policy exclusive.
 * ENOTSUP: another policy, or a hardware or idle thread. EINVAL: no such CPU. ESRCH: no such thread, or it has ended.
 * EBUSY: the CPU is reserved, has an idle thread or is the last that is not reserved; or the thread has a CPU. */
int cl_cpu_reserve(unsigned cpu, uint32_t thread);
int cl_cpu_release(unsigned cpu); /* ENOENT: it is not reserved */

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

#include "coreloom_ipc.h"
#include "coreloom_remote.h"

#endif
