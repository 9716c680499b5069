/* SPDX-License-Identifier: Apache-2.0
 *
 * irqbalance's answers (the file /answers of an input), what it was told, and the files of interrupts. */
#include <string.h>

#include "fuzz.h"
#include "hold.h"
#include "settle.h"

static const char *const words[] = {"SLEEP ",
                                    "BANNED ",
                                    "SLEEP -1 ",
                                    "IRQ 5 LOAD 0 ",
                                    "00000000,00000008",
                                    "@irqbalance1.sock",
                                    "\t",
                                    "\n",
                                    "\x1d",
                                    FUZZ_FILE "/answers" FUZZ_TEXT "SLEEP 10 BANNED 2",
                                    FUZZ_FILE "/run/coreloom-exclusive/irqbalance" FUZZ_TEXT,
                                    NULL};

static void clear(bool plan) {
  struct cl_request request = {.count = 1};
  struct cl_layer layer = {.fd = -1};
  struct cl_baseline base = {.fd = -1};
  struct cl_hold hold = {.request = &request, .id = 100, .cpus = cl_cpus_one(3), .signals = -1};
  hold.use = hold.cpus;
  if (cl_online(&hold.online)) return;
  hold.rest = cl_cpus_minus(&hold.online, &hold.cpus);
  hold.changes = (struct cl_changes){.plan = plan, .layer = &layer, .base = &base};
  int error = plan ? 0 : cl_baseline_take(&base);
  if (!error) error = cl_irqs_clear(&hold);
  fuzz_note_number((uint64_t)error), fuzz_note_number((uint64_t)hold.irqs_moved);
  fuzz_printed(true);
  cl_baseline_free(&base);
}

static void run(const char *data, size_t size) {
  size_t length;
  fuzz_tree(data, size);
  const char *answers = fuzz_file(data, size, "/answers", &length);
  fuzz_answers(answers, length);
  fuzz_note_number((uint64_t)cl_irqbalance_restore("@irqbalance1.sock", "0", "0,3"));
  fuzz_answers(answers, length);
  clear(true);
  fuzz_answers(answers, length);
  clear(false);
}

FUZZ_TARGET(irq, .run = run, .words = words, .most = 60000)
