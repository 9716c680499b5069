/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reports what happens to the watched threads: when each becomes runnable, runs, waits, sleeps. */
#include "kernel.h"

#include "event.h"

#define READ(x) (*(volatile typeof(x) *)&(x))
#define RING_SIZE (8 << 20)
#define ROOM (sizeof(struct lag_event) + 8) /* of an event in the ring */
#define PORTION 256
#define TASK_DEAD 0x80 /* its last switch */

char LICENSE[] SEC("license") = "GPL";

const volatile struct lag_filter filter = {0};
u64 lost;      /* events that had no room */
u32 watching;  /* all programs are there */

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, RING_SIZE);
} events SEC(".maps");

/* The tasks that belong to the tree of a command. */
struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, u8);
} tree SEC(".maps");

static __always_inline bool is_below(struct task_struct *p) {
  struct cgroup *group = BPF_CORE_READ(p, cgroups, dfl_cgrp), *above;
  u32 level = filter.level;
  if ((u32)BPF_CORE_READ(group, level) < level) return false;
  if (bpf_core_read(&above, sizeof above, &group->ancestors[0] + level)) return false;
  return BPF_CORE_READ(above, kn, id) == filter.cgroup;
}

static __always_inline bool has_name(struct task_struct *p) {
  u32 i;
  for (i = 0; i < LAG_COMMAND; i++) {
    if (p->comm[i] != filter.command[i]) return false;
    if (!p->comm[i]) break;
  }
  return true;
}

static __always_inline bool is_watched(struct task_struct *p) {
  if (!p->pid || p->tgid == filter.own || (p->flags & PF_KTHREAD && !filter.kernel_threads)) return false;
  switch (filter.whom) {
    case LAG_PROCESS: return p->tgid == filter.pid;
    case LAG_TREE: return p->tgid == filter.pid || bpf_task_storage_get(&tree, p, NULL, 0);
    case LAG_NAME: return has_name(p);
    case LAG_CGROUP: return is_below(p);
    default: return true;
  }
}

/* The kernel updates the CPU time of a thread when it starts and stops running, and at ticks. */
static __always_inline void tell(struct task_struct *p, u32 kind, u32 cpu, u64 cpu_ns) {
  if (!watching) return;
  struct lag_event *e = bpf_ringbuf_reserve(&events, sizeof *e, 0);
  if (!e) {
    __sync_fetch_and_add(&lost, 1);
    return;
  }
  e->at_ns = bpf_ktime_get_ns();
  e->cpu_ns = cpu_ns;
  e->tid = p->pid;
  e->pid = p->tgid;
  e->kind = kind;
  e->cpu = cpu;
  e->allowed = p->nr_cpus_allowed;
  e->policy = p->policy;
  e->nice = p->static_prio - 120;
  __builtin_memcpy(e->command, p->comm, LAG_COMMAND);
  /* The reader is woken per batch, not per event; batches are small, as a reader with much to read would take a CPU
   * from the watched threads for some ticks. */
  bool portion = bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) % (PORTION * ROOM) < ROOM;
  bpf_ringbuf_submit(e, portion ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next, u32 state) {
  u32 cpu = bpf_get_smp_processor_id();
  u32 kind = preempt || !state ? LAG_PREEMPTED : state & TASK_DEAD ? LAG_ENDS : LAG_SLEEPS;
  if (is_watched(prev)) tell(prev, kind, cpu, prev->se.sum_exec_runtime);
  if (is_watched(next)) tell(next, LAG_IN, cpu, next->se.sum_exec_runtime);
  return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *p) {
  if (is_watched(p)) tell(p, LAG_WAKE, 0, LAG_UNKNOWN);
  return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_new, struct task_struct *p) {
  if (is_watched(p)) tell(p, LAG_NEW, 0, LAG_UNKNOWN);
  return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child) {
  if (filter.whom == LAG_TREE && is_watched(parent))
    bpf_task_storage_get(&tree, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
  return 0;
}

/* Read once, when the others are attached. A task that changes state meanwhile is reported twice. */
SEC("iter/task")
int there(struct bpf_iter__task *it) {
  struct task_struct *p = it->task;
  if (!p || !is_watched(p) || READ(p->__state)) return 0;
  u32 cpu = READ(p->thread_info.cpu);
  bool runs = READ(p->on_cpu);
  tell(p, LAG_THERE, 0, LAG_UNKNOWN);
  if (runs) tell(p, LAG_IN, cpu, LAG_UNKNOWN);
  if (READ(p->__state)) tell(p, LAG_SLEEPS, cpu, LAG_UNKNOWN);
  else if (runs && !READ(p->on_cpu)) tell(p, LAG_PREEMPTED, cpu, LAG_UNKNOWN);
  return 0;
}
