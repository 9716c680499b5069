/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks, time, notifications, software timers; with several CPUs also what FreeRTOS defines for them. */
#include "judge.h"

static void says(void *what) {
  say(*(const char *)what);
  vTaskDelete(NULL);
}

static void suspends(void *what) {
  say(*(const char *)what);
  vTaskSuspend(NULL);
  say('r');
  vTaskDelete(NULL);
}

static void delays(void *ticks) {
  say('d');
  vTaskDelay((TickType_t)(uintptr_t)ticks);
  say('D');
  vTaskDelete(NULL);
}

static void computes(void *counter) {
  for (;;) ++*(volatile unsigned *)counter;
}

static QueueHandle_t handed;
static void receives(void *unused) {
  (void)unused;
  for (int item;;) xQueueReceive(handed, &item, portMAX_DELAY);
}

static void sends(void *counter) {
  for (int item = 0;; ++*(volatile unsigned *)counter) xQueueSend(handed, &item, portMAX_DELAY);
}

#if CL_CPUS == 1
static void yields(void *what) {
  for (int i = 0; i < 2; i++) {
    say(*(const char *)what);
    taskYIELD();
  }
  vTaskDelete(NULL);
}
#endif

static unsigned counted;

static TaskHandle_t start_static(TaskFunction_t code, const char *name, UBaseType_t priority, uint32_t words,
                                 StackType_t *stack, StaticTask_t *memory) {
#if CL_CPUS > 1
  return xTaskCreateStaticAffinitySet(code, name, words, "a", priority, stack, memory, 1);
#else
  return xTaskCreateStatic(code, name, words, "a", priority, stack, memory);
#endif
}

/* As many tasks as there can be: FreeRTOS has no limit, our kernels have CL_THREADS. */
static void many(void) {
  enum { MANY = 80, WORDS = 256 };
  static StaticTask_t memory[MANY];
  static StackType_t stacks[MANY][WORDS];
  static TaskHandle_t made[MANY];

  test("a task that is refused leaves its handle, the heap and the number of tasks as they were");
  const UBaseType_t before = uxTaskGetNumberOfTasks();
  for (int round = 0; round < 2; round++) {
    int number = 0;
    vTaskDelay(3);
    const size_t bytes = xPortGetFreeHeapSize();
    while (number < MANY && (made[number] = start_static(says, "", LOW, WORDS, stacks[number], &memory[number])))
      number++;
    TaskHandle_t task = (TaskHandle_t)1;
#if CL_CPUS > 1
    const BaseType_t status = xTaskCreateAffinitySet(says, "", STACK, "a", LOW, 1, &task);
#else
    const BaseType_t status = xTaskCreate(says, "", STACK, "a", LOW, &task);
#endif
    if (number < MANY) {
      REQUIRE(status == errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY && task == (TaskHandle_t)1);
      REQUIRE(xPortGetFreeHeapSize() == bytes);
    } else {
      REQUIRE(status == pdPASS && task != (TaskHandle_t)1);
      vTaskDelete(task);
    }
    REQUIRE(uxTaskGetNumberOfTasks() == before + (UBaseType_t)number);
    while (number) vTaskDelete(made[--number]);
    REQUIRE(uxTaskGetNumberOfTasks() == before);
  }
}

