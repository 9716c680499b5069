/* SPDX-License-Identifier: Apache-2.0
 *
 * Communication between processors: mailboxes, doorbells, channels, mutexes, barriers on the CPU's private
 * communication port, and messages with a payload through the kernel's ports. Part of coreloom.h.
 *
 * The first five belong to processors, not threads, and need no kernel operation: while one waits, its CPU waits. A
 * thread that uses them must stay on its CPU (static placement), and threads of one CPU that use the same end, mutex or
 * barrier must exclude each other. Processors are 0 .. cl_cpu_count()-1; a set has bit n for processor n.
 *
 * Every function returns 0 or an error number. Some have three variants: the plain name waits without limit, `try` does
 * not wait (EAGAIN), `timed` waits at most that many cycles (ETIMEDOUT, never early, a few cycles late).
 * During a wait interrupts are taken and threads are switched, and the wait continues. With interrupts disabled, as in
 * a handler, a wait polls while one is pending, and the plain variant then returns EAGAIN.
 *   EINVAL: no such processor, set, mutex or barrier, or the caller itself. Nothing is done.
 *   ENODEV: the platform has no communication port.
 * Order: an operation comes after the caller's earlier stores and before its later loads. So stores to shared memory
 * before a send, ring, unlock or arrival are visible after the receive, take, lock or end of the barrier. */
#ifndef CORELOOM_IPC_H
#define CORELOOM_IPC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "cl_compiler.h"
#include "cl_ipc_ops.h"
#include "cl_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CL_IPC
#define CL_IPC 0
#define CL_MAILBOX_DEPTH 0
#define CL_CPU_MUTEXES 0
#define CL_BARRIERS 0
#endif
#ifndef CL_CPUS
#define CL_CPUS 1
#endif

/* With local memories (amp, or the platform key low_jitter): a variable in the local memory, one copy per CPU, not
 * cleared: static CL_LOCAL_DATA int x; On other platforms it is one variable for all CPUs. */
#if (defined(CL_AMP) && CL_AMP) || (defined(CL_CONTEXT_BYTES) && CL_CONTEXT_BYTES)
#define CL_LOCAL_DATA __attribute__((section(".local")))
#else
#define CL_LOCAL_DATA
#endif

/* With the platform key low_jitter: a function in the local memory, next to the code of traps. On amp all are. */
#if defined(CL_CONTEXT_BYTES) && CL_CONTEXT_BYTES
#define CL_LOCAL_CODE __attribute__((noinline, section(".text.hot.local")))
#else
#define CL_LOCAL_CODE
#endif

/* --- Implementation of the inline functions ------------------------------------------------------------------ */

#define CL_IPC_TRY 0u
#define CL_IPC_FOREVER 31u
#define CL_IPC_FAILED (1u << CL_IPC_WORD_ERROR_LSB) /* a word from here on has an error */
#define CL_IPC_ALL ((1u << CL_CPUS) - 1)

/* The address of an operation. */
CL_INLINE volatile uint32_t *cl_ipc_at(unsigned op, unsigned index, unsigned patience) {
  return (volatile uint32_t *)(uintptr_t)(CL_IPC_PORT | patience << CL_IPC_ADDRESS_PATIENCE_LSB |
                                          op << CL_IPC_ADDRESS_OP_LSB | index << CL_IPC_ADDRESS_INDEX_LSB);
}

#if defined(CL_KERNEL_LINUX)
/* A function executes it, in runtime/linux. */
uint32_t cl_ipc_load(const volatile uint32_t *at);
void cl_ipc_store(volatile uint32_t *at, uint32_t word);
unsigned cl_cpu_id(void);

CL_INLINE uint32_t cl_ipc_upper(uint32_t constant) { return constant; }
CL_INLINE unsigned cl_ipc_self(void) { return cl_cpu_id(); }
#else
CL_INLINE uint32_t cl_ipc_load(const volatile uint32_t *at) {
  __asm__ volatile("" ::: "memory");
  uint32_t word = *at;
  __asm__ volatile("" ::: "memory");
  return word;
}

CL_INLINE void cl_ipc_store(volatile uint32_t *at, uint32_t word) {
  __asm__ volatile("" ::: "memory");
  *at = word;
  __asm__ volatile("" ::: "memory");
}

/* Keeps a constant in a register from here on: this costs nothing before a load that waits, and after any other load
 * the constant is ready when the loaded word is. */
