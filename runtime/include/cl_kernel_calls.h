/* Generated from rtl/kernel/data/kernel.toml by `coreloom generate`; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_KERNEL_CALLS_H
#define CL_KERNEL_CALLS_H

/* The operations that need no code of their own in a back end, which says what CL_DIRECT makes of a function. */
CL_DIRECT(uint32_t cl_op_slice(uint32_t word), cl_port_give(CL_OP_SLICE, 0, word))
CL_DIRECT(uint32_t cl_op_reserve(uint32_t id, uint32_t word), cl_port_give(CL_OP_RESERVE, id, word))
CL_DIRECT(uint32_t cl_op_release(uint32_t id), cl_port_load(CL_OP_RELEASE, id))
CL_DIRECT(uint32_t cl_op_thread_create(uint32_t word), cl_port_give(CL_OP_THREAD_CREATE, 0, word))
CL_DIRECT(uint32_t cl_op_thread_start(uint32_t id), cl_port_load(CL_OP_THREAD_START, id))
CL_DIRECT(uint32_t cl_op_thread_detach(uint32_t id), cl_port_load(CL_OP_THREAD_DETACH, id))
CL_DIRECT(uint32_t cl_op_thread_read(uint32_t id), cl_port_load(CL_OP_THREAD_READ, id))
CL_DIRECT(uint32_t cl_op_set_sched_param(uint32_t id, uint32_t word), cl_port_give(CL_OP_SET_SCHED_PARAM, id, word))
CL_DIRECT(uint32_t cl_op_get_sched_param(uint32_t id), cl_port_load(CL_OP_GET_SCHED_PARAM, id))
CL_DIRECT(uint32_t cl_op_check_sched_param(uint32_t id, uint32_t word), cl_port_give(CL_OP_CHECK_SCHED_PARAM, id, word))
CL_DIRECT(uint32_t cl_op_set_weight(uint32_t id, uint32_t word), cl_port_give(CL_OP_SET_WEIGHT, id, word))
CL_DIRECT(uint32_t cl_op_set_deadline(uint32_t id, uint32_t word), cl_port_give(CL_OP_SET_DEADLINE, id, word))
CL_DIRECT(uint32_t cl_op_remove(uint32_t id), cl_port_load(CL_OP_REMOVE, id))
CL_DIRECT(uint32_t cl_op_get_entry(uint32_t id), cl_port_load(CL_OP_GET_ENTRY, id))
CL_DIRECT(uint32_t cl_op_set_idle_thread(uint32_t id), cl_port_load(CL_OP_SET_IDLE_THREAD, id))
CL_DIRECT(uint32_t cl_op_port_open(uint32_t id, uint32_t word), cl_port_give(CL_OP_PORT_OPEN, id, word))
CL_DIRECT(uint32_t cl_op_port_close(uint32_t id), cl_port_load(CL_OP_PORT_CLOSE, id))
CL_DIRECT(uint32_t cl_op_port_publish(void), cl_port_load(CL_OP_PORT_PUBLISH, 0))
CL_DIRECT(uint32_t cl_op_cond_create(void), cl_port_load(CL_OP_COND_CREATE, 0))
CL_DIRECT(uint32_t cl_op_cond_destroy(uint32_t id), cl_port_load(CL_OP_COND_DESTROY, id))
CL_DIRECT(uint32_t cl_op_cond_signal(uint32_t id), cl_port_load(CL_OP_COND_SIGNAL, id))
CL_DIRECT(uint32_t cl_op_cond_broadcast(uint32_t id), cl_port_load(CL_OP_COND_BROADCAST, id))
CL_DIRECT(uint32_t cl_op_cond_ticket(uint32_t id), cl_port_load(CL_OP_COND_TICKET, id))
CL_DIRECT(uint32_t cl_op_mutex_create(void), cl_port_load(CL_OP_MUTEX_CREATE, 0))
CL_DIRECT(uint32_t cl_op_mutex_destroy(uint32_t id), cl_port_load(CL_OP_MUTEX_DESTROY, id))
CL_DIRECT(uint32_t cl_op_mutex_unlock(uint32_t id), cl_port_load(CL_OP_MUTEX_UNLOCK, id))
CL_DIRECT(uint32_t cl_op_semaphore_create(uint32_t word), cl_port_give(CL_OP_SEMAPHORE_CREATE, 0, word))
CL_DIRECT(uint32_t cl_op_semaphore_destroy(uint32_t id), cl_port_load(CL_OP_SEMAPHORE_DESTROY, id))
CL_DIRECT(uint32_t cl_op_semaphore_post(uint32_t id), cl_port_load(CL_OP_SEMAPHORE_POST, id))
CL_DIRECT(uint32_t cl_op_semaphore_value(uint32_t id), cl_port_load(CL_OP_SEMAPHORE_VALUE, id))
CL_DIRECT(uint32_t cl_op_interrupt_bind(uint32_t id, uint32_t word), cl_port_give(CL_OP_INTERRUPT_BIND, id, word))
CL_DIRECT(uint32_t cl_op_interrupt_unbind(uint32_t id), cl_port_load(CL_OP_INTERRUPT_UNBIND, id))
CL_DIRECT(uint32_t cl_op_interrupt_raise(uint32_t id), cl_port_load(CL_OP_INTERRUPT_RAISE, id))

#endif /* CL_KERNEL_CALLS_H */
