// SPDX-License-Identifier: Apache-2.0
// Policy dwrr: weights, round slices and rounds; which CPU may begin a round, and which has to wait.
//
// A thread of weight w has w x slice_i ticks in a round; an overrun is deducted from its next slice. Round `round_q` is
// the last one that has begun. Of the runnable dynamic threads, those on a CPU or leaving one may be in the round
// before (`behind`), those that have used up their slice are in the next one (`later`), all others are in `round_q`. So
// of the two queues for dynamic threads one is for the current round (now), the other for the next (later); they swap
// when a round begins: when no thread is behind, nothing is queued for now, and a CPU has nothing else to run. Until
// then such a CPU waits: it is held. A weight is infeasible if it exceeds one CPU's share of the total; a thread that
// is behind because of that ends its round when a CPU would be held for it. Each one found leaves one CPU less to the
// others (found_q, removed_*), two cycles each.
//
// A running thread has its numbers in registers of its CPU, 2 cycles after the switch; the others have them in
// memories. A new slice is computed when a CPU runs the thread (`fresh`), by one shared multiplier. Only runnable
// dynamic threads are counted: their number per round, and the sum of their weights.
module cl_kernel_dwrr
  import cl_kernel_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg        = Default,
  localparam int unsigned Cpus       = Cfg.Cpus,
  localparam int unsigned Clients    = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth   = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth   = $clog2(Cfg.Threads),
  localparam int unsigned LevelWidth = key_width(Cfg.Policy, Cfg.Priorities) + 1,
  localparam int unsigned Queues     = queues(Cfg.Cpus, Cfg.Policy),
  localparam int unsigned QueueWidth = $clog2(Queues),
  parameter  type         thread_event_t = logic  // defined by cl_kernel
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              tick_i,
  input  logic                       [15:0] slice_i,
  input  logic                              slice_restart_i,

  // Scheduling state of the CPUs
  input  logic    [Cpus-1:0]                running_i,
  input  logic    [Cpus-1:0]                waiting_i,
  input  logic    [Cpus-1:0]                held_i,       // with waiting_i: the current thread waits for the next round
  input  logic    [Cpus-1:0][LevelWidth-1:0] level_i,      // 0: the current thread is the idle thread
  input  logic    [Cpus-1:0] [TidWidth-1:0] current_i,
  input  logic  [Queues-1:0]                best_valid_i,
  output logic [Clients-1:0]                slice_used_o,
  output logic [Clients-1:0]                slice_known_o,  // slice_used_o is valid: no new slice is being computed

  // Effects of an operation on threads
  input  thread_event_t                     event_i,
  output logic                        [7:0] weight_o,     // of the thread read
  output logic                              later_o,      // its round has not begun, if it is dynamic and ready
  output logic               [Clients-1:0]  ahead_o,      // the current thread is dynamic, and not behind

  // Rounds; settle_i: the engine and the ready queue are idle
  input  logic                              settle_i,
  output logic                              serve_o,      // a waiting load can complete:
  output logic               [CpuWidth-1:0] serve_cpu_o,
  output logic                              busy_o,       // not yet: check again in the next cycle
  input  logic    [Cpus-1:0]                intr_i,       // an interrupt is pending:
  output logic                              end_wait_o,   // if nothing else is pending, a waiting load ends with eintr:
  output logic               [CpuWidth-1:0] end_cpu_o,
  output logic             [QueueWidth-1:0] now_o,        // the queues
  output logic             [QueueWidth-1:0] later_queue_o
);

  localparam int unsigned LeftWidth  = 26;  // 255 x 65535 ticks, plus the overrun
  localparam int unsigned CountWidth = TidWidth + 1;
  localparam int unsigned SumWidth   = TidWidth + 9;
  localparam int unsigned PartWidth  = $clog2(Cpus + 1);
  localparam int unsigned IndexWidth = (Cpus > 1) ? $clog2(Cpus) : 1;

  typedef logic         [TidWidth-1:0] tid_t;
  typedef logic       [IndexWidth-1:0] index_t;  // a CPU
  typedef logic signed [LeftWidth-1:0] left_t;
  typedef logic         [SumWidth-1:0] sum_t;

  localparam left_t LeftLeast = -(left_t'(1) <<< 24);

  typedef struct packed {
    logic       dynamic;
    logic [7:0] weight;
  } attr_t;
  typedef struct packed {
    logic [1:0] round;
    logic       fresh;  // it gets a new slice when it runs
  } place_t;

  function automatic left_t debt(input left_t left);
    return (left < 0) ? left : '0;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Registers of the CPUs

  logic  [1:0]              round_q, last_round, next_round;
  logic  [Cpus-1:0]         known_q, dynamic_q, fresh_q, behind, renews;
  logic  [Cpus-1:0]   [7:0] weight_q;
  logic  [Cpus-1:0]   [1:0] cpu_round_q;
  left_t                    left_q [Cpus];
  index_t                   cpu;   // the caller's

  logic            leave;  // the caller stops running, but is a thread still
  logic            gone;   // the caller is not runnable any more
  logic            ready;  // the thread read becomes runnable
  logic [Cpus-1:0] idle;   // the current thread is the idle thread

  assign leave      = event_i.block | event_i.leave_ready;
  assign gone       = event_i.block | event_i.exit;
  assign ready      = event_i.woken && event_i.state != ThreadReady;
  assign cpu        = index_t'(event_i.cpu);
  assign last_round = round_q - 2'd1;
  assign next_round = round_q + 2'd1;

  always_comb begin
    ahead_o       = '0;
    slice_known_o = '1;
    slice_used_o  = '0;
    for (int unsigned c = 0; c < Cpus; c++) begin
      idle[c]          = level_i[c] == '0;
      behind[c]        = dynamic_q[c] && cpu_round_q[c] == last_round;
      ahead_o[c]       = dynamic_q[c] && !behind[c];
      renews[c]        = fresh_q[c] && (running_i[c] || held_i[c]) && slice_i != '0;
      slice_known_o[c] = !(running_i[c] || held_i[c]) || (known_q[c] && !renews[c]);
      slice_used_o[c]  = known_q[c] && !fresh_q[c] && !idle[c] && slice_i != '0 && left_q[c] <= 0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Memories: of the thread read, and of the thread that a CPU begins to run (`load`)

  logic   load_address_q, load_q, is_hardware, is_caller_hardware;
  index_t load_address_cpu_q, load_cpu_q;
  tid_t   load_tid, attr_waddr, place_waddr, left_waddr;
  attr_t  attr_wdata, attr_load;
  place_t place_wdata, place_load;
  logic [1:0] round;  // of the thread read
  left_t  left_wdata, left_load;
  logic   attr_we, place_we, left_we, enter;

  assign is_hardware        = 32'(event_i.run_cpu) >= Cpus;
  assign is_caller_hardware = 32'(event_i.cpu) >= Cpus;
  assign load_tid           = current_i[load_address_cpu_q];
  assign later_o            = round == next_round;
  // It goes on with its slice if it wakes in the round in which it blocked.
  assign enter              = ready && !(event_i.state == ThreadBlocked && round == round_q);

  always_comb begin
    attr_we    = event_i.init | event_i.create | event_i.weigh | event_i.idle;
    attr_waddr = event_i.create ? event_i.new_tid : event_i.init ? '0 : event_i.tid;
    attr_wdata = '{dynamic: 1'b1, weight: 8'd1};
    if (event_i.create)     attr_wdata.dynamic = !event_i.new_static;
    else if (event_i.weigh) attr_wdata = '{dynamic: !event_i.is_static, weight: event_i.weight};
    else if (event_i.idle)  attr_wdata = '{dynamic: 1'b0, weight: weight_o};

    place_we    = event_i.init | enter | (leave & ~is_caller_hardware);
    place_waddr = leave ? current_i[cpu] : event_i.init ? '0 : event_i.tid;
    place_wdata = '0;
    if (leave) begin
      place_wdata = '{round: cpu_round_q[cpu] + 2'(event_i.spent), fresh: fresh_q[cpu] | event_i.spent};
    end else if (enter) begin
      place_wdata = '{round: round_q, fresh: 1'b1};
    end

    left_we    = event_i.init | event_i.create | (leave & ~is_caller_hardware);
    left_waddr = leave ? current_i[cpu] : event_i.init ? '0 : event_i.new_tid;
    left_wdata = leave ? left_q[cpu] : '0;
  end

  cl_ram_1r1w #(.Width(8), .AddrWidth(TidWidth)) u_weight (
    .clk_i, .we_i(attr_we), .waddr_i(attr_waddr), .wdata_i(attr_wdata.weight), .raddr_i(event_i.raddr), .rdata_o(weight_o)
  );
  cl_ram_1r1w #(.Width($bits(attr_t)), .AddrWidth(TidWidth)) u_attr (
    .clk_i, .we_i(attr_we), .waddr_i(attr_waddr), .wdata_i(attr_wdata), .raddr_i(load_tid), .rdata_o(attr_load)
  );
  cl_ram_1r1w #(.Width(2), .AddrWidth(TidWidth), .Early(1'b1)) u_round (
    .clk_i, .we_i(place_we), .waddr_i(place_waddr), .wdata_i(place_wdata.round), .raddr_i(event_i.raddr), .rdata_o(round)
  );
  cl_ram_1r1w #(.Width($bits(place_t)), .AddrWidth(TidWidth)) u_place (
    .clk_i, .we_i(place_we), .waddr_i(place_waddr), .wdata_i(place_wdata), .raddr_i(load_tid), .rdata_o(place_load)
  );
  cl_ram_1r1w #(.Width(LeftWidth), .AddrWidth(TidWidth)) u_left (
    .clk_i, .we_i(left_we), .waddr_i(left_waddr), .wdata_i(left_wdata), .raddr_i(load_tid), .rdata_o(left_load)
  );

  // ---------------------------------------------------------------------------------------------
  // A new slice: one CPU after the other, in two cycles

  logic        fresh_any, product_valid_q;
  index_t      fresh_cpu, product_cpu_q;
  logic [23:0] product_q;

  always_comb begin
    fresh_any = 1'b0;
    fresh_cpu = '0;
    for (int unsigned c = Cpus; c > 0; c--) begin
      if (known_q[c-1] && renews[c-1] && !(product_valid_q && product_cpu_q == index_t'(c - 1))) begin
        fresh_any = 1'b1;
        fresh_cpu = index_t'(c - 1);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_address_q     <= 1'b0;
      load_address_cpu_q <= '0;
      load_q             <= 1'b0;
      load_cpu_q         <= '0;
      product_valid_q    <= 1'b0;
      product_cpu_q      <= '0;
      product_q          <= '0;
    end else begin
      load_address_q     <= event_i.run & ~is_hardware;
      load_address_cpu_q <= index_t'(event_i.run_cpu);
      load_q             <= load_address_q;
      load_cpu_q         <= load_address_cpu_q;
      product_valid_q    <= fresh_any;
      product_cpu_q      <= fresh_cpu;
      product_q          <= 24'(weight_q[fresh_cpu]) * 24'(slice_i);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Rounds

  logic [3:0][CountWidth-1:0] count_q;
  sum_t                       sum_q;
  logic                       settled, none_behind, now_valid, later_valid, wanted, begin_round, stuck, close;
  logic            [Cpus-1:0] can, can_now, can_later, infeasible, infeasible_q, found_q;
  logic                       infeasible_valid_q;   // infeasible_q is up to date
  index_t                     serve_cpu, close_cpu, end_cpu;
  sum_t                       removed_q;
  logic       [PartWidth-1:0] parts_q;  // CPUs that are left for the others

  assign now_valid   = best_valid_i[round_q[0] ? Cpus + 1 : 0];
  assign later_valid = best_valid_i[round_q[0] ? 0 : Cpus + 1];
  assign none_behind = count_q[last_round] == '0;

  for (genvar c = 0; c < Cpus; c++) begin : g_cpu
    assign can_now[c]    = waiting_i[c] & (now_valid | best_valid_i[1+c] | (held_i[c] & behind[c]));
    assign can_later[c]  = waiting_i[c] & (later_valid | held_i[c]);
    assign infeasible[c] = known_q[c] && dynamic_q[c] && (running_i[c] || held_i[c]) && !found_q[c] &&
                           (SumWidth + 1)'(weight_q[c]) * (SumWidth + 1)'(parts_q) > {1'b0, sum_q - removed_q};
  end

  assign wanted      = held_i != '0 || (later_valid && ((waiting_i != '0) || (running_i & idle) != '0));
  assign settled     = settle_i && can_now == '0 && wanted && !now_valid;
  assign begin_round = settled && none_behind;
  assign stuck       = settled && !none_behind;
  assign close       = stuck && infeasible_valid_q && infeasible_q != '0;
  assign can         = begin_round ? can_later : can_now;
  assign serve_o     = settle_i && can != '0;
  assign serve_cpu_o = CpuWidth'(serve_cpu);
  // A CPU waits, and it is not known yet for which round.
  assign busy_o      = serve_o || begin_round || (stuck && (!infeasible_valid_q || infeasible_q != '0)) ||
                       (!settle_i && ((waiting_i != '0) || (running_i & idle) != '0));

  assign now_o         = (round_q[0] ^ begin_round) ? QueueWidth'(Cpus + 1) : '0;
  assign later_queue_o = round_q[0] ? '0 : QueueWidth'(Cpus + 1);

  assign end_wait_o    = !busy_o && (waiting_i & intr_i) != '0;
  assign end_cpu_o     = CpuWidth'(end_cpu);

  always_comb begin
    serve_cpu = '0;
    close_cpu = '0;
    end_cpu   = '0;
    for (int unsigned c = Cpus; c > 0; c--) begin
      if (can[c-1] && held_i[c-1])       serve_cpu = index_t'(c - 1);
      if (infeasible_q[c-1])             close_cpu = index_t'(c - 1);
      if (waiting_i[c-1] && intr_i[c-1]) end_cpu   = index_t'(c - 1);
    end
    for (int unsigned c = Cpus; c > 0; c--) begin
      if (can[c-1] && !held_i[c-1]) serve_cpu = index_t'(c - 1);
    end
  end

  // Threads that change their round, or start or stop being counted: one thread per cycle
  logic       plus, minus, closes;
  logic [1:0] plus_round, minus_round;
  logic [7:0] plus_weight, minus_weight;

  assign closes = close && behind[close_cpu];

  always_comb begin
    plus         = ready & ~event_i.is_static;
    plus_round   = round_q;
    plus_weight  = weight_o;
    minus        = 1'b0;
    minus_round  = cpu_round_q[cpu];
    minus_weight = '0;
    if (gone && !is_caller_hardware && dynamic_q[cpu]) begin
      minus        = 1'b1;
      minus_weight = weight_q[cpu];
    end else if (event_i.suspend && !event_i.is_static) begin
      minus        = 1'b1;
      minus_round  = round;
      minus_weight = weight_o;
    end else if (event_i.spent && dynamic_q[cpu]) begin
      plus         = 1'b1;
      plus_round   = cpu_round_q[cpu] + 2'd1;
      plus_weight  = '0;
      minus        = 1'b1;
    end else if (closes) begin
      plus         = 1'b1;
      plus_weight  = '0;
      minus        = 1'b1;
      minus_round  = last_round;
    end else if (event_i.weigh && event_i.state inside {ThreadReady, ThreadRunning} && !event_i.is_static) begin
      plus         = 1'b1;
      plus_weight  = event_i.weight;
      minus        = 1'b1;
      minus_round  = round_q;
      minus_weight = weight_o;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q      <= '0;
      count_q      <= (4*CountWidth)'(1);  // thread 0
      sum_q        <= sum_t'(1);
      found_q      <= '0;
      removed_q    <= '0;
      parts_q      <= PartWidth'(Cpus);
      infeasible_q <= '0;
      infeasible_valid_q <= 1'b0;
    end else begin
      infeasible_q <= infeasible;
      infeasible_valid_q <= !(plus || minus || close || event_i.run || load_address_q || load_q || (found_q != '0 && !stuck));
      round_q      <= round_q + 2'(begin_round);
      for (int unsigned r = 0; r < 4; r++) begin
        count_q[r] <= count_q[r] + CountWidth'(plus && plus_round == 2'(r)) - CountWidth'(minus && minus_round == 2'(r));
      end
      sum_q <= sum_q + (plus ? sum_t'(plus_weight) : '0) - (minus ? sum_t'(minus_weight) : '0);
      if (close) begin
        found_q[close_cpu] <= 1'b1;
        removed_q          <= removed_q + sum_t'(weight_q[close_cpu]);
        parts_q            <= parts_q - 1'b1;
      end else if (!stuck) begin
        found_q   <= '0;
        removed_q <= '0;
        parts_q   <= PartWidth'(Cpus);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Updates of the CPUs' registers

  for (genvar c = 0; c < Cpus; c++) begin : g_registers
    localparam index_t Index = index_t'(c);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        known_q[c]     <= c == 0;
        dynamic_q[c]   <= c == 0;
        fresh_q[c]     <= 1'b0;
        weight_q[c]    <= 8'd1;
        cpu_round_q[c] <= '0;
        left_q[c]      <= '0;
      end else begin
        if (tick_i && running_i[c] && !idle[c] && slice_i != '0 && left_q[c] != LeftLeast) left_q[c] <= left_q[c] - 1'b1;
        if (product_valid_q && product_cpu_q == Index && fresh_q[c]) begin
          left_q[c]  <= left_t'({2'b00, product_q}) + debt(left_q[c]);
          fresh_q[c] <= 1'b0;
        end
        if (slice_restart_i && (running_i[c] || held_i[c])) fresh_q[c] <= 1'b1;
        if (event_i.spent && 32'(event_i.cpu) == c) begin
          cpu_round_q[c] <= cpu_round_q[c] + 2'd1;
          fresh_q[c]     <= 1'b1;
        end
        if (enter && event_i.in_place && 32'(event_i.in_place_cpu) == c) begin
          cpu_round_q[c] <= round_q;
          fresh_q[c]     <= 1'b1;
        end
        if (closes && close_cpu == Index) begin
          cpu_round_q[c] <= round_q;
          fresh_q[c]     <= 1'b1;
        end
        if (event_i.weigh && event_i.in_place && 32'(event_i.in_place_cpu) == c) weight_q[c] <= event_i.weight;
        if (load_q && load_cpu_q == Index) begin
          known_q[c]     <= 1'b1;
          dynamic_q[c]   <= attr_load.dynamic;
          weight_q[c]    <= attr_load.weight;
          cpu_round_q[c] <= place_load.round;
          fresh_q[c]     <= place_load.fresh;
          left_q[c]      <= left_load;
        end
        if (event_i.run && 32'(event_i.run_cpu) == c) known_q[c] <= 1'b0;
      end
    end
  end

`ifndef SYNTHESIS
  logic [Cpus-1:0] too_far, held_wrong;

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) begin
      too_far[c]    = known_q[c] && dynamic_q[c] && (running_i[c] || held_i[c]) && !behind[c] && cpu_round_q[c] != round_q;
      held_wrong[c] = held_i[c] && !(known_q[c] && dynamic_q[c] && waiting_i[c]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      // No CPU runs a thread above L + 1: L is the last round that has begun, or the one before.
      AssertNoneTooFar:   assert (too_far == '0);
      AssertHeldCanRun:   assert (held_wrong == '0);
      // A CPU is held, or idle with a thread in the next round, only for one that is behind.
      AssertHeldForOne:   assert (!(settle_i && !busy_o && wanted && !now_valid) || !none_behind);
      // A thread's round is the last that has begun, the one before, or the next one.
      AssertThreeRounds:  assert (count_q[round_q + 2'd2] == '0);
      AssertCallerKnown:  assert (!(leave || gone || event_i.spent) || is_caller_hardware || known_q[cpu]);
      AssertOneWriter:    assert ($onehot0({event_i.init, enter, leave}));
    end
  end
`endif

endmodule
