// SPDX-License-Identifier: Apache-2.0
// Condition variables: their table, and what their operations answer and change.
//
// A condition variable counts its signals. A thread that wants to wait reads the count (cond_ticket) while it still holds
// the mutex: cond_wait returns at once if there has been a signal since. So unlocking and waiting need not be
// one operation. The waiting threads are in its wait list.
// One can serve as a barrier: then it counts the threads that have arrived. With EventFlags one can serve as event flags,
// which are its word then; cl_kernel_event_flags finds the threads that a set wakes.
//
// A service: `outcome_o` is the outcome of operation op_i on object id_i, whose record was read in the cycle
// before (read_id_i); combinational. Its changes to the table happen with commit_i.
module cl_kernel_condition_ops
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg = Default
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [9:0] read_id_i,
  input  logic  [7:0] op_i,
  input  logic  [9:0] id_i,
  input  logic [31:0] word0_i,
  input  logic [31:0] read_word0_i,    // it in the next cycle
  output logic        there_o,         // with Monitors: in the next cycle there is a condition variable of this number
  input  logic        unlocked_i,      // the wait of mutex_wait: whatever the ticket
  input  logic        waiter_valid_i,  // the condition variable's wait list is not empty
  output logic [31:0] flags_o,         // the flags as they are; with a set, as they are to be
  input  logic        flags_we_i,      // they are:
  input  logic [31:0] flags_i,
  output outcome_t    outcome_o,
  output logic  [9:0] new_o,           // with cond_create: the new condition variable
  input  logic        commit_i  // with Pipeline a cycle after the decision
);

  localparam int unsigned Width = Cfg.EventFlags ? 32 : WordValueWidth;

  logic                               exists, room, create, destroy, set;
  logic                   [Width-1:0] signals, set_to;

  assign flags_o = 32'(signals) | ((op_i == OpFlagsSet) ? word0_i : '0);

  always_comb begin
    outcome_o = '0;
    create    = 1'b0;
    destroy   = 1'b0;
    set       = 1'b0;
    set_to    = Width'(WordValueWidth'(signals + 1'b1));
    unique case (op_i)
      OpCondCreate: begin
        if (!room) outcome_o = failed(StatusEagain);
        else begin
          create          = 1'b1;
          set_to          = '0;
          outcome_o       = answered(WordValueWidth'(new_o));
          outcome_o.clear = 1'b1;
        end
      end

      OpCondDestroy: begin
        if (!exists)             outcome_o = failed(StatusEinval);
        else if (waiter_valid_i) outcome_o = failed(StatusEbusy);
        else                     destroy   = 1'b1;
      end

      OpCondTicket: begin
        if (!exists) outcome_o = failed(StatusEinval);
        else         outcome_o = answered(WordValueWidth'(signals));
      end

      OpCondWait: begin
        if (!exists) outcome_o = failed(StatusEinval);
        else if (unlocked_i || signals == Width'(WordValueWidth'(word0_i))) begin
          outcome_o.course = CourseBlock;
          outcome_o.insert = 1'b1;
        end
      end

      OpCondSignal, OpCondBroadcast: begin
        if (!exists) outcome_o = failed(StatusEinval);
        else begin
          set = 1'b1;
          if (waiter_valid_i) outcome_o.wake = (op_i == OpCondSignal) ? WakeWaiter : WakeWaiters;
        end
      end

      OpCondLeave: begin
        if (!exists)              outcome_o        = failed(StatusEinval);
        else if (!waiter_valid_i) outcome_o        = failed(StatusEnoent);
        else                      outcome_o.course = CourseLeave;
      end

      // The last to come wakes the others, and the count begins anew.
      OpBarrierWait: begin
        if (!exists) outcome_o = failed(StatusEinval);
        else begin
          set = 1'b1;
          if (signals == Width'(WordValueWidth'(word0_i))) begin
            set_to         = '0;
            outcome_o      = answered(WordValueWidth'(1));
            outcome_o.wake = waiter_valid_i ? WakeWaiters : WakeNone;
          end else begin
            outcome_o.course = CourseBlock;
            outcome_o.insert = 1'b1;
          end
        end
      end

      default: ;  // another service's
    endcase
    if (Cfg.EventFlags) begin
      unique case (op_i)
        OpFlagsSet, OpFlagsClear: begin
          if (!exists) outcome_o = failed(StatusEinval);
          else begin
            set    = 1'b1;
            set_to = (op_i == OpFlagsSet) ? Width'(flags_o) : signals & ~Width'(word0_i);
            if (op_i == OpFlagsSet && waiter_valid_i) outcome_o.course = CourseLeave;
          end
        end

        OpFlagsGet: if (!exists) outcome_o = failed(StatusEinval);

        OpFlagsWaitAny, OpFlagsWaitAll, OpFlagsTakeAny, OpFlagsTakeAll,
        OpFlagsTrywaitAny, OpFlagsTrywaitAll, OpFlagsTrytakeAny, OpFlagsTrytakeAll: begin
          set_to = signals & ~Width'(word0_i);
          if (!exists || word0_i == '0)                     outcome_o = failed(StatusEinval);
          else if (suffice(32'(signals), word0_i, op_i[0])) set       = op_i[1];
          else if (op_i[2])                                 outcome_o = failed(StatusEagain);
          else begin
            outcome_o.course = CourseBlock;
            outcome_o.insert = 1'b1;
          end
        end

        default: ;
      endcase
    end
  end

  localparam int unsigned IdWidth = (Cfg.Conditions > 1) ? $clog2(Cfg.Conditions) : 1;

  logic [Cfg.Conditions-1:0] used;
  logic                  unused;  // and the count is shorter than a word
  assign unused = ^{used, word0_i, id_i, flags_i, read_word0_i};

  if (Cfg.Monitors) begin : g_there
    always_ff @(posedge clk_i) there_o <= read_word0_i < Cfg.Conditions && used[IdWidth'(read_word0_i)];
  end else begin : g_no_monitors
    assign there_o = 1'b0;
  end

  logic create_now, destroy_now, set_now;

  cl_pipeline_register #(.Registered(Cfg.Pipeline), .Width(3)) u_decided (
    .clk_i, .d_i({create, destroy, set}), .q_o({create_now, destroy_now, set_now})
  );

  cl_object_table #(.Count(Cfg.Conditions), .Width(Width)) u_table (
    .clk_i,
    .rst_ni,
    .read_id_i,
    .rdata_o   (signals),
    .used_o    (used),
    .id_i,
    .exists_o  (exists),
    .room_o    (room),
    .new_o,
    .create_i  (create_now & commit_i),
    .destroy_i (destroy_now & commit_i),
    .we_i      ((set_now & commit_i) | (Cfg.EventFlags & flags_we_i)),
    .wdata_i   ((Cfg.EventFlags && flags_we_i) ? Width'(flags_i) : set_to)
  );

endmodule
