// SPDX-License-Identifier: Apache-2.0
// Mutexes: their table, and what their operations answer and change.
//
// A service: `outcome_o` is the outcome of operation op_i on object id_i, whose record was read in the cycle
// before (read_id_i); combinational. Its changes to the table happen with commit_i.
module cl_kernel_mutex_ops
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg      = Default,
  localparam int unsigned TidWidth = $clog2(Cfg.Threads)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic          [9:0] read_id_i,
  input  logic          [7:0] op_i,
  input  logic          [9:0] id_i,
  input  logic [TidWidth-1:0] caller_i,
  input  logic         [31:0] word0_i,
  input  logic                gone_i,          // cl_kernel_inheritance: its owner has ended,
  input  logic                above_i,         // the caller is above its ceiling,
  input  logic          [7:0] ceiling_i,       // which is this
  output logic                locked_o,
  output logic [TidWidth-1:0] owner_o,
  input  logic                waiter_valid_i,  // the mutex's wait list
  input  logic [TidWidth-1:0] waiter_i,
  input  logic                condition_i,     // Monitors: the condition variable exists;
  input  logic                retake_i,        // the caller gets the mutex, if it is free
  output logic                held_o,          // it is not
  output outcome_t            outcome_o,
  output logic          [9:0] new_o,           // with mutex_create: the new mutex
  input  logic                commit_i  // with Pipeline a cycle after the decision
);

  typedef struct packed {
    logic                locked;
    logic [TidWidth-1:0] owner;
  } mutex_t;

  logic   exists, room, create, destroy, set, mine, wrong_rule;
  mutex_t mutex, set_to;

  assign locked_o   = mutex.locked;
  assign owner_o    = mutex.owner;
  assign held_o     = exists && mutex.locked;
  assign mine       = mutex.owner == caller_i && !gone_i;
  assign wrong_rule = word0_i[MutexAttributesProtocolLsb +: MutexAttributesProtocolWidth] == '1 ||
                      32'(word0_i[MutexAttributesCeilingLsb +: MutexAttributesCeilingWidth]) >= Cfg.Priorities;

  always_comb begin
    outcome_o = '0;
    create    = 1'b0;
    destroy   = 1'b0;
    set       = 1'b0;
    set_to    = '{locked: 1'b1, owner: caller_i};
    unique case (op_i)
      OpMutexCreate: begin
        if (!room) outcome_o = failed(StatusEagain);
        else begin
          create          = 1'b1;
          set_to          = '0;
          outcome_o       = answered(WordValueWidth'(new_o));
          outcome_o.clear = 1'b1;
        end
      end

      OpMutexDestroy: begin
        if (!exists)           outcome_o = failed(StatusEinval);
        else if (mutex.locked) outcome_o = failed(StatusEbusy);
        else                   destroy   = 1'b1;
      end

      OpMutexLock: begin
        if (!exists)                                  outcome_o = failed(StatusEinval);
        else if (above_i && !(mutex.locked && mine))  outcome_o = failed(StatusEinval);
        else if (!mutex.locked)                       set       = 1'b1;
        else if (mine)                                outcome_o = failed(StatusEdeadlk);
        else begin
          outcome_o.course = CourseBlock;
          outcome_o.insert = 1'b1;
        end
      end

      OpMutexTrylock: begin
        if (!exists)                                    outcome_o = failed(StatusEinval);
        else if (above_i && !(mutex.locked && mine))    outcome_o = failed(StatusEinval);
        else if (mutex.locked)                          outcome_o = failed(StatusEbusy);
        else                                            set       = 1'b1;
      end

      // Handed over: the first waiter owns it at once, so no other thread can get it in between.
      OpMutexUnlock: begin
        if (!exists)                                           outcome_o = failed(StatusEinval);
        else if (!mutex.locked || !mine)                       outcome_o = failed(StatusEperm);
        else begin
          set            = 1'b1;
          set_to         = '{locked: waiter_valid_i, owner: waiter_i};
          outcome_o.wake = waiter_valid_i ? WakeWaiter : WakeNone;
        end
      end

      OpMutexWait: if (Cfg.Monitors) begin
        if (!exists)                     outcome_o = failed(StatusEinval);
        else if (!mutex.locked || !mine) outcome_o = failed(StatusEperm);
        else if (!condition_i)           outcome_o = failed(StatusEinval);
        else begin
          set               = 1'b1;
          set_to            = '{locked: waiter_valid_i, owner: waiter_i};
          outcome_o.wake    = waiter_valid_i ? WakeWaiter : WakeNone;
          outcome_o.publish = 1'b1;
          outcome_o.course  = CourseMonitor;
        end
      end

      OpMutexLeave: begin
        if (!exists)              outcome_o        = failed(StatusEinval);
        else if (!waiter_valid_i) outcome_o        = failed(StatusEnoent);
        else                      outcome_o.course = CourseLeave;
      end

      default: ;  // another service's
    endcase
    if (Cfg.Inheritance && op_i == OpMutexProtocol) begin
      if (!exists || wrong_rule)       outcome_o = failed(StatusEinval);
      else if (mutex.locked && !mine)  outcome_o = failed(StatusEbusy);
      else                             outcome_o = answered(WordValueWidth'(ceiling_i));
    end
  end

  localparam int unsigned Slots = (Cfg.Mutexes > 0) ? Cfg.Mutexes : 1;
  logic [Slots-1:0] used;
  logic             unused;
  assign unused = ^{used, word0_i, condition_i, retake_i};

  logic create_now, destroy_now, set_now;

  cl_pipeline_register #(.Registered(Cfg.Pipeline), .Width(3)) u_decided (
    .clk_i, .d_i({create, destroy, set}), .q_o({create_now, destroy_now, set_now})
  );

  cl_object_table #(.Count(Cfg.Mutexes), .Width($bits(mutex_t))) u_table (
    .clk_i,
    .rst_ni,
    .read_id_i,
    .rdata_o   (mutex),
    .used_o    (used),
    .id_i,
    .exists_o  (exists),
    .room_o    (room),
    .new_o,
    .create_i  (create_now & commit_i),
    .destroy_i (destroy_now & commit_i),
    .we_i      ((set_now & commit_i) | (Cfg.Monitors & retake_i & exists & ~mutex.locked)),
    .wdata_i   (set_to)
  );

endmodule
