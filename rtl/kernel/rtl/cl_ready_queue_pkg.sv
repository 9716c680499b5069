// SPDX-License-Identifier: Apache-2.0
// Operations of a ready queue, the same for every build of it (see cl_ready_queue_bitmap).
package cl_ready_queue_pkg;

  typedef enum logic [1:0] {
    QueuePushBack,   // thread to the tail of a priority
    QueuePushFront,  // thread to the head of a priority
    QueuePop,        // take the best thread of a queue
    QueueRemove      // take a thread from wherever it is in a priority
  } queue_op_e;

endpackage
