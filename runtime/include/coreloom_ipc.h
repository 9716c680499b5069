/* SPDX-License-Identifier: Apache-2.0
 *
 * Communication between processors: mailboxes, doorbells, channels, mutexes, barriers on the CPU's private
 * communication port, and messages with a payload through the kernel's ports. Part of coreloom.h.
 *
 * The first five belong to processors, not to threads, and cost no operation of the kernel: while one waits, its CPU
 * waits. A thread that uses them must stay on its CPU (static placement), and threads of one CPU that use the same
 * end, mutex or barrier must exclude each other. Processors are 0 .. cl_cpu_count()-1; a set has bit n for processor n.
 *
 * Every function returns 0 or an error number. Some have three forms: the plain name waits as long as it takes, `try`
 * does not wait (EAGAIN), `timed` waits at most that many cycles (ETIMEDOUT, never earlier and a few cycles later).
 * Interrupts are taken during a wait, threads are switched, and the wait goes on. Where interrupts are off, as in a
 * handler, a wait polls while one is pending; a plain name gives up with EAGAIN then.
 *   EINVAL: no such processor, set, mutex or barrier, or the caller itself. Nothing is done.
 *   ENODEV: the platform has no communication port.
 * Order: an operation comes after the caller's earlier stores and before its later loads. So what was written to shared
 * memory before a send, ring, unlock or arrival is there after the receive, take, lock or end of the barrier. */
#ifndef CORELOOM_IPC_H
#define CORELOOM_IPC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

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

/* Where each CPU has a memory of its own (amp): a variable of which every CPU has one, in that memory and not cleared:
 * static CL_LOCAL_DATA int x; Elsewhere it is one variable for all. */
#if defined(CL_AMP) && CL_AMP
#define CL_LOCAL_DATA __attribute__((section(".local")))
#else
#define CL_LOCAL_DATA
#endif

/* --- Under the functions ------------------------------------------------------------------------------------- */

#define CL_IPC_TRY 0u
#define CL_IPC_FOREVER 31u
#define CL_IPC_FAILED (1u << CL_IPC_WORD_ERROR_LSB) /* a word from here on has an error */
#define CL_IPC_ALL ((1u << CL_CPUS) - 1)
#define CL_IPC_INLINE static inline __attribute__((always_inline))

/* Where an operation is. */
CL_IPC_INLINE volatile uint32_t *cl_ipc_at(unsigned op, unsigned index, unsigned patience) {
  return (volatile uint32_t *)(CL_IPC_PORT | patience << CL_IPC_ADDRESS_PATIENCE_LSB | op << CL_IPC_ADDRESS_OP_LSB |
                               index << CL_IPC_ADDRESS_INDEX_LSB);
}

CL_IPC_INLINE uint32_t cl_ipc_load(const volatile uint32_t *at) {
  __asm__ volatile("" ::: "memory");
  uint32_t word = *at;
  __asm__ volatile("" ::: "memory");
  return word;
}

CL_IPC_INLINE void cl_ipc_store(volatile uint32_t *at, uint32_t word) {
  __asm__ volatile("" ::: "memory");
  *at = word;
  __asm__ volatile("" ::: "memory");
}

/* A constant in a register from here on: before a load that waits it costs nothing, behind any other it is there when
 * the load's word is. */
CL_IPC_INLINE uint32_t cl_ipc_upper(uint32_t constant) {
  uint32_t word;
  __asm__ volatile("lui %0, %1" : "=r"(word) : "i"(constant >> 12));
  return word;
}

/* The calling CPU. Not volatile: the caller stays here, so the compiler may look once. */
CL_IPC_INLINE unsigned cl_ipc_self(void) {
  unsigned cpu = 0;
#if defined(CL_CORE_ECONOMY)
  if (CL_CPUS > 1) __asm__("lw %0, %1(%2)" : "=r"(cpu) : "i"(CL_CPU_ID), "r"(CL_LOCAL));
#else
  if (CL_CPUS > 1) __asm__("csrr %0, mhartid" : "=r"(cpu)); /* the same number, and no load */
#endif
  return cpu;
}

/* The lowest of a set. The first two without a loop, so that the compiler sees through a constant. */
CL_IPC_INLINE unsigned cl_ipc_lowest(unsigned set) {
  if (set & 1) return 0;
  unsigned bit = 1;
  while (!(set >> bit & 1)) bit++;
  return bit;
}

