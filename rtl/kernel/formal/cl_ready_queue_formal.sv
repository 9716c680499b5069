// SPDX-License-Identifier: Apache-2.0
// Properties of the ready queue of every build, for every sequence of operations that its user may ask for.
//
// The reference stores where each thread is queued, and for every two which came first. Proven against it:
//   the thread shown as best is the first of the highest priority, and a queue shows one if it has any (so no thread is
//   lost, none is there twice, highest first, first in first out within a priority);
//   (with Deadlines: the one that comes first of all, while all deadlines are within half of the range of their numbers);
//   an operation takes exactly the cycles that the header of its structure says, so the queue is never stuck.
// The invariants of the memories are there for the induction: they hold whenever the queue is ready.
module cl_ready_queue_formal
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
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic                     valid_i,
  input queue_op_e                op_i,
  input logic    [QueueWidth-1:0] queue_i,
  input logic [PriorityWidth-1:0] priority_i,
  input logic [PriorityWidth-1:0] to_priority_i,
  input logic      [TidWidth-1:0] tid_i,
  input logic [DeadlineWidth-1:0] base_i          // deadlines are not earlier; any number
);

  typedef logic    [QueueWidth-1:0] queue_t;
  typedef logic [PriorityWidth-1:0] priority_t;
  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic        [TidWidth:0] count_t;

  logic                                 ready;
  logic [Queues-1:0]                    best_valid;
  logic [Queues-1:0][PriorityWidth-1:0] best_priority;
  logic [Queues-1:0]     [TidWidth-1:0] best_tid;

  cl_ready_queue #(
    .Build      (Build),
    .Queues     (Queues),
    .Threads    (Threads),
    .Priorities (Priorities),
    .Deadlines  (Deadlines),
    .Pipeline   (Pipeline)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .valid_i,
    .ready_o         (ready),
    .op_i,
    .queue_i,
    .priority_i,
    .to_priority_i,
    .tid_i,
    .best_valid_o    (best_valid),
    .best_priority_o (best_priority),
    .best_tid_o      (best_tid)
  );

  // ---------------------------------------------------------------------------------------------
  // Reference

  logic      [Threads-1:0]              queued_q;
  queue_t    [Threads-1:0]              where_q;
  priority_t [Threads-1:0]              level_q;
  logic      [Threads-1:0][Threads-1:0] older_q;  // [t][u]: t is before u; of threads at the same level

  logic   accept, push, leave, come;
  tid_t   tid;
  count_t count;

  assign accept = valid_i & ready;
  assign push   = op_i == QueuePushBack || op_i == QueuePushFront;
  assign leave  = accept & ~push;
  assign come   = accept & (push | op_i == QueueMove);
  assign tid    = (op_i == QueuePop) ? best_tid[queue_i] : tid_i;

  always_comb begin
    count = '0;
    for (int unsigned t = 0; t < Threads; t++) count += count_t'(queued_q[t]);
  end

  // Promises of the user
  always_comb begin
    if (valid_i && ready) begin
      assume (op_i <= QueueMove);
      assume (32'(queue_i) < Queues);
      assume (32'(priority_i) < Priorities);
      assume (32'(to_priority_i) < Priorities);
      assume (32'(tid_i) < Threads);
      if (push)                  assume (!queued_q[tid_i]);
      else if (op_i == QueuePop) assume (best_valid[queue_i]);
      else                       assume (queued_q[tid_i] && where_q[tid_i] == queue_i && level_q[tid_i] == priority_i);
    end
  end

  function automatic logic beats(input priority_t a, input priority_t b);
    beats = comes_first(Deadlines, RankWidth'(a), RankWidth'(b), 1'b0);
  endfunction

  if (Deadlines) begin : g_window
    // Three bits of a deadline are enough to have it before, behind and where the numbers wrap.
    localparam int unsigned Bits = 3;

    function automatic logic fits(input priority_t key);
      logic [DeadlineWidth-1:0] since;
      since = key[DeadlineWidth-1:0] - base_i;
      fits  = key[DeadlineWidth-Bits-1:0] == '0 && (key[DeadlineWidth] ? !since[DeadlineWidth-1] : key[DeadlineWidth-1]);
    endfunction

    always_comb begin
      assume (base_i[DeadlineWidth-Bits-1:0] == '0);
      for (int unsigned t = 0; t < Threads; t++) assume (!queued_q[t] || fits(level_q[t]));
      if (push)                  assume (fits(priority_i));
      if (op_i == QueueMove)     assume (fits(to_priority_i));
    end
  end else begin : g_no_window
    logic unused;
    assign unused = ^base_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      queued_q <= '0;
      where_q  <= '0;
      level_q  <= '0;
      older_q  <= '0;
    end else begin
      if (leave) queued_q[tid] <= 1'b0;
      if (come) begin
        queued_q[tid] <= 1'b1;
        where_q[tid]  <= queue_i;
        level_q[tid]  <= push ? priority_i : to_priority_i;
        for (int unsigned t = 0; t < Threads; t++) begin
          older_q[t][tid] <= op_i != QueuePushFront;
          older_q[tid][t] <= op_i == QueuePushFront;
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Best

  logic [Queues-1:0] any;
  logic [Threads-1:0] is_first;  // of its queue: the highest level, the oldest there

  always_comb begin
    any = '0;
    for (int unsigned t = 0; t < Threads; t++) begin
      is_first[t] = queued_q[t];
      if (queued_q[t]) any[where_q[t]] = 1'b1;
      for (int unsigned u = 0; u < Threads; u++) begin
        if (u != t && queued_q[u] && where_q[u] == where_q[t] &&
            (beats(level_q[u], level_q[t]) || (level_q[u] == level_q[t] && older_q[u][t]))) is_first[t] = 1'b0;
      end
    end
  end

  always_comb begin
    if (rst_ni && ready) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        assert (best_valid[q] == any[q]);
        if (any[q]) begin
          assert (32'(best_tid[q]) < Threads && is_first[best_tid[q]] &&
                  where_q[best_tid[q]] == queue_t'(q) && best_priority[q] == level_q[best_tid[q]]);
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Cycles

  logic [7:0] busy_q, expected_q, expected;

  always_comb begin
    unique case (op_i)
      QueuePushBack, QueuePushFront: expected = 8'd2;
      QueueMove:                     expected = (Build == BuildLinear) ? 8'(count) + 8'd3 : 8'd4;
      default:                       expected = (Build == BuildLinear) ? 8'(count) + 8'd2 : 8'd3;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q     <= '0;
      expected_q <= '0;
    end else if (accept) begin
      busy_q     <= 8'd1;
      expected_q <= expected + 8'(Pipeline);
    end else if (ready) begin
      busy_q     <= '0;
    end else begin
      busy_q     <= busy_q + 8'd1;
    end
  end

  always_comb begin
    if (rst_ni && ready)  AssertFixed: assert (busy_q == 8'd0 || busy_q == expected_q);
    if (rst_ni && !ready) AssertBound: assert (busy_q != 8'd0 && busy_q < expected_q);
  end

  // ---------------------------------------------------------------------------------------------
  // Invariants of the reference and of the check next to the queue

  always_comb begin
    if (rst_ni) begin
      for (int unsigned t = 0; t < Threads; t++) begin
        if (queued_q[t]) begin
          assert (32'(where_q[t]) < Queues && 32'(level_q[t]) < Priorities);
          assert (u_dut.place_q[t] == {1'b1, where_q[t], level_q[t]});
        end else begin
          assert (!u_dut.place_q[t].queued);
        end
        for (int unsigned u = 0; u < Threads; u++) begin
          if (u != t && queued_q[t] && queued_q[u] && where_q[t] == where_q[u] && level_q[t] == level_q[u]) begin
            assert (older_q[t][u] != older_q[u][t]);
            for (int unsigned v = 0; v < Threads; v++) begin
              if (v != t && v != u && queued_q[v] && where_q[v] == where_q[t] && level_q[v] == level_q[t]) begin
                assert (!(older_q[t][u] && older_q[u][v]) || older_q[t][v]);
              end
            end
          end
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Invariants of the structures

  if (Build == BuildLinear) begin : g_linear
    // The ring has every queued thread once, those of a level in their order.
    tid_t [Threads-1:0]                               entry_tid, place;
    logic [Threads-1:0][QueueWidth+PriorityWidth-1:0] entry_level;

    always_comb begin
      for (int unsigned i = 0; i < Threads; i++) begin
        place[i] = tid_t'(u_dut.g_linear.u_linear.head_q + tid_t'(i));
        {entry_level[i], entry_tid[i]} = u_dut.g_linear.u_linear.u_ring.g_any.mem[place[i]];
      end
      if (rst_ni && ready) begin
        AssertCount: assert (u_dut.g_linear.u_linear.count_q == count);
        for (int unsigned i = 0; i < Threads; i++) begin
          if (i < 32'(count)) begin
            assert (32'(entry_tid[i]) < Threads && queued_q[entry_tid[i]] && entry_level[i] ==
                {where_q[entry_tid[i]], level_q[entry_tid[i]]});
            for (int unsigned j = 0; j < i; j++) begin
              assert (entry_tid[j] != entry_tid[i]);
              assert (entry_level[j] != entry_level[i] || older_q[entry_tid[j]][entry_tid[i]]);
            end
          end
        end
      end
      if (rst_ni && !ready) begin
        AssertLeft: assert (32'(u_dut.g_linear.u_linear.left_q) <= Threads);
      end
    end
  end else if (Build == BuildSorted) begin : g_sorted
    // The cells have every queued thread once, those of a queue in their order.
    logic [Threads-1:0]                               valid;
    tid_t [Threads-1:0]                               entry_tid;
    logic [Threads-1:0][QueueWidth+PriorityWidth-1:0] entry_place;

    always_comb begin
      valid = u_dut.g_sorted.u_sorted.valid_q;
      for (int unsigned i = 0; i < Threads; i++) {entry_place[i], entry_tid[i]} = u_dut.g_sorted.u_sorted.cell_q[i];
      if (rst_ni && ready) begin
        for (int unsigned i = 0; i < Threads; i++) begin
          assert (valid[i] == (i < 32'(count)));
          if (valid[i]) begin
            assert (32'(entry_tid[i]) < Threads && queued_q[entry_tid[i]] &&
                    entry_place[i] == {where_q[entry_tid[i]], level_q[entry_tid[i]]});
            for (int unsigned j = 0; j < i; j++) begin
              assert (entry_tid[j] != entry_tid[i]);
              assert (where_q[entry_tid[j]] != where_q[entry_tid[i]] ||
                      beats(level_q[entry_tid[j]], level_q[entry_tid[i]]) ||
                      (level_q[entry_tid[j]] == level_q[entry_tid[i]] && older_q[entry_tid[j]][entry_tid[i]]));
            end
          end
        end
      end
    end
  end else begin : g_bitmap
    localparam int unsigned LevelWidth = (Queues > 1) ? QueueWidth + PriorityWidth : PriorityWidth;
    localparam int unsigned BitWidth   = (PriorityWidth > 1) ? PriorityWidth / 2 : 1;
    localparam int unsigned Bits       = 2**BitWidth;
    localparam int unsigned Groups     = (Priorities + Bits - 1) / Bits;
    localparam int unsigned GroupWidth = (Groups > 1) ? $clog2(Groups) : 1;
    localparam int unsigned WordWidth  = (Queues > 1) ? QueueWidth + GroupWidth : GroupWidth;

    typedef logic [LevelWidth-1:0] level_t;
    typedef logic  [WordWidth-1:0] word_t;

    logic                              post;
    logic                 [Queues-1:0] last;
    logic     [Queues-1:0][Groups-1:0] summary;
    logic [2**WordWidth-1:0][Bits-1:0] word;

    assign post    = u_dut.g_bitmap.u_bitmap.post_q;
    assign last    = u_dut.g_bitmap.u_bitmap.best_last_q;
    assign summary = u_dut.g_bitmap.u_bitmap.summary_q;

    for (genvar w = 0; w < 2**WordWidth; w++) begin : g_word
      assign word[w] = u_dut.g_bitmap.u_bitmap.bits[w];
    end

    // Contents of the memories after the pending write
    logic [2**LevelWidth-1:0][2*TidWidth:0] level;
    tid_t [2**TidWidth-1:0]                 next, prev;
    logic [Queues-1:0][2**PriorityWidth-1:0] used;

    always_comb begin
      for (int unsigned l = 0; l < 2**LevelWidth; l++) level[l] = u_dut.g_bitmap.u_bitmap.u_level.g_any.mem[l];
      for (int unsigned t = 0; t < 2**TidWidth; t++) next[t] = u_dut.g_bitmap.u_bitmap.u_next.g_any.mem[t];
      for (int unsigned t = 0; t < 2**TidWidth; t++) prev[t] = u_dut.g_bitmap.u_bitmap.u_prev.g_any.mem[t];
      if (post) begin
        level[u_dut.g_bitmap.u_bitmap.level_waddr] = {u_dut.g_bitmap.u_bitmap.single_wdata,
                                                      u_dut.g_bitmap.u_bitmap.head_wdata,
                                                      u_dut.g_bitmap.u_bitmap.tail_wdata};
        if (u_dut.g_bitmap.u_bitmap.next_we) next[u_dut.g_bitmap.u_bitmap.left]  = u_dut.g_bitmap.u_bitmap.right;
        if (u_dut.g_bitmap.u_bitmap.prev_we) prev[u_dut.g_bitmap.u_bitmap.right] = u_dut.g_bitmap.u_bitmap.left;
      end
      used = '0;
      for (int unsigned t = 0; t < Threads; t++) begin
        if (queued_q[t]) used[where_q[t]][level_q[t]] = 1'b1;
      end
    end

    // The place of every thread in its list
    logic [Threads-1:0]              head, tail;
    logic [Threads-1:0][Threads-1:0] adjacent;

    always_comb begin
      head     = queued_q;
      tail     = queued_q;
      adjacent = '0;
      for (int unsigned t = 0; t < Threads; t++) begin
        for (int unsigned u = 0; u < Threads; u++) begin
          if (u != t && queued_q[t] && queued_q[u] && where_q[t] == where_q[u] && level_q[t] == level_q[u]) begin
            if (older_q[u][t]) head[t] = 1'b0;
            if (older_q[t][u]) tail[t] = 1'b0;
            adjacent[t][u] = older_q[t][u];
            for (int unsigned v = 0; v < Threads; v++) begin
              if (v != t && v != u && queued_q[v] && where_q[v] == where_q[t] && level_q[v] == level_q[t] &&
                  older_q[t][v] && older_q[v][u]) adjacent[t][u] = 1'b0;
            end
          end
        end
      end
    end

    always_comb begin
      if (rst_ni) begin
        AssertPost:     assert (!post || u_dut.ready);
        AssertPostPush: assert (!post || u_dut.g_bitmap.u_bitmap.push_q);
      end
      if (rst_ni && ready) begin
        for (int unsigned t = 0; t < Threads; t++) begin
          if (head[t]) assert (level[level_t'({where_q[t], level_q[t]})][2*TidWidth-1:TidWidth] == tid_t'(t));
          if (tail[t]) assert (level[level_t'({where_q[t], level_q[t]})][TidWidth-1:0] == tid_t'(t));
          if (head[t]) assert (level[level_t'({where_q[t], level_q[t]})][2*TidWidth] == tail[t]);
          for (int unsigned u = 0; u < Threads; u++) begin
            if (adjacent[t][u]) assert (next[t] == tid_t'(u) && prev[u] == tid_t'(t));
          end
        end
        for (int unsigned q = 0; q < Queues; q++) begin
          if (any[q]) assert (last[q] == tail[best_tid[q]]);
          for (int unsigned g = 0; g < Groups; g++) begin
            assert (!summary[q][g] || word[word_t'({queue_t'(q), GroupWidth'(g)})] != '0);
            for (int unsigned b = 0; b < Bits; b++) begin
              if (g * Bits + b < 2**PriorityWidth) begin
                assert ((summary[q][g] && word[word_t'({queue_t'(q), GroupWidth'(g)})][b]) ==
                        (used[q][g * Bits + b] && best_priority[q] != priority_t'(g * Bits + b)));
              end
            end
          end
        end
      end
    end
  end

endmodule
