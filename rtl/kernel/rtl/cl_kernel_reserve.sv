// SPDX-License-Identifier: Apache-2.0
// Reservations ([GF]: Golden-Finger in one operation): which CPU runs which threads.
//
// A reserved CPU runs only its owner, and no other CPU runs the owner. When ready the owner waits in the CPU's register
// of cl_kernel_bound. No thread is moved for that: each queue of placed threads has a keeper, the CPU that serves it;
// reserve_i hands the CPU's queues to the least loaded other CPU, release_i returns the CPU's own queue. So an
// unreserved CPU keeps its own queue, and a keeper is never reserved.
// A running thread is misplaced if its CPU is reserved for another thread, or if it owns another CPU: it must give way
// to any permitted thread.
// A CPU's load is the number of ready threads in the queues it keeps, plus one if it runs a thread.
//
// Strobes take effect in the next cycle. Outputs about the thread read (tid_i and its record) are combinational;
// successor_o is that of the CPU ask_i of the previous cycle, in the state of that cycle.
// Without Reserve all of it is fixed: a CPU keeps its own queue.
module cl_kernel_reserve
  import cl_kernel_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg           = Default,
  localparam int unsigned Cpus          = Cfg.Cpus,
  localparam int unsigned Clients       = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth      = $clog2(Cfg.Threads),
  localparam int unsigned QueueWidth    = $clog2(Cpus + 1),
  localparam int unsigned PriorityWidth = key_width(Cfg.Policy, Cfg.Priorities),
  localparam int unsigned LevelWidth    = PriorityWidth + 1,
  parameter  type         serves_t      = logic  // defined by cl_kernel_tables
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  // The thread read
  input  logic                 [TidWidth-1:0] raddr_i,
  input  logic                 [TidWidth-1:0] tid_i,
  input  logic                 [CpuWidth-1:0] cpu_i,
  input  logic                                static_i,
  input  logic            [PriorityWidth-1:0] priority_i,
  output logic                 [CpuWidth-1:0] home_o,       // where it is placed, if it is static
  output logic                                owned_o,      // it has a CPU alone
  output logic                                only_o,       // one client alone may run it now:
  output logic                 [CpuWidth-1:0] client_o,

  // Where a thread is placed
  input  logic                                home_we_i,
  input  logic                 [TidWidth-1:0] home_tid_i,
  input  logic                 [CpuWidth-1:0] home_i,

  // Which CPU runs which threads
  input  logic [Cpus-1:0]                     running_i,
  input  logic [Cpus-1:0]      [TidWidth-1:0] current_tid_i,
  input  logic [Cpus-1:0]    [LevelWidth-1:0] level_i,
  output logic [Clients-1:0]                  open_o,       // a CPU, and not reserved
  output logic [Cpus-1:0]                     misplaced_o,  // the current thread, if any, is misplaced
  output logic [Cpus-1:0]          [Cpus-1:0] keeps_o,      // by CPU: whose queues it serves

  // The threads that client next_cpu_i may run. Of several queues of placed threads that tie the next one
  // wins, round-robin: tie_i, when tie_queue_i has won for CPU tie_cpu_i
  input  logic                 [CpuWidth-1:0] next_cpu_i,
  output serves_t                             serves_o,
  input  logic                                tie_i,
  input  logic                 [CpuWidth-1:0] tie_cpu_i,
  input  logic               [QueueWidth-1:0] tie_queue_i,

  // Changes
  input  logic                         [9:0]  ask_i,        // the CPU whose successor_o is requested
  output logic                                successor_valid_o, // there is another unreserved CPU:
  output logic                 [CpuWidth-1:0] successor_o,  // the least loaded one, which takes over the queues
  input  logic                                reserve_i,    // CPU change_cpu_i, for the thread read
  input  logic                                release_i,
  input  logic                 [CpuWidth-1:0] change_cpu_i,
  input  logic                                set_priority_i,  // of the thread read
  input  logic            [PriorityWidth-1:0] new_priority_i,

  // The ready queue takes an operation
  input  logic                                queue_take_i,
  input  queue_op_e                           queue_op_i,
  input  logic               [QueueWidth-1:0] queue_i
);

  if (!Cfg.Reserve) begin : g_fixed
    assign home_o       = cpu_i;
    assign owned_o      = 1'b0;
    assign only_o       = static_i;
    assign client_o     = cpu_i;
    assign open_o       = Clients'({Cpus{1'b1}});
    assign serves_o     = '0;
    assign misplaced_o       = '0;
    assign successor_valid_o = 1'b0;
    assign successor_o       = '0;
    for (genvar c = 0; c < Cpus; c++) begin : g_keeps
      assign keeps_o[c] = Cpus'(1) << c;
    end

    logic unused;
    assign unused = ^{clk_i, rst_ni, raddr_i, tid_i, priority_i, home_we_i, home_tid_i, home_i, running_i,
                      current_tid_i, level_i, ask_i, reserve_i, release_i, change_cpu_i, set_priority_i, new_priority_i,
                      queue_take_i, queue_op_i, queue_i, next_cpu_i, tie_i, tie_cpu_i, tie_queue_i};
  end else begin : g_reserve
    typedef logic [TidWidth:0] count_t;

    logic [Cpus-1:0]                    reserved_q;
    logic [Cpus-1:0]     [TidWidth-1:0] owner_q;
    logic [Cpus-1:0][PriorityWidth-1:0] priority_q;  // the owner's
    logic [Cpus-1:0]     [CpuWidth-1:0] keeper_q;    // of the queue of the threads placed on this CPU
    logic [Cpus-1:0]                    owns;        // the thread read owns it
    logic                [CpuWidth-1:0] home;

    logic unused;
    assign unused = ^cpu_i;

    cl_ram_1r1w #(.Width(CpuWidth), .AddrWidth(TidWidth), .Early(1'b1)) u_home (
      .clk_i, .we_i(home_we_i), .waddr_i(home_tid_i), .wdata_i(home_i), .raddr_i, .rdata_o(home)
    );

    assign home_o  = home;
    assign owned_o = owns != '0;
    assign only_o  = static_i | owned_o;

    always_comb begin
      // A hardware thread's home is its unit.
      client_o = home;
      for (int unsigned c = 0; c < Cpus; c++) begin
        owns[c] = reserved_q[c] && owner_q[c] == tid_i;
        if (home == CpuWidth'(c)) client_o = keeper_q[c];
      end
      for (int unsigned c = 0; c < Cpus; c++) begin
        if (owns[c]) client_o = CpuWidth'(c);
      end
    end

    always_comb begin
      open_o = '0;
      for (int unsigned c = 0; c < Cpus; c++) begin
        open_o[c]        = ~reserved_q[c];
        misplaced_o[c]   = 1'b0;
        for (int unsigned o = 0; o < Cpus; o++) begin
          if (reserved_q[o] && (owner_q[o] == current_tid_i[c]) != (o == c)) misplaced_o[c] = 1'b1;
          keeps_o[c][o] = keeper_q[o] == CpuWidth'(c);
        end
      end
    end

    // A hardware thread runs one thread only, whatever is reserved.
    logic [Clients-1:0][QueueWidth-1:0] turn_q;

    always_comb begin
      serves_o      = '0;
      serves_o.open = 1'b1;
      serves_o.turn = turn_q[next_cpu_i];
      for (int unsigned c = 0; c < Cpus; c++) begin
        if (next_cpu_i == CpuWidth'(c)) begin
          serves_o.open        = open_o[c];
          serves_o.misplaced   = misplaced_o[c];
          serves_o.keeps       = keeps_o[c];
          serves_o.bound_level = reserved_q[c] ? {1'b1, priority_q[c]} : '0;
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        for (int unsigned c = 0; c < Clients; c++) turn_q[c] <= QueueWidth'(1);
      end else if (tie_i) begin
        turn_q[tie_cpu_i] <= tie_queue_i;
      end
    end

    // The least loaded CPU except ask_i
    logic [Cpus-1:0][TidWidth:0] ready_q, load;
    logic                        successor_valid;
    logic         [CpuWidth-1:0] successor;
    logic           [TidWidth:0] least;

    always_comb begin
      successor_valid = 1'b0;
      successor       = '0;
      least      = '0;
      for (int unsigned c = 0; c < Cpus; c++) begin
        load[c] = (TidWidth + 1)'(running_i[c] && level_i[c] != '0);
        for (int unsigned h = 0; h < Cpus; h++) begin
          if (keeps_o[c][h]) load[c] += ready_q[h];
        end
        if (!reserved_q[c] && 32'(ask_i) != c && (!successor_valid || load[c] < least)) begin
          successor_valid = 1'b1;
          successor       = CpuWidth'(c);
          least      = load[c];
        end
      end
    end

    logic pushed;
    assign pushed = queue_op_i == QueuePushBack || queue_op_i == QueuePushFront;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        successor_valid_o <= 1'b0;
        successor_o       <= '0;
        reserved_q   <= '0;
        owner_q      <= '0;
        priority_q   <= '0;
        ready_q      <= '0;
        for (int unsigned c = 0; c < Cpus; c++) keeper_q[c] <= CpuWidth'(c);
      end else begin
        successor_valid_o <= successor_valid;
        successor_o       <= successor;
        for (int unsigned c = 0; c < Cpus; c++) begin
          if (reserve_i && keeper_q[c] == change_cpu_i) keeper_q[c] <= successor_o;
          if (reserve_i && change_cpu_i == CpuWidth'(c)) begin
            reserved_q[c] <= 1'b1;
            owner_q[c]    <= tid_i;
            priority_q[c] <= priority_i;
          end
          if (release_i && change_cpu_i == CpuWidth'(c)) begin
            reserved_q[c] <= 1'b0;
            keeper_q[c]   <= CpuWidth'(c);
          end
          if (set_priority_i && owns[c]) priority_q[c] <= new_priority_i;
          if (queue_take_i && queue_op_i != QueueMove && 32'(queue_i) == c + 1) begin
            ready_q[c] <= pushed ? ready_q[c] + 1'b1 : ready_q[c] - 1'b1;
          end
        end
      end
    end

`ifndef SYNTHESIS
    logic [Cpus-1:0] kept;
    always_comb begin
      for (int unsigned c = 0; c < Cpus; c++) begin
        kept[c] = open_o[keeper_q[c]] && (reserved_q[c] || keeper_q[c] == CpuWidth'(c));
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin end else begin
        AssertKept:       assert (&kept);
        AssertOneCpu:     assert ($onehot0(owns));
        AssertReserveNew: assert (!reserve_i || (open_o[change_cpu_i] && !owned_o && successor_valid_o));
        AssertReleaseOld: assert (!release_i || !open_o[change_cpu_i]);
      end
    end
`endif
  end

endmodule
