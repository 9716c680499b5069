/* SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's heap: configTOTAL_HEAP_SIZE bytes, first fit; neighbours that are free become one block. All of it is weak:
 * a program may bring its own. */
#include "layer.h"

#include <string.h>

#define WEAK __attribute__((weak))
#define UNIT ((size_t)portBYTE_ALIGNMENT)

struct block {
  size_t bytes; /* with this header; the next one's neighbour begins there */
  struct block *next; /* free ones are listed by address; of one in use, itself */
} __attribute__((aligned(16)));

#if configAPPLICATION_ALLOCATED_HEAP
extern uint8_t ucHeap[configTOTAL_HEAP_SIZE];
#else
static uint8_t ucHeap[configTOTAL_HEAP_SIZE] __attribute__((section(".bss.stacks"), aligned(16)));
#endif

static struct block *list;
static size_t left, least, given, taken_back;
static int is_ready;

static void begin(void) {
  uintptr_t low = ((uintptr_t)ucHeap + UNIT - 1) & ~(UNIT - 1);
  list = (struct block *)low;
  left = least = ((uintptr_t)ucHeap + (configTOTAL_HEAP_SIZE)-low) & ~(UNIT - 1);
  *list = (struct block){left, NULL};
  is_ready = 1;
}

/* To the heap, with the lock. */
static void enter(void) {
  cl_frt_enter();
  if (!is_ready) begin();
}

static void *allocate(size_t bytes) {
  if (!bytes || bytes > (configTOTAL_HEAP_SIZE)) return NULL;
  bytes = (bytes + sizeof(struct block) + UNIT - 1) & ~(UNIT - 1);
  struct block **link = &list;
  while (*link && (*link)->bytes < bytes) link = &(*link)->next;
  struct block *found = *link;
  if (!found) return NULL;
  if (found->bytes - bytes >= 2 * sizeof *found) {
    struct block *rest = (struct block *)((uint8_t *)found + bytes);
    *rest = (struct block){found->bytes - bytes, found->next};
    *link = rest;
    found->bytes = bytes;
  } else {
    *link = found->next;
  }
  found->next = found;
  left -= found->bytes;
  if (left < least) least = left;
  given++;
  return found + 1;
}

static void join_next(struct block *block) {
  if (!block->next || (uint8_t *)block + block->bytes != (uint8_t *)block->next) return;
  block->bytes += block->next->bytes;
  block->next = block->next->next;
}

WEAK void *pvPortMalloc(size_t bytes) {
  cl_frt_reap(NULL);
  enter();
  void *block = allocate(bytes);
  cl_frt_leave();
#if configUSE_MALLOC_FAILED_HOOK
  if (!block) vApplicationMallocFailedHook();
#endif
  return block;
}

WEAK void vPortFree(void *memory) {
  struct block *block = (struct block *)memory - 1, *before = NULL;
  if (!memory) return;
  cl_frt_enter();
  configASSERT(block->next == block);
  if (block->next == block) {
    struct block **link = &list;
    while (*link && *link < block) {
      before = *link;
      link = &before->next;
    }
    block->next = *link;
    *link = block;
    left += block->bytes;
    taken_back++;
    join_next(block);
    if (before) join_next(before);
  }
  cl_frt_leave();
}

WEAK void *pvPortCalloc(size_t count, size_t bytes) {
  void *block = bytes && count > SIZE_MAX / bytes ? NULL : pvPortMalloc(count * bytes);
  return block ? memset(block, 0, count * bytes) : NULL;
}

WEAK size_t xPortGetFreeHeapSize(void) {
  cl_frt_reap(NULL);
  enter();
  cl_frt_leave();
  return left;
}
WEAK size_t xPortGetMinimumEverFreeHeapSize(void) {
  enter();
  cl_frt_leave();
  return least;
}
WEAK void xPortResetHeapMinimumEverFreeHeapSize(void) { least = left; }
WEAK void vPortInitialiseBlocks(void) {}
WEAK void vPortDefineHeapRegions(const HeapRegion_t *regions) { (void)regions; }

WEAK void vPortGetHeapStats(HeapStats_t *stats) {
  cl_frt_reap(NULL);
  enter();
  *stats = (HeapStats_t){.xAvailableHeapSpaceInBytes = left, .xMinimumEverFreeBytesRemaining = least};
  stats->xNumberOfSuccessfulAllocations = given;
  stats->xNumberOfSuccessfulFrees = taken_back;
  stats->xSizeOfSmallestFreeBlockInBytes = list ? SIZE_MAX : 0;
  for (const struct block *each = list; each; each = each->next) {
    stats->xNumberOfFreeBlocks++;
    if (each->bytes > stats->xSizeOfLargestFreeBlockInBytes) stats->xSizeOfLargestFreeBlockInBytes = each->bytes;
    if (each->bytes < stats->xSizeOfSmallestFreeBlockInBytes) stats->xSizeOfSmallestFreeBlockInBytes = each->bytes;
  }
  cl_frt_leave();
}
