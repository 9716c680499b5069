/* SPDX-License-Identifier: Apache-2.0
 *
 * Stream and message buffers: a ring of bytes with one writer and one reader, which copy without the lock: only the reader
 * moves the start, only the writer what is behind the end. */
#include "layer.h"

#include <string.h>

#include "stream_buffer.h"

typedef configMESSAGE_BUFFER_LENGTH_TYPE length_t;

static inline int has_messages(const StaticStreamBuffer_t *buffer) { return buffer->cl_type == sbTYPE_MESSAGE_BUFFER; }
static inline size_t capacity(const StaticStreamBuffer_t *buffer) { return buffer->cl_length - 1; }

static StreamBufferHandle_t prepare(StaticStreamBuffer_t *buffer, uint8_t *bytes, size_t length, size_t trigger,
                                    BaseType_t type, StreamBufferCallbackFunction_t sent,
                                    StreamBufferCallbackFunction_t received, int is_static) {
  configASSERT(trigger <= length);
  *buffer = (StaticStreamBuffer_t){.cl_bytes = bytes, .cl_length = length, .cl_trigger = trigger ? trigger : 1};
  buffer->cl_sent = sent;
  buffer->cl_received = received;
  buffer->cl_type = (uint8_t)type;
  buffer->cl_static = (uint8_t)is_static;
  return buffer;
}

StreamBufferHandle_t xStreamBufferGenericCreate(size_t bytes, size_t trigger, BaseType_t type,
                                                StreamBufferCallbackFunction_t sent,
                                                StreamBufferCallbackFunction_t received) {
  configASSERT(bytes && (type != sbTYPE_MESSAGE_BUFFER || bytes > sizeof(length_t)));
  if (bytes > SIZE_MAX - sizeof(StaticStreamBuffer_t) - 1) return NULL;
  StaticStreamBuffer_t *buffer = pvPortMalloc(sizeof *buffer + bytes + 1);
  return buffer ? prepare(buffer, (uint8_t *)(buffer + 1), bytes + 1, trigger, type, sent, received, 0) : NULL;
}

StreamBufferHandle_t xStreamBufferGenericCreateStatic(size_t bytes, size_t trigger, BaseType_t type, uint8_t *storage,
                                                      StaticStreamBuffer_t *memory, StreamBufferCallbackFunction_t sent,
                                                      StreamBufferCallbackFunction_t received) {
  configASSERT(storage && memory && (type != sbTYPE_MESSAGE_BUFFER || bytes > sizeof(length_t)));
  return storage && memory ? prepare(memory, storage, bytes, trigger, type, sent, received, 1) : NULL;
}

BaseType_t xStreamBufferGetStaticBuffers(StreamBufferHandle_t buffer, uint8_t **storage,
                                         StaticStreamBuffer_t **memory) {
  if (!buffer->cl_static) return pdFALSE;
  *storage = buffer->cl_bytes;
  *memory = buffer;
  return pdTRUE;
}

void vStreamBufferDelete(StreamBufferHandle_t buffer) {
  configASSERT(buffer);
  if (!buffer->cl_static) vPortFree(buffer);
}

/* Copies to or from the ring, from `at` on; the place behind it. */
static size_t ring(StreamBufferHandle_t buffer, size_t at, void *to, const void *from, size_t count) {
  if (at >= buffer->cl_length) at -= buffer->cl_length;
  size_t here = buffer->cl_length - at;
  if (here > count) here = count;
  if (to) {
    memcpy(to, buffer->cl_bytes + at, here);
    memcpy((uint8_t *)to + here, buffer->cl_bytes, count - here);
  } else {
    memcpy(buffer->cl_bytes + at, from, here);
    memcpy(buffer->cl_bytes, (const uint8_t *)from + here, count - here);
  }
  return at + count;
}

static inline size_t used(StreamBufferHandle_t buffer) { return *(volatile size_t *)&buffer->cl_count; }

