/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Common to the loaders of our BPF programs: the object inside the executable, and errors that say what to do.
 * Functions return the error number (0: done), and cl_bpf_why() is then the one line to print. */
#ifndef CL_BPF_LOADER_H
#define CL_BPF_LOADER_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Put the object file OBJECT into this executable: cl_bpf_object to cl_bpf_object_end. Once, at file scope. */
#define CL_BPF_EMBED(path)                                                          \
  __asm__(                                                                          \
      ".pushsection .rodata\n.balign 16\n.globl cl_bpf_object, cl_bpf_object_end\n" \
      "cl_bpf_object: .incbin \"" path "\"\ncl_bpf_object_end:\n.popsection")
extern const char cl_bpf_object[], cl_bpf_object_end[];

const char *cl_bpf_why(void);

/* Opens the embedded object. libbpf's messages go to the standard error if verbose, and else are only kept. */
int cl_bpf_open(const char *name, bool verbose, struct bpf_object **object);
/* Refuses in words: no rights, a kernel without types (BTF), the verifier's no. */
int cl_bpf_load(struct bpf_object *object);

/* A global variable, to set before loading and to read behind it; NULL if there is none of this size. */
void *cl_bpf_global(const struct bpf_object *object, const char *name, size_t size);
/* Entry `key` of a map, once loaded. Of a map per CPU: the first `count` values; the map's value size is a multiple of 8. */
int cl_bpf_read(const struct bpf_object *object, const char *map, uint32_t key, void *values, int count, size_t size);
/* How many instructions the verifier went through for a loaded program: what loading it costs. */
int cl_bpf_verified(const struct bpf_program *program, uint32_t *instructions);

/* Can a scheduler be loaded here: sched_ext is in the kernel, and no scheduler is loaded? */
int cl_scx_check(void);
/* A number that the kernel reads in the scheduler's table `map` (struct sched_ext_ops), before loading. */
int cl_scx_set(const struct bpf_object *object, const char *map, const char *member, uint64_t value);
/* Takes a function out of the table, and out of what is loaded. */
int cl_scx_drop(const struct bpf_object *object, const char *map, const char *member);
/* Has the running kernel's struct sched_ext_ops that member? */
bool cl_scx_knows(const char *member);
/* Before loading: how many entries an array has that is the only variable of the section `.data.NAME`. */
int cl_bpf_resize(const struct bpf_object *object, const char *section, size_t size);
/* Makes a loaded scheduler the kernel's; destroying the link gives them back to its own scheduler. */
int cl_scx_attach(const struct bpf_object *object, const char *map, struct bpf_link **link);

#endif
