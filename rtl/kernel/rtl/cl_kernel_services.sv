// SPDX-License-Identifier: Apache-2.0
// The decision of an operation: from the operation, the records read and the caller to one outcome.
//
// Each kind of object has its service, which keeps the table of its objects; bits 5:3 of the operation tell the kind,
// but 22 and 23 are of timeouts, 31 the mutexes' and 52 to 55 the threads'. `outcome_o` is combinational; what it changes happens with
// commit_i, which the engine gives at most once an operation, when everything that must happen before (publishing) has
// happened. A new kind of object is a new service here, and nothing in the engine.
module cl_kernel_services
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  int unsigned Policy        = PolicyPriority,
  parameter  int unsigned Cpus          = 2,
  parameter  int unsigned HwThreads     = 0,
  parameter  bit          Reserve       = 1'b0,
  parameter  bit          Timeouts      = 1'b0,
  parameter  bit          Inheritance   = 1'b0,
  parameter  bit          BarrierWait   = 1'b0,
  parameter  bit          EventFlags    = 1'b0,
  parameter  bit          Pipeline      = 1'b0,  // commit_i comes a cycle after the decision
  parameter  int unsigned Priorities    = 32,
  parameter  int unsigned TidWidth      = 6,
  parameter  int unsigned Ports         = 32,
  parameter  int unsigned PortDepth     = 8,
  parameter  int unsigned PortWords     = 0,
  parameter  int unsigned Mutexes       = 32,
  parameter  int unsigned Semaphores    = 32,
  parameter  int unsigned Conditions    = 32,
  parameter  int unsigned Lines         = 8,
  parameter  int unsigned ObjectWidth   = 6,  // of a thread, semaphore or port
  localparam int unsigned Clients       = Cpus + HwThreads,
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned LineWidth     = (Lines > 1) ? $clog2(Lines) : 1,
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // The operation; in the next cycle it is read_op_i with argument read_word0_i and, with read_i, object read_id_i
  input  logic                     read_i,
  input  logic               [5:0] read_op_i,
  input  logic               [9:0] read_id_i,
  input  logic              [31:0] read_word0_i,
  input  logic               [5:0] op_i,
  input  logic               [9:0] id_i,
  input  logic      [CpuWidth-1:0] cpu_i,
  input  logic      [TidWidth-1:0] caller_i,
  input  logic                     caller_runs_i,    // the CPU has a running thread, caller_i
  input  logic              [31:0] word0_i,
  input  logic [PortWords:0][31:0] words_i,          // the message of the CPU
  input  logic                     by_line_i,        // it is interrupt line line_i's
  input  logic     [LineWidth-1:0] line_i,
  input  logic                     timeout_set_i,    // the caller has a deadline (cl_kernel_timeouts)

  // Threads: see cl_kernel_thread_ops
  input  logic                     any_i,
  input  logic                     better_i,
  input  logic                     equal_i,
  input  logic                     some_i,
  input  logic      [TidWidth-1:0] next_i,
  input  logic                     slice_used_i,
  input  logic                     ahead_i,
  input  logic       [Clients-1:0] bound_i,
  input  logic       [Clients-1:0] bound_queued_i,
  input  logic       [Clients-1:0] open_i,
  input  logic                     successor_valid_i,
  input  logic      [CpuWidth-1:0] successor_i,
  input  logic                     exists_i,
  input  logic      [TidWidth-1:0] tid_i,
  input  thread_state_e            state_i,
  input  logic      [CpuWidth-1:0] thread_cpu_i,
  input  logic [PriorityWidth-1:0] priority_i,
  input  logic [PriorityWidth-1:0] own_i,
  input  logic [DeadlineRelativeWidth-1:0] relative_i,
  input  logic                     static_i,
  input  logic                     idle_i,
  input  logic                     hardware_i,
  input  logic                     queued_i,
  input  logic                     detached_i,
  input  logic                     joined_i,
  input  logic                     owned_i,
  input  logic               [7:0] weight_i,
  input  logic                     room_i,
  input  logic      [TidWidth-1:0] new_i,
  output logic      [CpuWidth-1:0] new_cpu_o,
  output logic [PriorityWidth-1:0] new_priority_o,
  output logic                     new_static_o,
  output logic                     new_bound_o,
  output logic                     new_detached_o,

  // The object's wait list
  input  logic                     waiter_valid_i,
  input  logic      [TidWidth-1:0] waiter_i,

  // Mutexes: see cl_kernel_mutex_ops
  input  logic                     mutex_gone_i,
  input  logic                     mutex_above_i,
  input  logic [PriorityWidth-1:0] mutex_ceiling_i,
  output logic                     mutex_locked_o,
  output logic      [TidWidth-1:0] mutex_owner_o,

  // Event flags: see cl_kernel_event_flags
  output logic              [31:0] flags_o,
  input  logic                     flags_we_i,
  input  logic              [31:0] flags_i,

  output outcome_t                 outcome_o,
  output thread_change_t           change_o,         // for the thread table, if the outcome happens
  output logic               [9:0] object_id_o,      // the operation's object; a new one if it creates it
  input  logic                     commit_i,

  // Ports and publishing: see cl_kernel_port_ops
  output logic      [TidWidth-1:0] receiver_o,
  output logic                     message_valid_o,
  output logic [PortWords:0][31:0] message_o,
  output logic       [Clients-1:0] unpublished_o,
  input  logic                     walk_i,
  input  logic                     publish_i,
  output logic                     publish_wakes_o,
  output logic                     publish_more_o,

  // Interrupt lines: see cl_kernel_interrupt_ops
  input  logic         [Lines-1:0] lines_i,
  output logic               [5:0] as_op_o,
  output logic               [9:0] as_id_o,
  output logic      [TidWidth-1:0] line_thread_o,
  output logic                     line_pending_o,
  output logic                     line_request_o,
  output logic                     line_wakes_o,
  output logic                     line_notes_o,
  output logic               [5:0] line_op_o,
  output logic               [9:0] line_id_o,
  output logic     [LineWidth-1:0] line_o,
  input  logic                     line_take_i,
  input  logic                     line_free_i
);

  // Operations that there are, and those that only a thread may call
  logic known, needs_thread, allowed, allowed_now;

  always_ff @(posedge clk_i) begin
    known        <= 1'b1;
    needs_thread <= 1'b1;
    unique case (read_op_i)
      OpNext, OpThreadStart, OpThreadDetach, OpSetSchedParam, OpThreadRead, OpSlice, OpGetSchedParam,
      OpMutexLeave,
      OpSemaphorePost, OpSemaphoreValue, OpSemaphoreLeave,
      OpPortLeave,
      OpCondTicket, OpCondSignal, OpCondBroadcast, OpCondLeave,
      OpInterruptUnbind, OpInterruptRaise,
      OpSetWeight, OpSetDeadline, OpReserve, OpRelease,
      OpDequeue, OpRemove, OpGetEntry, OpIsQueued, OpIsEmpty, OpSetIdleThread, OpCheckSchedParam:
        needs_thread <= 1'b0;
      OpSelf, OpYield, OpPreempt, OpThreadCreate, OpThreadExit, OpMove, OpThreadJoin,
      OpMutexCreate, OpMutexDestroy, OpMutexLock, OpMutexTrylock, OpMutexUnlock,
      OpSemaphoreCreate, OpSemaphoreDestroy, OpSemaphoreWait, OpSemaphoreTrywait,
      OpPortOpen, OpPortClose, OpPortSend, OpPortTrysend, OpPortReceive, OpPortTryreceive, OpPortPublish,
      OpCondCreate, OpCondDestroy, OpCondWait,
      OpInterruptBind, OpInterruptWait: ;
      OpTimeoutStart, OpTimeoutStop: known <= Timeouts;
      default: known <= 1'b0;
    endcase
    if (Inheritance && read_op_i == OpMutexProtocol) known <= 1'b1;
    if (BarrierWait && read_op_i == OpBarrierWait)   known <= 1'b1;
    if (EventFlags && read_op_i == OpEventFlags)     known <= 1'b1;
  end

  assign allowed = known && (caller_runs_i || !needs_thread || by_line_i);

  logic           commit;
  logic     [9:0] new_mutex, new_semaphore, new_condition, bind_id;
  logic           semaphore_exists, port_exists, port_open;
  outcome_t       of_timeout, of_thread, of_mutex, of_semaphore, of_port, of_condition, of_interrupt;
  thread_change_t change;

  assign of_timeout = answered(WordValueWidth'(op_i == OpTimeoutStop && !timeout_set_i));

  // interrupt_bind names a second object.
  assign bind_id = read_word0_i[BindingObjectLsb +: BindingObjectWidth];

  cl_pipeline_register #(.Registered(Pipeline)) u_allowed (.clk_i, .d_i(allowed), .q_o(allowed_now));

  assign commit   = commit_i && allowed_now;
  assign change_o = allowed ? change : '0;

  always_comb begin
    unique case (op_i[5:3])
      3'd2:    outcome_o = (Timeouts && op_i[2:1] == 2'd3) ? of_timeout : of_mutex;
      3'd3:    outcome_o = (Inheritance && op_i == OpMutexProtocol) ? of_mutex : of_semaphore;
      3'd4:    outcome_o = of_port;
      3'd5:    outcome_o = of_condition;
      3'd6:    outcome_o = op_i[2] ? of_thread : of_interrupt;
      default: outcome_o = of_thread;
    endcase
    if (EventFlags && op_i == OpEventFlags) outcome_o = of_condition;
    if (!known)        outcome_o = failed(StatusEinval);
    else if (!allowed) outcome_o = failed(StatusEsrch);
  end

  always_comb begin
    unique case (op_i)
      OpMutexCreate:     object_id_o = new_mutex;
      OpSemaphoreCreate: object_id_o = new_semaphore;
      OpCondCreate:      object_id_o = new_condition;
      default:           object_id_o = id_i;
    endcase
    if (EventFlags && op_i == OpEventFlags) object_id_o = 10'(id_i[EventFlagsObjectLsb +: EventFlagsObjectWidth]);
  end

  cl_kernel_thread_ops #(
    .Policy     (Policy),
    .Cpus       (Cpus),
    .HwThreads  (HwThreads),
    .Priorities (Priorities),
    .TidWidth   (TidWidth),
    .Reserve    (Reserve)
  ) u_thread_ops (
    .op_i,
    .id_i,
    .word0_i,
    .client_i       (cpu_i),
    .caller_i,
    .caller_runs_i,
    .any_i,
    .better_i,
    .equal_i,
    .some_i,
    .next_i,
    .slice_used_i,
    .ahead_i,
    .bound_i,
    .bound_queued_i,
    .open_i,
    .successor_valid_i,
    .successor_i,
    .exists_i,
    .tid_i,
    .state_i,
    .cpu_i          (thread_cpu_i),
    .priority_i,
    .own_i,
    .relative_i,
    .static_i,
    .idle_i,
    .hardware_i,
    .queued_i,
    .detached_i,
    .joined_i,
    .owned_i,
    .weight_i,
    .room_i,
    .new_i,
    .new_cpu_o,
    .new_priority_o,
    .new_static_o,
    .new_bound_o,
    .new_detached_o,
    .outcome_o      (of_thread),
    .change_o       (change)
  );

  cl_kernel_mutex_ops #(
    .Mutexes     (Mutexes),
    .TidWidth    (TidWidth),
    .Priorities  (Priorities),
    .Inheritance (Inheritance),
    .Pipeline    (Pipeline)
  ) u_mutex_ops (
    .clk_i,
    .rst_ni,
    .read_id_i,
    .op_i,
    .id_i,
    .caller_i,
    .word0_i,
    .gone_i    (mutex_gone_i),
    .above_i   (mutex_above_i),
    .ceiling_i (8'(mutex_ceiling_i)),
    .locked_o  (mutex_locked_o),
    .owner_o   (mutex_owner_o),
    .waiter_valid_i,
    .waiter_i,
    .outcome_o (of_mutex),
    .new_o     (new_mutex),
    .commit_i  (commit)
  );

  cl_kernel_semaphore_ops #(.Semaphores(Semaphores), .Pipeline(Pipeline)) u_semaphore_ops (
    .clk_i,
    .rst_ni,
    .read_id_i,
    .op_i,
    .id_i,
    .word0_i,
    .read_word0_i,
    .bind_id_i  (bind_id),
    .bindable_o (semaphore_exists),
    .waiter_valid_i,
    .outcome_o  (of_semaphore),
    .new_o      (new_semaphore),
    .commit_i   (commit)
  );

  cl_kernel_condition_ops #(
    .Conditions  (Conditions),
    .BarrierWait (BarrierWait),
    .EventFlags  (EventFlags),
    .Pipeline    (Pipeline)
  ) u_condition_ops (
    .clk_i,
    .rst_ni,
    .read_id_i,
    .op_i,
    .id_i,
    .word0_i,
    .waiter_valid_i,
    .flags_o,
    .flags_we_i,
    .flags_i,
    .outcome_o (of_condition),
    .new_o     (new_condition),
    .commit_i  (commit)
  );

  cl_kernel_interrupt_ops #(
    .Lines       (Lines),
    .TidWidth    (TidWidth),
    .ObjectWidth (ObjectWidth),
    .Pipeline    (Pipeline)
  ) u_interrupt_ops (
    .clk_i,
    .rst_ni,
    .line_i             (lines_i),
    .read_id_i,
    .op_i,
    .id_i,
    .word0_i,
    .caller_i,
    .semaphore_exists_i (semaphore_exists),
    .port_exists_i      (port_exists),
    .port_open_i        (port_open),
    .outcome_o          (of_interrupt),
    .as_op_o,
    .as_id_o,
    .thread_o           (line_thread_o),
    .commit_i           (commit),
    .pending_o          (line_pending_o),
    .request_o          (line_request_o),
    .request_wakes_o    (line_wakes_o),
    .request_notes_o    (line_notes_o),
    .request_op_o       (line_op_o),
    .request_id_o       (line_id_o),
    .request_line_o     (line_o),
    .take_i             (line_take_i),
    .free_i             (line_free_i)
  );

  cl_kernel_port_ops #(
    .Clients   (Clients),
    .Ports     (Ports),
    .PortDepth (PortDepth),
    .PortWords (PortWords),
    .TidWidth  (TidWidth),
    .LineWidth (LineWidth),
    .Pipeline  (Pipeline)
  ) u_port_ops (
    .clk_i,
    .rst_ni,
    .read_i,
    .read_id_i,
    .op_i,
    .id_i,
    .cpu_i,
    .caller_i,
    .word0_i,
    .words_i,
    .by_line_i,
    .line_i,
    .bind_id_i      (bind_id),
    .bind_exists_o  (port_exists),
    .bind_open_o    (port_open),
    .waiter_valid_i,
    .outcome_o      (of_port),
    .commit_i       (commit),
    .receiver_o,
    .message_valid_o,
    .message_o,
    .unpublished_o,
    .walk_i,
    .publish_i,
    .publish_wakes_o,
    .publish_more_o
  );

endmodule
