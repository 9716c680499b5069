/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "os.h"

/* --- objects -------------------------------------------------------------------------------------- */

static struct os_object *deleted[OS_KINDS];

void *os_new(enum os_kind kind, size_t size, const void *attr) {
  if (cl_api_in_handler()) return NULL;
  cl_api_enter();
  struct os_object *object = deleted[kind];
  if (object) deleted[kind] = object->next;
  cl_api_leave();
  if (!object) object = malloc(size);
  if (!object) return NULL;
  memset(object, 0, size);
  object->kind = (uint8_t)kind;
  object->name = attr ? ((const osTimerAttr_t *)attr)->name : NULL;
  return object;
}

void os_free(struct os_object *object) {
  object->next = deleted[object->kind];
  deleted[object->kind] = object;
  object->kind = OS_NONE;
}

void *os_memory(void *given, uint32_t given_size, size_t size) {
  if (!given) return malloc(size);
  return given_size < size || (uintptr_t)given & 3 ? NULL : given;
}

void os_give_back(void *memory) { free(memory); }

const char *os_name(const void *id, enum os_kind kind) {
  return os_is(id, kind) ? ((const struct os_object *)id)->name : NULL;
}

/* --- time ----------------------------------------------------------------------------------------- */

/* A division of 64 bits takes long. */
static uint64_t ticks_of(uint64_t cycles) {
  return cycles <= UINT32_MAX ? (uint32_t)cycles / OS_TICK : cycles / OS_TICK;
}

uint64_t os_at(uint32_t ticks) { return ticks == osWaitForever ? CL_NEVER : (ticks_of(cl_now()) + ticks) * OS_TICK; }

uint32_t osKernelGetTickCount(void) { return (uint32_t)ticks_of(cl_now()); }
uint32_t osKernelGetTickFreq(void) { return OS_TICK_FREQ; }
uint32_t osKernelGetSysTimerCount(void) { return (uint32_t)cl_now(); }
uint32_t osKernelGetSysTimerFreq(void) { return CL_CLOCK_HZ; }

static osStatus_t sleep_until(uint64_t at) {
  static struct cl_queue sleepers;
  struct cl_api_waiter me;
  if (!os_may_wait()) return osError;
  cl_api_enter();
  return (osStatus_t)cl_api_wait(&sleepers, &me, at, osOK);
}

osStatus_t osDelay(uint32_t ticks) {
  if (cl_api_in_handler()) return osErrorISR;
  return ticks ? sleep_until(os_at(ticks)) : osErrorParameter;
}

osStatus_t osDelayUntil(uint32_t ticks) {
  if (cl_api_in_handler()) return osErrorISR;
  uint64_t now = ticks_of(cl_now());
  uint32_t left = ticks - (uint32_t)now;
  if (!left || left > INT32_MAX) return osErrorParameter;
  return sleep_until((now + left) * OS_TICK);
}

/* --- the kernel ----------------------------------------------------------------------------------- */

volatile osKernelState_t os_state;

#define VERSION(major, minor, patch) ((major) * 10000000u + (minor) * 10000u + (patch))

int os_may_wait(void) {
  const struct cl_api_thread *self = cl_api_self();
  return os_state == osKernelRunning && self && !self->locks;
}

osStatus_t osKernelInitialize(void) {
  if (cl_api_in_handler()) return osErrorISR;
  if (os_state != osKernelInactive) return os_state == osKernelReady ? osOK : osError;
  os_state = osKernelReady;
  cl_op_slice(5 * OS_TICK / CL_TICK_CYCLES); /* as RTX has it: threads of one priority take turns after 5 ticks */
  return osOK;
}

osStatus_t osKernelGetInfo(osVersion_t *version, char *id_buf, uint32_t id_size) {
  if (version) *version = (osVersion_t){VERSION(2u, 1u, 3u), VERSION(1u, 0u, 0u)};
  if (id_buf && id_size) {
    strncpy(id_buf, "Coreloom", id_size);
    id_buf[id_size - 1] = '\0';
  }
  return osOK;
}

osKernelState_t osKernelGetState(void) {
  const struct cl_api_thread *self = cl_api_self();
  return self && self->locks ? (osKernelState_t)self->locks : os_state;
}

/* What it was locked by: osKernelLocked or osKernelSuspended; 0: nothing. */
static int32_t change_lock(int state) {
  struct cl_api_thread *self = cl_api_self();
  if (cl_api_in_handler()) return osErrorISR;
  if (os_state != osKernelRunning || !self) return osError;
  int before = self->locks;
  if (state && !before) cl_api_lock(self, CL_API_DISPATCH);
  if (!state && before) cl_api_unlock(self);
  if (state) self->locks = (uint8_t)state;
  return before;
}

static int32_t is_locked(int32_t before) { return before > 0 ? 1 : before; }

int32_t osKernelLock(void) { return is_locked(change_lock(osKernelLocked)); }
int32_t osKernelUnlock(void) { return is_locked(change_lock(0)); }

int32_t osKernelRestoreLock(int32_t lock) {
  if (lock != 0 && lock != 1) return cl_api_in_handler() ? osErrorISR : osError;
  int32_t before = change_lock(lock ? osKernelLocked : 0);
  return before < 0 ? before : lock;
}

uint32_t osKernelSuspend(void) {
  if (change_lock(osKernelSuspended) < 0) return 0;
  cl_api_enter();
  uint64_t next = cl_api_alarm_next();
  cl_api_leave();
  if (next == CL_NEVER) return osWaitForever;
  uint64_t now = cl_now();
  return next <= now ? 0 : (uint32_t)ticks_of(next - now);
}

void osKernelResume(uint32_t sleep_ticks) {
  (void)sleep_ticks; /* the time has gone on by itself */
  const struct cl_api_thread *self = cl_api_self();
  if (self && self->locks == osKernelSuspended) change_lock(0);
}
