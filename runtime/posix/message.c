/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages: buffers of one pool, handed over by their pointer through a port of the kernel. Linked only with programs
 * that use them.
 *
 * A semaphore counts the free ones; a thread that has taken a unit finds one on the stack of free ones, which is protected
 * by the memory lock for a few instructions. That stack lies apart from the messages, which the program can overwrite. A
 * thread that takes several takes all of them before the next one does (`many`), so two never wait for each other.
 *
 * A block of at most SHORT words needs none of them: its words go through the port with their number, which is too small
 * to be a pointer. Not in a program that receives messages: there each block is one, and the receiver of a short one
 * would have to take it from the pool when none may be left. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "cl_end.h"
#include "coreloom.h"
#if defined(CL_KERNEL_LINUX)
#include <unistd.h>

#include "ground.h"
#define SELF() ((uint32_t)gettid() | 1u << 31)
#define BASE ((uintptr_t)pool) /* a pointer has more bits than a word */
#define SHORT 0
#else
#include "port.h"
#include "posix.h"
#if CL_RECEIVES_MESSAGES
#define SHORT 0
#else
#define SHORT CL_PORT_WORDS
#endif
#define SELF() pthread_self()
#define BASE 0u
#endif

#define FREE 0u
#define THREAD(tid) ((tid) + 1)
#define SENT(port) (1u << 16 | (uint32_t)(port))

static struct message pool[CL_MESSAGES];
static struct message *spare[CL_MESSAGES], **volatile top; /* the free ones are below `top` */
static sem_t available, many;
static volatile int made;

/* --- How long an operation may wait ------------------------------------------------------------------------------- */

enum kind { WAIT, TRY, TIMED };

struct patience {
  enum kind kind;
  uint32_t since, left; /* TIMED */
};

static inline struct patience patience_of(enum kind kind, uint32_t cycles) {
  return (struct patience){kind, kind == TIMED ? cl_cycle() : 0, cycles};
}

/* Cycles that are left now. */
static uint32_t rest(struct patience *patience) {
  uint32_t now = cl_cycle(), passed = now - patience->since;
  patience->left = passed < patience->left ? patience->left - passed : 0;
  patience->since = now;
  return patience->left;
}

CL_INLINE int take(sem_t *sem, struct patience *patience) {
  int result;
  if (patience->kind == WAIT) result = sem_wait(sem);
  else if (patience->kind == TRY) result = sem_trywait(sem);
  else result = sem_timedwait_np(sem, rest(patience));
  return result ? errno : 0;
}

CL_INLINE int port_put(int port, uint32_t word, struct patience *patience) {
  if (patience->kind == WAIT) return port_send(port, word);
  if (patience->kind == TRY) return port_trysend(port, word);
  return port_timedsend(port, word, rest(patience));
}

CL_INLINE int port_get(int port, uint32_t *word, struct patience *patience) {
  if (patience->kind == WAIT) return port_receive(port, word);
  if (patience->kind == TRY) return port_tryreceive(port, word);
  return port_timedreceive(port, word, rest(patience));
}

/* --- The pool ----------------------------------------------------------------------------------------------------- */

/* First use. As a static mutex: two may come at once, and the later gives its own back. */
CL_COLD static void make(void) {
  sem_t mine[2];
  sem_init(&mine[0], 0, CL_MESSAGES);
  sem_init(&mine[1], 0, 1);
  shared_memory_lock(&top);
  int late = made;
  if (!late) {
    for (unsigned i = 0; i < CL_MESSAGES; i++) spare[i] = &pool[CL_MESSAGES - 1 - i];
    top = spare + CL_MESSAGES;
    available = mine[0];
    many = mine[1];
    made = 1;
  }
  shared_memory_unlock(&top);
  if (late) {
    sem_destroy(&mine[0]);
    sem_destroy(&mine[1]);
  }
}

/* A chain of `number`, owned by the caller. */
CL_INLINE int allocate(struct message **message, size_t number, struct patience *patience) {
  int saved = errno;
  int status;
  if (CL_UNLIKELY(!made)) make();
  size_t taken = 0;
  if (number == 1) {
    status = take(&available, patience);
  } else {
    status = take(&many, patience);
    if (!status) {
      while (taken < number && !status) {
        status = take(&available, patience);
        if (!status) taken++;
      }
      if (status)
        while (taken--) sem_post(&available);
      sem_post(&many);
    }
  }
  errno = saved;
  if (status) return status;
  uint32_t owner = THREAD(SELF());
  shared_memory_lock(&top);
  struct message *first = NULL;
  top -= number;
  for (size_t i = 0; i < number; i++) {
    struct message *const each = top[i];
    each->owner = owner;
    each->next = first;
    first = each;
  }
  shared_memory_unlock(&top);
  *message = first;
  return 0;
}

