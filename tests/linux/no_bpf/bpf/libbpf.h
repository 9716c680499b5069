/* SPDX-License-Identifier: GPL-2.0-only
 *
 * As much of libbpf as scx_dwrr.c sees, for a program without it (loader_driver.c); and another place of its socket. */
#ifndef NO_LIBBPF_H
#define NO_LIBBPF_H

struct bpf_object;
struct bpf_program;
struct bpf_link;

int libbpf_num_possible_cpus(void);
struct bpf_program *bpf_object__next_program(const struct bpf_object *object, struct bpf_program *before);
const char *bpf_program__name(const struct bpf_program *program);
int bpf_link__destroy(struct bpf_link *link);
void bpf_object__close(struct bpf_object *object);

#define bpf_object__for_each_program(at, object) \
  for ((at) = bpf_object__next_program(object, NULL); (at); (at) = bpf_object__next_program(object, at))

#endif
