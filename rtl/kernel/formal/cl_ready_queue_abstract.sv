// SPDX-License-Identifier: Apache-2.0
// The proven properties of cl_ready_queue (cl_ready_queue_formal), which replace it in proofs of its user: the
// reference as a module, with the cycles of every build, and the user's promises as assertions. It shows nonsense
// while not ready.
module cl_ready_queue  // verilog_lint: waive module-filename
  import cl_ready_queue_pkg::*;
#(
  parameter  int unsigned Build         = BuildBitmap,
  parameter  int unsigned Queues        = 1,
  parameter  int unsigned Threads       = 3,
  parameter  int unsigned Priorities    = 3,
  parameter  bit          Deadlines     = 1'b0,
  parameter  bit          Pipeline      = 1'b0,
  localparam int unsigned QueueWidth    = (Queues > 1) ? $clog2(Queues) : 1,
  localparam int unsigned TidWidth      = $clog2(Threads),
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  input  logic                                 valid_i,
  output logic                                 ready_o,
  input  queue_op_e                            op_i,
  input  logic                [QueueWidth-1:0] queue_i,
  input  logic             [PriorityWidth-1:0] priority_i,
  input  logic             [PriorityWidth-1:0] to_priority_i,
  input  logic                  [TidWidth-1:0] tid_i,

  output logic [Queues-1:0]                    best_valid_o,
  output logic [Queues-1:0][PriorityWidth-1:0] best_priority_o,
  output logic [Queues-1:0]     [TidWidth-1:0] best_tid_o
);

  logic [Threads-1:0]                    queued_q;
  logic [Threads-1:0]   [QueueWidth-1:0] where_q;
  logic [Threads-1:0][PriorityWidth-1:0] level_q;
  logic [Threads-1:0]      [Threads-1:0] older_q;  // [t][u]: t is before u; of threads at the same level
  logic                            [7:0] left_q, count;

  logic                accept, push;
  logic [TidWidth-1:0] tid;

  assign ready_o = left_q == 8'd0;
  assign accept  = valid_i & ready_o;
  assign push    = op_i == QueuePushBack || op_i == QueuePushFront;
  assign tid     = (op_i == QueuePop) ? best_tid_o[queue_i] : tid_i;

  always_comb begin
    logic first;
    best_valid_o    = '0;
    best_priority_o = '0;
    best_tid_o      = '0;
    count           = '0;
    for (int unsigned t = 0; t < Threads; t++) begin
      count += 8'(queued_q[t]);
      first  = queued_q[t];
      for (int unsigned u = 0; u < Threads; u++) begin
        if (u != t && queued_q[u] && where_q[u] == where_q[t] &&
            (comes_first(Deadlines, RankWidth'(level_q[u]), RankWidth'(level_q[t]), 1'b0) ||
             (level_q[u] == level_q[t] && older_q[u][t]))) first = 1'b0;
      end
      if (first) begin
        best_valid_o[where_q[t]]    = 1'b1;
        best_priority_o[where_q[t]] = level_q[t];
        best_tid_o[where_q[t]]      = TidWidth'(t);
      end
    end
    if (!ready_o) begin
      best_valid_o    = ~best_valid_o;
      best_priority_o = ~best_priority_o;
      best_tid_o      = ~best_tid_o;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      queued_q <= '0;
      where_q  <= '0;
      level_q  <= '0;
      older_q  <= '0;
      left_q   <= '0;
    end else begin
      if (!ready_o) left_q <= left_q - 8'd1;
      if (accept) begin
        unique case (op_i)
          QueuePushBack, QueuePushFront: left_q <= 8'(Pipeline) + 8'd1;
          QueueMove:                     left_q <= 8'(Pipeline) + ((Build == BuildLinear) ? count + 8'd2 : 8'd3);
          default:                       left_q <= 8'(Pipeline) + ((Build == BuildLinear) ? count + 8'd1 : 8'd2);
        endcase
        queued_q[tid] <= push | op_i == QueueMove;
        where_q[tid]  <= queue_i;
        level_q[tid]  <= push ? priority_i : to_priority_i;
        for (int unsigned t = 0; t < Threads; t++) begin
          older_q[t][tid] <= op_i != QueuePushFront;
          older_q[tid][t] <= op_i == QueuePushFront;
        end
      end
    end
  end

  // The user's promises
  always_comb begin
    if (rst_ni) begin
      for (int unsigned t = 0; t < Threads; t++) assert (!queued_q[t] || 32'(where_q[t]) < Queues);
    end
    if (rst_ni && accept) begin
      AssertOp:    assert (op_i <= QueueMove);
      AssertQueue: assert (32'(queue_i) < Queues);
      AssertTid:   assert (op_i == QueuePop || 32'(tid_i) < Threads);
      AssertLevel: assert (op_i == QueuePop || 32'(priority_i) < Priorities);
      AssertTo:    assert (op_i != QueueMove || 32'(to_priority_i) < Priorities);
      if (push)                  AssertPush: assert (!queued_q[tid_i]);
      else if (op_i == QueuePop) AssertPop:  assert (best_valid_o[queue_i]);
      else AssertRemove: assert (queued_q[tid_i] && where_q[tid_i] == queue_i && level_q[tid_i] == priority_i);
    end
  end

endmodule