static inline int is_message(const void *address) {
  uintptr_t at = (uintptr_t)address - (uintptr_t)pool;
  return at < sizeof pool && at % sizeof *pool == 0;
}

/* A message and what is behind it in its block go from one owner to another; their number. All of them were the former
 * owner's, or the list of the block is broken. */
CL_INLINE size_t pass_on(struct message *first, uint32_t from, uint32_t to) {
  size_t number = 1;
  first->owner = to;
  for (struct message *each = first->next; each; each = each->next, number++) {
    if (CL_UNLIKELY(!is_message(each) || each->owner != from)) cl_broken("the list of messages of a block", first);
    each->owner = to;
  }
  return number;
}

static void release(struct message *first) {
  int saved = errno;
  const size_t number = pass_on(first, THREAD(SELF()), FREE);
  shared_memory_lock(&top);
  for (size_t i = 0; i < number; i++, first = first->next) *top++ = first;
  shared_memory_unlock(&top);
  for (size_t i = 0; i < number; i++) sem_post(&available);
  errno = saved;
}

static inline int not_mine(const struct message *message) {
  if (CL_UNLIKELY(!is_message(message))) return EINVAL;
  return CL_UNLIKELY(message->owner != THREAD(SELF())) ? EPERM : 0;
}

/* --- Messages --- */

CL_INLINE int alloc(struct message **message, size_t words, enum kind kind, uint32_t cycles) {
  if (words > CL_MESSAGE_WORDS) return EMSGSIZE;
  struct patience patience = patience_of(kind, cycles);
  int status = allocate(message, 1, &patience);
  if (!status) (*message)->count = words;
  return status;
}

int message_alloc(struct message **message, size_t words) { return alloc(message, words, WAIT, 0); }
int message_tryalloc(struct message **message, size_t words) { return alloc(message, words, TRY, 0); }
int message_timedalloc(struct message **message, size_t words, uint32_t cycles) {
  return alloc(message, words, TIMED, cycles);
}

int message_free(struct message *message) {
  int status = not_mine(message);
  if (!status) release(message);
  return status;
}

/* From the moment when the port has it, it may be the receiver's. */
CL_INLINE int hand_over(int port, struct message *message, struct patience *patience) {
  const uint32_t sender = THREAD(SELF());
  pass_on(message, sender, SENT(port));
  int status = port_put(port, (uint32_t)((uintptr_t)message - BASE), patience);
  if (CL_UNLIKELY(status)) pass_on(message, SENT(port), sender);
  return status;
}

CL_INLINE int send(int port, struct message *message, enum kind kind, uint32_t cycles) {
  int status = not_mine(message);
  if (CL_UNLIKELY(status)) return status;
  struct patience patience = patience_of(kind, cycles);
  return hand_over(port, message, &patience);
}

int message_send(int port, struct message *message) { return send(port, message, WAIT, 0); }
int message_trysend(int port, struct message *message) { return send(port, message, TRY, 0); }
int message_timedsend(int port, struct message *message, uint32_t cycles) { return send(port, message, TIMED, cycles); }

CL_INLINE int accept(int port, uint32_t word, struct message **message) {
  struct message *got = (struct message *)(BASE + word);
  if (CL_UNLIKELY(!is_message(got) || got->owner != SENT(port))) return EBADMSG;
  pass_on(got, SENT(port), THREAD(SELF()));
  *message = got;
  return 0;
}

CL_INLINE int receive(int port, struct message **message, enum kind kind, uint32_t cycles) {
  struct patience patience = patience_of(kind, cycles);
  uint32_t word;
  int status = port_get(port, &word, &patience);
  if (CL_UNLIKELY(status)) return status;
  return accept(port, word, message);
}

/* So that the build sees it in the program, inlined or not (CL_RECEIVES_MESSAGES: src/coreloom/toolchain/firmware.py). */
static inline void receives_messages(void) {
#if CL_PORT_WORDS > 0 && !defined(CL_KERNEL_LINUX)
  __asm__ volatile(".set cl_receives_messages, 0");
#endif
}

int message_receive(int port, struct message **message) {
  receives_messages();
  return receive(port, message, WAIT, 0);
}
int message_tryreceive(int port, struct message **message) {
  receives_messages();
  return receive(port, message, TRY, 0);
}
int message_timedreceive(int port, struct message **message, uint32_t cycles) {
  receives_messages();
  return receive(port, message, TIMED, cycles);
}

/* --- Blocks --- */

