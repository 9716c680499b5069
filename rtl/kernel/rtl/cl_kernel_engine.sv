// SPDX-License-Identifier: Apache-2.0
// Operation engine of the kernel: takes one operation of one client, or of one interrupt line, at a time and finishes
// it, so every operation is atomic. src/coreloom/reference/kernel.py defines its behaviour, including the order of
// effects.
//
// It chooses what is served and which records are read, and holds the registers; cl_kernel_sequence has the states and
// what each does. The records are in cl_kernel_tables, whose services (cl_kernel_*_ops), one for each kind of object,
// decide what the operation answers and changes. With Pipeline cl_kernel_pipeline is between what is found and what is
// done.
//
// The client's answer is registered by its port: rvalid is in the cycle after the answer. A line that wakes a thread
// goes from StIdle to StWake at once.
// The decision is late in its cycle, so its operands (thread, queue, level, address) are selected by operation and
// state alone, and the decision only enables the action.
module cl_kernel_engine
  import cl_engine_pkg::*;
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg            = Default,
  localparam int unsigned Clients        = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth       = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth       = $clog2(Cfg.Threads),
  localparam int unsigned PriorityWidth  = $clog2(Cfg.Priorities),
  localparam int unsigned LevelWidth     = key_width(Cfg.Policy, Cfg.Priorities) + 1,
  // Defined by cl_kernel
  parameter  type         requests_t     = logic,
  parameter  type         sched_state_t  = logic,
  parameter  type         sched_change_t = logic,
  parameter  type         queue_cmd_t    = logic,
  parameter  type         thread_event_t = logic,
  parameter  type         policy_t       = logic,
  parameter  type         operation_t    = logic,
  parameter  type         choice_t       = logic,
  parameter  type         next_t         = logic,
  parameter  type         strobes_t      = logic,
  parameter  type         pending_t      = logic,
  parameter  type         found_t        = logic
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Clients: their ports (cl_kernel_port), and their scheduling state (cl_kernel_cpu)
  input  requests_t            requests_i,
  output logic   [Clients-1:0] take_o,
  output logic   [Clients-1:0] answer_valid_o,
  output logic          [31:0] answer_o,
  input  sched_state_t         sched_i,
  input  logic   [Clients-1:0] slice_used_i,
  output sched_change_t        sched_o,
  output logic          [15:0] slice_o,
  output logic                 slice_restart_o,

  // Ready queue
  output logic                 queue_valid_o,
  input  logic                 queue_ready_i,
  output queue_cmd_t           queue_o,

  // The records (cl_kernel_tables)
  output read_t                read_o,
  output logic  [CpuWidth-1:0] client_o,
  output logic           [9:0] object_o,
  output logic  [TidWidth-1:0] raddr_o,
  output engine_state_e        state_o,
  output operation_t           operation_o,
  output logic          [31:0] target_o,
  output choice_t              choice_o,
  input  found_t               found_i,
  input  next_t                next_i,
  input  pending_t             pending_i,
  input  logic                 job_pending_i,
  output strobes_t             strobes_o,

  output logic                 idle_o,
  output logic                 stable_o,   // the scheduling state and the queue are consistent

  // Policy dwrr (cl_kernel_dwrr): what happens to threads, and what follows from it
  output thread_event_t        event_o,
  output logic                 settle_o,
  input  policy_t              policy_i
);

  localparam int unsigned LineWidth = (Cfg.Lines > 1) ? $clog2(Cfg.Lines) : 1;

  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic [PriorityWidth-1:0] priority_t;
  typedef logic    [LevelWidth-1:0] level_t;
  typedef logic      [CpuWidth-1:0] cpu_t;    // a client
  typedef logic     [LineWidth-1:0] line_t;

  // ---------------------------------------------------------------------------------------------
  // Registers

  typedef struct packed {
    engine_state_e state;
    cpu_t          cpu;           // the client, its operation
    logic    [7:0] op;
    logic    [9:0] id;
    engine_state_e wake_then;     // the state after StWake
    logic          front;         // StWake: to the head of its priority
    logic          pop;           // StWake: remove the thread from the wait list
    logic          all;           // wake all waiters
    logic          by_line;       // the operation is what an interrupt line does:
    line_t         line;
    logic          by_timeout;    // the operation ends the wait of a thread whose time is over
    logic          silent;        // no client gets its answer
    logic          publish_end;   // the operation ends with its publishing
    priority_t     new_priority;  // StRequeue
    logic   [15:0] slice;
    logic          offer;         // at its end StOffer, for:
    cpu_t          offer_cpu;
    logic          late;          // StOffer: release the CPU only then
    logic          unlocked;      // mutex_wait: the wait
    logic          retaking;      // a signal locks this mutex for the thread read
    logic    [9:0] mutex;
  } registers_t;

  registers_t    q;
  engine_state_e state_q;
  cpu_t          cpu_q;
  logic    [7:0] op_q;
  logic    [9:0] id_q;
  logic          by_line_q;
  next_t         next_q;          // the client's next thread, chosen one cycle ahead
  logic          next_known_q;    // nothing has changed since it was chosen
  logic          woken_q;         // with Pipeline: a save may do more than when its client was picked
  tid_t          caller;

  assign state_q   = q.state;
  assign cpu_q     = q.cpu;
  assign op_q      = q.op;
  assign id_q      = q.id;
  assign by_line_q = q.by_line;
  assign caller    = sched_i.tid[cpu_q];

  // ---------------------------------------------------------------------------------------------
  // The action of a state

  typedef struct packed {
    registers_t    q;              // the next values of the registers
    // Changes to the thread set_tid
    logic          set, set_priority;
    thread_state_e set_state;
    cpu_t          set_cpu;
    logic          pop;            // the first waiter leaves the wait list
    // Queues; what is done to the ready queue is selected apart, as is the thread read in the next cycle
    logic          queue_valid, bound_push, bound_pop;
    cpu_t          bound_pop_cpu;
    // The answer to a client, and the command to a client's scheduling state
    logic          answer_valid;
    cpu_t          answer_cpu;
    logic   [31:0] answer;
    cpu_t          sched_cpu;
    sched_cmd_t    cmd;
    tid_t          sched_tid;
    level_t        sched_level;
    logic          slice_restart;  // of all
    // Consequences in the same cycle
    logic          choose;         // the next thread of CPU cpu_q runs, or none
    logic          give_way;       // with choose: the caller stays ready
    logic          take_next;      // the next thread leaves its queue
  } action_t;

  action_t action;

  // StIdle: what is served, if anything
  typedef struct packed {
    logic       settling;     // policy dwrr: the consequences of the last operation, else
    logic       line;         // an interrupt line, else
    logic       timeout;      // a wait whose time is over, else
    logic       client;       // client `pick`:
    logic       asks;         // it has an operation or a save; else its wait ends
    logic       op_valid;
    logic       requeue;      // see cl_kernel_pick
    logic       front;
    cpu_t       pick;
    cpu_t       cpu;          // the operation
    logic [7:0] op;
    logic [9:0] id;
  } begun_t;

  begun_t begun;

  // ---------------------------------------------------------------------------------------------
  // Choice of the client

  logic          idle, line_take, timeout_take;
  logic          clients_turn, pick_valid, pick_busy, op_valid_pick, requeue_pick, front_pick;
  cpu_t          pick;
  logic    [7:0] op_pick;
  logic    [9:0] id_pick;
  tid_t          read_pick;
  logic [Clients-1:0][31:0] word0;

  for (genvar c = 0; c < Clients; c++) begin : g_word0
    assign word0[c] = requests_i.words[c][0];
  end

  cl_kernel_pick #(.Cfg(Cfg), .requests_t(requests_t), .sched_state_t(sched_state_t)) u_pick (
    .clk_i,
    .rst_ni,
    .requests_i,
    .sched_i,
    .turn_i     (clients_turn && !woken_q),
    .valid_o    (pick_valid),
    .client_o   (pick),
    .busy_o     (pick_busy),
    .op_valid_o (op_valid_pick),
    .op_o       (op_pick),
    .id_o       (id_pick),
    .requeue_o  (requeue_pick),
    .front_o    (front_pick),
    .tid_o      (read_pick),
    .take_o
  );

  // With a policy the consequences of the last operation come first: a waiting load can complete (serve), or must end
  // with eintr (end_wait). Serving it means executing its operation again.
  logic settling;

  assign settle_o = idle && queue_ready_i;
  assign settling = policy_i.busy || policy_i.end_wait;

  // An interrupt line is served before a timeout, and both before the clients.
  assign clients_turn = idle && !pending_i.line && !pending_i.timeout && !settling;
  assign line_take    = pending_i.line_request.valid && idle && !settling;
  assign timeout_take = pending_i.timeout && idle && !pending_i.line && !settling;

  // The operation whose records are read
  cpu_t        rd_cpu;
  logic  [7:0] rd_op;
  logic  [9:0] rd_id, rd_object;

  always_comb begin
    rd_cpu = cpu_q;
    rd_op  = op_q;
    rd_id  = id_q;
    if (idle && policy_i.serve) begin
      rd_cpu = policy_i.serve_cpu;
      rd_op  = sched_i.held[policy_i.serve_cpu] ? OpPreempt : OpNext;
    end else if (idle && pending_i.line) begin
      rd_op  = pending_i.line_request.op;
      rd_id  = pending_i.line_request.id;
    end else if (idle && pending_i.timeout) begin
      rd_op  = pending_i.timeout_op;
      rd_id  = pending_i.timeout_id;
    end else if (idle) begin
      rd_cpu = pick;
      rd_op  = op_pick;
      rd_id  = id_pick;
    end
    if (Cfg.Inheritance && state_q == StSettle) begin
      rd_op  = OpMutexLock;
      rd_id  = found_i.job_read;
    end
    if (Cfg.Monitors && q.retaking) begin
      rd_op = OpMutexLock;
      rd_id = q.mutex;
    end
    // A reservation reads the thread.
    rd_object = rd_id;
    if (Cfg.Reserve && rd_op == OpReserve) rd_object = word0[rd_cpu][9:0];
  end

  // ---------------------------------------------------------------------------------------------
  // The decision

  // What the operation does by what has been found; with Pipeline a cycle later
  typedef struct packed {
    wake_way_e      way;           // StWake
    cpu_t           cpu;
    logic           several;
    logic           act;           // StDispatch: it is decided, and
    logic           commit;        // the outcome happens,
    logic           publish_walk;  // or the caller's messages are published first,
    logic           job_start;     // or a job of cl_kernel_inheritance is done first
    outcome_t       outcome;
    thread_change_t change;
  } stage_t;

  stage_t         early, stage;
  outcome_t       decided, outcome;  // as the services decide; the same, when it happens
  thread_change_t change;
  logic           act, commit, decided_q, waking, left, unpublished;
  logic           publish_first, may_decide, decide, needs_next_q, next_better, next_equal, fetch_known;
  logic           give_back;
  cpu_t           reserve_cpu;
  logic    [31:0] rd_word0, caller_word0, argument;
  tid_t           after_now, after_tid;

  assign decided     = found_i.decided;
  assign unpublished = found_i.unpublished[cpu_q];

  // A thread that stops running publishes first, whatever the operation.
  assign publish_first = unpublished && (decided.publish || decided.course inside {CourseGiveWay, CourseBlock, CourseExit});
  // Operations that may need the next thread or the ready queue wait while the queue is busy; others do not. Most of
  // them may end the caller's slice, so they also wait while a new one is being computed (dwrr).
  always_ff @(posedge clk_i) needs_next_q <= op_needs_next(rd_op);

  assign may_decide = !needs_next_q || (next_known_q && policy_i.slice_known[cpu_q]);
  assign decide     = state_q == StDispatch && may_decide && !decided_q;

  assign early = '{
    way:          found_i.way,
    cpu:          found_i.way_cpu,
    several:      found_i.several,
    act:          decide,
    commit:       decide && !publish_first && !found_i.job_first,
    publish_walk: decide && unpublished && (publish_first || decided.course == CoursePublish),
    job_start:    decide && !publish_first && found_i.job_first,
    outcome:      decided,
    change:       found_i.change
  };

  // Which thread is read: when the operation begins, and at the end of a dispatch
  tid_t own_tid, start_tid, fetch_tid;

  // The thread that the operation reads: one that is chosen now, or read again
  function automatic tid_t read_by(input logic [7:0] op, input tid_t object, input tid_t by);
    unique case (record_of(op, Cfg.Inheritance))
      RecordOfCaller: read_by = by;
      RecordOfNew:    read_by = found_i.free_head;
      default:        read_by = object;
    endcase
  endfunction

  // The thread read at the end of a dispatch: the one that the operation wakes or passes, if any. Selected by operation
  // alone, as the decision is late; only a sender is woken or waits.
  always_comb begin
    unique case (op_q)
      OpThreadExit:                                   after_now = found_i.joiner;
      OpDequeue:                                      after_now = next_q.tid;
      OpMutexLock, OpMutexUnlock, OpMutexLeave, OpMutexWait,
      OpSemaphoreWait, OpSemaphorePost, OpSemaphoreLeave,
      OpCondWait, OpCondSignal, OpCondBroadcast, OpCondLeave, OpBarrierWait,
      OpPortReceive, OpPortTryreceive, OpFlagsSet,
      OpFlagsWaitAny, OpFlagsWaitAll, OpFlagsTakeAny,
      OpFlagsTakeAll:                                 after_now = found_i.waiter;
      OpPortSend, OpPortTrysend, OpPortLeave:         after_now = (decided.wake == WakeReceiver) ? found_i.receiver : found_i.waiter;
      OpInterruptRaise:                               after_now = found_i.line_thread;
      OpRelease:                                      after_now = found_i.bound_tid;
      default:                                        after_now = found_i.tid;
    endcase
  end

  if (Cfg.Pipeline) begin : g_pipeline
    assign own_tid   = read_by(op_q, tid_t'((Cfg.Reserve && op_q == OpReserve) ? word0[cpu_q][9:0] : id_q), caller);
    assign rd_word0  = idle ? word0[pick] : caller_word0;
    assign fetch_tid = after_tid;

    always_comb begin
      if (pending_i.line)                                  start_tid = tid_t'(pending_i.line_request.id);
      else if (pending_i.timeout)                          start_tid = tid_t'(pending_i.timeout_id);
      else if (!requeue_pick && op_pick == OpThreadCreate) start_tid = found_i.free_head;
      else                                                 start_tid = read_pick;
    end

    cl_kernel_pipeline #(.TidWidth(TidWidth), .stage_t(stage_t), .next_t(next_t), .level_t(level_t)) u_pipeline (
      .clk_i,
      .rst_ni,
      .state_i    (state_q),
      .stage_i    (early),
      .stage_o    (stage),
      .decided_o  (decided_q),
      .waking_o   (waking),
      .left_o     (left),
      .word0_i    (rd_word0),
      .word0_o    (caller_word0),
      .argument_i (argument),
      .target_o   (target_o),
      .next_i     (next_q),
      .level_i    (sched_i.level[cpu_q]),
      .better_o   (next_better),
      .equal_o    (next_equal),
      .redirect_i (commit && outcome.course == CourseRedirect),
      .after_i    (after_now),
      .found_i    (found_i.tid),
      .own_i      (own_tid),
      .after_o    (after_tid),
      .known_o    (fetch_known)
    );
  end else begin : g_at_once
    assign own_tid      = read_by(rd_op, tid_t'(rd_object), sched_i.tid[rd_cpu]);
    assign rd_word0     = word0[rd_cpu];
    assign fetch_tid    = own_tid;
    assign start_tid    = (clients_turn && pick_valid && requeue_pick) ? read_pick : own_tid;
    assign stage        = early;
    assign decided_q    = 1'b0;
    assign waking       = state_q == StWake;
    assign left         = 1'b0;
    assign caller_word0 = word0[cpu_q];
    assign target_o     = argument;
    assign next_better  = next_q.better;
    assign next_equal   = next_q.equal;
    assign after_tid    = after_now;
    assign fetch_known  = 1'b1;
  end

  assign act      = stage.act;
  assign commit   = stage.commit;
  assign outcome  = stage.outcome;
  assign change   = commit ? stage.change : '0;
  assign argument = (Cfg.Timeouts && q.by_timeout) ? 32'(pending_i.timeout_tid) : caller_word0;
  // A thread that ends on a CPU where it is misplaced releases its own CPU last: that CPU may be waiting, and must not
  // be served before.
  assign give_back = (change.give_back && (op_q == OpRelease || found_i.client == cpu_q)) || (state_q == StOffer && q.late);
  always_comb begin
    if (state_q == StOffer)          reserve_cpu = cpu_q;
    else if (op_q == OpThreadExit)   reserve_cpu = found_i.client;
    else                             reserve_cpu = cpu_t'(id_q);
  end

  // ---------------------------------------------------------------------------------------------
  // To the tables

  logic settling_threads, is_current;
  tid_t raddr, set_tid;

  assign settling_threads = Cfg.Inheritance && state_q == StSettle;
  assign is_current       = found_i.way == WakeInPlace;

  assign read_o      = '{valid: idle || state_q == StFetch, op: rd_op, id: rd_id, word0: rd_word0};
  assign client_o    = rd_cpu;
  assign object_o    = rd_object;
  assign raddr_o     = raddr;
  assign state_o     = state_q;
  assign operation_o = '{op: op_q, id: (Cfg.Monitors && q.retaking) ? q.mutex : id_q, client: cpu_q,
                         caller: (Cfg.Monitors && state_q == StRetake) ? found_i.tid : caller,
                         caller_runs: sched_i.running[cpu_q] | sched_i.held[cpu_q],
                         slice_used: slice_used_i[cpu_q], ahead: policy_i.ahead[cpu_q], word0: argument,
                         by_line: by_line_q, line: q.line, by_timeout: q.by_timeout, new_priority: q.new_priority,
                         unlocked: Cfg.Monitors && q.unlocked, retaking: Cfg.Monitors && q.retaking};
  assign choice_o    = '{any: next_q.any, better: next_better, equal: next_equal, some: next_q.any & ~next_q.bound,
                         tid: next_q.tid};
  assign strobes_o   = '{commit: commit, outcome: outcome, change: change, publish_walk: stage.publish_walk,
                         job_start: stage.job_start, clients_turn: clients_turn, line_take: line_take,
                         timeout_take: timeout_take, give_back: give_back, reserve_cpu: reserve_cpu,
                         set: action.set, set_priority: action.set_priority, set_tid: set_tid,
                         set_state: action.set_state, set_cpu: action.set_cpu, pop: action.pop,
                         bound_push: action.bound_push, bound_pop: action.bound_pop,
                         bound_pop_cpu: action.bound_pop_cpu, tie: action.take_next & next_q.placed_tie,
                         tie_queue: next_q.home, queue_take: action.queue_valid & queue_ready_i, queue_op: queue_o.op,
                         queue_which: queue_o.which};

  // The thread read in the next cycle is late, so it is selected apart from all else that a state does.
  logic wakes_queued, wakes_now, wakes_next;  // StWake: into the ready queue; it happens; those behind it, too
  logic relocks;                              // it gets its mutex before

  assign wakes_queued = !(stage.way inside {WakeInPlace, WakeWhenSaved, WakeTaken}) && !found_i.is_apart;
  assign relocks      = Cfg.Monitors && q.pop && op_q[5:4] == 2'd1 && found_i.relocks && is_current;
  assign wakes_now    = waking && !relocks && (!wakes_queued || queue_ready_i);
  assign wakes_next   = (q.all && stage.several) || (Cfg.EventFlags && q.wake_then == StLeave);

  always_comb begin
    raddr = found_i.tid;
    unique case (state_q)
      StIdle:         raddr = start_tid;
      StFetch:        raddr = fetch_tid;
      StDispatch:     if (act) raddr = after_tid;
      StWake:         if (wakes_now && wakes_next) raddr = found_i.link;
      StNextWaiter:   if (left) raddr = after_tid;
      StPublish:      if (found_i.publish_wakes || Cfg.Pipeline) raddr = found_i.receiver;  // early: in vain if the receiver is not woken
      StWalk:         raddr = found_i.link;
      StLeave:        if (!found_i.there || Cfg.Pipeline) raddr = found_i.link;
      StRetake:       if (found_i.held) raddr = found_i.waiter;
      StFirst:        raddr = found_i.waiter;
      default:        ;
    endcase
    if (settling_threads) raddr = found_i.job_raddr;
  end

  // Operands are selected by operation and state alone, as the decision is late: an action only says whether.
  always_comb begin
    set_tid = (state_q inside {StDispatch, StExit, StSwitched, StOffer} && op_q != OpSetIdleThread) ? caller : found_i.tid;
    queue_o = '{op: QueuePop, which: found_i.home, key: found_i.key, to_key: found_i.new_key, tid: found_i.tid};
    if (state_q == StWake)                                queue_o.op = q.front ? QueuePushFront : QueuePushBack;
    else if (settling_threads)                            queue_o.op = QueueMove;
    else if (state_q == StRequeue)                        queue_o.op = QueueMove;
    else if (state_q == StDispatch && (op_q == OpRemove || op_q == OpReserve)) queue_o.op = QueueRemove;
    else                                                  queue_o.which = next_q.home;
  end

  // ---------------------------------------------------------------------------------------------
  // What the state does

  assign begun = '{settling: settling, line: line_take, timeout: timeout_take, client: pick_valid, asks: pick_busy,
                   op_valid: op_valid_pick, requeue: requeue_pick, front: front_pick, pick: pick,
                   cpu: rd_cpu, op: rd_op, id: rd_id};

  cl_kernel_sequence #(
    .Cfg           (Cfg),
    .requests_t    (requests_t),
    .sched_state_t (sched_state_t),
    .policy_t      (policy_t),
    .pending_t     (pending_t),
    .found_t       (found_t),
    .next_t        (next_t),
    .registers_t   (registers_t),
    .begun_t       (begun_t),
    .stage_t       (stage_t),
    .action_t      (action_t)
  ) u_sequence (
    .q_i           (q),
    .requests_i,
    .sched_i,
    .policy_i,
    .pending_i,
    .begun_i       (begun),
    .found_i,
    .next_i        (next_q),
    .next_known_i  (next_known_q),
    .fetch_known_i (fetch_known),
    .stage_i       (stage),
    .waking_i      (waking),
    .wakes_now_i   (wakes_now),
    .wakes_next_i  (wakes_next),
    .wakes_queued_i(wakes_queued),
    .relocks_i     (relocks),
    .reserve_cpu_i (reserve_cpu),
    .word0_i       (word0[cpu_q]),
    .job_pending_i,
    .action_o      (action)
  );

  logic unused;  // is done already; the rest is for the tables
  assign unused = ^{action.choose, action.give_way, policy_i};

  for (genvar c = 0; c < Clients; c++) begin : g_select
    assign sched_o.select[c] = action.sched_cpu == cpu_t'(c);
    assign answer_valid_o[c] = action.answer_valid && action.answer_cpu == cpu_t'(c);
  end

  assign sched_o.cmd     = action.cmd;
  assign sched_o.tid     = action.sched_tid;
  assign sched_o.level   = action.sched_level;
  assign queue_valid_o   = action.queue_valid;
  assign answer_o        = action.answer;
  assign slice_o         = q.slice;
  assign slice_restart_o = action.slice_restart;

  // An operation changes nothing before the end of its dispatch.
  assign idle     = state_q == StIdle;
  assign idle_o   = idle;
  assign stable_o = queue_ready_i && ((idle && !settling) || state_q == StDispatch);

  assign event_o = '{
    init:         state_q == StInit,
    run:          action.cmd.run,
    leave_ready:  action.cmd.leave_ready,
    block:        action.cmd.block,
    exit:         action.cmd.exit,
    spent:        commit & outcome.spent,
    woken:        wakes_now,
    suspend:      state_q == StSuspend,
    create:       change.create,
    idle:         change.idle,
    weigh:        change.weigh,
    cpu:          cpu_q,
    run_cpu:      action.sched_cpu,
    raddr:        raddr,
    tid:          found_i.tid,
    state:        found_i.state,
    is_static:    found_i.is_static,
    in_place:     is_current,
    in_place_cpu: found_i.cpu,
    new_tid:      found_i.new_tid,
    new_static:   found_i.new_static,
    weight:       word0[cpu_q][7:0]
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      q            <= '0;  // StInit
      next_q       <= '0;
      next_known_q <= 1'b0;
      woken_q      <= 1'b0;
    end else begin
      q            <= action.q;
      next_q       <= next_i;
      next_known_q <= queue_ready_i && !action.queue_valid && !action.bound_push &&
                      (!Cfg.Reserve || (rd_cpu == action.q.cpu && !change.reserve && !give_back));
      woken_q      <= Cfg.Pipeline && action.cmd.wake_leaving;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      // The thread chosen ahead is the one that would be chosen now.
      AssertNextKnown:       assert (!(next_known_q && state_q inside {StDispatch, StExit}) || next_q == next_i);
      AssertCallerIsCurrent: assert (!(state_q == StSwitched && !sched_i.running[cpu_q]));
    end
  end
`endif

endmodule