CL_INLINE uint32_t cl_ipc_upper(uint32_t constant) {
  uint32_t word;
  __asm__ volatile("lui %0, %1" : "=r"(word) : "i"(constant >> 12));
  return word;
}

/* The calling CPU. Not volatile: the caller stays on its CPU, so the compiler may read it once. */
CL_INLINE unsigned cl_ipc_self(void) {
  unsigned cpu = 0;
#if defined(CL_CORE_STANDARD)
  if (CL_CPUS > 1) __asm__("csrr %0, mhartid" : "=r"(cpu)); /* the same number, and no load */
#else
  if (CL_CPUS > 1) __asm__("lw %0, %1(%2)" : "=r"(cpu) : "i"(CL_CPU_ID), "r"(CL_LOCAL));
#endif
  return cpu;
}
#endif

/* The lowest of a set. The first two without a loop, so that the compiler sees through a constant. */
CL_INLINE unsigned cl_ipc_lowest(unsigned set) {
  if (set & 1) return 0;
  unsigned bit = 1;
  while (!(set >> bit & 1)) bit++;
  return bit;
}

/* Receivers: not the caller. */
CL_INLINE int cl_ipc_is_bad_set(unsigned cpus) { return cpus - 1 >= CL_IPC_ALL || cpus >> cl_ipc_self() & 1; }

CL_INLINE int cl_ipc_is_other(unsigned cpu) { return cpu < CL_CPUS && cpu != cl_ipc_self(); }

/* Error number of a word with an error; `late` is the one for a timeout. */
int cl_ipc_failure(uint32_t word, int late);
/* Continues a wait that may have been interrupted; returns the final word. */
uint32_t cl_ipc_wait_on(const volatile uint32_t *at, uint32_t word);
int cl_mailbox_send_on(unsigned cpu, uint32_t word, uint32_t state);
int cl_mailbox_receive_on(unsigned cpu, uint32_t *word);
int cl_mailbox_send_all_on(unsigned cpus, uint32_t word, uint32_t before);

/* The operation at `at`, which waits and has answered `word`. */
CL_INLINE int cl_ipc_result(const volatile uint32_t *at, uint32_t word) {
  return CL_LIKELY(word < CL_IPC_FAILED) ? 0 : cl_ipc_failure(cl_ipc_wait_on(at, word), EAGAIN);
}

/* --- Mailboxes: words from each processor to each other one -----------------------------------------------------
 *
 * A FIFO of CL_MAILBOX_DEPTH words for each pair and direction; its two ends belong to the two processors. Words arrive
 * exactly once and in order. Either end may be reset at any time: this empties the mailbox, and the other end's
 * functions return ECONNRESET without effect until it acknowledges; so old and new words never mix. */

/* Waits while the mailbox is full. ECONNRESET: the receiver was reset; words it had not taken are lost. */
CL_INLINE int mailbox_send(unsigned cpu, uint32_t word) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_MAILBOX_PUT, 1u << cpu, CL_IPC_FOREVER), word);
  uint32_t state = cl_ipc_load(cl_ipc_at(CL_IPC_OP_MAILBOX_SENT, cpu, CL_IPC_TRY));
  return CL_LIKELY(state < cl_ipc_upper(CL_IPC_FAILED)) ? 0 : cl_mailbox_send_on(cpu, word, state);
}
int mailbox_trysend(unsigned cpu, uint32_t word);
int mailbox_timedsend(unsigned cpu, uint32_t word, uint32_t cycles);

/* Waits while the mailbox from that processor is empty. *word is written if the result is 0.
 * ECONNRESET: the sender was reset; words not yet received are lost. */
CL_INLINE int mailbox_receive(unsigned cpu, uint32_t *word) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  uint32_t sentinel = cl_ipc_upper(CL_IPC_SENTINEL);
  uint32_t got = cl_ipc_load(cl_ipc_at(CL_IPC_OP_MAILBOX_GET, cpu, CL_IPC_FOREVER));
  if (CL_UNLIKELY(got == sentinel)) return cl_mailbox_receive_on(cpu, word);
  *word = got;
  return 0;
}
int mailbox_tryreceive(unsigned cpu, uint32_t *word);
int mailbox_timedreceive(unsigned cpu, uint32_t *word, uint32_t cycles);

