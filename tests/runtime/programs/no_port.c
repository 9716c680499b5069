/* SPDX-License-Identifier: Apache-2.0
 *
 * A platform without a communication port: everything is ENODEV, but messages, which need none. */
#include "check.h"

static void on_bells(uint32_t bells) { (void)bells; }
static void on_wire(unsigned cpu) { (void)cpu; }

int main(void) {
  uint32_t word = 5, words[2] = {1, 2};
  unsigned cpu = 6;
  size_t done = 7;
  struct message *message;
  EQUAL(mailbox_send(1, 1), ENODEV);
  EQUAL(mailbox_trysend(1, 1), ENODEV);
  EQUAL(mailbox_timedsend(1, 1, 10), ENODEV);
  EQUAL(mailbox_receive(1, &word), ENODEV);
  EQUAL(mailbox_tryreceive(1, &word), ENODEV);
  EQUAL(mailbox_timedreceive(1, &word, 10), ENODEV);
  EQUAL(mailbox_send_all(2, 1), ENODEV);
  EQUAL(mailbox_trysend_all(2, 1), ENODEV);
  EQUAL(mailbox_timedsend_all(2, 1, 10), ENODEV);
  EQUAL(mailbox_wait_any(&cpu), ENODEV);
  EQUAL(mailbox_try_any(&cpu), ENODEV);
  EQUAL(mailbox_timedwait_any(&cpu, 10), ENODEV);
  EQUAL(mailbox_write(1, words, 2), ENODEV);
  EQUAL(mailbox_read(1, words, 2), ENODEV);
  EQUAL(mailbox_trywrite(1, words, 2, &done), ENODEV);
  EQUAL(mailbox_timedread(1, words, 2, &done, 10), ENODEV);
  EQUAL(mailbox_reset(1, MAILBOX_SENDING), ENODEV);
  EQUAL(mailbox_acknowledge(1, MAILBOX_SENDING), ENODEV);
  EQUAL(doorbell_ring(1, 1), ENODEV);
  EQUAL(doorbell_take(1, &word), ENODEV);
  EQUAL(doorbell_trytake(1, &word), ENODEV);
  EQUAL(doorbell_timedtake(1, &word, 10), ENODEV);
  EQUAL(doorbell_overrun(&word), ENODEV);
  EQUAL(doorbell_handler_np(1, on_bells), ENODEV);
  EQUAL(channel_request(1, 1), ENODEV);
  EQUAL(channel_acknowledge(1, 1), ENODEV);
  EQUAL(channel_wait(1, CHANNEL_REQ, 1), ENODEV);
  EQUAL(channel_trywait(1, CHANNEL_REQ, 1), ENODEV);
  EQUAL(channel_timedwait(1, CHANNEL_REQ, 1, 10), ENODEV);
  EQUAL(channel_handler_np(1, CHANNEL_REQ, on_wire), ENODEV);
  EQUAL(cpu_mutex_lock(0), ENODEV);
  EQUAL(cpu_mutex_trylock(0), ENODEV);
  EQUAL(cpu_mutex_timedlock(0, 10), ENODEV);
  EQUAL(cpu_mutex_unlock(0), ENODEV);
  EQUAL(cpu_barrier_init(0, 1), ENODEV);
  EQUAL(cpu_barrier_wait(0), ENODEV);
  EQUAL(cpu_barrier_trywait(0), ENODEV);
  EQUAL(cpu_barrier_timedwait(0, 10), ENODEV);
  EQUAL(cpu_reset_end(), ENODEV);
  EQUAL(word, 5);
  EQUAL(cpu, 6);
  EQUAL(port_open(1, PORT_DIRECT), 0);
  EQUAL(message_alloc(&message, 2), 0);
  EQUAL(message_send(1, message), 0);
  EQUAL(message_receive(1, &message), 0);
  EQUAL(message_free(message), 0);
  return finish();
}
