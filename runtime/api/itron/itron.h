/* SPDX-License-Identifier: Apache-2.0
 *
 * uITRON 4.0, the part that README.md names, over Coreloom's runtime: names, meanings and codes of the specification.
 *
 * A program makes its objects by static API, the macros at the end, or by cre_..., and has tasks that start by
 * themselves (TA_ACT). Without a main of its own the kernel starts at once; with one it does in sta_ker. */
#ifndef CORELOOM_ITRON_H
#define CORELOOM_ITRON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- types ---------------------------------------------------------------------------------------- */

typedef int8_t B;
typedef int16_t H;
typedef int32_t W;
typedef uint8_t UB;
typedef uint16_t UH;
typedef uint32_t UW;
typedef void *VP;
typedef void (*FP)(void);
typedef int INT;
typedef unsigned UINT;
typedef int BOOL;
typedef int32_t FN, ER, ID, PRI, TMO;
typedef uint32_t ATR, STAT, MODE, SIZE, RELTIM, SYSTIM;
typedef intptr_t VP_INT;
typedef ER ER_BOOL, ER_ID, ER_UINT;
typedef UINT FLGPTN, INHNO, INTNO;

#define TRUE 1
#define FALSE 0

enum {
  E_OK = 0,
  E_SYS = -5,
  E_NOSPT = -9,
  E_RSFN = -10,
  E_RSATR = -11,
  E_PAR = -17,
  E_ID = -18,
  E_CTX = -25,
  E_MACV = -26,
  E_OACV = -27,
  E_ILUSE = -28,
  E_NOMEM = -33,
  E_NOID = -34,
  E_OBJ = -41,
  E_NOEXS = -42,
  E_QOVR = -43,
  E_RLWAI = -49,
  E_TMOUT = -50,
  E_DLT = -51,
  E_CLS = -52
};

#define TA_HLNG 0u
#define TA_ASM 1u
#define TA_ACT 2u /* tasks */
#define TA_TFIFO 0u
#define TA_TPRI 1u /* tasks wait by priority */
#define TA_MFIFO 0u
#define TA_MPRI 2u /* messages by priority */
#define TA_WSGL 0u
#define TA_WMUL 2u /* several tasks may wait for the flags */
#define TA_CLR 4u
#define TA_STA 2u /* cyclic handlers */
#define TA_PHS 4u

#define TWF_ANDW 0u
#define TWF_ORW 1u

#define TMO_POL 0
#define TMO_FEVR (-1)
#define TMO_NBLK (-2)

#define TSK_SELF 0
#define TSK_NONE 0
#define TPRI_SELF 0
#define TPRI_INI 0
#define TPRC_INI 0 /* any processor; else 1 and above */

#define TMIN_TPRI 1 /* the most urgent */
#define TMAX_TPRI 16
#define TMIN_MPRI 1
#define TMAX_MPRI 16
#define TMAX_ACTCNT 255
#define TMAX_WUPCNT 255
#define TMAX_SUSCNT 1
#define TMAX_MAXSEM 65535
#define TBIT_FLGPTN 32
#define TIC_NUME 1 /* time is in milliseconds */
#define TIC_DENO 1

#define TTS_RUN 1u
#define TTS_RDY 2u
#define TTS_WAI 4u
#define TTS_SUS 8u
#define TTS_WAS 12u
#define TTS_DMT 16u

typedef void (*TASK)(VP_INT exinf);

typedef struct {
  ATR tskatr;
  VP_INT exinf;
  TASK task;
  PRI itskpri;
  SIZE stksz;
  VP stk;
} T_CTSK;

typedef struct {
  STAT tskstat;
  PRI tskpri;
  PRI tskbpri;
  UINT actcnt;
  UINT wupcnt;
  UINT suscnt;
} T_RTSK;

typedef struct {
  ATR sematr;
  UINT isemcnt;
  UINT maxsem;
} T_CSEM;

typedef struct {
  ID wtskid;
  UINT semcnt;
} T_RSEM;

typedef struct {
  ATR flgatr;
  FLGPTN iflgptn;
} T_CFLG;

typedef struct {
  ID wtskid;
  FLGPTN flgptn;
} T_RFLG;

typedef struct {
  ATR dtqatr;
  UINT dtqcnt;
  VP dtq;
} T_CDTQ;

