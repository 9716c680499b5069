// SPDX-License-Identifier: Apache-2.0
// Threads, scheduling and the ready queue: what their operations answer, and what they change in the thread table;
// combinational.
//
// A service: `outcome_o` is the outcome of operation op_i of the thread caller_i on the thread whose record
// is read (cl_kernel_threads). `change_o` is for the engine to carry out if the outcome happens.
// A scheduling parameter ([HT]) is a priority or, with at most 128 of them, 128 + n: hardware thread n.
module cl_kernel_thread_ops
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  int unsigned Policy        = PolicyPriority,
  parameter  int unsigned Cpus          = 2,
  parameter  int unsigned HwThreads     = 0,
  parameter  int unsigned Priorities    = 32,
  parameter  int unsigned TidWidth      = 6,
  parameter  bit          Reserve       = 1'b0,
  localparam int unsigned Clients       = Cpus + HwThreads,
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input  logic               [5:0] op_i,
  input  logic               [9:0] id_i,
  input  logic              [31:0] word0_i,
  input  logic      [CpuWidth-1:0] client_i,        // who calls
  input  logic      [TidWidth-1:0] caller_i,
  input  logic                     caller_runs_i,
  input  logic                     any_i,           // a thread could run on this CPU:
  input  logic                     better_i,        // one of higher priority than the caller's,
  input  logic                     equal_i,         // of the same priority
  input  logic                     some_i,          // of any priority, but no idle thread
  input  logic      [TidWidth-1:0] next_i,
  input  logic                     slice_used_i,
  input  logic                     ahead_i,         // then the caller has finished the last begun round
  input  logic       [Clients-1:0] bound_i,         // clients that have a thread of their own,
  input  logic       [Clients-1:0] bound_queued_i,  // and that is ready

  // Reservations (cl_kernel_reserve)
  input  logic       [Clients-1:0] open_i,
  input  logic                     successor_valid_i,    // of the CPU named by the id
  input  logic      [CpuWidth-1:0] successor_i,

  // The thread read
  input  logic                     exists_i,
  input  logic      [TidWidth-1:0] tid_i,
  input  thread_state_e            state_i,
  input  logic      [CpuWidth-1:0] cpu_i,
  input  logic [PriorityWidth-1:0] priority_i,
  input  logic [PriorityWidth-1:0] own_i,           // priority without what it inherits
  input  logic [DeadlineRelativeWidth-1:0] relative_i,      // its relative deadline
  input  logic                     static_i,
  input  logic                     idle_i,
  input  logic                     hardware_i,
  input  logic                     queued_i,
  input  logic                     detached_i,
  input  logic                     joined_i,
  input  logic               [7:0] weight_i,
  input  logic                     owned_i,         // it has a CPU alone

  // A new thread
  input  logic                     room_i,
  input  logic      [TidWidth-1:0] new_i,
  output logic      [CpuWidth-1:0] new_cpu_o,
  output logic [PriorityWidth-1:0] new_priority_o,
  output logic                     new_static_o,
  output logic                     new_bound_o,
  output logic                     new_detached_o,

  output outcome_t                 outcome_o,
  output thread_change_t           change_o
);

  typedef logic [WordValueWidth-1:0] value_t;

  logic [AttributesPriorityWidth-1:0] new_param, unit, param;
  logic      [AttributesCpuWidth-1:0] new_cpu;
  logic                               new_static, startable, exited;
  status_e                            start_status, param_status;

  assign new_param      = word0_i[AttributesPriorityLsb +: AttributesPriorityWidth];
  assign new_cpu        = word0_i[AttributesCpuLsb +: AttributesCpuWidth];
  assign new_static     = word0_i[AttributesStaticLsb +: AttributesStaticWidth];
  assign new_detached_o = word0_i[AttributesDetachedLsb +: AttributesDetachedWidth];
  // A hardware thread is first in every wait list.
  assign new_bound_o    = Priorities <= HardwareParam && 32'(new_param) >= HardwareParam;
  assign unit           = new_param - 8'(HardwareParam);
  assign new_static_o   = new_static | new_bound_o;
  assign new_priority_o = new_bound_o ? PriorityWidth'(Priorities - 1) : PriorityWidth'(new_param);

  always_comb begin
    new_cpu_o = '0;
    if (new_bound_o)     new_cpu_o = CpuWidth'(Cpus) + CpuWidth'(unit);
    else if (new_static) new_cpu_o = CpuWidth'(new_cpu);
  end

  assign exited = state_i == ThreadExited;

  // The CPU named by the id
  logic                cpu_exists;
  logic [CpuWidth-1:0] named;

  assign cpu_exists = 32'(id_i) < Cpus;
  assign named      = CpuWidth'(id_i);
  assign param  = hardware_i ? 8'(HardwareParam) + 8'(cpu_i) - 8'(Cpus) : 8'(own_i);

  // Can the thread read become ready, can its parameter be set?
  always_comb begin
    startable = 1'b0;
    unique case (state_i)
      ThreadCreated, ThreadSuspended: begin
        startable    = exists_i;
        start_status = StatusOk;
      end
      ThreadReady:  start_status = StatusEalready;
      ThreadExited: start_status = StatusEshutdown;
      default:      start_status = StatusEinprogress;
    endcase
    if (!exists_i) start_status = StatusEsrch;

    param_status = StatusOk;
    if (!exists_i)                  param_status = StatusEsrch;
    else if (exited)                param_status = StatusEshutdown;
    else if (idle_i || hardware_i)  param_status = StatusEnotsup;
    else if (word0_i >= Priorities) param_status = StatusEinval;
  end

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
        outcome_o.spent   = Policy == PolicyDwrr && slice_used_i;
        if (outcome_o.spent && ahead_i) begin
          if (some_i) begin
            outcome_o.course = CourseGiveWay;
          end else begin
            outcome_o.spent  = 1'b0;
            outcome_o.course = CourseHold;
          end
        end else if (better_i || (equal_i && slice_used_i)) begin
          outcome_o.course = CourseGiveWay;
        end
      end

      OpThreadCreate: begin
        if (new_bound_o) begin
          if (32'(unit) + 1 > HwThreads)  outcome_o       = failed(StatusEnodev);
          else if (bound_i[new_cpu_o])    outcome_o       = failed(StatusEbusy);
          else if (!room_i)               outcome_o       = failed(StatusEagain);
          else                            change_o.create = 1'b1;
        end else begin
          if (32'(new_param) >= Priorities || (new_static && 32'(new_cpu) >= Cpus)) begin
            outcome_o = failed(StatusEinval);
          end else if (!room_i) begin
            outcome_o = failed(StatusEagain);
          end else begin
            change_o.create = 1'b1;
          end
        end
        if (change_o.create) outcome_o = answered(value_t'(new_i));
      end

      OpThreadStart: begin
        if (!startable) outcome_o      = failed(start_status);
        else            outcome_o.wake = WakeThread;
      end

      // Here the thread read is the caller. A joined or detached thread is freed.
      OpThreadExit: begin
        outcome_o.course = CourseExit;
        outcome_o.wake   = joined_i ? WakeJoiner : WakeNone;
        change_o.free    = joined_i | detached_i;
        change_o.unbind  = idle_i | (hardware_i & change_o.free);
        change_o.give_back = owned_i;
      end

      // Here, too, the thread read is the caller. It leaves as at its end, and wakes where it is placed now.
      OpMove: begin
        if (Policy == PolicyDwrr || idle_i || hardware_i) outcome_o = failed(StatusEnotsup);
        else if (owned_i)                                 outcome_o = failed(StatusEbusy);
        else if (32'(new_param) >= Priorities || (new_static && 32'(new_cpu) >= Cpus))
          outcome_o = failed(StatusEinval);
        else begin
          outcome_o.course = CourseExit;
          outcome_o.wake   = WakeThread;
          change_o.move    = 1'b1;
        end
      end

      OpThreadJoin: begin
        if (!exists_i)              outcome_o = failed(StatusEsrch);
        else if (tid_i == caller_i) outcome_o = failed(StatusEdeadlk);
        else if (detached_i)        outcome_o = failed(StatusEinval);
        else if (joined_i)          outcome_o = failed(StatusEbusy);
        else if (exited) begin
          change_o.free   = 1'b1;
          change_o.unbind = hardware_i;
        end else begin
          change_o.add_joiner = 1'b1;
          outcome_o.course    = CourseBlock;
        end
      end

      OpThreadDetach: begin
        if (!exists_i)       outcome_o = failed(StatusEsrch);
        else if (detached_i) outcome_o = failed(StatusEinval);
        else if (joined_i)   outcome_o = failed(StatusEbusy);
        else begin
          change_o.detach = 1'b1;
          change_o.free   = exited;
          change_o.unbind = exited & hardware_i;
        end
      end

      OpSetSchedParam: begin
        outcome_o = failed(param_status);
        if (param_status == StatusOk) begin
          outcome_o        = answered(value_t'(own_i));
          outcome_o.course = CourseRequeue;
        end
      end

      OpCheckSchedParam: outcome_o = failed(param_status);

      OpGetSchedParam: begin
        if (!exists_i) outcome_o = failed(StatusEsrch);
        else           outcome_o = answered(value_t'(param));
      end

      OpThreadRead: begin
        if (!exists_i) outcome_o = failed(StatusEsrch);
        else outcome_o = answered(value_t'(ThreadWordStateWidth'(state_i)) << ThreadWordStateLsb |
                                  value_t'(ThreadWordPriorityWidth'(priority_i)) << ThreadWordPriorityLsb |
                                  value_t'(ThreadWordCpuWidth'(cpu_i)) << ThreadWordCpuLsb);
      end

      OpSlice: outcome_o.course = CourseSlice;

      OpSetWeight: begin
        if (Policy != PolicyDwrr)                             outcome_o = failed(StatusEnotsup);
        else if (!exists_i)                                   outcome_o = failed(StatusEsrch);
        else if (idle_i || hardware_i)                        outcome_o = failed(StatusEnotsup);
        else if (word0_i == '0 || word0_i > 32'(WeightMax))   outcome_o = failed(StatusEinval);
        else begin
          outcome_o      = answered(value_t'(weight_i));
          change_o.weigh = 1'b1;
        end
      end

      OpSetDeadline: begin
        if (!exists_i)                                           outcome_o = failed(StatusEsrch);
        else if (Policy != PolicyEdf || idle_i || hardware_i)    outcome_o = failed(StatusEnotsup);
        else if (word0_i > DeadlineMax)                          outcome_o = failed(StatusEinval);
        else begin
          outcome_o        = answered(value_t'(relative_i));
          outcome_o.course = CourseRequeue;
        end
      end

      OpDequeue: begin
        if (!any_i) outcome_o = failed(StatusEagain);
        else begin
          outcome_o        = answered(value_t'(next_i));
          outcome_o.course = CourseDequeue;
        end
      end

      OpRemove: begin
        if (!exists_i)      outcome_o        = failed(StatusEsrch);
        else if (!queued_i) outcome_o        = failed(StatusEnoent);
        else                outcome_o.course = CourseRemove;
      end

      OpGetEntry: begin
        if (!exists_i) outcome_o = failed(StatusEsrch);
        else outcome_o = answered(value_t'(EntryWordSchedParamWidth'(param)) << EntryWordSchedParamLsb |
                                  value_t'(EntryWordQueuedWidth'(queued_i)) << EntryWordQueuedLsb |
                                  value_t'(EntryWordStaticWidth'(static_i)) << EntryWordStaticLsb |
                                  value_t'(EntryWordIdleWidth'(idle_i)) << EntryWordIdleLsb |
                                  value_t'(EntryWordHardwareWidth'(hardware_i)) << EntryWordHardwareLsb);
      end

      OpIsQueued: begin
        if (!exists_i) outcome_o = failed(StatusEsrch);
        else           outcome_o = answered(value_t'(queued_i));
      end

      OpIsEmpty: outcome_o = answered(value_t'(!any_i));

      OpSetIdleThread: begin
        if (!startable)                                    outcome_o     = failed(start_status);
        else if (32'(client_i) >= Cpus || hardware_i)      outcome_o     = failed(StatusEnotsup);
        else if (bound_i[client_i] || idle_i || owned_i)   outcome_o     = failed(StatusEbusy);
        else                                               change_o.idle = 1'b1;
      end

      // WORD0 names the thread read. A CPU's place in cl_kernel_bound is its owner's while it is reserved.
      OpReserve: begin
        if (!Reserve)                                           outcome_o = failed(StatusEnotsup);
        else if (!cpu_exists)                                   outcome_o = failed(StatusEinval);
        else if (!exists_i || word0_i[31:10] != '0)             outcome_o = failed(StatusEsrch);
        else if (exited)                                        outcome_o = failed(StatusEshutdown);
        else if (idle_i || hardware_i)                          outcome_o = failed(StatusEnotsup);
        else if (bound_i[named] || owned_i || !successor_valid_i)    outcome_o = failed(StatusEbusy);
        else begin
          change_o.reserve = 1'b1;
          outcome_o        = answered(value_t'(successor_i));
          outcome_o.wake   = queued_i ? WakeThread : WakeNone;
        end
      end

      OpRelease: begin
        if (!Reserve)           outcome_o = failed(StatusEnotsup);
        else if (!cpu_exists)   outcome_o = failed(StatusEinval);
        else if (open_i[named]) outcome_o = failed(StatusEnoent);
        else begin
          change_o.give_back = 1'b1;
          outcome_o.wake     = bound_queued_i[named] ? WakeThread : WakeNone;
        end
      end

      default: ;  // another service's
    endcase
  end

endmodule
