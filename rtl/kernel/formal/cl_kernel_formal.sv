// SPDX-License-Identifier: Apache-2.0
// Properties of cl_kernel, with cl_ready_queue_abstract for its ready queue: induction over operations.
//
// A run begins in any state in which the engine is idle and the invariant `holds` is true, with any inputs ever after,
// and ends when the engine is idle again: after one operation of a client, one request of a line, one store to `saved`,
// or a cycle in which nothing happened. Proven of every run:
//   the engine is idle again after Cycles cycles at most, and the invariant holds again;
//   no assertion of the RTL, and no promise to the ready queue, is broken in it;
//   a client is given the best thread that it may run, of equals in a queue the first one;
//   a thread whose pending mutex_wait a signal ends has the mutex.
// With FromReset the run begins with a reset instead, which establishes the invariant. So it holds always.
// The invariant, of the threads:
//   one that exists is in one place: running on one client; ready in the ready queue, in the place of the client it is
//   bound to, or behind a client that has not saved its context; blocked for one reason (a wait list, a join, a port,
//   a line), and as long as its context is not saved behind one client; or nowhere (created, exited, suspended);
//   one that is free is once in the list of free ids;
//   a client waits only while there is no thread that it may run.
// The size is that of cl_kernel; there is one mutex, one semaphore and one condition variable.
module cl_kernel_formal
  import cl_kernel_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  bit          FromReset  = 1'b0,
  parameter  int unsigned Cycles     = 20,
  parameter  bit          Move       = 1'b0, // only the operation move, the longest; 0: all others
  parameter  cfg_t        Cfg        = Default,
  localparam int unsigned Cpus       = Cfg.Cpus,
  localparam int unsigned Threads    = Cfg.Threads,
  localparam int unsigned Ports      = Cfg.Ports,
  localparam int unsigned Lines      = Cfg.Lines,
  localparam int unsigned Clients    = Cpus + Cfg.HwThreads
) (
  input logic                     clk_i,
  input logic                     tick_i,
  input client_request_t [Clients-1:0] request_i,
  input logic          [Cpus-1:0] intr_i,
  input logic         [Lines-1:0] line_i
);

  localparam int unsigned TidWidth      = $clog2(Threads);
  localparam int unsigned PriorityWidth = $clog2(Cfg.Priorities);
  localparam bit          Deadlines     = Cfg.Policy == PolicyEdf;
  localparam int unsigned KeyWidth      = Deadlines ? DeadlineKeyWidth : PriorityWidth;
  localparam int unsigned LevelWidth    = KeyWidth + 1;
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1;
  localparam int unsigned Queues        = Cpus + 1;
  localparam int unsigned QueueWidth    = $clog2(Queues);
  localparam int unsigned PortWidth     = (Ports > 1) ? $clog2(Ports) : 1;  // of all objects, as the others are one
  localparam int unsigned Lists         = Ports + 3;
  localparam int unsigned PointerWidth  = ((Cfg.PortDepth > 1) ? $clog2(Cfg.PortDepth) : 1) + 1;
  localparam int unsigned LineWidth     = (Lines > 1) ? $clog2(Lines) : 1;
  localparam int unsigned QueueCycles   = ((Cfg.ReadyQueue == BuildLinear) ? Threads + 2 : 3) + 32'(Cfg.Pipeline);

  typedef logic   [TidWidth-1:0] tid_t;
  typedef logic [LevelWidth-1:0] level_t;
  typedef logic   [CpuWidth-1:0] cpu_t;
  typedef logic  [PortWidth-1:0] port_id_t;

  logic                     rst_n;
  client_answer_t [Clients-1:0] answer;
  logic          [Cpus-1:0] irq, idle_cpu;

  cl_kernel #(.Cfg(Cfg)) u_dut (
    .clk_i,
    .rst_ni   (rst_n),
    .tick_i,
    .now_i    ('0),
    .request_i,
    .answer_o (answer),
    .irq_o    (irq),
    .intr_i,
    .idle_o   (idle_cpu),
    .line_i
  );

  // ---------------------------------------------------------------------------------------------
  // Contents of the unit's registers and memories

  // Clients
  logic [Clients-1:0]                 busy, op_valid, save, unpublished;
  logic [Clients-1:0]                 valid, running, waiting, switching, leaving, leaving_ready, bound, bound_queued;
  logic [Clients-1:0]  [TidWidth-1:0] current, left, bound_tid;
  logic [Clients-1:0][LevelWidth-1:0] level;
  logic    [Cpus-1:0]                 begun, starts, stands;  // slices
  // Threads
  logic [Threads-1:0]           [2:0] state;
  logic [Threads-1:0]  [CpuWidth-1:0] cpu;
  logic [Threads-1:0]                 is_static, is_bound, detached, joined;
  logic [Threads-1:0][PriorityWidth-1:0] prio;
  logic [Threads-1:0]  [TidWidth-1:0] joiner, link;
  tid_t                               free_head;
  logic                [TidWidth:0]   free_count, used_ids;
  // Ready queue
  logic [Threads-1:0]                 queued;
  logic [Threads-1:0][QueueWidth-1:0] where;
  logic [Threads-1:0]  [KeyWidth-1:0] key, at;  // its key, and the key it is queued by
  logic [Threads-1:0]   [Threads-1:0] older;
  logic                         [7:0] queue_left;

  for (genvar c = 0; c < Clients; c++) begin : g_client
    assign busy[c]          = u_dut.g_client[c].u_port.busy_q;
    assign op_valid[c]      = u_dut.op_valid[c];
    assign save[c]          = u_dut.save[c];
    assign valid[c]         = u_dut.current_valid[c];
    assign running[c]       = u_dut.running[c];
    assign waiting[c]       = u_dut.waiting[c];
    assign switching[c]     = u_dut.switching[c];
    assign leaving[c]       = u_dut.leaving[c];
    assign leaving_ready[c] = u_dut.leaving_ready[c];
    assign current[c]       = u_dut.tid[c];
    assign left[c]          = u_dut.leaving_tid[c];
    assign level[c]         = u_dut.level[c];
    assign bound[c]         = u_dut.u_tables.bound[c];
    assign bound_queued[c]  = u_dut.u_tables.bound_queued[c];
    assign bound_tid[c]     = u_dut.u_tables.bound_tid[c];
    assign unpublished[c]   = u_dut.found.unpublished[c];
  end
  for (genvar c = 0; c < Cpus; c++) begin : g_slice
    assign begun[c]  = (u_dut.g_no_dwrr.u_slices.run_q | u_dut.g_no_dwrr.u_slices.resume_q) &&
                       u_dut.g_no_dwrr.u_slices.cpu_q == CpuWidth'(c);
    assign starts[c] = u_dut.slice_start[c];
    assign stands[c] = u_dut.g_client[c].u_cpu.g_slice.u_slice_timer.stands_q;
  end

  for (genvar t = 0; t < Threads; t++) begin : g_thread
    assign {state[t], cpu[t]} = u_dut.u_tables.u_threads.u_run.g_early.mem[t];
    assign {is_static[t], is_bound[t], detached[t], joined[t]} = u_dut.u_tables.u_threads.u_attr.g_early.mem[t];
    assign prio[t]   = u_dut.u_tables.u_threads.u_priority.g_any.mem[t];
    assign joiner[t] = u_dut.u_tables.u_threads.u_joiner.g_any.mem[t];
    assign link[t]   = u_dut.u_tables.u_threads.u_link.g_any.mem[t];
  end
  assign free_head  = u_dut.u_tables.u_threads.free_head_q;
  assign free_count = u_dut.u_tables.u_threads.free_count_q;
  assign used_ids   = u_dut.u_tables.u_threads.unused_q;

  if (Deadlines) begin : g_keys
    for (genvar t = 0; t < Threads; t++) begin : g_key
      logic [DeadlineRelativeWidth-1:0] relative;
      logic         [DeadlineWidth-1:0] deadline, since;
      assign relative = u_dut.u_tables.g_deadlines.u_deadline.u_relative.g_early.mem[t];
      assign deadline = u_dut.u_tables.g_deadlines.u_deadline.u_deadline.g_early.mem[t];
      assign key[t]   = (relative != '0) ? {1'b1, deadline} : KeyWidth'(priority_key(1'b1, RankWidth'(prio[t])));
      // A running or ready thread has missed its deadline by at most 32768 ticks.
      assign since = deadline - u_dut.u_tables.g_deadlines.u_deadline.now_q + DeadlineWidth'(32768);
      always_comb begin
        if (relative != '0 && state[t] inside {ThreadReady, ThreadRunning}) assume (!since[DeadlineWidth-1]);
      end
    end
  end else begin : g_priorities
    assign key = prio;
  end

  assign queued     = u_dut.u_ready_queue.queued_q;
  assign where      = u_dut.u_ready_queue.where_q;
  assign at         = u_dut.u_ready_queue.level_q;
  assign older      = u_dut.u_ready_queue.older_q;
  assign queue_left = u_dut.u_ready_queue.left_q;

  // Reservations: owners of CPUs, keepers of queues, and placement of threads
  logic    [Cpus-1:0]                 reserved;
  logic    [Cpus-1:0]  [TidWidth-1:0] cpu_owner;
  logic    [Cpus-1:0][PriorityWidth-1:0] owner_prio;
  logic    [Cpus-1:0]  [CpuWidth-1:0] keeper;
  logic [Threads-1:0]  [CpuWidth-1:0] home;
  logic                               offers;

  if (Cfg.Reserve) begin : g_reserve
    assign reserved   = u_dut.u_tables.u_reserve.g_reserve.reserved_q;
    assign cpu_owner  = u_dut.u_tables.u_reserve.g_reserve.owner_q;
    assign owner_prio = u_dut.u_tables.u_reserve.g_reserve.priority_q;
    assign keeper     = u_dut.u_tables.u_reserve.g_reserve.keeper_q;
    assign offers     = u_dut.u_engine.q.offer | u_dut.u_engine.q.late;
    for (genvar t = 0; t < Threads; t++) begin : g_home
      assign home[t] = u_dut.u_tables.u_reserve.g_reserve.u_home.g_early.mem[t];
    end
  end else begin : g_fixed
    assign reserved   = '0;
    assign cpu_owner  = '0;
    assign owner_prio = '0;
    assign offers     = 1'b0;
    assign home       = cpu;
    for (genvar c = 0; c < Cpus; c++) begin : g_keeper
      assign keeper[c] = CpuWidth'(c);
    end
  end

  // Wait lists: of a condition variable, a mutex, a semaphore, and the ports
  logic [Lists-1:0]                there, list_valid;
  logic [Lists-1:0] [TidWidth-1:0] list_head, list_tail;

  for (genvar k = 0; k < Lists; k++) begin : g_list
    localparam int unsigned Address = (k < 3) ? (k + 1) * 2**PortWidth : k - 3;
    assign {list_valid[k], list_head[k]} = u_dut.u_tables.u_wait_lists.u_first.g_early.mem[Address];
    assign list_tail[k]                  = u_dut.u_tables.u_wait_lists.u_tail.g_any.mem[Address];
  end
  assign there[0] = u_dut.u_tables.u_services.u_condition_ops.used[0];
  assign there[1] = u_dut.u_tables.u_services.u_mutex_ops.used[0];
  assign there[2] = u_dut.u_tables.u_services.u_semaphore_ops.used[0];

  logic        locked;
  tid_t        owner;
  logic [14:0] count;

  assign {locked, owner} = u_dut.u_tables.u_services.u_mutex_ops.u_table.u_record.g_any.mem[0];
  assign count           = u_dut.u_tables.u_services.u_semaphore_ops.u_table.u_record.g_any.mem[0];

  // Ports, and the list of those that a client has to publish
  logic [Ports-1:0]                    open, listed, receiver_waits, immediate, sent_more;
  logic [Ports-1:0]     [TidWidth-1:0] receiver;
  logic [Ports-1:0]     [CpuWidth-1:0] sent_cpu;
  logic [Ports-1:0]    [PortWidth-1:0] sent_next;
  logic [Ports-1:0] [PointerWidth-1:0] rd, published, wr;
  logic [Clients-1:0]  [PortWidth-1:0] sent_head;

  for (genvar p = 0; p < Ports; p++) begin : g_port
    assign open[p]      = u_dut.u_tables.u_services.u_port_ops.open_q[p];
    assign there[3 + p] = open[p];
    assign listed[p]    = u_dut.u_tables.u_services.u_port_ops.u_sent.listed_q[p];
    assign {receiver[p], receiver_waits[p], immediate[p], rd[p], published[p], wr[p]} =
      u_dut.u_tables.u_services.u_port_ops.u_port.g_any.mem[p];
    assign {sent_cpu[p], sent_more[p], sent_next[p]} = u_dut.u_tables.u_services.u_port_ops.u_sent.u_sent.g_any.mem[p];
  end
  assign sent_head = u_dut.u_tables.u_services.u_port_ops.u_sent.head_q;

  // Lines
  logic [Lines-1:0]               line_bound, line_waits;
  logic [Lines-1:0]         [1:0] line_kind;
  logic [Lines-1:0][TidWidth-1:0] line_thread;
  logic                           shown, request;

  for (genvar l = 0; l < Lines; l++) begin : g_line
    assign line_bound[l]  = u_dut.u_tables.u_services.u_interrupt_ops.bound_q[l];
    assign line_waits[l]  = u_dut.u_tables.u_services.u_interrupt_ops.lines_q[l].waits;
    assign line_kind[l]   = 2'(u_dut.u_tables.u_services.u_interrupt_ops.lines_q[l].kind);
    assign line_thread[l] = TidWidth'(u_dut.u_tables.u_services.u_interrupt_ops.lines_q[l].object);
  end
  assign shown   = u_dut.pending.line;
  assign request = u_dut.pending.line_request.valid;

  // ---------------------------------------------------------------------------------------------
  // The invariant

  typedef struct packed {
    logic slices;     // the time of a slice that is about to begin stands still, and it is not used up
    logic clients;    // a client's own state fits together; each load that waits for an answer is to get one
    logic ids;        // ids and numbers are in their ranges
    logic free_ids;   // each free id is in the list of free ids, once
    logic places;     // each thread is where its state says, and in one place only
    logic reasons;    // a blocked thread has one reason, any other none
    logic bindings;   // threads that belong to one client
    logic order;      // the ready queue has the threads' levels and homes, in order
    logic idle;       // no client waits while a thread that it may run is ready
    logic objects;    // no thread waits for something available
    logic sent;       // a port with unpublished messages is on its sender's list
    logic lines;      // a line's request matches its binding
    logic owners;     // owners are consistent, and every queue is served by an unreserved CPU
    logic pick;       // with Pipeline: what is registered of the operation to come is what its client asks for
  } holds_t;

  holds_t                         holds;
  logic [Threads-1:0]             exists, unused_id, owns;
  logic [Threads-1:0]  [Cpus-1:0] may_run;  // from a ready queue
  logic [Threads-1:0][LevelWidth-1:0] thread_level;
  logic [Threads-1:0]       [3:0] on, behind, ready, reasons;
  logic [Threads-1:0]             behind_ready;

  function automatic logic in_range(input tid_t t);
    return 32'(t) < Threads;
  endfunction

  always_comb begin
    for (int unsigned t = 0; t < Threads; t++) begin
      exists[t]       = t < 32'(used_ids) && state[t] != ThreadFree;
      unused_id[t]    = t < 32'(used_ids) && state[t] == ThreadFree;
      thread_level[t] = (is_bound[t] && 32'(cpu[t]) < Cpus) ? '0 : {1'b1, key[t]};
    end
  end

  // Which client may run which thread
  always_comb begin
    for (int unsigned t = 0; t < Threads; t++) begin
      owns[t] = 1'b0;
      for (int unsigned c = 0; c < Cpus; c++) begin
        if (reserved[c] && cpu_owner[c] == tid_t'(t)) owns[t] = 1'b1;
        may_run[t][c] = 32'(where[t]) == 0 && !reserved[c];
        for (int unsigned h = 0; h < Cpus; h++) begin
          if (32'(where[t]) == h + 1 && keeper[h] == cpu_t'(c)) may_run[t][c] = 1'b1;
        end
      end
    end
  end

  always_comb begin
    holds.owners = !offers && reserved != '1;
    for (int unsigned c = 0; c < Cpus; c++) begin
      if (reserved[c]) begin
        if (!in_range(cpu_owner[c]) || !exists[cpu_owner[c]] || is_bound[cpu_owner[c]] ||
            state[cpu_owner[c]] == ThreadExited || owner_prio[c] != prio[cpu_owner[c]]) holds.owners = 1'b0;
        if (!bound[c] || bound_tid[c] != cpu_owner[c])                                  holds.owners = 1'b0;
        for (int unsigned o = 0; o < c; o++) begin
          if (reserved[o] && cpu_owner[o] == cpu_owner[c]) holds.owners = 1'b0;
        end
      end else if (keeper[c] != cpu_t'(c)) begin
        holds.owners = 1'b0;
      end
      if (32'(keeper[c]) >= Cpus || reserved[keeper[c]]) holds.owners = 1'b0;
    end
    for (int unsigned t = 0; t < Threads; t++) begin
      if (exists[t] && is_static[t] && (32'(home[t]) >= Clients || (is_bound[t] && home[t] != cpu[t]) ||
                                        (!is_bound[t] && 32'(home[t]) >= Cpus))) holds.owners = 1'b0;
    end
  end

  // Free ids
  always_comb begin
    logic [Threads-1:0] seen;
    tid_t               id;
    holds.free_ids = 32'(free_count) == 32'($countones(unused_id));
    seen           = '0;
    id             = free_head;
    for (int unsigned n = 0; n < Threads; n++) begin
      if (n < 32'(free_count)) begin
        if (!in_range(id) || !unused_id[id] || seen[id]) holds.free_ids = 1'b0;
        else seen[id] = 1'b1;
        id = in_range(id) ? link[id] : '0;
      end
    end
  end

  // Places of threads
  always_comb begin
    logic placed, nowhere;
    holds.places = 1'b1;
    for (int unsigned t = 0; t < Threads; t++) begin
      on[t]           = '0;
      behind[t]       = '0;
      ready[t]        = 4'(queued[t]);
      behind_ready[t] = 1'b0;
      for (int unsigned c = 0; c < Clients; c++) begin
        if (valid[c] && current[c] == tid_t'(t)) begin
          on[t] += 4'd1;
          // It knows its client, and the client its level; the client is one that may run it.
          if (cpu[t] != cpu_t'(c) || level[c] != thread_level[t]) holds.places = 1'b0;
          if (c >= Cpus && !is_bound[t])                          holds.places = 1'b0;
          if (running[c] != (state[t] == ThreadRunning))          holds.places = 1'b0;
        end
        if (leaving[c] && left[c] == tid_t'(t)) begin
          behind[t] += 4'd1;
          behind_ready[t] = leaving_ready[c];
          if (cpu[t] != cpu_t'(c)) holds.places = 1'b0;
        end
        if (bound_queued[c] && bound_tid[c] == tid_t'(t)) ready[t] += 4'd1;
      end
      unique case (state[t])
        ThreadRunning: placed = on[t] == 4'd1 && behind[t] == '0 && ready[t] == '0;
        ThreadReady:   placed = on[t] == '0 && behind[t] + ready[t] == 4'd1 && behind_ready[t] == (behind[t] != '0);
        ThreadBlocked: placed = on[t] + behind[t] <= 4'd1 && ready[t] == '0 && !behind_ready[t];
        default:       placed = 1'b0;
      endcase
      // Created, exited, suspended, or free
      nowhere = on[t] == '0 && behind[t] == '0 && ready[t] == '0;
      if (!exists[t] || state[t] inside {ThreadCreated, ThreadExited, ThreadSuspended}) placed = nowhere;
      if (!placed) holds.places = 1'b0;
    end
  end

  // Why threads are blocked
  always_comb begin
    logic active;
    tid_t id;
    holds.reasons = 1'b1;
    reasons       = '0;
    for (int unsigned k = 0; k < Lists; k++) begin
      active = there[k] && list_valid[k];
      id     = list_head[k];
      for (int unsigned n = 0; n < Threads; n++) begin
        if (active) begin
          if (!in_range(id)) holds.reasons = 1'b0;
          else reasons[id] += 4'd1;
          active = id != list_tail[k];
          id     = in_range(id) ? link[id] : '0;
        end
      end
      if (active) holds.reasons = 1'b0;
    end
    for (int unsigned t = 0; t < Threads; t++) begin
      if (exists[t] && joined[t]) begin
        if (state[t] == ThreadExited || detached[t] || !in_range(joiner[t])) holds.reasons = 1'b0;
        else reasons[joiner[t]] += 4'd1;
      end
    end
    for (int unsigned p = 0; p < Ports; p++) begin
      if (open[p] && receiver_waits[p]) begin
        if (!in_range(receiver[p])) holds.reasons = 1'b0;
        else reasons[receiver[p]] += 4'd1;
      end
    end
    for (int unsigned l = 0; l < Lines; l++) begin
      if (line_bound[l] && line_kind[l] == 2'd0 && line_waits[l]) begin
        if (!in_range(line_thread[l])) holds.reasons = 1'b0;
        else reasons[line_thread[l]] += 4'd1;
      end
    end
    for (int unsigned t = 0; t < Threads; t++) begin
      if (reasons[t] != 4'(exists[t] && state[t] == ThreadBlocked)) holds.reasons = 1'b0;
    end
  end

  assign holds.slices = ((begun | starts) & ~stands) == '0 && (begun & starts) == '0 &&
                        (stands & u_dut.slice_used[Cpus-1:0]) == '0;

  always_comb begin
    holds.clients = 1'b1;
    holds.idle    = 1'b1;
    for (int unsigned c = 0; c < Clients; c++) begin
      if (running[c] && !valid[c])                                                      holds.clients = 1'b0;
      if (waiting[c] && (running[c] || switching[c] || save[c] || op_valid[c]))         holds.clients = 1'b0;
      if (busy[c] != (op_valid[c] | waiting[c]))                                        holds.clients = 1'b0;
      if (op_valid[c] && !save[c] && !op_any_time(u_dut.op[c]))                          holds.clients = 1'b0;
      if (switching[c] && !running[c])                                                  holds.clients = 1'b0;
      if (leaving[c] && !switching[c])                                                  holds.clients = 1'b0;
      if (u_dut.words_we[c] && op_valid[c])                                             holds.clients = 1'b0;
      if (u_dut.held[c])                                                                holds.clients = 1'b0;  // dwrr's
      if (waiting[c] && bound_queued[c])                                                holds.idle    = 1'b0;
      for (int unsigned t = 0; t < Threads; t++) begin
        if (waiting[c] && c < Cpus && queued[t] && may_run[t][c]) holds.idle = 1'b0;
      end
    end
  end

  // Each port on a `sent` list is there once, and knows whose list it is
  always_comb begin
    logic             active;
    logic [Ports-1:0] seen;
    port_id_t         p;
    holds.sent = 1'b1;
    seen       = '0;
    for (int unsigned c = 0; c < Clients; c++) begin
      if (unpublished[c] && !running[c]) holds.sent = 1'b0;
      active = unpublished[c];
      p      = sent_head[c];
      for (int unsigned n = 0; n < Ports; n++) begin
        if (active) begin
          if (32'(p) >= Ports || !listed[p] || seen[p] || sent_cpu[p] != cpu_t'(c)) holds.sent = 1'b0;
          if (32'(p) < Ports) seen[p] = 1'b1;
          active = 32'(p) < Ports && sent_more[p];
          p      = (32'(p) < Ports) ? sent_next[p] : '0;
        end
      end
      if (active) holds.sent = 1'b0;
    end
    if (seen != listed) holds.sent = 1'b0;
    for (int unsigned n = 0; n < Ports; n++) begin
      if (open[n] && published[n] != wr[n] && !listed[n]) holds.sent = 1'b0;
    end
  end

  always_comb begin
    holds.ids = 32'(used_ids) >= 1 && 32'(used_ids) <= Threads && 32'(queue_left) <= QueueCycles;
    for (int unsigned c = 0; c < Clients; c++) begin
      if (valid[c] && !in_range(current[c])) holds.ids = 1'b0;
      if (leaving[c] && !in_range(left[c]))  holds.ids = 1'b0;
    end
    for (int unsigned t = 0; t < Threads; t++) begin
      if (exists[t] && 32'(cpu[t]) >= Clients)      holds.ids = 1'b0;
      if (exists[t] && 32'(prio[t]) >= Cfg.Priorities)  holds.ids = 1'b0;
      if (exists[t] && state[t] > ThreadSuspended)  holds.ids = 1'b0;
    end
  end

  always_comb begin
    tid_t own;
    own            = '0;
    holds.bindings = 1'b1;
    for (int unsigned t = 0; t < Threads; t++) begin
      if (exists[t]) begin
        if (!is_bound[t] && 32'(cpu[t]) >= Cpus) holds.bindings = 1'b0;
        if (is_bound[t]) begin
          if (!is_static[t]) holds.bindings = 1'b0;
          // The idle thread is none any more when it ends, the thread of a hardware unit when it is freed.
          if (state[t] != ThreadExited || 32'(cpu[t]) >= Cpus) begin
            if (!bound[cpu[t]] || bound_tid[cpu[t]] != tid_t'(t)) holds.bindings = 1'b0;
          end
          if (32'(cpu[t]) >= Cpus && 32'(prio[t]) != Cfg.Priorities - 1) holds.bindings = 1'b0;
        end
      end
    end
    for (int unsigned c = 0; c < Clients; c++) begin
      if (bound_queued[c] && !bound[c]) holds.bindings = 1'b0;
      if (bound[c]) begin
        own = bound_tid[c];
        if (!in_range(own) || !exists[own])                                            holds.bindings = 1'b0;
        if (c < Cpus && reserved[c]) own = cpu_owner[c];
        else if (!is_bound[own] || cpu[own] != cpu_t'(c))                              holds.bindings = 1'b0;
        if (in_range(own) && state[own] == ThreadExited && c < Cpus)                   holds.bindings = 1'b0;
      end
    end
  end

  always_comb begin
    holds.order = 1'b1;
    for (int unsigned t = 0; t < Threads; t++) begin
      if (queued[t] && (at[t] != key[t] || is_bound[t] || owns[t]))                 holds.order = 1'b0;
      if (queued[t] && 32'(where[t]) != (is_static[t] ? 32'(home[t]) + 1 : 0)) holds.order = 1'b0;
      for (int unsigned u = 0; u < Threads; u++) begin
        if (u != t && queued[t] && queued[u] && older[t][u] == older[u][t]) holds.order = 1'b0;
        for (int unsigned v = 0; v < Threads; v++) begin
          if (t != u && u != v && v != t && queued[t] && queued[u] && queued[v] &&
              older[t][u] && older[u][v] && older[v][t]) holds.order = 1'b0;
        end
      end
    end
  end

  always_comb begin
    holds.objects = 1'b1;
    if (there[1] && list_valid[1] && !locked)     holds.objects = 1'b0;
    if (there[2] && list_valid[2] && count != '0) holds.objects = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (open[p]) begin
        if (32'(PointerWidth'(wr[p] - rd[p])) > Cfg.PortDepth)                          holds.objects = 1'b0;
        if (PointerWidth'(published[p] - rd[p]) > PointerWidth'(wr[p] - rd[p]))     holds.objects = 1'b0;
        if (receiver_waits[p] && published[p] != rd[p])                             holds.objects = 1'b0;
      end
    end
    if (u_dut.u_tables.walk_pending || u_dut.u_tables.u_wait_lists.linking_q) holds.objects = 1'b0;
    if (Cfg.Monitors && u_dut.u_engine.q.retaking)                            holds.objects = 1'b0;
  end

  always_comb begin
    logic [LineWidth-1:0] l;
    l           = u_dut.pending.line_index;
    holds.lines = 1'b1;
    if (shown && (32'(l) >= Lines || u_dut.u_tables.u_services.u_interrupt_ops.held_q[l])) holds.lines = 1'b0;
    for (int unsigned n = 0; n < Lines; n++) begin
      if (line_bound[n] && line_kind[n] == 2'd3) holds.lines = 1'b0;
    end
    if (request) begin
      if (!line_bound[l])                                                               holds.lines = 1'b0;
      if (u_dut.pending.line_request.wakes != (line_kind[l] == 2'd0 && line_waits[l]))         holds.lines = 1'b0;
      if (u_dut.pending.line_request.notes != (line_kind[l] == 2'd0 && !line_waits[l]))        holds.lines = 1'b0;
      if (line_kind[l] == 2'd0 && TidWidth'(u_dut.pending.line_request.id) != line_thread[l])  holds.lines = 1'b0;
      if (u_dut.pending.line_request.op != ((line_kind[l] == 2'd1) ? OpSemaphorePost : OpPortTrysend)) holds.lines = 1'b0;
    end
  end

  if (Cfg.Pipeline) begin : g_pick
    logic       picked;
    cpu_t       client;
    logic [7:0] op;
    tid_t       reads;

    assign picked = u_dut.u_engine.u_pick.g_pipeline.pick_q;
    assign client = u_dut.u_engine.pick;
    assign op     = u_dut.op[client];

    always_comb begin
      unique case (op)
        OpThreadExit, OpMove: reads = current[client];
        OpThreadCreate:       reads = '0;
        OpReserve:            reads = tid_t'(u_dut.words[client][0]);
        default:              reads = tid_t'(u_dut.id[client]);
      endcase
      holds.pick = 32'(client) < Clients && (u_dut.u_engine.u_pick.g_pipeline.known_q & ~op_valid) == '0 && !u_dut.u_engine.act &&
                   !u_dut.u_engine.commit && !u_dut.u_engine.stage.publish_walk;
      if (picked && u_dut.u_engine.u_pick.g_pipeline.known_q[client]) begin
        if (u_dut.u_engine.op_pick != op || u_dut.u_engine.id_pick != u_dut.id[client]) holds.pick = 1'b0;
        if (u_dut.u_engine.read_pick != reads)                                          holds.pick = 1'b0;
      end
    end
  end else begin : g_no_pick
    assign holds.pick = 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // The run

  logic [7:0] cycle_q;     // 0 at its begin
  logic       returned_q;  // it is over
  logic       refused_q;   // a client had a request, and neither it nor a line was served
  logic       idle, wanted, served;

  assign rst_n  = !FromReset || cycle_q != '0;
  assign idle   = 5'(u_dut.u_engine.state_q) == 5'd1;
  assign wanted = u_dut.u_engine.u_pick.any;
  assign served = u_dut.u_engine.line_take | u_dut.u_engine.pick_valid;

  always_ff @(posedge clk_i) begin
    cycle_q    <= cycle_q + 8'd1;
    returned_q <= cycle_q != '0 && (returned_q || idle);
    refused_q  <= idle & wanted & ~served & ~u_dut.busy;
  end

  always_comb begin
    if (cycle_q == '0) begin
      if (!FromReset) assume (idle && holds == '1);
    end else begin
      assume (!returned_q);
      if (cycle_q == 8'd1 && !FromReset) assume ((u_dut.u_engine.op_q == OpMove) == Move);
      if (idle) begin
        AssertSlices:   assert (holds.slices);
        AssertClients:  assert (holds.clients);
        AssertIds:      assert (holds.ids);
        AssertFreeIds:  assert (holds.free_ids);
        AssertPlaces:   assert (holds.places);
        AssertReasons:  assert (holds.reasons);
        AssertBindings: assert (holds.bindings);
        AssertOrder:    assert (holds.order);
        AssertIdle:     assert (holds.idle);
        AssertObjects:  assert (holds.objects);
        AssertSent:     assert (holds.sent);
        AssertLines:    assert (holds.lines);
        AssertOwners:   assert (holds.owners);
        AssertPick:     assert (holds.pick);
        // A line that changes lets the clients wait for one cycle only.
        AssertServed:   assert (FromReset || !refused_q || !wanted || served);
      end
      AssertEnds: assert (idle || 32'(cycle_q) < Cycles);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Highest first, and first in first out

  logic   given, known, highest, first;
  cpu_t   given_to;
  tid_t   given_tid;
  level_t given_level;

  assign given       = u_dut.u_engine.action.cmd.run | u_dut.u_engine.action.take_next;
  assign given_to    = u_dut.u_engine.action.sched_cpu;
  assign given_tid   = u_dut.sched_change.tid;
  assign given_level = u_dut.sched_change.level;

  always_comb begin
    // A thread that becomes ready and runs at once has a new deadline.
    known   = in_range(given_tid) && exists[given_tid] &&
              (given_level == thread_level[given_tid] || (Deadlines && u_dut.u_engine.action.cmd.run && !u_dut.u_engine.action.take_next));
    highest = 1'b1;
    first   = 1'b1;
    for (int unsigned t = 0; t < Threads; t++) begin
      if ((queued[t] && 32'(given_to) < Cpus && may_run[t][given_to]) ||
          (bound_queued[given_to] && bound_tid[given_to] == tid_t'(t))) begin
        if (comes_first(Deadlines, RankWidth'(thread_level[t]), RankWidth'(given_level), 1'b0)) highest = 1'b0;
        if (queued[t] && queued[given_tid] && where[t] == where[given_tid] && at[t] == at[given_tid] &&
            tid_t'(t) != given_tid && !older[given_tid][t]) first = 1'b0;
      end
    end
    if (given && rst_n && cycle_q != '0) begin
      AssertKnown:   assert (known);
      AssertHighest: assert (highest);
      AssertFirst:   assert (first);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Monitors

  logic wakes;
  assign wakes = Cfg.Monitors && 5'(u_dut.u_engine.state_q) == 5'd4;
  logic [Threads-1:0] signalled_q;  // threads that a signal has ended the wait of, by mutex_wait, in this run

  always_ff @(posedge clk_i) begin
    if (cycle_q == '0) signalled_q <= '0;
    else if (wakes && u_dut.u_engine.relocks) signalled_q[u_dut.found.tid] <= 1'b1;
  end

  always_comb begin
    if (wakes && u_dut.u_engine.wakes_now && rst_n && cycle_q > 8'd1 && signalled_q[u_dut.found.tid] && there[1] &&
        u_dut.found.mutex == '0) begin
      AssertWithMutex: assert (locked && owner == u_dut.found.tid);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Reservations

  logic own_cpu;

  always_comb begin
    // A reserved CPU gets only its owner, and the owner no other CPU.
    own_cpu = 1'b1;
    for (int unsigned c = 0; c < Cpus; c++) begin
      if (reserved[c] && (given_to == cpu_t'(c)) != (given_tid == cpu_owner[c])) own_cpu = 1'b0;
    end
    if (rst_n && cycle_q != '0) begin
      if (u_dut.u_engine.action.cmd.run)                                          AssertOwnCpu:  assert (own_cpu);
    end
  end

  logic unused;
  assign unused = ^{answer, irq, idle_cpu, immediate, owner};

endmodule
