/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores, event flags, data queues, mailboxes. */
#include <stdlib.h>

#include "it.h"

/* `context` of the functions below: E_OK or E_CTX, as the service call may be called here. */

static struct it_waiter *first(const struct cl_queue *queue) { return (struct it_waiter *)cl_api_first(queue); }

/* Deletes an object; those who wait get E_DLT. `other` may be NULL. */
static ER delete(struct it_object *object, struct cl_queue *other) {
  cl_api_enter();
  object->exists = 0;
  cl_api_wake_all(&object->waiters, E_DLT);
  if (other) cl_api_wake_all(other, E_DLT);
  cl_api_leave();
  return E_OK;
}

/* The end of cre_NAME and acre_NAME. */
static ER created(ER_ID found) { return found < E_OK ? found : E_OK; }

/* --- semaphores ------------------------------------------------------------------------------------- */

static struct semaphore {
  struct it_object is; /* nobody waits in its queue */
  struct cl_api_count of;
} semaphores[IT_IDS];

static ER_ID make_semaphore(ID id, const T_CSEM *how) {
  if (it_in_task()) return E_CTX;
  if (!how || !how->maxsem || how->maxsem > TMAX_MAXSEM || how->isemcnt > how->maxsem) return E_PAR;
  ER_ID found = it_new(id, semaphores, sizeof *semaphores, how->sematr, TA_TPRI);
  if (found < E_OK) return found;
  struct semaphore *semaphore = &semaphores[found - 1];
  semaphore->of = (struct cl_api_count){.count = how->isemcnt, .most = how->maxsem};
  it_made(&semaphore->is, how->sematr);
  return found;
}

ER cre_sem(ID semid, const T_CSEM *pk_csem) { return semid < 1 ? E_ID : created(make_semaphore(semid, pk_csem)); }
ER_ID acre_sem(const T_CSEM *pk_csem) { return make_semaphore(0, pk_csem); }

ER del_sem(ID semid) {
  IT_CHECK(it_in_task(), semid, semaphores);
  return delete(&semaphores[semid - 1].is, &semaphores[semid - 1].of.waiters);
}

CL_INLINE ER give(ER context, ID id) {
  IT_CHECK(context, id, semaphores);
  return cl_api_give(&semaphores[id - 1].of, E_QOVR);
}

ER sig_sem(ID semid) { return give(it_in_task(), semid); }
ER isig_sem(ID semid) { return give(it_in_handler(), semid); }

CL_INLINE ER take(ER context, ID id, TMO tmout) {
  IT_CHECK(context, id, semaphores);
  IT_CHECK_TIME(tmout);
  struct semaphore *semaphore = &semaphores[id - 1];
  struct it_waiter me;
  cl_api_enter();
  if (CL_UNLIKELY(!semaphore->of.count)) return it_wait(semaphore->is.attr, &semaphore->of.waiters, &me, tmout);
  semaphore->of.count--;
  cl_api_leave_quietly();
  return E_OK;
}

ER wai_sem(ID semid) { return take(it_may_wait(), semid, TMO_FEVR); }
ER pol_sem(ID semid) { return take(it_in_task(), semid, TMO_POL); }
ER twai_sem(ID semid, TMO tmout) { return take(it_may_wait(), semid, tmout); }

ER ref_sem(ID semid, T_RSEM *pk_rsem) {
  IT_CHECK(it_in_task(), semid, semaphores);
  cl_api_enter();
  *pk_rsem = (T_RSEM){it_first(&semaphores[semid - 1].of.waiters), semaphores[semid - 1].of.count};
  cl_api_leave_quietly();
  return E_OK;
}

/* --- event flags ------------------------------------------------------------------------------------ */

static struct flags {
  struct it_object is;
  FLGPTN pattern;
} flags[IT_IDS];

static ER_ID make_flags(ID id, const T_CFLG *how) {
  if (it_in_task()) return E_CTX;
  if (!how) return E_PAR;
  ER_ID found = it_new(id, flags, sizeof *flags, how->flgatr, TA_TPRI | TA_WMUL | TA_CLR);
  if (found < E_OK) return found;
  flags[found - 1].pattern = how->iflgptn;
  it_made(&flags[found - 1].is, how->flgatr);
  return found;
}

ER cre_flg(ID flgid, const T_CFLG *pk_cflg) { return flgid < 1 ? E_ID : created(make_flags(flgid, pk_cflg)); }
ER_ID acre_flg(const T_CFLG *pk_cflg) { return make_flags(0, pk_cflg); }