/* Sends to all of a set or to none: waits until all have room. ECONNRESET: one of them was reset; nothing is sent. */
CL_INLINE int mailbox_send_all(unsigned cpus, uint32_t word) {
  if (!CL_IPC) return ENODEV;
  if (cl_ipc_is_bad_set(cpus)) return EINVAL;
  unsigned first = cl_ipc_lowest(cpus);
  const volatile uint32_t *sent = cl_ipc_at(CL_IPC_OP_MAILBOX_SENT, first, CL_IPC_TRY);
  uint32_t before = cl_ipc_load(sent);
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_MAILBOX_PUT, cpus, CL_IPC_FOREVER), word);
  /* All received it or none did, so the count of any one of them tells which. */
  return CL_LIKELY(cl_ipc_load(sent) == before + 1) ? 0 : cl_mailbox_send_all_on(cpus, word, before);
}
int mailbox_trysend_all(unsigned cpus, uint32_t word);
int mailbox_timedsend_all(unsigned cpus, uint32_t word, uint32_t cycles);

/* Waits for a word from any sender: *cpu is one that has a word, chosen round-robin. */
int mailbox_wait_any(unsigned *cpu);
int mailbox_try_any(unsigned *cpu);
int mailbox_timedwait_any(unsigned *cpu, uint32_t cycles);

/* Transfers a block, word aligned, at the speed of the core (`timed` is slower). *done is the number of words
 * transferred, also on error: continue at words + *done. After a read the contents from there on are undefined. */
int mailbox_write(unsigned cpu, const uint32_t *words, size_t count);
int mailbox_trywrite(unsigned cpu, const uint32_t *words, size_t count, size_t *done); /* EAGAIN: no room for all */
int mailbox_timedwrite(unsigned cpu, const uint32_t *words, size_t count, size_t *done, uint32_t cycles);
int mailbox_read(unsigned cpu, uint32_t *words, size_t count);
int mailbox_tryread(unsigned cpu, uint32_t *words, size_t count, size_t *done); /* EAGAIN: fewer were there */
int mailbox_timedread(unsigned cpu, uint32_t *words, size_t count, size_t *done, uint32_t cycles);

#define MAILBOX_SENDING 1u   /* the caller's end of the mailbox to that processor */
#define MAILBOX_RECEIVING 2u /* the caller's end of the mailbox from that processor */

int mailbox_reset(unsigned cpu, unsigned ends);       /* the other end gets ECONNRESET. EINVAL: no such end */
int mailbox_acknowledge(unsigned cpu, unsigned ends); /* ends ECONNRESET. EINVAL: no such end */

/* --- Doorbells: eight bells at each processor --------------------------------------------------------------------
 *
 * A bell rings until it is taken. Ringing it again meanwhile has no effect except doorbell_overrun. */

#define DOORBELLS 8

/* Rings the bells at each processor of a set, which may include the caller. EINVAL: no such bell, or none. */
CL_INLINE int doorbell_ring(unsigned cpus, uint32_t bells) {
  if (!CL_IPC) return ENODEV;
  if (cpus - 1 >= CL_IPC_ALL || bells - 1 >= (1u << DOORBELLS) - 1) return EINVAL;
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_DOORBELL_RING, cpus, CL_IPC_TRY), bells);
  return 0;
}

/* Waits for one of these bells of the caller; *which is the set that rang, which is cleared. EINVAL as above. */
CL_INLINE int doorbell_take(uint32_t bells, uint32_t *which) {
  if (!CL_IPC) return ENODEV;
  if (bells - 1 >= (1u << DOORBELLS) - 1) return EINVAL;
  const volatile uint32_t *at = cl_ipc_at(CL_IPC_OP_DOORBELL_TAKE, bells, CL_IPC_FOREVER);
  uint32_t failed = cl_ipc_upper(CL_IPC_FAILED), word = cl_ipc_load(at);
  if (CL_UNLIKELY(word >= failed)) {
    word = cl_ipc_wait_on(at, word);
    if (word >= CL_IPC_FAILED) return cl_ipc_failure(word, EAGAIN);
  }
  if (word - 1 >= (1u << DOORBELLS) - 1) __builtin_unreachable();
  *which = word;
  return 0;
}
int doorbell_trytake(uint32_t bells, uint32_t *which);
int doorbell_timedtake(uint32_t bells, uint32_t *which, uint32_t cycles);
int doorbell_overrun(uint32_t *which); /* the caller's bells rung while already ringing, since the last call */

/* Interrupts. A handler belongs to the CPU that installs it and runs there, on the interrupted stack or on one in the
 * local memory (so do not pass addresses in it to another CPU), with interrupts disabled: keep it short, and its stack
 * use below 500 bytes. It may call the `try` variants and the non-waiting functions of mailboxes, doorbells and
 * channels, and of the kernel only sem_post_handler_np: sem_post may enable interrupts, and port_trysend sends for the
 * running thread. Threads must not use an end that a handler uses. */

