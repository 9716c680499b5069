// SPDX-License-Identifier: Apache-2.0
// Threads and scheduling: what their operations answer, and what they change in the thread table;
// combinational.
//
// A service: `outcome_o` is the outcome of operation op_i of the thread caller_i on the thread whose record
// is read (cl_kernel_threads). `change_o` is for the engine to carry out if the outcome happens.
module cl_kernel_thread_ops
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  int unsigned Cpus          = 2,
  parameter  int unsigned Priorities    = 32,
  parameter  int unsigned TidWidth      = 6,
  localparam int unsigned CpuWidth      = (Cpus > 1) ? $clog2(Cpus) : 1,
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input  logic               [5:0] op_i,
  input  logic              [31:0] word0_i,
  input  logic      [TidWidth-1:0] caller_i,
  input  logic                     caller_runs_i,
  input  logic                     better_i,        // a thread of higher priority could run on this CPU,
  input  logic                     equal_i,         // of the same priority
  input  logic                     slice_used_i,

  // The thread read
  input  logic                     exists_i,
  input  logic      [TidWidth-1:0] tid_i,
  input  thread_state_e            state_i,
  input  logic      [CpuWidth-1:0] cpu_i,
  input  logic [PriorityWidth-1:0] priority_i,
  input  logic                     detached_i,
  input  logic                     joined_i,

  // A new thread
  input  logic                     room_i,
  input  logic      [TidWidth-1:0] new_i,
  output logic      [CpuWidth-1:0] new_cpu_o,
  output logic [PriorityWidth-1:0] new_priority_o,
  output logic                     new_static_o,
  output logic                     new_detached_o,

  output outcome_t                 outcome_o,
  output thread_change_t           change_o
);

  typedef logic [WordValueWidth-1:0] value_t;

  logic [AttributesPriorityWidth-1:0] new_priority;
  logic      [AttributesCpuWidth-1:0] new_cpu;
  logic                               exited;

  assign new_priority   = word0_i[AttributesPriorityLsb +: AttributesPriorityWidth];
  assign new_cpu        = word0_i[AttributesCpuLsb +: AttributesCpuWidth];
  assign new_static_o   = word0_i[AttributesStaticLsb +: AttributesStaticWidth];
  assign new_detached_o = word0_i[AttributesDetachedLsb +: AttributesDetachedWidth];
  assign new_priority_o = PriorityWidth'(new_priority);
  assign new_cpu_o      = new_static_o ? CpuWidth'(new_cpu) : '0;
  assign exited         = state_i == ThreadExited;

  always_comb begin
    outcome_o = '0;
    change_o  = '0;
    unique case (op_i)
      OpNext: begin
        if (caller_runs_i) outcome_o.resumed = 1'b1;
        else               outcome_o.course  = CourseNext;
      end

      OpSelf: outcome_o = answered(value_t'(caller_i));

      OpYield: begin
        outcome_o.publish = 1'b1;
        if (better_i || equal_i) outcome_o.course = CourseGiveWay;
      end

      OpPreempt: begin
        outcome_o.publish = 1'b1;
        outcome_o.front   = ~slice_used_i;
        if (better_i || (equal_i && slice_used_i)) outcome_o.course = CourseGiveWay;
      end

      OpThreadCreate: begin
        if (32'(new_priority) >= Priorities || (new_static_o && 32'(new_cpu) >= Cpus)) begin
          outcome_o = failed(StatusEinval);
        end else if (!room_i) begin
          outcome_o = failed(StatusEagain);
        end else begin
          change_o.create = 1'b1;
          outcome_o       = answered(value_t'(new_i));
        end
      end

      OpThreadStart: begin
        if (!exists_i)                     outcome_o      = failed(StatusEsrch);
        else if (state_i != ThreadCreated) outcome_o      = failed(StatusEinval);
        else                               outcome_o.wake = WakeThread;
      end

      // Here the thread read is the caller. Who is joined or detached leaves no trace.
      OpThreadExit: begin
        outcome_o.course = CourseExit;
        outcome_o.wake   = joined_i ? WakeJoiner : WakeNone;
        change_o.free    = joined_i | detached_i;
      end

      OpThreadJoin: begin
        if (!exists_i)                   outcome_o     = failed(StatusEsrch);
        else if (tid_i == caller_i)      outcome_o     = failed(StatusEdeadlk);
        else if (detached_i || joined_i) outcome_o     = failed(StatusEinval);
        else if (exited)                 change_o.free = 1'b1;
        else begin
          change_o.add_joiner = 1'b1;
          outcome_o.course = CourseBlock;
        end
      end

      OpThreadDetach: begin
        if (!exists_i)                   outcome_o = failed(StatusEsrch);
        else if (detached_i || joined_i) outcome_o = failed(StatusEinval);
        else begin
          change_o.detach = 1'b1;
          change_o.free   = exited;
        end
      end

      OpThreadPriority: begin
        if (!exists_i || exited)        outcome_o = failed(StatusEsrch);
        else if (word0_i >= Priorities) outcome_o = failed(StatusEinval);
        else begin
          outcome_o        = answered(value_t'(priority_i));
          outcome_o.course = CourseRequeue;
        end
      end

      OpThreadRead: begin
        if (!exists_i) outcome_o = failed(StatusEsrch);
        else outcome_o = answered(value_t'(ThreadWordStateWidth'(state_i)) << ThreadWordStateLsb |
                                  value_t'(ThreadWordPriorityWidth'(priority_i)) << ThreadWordPriorityLsb |
                                  value_t'(ThreadWordCpuWidth'(cpu_i)) << ThreadWordCpuLsb);
      end

      OpSlice: outcome_o.course = CourseSlice;

      default: ;  // another service's
    endcase
  end

endmodule
