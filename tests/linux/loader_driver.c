/* SPDX-License-Identifier: GPL-2.0-only
 *
 * scx_dwrr without a kernel that could load it: instead of linux/bpf/loader.c, this says on the standard error what it
 * is asked to do. The environment says how it answers: FAILS is the step that fails; KNOWS the functions that the kernel
 * knows; POSSIBLE its CPUs; END, "KIND REASON|MESSAGE|DUMP", how the kernel ends the scheduler after ENDS_AT reads of
 * its counters. */
#include "loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scx_dwrr.h"

struct bpf_program {
  const char *name;
};

static struct bpf_program programs[] = {{"dwrr_init"}, {"dwrr_enqueue"}};
static struct dwrr_tuning tuning;
static struct dwrr_exit end;
static char dump[DWRR_DUMP_SIZE];
static int reads;

static const char *said(const char *name) { return getenv(name) ? getenv(name) : ""; }

static int step(const char *name) {
  bool fails = strcmp(said("FAILS"), name) == 0;
  fprintf(stderr, "%s%s\n", name, fails ? " fails" : "");
  return fails ? EPERM : 0;
}

const char *cl_bpf_why(void) { return "why it fails"; }

int cl_bpf_open(const char *name, bool verbose, struct bpf_object **object) {
  *object = (struct bpf_object *)&tuning;
  fprintf(stderr, "%s%s: ", name, verbose ? ", verbose" : "");
  return step("open");
}

int cl_bpf_load(struct bpf_object *object) {
  (void)object;
  fprintf(stderr, "slice %llu ns, %u CPUs, %u lanes, sleepers %s\n", (unsigned long long)tuning.slice_ns, tuning.cpus,
          tuning.lanes, tuning.sleepers_first ? "first" : "wait");
  return step("load");
}

void *cl_bpf_global(const struct bpf_object *object, const char *name, size_t size) {
  (void)object;
  if (strcmp(said("FAILS"), name) == 0) return NULL;
  if (strcmp(name, "tuning") == 0 && size == sizeof tuning) return &tuning;
  if (strcmp(name, "uei") == 0 && size == sizeof end) return &end;
  return strcmp(name, "uei_dump") == 0 && size == sizeof dump ? dump : NULL;
}

/* Each read finds one event more of each kind: of the counter I of CPU C, (I + 1) * (C + 1) at each. */
int cl_bpf_read(const struct bpf_object *object, const char *map, uint32_t key, void *values, int count, size_t size) {
  (void)object;
  if (strcmp(said("FAILS"), map) == 0 || key != 0) return EPERM;
  uint64_t *to = values;
  bool of_cpus = strcmp(map, "stats") == 0;
  if (of_cpus) reads++;
  int cpus = of_cpus ? libbpf_num_possible_cpus() : 1;
  for (int cpu = 0; cpu < cpus && cpu < count; cpu++)
    for (size_t i = 0; i < size / sizeof *to; i++) *to++ = (uint64_t)reads * (i + 1) * (unsigned)(cpu + 1);
  if (of_cpus && reads == atoi(said("ENDS_AT"))) {
    char reason[sizeof end.reason] = "", message[sizeof end.message] = "";
    sscanf(said("END"), "%d %[^|]|%[^|]|%[^|]", &end.kind, reason, message, dump);
    memcpy((char *)end.reason, reason, sizeof reason);
    memcpy((char *)end.message, message, sizeof message);
  }
  return 0;
}

int cl_bpf_verified(const struct bpf_program *program, uint32_t *instructions) {
  *instructions = program == programs ? 100 : 23;
  return strcmp(said("FAILS"), program->name) == 0 ? EPERM : 0;
}

int cl_scx_check(void) { return step("check"); }

int cl_scx_set(const struct bpf_object *object, const char *map, const char *member, uint64_t value) {
  (void)object;
  fprintf(stderr, "%s.%s = %llu: ", map, member, (unsigned long long)value);
  return step("set");
}

int cl_scx_drop(const struct bpf_object *object, const char *map, const char *member) {
  (void)object;
  fprintf(stderr, "%s without %s: ", map, member);
  return step("drop");
}

bool cl_scx_knows(const char *member) { return strstr(said("KNOWS"), member) != NULL; }

int cl_bpf_resize(const struct bpf_object *object, const char *section, size_t size) {
  (void)object;
  fprintf(stderr, "%s of %zu: ", section, size / sizeof(struct dwrr_lane));
  return step("resize");
}

int cl_scx_attach(const struct bpf_object *object, const char *map, struct bpf_link **link) {
  (void)object;
  fprintf(stderr, "%s: ", map);
  *link = (struct bpf_link *)&end;
  return step("attach");
}

int libbpf_num_possible_cpus(void) { return atoi(said("POSSIBLE")); }

struct bpf_program *bpf_object__next_program(const struct bpf_object *object, struct bpf_program *before) {
  (void)object;
  struct bpf_program *next = before ? before + 1 : programs;
  return next < programs + sizeof programs / sizeof *programs ? next : NULL;
}

const char *bpf_program__name(const struct bpf_program *program) { return program->name; }

int bpf_link__destroy(struct bpf_link *link) {
  fprintf(stderr, "detach%s\n", link ? "" : " nothing");
  return 0;
}

void bpf_object__close(struct bpf_object *object) { fprintf(stderr, "close%s\n", object ? "" : " nothing"); }