/* Installs a handler for these bells, called with those that rang, which are cleared; NULL removes it. A bell has one
 * handler. EINVAL as above. */
int doorbell_handler_np(uint32_t bells, void (*handler)(uint32_t bells));

/* sem_post for handlers: a woken thread of higher priority runs when the handler has returned.
 * Returns 0, EOVERFLOW or EINVAL (also of one in memory: sem_getnumber_np); errno is not changed. */
int sem_post_handler_np(sem_t *sem);

/* --- Channels: the wires req and ack of [IPC] --------------------------------------------------------------------
 *
 * Each processor drives two wires to each other one; they are 0 after reset and keep the level last driven. */

#define CHANNEL_REQ 0
#define CHANNEL_ACK 1

/* Drives the caller's wire to that processor to level 0 or 1. */
CL_INLINE int channel_request(unsigned cpu, unsigned level) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu) || level > 1) return EINVAL;
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_CHANNEL_REQ, cpu, CL_IPC_TRY), level);
  return 0;
}
CL_INLINE int channel_acknowledge(unsigned cpu, unsigned level) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu) || level > 1) return EINVAL;
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_CHANNEL_ACK, cpu, CL_IPC_TRY), level);
  return 0;
}

CL_INLINE unsigned cl_channel_index(unsigned cpu, unsigned wire, unsigned level) {
  return cpu << CL_IPC_WIRE_INDEX_CPU_LSB | wire << CL_IPC_WIRE_INDEX_WIRE_LSB | level << CL_IPC_WIRE_INDEX_LEVEL_LSB;
}

/* Waits until that processor's wire (CHANNEL_REQ or CHANNEL_ACK) to the caller has the level. */
CL_INLINE int channel_wait(unsigned cpu, unsigned wire, unsigned level) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu) || wire > 1 || level > 1) return EINVAL;
  const volatile uint32_t *at = cl_ipc_at(CL_IPC_OP_CHANNEL_WAIT, cl_channel_index(cpu, wire, level), CL_IPC_FOREVER);
  return cl_ipc_result(at, cl_ipc_load(at));
}
int channel_trywait(unsigned cpu, unsigned wire, unsigned level);
int channel_timedwait(unsigned cpu, unsigned wire, unsigned level, uint32_t cycles);

/* Installs a handler, called repeatedly while that processor's wire to the caller is 1; NULL removes it. So the handler
 * must make the other end lower the wire, without waiting, or remove itself: channel_handler_np(cpu, wire, NULL). */
int channel_handler_np(unsigned cpu, unsigned wire, void (*handler)(unsigned cpu));

/* --- Mutexes between processors ----------------------------------------------------------------------------------
 *
 * 0 .. CL_CPU_MUTEXES-1, held by a processor. Waiting processors are served round-robin. They do not exclude threads of
 * one CPU: a preempted thread keeps its mutex; another thread of that CPU gets EDEADLK, but can unlock it. */

/* EDEADLK: this processor holds it. EOWNERDEAD: it is locked now, but its previous owner was reset while holding it, so
 * the data it protects may be inconsistent. */
int cl_cpu_mutex_locked(const volatile uint32_t *at, uint32_t word);
CL_INLINE int cpu_mutex_lock(unsigned mutex) {
  if (!CL_IPC) return ENODEV;
  if (mutex >= CL_CPU_MUTEXES) return EINVAL;
  const volatile uint32_t *at = cl_ipc_at(CL_IPC_OP_MUTEX_LOCK, mutex, CL_IPC_FOREVER);
  uint32_t word = cl_ipc_load(at);
  /* Neither an error nor an orphan. */
  return CL_LIKELY(word < 1u << CL_IPC_MUTEX_VALUE_ORPHAN_LSB) ? 0 : cl_cpu_mutex_locked(at, word);
}
int cpu_mutex_trylock(unsigned mutex);
int cpu_mutex_timedlock(unsigned mutex, uint32_t cycles);

/* EPERM: this processor does not hold it. */
CL_INLINE int cpu_mutex_unlock(unsigned mutex) {
  if (!CL_IPC) return ENODEV;
  if (mutex >= CL_CPU_MUTEXES) return EINVAL;
  uint32_t word = cl_ipc_load(cl_ipc_at(CL_IPC_OP_MUTEX_UNLOCK, mutex, CL_IPC_TRY));
  return CL_LIKELY(word < cl_ipc_upper(CL_IPC_FAILED)) ? 0 : EPERM;
}

