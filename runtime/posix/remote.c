/* SPDX-License-Identifier: Apache-2.0
 *
 * Processor 1 behind a Back-Door: the driver (runtime/backdoor) on the device itself, waits that let other threads
 * run, and a handler of its bells. */
#include "coreloom_remote.h"

#include <errno.h>
#include <pthread.h>

#include "cl_backdoor.h"
#include "coreloom.h"
#include "posix.h"

#define PROTOCOL (1u << CL_BACKDOOR_DOORBELL)
#define LOOKS 20u     /* of a wait before it sleeps: about what that costs */
#define SLICE 10000u  /* cycles of a sleep at most: bell 0 wakes one thread, others look for themselves */
#define BURST 16u     /* bells that are a flood if they come within ... */
#if defined(CL_CORE_ECONOMY)
#define FLOOD (BURST * 1500u) /* cycles: some three times what a short handler takes with its interrupt */
#else
#define FLOOD (BURST * 250u)
#endif

/* --- The device --- */

static inline volatile uint32_t *at(uint32_t offset) { return (volatile uint32_t *)(CL_BACKDOOR_NEAR_BASE + offset); }

static uint32_t read(const struct cl_mmio *mmio, uint32_t offset) {
  (void)mmio;
  return *at(offset);
}

static void write(const struct cl_mmio *mmio, uint32_t offset, uint32_t word) {
  (void)mmio;
  *at(offset) = word;
}

/* Eight loads, then eight stores: none waits for another. */
#define EIGHT(n)                                                                                               \
  do {                                                                                                         \
    uint32_t a = from[n], b = from[n + 1], c = from[n + 2], d = from[n + 3], e = from[n + 4], f = from[n + 5], \
             g = from[n + 6], h = from[n + 7];                                                                 \
    to[n] = a, to[n + 1] = b, to[n + 2] = c, to[n + 3] = d, to[n + 4] = e, to[n + 5] = f, to[n + 6] = g,       \
    to[n + 7] = h;                                                                                             \
  } while (0)

static inline
    __attribute__((always_inline)) void move(volatile uint32_t *to, const volatile uint32_t *from, size_t count) {
  for (; count >= 64; count -= 64, to += 64, from += 64) {
    EIGHT(0);
    EIGHT(8);
    EIGHT(16);
    EIGHT(24);
    EIGHT(32);
    EIGHT(40);
    EIGHT(48);
    EIGHT(56);
  }
  for (; count; count--) *to++ = *from++;
}

static void put(const struct cl_mmio *mmio, uint32_t offset, const uint32_t *words, size_t count) {
  (void)mmio;
  move(at(offset), words, count);
}

static void get(const struct cl_mmio *mmio, uint32_t offset, uint32_t *words, size_t count) {
  (void)mmio;
  move(words, at(offset), count);
}

static uint32_t now(const struct cl_mmio *mmio) {
  (void)mmio;
  return cl_cycle();
}

static void wait(const struct cl_mmio *mmio, unsigned looks, uint32_t cycles);

static const struct cl_mmio mmio = {read, write, put, get, now, wait, 0};
static struct cl_backdoor door = {.mmio = &mmio, .patience = 100000000};

/* --- Interrupts --- */

static volatile uint32_t enabled; /* bells that interrupt; changed with interrupts off */
static uint32_t handled;          /* bells that have a handler */
static void (*bell_handler)(uint32_t bells);
static sem_t rang; /* bell 0; posted by dispatch(), and by the hardware kernel for line 4 */
static int opened, sleepers;
static uint32_t bursts_since, burst;

static inline int irq_enter(void) {
  int off = cl_irq_is_off();
  cl_irq_off();
  return off;
}

static inline void irq_leave(int off) {
  if (!off) cl_irq_on();
}

static void enable(uint32_t bells) {
  int off = irq_enter();
  enabled |= bells;
  write(&mmio, CL_BACKDOOR_NEAR_BELL_ENABLE, enabled);
  irq_leave(off);
}

static void disable(uint32_t bells) {
  int off = irq_enter();
  enabled &= ~bells;
  write(&mmio, CL_BACKDOOR_NEAR_BELL_ENABLE, enabled);
  irq_leave(off);
}