/* Receivers: not the caller. */
CL_IPC_INLINE int cl_ipc_is_bad_set(unsigned cpus) { return cpus - 1 >= CL_IPC_ALL || cpus >> cl_ipc_self() & 1; }

CL_IPC_INLINE int cl_ipc_is_other(unsigned cpu) { return cpu < CL_CPUS && cpu != cl_ipc_self(); }

/* What a word with an error means; `late` for one that waited long enough. */
int cl_ipc_failure(uint32_t word, int late);
/* Goes on with a wait that may have been interrupted: the word in the end. */
uint32_t cl_ipc_wait_on(const volatile uint32_t *at, uint32_t word);
int cl_mailbox_send_on(unsigned cpu, uint32_t word, uint32_t state);
int cl_mailbox_receive_on(unsigned cpu, uint32_t *word);
int cl_mailbox_send_all_on(unsigned cpus, uint32_t word, uint32_t before);

/* The operation at `at`, which waits and has answered `word`. */
CL_IPC_INLINE int cl_ipc_result(const volatile uint32_t *at, uint32_t word) {
  return __builtin_expect(word < CL_IPC_FAILED, 1) ? 0 : cl_ipc_failure(cl_ipc_wait_on(at, word), EAGAIN);
}

/* --- Mailboxes: words from each processor to each other one -----------------------------------------------------
 *
 * A FIFO of CL_MAILBOX_DEPTH words for each pair and direction; its two ends belong to the two processors. What has
 * been sent arrives once and in order. Either end may be reset at any time: the mailbox is empty then and the other
 * end's functions say ECONNRESET, doing nothing, until it is acknowledged; so old and new words never mix. */

/* Waits while the mailbox is full. ECONNRESET: the receiver has begun anew; what it had not taken is lost. */
CL_IPC_INLINE int mailbox_send(unsigned cpu, uint32_t word) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_MAILBOX_PUT, 1u << cpu, CL_IPC_FOREVER), word);
  uint32_t state = cl_ipc_load(cl_ipc_at(CL_IPC_OP_MAILBOX_SENT, cpu, CL_IPC_TRY));
  return __builtin_expect(state < cl_ipc_upper(CL_IPC_FAILED), 1) ? 0 : cl_mailbox_send_on(cpu, word, state);
}
int mailbox_trysend(unsigned cpu, uint32_t word);
int mailbox_timedsend(unsigned cpu, uint32_t word, uint32_t cycles);

/* Waits while the mailbox from that processor is empty. *word is written if the result is 0.
 * ECONNRESET: the sender has begun anew; what had not been received is lost. */
CL_IPC_INLINE int mailbox_receive(unsigned cpu, uint32_t *word) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu)) return EINVAL;
  uint32_t sentinel = cl_ipc_upper(CL_IPC_SENTINEL);
  uint32_t got = cl_ipc_load(cl_ipc_at(CL_IPC_OP_MAILBOX_GET, cpu, CL_IPC_FOREVER));
  if (__builtin_expect(got == sentinel, 0)) return cl_mailbox_receive_on(cpu, word);
  *word = got;
  return 0;
}
int mailbox_tryreceive(unsigned cpu, uint32_t *word);
int mailbox_timedreceive(unsigned cpu, uint32_t *word, uint32_t cycles);

/* To all of a set or to none: waits until every one has room. ECONNRESET: of one of them; nothing is sent. */
CL_IPC_INLINE int mailbox_send_all(unsigned cpus, uint32_t word) {
  if (!CL_IPC) return ENODEV;
  if (cl_ipc_is_bad_set(cpus)) return EINVAL;
  unsigned first = cl_ipc_lowest(cpus);
  const volatile uint32_t *sent = cl_ipc_at(CL_IPC_OP_MAILBOX_SENT, first, CL_IPC_TRY);
  uint32_t before = cl_ipc_load(sent);
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_MAILBOX_PUT, cpus, CL_IPC_FOREVER), word);
  /* Whether all have it or none, the count of any of them says. */
  return __builtin_expect(cl_ipc_load(sent) == before + 1, 1) ? 0 : cl_mailbox_send_all_on(cpus, word, before);
}
int mailbox_trysend_all(unsigned cpus, uint32_t word);
int mailbox_timedsend_all(unsigned cpus, uint32_t word, uint32_t cycles);

