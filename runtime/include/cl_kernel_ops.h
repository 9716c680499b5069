/* Generated from rtl/kernel/data/kernel.toml by `coreloom generate`; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_KERNEL_OPS_H
#define CL_KERNEL_OPS_H

#define CL_WORD_GIVE_WAY_LSB               31 /* the caller must save its context and switch to the thread in value */
#define CL_WORD_GIVE_WAY_MASK              0x1u
#define CL_WORD_RESUMED_LSB                30 /* the caller was blocked and has been woken in place: no switch */
#define CL_WORD_RESUMED_MASK               0x1u
#define CL_WORD_STATUS_LSB                 16 /* 0, or an error number (the C library's errno) */
#define CL_WORD_STATUS_MASK                0xffu
#define CL_WORD_VALUE_LSB                  0 /* thread id, count or state, as the operation says */
#define CL_WORD_VALUE_MASK                 0xffffu

#define CL_ADDRESS_OP_LSB                  12 /* operation: kind << 4 | verb */
#define CL_ADDRESS_OP_MASK                 0xffu
#define CL_ADDRESS_ID_LSB                  2 /* object, as the operation says */
#define CL_ADDRESS_ID_MASK                 0x3ffu

#define CL_ATTRIBUTES_PRIORITY_LSB         0 /* scheduling parameter: priority, 0 (lowest) to Priorities - 1; with at most 128 priorities 128 + n is hardware thread n */
#define CL_ATTRIBUTES_PRIORITY_MASK        0xffu
#define CL_ATTRIBUTES_CPU_LSB              8 /* the CPU of a static thread */
#define CL_ATTRIBUTES_CPU_MASK             0xfu
#define CL_ATTRIBUTES_STATIC_LSB           12 /* 1: runs on `cpu` only; 0: on any CPU */
#define CL_ATTRIBUTES_STATIC_MASK          0x1u
#define CL_ATTRIBUTES_DETACHED_LSB         13 /* 1: freed at its exit; it cannot be joined */
#define CL_ATTRIBUTES_DETACHED_MASK        0x1u

#define CL_PORT_FLAGS_IMMEDIATE_LSB        0 /* a send publishes its message at once, not when the sender gives way */
#define CL_PORT_FLAGS_IMMEDIATE_MASK       0x1u

#define CL_BINDING_OBJECT_LSB              0 /* the semaphore or port */
#define CL_BINDING_OBJECT_MASK             0x3ffu
#define CL_BINDING_KIND_LSB                10 /* 0: wake the calling thread, 1: post a semaphore, 2: send the line's number to a port */
#define CL_BINDING_KIND_MASK               0x3u

#define CL_MUTEX_ATTRIBUTES_CEILING_LSB    0 /* with protocol 2: the priority that its owner has at least */
#define CL_MUTEX_ATTRIBUTES_CEILING_MASK   0xffu
#define CL_MUTEX_ATTRIBUTES_PROTOCOL_LSB   8 /* 0: none, 1: its owner inherits the priorities of the threads that wait for it, 2: its owner has the ceiling */
#define CL_MUTEX_ATTRIBUTES_PROTOCOL_MASK  0x3u

#define CL_ENTRY_WORD_SCHED_PARAM_LSB      0 /* priority, or 128 + n: hardware thread n */
#define CL_ENTRY_WORD_SCHED_PARAM_MASK     0xffu
#define CL_ENTRY_WORD_QUEUED_LSB           8 /* it is in a ready queue */
#define CL_ENTRY_WORD_QUEUED_MASK          0x1u
#define CL_ENTRY_WORD_STATIC_LSB           9 /* it runs on one processor only */
#define CL_ENTRY_WORD_STATIC_MASK          0x1u
#define CL_ENTRY_WORD_IDLE_LSB             10 /* it is a CPU's idle thread */
#define CL_ENTRY_WORD_IDLE_MASK            0x1u
#define CL_ENTRY_WORD_HARDWARE_LSB         11 /* it is a hardware thread */
#define CL_ENTRY_WORD_HARDWARE_MASK        0x1u

#define CL_THREAD_WORD_STATE_LSB           0 /* state of the thread */
#define CL_THREAD_WORD_STATE_MASK          0x7u
#define CL_THREAD_WORD_PRIORITY_LSB        3 /* its priority */
#define CL_THREAD_WORD_PRIORITY_MASK       0xffu
#define CL_THREAD_WORD_CPU_LSB             11 /* the CPU it runs on or ran on last */
#define CL_THREAD_WORD_CPU_MASK            0x1fu

