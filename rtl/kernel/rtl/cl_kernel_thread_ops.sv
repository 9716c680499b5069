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
  parameter  cfg_t        Cfg           = Default,
  localparam int unsigned Cpus          = Cfg.Cpus,
  localparam int unsigned Clients       = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth      = $clog2(Cfg.Threads),
  localparam int unsigned PriorityWidth = $clog2(Cfg.Priorities),
  // Defined by cl_kernel_tables
  parameter  type         choice_t      = logic,
  parameter  type         bound_t       = logic,
  parameter  type         thread_t      = logic,
  parameter  type         new_thread_t  = logic
) (
  input  logic          [7:0] op_i,
  input  logic          [9:0] id_i,
  input  logic         [31:0] word0_i,
  input  logic [CpuWidth-1:0] client_i,       // the caller
  input  logic [TidWidth-1:0] caller_i,
  input  logic                caller_runs_i,
  input  logic                slice_used_i,
  input  logic                ahead_i,        // then the caller has finished the last begun round
  input  choice_t             next_i,         // the thread that could run on this CPU
  input  bound_t              bound_i,        // threads that have a client alone
  input  thread_t             thread_i,       // the thread read
  input  logic                room_i,         // there can be a new thread, with this id:
  input  logic [TidWidth-1:0] new_tid_i,
  output new_thread_t         new_o,

  output outcome_t            outcome_o,
  output thread_change_t      change_o
);

  typedef logic [WordValueWidth-1:0] value_t;

  logic [AttributesPriorityWidth-1:0] new_param, unit, param;
  logic      [AttributesCpuWidth-1:0] new_cpu;
  logic                               new_static, new_bound, startable, exited;
  status_e                            start_status, param_status;

  assign new_param      = word0_i[AttributesPriorityLsb +: AttributesPriorityWidth];
  assign new_cpu        = word0_i[AttributesCpuLsb +: AttributesCpuWidth];
  assign new_static     = word0_i[AttributesStaticLsb +: AttributesStaticWidth];
  // A hardware thread is first in every wait list.
  assign new_bound      = Cfg.Priorities <= HardwareParam && 32'(new_param) >= HardwareParam;
  assign unit           = new_param - 8'(HardwareParam);

  always_comb begin
    new_o           = '0;
    new_o.prio      = new_bound ? PriorityWidth'(Cfg.Priorities - 1) : PriorityWidth'(new_param);
    new_o.is_static = new_static | new_bound;
    new_o.bound     = new_bound;
    new_o.detached  = word0_i[AttributesDetachedLsb +: AttributesDetachedWidth];
    if (new_bound)       new_o.cpu = CpuWidth'(Cpus) + CpuWidth'(unit);
    else if (new_static) new_o.cpu = CpuWidth'(new_cpu);
  end

  assign exited = thread_i.state == ThreadExited;

  // The CPU named by the id
  logic                cpu_exists;
  logic [CpuWidth-1:0] named;

  assign cpu_exists = 32'(id_i) < Cpus;
  assign named      = CpuWidth'(id_i);
  assign param      = thread_i.hardware ? 8'(HardwareParam) + 8'(thread_i.cpu) - 8'(Cpus) : 8'(thread_i.own);

  // Can the thread read become ready, can its parameter be set?
  always_comb begin
    startable = 1'b0;
    unique case (thread_i.state)
      ThreadCreated, ThreadSuspended: begin
        startable    = thread_i.exists;
        start_status = StatusOk;
      end
      ThreadReady:  start_status = StatusEalready;
      ThreadExited: start_status = StatusEshutdown;
      default:      start_status = StatusEinprogress;
    endcase
    if (!thread_i.exists) start_status = StatusEsrch;

    param_status = StatusOk;
    if (!thread_i.exists)                         param_status = StatusEsrch;
    else if (exited)                              param_status = StatusEshutdown;
    else if (thread_i.idle || thread_i.hardware)  param_status = StatusEnotsup;
    else if (word0_i >= Cfg.Priorities)               param_status = StatusEinval;
  end

  // The decision, by groups of operations
  typedef struct packed {
    outcome_t       outcome;
    thread_change_t change;
  } decision_t;

  decision_t of_caller, of_thread, of_parameter, of_queue, of_cpu;

  always_comb begin
    unique case (op_i)
      OpThreadCreate, OpThreadStart, OpThreadJoin, OpThreadDetach, OpThreadRead:
               {outcome_o, change_o} = of_thread;
      OpSetSchedParam, OpCheckSchedParam, OpGetSchedParam, OpSetWeight, OpSetDeadline:
               {outcome_o, change_o} = of_parameter;
      OpDequeue, OpRemove, OpGetEntry, OpIsQueued, OpIsEmpty:
               {outcome_o, change_o} = of_queue;
      OpSetIdleThread, OpReserve, OpRelease:
               {outcome_o, change_o} = of_cpu;
      default: {outcome_o, change_o} = of_caller;
    endcase
  end

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
        if (next_i.better || next_i.equal) of_caller.outcome.course = CourseGiveWay;
      end

      OpPreempt: begin
        of_caller.outcome.publish = 1'b1;
        of_caller.outcome.front   = ~slice_used_i;
        of_caller.outcome.spent   = Cfg.Policy == PolicyDwrr && slice_used_i;
        if (of_caller.outcome.spent && ahead_i) begin
          if (next_i.some) begin
            of_caller.outcome.course = CourseGiveWay;
          end else begin
            of_caller.outcome.spent  = 1'b0;
            of_caller.outcome.course = CourseHold;
          end
        end else if (next_i.better || (next_i.equal && slice_used_i)) begin
          of_caller.outcome.course = CourseGiveWay;
        end
      end

      OpSlice: of_caller.outcome.course = CourseSlice;

      // Here the thread read is the caller. A joined or detached thread is freed.
      OpThreadExit: begin
        of_caller.outcome.course = CourseExit;
        of_caller.outcome.wake   = thread_i.joined ? WakeJoiner : WakeNone;
        of_caller.change.free    = thread_i.joined | thread_i.detached;
        of_caller.change.unbind  = thread_i.idle | (thread_i.hardware & of_caller.change.free);
        of_caller.change.give_back = thread_i.owned;
      end

      // Here, too, the thread read is the caller. It leaves as at its end, and wakes where it is placed now.
      OpMove: begin
        if (Cfg.Policy == PolicyDwrr || thread_i.idle || thread_i.hardware) of_caller.outcome = failed(StatusEnotsup);
        else if (thread_i.owned)                                 of_caller.outcome = failed(StatusEbusy);
        else if (32'(new_param) >= Cfg.Priorities || (new_static && 32'(new_cpu) >= Cpus))
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
        if (new_bound) begin
          if (32'(unit) + 1 > Cfg.HwThreads)  of_thread.outcome       = failed(StatusEnodev);
          else if (bound_i.valid[new_o.cpu])    of_thread.outcome       = failed(StatusEbusy);
          else if (!room_i)               of_thread.outcome       = failed(StatusEagain);
          else                            of_thread.change.create = 1'b1;
        end else begin
          if (32'(new_param) >= Cfg.Priorities || (new_static && 32'(new_cpu) >= Cpus)) begin
            of_thread.outcome = failed(StatusEinval);
          end else if (!room_i) begin
            of_thread.outcome = failed(StatusEagain);
          end else begin
            of_thread.change.create = 1'b1;
          end
        end
        if (of_thread.change.create) of_thread.outcome = answered(value_t'(new_tid_i));
      end

      OpThreadStart: begin
        if (!startable) of_thread.outcome      = failed(start_status);
        else            of_thread.outcome.wake = WakeThread;
      end

      OpThreadJoin: begin
        if (!thread_i.exists)              of_thread.outcome = failed(StatusEsrch);
        else if (thread_i.tid == caller_i) of_thread.outcome = failed(StatusEdeadlk);
        else if (thread_i.detached)        of_thread.outcome = failed(StatusEinval);
        else if (thread_i.joined)          of_thread.outcome = failed(StatusEbusy);
        else if (exited) begin
          of_thread.change.free   = 1'b1;
          of_thread.change.unbind = thread_i.hardware;
        end else begin
          of_thread.change.add_joiner = 1'b1;
          of_thread.outcome.course    = CourseBlock;
        end
      end

      OpThreadDetach: begin
        if (!thread_i.exists)       of_thread.outcome = failed(StatusEsrch);
        else if (thread_i.detached) of_thread.outcome = failed(StatusEinval);
        else if (thread_i.joined)   of_thread.outcome = failed(StatusEbusy);
        else begin
          of_thread.change.detach = 1'b1;
          of_thread.change.free   = exited;
          of_thread.change.unbind = exited & thread_i.hardware;
        end
      end

      OpThreadRead: begin
        if (!thread_i.exists) of_thread.outcome = failed(StatusEsrch);
        else of_thread.outcome = answered(value_t'(ThreadWordStateWidth'(thread_i.state)) << ThreadWordStateLsb |
                                          value_t'(ThreadWordPriorityWidth'(thread_i.prio)) << ThreadWordPriorityLsb |
                                          value_t'(ThreadWordCpuWidth'(thread_i.cpu)) << ThreadWordCpuLsb);
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
          of_parameter.outcome        = answered(value_t'(thread_i.own));
          of_parameter.outcome.course = CourseRequeue;
        end
      end

      OpCheckSchedParam: of_parameter.outcome = failed(param_status);

      OpGetSchedParam: begin
        if (!thread_i.exists) of_parameter.outcome = failed(StatusEsrch);
        else           of_parameter.outcome = answered(value_t'(param));
      end

      OpSetWeight: begin
        if (Cfg.Policy != PolicyDwrr)                             of_parameter.outcome = failed(StatusEnotsup);
        else if (!thread_i.exists)                                   of_parameter.outcome = failed(StatusEsrch);
        else if (thread_i.idle || thread_i.hardware)                        of_parameter.outcome = failed(StatusEnotsup);
        else if (word0_i == '0 || word0_i > 32'(WeightMax))   of_parameter.outcome = failed(StatusEinval);
        else begin
          of_parameter.outcome      = answered(value_t'(thread_i.weight));
          of_parameter.change.weigh = 1'b1;
        end
      end

      OpSetDeadline: begin
        if (!thread_i.exists)                                           of_parameter.outcome = failed(StatusEsrch);
        else if (Cfg.Policy != PolicyEdf || thread_i.idle || thread_i.hardware)    of_parameter.outcome = failed(StatusEnotsup);
        else if (word0_i > DeadlineMax)                          of_parameter.outcome = failed(StatusEinval);
        else begin
          of_parameter.outcome        = answered(value_t'(thread_i.relative));
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
        if (!next_i.any) of_queue.outcome = failed(StatusEagain);
        else begin
          of_queue.outcome        = answered(value_t'(next_i.tid));
          of_queue.outcome.course = CourseDequeue;
        end
      end

      OpRemove: begin
        if (!thread_i.exists)      of_queue.outcome        = failed(StatusEsrch);
        else if (!thread_i.queued) of_queue.outcome        = failed(StatusEnoent);
        else                of_queue.outcome.course = CourseRemove;
      end

      OpGetEntry: begin
        if (!thread_i.exists) of_queue.outcome = failed(StatusEsrch);
        else of_queue.outcome = answered(value_t'(EntryWordSchedParamWidth'(param)) << EntryWordSchedParamLsb |
                                         value_t'(EntryWordQueuedWidth'(thread_i.queued)) << EntryWordQueuedLsb |
                                         value_t'(EntryWordStaticWidth'(thread_i.is_static)) << EntryWordStaticLsb |
                                         value_t'(EntryWordIdleWidth'(thread_i.idle)) << EntryWordIdleLsb |
                                         value_t'(EntryWordHardwareWidth'(thread_i.hardware)) << EntryWordHardwareLsb);
      end

      OpIsQueued: begin
        if (!thread_i.exists) of_queue.outcome = failed(StatusEsrch);
        else           of_queue.outcome = answered(value_t'(thread_i.queued));
      end

      OpIsEmpty: of_queue.outcome = answered(value_t'(!next_i.any));

      default: ;
    endcase
  end

  // CPUs that have a thread of their own: idle threads and reservations
  always_comb begin
    of_cpu = '0;
    unique case (op_i)
      OpSetIdleThread: begin
        if (!startable)                                    of_cpu.outcome     = failed(start_status);
        else if (32'(client_i) >= Cpus || thread_i.hardware)      of_cpu.outcome     = failed(StatusEnotsup);
        else if (bound_i.valid[client_i] || thread_i.idle || thread_i.owned)   of_cpu.outcome     = failed(StatusEbusy);
        else                                               of_cpu.change.idle = 1'b1;
      end

      // WORD0 names the thread read. A CPU's place in cl_kernel_bound is its owner's while it is reserved.
      OpReserve: begin
        if (!Cfg.Reserve)                                           of_cpu.outcome = failed(StatusEnotsup);
        else if (!cpu_exists)                                   of_cpu.outcome = failed(StatusEinval);
        else if (!thread_i.exists || word0_i[31:10] != '0)             of_cpu.outcome = failed(StatusEsrch);
        else if (exited)                                        of_cpu.outcome = failed(StatusEshutdown);
        else if (thread_i.idle || thread_i.hardware)                          of_cpu.outcome = failed(StatusEnotsup);
        else if (bound_i.valid[named] || thread_i.owned || !bound_i.successor_valid) of_cpu.outcome = failed(StatusEbusy);
        else begin
          of_cpu.change.reserve = 1'b1;
          of_cpu.outcome        = answered(value_t'(bound_i.successor));
          of_cpu.outcome.wake   = thread_i.queued ? WakeThread : WakeNone;
        end
      end

      OpRelease: begin
        if (!Cfg.Reserve)           of_cpu.outcome = failed(StatusEnotsup);
        else if (!cpu_exists)   of_cpu.outcome = failed(StatusEinval);
        else if (bound_i.open[named]) of_cpu.outcome = failed(StatusEnoent);
        else begin
          of_cpu.change.give_back = 1'b1;
          of_cpu.outcome.wake     = bound_i.queued[named] ? WakeThread : WakeNone;
        end
      end

      default: ;
    endcase
  end

endmodule
