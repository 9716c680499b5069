// SPDX-License-Identifier: Apache-2.0
// The next thread of one client; combinational.
//
// A CPU's is the better of the dynamic queue's best and its static queue's best, of equals the one whose turn it is;
// without either its idle thread. A hardware thread's unit runs the thread that is bound to it and no other.
// A level is a priority with a one before it, or 0: an idle thread.
module cl_kernel_next #(
  parameter  int unsigned Cpus          = 2,
  parameter  int unsigned HwThreads     = 0,
  parameter  int unsigned TidWidth      = 6,
  parameter  int unsigned Priorities    = 32,
  localparam int unsigned PriorityWidth = $clog2(Priorities),
  localparam int unsigned LevelWidth    = PriorityWidth + 1,
  localparam int unsigned Clients       = Cpus + HwThreads,
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned QueueWidth    = $clog2(Cpus + 1)
) (
  input  logic                  [CpuWidth-1:0] cpu_i,
  input  logic                                 turn_dynamic_i,
  input  logic                [LevelWidth-1:0] level_i,          // of the client's current thread
  input  logic   [Cpus:0]                      best_valid_i,
  input  logic   [Cpus:0]  [PriorityWidth-1:0] best_priority_i,
  input  logic   [Cpus:0]       [TidWidth-1:0] best_tid_i,
  input  logic                                 bound_valid_i,    // the thread bound to the client is ready:
  input  logic                  [TidWidth-1:0] bound_tid_i,

  output logic                                 any_o,
  output logic                                 better_o,         // its level is higher than level_i
  output logic                                 equal_o,
  output logic                                 tie_o,            // taking it passes the turn on
  output logic                                 bound_o,          // it is the one bound to the client; else:
  output logic                [QueueWidth-1:0] queue_o,
  output logic                  [TidWidth-1:0] tid_o,
  output logic                [LevelWidth-1:0] level_o
);

  logic                  is_cpu, dynamic_valid, static_valid, use_dynamic;
  logic [QueueWidth-1:0] own;
  logic [LevelWidth-1:0] queued_level;

  assign own           = QueueWidth'(cpu_i) + QueueWidth'(1);
  assign is_cpu        = 32'(cpu_i) < Cpus;
  assign dynamic_valid = is_cpu && best_valid_i[0];
  assign static_valid  = is_cpu && best_valid_i[own];
  assign tie_o         = dynamic_valid && static_valid && best_priority_i[0] == best_priority_i[own];

  always_comb begin
    if (tie_o)              use_dynamic = turn_dynamic_i;
    else if (!static_valid) use_dynamic = 1'b1;
    else                    use_dynamic = dynamic_valid && best_priority_i[0] > best_priority_i[own];
  end

  assign queue_o      = use_dynamic ? '0 : own;
  assign queued_level = {1'b1, best_priority_i[queue_o]};
  assign bound_o      = !dynamic_valid && !static_valid;
  assign any_o        = !bound_o || bound_valid_i;
  // No thread is below an idle thread, and a unit has one thread only: these two are never better or equal.
  assign better_o     = !bound_o && queued_level > level_i;
  assign equal_o      = !bound_o && queued_level == level_i;

  always_comb begin
    tid_o   = best_tid_i[queue_o];
    level_o = queued_level;
    if (bound_o) begin
      tid_o   = bound_tid_i;
      level_o = is_cpu ? '0 : {1'b1, PriorityWidth'(Priorities - 1)};
    end
  end

endmodule