/* The other side is told: by the buffer's own function, or its task is woken. */
static void tell_receiver(StreamBufferHandle_t buffer, BaseType_t is_in_isr, BaseType_t *woken) {
  if (buffer->cl_sent) {
    buffer->cl_sent(buffer, is_in_isr, woken);
    return;
  }
  cl_frt_enter();
  cl_frt_wake(&buffer->cl_receiver, woken);
  cl_frt_leave();
}

static void tell_sender(StreamBufferHandle_t buffer, BaseType_t is_in_isr, BaseType_t *woken) {
  if (buffer->cl_received) {
    buffer->cl_received(buffer, is_in_isr, woken);
    return;
  }
  cl_frt_enter();
  cl_frt_wake(&buffer->cl_sender, woken);
  cl_frt_leave();
}

/* What fits is written: a message as a whole, or nothing. */
static size_t write_now(StreamBufferHandle_t buffer, const void *bytes, size_t count, BaseType_t is_in_isr,
                        BaseType_t *woken) {
  size_t room = capacity(buffer) - used(buffer), more = 0;
  cl_frt_enter();
  size_t at = buffer->cl_read + buffer->cl_count;
  cl_frt_leave();
  if (has_messages(buffer)) {
    length_t length = (length_t)count;
    if (room < count + sizeof length) return 0;
    at = ring(buffer, at, NULL, &length, sizeof length);
    more = sizeof length;
  } else if (count > room) {
    count = room;
  }
  if (!count) return 0;
  ring(buffer, at, NULL, bytes, count);
  cl_frt_enter();
  buffer->cl_count += count + more;
  int enough = buffer->cl_count >= buffer->cl_trigger;
  cl_frt_leave();
  if (enough) tell_receiver(buffer, is_in_isr, woken);
  return count;
}

size_t xStreamBufferSend(StreamBufferHandle_t buffer, const void *bytes, size_t count, TickType_t ticks) {
  configASSERT(buffer && bytes);
  size_t needed = count + (has_messages(buffer) ? sizeof(length_t) : 0);
  if (needed > capacity(buffer)) {
    if (has_messages(buffer)) ticks = 0; /* it never fits */
    needed = capacity(buffer);
  }
  cl_trace_call();
  if (ticks) {
    cl_frt_enter();
    uint64_t at = cl_frt_until(ticks);
    while (capacity(buffer) - buffer->cl_count < needed && !cl_frt_wait(&buffer->cl_sender, NULL, at)) continue;
    cl_frt_leave();
  }
  return write_now(buffer, bytes, count, pdFALSE, NULL);
}

size_t xStreamBufferSendFromISR(StreamBufferHandle_t buffer, const void *bytes, size_t count, BaseType_t *woken) {
  configASSERT(buffer && bytes);
  return write_now(buffer, bytes, count, pdTRUE, woken);
}

size_t xStreamBufferNextMessageLengthBytes(StreamBufferHandle_t buffer) {
  length_t length = 0;
  if (has_messages(buffer) && used(buffer) > sizeof length) ring(buffer, buffer->cl_read, &length, NULL, sizeof length);
  return length;
}

static size_t read_now(StreamBufferHandle_t buffer, void *bytes, size_t room, BaseType_t is_in_isr, BaseType_t *woken) {
  size_t count = used(buffer), at = buffer->cl_read, more = 0;
  if (has_messages(buffer)) {
    count = xStreamBufferNextMessageLengthBytes(buffer);
    if (count > room) return 0;
    more = sizeof(length_t);
  } else if (count > room) {
    count = room;
  }
  if (!count) return 0;
  at = ring(buffer, at + more, bytes, NULL, count);
  cl_frt_enter();
  buffer->cl_read = at >= buffer->cl_length ? at - buffer->cl_length : at;
  buffer->cl_count -= count + more;
  cl_frt_leave();
  tell_sender(buffer, is_in_isr, woken);
  return count;
}

