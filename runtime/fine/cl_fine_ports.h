/* SPDX-License-Identifier: Apache-2.0
 *
 * Ports of the kernel `fine`. A direct port has a lock of its own; all of a buffered one is under the kernel's, as its
 * messages are published when their sender leaves its CPU. Which it is changes with both locks. */
#ifndef CL_FINE_PORTS_H
#define CL_FINE_PORTS_H

static inline int is_direct(const k_port *port) {
  return !k_buffers || *(const volatile uint8_t *)&port->kind == K_DIRECT;
}

uint32_t cl_op_port_open(uint32_t id, uint32_t word) {
  if (id >= CL_PORTS) return K_ERROR(EINVAL);
  k_cpu *cpu = enter();
  go_inside(&k_ports[id]);
  uint32_t answer = k_op_port_open(cpu, id, word);
  come_out();
  return answer_with(answer);
}

uint32_t cl_op_port_close(uint32_t id) {
  if (id >= CL_PORTS) return K_ERROR(EINVAL);
  k_cpu *cpu = enter();
  go_inside(&k_ports[id]);
  uint32_t answer = k_op_port_close(cpu, id);
  come_out();
  return answer_with(answer);
}

/* With the port's lock: the receiver that is to be given the message, or NULL. There is room. */
CL_INLINE k_thread *put_in_direct(k_port *port, uint32_t word, const uint32_t *words, uint32_t count) {
  uint32_t tail = port->tail;
  k_write(port, tail, word, words, count);
  port->tail = tail + K_STEP;
  return k_show(port);
}

/* Full. A receiver moves `head` without the lock and then looks for senders; so here `head` is read again. */
CL_APART void wait_for_room(k_port *port) {
  k_thread *thread = this_thread();
  if (k_buffers && CL_UNLIKELY(thread->sent)) {
    answer_from_object(0);
    publish_first();
    return;
  }
  k_queue_waiter(&port->senders, thread);
  __asm__ volatile("" ::: "memory");
  if (CL_UNLIKELY(port->tail - *(volatile uint32_t *)&port->head != K_FULL)) {
    k_thread **link = &port->senders;
    while (*link != thread) link = &(*link)->next;
    *link = thread->next;
    answer_from_object(0);
    return;
  }
  wait_at(port, thread, WAIT);
}

/* With the port's lock: the receiver waits, the port is full, or it is not a direct one. 0, an error, or RESUMED: once
 * more, after a wait. */
CL_INLINE uint32_t send_closer_to(k_port *port, uint32_t word, const uint32_t *words, uint32_t count) {
  if (CL_UNLIKELY(port->kind != K_DIRECT))
    return answer_from_object(port->kind == K_CLOSED ? K_ERROR(EBADF) : CL_RESUMED);
  if (CL_UNLIKELY(k_full(port))) return wait_for_room(port), CL_RESUMED;
  k_thread *receiver = put_in_direct(port, word, words, count);
  return CL_LIKELY(receiver != NULL) ? give(receiver) : answer_from_object(0);
}
CL_APART uint32_t send_closer(k_port *port, uint32_t word) { return send_closer_to(port, word, NULL, 0); }
CL_APART uint32_t send_words_closer(k_port *port, const uint32_t *words, uint32_t count) {
  return send_closer_to(port, count, words, count);
}

/* A buffered port's, with the kernel's lock: the same. */
CL_APART uint32_t send_buffered(k_port *port, uint32_t word, const uint32_t *words, uint32_t count) {
  k_cpu *cpu = enter();
  int woke = 0;
  if (CL_UNLIKELY(port->kind != K_BUFFERED)) return go_on(port->kind == K_CLOSED ? K_ERROR(EBADF) : CL_RESUMED);
  if (CL_LIKELY(k_put_buffered(port, cpu->current, word, words, count))) return go_on(0);
  if (CL_UNLIKELY(k_full(port)))
    return cl_sw_finish(cpu, k_just(k_wait_for_room(cpu, port)), WAIT | CHANGE), CL_RESUMED;
  uint32_t answer = k_queue_woken(k_put(port, cpu->current, word, words, count), &woke);
  return cl_sw_finish(cpu, (struct k_result){.word = answer, .woke = woke}, WAKE_MANY);
}

CL_INLINE uint32_t send_at_once(k_port *port, uint32_t word, const uint32_t *words, uint32_t count, int block) {
  if (CL_UNLIKELY(!is_direct(port))) return send_buffered(port, word, words, count);
  cl_irq_off();
  lock_object(port);
  if (CL_LIKELY(k_put_at_once(port, word, words, count))) return answer_from_object(0);
  return block ? send_words_closer(port, words, count) : send_closer(port, word);
}

CL_INLINE uint32_t send(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count, int block) {
  if (CL_UNLIKELY(id >= CL_PORTS)) return K_ERROR(EINVAL);
  uint32_t answer;
  do answer = send_at_once(&k_ports[id], word, words, count, block);
  while (CL_UNLIKELY(answer == CL_RESUMED));
  return answer;
}

/* One wait. */
CL_COLD uint32_t cl_sw_port_send_once(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count) {
  if (id >= CL_PORTS) return K_ERROR(EINVAL);
  return send_at_once(&k_ports[id], word, words, count, words != NULL);
}

static uint32_t trysend_buffered(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count) {
  k_cpu *cpu = enter();
  struct k_result result = {0};
  result.word = k_op_port_trysend(cpu, id, word, words, count, &result.woke);
  return cl_sw_finish(cpu, result, WAKE_MANY);
}

