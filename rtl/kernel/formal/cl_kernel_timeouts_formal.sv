// SPDX-License-Identifier: Apache-2.0
// Properties of cl_kernel_timeouts, for every sequence of operations by threads that wait, are woken and go on:
//
//   no wait is ended before its deadline, and only that of a thread with a deadline, at the object it waits for;
//   a deadline ends one wait at most;
//   with an engine that has nothing else to do, every wait whose deadline has passed ends within Latest cycles, if each
//   thread waits once for a deadline (Once: only then is this looked at).
//
// The engine: no operation in the cycle after another one, or while it ends a wait. The time goes on by 1 a cycle.
module cl_kernel_timeouts_formal #(
  parameter  int unsigned Threads   = 2,
  parameter  int unsigned TimeWidth = 7,
  parameter  bit          Once      = 1'b0,
  parameter  int unsigned Latest    = 10,
  localparam int unsigned TidWidth  = $clog2(Threads)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [TimeWidth-1:0] now_i,
  input logic  [TidWidth-1:0] caller_i,
  input logic                 start_i,
  input logic [TimeWidth-1:0] deadline_i,
  input logic                 stop_i,
  input logic                 wait_i,
  input logic                 object_i,
  input logic           [1:0] kind_i,
  input logic           [9:0] id_i,
  input logic   [Threads-1:0] wake_i    // somebody ends this thread's wait
);

  typedef logic [TimeWidth-1:0] time_t;
  localparam time_t Quarter = TimeWidth'(2**(TimeWidth-2));

  logic                set, pending, take;
  logic          [7:0] op;
  logic          [9:0] id;
  logic [TidWidth-1:0] taken;

  // Behaviour of the threads
  logic [Threads-1:0] set_q, blocked_q, object_q, waited_q;
  logic               taken_q, acted_q, ended, acts;
  time_t              now_q;
  time_t [Threads-1:0] deadline_q;
  logic [Threads-1:0] [1:0] kind_q;
  logic [Threads-1:0] [9:0] id_q;
  logic [Threads-1:0] [7:0] late_q;

  assign take  = pending;
  assign ended = taken_q && blocked_q[taken];
  assign acts  = start_i | stop_i | wait_i;

  cl_kernel_timeouts #(.Threads(Threads), .TimeWidth(TimeWidth)) u_dut (
    .clk_i,
    .rst_ni,
    .now_i,
    .caller_i,
    .start_i,
    .deadline_i,
    .stop_i,
    .wait_i,
    .object_i,
    .kind_i,
    .id_i,
    .set_o     (set),
    .waits_o   (),
    .pending_o (pending),
    .op_o      (op),
    .id_o      (id),
    .take_i    (take),
    .free_i    (!pending),
    .taken_o   (taken),
    .ended_i   (ended)
  );

  function automatic logic reached(input time_t deadline);
    return $signed(now_i - deadline) >= 0;
  endfunction

  function automatic logic waits(input int unsigned t);
    return set_q[t] && blocked_q[t] && object_q[t];
  endfunction

  logic [TidWidth-1:0] first, read;
  assign first = u_dut.first_tid_q;
  assign read  = u_dut.read_tid_q;

  always_comb begin
    assume ($onehot0({start_i, stop_i, wait_i}));
    assume (!acts || (!take && !taken_q && !acted_q && !blocked_q[caller_i] && 32'(caller_i) < Threads));
    assume (!Once || !wait_i || !set_q[caller_i] || !waited_q[caller_i]);
    assume (!start_i || time_t'(deadline_i - now_i) < Quarter);
    assume (now_i == time_t'(now_q + 1'b1));
    // A deadline that is set is compared only as long as it is near.
    for (int unsigned t = 0; t < Threads; t++) begin
      assume (!set_q[t] || time_t'(now_i - deadline_q[t] + Quarter) < 2 * Quarter);
      assume (!wake_i[t] || !(take || taken_q));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_q      <= '0;
      blocked_q  <= '0;
      object_q   <= '0;
      waited_q   <= '0;
      taken_q    <= 1'b0;
      acted_q    <= 1'b0;
      now_q      <= '0;
      deadline_q <= '0;
      kind_q     <= '0;
      id_q       <= '0;
      late_q     <= '0;
    end else begin
      taken_q <= take;
      acted_q <= acts;
      now_q   <= now_i;
      if (start_i) begin
        set_q[caller_i]      <= 1'b1;
        waited_q[caller_i]   <= 1'b0;
        deadline_q[caller_i] <= deadline_i;
      end
      if (stop_i) set_q[caller_i] <= 1'b0;
      for (int unsigned t = 0; t < Threads; t++) begin
        if (wake_i[t]) blocked_q[t] <= 1'b0;
        late_q[t] <= (waits(t) && reached(deadline_q[t])) ? late_q[t] + 1'b1 : '0;
      end
      if (wait_i) begin
        blocked_q[caller_i] <= 1'b1;
        object_q[caller_i]  <= object_i;
        waited_q[caller_i]  <= 1'b1;
        kind_q[caller_i]    <= kind_i;
        id_q[caller_i]      <= id_i;
      end
      if (ended) begin
        set_q[taken]     <= 1'b0;
        blocked_q[taken] <= 1'b0;
      end
    end
  end

  // Of each thread: what is in the tables
  logic [Threads-1:0]       noted, noted_id, noted_deadline, scanned, seen;

  for (genvar t = 0; t < Threads; t++) begin : g_noted
    localparam int unsigned T = t;
    logic [12:0] entry;
    time_t       limit;
    logic [TidWidth:0] ahead;
    assign entry = u_dut.u_wait.g_any.mem[t];
    assign limit = u_dut.u_deadline.g_any.mem[t];
    // Threads that the scan reads before it
    assign ahead = (T >= 32'(u_dut.scan_q)) ? (TidWidth + 1)'(T - 32'(u_dut.scan_q))
                                            : (TidWidth + 1)'(T + Threads - 32'(u_dut.scan_q));
    assign noted[t]          = entry[12];
    assign noted_id[t]       = entry[11:0] == {kind_q[t], id_q[t]};
    assign noted_deadline[t] = limit == deadline_q[t];
    assign scanned[t]        = ahead < u_dut.left_q;
    assign seen[t]           = u_dut.first_valid_q && (32'(first) == T ||
                               $signed(deadline_q[t] - u_dut.first_deadline_q) >= 0);
  end

  logic [Threads-1:0] wrong, unknown, late;

  always_comb begin
    for (int unsigned t = 0; t < Threads; t++) begin
      wrong[t]   = set_q[t] && !(noted_deadline[t] && (!noted[t] || (noted_id[t] && object_q[t])) &&
                                 (!waits(t) || noted[t] || (taken_q && 32'(taken) == t)));
      unknown[t] = set_q[t] && noted[t] && !seen[t] && !scanned[t] &&
                   !(u_dut.again_q && 32'(u_dut.again_tid_q) == t) && !(u_dut.read_q && 32'(read) == t);
      late[t]    = Once && 32'(late_q[t]) > Latest;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertSet:      assert (u_dut.set_q == set_q);
      AssertScan:     assert (32'(u_dut.scan_q) < Threads && 32'(u_dut.left_q) <= Threads);
      AssertNotEarly: assert (!take || reached(deadline_q[first]));
      AssertOnce:     assert (!take || set_q[first]);
      AssertObject:   assert (!take || (id == id_q[first] && op == (
        kind_q[first] == 2'd2 ? cl_kernel_pkg::OpMutexLeave :
        kind_q[first] == 2'd3 ? cl_kernel_pkg::OpSemaphoreLeave :
        kind_q[first] == 2'd0 ? cl_kernel_pkg::OpPortLeave : cl_kernel_pkg::OpCondLeave)));
      AssertTaken:    assert (!ended || (set_q[taken] && object_q[taken] && reached(deadline_q[taken])));
      AssertFirst:    assert (!u_dut.first_valid_q || (32'(first) < Threads && set_q[first] && noted[first] &&
                              u_dut.first_deadline_q == deadline_q[first] &&
                              u_dut.first_object_q == {kind_q[first], id_q[first]}));
      AssertPending:  assert (!u_dut.pending_q || (u_dut.first_valid_q && reached(u_dut.first_deadline_q)));
      AssertHeld:     assert (!(u_dut.held_q && pending));
      AssertRead:     assert (!u_dut.read_q || 32'(read) < Threads);
      AssertReadTrue: assert (!u_dut.read_q || !set_q[read] || (
        u_dut.deadline == deadline_q[read] && u_dut.read_wait.waits == noted[read] &&
        (!noted[read] || u_dut.read_wait.object == {kind_q[read], id_q[read]})));
      AssertNoted:    assert (wrong == '0);
      // Every waiting thread is first, later than the first, or about to be read.
      AssertKnown:    assert (unknown == '0);
      AssertSoon:     assert (late == '0);
    end
  end

endmodule
