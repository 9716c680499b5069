/* SPDX-License-Identifier: Apache-2.0
 *
 * uITRON: tasks, semaphores, event flags, data queues, mailboxes, time, states of the system. The tests run in a task of
 * middle priority on processor 1, as all tasks do that `start` activates. */
#include <coreloom.h>
#include <itron.h>

#undef TRUE /* the constant; judge.h has a macro of this name */
#include "judge.h"

enum { DRIVER = 1, HELPER, HELPER2, HELPER3, ITSELF, EARLY };
enum { STATIC_SEM = 1, STATIC_CYC = 1 };
#define HIGH 4
#define MIDDLE 8
#define LOW 12
#define LINE 3

static volatile long found[12];
static volatile char order[16];
static volatile unsigned noted;
static void note(char who) { order[noted++] = who; }
static void begin(void) { noted = 0; }
static int ordered(const char *wanted) {
  unsigned i = 0;
  for (; i < noted; i++)
    if (order[i] != wanted[i]) return 0;
  return wanted[i] == '\0';
}
static void forget(void) {
  for (int i = 0; i < 12; i++) found[i] = 0;
}

/* A new task, activated on processor 1; `finish` deletes it once it is DORMANT. */
static ER start_as(ID id, TASK task, VP_INT exinf, PRI priority) {
  ER status = cre_tsk(id, &(T_CTSK){TA_HLNG, exinf, task, priority, 2048, NULL});
  return status ? status : mact_tsk(id, 1);
}
static ER start(TASK task, PRI priority) { return start_as(HELPER, task, 0, priority); }
static ER finish(ID id) {
  for (int i = 0; i < 20 && del_tsk(id) == E_OBJ; i++) dly_tsk(1);
  return del_tsk(id) == E_NOEXS ? E_OK : E_OBJ;
}

/* What a handler of an interrupt finds. */
static void (*ask)(void);
static void handler(void) { ask(); }
DEF_INH(LINE, {TA_HLNG, handler});
static void in_handler(void (*what)(void)) {
  forget();
  ask = what;
  interrupt_raise_np(LINE);
  dly_tsk(2);
}

/* --- static API and the start ----------------------------------------------------------------------- */

static void drive(VP_INT exinf) {
  found[0] = exinf;
  mig_tsk(TSK_SELF, 1);
  judge();
}
static volatile long early;
static void run_early(VP_INT exinf) { early += exinf; }
static volatile unsigned cycles;
static void cycle(VP_INT exinf) { cycles += (unsigned)exinf; }

CRE_TSK(DRIVER, {TA_HLNG | TA_ACT, 21, drive, MIDDLE, 4096, NULL});
CRE_TSK(EARLY, {TA_ACT, 5, run_early, HIGH, 1024, NULL});
CRE_SEM(STATIC_SEM, {TA_TFIFO, 2, 3});
CRE_CYC(STATIC_CYC, {TA_HLNG, 2, cycle, 2, 0});

TEST(CRE_TSK, active, "a task with TA_ACT is activated at the start, with its extended information") {
  IS(21, found[0]);
  dly_tsk(1);
  IS(5, early);
  T_RTSK task;
  OK(ref_tsk(EARLY, &task));
  IS(TTS_DMT, task.tskstat);
}

TEST(CRE_SEM, made, "objects of the static API are there at the start") {
  T_RSEM semaphore;
  OK(ref_sem(STATIC_SEM, &semaphore));
  IS(2, semaphore.semcnt);
  IS(TSK_NONE, semaphore.wtskid);
}

/* --- tasks ------------------------------------------------------------------------------------------ */

static void nothing(VP_INT exinf) { (void)exinf; }
static void note_it(VP_INT who) { note((char)who); }
static void sleep_and_note(VP_INT who) {
  found[0] = slp_tsk();
  note((char)who);
}

TEST(cre_tsk, errors, "E_ID, E_OBJ, E_PAR, E_RSATR") {
  const T_CTSK good = {TA_HLNG, 0, nothing, MIDDLE, 1024, NULL};
  T_CTSK bad = good;
  IS(E_ID, cre_tsk(0, &good));
  IS(E_ID, cre_tsk(1000, &good));
  IS(E_OBJ, cre_tsk(DRIVER, &good));
  bad.itskpri = 0;
  IS(E_PAR, cre_tsk(HELPER, &bad));
  bad.itskpri = TMAX_TPRI + 1;
  IS(E_PAR, cre_tsk(HELPER, &bad));
  bad = good;
  bad.tskatr = 0x80;
  IS(E_RSATR, cre_tsk(HELPER, &bad));
  IS(E_PAR, cre_tsk(HELPER, NULL));
}