ER del_flg(ID flgid) {
  IT_CHECK(it_in_task(), flgid, flags);
  return delete(&flags[flgid - 1].is, NULL);
}

/* 1: they suffice; *got is what was set, before it is cleared. */
static int suffice(struct flags *of, FLGPTN wanted, MODE mode, FLGPTN *got) {
  FLGPTN there = of->pattern & wanted;
  if (mode & TWF_ORW ? !there : there != wanted) return 0;
  *got = of->pattern;
  if (of->is.attr & TA_CLR) of->pattern = 0;
  return 1;
}

static ER set(ER context, ID id, FLGPTN pattern) {
  IT_CHECK(context, id, flags);
  struct flags *of = &flags[id - 1];
  cl_api_enter();
  of->pattern |= pattern;
  for (struct it_waiter *each = first(&of->is.waiters), *next; each; each = next) {
    next = (struct it_waiter *)cl_api_next(&of->is.waiters, &each->is);
    FLGPTN got;
    if (!suffice(of, (FLGPTN)each->data, each->mode, &got)) continue;
    each->data = (VP_INT)got;
    cl_api_wake(&each->is, E_OK);
  }
  cl_api_leave();
  return E_OK;
}

ER set_flg(ID flgid, FLGPTN setptn) { return set(it_in_task(), flgid, setptn); }
ER iset_flg(ID flgid, FLGPTN setptn) { return set(it_in_handler(), flgid, setptn); }

ER clr_flg(ID flgid, FLGPTN clrptn) {
  IT_CHECK(it_in_task(), flgid, flags);
  cl_api_enter();
  flags[flgid - 1].pattern &= clrptn;
  cl_api_leave_quietly();
  return E_OK;
}

static ER await(ER context, ID id, FLGPTN wanted, MODE mode, FLGPTN *got, TMO tmout) {
  IT_CHECK(context, id, flags);
  IT_CHECK_TIME(tmout);
  struct flags *of = &flags[id - 1];
  struct it_waiter me = {.data = (VP_INT)wanted, .mode = mode};
  if (!wanted || mode & ~TWF_ORW) return E_PAR;
  cl_api_enter();
  if (!(of->is.attr & TA_WMUL) && of->is.waiters.first) {
    cl_api_leave_quietly();
    return E_ILUSE;
  }
  if (suffice(of, wanted, mode, got)) {
    cl_api_leave_quietly();
    return E_OK;
  }
  ER status = it_wait(of->is.attr, &of->is.waiters, &me, tmout);
  if (!status) *got = (FLGPTN)me.data;
  return status;
}

ER wai_flg(ID flgid, FLGPTN waiptn, MODE wfmode, FLGPTN *p_flgptn) {
  return await(it_may_wait(), flgid, waiptn, wfmode, p_flgptn, TMO_FEVR);
}
ER pol_flg(ID flgid, FLGPTN waiptn, MODE wfmode, FLGPTN *p_flgptn) {
  return await(it_in_task(), flgid, waiptn, wfmode, p_flgptn, TMO_POL);
}
ER twai_flg(ID flgid, FLGPTN waiptn, MODE wfmode, FLGPTN *p_flgptn, TMO tmout) {
  return await(it_may_wait(), flgid, waiptn, wfmode, p_flgptn, tmout);
}

ER ref_flg(ID flgid, T_RFLG *pk_rflg) {
  IT_CHECK(it_in_task(), flgid, flags);
  cl_api_enter();
  *pk_rflg = (T_RFLG){it_first(&flags[flgid - 1].is.waiters), flags[flgid - 1].pattern};
  cl_api_leave_quietly();
  return E_OK;
}

/* --- data queues: the object's own queue is that of the senders -------------------------------------- */

static struct data_queue {
  struct it_object is;
  struct cl_queue receivers; /* by arrival */
  VP_INT *data;
  UINT most, count, head;
  uint8_t is_given;
} data_queues[IT_IDS];

