// SPDX-License-Identifier: Apache-2.0
// All records of the kernel, with what is read of them and which strobe writes them: threads, wait lists, bound threads,
// reservations, deadlines, time limits, protocols of mutexes, event flags, and the objects of the services.
//
//   read      read_i, client_i and object_i name the operation, and raddr_i the thread, whose records are there in the
//             next cycle. All of `found_o` is about these: the records, what the services decide of the operation now_i
//             by them, and what follows from both. It depends on no strobe.
//   written   by strobes_i, visible in the next cycle: a thread's state and place, and with commit what the outcome says.
//             Walks through lists are written by the state that does them (state_i: see cl_kernel_engine).
//   pending   which lines and timeouts ask for service, whatever is read
//
// It does not know which state is next: that is cl_kernel_engine's.
module cl_kernel_tables
  import cl_engine_pkg::*;
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg           = Default,
  localparam int unsigned Cpus          = Cfg.Cpus,
  localparam int unsigned Clients       = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned QueueWidth    = $clog2(queues(Cfg.Cpus, Cfg.Policy)),
  localparam int unsigned TidWidth      = $clog2(Cfg.Threads),
  localparam int unsigned PriorityWidth = $clog2(Cfg.Priorities),
  localparam int unsigned KeyWidth      = key_width(Cfg.Policy, Cfg.Priorities),
  // Defined by cl_kernel
  parameter  type         message_t     = logic,
  parameter  type         sched_state_t = logic,
  parameter  type         best_t        = logic,
  parameter  type         policy_t      = logic,
  parameter  type         operation_t   = logic,
  parameter  type         choice_t      = logic,
  parameter  type         next_t        = logic,
  parameter  type         strobes_t     = logic,
  parameter  type         pending_t     = logic,
  parameter  type         found_t       = logic
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       tick_i,
  input  logic                [31:0] now_i,
  input  logic       [Cfg.Lines-1:0] line_i,

  // The clients and the ready queue
  input  sched_state_t               sched_i,
  input  logic                       queue_ready_i,
  input  best_t                      best_i,
  input  policy_t                    policy_i,

  // Read for the next cycle
  input  read_t                      read_i,
  input  logic        [CpuWidth-1:0] client_i,
  input  logic                 [9:0] object_i,
  input  logic        [TidWidth-1:0] raddr_i,

  // The operation
  input  engine_state_e              state_i,
  input  operation_t                 operation_i,
  input  message_t                   words_i,         // its client's
  input  logic                [31:0] target_i,        // StLeave: the thread it looks for
  input  choice_t                    choice_i,
  output found_t                     found_o,
  output next_t                      next_o,          // the next thread of client_i
  output pending_t                   pending_o,
  output logic                       job_pending_o,   // a job of cl_kernel_inheritance comes after it

  input  strobes_t                   strobes_i,
  output logic         [Clients-1:0] words_we_o,      // the client's words become:
  output message_t                   words_o,

  // Which client may run which threads
  output logic         [Clients-1:0] open_o,
  output logic [Cpus-1:0] [Cpus-1:0] keeps_o,
  output logic            [Cpus-1:0] misplaced_o,
  output logic         [Clients-1:0] bound_queued_o
);

  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic [PriorityWidth-1:0] priority_t;
  typedef logic      [KeyWidth-1:0] key_t;
  typedef logic        [KeyWidth:0] level_t;
  typedef logic      [CpuWidth-1:0] cpu_t;    // a client

  // With reservations: what a client may run (cl_kernel_reserve)
  typedef struct packed {
    logic                  open;         // a CPU's dynamic threads,
    logic       [Cpus-1:0] keeps;        // and those placed on these CPUs
    logic [QueueWidth-1:0] turn;         // their queue that won the last tie
    logic                  misplaced;    // the current thread gives way to any
    level_t                bound_level;  // of the thread that is bound to it
  } serves_t;

  // Inputs of the services (cl_kernel_services): threads that have a client alone,
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

  // ---------------------------------------------------------------------------------------------
  // Strobes

  logic     [7:0] op;
  tid_t           caller;
  logic    [31:0] word0;
  logic           init, commit, settling_threads, leave, insert, retake, mutex_held;
  outcome_t       outcome;
  thread_change_t change;

  assign op               = operation_i.op;
  assign caller           = operation_i.caller;
  assign word0            = words_i[0];
  assign init             = state_i == StInit;
  assign settling_threads = Cfg.Inheritance && state_i == StSettle;
  assign leave            = state_i == StLeave;
  assign commit           = strobes_i.commit;
  assign outcome          = strobes_i.outcome;
  assign change           = strobes_i.change;
  assign retake           = Cfg.Monitors && state_i == StRetake;
  assign insert           = (commit && outcome.insert) || (retake && mutex_held);

  // ---------------------------------------------------------------------------------------------
  // Threads

  // The record read
  tid_t                  tid, joiner, link;
  thread_state_e         state;
  cpu_t                  cpu;
  priority_t             prio;
  logic                  is_static, is_bound, detached, joined, exists;
  // Derived from it
  wake_way_e             way;
  cpu_t                  way_cpu;
  logic                  is_queued, is_idle, is_hardware, is_later;
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
  // The links of wait lists
  logic                  link_we;
  tid_t                  link_tid, link_to;

  cl_kernel_threads #(.Clients(Clients), .Threads(Cfg.Threads), .Priorities(Cfg.Priorities)) u_threads (
    .clk_i,
    .rst_ni,
    .raddr_i,
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
    .read_id_i      (object_i),
    .exists_o       (exists),
    .room_o         (room),
    .new_o          (new_tid),
    .free_head_o    (free_head),
    .new_cpu_i      (new_thread.cpu),
    .new_priority_i (new_thread.prio),
    .new_static_i   (new_thread.is_static),
    .new_bound_i    (new_thread.bound),
    .new_detached_i (new_thread.detached),
    .init_i         (init),
    .change_i       (change),
    .caller_i       (caller),
    .set_priority_i (strobes_i.set_priority),
    .priority_i     (Cfg.Inheritance ? priority_t'(new_key) : operation_i.new_priority),
    .set_i          (strobes_i.set),
    .set_tid_i      (strobes_i.set_tid),
    .set_state_i    (strobes_i.set_state),
    .set_cpu_i      (strobes_i.set_cpu),
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
    .way_o           (way),
    .cpu_o           (way_cpu)
  );

  // Ready and not in a queue: its context is not saved yet.
  assign is_queued   = state == ThreadReady && !(sched_i.leaving[cpu] && sched_i.leaving_tid[cpu] == tid);
  assign is_idle     = is_bound && 32'(cpu) < Cpus;
  assign is_hardware = is_bound && 32'(cpu) >= Cpus;
  assign level       = is_idle ? '0 : {1'b1, key};
  assign is_later    = Cfg.Policy == PolicyDwrr && policy_i.later && !is_static && state == ThreadReady;

  always_comb begin
    if (is_static)     queue = QueueWidth'(home) + QueueWidth'(1);
    else if (is_later) queue = policy_i.later_queue;
    else               queue = policy_i.now_queue;
  end

  assign is_apart    = is_bound | is_owner;
  assign apart_at    = is_owner ? client : cpu;

  logic unused;  // the home of a hardware thread is no queue; the rest is for other keys
  assign unused = ^{home, outcome, word0, queue_ready_i, sched_i, policy_i, strobes_i};

  // ---------------------------------------------------------------------------------------------
  // The order of threads

  logic      granted;       // the thread read is woken with the mutex that was unlocked: it gets job_priority
  priority_t job_priority;

  if (Cfg.Policy == PolicyEdf) begin : g_deadlines
    key_t kept, renewed;
    logic becomes_ready;  // a thread that leaves a CPU keeps its deadline
    logic unused_priority;

    assign unused_priority = ^job_priority;
    assign becomes_ready = state_i == StWake && state != ThreadReady;
    assign key           = becomes_ready ? renewed : kept;

    cl_kernel_deadline #(.Threads(Cfg.Threads), .Priorities(Cfg.Priorities)) u_deadline (
      .clk_i,
      .rst_ni,
      .tick_i,
      .raddr_i,
      .tid_i          (tid),
      .priority_i     (prio),
      .relative_o     (relative),
      .key_o          (kept),
      .renewed_o      (renewed),
      .moved_o        (new_key),
      .note_i         (state_i == StDispatch),
      .argument_i     (DeadlineRelativeWidth'(word0)),
      .new_priority_i (operation_i.new_priority),
      .create_i       (init || change.create),
      .new_tid_i      (init ? '0 : new_tid),
      .renew_i        (becomes_ready && strobes_i.set),
      .set_i          (state_i == StRequeue && op == OpSetDeadline)
    );
  end else begin : g_priorities
    logic unused_tick;
    assign unused_tick = tick_i;
    assign key         = granted ? job_priority : prio;
    assign new_key     = Cfg.Inheritance ? job_priority : operation_i.new_priority;
    assign relative    = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Threads of one client only, and reservations

  logic [Clients-1:0]               bound, bound_queued;
  logic [Clients-1:0][TidWidth-1:0] bound_tid;
  logic                             successor_valid;
  cpu_t                             successor;
  serves_t                          serves;

  cl_kernel_bound #(.Clients(Clients), .TidWidth(TidWidth)) u_bound (
    .clk_i,
    .rst_ni,
    .bind_i     (change.idle | change.reserve | (change.create & new_thread.bound)),
    .bind_cpu_i (change.reserve ? strobes_i.reserve_cpu : change.idle ? operation_i.client : new_thread.cpu),
    .bind_tid_i ((change.idle | change.reserve) ? tid : new_tid),
    .free_i     (change.unbind | strobes_i.give_back),
    .free_cpu_i (strobes_i.give_back ? strobes_i.reserve_cpu : cpu),
    .push_i     (change.idle | strobes_i.bound_push),
    .push_cpu_i (change.idle ? operation_i.client : apart_at),
    .pop_i      (strobes_i.bound_pop),
    .pop_cpu_i  (strobes_i.bound_pop_cpu),
    .bound_o    (bound),
    .tid_o      (bound_tid),
    .queued_o   (bound_queued)
  );

  assign bound_queued_o = bound_queued;

  cl_kernel_reserve #(.Cfg(Cfg), .serves_t(serves_t)) u_reserve (
    .clk_i,
    .rst_ni,
    .raddr_i,
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
    .home_i            (change.idle ? operation_i.client : new_thread.cpu),
    .running_i         (sched_i.running[Cpus-1:0]),
    .current_tid_i     (sched_i.tid[Cpus-1:0]),
    .level_i           (sched_i.level[Cpus-1:0]),
    .open_o,
    .misplaced_o,
    .keeps_o,
    .next_cpu_i        (client_i),
    .serves_o          (serves),
    .tie_i             (strobes_i.tie),
    .tie_cpu_i         (operation_i.client),
    .tie_queue_i       ($clog2(Cpus + 1)'(strobes_i.tie_queue)),
    .ask_i             (read_i.id),
    .successor_valid_o (successor_valid),
    .successor_o       (successor),
    .reserve_i         (change.reserve),
    .release_i         (strobes_i.give_back),
    .change_cpu_i      (strobes_i.reserve_cpu),
    .set_priority_i    (strobes_i.set_priority),
    .new_priority_i    (new_key),
    .queue_take_i      (strobes_i.queue_take),
    .queue_op_i        (strobes_i.queue_op),
    .queue_i           ($clog2(Cpus + 1)'(strobes_i.queue_which))
  );

  // With Pipeline each client has its own choice, so that only the result waits for which client it is.
  localparam int unsigned Choices = (Cfg.Pipeline && !Cfg.Reserve) ? Clients : 1;

  next_t [Choices-1:0] next_of;

  for (genvar c = 0; c < Choices; c++) begin : g_next
    cpu_t next_cpu;

    assign next_cpu = (Choices == 1) ? client_i : cpu_t'(c);

    cl_kernel_next #(.Cfg(Cfg), .serves_t(serves_t), .next_t(next_t)) u_next (
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
      .next_o          (next_of[c])
    );
  end

  assign next_o = (Choices == 1) ? next_of[0] : next_of[client_i];

  // ---------------------------------------------------------------------------------------------
  // Wait lists

  logic       several, waiter_valid, walk_pending, walk_done, found, missing, last;
  tid_t       waiter;
  logic       setting, satisfied;         // flags_set wakes those whom the flags satisfy; one: the thread read
  logic [9:0] object_id;                  // the operation's object; a new one if it creates it
  // A job of cl_kernel_inheritance
  logic       job_first, job_done, job_again, job_set, job_taken, job_leave, job_insert, job_insertion;
  tid_t       job_raddr, job_who;
  logic [9:0] job_read, job_mutex;

  assign setting = Cfg.EventFlags && op == OpFlagsSet && !settling_threads;

  cl_kernel_wait_lists #(
    .TidWidth    (TidWidth),
    .LevelWidth  (KeyWidth + 1),
    .Deadlines   (Cfg.Policy == PolicyEdf),
    .Pipeline    (Cfg.Pipeline),
    .ObjectWidth (object_width(Cfg.Ports, Cfg.Mutexes, Cfg.Semaphores, Cfg.Conditions))
  ) u_wait_lists (
    .clk_i,
    .rst_ni,
    .read_kind_i    (read_i.op[5:4]),
    .read_id_i      (read_i.id),
    .waiter_valid_o (waiter_valid),
    .several_o      (several),
    .waiter_o       (waiter),
    .kind_i          ((settling_threads || operation_i.retaking) ? 2'd2 : op[5:4]),
    .id_i           (settling_threads ? job_mutex : object_id),
    .clear_i        (commit && outcome.clear),
    .insert_i       (insert | job_insert),
    .caller_i       (settling_threads ? job_who : caller),
    .caller_level_i (settling_threads ? {1'b1, new_key} : retake ? level : sched_i.level[operation_i.client]),
    .pop_i          (strobes_i.pop),
    .walk_i         (state_i == StWalk | job_insertion),
    .pending_o      (walk_pending),
    .done_o         (walk_done),
    .leave_i        (leave | job_leave),
    .target_i       (settling_threads ? 32'(job_who) : setting ? {!satisfied, 31'(tid)} : target_i),
    .keep_i         (setting && (found || state_i == StWake)),
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

  // ---------------------------------------------------------------------------------------------
  // Time limits

  pending_t pending;
  logic     timeout_set;
  logic     timeout_waits, unused_timeout_waits;  // for the simulator, to which such a wait is no deadlock

  assign unused_timeout_waits = timeout_waits;
  assign pending_o            = pending;

  if (Cfg.Timeouts) begin : g_timeouts
    cl_kernel_timeouts #(.Threads(Cfg.Threads)) u_timeouts (
      .clk_i,
      .rst_ni,
      .now_i,
      .caller_i   (caller),
      .start_i    (commit && op == OpTimeoutStart && sched_i.running[operation_i.client]),
      .deadline_i (word0),
      .stop_i     (commit && op inside {OpTimeoutStop, OpThreadExit} && sched_i.running[operation_i.client]),
      .wait_i     (commit && outcome.course == CourseBlock),
      .object_i   (op[7:4] inside {KindPort, KindCondition, KindMutex, KindSemaphore, KindBarrier, KindFlags}),
      .kind_i     (op[5:4]),
      .id_i       (operation_i.id),
      .set_o      (timeout_set),
      .waits_o    (timeout_waits),
      .pending_o  (pending.timeout),
      .op_o       (pending.timeout_op),
      .id_o       (pending.timeout_id),
      .take_i     (strobes_i.timeout_take),
      .free_i     (strobes_i.clients_turn),
      .taken_o    (pending.timeout_tid),
      .ended_i    (operation_i.by_timeout && ((leave && found) || (commit && outcome.wake != WakeNone)))
    );
  end else begin : g_no_timeouts
    logic unused_now;
    assign unused_now          = ^{now_i, operation_i};
    assign timeout_set         = 1'b0;
    assign timeout_waits       = 1'b0;
    assign pending.timeout     = 1'b0;
    assign pending.timeout_op  = '0;
    assign pending.timeout_id  = '0;
    assign pending.timeout_tid = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Objects, and what the operation does with them

  outcome_t       decided;
  thread_change_t change_decided;
  logic           message_valid;
  message_t       message;
  logic    [31:0] flags, flags_left;
  logic           flags_valid;       // flags_get or flags_found leaves its answer in WORD0
  logic           mutex_locked;
  tid_t           mutex_owner;
  mutex_rule_t    mutex_rule;
  priority_t      own;               // of the thread read, without what it inherits
  tid_t           receiver, line_thread;
  logic [Clients-1:0] unpublished;
  logic           publish_wakes, publish_more;
  logic     [7:0] as_op;
  logic     [9:0] as_id;
  bound_t         owners;
  thread_t        thread;

  assign owners = '{valid: bound, queued: bound_queued, open: open_o, successor_valid: successor_valid,
                    successor: successor};
  assign thread = '{exists: exists, tid: tid, state: state, cpu: cpu, prio: prio, own: own, relative: relative,
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
    .read_i,
    .now_i           (operation_i),
    .words_i,
    .timeout_set_i   (timeout_set),
    .next_i          (choice_i),
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
    .retake_i        (retake),
    .held_o          (mutex_held),
    .flags_o         (flags),
    .flags_we_i      (setting && leave && last),
    .flags_i         (flags_left),
    .outcome_o       (decided),
    .change_o        (change_decided),
    .object_id_o     (object_id),
    .commit_i        (commit),
    .receiver_o      (receiver),
    .message_valid_o (message_valid),
    .message_o       (message),
    .unpublished_o   (unpublished),
    .walk_i          (strobes_i.publish_walk),
    .publish_i       (state_i == StPublish),
    .publish_wakes_o (publish_wakes),
    .publish_more_o  (publish_more),
    .lines_i         (line_i),
    .as_op_o         (as_op),
    .as_id_o         (as_id),
    .line_thread_o   (line_thread),
    .line_pending_o  (pending.line),
    .line_request_o  (pending.line_request),
    .line_o          (pending.line_index),
    .line_take_i     (strobes_i.line_take),
    .line_free_i     (strobes_i.clients_turn)
  );

  for (genvar c = 0; c < Clients; c++) begin : g_words
    assign words_we_o[c] = (message_valid || flags_valid) && operation_i.client == cpu_t'(c);
  end

  // Event flags
  if (Cfg.EventFlags) begin : g_event_flags
    logic        waits;  // or would
    logic [31:0] record;

    assign waits       = op[7:4] == KindFlags && op[3];
    assign flags_valid = commit && op inside {OpFlagsGet, OpFlagsFound} && outcome.status == StatusOk;
    assign words_o     = (op == OpFlagsFound) ? ((Cfg.PortWords + 1) * 32)'(record) :
                         (op == OpFlagsGet)   ? ((Cfg.PortWords + 1) * 32)'(flags) : message;

    cl_kernel_event_flags #(.Threads(Cfg.Threads)) u_event_flags (
      .clk_i,
      .rst_ni,
      .raddr_i,
      .tid_i       (tid),
      .record_o    (record),
      .create_i    (init || change.create),
      .new_tid_i   (init ? '0 : new_tid),
      .caller_i    (caller),
      .flags_i     (insert ? word0 : flags),
      .how_i       (insert ? op[1:0] : '0),
      .set_i       (commit && setting),
      .note_i      (commit && waits && outcome.status == StatusOk),
      .look_i      (setting && leave),
      .satisfied_o (satisfied),
      .word_o      (flags_left)
    );
  end else begin : g_no_event_flags
    logic unused_flags;
    assign unused_flags = ^{flags, last};
    assign satisfied    = 1'b0;
    assign flags_left   = '0;
    assign flags_valid  = 1'b0;
    assign words_o      = message;
  end

  // Monitors: of a thread that waits for a condition variable the mutex that it is to have again
  logic       relocks;
  logic [9:0] relock;

  if (Cfg.Monitors) begin : g_monitors
    localparam int unsigned MutexWidth = (Cfg.Mutexes > 1) ? $clog2(Cfg.Mutexes) : 1;
    logic [MutexWidth-1:0] mutex;

    assign relock = 10'(mutex);

    cl_ram_1r1w #(.Width(1 + MutexWidth), .AddrWidth(TidWidth)) u_relock (
      .clk_i,
      .we_i    (commit && (outcome.course == CourseMonitor || (outcome.insert && op[5:4] == 2'd1 && !operation_i.unlocked))),
      .waddr_i (caller),
      .wdata_i ({op == OpMutexWait, MutexWidth'(operation_i.id)}),
      .raddr_i,
      .rdata_o ({relocks, mutex})
    );
  end else begin : g_no_monitors
    assign relocks = 1'b0;
    assign relock  = '0;
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
    assign newcomer  = init ? '{valid: 1'b1, tid: '0, prio: PriorityWidth'(Cfg.Priorities / 2)}
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
      .raddr_i,
      .thread_i          (heir),
      .own_o             (own),
      .read_id_i         (read_i.id),
      .mutex_i           (held),
      .rule_o            (mutex_rule),
      .new_i             (newcomer),
      .op_i              (op),
      .id_i              (object_id),
      .word0_i           (word0),
      .caller_i          (caller),
      .caller_idle_i     (sched_i.level[operation_i.client] == '0),
      .caller_priority_i (PriorityWidth'(sched_i.level[operation_i.client])),
      .status_i          (decided.status),
      .course_i          (decided.course),
      .commit_i          (commit),
      .first_o           (job_first),
      .start_i           (strobes_i.job_start),
      .pending_o         (job_pending_o),
      .granted_o         (granted),
      .grant_i           (granted && strobes_i.pop),
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
    assign unused_mutex  = ^{mutex_locked, mutex_owner};
    assign job_read      = '0;
    assign job_mutex     = '0;
    assign job_first     = 1'b0;
    assign job_pending_o = 1'b0;
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

  assign found_o = '{
    tid: tid, state: state, cpu: cpu, is_static: is_static, is_queued: is_queued, level: level, key: key,
    new_key: new_key, home: queue, way: way, way_cpu: way_cpu, client: client, is_owner: is_owner,
    is_apart: is_apart, apart_at: apart_at, joiner: joiner, link: link,
    several: several, waiter_valid: waiter_valid, waiter: waiter, walk_pending: walk_pending,
    walk_done: walk_done, there: found, missing: missing, last: last, setting: setting,
    decided: decided, change: change_decided, receiver: receiver, unpublished: unpublished,
    publish_wakes: publish_wakes, publish_more: publish_more, as_op: as_op, as_id: as_id,
    line_thread: line_thread, bound_tid: bound_tid[cpu_t'(operation_i.id)], successor: successor,
    free_head: free_head, new_tid: new_tid, new_cpu: new_thread.cpu, new_static: new_thread.is_static,
    granted: granted, job_first: job_first, job_done: job_done, job_again: job_again, job_set: job_set,
    job_taken: job_taken, job_raddr: job_raddr, job_read: job_read,
    relocks: relocks, mutex: relock, held: mutex_held
  };

endmodule
