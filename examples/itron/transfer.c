/* SPDX-License-Identifier: Apache-2.0
 *
 * uITRON on two processors: the semaphore protocol of the paper on inter-processor communication ([IPC], section 3 c).
 * Each processor has a task. A block goes from one to the other through memory that both have; a semaphore guards
 * it, and send_done says that it holds a block. Needs two CPUs. */
#include <coreloom.h>
#include <itron.h>
#include <stdio.h>

enum { SENDER = 1, RECEIVER };
enum { SEMAPHORE = 1 };
#define LONGEST 128

static uint32_t shared[LONGEST];
static volatile int send_done;
static const unsigned sizes[] = {8, 32, LONGEST};

static void send(VP_INT unused) {
  (void)unused;
  for (int i = 0; i < 3; i++) {
    wai_sem(SEMAPHORE);
    for (unsigned word = 0; word < sizes[i]; word++) shared[word] = 1000 * sizes[i] + word;
    send_done = 1;
    sig_sem(SEMAPHORE);
    while (send_done) dly_tsk(1);
  }
}

static void receive(VP_INT unused) {
  uint32_t own[LONGEST];
  (void)unused;
  for (int i = 0; i < 3; i++) {
    unsigned wrong = 0;
    for (;;) {
      wai_sem(SEMAPHORE);
      if (send_done) break;
      sig_sem(SEMAPHORE);
    }
    for (unsigned word = 0; word < sizes[i]; word++) own[word] = shared[word];
    send_done = 0;
    sig_sem(SEMAPHORE);
    for (unsigned word = 0; word < sizes[i]; word++) wrong += own[word] != 1000 * sizes[i] + word;
    printf("%u words: %s\n", sizes[i], wrong ? "wrong" : "right");
    cl_done(sizes[i]);
  }
  ext_ker();
}

CRE_TSK(SENDER, {TA_HLNG, 0, send, 8, 2048, NULL});
CRE_TSK(RECEIVER, {TA_HLNG, 0, receive, 8, 2048, NULL});
CRE_SEM(SEMAPHORE, {TA_TFIFO, 1, 1});

int main(void) {
  mact_tsk(SENDER, 1);
  mact_tsk(RECEIVER, 2);
  cl_ready();
  sta_ker();
}
