/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap of configTOTAL_HEAP_SIZE bytes. Part of FreeRTOS.h. */
#ifndef PORTABLE_H
#define PORTABLE_H

#include "portmacro.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xHeapStats {
  size_t xAvailableHeapSpaceInBytes;
  size_t xSizeOfLargestFreeBlockInBytes;
  size_t xSizeOfSmallestFreeBlockInBytes;
  size_t xNumberOfFreeBlocks;
  size_t xMinimumEverFreeBytesRemaining;
  size_t xNumberOfSuccessfulAllocations;
  size_t xNumberOfSuccessfulFrees;
} HeapStats_t;

typedef struct HeapRegion {
  uint8_t *pucStartAddress;
  size_t xSizeInBytes;
} HeapRegion_t;

void *pvPortMalloc(size_t bytes); /* NULL: no room, after vApplicationMallocFailedHook if that is configured */
void *pvPortCalloc(size_t count, size_t bytes);
void vPortFree(void *block);
size_t xPortGetFreeHeapSize(void);
size_t xPortGetMinimumEverFreeHeapSize(void);
void vPortGetHeapStats(HeapStats_t *stats);
void vPortInitialiseBlocks(void);
void vPortDefineHeapRegions(const HeapRegion_t *regions); /* nothing: the heap is there */
void xPortResetHeapMinimumEverFreeHeapSize(void);

#define pvPortMallocStack pvPortMalloc
#define vPortFreeStack vPortFree

#ifdef __cplusplus
}
#endif

#endif
