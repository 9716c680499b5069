/* SPDX-License-Identifier: Apache-2.0
 *
 * Time, cyclic and alarm handlers, handlers of interrupts. */
#include <errno.h>

#include "it.h"

static volatile SYSTIM ahead; /* of the time since the start */

static SYSTIM now(void) {
  uint64_t cycles = cl_now();
  return (SYSTIM)(cycles <= UINT32_MAX ? (uint32_t)cycles / IT_MS : cycles / IT_MS);
}

ER set_tim(const SYSTIM *p_systim) {
  if (it_in_task()) return E_CTX;
  ahead = *p_systim - now();
  return E_OK;
}

ER get_tim(SYSTIM *p_systim) {
  if (it_in_task()) return E_CTX;
  *p_systim = now() + ahead;
  return E_OK;
}

/* Cyclic handlers have a cycle, alarms do not. */
struct timed {
  struct {
    uint8_t exists;
  } is;
  uint8_t on; /* of one with TA_PHS, which goes on without being called */
  ATR attr;
  struct cl_api_alarm alarm;
  void (*call)(VP_INT exinf);
  VP_INT exinf;
  uint32_t cycle; /* ms */
};
static struct timed cyclics[IT_IDS], alarms[IT_IDS];

static void expire(struct cl_api_alarm *alarm) {
  struct timed *timed = (struct timed *)((char *)alarm - offsetof(struct timed, alarm));
  void (*call)(VP_INT) = timed->on ? timed->call : NULL;
  VP_INT exinf = timed->exinf;
  if (timed->cycle) cl_api_alarm_start(alarm, alarm->at + (uint64_t)timed->cycle * IT_MS);
  else timed->on = 0;
  cl_api_leave();
  if (call) call(exinf);
}

static ER_ID make(struct timed *all, ID id, const struct timed *how, ATR allowed) {
  if (it_in_task()) return E_CTX;
  if (!how->call) return E_PAR;
  if (cl_api_alarms(CL_API_HANDLER, 1)) return E_NOMEM;
  ER_ID found = it_new(id, all, sizeof *all, how->attr, allowed);
  if (found < E_OK) return found;
  all[found - 1] = *how;
  all[found - 1].alarm.call = expire;
  return found;
}

static void start(struct timed *timed, uint32_t ms) {
  cl_api_enter();
  timed->on = 1;
  cl_api_alarm_stop(&timed->alarm);
  cl_api_alarm_start(&timed->alarm, it_until((TMO)ms));
  cl_api_leave();
}

static ER stop(struct timed *timed, int is_deleted) {
  cl_api_enter();
  timed->on = 0;
  if (is_deleted || !(timed->attr & TA_PHS)) cl_api_alarm_stop(&timed->alarm);
  if (is_deleted) timed->is.exists = 0;
  cl_api_leave_quietly();
  return E_OK;
}

static ER_ID make_cyclic(ID id, const T_CCYC *how) {
  if (!how || !how->cyctim) return E_PAR;
  ER_ID found = make(
      cyclics, id,
      &(struct timed){
          .is.exists = IT_MADE, .attr = how->cycatr, .call = how->cychdr, .exinf = how->exinf, .cycle = how->cyctim},
      TA_ASM | TA_STA | TA_PHS);
  if (found < E_OK) return found;
  if (how->cycatr & (TA_STA | TA_PHS)) start(&cyclics[found - 1], how->cycphs);
  if (!(how->cycatr & TA_STA)) cyclics[found - 1].on = 0;
  return found;
}

ER cre_cyc(ID cycid, const T_CCYC *pk_ccyc) {
  ER_ID status = cycid < 1 ? E_ID : make_cyclic(cycid, pk_ccyc);
  return status < E_OK ? status : E_OK;
}

ER_ID acre_cyc(const T_CCYC *pk_ccyc) { return make_cyclic(0, pk_ccyc); }

ER del_cyc(ID cycid) {
  IT_CHECK(it_in_task(), cycid, cyclics);
  return stop(&cyclics[cycid - 1], 1);
}

ER sta_cyc(ID cycid) {
  IT_CHECK(it_in_task(), cycid, cyclics);
  struct timed *cyclic = &cyclics[cycid - 1];
  if (cyclic->attr & TA_PHS) cyclic->on = 1;
  else start(cyclic, cyclic->cycle);
  return E_OK;
}

ER stp_cyc(ID cycid) {
  IT_CHECK(it_in_task(), cycid, cyclics);
  return stop(&cyclics[cycid - 1], 0);
}

static ER_ID make_alarm(ID id, const T_CALM *how) {
  if (!how) return E_PAR;
  return make(alarms, id,
              &(struct timed){.is.exists = IT_MADE, .attr = how->almatr, .call = how->almhdr, .exinf = how->exinf},
              TA_ASM);
}

ER cre_alm(ID almid, const T_CALM *pk_calm) {
  ER_ID status = almid < 1 ? E_ID : make_alarm(almid, pk_calm);
  return status < E_OK ? status : E_OK;
}

ER_ID acre_alm(const T_CALM *pk_calm) { return make_alarm(0, pk_calm); }

ER del_alm(ID almid) {
  IT_CHECK(it_in_task(), almid, alarms);
  return stop(&alarms[almid - 1], 1);
}

ER sta_alm(ID almid, RELTIM almtim) {
  IT_CHECK(it_in_task(), almid, alarms);
  start(&alarms[almid - 1], almtim);
  return E_OK;
}

ER stp_alm(ID almid) {
  IT_CHECK(it_in_task(), almid, alarms);
  return stop(&alarms[almid - 1], 0);
}

/* --- interrupts ------------------------------------------------------------------------------------- */

static void (*handlers[CL_LINES])(void);

static void call(unsigned line) {
  if (handlers[line]) handlers[line]();
}

ER def_inh(INHNO inhno, const T_DINH *pk_dinh) {
  if (it_in_task()) return E_CTX;
  if (inhno >= CL_LINES || (pk_dinh && !pk_dinh->inthdr)) return E_PAR;
  if (pk_dinh && pk_dinh->inhatr & ~TA_ASM) return E_RSATR;
  handlers[inhno] = pk_dinh ? pk_dinh->inthdr : NULL;
  if (!pk_dinh) return E_OK;
  int status = cl_api_handle(inhno, call);
  return status == EBUSY ? E_OBJ : status ? E_NOMEM : E_OK;
}

static ER enable(INTNO intno, int enabled) {
  if (it_in_task()) return E_CTX;
  if (intno >= CL_LINES) return E_PAR;
  cl_api_line(intno, enabled);
  return E_OK;
}

ER dis_int(INTNO intno) { return enable(intno, 0); }
ER ena_int(INTNO intno) { return enable(intno, 1); }
