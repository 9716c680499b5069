/* SPDX-License-Identifier: Apache-2.0
 *
 * uITRON: a cyclic handler wakes a task. The objects stand in the static API, as in a configuration file. */
#include <itron.h>
#include <stdio.h>

enum { BLINK = 1 };
enum { EVERY_10_MS = 1 };

static void blink(VP_INT unused) {
  (void)unused;
  for (int i = 0; i < 4; i++) {
    slp_tsk();
    puts(i % 2 ? "off" : "on");
  }
  ext_ker();
}

static void wake(VP_INT task) { iwup_tsk((ID)task); }

CRE_TSK(BLINK, {TA_HLNG | TA_ACT, 0, blink, 5, 2048, NULL});
CRE_CYC(EVERY_10_MS, {TA_HLNG | TA_STA, BLINK, wake, 10, 10});