TEST(acre_tsk, number, "the identifier of a new task") {
  ER_ID id = acre_tsk(&(T_CTSK){TA_HLNG, 0, nothing, MIDDLE, 1024, NULL});
  IS(HELPER, id);
  OK(del_tsk(id));
  IS(E_NOEXS, del_tsk(id));
}

TEST(act_tsk, more_urgent, "a more urgent task runs at once") {
  begin();
  OK(start_as(HELPER, note_it, 'a', HIGH));
  dly_tsk(1);
  note('b');
  OK(finish(HELPER));
  TRUE(ordered("ab"));
}

TEST(act_tsk, less_urgent, "a less urgent one when the caller waits") {
  begin();
  OK(start_as(HELPER, note_it, 'b', LOW));
  note('a');
  dly_tsk(1);
  OK(finish(HELPER));
  TRUE(ordered("ab"));
}

TEST(act_tsk, queued, "an activation of an active task is queued") {
  begin();
  OK(start_as(HELPER, note_it, 'x', LOW));
  OK(act_tsk(HELPER));
  OK(act_tsk(HELPER));
  dly_tsk(1);
  OK(finish(HELPER));
  TRUE(ordered("xxx"));
}

TEST(act_tsk, errors, "E_ID, E_NOEXS, E_QOVR") {
  IS(E_ID, act_tsk(-1));
  IS(E_NOEXS, act_tsk(HELPER));
  OK(start(nothing, LOW));
  for (int i = 0; i < TMAX_ACTCNT; i++) OK(act_tsk(HELPER));
  IS(E_QOVR, act_tsk(HELPER));
  IS(TMAX_ACTCNT, can_act(HELPER));
  IS(0, can_act(HELPER));
  OK(finish(HELPER));
}

static void leave(VP_INT exinf) {
  note('a');
  if (exinf) ext_tsk();
  note('b');
}
TEST(ext_tsk, ends, "the task is DORMANT, and may be activated again") {
  begin();
  OK(start_as(HELPER, leave, 1, HIGH));
  dly_tsk(1);
  OK(act_tsk(HELPER));
  dly_tsk(1);
  OK(finish(HELPER));
  TRUE(ordered("aa"));
}

static void change_and_end(VP_INT exinf) {
  (void)exinf;
  PRI priority;
  get_pri(TSK_SELF, &priority);
  found[found[9]++] = priority;
  chg_pri(TSK_SELF, LOW);
}
TEST(ext_tsk, restart, "with its first priority, and without wake-ups") {
  forget();
  OK(start(change_and_end, HIGH));
  OK(act_tsk(HELPER));
  OK(finish(HELPER));
  IS(HIGH, found[0]);
  IS(HIGH, found[1]);
}

static void end_and_delete(VP_INT exinf) {
  (void)exinf;
  exd_tsk();
}
TEST(exd_tsk, deletes, "the task is no more") {
  OK(start(end_and_delete, HIGH));
  dly_tsk(2);
  IS(E_NOEXS, act_tsk(HELPER));
}

TEST(ter_tsk, waiting, "a task that waits is DORMANT then") {
  begin();
  OK(start_as(HELPER, sleep_and_note, 'x', HIGH));
  dly_tsk(1);
  OK(ter_tsk(HELPER));
  IS(E_OBJ, ter_tsk(HELPER));
  IS(E_OBJ, wup_tsk(HELPER));
  OK(del_tsk(HELPER));
  TRUE(ordered(""));
}

static volatile uint32_t counted;
static volatile int stops;
static void count(VP_INT exinf) {
  (void)exinf;
  while (!stops) counted++;
}
TEST(ter_tsk, computes, "so is one that computes, on whichever processor") {
  stops = 0;
  for (ID processor = 0; processor < 2; processor++) {
    OK(cre_tsk(HELPER, &(T_CTSK){TA_HLNG, 0, count, LOW, 2048, NULL}));
    OK(mact_tsk(HELPER, processor));
    dly_tsk(2);
    OK(ter_tsk(HELPER));
    uint32_t before = counted;
    dly_tsk(2);
    IS(before, counted);
    OK(del_tsk(HELPER));
  }
}

TEST(ter_tsk, queued, "a queued activation starts it again") {
  begin();
  OK(start_as(HELPER, sleep_and_note, 'x', HIGH));
  dly_tsk(1);
  OK(act_tsk(HELPER));
  OK(ter_tsk(HELPER));
  dly_tsk(1);
  OK(wup_tsk(HELPER));
  OK(finish(HELPER));
  TRUE(ordered("x"));
}

TEST(ter_tsk, errors, "the caller: E_ILUSE; DORMANT: E_OBJ") {
  IS(E_ILUSE, ter_tsk(DRIVER));
  IS(E_OBJ, ter_tsk(EARLY));
  IS(E_ID, ter_tsk(0));
}

