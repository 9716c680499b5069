// SPDX-License-Identifier: Apache-2.0
// Builds and operations of a ready queue (see cl_ready_queue).
package cl_ready_queue_pkg;

  // Parameters that hold one are plain numbers: tools set those from outside, but no enum.
  typedef enum int unsigned {
    BuildLinear,  // one FIFO, traversed
    BuildBitmap,  // a FIFO per priority
    BuildHybrid   // a FIFO per priority; beside it threads in hardware, which no queue holds
  } build_e;

  typedef enum logic [2:0] {
    QueuePushBack,   // thread to the tail of a priority
    QueuePushFront,  // thread to the head of a priority
    QueuePop,        // take the best thread of a queue
    QueueRemove,     // take a thread from wherever it is in a priority
    QueueMove        // a thread from wherever it is in a priority to the tail of another, or of the same
  } queue_op_e;

endpackage
