/* SPDX-License-Identifier: Apache-2.0
 *
 * Stream buffers: bytes from one task to one other. message_buffer.h: with their boundaries. */
#ifndef STREAM_BUFFER_H
#define STREAM_BUFFER_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before stream_buffer.h"
#endif

#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct StreamBufferDef_t *StreamBufferHandle_t;
typedef void (*StreamBufferCallbackFunction_t)(StreamBufferHandle_t buffer, BaseType_t is_in_isr, BaseType_t *woken);

#define sbTYPE_STREAM_BUFFER ((BaseType_t)0)
#define sbTYPE_MESSAGE_BUFFER ((BaseType_t)1)
#define sbTYPE_STREAM_BATCHING_BUFFER ((BaseType_t)2)

StreamBufferHandle_t xStreamBufferGenericCreate(size_t bytes, size_t trigger, BaseType_t type,
                                                StreamBufferCallbackFunction_t sent,
                                                StreamBufferCallbackFunction_t received);
StreamBufferHandle_t xStreamBufferGenericCreateStatic(size_t bytes, size_t trigger, BaseType_t type, uint8_t *storage,
                                                      StaticStreamBuffer_t *memory, StreamBufferCallbackFunction_t sent,
                                                      StreamBufferCallbackFunction_t received);
#define xStreamBufferCreate(bytes, trigger) xStreamBufferGenericCreate(bytes, trigger, sbTYPE_STREAM_BUFFER, NULL, NULL)
#define xStreamBufferCreateWithCallback(bytes, trigger, sent, received) \
  xStreamBufferGenericCreate(bytes, trigger, sbTYPE_STREAM_BUFFER, sent, received)
#define xStreamBufferCreateStatic(bytes, trigger, storage, memory) \
  xStreamBufferGenericCreateStatic(bytes, trigger, sbTYPE_STREAM_BUFFER, storage, memory, NULL, NULL)
#define xStreamBufferCreateStaticWithCallback(bytes, trigger, storage, memory, sent, received) \
  xStreamBufferGenericCreateStatic(bytes, trigger, sbTYPE_STREAM_BUFFER, storage, memory, sent, received)
#define xStreamBatchingBufferCreate(bytes, trigger) \
  xStreamBufferGenericCreate(bytes, trigger, sbTYPE_STREAM_BATCHING_BUFFER, NULL, NULL)
#define xStreamBatchingBufferCreateWithCallback(bytes, trigger, sent, received) \
  xStreamBufferGenericCreate(bytes, trigger, sbTYPE_STREAM_BATCHING_BUFFER, sent, received)
#define xStreamBatchingBufferCreateStatic(bytes, trigger, storage, memory) \
  xStreamBufferGenericCreateStatic(bytes, trigger, sbTYPE_STREAM_BATCHING_BUFFER, storage, memory, NULL, NULL)
#define xStreamBatchingBufferCreateStaticWithCallback(bytes, trigger, storage, memory, sent, received) \
  xStreamBufferGenericCreateStatic(bytes, trigger, sbTYPE_STREAM_BATCHING_BUFFER, storage, memory, sent, received)
BaseType_t xStreamBufferGetStaticBuffers(StreamBufferHandle_t buffer, uint8_t **storage, StaticStreamBuffer_t **memory);
void vStreamBufferDelete(StreamBufferHandle_t buffer);

size_t xStreamBufferSend(StreamBufferHandle_t buffer, const void *bytes, size_t count, TickType_t ticks);
size_t xStreamBufferSendFromISR(StreamBufferHandle_t buffer, const void *bytes, size_t count, BaseType_t *woken);
size_t xStreamBufferReceive(StreamBufferHandle_t buffer, void *bytes, size_t room, TickType_t ticks);
size_t xStreamBufferReceiveFromISR(StreamBufferHandle_t buffer, void *bytes, size_t room, BaseType_t *woken);
BaseType_t xStreamBufferReset(StreamBufferHandle_t buffer);
BaseType_t xStreamBufferResetFromISR(StreamBufferHandle_t buffer);
BaseType_t xStreamBufferSetTriggerLevel(StreamBufferHandle_t buffer, size_t trigger);
BaseType_t xStreamBufferIsFull(StreamBufferHandle_t buffer);
BaseType_t xStreamBufferIsEmpty(StreamBufferHandle_t buffer);
size_t xStreamBufferSpacesAvailable(StreamBufferHandle_t buffer);
size_t xStreamBufferBytesAvailable(StreamBufferHandle_t buffer);
size_t xStreamBufferNextMessageLengthBytes(StreamBufferHandle_t buffer);
BaseType_t xStreamBufferSendCompletedFromISR(StreamBufferHandle_t buffer, BaseType_t *woken);
BaseType_t xStreamBufferReceiveCompletedFromISR(StreamBufferHandle_t buffer, BaseType_t *woken);
UBaseType_t uxStreamBufferGetStreamBufferNotificationIndex(StreamBufferHandle_t buffer);
void vStreamBufferSetStreamBufferNotificationIndex(StreamBufferHandle_t buffer, UBaseType_t index);
UBaseType_t uxStreamBufferGetStreamBufferNumber(StreamBufferHandle_t buffer);
void vStreamBufferSetStreamBufferNumber(StreamBufferHandle_t buffer, UBaseType_t number);
uint8_t ucStreamBufferGetStreamBufferType(StreamBufferHandle_t buffer);

#ifdef __cplusplus
}
#endif

#endif
