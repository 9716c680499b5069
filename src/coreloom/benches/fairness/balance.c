/* SPDX-License-Identifier: Apache-2.0
 *
 * What cfs' balance rule finds when [DWRR]'s counter-example runs: places the threads as cfs does, lets both CPUs
 * pick, and asks the rule. Arguments: the weights. Called by fairness.py. */
#include <stdio.h>
#include <stdlib.h>

#include "cfs.c"

enum { CPUS = 2, THREADS = 16 };

void cl_resched(struct cl_machine *m, uint32_t cpu) {
  (void)m;
  (void)cpu;
}

int main(int argc, char **argv) {
  static struct cl_cpu cpus[CPUS];
  static struct cfs_cpu states[CPUS];
  static struct cl_queues shared;
  static struct cl_entity threads[THREADS];
  struct cl_machine m = {.cpus = CPUS, .open = CPUS, .policy = &cl_cfs, .cpu = cpus, .shared = &shared};
  m.tuning = (struct cl_tuning){.latency = 18000000, .granularity = 2250000};
  for (uint32_t c = 0; c < CPUS; c++) cpus[c].state = &states[c];
  cl_cfs.init(&m);
  uint32_t lightest = UINT32_MAX;
  for (int i = 0; i < argc - 1 && i < THREADS; i++) {
    struct cl_entity *e = &threads[i];
    e->id = (uint32_t)i;
    e->weight = (uint32_t)strtoul(argv[i + 1], NULL, 10);
    e->home = CL_ANY_CPU;
    if (e->weight < lightest) lightest = e->weight;
    uint32_t cpu = cl_cfs.place(&m, e);
    cl_cfs.enqueue(&m, cpu, e, CL_NEW);
    if (!m.cpu[cpu].current) cl_cfs.pick(&m, cpu);
  }
  uint32_t light = m.cpu[0].load > m.cpu[1].load; /* it would get threads */
  uint32_t busiest;
  uint64_t amount = cl_fair_imbalance(&m, light, &busiest);
  printf("{\"loads\":[%u,%u],", (uint32_t)m.cpu[light].load, (uint32_t)m.cpu[busiest].load);
  printf("\"average\":%u,", (uint32_t)((m.cpu[0].load + m.cpu[1].load) / m.open));
  printf("\"imbalance\":%u,\"lightest\":%u,", (uint32_t)(amount / m.open), lightest);
  printf("\"moved\":%u}\n", cl_cfs.balance(&m, light));
  return 0;
}
