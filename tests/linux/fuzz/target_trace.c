/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace of the tasks that ran on a CPU, in which names of processes are whatever their users like. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "proof.h"

static const char *const words[] = {": sched_switch: prev_comm=",
                                    ": sched_process_fork: comm=",
                                    " prev_pid=",
                                    " prev_prio=120 prev_state=S",
                                    " ==> next_comm=",
                                    " next_pid=",
                                    " next_prio=120\n",
                                    " pid=",
                                    " child_comm=",
                                    " child_pid=",
                                    "overrun: ",
                                    "\n",
                                    " ",
                                    NULL};

static void run(const char *data, size_t size) {
  struct cl_request request = {.pid = 200, .trace = true};
  struct cl_layer layer = {.fd = -1};
  struct cl_hold hold = {.request = &request,
                         .id = 100,
                         .cpus = cl_cpus_one(3),
                         .program = {.pid = 200, .tid = 200},
                         .changes = {.layer = &layer}};
  struct cl_proof proof = {.strays = 0};
  struct cl_watch *watch;
  fuzz_tree(data, size);
  if (cl_strays_begin(&hold, &watch)) return;
  fuzz_note_number((uint64_t)cl_strays_end(watch, &hold, &proof));
  fuzz_note_number(proof.lost);
  for (size_t i = 0; i < proof.strays; i++) {
    const struct cl_stray *stray = &proof.stray[i];
    fuzz_check(stray->tid > 0 && stray->times > 0, "task %d, %llu times", stray->tid, stray->times);
    fuzz_check(memchr(stray->name, '\0', sizeof stray->name) != NULL, "a name without an end");
    fuzz_note_text(stray->name), fuzz_note_number(stray->times);
  }
  cl_proof_json(stdout, &hold, NULL, &proof);
  fuzz_check(fuzz_json(fuzz_printed(false)), "this is not JSON: %s", fuzz_printed(false));
  cl_proof_table(stderr, &hold, &proof);
  fuzz_printed(true);
  free(proof.stray);
}

FUZZ_TARGET(trace, .run = run, .words = words, .most = 60000)