#define CL_OP_NEXT                         1
#define CL_OP_SAVED                        2
#define CL_OP_WORD0                        3
#define CL_OP_SELF                         4
#define CL_OP_YIELD                        5
#define CL_OP_PREEMPT                      6
#define CL_OP_SLICE                        7
#define CL_OP_RESERVE                      8
#define CL_OP_RELEASE                      9
#define CL_OP_MOVE                         10
#define CL_OP_THREAD_CREATE                16
#define CL_OP_THREAD_START                 17
#define CL_OP_THREAD_EXIT                  18
#define CL_OP_THREAD_JOIN                  19
#define CL_OP_THREAD_DETACH                20
#define CL_OP_THREAD_READ                  21
#define CL_OP_SET_SCHED_PARAM              32
#define CL_OP_GET_SCHED_PARAM              33
#define CL_OP_CHECK_SCHED_PARAM            34
#define CL_OP_SET_WEIGHT                   35
#define CL_OP_SET_DEADLINE                 36
#define CL_OP_DEQUEUE                      37
#define CL_OP_REMOVE                       38
#define CL_OP_GET_ENTRY                    39
#define CL_OP_IS_QUEUED                    40
#define CL_OP_IS_EMPTY                     41
#define CL_OP_SET_IDLE_THREAD              42
#define CL_OP_TIMEOUT_START                48
#define CL_OP_TIMEOUT_STOP                 49
#define CL_OP_PORT_OPEN                    64
#define CL_OP_PORT_CLOSE                   65
#define CL_OP_PORT_LEAVE                   66
#define CL_OP_PORT_RECEIVE                 67
#define CL_OP_PORT_TRYRECEIVE              68
#define CL_OP_PORT_SEND                    69
#define CL_OP_PORT_TRYSEND                 70
#define CL_OP_PORT_PUBLISH                 71
#define CL_OP_COND_CREATE                  80
#define CL_OP_COND_DESTROY                 81
#define CL_OP_COND_LEAVE                   82
#define CL_OP_COND_WAIT                    83
#define CL_OP_COND_SIGNAL                  85
#define CL_OP_COND_BROADCAST               86
#define CL_OP_COND_TICKET                  87
#define CL_OP_MUTEX_CREATE                 96
#define CL_OP_MUTEX_DESTROY                97
#define CL_OP_MUTEX_LEAVE                  98
#define CL_OP_MUTEX_LOCK                   99
#define CL_OP_MUTEX_TRYLOCK                100
#define CL_OP_MUTEX_UNLOCK                 101
#define CL_OP_MUTEX_PROTOCOL               102
#define CL_OP_MUTEX_WAIT                   103
#define CL_OP_SEMAPHORE_CREATE             112
#define CL_OP_SEMAPHORE_DESTROY            113
#define CL_OP_SEMAPHORE_LEAVE              114
#define CL_OP_SEMAPHORE_WAIT               115
#define CL_OP_SEMAPHORE_TRYWAIT            116
#define CL_OP_SEMAPHORE_POST               117
#define CL_OP_SEMAPHORE_VALUE              118
#define CL_OP_INTERRUPT_BIND               128
#define CL_OP_INTERRUPT_UNBIND             129
#define CL_OP_INTERRUPT_WAIT               131
#define CL_OP_INTERRUPT_RAISE              133
#define CL_OP_BARRIER_WAIT                 147
#define CL_OP_FLAGS_SET                    208
#define CL_OP_FLAGS_CLEAR                  209
#define CL_OP_FLAGS_GET                    210
#define CL_OP_FLAGS_FOUND                  211
#define CL_OP_FLAGS_WAIT_ANY               216
#define CL_OP_FLAGS_WAIT_ALL               217
#define CL_OP_FLAGS_TAKE_ANY               218
#define CL_OP_FLAGS_TAKE_ALL               219
#define CL_OP_FLAGS_TRYWAIT_ANY            220
#define CL_OP_FLAGS_TRYWAIT_ALL            221
#define CL_OP_FLAGS_TRYTAKE_ANY            222
#define CL_OP_FLAGS_TRYTAKE_ALL            223
#define CL_IS_ANY_TIME(OP)                 ((op) == 66 || (op) == 82 || (op) == 98 || (op) == 114 || (op) == 117) /* does not imply SAVED */

#define CL_STATUS_OK                       0 /* done */
#define CL_STATUS_EPERM                    1 /* not the owner */
#define CL_STATUS_ENOENT                   2 /* not queued, not bound, or not waiting */
#define CL_STATUS_ESRCH                    3 /* no such thread, or no thread runs on this CPU */
#define CL_STATUS_EINTR                    4 /* another interrupt ended the wait; the thread stays blocked, continue with next */
#define CL_STATUS_EBADF                    9 /* the port is not open */
#define CL_STATUS_EAGAIN                   11 /* nothing to take, no room, or none free */
#define CL_STATUS_EBUSY                    16 /* in use */
#define CL_STATUS_ENODEV                   19 /* no such hardware thread */
#define CL_STATUS_EINVAL                   22 /* no such operation, object or value */
#define CL_STATUS_ERANGE                   34 /* the semaphore is at its maximum */
#define CL_STATUS_EDEADLK                  45 /* the caller would wait for itself */
#define CL_STATUS_ESHUTDOWN                110 /* the thread has exited already */
#define CL_STATUS_EINPROGRESS              119 /* the thread runs or waits */
#define CL_STATUS_EALREADY                 120 /* the thread is queued already */
#define CL_STATUS_ENOTSUP                  134 /* not for a hardware or idle thread, or not in this kernel */

#define CL_STATE_FREE                      0
#define CL_STATE_CREATED                   1
#define CL_STATE_READY                     2
#define CL_STATE_RUNNING                   3
#define CL_STATE_BLOCKED                   4
#define CL_STATE_EXITED                    5
#define CL_STATE_SUSPENDED                 6
#define CL_SEMAPHORE_MAX                   32767
#define CL_WEIGHT_MAX                      255
#define CL_DEADLINE_MAX                    32767
#define CL_HARDWARE_PARAM                  128

#endif /* CL_KERNEL_OPS_H */