static ER_ID make_data_queue(ID id, const T_CDTQ *how) {
  if (it_in_task()) return E_CTX;
  if (!how || how->dtqcnt > INT16_MAX) return E_PAR;
  ER_ID found = it_new(id, data_queues, sizeof *data_queues, how->dtqatr, TA_TPRI);
  if (found < E_OK) return found;
  struct data_queue *queue = &data_queues[found - 1];
  VP_INT *data = how->dtqcnt && !how->dtq ? malloc(how->dtqcnt * sizeof *data) : how->dtq;
  if (how->dtqcnt && !data) {
    queue->is.exists = 0;
    return E_NOMEM;
  }
  *queue = (struct data_queue){
      .is.exists = IT_IN_MAKING, .data = data, .most = how->dtqcnt, .is_given = how->dtq != NULL};
  it_made(&queue->is, how->dtqatr);
  return found;
}

ER cre_dtq(ID dtqid, const T_CDTQ *pk_cdtq) { return dtqid < 1 ? E_ID : created(make_data_queue(dtqid, pk_cdtq)); }
ER_ID acre_dtq(const T_CDTQ *pk_cdtq) { return make_data_queue(0, pk_cdtq); }

ER del_dtq(ID dtqid) {
  IT_CHECK(it_in_task(), dtqid, data_queues);
  struct data_queue *queue = &data_queues[dtqid - 1];
  ER status = delete(&queue->is, &queue->receivers);
  if (!queue->is_given) free(queue->data);
  return status;
}

static void put(struct data_queue *queue, VP_INT data) {
  UINT tail = queue->head + queue->count++;
  queue->data[tail < queue->most ? tail : tail - queue->most] = data;
}

static VP_INT get(struct data_queue *queue) {
  VP_INT data = queue->data[queue->head];
  if (++queue->head == queue->most) queue->head = 0;
  queue->count--;
  return data;
}

static ER send(ER context, ID id, VP_INT data, TMO tmout, int forced) {
  IT_CHECK(context, id, data_queues);
  IT_CHECK_TIME(tmout);
  struct data_queue *queue = &data_queues[id - 1];
  struct it_waiter me = {.data = data};
  if (forced && !queue->most) return E_ILUSE;
  cl_api_enter();
  struct it_waiter *receiver = first(&queue->receivers);
  if (receiver) {
    receiver->data = data;
    cl_api_wake(&receiver->is, E_OK);
    cl_api_leave();
    return E_OK;
  }
  if (forced && queue->count == queue->most) get(queue);
  if (queue->count == queue->most) return it_wait(queue->is.attr, &queue->is.waiters, &me, tmout);
  put(queue, data);
  cl_api_leave_quietly();
  return E_OK;
}

ER snd_dtq(ID dtqid, VP_INT data) { return send(it_may_wait(), dtqid, data, TMO_FEVR, 0); }
ER psnd_dtq(ID dtqid, VP_INT data) { return send(it_in_task(), dtqid, data, TMO_POL, 0); }
ER ipsnd_dtq(ID dtqid, VP_INT data) { return send(it_in_handler(), dtqid, data, TMO_POL, 0); }
ER tsnd_dtq(ID dtqid, VP_INT data, TMO tmout) { return send(it_may_wait(), dtqid, data, tmout, 0); }
ER fsnd_dtq(ID dtqid, VP_INT data) { return send(it_in_task(), dtqid, data, TMO_POL, 1); }
ER ifsnd_dtq(ID dtqid, VP_INT data) { return send(it_in_handler(), dtqid, data, TMO_POL, 1); }

static ER receive(ER context, ID id, VP_INT *data, TMO tmout) {
  IT_CHECK(context, id, data_queues);
  IT_CHECK_TIME(tmout);
  struct data_queue *queue = &data_queues[id - 1];
  struct it_waiter me;
  cl_api_enter();
  struct it_waiter *sender = first(&queue->is.waiters);
  if (!queue->count && !sender) {
    ER status = it_wait(TA_TFIFO, &queue->receivers, &me, tmout);
    if (!status) *data = me.data;
    return status;
  }
  *data = queue->count ? get(queue) : sender->data;
  if (sender) {
    if (queue->most) put(queue, sender->data);
    cl_api_wake(&sender->is, E_OK);
  }
  cl_api_leave();
  return E_OK;
}

ER rcv_dtq(ID dtqid, VP_INT *p_data) { return receive(it_may_wait(), dtqid, p_data, TMO_FEVR); }
ER prcv_dtq(ID dtqid, VP_INT *p_data) { return receive(it_in_task(), dtqid, p_data, TMO_POL); }
ER trcv_dtq(ID dtqid, VP_INT *p_data, TMO tmout) { return receive(it_may_wait(), dtqid, p_data, tmout); }