static void creation(void) {
  static StaticTask_t memory;
  static StackType_t stack[STACK];
  StackType_t *its_stack = NULL;
  StaticTask_t *its_memory = NULL;

  test("a created task of a higher priority runs at once");
  start(says, "a", HIGH);
  say('b');
  REQUIRE_LOG("ab");

  test("one of a lower priority does not run before its creator waits");
  start(says, "a", LOW);
  say('b');
  vTaskDelay(2);
  REQUIRE_LOG("ba");

  test("static memory is used for a task and its stack");
  TaskHandle_t task = start_static(suspends, "static", HIGH, STACK, stack, &memory);
  REQUIRE(task == (TaskHandle_t)&memory);
  REQUIRE(xTaskGetStaticBuffers(task, &its_stack, &its_memory) == pdTRUE);
  REQUIRE(its_stack == stack && its_memory == &memory);
  REQUIRE(xTaskGetStaticBuffers(judge, &its_stack, &its_memory) == pdFALSE);

  test("a task is found by its name, which is cut");
  REQUIRE(!strcmp(pcTaskGetName(task), "static"));
  REQUIRE(xTaskGetHandle("static") == task);
  REQUIRE(!strcmp(pcTaskGetName(NULL), "helper"));
  vTaskDelete(task);
  task = start_static(suspends, "longer than eight", HIGH, STACK, stack, &memory);
  REQUIRE(!strcmp(pcTaskGetName(task), "longer "));

  test("the memory of a deleted static task may be used at once");
  vTaskDelete(task);
  REQUIRE_LOG("");

  test("the number of tasks counts all that there are");
  UBaseType_t number = uxTaskGetNumberOfTasks();
  task = start(suspends, "a", HIGH);
  REQUIRE(uxTaskGetNumberOfTasks() == number + 1);
  vTaskDelete(task);
  REQUIRE(uxTaskGetNumberOfTasks() == number);

  test("the heap gets back what a deleted task had");
  vTaskDelay(3); /* the idle task frees what is left of others */
  size_t free_bytes = xPortGetFreeHeapSize();
  task = start(suspends, "a", HIGH);
  REQUIRE(xPortGetFreeHeapSize() < free_bytes);
  vTaskDelete(task);
  REQUIRE(xPortGetFreeHeapSize() == free_bytes);

  test("and what one had that deleted itself, when the CPU has been idle");
  start(says, "a", HIGH);
  vTaskDelay(3);
  REQUIRE(xPortGetFreeHeapSize() == free_bytes);

  test("no task is created without memory");
  task = (TaskHandle_t)1;
  REQUIRE(xTaskCreate(says, "", 1000000, NULL, LOW, &task) == errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY);
  REQUIRE(task == (TaskHandle_t)1);
  many();
}

