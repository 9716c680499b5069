/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters of CPUs and of a program, and rates as they are noted. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "proof.h"

static const char *const words[] = {"cpu0 ",
                                    "cpu1023 ",
                                    "cpu1024 ",
                                    "cpu",
                                    "CPU0",
                                    "CPU1023",
                                    "CPU1024",
                                    ":",
                                    "LOC:",
                                    "ERR:",
                                    "version 17\n",
                                    "arch_timer",
                                    "\nvoluntary_ctxt_switches:\t",
                                    ") S ",
                                    "\n",
                                    " ",
                                    NULL};
static const char *const rate_words[] = {"nan", "-nan", "inf", "0x1p3", "1e308", "1e-320", ".", " ", NULL};

static void note(const struct cl_counters *c) {
  fuzz_note_number(c->wait_ns), fuzz_note_number(c->idle_ns), fuzz_note_number(c->switches),
      fuzz_note_number(c->devices);
  fuzz_note_number(c->between), fuzz_note_number(c->ticks), fuzz_note_number(c->softirqs);
}

static void run(const char *data, size_t size) {
  static struct cl_counters counters[CL_CPUS_MOST];
  struct cl_program program;
  struct cl_cpus all = cl_cpus_none();
  fuzz_tree(data, size);
  int error = cl_counters_each(counters);
  fuzz_note_number((uint64_t)error);
  for (int cpu = 0; cpu < CL_CPUS_MOST; cpu++) {
    cl_cpus_add(&all, cpu);
    note(&counters[cpu]);
  }
  struct cl_counters sum = cl_counters_sum(counters, &all),
                     zero = {.at = sum.at - 1, .waits = true, .interrupts = true};
  struct cl_rates rates = cl_rates_of(&zero, &sum);
  cl_rates_json(stdout, &rates);
  if (cl_program_read(200, 0, &program) == 0)
    fuzz_note_number(program.voluntary), fuzz_note(&program.cpu_s, sizeof(double));
  if (cl_program_read(200, 200, &program) == 0) fuzz_note_number(program.involuntary);
}

static void run_rates(const char *data, size_t size) {
  struct cl_rates rates, again;
  char text[256], text_again[256];
  int error = cl_rates_parse(data, &rates);
  fuzz_note_number((uint64_t)error);
  if (error) return;
  fuzz_note(&rates, sizeof rates);
  cl_rates_format(&rates, text);
  fuzz_check(cl_rates_parse(text, &again) == 0, "'%s' becomes '%s', which cannot be read", data, text);
  fuzz_check(strcmp(cl_rates_format(&again, text_again), text) == 0, "'%s' is read back as '%s'", text, text_again);
  putchar('{');
  cl_rates_json(stdout, &rates);
  putchar('}');
  fuzz_check(fuzz_json(fuzz_printed(false)), "this is not JSON: %s", fuzz_printed(false));
}

FUZZ_TARGET(counters, .run = run, .words = words, .most = 60000)
FUZZ_TARGET(rates, .run = run_rates, .words = rate_words, .most = 512)