ER ref_dtq(ID dtqid, T_RDTQ *pk_rdtq) {
  IT_CHECK(it_in_task(), dtqid, data_queues);
  struct data_queue *queue = &data_queues[dtqid - 1];
  cl_api_enter();
  *pk_rdtq = (T_RDTQ){it_first(&queue->is.waiters), it_first(&queue->receivers), queue->count};
  cl_api_leave_quietly();
  return E_OK;
}

/* --- mailboxes -------------------------------------------------------------------------------------- */

static struct mailbox {
  struct it_object is;
  PRI most; /* the highest number of a priority */
  T_MSG *first, *last;
} mailboxes[IT_IDS];

static ER_ID make_mailbox(ID id, const T_CMBX *how) {
  if (it_in_task()) return E_CTX;
  if (!how || (how->mbxatr & TA_MPRI && (how->maxmpri < TMIN_MPRI || how->maxmpri > TMAX_MPRI))) return E_PAR;
  ER_ID found = it_new(id, mailboxes, sizeof *mailboxes, how->mbxatr, TA_TPRI | TA_MPRI);
  if (found < E_OK) return found;
  struct mailbox *box = &mailboxes[found - 1];
  *box = (struct mailbox){.is.exists = IT_IN_MAKING, .most = how->maxmpri};
  it_made(&box->is, how->mbxatr);
  return found;
}

ER cre_mbx(ID mbxid, const T_CMBX *pk_cmbx) { return mbxid < 1 ? E_ID : created(make_mailbox(mbxid, pk_cmbx)); }
ER_ID acre_mbx(const T_CMBX *pk_cmbx) { return make_mailbox(0, pk_cmbx); }

ER del_mbx(ID mbxid) {
  IT_CHECK(it_in_task(), mbxid, mailboxes);
  return delete(&mailboxes[mbxid - 1].is, NULL);
}

static PRI priority_of(const T_MSG *message) { return ((const T_MSG_PRI *)message)->msgpri; }

ER snd_mbx(ID mbxid, T_MSG *pk_msg) {
  IT_CHECK(it_in_task(), mbxid, mailboxes);
  struct mailbox *box = &mailboxes[mbxid - 1];
  const int by_priority = (box->is.attr & TA_MPRI) != 0;
  if (!pk_msg || (by_priority && (priority_of(pk_msg) < TMIN_MPRI || priority_of(pk_msg) > box->most))) return E_PAR;
  cl_api_enter();
  struct it_waiter *receiver = first(&box->is.waiters);
  if (receiver) {
    receiver->data = (VP_INT)pk_msg;
    cl_api_wake(&receiver->is, E_OK);
    cl_api_leave();
    return E_OK;
  }
  T_MSG **link = box->first && !by_priority ? &box->last->next : &box->first;
  while (*link && priority_of(*link) <= priority_of(pk_msg)) link = &(*link)->next;
  pk_msg->next = *link;
  *link = pk_msg;
  if (!pk_msg->next) box->last = pk_msg;
  cl_api_leave_quietly();
  return E_OK;
}

static ER receive_message(ER context, ID id, T_MSG **message, TMO tmout) {
  IT_CHECK(context, id, mailboxes);
  IT_CHECK_TIME(tmout);
  struct mailbox *box = &mailboxes[id - 1];
  struct it_waiter me;
  cl_api_enter();
  if (box->first) {
    *message = box->first;
    box->first = box->first->next;
    cl_api_leave_quietly();
    return E_OK;
  }
  ER status = it_wait(box->is.attr, &box->is.waiters, &me, tmout);
  if (!status) *message = (T_MSG *)me.data;
  return status;
}

ER rcv_mbx(ID mbxid, T_MSG **ppk_msg) { return receive_message(it_may_wait(), mbxid, ppk_msg, TMO_FEVR); }
ER prcv_mbx(ID mbxid, T_MSG **ppk_msg) { return receive_message(it_in_task(), mbxid, ppk_msg, TMO_POL); }
ER trcv_mbx(ID mbxid, T_MSG **ppk_msg, TMO tmout) { return receive_message(it_may_wait(), mbxid, ppk_msg, tmout); }

ER ref_mbx(ID mbxid, T_RMBX *pk_rmbx) {
  IT_CHECK(it_in_task(), mbxid, mailboxes);
  cl_api_enter();
  *pk_rmbx = (T_RMBX){it_first(&mailboxes[mbxid - 1].is.waiters), mailboxes[mbxid - 1].first};
  cl_api_leave_quietly();
  return E_OK;
}
