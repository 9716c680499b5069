// SPDX-License-Identifier: Apache-2.0
// Operation engine of the kernel: takes one operation of one client, or of one interrupt line, at a time and finishes
// it, so every operation is atomic. src/coreloom/reference/kernel.py defines its behaviour, including the order of
// effects.
//
// The engine only sequences an operation. The services (cl_kernel_*_ops), one for each kind of object, decide what it
// answers and changes; threads and wait lists are tables with strobes.
//
// Each state takes a cycle unless noted:
//   StIdle        a line first, then a timeout, else round-robin choice of a client; the tables are read by the
//                 operation's id, and the client's next thread is chosen ahead
//   StDispatch    the outcome: answer and changes; most operations end here. Those that may need the next thread or
//                 the ready queue wait while that works
// and, where needed:
//   StWake        wakes one thread: in place, when saved, on a waiting client, or through its queue
//   StNextWaiter  continues with the next waiter, if all are woken      (after the answer)
//   StFetch       reads the tables again, then StDispatch
//   StPublish     publishes one port of the caller's `sent` list per cycle; then the operation is dispatched again
//   StExit        chooses the next thread after an exit
//   StSwitched    notes the new thread's state                          (after the answer)
//   StWalk        sorted insertion into a wait list, a waiter per cycle (after the answer)
//   StLeave       searches a wait list for a thread, a waiter per cycle, and removes it; or, after the answer to a set of
//                 event flags, for each thread that these satisfy, which is woken before the search goes on
//   StRequeue     requeues a thread with a new priority                 (after the answer)
//   StSuspend     records that a thread is out of its queue             (after the answer)
//   StSlice       restarts all slices                                   (after the answer)
//   StOffer       a waiting CPU that now serves more threads takes one  (after the answer)
//   StSettle      a job of cl_kernel_inheritance: before the operation, which is then dispatched again, or after the
//                 answer
// An operation that must publish first does so before any other effect, so dispatching it again is safe.
//
// The client's answer is registered by its port: rvalid is in the cycle after the answer. A line that wakes a thread
// goes from StIdle to StWake at once.
// The decision is late in its cycle, so its operands (thread, queue, level, address) are selected by operation and
// state alone, and the decision only enables the action.
module cl_kernel_engine
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg           = Default,
  localparam int unsigned Cpus          = Cfg.Cpus,
  localparam int unsigned PortWords     = Cfg.PortWords,
  localparam int unsigned Clients       = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned Queues        = queues(Cfg.Cpus, Cfg.Policy),
  localparam int unsigned QueueWidth    = $clog2(Queues),
  localparam int unsigned TidWidth      = $clog2(Cfg.Threads),
  localparam int unsigned PriorityWidth = $clog2(Cfg.Priorities),
  localparam bit          Deadlines     = Cfg.Policy == PolicyEdf,
  localparam int unsigned KeyWidth      = key_width(Cfg.Policy, Cfg.Priorities),
  localparam int unsigned LevelWidth    = KeyWidth + 1,
  // Defined by cl_kernel
  parameter  type requests_t    = logic,
  parameter  type sched_state_t = logic,
  parameter  type queue_cmd_t   = logic,
  parameter  type best_t        = logic,
  parameter  type dwrr_op_t     = logic,
  parameter  type policy_t      = logic
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        tick_i,
  input  logic                 [31:0] now_i,

  // Clients (cl_kernel_port), and interrupt lines
  input  requests_t                   requests_i,
  output logic   [Clients-1:0]        take_o,
  output logic   [Clients-1:0]        words_we_o,
  output logic   [PortWords:0] [31:0] words_o,
  output logic   [Clients-1:0]        answer_valid_o,
  output logic                 [31:0] answer_o,
  input  logic [Cfg.Lines-1:0]        line_i,

  // Scheduling state of the clients (cl_kernel_cpu)
  input  sched_state_t                sched_i,
  input  logic   [Clients-1:0]        slice_used_i,
  output logic   [Clients-1:0]        sched_select_o,
  output sched_cmd_t                  sched_cmd_o,
  output logic         [TidWidth-1:0] sched_tid_o,
  output logic       [LevelWidth-1:0] sched_level_o,
  output logic                 [15:0] slice_o,
  output logic                        slice_restart_o,

  // Ready queue
  output logic                        queue_valid_o,
  input  logic                        queue_ready_i,
  output queue_cmd_t                  queue_o,
  input  best_t                       best_i,

  // Directed preemption (cl_kernel_irq)
  output logic   [Clients-1:0]        open_o,
  output logic [Cpus-1:0] [Cpus-1:0]  keeps_o,
  output logic      [Cpus-1:0]        misplaced_o,
  output logic      [Cpus-1:0]        bound_queued_o,
  output logic                        stable_o,  // the scheduling state and the queue are consistent

  // Policy dwrr (cl_kernel_dwrr): what happens to threads, and what follows from it
  output dwrr_op_t                    dwrr_o,
  output logic                        settle_o,
  input  policy_t                     policy_i
);

  localparam int unsigned LineWidth = (Cfg.Lines > 1) ? $clog2(Cfg.Lines) : 1;

  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic [PriorityWidth-1:0] priority_t;
  typedef logic      [KeyWidth-1:0] key_t;
  typedef logic    [LevelWidth-1:0] level_t;
  typedef logic      [CpuWidth-1:0] cpu_t;    // a client
  typedef logic     [LineWidth-1:0] line_t;

  // The next thread of a client (cl_kernel_next)
  typedef struct packed {
    logic                  any;
    logic                  better;
    logic                  equal;
    logic                  tie;
    logic                  placed_tie;
    logic                  bound;
    logic [QueueWidth-1:0] home;   // the ready queue it is in
    tid_t                  tid;
    level_t                level;
  } next_t;

  // With reservations: what a client may run (cl_kernel_reserve)
  typedef struct packed {
    logic                  open;         // a CPU's dynamic threads,
    logic       [Cpus-1:0] keeps;        // and those placed on these CPUs
    logic [QueueWidth-1:0] turn;         // their queue that won the last tie
    logic                  misplaced;    // the current thread gives way to any
    level_t                bound_level;  // of the thread that is bound to it
  } serves_t;

  // Inputs of the services (cl_kernel_services): the operation,
  typedef struct packed {
    logic  [7:0] op;
    logic  [9:0] id;
    cpu_t        client;
    tid_t        caller;
    logic        caller_runs;        // the client has a running thread, the caller
    logic        slice_used, ahead;  // see cl_kernel_thread_ops
    logic [31:0] word0;
    logic        by_line;            // it is interrupt line `line`'s
    line_t       line;
    logic        timeout_set;        // the caller has a deadline (cl_kernel_timeouts)
  } operation_t;

  // the thread that the client would run next,
  typedef struct packed {
    logic any;                     // if there is one:
    logic better;                  // one of higher priority than the caller's,
    logic equal;                   // of the same priority,
    logic some;                    // of any priority, but no idle thread
    tid_t tid;
  } choice_t;

  // threads that have a client alone,
  typedef struct packed {
    logic [Clients-1:0] valid;     // clients that have a thread of their own,
    logic [Clients-1:0] queued;    // and that is ready
    logic [Clients-1:0] open;      // reservations (cl_kernel_reserve)
    logic               successor_valid;  // of the CPU named by the id
    cpu_t               successor;
  } bound_t;

  // the thread read,
  typedef struct packed {
    logic                             exists;
    tid_t                             tid;
    thread_state_e                    state;
    cpu_t                             cpu;
    priority_t                        prio, own;  // own: without what it inherits
    logic [DeadlineRelativeWidth-1:0] relative;   // its relative deadline
    logic                             is_static, idle, hardware, queued, detached, joined;
    logic                             owned;      // it has a CPU alone
    logic                       [7:0] weight;
  } thread_t;

  // a mutex with a protocol;
  typedef struct packed {
    logic      gone;               // it is locked, and its owner has ended
    logic      above;              // the thread read may not take it: it is above the ceiling
    priority_t ceiling;
  } mutex_rule_t;

  // and what they say of a new thread
  typedef struct packed {
    cpu_t      cpu;
    priority_t prio;
    logic      is_static, bound, detached;
  } new_thread_t;

  typedef enum logic [3:0] {
    StInit, StIdle, StFetch, StDispatch, StWake, StNextWaiter, StPublish, StExit, StSwitched, StWalk, StRequeue,
    StSuspend, StSlice, StLeave, StOffer, StSettle
  } state_e;

  // ---------------------------------------------------------------------------------------------
  // Registers

  state_e      state_q, wake_then_q;
  cpu_t        cpu_q;          // the client, its operation
  logic  [7:0] op_q;
  logic  [9:0] id_q;
  logic        front_q;        // StWake: to the head of its priority
  logic        pop_q;          // StWake: remove the thread from the wait list
  logic        all_q;          // wake all waiters
  logic        by_line_q;      // the operation is what an interrupt line does:
  line_t       line_q;
  logic        by_timeout_q;   // the operation ends the wait of a thread whose time is over
  logic        silent_q;       // no client gets its answer
  logic        publish_end_q;  // the operation ends with its publishing
  priority_t   new_priority_q; // StRequeue
  logic [15:0] slice_q;
  logic        offer_q;        // at its end StOffer, for:
  cpu_t        offer_cpu_q;
  logic        late_q;         // StOffer: release the CPU only then
  next_t       next_q;         // chosen one cycle ahead
  logic        next_known_q;   // nothing has changed since it was chosen
  logic        woken_q;        // with Pipeline: a save may do more than when its client was picked

  // ---------------------------------------------------------------------------------------------
  // The action of a state

  typedef struct packed {
    // The registers' next values
    state_e        state_d, wake_then_d;
    cpu_t          cpu_d;
    logic    [7:0] op_d;
    logic    [9:0] id_d;
    logic          front_d, pop_d, all_d, by_line_d, by_timeout_d, silent_d, publish_end_d;
    line_t         line_d;
    priority_t     new_priority_d;
    logic   [15:0] slice_d;
    logic          offer_d, late_d;
    cpu_t          offer_cpu_d;
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

  // ---------------------------------------------------------------------------------------------
  // Choice of the client

  logic          idle, line_pending, line_take;
  line_request_t line_request;
  line_t         line;
  logic          timeout_pending, timeout_take;
  logic    [7:0] timeout_op;
  logic    [9:0] timeout_id;
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
  localparam bit Dwrr = Cfg.Policy == PolicyDwrr;
  logic settling;

  assign settle_o = idle && queue_ready_i;
  assign settling = policy_i.busy || policy_i.end_wait;

  // An interrupt line is served before a timeout, and both before the clients.
  assign clients_turn = idle && !line_pending && !timeout_pending && !settling;
  assign line_take    = line_request.valid && idle && !settling;
  assign timeout_take = timeout_pending && idle && !line_pending && !settling;

  // The operation whose records are read
  cpu_t        rd_cpu;
  logic  [9:0] job_read;  // in StSettle
  logic  [7:0] rd_op;
  logic  [9:0] rd_id, rd_object;

  always_comb begin
    rd_cpu = cpu_q;
    rd_op  = op_q;
    rd_id  = id_q;
    if (idle && policy_i.serve) begin
      rd_cpu = policy_i.serve_cpu;
      rd_op  = sched_i.held[policy_i.serve_cpu] ? OpPreempt : OpNext;
    end else if (idle && line_pending) begin
      rd_op  = line_request.op;
      rd_id  = line_request.id;
    end else if (idle && timeout_pending) begin
      rd_op  = timeout_op;
      rd_id  = timeout_id;
    end else if (idle) begin
      rd_cpu = pick;
      rd_op  = op_pick;
      rd_id  = id_pick;
    end
    if (Cfg.Inheritance && state_q == StSettle) begin
      rd_op  = OpMutexLock;
      rd_id  = job_read;
    end
    // A reservation reads the thread.
    rd_object = rd_id;
    if (Cfg.Reserve && rd_op == OpReserve) rd_object = word0[rd_cpu][9:0];
  end

  // ---------------------------------------------------------------------------------------------
  // Threads and wait lists

  // The record read
  tid_t                  tid, joiner, link;
  thread_state_e         state;
  cpu_t                  cpu;
  priority_t             prio;
  logic                  is_static, is_bound, detached, joined, exists;
  // Derived from it
  wake_way_e             way_now, wake_way;    // with Pipeline wake_way is that of the cycle before
  cpu_t                  way_cpu, wake_cpu;
  logic                  several, wakes_more;  // waiters in the list read
  logic                  is_current, is_queued, is_idle, is_hardware, is_later;
  key_t                  key, new_key;  // as it is, and by what StRequeue does
  level_t                level;
  logic [QueueWidth-1:0] queue;
  // Where it may run:
  logic                  is_only, is_owner, is_apart;  // on one client alone; a CPU's owner; in no ready queue, but
  cpu_t                  client, home, apart_at;       // that client; where it is placed; where it is when ready
  logic [DeadlineRelativeWidth-1:0] relative;
  // A new thread
  logic                  room;
  tid_t                  new_tid, free_head;
  new_thread_t           new_thread;
  // Writes
  thread_change_t        change;
  logic                  link_we;
  tid_t                  set_tid, link_tid, link_to;

  tid_t  caller;
  tid_t  raddr;  // the thread read in the next cycle
  assign caller = sched_i.tid[cpu_q];

  cl_kernel_threads #(.Clients(Clients), .Threads(Cfg.Threads), .Priorities(Cfg.Priorities)) u_threads (
    .clk_i,
    .rst_ni,
    .raddr_i        (raddr),
    .tid_o          (tid),
    .state_o        (state),
    .cpu_o          (cpu),
    .priority_o     (prio),
    .static_o       (is_static),
    .bound_o        (is_bound),
    .detached_o     (detached),
    .joined_o       (joined),
    .joiner_o       (joiner),
    .link_o         (link),
    .read_id_i      (rd_object),
    .exists_o       (exists),
    .room_o         (room),
    .new_o          (new_tid),
    .free_head_o    (free_head),
    .new_cpu_i      (new_thread.cpu),
    .new_priority_i (new_thread.prio),
    .new_static_i   (new_thread.is_static),
    .new_bound_i    (new_thread.bound),
    .new_detached_i (new_thread.detached),
    .init_i         (state_q == StInit),
    .change_i       (change),
    .caller_i       (caller),
    .set_priority_i (action.set_priority),
    .priority_i     (Cfg.Inheritance ? priority_t'(new_key) : new_priority_q),
    .set_i          (action.set),
    .set_tid_i      (set_tid),
    .set_state_i    (action.set_state),
    .set_cpu_i      (action.set_cpu),
    .link_we_i      (link_we),
    .link_tid_i     (link_tid),
    .link_i         (link_to)
  );

  cl_kernel_wake #(.Cfg(Cfg)) u_wake (
    .tid_i           (tid),
    .cpu_i           (cpu),
    .only_i          (is_only),
    .client_i        (client),
    .open_i          (open_o),
    .current_valid_i (sched_i.current_valid),
    .current_tid_i   (sched_i.tid),
    .leaving_i       (sched_i.leaving),
    .leaving_tid_i   (sched_i.leaving_tid),
    .waiting_i       (is_later ? '0 : sched_i.waiting & ~sched_i.held),
    .way_o           (way_now),
    .cpu_o           (way_cpu)
  );

  cl_pipeline_register #(.Registered(Cfg.Pipeline), .Width($bits(wake_way_e) + CpuWidth + 1)) u_way (
    .clk_i, .d_i({way_now, way_cpu, several}), .q_o({wake_way, wake_cpu, wakes_more})
  );

  assign is_current  = way_now == WakeInPlace;
  // Ready and not in a queue: its context is not saved yet.
  assign is_queued   = state == ThreadReady && !(sched_i.leaving[cpu] && sched_i.leaving_tid[cpu] == tid);
  assign is_idle     = is_bound && 32'(cpu) < Cpus;
  assign is_hardware = is_bound && 32'(cpu) >= Cpus;
  assign level       = is_idle ? '0 : {1'b1, key};
  assign is_later    = Dwrr && policy_i.later && !is_static && state == ThreadReady;

  always_comb begin
    if (is_static)     queue = QueueWidth'(home) + QueueWidth'(1);
    else if (is_later) queue = policy_i.later_queue;
    else               queue = policy_i.now_queue;
  end

  assign is_apart    = is_bound | is_owner;
  assign apart_at    = is_owner ? client : cpu;

  logic unused_home;  // that of a hardware thread is no queue
  assign unused_home = ^home;

  // Reservations
  logic    give_back, successor_valid;
  cpu_t    reserve_cpu, successor;
  serves_t serves;

  // Inheritance
  logic        granted;            // the thread read is woken with the mutex that was unlocked: it gets job_priority
  logic        settling_threads;   // StSettle
  logic        job_first, job_start, job_pending, job_done, job_again, job_set, job_taken, job_leave, job_insert,
               job_insertion;
  tid_t        job_raddr, job_who;
  logic  [9:0] job_mutex;
  priority_t   job_priority, own;  // what a thread gets; what the thread read has without what it inherits
  mutex_rule_t mutex_rule;
  logic        mutex_locked;
  tid_t        mutex_owner;

  assign settling_threads = Cfg.Inheritance && state_q == StSettle;

  // The order of threads
  if (Deadlines) begin : g_deadlines
    key_t kept, renewed;
    logic becomes_ready;  // a thread that leaves a CPU keeps its deadline
    logic unused_priority;

    assign unused_priority = ^job_priority;
    assign becomes_ready = state_q == StWake && state != ThreadReady;
    assign key           = becomes_ready ? renewed : kept;

    cl_kernel_deadline #(.Threads(Cfg.Threads), .Priorities(Cfg.Priorities)) u_deadline (
      .clk_i,
      .rst_ni,
      .tick_i,
      .raddr_i        (raddr),
      .tid_i          (tid),
      .priority_i     (prio),
      .relative_o     (relative),
      .key_o          (kept),
      .renewed_o      (renewed),
      .moved_o        (new_key),
      .note_i         (state_q == StDispatch),
      .argument_i     (DeadlineRelativeWidth'(word0[cpu_q])),
      .new_priority_i (new_priority_q),
      .create_i       (state_q == StInit || change.create),
      .new_tid_i      (state_q == StInit ? '0 : new_tid),
      .renew_i        (becomes_ready && action.set),
      .set_i          (state_q == StRequeue && op_q == OpSetDeadline)
    );
  end else begin : g_priorities
    logic unused_tick;
    assign unused_tick = tick_i;
    assign key         = granted ? job_priority : prio;
    assign new_key     = Cfg.Inheritance ? job_priority : new_priority_q;
    assign relative    = '0;
  end

  // Threads of one client only
  logic [Clients-1:0]               bound, bound_queued;
  logic [Clients-1:0][TidWidth-1:0] bound_tid;
  logic                             bind_idle;

  assign bind_idle = change.idle;

  cl_kernel_bound #(.Clients(Clients), .TidWidth(TidWidth)) u_bound (
    .clk_i,
    .rst_ni,
    .bind_i     (bind_idle | change.reserve | (change.create & new_thread.bound)),
    .bind_cpu_i (change.reserve ? reserve_cpu : bind_idle ? cpu_q : new_thread.cpu),
    .bind_tid_i ((bind_idle | change.reserve) ? tid : new_tid),
    .free_i     (change.unbind | give_back),
    .free_cpu_i (give_back ? reserve_cpu : cpu),
    .push_i     (bind_idle | action.bound_push),
    .push_cpu_i (bind_idle ? cpu_q : apart_at),
    .pop_i      (action.bound_pop),
    .pop_cpu_i  (action.bound_pop_cpu),
    .bound_o    (bound),
    .tid_o      (bound_tid),
    .queued_o   (bound_queued)
  );

  cl_kernel_reserve #(.Cfg(Cfg), .serves_t(serves_t)) u_reserve (
    .clk_i,
    .rst_ni,
    .raddr_i           (raddr),
    .tid_i             (tid),
    .cpu_i             (cpu),
    .static_i          (is_static),
    .priority_i        (key),
    .home_o            (home),
    .owned_o           (is_owner),
    .only_o            (is_only),
    .client_o          (client),
    .home_we_i         (change.create | change.idle | change.move),
    .home_tid_i        ((change.idle | change.move) ? tid : new_tid),
    .home_i            (change.idle ? cpu_q : new_thread.cpu),
    .running_i         (sched_i.running[Cpus-1:0]),
    .current_tid_i     (sched_i.tid[Cpus-1:0]),
    .level_i           (sched_i.level[Cpus-1:0]),
    .open_o,
    .misplaced_o,
    .keeps_o,
    .next_cpu_i        (rd_cpu),
    .serves_o          (serves),
    .tie_i             (action.take_next & next_q.placed_tie),
    .tie_cpu_i         (cpu_q),
    .tie_queue_i       ($clog2(Cpus + 1)'(next_q.home)),
    .ask_i             (rd_id),
    .successor_valid_o (successor_valid),
    .successor_o       (successor),
    .reserve_i         (change.reserve),
    .release_i         (give_back),
    .change_cpu_i      (reserve_cpu),
    .set_priority_i    (action.set_priority),
    .new_priority_i    (new_key),
    .queue_take_i      (action.queue_valid & queue_ready_i),
    .queue_op_i        (queue_o.op),
    .queue_i           ($clog2(Cpus + 1)'(queue_o.which))
  );

  assign bound_queued_o = bound_queued[Cpus-1:0];

  outcome_t    decided, outcome;          // as the services decide; the same, when it happens
  logic        commit;                    // it happens now
  logic        decided_q, act, waking;
  logic        left;         // with Pipeline: StLeave was in the cycle before
  logic        waiter_valid, insert, walk, walk_pending, walk_done, leave, found, missing;
  tid_t        waiter;
  logic        setting, satisfied, last;  // flags_set wakes those whom the flags satisfy; one: the thread read
  logic  [9:0] object_id;                 // the operation's object; a new one if it creates it
  logic [31:0] argument;                  // its second word, or the thread whose time is over
  logic [31:0] rd_word0, caller_word0, target;

  cl_kernel_wait_lists #(
    .TidWidth    (TidWidth),
    .LevelWidth  (LevelWidth),
    .Deadlines   (Deadlines),
    .Pipeline    (Cfg.Pipeline),
    .ObjectWidth (object_width(Cfg.Ports, Cfg.Mutexes, Cfg.Semaphores, Cfg.Conditions))
  ) u_wait_lists (
    .clk_i,
    .rst_ni,
    .read_kind_i    (rd_op[5:4]),
    .read_id_i      (rd_id),
    .waiter_valid_o (waiter_valid),
    .several_o      (several),
    .waiter_o       (waiter),
    .kind_i         (settling_threads ? 2'd2 : op_q[5:4]),
    .id_i           (settling_threads ? job_mutex : object_id),
    .clear_i        (commit && outcome.clear),
    .insert_i       (insert | job_insert),
    .caller_i       (settling_threads ? job_who : caller),
    .caller_level_i (settling_threads ? {1'b1, new_key} : sched_i.level[cpu_q]),
    .pop_i          (action.pop),
    .walk_i         (walk | job_insertion),
    .pending_o      (walk_pending),
    .done_o         (walk_done),
    .leave_i        (leave | job_leave),
    .target_i       (settling_threads ? 32'(job_who) : setting ? {!satisfied, 31'(tid)} : target),
    .keep_i         (setting && (found || state_q == StWake)),
    .found_o        (found),
    .missing_o      (missing),
    .last_o         (last),
    .tid_i          (tid),
    .level_i        (level),
    .link_i         (link),
    .link_we_o      (link_we),
    .link_tid_o     (link_tid),
    .link_o         (link_to)
  );

  // The second word stays while the operation is done. With Pipeline it is registered with it, and so is its thread.
  if (Cfg.Pipeline) begin : g_early_argument
    logic fits_q;
    tid_t tid_q;

    assign target   = {!fits_q, 31'(tid_q)};
    assign rd_word0 = idle ? word0[pick] : caller_word0;

    always_ff @(posedge clk_i) begin
      caller_word0 <= rd_word0;
      fits_q       <= argument[31:TidWidth] == '0;
      tid_q        <= tid_t'(argument);
    end
  end else begin : g_argument
    assign rd_word0     = word0[rd_cpu];
    assign caller_word0 = word0[cpu_q];
    assign target       = argument;
  end

  // Time limits
  logic timeout_set;
  logic timeout_waits, unused_timeout_waits;  // for the simulator, to which such a wait is no deadlock

  assign unused_timeout_waits = timeout_waits;

  if (Cfg.Timeouts) begin : g_timeouts
    tid_t timeout_tid;

    assign argument = by_timeout_q ? 32'(timeout_tid) : caller_word0;

    cl_kernel_timeouts #(.Threads(Cfg.Threads)) u_timeouts (
      .clk_i,
      .rst_ni,
      .now_i,
      .caller_i   (caller),
      .start_i    (commit && op_q == OpTimeoutStart && sched_i.running[cpu_q]),
      .deadline_i (word0[cpu_q]),
      .stop_i     (commit && op_q inside {OpTimeoutStop, OpThreadExit} && sched_i.running[cpu_q]),
      .wait_i     (commit && outcome.course == CourseBlock),
      .object_i   (op_q[7:4] inside {KindPort, KindCondition, KindMutex, KindSemaphore, KindBarrier, KindFlags}),
      .kind_i     (op_q[5:4]),
      .id_i       (id_q),
      .set_o      (timeout_set),
      .waits_o    (timeout_waits),
      .pending_o  (timeout_pending),
      .op_o       (timeout_op),
      .id_o       (timeout_id),
      .take_i     (timeout_take),
      .free_i     (clients_turn),
      .taken_o    (timeout_tid),
      .ended_i    (by_timeout_q && ((leave && found) || (commit && outcome.wake != WakeNone)))
    );
  end else begin : g_no_timeouts
    logic unused_now;
    assign unused_now      = ^{now_i, by_timeout_q};
    assign argument        = caller_word0;
    assign timeout_set     = 1'b0;
    assign timeout_waits   = 1'b0;
    assign timeout_pending = 1'b0;
    assign timeout_op      = '0;
    assign timeout_id      = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // The client's next thread: chosen one cycle ahead, while its operation is taken and the tables are read.
  // With Pipeline each client has its own choice, so that only the result waits for which client it is.
  localparam int unsigned Choices = (Cfg.Pipeline && !Cfg.Reserve) ? Clients : 1;

  next_t [Choices-1:0] next_of;
  next_t               next_d;
  logic                next_better, next_equal;

  for (genvar c = 0; c < Choices; c++) begin : g_next
    cpu_t next_cpu;

    assign next_cpu = (Choices == 1) ? rd_cpu : cpu_t'(c);

    cl_kernel_next #(.Cfg(Cfg), .serves_t(serves_t)) u_next (
      .cpu_i           (next_cpu),
      .dynamic_i       (policy_i.now_queue),
      .turn_dynamic_i  (sched_i.turn_dynamic[next_cpu]),
      .level_i         (sched_i.level[next_cpu]),
      .serves_i        (serves),
      .best_valid_i    (best_i.valid),
      .best_priority_i (best_i.key),
      .best_tid_i      (best_i.tid),
      .bound_valid_i   (bound_queued[next_cpu]),
      .bound_tid_i     (bound_tid[next_cpu]),
      .any_o           (next_of[c].any),
      .better_o        (next_of[c].better),
      .equal_o         (next_of[c].equal),
      .tie_o           (next_of[c].tie),
      .placed_tie_o    (next_of[c].placed_tie),
      .bound_o         (next_of[c].bound),
      .queue_o         (next_of[c].home),
      .tid_o           (next_of[c].tid),
      .level_o         (next_of[c].level)
    );
  end

  assign next_d = (Choices == 1) ? next_of[0] : next_of[rd_cpu];

  if (Cfg.Pipeline) begin : g_compare
    // Compared when it is known
    level_t level_now;
    logic   misplaced_q;

    assign level_now   = sched_i.level[cpu_q];
    assign next_better = (!next_q.bound && next_q.level > level_now) || (misplaced_q && next_q.any);
    assign next_equal  = !next_q.bound && next_q.level == level_now && !misplaced_q;

    always_ff @(posedge clk_i) misplaced_q <= Cfg.Reserve && serves.misplaced;
  end else begin : g_compared
    assign next_better = next_q.better;
    assign next_equal  = next_q.equal;
  end

  // ---------------------------------------------------------------------------------------------
  // The decision

  logic            fetch, publish_first, publish_walk, publish_wakes, publish_more, message_valid;
  logic [PortWords:0][31:0] message;
  logic     [31:0] flags, flags_left;
  logic            flags_valid;       // flags_get or flags_found leaves its answer in WORD0
  logic            insert_decided, needs_next_q, may_decide;
  logic [Clients-1:0] unpublished;
  tid_t            receiver;
  thread_change_t  change_of_services, change_decided;
  logic      [7:0] as_op;
  logic      [9:0] as_id;
  tid_t            line_thread;

  read_t      read;
  operation_t operation;
  choice_t    choice;
  bound_t     owners;
  thread_t    thread;

  assign read      = '{valid: fetch, op: rd_op, id: rd_id, word0: rd_word0};
  assign operation = '{op: op_q, id: id_q, client: cpu_q, caller: caller,
                       caller_runs: sched_i.running[cpu_q] | sched_i.held[cpu_q],
                       slice_used: slice_used_i[cpu_q], ahead: policy_i.ahead[cpu_q], word0: argument,
                       by_line: by_line_q, line: line_q, timeout_set: timeout_set};
  assign choice    = '{any: next_q.any, better: next_better, equal: next_equal, some: next_q.any & ~next_q.bound,
                       tid: next_q.tid};
  assign owners    = '{valid: bound, queued: bound_queued, open: open_o, successor_valid: successor_valid,
                       successor: successor};
  assign thread    = '{exists: exists, tid: tid, state: state, cpu: cpu, prio: prio, own: own, relative: relative,
                       is_static: is_static, idle: is_idle, hardware: is_hardware, queued: is_queued,
                       detached: detached, joined: joined, owned: is_owner, weight: policy_i.weight};

  cl_kernel_services #(
    .Cfg          (Cfg),
    .operation_t  (operation_t),
    .choice_t     (choice_t),
    .bound_t      (bound_t),
    .thread_t     (thread_t),
    .new_thread_t (new_thread_t),
    .mutex_rule_t (mutex_rule_t)
  ) u_services (
    .clk_i,
    .rst_ni,
    .read_i          (read),
    .now_i           (operation),
    .words_i         (requests_i.words[cpu_q]),
    .next_i          (choice),
    .bound_i         (owners),
    .thread_i        (thread),
    .room_i          (room),
    .new_tid_i       (new_tid),
    .new_o           (new_thread),
    .waiter_valid_i  (waiter_valid),
    .waiter_i        (waiter),
    .mutex_rule_i    (mutex_rule),
    .mutex_locked_o  (mutex_locked),
    .mutex_owner_o   (mutex_owner),
    .flags_o         (flags),
    .flags_we_i      (setting && leave && last),
    .flags_i         (flags_left),
    .outcome_o       (decided),
    .change_o        (change_of_services),
    .object_id_o     (object_id),
    .commit_i        (commit),
    .receiver_o      (receiver),
    .message_valid_o (message_valid),
    .message_o       (message),
    .unpublished_o   (unpublished),
    .walk_i          (publish_walk),
    .publish_i       (state_q == StPublish),
    .publish_wakes_o (publish_wakes),
    .publish_more_o  (publish_more),
    .lines_i         (line_i),
    .as_op_o         (as_op),
    .as_id_o         (as_id),
    .line_thread_o   (line_thread),
    .line_pending_o  (line_pending),
    .line_request_o  (line_request),
    .line_o          (line),
    .line_take_i     (line_take),
    .line_free_i     (clients_turn)
  );

  logic unused_publish;  // that is over when it happens
  assign unused_publish = outcome.publish;

  for (genvar c = 0; c < Clients; c++) begin : g_words
    assign words_we_o[c] = (message_valid || flags_valid) && cpu_q == cpu_t'(c);
  end

  // A thread that stops running publishes first, whatever the operation.
  assign publish_first  = unpublished[cpu_q] && (decided.publish || decided.course == CourseGiveWay ||
                                                 decided.course == CourseBlock || decided.course == CourseExit);
  // Operations that may need the next thread or the ready queue wait while the queue is busy; others do not. Most of
  // them may end the caller's slice, so they also wait while a new one is being computed (dwrr).
  always_ff @(posedge clk_i) needs_next_q <= op_needs_next(rd_op);

  assign may_decide     = !needs_next_q || (next_known_q && policy_i.slice_known[cpu_q]);

  // With Pipeline the decision is registered (decided_q), and what it says happens a cycle later: the records and all
  // else that it depends on stay as they are.
  logic       decide;
  logic [3:0] decision;  // and what follows: act, commit, publish_walk, job_start

  assign decide   = state_q == StDispatch && may_decide && !decided_q;
  assign decision = {1'b1, !publish_first && !job_first,
                     unpublished[cpu_q] && (publish_first || decided.course == CoursePublish),
                     !publish_first && job_first} & {4{decide}};

  // So it is with how a thread wakes.
  if (Cfg.Pipeline) begin : g_pipeline
    logic [3:0] decision_q;
    logic       known_q;  // wake_way is of the thread read

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        decision_q <= '0;
        known_q    <= 1'b0;
        left       <= 1'b0;
      end else begin
        decision_q <= decision;
        known_q    <= state_q == StWake;
        left       <= leave;
      end
    end
    assign decided_q = act;
    assign waking    = state_q == StWake && known_q;
    assign {act, commit, publish_walk, job_start} = decision_q;
  end else begin : g_no_pipeline
    assign decided_q = 1'b0;
    assign left      = 1'b0;
    assign waking    = state_q == StWake;
    assign {act, commit, publish_walk, job_start} = decision;
  end

  cl_pipeline_register #(.Registered(Cfg.Pipeline), .Width($bits(outcome_t) + $bits(thread_change_t))) u_decided (
    .clk_i,
    .d_i ({decided, change_of_services}),
    .q_o ({outcome, change_decided})
  );

  assign change         = commit ? change_decided : '0;
  // A thread that ends on a CPU where it is misplaced releases its own CPU last: that CPU may be waiting, and must not
  // be served before.
  assign give_back      = (change.give_back && (op_q == OpRelease || client == cpu_q)) || (state_q == StOffer && late_q);
  always_comb begin
    if (state_q == StOffer)          reserve_cpu = cpu_q;
    else if (op_q == OpThreadExit)   reserve_cpu = client;
    else                             reserve_cpu = cpu_t'(id_q);
  end
  assign insert_decided = outcome.insert;
  assign insert         = commit && insert_decided;
  assign walk           = state_q == StWalk;
  assign leave          = state_q == StLeave;
  assign fetch          = idle || state_q == StFetch;

  // Event flags
  if (Cfg.EventFlags) begin : g_event_flags
    logic        waits;   // or would
    logic [31:0] record;

    assign waits       = op_q[7:4] == KindFlags && op_q[3];
    assign setting     = op_q == OpFlagsSet && !settling_threads;
    assign flags_valid = commit && op_q inside {OpFlagsGet, OpFlagsFound} && outcome.status == StatusOk;
    assign words_o     = (op_q == OpFlagsFound) ? ((PortWords + 1) * 32)'(record) :
                         (op_q == OpFlagsGet)   ? ((PortWords + 1) * 32)'(flags) : message;

    cl_kernel_event_flags #(.Threads(Cfg.Threads)) u_event_flags (
      .clk_i,
      .rst_ni,
      .raddr_i     (raddr),
      .tid_i       (tid),
      .record_o    (record),
      .create_i    (state_q == StInit || change.create),
      .new_tid_i   (state_q == StInit ? '0 : new_tid),
      .caller_i    (caller),
      .flags_i     (insert ? word0[cpu_q] : flags),
      .how_i       (insert ? op_q[1:0] : '0),
      .set_i       (commit && setting),
      .note_i      (commit && waits && outcome.status == StatusOk),
      .look_i      (setting && leave),
      .satisfied_o (satisfied),
      .word_o      (flags_left)
    );
  end else begin : g_no_event_flags
    logic unused_flags;
    assign unused_flags = ^{flags, last};
    assign setting      = 1'b0;
    assign satisfied    = 1'b0;
    assign flags_valid  = 1'b0;
    assign flags_left   = '0;
    assign words_o      = message;
  end

  // Protocols of mutexes
  if (Cfg.Inheritance) begin : g_inheritance
    localparam int unsigned MutexWidth = (Cfg.Mutexes > 1) ? $clog2(Cfg.Mutexes) : 1;

    // Inputs of cl_kernel_inheritance: the thread read, the mutex read and a new thread
    typedef struct packed {
      tid_t      tid;
      logic      blocked;
      logic      idle;          // an idle thread: it has no priority to pass on
      priority_t prio;
      tid_t      link;          // the waiter behind it
    } heir_t;

    typedef struct packed {
      logic locked;
      tid_t owner;
      logic waiter_valid, several;
      tid_t waiter;
    } held_mutex_t;

    typedef struct packed {
      logic      valid;
      tid_t      tid;
      priority_t prio;
    } newcomer_t;

    logic [MutexWidth-1:0] mutex_read, mutex;
    heir_t                 heir;
    held_mutex_t           held;
    newcomer_t             newcomer;

    assign job_read  = 10'(mutex_read);
    assign job_mutex = 10'(mutex);
    assign job_taken = job_set && (!is_queued || is_owner || queue_ready_i);
    assign heir      = '{tid: tid, blocked: state == ThreadBlocked, idle: is_idle, prio: prio, link: link};
    assign held      = '{locked: mutex_locked, owner: mutex_owner, waiter_valid: waiter_valid, several: several,
                         waiter: waiter};
    assign newcomer  = (state_q == StInit) ? '{valid: 1'b1, tid: '0, prio: PriorityWidth'(Cfg.Priorities / 2)}
                                           : '{valid: change.create, tid: new_tid, prio: new_thread.prio};

    cl_kernel_inheritance #(
      .Cfg          (Cfg),
      .heir_t       (heir_t),
      .held_mutex_t (held_mutex_t),
      .mutex_rule_t (mutex_rule_t),
      .newcomer_t   (newcomer_t)
    ) u_inheritance (
      .clk_i,
      .rst_ni,
      .raddr_i           (raddr),
      .thread_i          (heir),
      .own_o             (own),
      .read_id_i         (rd_id),
      .mutex_i           (held),
      .rule_o            (mutex_rule),
      .new_i             (newcomer),
      .op_i              (op_q),
      .id_i              (object_id),
      .word0_i           (word0[cpu_q]),
      .caller_i          (caller),
      .caller_idle_i     (sched_i.level[cpu_q] == '0),
      .caller_priority_i (PriorityWidth'(sched_i.level[cpu_q])),
      .status_i          (decided.status),
      .course_i          (decided.course),
      .commit_i          (commit),
      .first_o           (job_first),
      .start_i           (job_start),
      .pending_o         (job_pending),
      .granted_o         (granted),
      .grant_i           (granted && action.pop),
      .run_i             (settling_threads),
      .raddr_o           (job_raddr),
      .read_o            (mutex_read),
      .who_o             (job_who),
      .mutex_o           (mutex),
      .set_o             (job_set),
      .priority_o        (job_priority),
      .taken_i           (job_taken),
      .leave_o           (job_leave),
      .found_i           (found),
      .insert_o          (job_insert),
      .insertion_o       (job_insertion),
      .inserted_i        (walk_done),
      .done_o            (job_done),
      .again_o           (job_again)
    );
  end else begin : g_no_inheritance
    logic unused_mutex;
    assign unused_mutex  = ^{mutex_locked, mutex_owner, job_again, job_done, job_set, job_raddr};
    assign job_read      = '0;
    assign job_mutex     = '0;
    assign job_first     = 1'b0;
    assign job_pending   = 1'b0;
    assign job_done      = 1'b0;
    assign job_again     = 1'b0;
    assign job_set       = 1'b0;
    assign job_taken     = 1'b0;
    assign job_leave     = 1'b0;
    assign job_insert    = 1'b0;
    assign job_insertion = 1'b0;
    assign job_raddr     = '0;
    assign job_who       = '0;
    assign job_priority  = '0;
    assign granted       = 1'b0;
    assign own           = prio;
    assign mutex_rule    = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // The state machine

  function automatic logic [31:0] go(input tid_t next);
    return 32'(WordGiveWayWidth'(1'b1)) << WordGiveWayLsb | word(StatusOk, 1'b0, WordValueWidth'(next));
  endfunction

  tid_t start_tid, fetch_tid, after_now, after_tid;
  logic fetch_known;

  // The thread that the operation reads: one that is chosen now, or read again
  function automatic tid_t read_by(input logic [7:0] op, input tid_t object, input tid_t by);
    unique case (record_of(op, Cfg.Inheritance))
      RecordOfCaller: read_by = by;
      RecordOfNew:    read_by = free_head;
      default:        read_by = object;
    endcase
  endfunction

  // The thread read at the end of a dispatch: the one that the operation wakes or passes, if any. Selected by operation
  // alone, as the decision is late; only a sender is woken or waits.
  always_comb begin
    unique case (op_q)
      OpThreadExit:                                   after_now = joiner;
      OpDequeue:                                      after_now = next_q.tid;
      OpMutexLock, OpMutexUnlock, OpMutexLeave,
      OpSemaphoreWait, OpSemaphorePost, OpSemaphoreLeave,
      OpCondWait, OpCondSignal, OpCondBroadcast, OpCondLeave, OpBarrierWait,
      OpPortReceive, OpPortTryreceive, OpFlagsSet,
      OpFlagsWaitAny, OpFlagsWaitAll, OpFlagsTakeAny,
      OpFlagsTakeAll:                                 after_now = waiter;
      OpPortSend, OpPortTrysend, OpPortLeave:         after_now = (decided.wake == WakeReceiver) ? receiver : waiter;
      OpInterruptRaise:                               after_now = line_thread;
      OpRelease:                                      after_now = bound_tid[cpu_t'(id_q)];
      default:                                        after_now = tid;
    endcase
  end

  if (Cfg.Pipeline) begin : g_early_tid
    // One register for each thread that is read a cycle later: after a dispatch, after a search, or for the operation
    logic redirected_q;  // that is a new one: its thread is not known yet

    assign fetch_tid   = after_tid;
    assign fetch_known = !redirected_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        after_tid    <= '0;
        redirected_q <= 1'b0;
      end else begin
        redirected_q <= commit && outcome.course == CourseRedirect;
        unique case (state_q)
          StDispatch: after_tid <= after_now;
          StLeave:    after_tid <= tid;
          default:    after_tid <= read_by(op_q, tid_t'((Cfg.Reserve && op_q == OpReserve) ? word0[cpu_q][9:0] : id_q), caller);
        endcase
      end
    end
    always_comb begin
      if (line_pending)                                    start_tid = tid_t'(line_request.id);
      else if (timeout_pending)                            start_tid = tid_t'(timeout_id);
      else if (!requeue_pick && op_pick == OpThreadCreate) start_tid = free_head;
      else                                                 start_tid = read_pick;
    end
  end else begin : g_tid
    assign after_tid   = after_now;
    assign fetch_known = 1'b1;
    assign fetch_tid   = read_by(rd_op, tid_t'(rd_object), sched_i.tid[rd_cpu]);
    assign start_tid   = (clients_turn && pick_valid && requeue_pick) ? read_pick : fetch_tid;
  end

  // The thread read in the next cycle is late, so it is selected apart from all else that a state does.
  logic wakes_queued, wakes_now, wakes_next;  // StWake: into the ready queue; it happens; those behind it, too

  assign wakes_queued = !(wake_way inside {WakeInPlace, WakeWhenSaved, WakeTaken}) && !is_apart;
  assign wakes_now    = waking && (!wakes_queued || queue_ready_i);
  assign wakes_next   = (all_q && wakes_more) || (Cfg.EventFlags && wake_then_q == StLeave);

  always_comb begin
    raddr = tid;
    unique case (state_q)
      StIdle:         raddr = start_tid;
      StFetch:        raddr = fetch_tid;
      StDispatch:     if (act) raddr = after_tid;
      StWake:         if (wakes_now && wakes_next) raddr = link;
      StNextWaiter:   if (left) raddr = after_tid;
      StPublish:      if (publish_wakes || Cfg.Pipeline) raddr = receiver;  // early: in vain if the receiver is not woken
      StWalk:         raddr = link;
      StLeave:        if (!found || Cfg.Pipeline) raddr = link;
      default:        ;
    endcase
    if (settling_threads) raddr = job_raddr;
  end

  // Operands are selected by operation and state alone, as the decision is late: an action only says whether.
  always_comb begin
    set_tid = (state_q inside {StDispatch, StExit, StSwitched, StOffer} && op_q != OpSetIdleThread) ? caller : tid;
    queue_o = '{op: QueuePop, which: queue, key: key, to_key: new_key, tid: tid};
    if (state_q == StWake)                                queue_o.op = front_q ? QueuePushFront : QueuePushBack;
    else if (settling_threads)                            queue_o.op = QueueMove;
    else if (state_q == StRequeue)                        queue_o.op = QueueMove;
    else if (state_q == StDispatch && (op_q == OpRemove || op_q == OpReserve)) queue_o.op = QueueRemove;
    else                                                  queue_o.which = next_q.home;
  end

  // The action of each state, by which every line below differs from `nothing`; that of the state that it is follows
  // at the end, with what is common to several states.
  action_t nothing, at_idle, on_course, at_dispatch, at_wake, in_list, of_thread, at_settle, of_state;

  always_comb begin
    nothing                = '0;
    nothing.state_d        = state_q;
    nothing.wake_then_d    = wake_then_q;
    nothing.cpu_d          = cpu_q;
    nothing.op_d           = op_q;
    nothing.id_d           = id_q;
    nothing.front_d        = front_q;
    nothing.pop_d          = pop_q;
    nothing.all_d          = all_q;
    nothing.by_line_d      = by_line_q;
    nothing.line_d         = line_q;
    nothing.silent_d       = silent_q;
    nothing.by_timeout_d   = by_timeout_q;
    nothing.publish_end_d  = publish_end_q;
    nothing.new_priority_d = new_priority_q;
    nothing.slice_d        = slice_q;
    nothing.offer_d        = offer_q;
    nothing.offer_cpu_d    = offer_cpu_q;
    nothing.late_d         = late_q;
    nothing.set_state      = ThreadReady;
    nothing.set_cpu        = (state_q == StDispatch && op_q == OpMove && new_thread.is_static) ? new_thread.cpu : cpu_q;
    nothing.answer_cpu     = cpu_q;
    nothing.answer         = word(outcome.status, outcome.resumed, outcome.value);
    nothing.sched_cpu      = cpu_q;
    nothing.sched_tid      = next_q.tid;
    nothing.sched_level    = next_q.level;
    nothing.bound_pop_cpu  = cpu_q;
  end

  // StIdle: the next operation
  always_comb begin
    at_idle               = nothing;
    at_idle.pop_d         = 1'b0;
    at_idle.front_d       = 1'b0;
    at_idle.all_d         = 1'b0;
    at_idle.publish_end_d = 1'b0;
    at_idle.cpu_d         = rd_cpu;
    at_idle.op_d          = rd_op;
    at_idle.id_d          = rd_id;
    at_idle.by_line_d     = line_pending;
    at_idle.silent_d      = line_pending | timeout_pending;
    at_idle.by_timeout_d  = timeout_take;
    at_idle.line_d        = line;
    at_idle.sched_cpu     = pick;
    at_idle.wake_then_d   = StIdle;
    if (settling) begin
      at_idle.by_line_d = 1'b0;
      at_idle.silent_d  = 1'b0;
      if (policy_i.serve) begin
        at_idle.state_d = StDispatch;
      end else if (policy_i.end_wait) begin
        at_idle.sched_cpu       = policy_i.end_cpu;
        at_idle.cmd.interrupted = 1'b1;
        at_idle.answer_valid    = 1'b1;
        at_idle.answer_cpu      = policy_i.end_cpu;
        at_idle.answer          = word(StatusEintr, 1'b0, '0);
      end
    end else if (line_take) begin
      // The thread that waits for the line, or the object it is bound to, is the one read.
      if (line_request.wakes)       at_idle.state_d = StWake;
      else if (!line_request.notes) at_idle.state_d = StDispatch;
    end else if (timeout_take) begin
      at_idle.state_d = StDispatch;
    end else if (pick_valid && pick_busy) begin
      at_idle.cmd.saved = requests_i.save[pick];
      if (requeue_pick) begin
        at_idle.front_d     = front_pick;
        at_idle.wake_then_d = op_valid_pick ? StFetch : StIdle;
        at_idle.state_d     = StWake;
      end else if (op_valid_pick) begin
        at_idle.state_d = StDispatch;
      end
    end else if (pick_valid) begin
      at_idle.cmd.interrupted = 1'b1;
      at_idle.answer_valid    = 1'b1;
      at_idle.answer_cpu      = pick;
      at_idle.answer          = word(StatusEintr, 1'b0, '0);
    end
  end

  // StDispatch: the course of the operation, if the outcome happens
  always_comb begin
    on_course              = nothing;
    on_course.answer_valid = !silent_q;
    on_course.wake_then_d  = StIdle;
    on_course.state_d      = StIdle;
    unique case (outcome.course)
      CourseDone: begin
        on_course.cmd.resume = Dwrr && op_q == OpPreempt && sched_i.held[cpu_q];
        on_course.cmd.vain   = op_q == OpPreempt && !outcome.spent;
      end

      CourseHold: begin
        on_course.answer_valid = 1'b0;
        on_course.cmd.hold     = 1'b1;
      end

      CoursePublish: on_course.publish_end_d = 1'b1;

      CourseGiveWay: begin
        on_course.choose   = 1'b1;
        on_course.give_way = 1'b1;
      end

      CourseBlock: begin
        on_course.choose    = 1'b1;
        on_course.cmd.block = 1'b1;
      end

      CourseNext: on_course.choose = 1'b1;

      CourseExit: begin
        on_course.answer_valid = 1'b0;
        on_course.cmd.exit     = 1'b1;
        on_course.set          = 1'b1;
        on_course.set_state    = (op_q == OpMove) ? ThreadBlocked : ThreadExited;
        on_course.wake_then_d  = StExit;
        on_course.state_d      = StExit;
      end

      CourseRequeue: begin
        on_course.new_priority_d = priority_t'(word0[cpu_q]);
        on_course.state_d        = Cfg.Inheritance ? StIdle : StRequeue;  // StSettle requeues it
      end

      CourseDequeue: begin
        on_course.take_next = 1'b1;
        on_course.cmd.turn  = next_q.tie;
        on_course.state_d   = StSuspend;
      end

      CourseRemove: begin
        on_course.queue_valid   = !is_apart;
        on_course.bound_pop     = is_apart;
        on_course.bound_pop_cpu = apart_at;
        on_course.state_d       = StSuspend;
      end

      CourseRedirect: begin
        on_course.answer_valid = 1'b0;
        on_course.by_line_d    = 1'b1;
        on_course.line_d       = line_t'(id_q);
        on_course.op_d         = as_op;
        on_course.id_d         = as_id;
        on_course.state_d      = StFetch;
      end

      CourseLeave: begin
        on_course.answer_valid = setting;
        on_course.state_d      = StLeave;
      end

      CourseSlice: begin
        on_course.slice_d = word0[cpu_q][15:0];
        on_course.state_d = StSlice;
      end

      default: ;
    endcase
  end

  // StDispatch: what the outcome says besides its course, and what comes before it
  always_comb begin
    at_dispatch = commit ? on_course : nothing;
    if (commit) begin
      if (change_decided.idle) begin
        at_dispatch.set       = 1'b1;
        at_dispatch.set_state = ThreadReady;
      end
      // A ready thread leaves its queue and is woken again; then StOffer for a CPU that now serves more threads.
      if (Cfg.Reserve && change_decided.reserve) begin
        at_dispatch.queue_valid = outcome.wake != WakeNone;
        at_dispatch.offer_d     = sched_i.waiting[successor];
        at_dispatch.offer_cpu_d = successor;
      end
      if (Cfg.Reserve && change_decided.give_back) begin
        at_dispatch.bound_pop     = op_q == OpRelease && outcome.wake != WakeNone;
        at_dispatch.bound_pop_cpu = reserve_cpu;
        at_dispatch.offer_d       = op_q == OpRelease ? sched_i.waiting[reserve_cpu] : client != cpu_q;
        at_dispatch.offer_cpu_d   = reserve_cpu;
        at_dispatch.late_d        = op_q != OpRelease && client != cpu_q;
      end
      if (outcome.wake != WakeNone) begin
        at_dispatch.pop_d = outcome.wake inside {WakeWaiter, WakeWaiters};
        at_dispatch.all_d = outcome.wake == WakeWaiters;
        // A record that changes is read again.
        at_dispatch.state_d = (op_q == OpMove) ? StNextWaiter : StWake;
      end
    end
    if (publish_walk) at_dispatch.state_d = StPublish;
    if (job_start)    at_dispatch.state_d = StSettle;
  end

  // StWake: wake the thread read.
  always_comb begin
    at_wake = nothing;
    if (waking) begin
      at_wake.set         = 1'b1;
      at_wake.set_cpu     = wake_cpu;
      at_wake.sched_cpu   = wake_cpu;
      at_wake.answer_cpu  = wake_cpu;
      at_wake.sched_tid   = tid;
      at_wake.sched_level = level;
      unique case (wake_way)
        WakeInPlace: begin
          at_wake.set_state     = ThreadRunning;
          at_wake.cmd.resume    = 1'b1;
          at_wake.cmd.set_level = Deadlines | granted;
          at_wake.answer_valid  = sched_i.waiting[wake_cpu];
          at_wake.answer        = word(StatusOk, 1'b1, '0);
        end
        WakeWhenSaved: at_wake.cmd.wake_leaving = 1'b1;
        WakeTaken: begin
          at_wake.set_state    = ThreadRunning;
          at_wake.cmd.run      = 1'b1;
          at_wake.answer_valid = 1'b1;
          at_wake.answer       = go(tid);
        end
        default: begin
          at_wake.set         = wakes_now;
          at_wake.bound_push  = is_apart;
          at_wake.queue_valid = wakes_queued;
        end
      endcase
      if (wakes_now) begin
        at_wake.pop          = pop_q;
        at_wake.front_d      = 1'b0;
        at_wake.set_priority = granted;
        at_wake.pop_d        = wakes_next && pop_q;
        at_wake.state_d      = (all_q && wakes_more) ? StNextWaiter : wake_then_q;
      end
    end
  end

  // States that go through lists
  always_comb begin
    in_list = nothing;
    unique case (state_q)
      // The list is read again; the record of its first thread is there already. After StRequeue, move: the record, and
      // with Pipeline after StLeave that of the thread found, as the search has read the one behind it.
      StNextWaiter: begin
        in_list.state_d = StWake;
      end

      // Publish the port read, the newest of the caller's list.
      StPublish: begin
        if (publish_more)       in_list.wake_then_d = StPublish;
        else if (publish_end_q) in_list.wake_then_d = StIdle;
        else                    in_list.wake_then_d = StFetch;
        in_list.state_d = in_list.wake_then_d;
        if (publish_wakes) in_list.state_d = StWake;
      end

      StWalk: begin
        if (walk_done) in_list.state_d = StIdle;
      end

      StLeave: begin
        in_list.answer_valid = (found | missing) && !silent_q && !setting;
        in_list.answer       = word(found ? StatusOk : StatusEnoent, 1'b0, '0);
        if (found)        in_list.state_d = Cfg.Pipeline ? StNextWaiter : StWake;
        else if (missing) in_list.state_d = StIdle;
        if (setting)      in_list.wake_then_d = last ? StIdle : StLeave;
      end

      default: ;
    endcase
  end

  // States that change one thread or CPU
  always_comb begin
    of_thread = nothing;
    unique case (state_q)
      StFetch: begin
        of_thread.state_d = fetch_known ? StDispatch : StFetch;
      end

      StExit: if (next_known_q) begin
        of_thread.choose  = 1'b1;
        of_thread.state_d = StIdle;
      end

      StSwitched: begin
        of_thread.set       = 1'b1;
        of_thread.set_state = ThreadRunning;
        of_thread.state_d   = walk_pending ? StWalk : StIdle;
      end

      // set_sched_param, set_deadline: the thread read has a new priority or deadline; a ready one goes to its tail.
      StRequeue: begin
        of_thread.set_priority  = op_q == OpSetSchedParam || !Deadlines;
        of_thread.queue_valid   = is_queued && !is_owner;
        of_thread.sched_cpu     = cpu;
        of_thread.sched_level   = {1'b1, new_key};
        of_thread.cmd.set_level = is_current;
        of_thread.state_d       = StIdle;
      end

      // dequeue, remove: the thread read is no longer in a queue.
      StSuspend: begin
        of_thread.set       = 1'b1;
        of_thread.set_state = ThreadSuspended;
        of_thread.set_cpu   = cpu;
        of_thread.state_d   = StIdle;
      end

      StSlice: begin
        of_thread.slice_restart = 1'b1;
        of_thread.state_d       = StIdle;
      end

      StOffer: begin
        of_thread.late_d = 1'b0;
        if (!late_q && next_known_q) begin
          of_thread.choose  = sched_i.waiting[cpu_q] && next_q.any;
          of_thread.state_d = StIdle;
        end
      end

      default: of_thread.state_d = StIdle;  // StInit
    endcase
  end

  // StSettle: the thread read may get a new priority, as in StRequeue.
  always_comb begin
    at_settle               = nothing;
    at_settle.queue_valid   = job_set && is_queued && !is_owner;
    at_settle.set_priority  = job_taken;
    at_settle.sched_cpu     = cpu;
    at_settle.sched_level   = {1'b1, new_key};
    at_settle.cmd.set_level = job_taken && is_current;
    at_settle.state_d       = !job_done ? StSettle : job_again ? StFetch : StIdle;
  end

  always_comb begin
    unique case (state_q)
      StIdle:                                    of_state = at_idle;
      StDispatch:                                of_state = at_dispatch;
      StWake:                                    of_state = at_wake;
      StNextWaiter, StPublish, StWalk, StLeave:  of_state = in_list;
      default:                                   of_state = of_thread;
    endcase
    if (settling_threads) of_state = at_settle;  // here, so that it is nothing without Inheritance
  end

  // Consequences of the action
  always_comb begin
    action = of_state;
    // Switch, or wait. The caller, unless it has ended, becomes ready or blocked here.
    if (of_state.choose) begin
      action.set       = sched_i.current_valid[cpu_q];
      action.set_state = of_state.give_way ? ThreadReady : ThreadBlocked;
      if (next_q.any) begin
        action.cmd.run         = 1'b1;
        action.cmd.leave_ready = of_state.give_way;
        action.cmd.leave_front = outcome.front;
        action.cmd.turn        = next_q.tie;
        action.take_next       = 1'b1;
        action.answer_valid    = 1'b1;
        action.answer          = go(next_q.tid);
        action.state_d         = StSwitched;
      end else begin
        // With dwrr a round may begin now; only then is it known whether an interrupt ends the wait.
        action.answer_valid = requests_i.intr[cpu_q] && !Dwrr;
        action.answer       = word(StatusEintr, 1'b0, '0);
        action.cmd.sleep    = !requests_i.intr[cpu_q] || Dwrr;
        action.state_d      = (insert_decided && waiter_valid) ? StWalk : StIdle;
      end
    end
    if (action.take_next) begin
      action.queue_valid = !next_q.bound;
      action.bound_pop   = next_q.bound;
    end
    if (Cfg.Reserve && action.offer_d && action.state_d == StIdle && !idle) begin
      action.state_d = StOffer;
      action.cpu_d   = action.offer_cpu_d;
      action.offer_d = 1'b0;
    end
    if (job_pending && action.state_d == StIdle && !idle) action.state_d = StSettle;
  end

  logic unused_follows;  // is done already
  assign unused_follows = action.choose | action.give_way;

  for (genvar c = 0; c < Clients; c++) begin : g_select
    assign sched_select_o[c] = action.sched_cpu == cpu_t'(c);
    assign answer_valid_o[c] = action.answer_valid && action.answer_cpu == cpu_t'(c);
  end

  assign queue_valid_o   = action.queue_valid;
  assign answer_o        = action.answer;
  assign sched_cmd_o     = action.cmd;
  assign sched_tid_o     = action.sched_tid;
  assign sched_level_o   = action.sched_level;
  assign slice_o         = slice_q;
  assign slice_restart_o = action.slice_restart;

  // An operation changes nothing before the end of its dispatch.
  assign idle     = state_q == StIdle;
  assign stable_o = queue_ready_i && ((idle && !settling) || state_q == StDispatch);

  assign dwrr_o = '{
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
    tid:          tid,
    state:        state,
    is_static:    is_static,
    in_place:     is_current,
    in_place_cpu: cpu,
    new_tid:      new_tid,
    new_static:   new_thread.is_static,
    weight:       word0[cpu_q][7:0]
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q          <= StInit;
      wake_then_q      <= StIdle;
      cpu_q            <= '0;
      op_q             <= '0;
      id_q             <= '0;
      front_q          <= 1'b0;
      pop_q            <= 1'b0;
      all_q            <= 1'b0;
      by_line_q        <= 1'b0;
      line_q           <= '0;
      by_timeout_q     <= 1'b0;
      silent_q         <= 1'b0;
      publish_end_q    <= 1'b0;
      new_priority_q   <= '0;
      slice_q          <= '0;
      offer_q          <= 1'b0;
      offer_cpu_q      <= '0;
      late_q           <= 1'b0;
      next_q           <= '0;
      next_known_q     <= 1'b0;
      woken_q          <= 1'b0;
    end else begin
      state_q          <= action.state_d;
      woken_q          <= Cfg.Pipeline && action.cmd.wake_leaving;
      wake_then_q      <= action.wake_then_d;
      cpu_q            <= action.cpu_d;
      op_q             <= action.op_d;
      id_q             <= action.id_d;
      front_q          <= action.front_d;
      pop_q            <= action.pop_d;
      all_q            <= action.all_d;
      by_line_q        <= action.by_line_d;
      line_q           <= action.line_d;
      by_timeout_q     <= action.by_timeout_d;
      silent_q         <= action.silent_d;
      publish_end_q    <= action.publish_end_d;
      new_priority_q   <= action.new_priority_d;
      slice_q          <= action.slice_d;
      offer_q          <= action.offer_d;
      offer_cpu_q      <= action.offer_cpu_d;
      late_q           <= action.late_d;
      next_q           <= next_d;
      next_known_q     <= queue_ready_i && !action.queue_valid && !action.bound_push &&
                          (!Cfg.Reserve || (rd_cpu == action.cpu_d && !change.reserve && !give_back));
    end
  end

`ifndef SYNTHESIS
  // The thread manager's rules, by client
  logic [Clients-1:0] leaving_queued, stack_shared, stack_unsaved, idle_needless, sent_not_running;
  logic [Clients-1:0][Cpus-1:0] keeps;

  assign keeps = (Clients * Cpus)'(keeps_o);

  always_comb begin
    leaving_queued = '0;
    stack_shared   = '0;
    stack_unsaved  = '0;
    for (int unsigned c = 0; c < Clients; c++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (queue_ready_i && sched_i.leaving[c] && best_i.valid[q] && best_i.tid[q] == sched_i.leaving_tid[c]) begin
          leaving_queued[c] = 1'b1;
        end
      end
      for (int unsigned other = 0; other < Clients; other++) begin
        if (other < c && sched_i.current_valid[c] && sched_i.current_valid[other] && sched_i.tid[c] == sched_i.tid[other]) begin
          stack_shared[c] = 1'b1;
        end
        if (other != c && sched_i.current_valid[c] && sched_i.leaving[other] && sched_i.tid[c] == sched_i.leaving_tid[other]) begin
          stack_unsaved[c] = 1'b1;
        end
      end
      idle_needless[c] = sched_i.waiting[c] && ((bound_queued[c] && !sched_i.held[c]) ||
                                                (c < Cpus && ((open_o[c] && best_i.valid[policy_i.now_queue]) ||
                                                              (keeps[c] & best_i.valid[Cpus:1]) != '0)));
      sent_not_running[c] = unpublished[c] && !sched_i.running[c];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      // The save rule: a leaving thread is in no queue, so it is no client's next thread.
      AssertLeavingNotQueued:   assert (leaving_queued == '0);
      AssertOneStackOneCpu:     assert (stack_shared == '0);
      AssertNoStackBeforeSaved: assert (stack_unsaved == '0);
      // Idle means nothing to run: a thread that becomes ready goes to a waiting client at once. (When a round
      // begins, or a held client gets a thread, the clients are served one after the other.)
      AssertIdleHasNothing:     assert (!stable_o || (Dwrr && !idle) || idle_needless == '0);
      // Only a running thread has unpublished messages.
      AssertSentIsRunning:      assert (state_q != StIdle || sent_not_running == '0);
      // The thread chosen ahead is the one that would be chosen now.
      AssertNextKnown:          assert (!(next_known_q && state_q inside {StDispatch, StExit}) || next_q == next_d);
      AssertCallerIsCurrent:    assert (!(state_q == StSwitched && !sched_i.running[cpu_q]));
    end
  end
`endif

endmodule
