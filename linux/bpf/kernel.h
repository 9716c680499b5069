/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The parts of the kernel that our BPF programs use: types with only the members we touch, and functions of sched_ext.
 *
 * Offsets, sizes of bit fields and values of enumerations come from the running kernel's own description of its types
 * when a program is loaded, so one object runs on all kernels from 6.18 on. A name behind ___ is dropped there. */
#ifndef CL_BPF_KERNEL_H
#define CL_BPF_KERNEL_H

typedef _Bool bool;
typedef unsigned char u8, __u8, uint8_t;
typedef unsigned short u16, __u16, __be16, uint16_t;
typedef signed char s8, int8_t;
typedef int s32, __s32, int32_t;
typedef unsigned int u32, __u32, __be32, __wsum, uint32_t;
typedef long long s64, __s64, int64_t;
typedef unsigned long long u64, __u64, uint64_t;
#define true 1
#define false 0
#define NULL ((void *)0)

/* Kinds and flags of maps, of the kernel's user API. */
enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_PERCPU_ARRAY = 6 };
enum { BPF_MAP_TYPE_RINGBUF = 27, BPF_MAP_TYPE_TASK_STORAGE = 29 };
enum { BPF_F_NO_PREALLOC = 1, BPF_F_MMAPABLE = 1 << 10, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };
enum { BPF_RB_AVAIL_DATA = 0 };
enum { PF_KTHREAD = 0x200000, SCHED_IDLE = 5, CLOCK_MONOTONIC = 1 };
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };

