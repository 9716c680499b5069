// SPDX-License-Identifier: Apache-2.0
// The operating-system services in hardware: threads, scheduling, ports, mutexes, semaphores, condition variables,
// interrupts.
//
// One client port a CPU, after those one a hardware thread; an operation is one load at {op, id}
// (rtl/kernel/data/kernel.toml numbers them), its argument the word stored to WORD0 before. See ../README.md for the
// contract, the cycles and the rules.
// Fields of Cfg (cl_kernel_pkg):
//   Threads 2 to 1024 · Priorities 2 to 256 · Cpus 1 to 16, with the hardware threads
//   Ports, Conditions 1 to 1024 · Mutexes, Semaphores 0 to 1024 · Lines 1 to 64
//   HwThreads > 0 only with Priorities <= 128
//   PortDepth 1 to 1024 messages a port · PortWords 0 to 8 words of a message after its first, with processors
//   ReadyQueue a build_e · Policy a policy_e that is built (PolicyEdf: ReadyQueue is sorted, whatever is asked for)
// After reset CPU 0 runs thread 0 (dynamic, joinable, priority Priorities / 2).
module cl_kernel
  import cl_engine_pkg::*;
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg     = Default,
  localparam int unsigned Cpus    = Cfg.Cpus,
  localparam int unsigned Clients = Cfg.Cpus + Cfg.HwThreads
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     tick_i,    // one-cycle strobe, unit of the time slice
  input  logic              [31:0] now_i,     // the time of deadlines, modulo 2**32; never goes back

  input  client_request_t [Clients-1:0] request_i,  // req, we, addr {op[7:0], id[9:0]}, wdata: held until gnt
  output client_answer_t  [Clients-1:0] answer_o,   // gnt; rvalid one cycle after it or later, rdata: also for stores

  output logic          [Cpus-1:0] irq_o,     // level: the thread on this CPU should give way (op preempt)
  input  logic          [Cpus-1:0] intr_i,    // level: another interrupt; ends an idle wait with eintr
  output logic       [Clients-1:0] idle_o,    // this client's load is pending: no thread to run

  input  logic     [Cfg.Lines-1:0] line_i     // interrupt lines: a rising edge is an interrupt
);

  if (Cpus == 0 || Cpus > 16 || Cfg.Threads < 2 || Cfg.Threads > 1024 || Cfg.Priorities < 2 || Cfg.Priorities > 256 ||
      Cfg.Ports == 0 || Cfg.Ports > 1024 || Cfg.PortDepth == 0 || Cfg.PortDepth > 1024 || Cfg.PortWords > 8 || Cfg.Mutexes > 1024 ||
      Cfg.Semaphores > 1024 || Cfg.Conditions == 0 || Cfg.Conditions > 1024 || Cfg.Lines == 0 || Cfg.Lines > 64 ||
      Cfg.Policy > PolicyEdf) begin : g_out_of_range
    $error("cl_kernel: a parameter is out of range; see the table in rtl/kernel/README.md");
  end

  cl_kernel_rules #(.Cfg(Cfg)) u_rules ();

  localparam bit          Dwrr          = Cfg.Policy == PolicyDwrr;
  // 0: dynamic threads, 1+c: static ones of CPU c
  localparam int unsigned Queues        = queues(Cfg.Cpus, Cfg.Policy);
  localparam int unsigned QueueWidth    = $clog2(Queues);
  localparam int unsigned TidWidth      = $clog2(Cfg.Threads);
  localparam bit          Deadlines     = Cfg.Policy == PolicyEdf;
  localparam int unsigned KeyWidth      = key_width(Cfg.Policy, Cfg.Priorities);
  localparam int unsigned LevelWidth    = KeyWidth + 1;
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1;
  localparam int unsigned PriorityWidth = $clog2(Cfg.Priorities);
  localparam int unsigned LineWidth     = (Cfg.Lines > 1) ? $clog2(Cfg.Lines) : 1;

  typedef logic    [Cfg.PortWords:0][31:0] message_t;
  typedef logic             [TidWidth-1:0] tid_t;
  typedef logic           [LevelWidth-1:0] level_t;
  typedef logic             [KeyWidth-1:0] key_t;
  typedef logic             [CpuWidth-1:0] cpu_t;
  typedef logic           [QueueWidth-1:0] queue_t;
  typedef logic        [PriorityWidth-1:0] priority_t;
  typedef logic            [LineWidth-1:0] line_t;

  // Contents of the clients' ports
  typedef struct packed {
    logic     [Clients-1:0]       op_valid, save, intr;
    logic     [Clients-1:0] [7:0] op;
    logic     [Clients-1:0] [9:0] id;
    message_t [Clients-1:0]       words;
  } requests_t;

  // Scheduling state of the clients
  typedef struct packed {
    logic   [Clients-1:0] current_valid, running, waiting, held, turn_dynamic;
    logic   [Clients-1:0] leaving, leaving_ready, leaving_front;
    tid_t   [Clients-1:0] tid, leaving_tid;
    level_t [Clients-1:0] level;
  } sched_state_t;

  // A change to it
  typedef struct packed {
    logic [Clients-1:0] select;
    sched_cmd_t         cmd;
    tid_t               tid;
    level_t             level;
  } sched_change_t;

  // An operation of the ready queue, and the best thread of each queue
  typedef struct packed {
    queue_op_e op;
    queue_t    which;
    key_t      key, to_key;
    tid_t      tid;
  } queue_cmd_t;

  typedef struct packed {
    logic [Queues-1:0] valid;
    key_t [Queues-1:0] key;
    tid_t [Queues-1:0] tid;
  } best_t;

  // An operation as time slices and policy dwrr see it; the single bits are one-cycle strobes
  typedef struct packed {
    logic          init;         // thread 0 runs on CPU 0
    logic          run;          // CPU run_cpu runs another thread
    logic          leave_ready;  // the caller stops running, but is ready,
    logic          block;        // or waits,
    logic          exit;         // or has ended
    logic          spent;        // the caller's slice is over: it is in the next round
    logic          woken;        // the thread read is ready or running
    logic          suspend;      // the thread read is not runnable any more
    logic          create;       // a new thread
    logic          idle;         // the thread read becomes an idle thread
    logic          weigh;        // the thread read has a new weight
    cpu_t          cpu, run_cpu; // the caller's; the one that is to run a thread, or whose thread has ended
    tid_t          raddr;        // the thread read in the next cycle
    tid_t          tid;          // the thread read, and its record
    thread_state_e state;
    logic          is_static;
    logic          in_place;     // it is the current one of in_place_cpu
    cpu_t          in_place_cpu;
    tid_t          new_tid;
    logic          new_static;
    logic    [7:0] weight;
  } thread_event_t;

  // The policy's decisions: the outputs of cl_kernel_dwrr
  typedef struct packed {
    logic         [7:0] weight;
    logic               later;
    logic [Clients-1:0] ahead, slice_known;
    logic               serve, busy, end_wait;
    cpu_t               serve_cpu, end_cpu;
    queue_t             now_queue, later_queue;
  } policy_t;

  // The operation that the engine does
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
    logic        by_timeout;         // it ends the wait of a thread whose time is over
    priority_t   new_priority;       // what the thread read gets
    logic        unlocked;           // Monitors: the wait of mutex_wait,
    logic        retaking;           // and the mutex id is locked for the caller
  } operation_t;

  // The next thread of a client (cl_kernel_next)
  typedef struct packed {
    logic   any;
    logic   better;      // its level is higher than that of the client's thread
    logic   equal;
    logic   misplaced;   // the client's thread gives way to any
    logic   tie;         // taking it passes the turn on
    logic   placed_tie;  // and this one on among queues of placed threads
    logic   bound;       // it is the one bound to the client; else:
    queue_t home;        // the ready queue it is in
    tid_t   tid;
    level_t level;
  } next_t;

  // The same, as an operation sees it
  typedef struct packed {
    logic any;           // if there is one:
    logic better;        // one of higher priority than the caller's,
    logic equal;         // of the same priority,
    logic some;          // of any priority, but no idle thread
    tid_t tid;
  } choice_t;

  // What asks for service besides clients
  typedef struct packed {
    logic          line;
    line_request_t line_request;
    line_t         line_index;
    logic          timeout;
    logic    [7:0] timeout_op;
    logic    [9:0] timeout_id;
    tid_t          timeout_tid;
  } pending_t;

  // What the tables have for the operation
  typedef struct packed {
    // The thread read
    tid_t               tid;
    thread_state_e      state;
    cpu_t               cpu;
    logic               is_static, is_queued;
    level_t             level;
    key_t               key, new_key;     // as it is, and by what StRequeue and StSettle do
    queue_t             home;             // its ready queue
    wake_way_e          way;              // how it wakes, and the client it is on or that takes it
    cpu_t               way_cpu;
    cpu_t               client;           // where it may run, if there is one only
    logic               is_owner;         // it has a CPU alone
    logic               is_apart;         // when ready it is in no ready queue, but here:
    cpu_t               apart_at;
    tid_t               joiner, link;
    // The wait list read
    logic               several, waiter_valid;
    tid_t               waiter;
    logic               walk_pending, walk_done;
    logic               there, missing;   // StLeave: the thread looked for is the one read; is not in the list
    logic               last;             // the thread read is the last one
    logic               setting;          // StLeave looks for all that the event flags satisfy
    // The decision of the services
    outcome_t           decided;
    thread_change_t     change;
    tid_t               receiver;         // of the port
    logic [Clients-1:0] unpublished;      // clients whose threads have unpublished messages
    logic               publish_wakes, publish_more;
    logic         [7:0] as_op;            // CourseRedirect
    logic         [9:0] as_id;
    tid_t               line_thread;
    tid_t               bound_tid;        // of the CPU named by the id
    cpu_t               successor;
    // A new thread
    tid_t               free_head, new_tid;
    cpu_t               new_cpu;
    logic               new_static;
    // Jobs of cl_kernel_inheritance
    logic               granted;          // the thread read is woken with the mutex that was unlocked
    logic               job_first;        // one comes before the operation
    logic               job_done, job_again, job_set, job_taken;
    tid_t               job_raddr;
    logic         [9:0] job_read;
    // Monitors
    logic               relocks;          // the thread read is to have this mutex again, if its wait ends by a signal
    logic         [9:0] mutex;
    logic               held;             // another thread has the mutex read
  } found_t;

  // What is written
  typedef struct packed {
    logic           commit;        // the outcome happens
    outcome_t       outcome;
    thread_change_t change;        // with commit
    logic           publish_walk;
    logic           job_start;
    logic           clients_turn;  // neither a line nor a timeout is served
    logic           line_take, timeout_take;
    logic           give_back;     // the reservation of reserve_cpu ends
    cpu_t           reserve_cpu;
    logic           set_priority;  // of the thread read
    logic           set;           // state and CPU of the thread set_tid
    tid_t           set_tid;
    thread_state_e  set_state;
    cpu_t           set_cpu;
    logic           pop;           // the first waiter leaves the wait list
    logic           bound_push;    // the thread read is ready on the client that it is bound to
    logic           bound_pop;     // that of bound_pop_cpu no longer
    cpu_t           bound_pop_cpu;
    logic           tie;           // tie_queue has won among queues of placed threads
    queue_t         tie_queue;
    logic           queue_take;    // the ready queue takes an operation
    queue_op_e      queue_op;
    queue_t         queue_which;
  } strobes_t;

  logic     [Clients-1:0]       op_valid, save, take, words_we, answer_valid, intr;
  logic     [Clients-1:0] [7:0] op;
  logic     [Clients-1:0] [9:0] id;
  message_t [Clients-1:0]       words;
  message_t                     message;
  logic                  [31:0] answer;

  logic   [Clients-1:0] current_valid, running, waiting, held, turn_dynamic, slice_used, timer_used, vain;
  logic   [Clients-1:0] switching, leaving, leaving_ready, leaving_front;
  tid_t   [Clients-1:0] tid, leaving_tid;
  level_t [Clients-1:0] level;
  sched_change_t        sched_change;
  logic                 slice_restart, stable;
  logic              [15:0] slice, slice_passed;
  logic [Clients-1:0][15:0] slice_ran;
  logic       [Clients-1:0] slice_start;

  logic               settle, serve, busy, end_wait, later;
  thread_event_t      thread_event;
  cpu_t               serve_cpu, end_cpu;
  logic         [7:0] weight;
  logic [Clients-1:0] ahead, slice_known;
  logic    [Cpus-1:0] asked, rests;
  queue_t             now_queue, later_queue;

  logic              queue_valid, queue_ready;
  queue_cmd_t        queue_cmd;
  logic [Queues-1:0] best_valid;
  key_t [Queues-1:0] best_priority;
  tid_t [Queues-1:0] best_tid;

  // Which processor may run which thread, with reservations
  logic        [Clients-1:0] open;
  logic        [Clients-1:0] bound_queued;
  logic           [Cpus-1:0] misplaced;
  logic [Cpus-1:0][Cpus-1:0] keeps;

  for (genvar c = 0; c < Clients; c++) begin : g_client
    // A hardware thread has the first word of a message only.
    localparam int unsigned Further = (c < Cpus) ? Cfg.PortWords : 0;
    logic [Further:0][31:0] own;

    assign words[c] = message_t'(own);

    cl_kernel_port #(.PortWords(Further)) u_port (
      .clk_i,
      .rst_ni,
      .request_i      (request_i[c]),
      .answer_o       (answer_o[c]),
      .op_valid_o     (op_valid[c]),
      .op_o           (op[c]),
      .id_o           (id[c]),
      .save_o         (save[c]),
      .take_i         (take[c]),
      .words_o        (own),
      .words_we_i     (words_we[c]),
      .words_i        (message[Further:0]),
      .answer_valid_i (answer_valid[c]),
      .word_i         (answer)
    );

    cl_kernel_cpu #(
      .RunsAtReset (c == 0),
      .HasSlice    (c < Cpus && !Dwrr),
      .TidWidth    (TidWidth),
      .LevelWidth  (LevelWidth),
      .MainLevel   (2**KeyWidth + 32'(priority_key(Deadlines, RankWidth'(Cfg.Priorities / 2))))
    ) u_cpu (
      .clk_i,
      .rst_ni,
      .tick_i,
      .select_i        (sched_change.select[c]),
      .cmd_i           (sched_change.cmd),
      .tid_i           (sched_change.tid),
      .level_i         (sched_change.level),
      .slice_i         (slice),
      .slice_start_i   (slice_start[c]),
      .slice_ran_i     (slice_passed),
      .slice_restart_i (slice_restart),
      .current_valid_o (current_valid[c]),
      .running_o       (running[c]),
      .tid_o           (tid[c]),
      .level_o         (level[c]),
      .waiting_o       (waiting[c]),
      .held_o          (held[c]),
      .switching_o     (switching[c]),
      .leaving_o       (leaving[c]),
      .leaving_tid_o   (leaving_tid[c]),
      .leaving_ready_o (leaving_ready[c]),
      .leaving_front_o (leaving_front[c]),
      .turn_dynamic_o  (turn_dynamic[c]),
      .slice_ran_o     (slice_ran[c]),
      .slice_used_o    (timer_used[c]),
      .vain_o          (vain[c])
    );
  end

  assign idle_o = waiting;
  assign intr   = Clients'(intr_i);

  logic unused;  // a hardware thread is never asked to give way
  assign unused = ^{switching, open, vain};

  if (Dwrr) begin : g_dwrr
    logic unused_timer;
    assign unused_timer = ^{timer_used, slice_ran};
    assign slice_passed = '0;
    assign slice_start  = '0;

    cl_kernel_dwrr #(.Cfg(Cfg), .thread_event_t(thread_event_t)) u_dwrr (
      .clk_i,
      .rst_ni,
      .tick_i,
      .slice_i         (slice),
      .slice_restart_i (slice_restart),
      .running_i       (running[Cpus-1:0]),
      .waiting_i       (waiting[Cpus-1:0]),
      .held_i          (held[Cpus-1:0]),
      .level_i         (level[Cpus-1:0]),
      .current_i       (tid[Cpus-1:0]),
      .best_valid_i    (best_valid),
      .slice_used_o    (slice_used),
      .slice_known_o   (slice_known),
      .event_i         (thread_event),
      .weight_o        (weight),
      .later_o         (later),
      .ahead_o         (ahead),
      .settle_i        (settle),
      .serve_o         (serve),
      .serve_cpu_o     (serve_cpu),
      .busy_o          (busy),
      .intr_i,
      .end_wait_o      (end_wait),
      .end_cpu_o       (end_cpu),
      .now_o           (now_queue),
      .later_queue_o   (later_queue)
    );
  end else begin : g_no_dwrr
    logic unused_dwrr;
    assign unused_dwrr = ^{settle, thread_event};

    cl_kernel_slices #(.Clients (Clients), .TidWidth (TidWidth)) u_slices (
      .clk_i,
      .rst_ni,
      .run_i           (sched_change.cmd.run),
      .resume_i        (sched_change.cmd.resume),
      .exit_i          (sched_change.cmd.exit),
      .cpu_i           (thread_event.run_cpu),
      .create_i        (thread_event.create),
      .new_i           (thread_event.new_tid),
      .tid_i           (tid),
      .leaving_i       (leaving),
      .leaving_ready_i (leaving_ready),
      .leaving_front_i (leaving_front),
      .leaving_tid_i   (leaving_tid),
      .ran_i           (slice_ran),
      .on_i            (slice != '0),
      .start_o         (slice_start),
      .ran_o           (slice_passed)
    );

    assign slice_used  = timer_used;
    assign weight      = '0;
    assign later       = 1'b0;
    assign end_wait    = 1'b0;
    assign end_cpu     = '0;
    assign ahead       = '0;
    assign slice_known = '1;
    assign now_queue   = '0;
    assign later_queue = QueueWidth'(Queues - 1);
    assign busy        = 1'b0;
    assign serve       = 1'b0;
    assign serve_cpu   = '0;
  end

  requests_t    requests;
  sched_state_t sched_state;
  best_t        best;
  policy_t      policy;

  assign requests    = '{op_valid: op_valid, save: save, intr: intr, op: op, id: id, words: words};
  assign sched_state = '{current_valid: current_valid, running: running, waiting: waiting, held: held,
                         turn_dynamic: turn_dynamic, leaving: leaving, leaving_ready: leaving_ready,
                         leaving_front: leaving_front, tid: tid, leaving_tid: leaving_tid, level: level};
  assign best        = '{valid: best_valid, key: best_priority, tid: best_tid};
  assign policy      = '{weight: weight, later: later, ahead: ahead, slice_known: slice_known, serve: serve, busy: busy,
                         end_wait: end_wait, serve_cpu: serve_cpu, end_cpu: end_cpu, now_queue: now_queue,
                         later_queue: later_queue};

  read_t             read;
  cpu_t              read_client;
  logic        [9:0] read_object;
  tid_t              raddr;
  engine_state_e     state;
  operation_t        operation;
  logic       [31:0] target;
  choice_t           choice;
  found_t            found;
  next_t             next;
  pending_t          pending;
  logic              job_pending, engine_idle;
  strobes_t          strobes;

  cl_kernel_tables #(
    .Cfg           (Cfg),
    .message_t     (message_t),
    .sched_state_t (sched_state_t),
    .best_t        (best_t),
    .policy_t      (policy_t),
    .operation_t   (operation_t),
    .choice_t      (choice_t),
    .next_t        (next_t),
    .strobes_t     (strobes_t),
    .pending_t     (pending_t),
    .found_t       (found_t)
  ) u_tables (
    .clk_i,
    .rst_ni,
    .tick_i,
    .now_i,
    .line_i,
    .sched_i        (sched_state),
    .queue_ready_i  (queue_ready),
    .best_i         (best),
    .policy_i       (policy),
    .read_i         (read),
    .client_i       (read_client),
    .object_i       (read_object),
    .raddr_i        (raddr),
    .state_i        (state),
    .operation_i    (operation),
    .words_i        (words[operation.client]),
    .target_i       (target),
    .choice_i       (choice),
    .found_o        (found),
    .next_o         (next),
    .pending_o      (pending),
    .job_pending_o  (job_pending),
    .strobes_i      (strobes),
    .words_we_o     (words_we),
    .words_o        (message),
    .open_o         (open),
    .keeps_o        (keeps),
    .misplaced_o    (misplaced),
    .bound_queued_o (bound_queued)
  );

  cl_kernel_engine #(
    .Cfg            (Cfg),
    .requests_t     (requests_t),
    .sched_state_t  (sched_state_t),
    .sched_change_t (sched_change_t),
    .queue_cmd_t    (queue_cmd_t),
    .thread_event_t (thread_event_t),
    .policy_t       (policy_t),
    .operation_t    (operation_t),
    .choice_t       (choice_t),
    .next_t         (next_t),
    .strobes_t      (strobes_t),
    .pending_t      (pending_t),
    .found_t        (found_t)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .requests_i      (requests),
    .take_o          (take),
    .answer_valid_o  (answer_valid),
    .answer_o        (answer),
    .sched_i         (sched_state),
    .slice_used_i    (slice_used),
    .sched_o         (sched_change),
    .slice_o         (slice),
    .slice_restart_o (slice_restart),
    .queue_valid_o   (queue_valid),
    .queue_ready_i   (queue_ready),
    .queue_o         (queue_cmd),
    .read_o          (read),
    .client_o        (read_client),
    .object_o        (read_object),
    .raddr_o         (raddr),
    .state_o         (state),
    .operation_o     (operation),
    .target_o        (target),
    .choice_o        (choice),
    .found_i         (found),
    .next_i          (next),
    .pending_i       (pending),
    .job_pending_i   (job_pending),
    .strobes_o       (strobes),
    .idle_o          (engine_idle),
    .stable_o        (stable),
    .event_o         (thread_event),
    .settle_o        (settle),
    .policy_i        (policy)
  );

  cl_ready_queue #(
    .Build      (Deadlines ? BuildSorted : Cfg.ReadyQueue),
    .Queues     (Queues),
    .Threads    (Cfg.Threads),
    .Priorities (Deadlines ? 2**KeyWidth : Cfg.Priorities),
    .Deadlines  (Deadlines),
    .Pipeline   (Cfg.Pipeline)
  ) u_ready_queue (
    .clk_i,
    .rst_ni,
    .valid_i         (queue_valid),
    .ready_o         (queue_ready),
    .op_i            (queue_cmd.op),
    .queue_i         (queue_cmd.which),
    .priority_i      (queue_cmd.key),
    .to_priority_i   (queue_cmd.to_key),
    .tid_i           (queue_cmd.tid),
    .best_valid_o    (best_valid),
    .best_priority_o (best_priority),
    .best_tid_o      (best_tid)
  );

  cl_kernel_irq #(.Cfg(Cfg)) u_irq (
    .clk_i,
    .rst_ni,
    .stable_i        (stable),
    .running_i       (running[Cpus-1:0]),
    .switching_i     (switching[Cpus-1:0]),
    .slice_used_i    (slice_used[Cpus-1:0]),
    .level_i         (level[Cpus-1:0]),
    .dynamic_i       (now_queue),
    .best_valid_i    (best_valid),
    .best_priority_i (best_priority),
    .open_i          (open[Cpus-1:0]),
    .keeps_i         (keeps),
    .misplaced_i     (misplaced),
    .bound_queued_i  (bound_queued[Cpus-1:0]),
    .irq_o           (asked)
  );

  cl_kernel_rest #(.Cpus (Cpus)) u_rest (
    .clk_i,
    .rst_ni,
    .vain_i  (vain[Cpus-1:0]),
    .rests_o (rests)
  );

`ifndef SYNTHESIS
  cl_kernel_checks #(.Cfg(Cfg), .sched_state_t(sched_state_t), .best_t(best_t)) u_checks (
    .clk_i,
    .rst_ni,
    .idle_i         (engine_idle),
    .stable_i       (stable),
    .sched_i        (sched_state),
    .queue_ready_i  (queue_ready),
    .best_i         (best),
    .dynamic_i      (now_queue),
    .open_i         (open),
    .keeps_i        (keeps),
    .bound_queued_i (bound_queued),
    .unpublished_i  (found.unpublished)
  );
`else
  logic unused_checks;
  assign unused_checks = ^{engine_idle, bound_queued};
`endif

  // Not for a slice that is being renewed
  assign irq_o = asked & slice_known[Cpus-1:0] & ~rests;

endmodule
