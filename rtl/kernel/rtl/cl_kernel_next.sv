// SPDX-License-Identifier: Apache-2.0
// The next thread of one CPU: the better of the dynamic queue's best and the CPU's static queue's best, of
// equals the one whose turn it is; combinational.
module cl_kernel_next #(
  parameter  int unsigned Cpus          = 2,
  parameter  int unsigned TidWidth      = 6,
  parameter  int unsigned PriorityWidth = 5,
  localparam int unsigned CpuWidth      = (Cpus > 1) ? $clog2(Cpus) : 1,
  localparam int unsigned QueueWidth    = $clog2(Cpus + 1)
) (
  input  logic                  [CpuWidth-1:0] cpu_i,
  input  logic                                 turn_dynamic_i,
  input  logic             [PriorityWidth-1:0] priority_i,       // of the CPU's current thread
  input  logic   [Cpus:0]                      best_valid_i,
  input  logic   [Cpus:0]  [PriorityWidth-1:0] best_priority_i,
  input  logic   [Cpus:0]       [TidWidth-1:0] best_tid_i,

  output logic                                 any_o,
  output logic                                 better_o,         // its priority is higher than priority_i
  output logic                                 equal_o,
  output logic                                 tie_o,            // taking it passes the turn on
  output logic                [QueueWidth-1:0] queue_o,
  output logic                  [TidWidth-1:0] tid_o,
  output logic             [PriorityWidth-1:0] priority_o
);

  logic [QueueWidth-1:0] own;
  logic                  use_dynamic;

  assign own   = QueueWidth'(cpu_i) + QueueWidth'(1);
  assign any_o = best_valid_i[0] | best_valid_i[own];
  assign tie_o = best_valid_i[0] && best_valid_i[own] && best_priority_i[0] == best_priority_i[own];

  always_comb begin
    if (tie_o)                   use_dynamic = turn_dynamic_i;
    else if (!best_valid_i[own]) use_dynamic = 1'b1;
    else                         use_dynamic = best_valid_i[0] && best_priority_i[0] > best_priority_i[own];
  end

  assign queue_o    = use_dynamic ? '0 : own;
  assign tid_o      = best_tid_i[queue_o];
  assign priority_o = best_priority_i[queue_o];
  assign better_o   = any_o && priority_o > priority_i;
  assign equal_o    = any_o && priority_o == priority_i;

endmodule
