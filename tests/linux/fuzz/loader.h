/* SPDX-License-Identifier: GPL-2.0-only
 *
 * In place of linux/bpf/loader.h: as much as lets the sources of the loaders compile without libbpf. Nothing is loaded
 * by a target, so nothing of this is ever called. */
#ifndef CL_BPF_LOADER_H
#define CL_BPF_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define CL_BPF_EMBED(path) _Static_assert(1, "nothing is embedded")

struct bpf_object;
struct bpf_program;
struct bpf_link;
struct ring_buffer;

#define NEVER(type, name, ...) \
  static inline type name(__VA_ARGS__) { abort(); }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NEVER(const char *, cl_bpf_why, void)
NEVER(int, cl_bpf_open, const char *a, bool b, struct bpf_object **c)
NEVER(int, cl_bpf_load, struct bpf_object *a)
NEVER(void *, cl_bpf_global, const struct bpf_object *a, const char *b, size_t c)
NEVER(int, cl_bpf_read, const struct bpf_object *a, const char *b, uint32_t c, void *d, int e, size_t f)
NEVER(int, cl_bpf_verified, const struct bpf_program *a, uint32_t *b)
NEVER(int, cl_scx_check, void)
NEVER(int, cl_scx_set, const struct bpf_object *a, const char *b, const char *c, uint64_t d)
NEVER(int, cl_scx_drop, const struct bpf_object *a, const char *b, const char *c)
NEVER(bool, cl_scx_knows, const char *a)
NEVER(int, cl_bpf_resize, const struct bpf_object *a, const char *b, size_t c)
NEVER(int, cl_scx_attach, const struct bpf_object *a, const char *b, struct bpf_link **c)
NEVER(int, libbpf_num_possible_cpus, void)
NEVER(int, bpf_link__destroy, struct bpf_link *a)
NEVER(int, bpf_link__fd, const struct bpf_link *a)
NEVER(int, bpf_iter_create, int a)
NEVER(void, bpf_object__close, struct bpf_object *a)
NEVER(const char *, bpf_program__name, const struct bpf_program *a)
NEVER(struct bpf_link *, bpf_program__attach, const struct bpf_program *a)
NEVER(struct bpf_program *, bpf_object__next_program, const struct bpf_object *a, struct bpf_program *b)
NEVER(int, bpf_object__find_map_fd_by_name, const struct bpf_object *a, const char *b)
NEVER(struct ring_buffer *, ring_buffer__new, int a, int (*b)(void *, void *, size_t), void *c, const void *d)
NEVER(int, ring_buffer__poll, struct ring_buffer *a, int b)
NEVER(int, ring_buffer__consume, struct ring_buffer *a)
NEVER(void, ring_buffer__free, struct ring_buffer *a)
#pragma GCC diagnostic pop
#define bpf_object__for_each_program(at, of) \
  for ((at) = bpf_object__next_program((of), NULL); (at); (at) = bpf_object__next_program((of), (at)))

#endif
