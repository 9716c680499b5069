/* SPDX-License-Identifier: Apache-2.0
 *
 * os.h on uITRON, as far as metric.c needs it. It has no memory pools here, so that no `memory` is measured. */
#ifndef OS_ITRON_H
#define OS_ITRON_H

#include <itron.h>
#include <stddef.h>
#include <stdlib.h>

#include "os_handler.h"

/* --- Threads: a thread of number n is task n + 1 --- */

struct os_thread {
  T_CTSK how;
  ID id, processor;
};

static _Alignas(16) unsigned char os_stacks[OS_THREADS][OS_STACK_BYTES];

CL_INLINE void os_plan(struct os_thread *thread, unsigned number, int priority, unsigned cpu, void *(*body)(void *)) {
  thread->how = (T_CTSK){.tskatr = TA_HLNG,
                         .task = (void (*)(VP_INT))(void *)body,
                         .itskpri = OS_HIGH + TMIN_TPRI - priority,
                         .stksz = OS_STACK_BYTES,
                         .stk = os_stacks[number]};
  thread->id = (ID)number + 1;
  thread->processor = (ID)cpu + 1;
}

CL_INLINE void os_start(struct os_thread *thread, uint32_t argument) {
  thread->how.exinf = (VP_INT)argument;
  must(cre_tsk(thread->id, &thread->how));
  must(mact_tsk(thread->id, thread->processor));
}

CL_INLINE void os_yield(void) { must(rot_rdq(TPRI_SELF)); }

struct os_gate {
  struct os_thread *thread;
};
CL_INLINE void os_gate_make(struct os_gate *gate, struct os_thread *thread) { gate->thread = thread; }
CL_INLINE void os_suspend(struct os_gate *gate) {
  (void)gate;
  must(slp_tsk());
}
CL_INLINE void os_resume(struct os_gate *gate) { must(wup_tsk(gate->thread->id)); }

/* --- Semaphores, messages: four words are four items of a data queue --- */

typedef ID os_semaphore;
CL_INLINE void os_semaphore_make(os_semaphore *sem, unsigned value) {
  *sem = acre_sem(&(T_CSEM){TA_TFIFO, value, TMAX_MAXSEM});
}
CL_INLINE void os_semaphore_take(os_semaphore *sem) { must(wai_sem(*sem)); }
CL_INLINE void os_semaphore_give(os_semaphore *sem) { must(sig_sem(*sem)); }

typedef ID os_block;
CL_INLINE void os_block_make(os_block *queue, int number) {
  (void)number;
  *queue = acre_dtq(&(T_CDTQ){TA_TFIFO, 4 * CL_PORT_DEPTH, NULL});
}
CL_INLINE void os_block_open(os_block *queue) { (void)queue; }
CL_INLINE void os_block_send(os_block *queue, const uint32_t words[4]) {
  for (int i = 0; i < 4; i++) must(snd_dtq(*queue, (VP_INT)words[i]));
}
CL_INLINE void os_block_receive(os_block *queue, uint32_t words[4]) {
  for (int i = 0; i < 4; i++) must(rcv_dtq(*queue, (VP_INT *)&words[i]));
}

CL_INLINE void *os_allocate(size_t bytes) { return malloc(bytes); }
CL_INLINE void os_release(void *block) { free(block); }

/* --- Interrupts --- */

static void OS_HANDLER(void);
CL_INLINE void os_handler_install(void) { must(def_inh(OS_HANDLER_LINE, &(T_DINH){TA_HLNG, OS_HANDLER})); }
CL_INLINE void os_give_from_handler(os_semaphore *sem) { must(isig_sem(*sem)); }

/* --- The program --- */

int main(void) {
  os_setup();
  sta_ker();
}

#endif
