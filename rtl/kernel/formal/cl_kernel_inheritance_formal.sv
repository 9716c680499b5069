// SPDX-License-Identifier: Apache-2.0
// Properties of cl_kernel_inheritance, by induction over operations: a run begins in any state in which the engine is idle and
// the invariant `holds` is true, and ends when the engine is idle again, after one operation. Proven of every run:
//   it is over after Cycles cycles at most, and the invariant holds again.
// The invariant:
//   the priority of a thread is the highest of its own, the ceilings of the mutexes that it holds, and the priorities of
//   threads that wait for one with inheritance that it holds; so one that holds none has its own;
//   a thread that waits for a mutex is in its list, which is sorted by priority;
//   a mutex with a protocol is once in the list of its owner, and in no other.
// The engine, its thread table and wait lists are the behaviour that the unit is promised, each answer at once. Idle
// threads have no priority to pass on, and keep the one that they have.
module cl_kernel_inheritance_formal
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg           = Default,
  parameter  int unsigned Cycles        = 40,
  localparam int unsigned Threads       = Cfg.Threads,
  localparam int unsigned Mutexes       = Cfg.Mutexes,
  localparam int unsigned TidWidth      = $clog2(Threads),
  localparam int unsigned PriorityWidth = $clog2(Cfg.Priorities),
  localparam int unsigned MutexWidth    = (Mutexes > 1) ? $clog2(Mutexes) : 1
) (
  input logic                clk_i,
  // The operation: any, and the same during the run
  input logic          [2:0] act_i,
  input logic [TidWidth-1:0] caller_i,
  input logic [TidWidth-1:0] target_i,
  input logic [MutexWidth-1:0] id_i,
  input logic         [31:0] word0_i,
  input logic                create_i,  // ActOther: a new thread; else a wait for something else
  input logic  [Threads-1:0] idle_i     // idle threads
);

  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic [PriorityWidth-1:0] priority_t;
  typedef logic    [MutexWidth-1:0] mutex_t;

  typedef enum logic [2:0] {
    ActLock, ActTrylock, ActUnlock, ActLeave, ActSetSchedParam, ActProtocol, ActExit, ActOther
  } act_e;
  typedef enum logic [2:0] {StRead, StDispatch, StWake, StJob, StEnd} state_e;

  // The existing objects
  logic      [Threads-1:0]              exists_q, blocked_q;
  priority_t [Threads-1:0]              prio_q;
  logic      [Mutexes-1:0]              locked_q;
  tid_t      [Mutexes-1:0]              owner_q;
  tid_t      [Mutexes-1:0][Threads-1:0] list_q;   // the waiters, the first at 0
  logic      [Mutexes-1:0]        [2:0] count_q;

  act_e                                         act;
  logic [$bits({act_i, caller_i, target_i, id_i, word0_i, create_i, idle_i})-1:0] chosen, chosen_q;

  assign act    = act_e'(act_i);
  assign chosen = {act_i, caller_i, target_i, id_i, word0_i, create_i, idle_i};

  state_e      state_q;
  logic  [7:0] cycle_q;                           // 0 at its begin

  // The unit's state
  priority_t [Threads-1:0]                own;
  logic      [Threads-1:0]                held_valid, waits_valid;
  mutex_t    [Threads-1:0]                held_mutex, waits_mutex;
  logic      [Mutexes-1:0]                next_valid;
  mutex_t    [Mutexes-1:0]                next_mutex;
  logic      [Mutexes-1:0]          [1:0] protocol;
  priority_t [Mutexes-1:0]                ceiling;

  for (genvar t = 0; t < Threads; t++) begin : g_thread
    assign own[t] = u_dut.u_own.g_any.mem[t];
    assign {held_valid[t], held_mutex[t]}   = u_dut.u_held.g_any.mem[t];
    assign {waits_valid[t], waits_mutex[t]} = u_dut.u_waits.g_any.mem[t];
  end
  for (genvar m = 0; m < Mutexes; m++) begin : g_mutex
    assign {next_valid[m], next_mutex[m]} = u_dut.u_next.g_any.mem[m];
    assign {protocol[m], ceiling[m]}      = u_dut.u_rule.g_any.mem[m];
  end

  // ---------------------------------------------------------------------------------------------
  // The invariant

  logic holds, lists, priorities, order, alone;
  logic      [Mutexes-1:0]              owned;   // has a protocol and an owner
  logic      [Threads-1:0][Mutexes-1:0] holding; // by the thread's list
  priority_t [Threads-1:0]              best;

  function automatic priority_t passed(input tid_t t);
    return idle_i[t] ? '0 : prio_q[t];
  endfunction

  always_comb begin
    logic   active;
    mutex_t m;
    lists   = 1'b1;
    holding = '0;
    for (int unsigned n = 0; n < Mutexes; n++) begin
      owned[n] = locked_q[n] && protocol[n] != 2'd0 && protocol[n] != 2'd3;
      if (protocol[n] == 2'd3 && !locked_q[n])                           lists = 1'b0;
      if (owned[n] && (32'(owner_q[n]) >= Threads || !exists_q[owner_q[n]])) lists = 1'b0;
    end
    for (int unsigned t = 0; t < Threads; t++) begin
      active = held_valid[t] && exists_q[t];
      m      = held_mutex[t];
      for (int unsigned n = 0; n < Mutexes; n++) begin
        if (active) begin
          if (32'(m) >= Mutexes || holding[t][m] || !owned[m] || owner_q[m] != tid_t'(t)) lists = 1'b0;
          holding[t][m] = 1'b1;
          active        = next_valid[m];
          m             = next_mutex[m];
        end
      end
      if (active) lists = 1'b0;
      for (int unsigned n = 0; n < Mutexes; n++) begin
        if (owned[n] && owner_q[n] == tid_t'(t) && !holding[t][n]) lists = 1'b0;
      end
    end
  end

  always_comb begin
    order = 1'b1;
    best  = own;
    for (int unsigned m = 0; m < Mutexes; m++) begin
      if (32'(count_q[m]) > Threads || (count_q[m] != '0 && !locked_q[m])) order = 1'b0;
      for (int unsigned n = 0; n < Threads; n++) begin
        if (n < 32'(count_q[m])) begin
          if (32'(list_q[m][n]) >= Threads || !exists_q[list_q[m][n]] || !blocked_q[list_q[m][n]] ||
              !waits_valid[list_q[m][n]] || waits_mutex[list_q[m][n]] != mutex_t'(m))     order = 1'b0;
          if (owned[m] && list_q[m][n] == owner_q[m])                                     order = 1'b0;
          if (n > 0 && passed(list_q[m][n]) > passed(list_q[m][n-1]))                     order = 1'b0;
          for (int unsigned k = 0; k < n; k++) begin
            if (list_q[m][k] == list_q[m][n])                                             order = 1'b0;
          end
          if (owned[m] && protocol[m] == 2'd1 && passed(list_q[m][n]) > best[owner_q[m]]) best[owner_q[m]] = passed(list_q[m][n]);
        end
      end
      if (owned[m] && protocol[m] == 2'd2 && ceiling[m] > best[owner_q[m]]) best[owner_q[m]] = ceiling[m];
    end
    for (int unsigned t = 0; t < Threads; t++) begin
      if (exists_q[t] && blocked_q[t] && waits_valid[t]) begin
        if (32'(waits_mutex[t]) >= Mutexes) order = 1'b0;
        else begin
          logic found;
          found = 1'b0;
          for (int unsigned n = 0; n < Threads; n++) begin
            if (n < 32'(count_q[waits_mutex[t]]) && list_q[waits_mutex[t]][n] == tid_t'(t)) found = 1'b1;
          end
          if (!found) order = 1'b0;
        end
      end
    end
  end

  always_comb begin
    priorities = 1'b1;
    alone      = 1'b1;
    for (int unsigned t = 0; t < Threads; t++) begin
      if (exists_q[t] && !idle_i[t] && prio_q[t] != best[t])                   priorities = 1'b0;
      if (exists_q[t] && !idle_i[t] && !held_valid[t] && prio_q[t] != own[t])  alone      = 1'b0;
    end
  end

  assign holds = lists && priorities && order;

  // ---------------------------------------------------------------------------------------------
  // The engine

  tid_t      raddr, tid_q, job_raddr, who, waiter_q;
  mutex_t    read, job_read, job_mutex, mutex_read_q;
  priority_t priority_q;
  logic      idle_read_q, blocked_read_q, locked_read_q, waiter_valid_q, several_q;
  tid_t      owner_read_q;
  logic      first, pending, granted, job_set, job_leave, job_insert, job_insertion, job_done, job_again, gone, above;
  logic      start, commit, create;
  priority_t job_priority, new_own, new_ceiling;
  status_e   status;
  course_e   course;
  logic [7:0] op;
  logic      mine, frees, takes, blocks, hands;

  // The record read is wrong when it is written in the same cycle, as a memory's word is.
  logic       write_thread, write_list, write_mutex;
  tid_t       written_thread;
  mutex_t     written_mutex;

  assign raddr = (state_q == StJob) ? job_raddr : (state_q == StDispatch) ? waiter_q :
                 (act inside {ActLeave, ActSetSchedParam}) ? target_i : caller_i;
  assign read  = (state_q == StJob) ? job_read : id_i;

  always_comb begin
    unique case (act)
      ActLock:          op = OpMutexLock;
      ActTrylock:       op = OpMutexTrylock;
      ActUnlock:        op = OpMutexUnlock;
      ActLeave:         op = OpMutexLeave;
      ActSetSchedParam: op = OpSetSchedParam;
      ActProtocol:      op = OpMutexProtocol;
      ActExit:          op = OpThreadExit;
      default:          op = create_i ? OpThreadCreate : OpSemaphoreWait;
    endcase
  end

  assign mine = locked_read_q && owner_read_q == caller_i && !gone;

  always_comb begin
    status = StatusOk;
    course = CourseDone;
    unique case (act)
      ActLock: begin
        if (above && !mine)     status = StatusEinval;
        else if (mine)          status = StatusEdeadlk;
        else if (locked_read_q) course = CourseBlock;
      end
      ActTrylock: begin
        if (above && !mine)     status = StatusEinval;
        else if (locked_read_q) status = StatusEbusy;
      end
      ActUnlock:        if (!mine) status = StatusEperm;
      ActLeave: begin
        if (waiter_valid_q) course = CourseLeave;
        else                status = StatusEnoent;
      end
      ActSetSchedParam: course = CourseRequeue;
      ActProtocol:      if (locked_read_q && !mine) status = StatusEbusy;
      ActExit:          course = CourseExit;
      default:          course = create_i ? CourseDone : CourseBlock;
    endcase
  end

  assign start  = state_q == StDispatch && first;
  assign commit = state_q == StDispatch && !first;
  assign create = commit && act == ActOther && create_i;
  assign takes  = commit && act inside {ActLock, ActTrylock} && status == StatusOk && course == CourseDone;
  assign blocks = commit && course == CourseBlock;
  assign frees  = commit && act == ActUnlock && status == StatusOk;
  assign hands  = frees && waiter_valid_q;

  assign new_own = priority_t'(word0_i);

  typedef struct packed {
    tid_t      tid;
    logic      blocked, idle;
    priority_t prio;
    tid_t      link;
  } heir_t;
  typedef struct packed {
    logic locked;
    tid_t owner;
    logic waiter_valid, several;
    tid_t waiter;
  } held_mutex_t;
  typedef struct packed {
    logic      gone, above;
    priority_t ceiling;
  } mutex_rule_t;
  typedef struct packed {
    logic      valid;
    tid_t      tid;
    priority_t prio;
  } newcomer_t;

  heir_t       heir;
  held_mutex_t held;
  mutex_rule_t rule;
  newcomer_t   newcomer;

  assign heir     = '{tid: tid_q, blocked: blocked_read_q, idle: idle_read_q, prio: priority_q, link: '0};
  assign held     = '{locked: locked_read_q, owner: owner_read_q, waiter_valid: waiter_valid_q, several: several_q,
                      waiter: waiter_q};
  assign newcomer = '{valid: create, tid: target_i, prio: new_own};
  assign {gone, above, new_ceiling} = rule;

  cl_kernel_inheritance #(
    .Cfg          (Cfg),
    .heir_t       (heir_t),
    .held_mutex_t (held_mutex_t),
    .mutex_rule_t (mutex_rule_t),
    .newcomer_t   (newcomer_t)
  ) u_dut (
    .clk_i,
    .rst_ni            (1'b1),
    .raddr_i           (raddr),
    .thread_i          (heir),
    .own_o             (),
    .read_id_i         (10'(read)),
    .mutex_i           (held),
    .rule_o            (rule),
    .new_i             (newcomer),
    .op_i              (op),
    .id_i              (10'(id_i)),
    .word0_i           (word0_i),
    .caller_i          (caller_i),
    .caller_idle_i     (idle_i[caller_i]),
    .caller_priority_i (prio_q[caller_i]),
    .status_i          (status),
    .course_i          (course),
    .commit_i          (commit),
    .first_o           (first),
    .start_i           (start),
    .pending_o         (pending),
    .granted_o         (granted),
    .grant_i           (state_q == StWake && granted),
    .run_i             (state_q == StJob),
    .raddr_o           (job_raddr),
    .read_o            (job_read),
    .who_o             (who),
    .mutex_o           (job_mutex),
    .set_o             (job_set),
    .priority_o        (job_priority),
    .taken_i           (state_q == StJob && job_set),
    .leave_o           (job_leave),
    .found_i           (job_leave),
    .insert_o          (job_insert),
    .insertion_o       (job_insertion),
    .inserted_i        (job_insertion),
    .done_o            (job_done),
    .again_o           (job_again)
  );

  // Wait lists: one thread leaves or enters one of them
  logic                      leaves, enters;
  tid_t                      moved;
  mutex_t                    at;
  priority_t                 level;
  tid_t      [Threads-1:0]   list_d;
  logic                [2:0] count_d;

  always_comb begin
    logic       placed;
    logic [2:0] n;
    at     = (state_q == StJob) ? job_mutex : id_i;
    leaves = (state_q == StJob && job_leave) || hands || (commit && act == ActLeave && course == CourseLeave);
    enters = (state_q == StJob && job_insert) || (blocks && act == ActLock);
    moved  = (state_q == StJob) ? who : hands ? waiter_q : leaves ? target_i : caller_i;
    level  = idle_i[moved] ? '0 : (state_q == StJob) ? job_priority : prio_q[moved];
    list_d = list_q[at];
    n      = '0;
    placed = 1'b0;
    for (int unsigned k = 0; k < Threads; k++) begin
      if (k < 32'(count_q[at])) begin
        if (enters && !placed && level > passed(list_q[at][k])) begin
          placed = 1'b1;
          if (32'(n) < Threads) list_d[n] = moved;
          n = n + 3'd1;
        end
        if (!(leaves && list_q[at][k] == moved)) begin
          if (32'(n) < Threads) list_d[n] = list_q[at][k];
          n = n + 3'd1;
        end
      end
    end
    if (enters && !placed) begin
      if (32'(n) < Threads) list_d[n] = moved;
      n = n + 3'd1;
    end
    count_d = n;
  end

  assign write_thread   = (state_q == StJob && job_set) || (state_q == StWake && granted);
  assign written_thread = tid_q;
  assign write_list     = leaves | enters;
  assign write_mutex    = takes | frees;
  assign written_mutex  = id_i;

  always_ff @(posedge clk_i) begin
    cycle_q        <= cycle_q + 8'd1;
    chosen_q       <= chosen;
    // Records
    tid_q          <= raddr;
    mutex_read_q   <= read;
    priority_q     <= (write_thread && written_thread == raddr) ? ~prio_q[raddr] : prio_q[raddr];
    idle_read_q    <= idle_i[raddr];
    blocked_read_q <= blocked_q[raddr];
    locked_read_q  <= locked_q[read] ^ (write_mutex && written_mutex == read);
    owner_read_q   <= (write_mutex && written_mutex == read) ? ~owner_q[read] : owner_q[read];
    waiter_valid_q <= (count_q[read] != '0) ^ (write_list && at == read);
    several_q      <= (32'(count_q[read]) > 1) ^ (write_list && at == read);
    waiter_q       <= (write_list && at == read) ? ~list_q[read][0] : list_q[read][0];

    if (write_thread) prio_q[written_thread] <= job_priority;
    if (write_list) begin
      list_q[at]  <= list_d;
      count_q[at] <= count_d;
    end
    if (takes) begin
      locked_q[id_i] <= 1'b1;
      owner_q[id_i]  <= caller_i;
    end
    if (frees) begin
      locked_q[id_i] <= waiter_valid_q;
      owner_q[id_i]  <= waiter_q;
    end
    if (blocks) blocked_q[caller_i] <= 1'b1;
    if (hands)  blocked_q[waiter_q] <= 1'b0;
    if (commit && act == ActLeave && count_d != count_q[at] && leaves) blocked_q[target_i] <= 1'b0;
    if (commit && act == ActExit) exists_q[caller_i] <= 1'b0;
    if (create) begin
      exists_q[target_i]  <= 1'b1;
      blocked_q[target_i] <= 1'b0;
      prio_q[target_i]    <= new_own;
    end

    unique case (state_q)
      StRead:     state_q <= StDispatch;
      StDispatch: state_q <= start ? StJob : hands ? StWake : pending ? StJob : StEnd;
      StWake:     state_q <= pending ? StJob : StEnd;
      StJob:      if (job_done) state_q <= job_again ? StRead : StEnd;
      default:    state_q <= StEnd;
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // The run

  logic unused;
  assign unused = ^{mutex_read_q, new_ceiling};

  always_comb begin
    if (cycle_q == '0) begin
      assume (state_q == StRead && holds);
      assume (4'(u_dut.state_q) == '0 && !u_dut.granted_q && !u_dut.raised_q && !u_dut.pending_q);
      assume (32'(caller_i) < Threads && 32'(target_i) < Threads && 32'(id_i) < Mutexes);
      assume (exists_q[caller_i] && !blocked_q[caller_i]);
      // set_sched_param's own checks
      assume (act != ActSetSchedParam || (exists_q[target_i] && !idle_i[target_i]));
      assume (act != ActLeave || exists_q[target_i]);
      assume (act != ActOther || !create_i || (!exists_q[target_i] && !idle_i[target_i]));
      assume (word0_i[MutexAttributesProtocolLsb +: MutexAttributesProtocolWidth] != '1);
    end
    if (cycle_q != '0) assume (chosen == chosen_q);
    if (state_q == StEnd) begin
      AssertLists:      assert (lists);
      AssertOrder:      assert (order);
      AssertPriorities: assert (priorities);
      AssertAlone:      assert (alone);
      AssertQuiet:      assert (!u_dut.granted_q && !u_dut.raised_q && !u_dut.pending_q);
    end
    AssertEnds: assert (state_q == StEnd || 32'(cycle_q) < Cycles);
  end

endmodule
