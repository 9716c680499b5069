// SPDX-License-Identifier: Apache-2.0
// Builds and operations of a ready queue (see cl_ready_queue), and how its keys compare.
// verilator lint_off UNUSEDPARAM
package cl_ready_queue_pkg;

  // Parameters that hold one are plain numbers: tools set those from outside, but no enum.
  typedef enum int unsigned {
    BuildLinear,  // one FIFO, traversed
    BuildBitmap,  // a FIFO per priority
    BuildHybrid,  // a FIFO per priority, and hardware threads, which no queue holds
    BuildSorted   // cells in order of their keys, compared all at once
  } build_e;

  typedef enum logic [2:0] {
    QueuePushBack,   // thread to the tail of a priority
    QueuePushFront,  // thread to the head of a priority
    QueuePop,        // take the best thread of a queue
    QueueRemove,     // take a thread from wherever it is in a priority
    QueueMove        // a thread from wherever it is in a priority to the tail of another, or of the same
  } queue_op_e;

  // The key of a thread is its priority. With deadlines it is a one before the deadline, or a zero before what stands for
  // one: the complement of the priority. A level (cl_kernel_next) is a key with a bit before it.
  localparam int unsigned DeadlineWidth    = 17;  // ticks, modulo
  localparam int unsigned DeadlineKeyWidth = DeadlineWidth + 1;
  localparam int unsigned DeadlineRelativeWidth = DeadlineWidth - 2;  // so one may be missed by as much and more
  localparam int unsigned RankWidth        = DeadlineKeyWidth + 1;  // of a key or a level of any kind

  function automatic logic [RankWidth-1:0] priority_key(input bit deadlines, input logic [RankWidth-1:0] prio);
    priority_key = deadlines ? RankWidth'(DeadlineWidth'(~prio)) : prio;
  endfunction

  // Whether a comes before b (or_equal: or is the same): the higher number; of two deadlines the one that is earlier by
  // less than half of their range.
  function automatic logic comes_first(input bit deadlines, input logic [RankWidth-1:0] a, input logic [RankWidth-1:0] b,
                                       input logic or_equal);
    logic [DeadlineWidth:0] since_b;  // twice
    since_b = {a[DeadlineWidth-1:0], 1'b0} - {b[DeadlineWidth-1:0], or_equal};
    if (!deadlines)                                                         comes_first = or_equal ? a >= b : a > b;
    else if (a[RankWidth-1:DeadlineWidth] != b[RankWidth-1:DeadlineWidth])  comes_first = a[RankWidth-1:DeadlineWidth] >
                                                                                          b[RankWidth-1:DeadlineWidth];
    else                                                                    comes_first = since_b[DeadlineWidth];
  endfunction

endpackage
// verilator lint_on UNUSEDPARAM