/* --- Barriers ------------------------------------------------------------------------------------------------------
 *
 * 0 .. CL_BARRIERS-1. The processors of a set wait for one another and continue in the same cycle. */

/* Sets the members, and repairs a broken barrier. Call it before any of them arrives. EINVAL: no such barrier, or no
 * members. */
int cpu_barrier_init(unsigned barrier, unsigned cpus);
/* EPERM: the caller is not a member. ECONNRESET: a member was reset; until cpu_barrier_init. A call that gives up
 * does not count as an arrival. */
CL_INLINE int cpu_barrier_wait(unsigned barrier) {
  if (!CL_IPC) return ENODEV;
  if (barrier >= CL_BARRIERS) return EINVAL;
  const volatile uint32_t *at = cl_ipc_at(CL_IPC_OP_BARRIER_ARRIVE, barrier, CL_IPC_FOREVER);
  return cl_ipc_result(at, cl_ipc_load(at));
}
int cpu_barrier_trywait(unsigned barrier); /* EAGAIN: the others have not arrived */
int cpu_barrier_timedwait(unsigned barrier, uint32_t cycles);

/* Resets all of the above for the calling processor: its mailboxes are reset from its ends, its wires are 0, its bells
 * cleared, its handlers removed, its mutexes freed (the next owner gets EOWNERDEAD), its barriers broken. */
int cpu_reset_end(void);

/* --- Messages: a payload through a port of the kernel --------------------------------------------------------------
 *
 * For threads, on any CPU and platform. A message is a buffer in shared memory whose pointer goes through the port:
 * nothing is copied. It belongs to the thread that allocated or received it, until that sends or frees it. Messages
 * come from one pool of CL_MESSAGES; a port that carries messages must carry nothing else. The port's other rules
 * apply (PORT_BUFFERED, which thread may receive), and so do its functions' errors. */

#ifndef CL_MESSAGES
#define CL_MESSAGES 16
#endif
#ifndef CL_MESSAGE_WORDS
#define CL_MESSAGE_WORDS 256
#endif

struct message {
  struct message *next; /* NULL, or the rest of a block longer than a message */
  uint32_t count;       /* words in use: as allocated; the owner may change it */
  uint32_t owner;       /* internal */
  uint32_t words[CL_MESSAGE_WORDS];
};

/* Allocates a message of that many words; waits while the pool is empty. EMSGSIZE: more than CL_MESSAGE_WORDS. */
int message_alloc(struct message **message, size_t words);
int message_tryalloc(struct message **message, size_t words); /* EAGAIN: none left */
int message_timedalloc(struct message **message, size_t words, uint32_t cycles);
/* EPERM: the caller does not own it. EINVAL: not a message. On error the caller still owns it. */
int message_send(int port, struct message *message);
int message_trysend(int port, struct message *message); /* EAGAIN: the port is full */
int message_timedsend(int port, struct message *message, uint32_t cycles);
/* EBADMSG: the word sent to the port is not a message; it is dropped. */
int message_receive(int port, struct message **message);
int message_tryreceive(int port, struct message **message); /* EAGAIN: none there */
int message_timedreceive(int port, struct message **message, uint32_t cycles);
int message_free(struct message *message); /* EPERM, EINVAL as above */

/* Blocks with a copy at each end. A block arrives as a whole, however many messages it takes: up to CL_MESSAGES *
 * CL_MESSAGE_WORDS words, else EMSGSIZE. On a platform with kernel.port_words a block of at most that many words goes
 * through the port without the pool, in a program that has no message_receive: it takes a small part of the cycles, and
 * waits for no message. */
int port_send_block(int port, const uint32_t *words, size_t count);
int port_trysend_block(int port, const uint32_t *words, size_t count);
int port_timedsend_block(int port, const uint32_t *words, size_t count, uint32_t cycles);
/* *count is the length of the block. EMSGSIZE: it was longer than `capacity`; its first words are stored, the rest is
 * lost. */
int port_receive_block(int port, uint32_t *words, size_t capacity, size_t *count);
int port_tryreceive_block(int port, uint32_t *words, size_t capacity, size_t *count);
int port_timedreceive_block(int port, uint32_t *words, size_t capacity, size_t *count, uint32_t cycles);

#ifdef __cplusplus
}
#endif

#endif
