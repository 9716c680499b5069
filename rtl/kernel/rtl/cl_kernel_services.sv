// SPDX-License-Identifier: Apache-2.0
// The decision of an operation: from the operation, the records read and the caller to one outcome.
//
// Each kind of object has its service, which keeps the table of its objects. `outcome_o` is combinational; what it changes
// happens with commit_i, which the engine gives at most once an operation, when everything that must happen before
// (publishing) has happened. A new kind of object is a new service here, and nothing in the engine.
module cl_kernel_services
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg       = Default,
  localparam int unsigned PortWords = Cfg.PortWords,
  localparam int unsigned Clients   = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned TidWidth  = $clog2(Cfg.Threads),
  localparam int unsigned LineWidth = (Cfg.Lines > 1) ? $clog2(Cfg.Lines) : 1,
  // Defined by cl_kernel and cl_kernel_tables
  parameter  type         operation_t   = logic,
  parameter  type         choice_t      = logic,
  parameter  type         bound_t       = logic,
  parameter  type         thread_t      = logic,
  parameter  type         new_thread_t  = logic,
  parameter  type         mutex_rule_t  = logic
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // The operation; in the next cycle it is read_i and, with read_i.valid, its object is read_i.id
  input  read_t                    read_i,
  input  operation_t               now_i,
  input  logic [PortWords:0][31:0] words_i,          // the message of the client
  input  logic                     timeout_set_i,    // the caller has a deadline (cl_kernel_timeouts)

  // Threads: see cl_kernel_thread_ops
  input  choice_t                  next_i,
  input  bound_t                   bound_i,
  input  thread_t                  thread_i,
  input  logic                     room_i,
  input  logic      [TidWidth-1:0] new_tid_i,
  output new_thread_t              new_o,

  // The object's wait list
  input  logic                     waiter_valid_i,
  input  logic      [TidWidth-1:0] waiter_i,

  // Mutexes: see cl_kernel_mutex_ops
  input  mutex_rule_t              mutex_rule_i,
  output logic                     mutex_locked_o,
  output logic      [TidWidth-1:0] mutex_owner_o,

  // Monitors: see cl_kernel_mutex_ops
  input  logic                     retake_i,
  output logic                     held_o,

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
  input  logic     [Cfg.Lines-1:0] lines_i,
  output logic               [7:0] as_op_o,
  output logic               [9:0] as_id_o,
  output logic      [TidWidth-1:0] line_thread_o,
  output logic                     line_pending_o,
  output line_request_t            line_request_o,
  output logic     [LineWidth-1:0] line_o,
  input  logic                     line_take_i,
  input  logic                     line_free_i
);

  // Operations that there are, and those that only a thread may call
  logic known, needs_thread, allowed, allowed_now;

  always_ff @(posedge clk_i) begin
    needs_thread <= op_needs_thread(read_i.op);
    known        <= op_is_load(read_i.op);
    if (!Cfg.Timeouts && read_i.op[7:4] == KindTimeout)   known <= 1'b0;
    if (!Cfg.Inheritance && read_i.op == OpMutexProtocol) known <= 1'b0;
    if (!Cfg.EventFlags && read_i.op[7:4] == KindFlags)   known <= 1'b0;
    if (!Cfg.Monitors && read_i.op == OpMutexWait)        known <= 1'b0;
  end

  assign allowed = known && (now_i.caller_runs || !needs_thread || now_i.by_line);

  logic           commit;
  logic     [9:0] new_mutex, new_semaphore, new_condition, bind_id;
  logic           semaphore_exists, port_exists, port_open, condition_there;
  outcome_t       of_timeout, of_thread, of_mutex, of_semaphore, of_port, of_condition, of_interrupt;
  thread_change_t change;

  assign of_timeout = answered(WordValueWidth'(now_i.op == OpTimeoutStop && !timeout_set_i));

  logic unused;  // the engine's
  assign unused = ^{now_i.by_timeout, now_i.new_priority, now_i.retaking};

  // interrupt_bind names a second object.
  assign bind_id = read_i.word0[BindingObjectLsb +: BindingObjectWidth];

  cl_pipeline_register #(.Registered(Cfg.Pipeline)) u_allowed (.clk_i, .d_i(allowed), .q_o(allowed_now));

  assign commit   = commit_i && allowed_now;
  assign change_o = allowed ? change : '0;

  always_comb begin
    unique case (now_i.op[7:4])
      KindTimeout:                           outcome_o = of_timeout;
      KindPort:                              outcome_o = of_port;
      KindCondition, KindBarrier, KindFlags: outcome_o = of_condition;
      KindMutex:                             outcome_o = of_mutex;
      KindSemaphore:                         outcome_o = of_semaphore;
      KindInterrupt:                         outcome_o = of_interrupt;
      default:                               outcome_o = of_thread;
    endcase
    if (!known)        outcome_o = failed(StatusEinval);
    else if (!allowed) outcome_o = failed(StatusEsrch);
  end

  always_comb begin
    unique case (now_i.op)
      OpMutexCreate:     object_id_o = new_mutex;
      OpSemaphoreCreate: object_id_o = new_semaphore;
      OpCondCreate:      object_id_o = new_condition;
      default:           object_id_o = now_i.id;
    endcase
  end

  cl_kernel_thread_ops #(
    .Cfg          (Cfg),
    .choice_t     (choice_t),
    .bound_t      (bound_t),
    .thread_t     (thread_t),
    .new_thread_t (new_thread_t)
  ) u_thread_ops (
    .op_i          (now_i.op),
    .id_i          (now_i.id),
    .word0_i       (now_i.word0),
    .client_i      (now_i.client),
    .caller_i      (now_i.caller),
    .caller_runs_i (now_i.caller_runs),
    .slice_used_i  (now_i.slice_used),
    .ahead_i       (now_i.ahead),
    .next_i,
    .bound_i,
    .thread_i,
    .room_i,
    .new_tid_i,
    .new_o,
    .outcome_o     (of_thread),
    .change_o      (change)
  );

  cl_kernel_mutex_ops #(.Cfg(Cfg)) u_mutex_ops (
    .clk_i,
    .rst_ni,
    .read_id_i (read_i.id),
    .op_i      (now_i.op),
    .id_i      (now_i.id),
    .caller_i  (now_i.caller),
    .word0_i   (now_i.word0),
    .gone_i    (mutex_rule_i.gone),
    .above_i   (mutex_rule_i.above),
    .ceiling_i (8'(mutex_rule_i.ceiling)),
    .locked_o  (mutex_locked_o),
    .owner_o   (mutex_owner_o),
    .waiter_valid_i,
    .waiter_i,
    .condition_i (condition_there),
    .retake_i,
    .held_o,
    .outcome_o (of_mutex),
    .new_o     (new_mutex),
    .commit_i  (commit)
  );

  cl_kernel_semaphore_ops #(.Cfg(Cfg)) u_semaphore_ops (
    .clk_i,
    .rst_ni,
    .read_id_i    (read_i.id),
    .op_i         (now_i.op),
    .id_i         (now_i.id),
    .word0_i      (now_i.word0),
    .read_word0_i (read_i.word0),
    .bind_id_i    (bind_id),
    .bindable_o   (semaphore_exists),
    .waiter_valid_i,
    .outcome_o    (of_semaphore),
    .new_o        (new_semaphore),
    .commit_i     (commit)
  );

  cl_kernel_condition_ops #(.Cfg(Cfg)) u_condition_ops (
    .clk_i,
    .rst_ni,
    .read_id_i    (read_i.id),
    .op_i         (now_i.op),
    .id_i         (now_i.id),
    .word0_i      (now_i.word0),
    .read_word0_i (read_i.word0),
    .there_o      (condition_there),
    .unlocked_i   (now_i.unlocked),
    .waiter_valid_i,
    .flags_o,
    .flags_we_i,
    .flags_i,
    .outcome_o (of_condition),
    .new_o     (new_condition),
    .commit_i  (commit)
  );

  cl_kernel_interrupt_ops #(.Cfg(Cfg)) u_interrupt_ops (
    .clk_i,
    .rst_ni,
    .line_i             (lines_i),
    .read_id_i          (read_i.id),
    .op_i               (now_i.op),
    .id_i               (now_i.id),
    .word0_i            (now_i.word0),
    .caller_i           (now_i.caller),
    .semaphore_exists_i (semaphore_exists),
    .port_exists_i      (port_exists),
    .port_open_i        (port_open),
    .outcome_o          (of_interrupt),
    .as_op_o,
    .as_id_o,
    .thread_o           (line_thread_o),
    .commit_i           (commit),
    .pending_o          (line_pending_o),
    .request_o          (line_request_o.valid),
    .request_wakes_o    (line_request_o.wakes),
    .request_notes_o    (line_request_o.notes),
    .request_op_o       (line_request_o.op),
    .request_id_o       (line_request_o.id),
    .request_line_o     (line_o),
    .take_i             (line_take_i),
    .free_i             (line_free_i)
  );

  cl_kernel_port_ops #(.Cfg(Cfg)) u_port_ops (
    .clk_i,
    .rst_ni,
    .read_i        (read_i.valid),
    .read_id_i     (read_i.id),
    .op_i          (now_i.op),
    .id_i          (now_i.id),
    .cpu_i         (now_i.client),
    .caller_i      (now_i.caller),
    .word0_i       (now_i.word0),
    .words_i,
    .by_line_i     (now_i.by_line),
    .line_i        (now_i.line),
    .bind_id_i     (bind_id),
    .bind_exists_o (port_exists),
    .bind_open_o   (port_open),
    .waiter_valid_i,
    .outcome_o     (of_port),
    .commit_i      (commit),
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
