/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists and masks of CPUs: what is taken can be written and is read back the same, and has nothing but its signs. */
#include <string.h>

#include "cpus.h"
#include "fuzz.h"

static const char *const words[] = {"-",         ",",        "0-1023",    "1023", "1024",
                                    "1000-1024", "ffffffff", ",00000000", "\n",   NULL};

static void check(const char *data, size_t size, bool mask) {
  struct cl_cpus set, again;
  char text[CL_CPUS_TEXT];
  int error = (mask ? cl_cpus_parse_mask : cl_cpus_parse)(data, &set);
  fuzz_note_number((uint64_t)error);
  if (error) return;
  fuzz_note(&set, sizeof set);
  size_t length = strlen(data), body = length && data[length - 1] == '\n' ? length - 1 : length;
  fuzz_check(strspn(data, mask ? "0123456789abcdefABCDEF," : "0123456789-,") == body, "'%s' is taken", data);
  fuzz_check(strstr(data, ",,") == NULL, "'%s' is taken", data);
  (mask ? cl_cpus_format_mask : cl_cpus_format)(&set, text);
  error = (mask ? cl_cpus_parse_mask : cl_cpus_parse)(text, &again);
  fuzz_check(!error && cl_cpus_equal(&set, &again), "'%s' is written as '%s', which is another set", data, text);
  int count = 0;
  for (int cpu = cl_cpus_next(&set, -1); cpu >= 0; cpu = cl_cpus_next(&set, cpu)) count += cl_cpus_has(&set, cpu);
  fuzz_check(count == cl_cpus_count(&set), "'%s': %d CPUs one by one, %d in all", data, count, cl_cpus_count(&set));
}

static void run_list(const char *data, size_t size) { check(data, size, false); }
static void run_mask(const char *data, size_t size) { check(data, size, true); }

FUZZ_TARGET(cpus, .run = run_list, .words = words, .most = 8192)
FUZZ_TARGET(mask, .run = run_mask, .words = words, .most = 8192)