/* Waits for a word from anybody: *cpu is a sender that has one, taken in turns. */
int mailbox_wait_any(unsigned *cpu);
int mailbox_try_any(unsigned *cpu);
int mailbox_timedwait_any(unsigned *cpu, uint32_t cycles);

/* Many words, word aligned, at the speed of the core (`timed` is slower). *done words have been sent or received, with
 * another result than 0, too: words + *done is where to go on. What lies there after a read is anything. */
int mailbox_write(unsigned cpu, const uint32_t *words, size_t count);
int mailbox_trywrite(unsigned cpu, const uint32_t *words, size_t count, size_t *done); /* EAGAIN: not all had room */
int mailbox_timedwrite(unsigned cpu, const uint32_t *words, size_t count, size_t *done, uint32_t cycles);
int mailbox_read(unsigned cpu, uint32_t *words, size_t count);
int mailbox_tryread(unsigned cpu, uint32_t *words, size_t count, size_t *done); /* EAGAIN: not all were there */
int mailbox_timedread(unsigned cpu, uint32_t *words, size_t count, size_t *done, uint32_t cycles);

#define MAILBOX_SENDING 1u   /* the end at the caller of the mailbox to that processor */
#define MAILBOX_RECEIVING 2u /* the end at the caller of the mailbox from that processor */

int mailbox_reset(unsigned cpu, unsigned ends);       /* begins anew; the other end hears of it. EINVAL: no such end */
int mailbox_acknowledge(unsigned cpu, unsigned ends); /* ends ECONNRESET. EINVAL: no such end */

/* --- Doorbells: eight bells at each processor --------------------------------------------------------------------
 *
 * A bell rings until it is taken. One that is rung while it rings is rung once; doorbell_overrun tells. */

#define DOORBELLS 8

/* Rings the bells at each processor of a set, which may have the caller. EINVAL: no such bell, or none. */
CL_IPC_INLINE int doorbell_ring(unsigned cpus, uint32_t bells) {
  if (!CL_IPC) return ENODEV;
  if (cpus - 1 >= CL_IPC_ALL || bells - 1 >= (1u << DOORBELLS) - 1) return EINVAL;
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_DOORBELL_RING, cpus, CL_IPC_TRY), bells);
  return 0;
}

/* Waits for one of these of the caller's bells; *which are those that rang, silent now. EINVAL as above. */
CL_IPC_INLINE int doorbell_take(uint32_t bells, uint32_t *which) {
  if (!CL_IPC) return ENODEV;
  if (bells - 1 >= (1u << DOORBELLS) - 1) return EINVAL;
  const volatile uint32_t *at = cl_ipc_at(CL_IPC_OP_DOORBELL_TAKE, bells, CL_IPC_FOREVER);
  uint32_t failed = cl_ipc_upper(CL_IPC_FAILED), word = cl_ipc_load(at);
  if (__builtin_expect(word >= failed, 0)) {
    word = cl_ipc_wait_on(at, word);
    if (word >= CL_IPC_FAILED) return cl_ipc_failure(word, EAGAIN);
  }
  if (word - 1 >= (1u << DOORBELLS) - 1) __builtin_unreachable();
  *which = word;
  return 0;
}
int doorbell_trytake(uint32_t bells, uint32_t *which);
int doorbell_timedtake(uint32_t bells, uint32_t *which, uint32_t cycles);
int doorbell_overrun(uint32_t *which); /* own bells that were rung while they rang, since the last call */

/* Interrupts. A handler belongs to the CPU that installs it and runs there, on the stack of whatever runs or on one of
 * its own in the local memory (so no other CPU may be given an address in it), with interrupts off: keep it short, and
 * its use of stack below 500 bytes. It may call `try` forms of mailboxes, doorbells
 * and channels, what does not wait of them, and of the kernel sem_post_handler_np alone: sem_post may turn interrupts
 * on, port_trysend sends for the thread that runs. An end that a handler uses must not be used by threads. */

/* Calls handler(bells that rang, silent now) when one of these rings; NULL: no longer. A bell has one handler.
 * EINVAL as above. */
int doorbell_handler_np(uint32_t bells, void (*handler)(uint32_t bells));