typedef struct {
  ID stskid;
  ID rtskid;
  UINT sdtqcnt;
} T_RDTQ;

typedef struct t_msg {
  struct t_msg *next; /* the kernel's, while the message is in a mailbox */
} T_MSG;

typedef struct {
  T_MSG msgque;
  PRI msgpri;
} T_MSG_PRI;

typedef struct {
  ATR mbxatr;
  PRI maxmpri;
  VP mprihd;
} T_CMBX;

typedef struct {
  ID wtskid;
  T_MSG *pk_msg;
} T_RMBX;

typedef struct {
  ATR cycatr;
  VP_INT exinf;
  void (*cychdr)(VP_INT exinf);
  RELTIM cyctim;
  RELTIM cycphs;
} T_CCYC;

typedef struct {
  ATR almatr;
  VP_INT exinf;
  void (*almhdr)(VP_INT exinf);
} T_CALM;

typedef struct {
  ATR inhatr;
  void (*inthdr)(void);
} T_DINH;

/* --- service calls; those that begin with i are for handlers ---------------------------------------- */

ER cre_tsk(ID tskid, const T_CTSK *pk_ctsk);
ER_ID acre_tsk(const T_CTSK *pk_ctsk);
ER del_tsk(ID tskid);
ER act_tsk(ID tskid);
ER iact_tsk(ID tskid);
ER_UINT can_act(ID tskid);
__attribute__((noreturn)) void ext_tsk(void);
__attribute__((noreturn)) void exd_tsk(void);
ER ter_tsk(ID tskid);
ER chg_pri(ID tskid, PRI tskpri);
ER get_pri(ID tskid, PRI *p_tskpri);
ER ref_tsk(ID tskid, T_RTSK *pk_rtsk);

ER slp_tsk(void);
ER tslp_tsk(TMO tmout);
ER wup_tsk(ID tskid);
ER iwup_tsk(ID tskid);
ER_UINT can_wup(ID tskid);
ER rel_wai(ID tskid);
ER irel_wai(ID tskid);
ER sus_tsk(ID tskid);
ER rsm_tsk(ID tskid);
ER frsm_tsk(ID tskid);
ER dly_tsk(RELTIM dlytim);

ER cre_sem(ID semid, const T_CSEM *pk_csem);
ER_ID acre_sem(const T_CSEM *pk_csem);
ER del_sem(ID semid);
ER sig_sem(ID semid);
ER isig_sem(ID semid);
ER wai_sem(ID semid);
ER pol_sem(ID semid);
ER twai_sem(ID semid, TMO tmout);
ER ref_sem(ID semid, T_RSEM *pk_rsem);

ER cre_flg(ID flgid, const T_CFLG *pk_cflg);
ER_ID acre_flg(const T_CFLG *pk_cflg);
ER del_flg(ID flgid);
ER set_flg(ID flgid, FLGPTN setptn);
ER iset_flg(ID flgid, FLGPTN setptn);
ER clr_flg(ID flgid, FLGPTN clrptn); /* those that are 0 in it */
ER wai_flg(ID flgid, FLGPTN waiptn, MODE wfmode, FLGPTN *p_flgptn);
ER pol_flg(ID flgid, FLGPTN waiptn, MODE wfmode, FLGPTN *p_flgptn);
ER twai_flg(ID flgid, FLGPTN waiptn, MODE wfmode, FLGPTN *p_flgptn, TMO tmout);
ER ref_flg(ID flgid, T_RFLG *pk_rflg);

ER cre_dtq(ID dtqid, const T_CDTQ *pk_cdtq);
ER_ID acre_dtq(const T_CDTQ *pk_cdtq);
ER del_dtq(ID dtqid);
ER snd_dtq(ID dtqid, VP_INT data);
ER psnd_dtq(ID dtqid, VP_INT data);
ER ipsnd_dtq(ID dtqid, VP_INT data);
ER tsnd_dtq(ID dtqid, VP_INT data, TMO tmout);
ER fsnd_dtq(ID dtqid, VP_INT data);
ER ifsnd_dtq(ID dtqid, VP_INT data);
ER rcv_dtq(ID dtqid, VP_INT *p_data);
ER prcv_dtq(ID dtqid, VP_INT *p_data);
ER trcv_dtq(ID dtqid, VP_INT *p_data, TMO tmout);
ER ref_dtq(ID dtqid, T_RDTQ *pk_rdtq);