/* As many bytes, and no more, are not enough to read at once. */
static inline size_t too_few(StreamBufferHandle_t buffer) {
  return has_messages(buffer)                               ? sizeof(length_t)
         : buffer->cl_type == sbTYPE_STREAM_BATCHING_BUFFER ? buffer->cl_trigger
                                                            : 0;
}

size_t xStreamBufferReceive(StreamBufferHandle_t buffer, void *bytes, size_t room, TickType_t ticks) {
  configASSERT(buffer && bytes);
  cl_trace_call();
  cl_frt_enter();
  /* The writer wakes it only when the trigger level is reached, so it looks once. */
  if (ticks && buffer->cl_count <= too_few(buffer)) cl_frt_wait(&buffer->cl_receiver, NULL, cl_frt_until(ticks));
  int enough = buffer->cl_count > too_few(buffer);
  cl_frt_leave();
  return enough ? read_now(buffer, bytes, room, pdFALSE, NULL) : 0;
}

size_t xStreamBufferReceiveFromISR(StreamBufferHandle_t buffer, void *bytes, size_t room, BaseType_t *woken) {
  configASSERT(buffer && bytes);
  return read_now(buffer, bytes, room, pdTRUE, woken);
}

BaseType_t xStreamBufferReset(StreamBufferHandle_t buffer) {
  configASSERT(buffer);
  cl_frt_enter();
  BaseType_t can = !buffer->cl_receiver.first && !buffer->cl_sender.first;
  if (can) buffer->cl_read = buffer->cl_count = 0;
  cl_frt_leave();
  return can;
}
BaseType_t xStreamBufferResetFromISR(StreamBufferHandle_t buffer) { return xStreamBufferReset(buffer); }

BaseType_t xStreamBufferSetTriggerLevel(StreamBufferHandle_t buffer, size_t trigger) {
  if (!trigger) trigger = 1;
  if (trigger >= buffer->cl_length) return pdFALSE;
  buffer->cl_trigger = trigger;
  return pdTRUE;
}

size_t xStreamBufferSpacesAvailable(StreamBufferHandle_t buffer) { return capacity(buffer) - used(buffer); }
size_t xStreamBufferBytesAvailable(StreamBufferHandle_t buffer) { return used(buffer); }
BaseType_t xStreamBufferIsEmpty(StreamBufferHandle_t buffer) { return !used(buffer); }
BaseType_t xStreamBufferIsFull(StreamBufferHandle_t buffer) {
  return xStreamBufferSpacesAvailable(buffer) <= (has_messages(buffer) ? sizeof(length_t) : 0);
}

static BaseType_t completed(struct cl_queue *queue, BaseType_t *woken) {
  cl_frt_enter();
  BaseType_t waits = queue->first != NULL;
  cl_frt_wake(queue, woken);
  cl_frt_leave();
  return waits;
}
BaseType_t xStreamBufferSendCompletedFromISR(StreamBufferHandle_t buffer, BaseType_t *woken) {
  return completed(&buffer->cl_receiver, woken);
}
BaseType_t xStreamBufferReceiveCompletedFromISR(StreamBufferHandle_t buffer, BaseType_t *woken) {
  return completed(&buffer->cl_sender, woken);
}

UBaseType_t uxStreamBufferGetStreamBufferNotificationIndex(StreamBufferHandle_t buffer) { return buffer->cl_index; }
void vStreamBufferSetStreamBufferNotificationIndex(StreamBufferHandle_t buffer, UBaseType_t index) {
  buffer->cl_index = index; /* no notification is used */
}
UBaseType_t uxStreamBufferGetStreamBufferNumber(StreamBufferHandle_t buffer) { return buffer->cl_number; }
void vStreamBufferSetStreamBufferNumber(StreamBufferHandle_t buffer, UBaseType_t number) { buffer->cl_number = number; }
uint8_t ucStreamBufferGetStreamBufferType(StreamBufferHandle_t buffer) { return buffer->cl_type; }