TEST(chg_pri, preempts, "a task that is made more urgent runs at once") {
  begin();
  OK(start_as(HELPER, note_it, 'b', LOW));
  note('a');
  OK(chg_pri(HELPER, HIGH));
  dly_tsk(1);
  note('c');
  IS(E_OBJ, chg_pri(HELPER, LOW));
  OK(finish(HELPER));
  TRUE(ordered("abc"));
}

TEST(chg_pri, errors, "E_PAR for no priority; TPRI_INI is the first one") {
  PRI priority;
  IS(E_PAR, chg_pri(TSK_SELF, TMAX_TPRI + 1));
  IS(E_PAR, chg_pri(TSK_SELF, -1));
  OK(chg_pri(TSK_SELF, MIDDLE + 1));
  OK(get_pri(DRIVER, &priority));
  IS(MIDDLE + 1, priority);
  OK(chg_pri(TSK_SELF, TPRI_INI));
  OK(get_pri(TSK_SELF, &priority));
  IS(MIDDLE, priority);
  IS(E_OBJ, get_pri(EARLY, &priority));
}

TEST(get_tid, own, "the caller's identifier") {
  ID id;
  OK(get_tid(&id));
  IS(DRIVER, id);
}

static void twice(VP_INT who) {
  note((char)who);
  rot_rdq(TPRI_SELF);
  note((char)who);
}
TEST(rot_rdq, takes_turns, "to the next task of the priority; there are no slices") {
  begin();
  OK(dis_dsp());
  OK(start_as(HELPER, twice, '1', HIGH));
  OK(start_as(HELPER2, twice, '2', HIGH));
  OK(ena_dsp());
  dly_tsk(1);
  OK(finish(HELPER));
  OK(finish(HELPER2));
  TRUE(ordered("1212"));
  IS(E_PAR, rot_rdq(-1));
}

/* --- sleep ------------------------------------------------------------------------------------------ */

TEST(wup_tsk, wakes, "a task that sleeps") {
  begin();
  OK(start_as(HELPER, sleep_and_note, 'b', HIGH));
  dly_tsk(1);
  note('a');
  OK(wup_tsk(HELPER));
  dly_tsk(1);
  OK(found[0]);
  OK(finish(HELPER));
  TRUE(ordered("ab"));
}

TEST(wup_tsk, queued, "wake-ups are counted, up to E_QOVR; can_wup answers and forgets them") {
  OK(wup_tsk(TSK_SELF));
  OK(slp_tsk());
  IS(E_TMOUT, tslp_tsk(TMO_POL));
  for (int i = 0; i < TMAX_WUPCNT; i++) OK(wup_tsk(TSK_SELF));
  IS(E_QOVR, wup_tsk(TSK_SELF));
  IS(TMAX_WUPCNT, can_wup(TSK_SELF));
  IS(0, can_wup(DRIVER));
  IS(E_OBJ, wup_tsk(EARLY));
}

TEST(tslp_tsk, limit, "E_TMOUT, and never early") {
  SYSTIM before, after;
  OK(get_tim(&before));
  IS(E_TMOUT, tslp_tsk(3));
  OK(get_tim(&after));
  TRUE(after - before >= 3 && after - before <= 4);
  IS(E_PAR, tslp_tsk(-2));
}

TEST(rel_wai, releases, "the wait ends with E_RLWAI; a task that does not wait: E_OBJ") {
  OK(start_as(HELPER, sleep_and_note, 'x', HIGH));
  dly_tsk(1);
  OK(rel_wai(HELPER));
  dly_tsk(1);
  IS(E_RLWAI, found[0]);
  IS(E_OBJ, rel_wai(HELPER));
  IS(E_OBJ, rel_wai(DRIVER));
  OK(finish(HELPER));
}

TEST(sus_tsk, computes, "a task that computes stops until rsm_tsk") {
  stops = 0;
  OK(start(count, LOW));
  dly_tsk(2);
  OK(sus_tsk(HELPER));
  IS(E_QOVR, sus_tsk(HELPER));
  uint32_t before = counted;
  dly_tsk(2);
  IS(before, counted);
  OK(rsm_tsk(HELPER));
  IS(E_OBJ, rsm_tsk(HELPER));
  dly_tsk(2);
  TRUE(before != counted);
  stops = 1;
  OK(finish(HELPER));
}

TEST(sus_tsk, waits, "one that waits is woken, and goes on after rsm_tsk (WAITING-SUSPENDED)") {
  T_RTSK task;
  begin();
  OK(start_as(HELPER, sleep_and_note, 'x', HIGH));
  dly_tsk(1);
  OK(ref_tsk(HELPER, &task));
  IS(TTS_WAI, task.tskstat);
  OK(sus_tsk(HELPER));
  OK(ref_tsk(HELPER, &task));
  IS(TTS_WAS, task.tskstat);
  OK(wup_tsk(HELPER));
  dly_tsk(1);
  TRUE(ordered(""));
  OK(rsm_tsk(HELPER));
  dly_tsk(1);
  TRUE(ordered("x"));
  OK(finish(HELPER));
}

