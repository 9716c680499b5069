/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks, and the state of the system. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "it.h"

static struct task {
  struct {
    uint8_t exists;
  } is;
  uint8_t active;   /* not DORMANT */
  uint8_t leaves;   /* is about to be DORMANT */
  uint8_t unjoined; /* its last thread has still to be joined */
  uint8_t deletes;  /* itself, at its end */
  struct cl_api_thread thread;
  T_CTSK how;
  PRI priority;
  ID processor; /* TPRC_INI: any */
  UINT actcnt, wupcnt, suscnt;
  struct cl_queue sleeping;
  jmp_buf end;
} tasks[IT_IDS];

volatile uint8_t it_started;

static inline struct task *self(void) {
  const struct cl_api_thread *thread = cl_api_self();
  return thread ? thread->owner : NULL;
}
static inline ID id_of(const struct task *task) { return task ? (ID)(task - tasks) + 1 : TSK_NONE; }
static inline int kernel_priority(PRI priority) { return TMAX_TPRI + 1 - priority; }

#define CHECK(context, id) IT_CHECK(context, id, tasks)
/* The same, where 0 is the caller, which becomes its identifier. */
#define CHECK_OR_SELF(context, id)              \
  do {                                          \
    if ((id) == TSK_SELF) (id) = id_of(self()); \
    CHECK(context, id);                         \
  } while (0)

/* --- objects in general ---------------------------------------------------------------------------- */

ER_ID it_new(ID id, void *objects, size_t size, ATR attr, ATR allowed) {
  char *exists = objects; /* the first byte of each; other CPUs look for a free one, too */
  if (attr & ~allowed) return E_RSATR;
  if (id < 0 || id > IT_IDS) return E_ID;
  ID found = id ? id : 1;
  cl_api_enter();
  while (!id && found <= IT_IDS && exists[(size_t)(found - 1) * size]) found++;
  if (found > IT_IDS) found = E_NOID;
  else if (exists[(size_t)(found - 1) * size]) found = E_OBJ;
  else exists[(size_t)(found - 1) * size] = IT_IN_MAKING;
  cl_api_leave_quietly();
  return found;
}

void it_made(struct it_object *object, ATR attr) {
  object->attr = attr;
  object->waiters = (struct cl_queue){0};
  __asm__ volatile("" ::: "memory");
  object->exists = IT_MADE;
}

uint64_t it_until(TMO tmout) { return tmout == TMO_FEVR ? CL_NEVER : cl_now() + (uint64_t)(uint32_t)tmout * IT_MS; }

ER it_wait(ATR attr, struct cl_queue *queue, struct it_waiter *me, TMO tmout) {
  if (tmout)
    return attr & TA_TPRI ? cl_api_wait(queue, &me->is, it_until(tmout), E_TMOUT)
                          : cl_api_wait_in_turn(queue, &me->is, it_until(tmout), E_TMOUT);
  cl_api_leave_quietly();
  return E_TMOUT;
}

ID it_first(const struct cl_queue *queue) {
  const struct cl_api_waiter *first = cl_api_first(queue);
  return first ? id_of(cl_api_threads[first->waiter.thread]->owner) : TSK_NONE;
}

void itron_static(const char *text, ER status) {
  if (status >= E_OK) return;
  fprintf(stderr, "uITRON: %s has failed with error %d\n", text, (int)status);
  exit(1);
}

/* --- life ------------------------------------------------------------------------------------------ */

static void begin(struct task *task) {
  task->priority = task->how.itskpri;
  task->wupcnt = task->suscnt = 0;
}

/* Whether it was activated meanwhile; else it is about to be DORMANT, and soon, since an activation waits for that. */
static int is_again(struct task *task) {
  if (task->thread.locks) cl_api_unlock(&task->thread);
  pthread_setschedprio(pthread_self(), CL_API_TOP);
  cl_api_enter();
  int again = task->actcnt && !task->thread.ending && !task->deletes;
  if (again) task->actcnt--;
  else task->leaves = 1;
  cl_api_leave_quietly();
  if (!again) return 0;
  begin(task);
  cl_api_set_priority(&task->thread, kernel_priority(task->priority));
  return 1;
}

static void run(struct cl_api_thread *thread) {
  struct task *task = thread->owner;
  do {
    if (!setjmp(task->end)) task->how.task(task->how.exinf);
  } while (is_again(task));
}

static void ended(struct cl_api_thread *thread, int by_other) {
  struct task *task = thread->owner;
  task->active = task->leaves = 0;
  task->unjoined = !by_other;
  if (task->deletes) task->is.exists = 0;
}