static inline void listen_again(void) {
  if (handled & ~enabled) enable(handled);
}

/* Bells come so fast that handlers leave no time for anything else. */
static int is_flood(unsigned at_once) {
  if (at_once == BURST) return 1;
  if (++burst < BURST) return 0;
  uint32_t since = bursts_since;
  burst = 0;
  bursts_since = cl_cycle();
  return bursts_since - since < FLOOD;
}

/* Called in the interrupt, or on a CPU that sleeps: takes all bells of the handler. Bell 0 is heard once; whoever waits
 * for it turns it on again. */
static void dispatch(void) {
  for (unsigned n = 0;; n++) {
    if (is_flood(n)) disable(handled); /* until the next call; they stay pending */
    if (read(&mmio, CL_BACKDOOR_NEAR_BELL_PENDING) & enabled & PROTOCOL) {
      disable(PROTOCOL);
      sem_post_handler_np(&rang); /* line 4 may have been up before it, and then no edge was its */
    }
    uint32_t bells = read(&mmio, CL_BACKDOOR_NEAR_BELL_TAKE);
    if (!bells) return;
    bell_handler(bells);
  }
}

/* --- Waiting and entering --- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void wait(const struct cl_mmio *unused, unsigned looks, uint32_t cycles) {
  (void)unused;
  if (looks < LOOKS) return;
  int saved = errno;
  sleepers++;
  enable(PROTOCOL); /* rings at once if it is pending */
  pthread_mutex_unlock(&mutex);
  sem_timedwait_np(&rang, cycles < SLICE ? cycles : SLICE);
  pthread_mutex_lock(&mutex);
  if (!--sleepers) disable(PROTOCOL);
  listen_again();
  write(&mmio, CL_BACKDOOR_NEAR_BELL_CLEAR, PROTOCOL); /* before the next look */
  errno = saved;
}

/* First use. */
CL_COLD static int open(void) {
  int saved = errno, status = cl_backdoor_open(&door, &mmio, door.patience);
  if (!status && sem_init(&rang, 0, 0)) status = errno;
  cl_ipc_dispatch = dispatch;
#if defined(CL_KERNEL_HW)
  if (!status) status = interrupt_bind_semaphore_np(CL_BACKDOOR_LINE, &rang);
#else
  /* The line would be an interrupt of its own, before that of the bells. */
  cl_local_write(CL_LINE_ENABLE, cl_local_read(CL_LINE_ENABLE) & ~(1u << CL_BACKDOOR_LINE));
  cl_backdoor_listen(NULL);
#endif
  opened = !status;
  errno = saved;
  return status;
}

static int enter(void) {
  int status = pthread_mutex_lock(&mutex);
  if (status) return status;
  if (CL_UNLIKELY(!opened)) status = open();
  if (status) pthread_mutex_unlock(&mutex);
  listen_again();
  return status;
}

static int leave(int status) {
  pthread_mutex_unlock(&mutex);
  return status;
}

/* --- Processor 1 --- */

int remote_load(const void *image, size_t bytes) {
  if (!CL_BACKDOOR) return ENODEV;
  int status = enter();
  return status ? status : leave(cl_backdoor_boot(&door, image, bytes));
}

int remote_start(const void *argument, size_t bytes, uint32_t limit_cycles) {
  if (!CL_BACKDOOR) return ENODEV;
  int status = enter();
  return status ? status : leave(cl_backdoor_start(&door, argument, bytes, limit_cycles));
}

int remote_stop(void) {
  if (!CL_BACKDOOR) return ENODEV;
  int status = enter();
  return status ? status : leave(cl_backdoor_hold(&door));
}

int remote_status(struct remote_status *status) {
  if (!CL_BACKDOOR) return ENODEV;
  int error = enter();
  if (error) return error;
  struct cl_backdoor_status says;
  error = cl_backdoor_status(&door, &says);
  *status = (struct remote_status){
      .state = (int)says.state,
      .detail = says.detail,
      .pc = says.pc,
      .address = says.address,
      .cycles = says.cycles,
      .result_bytes = says.result_bytes,
      .log_bytes = says.log_bytes,
      .bells_merged = says.bells_merged,
  };
  return leave(error);
}