/* --- semaphores ------------------------------------------------------------------------------------- */

static ID semaphore;
static void wait_and_note(VP_INT who) {
  ER status = wai_sem(semaphore);
  found[who - '0'] = status;
  note((char)who);
}

TEST(wai_sem, counts, "as often as its count says; then E_TMOUT") {
  semaphore = acre_sem(&(T_CSEM){TA_TFIFO, 2, 2});
  OK(wai_sem(semaphore));
  OK(pol_sem(semaphore));
  IS(E_TMOUT, pol_sem(semaphore));
  IS(E_TMOUT, twai_sem(semaphore, 2));
  IS(E_PAR, twai_sem(semaphore, -3));
  OK(sig_sem(semaphore));
  OK(sig_sem(semaphore));
  IS(E_QOVR, sig_sem(semaphore));
  OK(del_sem(semaphore));
}

static ER three_wait(ATR attr) {
  begin();
  semaphore = acre_sem(&(T_CSEM){attr, 0, 3});
  static const PRI priorities[] = {HIGH + 1, HIGH, HIGH + 2};
  for (int i = 0; i < 3; i++) {
    ER status = start_as(HELPER + i, wait_and_note, '1' + i, priorities[i]);
    if (status) return status;
    dly_tsk(1);
  }
  return E_OK;
}
static ER three_go(void) {
  for (int i = 0; i < 3; i++) {
    ER status = sig_sem(semaphore);
    if (status) return status;
    dly_tsk(1);
  }
  for (int i = 0; i < 3; i++)
    if (finish(HELPER + i)) return E_OBJ;
  return del_sem(semaphore);
}

TEST(sig_sem, by_arrival, "with TA_TFIFO the task that came first goes on") {
  T_RSEM state;
  OK(three_wait(TA_TFIFO));
  OK(ref_sem(semaphore, &state));
  IS(HELPER, state.wtskid);
  OK(three_go());
  TRUE(ordered("123"));
}

TEST(sig_sem, by_priority, "with TA_TPRI the most urgent one") {
  OK(three_wait(TA_TPRI));
  OK(three_go());
  TRUE(ordered("213"));
}

TEST(chg_pri, waiting, "a task's place in a queue by priority changes with it; by arrival it does not") {
  OK(three_wait(TA_TPRI));
  OK(chg_pri(HELPER3, 1));
  OK(three_go());
  TRUE(ordered("321"));
  OK(three_wait(TA_TFIFO));
  OK(chg_pri(HELPER3, 1));
  OK(three_go());
  TRUE(ordered("123"));
}

TEST(del_sem, wakes, "who waits gets E_DLT") {
  semaphore = acre_sem(&(T_CSEM){TA_TFIFO, 0, 1});
  OK(start_as(HELPER, wait_and_note, '5', HIGH));
  dly_tsk(1);
  OK(del_sem(semaphore));
  dly_tsk(1);
  IS(E_DLT, found[5]);
  IS(E_NOEXS, sig_sem(semaphore));
  OK(finish(HELPER));
}

TEST(cre_sem, errors, "E_ID, E_OBJ, E_PAR, E_RSATR") {
  IS(E_ID, cre_sem(0, &(T_CSEM){TA_TFIFO, 0, 1}));
  IS(E_OBJ, cre_sem(STATIC_SEM, &(T_CSEM){TA_TFIFO, 0, 1}));
  IS(E_PAR, cre_sem(9, &(T_CSEM){TA_TFIFO, 0, 0}));
  IS(E_PAR, cre_sem(9, &(T_CSEM){TA_TFIFO, 2, 1}));
  IS(E_RSATR, cre_sem(9, &(T_CSEM){0x40, 1, 1}));
  IS(E_ID, wai_sem(0));
  IS(E_NOEXS, wai_sem(9));
}

/* --- event flags ------------------------------------------------------------------------------------ */

static ID flags;
static void wait_flags(VP_INT wanted) {
  FLGPTN got = 0;
  found[0] = wai_flg(flags, (FLGPTN)wanted, TWF_ANDW, &got);
  found[1] = (long)got;
}

TEST(set_flg, pattern, "sets bits, clr_flg clears those that are 0, ref_flg reads them") {
  T_RFLG state;
  flags = acre_flg(&(T_CFLG){TA_TFIFO, 1});
  OK(set_flg(flags, 6));
  OK(clr_flg(flags, ~2u));
  OK(ref_flg(flags, &state));
  IS(5, state.flgptn);
  IS(TSK_NONE, state.wtskid);
  OK(del_flg(flags));
}