static void join(struct task *task) {
  if (!task->unjoined) return;
  task->unjoined = 0;
  pthread_join(task->thread.number, NULL);
}

/* Of a task that is marked as active. */
static ER start(struct task *task) {
  pthread_attr_t attr;
  join(task);
  pthread_attr_init(&attr);
  if (task->how.stksz >= PTHREAD_STACK_MIN) { /* else one of the pool, which is larger */
    if (task->how.stk) pthread_attr_setstack(&attr, task->how.stk, task->how.stksz & ~15u);
    else if (task->how.stksz > PTHREAD_STACK_DEFAULT_NP) pthread_attr_setstacksize(&attr, task->how.stksz);
  }
  if (task->processor) pthread_attr_setplacement_np(&attr, PTHREAD_PLACEMENT_STATIC_NP, (unsigned)task->processor - 1);
  begin(task);
  task->thread = (struct cl_api_thread){
      .run = run, .ended = ended, .owner = task, .keeps = 1, .priority = kernel_priority(task->priority)};
  if (cl_api_create(&task->thread, &attr)) {
    task->active = 0;
    return E_NOMEM;
  }
  if (it_started) cl_api_start(&task->thread);
  return E_OK;
}

static ER activate(ID id) {
  struct task *task = &tasks[id - 1];
  ER status = E_OK;
  cl_api_enter();
  while (task->leaves) { /* it is on another CPU, at the highest priority */
    cl_api_leave_quietly();
    cl_api_enter();
  }
  int is_new = !task->active;
  if (is_new) task->active = 1;
  else if (task->actcnt < TMAX_ACTCNT) task->actcnt++;
  else status = E_QOVR;
  cl_api_leave_quietly();
  return is_new ? start(task) : status;
}

static ER_ID create(ID id, const T_CTSK *how) {
  if (it_in_task()) return E_CTX;
  if (!how || !how->task || how->itskpri < TMIN_TPRI || how->itskpri > TMAX_TPRI || (how->stk && !how->stksz))
    return E_PAR;
  ER_ID found = it_new(id, tasks, sizeof *tasks, how->tskatr, TA_ASM | TA_ACT);
  if (found < E_OK) return found;
  struct task *task = &tasks[found - 1];
  join(task);
  *task = (struct task){.is.exists = IT_MADE, .how = *how};
  if (!(how->tskatr & TA_ACT)) return found;
  ER status = activate(found);
  if (status) task->is.exists = 0;
  return status ? status : found;
}

ER cre_tsk(ID tskid, const T_CTSK *pk_ctsk) {
  if (tskid < 1) return E_ID;
  ER_ID status = create(tskid, pk_ctsk);
  return status < E_OK ? status : E_OK;
}

ER_ID acre_tsk(const T_CTSK *pk_ctsk) { return create(0, pk_ctsk); }

ER del_tsk(ID tskid) {
  CHECK(it_in_task(), tskid);
  struct task *task = &tasks[tskid - 1];
  if (task->active) return E_OBJ;
  join(task);
  task->is.exists = 0;
  return E_OK;
}

ER act_tsk(ID tskid) {
  CHECK_OR_SELF(it_in_task(), tskid);
  return activate(tskid);
}

ER iact_tsk(ID tskid) {
  CHECK(it_in_handler(), tskid);
  return activate(tskid);
}

static ER place(ID id, ID processor) {
  if (processor < TPRC_INI || processor > CL_CPUS) return E_ID;
  tasks[id - 1].processor = processor;
  return E_OK;
}

ER mact_tsk(ID tskid, ID prcid) {
  CHECK(it_in_task(), tskid);
  const ID before = tasks[tskid - 1].processor;
  ER status = place(tskid, prcid);
  if (status) return status;
  status = activate(tskid);
  if (status) tasks[tskid - 1].processor = before;
  return status;
}

ER mig_tsk(ID tskid, ID prcid) {
  CHECK_OR_SELF(it_may_wait(), tskid);
  const struct task *task = &tasks[tskid - 1];
  if (task->active && task != self()) return E_NOSPT;
  ER status = place(tskid, prcid);
  if (status || !task->active) return status;
  uint32_t cpus = prcid ? 1u << (prcid - 1) : CL_ALL_CPUS;
  return pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), &(cpu_set_t){cpus}) ? E_NOSPT : E_OK;
}

ER_UINT can_act(ID tskid) {
  CHECK_OR_SELF(it_in_task(), tskid);
  cl_api_enter();
  UINT count = tasks[tskid - 1].actcnt;
  tasks[tskid - 1].actcnt = 0;
  cl_api_leave_quietly();
  return (ER_UINT)count;
}

