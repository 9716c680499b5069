/* SPDX-License-Identifier: Apache-2.0
 *
 * Ibex: what an exception says. */
#include "loader.h"

_Noreturn void cl_loader_fault(uint32_t cause, uint32_t pc, uint32_t address);
_Noreturn void cl_loader_fault(uint32_t cause, uint32_t pc, uint32_t address) {
  static const uint8_t causes[] = {
      [0] = CL_BACKDOOR_CAUSE_FETCH,      [1] = CL_BACKDOOR_CAUSE_FETCH, [2] = CL_BACKDOOR_CAUSE_ILLEGAL,
      [3] = CL_BACKDOOR_CAUSE_BREAKPOINT, [4] = CL_BACKDOOR_CAUSE_LOAD,  [5] = CL_BACKDOOR_CAUSE_LOAD,
      [6] = CL_BACKDOOR_CAUSE_STORE,      [7] = CL_BACKDOOR_CAUSE_STORE, [8] = CL_BACKDOOR_CAUSE_CALL,
      [11] = CL_BACKDOOR_CAUSE_CALL,
  };
  uint32_t known = cause < sizeof causes ? causes[cause] : CL_BACKDOOR_CAUSE_ILLEGAL;
  int access = known == CL_BACKDOOR_CAUSE_FETCH || known == CL_BACKDOOR_CAUSE_LOAD || known == CL_BACKDOOR_CAUSE_STORE;
  cl_loader_end(CL_BACKDOOR_STATE_FAULT, known, pc, access ? address : 0);
}