TEST(wai_flg, modes, "TWF_ORW: any, TWF_ANDW: all; the pattern stays without TA_CLR") {
  FLGPTN got = 0;
  flags = acre_flg(&(T_CFLG){TA_TFIFO, 6});
  OK(wai_flg(flags, 3, TWF_ORW, &got));
  IS(6, got);
  IS(E_TMOUT, pol_flg(flags, 3, TWF_ANDW, &got));
  IS(E_TMOUT, twai_flg(flags, 1, TWF_ORW, &got, 2));
  OK(pol_flg(flags, 6, TWF_ANDW, &got));
  IS(E_PAR, pol_flg(flags, 0, TWF_ORW, &got));
  IS(E_PAR, pol_flg(flags, 1, 8, &got));
  OK(del_flg(flags));
}

TEST(wai_flg, clears, "all bits with TA_CLR") {
  FLGPTN got = 0;
  flags = acre_flg(&(T_CFLG){TA_TFIFO | TA_CLR, 6});
  OK(wai_flg(flags, 2, TWF_ORW, &got));
  IS(6, got);
  IS(E_TMOUT, pol_flg(flags, 4, TWF_ORW, &got));
  OK(del_flg(flags));
}

TEST(wai_flg, waits, "until they suffice; a second task with TA_WSGL: E_ILUSE") {
  FLGPTN got;
  flags = acre_flg(&(T_CFLG){TA_TFIFO | TA_WSGL, 0});
  OK(start_as(HELPER, wait_flags, 5, HIGH));
  dly_tsk(1);
  IS(E_ILUSE, wai_flg(flags, 1, TWF_ORW, &got));
  OK(set_flg(flags, 1));
  dly_tsk(1);
  OK(set_flg(flags, 12));
  OK(finish(HELPER));
  OK(found[0]);
  IS(13, found[1]);
  OK(del_flg(flags));
}

/* --- data queues ------------------------------------------------------------------------------------ */

static ID queue;
static void receive_one(VP_INT exinf) {
  VP_INT data = 0;
  (void)exinf;
  found[0] = rcv_dtq(queue, &data);
  found[1] = data;
}
static void send_one(VP_INT data) { found[2] = snd_dtq(queue, data); }

TEST(snd_dtq, order, "words come out as they went in; E_TMOUT when it is full or empty") {
  VP_INT data;
  queue = acre_dtq(&(T_CDTQ){TA_TFIFO, 3, NULL});
  for (int round = 0; round < 3; round++) {
    OK(snd_dtq(queue, 1));
    OK(psnd_dtq(queue, 2));
    OK(tsnd_dtq(queue, 3, 1));
    IS(E_TMOUT, psnd_dtq(queue, 4));
    IS(E_TMOUT, tsnd_dtq(queue, 4, 1));
    for (int i = 1; i < 4; i++) {
      OK(rcv_dtq(queue, &data));
      IS(i, data);
    }
    IS(E_TMOUT, prcv_dtq(queue, &data));
    IS(E_TMOUT, trcv_dtq(queue, &data, 1));
  }
  OK(del_dtq(queue));
}

TEST(fsnd_dtq, overwrites, "the oldest word goes when it is full; E_ILUSE without room for any") {
  VP_INT data, room[2];
  queue = acre_dtq(&(T_CDTQ){TA_TFIFO, 2, room});
  for (int i = 1; i < 4; i++) OK(fsnd_dtq(queue, i));
  OK(rcv_dtq(queue, &data));
  IS(2, data);
  OK(rcv_dtq(queue, &data));
  IS(3, data);
  OK(del_dtq(queue));
  queue = acre_dtq(&(T_CDTQ){TA_TFIFO, 0, NULL});
  IS(E_ILUSE, fsnd_dtq(queue, 1));
  OK(del_dtq(queue));
}

TEST(rcv_dtq, waits, "for a word; and a sender for room, also if there is never any") {
  VP_INT data;
  for (UINT count = 0; count < 2; count++) {
    queue = acre_dtq(&(T_CDTQ){TA_TFIFO, count, NULL});
    OK(start(receive_one, HIGH));
    dly_tsk(1);
    OK(psnd_dtq(queue, 7));
    OK(finish(HELPER));
    OK(found[0]);
    IS(7, found[1]);
    if (count) OK(psnd_dtq(queue, 8));
    OK(start_as(HELPER, send_one, 9, HIGH));
    dly_tsk(1);
    if (count) {
      OK(rcv_dtq(queue, &data));
      IS(8, data);
    }
    OK(prcv_dtq(queue, &data));
    IS(9, data);
    OK(finish(HELPER));
    OK(found[2]);
    OK(del_dtq(queue));
  }
}

