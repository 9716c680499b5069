/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "loader.h"
#include "source.h"

CL_BPF_EMBED(OBJECT);

#define SWEEP_NS 2000000000u /* how often it looks whether threads are still there whose end may have been lost */

struct bpf {
  struct bpf_object *object;
  struct ring_buffer *ring;
  struct bpf_link *links[8];
  int count;
  const uint64_t *lost;
  uint64_t swept_ns;
};

static int on_event(void *to, void *data, size_t size) {
  struct lag_source *s = to;
  return size < sizeof(struct lag_event) ? -EPROTO : -lag_event(s->meter, data);
}

static bool lives(const struct lag_thread *t) { return !syscall(SYS_tgkill, t->pid, t->tid, 0) || errno != ESRCH; }

static int look(struct lag_source *s, int wait_ms) {
  struct bpf *b = s->own;
  int got = ring_buffer__poll(b->ring, wait_ms);
  if (got >= 0) got = ring_buffer__consume(b->ring); /* nobody wakes the poll as a rule */
  if (got < 0 && got != -EINTR) return lag_refuse(-got, "the events cannot be read: %s", strerror(-got));
  uint64_t now = lag_now_ns();
  if (now - b->swept_ns < SWEEP_NS) return 0;
  b->swept_ns = now;
  return lag_sweep(s->meter, lives);
}

static uint64_t lost(const struct lag_source *s) {
  return *(volatile const uint64_t *)((const struct bpf *)s->own)->lost;
}

static void close_all(struct lag_source *s) {
  struct bpf *b = s->own;
  for (int i = 0; i < b->count; i++) bpf_link__destroy(b->links[i]);
  ring_buffer__free(b->ring);
  bpf_object__close(b->object);
  free(b);
  s->own = NULL;
}

/* Reports the threads that are runnable already. */
static int there(struct bpf_link *link) {
  char nothing[64];
  int file = bpf_iter_create(bpf_link__fd(link));
  if (file < 0) return lag_refuse(-file, "the existing threads cannot be listed: %s", strerror(-file));
  ssize_t got;
  do got = read(file, nothing, sizeof nothing);
  while (got > 0 || (got < 0 && errno == EINTR) || (got < 0 && errno == EAGAIN));
  close(file);
  return got ? lag_refuse(errno, "the existing threads cannot be listed: %s", strerror(errno)) : 0;
}

static int begin(struct lag_source *s, bool verbose) {
  struct bpf *b = s->own;
  struct bpf_program *program;
  struct bpf_link *iterator = NULL;
  if (cl_bpf_open("lagmeter", verbose, &b->object)) return lag_refuse(EINVAL, "%s", cl_bpf_why());
  struct lag_filter *filter = cl_bpf_global(b->object, "filter", sizeof *filter);
  if (!filter) return lag_refuse(EINVAL, "the BPF object does not match this program");
  *filter = s->whom;
  int error = cl_bpf_load(b->object);
  if (error) return lag_refuse(error, "%s", cl_bpf_why());
  b->lost = cl_bpf_global(b->object, "lost", sizeof *b->lost);
  volatile uint32_t *watching = cl_bpf_global(b->object, "watching", sizeof *watching);
  b->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(b->object, "events"), on_event, s, NULL);
  if (!b->ring || !b->lost || !watching) return lag_refuse(EINVAL, "the BPF object does not match this program");
  bpf_object__for_each_program(program, b->object) {
    struct bpf_link *link = bpf_program__attach(program);
    if (!link)
      return lag_refuse(errno, "BPF program '%s' was refused: %s", bpf_program__name(program), strerror(errno));
    b->links[b->count++] = link;
    if (strcmp(bpf_program__name(program), "there") == 0) iterator = link;
  }
  *watching = 1;
  lag_meter_begin(s->meter, lag_now_ns());
  return there(iterator);
}

int lag_bpf_open(struct lag_source *s, bool verbose) {
  s->own = calloc(1, sizeof(struct bpf));
  if (!s->own) return lag_refuse(ENOMEM, "no memory");
  s->name = "bpf";
  s->look = look;
  s->lost = lost;
  s->close = close_all;
  int error = begin(s, verbose);
  if (error) close_all(s);
  return error;
}