struct bpf_spin_lock {
  u32 val;
};
struct bpf_iter_num {
  u64 opaque[1];
};
struct bpf_timer {
  u64 opaque[2];
} __attribute__((aligned(8)));

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* Only handed on. */
struct cpumask {
  u64 bits[1];
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_entity {
  u64 sum_exec_runtime;
};

struct sched_ext_entity {
  unsigned long runnable_at; /* in ticks; the kernel ends a scheduler that leaves a thread waiting too long */
  u64 slice;
  u64 dsq_vtime;
  u32 weight;
  u32 flags;
};

struct kernfs_node {
  u64 id;
};

struct cgroup_subsys_state {
  struct cgroup *cgroup;
  struct cgroup_subsys_state *parent;
};

struct cgroup {
  struct cgroup_subsys_state self;
  s32 level;
  struct kernfs_node *kn;
  struct cgroup *ancestors[];
};

struct css_set {
  struct cgroup *dfl_cgrp;
};

struct thread_info {
  u32 cpu;
};

struct task_struct {
  struct thread_info thread_info;
  u32 __state;
  u32 on_cpu; /* unsigned, as it is a byte since 7.3 */
  struct css_set *cgroups;
  s32 pid;
  s32 tgid;
  u32 flags;
  s32 static_prio;
  u32 policy;
  s32 nr_cpus_allowed;
  u16 migration_disabled;
  const void *rcu_blocked_node; /* in kernels that may preempt themselves */
  const struct cpumask *cpus_ptr;
  struct sched_entity se;
  struct sched_ext_entity scx;
  char comm[16];
};

struct bpf_iter__task {
  struct task_struct *task;
};

struct scx_init_task_args {
  bool fork;
  struct cgroup *cgroup; /* not without CONFIG_EXT_GROUP_SCHED */
};

struct scx_cgroup_init_args {
  u32 weight; /* 1 to 10000 */
  u64 bw_period_us;
  u64 bw_quota_us;
  u64 bw_burst_us;
  bool sched_idle; /* from 7.0 on */
};

enum scx_exit_kind { SCX_EXIT_NONE = 1 };

struct scx_exit_info {
  enum scx_exit_kind kind;
  const char *reason;
  const char *msg;
  const char *dump;
};

enum scx_enq_flags {
  SCX_ENQ_WAKEUP = 1,
  SCX_ENQ_PREEMPT = 3,
  SCX_ENQ_LAST = 4,
};
enum scx_wake_flags { SCX_WAKE_SYNC = 1 };
enum scx_kick_flags { SCX_KICK_IDLE = 1, SCX_KICK_PREEMPT = 2 };
enum scx_ent_flags { SCX_TASK_QUEUED = 1 };
enum scx_dsq_id_flags { SCX_DSQ_LOCAL = 1, SCX_DSQ_GLOBAL = 2 };

#pragma clang attribute pop

/* The value that a name of an enumeration has in the running kernel. */
#define KERNEL(type, name) bpf_core_enum_value(enum type, name)

/* Given to the kernel as they are, so with its values. */
enum {
  SCX_OPS_KEEP_BUILTIN_IDLE = 1 << 0,
  SCX_OPS_ENQ_LAST = 1 << 1,
  SCX_OPS_ENQ_EXITING = 1 << 2,
  SCX_OPS_ENQ_MIGRATION_DISABLED = 1 << 4,
  SCX_OPS_ALLOW_QUEUED_WAKEUP = 1 << 5,
};

/* Only what is set here; the kernel takes the rest as not given. The loader takes out what the kernel lacks. */
struct sched_ext_ops {
  s32 (*select_cpu)(struct task_struct *p, s32 prev_cpu, u64 wake_flags);
  void (*enqueue)(struct task_struct *p, u64 enq_flags);
  void (*dispatch)(s32 cpu, struct task_struct *prev);
  void (*running)(struct task_struct *p);
  void (*stopping)(struct task_struct *p, bool runnable);
  void (*quiescent)(struct task_struct *p, u64 deq_flags);
  bool (*yield)(struct task_struct *from, struct task_struct *to);
  void (*update_idle)(s32 cpu, bool idle);
  void (*cpu_online)(s32 cpu);
  void (*cpu_offline)(s32 cpu);
  s32 (*init_task)(struct task_struct *p, struct scx_init_task_args *args);
  s32 (*cgroup_init)(struct cgroup *cgroup, struct scx_cgroup_init_args *args);
  void (*cgroup_exit)(struct cgroup *cgroup);
  void (*cgroup_move)(struct task_struct *p, struct cgroup *from, struct cgroup *to);
  void (*cgroup_set_weight)(struct cgroup *cgroup, u32 weight);
  void (*cgroup_set_bandwidth)(struct cgroup *cgroup, u64 period_us, u64 quota_us, u64 burst_us);
  void (*cgroup_set_idle)(struct cgroup *cgroup, bool idle);
  s32 (*init)(void);
  void (*exit)(struct scx_exit_info *info);
  u64 flags;
  u32 timeout_ms;
  u32 exit_dump_len;
  char name[128];
};

struct bpf_iter_scx_dsq {
  u64 opaque[6];
} __attribute__((aligned(8)));

s32 scx_bpf_create_dsq(u64 dsq, s32 node) __ksym;
s32 scx_bpf_dsq_nr_queued(u64 dsq) __ksym;
void scx_bpf_dsq_insert(struct task_struct *p, u64 dsq, u64 slice, u64 enq_flags) __ksym;
void scx_bpf_dsq_insert_vtime(struct task_struct *p, u64 dsq, u64 slice, u64 vtime, u64 enq_flags) __ksym;
s32 bpf_iter_scx_dsq_new(struct bpf_iter_scx_dsq *it, u64 dsq, u64 flags) __ksym;
struct task_struct *bpf_iter_scx_dsq_next(struct bpf_iter_scx_dsq *it) __ksym;
void bpf_iter_scx_dsq_destroy(struct bpf_iter_scx_dsq *it) __ksym;
bool scx_bpf_dsq_move(struct bpf_iter_scx_dsq *it, struct task_struct *p, u64 dsq, u64 enq_flags) __ksym;
s32 scx_bpf_select_cpu_dfl(struct task_struct *p, s32 prev_cpu, u64 wake_flags, bool *is_idle) __ksym;
s32 scx_bpf_pick_idle_cpu(const struct cpumask *allowed, u64 flags) __ksym;
void scx_bpf_kick_cpu(s32 cpu, u64 flags) __ksym;
s32 scx_bpf_task_cpu(const struct task_struct *p) __ksym;
u64 scx_bpf_now(void) __ksym;
const struct cpumask *scx_bpf_get_online_cpumask(void) __ksym;
void scx_bpf_put_cpumask(const struct cpumask *mask) __ksym;
u32 bpf_cpumask_weight(const struct cpumask *mask) __ksym;
bool scx_bpf_task_set_slice(struct task_struct *p, u64 slice) __ksym __weak; /* from 6.19 on */
bool bpf_cpumask_test_cpu(u32 cpu, const struct cpumask *mask) __ksym;

/* A function of the scheduler that the kernel calls. */
#define OPS(name, args...) SEC("struct_ops/" #name) BPF_PROG(dwrr_##name, ##args)

#endif