TEST(cre_dtq, refused, "E_RSATR, E_PAR, E_NOMEM, as often as asked: nothing is kept") {
  for (int i = 0; i < 200; i++) IS(E_RSATR, acre_dtq(&(T_CDTQ){1u << 31, 4000, NULL}));
  IS(E_PAR, acre_dtq(NULL));
  queue = acre_dtq(&(T_CDTQ){TA_TFIFO, 4000, NULL});
  TRUE(queue > 0);
  OK(del_dtq(queue));
}

TEST(del_dtq, wakes, "who waits gets E_DLT") {
  queue = acre_dtq(&(T_CDTQ){TA_TFIFO, 0, NULL});
  OK(start(receive_one, HIGH));
  dly_tsk(1);
  OK(del_dtq(queue));
  OK(finish(HELPER));
  IS(E_DLT, found[0]);
}

/* --- mailboxes -------------------------------------------------------------------------------------- */

static ID box;
static void receive_message(VP_INT exinf) {
  T_MSG *message = NULL;
  (void)exinf;
  found[0] = rcv_mbx(box, &message);
  found[1] = (long)message;
}

TEST(snd_mbx, by_arrival, "messages come out as they went in") {
  T_MSG messages[3], *message;
  box = acre_mbx(&(T_CMBX){TA_TFIFO | TA_MFIFO, 0, NULL});
  for (int i = 0; i < 3; i++) OK(snd_mbx(box, &messages[i]));
  for (int i = 0; i < 3; i++) {
    OK(rcv_mbx(box, &message));
    TRUE(message == &messages[i]);
  }
  IS(E_TMOUT, prcv_mbx(box, &message));
  IS(E_TMOUT, trcv_mbx(box, &message, 2));
  IS(E_PAR, snd_mbx(box, NULL));
  OK(del_mbx(box));
}

TEST(snd_mbx, by_priority, "with TA_MPRI the most urgent first, then by arrival") {
  T_MSG_PRI messages[4] = {{.msgpri = 3}, {.msgpri = 1}, {.msgpri = 3}, {.msgpri = 2}}, bad = {.msgpri = 5};
  T_MSG *message;
  box = acre_mbx(&(T_CMBX){TA_TFIFO | TA_MPRI, 4, NULL});
  for (int i = 0; i < 4; i++) OK(snd_mbx(box, &messages[i].msgque));
  static const int wanted[] = {1, 3, 0, 2};
  for (int i = 0; i < 4; i++) {
    OK(rcv_mbx(box, &message));
    TRUE(message == &messages[wanted[i]].msgque);
  }
  IS(E_PAR, snd_mbx(box, &bad.msgque));
  OK(del_mbx(box));
}

TEST(rcv_mbx, waits, "for a message") {
  T_MSG message;
  box = acre_mbx(&(T_CMBX){TA_TPRI, 0, NULL});
  OK(start(receive_message, HIGH));
  dly_tsk(1);
  OK(snd_mbx(box, &message));
  OK(finish(HELPER));
  OK(found[0]);
  IS((intptr_t)&message, found[1]);
  OK(del_mbx(box));
}

/* --- time ------------------------------------------------------------------------------------------- */

TEST(dly_tsk, never_early, "at least that many milliseconds, E_OK; E_RLWAI if released") {
  SYSTIM before, after;
  OK(get_tim(&before));
  OK(dly_tsk(5));
  OK(get_tim(&after));
  TRUE(after - before >= 5 && after - before <= 6);
  OK(dly_tsk(0));
}

TEST(set_tim, sets, "what get_tim answers; waits are not changed by it") {
  SYSTIM time = 1000;
  OK(set_tim(&time));
  OK(get_tim(&time));
  TRUE(time >= 1000 && time <= 1001);
}

TEST(sta_cyc, cycles, "called in its cycle from sta_cyc to stp_cyc") {
  IS(0, cycles);
  OK(sta_cyc(STATIC_CYC));
  dly_tsk(9);
  OK(stp_cyc(STATIC_CYC));
  IS(8, cycles);
  dly_tsk(4);
  IS(8, cycles);
}

static volatile unsigned phased;
static void phase(VP_INT exinf) { phased += (unsigned)exinf; }
TEST(cre_cyc, starts, "with TA_STA after its phase; with TA_PHS the phase is kept") {
  phased = 0;
  ID cyclic = acre_cyc(&(T_CCYC){TA_STA | TA_PHS, 1, phase, 4, 2});
  dly_tsk(3);
  IS(1, phased);
  OK(stp_cyc(cyclic));
  dly_tsk(4);
  IS(1, phased);
  OK(sta_cyc(cyclic));
  dly_tsk(4);
  IS(2, phased);
  OK(del_cyc(cyclic));
  dly_tsk(5);
  IS(2, phased);
  IS(E_PAR, acre_cyc(&(T_CCYC){TA_STA, 1, phase, 0, 0}));
  IS(E_NOEXS, sta_cyc(cyclic));
}

