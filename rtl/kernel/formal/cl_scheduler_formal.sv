// SPDX-License-Identifier: Apache-2.0
// Properties of cl_scheduler, with cl_ready_queue_abstract for its ready queue, for every sequence of requests.
//
//   the table says of every thread whether it is queued, and at which priority, as the queue has it (so none is
//   lost and none is queued twice, whoever asks for what), and keeps the promises of the queue's user;
//   every grant has one answer, after 3 cycles; of a start in hardware, in the cycle after the bus took it;
//   the next grant comes 3 or 4 cycles after one at the latest (linear: when the queue is ready), so nobody waits for
//   ever.
module cl_scheduler_formal
  import cl_ready_queue_pkg::*;
  import cl_scheduler_pkg::*;
#(
  parameter  int unsigned Build         = BuildBitmap,
  parameter  int unsigned Threads       = 3,
  parameter  int unsigned Priorities    = 3,
  parameter  int unsigned HwThreads     = 2,
  localparam int unsigned TidWidth      = $clog2(Threads),
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 req_i,
  input logic          [13:0] addr_i,
  input logic          [31:0] wdata_i,
  input logic                 start_gnt_i,
  input logic [HwThreads-1:0] hw_running_i
);

  localparam bit Hybrid = Build == BuildHybrid;

  logic                     gnt, rvalid, start_req, next_valid, preempt;
  logic              [31:0] rdata, start_addr, start_wdata;
  logic      [TidWidth-1:0] next_tid;
  logic [PriorityWidth-1:0] next_priority;

  cl_scheduler #(
    .Build      (Build),
    .Threads    (Threads),
    .Priorities (Priorities),
    .HwThreads  (HwThreads)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .req_i,
    .gnt_o           (gnt),
    .addr_i,
    .wdata_i,
    .rvalid_o        (rvalid),
    .rdata_o         (rdata),
    .start_req_o     (start_req),
    .start_gnt_i,
    .start_addr_o    (start_addr),
    .start_wdata_o   (start_wdata),
    .hw_running_i,
    .next_valid_o    (next_valid),
    .next_tid_o      (next_tid),
    .next_priority_o (next_priority),
    .preempt_o       (preempt)
  );

  localparam logic [2:0] StInit = 3'd0, StIdle = 3'd1, StRead = 3'd2, StDecide = 3'd3, StWait = 3'd4, StStart = 3'd5;

  logic                            [2:0] state;
  logic                            [7:0] left;
  logic                    [Threads-1:0] queued;
  logic [Threads-1:0][PriorityWidth-1:0] level;
  sched_entry_t            [Threads-1:0] entry;

  assign state  = 3'(u_dut.state_q);
  assign left   = u_dut.u_ready_queue.left_q;
  assign queued = u_dut.u_ready_queue.queued_q;
  assign level  = u_dut.u_ready_queue.level_q;

  for (genvar t = 0; t < Threads; t++) begin : g_entry
    assign entry[t] = sched_entry_t'(u_dut.u_entries.g_any.mem[t]);
  end

  // ---------------------------------------------------------------------------------------------
  // Table and queue

  always_comb begin
    if (rst_ni && state == StInit) assert (queued == '0);
    if (rst_ni) begin
      for (int unsigned t = 0; t < Threads; t++) begin
        if (state == StInit && t < 32'(u_dut.init_q)) assert (entry[t] == '0);
        if (state != StInit) begin
          assert (entry[t].queued == queued[t]);
          assert (!entry[t].queued || (entry[t].used && entry[t].param == 8'(level[t])));
          assert (!entry[t].used || 32'(entry[t].param) < Priorities ||
                  (Hybrid && entry[t].param[7] && 32'(entry[t].param[6:0]) < HwThreads));
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Answers and grants

  logic [7:0] since_q;  // cycles since the grant, those in which the bus lets a START wait not counted
  logic       due_q;    // its answer is due
  logic [7:0] after_q;  // cycles since the grant, 8: or more
  logic       took_q;   // the bus took a START in the cycle before

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      since_q <= '0;
      due_q   <= 1'b0;
      after_q <= 8'd8;
      took_q  <= 1'b0;
    end else begin
      took_q <= start_req & start_gnt_i;
      if (gnt) begin
        since_q <= 8'd1;
        due_q   <= 1'b1;
        after_q <= 8'd1;
      end else begin
        if (rvalid)         due_q   <= 1'b0;
        if (!start_req)     since_q <= since_q + 8'd1;
        if (after_q < 8'd8) after_q <= after_q + 8'd1;
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      AssertOneAnswer: assert (!rvalid || due_q);
      AssertOneAtOnce: assert (!gnt || !due_q || rvalid);
      AssertAnswer:    assert (!due_q || rvalid == (took_q || (since_q == 8'd3 && !start_req)));
      AssertInTime:    assert (!due_q || since_q <= 8'd3);
      AssertStart:     assert (!start_req || (due_q && since_q == 8'd3 && Hybrid));
      if (Build != BuildLinear) begin
        AssertGrant: assert (!req_i || gnt || state == StInit || start_req || after_q <= 8'd3);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Invariants for the induction: where the unit is in its course

  always_comb begin
    if (rst_ni) begin
      AssertState: assert (state <= StStart);
      unique case (state)
        StInit:   AssertAtInit:   assert (left == 8'd0 && !due_q && !rvalid && 32'(u_dut.init_q) < Threads);
        StIdle:   AssertAtIdle:   assert (left <= 8'd2 && (rvalid || !due_q));
        StRead:   AssertAtRead:   assert (left <= 8'd1 && due_q && since_q == 8'd1 && after_q == 8'd1);
        StDecide: AssertAtDecide: assert (left == 8'd0 && due_q && since_q == 8'd2 && after_q == 8'd2);
        StWait:   AssertAtWait:   assert (Build == BuildLinear || (left == 8'd3 && rvalid && after_q == 8'd3));
        default:  AssertAtStart:  assert (left == 8'd0);
      endcase
    end
  end

  logic unused;
  assign unused = ^{rdata, start_addr, start_wdata, next_valid, next_tid, next_priority, preempt};

endmodule
