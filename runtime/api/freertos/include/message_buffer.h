/* SPDX-License-Identifier: Apache-2.0
 *
 * Message buffers: messages of any length from one task to one other. */
#ifndef FREERTOS_MESSAGE_BUFFER_H
#define FREERTOS_MESSAGE_BUFFER_H

#include "stream_buffer.h"

typedef StreamBufferHandle_t MessageBufferHandle_t;

#define xMessageBufferCreate(bytes) xStreamBufferGenericCreate(bytes, 0, sbTYPE_MESSAGE_BUFFER, NULL, NULL)
#define xMessageBufferCreateWithCallback(bytes, sent, received) \
  xStreamBufferGenericCreate(bytes, 0, sbTYPE_MESSAGE_BUFFER, sent, received)
#define xMessageBufferCreateStatic(bytes, storage, memory) \
  xStreamBufferGenericCreateStatic(bytes, 0, sbTYPE_MESSAGE_BUFFER, storage, memory, NULL, NULL)
#define xMessageBufferCreateStaticWithCallback(bytes, storage, memory, sent, received) \
  xStreamBufferGenericCreateStatic(bytes, 0, sbTYPE_MESSAGE_BUFFER, storage, memory, sent, received)
#define xMessageBufferGetStaticBuffers(buffer, storage, memory) xStreamBufferGetStaticBuffers(buffer, storage, memory)
#define xMessageBufferSend(buffer, bytes, count, ticks) xStreamBufferSend(buffer, bytes, count, ticks)
#define xMessageBufferSendFromISR(buffer, bytes, count, woken) xStreamBufferSendFromISR(buffer, bytes, count, woken)
#define xMessageBufferReceive(buffer, bytes, room, ticks) xStreamBufferReceive(buffer, bytes, room, ticks)
#define xMessageBufferReceiveFromISR(buffer, bytes, room, woken) xStreamBufferReceiveFromISR(buffer, bytes, room, woken)
#define vMessageBufferDelete(buffer) vStreamBufferDelete(buffer)
#define xMessageBufferIsFull(buffer) xStreamBufferIsFull(buffer)
#define xMessageBufferIsEmpty(buffer) xStreamBufferIsEmpty(buffer)
#define xMessageBufferReset(buffer) xStreamBufferReset(buffer)
#define xMessageBufferResetFromISR(buffer) xStreamBufferResetFromISR(buffer)
#define xMessageBufferSpaceAvailable(buffer) xStreamBufferSpacesAvailable(buffer)
#define xMessageBufferSpacesAvailable(buffer) xStreamBufferSpacesAvailable(buffer)
#define xMessageBufferNextLengthBytes(buffer) xStreamBufferNextMessageLengthBytes(buffer)
#define xMessageBufferSendCompletedFromISR(buffer, woken) xStreamBufferSendCompletedFromISR(buffer, woken)
#define xMessageBufferReceiveCompletedFromISR(buffer, woken) xStreamBufferReceiveCompletedFromISR(buffer, woken)

#endif