ER cre_mbx(ID mbxid, const T_CMBX *pk_cmbx);
ER_ID acre_mbx(const T_CMBX *pk_cmbx);
ER del_mbx(ID mbxid);
ER snd_mbx(ID mbxid, T_MSG *pk_msg);
ER rcv_mbx(ID mbxid, T_MSG **ppk_msg);
ER prcv_mbx(ID mbxid, T_MSG **ppk_msg);
ER trcv_mbx(ID mbxid, T_MSG **ppk_msg, TMO tmout);
ER ref_mbx(ID mbxid, T_RMBX *pk_rmbx);

ER set_tim(const SYSTIM *p_systim);
ER get_tim(SYSTIM *p_systim);
ER cre_cyc(ID cycid, const T_CCYC *pk_ccyc);
ER_ID acre_cyc(const T_CCYC *pk_ccyc);
ER del_cyc(ID cycid);
ER sta_cyc(ID cycid);
ER stp_cyc(ID cycid);
ER cre_alm(ID almid, const T_CALM *pk_calm);
ER_ID acre_alm(const T_CALM *pk_calm);
ER del_alm(ID almid);
ER sta_alm(ID almid, RELTIM almtim);
ER stp_alm(ID almid);

ER rot_rdq(PRI tskpri); /* E_NOSPT: another priority than the caller's */
ER get_tid(ID *p_tskid);
ER iget_tid(ID *p_tskid);
ER loc_cpu(void);
ER iloc_cpu(void);
ER unl_cpu(void);
ER iunl_cpu(void);
ER dis_dsp(void);
ER ena_dsp(void);
BOOL sns_ctx(void);
BOOL sns_loc(void);
BOOL sns_dsp(void);
BOOL sns_dpn(void);

ER def_inh(INHNO inhno, const T_DINH *pk_dinh); /* a line of Coreloom's; NULL: no handler any more */
ER dis_int(INTNO intno);
ER ena_int(INTNO intno);

/* TOPPERS has them, the first three for several processors (FMP); a task runs on any until it is said which. */
ER mact_tsk(ID tskid, ID prcid); /* from then on it runs there */
ER mig_tsk(ID tskid, ID prcid);  /* the caller, or a task that is DORMANT; E_NOSPT: another */
ER get_pid(ID *p_prcid);
__attribute__((noreturn)) void sta_ker(void);
__attribute__((noreturn)) void ext_ker(void);

/* --- static API, as in a configuration file: CRE_SEM(ID, {attributes, count, most}); ----------------- */

void itron_static(const char *text, ER status); /* ends the program if it was not E_OK */

#define ITRON_NAME_(line) itron_static_##line
#define ITRON_NAME(line) ITRON_NAME_(line)
#define ITRON_STATIC(call, id, type, ...)                                  \
  __attribute__((constructor)) static void ITRON_NAME(__COUNTER__)(void) { \
    static const type how = __VA_ARGS__;                                   \
    itron_static(#call "(" #id ")", call(id, &how));                       \
  }                                                                        \
  struct itron_semicolon

#define CRE_TSK(id, ...) ITRON_STATIC(cre_tsk, id, T_CTSK, __VA_ARGS__)
#define CRE_SEM(id, ...) ITRON_STATIC(cre_sem, id, T_CSEM, __VA_ARGS__)
#define CRE_FLG(id, ...) ITRON_STATIC(cre_flg, id, T_CFLG, __VA_ARGS__)
#define CRE_DTQ(id, ...) ITRON_STATIC(cre_dtq, id, T_CDTQ, __VA_ARGS__)
#define CRE_MBX(id, ...) ITRON_STATIC(cre_mbx, id, T_CMBX, __VA_ARGS__)
#define CRE_CYC(id, ...) ITRON_STATIC(cre_cyc, id, T_CCYC, __VA_ARGS__)
#define CRE_ALM(id, ...) ITRON_STATIC(cre_alm, id, T_CALM, __VA_ARGS__)
#define DEF_INH(id, ...) ITRON_STATIC(def_inh, id, T_DINH, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
