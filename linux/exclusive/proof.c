/* SPDX-License-Identifier: Apache-2.0 */
#include "proof.h"

#include <math.h>

#include "plain.h"

static void put_line(FILE *out, const char *name, double before, double held) {
  fprintf(out, "%-34s", name);
  for (int i = 0; i < 2; i++) {
    double value = i ? held : before;
    if (isnan(value)) fprintf(out, "%12s", "-");
    else fprintf(out, "%12.1f", value);
  }
  fputc('\n', out);
}

static const char *s(unsigned long long count) { return count == 1 ? "" : "s"; }

static void put_strays(FILE *out, const struct cl_proof *proof) {
  if (proof->source == NULL) return;
  if (proof->strays == 0) fprintf(out, "strays: none (source: %s)\n", proof->source);
  else fprintf(out, "strays: %zu task%s (source: %s)\n", proof->strays, s(proof->strays), proof->source);
  for (size_t i = 0; i < proof->strays; i++) {
    const struct cl_stray *stray = &proof->stray[i];
    fputs("  ", out);
    cl_plain_put(out, stray->name);
    fprintf(out, " %d%s%s: %llu time%s\n", stray->tid, stray->kernel ? ", kernel" : "",
            stray->fixed ? ", cannot be moved" : "", stray->times, s(stray->times));
  }
  if (proof->lost) fprintf(out, "  %llu switches were lost: the trace buffer was full\n", proof->lost);
}

/* A tick is taken away at boot only: said where one remains. */
static void put_ticks(FILE *out, const struct cl_hold *hold, double ticks) {
  struct cl_cpus quiet;
  if (cl_read_cpus("/sys/devices/system/cpu/nohz_full", &quiet)) quiet = cl_cpus_none();
  struct cl_cpus left = cl_cpus_minus(&hold->cpus, &quiet);
  if (!(ticks >= 10) || cl_cpus_empty(&left)) return;
  fprintf(out, "the timer tick remains: only the boot parameter nohz_full=%s stops it\n", cl_cpus_text(&left));
}

void cl_proof_table(FILE *out, const struct cl_hold *hold, const struct cl_proof *proof) {
  struct cl_rates before = cl_rates_of(&proof->before[0], &proof->before[1]);
  struct cl_rates held = cl_rates_of(&proof->during[0], &proof->during[1]);
  const struct cl_program *program = &proof->program;
  fprintf(out, "CPU %-30s%12s%12s\n", cl_cpus_text(&hold->cpus), "before", "held");
  for (size_t i = 0; i < CL_COUNTED; i++) put_line(out, cl_counted[i].label, before.rate[i], held.rate[i]);
  put_line(out, "observed, s", before.seconds, held.seconds);
  fprintf(out, "program: wall %.3f s, CPU %.3f s", program->wall_s, program->cpu_s);
  if (program->cpu_s > 0) fprintf(out, " (wall/CPU %.3f)", program->wall_s / program->cpu_s);
  fprintf(out, ", %llu involuntary switch%s, %llu voluntary\n", program->involuntary,
          program->involuntary == 1 ? "" : "es", program->voluntary);
  fprintf(out, "cleared in %.1f ms\n", proof->cleared_s * 1e3);
  put_strays(out, proof);
  put_ticks(out, hold, held.ticks);
}

/* -- JSON --------------------------------------------------------------------------------------------------------- */

void cl_json_number(FILE *out, const char *comma, const char *key, double value) {
  if (isfinite(value)) fprintf(out, "%s\"%s\": %.3f", comma, key, value);
  else fprintf(out, "%s\"%s\": null", comma, key);
}

void cl_rates_json(FILE *out, const struct cl_rates *rates) {
  cl_json_number(out, "", "seconds", rates->seconds);
  for (size_t i = 0; i < CL_COUNTED; i++) cl_json_number(out, ", ", cl_counted[i].key, rates->rate[i]);
}

static void put_window(FILE *out, const char *name, const struct cl_counters window[2]) {
  struct cl_rates rates = cl_rates_of(&window[0], &window[1]);
  fprintf(out, ",\n  \"%s\": {", name);
  cl_rates_json(out, &rates);
  fputc('}', out);
}

static const char *truth(bool value) { return value ? "true" : "false"; }

void cl_proof_json(FILE *out, const struct cl_hold *hold, const struct cl_mechanism *mechanism,
                   const struct cl_proof *proof) {
  const struct cl_program *program = &proof->program;
  cl_json_text(out, "{\n  ", "cpus", cl_cpus_text(&hold->cpus));
  cl_json_text(out, ",\n  ", "used", cl_cpus_text(&hold->use));
  cl_json_text(out, ",\n  ", "mechanism", mechanism ? mechanism->name : NULL);
  cl_json_number(out, ",\n  ", "cleared_ms", proof->cleared_s * 1e3);
  fprintf(out,
          ",\n  \"moved\": {\"tasks\": %d, \"kernel_threads\": %d, \"kernel_threads_stay\": %d, \"irqs\": %d, "
          "\"managed_irqs_stay\": %d}",
          hold->moved, hold->kernel_moved, hold->kernel_stay, hold->irqs_moved, hold->irqs_managed);
  put_window(out, "before", proof->before);
  put_window(out, "held", proof->during);
  cl_json_number(out, ",\n  \"program\": {", "wall_s", program->wall_s);
  cl_json_number(out, ", ", "cpu_s", program->cpu_s);
  cl_json_number(out, ", ", "wall_over_cpu", program->cpu_s > 0 ? program->wall_s / program->cpu_s : NAN);
  fprintf(out, ", \"involuntary_switches\": %llu, \"voluntary_switches\": %llu}", program->involuntary,
          program->voluntary);
  cl_json_text(out, ",\n  ", "stray_source", proof->source);
  fprintf(out, ",\n  \"switches_lost\": %llu,\n  \"strays\": [", proof->lost);
  for (size_t i = 0; i < proof->strays; i++) {
    const struct cl_stray *stray = &proof->stray[i];
    cl_json_text(out, i ? ",\n    {" : "\n    {", "name", stray->name);
    fprintf(out, ", \"tid\": %d, \"kernel\": %s, \"fixed\": %s, \"times\": %llu}", stray->tid, truth(stray->kernel),
            truth(stray->fixed), stray->times);
  }
  fputs(proof->strays ? "\n  ]\n}\n" : "]\n}\n", out);
}
