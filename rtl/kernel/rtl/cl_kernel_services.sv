// SPDX-License-Identifier: Apache-2.0
// The decision of an operation: from the operation, the records read and the caller to one outcome.
//
// Each kind of object has its service, which keeps the table of its objects; bits 5:3 of the operation tell
// the kind. `outcome_o` is combinational; what it changes happens with commit_i, which the engine gives at
// most once an operation, when everything that must happen before (publishing) has happened. A new kind of
// object is a new service here, and nothing in the engine.
module cl_kernel_services
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  int unsigned Cpus          = 2,
  parameter  int unsigned Priorities    = 32,
  parameter  int unsigned TidWidth      = 6,
  parameter  int unsigned Ports         = 32,
  parameter  int unsigned PortDepth     = 8,
  parameter  int unsigned Mutexes       = 32,
  parameter  int unsigned Semaphores    = 32,
  localparam int unsigned CpuWidth      = (Cpus > 1) ? $clog2(Cpus) : 1,
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // The operation; read_i: its object is read_id_i in the next cycle
  input  logic                     read_i,
  input  logic               [9:0] read_id_i,
  input  logic               [5:0] op_i,
  input  logic               [9:0] id_i,
  input  logic      [CpuWidth-1:0] cpu_i,
  input  logic      [TidWidth-1:0] caller_i,
  input  logic                     caller_runs_i,    // the CPU has a running thread, caller_i
  input  logic              [31:0] word0_i,

  // Threads: see cl_kernel_thread_ops
  input  logic                     better_i,
  input  logic                     equal_i,
  input  logic                     slice_used_i,
  input  logic                     exists_i,
  input  logic      [TidWidth-1:0] tid_i,
  input  thread_state_e            state_i,
  input  logic      [CpuWidth-1:0] thread_cpu_i,
  input  logic [PriorityWidth-1:0] priority_i,
  input  logic                     detached_i,
  input  logic                     joined_i,
  input  logic                     room_i,
  input  logic      [TidWidth-1:0] new_i,
  output logic      [CpuWidth-1:0] new_cpu_o,
  output logic [PriorityWidth-1:0] new_priority_o,
  output logic                     new_static_o,
  output logic                     new_detached_o,

  // The object's wait list
  input  logic                     waiter_valid_i,
  input  logic      [TidWidth-1:0] waiter_i,

  output outcome_t                 outcome_o,
  output thread_change_t           change_o,         // for the thread table, if the outcome happens
  output logic               [9:0] object_id_o,      // the operation's object; a new one if it creates it
  input  logic                     commit_i,

  // Ports and publishing: see cl_kernel_port_ops
  output logic      [TidWidth-1:0] receiver_o,
  output logic                     message_valid_o,
  output logic              [31:0] message_o,
  output logic          [Cpus-1:0] unpublished_o,
  input  logic                     walk_i,
  input  logic                     publish_i,
  output logic                     publish_wakes_o,
  output logic                     publish_more_o
);

  // Operations that there are, and those that only a thread may call
  logic known, needs_thread, allowed;

  always_comb begin
    known        = 1'b1;
    needs_thread = 1'b1;
    unique case (op_i)
      OpNext, OpThreadStart, OpThreadDetach, OpThreadPriority, OpThreadRead, OpSlice, OpSemaphorePost,
      OpSemaphoreValue: needs_thread = 1'b0;
      OpSelf, OpYield, OpPreempt, OpThreadCreate, OpThreadExit, OpThreadJoin,
      OpMutexCreate, OpMutexDestroy, OpMutexLock, OpMutexTrylock, OpMutexUnlock,
      OpSemaphoreCreate, OpSemaphoreDestroy, OpSemaphoreWait, OpSemaphoreTrywait,
      OpPortOpen, OpPortClose, OpPortSend, OpPortTrysend, OpPortReceive, OpPortTryreceive, OpPortPublish: ;
      default: known = 1'b0;
    endcase
  end

  assign allowed = known && (caller_runs_i || !needs_thread);

  logic           commit;
  logic     [9:0] new_mutex, new_semaphore;
  outcome_t       of_thread, of_mutex, of_semaphore, of_port;
  thread_change_t change;

  assign commit   = commit_i && allowed;
  assign change_o = allowed ? change : '0;

  always_comb begin
    unique case (op_i[5:3])
      3'd2:    outcome_o = of_mutex;
      3'd3:    outcome_o = of_semaphore;
      3'd4:    outcome_o = of_port;
      default: outcome_o = of_thread;
    endcase
    if (!known)        outcome_o = failed(StatusEinval);
    else if (!allowed) outcome_o = failed(StatusEsrch);
  end

  always_comb begin
    unique case (op_i)
      OpMutexCreate:     object_id_o = new_mutex;
      OpSemaphoreCreate: object_id_o = new_semaphore;
      default:           object_id_o = id_i;
    endcase
  end

  cl_kernel_thread_ops #(.Cpus(Cpus), .Priorities(Priorities), .TidWidth(TidWidth)) u_thread_ops (
    .op_i,
    .word0_i,
    .caller_i,
    .caller_runs_i,
    .better_i,
    .equal_i,
    .slice_used_i,
    .exists_i,
    .tid_i,
    .state_i,
    .cpu_i          (thread_cpu_i),
    .priority_i,
    .detached_i,
    .joined_i,
    .room_i,
    .new_i,
    .new_cpu_o,
    .new_priority_o,
    .new_static_o,
    .new_detached_o,
    .outcome_o      (of_thread),
    .change_o       (change)
  );

  cl_kernel_mutex_ops #(.Mutexes(Mutexes), .TidWidth(TidWidth)) u_mutex_ops (
    .clk_i,
    .rst_ni,
    .read_id_i,
    .op_i,
    .id_i,
    .caller_i,
    .waiter_valid_i,
    .waiter_i,
    .outcome_o (of_mutex),
    .new_o     (new_mutex),
    .commit_i  (commit)
  );

  cl_kernel_semaphore_ops #(.Semaphores(Semaphores)) u_semaphore_ops (
    .clk_i,
    .rst_ni,
    .read_id_i,
    .op_i,
    .id_i,
    .word0_i,
    .waiter_valid_i,
    .outcome_o (of_semaphore),
    .new_o     (new_semaphore),
    .commit_i  (commit)
  );

  cl_kernel_port_ops #(.Cpus(Cpus), .Ports(Ports), .PortDepth(PortDepth), .TidWidth(TidWidth)) u_port_ops (
    .clk_i,
    .rst_ni,
    .read_i,
    .read_id_i,
    .op_i,
    .id_i,
    .cpu_i,
    .caller_i,
    .word0_i,
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