static void ask_alarm(VP_INT exinf) {
  found[0] = exinf;
  found[1] = sns_ctx();
  found[2] = isig_sem(STATIC_SEM);
  found[3] = sig_sem(STATIC_SEM);
}
TEST(sta_alm, once, "called once, as a handler") {
  forget();
  ID alarm = acre_alm(&(T_CALM){TA_HLNG, 6, ask_alarm});
  OK(sta_alm(alarm, 3));
  dly_tsk(2);
  IS(0, found[0]);
  dly_tsk(4);
  IS(6, found[0]);
  IS(1, found[1]);
  OK(found[2]);
  IS(E_CTX, found[3]);
  OK(sta_alm(alarm, 2));
  OK(stp_alm(alarm));
  OK(wai_sem(STATIC_SEM));
  OK(del_alm(alarm));
}

/* --- states of the system --------------------------------------------------------------------------- */

TEST(loc_cpu, locked, "nobody else runs, and no call but a few is allowed: E_CTX") {
  begin();
  OK(start_as(HELPER, sleep_and_note, 'x', HIGH));
  dly_tsk(1);
  OK(loc_cpu());
  OK(loc_cpu());
  int is_locked = sns_loc(), is_pending = sns_dpn();
  ER status = wup_tsk(HELPER), sleeps = slp_tsk();
  OK(unl_cpu());
  IS(1, is_locked);
  IS(1, is_pending);
  IS(E_CTX, status);
  IS(E_CTX, sleeps);
  IS(0, sns_loc());
  OK(wup_tsk(HELPER));
  OK(finish(HELPER));
}

TEST(dis_dsp, disabled, "a more urgent task waits for ena_dsp; the caller cannot wait") {
  begin();
  OK(start_as(HELPER, sleep_and_note, 'b', HIGH));
  dly_tsk(1);
  OK(dis_dsp());
  IS(1, sns_dsp());
  ER waits = dly_tsk(1);
  OK(wup_tsk(HELPER));
  note('a');
  OK(ena_dsp());
  dly_tsk(1);
  IS(E_CTX, waits);
  IS(0, sns_dsp());
  TRUE(ordered("ab"));
  OK(finish(HELPER));
}

static void handle_while_locked(void) { note('h'); }
TEST(dis_dsp, handlers, "handlers run all the same; with the CPU locked they do not") {
  begin();
  ask = handle_while_locked;
  OK(dis_dsp());
  interrupt_raise_np(LINE);
  for (int i = 0; i < 2000 && !noted; i++) sns_dsp();
  unsigned then = noted;
  OK(loc_cpu());
  interrupt_raise_np(LINE);
  for (int i = 0; i < 200; i++) sns_dsp();
  OK(unl_cpu());
  OK(ena_dsp());
  dly_tsk(1);
  IS(1, then);
  IS(2, noted);
}

static void ask_states(void) {
  FLGPTN got;
  ID id = 9;
  found[0] = sns_ctx();
  found[1] = act_tsk(EARLY);
  found[2] = slp_tsk();
  found[3] = wai_sem(STATIC_SEM);
  found[4] = dly_tsk(1);
  found[5] = pol_flg(1, 1, 0, &got);
  found[6] = iact_tsk(EARLY);
  found[7] = iwup_tsk(DRIVER);
  found[8] = irel_wai(EARLY);
  found[9] = iget_tid(&id);
  found[10] = dis_dsp();
  found[11] = isig_sem(STATIC_SEM);
}
TEST(E_CTX, handlers, "in a handler what is for tasks; what begins with i is not for tasks") {
  early = 0;
  in_handler(ask_states);
  IS(1, found[0]);
  for (int i = 1; i < 6; i++) IS(E_CTX, found[i]);
  OK(found[6]);
  OK(found[7]);
  IS(E_OBJ, found[8]);
  OK(found[9]);
  IS(E_CTX, found[10]);
  OK(found[11]);
  IS(5, early);
  IS(1, can_wup(TSK_SELF));
  OK(wai_sem(STATIC_SEM));
  IS(E_CTX, isig_sem(STATIC_SEM));
  IS(E_CTX, iact_tsk(EARLY));
  IS(0, sns_ctx());
}