static void control(void) {
  test("states: running, ready, blocked, suspended");
  REQUIRE(eTaskGetState(judge) == eRunning);
  TaskHandle_t task = start(says, "a", LOW);
  REQUIRE(eTaskGetState(task) == eReady);
  vTaskDelay(1);
  task = start(delays, (void *)5, HIGH);
  REQUIRE(eTaskGetState(task) == eBlocked);
  vTaskDelay(6);
  task = start(suspends, "a", HIGH);
  REQUIRE(eTaskGetState(task) == eSuspended);
  vTaskDelete(task);

  test("a suspended task runs again when it is resumed, as often as it was suspended");
  task = start(suspends, "a", HIGH);
  vTaskSuspend(task);
  say('b');
  vTaskResume(task);
  say('c');
  REQUIRE_LOG("abrc");

  test("a ready task that is suspended does not run");
  task = start(says, "a", LOW);
  vTaskSuspend(task);
  vTaskDelay(2);
  say('b');
  vTaskResume(task);
  vTaskDelay(1);
  REQUIRE_LOG("ba");

  test("a delayed task that is suspended waits on, and is ready when it is resumed");
  task = start(delays, (void *)3, HIGH);
  vTaskSuspend(task);
  vTaskDelay(6);
  REQUIRE_LOG("d");
  vTaskResume(task);
  REQUIRE_LOG("dD");

  test("xTaskResumeFromISR says whether the resumed task is better");
  task = start(suspends, "a", LOW);
  vTaskDelay(1);
  REQUIRE(xTaskResumeFromISR(task) == pdFALSE);
  vTaskDelay(2);
  REQUIRE_LOG("ar");

  test("a deleted task does not run any more: ready, delayed, suspended");
  vTaskDelete(start(says, "a", LOW));
  vTaskDelete(start(delays, (void *)2, HIGH));
  vTaskDelete(start(suspends, "s", HIGH));
  vTaskDelay(4);
  REQUIRE_LOG("ds");

  test("priorities are read and set, and decide at once");
  task = start(suspends, "a", LOW);
  REQUIRE(uxTaskPriorityGet(task) == LOW && uxTaskPriorityGet(NULL) == MIDDLE);
  vTaskPrioritySet(task, HIGH);
  REQUIRE_LOG("a");
  REQUIRE(uxTaskPriorityGet(task) == HIGH && uxTaskBasePriorityGet(task) == HIGH);
  vTaskDelete(task);

  test("a task that lowers itself gives way");
  start(says, "a", LOW);
  vTaskPrioritySet(NULL, LOW - 1);
  say('b');
  vTaskPrioritySet(NULL, MIDDLE);
  REQUIRE_LOG("ab");

#if CL_CPUS == 1
  test("equals take turns when they yield");
  start(yields, "a", LOW);
  start(yields, "b", LOW);
  for (unsigned now = ticks; ticks == now;) continue; /* a tick amid would end a turn, too */
  vTaskDelay(3);
  REQUIRE_LOG("abab");
#endif

#if CL_CPUS == 1
  test("a task that lowers itself comes after its new equals");
  start(says, "a", LOW);
  start(says, "b", LOW);
  for (unsigned now = ticks; ticks == now;) continue; /* a tick amid would end its turn, too */
  vTaskPrioritySet(NULL, LOW);
  say('c');
  vTaskPrioritySet(NULL, MIDDLE);
  REQUIRE_LOG("abc");
#endif

  test("equals share the CPU by time slices");
  unsigned other = 0;
  counted = 0;
  TaskHandle_t tasks[] = {start(computes, &counted, LOW), start(computes, &other, LOW)};
  vTaskDelay(10);
  vTaskDelete(tasks[0]);
  vTaskDelete(tasks[1]);
  REQUIRE(counted && other && counted < 2 * other && other < 2 * counted);

  test("equals share it also if better tasks preempt them all the time");
  handed = xQueueCreate(1, sizeof(int));
  counted = other = 0;
  TaskHandle_t three[] = {start(receives, NULL, HIGH), start(sends, &counted, LOW), start(computes, &other, LOW)};
  vTaskDelay(10);
  for (unsigned index = 0; index < 3; index++) vTaskDelete(three[index]);
  vQueueDelete(handed);
  REQUIRE(counted && other);

  test("nothing else runs while the scheduler is suspended");
  vTaskSuspendAll();
  start(says, "a", HIGH);
  REQUIRE(xTaskGetSchedulerState() == taskSCHEDULER_SUSPENDED);
  vTaskSuspendAll();
  xTaskResumeAll();
  say('b');
  if (!xTaskResumeAll()) taskYIELD();
  REQUIRE(xTaskGetSchedulerState() == taskSCHEDULER_RUNNING);
  REQUIRE_LOG("ba");

  test("nor in a critical section, which nests");
  taskENTER_CRITICAL();
  taskENTER_CRITICAL();
  task = judge;
  xTaskNotifyGive(task);
  taskEXIT_CRITICAL();
  say('a');
  taskEXIT_CRITICAL();
  REQUIRE(ulTaskNotifyTake(pdTRUE, 0) == 1);

  test("a task has pointers and a tag of its own");
  vTaskSetThreadLocalStoragePointer(NULL, 1, &other);
  REQUIRE(pvTaskGetThreadLocalStoragePointer(judge, 1) == &other);
  REQUIRE(pvTaskGetThreadLocalStoragePointer(xTaskGetIdleTaskHandleForCore(0), 1) == NULL);
  vTaskSetApplicationTaskTag(NULL, (TaskHookFunction_t)(uintptr_t)&counted);
  REQUIRE(xTaskGetApplicationTaskTag(judge) == (TaskHookFunction_t)(uintptr_t)&counted);

  test("the state of all tasks has each once, with its priority");
  static TaskStatus_t all[12];
  UBaseType_t found = uxTaskGetSystemState(all, 12, NULL), of_judge = 0;
  for (UBaseType_t i = 0; i < found; i++) of_judge += all[i].xHandle == judge && all[i].uxCurrentPriority == MIDDLE;
  REQUIRE(found == uxTaskGetNumberOfTasks() && of_judge == 1);
  REQUIRE(uxTaskGetSystemState(all, 1, NULL) == 0);

  test("a stack has a high water mark");
  REQUIRE(uxTaskGetStackHighWaterMark(NULL) > 0 && uxTaskGetStackHighWaterMark(NULL) < STACK);
}

