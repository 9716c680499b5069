/* SPDX-License-Identifier: Apache-2.0
 *
 * Coreloom's API beyond POSIX: ports, the memory lock, interrupts, hardware threads, CPU reservation, input and output,
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
 * A port is a number 0 .. PORT_COUNT-1 that sender and receiver agree on. The receiver opens it; any thread may send.
 * A word stays in the send buffer until its sender *publishes*: whenever it gives way, and in port_publish.
 * With PORT_DIRECT every send to that port publishes at once.
 * All functions return 0 or an error number. */

#define PORT_BUFFERED 0 /* words become visible when the sender publishes; [SMP] has no other kind */
#define PORT_DIRECT 1   /* words become visible at once */

int port_open(int port, int flags); /* the caller becomes the receiver. EBUSY: has one already. EINVAL: bad number */
int port_close(int port);           /* EPERM: not the receiver */
int port_send(int port, uint32_t word);    /* waits while the port is full */
int port_trysend(int port, uint32_t word); /* EAGAIN: full */
int port_receive(int port, uint32_t *word);    /* waits while the port is empty. EPERM: not the receiver */
int port_tryreceive(int port, uint32_t *word); /* EAGAIN: empty */
/* Wait at most that many cycles from the call. ETIMEDOUT: never early, and nothing has been sent or received. */
int port_timedsend(int port, uint32_t word, uint32_t cycles);
int port_timedreceive(int port, uint32_t *word, uint32_t cycles);
int port_publish(void);                        /* makes everything the caller has sent visible */

/* --- Shared memory lock: a test-and-set for a few instructions ----------------------------------------------
 *
 * Excludes every other CPU that locks the same address; the caller is not preempted while it holds the lock.
 * Hold one at a time, without kernel services meanwhile. EDEADLK: the CPU holds one already. EPERM: it holds none. */
int shared_memory_lock(const volatile void *address);
int shared_memory_unlock(const volatile void *address);

/* --- Interrupts are threads ----------------------------------------------------------------------------------
 *
 * A line (0 .. CL_LINES-1; 0 to 3 are pins of cl_soc) is bound to a thread, a semaphore or a port. A running thread is
 * interrupted only if the woken thread has a higher priority; edges of an unbound line are ignored.
 * All functions return 0 or an error number. EINVAL: no such line or object. */
int interrupt_bind_thread_np(unsigned line);               /* to the caller, until it ends. EBUSY: bound already */
int interrupt_bind_semaphore_np(unsigned line, sem_t *sem); /* an interrupt posts it. EBUSY: bound already */
int interrupt_bind_port_np(unsigned line, unsigned port); /* an interrupt sends and publishes the line's number; lost
                                                               if the port is full. EBUSY: bound. EBADF: not open */
int interrupt_unbind_np(unsigned line); /* ENOENT: not bound. EBUSY: its thread waits for it */
/* Waits for the line's next interrupt; returns at once if one or more have come since the last wait.
 * ENOENT: not bound. EPERM: not bound to the caller. */
int interrupt_wait_np(unsigned line);
/* Raises the line by software. ENOENT: not bound. EAGAIN: its port is full. EBADF: its port is closed.
 * EOVERFLOW: its semaphore is at its maximum. EINVAL: its semaphore no longer exists. */
int interrupt_raise_np(unsigned line);

/* --- Hardware threads ----------------------------------------------------------------------------------------
 *
 * A hardware unit runs one thread at a time, created by pthread_create with pthread_attr_sethardware_np (pthread.h).
 * hwt_units.h has the arguments of the units that come with Coreloom. */

int hardware_count_np(void); /* units 0 .. count-1; 0 with the software kernel */
int hardware_find_np(const char *name); /* the first unit of that name in the platform file, or -1 */
const char *hardware_name_np(int unit); /* NULL: no such unit */