int remote_wait(void) {
  if (!CL_BACKDOOR) return ENODEV;
  int status = enter();
  return status ? status : leave(cl_backdoor_wait(&door));
}

int remote_result(void *to, size_t room, size_t *bytes) {
  if (!CL_BACKDOOR) return ENODEV;
  int status = enter();
  return status ? status : leave(cl_backdoor_result(&door, to, room, bytes));
}

int remote_log(char *to, size_t room) {
  if (!CL_BACKDOOR) return ENODEV;
  int status = enter();
  return status ? status : leave(cl_backdoor_log(&door, to, room));
}

int remote_send(const void *words, size_t bytes) {
  if (!CL_BACKDOOR) return ENODEV;
  size_t done;
  int status = enter();
  return status ? status : leave(cl_backdoor_send(&door, words, bytes, &done));
}

int remote_receive(void *words, size_t bytes) {
  if (!CL_BACKDOOR) return ENODEV;
  size_t done;
  int status = enter();
  return status ? status : leave(cl_backdoor_receive(&door, words, bytes, &done));
}

/* These functions run with interrupts off, because handlers use them, too. */

int remote_post(uint32_t message) {
  if (!CL_BACKDOOR) return ENODEV;
  int off = irq_enter(), status = cl_backdoor_post(&door, message);
  irq_leave(off);
  return status;
}

int remote_take(uint32_t *message) {
  if (!CL_BACKDOOR) return ENODEV;
  int off = irq_enter(), status = cl_backdoor_take(&door, message);
  irq_leave(off);
  return status;
}

int remote_ring(uint32_t bells) { return CL_BACKDOOR ? cl_backdoor_ring(&door, bells) : ENODEV; }

uint32_t remote_bells(void) {
  if (!CL_BACKDOOR) return 0;
  int off = irq_enter();
  uint32_t bells = cl_backdoor_bells(&door);
  listen_again();
  irq_leave(off);
  return bells;
}

int remote_bell_handler_np(void (*handler)(uint32_t bells)) {
  if (!CL_BACKDOOR) return ENODEV;
  int status = enter();
  if (status) return status;
  int off = irq_enter();
  if (handled) disable(handled);
  bell_handler = handler;
  handled = handler ? ~PROTOCOL : 0;
  cl_backdoor_listen(handler);
  enable(handled);
  irq_leave(off);
  return leave(0);
}

#define MEMORY_END (CL_OUTPUT + 4u + CL_OUTPUT_MAX) /* of what a program has, on every platform */

/* Ends at the last byte: the memory may reach up to 2^32. */
static int is_inside(uint32_t first, uint32_t last, uint32_t start, uint32_t end) {
  return first >= start && last <= end - 1;
}

static uint32_t address_of(const void *memory) { return (uint32_t)(uintptr_t)memory; }

int remote_window_open(void *memory, size_t bytes, int writable) {
  if (!CL_BACKDOOR) return ENODEV;
  extern char __window_start[], __window_end[], __heap_start[], __heap_end[],
      __program_end[]; /* of the linker script */
  uint32_t first = address_of(memory), last = first + (uint32_t)bytes - 1;
  if (!bytes || (first | bytes) % 4) return EINVAL;
  if (last < first || !is_inside(first, last, CL_RAM, MEMORY_END)) return EFAULT;
  if (!is_inside(first, last, address_of(__window_start), address_of(__window_end)) &&
      !is_inside(first, last, address_of(__heap_start), address_of(__heap_end)) &&
      !is_inside(first, last, address_of(__program_end), MEMORY_END))
    return EACCES;
  int status = enter();
  return status ? status : leave(cl_backdoor_window_open(&door, first, (uint32_t)bytes, writable));
}

int remote_window_close(void) {
  if (!CL_BACKDOOR) return ENODEV;
  int status = enter();
  if (status) return status;
  cl_backdoor_window_close(&door);
  return leave(0);
}

void remote_patience(uint32_t cycles) { door.patience = cycles; }

const char *remote_reason_text(uint32_t reason) { return cl_backdoor_reason_text(reason); }
const char *remote_cause_text(uint32_t cause) { return cl_backdoor_cause_text(cause); }
