/* Generated from rtl/ipc/port/data/ipc.toml by `coreloom generate`; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_IPC_OPS_H
#define CL_IPC_OPS_H

#define CL_IPC_ADDRESS_PATIENCE_LSB        16 /* time limit of a waiting operation: 0 does not wait (try), n = 1 to 30 waits at most 2^n cycles, 31 waits for ever */
#define CL_IPC_ADDRESS_PATIENCE_MASK       0x1fu
#define CL_IPC_ADDRESS_OP_LSB              10 /* operation */
#define CL_IPC_ADDRESS_OP_MASK             0x3fu
#define CL_IPC_ADDRESS_INDEX_LSB           2 /* processor, set of processors, mutex ..., as the operation says */
#define CL_IPC_ADDRESS_INDEX_MASK          0xffu

#define CL_IPC_WORD_ERROR_LSB              28 /* 0, or why the operation did nothing */
#define CL_IPC_WORD_ERROR_MASK             0xfu
#define CL_IPC_WORD_VALUE_LSB              0 /* as the operation says */
#define CL_IPC_WORD_VALUE_MASK             0xfffffffu

#define CL_IPC_STATE_WORD_COUNT_LSB        0 /* words this end has put or taken since its last reset, modulo 2^16 */
#define CL_IPC_STATE_WORD_COUNT_MASK       0xffffu

#define CL_IPC_WIRES_WORD_REQ_IN_LSB       0 /* the other processor's req wire to the caller */
#define CL_IPC_WIRES_WORD_REQ_IN_MASK      0x1u
#define CL_IPC_WIRES_WORD_ACK_IN_LSB       1 /* the other processor's ack wire to the caller */
#define CL_IPC_WIRES_WORD_ACK_IN_MASK      0x1u
#define CL_IPC_WIRES_WORD_REQ_OUT_LSB      2 /* the caller's req wire to the other processor */
#define CL_IPC_WIRES_WORD_REQ_OUT_MASK     0x1u
#define CL_IPC_WIRES_WORD_ACK_OUT_LSB      3 /* the caller's ack wire to the other processor */
#define CL_IPC_WIRES_WORD_ACK_OUT_MASK     0x1u

#define CL_IPC_WIRE_INDEX_CPU_LSB          0 /* the other processor */
#define CL_IPC_WIRE_INDEX_CPU_MASK         0xfu
#define CL_IPC_WIRE_INDEX_WIRE_LSB         4 /* 0: its req wire to the caller, 1: its ack wire to the caller */
#define CL_IPC_WIRE_INDEX_WIRE_MASK        0x1u
#define CL_IPC_WIRE_INDEX_LEVEL_LSB        5 /* the level to wait for */
#define CL_IPC_WIRE_INDEX_LEVEL_MASK       0x1u

#define CL_IPC_ENABLE_WORD_REQ_LSB         0 /* bit p: interrupt while processor p's req wire to the caller is 1 */
#define CL_IPC_ENABLE_WORD_REQ_MASK        0xffu
#define CL_IPC_ENABLE_WORD_ACK_LSB         8 /* likewise for the ack wires */
#define CL_IPC_ENABLE_WORD_ACK_MASK        0xffu

#define CL_IPC_MUTEX_VALUE_OWNER_LSB       0 /* the processor that holds it */
#define CL_IPC_MUTEX_VALUE_OWNER_MASK      0xfu
#define CL_IPC_MUTEX_VALUE_ORPHAN_LSB      8 /* 1: the previous owner was reset while it held the mutex, so the guarded data may be inconsistent */
#define CL_IPC_MUTEX_VALUE_ORPHAN_MASK     0x1u

#define CL_IPC_MUTEX_REGISTER_VALUE_LSB    0 /* 0: free */
#define CL_IPC_MUTEX_REGISTER_VALUE_MASK   0xffffu
#define CL_IPC_MUTEX_REGISTER_OWNER_LSB    16 /* the processor that wrote last */
#define CL_IPC_MUTEX_REGISTER_OWNER_MASK   0xffffu

#define CL_IPC_MEMBERS_WORD_MEMBERS_LSB    0 /* the member processors; none: no processor may arrive */
#define CL_IPC_MEMBERS_WORD_MEMBERS_MASK   0xffu
#define CL_IPC_MEMBERS_WORD_BROKEN_LSB     8 /* a member was reset; read only, a store repairs the barrier */
#define CL_IPC_MEMBERS_WORD_BROKEN_MASK    0x1u

#define CL_IPC_OP_MAILBOX_PUT              0
#define CL_IPC_OP_MAILBOX_ROOM             1
#define CL_IPC_OP_MAILBOX_SENT             2
#define CL_IPC_OP_MAILBOX_CLEAR_SENT       3
#define CL_IPC_OP_MAILBOX_RESET_SENT       4
#define CL_IPC_OP_MAILBOX_GET              8
#define CL_IPC_OP_MAILBOX_LEVEL            9
#define CL_IPC_OP_MAILBOX_RECEIVED         10
#define CL_IPC_OP_MAILBOX_CLEAR_RECEIVED   11
#define CL_IPC_OP_MAILBOX_RESET_RECEIVED   12
#define CL_IPC_OP_MAILBOX_ANY              13
#define CL_IPC_OP_DOORBELL_RING            16
#define CL_IPC_OP_DOORBELL_TAKE            17
#define CL_IPC_OP_DOORBELL_PENDING         18
#define CL_IPC_OP_DOORBELL_OVERRUN         19
#define CL_IPC_OP_DOORBELL_ENABLE          20
#define CL_IPC_OP_CHANNEL_REQ              24
#define CL_IPC_OP_CHANNEL_ACK              25
#define CL_IPC_OP_CHANNEL_READ             26
#define CL_IPC_OP_CHANNEL_WAIT             27
#define CL_IPC_OP_CHANNEL_ENABLE           28
#define CL_IPC_OP_MUTEX_LOCK               32
#define CL_IPC_OP_MUTEX_UNLOCK             33
#define CL_IPC_OP_MUTEX_WORD               34
#define CL_IPC_OP_BARRIER_MEMBERS          40
#define CL_IPC_OP_BARRIER_ARRIVE           41
#define CL_IPC_OP_RESET_END                48

#define CL_IPC_ERROR_OK                    0 /* done */
#define CL_IPC_ERROR_TIMEOUT               1 /* the patience ran out; nothing was done */
#define CL_IPC_ERROR_INTERRUPTED           2 /* this CPU has a pending interrupt; nothing was done */
#define CL_IPC_ERROR_RESET                 3 /* the other end was reset */
#define CL_IPC_ERROR_OWNER                 4 /* the caller is not the owner, or not a member */
#define CL_IPC_ERROR_DEADLOCK              5 /* the caller holds it already */

#define CL_IPC_BELLS                       0x8u
#define CL_IPC_SENTINEL                    0x80000000u

#endif /* CL_IPC_OPS_H */