void ext_tsk(void) {
  struct task *me = self();
  if (!me) pthread_exit(NULL); /* main */
  longjmp(me->end, 1);
}

void exd_tsk(void) {
  if (self()) self()->deletes = 1;
  ext_tsk();
}

ER ter_tsk(ID tskid) {
  CHECK(it_in_task(), tskid);
  struct task *task = &tasks[tskid - 1];
  if (task == self()) return E_ILUSE;
  cl_api_enter();
  int is_over = !task->active || task->leaves || task->thread.ending;
  if (!is_over) task->thread.ending = 1;
  cl_api_leave_quietly();
  if (is_over) return E_OBJ;
  cl_api_end(&task->thread);
  cl_api_enter();
  int again = task->actcnt && !task->active; /* else another CPU has activated it meanwhile */
  if (again) {
    task->actcnt--;
    task->active = 1;
  }
  cl_api_leave_quietly();
  return again ? start(task) : E_OK;
}

ER chg_pri(ID tskid, PRI tskpri) {
  CHECK_OR_SELF(it_in_task(), tskid);
  struct task *task = &tasks[tskid - 1];
  if (tskpri < TPRI_INI || tskpri > TMAX_TPRI) return E_PAR;
  if (!task->active) return E_OBJ;
  task->priority = tskpri == TPRI_INI ? task->how.itskpri : tskpri;
  cl_api_set_priority(&task->thread, kernel_priority(task->priority));
  return E_OK;
}

ER get_pri(ID tskid, PRI *p_tskpri) {
  CHECK_OR_SELF(it_in_task(), tskid);
  if (!tasks[tskid - 1].active) return E_OBJ;
  *p_tskpri = tasks[tskid - 1].priority;
  return E_OK;
}

static STAT state_of(const struct task *task) {
  if (!task->active) return TTS_DMT;
  if (task == self()) return TTS_RUN;
  uint32_t word = cl_op_thread_read(task->thread.number);
  uint32_t state = word >> CL_THREAD_WORD_STATE_LSB & CL_THREAD_WORD_STATE_MASK;
  STAT base = task->thread.waits ? TTS_WAI : state == CL_STATE_RUNNING ? TTS_RUN : TTS_RDY;
  return !task->suscnt ? base : base == TTS_WAI ? TTS_WAS : TTS_SUS;
}

ER ref_tsk(ID tskid, T_RTSK *pk_rtsk) {
  CHECK_OR_SELF(it_in_task(), tskid);
  const struct task *task = &tasks[tskid - 1];
  *pk_rtsk = (T_RTSK){state_of(task), task->priority, task->priority, task->actcnt, task->wupcnt, task->suscnt};
  return E_OK;
}

/* --- sleep, wake-up, suspension --------------------------------------------------------------------- */

ER tslp_tsk(TMO tmout) {
  struct it_waiter waiter;
  struct task *me = self();
  if (it_may_wait()) return E_CTX;
  IT_CHECK_TIME(tmout);
  cl_api_enter();
  if (!me->wupcnt) return it_wait(TA_TFIFO, &me->sleeping, &waiter, tmout);
  me->wupcnt--;
  cl_api_leave_quietly();
  return E_OK;
}

ER slp_tsk(void) { return tslp_tsk(TMO_FEVR); }

static ER wake_up(ER context, ID id) {
  CHECK_OR_SELF(context, id);
  struct task *task = &tasks[id - 1];
  ER status = E_OK;
  cl_api_enter();
  struct cl_api_waiter *sleeper = cl_api_first(&task->sleeping);
  if (!task->active || task->leaves) status = E_OBJ;
  else if (sleeper) cl_api_wake(sleeper, E_OK);
  else if (task->wupcnt < TMAX_WUPCNT) task->wupcnt++;
  else status = E_QOVR;
  cl_api_leave();
  return status;
}

ER wup_tsk(ID tskid) { return wake_up(it_in_task(), tskid); }
ER iwup_tsk(ID tskid) { return wake_up(it_in_handler(), tskid); }

ER_UINT can_wup(ID tskid) {
  CHECK_OR_SELF(it_in_task(), tskid);
  if (!tasks[tskid - 1].active) return E_OBJ;
  cl_api_enter();
  UINT count = tasks[tskid - 1].wupcnt;
  tasks[tskid - 1].wupcnt = 0;
  cl_api_leave_quietly();
  return (ER_UINT)count;
}

static ER release(ER context, ID id) {
  CHECK(context, id);
  struct task *task = &tasks[id - 1];
  return task->active && cl_api_release(&task->thread, E_RLWAI) ? E_OK : E_OBJ;
}

ER rel_wai(ID tskid) { return release(it_in_task(), tskid); }
ER irel_wai(ID tskid) { return release(it_in_handler(), tskid); }

