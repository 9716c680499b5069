/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues and sets of them, semaphores, mutexes, event groups, stream and message buffers, the heap. */
#include "judge.h"
#include "atomic.h"
#include "croutine.h"
#include "list.h"

static QueueHandle_t queue;
static SemaphoreHandle_t semaphore, mutex;
static EventGroupHandle_t group;
static StreamBufferHandle_t stream;

static void receives(void *ticks) {
  char item = '-';
  if (xQueueReceive(queue, &item, (TickType_t)(uintptr_t)ticks) != pdTRUE) item = 'x';
  say(item);
  vTaskDelete(NULL);
}

static void sends(void *item) {
  say(xQueueSend(queue, item, portMAX_DELAY) == pdTRUE ? 's' : 'x');
  vTaskDelete(NULL);
}

static void peeks(void *unused) {
  char item = '-';
  (void)unused;
  xQueuePeek(queue, &item, portMAX_DELAY);
  say(item);
  vTaskDelete(NULL);
}

/* Random operations beside a list of the first bytes of what is in the queue; all bytes of an item follow from it. */
static int items_of(UBaseType_t bytes, UBaseType_t length) {
  static uint8_t given[48], got[48], list[8];
  static uint32_t random = 1;
  UBaseType_t count = 0;
  int wrong = 0;
  queue = xQueueCreate(length, bytes);
  for (int step = 0; step < 150; step++) {
    random = random * 1103515245 + 12345;
    unsigned what = random >> 16 & 7, offset = random >> 20 & 1; /* not every item is aligned */
    for (UBaseType_t i = 0; i < bytes; i++) given[offset + i] = (uint8_t)(step + i), got[offset + i] = 0;
    if (what < 4) {
      BaseType_t fits = what == 3 ? xQueueSendToFront(queue, given + offset, 0) : xQueueSend(queue, given + offset, 0);
      wrong += fits != (count < length);
      if (count == length) continue;
      if (what == 3) memmove(list + 1, list, count);
      list[what == 3 ? 0 : count] = (uint8_t)step;
      count++;
    } else {
      int peeks = what == 4;
      BaseType_t is_there = peeks ? xQueuePeek(queue, got + offset, 0) : xQueueReceive(queue, got + offset, 0);
      wrong += is_there != (count > 0);
      if (!count) continue;
      for (UBaseType_t i = 0; i < bytes; i++) wrong += got[offset + i] != (uint8_t)(list[0] + i);
      if (!peeks) memmove(list, list + 1, --count);
    }
    wrong += uxQueueMessagesWaiting(queue) != count;
  }
  vQueueDelete(queue);
  return wrong;
}

static void sends_words(void *unused) {
  (void)unused;
  for (uint32_t word = 1; word <= 9; word++) xQueueSend(queue, &word, portMAX_DELAY);
  say('s');
  vTaskDelete(NULL);
}

