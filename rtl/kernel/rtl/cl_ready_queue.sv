// SPDX-License-Identifier: Apache-2.0
// Ready queue: the threads that can run, by queue and priority, first in first out within a priority.
//
// One interface, three structures, chosen by Build; results are the same, only the cycles differ:
//   BuildLinear               cl_ready_queue_linear: one FIFO, traversed, O(n)
//   BuildBitmap, BuildHybrid  cl_ready_queue_bitmap: a FIFO per priority, O(1)
//   BuildSorted               cl_ready_queue_sorted: cells that compare at once, O(1), for few threads and any number of
//                             priorities; with Deadlines a priority is a key that may be a deadline (cl_ready_queue_pkg)
// Interface:
//   A thread is in one queue at most, at one priority. The user assigns the queues: cl_kernel has one for dynamic
//   threads and one per CPU, cl_scheduler has one.
//   An operation is taken in a cycle with valid_i and ready_o. Pop uses queue_i only and takes the thread
//   shown as the best of that queue; the others use queue_i, priority_i and tid_i. Move also uses to_priority_i:
//   where the thread goes; priority_i is where it is.
//   best_*_o of every queue are registers and exact while ready_o is high: reading the next thread takes no extra
//   cycle. The best is the first thread of the highest priority.
//   The caller guarantees: a thread is pushed once at most, removed and moved from where it is, popped where valid.
// Cycles are from taking an operation to ready_o; see the structures.
module cl_ready_queue
  import cl_ready_queue_pkg::*;
#(
  parameter  int unsigned Build         = BuildBitmap,
  parameter  int unsigned Queues        = 3,
  parameter  int unsigned Threads       = 64,
  parameter  int unsigned Priorities    = 32,
  parameter  bit          Deadlines     = 1'b0,  // only with BuildSorted
  parameter  bit          Pipeline      = 1'b0,  // an operation begins a cycle later, from registers
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

  // The operation for the structure
  logic                     start, ready;
  queue_op_e                op;
  logic    [QueueWidth-1:0] queue;
  logic [PriorityWidth-1:0] level, to_level;
  logic      [TidWidth-1:0] tid;

  cl_pipeline_register #(.Registered(Pipeline), .Width($bits(queue_op_e) + QueueWidth + 2 * PriorityWidth + TidWidth)) u_op (
    .clk_i,
    .d_i ({op_i, queue_i, priority_i, to_priority_i, tid_i}),
    .q_o ({op, queue, level, to_level, tid})
  );

  if (Pipeline) begin : g_pipeline
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) start <= 1'b0;
      else         start <= valid_i & ready_o;
    end
    assign ready_o = ready & ~start;

`ifndef SYNTHESIS
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin end else AssertStart: assert (!start || ready);
    end
`endif
  end else begin : g_at_once
    assign start   = valid_i;
    assign ready_o = ready;
  end

  if (Build == BuildLinear) begin : g_linear
    cl_ready_queue_linear #(
      .Queues     (Queues),
      .Threads    (Threads),
      .Priorities (Priorities)
    ) u_linear (
      .clk_i,
      .rst_ni,
      .valid_i         (start),
      .ready_o         (ready),
      .op_i            (op),
      .queue_i         (queue),
      .priority_i      (level),
      .to_priority_i   (to_level),
      .tid_i           (tid),
      .best_valid_o,
      .best_priority_o,
      .best_tid_o
    );
  end else if (Build == BuildSorted) begin : g_sorted
    cl_ready_queue_sorted #(
      .Queues     (Queues),
      .Threads    (Threads),
      .Priorities (Priorities),
      .Deadlines  (Deadlines)
    ) u_sorted (
      .clk_i,
      .rst_ni,
      .valid_i         (start),
      .ready_o         (ready),
      .op_i            (op),
      .queue_i         (queue),
      .priority_i      (level),
      .to_priority_i   (to_level),
      .tid_i           (tid),
      .best_valid_o,
      .best_priority_o,
      .best_tid_o
    );
  end else begin : g_bitmap
    cl_ready_queue_bitmap #(
      .Queues     (Queues),
      .Threads    (Threads),
      .Priorities (Priorities)
    ) u_bitmap (
      .clk_i,
      .rst_ni,
      .valid_i         (start),
      .ready_o         (ready),
      .op_i            (op),
      .queue_i         (queue),
      .priority_i      (level),
      .to_priority_i   (to_level),
      .tid_i           (tid),
      .best_valid_o,
      .best_priority_o,
      .best_tid_o
    );
  end

`ifndef SYNTHESIS
  // Where each thread is queued, stored separately from the lists, to check both them and their user.
  typedef struct packed {
    logic                     queued;
    logic    [QueueWidth-1:0] where;
    logic [PriorityWidth-1:0] level;
  } place_t;
  place_t                     place_q [2**TidWidth];
  logic        [TidWidth-1:0] best_tid;
  logic   [PriorityWidth-1:0] best_priority;

  assign best_tid      = best_tid_o[queue_i];
  assign best_priority = best_priority_o[queue_i];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned t = 0; t < 2**TidWidth; t++) place_q[t] <= '0;
    end else if (valid_i && ready_o) begin
      AssertQueueExists:  assert (32'(queue_i) < Queues);
      AssertThreadExists: assert (op_i == QueuePop || 32'(tid_i) < Threads);
      unique case (op_i)
        QueuePushBack, QueuePushFront: begin
          AssertQueuedOnce: assert (!place_q[tid_i].queued);
          place_q[tid_i] <= '{queued: 1'b1, where: queue_i, level: priority_i};
        end
        QueuePop: begin
          AssertPopValid:  assert (best_valid_o[queue_i]);
          AssertPopQueued: assert (place_q[best_tid] == {1'b1, queue_i, best_priority});
          place_q[best_tid] <= '0;
        end
        default: begin
          AssertRemoveQueued: assert (place_q[tid_i] == {1'b1, queue_i, priority_i});
          place_q[tid_i] <= (op_i == QueueMove) ? '{queued: 1'b1, where: queue_i, level: to_priority_i} : '0;
        end
      endcase
    end
  end
`endif

endmodule