/* A few words are copied sooner than memcpy finds out how many they are. */
static inline void copy(uint32_t *to, const uint32_t *from, size_t number) {
  if (number > 8) {
    memcpy(to, from, number * sizeof *to);
    return;
  }
  for (; number; number--) *to++ = *from++;
}

CL_INLINE int send_long(int port, const uint32_t *words, size_t number, enum kind kind, uint32_t cycles) {
  if (number > CL_MESSAGES * CL_MESSAGE_WORDS) return EMSGSIZE;
  struct patience patience = patience_of(kind, cycles);
  struct message *first;
  size_t needed = number <= CL_MESSAGE_WORDS ? 1 : (number + CL_MESSAGE_WORDS - 1) / CL_MESSAGE_WORDS;
  int status = allocate(&first, needed, &patience);
  if (CL_UNLIKELY(status)) return status;
  for (struct message *each = first; each; each = each->next) {
    each->count = number < CL_MESSAGE_WORDS ? number : CL_MESSAGE_WORDS;
    copy(each->words, words, each->count);
    words += each->count;
    number -= each->count;
  }
  status = hand_over(port, first, &patience);
  if (CL_UNLIKELY(status)) release(first);
  return status;
}

CL_INLINE int take_long(struct message *first, uint32_t *words, size_t capacity, size_t *length) {
  size_t total = 0;
  for (const struct message *each = first; each; each = each->next) {
    size_t fits = capacity - total < each->count ? capacity - total : each->count;
    if (total < capacity) copy(words + total, each->words, fits);
    total += each->count;
  }
  release(first);
  *length = total;
  return total > capacity ? EMSGSIZE : 0;
}

#if SHORT
/* Short ones in the caller's code, where the number of words is known mostly; long ones out of line. */
#define BLOCK __attribute__((always_inline)) int

static __attribute__((noinline)) int send_apart(int port, const uint32_t *words, size_t number, enum kind kind,
                                                uint32_t cycles) {
  return send_long(port, words, number, kind, cycles);
}

static __attribute__((noinline)) int take_apart(int port, uint32_t word, uint32_t *words, size_t capacity,
                                                size_t *length) {
  struct message *first;
  int status = accept(port, word, &first);
  return status ? status : take_long(first, words, capacity, length);
}

CL_INLINE int send_block(int port, const uint32_t *words, size_t number, enum kind kind, uint32_t cycles) {
  if (number > SHORT) return send_apart(port, words, number, kind, cycles);
  if (kind == WAIT) return cl_port_send_words(port, words, number);
  if (kind == TRY) return cl_port_trysend_words(port, words, number);
  return cl_port_timedsend_words(port, words, number, cycles);
}

CL_INLINE int receive_block(int port, uint32_t *words, size_t capacity, size_t *length, enum kind kind,
                            uint32_t cycles) {
  uint32_t word;
  int status;
  if (kind == WAIT) status = cl_port_receive_words(port, &word, words, capacity);
  else if (kind == TRY) status = cl_port_tryreceive_words(port, &word, words, capacity);
  else status = cl_port_timedreceive_words(port, &word, words, capacity, cycles);
  if (CL_UNLIKELY(status)) return status;
  if (CL_UNLIKELY(word > SHORT)) return take_apart(port, word, words, capacity, length);
  *length = word;
  return word > capacity ? EMSGSIZE : 0;
}
#else
#define BLOCK int
#define send_block send_long

CL_INLINE int receive_block(int port, uint32_t *words, size_t capacity, size_t *length, enum kind kind,
                            uint32_t cycles) {
  struct message *first;
  int status = receive(port, &first, kind, cycles);
  return CL_UNLIKELY(status) ? status : take_long(first, words, capacity, length);
}
#endif

BLOCK port_send_block(int port, const uint32_t *words, size_t count) { return send_block(port, words, count, WAIT, 0); }
BLOCK port_trysend_block(int port, const uint32_t *words, size_t count) {
  return send_block(port, words, count, TRY, 0);
}
BLOCK port_timedsend_block(int port, const uint32_t *words, size_t count, uint32_t cycles) {
  return send_block(port, words, count, TIMED, cycles);
}

BLOCK port_receive_block(int port, uint32_t *words, size_t capacity, size_t *count) {
  return receive_block(port, words, capacity, count, WAIT, 0);
}
BLOCK port_tryreceive_block(int port, uint32_t *words, size_t capacity, size_t *count) {
  return receive_block(port, words, capacity, count, TRY, 0);
}
BLOCK port_timedreceive_block(int port, uint32_t *words, size_t capacity, size_t *count, uint32_t cycles) {
  return receive_block(port, words, capacity, count, TIMED, cycles);
}
