// SPDX-License-Identifier: Apache-2.0
// How cl_scheduler is used: threads get an entry and a priority, are queued, and the best one is dequeued.
// Words, cycles (build bitmap) and errors are those of SCHEDULER.md.
module cl_scheduler_tb;
  import cl_scheduler_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_scheduler: no end after 1000 cycles.");

  logic        req, gnt, rvalid, next_valid, preempt;
  logic [13:0] addr;
  logic [31:0] wdata, rdata;
  logic [4:0]  next_tid;
  logic [6:0]  next_priority;

  cl_scheduler #(.Threads(32)) u_scheduler (
    .clk_i(clk), .rst_ni(rst_n), .req_i(req), .gnt_o(gnt), .addr_i(addr), .wdata_i(wdata), .rvalid_o(rvalid),
    .rdata_o(rdata), .start_req_o(), .start_gnt_i(1'b0), .start_addr_o(), .start_wdata_o(), .hw_running_i('0),
    .next_valid_o(next_valid), .next_tid_o(next_tid), .next_priority_o(next_priority), .preempt_o(preempt)
  );

  // One operation, whose answer comes 3 cycles after the grant: status and value.
  task automatic execute(input sched_op_e op, input logic [9:0] tid, input logic [7:0] argument,
                         input sched_status_e status, input logic [15:0] value);
    int taken = 0;
    {req, addr, wdata} = {1'b1, op, tid, 24'd0, argument};
    do @(posedge clk); while (!gnt);
    @(negedge clk);
    req = 1'b0;
    do begin
      @(posedge clk);
      taken++;
    end while (!rvalid);
    check({"the answer of ", op.name()}, rdata, {8'd0, status, value});
    check({"the cycles of ", op.name()}, taken, 3);
    @(negedge clk);
  endtask

  initial begin
    {req, addr, wdata} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    // The first grant comes when the table is clear. Three threads: 4 and 6 of priority 10, 5 of priority 20.
    execute(SchedCreateEntry, 4, 10, SchedOk, 0);
    execute(SchedCreateEntry, 5, 20, SchedOk, 0);
    execute(SchedCreateEntry, 6, 10, SchedOk, 0);
    execute(SchedEnqueue, 4, 0, SchedOk, 0);
    execute(SchedEnqueue, 6, 0, SchedOk, 0);
    execute(SchedEnqueue, 4, 0, SchedEalready, 0);
    execute(SchedGetEntry, 4, 0, SchedOk, {6'd0, 1'b1, 1'b1, 8'd10});  // used, queued, parameter
    execute(SchedDequeue, 0, 0, SchedOk, 4);                           // the first of its priority

    // A better thread asks the CPU to preempt; at most 8 cycles later the unit shows it.
    execute(SchedEnqueue, 5, 0, SchedOk, 0);
    repeat (5) @(negedge clk);
    check("next_valid_o", 32'(next_valid), 1);
    check("next_tid_o", 32'(next_tid), 5);
    check("next_priority_o", 32'(next_priority), 20);
    check("preempt_o", 32'(preempt), 1);
    execute(SchedDequeue, 0, 0, SchedOk, 5);
    execute(SchedDequeue, 0, 0, SchedOk, 6);
    execute(SchedIsEmpty, 0, 0, SchedOk, 1);
    execute(SchedDequeue, 0, 0, SchedEagain, 0);  // and there is no idle thread

    passed("cl_scheduler");
  end

endmodule