static void use_in_handler(void) {
  found[0] = iloc_cpu();
  found[1] = sns_loc();
  found[2] = iunl_cpu();
  found[3] = iset_flg(flags, 4);
  found[4] = ipsnd_dtq(queue, 3);
  found[5] = ipsnd_dtq(queue, 3);
  found[6] = ifsnd_dtq(queue, 5);
}
TEST(iset_flg, handlers, "flags, data queues and the lock of the CPU in a handler") {
  FLGPTN got;
  VP_INT data;
  flags = acre_flg(&(T_CFLG){TA_TFIFO, 0});
  queue = acre_dtq(&(T_CDTQ){TA_TFIFO, 1, NULL});
  in_handler(use_in_handler);
  OK(found[0]);
  IS(1, found[1]);
  OK(found[2]);
  OK(found[3]);
  OK(found[4]);
  IS(E_TMOUT, found[5]);
  OK(found[6]);
  OK(pol_flg(flags, 4, TWF_ANDW, &got));
  OK(prcv_dtq(queue, &data));
  IS(5, data);
  OK(del_flg(flags));
  OK(del_dtq(queue));
}

TEST(def_inh, errors, "E_PAR for no such interrupt; dis_int keeps one interrupt for ena_int") {
  IS(E_PAR, def_inh(100, NULL));
  IS(E_PAR, dis_int(100));
  begin();
  ask = handle_while_locked;
  OK(dis_int(LINE));
  interrupt_raise_np(LINE);
  dly_tsk(1);
  IS(0, noted);
  OK(ena_int(LINE));
  dly_tsk(1);
  IS(1, noted);
}

static volatile int has_run;
static void runs(VP_INT exinf) {
  (void)exinf;
  has_run = 1;
}

/* As many tasks as the kernel has threads for; *error is that of the one that is refused. */
static int fill(ID *made, ER *error) {
  int number = 0;
  while ((*error = acre_tsk(&(T_CTSK){TA_ACT, 0, runs, LOW, 0, NULL})) > 0) made[number++] = *error;
  return number;
}

TEST(act_tsk, no_thread, "E_NOMEM for want of threads changes neither the task nor what the kernel has") {
  ID made[64], id = 1;
  ER error;
  T_RTSK task;
  const int number = fill(made, &error);
  IS(E_NOMEM, error);
  for (int i = 0; i < number; i++) OK(finish(made[i]));
  const int semaphores = semaphores_left(); /* each thread has what stays for the next of its number */
  IS(number, fill(made, &error));
  IS(E_NOMEM, acre_tsk(&(T_CTSK){TA_ACT, 0, runs, LOW, 0, NULL}));
  while (ref_tsk(id, &task) == E_OK) id++;
  IS(E_NOMEM, cre_tsk(id, &(T_CTSK){TA_ACT, 0, runs, LOW, 0, NULL}));
  IS(E_NOEXS, ref_tsk(id, &task));
  IS(E_NOMEM, def_inh(LINE + 1, &(T_DINH){TA_HLNG, handler}));
  IS(semaphores, semaphores_left());
  OK(cre_tsk(id, &(T_CTSK){TA_HLNG, 0, runs, LOW, 0, NULL}));
  IS(E_NOMEM, mact_tsk(id, 1));
  OK(ref_tsk(id, &task));
  IS(TTS_DMT, task.tskstat);
  for (int i = 0; i < number; i++) OK(finish(made[i]));
  has_run = 0;
  OK(act_tsk(id)); /* on any processor, so at once on another one */
  for (int i = 0; i < 10000 && !has_run; i++) continue;
  IS(cl_cpu_count() > 1, has_run);
  OK(finish(id));
  IS(number, fill(made, &error));
  IS(E_NOMEM, error);
  for (int i = 0; i < number; i++) OK(finish(made[i]));
}

/* --- several processors ----------------------------------------------------------------------------- */

static void add(VP_INT exinf) {
  (void)exinf;
  for (int i = 0; i < 50; i++) {
    wai_sem(semaphore);
    counted++;
    sig_sem(semaphore);
  }
}
TEST(wai_sem, excludes, "tasks on all processors exclude each other") {
  counted = 0;
  semaphore = acre_sem(&(T_CSEM){TA_TFIFO, 1, 1});
  for (ID id = HELPER; id <= HELPER3; id++) {
    OK(cre_tsk(id, &(T_CTSK){TA_ACT, 0, add, LOW, 2048, NULL}));
  }
  for (ID id = HELPER; id <= HELPER3; id++) OK(finish(id));
  IS(150, counted);
  OK(del_sem(semaphore));
}

TEST(mig_tsk, moves, "the caller moves to a processor") {
  ID processor, last = (ID)cl_cpu_count();
  OK(mig_tsk(TSK_SELF, last));
  OK(get_pid(&processor));
  IS(last, processor);
  IS(E_ID, mig_tsk(TSK_SELF, last + 1));
  OK(mig_tsk(TSK_SELF, 1));
}
