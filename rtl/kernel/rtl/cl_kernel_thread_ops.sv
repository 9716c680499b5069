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

  // The decision, by groups of operations; that of each group is zero for the operations of others.
  typedef struct packed {
    outcome_t       outcome;
    thread_change_t change;
  } decision_t;

  decision_t of_caller, of_thread, of_parameter, of_queue, of_cpu;

  assign {outcome_o, change_o} = of_caller | of_thread | of_parameter | of_queue | of_cpu;

  // The caller goes on, gives way, ends or moves
  always_comb begin
    of_caller = '0;
    unique case (op_i)
      OpNext: begin
        if (caller_runs_i) of_caller.outcome.resumed = 1'b1;
        else               of_caller.outcome.course  = CourseNext;
      end

      OpSelf: of_caller.outcome = answered(value_t'(caller_i));

      OpYield: begin
        of_caller.outcome.publish = 1'b1;
        if (better_i || equal_i) of_caller.outcome.course = CourseGiveWay;
      end

      OpPreempt: begin
        of_caller.outcome.publish = 1'b1;
        of_caller.outcome.front   = ~slice_used_i;
        of_caller.outcome.spent   = Policy == PolicyDwrr && slice_used_i;
        if (of_caller.outcome.spent && ahead_i) begin
          if (some_i) begin
            of_caller.outcome.course = CourseGiveWay;
          end else begin
            of_caller.outcome.spent  = 1'b0;
            of_caller.outcome.course = CourseHold;
          end
        end else if (better_i || (equal_i && slice_used_i)) begin
          of_caller.outcome.course = CourseGiveWay;
        end
      end

      OpSlice: of_caller.outcome.course = CourseSlice;

      // Here the thread read is the caller. A joined or detached thread is freed.
      OpThreadExit: begin
        of_caller.outcome.course = CourseExit;
        of_caller.outcome.wake   = joined_i ? WakeJoiner : WakeNone;
        of_caller.change.free    = joined_i | detached_i;
        of_caller.change.unbind  = idle_i | (hardware_i & of_caller.change.free);
        of_caller.change.give_back = owned_i;
      end

      // Here, too, the thread read is the caller. It leaves as at its end, and wakes where it is placed now.
      OpMove: begin
        if (Policy == PolicyDwrr || idle_i || hardware_i) of_caller.outcome = failed(StatusEnotsup);
        else if (owned_i)                                 of_caller.outcome = failed(StatusEbusy);
        else if (32'(new_param) >= Priorities || (new_static && 32'(new_cpu) >= Cpus))
          of_caller.outcome = failed(StatusEinval);
        else begin
          of_caller.outcome.course = CourseExit;
          of_caller.outcome.wake   = WakeThread;
          of_caller.change.move    = 1'b1;
        end
      end

      default: ;
    endcase
  end

  // A new thread, and what others do with one
  always_comb begin
    of_thread = '0;
    unique case (op_i)
      OpThreadCreate: begin
        if (new_bound_o) begin
          if (32'(unit) + 1 > HwThreads)  of_thread.outcome       = failed(StatusEnodev);
          else if (bound_i[new_cpu_o])    of_thread.outcome       = failed(StatusEbusy);
          else if (!room_i)               of_thread.outcome       = failed(StatusEagain);
          else                            of_thread.change.create = 1'b1;
        end else begin
          if (32'(new_param) >= Priorities || (new_static && 32'(new_cpu) >= Cpus)) begin
            of_thread.outcome = failed(StatusEinval);
          end else if (!room_i) begin
            of_thread.outcome = failed(StatusEagain);
          end else begin
            of_thread.change.create = 1'b1;
          end
        end
        if (of_thread.change.create) of_thread.outcome = answered(value_t'(new_i));
      end

      OpThreadStart: begin
        if (!startable) of_thread.outcome      = failed(start_status);
        else            of_thread.outcome.wake = WakeThread;
      end

      OpThreadJoin: begin
        if (!exists_i)              of_thread.outcome = failed(StatusEsrch);
        else if (tid_i == caller_i) of_thread.outcome = failed(StatusEdeadlk);
        else if (detached_i)        of_thread.outcome = failed(StatusEinval);
        else if (joined_i)          of_thread.outcome = failed(StatusEbusy);
        else if (exited) begin
          of_thread.change.free   = 1'b1;
          of_thread.change.unbind = hardware_i;
        end else begin
          of_thread.change.add_joiner = 1'b1;
          of_thread.outcome.course    = CourseBlock;
        end
      end

      OpThreadDetach: begin
        if (!exists_i)       of_thread.outcome = failed(StatusEsrch);
        else if (detached_i) of_thread.outcome = failed(StatusEinval);
        else if (joined_i)   of_thread.outcome = failed(StatusEbusy);
        else begin
          of_thread.change.detach = 1'b1;
          of_thread.change.free   = exited;
          of_thread.change.unbind = exited & hardware_i;
        end
      end

      OpThreadRead: begin
        if (!exists_i) of_thread.outcome = failed(StatusEsrch);
        else of_thread.outcome = answered(value_t'(ThreadWordStateWidth'(state_i)) << ThreadWordStateLsb |
                                          value_t'(ThreadWordPriorityWidth'(priority_i)) << ThreadWordPriorityLsb |
                                          value_t'(ThreadWordCpuWidth'(cpu_i)) << ThreadWordCpuLsb);
      end

      default: ;
    endcase
  end

  // Parameters of the thread read
  always_comb begin
    of_parameter = '0;
    unique case (op_i)
      OpSetSchedParam: begin
        of_parameter.outcome = failed(param_status);
        if (param_status == StatusOk) begin
          of_parameter.outcome        = answered(value_t'(own_i));
          of_parameter.outcome.course = CourseRequeue;
        end
      end

      OpCheckSchedParam: of_parameter.outcome = failed(param_status);

      OpGetSchedParam: begin
        if (!exists_i) of_parameter.outcome = failed(StatusEsrch);
        else           of_parameter.outcome = answered(value_t'(param));
      end

      OpSetWeight: begin
        if (Policy != PolicyDwrr)                             of_parameter.outcome = failed(StatusEnotsup);
        else if (!exists_i)                                   of_parameter.outcome = failed(StatusEsrch);
        else if (idle_i || hardware_i)                        of_parameter.outcome = failed(StatusEnotsup);
        else if (word0_i == '0 || word0_i > 32'(WeightMax))   of_parameter.outcome = failed(StatusEinval);
        else begin
          of_parameter.outcome      = answered(value_t'(weight_i));
          of_parameter.change.weigh = 1'b1;
        end
      end

      OpSetDeadline: begin
        if (!exists_i)                                           of_parameter.outcome = failed(StatusEsrch);
        else if (Policy != PolicyEdf || idle_i || hardware_i)    of_parameter.outcome = failed(StatusEnotsup);
        else if (word0_i > DeadlineMax)                          of_parameter.outcome = failed(StatusEinval);
        else begin
          of_parameter.outcome        = answered(value_t'(relative_i));
          of_parameter.outcome.course = CourseRequeue;
        end
      end

      default: ;
    endcase
  end

  // The ready queue
  always_comb begin
    of_queue = '0;
    unique case (op_i)
      OpDequeue: begin
        if (!any_i) of_queue.outcome = failed(StatusEagain);
        else begin
          of_queue.outcome        = answered(value_t'(next_i));
          of_queue.outcome.course = CourseDequeue;
        end
      end

      OpRemove: begin
        if (!exists_i)      of_queue.outcome        = failed(StatusEsrch);
        else if (!queued_i) of_queue.outcome        = failed(StatusEnoent);
        else                of_queue.outcome.course = CourseRemove;
      end

      OpGetEntry: begin
        if (!exists_i) of_queue.outcome = failed(StatusEsrch);
        else of_queue.outcome = answered(value_t'(EntryWordSchedParamWidth'(param)) << EntryWordSchedParamLsb |
                                         value_t'(EntryWordQueuedWidth'(queued_i)) << EntryWordQueuedLsb |
                                         value_t'(EntryWordStaticWidth'(static_i)) << EntryWordStaticLsb |
                                         value_t'(EntryWordIdleWidth'(idle_i)) << EntryWordIdleLsb |
                                         value_t'(EntryWordHardwareWidth'(hardware_i)) << EntryWordHardwareLsb);
      end

      OpIsQueued: begin
        if (!exists_i) of_queue.outcome = failed(StatusEsrch);
        else           of_queue.outcome = answered(value_t'(queued_i));
      end

      OpIsEmpty: of_queue.outcome = answered(value_t'(!any_i));

      default: ;
    endcase
  end

  // CPUs that have a thread of their own: idle threads and reservations
  always_comb begin
    of_cpu = '0;
    unique case (op_i)
      OpSetIdleThread: begin
        if (!startable)                                    of_cpu.outcome     = failed(start_status);
        else if (32'(client_i) >= Cpus || hardware_i)      of_cpu.outcome     = failed(StatusEnotsup);
        else if (bound_i[client_i] || idle_i || owned_i)   of_cpu.outcome     = failed(StatusEbusy);
        else                                               of_cpu.change.idle = 1'b1;
      end

      // WORD0 names the thread read. A CPU's place in cl_kernel_bound is its owner's while it is reserved.
      OpReserve: begin
        if (!Reserve)                                           of_cpu.outcome = failed(StatusEnotsup);
        else if (!cpu_exists)                                   of_cpu.outcome = failed(StatusEinval);
        else if (!exists_i || word0_i[31:10] != '0)             of_cpu.outcome = failed(StatusEsrch);
        else if (exited)                                        of_cpu.outcome = failed(StatusEshutdown);
        else if (idle_i || hardware_i)                          of_cpu.outcome = failed(StatusEnotsup);
        else if (bound_i[named] || owned_i || !successor_valid_i) of_cpu.outcome = failed(StatusEbusy);
        else begin
          of_cpu.change.reserve = 1'b1;
          of_cpu.outcome        = answered(value_t'(successor_i));
          of_cpu.outcome.wake   = queued_i ? WakeThread : WakeNone;
        end
      end

      OpRelease: begin
        if (!Reserve)           of_cpu.outcome = failed(StatusEnotsup);
        else if (!cpu_exists)   of_cpu.outcome = failed(StatusEinval);
        else if (open_i[named]) of_cpu.outcome = failed(StatusEnoent);
        else begin
          of_cpu.change.give_back = 1'b1;
          of_cpu.outcome.wake     = bound_queued_i[named] ? WakeThread : WakeNone;
        end
      end

      default: ;
    endcase
  end

endmodule