#define HARDWARE_START 1 /* of an idle unit: run without a thread, for bring-up, with the last argument */
#define HARDWARE_STOP 2 /* freezes the unit and its thread */
#define HARDWARE_RESUME 3
#define HARDWARE_RESET 4 /* its thread ends with PTHREAD_CANCELED */

/* ENODEV: no such unit. EBUSY: START of a busy unit. EINVAL: no such command, or not allowed in this state (STOP of a
 * unit that is not running, RESUME of one that is not stopped, RESET of an idle one). On error nothing changes. */
int hardware_command_np(int unit, int command);

enum { HARDWARE_IDLE, HARDWARE_RUNNING, HARDWARE_STOPPED, HARDWARE_FAULTED };

struct hardware_status_np {
  int state; /* HARDWARE_IDLE ... */
  int has_thread; /* 1: `thread` runs on it, or is about to */
  uint32_t thread; /* a pthread_t */
  uint32_t result; /* of the last completed run */
  uint32_t fault_address; /* HARDWARE_FAULTED: the unmapped address */
  uint32_t kind; /* 1 crc32, 2 convolution, 3 sort; rtl/hwt/data/units.toml */
};

int hardware_status_np(int unit, struct hardware_status_np *status); /* ENODEV */

/* --- Reserving a CPU ([GF]) -------------------------------------------------------------------------------------
 *
 * Until cl_cpu_release or the thread's end, `thread`, a pthread_t, runs only on this CPU, and the CPU runs only it;
 * threads placed there run elsewhere meanwhile. For the hardware kernel, and the software kernel's policy exclusive.
 * ENOTSUP: another policy, or a hardware or idle thread. EINVAL: no such CPU. ESRCH: no such thread, or it has ended.
 * EBUSY: the CPU is reserved, has an idle thread or is the last unreserved one; or the thread has a reserved CPU. */
int cl_cpu_reserve(unsigned cpu, uint32_t thread);
int cl_cpu_release(unsigned cpu); /* ENOENT: not reserved */

/* --- The machine ------------------------------------------------------------------------------------------- */

/* Where the services of this program's threads are, CORELOOM_SOFTWARE or CORELOOM_HARDWARE each; CORELOOM_NONE: the
 * platform has none. */
enum { CORELOOM_NONE, CORELOOM_SOFTWARE, CORELOOM_HARDWARE };

struct coreloom_features {
  const char *kernel; /* "hw", "sw" or "linux" */
  int scheduling;     /* ready queue, time slices, preemption */
  int objects;        /* mutexes, semaphores, condition variables, ports: as many as the platform says */
  int more_objects;   /* those beyond, kinds and protocols of mutexes, read-write locks, barriers, message queues */
  int time_limits;    /* timed waits, sleep, timers */
  int interrupts;     /* what turns a line into a thread's wake-up */
  int hardware_threads;
  int communication; /* mailboxes, doorbells, channels between processors */
  int backdoor;      /* to a processor with a memory of its own */
};

const struct coreloom_features *coreloom_features(void);

const void *cl_input(size_t *length); /* contents of the --input file; word aligned; length may be NULL */
void *cl_output(size_t *capacity); /* buffer for the --output file; word aligned */
void cl_output_set_length(size_t length); /* bytes of it to save */

unsigned cl_cpu_count(void);
unsigned cl_cpu_id(void); /* of the CPU that runs the caller now: a dynamic thread may move at any time */
uint32_t cl_cycle(void); /* free-running, the same on all CPUs */

void cl_ready(void); /* initialisation is done: the measured window starts */
void cl_done(uint32_t units); /* that many more units of work (pixels, packets ...) are finished */
void cl_mark(uint32_t value); /* a mark in the timeline */
__attribute__((noreturn)) void cl_exit(int status); /* stops the machine at once, as do exit() and main's return */

#ifdef __cplusplus
}
#endif

#include "coreloom_ipc.h"
#include "coreloom_remote.h"

#endif
