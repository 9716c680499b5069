// SPDX-License-Identifier: Apache-2.0
// A ready queue as ready_queue.cpp wants it: fixed widths, arrays that C++ can index.
module cl_ready_queue_referee
  import cl_ready_queue_pkg::*;
#(
  parameter int unsigned Build      = BuildBitmap,
  parameter int unsigned Queues     = 3,
  parameter int unsigned Threads    = 64,
  parameter int unsigned Priorities = 32,
  parameter bit          Deadlines  = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic  [2:0] op_i,
  input  logic  [7:0] queue_i,
  input  logic [31:0] priority_i,
  input  logic [31:0] to_priority_i,
  input  logic [15:0] tid_i,
  output logic [15:0] best_valid_o,
  output logic [31:0] best_priority_o [Queues],
  output logic [15:0] best_tid_o      [Queues],
  output logic [31:0] queues_o,
  output logic [31:0] threads_o,
  output logic [31:0] priorities_o,
  output logic        deadlines_o
);

  localparam int unsigned QueueWidth    = (Queues > 1) ? $clog2(Queues) : 1;
  localparam int unsigned TidWidth      = $clog2(Threads);
  localparam int unsigned PriorityWidth = $clog2(Priorities);

  logic [Queues-1:0]                    best_valid;
  logic [Queues-1:0][PriorityWidth-1:0] best_priority;
  logic [Queues-1:0]     [TidWidth-1:0] best_tid;

  assign best_valid_o = 16'(best_valid);
  assign queues_o       = Queues;
  assign threads_o    = Threads;
  assign priorities_o = Priorities;
  assign deadlines_o  = Deadlines;

  for (genvar q = 0; q <= Queues; q++) begin : g_best
    assign best_priority_o[q] = 32'(best_priority[q]);
    assign best_tid_o[q]      = 16'(best_tid[q]);
  end

  cl_ready_queue #(
    .Build      (Build),
    .Queues     (Queues),
    .Threads    (Threads),
    .Priorities (Priorities),
    .Deadlines  (Deadlines)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o,
    .op_i            (queue_op_e'(op_i)),
    .queue_i         (queue_i[QueueWidth-1:0]),
    .priority_i      (priority_i[PriorityWidth-1:0]),
    .to_priority_i   (to_priority_i[PriorityWidth-1:0]),
    .tid_i           (tid_i[TidWidth-1:0]),
    .best_valid_o    (best_valid),
    .best_priority_o (best_priority),
    .best_tid_o      (best_tid)
  );

endmodule