static void times(void) {
  test("a delay ends at the tick, also when the count overflows");
  vTaskDelay(1);
  TickType_t before = xTaskGetTickCount();
  vTaskDelay(20);
  REQUIRE((TickType_t)(xTaskGetTickCount() - before) == 20);
  REQUIRE(xTaskGetTickCount() < 1000);

  test("a delay until a time has a fixed period, and says whether it waited");
  before = xTaskGetTickCount();
  TickType_t last = before;
  REQUIRE(xTaskDelayUntil(&last, 3) == pdTRUE);
  REQUIRE(xTaskDelayUntil(&last, 3) == pdTRUE);
  REQUIRE(last == before + 6 && xTaskGetTickCount() == before + 6);
  vTaskDelay(4);
  REQUIRE(xTaskDelayUntil(&last, 3) == pdFALSE);
  REQUIRE(last == before + 9);

  test("a delay that is aborted ends early; one that is not there cannot be");
  TaskHandle_t task = start(delays, (void *)(uintptr_t)portMAX_DELAY, HIGH);
  (void)task;
  task = start(delays, (void *)1000, HIGH);
  REQUIRE(xTaskAbortDelay(task) == pdPASS);
  REQUIRE_LOG("ddD");
  REQUIRE(xTaskAbortDelay(judge) == pdFAIL);

  test("what is left of a time limit");
  TimeOut_t state;
  TickType_t left = 10;
  vTaskDelay(1);
  vTaskSetTimeOutState(&state);
  vTaskDelay(4);
  REQUIRE(xTaskCheckForTimeOut(&state, &left) == pdFALSE);
  REQUIRE(left == 6);
  vTaskDelay(6);
  REQUIRE(xTaskCheckForTimeOut(&state, &left) == pdTRUE);

  test("milliseconds are ticks");
  REQUIRE(pdMS_TO_TICKS(7) == 7 && pdTICKS_TO_MS(7) == 7 && portTICK_PERIOD_MS == 1);
}

static uint32_t taken;

static void takes(void *count) {
  for (uintptr_t i = 0; i < (uintptr_t)count; i++) {
    taken = ulTaskNotifyTakeIndexed(1, pdFALSE, portMAX_DELAY);
    say((char)('0' + taken));
  }
  vTaskDelete(NULL);
}

static void waits(void *unused) {
  (void)unused;
  say('0' + (char)xTaskNotifyWait(0, 0, &taken, 5));
  vTaskDelete(NULL);
}

static void notifications(void) {
  uint32_t value = 9;
  BaseType_t woken = pdFALSE;
  test("actions: bits, increment, overwrite, only if there is none, none");
  REQUIRE(xTaskNotify(judge, 5, eSetBits) == pdPASS && xTaskNotify(judge, 2, eSetBits) == pdPASS);
  REQUIRE(xTaskNotifyWait(0, 3, &value, 0) == pdTRUE && value == 7);
  REQUIRE(xTaskNotify(judge, 0, eIncrement) == pdPASS);
  REQUIRE(xTaskNotifyWait(0, 0, &value, 0) == pdTRUE && value == 5);
  REQUIRE(xTaskNotify(judge, 8, eSetValueWithOverwrite) == pdPASS);
  REQUIRE(xTaskNotify(judge, 9, eSetValueWithoutOverwrite) == pdFAIL);
  REQUIRE(xTaskNotifyWait(0, 0, &value, 0) == pdTRUE && value == 8);
  REQUIRE(xTaskNotify(judge, 9, eSetValueWithoutOverwrite) == pdPASS);
  REQUIRE(xTaskNotify(judge, 77, eNoAction) == pdPASS);
  REQUIRE(xTaskNotifyWait(0, UINT32_MAX, &value, 0) == pdTRUE && value == 9);

  test("bits are cleared first only if the task waits");
  REQUIRE(xTaskNotify(judge, 6, eSetBits) == pdPASS);
  REQUIRE(xTaskNotifyWait(UINT32_MAX, 0, &value, 0) == pdTRUE && value == 6);
  REQUIRE(xTaskNotifyWait(2, UINT32_MAX, &value, 0) == pdFALSE && value == 6);
  REQUIRE(xTaskNotifyWait(2, UINT32_MAX, &value, 1) == pdFALSE && value == 4);
  REQUIRE(ulTaskNotifyValueClear(NULL, UINT32_MAX) == 4);

  test("the value before is told");
  REQUIRE(xTaskNotifyAndQuery(judge, 3, eSetBits, &value) == pdPASS && value == 0);
  REQUIRE(xTaskNotifyAndQuery(judge, 4, eSetBits, &value) == pdPASS && value == 3);
  REQUIRE(xTaskNotifyStateClear(NULL) == pdTRUE && xTaskNotifyStateClear(NULL) == pdFALSE);
  REQUIRE(xTaskNotifyWait(0, 0, &value, 0) == pdFALSE && value == 7);
  ulTaskNotifyValueClear(NULL, UINT32_MAX);

  test("take: one, or all");
  xTaskNotifyGive(judge);
  xTaskNotifyGive(judge);
  xTaskNotifyGive(judge);
  REQUIRE(ulTaskNotifyTake(pdFALSE, 0) == 3 && ulTaskNotifyTake(pdTRUE, 0) == 2 && ulTaskNotifyTake(pdTRUE, 0) == 0);

  test("a notification wakes the waiting task at once, at its index only");
  TaskHandle_t task = start(takes, (void *)2, HIGH);
  xTaskNotifyGiveIndexed(task, 0);
  xTaskNotifyGiveIndexed(task, 2);
  say('a');
  xTaskNotifyGiveIndexed(task, 1);
  say('b');
  vTaskNotifyGiveIndexedFromISR(task, 1, &woken);
  if (woken) taskYIELD();
  REQUIRE_LOG("a1b1");

  test("...FromISR tells whether a better task was woken");
  REQUIRE(woken == pdTRUE);
  woken = pdFALSE;
  task = start(takes, (void *)1, LOW);
  vTaskDelay(1);
  vTaskNotifyGiveIndexedFromISR(task, 1, &woken);
  REQUIRE(woken == pdFALSE);
  REQUIRE(xTaskNotifyIndexedFromISR(judge, 2, 5, eSetValueWithOverwrite, &woken) == pdPASS && woken == pdFALSE);
  REQUIRE(xTaskNotifyWaitIndexed(2, 0, 0, &value, 0) == pdTRUE && value == 5);
  vTaskDelay(1);

  test("a wait for a notification ends at its limit, and when it is aborted");
  vTaskDelay(1);
  TickType_t before = xTaskGetTickCount();
  REQUIRE(xTaskNotifyWait(0, 0, &value, 3) == pdFALSE);
  REQUIRE(xTaskGetTickCount() == before + 3);
  task = start(waits, NULL, HIGH);
  REQUIRE(xTaskAbortDelay(task) == pdPASS);
  REQUIRE_LOG("0");

  test("a task that is suspended while it waits is not notified, and goes on without");
  task = start(waits, NULL, HIGH);
  vTaskSuspend(task);
  vTaskResume(task);
  REQUIRE_LOG("0");
}

