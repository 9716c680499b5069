/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of items by value, for libraries made for FreeRTOS; nothing of Coreloom uses them. Nobody guards them. */
#ifndef LIST_H
#define LIST_H

#ifndef INC_FREERTOS_H
#error "include FreeRTOS.h before list.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct xLIST;
struct xLIST_ITEM {
  TickType_t xItemValue;
  struct xLIST_ITEM *pxNext, *pxPrevious;
  void *pvOwner;
  struct xLIST *pxContainer;
};
typedef struct xLIST_ITEM ListItem_t;
typedef ListItem_t MiniListItem_t;

typedef struct xLIST {
  UBaseType_t uxNumberOfItems;
  ListItem_t *pxIndex; /* of listGET_OWNER_OF_NEXT_ENTRY */
  ListItem_t xListEnd; /* has the highest value: first and last are beside it */
} List_t;

static inline void vListInitialise(List_t *list) {
  list->uxNumberOfItems = 0;
  list->pxIndex = &list->xListEnd;
  list->xListEnd = (ListItem_t){portMAX_DELAY, &list->xListEnd, &list->xListEnd, NULL, NULL};
}
static inline void vListInitialiseItem(ListItem_t *item) { item->pxContainer = NULL; }

static inline void cl_list_insert(List_t *list, ListItem_t *item, ListItem_t *next) {
  item->pxNext = next;
  item->pxPrevious = next->pxPrevious;
  next->pxPrevious->pxNext = item;
  next->pxPrevious = item;
  item->pxContainer = list;
  list->uxNumberOfItems++;
}
/* Behind all whose value is not higher. */
static inline void vListInsert(List_t *list, ListItem_t *item) {
  ListItem_t *last = list->xListEnd.pxPrevious;
  while (last != &list->xListEnd && last->xItemValue > item->xItemValue) last = last->pxPrevious;
  cl_list_insert(list, item, last->pxNext);
}
/* Where listGET_OWNER_OF_NEXT_ENTRY comes last. */
static inline void vListInsertEnd(List_t *list, ListItem_t *item) { cl_list_insert(list, item, list->pxIndex); }
/* How many are left in its list. */
static inline UBaseType_t uxListRemove(ListItem_t *item) {
  List_t *list = item->pxContainer;
  item->pxNext->pxPrevious = item->pxPrevious;
  item->pxPrevious->pxNext = item->pxNext;
  if (list->pxIndex == item) list->pxIndex = item->pxPrevious;
  item->pxContainer = NULL;
  return --list->uxNumberOfItems;
}
static inline void *cl_list_next_owner(List_t *list) {
  list->pxIndex = list->pxIndex->pxNext;
  if (list->pxIndex == &list->xListEnd) list->pxIndex = list->pxIndex->pxNext;
  return list->pxIndex->pvOwner;
}

#define listSET_LIST_ITEM_OWNER(item, owner) ((item)->pvOwner = (void *)(owner))
#define listGET_LIST_ITEM_OWNER(item) ((item)->pvOwner)
#define listSET_LIST_ITEM_VALUE(item, value) ((item)->xItemValue = (value))
#define listGET_LIST_ITEM_VALUE(item) ((item)->xItemValue)
#define listGET_ITEM_VALUE_OF_HEAD_ENTRY(list) ((list)->xListEnd.pxNext->xItemValue)
#define listGET_HEAD_ENTRY(list) ((list)->xListEnd.pxNext)
#define listGET_NEXT(item) ((item)->pxNext)
#define listGET_END_MARKER(list) ((const ListItem_t *)&(list)->xListEnd)
#define listLIST_IS_EMPTY(list) ((list)->uxNumberOfItems == 0 ? pdTRUE : pdFALSE)
#define listCURRENT_LIST_LENGTH(list) ((list)->uxNumberOfItems)
#define listGET_OWNER_OF_NEXT_ENTRY(owner, list) ((owner) = cl_list_next_owner(list))
#define listGET_OWNER_OF_HEAD_ENTRY(list) ((list)->xListEnd.pxNext->pvOwner)
#define listIS_CONTAINED_WITHIN(list, item) ((item)->pxContainer == (list) ? pdTRUE : pdFALSE)
#define listLIST_ITEM_CONTAINER(item) ((item)->pxContainer)
#define listLIST_IS_INITIALISED(list) ((list)->xListEnd.xItemValue == portMAX_DELAY)
#define listREMOVE_ITEM(item) ((void)uxListRemove(item))
#define listINSERT_END(list, item) vListInsertEnd(list, item)

#ifdef __cplusplus
}
#endif

#endif