uint32_t cl_sw_port_trysend(uint32_t id, uint32_t word, const uint32_t *words, uint32_t count) {
  if (CL_UNLIKELY(id >= CL_PORTS)) return K_ERROR(EINVAL);
  k_port *port = &k_ports[id];
  for (;;) {
    if (CL_UNLIKELY(!is_direct(port))) break;
    cl_irq_off();
    lock_object(port);
    if (CL_LIKELY(k_put_at_once(port, word, words, count))) return answer_from_object(0);
    if (port->kind == K_CLOSED) return answer_from_object(K_ERROR(EBADF));
    if (CL_UNLIKELY(port->kind != K_DIRECT)) {
      answer_from_object(0);
      continue;
    }
    if (k_full(port)) {
      answer_from_object(0);
      if (CL_UNLIKELY(this_thread()->sent != NULL)) publish_first();
      return K_ERROR(EAGAIN);
    }
    k_thread *receiver = put_in_direct(port, word, words, count);
    return receiver ? give(receiver) : answer_from_object(0);
  }
  return trysend_buffered(id, word, words, count);
}

/* A message of a line, which has risen, to a direct port; with the kernel's lock. */
CL_COLD static uint32_t send_line_inside(k_port *port, uint32_t id, int *woke) {
  static const uint32_t zeros[CL_PORT_WORDS];
  k_thread *receiver = NULL;
  uint32_t answer = 0;
  go_inside(port);
  if (!port->receiver) answer = K_ERROR(EBADF);
  else if (k_full(port)) answer = K_ERROR(EAGAIN);
  else receiver = put_in_direct(port, id, zeros, CL_PORT_WORDS);
  if (receiver && give_in_place(receiver)) receiver = NULL;
  come_out();
  if (receiver && !is_on_its_way(receiver)) k_wake_and_notify(receiver, woke);
  return answer;
}

/* A wait at a direct port ends; with the kernel's lock. */
CL_COLD static uint32_t port_leave(uint32_t id, uint32_t tid, int *woke) {
  uint32_t error;
  k_port *port = k_port_to_send(id, &error);
  if (!port || port->kind != K_DIRECT) return k_op_port_leave(id, tid, woke);
  k_thread *last = NULL, *receiver = NULL;
  go_inside(port);
  if (port->receiver_waits && k_tid(port->receiver) == tid) {
    port->receiver_waits = 0;
    receiver = port->receiver;
  }
  int done = receiver && give_in_place(receiver);
  come_out();
  if (!receiver) return end_wait(port, &port->senders, &last, tid, woke);
  if (!done && !is_on_its_way(receiver)) k_wake_and_notify(receiver, woke);
  return 0;
}

/* --- the parts of receive() --- */

__attribute__((noinline)) static uint32_t receive_wait(k_cpu *cpu, k_port *port) {
  uint32_t answer = k_wait_for_message(cpu, port);
  if (CL_UNLIKELY(!answer)) return check_cpus(cpu, CL_RESUMED); /* it has published to its own port */
  if (CL_UNLIKELY(answer == K_PENDING)) return wait_asleep(cpu);
  start_timer(cpu);
  k_notify(cpu);
  return answer;
}

CL_APART uint32_t receive_empty_buffered(k_thread *receiver, k_port *port, uint32_t head) {
  k_cpu *cpu = enter();
  if (CL_UNLIKELY(port->frozen != head)) return go_on(CL_RESUMED); /* a message has just arrived */
  uint32_t answer = k_wait_fast(cpu, receiver, port);
  if (CL_UNLIKELY(!answer)) return receive_wait(cpu, port);
  return prepare_switch(cpu, answer);
}

CL_COLD static uint32_t receive_publish(void) {
  answer_from_object(0);
  publish_first();
  return CL_RESUMED;
}

CL_APART uint32_t receive_empty(k_thread *receiver, k_port *port, uint32_t head) {
  if (CL_UNLIKELY(!is_direct(port))) return receive_empty_buffered(receiver, port, head);
  cl_irq_off();
  lock_object(port);
  if (CL_UNLIKELY(port->frozen != head)) return answer_from_object(CL_RESUMED);
  if (k_buffers && CL_UNLIKELY(receiver->sent)) return receive_publish();
  port->receiver_waits = 1;
  return wait_at(port, receiver, WAIT_IN_PLACE);
}

CL_COLD static uint32_t tryreceive_empty(uint32_t id, uint32_t *word, uint32_t *words, uint32_t room) {
  if (is_direct(&k_ports[id])) {
    if (!this_thread()->sent) return K_ERROR(EAGAIN);
    publish_first(); /* may not fill this port, which is direct; but others may */
    return words ? cl_sw_port_tryreceive_words(id, word, words, room) : cl_sw_port_tryreceive(id, word);
  }
  k_cpu *cpu = enter();
  struct k_result result = {0};
  result.word = k_op_port_tryreceive(cpu, id, word, words, room, &result.woke);
  return cl_sw_finish(cpu, result, WAKE_MANY);
}

/* Called when there is room again, and a sender may wait for it. */
CL_APART uint32_t receive_room(k_port *port) {
  if (CL_UNLIKELY(!is_direct(port))) {
    k_cpu *cpu = enter();
    k_thread *woken = port->senders ? k_first_waiter(&port->senders) : NULL;
    return cl_sw_finish(cpu, (struct k_result){.woken = woken}, WAKE_ONE);
  }
  cl_irq_off();
  lock_object(port);
  if (CL_UNLIKELY(!port->senders)) return answer_from_object(0);
  return give(k_first_waiter(&port->senders));
}

#endif
