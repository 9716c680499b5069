// SPDX-License-Identifier: Apache-2.0
// How cl_ready_queue is used: threads go in and out, and the best one of each queue is always shown.
// The cycles are those of the bitmap queue, until it takes the next operation, as in README.md.
module cl_ready_queue_tb;
  import cl_ready_queue_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_ready_queue: no end after 1000 cycles.");

  queue_op_e       op;
  logic            valid, ready, queue;
  logic [3:0]      level, to_level;  // priorities: 15 is the highest
  logic [4:0]      tid;
  logic [1:0]      best_valid;
  logic [1:0][3:0] best_priority;
  logic [1:0][4:0] best_tid;

  cl_ready_queue #(.Build(BuildBitmap), .Queues(2), .Threads(32), .Priorities(16)) u_queue (
    .clk_i(clk), .rst_ni(rst_n), .valid_i(valid), .ready_o(ready), .op_i(op), .queue_i(queue), .priority_i(level),
    .to_priority_i(to_level), .tid_i(tid), .best_valid_o(best_valid), .best_priority_o(best_priority),
    .best_tid_o(best_tid)
  );

  // An operation on a queue, and the cycles until the next one is taken.
  task automatic execute(input queue_op_e what, input logic on, input logic [4:0] thread, input logic [3:0] at,
                         input int cycles, input logic [3:0] to = '0);
    int taken = 0;
    op = what;
    {queue, tid, level, to_level, valid} = {on, thread, at, to, 1'b1};
    @(posedge clk);
    check("ready_o", 32'(ready), 1);
    @(negedge clk);
    valid = 1'b0;
    do begin
      @(posedge clk);
      taken++;
    end while (!ready);
    check({"the cycles of ", what.name()}, taken, cycles);
    @(negedge clk);
  endtask

  // The thread that is the best of a queue, and its priority.
  task automatic best(input logic of, input logic [4:0] thread, input logic [3:0] at);
    check("best_valid_o", 32'(best_valid[of]), 1);
    check("best_tid_o", 32'(best_tid[of]), 32'(thread));
    check("best_priority_o", 32'(best_priority[of]), 32'(at));
  endtask

  initial begin
    valid = 1'b0;
    repeat (2) @(negedge clk);
    rst_n = 1;
    @(negedge clk);

    execute(QueuePushBack, 0, 7, 4, 2);  // thread 7 to queue 0, at priority 4
    execute(QueuePushBack, 0, 8, 4, 2);
    execute(QueuePushFront, 0, 9, 4, 2);  // ahead of its equals
    best(0, 9, 4);
    execute(QueuePushBack, 0, 20, 11, 2);  // the highest priority comes first
    best(0, 20, 11);
    check("best_valid_o of the other queue", 32'(best_valid[1]), 0);

    execute(QueuePop, 0, 0, 0, 3);  // takes thread 20
    best(0, 9, 4);
    execute(QueueRemove, 0, 7, 4, 3);   // from the middle
    execute(QueueMove, 0, 8, 4, 4, 5);  // from priority 4 to 5
    best(0, 8, 5);
    execute(QueuePop, 0, 0, 0, 3);
    best(0, 9, 4);
    execute(QueuePop, 0, 0, 0, 3);
    check("best_valid_o of an empty queue", 32'(best_valid[0]), 0);

    passed("cl_ready_queue");
  end

endmodule