static void queues(void) {
  static StaticQueue_t memory;
  static uint8_t storage[3 * 12];
  char item = 0;
  BaseType_t woken = pdFALSE;

  test("items come out as they went in, and are copied");
  queue = xQueueCreate(3, 1);
  REQUIRE(xQueueSend(queue, "a", 0) == pdTRUE && xQueueSendToBack(queue, "b", 0) == pdTRUE);
  REQUIRE(xQueueSendToFront(queue, "c", 0) == pdTRUE);
  for (int i = 0; i < 3; i++) {
    REQUIRE(xQueueReceive(queue, &item, 0) == pdTRUE);
    say(item);
  }
  REQUIRE_LOG("cab");

  test("an empty queue gives nothing, a full one takes nothing");
  REQUIRE(xQueueReceive(queue, &item, 0) == errQUEUE_EMPTY);
  for (int i = 0; i < 3; i++) REQUIRE(xQueueSend(queue, "a", 0) == pdPASS);
  REQUIRE(xQueueSend(queue, "a", 0) == errQUEUE_FULL && xQueueSendToFront(queue, "a", 0) == errQUEUE_FULL);
  REQUIRE(uxQueueMessagesWaiting(queue) == 3 && uxQueueSpacesAvailable(queue) == 0);

  test("a wait for room ends at its limit");
  vTaskDelay(1);
  TickType_t before = xTaskGetTickCount();
  REQUIRE(xQueueSend(queue, "a", 2) == errQUEUE_FULL);
  REQUIRE((TickType_t)(xTaskGetTickCount() - before) == 2);

  test("reset empties a queue");
  REQUIRE(xQueueReset(queue) == pdPASS && uxQueueMessagesWaiting(queue) == 0 && uxQueueSpacesAvailable(queue) == 3);

  test("a waiting receiver gets an item at once");
  start(receives, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  xQueueSend(queue, "a", 0);
  say('b');
  REQUIRE_LOG("ab");

  test("of several the one of the highest priority, then the one that waits longest");
  vTaskDelay(1); /* a tick amid would end a turn */
  start(receives, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  start(receives, (void *)(uintptr_t)portMAX_DELAY, HIGH + 1);
  start(receives, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  vTaskSuspendAll();
  xQueueSend(queue, "a", 0);
  xQueueSend(queue, "b", 0);
  xQueueSend(queue, "c", 0);
  xTaskResumeAll();
  vTaskDelay(1);
  REQUIRE_LOG("abc");

  test("a waiting sender sends when there is room");
  for (int i = 0; i < 3; i++) xQueueSend(queue, "a", 0);
  start(sends, "d", HIGH);
  REQUIRE(uxQueueMessagesWaiting(queue) == 3);
  xQueueReceive(queue, &item, 0);
  REQUIRE(uxQueueMessagesWaiting(queue) == 3);
  REQUIRE_LOG("s");
  xQueueReset(queue);

  test("a wait for an item that is aborted fails");
  TaskHandle_t task = start(receives, (void *)1000, HIGH);
  REQUIRE(xTaskAbortDelay(task) == pdPASS);
  REQUIRE_LOG("x");

  test("peek leaves the item, and lets others see it");
  start(peeks, NULL, HIGH);
  start(peeks, NULL, HIGH);
  xQueueSend(queue, "p", 0);
  vTaskDelay(1);
  REQUIRE(xQueuePeek(queue, &item, 0) == pdTRUE && item == 'p' && uxQueueMessagesWaiting(queue) == 1);
  REQUIRE_LOG("pp");
  xQueueReset(queue);

  test("from interrupts: send, receive, peek, and whether a better task is woken");
  REQUIRE(xQueueSendFromISR(queue, "a", &woken) == pdTRUE && woken == pdFALSE);
  REQUIRE(xQueueSendToFrontFromISR(queue, "b", NULL) == pdTRUE);
  REQUIRE(xQueuePeekFromISR(queue, &item) == pdTRUE && item == 'b');
  REQUIRE(xQueueReceiveFromISR(queue, &item, &woken) == pdTRUE && item == 'b' && woken == pdFALSE);
  REQUIRE(xQueueReceiveFromISR(queue, &item, &woken) == pdTRUE && item == 'a');
  REQUIRE(xQueueReceiveFromISR(queue, &item, &woken) == pdFAIL && xQueueIsQueueEmptyFromISR(queue));
  task = start(receives, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  xQueueSendFromISR(queue, "c", &woken);
  REQUIRE(woken == pdTRUE);
  if (woken) taskYIELD();
  REQUIRE_LOG("c");
  vQueueDelete(queue);

  test("overwrite replaces the one item");
  uint32_t word = 0;
  queue = xQueueCreate(1, sizeof word);
  for (uint32_t i = 1; i < 4; i++) REQUIRE(xQueueOverwrite(queue, &i) == pdPASS);
  REQUIRE(uxQueueMessagesWaiting(queue) == 1 && xQueueReceive(queue, &word, 0) == pdTRUE && word == 3);
  vQueueDelete(queue);

  test("items of any size come in order, at either end");
  static const UBaseType_t sizes[] = {1, 4, 6, 8, 32, 36};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) REQUIRE(!items_of(sizes[i], 1 + i));

  test("whoever waits for room is woken by each item that is taken");
  queue = xQueueCreate(2, sizeof word);
  start(sends_words, NULL, HIGH);
  for (uint32_t i = 1; i <= 9; i++) {
    if (i > 2 && i < 8) REQUIRE(uxQueueMessagesWaiting(queue) == 2);
    REQUIRE(xQueueReceive(queue, &word, portMAX_DELAY) == pdTRUE && word == i);
  }
  REQUIRE_LOG("s");
  vQueueDelete(queue);

  test("static memory and its sizes; a name in the registry");
  uint8_t *its_storage = NULL;
  StaticQueue_t *its_memory = NULL;
  queue = xQueueCreateStatic(3, 12, storage, &memory);
  REQUIRE(xQueueGetStaticBuffers(queue, &its_storage, &its_memory) == pdTRUE);
  REQUIRE(its_storage == storage && its_memory == &memory);
  REQUIRE(uxQueueGetQueueItemSize(queue) == 12 && uxQueueGetQueueLength(queue) == 3);
  vQueueAddToRegistry(queue, "name");
  REQUIRE(!strcmp(pcQueueGetName(queue), "name"));
  vQueueUnregisterQueue(queue);
  REQUIRE(pcQueueGetName(queue) == NULL);
  for (int i = 0; i < 7; i++) {
    char words[12] = "eleven char";
    REQUIRE(xQueueSend(queue, words, 0) == pdTRUE && xQueueReceive(queue, words, 0) == pdTRUE && words[10] == 'r');
  }
  vQueueDelete(queue);
}

static void takes(void *ticks) {
  say(xSemaphoreTake(semaphore, (TickType_t)(uintptr_t)ticks) == pdTRUE ? 't' : 'x');
  vTaskDelete(NULL);
}

static void semaphores(void) {
  static StaticSemaphore_t memory;
  BaseType_t woken = pdFALSE;

  test("a binary semaphore is empty at first, and holds one");
  semaphore = xSemaphoreCreateBinary();
  REQUIRE(xSemaphoreTake(semaphore, 0) == pdFALSE);
  REQUIRE(xSemaphoreGive(semaphore) == pdTRUE && xSemaphoreGive(semaphore) == pdFALSE);
  REQUIRE(xSemaphoreTake(semaphore, 0) == pdTRUE && xSemaphoreTake(semaphore, 0) == pdFALSE);

  test("giving wakes a waiting task, from an interrupt, too");
  start(takes, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  xSemaphoreGive(semaphore);
  start(takes, (void *)5, HIGH);
  woken = pdFALSE;
  REQUIRE(xSemaphoreGiveFromISR(semaphore, &woken) == pdTRUE && woken == pdTRUE);
  if (woken) taskYIELD();
  REQUIRE_LOG("tt");

  test("a wait for it ends at its limit");
  vTaskDelay(1);
  TickType_t before = xTaskGetTickCount();
  REQUIRE(xSemaphoreTake(semaphore, 3) == pdFALSE);
  REQUIRE((TickType_t)(xTaskGetTickCount() - before) == 3);
  vSemaphoreDelete(semaphore);

  test("a counting semaphore counts from its first to its greatest value");
  semaphore = xSemaphoreCreateCountingStatic(3, 1, &memory);
  REQUIRE(uxSemaphoreGetCount(semaphore) == 1);
  REQUIRE(xSemaphoreGive(semaphore) == pdTRUE && xSemaphoreGive(semaphore) == pdTRUE);
  REQUIRE(xSemaphoreGive(semaphore) == pdFALSE && xSemaphoreGiveFromISR(semaphore, NULL) == pdFALSE);
  for (int i = 0; i < 3; i++) REQUIRE(xSemaphoreTake(semaphore, 0) == pdTRUE);
  REQUIRE(xSemaphoreTakeFromISR(semaphore, NULL) == pdFALSE && uxSemaphoreGetCount(semaphore) == 0);
}

static void locks(void *ticks) {
  say('l');
  BaseType_t got = xSemaphoreTake(mutex, (TickType_t)(uintptr_t)ticks);
  say(got ? 'm' : 'x');
  if (got) xSemaphoreGive(mutex);
  vTaskDelete(NULL);
}

#if CL_CPUS == 1
static void equals(void *unused) {
  (void)unused;
  say('e');
  vTaskDelete(NULL);
}
#endif

static void mutexes(void) {
  test("a mutex is free at first, when it cannot be given, and has a holder");
  mutex = xSemaphoreCreateMutex();
  REQUIRE(xSemaphoreGetMutexHolder(mutex) == NULL && xSemaphoreGive(mutex) == pdFALSE);
  REQUIRE(xSemaphoreTake(mutex, 0) == pdTRUE && xSemaphoreGetMutexHolder(mutex) == judge);
  REQUIRE(xSemaphoreTake(mutex, 0) == pdFALSE);

  test("its holder inherits the priority of a task that waits, until it gives it back");
  start(locks, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  REQUIRE(uxTaskPriorityGet(NULL) == HIGH && uxTaskBasePriorityGet(NULL) == MIDDLE);
  say('g');
  xSemaphoreGive(mutex);
  REQUIRE(uxTaskPriorityGet(NULL) == MIDDLE);
  REQUIRE_LOG("lgm");

  test("and no longer than the task waits");
  xSemaphoreTake(mutex, 0);
  start(locks, (void *)2, HIGH + 1);
  REQUIRE(uxTaskPriorityGet(NULL) == HIGH + 1);
  vTaskDelay(4);
  REQUIRE(uxTaskPriorityGet(NULL) == MIDDLE);
  REQUIRE_LOG("lx");

  test("an inherited priority outlives a change of the own one");
  start(locks, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  vTaskPrioritySet(NULL, LOW);
  REQUIRE(uxTaskPriorityGet(NULL) == HIGH && uxTaskBasePriorityGet(NULL) == LOW);
  xSemaphoreGive(mutex);
  REQUIRE(uxTaskPriorityGet(NULL) == LOW);
  vTaskPrioritySet(NULL, MIDDLE);

#if CL_CPUS == 1
  test("a task that loses an inherited priority comes after its equals");
  xSemaphoreTake(mutex, 0);
  start(locks, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  start(equals, NULL, MIDDLE);
  xSemaphoreGive(mutex);
  say('j');
  REQUIRE_LOG("lmej");
#endif

  test("with two mutexes it ends when the last is given back");
  SemaphoreHandle_t other = xSemaphoreCreateMutex();
  xSemaphoreTake(mutex, 0);
  xSemaphoreTake(other, 0);
  start(locks, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  xSemaphoreGive(other);
  REQUIRE(uxTaskPriorityGet(NULL) == HIGH);
  xSemaphoreGive(mutex);
  REQUIRE(uxTaskPriorityGet(NULL) == MIDDLE);
  vSemaphoreDelete(other);
  vSemaphoreDelete(mutex);

  test("a recursive mutex is free when it was given back as often as taken");
  mutex = xSemaphoreCreateRecursiveMutex();
  REQUIRE(xSemaphoreTakeRecursive(mutex, 0) == pdTRUE && xSemaphoreTakeRecursive(mutex, 0) == pdTRUE);
  start(locks, (void *)(uintptr_t)0, HIGH);
  REQUIRE(xSemaphoreGiveRecursive(mutex) == pdTRUE && xSemaphoreGetMutexHolder(mutex) == judge);
  REQUIRE(xSemaphoreGiveRecursive(mutex) == pdTRUE && xSemaphoreGetMutexHolder(mutex) == NULL);
  REQUIRE(xSemaphoreGiveRecursive(mutex) == pdFALSE);
  REQUIRE_LOG("lx");
  vSemaphoreDelete(mutex);
}

static void selects(void *set) {
  char item;
  for (int i = 0; i < 2; i++) {
    QueueSetMemberHandle_t member = xQueueSelectFromSet(set, portMAX_DELAY);
    say(member == queue ? 'q' : member == semaphore ? 's' : 'x');
    if (member == queue) xQueueReceive(queue, &item, 0);
    else xSemaphoreTake(semaphore, 0);
  }
  vTaskDelete(NULL);
}

static void sets(void) {
  QueueSetHandle_t set = xQueueCreateSet(4);
  queue = xQueueCreate(3, 1);
  semaphore = xSemaphoreCreateBinary();
  char item;

  test("a member is added when it is empty and in no set");
  xSemaphoreGive(semaphore);
  REQUIRE(xQueueAddToSet(semaphore, set) == pdFAIL);
  xSemaphoreTake(semaphore, 0);
  REQUIRE(xQueueAddToSet(semaphore, set) == pdPASS && xQueueAddToSet(queue, set) == pdPASS);
  REQUIRE(xQueueAddToSet(queue, set) == pdFAIL);

  test("a set tells which member has something, in order");
  xQueueSend(queue, "a", 0);
  xSemaphoreGive(semaphore);
  xQueueSend(queue, "b", 0);
  REQUIRE(xQueueSelectFromSet(set, 0) == queue && xQueueReceive(queue, &item, 0) == pdTRUE && item == 'a');
  REQUIRE(xQueueSelectFromSet(set, 0) == semaphore && xSemaphoreTake(semaphore, 0) == pdTRUE);
  REQUIRE(xQueueSelectFromSetFromISR(set) == queue && xQueueReceive(queue, &item, 0) == pdTRUE && item == 'b');
  REQUIRE(xQueueSelectFromSet(set, 2) == NULL);

  test("a set wakes a task that waits, from an interrupt, too");
  start(selects, set, HIGH);
  xSemaphoreGive(semaphore);
  BaseType_t woken = pdFALSE;
  REQUIRE(xQueueSendToFrontFromISR(queue, "c", &woken) == pdTRUE && woken == pdTRUE);
  if (woken) taskYIELD();
  REQUIRE_LOG("sq");

  test("an item that is replaced is told once");
  QueueHandle_t box = xQueueCreate(1, 1);
  REQUIRE(xQueueAddToSet(box, set) == pdPASS);
  REQUIRE(xQueueOverwrite(box, "d") == pdPASS && xQueueOverwriteFromISR(box, "e", NULL) == pdPASS);
  REQUIRE(uxQueueMessagesWaiting(set) == 1 && xQueueSelectFromSet(set, 0) == box);
  REQUIRE(xQueueReceive(box, &item, 0) == pdTRUE && item == 'e');
  REQUIRE(xQueueRemoveFromSet(box, set) == pdPASS);
  vQueueDelete(box);

  test("a counting semaphore is told as often as it is given, and no more when full");
  SemaphoreHandle_t counting = xSemaphoreCreateCounting(2, 0);
  REQUIRE(xQueueAddToSet(counting, set) == pdPASS);
  REQUIRE(xSemaphoreGive(counting) && xSemaphoreGiveFromISR(counting, NULL) && !xSemaphoreGive(counting));
  REQUIRE(uxQueueMessagesWaiting(set) == 2);
  for (int i = 0; i < 2; i++) REQUIRE(xQueueSelectFromSet(set, 0) == counting && xSemaphoreTake(counting, 0));
  REQUIRE(xQueueSelectFromSet(set, 0) == NULL && xQueueRemoveFromSet(counting, set) == pdPASS);
  REQUIRE(xSemaphoreGive(counting) == pdTRUE && uxQueueMessagesWaiting(set) == 0);
  vSemaphoreDelete(counting);

  test("a member leaves its set when it is empty");
  xQueueSend(queue, "a", 0);
  REQUIRE(xQueueRemoveFromSet(queue, set) == pdFAIL);
  xQueueSelectFromSet(set, 0);
  xQueueReceive(queue, &item, 0);
  REQUIRE(xQueueRemoveFromSet(queue, set) == pdPASS && xQueueRemoveFromSet(queue, set) == pdFAIL);
  xQueueRemoveFromSet(semaphore, set);
  vQueueDelete(queue);
  vSemaphoreDelete(semaphore);
  vQueueDelete(set);
}

static volatile EventBits_t seen;

static void wants_all(void *unused) {
  (void)unused;
  seen = xEventGroupWaitBits(group, 3, pdTRUE, pdTRUE, portMAX_DELAY);
  say('A');
  vTaskDelete(NULL);
}

static void wants_any(void *unused) {
  (void)unused;
  seen = xEventGroupWaitBits(group, 6, pdFALSE, pdFALSE, portMAX_DELAY);
  say('B');
  vTaskDelete(NULL);
}

static void meets(void *bit) {
  xEventGroupSync(group, (EventBits_t)(uintptr_t)bit, 7, portMAX_DELAY);
  say((char)('0' + (uintptr_t)bit));
  vTaskDelete(NULL);
}

static void events(void) {
  static StaticEventGroup_t memory;
  group = xEventGroupCreateStatic(&memory);

  test("bits are set, read and cleared");
  REQUIRE(xEventGroupSetBits(group, 5) == 5 && xEventGroupGetBits(group) == 5);
  REQUIRE(xEventGroupClearBits(group, 4) == 5 && xEventGroupGetBitsFromISR(group) == 1);
  xEventGroupClearBits(group, 1);

  test("a task waits for all of its bits, and clears them");
  start(wants_all, NULL, HIGH);
  xEventGroupSetBits(group, 1);
  say('1');
  xEventGroupSetBits(group, 2 | 8);
  REQUIRE(seen == 11 && xEventGroupGetBits(group) == 8);
  REQUIRE_LOG("1A");

  test("or for any, and leaves them");
  xEventGroupClearBits(group, 255);
  start(wants_any, NULL, HIGH);
  xEventGroupSetBits(group, 4);
  REQUIRE(seen == 4 && xEventGroupGetBits(group) == 4);
  REQUIRE_LOG("B");

  test("one call wakes all for which its bits suffice");
  xEventGroupClearBits(group, 255);
  start(wants_all, NULL, HIGH);
  start(wants_any, NULL, HIGH + 1);
  xEventGroupSetBits(group, 3);
  vTaskDelay(1);
  REQUIRE(strlen(log_text) == 2 && xEventGroupGetBits(group) == 0);

  test("what is there already is not waited for; else the limit counts");
  xEventGroupSetBits(group, 1);
  REQUIRE(xEventGroupWaitBits(group, 1, pdTRUE, pdTRUE, 0) == 1 && xEventGroupGetBits(group) == 0);
  vTaskDelay(1);
  TickType_t before = xTaskGetTickCount();
  REQUIRE((xEventGroupWaitBits(group, 1, pdTRUE, pdTRUE, 3) & 1) == 0);
  REQUIRE((TickType_t)(xTaskGetTickCount() - before) == 3);

  test("a rendezvous ends for all when the last has come, and clears the bits");
  start(meets, (void *)1, HIGH);
  start(meets, (void *)2, HIGH);
  say('a');
  REQUIRE(xEventGroupSync(group, 4, 7, portMAX_DELAY) == 7);
  vTaskDelay(1);
  REQUIRE(xEventGroupGetBits(group) == 0);
  REQUIRE(strlen(log_text) == 3 && log_text[0] == 'a'); /* two CPUs go on with both at once */

  test("a rendezvous to which not all come ends at its limit");
  REQUIRE(xEventGroupSync(group, 4, 7, 2) == 4);

  test("bits from an interrupt");
  start(wants_any, NULL, HIGH);
  xEventGroupClearBits(group, 255);
  REQUIRE(xEventGroupSetBitsFromISR(group, 2, NULL) == pdPASS);
  vTaskDelay(1);
  REQUIRE_LOG("B");

  test("a deleted group ends waits");
  xEventGroupClearBits(group, 255);
  start(wants_any, NULL, HIGH);
  vEventGroupDelete(group);
  REQUIRE(seen == 0);
  REQUIRE_LOG("B");
}

static char text[16];

static void reads(void *room) {
  size_t count = xStreamBufferReceive(stream, text, (size_t)(uintptr_t)room, 10);
  say((char)('0' + count));
  vTaskDelete(NULL);
}

static void writes(void *unused) {
  (void)unused;
  say((char)('0' + xStreamBufferSend(stream, "12345", 5, 10)));
  vTaskDelete(NULL);
}

static void streams(void) {
  test("bytes come as they went, and as many as there are");
  stream = xStreamBufferCreate(8, 3);
  REQUIRE(xStreamBufferIsEmpty(stream) && xStreamBufferSpacesAvailable(stream) == 8);
  REQUIRE(xStreamBufferSend(stream, "abcde", 5, 0) == 5 && xStreamBufferBytesAvailable(stream) == 5);
  REQUIRE(xStreamBufferReceive(stream, text, 3, 0) == 3 && !memcmp(text, "abc", 3));
  REQUIRE(xStreamBufferSend(stream, "fghijklm", 8, 0) == 6 && xStreamBufferIsFull(stream));
  REQUIRE(xStreamBufferReceive(stream, text, sizeof text, 0) == 8 && !memcmp(text, "defghijk", 8));
  REQUIRE(xStreamBufferReceive(stream, text, sizeof text, 0) == 0);

  test("a reader wakes when the trigger level is reached");
  start(reads, (void *)8, HIGH);
  xStreamBufferSend(stream, "a", 1, 0);
  xStreamBufferSend(stream, "b", 1, 0);
  say('b');
  xStreamBufferSend(stream, "c", 1, 0);
  REQUIRE_LOG("b3");

  test("or at its limit, with what there is");
  start(reads, (void *)8, HIGH);
  xStreamBufferSend(stream, "ab", 2, 0);
  say('b');
  vTaskDelay(12);
  REQUIRE_LOG("b2");

  test("the trigger level is at least 1, and at most what fits");
  REQUIRE(xStreamBufferSetTriggerLevel(stream, 9) == pdFALSE && xStreamBufferSetTriggerLevel(stream, 0) == pdTRUE);
  start(reads, (void *)8, HIGH);
  xStreamBufferSend(stream, "a", 1, 0);
  REQUIRE_LOG("1");

  test("a writer waits for room for all of its bytes");
  xStreamBufferSend(stream, "abcdef", 6, 0);
  start(writes, NULL, HIGH);
  REQUIRE(xStreamBufferReceive(stream, text, 2, 0) == 2);
  say('r');
  REQUIRE(xStreamBufferReceive(stream, text, 2, 0) == 2);
  REQUIRE_LOG("r5");

  test("reset empties it, unless a task waits");
  REQUIRE(xStreamBufferReset(stream) == pdPASS && xStreamBufferIsEmpty(stream));
  start(reads, (void *)8, HIGH);
  REQUIRE(xStreamBufferReset(stream) == pdFAIL);
  REQUIRE(xStreamBufferSendFromISR(stream, "ab", 2, NULL) == 2);
  vTaskDelay(1);
  REQUIRE_LOG("2");
  vStreamBufferDelete(stream);

  test("messages keep their lengths");
  static uint8_t storage[21];
  static StaticMessageBuffer_t memory;
  stream = xMessageBufferCreateStatic(sizeof storage, storage, &memory);
  REQUIRE(xMessageBufferSend(stream, "abc", 3, 0) == 3 && xMessageBufferSend(stream, "defgh", 5, 0) == 5);
  REQUIRE(xMessageBufferSpacesAvailable(stream) == 4 && xMessageBufferIsFull(stream));
  REQUIRE(xMessageBufferNextLengthBytes(stream) == 3);
  REQUIRE(xMessageBufferReceive(stream, text, 2, 0) == 0);
  REQUIRE(xMessageBufferReceive(stream, text, sizeof text, 0) == 3 && !memcmp(text, "abc", 3));
  REQUIRE(xMessageBufferReceiveFromISR(stream, text, sizeof text, NULL) == 5 && !memcmp(text, "defgh", 5));
  REQUIRE(xMessageBufferReceive(stream, text, sizeof text, 0) == 0 && xMessageBufferIsEmpty(stream));

  test("a message is sent as a whole, or not");
  REQUIRE(xMessageBufferSend(stream, "0123456789abcdef0123", 17, 5) == 0 && xMessageBufferIsEmpty(stream));
  REQUIRE(xMessageBufferSend(stream, "0123456789abcdef", 16, 0) == 16 && xMessageBufferSend(stream, "a", 1, 2) == 0);
  vMessageBufferDelete(stream);
}

static void heap(void) {
  HeapStats_t stats;
  size_t before = xPortGetFreeHeapSize();
  test("the heap gives aligned blocks apart from each other, and joins them again");
  char *blocks[3];
  for (int i = 0; i < 3; i++) {
    blocks[i] = pvPortMalloc(100);
    REQUIRE(blocks[i] && !((uintptr_t)blocks[i] % portBYTE_ALIGNMENT));
    memset(blocks[i], i, 100);
  }
  for (int i = 0; i < 3; i++) REQUIRE(blocks[i][0] == i && blocks[i][99] == i);
  REQUIRE(xPortGetFreeHeapSize() <= before - 300);
  vPortFree(blocks[1]);
  vPortFree(blocks[0]);
  vPortFree(blocks[2]);
  REQUIRE(xPortGetFreeHeapSize() == before && xPortGetMinimumEverFreeHeapSize() <= before - 300);
  vPortGetHeapStats(&stats);
  REQUIRE(stats.xAvailableHeapSpaceInBytes == before && stats.xSizeOfLargestFreeBlockInBytes <= before);
  test("a calloc is cleared; free of nothing does nothing");
  char *cleared = pvPortCalloc(10, 10);
  REQUIRE(cleared && !cleared[0] && !cleared[99]);
  vPortFree(cleared);
  vPortFree(NULL);
}

void vApplicationMallocFailedHook(void) {}
void vApplicationDaemonTaskStartupHook(void) {}

static void hooks(void) {
  test("the tick hook is called at each tick, and may use functions for interrupts");
  vTaskDelay(1);
  unsigned before = ticks;
  vTaskDelay(5);
  REQUIRE(ticks - before == 5);
  each_tick = xSemaphoreCreateBinary();
  xSemaphoreTake(each_tick, portMAX_DELAY);
  TickType_t now = xTaskGetTickCount();
  for (int i = 0; i < 3; i++) REQUIRE(xSemaphoreTake(each_tick, portMAX_DELAY) == pdTRUE);
  REQUIRE((TickType_t)(xTaskGetTickCount() - now) == 3);
}

/* Names of before FreeRTOS V8, which are there unless a configuration says no. */
static void old_names(void) {
  test("names of old versions stand for today's");
  xQueueHandle old = xQueueCreate(1, sizeof(portTickType));
  xSemaphoreHandle binary;
  vSemaphoreCreateBinary(binary);
  portTickType ticks_of_a_second = 1000 / portTICK_RATE_MS, got = 0;
  REQUIRE(xQueueSend(old, &ticks_of_a_second, 0) == pdTRUE && xQueueReceive(old, &got, 0) == pdTRUE);
  REQUIRE(got == configTICK_RATE_HZ && xSemaphoreTake(binary, 0) == pdTRUE);
  xTaskHandle self = xTaskGetCurrentTaskHandle();
  pdTASK_CODE code = sends_words;
  tmrTIMER_CALLBACK callback = NULL;
  xTimerHandle timer = NULL;
  REQUIRE(!strcmp(pcTaskGetTaskName(self), pcTaskGetName(self)) && eTaskStateGet(self) == eRunning);
  REQUIRE(code && !callback && !timer);
  vSemaphoreDelete(binary);
  vQueueDelete(old);
}

static void atomics(void) {
  static void *pointer = &pointer;
  uint32_t word = 6;
  test("an atomic operation changes a word, and gives what it was");
  REQUIRE(Atomic_Add_u32(&word, 4) == 6 && Atomic_Subtract_u32(&word, 3) == 10 && word == 7);
  REQUIRE(Atomic_Increment_u32(&word) == 7 && Atomic_Decrement_u32(&word) == 8 && word == 7);
  REQUIRE(Atomic_OR_u32(&word, 8) == 7 && Atomic_AND_u32(&word, 12) == 15 && word == 12);
  REQUIRE(Atomic_XOR_u32(&word, 5) == 12 && Atomic_NAND_u32(&word, 9) == 9 && word == ~9u);
  REQUIRE(Atomic_CompareAndSwap_u32(&word, 1, 2) == ATOMIC_COMPARE_AND_SWAP_FAILURE && word == ~9u);
  REQUIRE(Atomic_CompareAndSwap_u32(&word, 1, ~9u) == ATOMIC_COMPARE_AND_SWAP_SUCCESS && word == 1);
  REQUIRE(Atomic_SwapPointers_p32(&pointer, NULL) == &pointer && !pointer);
  REQUIRE(Atomic_CompareAndSwapPointers_p32(&pointer, &word, NULL) == ATOMIC_COMPARE_AND_SWAP_SUCCESS);
  REQUIRE(pointer == &word);
}

static void lists(void) {
  static List_t list;
  static ListItem_t items[5];
  static const TickType_t values[] = {30, 10, 20, 10, portMAX_DELAY};
  static char owners[5], order[8];
  test("a list is in the order of its values, equals in that of their coming");
  vListInitialise(&list);
  REQUIRE(listLIST_IS_INITIALISED(&list) && listLIST_IS_EMPTY(&list) && listCURRENT_LIST_LENGTH(&list) == 0);
  for (int i = 0; i < 5; i++) {
    vListInitialiseItem(&items[i]);
    listSET_LIST_ITEM_OWNER(&items[i], &owners[i]);
    listSET_LIST_ITEM_VALUE(&items[i], values[i]);
    vListInsert(&list, &items[i]);
  }
  int length = 0;
  const ListItem_t *item = listGET_HEAD_ENTRY(&list);
  for (; item != listGET_END_MARKER(&list); item = listGET_NEXT(item)) {
    order[length++] = (char)('0' + ((char *)listGET_LIST_ITEM_OWNER(item) - owners));
  }
  REQUIRE(!strcmp(order, "13204") && listGET_ITEM_VALUE_OF_HEAD_ENTRY(&list) == 10);
  REQUIRE(listGET_OWNER_OF_HEAD_ENTRY(&list) == &owners[1] && listIS_CONTAINED_WITHIN(&list, &items[4]));
  test("an item leaves its list, and one after the other is the next, all round");
  REQUIRE(uxListRemove(&items[2]) == 4 && !listLIST_ITEM_CONTAINER(&items[2]));
  REQUIRE(!listIS_CONTAINED_WITHIN(&list, &items[2]) && uxListRemove(&items[4]) == 3);
#ifdef listGET_OWNER_OF_NEXT_ENTRY /* which FreeRTOS has with one core only */
  void *owner;
  for (int i = 0; i < 7; i++) {
    listGET_OWNER_OF_NEXT_ENTRY(owner, &list);
    order[i] = (char)('0' + ((char *)owner - owners));
  }
  REQUIRE(!strcmp(order, "1301301"));
  vListInsertEnd(&list, &items[2]); /* before the one that was the last */
  for (int i = 0; i < 4; i++) {
    listGET_OWNER_OF_NEXT_ENTRY(owner, &list);
    order[i] = (char)('0' + ((char *)owner - owners));
  }
  REQUIRE(!strncmp(order, "3021", 4));
#endif
}

static void tests(void) {
  queues();
  semaphores();
  mutexes();
  sets();
  events();
  streams();
  heap();
  hooks();
  old_names();
  atomics();
  lists();
}