ER sus_tsk(ID tskid) {
  CHECK_OR_SELF(it_in_task(), tskid);
  struct task *task = &tasks[tskid - 1];
  if (task == self() && task->thread.locks) return E_CTX;
  if (!task->active) return E_OBJ;
  if (task->suscnt >= TMAX_SUSCNT) return E_QOVR;
  task->suscnt++;
  cl_api_suspend(&task->thread);
  return E_OK;
}

ER rsm_tsk(ID tskid) {
  CHECK(it_in_task(), tskid);
  struct task *task = &tasks[tskid - 1];
  if (!task->active || !task->suscnt) return E_OBJ;
  task->suscnt = 0;
  cl_api_resume(&task->thread);
  return E_OK;
}

ER frsm_tsk(ID tskid) { return rsm_tsk(tskid); }

ER dly_tsk(RELTIM dlytim) {
  static struct cl_queue delayed;
  struct cl_api_waiter waiter;
  if (it_may_wait()) return E_CTX;
  uint64_t at = cl_now() + (uint64_t)dlytim * IT_MS;
  cl_api_enter();
  return cl_api_wait(&delayed, &waiter, at, E_OK);
}

/* --- the system ------------------------------------------------------------------------------------- */

ER rot_rdq(PRI tskpri) {
  const struct task *me = self();
  if (it_in_task()) return E_CTX;
  if (tskpri < TPRI_SELF || tskpri > TMAX_TPRI) return E_PAR;
  if (!me || (tskpri != TPRI_SELF && tskpri != me->priority)) return E_NOSPT;
  sched_yield();
  return E_OK;
}

ER get_tid(ID *p_tskid) {
  if (it_in_task()) return E_CTX;
  *p_tskid = id_of(self());
  return E_OK;
}

ER get_pid(ID *p_prcid) {
  *p_prcid = (ID)(CL_CPUS > 1 ? cl_local_read(CL_CPU_ID) : 0) + 1;
  return E_OK;
}

ER iget_tid(ID *p_tskid) {
  if (it_in_handler()) return E_CTX;
  *p_tskid = TSK_NONE; /* a handler is a thread of its own: whom it has interrupted is not known */
  return E_OK;
}

/* What the caller has locked is from now on; both kinds exclude other CPUs' callers. */
static ER lock(unsigned locks) {
  struct cl_api_thread *thread = cl_api_self();
  unsigned before = thread->locks;
  int priority = locks & IT_CPU || thread->in_handler ? CL_API_TOP : CL_API_DISPATCH;
  if (before == locks) return E_OK;
  if (!locks) {
    cl_api_unlock(thread);
    return E_OK;
  }
  if (before) pthread_setschedprio(thread->number, priority);
  else cl_api_lock(thread, priority);
  thread->locks = (uint8_t)locks;
  return E_OK;
}

static ER change_lock(int by_handler, unsigned set, unsigned cleared) {
  const struct cl_api_thread *thread = cl_api_self();
  if (!thread || thread->in_handler != by_handler) return E_CTX;
  return lock((thread->locks | set) & ~cleared);
}

ER loc_cpu(void) { return change_lock(0, IT_CPU, 0); }
ER iloc_cpu(void) { return change_lock(1, IT_CPU, 0); }
ER unl_cpu(void) { return change_lock(0, 0, IT_CPU); }
ER iunl_cpu(void) { return change_lock(1, 0, IT_CPU); }
ER dis_dsp(void) { return it_in_task() ? E_CTX : change_lock(0, IT_DISPATCH, 0); }
ER ena_dsp(void) { return it_in_task() ? E_CTX : change_lock(0, 0, IT_DISPATCH); }

static unsigned locks(void) {
  const struct cl_api_thread *thread = cl_api_self();
  return thread ? thread->locks : 0;
}

BOOL sns_ctx(void) { return cl_api_in_handler(); }
BOOL sns_loc(void) { return (locks() & IT_CPU) != 0; }
BOOL sns_dsp(void) { return (locks() & IT_DISPATCH) != 0; }
BOOL sns_dpn(void) { return it_may_wait() != E_OK; }

void sta_ker(void) {
  pthread_setschedprio(pthread_self(), CL_API_TOP);
  cl_op_slice(0); /* tasks of one priority do not take turns */
  it_started = 1;
  for (struct task *task = tasks; task < tasks + IT_IDS; task++)
    if (task->active) cl_api_start(&task->thread);
  pthread_exit(NULL);
}

void ext_ker(void) { exit(0); }

/* Of a program that has none, as with TOPPERS. */
__attribute__((weak)) int main(void) { sta_ker(); }
