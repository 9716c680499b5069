// SPDX-License-Identifier: Apache-2.0
// The next thread of one client; combinational.
//
// For a CPU: the better of its dynamic and its static queue's best threads, taking turns if equal; if both are empty, its
// idle thread. With Reserve it may serve several queues of placed threads (cl_kernel_reserve), round-robin if equal. For
// a reserved CPU: its owner, which has the idle thread's place.
// A hardware thread's unit runs only the thread that is bound to it.
// A level is a key (cl_ready_queue_pkg) with a one before it, or 0: an idle thread.
module cl_kernel_next
  import cl_kernel_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg        = Default,
  localparam int unsigned Cpus       = Cfg.Cpus,
  localparam int unsigned Clients    = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth   = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth   = $clog2(Cfg.Threads),
  localparam int unsigned Queues     = queues(Cfg.Cpus, Cfg.Policy),
  localparam int unsigned QueueWidth = $clog2(Queues),
  localparam bit          Deadlines  = Cfg.Policy == PolicyEdf,
  localparam int unsigned KeyWidth   = key_width(Cfg.Policy, Cfg.Priorities),
  localparam int unsigned LevelWidth = KeyWidth + 1,
  parameter  type         serves_t   = logic,  // defined by cl_kernel_tables
  parameter  type         next_t     = logic   // defined by cl_kernel
) (
  input  logic                  [CpuWidth-1:0] cpu_i,
  input  logic                [QueueWidth-1:0] dynamic_i,        // the queue of the dynamic threads that it may run
  input  logic                                 turn_dynamic_i,
  input  logic                [LevelWidth-1:0] level_i,          // of the client's current thread
  input  serves_t                              serves_i,         // with Reserve
  input  logic [Queues-1:0]                    best_valid_i,
  input  logic [Queues-1:0]     [KeyWidth-1:0] best_priority_i,
  input  logic [Queues-1:0]     [TidWidth-1:0] best_tid_i,
  input  logic                                 bound_valid_i,    // the thread bound to the client is ready:
  input  logic                  [TidWidth-1:0] bound_tid_i,

  output next_t                                next_o
);

  function automatic logic first(input logic [LevelWidth-1:0] a, input logic [LevelWidth-1:0] b);
    first = comes_first(Deadlines, RankWidth'(a), RankWidth'(b), 1'b0);
  endfunction

  logic                  is_cpu, dynamic_valid, static_valid, use_dynamic, any, tie, bound;
  logic [QueueWidth-1:0] home;
  logic [QueueWidth-1:0] own;
  logic [LevelWidth-1:0] queued_level;

  assign is_cpu        = 32'(cpu_i) < Cpus;
  assign dynamic_valid = is_cpu && best_valid_i[dynamic_i] && (!Cfg.Reserve || serves_i.open);

  // The queue of placed threads
  logic several;

  if (Cfg.Reserve) begin : g_kept
    always_comb begin
      own          = QueueWidth'(1);
      static_valid = 1'b0;
      several      = 1'b0;
      for (int unsigned q = 1; q <= Cpus; q++) begin
        if (is_cpu && serves_i.keeps[q-1] && best_valid_i[q]) begin
          if (!static_valid || first({1'b1, best_priority_i[q]}, {1'b1, best_priority_i[own]})) begin
            static_valid = 1'b1;
            several      = 1'b0;
            own          = QueueWidth'(q);
          end else if (best_priority_i[q] == best_priority_i[own]) begin
            several = 1'b1;
            if (QueueWidth'(q) > serves_i.turn && own <= serves_i.turn) own = QueueWidth'(q);
          end
        end
      end
    end
  end else begin : g_own
    assign own          = QueueWidth'(cpu_i) + QueueWidth'(1);
    assign static_valid = is_cpu && best_valid_i[own];
    assign several      = 1'b0;

    logic unused;
    assign unused = ^serves_i;
  end

  assign tie = dynamic_valid && static_valid && best_priority_i[dynamic_i] == best_priority_i[own];

  always_comb begin
    if (tie)                use_dynamic = turn_dynamic_i;
    else if (!static_valid) use_dynamic = 1'b1;
    else                    use_dynamic = dynamic_valid && first({1'b1, best_priority_i[dynamic_i]}, {1'b1, best_priority_i[own]});
  end

  assign home         = use_dynamic ? dynamic_i : own;
  assign queued_level = {1'b1, best_priority_i[home]};
  assign bound        = !dynamic_valid && !static_valid;
  assign any          = !bound || bound_valid_i;

  always_comb begin
    next_o            = '0;
    next_o.any        = any;
    next_o.misplaced  = Cfg.Reserve && serves_i.misplaced;
    // No thread is below an idle thread, and a unit has one thread only: these two are never better or equal.
    next_o.better     = (!bound && first(queued_level, level_i)) || (next_o.misplaced && any);
    next_o.equal      = !bound && queued_level == level_i && !next_o.misplaced;
    next_o.tie        = tie;
    next_o.placed_tie = several && !use_dynamic;
    next_o.bound      = bound;
    next_o.home       = home;
    next_o.tid        = best_tid_i[home];
    next_o.level      = queued_level;
    if (bound) begin
      next_o.tid   = bound_tid_i;
      next_o.level = !is_cpu     ? {1'b1, KeyWidth'(priority_key(Deadlines, RankWidth'(Cfg.Priorities - 1)))} :
                     Cfg.Reserve ? serves_i.bound_level : '0;
    end
  end

endmodule