/* sem_post for handlers: a thread that it makes ready runs, if it is better, when the handler has returned.
 * Returns 0 or EOVERFLOW, EINVAL; errno is left alone. */
int sem_post_handler_np(sem_t *sem);

/* --- Channels: the wires req and ack of [IPC] --------------------------------------------------------------------
 *
 * Each processor drives two wires to each other one; they are 0 after reset and stay as they were driven. */

#define CHANNEL_REQ 0
#define CHANNEL_ACK 1

/* Drives the own wire to that processor to level 0 or 1. */
CL_IPC_INLINE int channel_request(unsigned cpu, unsigned level) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu) || level > 1) return EINVAL;
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_CHANNEL_REQ, cpu, CL_IPC_TRY), level);
  return 0;
}
CL_IPC_INLINE int channel_acknowledge(unsigned cpu, unsigned level) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu) || level > 1) return EINVAL;
  cl_ipc_store(cl_ipc_at(CL_IPC_OP_CHANNEL_ACK, cpu, CL_IPC_TRY), level);
  return 0;
}

CL_IPC_INLINE unsigned cl_channel_index(unsigned cpu, unsigned wire, unsigned level) {
  return cpu << CL_IPC_WIRE_INDEX_CPU_LSB | wire << CL_IPC_WIRE_INDEX_WIRE_LSB | level << CL_IPC_WIRE_INDEX_LEVEL_LSB;
}

/* Waits until that processor's wire (CHANNEL_REQ or CHANNEL_ACK) to the caller has the level. */
CL_IPC_INLINE int channel_wait(unsigned cpu, unsigned wire, unsigned level) {
  if (!CL_IPC) return ENODEV;
  if (!cl_ipc_is_other(cpu) || wire > 1 || level > 1) return EINVAL;
  const volatile uint32_t *at = cl_ipc_at(CL_IPC_OP_CHANNEL_WAIT, cl_channel_index(cpu, wire, level), CL_IPC_FOREVER);
  return cl_ipc_result(at, cl_ipc_load(at));
}
int channel_trywait(unsigned cpu, unsigned wire, unsigned level);
int channel_timedwait(unsigned cpu, unsigned wire, unsigned level, uint32_t cycles);

/* Calls handler(cpu) again and again while that processor's wire to the caller is 1; NULL: no longer. So it must wait
 * for nothing but make the other end take the wire back, or end with channel_handler_np(cpu, wire, NULL). */
int channel_handler_np(unsigned cpu, unsigned wire, void (*handler)(unsigned cpu));

/* --- Mutexes between processors ----------------------------------------------------------------------------------
 *
 * 0 .. CL_CPU_MUTEXES-1, held by a processor. Processors that wait take turns. They do not exclude threads of one CPU:
 * a thread that is preempted keeps it, and for another thread of that CPU it is EDEADLK or, at unlock, its own. */

/* EDEADLK: this processor holds it. EOWNERDEAD: it is locked now, but who held it before was reset: what it guards may
 * be half done. */
int cl_cpu_mutex_locked(const volatile uint32_t *at, uint32_t word);
CL_IPC_INLINE int cpu_mutex_lock(unsigned mutex) {
  if (!CL_IPC) return ENODEV;
  if (mutex >= CL_CPU_MUTEXES) return EINVAL;
  const volatile uint32_t *at = cl_ipc_at(CL_IPC_OP_MUTEX_LOCK, mutex, CL_IPC_FOREVER);
  uint32_t word = cl_ipc_load(at);
  /* Neither an error nor an orphan. */
  return __builtin_expect(word < 1u << CL_IPC_MUTEX_VALUE_ORPHAN_LSB, 1) ? 0 : cl_cpu_mutex_locked(at, word);
}
int cpu_mutex_trylock(unsigned mutex);
int cpu_mutex_timedlock(unsigned mutex, uint32_t cycles);

/* EPERM: this processor does not hold it. */
CL_IPC_INLINE int cpu_mutex_unlock(unsigned mutex) {
  if (!CL_IPC) return ENODEV;
  if (mutex >= CL_CPU_MUTEXES) return EINVAL;
  uint32_t word = cl_ipc_load(cl_ipc_at(CL_IPC_OP_MUTEX_UNLOCK, mutex, CL_IPC_TRY));
  return __builtin_expect(word < cl_ipc_upper(CL_IPC_FAILED), 1) ? 0 : EPERM;
}

