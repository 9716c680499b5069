// SPDX-License-Identifier: Apache-2.0
// Scheduling state of one client, a CPU ([SMP]: the scheduling module of a processor) or a hardware thread.
//
// Changes only by the engine's strobes (cmd_i while select_i), visible in the next cycle, and by ticks.
// The leaving thread is the one whose context the CPU has not saved yet: until `saved` it is in no queue,
// so that no other CPU can run on its stack.
module cl_kernel_cpu
  import cl_sched_pkg::*;
#(
  parameter bit          RunsAtReset = 1'b0,  // thread 0 runs here after reset
  parameter bit          HasSlice    = 1'b1,  // 0: a hardware thread, or policy dwrr with its own slices
  parameter int unsigned TidWidth    = 6,
  parameter int unsigned LevelWidth  = 6,
  parameter int unsigned MainLevel   = 48
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  tick_i,

  input  logic                  select_i,
  input  sched_cmd_t            cmd_i,
  input  logic   [TidWidth-1:0] tid_i,            // with run
  input  logic [LevelWidth-1:0] level_i,          // with run, set_level
  input  logic           [15:0] slice_i,          // length of a slice, ticks
  input  logic                  slice_start_i,    // it begins (cl_kernel_slices),
  input  logic           [15:0] slice_ran_i,      // and so much has passed of it
  input  logic                  slice_restart_i,  // all begin now

  output logic                  current_valid_o,  // there is a current thread: running or blocked
  output logic                  running_o,
  output logic   [TidWidth-1:0] tid_o,
  output logic [LevelWidth-1:0] level_o,
  output logic                  waiting_o,        // a load is pending: idle
  output logic                  held_o,           // with waiting_o: the current thread is ready, but its round has not begun
  output logic                  switching_o,      // switching to another thread, `saved` not stored yet
  output logic                  leaving_o,
  output logic   [TidWidth-1:0] leaving_tid_o,
  output logic                  leaving_ready_o,
  output logic                  leaving_front_o,
  output logic                  turn_dynamic_o,   // the dynamic queue wins the next tie
  output logic           [15:0] slice_ran_o,      // ticks
  output logic                  slice_used_o,
  output logic                  vain_o            // strobe: its `preempt` has found no thread
);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_valid_o <= RunsAtReset;
      running_o       <= RunsAtReset;
      tid_o           <= '0;
      level_o         <= LevelWidth'(MainLevel);
      waiting_o       <= 1'b0;
      held_o          <= 1'b0;
      switching_o     <= 1'b0;
      leaving_o       <= 1'b0;
      leaving_tid_o   <= '0;
      leaving_ready_o <= 1'b0;
      leaving_front_o <= 1'b0;
      turn_dynamic_o  <= 1'b0;
    end else if (select_i) begin
      if (cmd_i.block)        running_o <= 1'b0;
      if (cmd_i.sleep)        waiting_o <= 1'b1;
      if (cmd_i.hold) begin
        running_o <= 1'b0;
        waiting_o <= 1'b1;
        held_o    <= 1'b1;
      end
      if (cmd_i.interrupted) begin
        waiting_o <= 1'b0;
        held_o    <= 1'b0;
        if (held_o) running_o <= 1'b1;
      end
      if (cmd_i.saved) begin
        switching_o <= 1'b0;
        leaving_o   <= 1'b0;
      end
      if (cmd_i.wake_leaving) leaving_ready_o <= 1'b1;
      if (cmd_i.set_level)    level_o <= level_i;
      if (cmd_i.turn)         turn_dynamic_o <= ~turn_dynamic_o;
      if (cmd_i.exit) begin
        current_valid_o <= 1'b0;
        running_o       <= 1'b0;
      end
      if (cmd_i.resume) begin
        running_o <= 1'b1;
        waiting_o <= 1'b0;
        held_o    <= 1'b0;
      end
      if (cmd_i.run) begin
        switching_o     <= 1'b1;
        leaving_o       <= current_valid_o;
        leaving_tid_o   <= tid_o;
        leaving_ready_o <= cmd_i.leave_ready;
        leaving_front_o <= cmd_i.leave_front;
        current_valid_o <= 1'b1;
        running_o       <= 1'b1;
        waiting_o       <= 1'b0;
        held_o          <= 1'b0;
        tid_o           <= tid_i;
        level_o         <= level_i;
      end
    end
  end

  assign vain_o = select_i & cmd_i.vain;

  if (HasSlice) begin : g_slice
    cl_slice_timer u_slice_timer (
      .clk_i,
      .rst_ni,
      .tick_i,
      .run_i    (current_valid_o & ~waiting_o),
      .clear_i  (select_i & (cmd_i.run | cmd_i.resume)),
      .start_i  (slice_start_i | slice_restart_i),
      .ran_i    (slice_ran_i),
      .length_i (slice_i),
      .ran_o    (slice_ran_o),
      .used_o   (slice_used_o)
    );

`ifndef SYNTHESIS
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin end else begin
        AssertSliceBegins:  assert (!(slice_start_i && slice_used_o));
        AssertRestartAlone: assert (!(slice_start_i && slice_restart_i));
      end
    end
`endif
  end else begin : g_no_slice
    logic unused;
    assign unused       = ^{tick_i, slice_i, slice_start_i, slice_ran_i, slice_restart_i};
    assign slice_ran_o  = '0;
    assign slice_used_o = 1'b0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertHeldWaits:       assert (!held_o || (waiting_o && current_valid_o));
      AssertIdleHasNoThread: assert (!(waiting_o && running_o));
      AssertRunningIsValid:  assert (!running_o || current_valid_o);
      AssertLeavingIsOther:  assert (!(leaving_o && current_valid_o && leaving_tid_o == tid_o));
      AssertSavedFirst:      assert (!(select_i && cmd_i.run && leaving_o));
      AssertLeavesToSwitch:  assert (!leaving_o || switching_o);
    end
  end
`endif

endmodule