static void logs(TimerHandle_t timer) { say(*(const char *)pvTimerGetTimerID(timer)); }

static void pended(void *argument, uint32_t number) { say(*(const char *)argument + (char)number); }

void vApplicationDaemonTaskStartupHook(void) { counted = 1234; }
void vApplicationMallocFailedHook(void) { counted++; }

static void timers(void) {
  static StaticTimer_t memory;
  TimerHandle_t once = xTimerCreate("once", 3, pdFALSE, "a", logs);
  TimerHandle_t again = xTimerCreateStatic("again", 4, pdTRUE, "b", logs, &memory);
  BaseType_t woken = pdFALSE;
  vTaskDelay(1);

  test("a timer that is not started does nothing");
  REQUIRE(xTimerIsTimerActive(once) == pdFALSE);
  vTaskDelay(5);
  REQUIRE_LOG("");

  test("one-shot and periodic timers");
  REQUIRE(xTimerStart(once, 0) == pdPASS && xTimerStart(again, 0) == pdPASS);
  REQUIRE(xTimerIsTimerActive(once) != pdFALSE);
  vTaskDelay(10);
  REQUIRE_LOG("abb");
  REQUIRE(xTimerIsTimerActive(once) == pdFALSE && xTimerIsTimerActive(again) != pdFALSE);

  test("a stopped timer does not expire");
  REQUIRE(xTimerStop(again, 0) == pdPASS);
  vTaskDelay(6);
  REQUIRE_LOG("");

  test("reset begins the period anew");
  xTimerStart(once, 0);
  vTaskDelay(2);
  REQUIRE(xTimerReset(once, 0) == pdPASS);
  REQUIRE(xTimerGetExpiryTime(once) == xTaskGetTickCount() + 3);
  vTaskDelay(2);
  REQUIRE_LOG("");
  vTaskDelay(2);
  REQUIRE_LOG("a");

  test("another period starts the timer");
  REQUIRE(xTimerChangePeriod(once, 2, 0) == pdPASS);
  REQUIRE(xTimerGetPeriod(once) == 2);
  vTaskDelay(3);
  REQUIRE_LOG("a");

  test("name, identity, mode and memory");
  StaticTimer_t *its_memory = NULL;
  REQUIRE(!strcmp(pcTimerGetName(again), "again") && xTimerGetReloadMode(again) == pdTRUE);
  REQUIRE(xTimerGetStaticBuffer(again, &its_memory) == pdTRUE && its_memory == &memory);
  REQUIRE(xTimerGetStaticBuffer(once, &its_memory) == pdFALSE);
  vTimerSetReloadMode(again, pdFALSE);
  vTimerSetTimerID(again, "c");
  xTimerStart(again, 0);
  vTaskDelay(10);
  REQUIRE_LOG("c");

  test("a command from an interrupt");
  REQUIRE(xTimerStartFromISR(once, &woken) == pdPASS);
  REQUIRE(woken == pdTRUE);
  vTaskDelay(3);
  REQUIRE_LOG("a");

  test("functions are called by the service task, in order");
  REQUIRE(xTimerPendFunctionCall(pended, "a", 1, 0) == pdPASS);
  REQUIRE(xTimerPendFunctionCallFromISR(pended, "a", 2, NULL) == pdPASS);
  vTaskDelay(1);
  REQUIRE_LOG("bc");

  test("a full queue refuses a command");
  vTaskPrioritySet(NULL, configMAX_PRIORITIES - 1);
  for (int i = 0; i < configTIMER_QUEUE_LENGTH; i++) REQUIRE(xTimerStop(once, 0) == pdPASS);
  REQUIRE(xTimerStop(once, 0) == pdFAIL);
  vTaskPrioritySet(NULL, MIDDLE);
  vTaskDelay(1);

  test("a deleted timer gives its memory back");
  size_t free_bytes = xPortGetFreeHeapSize();
  REQUIRE(xTimerDelete(once, 0) == pdPASS && xTimerDelete(again, 0) == pdPASS);
  vTaskDelay(1);
  REQUIRE(xPortGetFreeHeapSize() > free_bytes);
}

