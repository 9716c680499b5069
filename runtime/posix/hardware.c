/* SPDX-License-Identifier: Apache-2.0
 *
 * Hardware threads: the registers of their units (rtl/hwt/README.md). The kernel starts a unit; this code sets its
 * argument and where its result goes. The software kernel has none. */
#include <errno.h>
#include <string.h>

#include "coreloom.h"
#include "posix.h"

#if CL_UNITS
static const char *const unit_names[] = {CL_HW_NAMES};

static inline volatile uint32_t *reg(uint32_t unit, uint32_t offset) {
  return (volatile uint32_t *)(CL_HWT + CL_HWT_STRIDE * unit + offset);
}
#endif

static inline int bad(int unit) { return unit < 0 || unit >= CL_UNITS; }

int hardware_count_np(void) { return CL_UNITS; }

const char *hardware_name_np(int unit) {
#if CL_UNITS
  if (!bad(unit)) return unit_names[unit];
#endif
  (void)unit;
  return NULL;
}

int hardware_find_np(const char *name) {
  for (int unit = 0; unit < CL_UNITS; unit++)
    if (!strcmp(hardware_name_np(unit), name)) return unit;
  return -1;
}

/* The unit leaves the thread's result where pthread_exit would: in its control block, and where its joiner waits. */
void cl_hardware_prepare(uint32_t unit, uint32_t tid, void *argument) {
#if CL_UNITS
  *reg(unit, CL_HWT_ARGUMENT) = (uint32_t)(uintptr_t)argument;
  *reg(unit, CL_HWT_EXIT_RECORD) = (uint32_t)(uintptr_t)&cl_threads[tid].value;
#else
  (void)unit, (void)tid, (void)argument;
#endif
}

int hardware_command_np(int unit, int command) {
  if (bad(unit)) return ENODEV;
#if CL_UNITS
  if (command < HARDWARE_START || command > HARDWARE_RESET) return EINVAL;
  /* Two accesses: another CPU's command must not come in between. */
  volatile uint32_t *status = reg((uint32_t)unit, CL_HWT_STATUS);
  shared_memory_lock((void *)status);
  *reg((uint32_t)unit, CL_HWT_COMMAND) = (uint32_t)command;
  int refused = (*status & CL_HWT_REFUSED) != 0;
  shared_memory_unlock((void *)status);
  if (refused) return command == HARDWARE_START ? EBUSY : EINVAL;
#endif
  (void)command;
  return 0;
}

int hardware_status_np(int unit, struct hardware_status_np *status) {
  if (bad(unit)) return ENODEV;
#if CL_UNITS
  uint32_t word = *reg((uint32_t)unit, CL_HWT_STATUS);
  *status = (struct hardware_status_np){
      .state = (int)(word & CL_HWT_STATE_MASK),
      .has_thread = (word & CL_HWT_HAS_THREAD) != 0,
      .thread = word >> CL_HWT_TID_LSB,
      .result = *reg((uint32_t)unit, CL_HWT_RESULT),
      .fault_address = *reg((uint32_t)unit, CL_HWT_FAULT_ADDRESS),
      .kind = *reg((uint32_t)unit, CL_HWT_UNIT),
  };
#endif
  (void)status;
  return 0;
}

#if defined(CL_KERNEL_HW)
#define KERNEL CORELOOM_HARDWARE
#else
#define KERNEL CORELOOM_SOFTWARE
#endif

const struct coreloom_features *coreloom_features(void) {
  static const struct coreloom_features features = {
      .kernel = KERNEL == CORELOOM_HARDWARE ? "hw" : "sw",
      .scheduling = KERNEL,
      .objects = KERNEL,
      .more_objects = CORELOOM_SOFTWARE,
      .time_limits = CORELOOM_SOFTWARE,
      .interrupts = KERNEL,
      .hardware_threads = CL_UNITS ? CORELOOM_HARDWARE : CORELOOM_NONE,
      .communication = CL_IPC ? CORELOOM_HARDWARE : CORELOOM_NONE,
      .backdoor = CL_BACKDOOR ? CORELOOM_HARDWARE : CORELOOM_NONE,
  };
  return &features;
}
