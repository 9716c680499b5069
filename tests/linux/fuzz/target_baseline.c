/* SPDX-License-Identifier: Apache-2.0
 *
 * The baseline's file: what is taken is sound, can be written and is read back the same. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "baseline.h"
#include "fuzz.h"

static const char *const words[] = {
    "cpus\t/", "mask\t/", "controller\t/", "irqbalance\t", "task\t1 ", "held\t", "\twas\n", "\tours\n", "\ttheirs\n",
    "\t100\n", "/..",     "/../",          "\ton\t",       "\toff\t",  "\t",     "\n",      "\r",       NULL};

static void check(const struct cl_baseline *b) {
  char key[64];
  for (const struct cl_known *k = b->known; k; k = k->next) {
    fuzz_note_text(k->key), fuzz_note_text(k->base), fuzz_note_text(k->written);
    fuzz_note_number(k->how), fuzz_note_number(k->born);
    fuzz_check(cl_baseline_find(b, k->kind, k->key) == k, "'%s' is not found", k->key);
    if (k->kind == CL_TASK) {
      snprintf(key, sizeof key, "%d %llu", k->tid, k->born);
      fuzz_check(k->tid > 0 && strcmp(key, k->key) == 0, "'%s' is read as task %s", k->key, key);
      fuzz_check(cl_baseline_task(b, k->tid, k->born) == k, "task '%s' is not found", k->key);
    } else if (k->kind != CL_IRQBALANCE) {
      size_t length = strlen(k->key);
      fuzz_check(*k->key == '/' && length < CL_PATH_MOST, "'%s' is taken for a path", k->key);
      fuzz_check(!strstr(k->key, "/../") && strcmp(k->key + length - (length < 3 ? length : 3), "/..") != 0,
                 "'%s' leads up", k->key);
    }
  }
}

static bool same(const struct cl_known *a, const struct cl_known *b) {
  return a->how == b->how && a->id == b->id && strcmp(a->base, b->base) == 0 && strcmp(a->written, b->written) == 0;
}

/* The same into a new file, and read again. */
static void write_again(struct cl_baseline *b) {
  struct cl_baseline fresh, again;
  cl_baseline_remove();
  if (cl_baseline_take(&fresh)) {
    cl_baseline_free(&fresh);
    return;
  }
  size_t taken = fresh.count;
  int error = cl_baseline_hold(&fresh, &b->held);
  for (const struct cl_known *k = b->known; k && !error; k = k->next) {
    struct cl_task task = {.tid = k->tid, .born = k->born};
    struct cl_cpus base, written;
    if (k->kind != CL_TASK) {
      error = cl_baseline_put(&fresh, k->kind, k->key, k->base, k->written, k->how == CL_PROGRAM ? CL_OURS : k->how);
    } else if (cl_cpus_parse(k->base, &base) == 0 && cl_cpus_parse(k->written, &written) == 0) {
      error = cl_baseline_put_task(&fresh, &task, &base, &written, k->how, k->id);
    }
  }
  if (!error) {
    error = cl_baseline_read(&again);
    fuzz_check(error == 0 && again.damaged == 0, "what was written cannot be read: %d, %zu damaged", error,
               again.damaged);
    fuzz_check(again.count == fresh.count && cl_cpus_equal(&again.held, &b->held),
               "%zu of %zu are read (%zu were taken)", again.count, fresh.count, taken);
    for (const struct cl_known *one = fresh.known; one; one = one->next) {
      const struct cl_known *k = cl_baseline_find(&again, one->kind, one->key);
      fuzz_check(k && same(k, one), "'%s' is another", one->key);
    }
    cl_baseline_free(&again);
  }
  cl_baseline_free(&fresh);
}

static void run(const char *data, size_t size) {
  struct cl_baseline b;
  fuzz_tree(data, size);
  if (cl_baseline_read(&b)) return;
  check(&b);
  write_again(&b);
  cl_baseline_free(&b);
}

FUZZ_TARGET(baseline, .run = run, .words = words, .most = 40000)
