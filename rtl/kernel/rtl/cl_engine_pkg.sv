// SPDX-License-Identifier: Apache-2.0
// The states of the engine: cl_kernel_engine says what each does.
package cl_engine_pkg;

  typedef enum logic [4:0] {
    StInit, StIdle, StFetch, StDispatch, StWake, StNextWaiter, StPublish, StExit, StSwitched, StWalk, StRequeue,
    StSuspend, StSlice, StLeave, StOffer, StSettle, StRelock, StRetake, StRelist, StFirst
  } engine_state_e;

endpackage
