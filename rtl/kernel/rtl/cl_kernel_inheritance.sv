// SPDX-License-Identifier: Apache-2.0
// Protocols of mutexes: keeps that the priority of a thread is the highest of its own, the ceilings of the mutexes that
// it holds, and the priorities of the threads that wait for a mutex with inheritance that it holds
// (docs/decisions/0042-inheritance.md).
//
// It has each thread's own priority, the mutex that it waits for, and the list of the mutexes with a protocol that it
// holds, newest first; of each mutex its protocol, ceiling, and the next one in that list. An operation's changes to
// these happen with commit_i, in one cycle. Anything longer is a job, done while the engine lets it (run_i), with the
// engine's tables: raddr_o names the thread to read, read_o the mutex (record and wait list), both for the next cycle.
//
//   before the operation (first_o, start_i; then it is decided again):
//     raise   a thread is about to wait: the owner gets its priority
//     front   the mutex to be unlocked comes to the front of its owner's list
//     disown  the thread ends: what it holds stays locked, and is nobody's
//   after it (pending_o):
//     settle  thread who_q gets the priority that it must have
//
// raise and settle go on along the chain: a thread whose priority has changed (set_o until taken_i), and that waits for a
// mutex, gets its new place among the waiters (leave_o, insert_o, insertion_o: see cl_kernel_wait_lists), and the
// mutex's owner is next. done_o: the job ends in this cycle.
module cl_kernel_inheritance
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg           = Default,
  localparam int unsigned TidWidth      = $clog2(Cfg.Threads),
  localparam int unsigned PriorityWidth = $clog2(Cfg.Priorities),
  localparam int unsigned MutexWidth    = (Cfg.Mutexes > 1) ? $clog2(Cfg.Mutexes) : 1,
  // Defined by cl_kernel_tables
  parameter  type         heir_t        = logic,
  parameter  type         held_mutex_t  = logic,
  parameter  type         mutex_rule_t  = logic,
  parameter  type         newcomer_t    = logic
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // The thread read (cl_kernel_threads)
  input  logic      [TidWidth-1:0] raddr_i,
  input  heir_t                    thread_i,
  output logic [PriorityWidth-1:0] own_o,

  // The mutex read, and its wait list
  input  logic               [9:0] read_id_i,
  input  held_mutex_t              mutex_i,
  output mutex_rule_t              rule_o,

  // New threads
  input  newcomer_t                new_i,

  // The operation of the thread caller_i, whose record is read if the operation is its own or on a mutex
  input  logic               [7:0] op_i,
  input  logic               [9:0] id_i,             // the mutex, also a new one
  input  logic              [31:0] word0_i,
  input  logic      [TidWidth-1:0] caller_i,
  input  logic                     caller_idle_i,
  input  logic [PriorityWidth-1:0] caller_priority_i,
  input  status_e                  status_i,         // its outcome
  input  course_e                  course_i,
  input  logic                     commit_i,
  output logic                     first_o,
  input  logic                     start_i,
  output logic                     pending_o,

  // The thread read gets the mutex that was unlocked; until then, with granted_o, its priority is priority_o
  output logic                     granted_o,
  input  logic                     grant_i,

  // Jobs
  input  logic                     run_i,
  output logic      [TidWidth-1:0] raddr_o,
  output logic    [MutexWidth-1:0] read_o,
  output logic      [TidWidth-1:0] who_o,
  output logic    [MutexWidth-1:0] mutex_o,          // whose wait list changes
  output logic                     set_o,            // the thread read gets priority_o
  output logic [PriorityWidth-1:0] priority_o,
  input  logic                     taken_i,
  output logic                     leave_o,
  input  logic                     found_i,
  output logic                     insert_o,
  output logic                     insertion_o,
  input  logic                     inserted_i,
  output logic                     done_o,
  output logic                     again_o           // then the operation is decided again
);

  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic [PriorityWidth-1:0] priority_t;
  typedef logic    [MutexWidth-1:0] mutex_t;

  typedef struct packed {
    logic   valid;
    mutex_t mutex;
  } place_t;

  typedef enum logic [1:0] {
    ProtocolNone    = 2'd0,
    ProtocolInherit = 2'd1,
    ProtocolProtect = 2'd2,
    ProtocolGone    = 2'd3   // its owner has ended
  } protocol_e;

  typedef struct packed {
    protocol_e protocol;
    priority_t ceiling;
  } rule_t;

  typedef enum logic [1:0] {JobSettle, JobRaise, JobFront, JobDisown} job_e;

  // Each takes a cycle unless noted:
  //   StRead    the thread is read, and the mutex
  //   StWeigh   the thread's own priority, and the first mutex that it holds
  //   StBest    a mutex that it holds, and its first waiter
  //   StWaiter  that one's priority
  //   StSet     the thread's new priority, when the engine takes it
  //   StFind    the wait list that it is in
  //   StLeave   it leaves it, a cycle a waiter
  //   StAgain   the list is read again
  //   StInsert  it enters it, and
  //   StPlace   is inserted, a cycle a waiter
  //   StFront   looks for the mutex before that one, one a cycle; StLink makes it the first
  //   StDisown  a mutex a cycle
  typedef enum logic [3:0] {
    StRead, StWeigh, StBest, StWaiter, StSet, StFind, StLeave, StAgain, StInsert, StPlace, StFront, StLink, StDisown
  } state_e;

  state_e    state_q, state_d;
  job_e      job_q;
  tid_t      who_q, who_d;
  mutex_t    mutex_q, mutex_d;
  priority_t best_q, best_d;
  place_t    rest_q;            // front: what comes behind the mutex
  logic      asked_q, asked_d;  // by set_sched_param, which moves a ready thread even to where it is
  logic      raised_q;          // the owner has the caller's priority
  logic      granted_q;
  logic      pending_q, pending_d;

  // ---------------------------------------------------------------------------------------------
  // Tables

  priority_t own, own_wdata;
  place_t    held, held_wdata, next, next_wdata, waits;
  rule_t     rule, rule_wdata;
  tid_t      own_waddr, held_waddr;
  mutex_t    id, next_waddr, rule_waddr;
  logic      own_we, held_we, next_we, rule_we, waits_we;

  cl_ram_1r1w #(.Width(PriorityWidth), .AddrWidth(TidWidth)) u_own (
    .clk_i, .we_i(own_we), .waddr_i(own_waddr), .wdata_i(own_wdata), .raddr_i, .rdata_o(own)
  );
  cl_ram_1r1w #(.Width($bits(place_t)), .AddrWidth(TidWidth)) u_held (
    .clk_i, .we_i(held_we), .waddr_i(held_waddr), .wdata_i(held_wdata), .raddr_i, .rdata_o(held)
  );
  cl_ram_1r1w #(.Width($bits(place_t)), .AddrWidth(TidWidth)) u_waits (
    .clk_i, .we_i(waits_we), .waddr_i(caller_i), .wdata_i({op_i == OpMutexLock, id}), .raddr_i, .rdata_o(waits)
  );
  cl_ram_1r1w #(.Width($bits(place_t)), .AddrWidth(MutexWidth)) u_next (
    .clk_i, .we_i(next_we), .waddr_i(next_waddr), .wdata_i(next_wdata), .raddr_i(mutex_t'(read_id_i)), .rdata_o(next)
  );
  cl_ram_1r1w #(.Width($bits(rule_t)), .AddrWidth(MutexWidth)) u_rule (
    .clk_i, .we_i(rule_we), .waddr_i(rule_waddr), .wdata_i(rule_wdata), .raddr_i(mutex_t'(read_id_i)), .rdata_o(rule)
  );

  logic unused;  // ids and WORD0 have more bits
  assign unused = ^{read_id_i, id_i, word0_i};

  assign id        = mutex_t'(id_i);
  assign own_o     = own;
  assign rule_o    = '{gone:    rule.protocol == ProtocolGone,
                       above:   rule.protocol == ProtocolProtect && own > rule.ceiling,
                       ceiling: rule.ceiling};

  // ---------------------------------------------------------------------------------------------
  // The operation

  logic listed, raise, front, disown, took, gave, left, asked, ruled;

  assign listed = rule.protocol != ProtocolNone;
  assign raise  = op_i == OpMutexLock && course_i == CourseBlock && rule.protocol == ProtocolInherit && !caller_idle_i &&
                  !raised_q;
  assign front  = op_i == OpMutexUnlock && status_i == StatusOk && listed && held.mutex != id;
  assign disown = op_i == OpThreadExit && course_i == CourseExit && held.valid;

  assign took   = commit_i && op_i inside {OpMutexLock, OpMutexTrylock} && status_i == StatusOk &&
                  course_i == CourseDone && listed;
  assign gave   = commit_i && op_i == OpMutexUnlock && status_i == StatusOk && listed;
  assign left   = commit_i && op_i == OpMutexLeave && course_i == CourseLeave && rule.protocol == ProtocolInherit;
  assign asked  = commit_i && op_i == OpSetSchedParam && course_i == CourseRequeue;
  assign ruled  = commit_i && op_i == OpMutexProtocol && status_i == StatusOk;

  assign first_o   = raise | front | disown;
  assign pending_d = pending_q | left | asked | (took && rule.protocol == ProtocolProtect && rule.ceiling > thread_i.prio) |
                     (gave && own != thread_i.prio) | (ruled && mutex_i.locked);
  assign pending_o = pending_d;
  assign granted_o = granted_q;

  always_comb begin
    own_we     = new_i.valid | asked;
    own_waddr  = new_i.valid ? new_i.tid : thread_i.tid;
    own_wdata  = new_i.valid ? new_i.prio : priority_t'(word0_i);

    waits_we   = commit_i && course_i == CourseBlock;

    held_we    = new_i.valid | took | gave | grant_i;
    held_waddr = grant_i ? thread_i.tid : new_i.valid ? new_i.tid : caller_i;
    held_wdata = '{valid: 1'b1, mutex: id};
    if (gave)     held_wdata = next;
    if (new_i.valid) held_wdata = '0;

    next_we    = took | grant_i;
    next_waddr = id;
    next_wdata = held;

    rule_we    = ruled | (commit_i && op_i == OpMutexCreate && status_i == StatusOk);
    rule_waddr = id;
    rule_wdata = '{
      protocol: mutex_i.locked ? rule.protocol : protocol_e'(word0_i[MutexAttributesProtocolLsb +: MutexAttributesProtocolWidth]),
      ceiling:  priority_t'(word0_i[MutexAttributesCeilingLsb +: MutexAttributesCeilingWidth])
    };
    if (op_i == OpMutexCreate) rule_wdata = '{protocol: ProtocolNone, ceiling: '0};

    if (run_i && state_q == StFront) begin
      next_we    = next.mutex == id;
      next_waddr = mutex_q;
      next_wdata = rest_q;
    end
    if (run_i && state_q == StLink) begin
      next_we    = 1'b1;
      held_we    = 1'b1;
    end
    if (run_i && state_q == StDisown) begin
      held_we    = 1'b1;
      held_wdata = next;
      rule_we    = 1'b1;
      rule_waddr = mutex_q;
      rule_wdata = '{protocol: ProtocolGone, ceiling: '0};
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Jobs

  logic      change, stays, go_on;
  priority_t demand;

  assign demand = rule.protocol == ProtocolProtect ? rule.ceiling :
                  (mutex_i.waiter_valid && !thread_i.idle)      ? thread_i.prio   : '0;
  assign change = best_q != thread_i.prio && (job_q != JobRaise || best_q > thread_i.prio);
  // Nothing changes its place: it is the only waiter, or the first and rises.
  assign stays  = mutex_i.waiter == who_q && (!mutex_i.several || job_q == JobRaise);

  assign read_o      = mutex_d;
  assign who_o       = who_q;
  assign mutex_o     = mutex_q;
  assign priority_o  = (granted_q && (thread_i.idle || thread_i.prio > best_q)) ? thread_i.prio : best_q;
  assign set_o       = state_q == StSet && !thread_i.idle && (change || (asked_q && !held.valid));
  assign leave_o     = state_q == StLeave;
  assign insert_o    = state_q == StInsert;
  assign insertion_o = state_q == StPlace;
  assign again_o     = job_q != JobSettle;

  always_comb begin
    state_d = state_q;
    who_d   = who_q;
    mutex_d = mutex_q;
    best_d  = best_q;
    asked_d = asked_q;
    raddr_o = who_q;
    done_o  = 1'b0;
    go_on   = 1'b0;

    unique case (state_q)
      StRead: begin
        unique case (job_q)
          JobRaise: state_d = StSet;
          JobFront: state_d = StFront;
          JobDisown: state_d = StDisown;
          default:  state_d = StWeigh;
        endcase
      end

      StWeigh: begin
        best_d  = own;
        mutex_d = held.mutex;
        state_d = held.valid ? StBest : StSet;
      end

      StBest: begin
        raddr_o = mutex_i.waiter;
        state_d = StWaiter;
      end

      StWaiter: begin
        if (demand > best_q) best_d = demand;
        mutex_d = next.mutex;
        state_d = next.valid ? StBest : StSet;
      end

      StSet: begin
        if (!set_o) begin
          done_o = 1'b1;
        end else if (taken_i) begin
          asked_d = 1'b0;
          mutex_d = waits.mutex;
          state_d = StFind;
          done_o  = !(thread_i.blocked && waits.valid);
        end
      end

      StFind: begin
        raddr_o = mutex_i.waiter;
        state_d = StLeave;
        go_on   = stays;
      end

      StLeave: begin
        raddr_o = thread_i.link;
        if (found_i) state_d = StAgain;
      end

      StAgain: state_d = StInsert;

      // There is another waiter: else it would have stayed.
      StInsert: begin
        raddr_o = mutex_i.waiter;
        state_d = StPlace;
      end

      StPlace: begin
        raddr_o = thread_i.link;
        go_on   = inserted_i;
      end

      StFront: begin
        mutex_d = next.mutex;
        if (next.mutex == id) state_d = StLink;
      end

      StLink: done_o = 1'b1;

      StDisown: begin
        mutex_d = next.mutex;
        done_o  = !next.valid;
      end

      default: state_d = StRead;
    endcase

    // On to the owner
    if (go_on) begin
      who_d   = mutex_i.owner;
      state_d = StRead;
      done_o  = rule.protocol != ProtocolInherit;
    end
    if (done_o)  state_d = StRead;
    if (!run_i) state_d = StRead;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StRead;
      job_q     <= JobSettle;
      who_q     <= '0;
      mutex_q   <= '0;
      best_q    <= '0;
      rest_q    <= '0;
      asked_q   <= 1'b0;
      raised_q  <= 1'b0;
      granted_q <= 1'b0;
      pending_q <= 1'b0;
    end else begin
      state_q   <= state_d;
      if (run_i) begin
        who_q   <= who_d;
        mutex_q <= mutex_d;
        best_q  <= best_d;
        asked_q <= asked_d;
      end else if (start_i) begin
        job_q   <= raise ? JobRaise : front ? JobFront : JobDisown;
        who_q   <= raise ? mutex_i.owner : caller_i;
        mutex_q <= held.mutex;
        best_q  <= caller_priority_i;
        asked_q <= 1'b0;
      end else if (commit_i) begin
        job_q   <= JobSettle;
        who_q   <= left ? mutex_i.owner : asked ? thread_i.tid : caller_i;
        asked_q <= asked;
        best_q  <= rule.protocol == ProtocolProtect ? rule.ceiling : '0;  // for the thread that is granted the mutex
      end
      if (start_i) rest_q <= next;
      raised_q  <= (raised_q | (start_i & raise)) & ~commit_i;
      granted_q <= (granted_q | (gave & mutex_i.waiter_valid)) & ~grant_i;
      pending_q <= pending_d & ~run_i;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertHeldFirst:   assert (!gave || (held.valid && held.mutex == id));
      AssertFrontFound:  assert (!(run_i && state_q == StFront) || next.valid);
      AssertOneJob:      assert (!(start_i && pending_q));
      AssertPlaceListed: assert (!(run_i && state_q == StInsert) || mutex_i.waiter_valid);
    end
  end
`endif

endmodule
