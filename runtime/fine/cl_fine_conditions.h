/* SPDX-License-Identifier: Apache-2.0
 *
 * Included by cl_sw.c for the kernel `fine`: condition variables and barriers, each with a lock of its own, which guards
 * its count and its waiters. */
#ifndef CL_FINE_CONDITIONS_H
#define CL_FINE_CONDITIONS_H

/* With its lock: all waiters are off the list. The chain of those that the kernel must wake: wake_all(). */
static inline k_thread *give_to_all(k_condition *condition) {
  k_thread *rest = NULL, **end = &rest;
  for (k_thread *each = condition->waiters, *next; each; each = next) {
    next = each->next;
    if (give_in_place(each)) continue;
    *end = each;
    end = &each->next;
  }
  *end = NULL;
  condition->waiters = NULL;
  return rest;
}

CL_APART uint32_t wake_all(k_thread *rest, uint32_t answer) {
  k_cpu *cpu = this_cpu();
  struct k_result result = {.word = answer};
  lock();
  for (k_thread *next; rest; rest = next) {
    next = rest->next; /* which a ready queue uses, too */
    if (!is_on_its_way(rest)) k_wake_and_notify(rest, &result.woke);
  }
  return cl_sw_finish(cpu, result, WAKE_MANY);
}

/* With its lock, which this releases. */
CL_INLINE uint32_t release_all(k_condition *condition, uint32_t answer) {
  k_thread *rest = give_to_all(condition);
  unlock_object();
  if (CL_UNLIKELY(rest)) return wake_all(rest, answer);
  cl_irq_on();
  return answer;
}

CL_COLD static uint32_t cond_publish(uint32_t id, uint32_t ticket) {
  answer_from_object(0);
  publish_first();
  return cl_sw_cond_wait(id, ticket);
}

uint32_t cl_sw_cond_wait(uint32_t id, uint32_t ticket) {
  if (CL_UNLIKELY(id >= CL_CONDITIONS)) return K_ERROR(EINVAL);
  k_condition *condition = &k_conditions[id];
  k_thread *thread = this_thread();
  cl_irq_off();
  lock_object(condition);
  if (CL_UNLIKELY(!condition->exists)) return answer_from_object(K_ERROR(EINVAL));
  if (condition->signals != (uint16_t)ticket) return answer_from_object(0);
  if (k_buffers && CL_UNLIKELY(thread->sent)) return cond_publish(id, ticket);
  queue_waiter(&condition->waiters, &condition->last, thread);
  return wait_at(condition, thread, WAIT);
}

CL_COLD static uint32_t barrier_publish(uint32_t id, uint32_t others) {
  answer_from_object(0);
  publish_first();
  return cl_op_barrier_wait(id, others);
}

uint32_t cl_op_barrier_wait(uint32_t id, uint32_t others) {
  if (CL_UNLIKELY(id >= CL_CONDITIONS)) return K_ERROR(EINVAL);
  k_condition *condition = &k_conditions[id];
  k_thread *thread = this_thread();
  cl_irq_off();
  lock_object(condition);
  if (CL_UNLIKELY(!condition->exists)) return answer_from_object(K_ERROR(EINVAL));
  if (condition->signals == (uint16_t)others) {
    condition->signals = 0;
    return release_all(condition, 1);
  }
  if (k_buffers && CL_UNLIKELY(thread->sent)) return barrier_publish(id, others);
  condition->signals++;
  queue_waiter(&condition->waiters, &condition->last, thread);
  return wait_at(condition, thread, WAIT);
}

uint32_t cl_op_cond_signal(uint32_t id) {
  if (CL_UNLIKELY(id >= CL_CONDITIONS)) return K_ERROR(EINVAL);
  k_condition *condition = &k_conditions[id];
  cl_irq_off();
  lock_object(condition);
  if (CL_UNLIKELY(!condition->exists)) return answer_from_object(K_ERROR(EINVAL));
  condition->signals++;
  if (!condition->waiters) return answer_from_object(0);
  return give(k_first_waiter(&condition->waiters));
}

uint32_t cl_op_cond_broadcast(uint32_t id) {
  if (CL_UNLIKELY(id >= CL_CONDITIONS)) return K_ERROR(EINVAL);
  k_condition *condition = &k_conditions[id];
  cl_irq_off();
  lock_object(condition);
  if (CL_UNLIKELY(!condition->exists)) return answer_from_object(K_ERROR(EINVAL));
  condition->signals++;
  return release_all(condition, 0);
}

/* Without a lock: the count is of a moment at which it existed. */
uint32_t cl_op_cond_ticket(uint32_t id) { return k_op_cond_ticket(id); }

CL_COLD static uint32_t cond_leave(uint32_t id, uint32_t tid, int *woke) {
  if (id >= CL_CONDITIONS || !k_conditions[id].exists) return K_ERROR(EINVAL);
  return end_wait(&k_conditions[id], &k_conditions[id].waiters, &k_conditions[id].last, tid, woke);
}

/* The following are within the kernel's lock. */

CL_COLD static uint32_t signal_inside(uint32_t id, int *woke) {
  if (id >= CL_CONDITIONS) return K_ERROR(EINVAL);
  k_condition *condition = &k_conditions[id];
  k_thread *first = NULL;
  go_inside(condition);
  uint32_t answer = condition->exists ? 0 : K_ERROR(EINVAL);
  if (!answer) condition->signals++;
  if (!answer && condition->waiters) {
    first = k_first_waiter(&condition->waiters);
    if (give_in_place(first)) first = NULL;
  }
  come_out();
  if (first && !is_on_its_way(first)) k_wake_and_notify(first, woke);
  return answer;
}

CL_COLD static uint32_t cond_create_inside(void) {
  uint32_t id = 0;
  while (id < CL_CONDITIONS && k_conditions[id].exists) id++;
  if (id == CL_CONDITIONS) return K_ERROR(EAGAIN);
  go_inside(&k_conditions[id]);
  k_conditions[id] = (k_condition){.exists = 1};
  come_out();
  return id;
}

uint32_t cl_op_cond_create(void) { return enter(), answer_with(cond_create_inside()); }

uint32_t cl_op_cond_destroy(uint32_t id) {
  if (id >= CL_CONDITIONS) return K_ERROR(EINVAL);
  k_condition *condition = &k_conditions[id];
  uint32_t answer = 0;
  enter();
  go_inside(condition);
  if (!condition->exists) answer = K_ERROR(EINVAL);
  else if (condition->waiters) answer = K_ERROR(EBUSY);
  else condition->exists = 0;
  come_out();
  return answer_with(answer);
}

#endif