/* --- Barriers ------------------------------------------------------------------------------------------------------
 *
 * 0 .. CL_BARRIERS-1. The processors of a set wait for one another and go on in the same cycle. */

/* Says who meets there, and makes a broken one whole. Before anybody arrives. EINVAL: no barrier, or nobody. */
int cpu_barrier_init(unsigned barrier, unsigned cpus);
/* EPERM: the caller is none of them. ECONNRESET: one of them was reset; until cpu_barrier_init. Who gives up has not
 * arrived. */
CL_IPC_INLINE int cpu_barrier_wait(unsigned barrier) {
  if (!CL_IPC) return ENODEV;
  if (barrier >= CL_BARRIERS) return EINVAL;
  const volatile uint32_t *at = cl_ipc_at(CL_IPC_OP_BARRIER_ARRIVE, barrier, CL_IPC_FOREVER);
  return cl_ipc_result(at, cl_ipc_load(at));
}
int cpu_barrier_trywait(unsigned barrier); /* EAGAIN: the others are not there */
int cpu_barrier_timedwait(unsigned barrier, uint32_t cycles);

/* The calling processor begins anew in all of the above: its mailboxes are reset from its ends, its wires are 0, its
 * bells silent, its handlers off, its mutexes free (the next owner has EOWNERDEAD), its barriers broken. */
int cpu_reset_end(void);

/* --- Messages: a payload through a port of the kernel --------------------------------------------------------------
 *
 * For threads, wherever they run, on every platform. A message is a buffer in shared memory of which the pointer goes
 * through the port: nothing is copied. It belongs to the thread that allocated or received it, until that sends or
 * frees it. They come of one pool of CL_MESSAGES; a port that carries them carries nothing else. The port's other rules
 * hold (PORT_BUFFERED, who may receive) and its functions' errors are theirs. */

#ifndef CL_MESSAGES
#define CL_MESSAGES 16
#endif
#ifndef CL_MESSAGE_WORDS
#define CL_MESSAGE_WORDS 256
#endif

struct message {
  struct message *next; /* NULL; of a block longer than a message: the rest of it */
  uint32_t count;       /* words in use: what was asked for, and the owner's to change */
  uint32_t owner;       /* not the program's */
  uint32_t words[CL_MESSAGE_WORDS];
};

/* A message of so many words; waits while there is none. EMSGSIZE: more than CL_MESSAGE_WORDS. ENOSPC: the kernel has
 * no semaphore left for the pool. */
int message_alloc(struct message **message, size_t words);
int message_tryalloc(struct message **message, size_t words); /* EAGAIN: none */
int message_timedalloc(struct message **message, size_t words, uint32_t cycles);
/* EPERM: the caller does not own it. EINVAL: no message. With an error it stays the caller's. */
int message_send(int port, struct message *message);
int message_trysend(int port, struct message *message); /* EAGAIN: the port is full */
int message_timedsend(int port, struct message *message, uint32_t cycles);
/* EBADMSG: what was sent to the port is no message; it is dropped. */
int message_receive(int port, struct message **message);
int message_tryreceive(int port, struct message **message); /* EAGAIN: none there */
int message_timedreceive(int port, struct message **message, uint32_t cycles);
int message_free(struct message *message); /* EPERM, EINVAL as above */

/* The same with copies at both ends. A block arrives as one, however many messages it takes: up to
 * CL_MESSAGES * CL_MESSAGE_WORDS words, else EMSGSIZE. */
int port_send_block(int port, const uint32_t *words, size_t count);
int port_trysend_block(int port, const uint32_t *words, size_t count);
int port_timedsend_block(int port, const uint32_t *words, size_t count, uint32_t cycles);
/* *count is the length of the block. EMSGSIZE: it was longer than `capacity`; the first of it are here, the rest is
 * lost. */
int port_receive_block(int port, uint32_t *words, size_t capacity, size_t *count);
int port_tryreceive_block(int port, uint32_t *words, size_t capacity, size_t *count);
int port_timedreceive_block(int port, uint32_t *words, size_t capacity, size_t *count, uint32_t cycles);

#ifdef __cplusplus
}
#endif

#endif