#if CL_CPUS > 1
static volatile unsigned of_other, guarded;

static void tells_its_cpu(void *unused) {
  (void)unused;
  say('0' + (char)portGET_CORE_ID());
  vTaskSuspend(NULL);
  say('0' + (char)portGET_CORE_ID());
  vTaskDelete(NULL);
}

static void guards(void *rounds) {
  for (uintptr_t i = 0; i < (uintptr_t)rounds; i++) {
    taskENTER_CRITICAL();
    unsigned now = guarded;
    for (int wait = 0; wait < 3; wait++) portNOP();
    guarded = now + 1;
    taskEXIT_CRITICAL();
  }
  xTaskNotifyGive(judge);
  vTaskDelete(NULL);
}

static void several_cpus(void) {
  test("two tasks of different priorities run at the same time");
  TaskHandle_t task = start_on(2, computes, (void *)&of_other, LOW);
  unsigned long patience = 1000000;
  while (!of_other && --patience) {}
  REQUIRE(of_other);
  REQUIRE(eTaskGetState(task) == eRunning && xTaskGetCurrentTaskHandleForCore(1) == task);

  test("a task that runs on another CPU is suspended, and resumed");
  vTaskSuspend(task);
  vTaskDelay(1);
  unsigned before = of_other;
  vTaskDelay(2);
  REQUIRE(of_other == before && eTaskGetState(task) == eSuspended);
  vTaskResume(task);
  vTaskDelay(2);
  REQUIRE(of_other != before);

  test("and deleted");
  vTaskDelete(task);
  vTaskDelay(2);
  before = of_other;
  vTaskDelay(2);
  REQUIRE(of_other == before);

  test("a task runs on a CPU of its set");
  task = start_on(2, tells_its_cpu, NULL, HIGH);
  vTaskDelay(2);
  REQUIRE(vTaskCoreAffinityGet(task) == 2);
  vTaskCoreAffinitySet(task, 1);
  vTaskResume(task);
  vTaskDelay(2);
  REQUIRE(vTaskCoreAffinityGet(NULL) == 1 && portGET_CORE_ID() == 0);
  REQUIRE_LOG("10");

  test("a critical section excludes all CPUs");
  start_on(1, guards, (void *)300, LOW);
  start_on(2, guards, (void *)300, LOW);
  ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
  ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
  REQUIRE(guarded == 600);

  test("a task that disables preemption is not preempted");
  vTaskPreemptionDisable(NULL);
  start(says, "a", HIGH);
  say('b');
  vTaskPreemptionEnable(NULL);
  vTaskDelay(1);
  REQUIRE_LOG("ba");
}
#else
static void several_cpus(void) {}
#endif

static void tests(void) {
  test("the service task's start-up hook is called before the first command");
  xTimerPendFunctionCall(pended, "a", 0, 0);
  vTaskDelay(1);
  REQUIRE(counted == 1234);
  creation();
  test("a failed allocation calls the hook");
  counted = 0;
  REQUIRE(pvPortMalloc(1 << 20) == NULL && counted == 1);
  control();
  times();
  notifications();
  timers();
  several_cpus();
}
