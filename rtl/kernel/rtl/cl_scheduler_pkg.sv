// SPDX-License-Identifier: Apache-2.0
// Operations and status codes of cl_scheduler; src/coreloom/reference/scheduler.py has the same numbers.
package cl_scheduler_pkg;

  typedef enum logic [3:0] {
    SchedEnqueue         = 4'd1,
    SchedDequeue         = 4'd2,
    SchedGetEntry        = 4'd3,
    SchedIsQueued        = 4'd4,
    SchedIsEmpty         = 4'd5,
    SchedSetIdleThread   = 4'd6,
    SchedGetSchedParam   = 4'd7,
    SchedCheckSchedParam = 4'd8,
    SchedSetSchedParam   = 4'd9,
    SchedRemove          = 4'd10,
    SchedCreateEntry     = 4'd11,
    SchedFreeEntry       = 4'd12
  } sched_op_e;

  typedef enum logic [7:0] {
    SchedOk       = 8'd0,
    SchedEnoent   = 8'd2,    // not queued
    SchedEsrch    = 8'd3,    // not used
    SchedEagain   = 8'd11,   // nothing queued, and there is no idle thread
    SchedEbusy    = 8'd16,   // in use: the hardware thread runs; the idle thread
    SchedEexist   = 8'd17,   // used already
    SchedEnodev   = 8'd19,   // no such hardware thread
    SchedEinval   = 8'd22,   // no such operation, or parameter out of range
    SchedEalready = 8'd120   // queued already
  } sched_status_e;

  typedef struct packed {
    logic       used;
    logic       queued;
    logic [7:0] param;
  } sched_entry_t;

endpackage
