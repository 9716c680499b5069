// SPDX-License-Identifier: Apache-2.0
// Ready queue of fixed times: a FIFO per priority, a doubly linked list in RAM, and a bitmap of the priorities in use.
//
// Interface: see cl_ready_queue. Cycles from taking an operation to ready_o, whatever is queued:
//   push back, push front   2
//   pop, remove             3
//   move                    4
// Each state takes a cycle:
//   StIdle    takes the operation; compares its level with the best one; reads the level and the thread's links.
//             If a push was before it (`post`), that links its thread in
//   StRead    registers what was read: a block RAM's output is so late that nothing else fits in the cycle. A pop or
//             remove that empties the best level finds the next one and reads that. A push sees whether its level is in
//             use, and ends
//   StWrite   links the thread out. A move registers its destination level, and compares that with the best
//   StPush    of a move: links the thread in
// To have the next best in time, the best level of a queue is in registers, with its first thread and whether that is
// its only one (`last`): so the first cycle knows whether it becomes empty. The bitmap has all levels in use except the
// best.
// Memories:
//   level        head and tail of every level, and whether they are the same, which is known early this way
//   next, prev   the links of every thread
//   bits         the bitmap, one group per word; summary_q has a bit for each non-empty group, so no memory needs a
//                reset
// Data written by `post` may be read in the same cycle: then the read registers get them by a bypass (`hit`).
// The links beyond the ends of a list are undefined, as are head and tail of a level that is not in use.
module cl_ready_queue_bitmap
  import cl_ready_queue_pkg::*;
#(
  parameter  int unsigned Queues        = 3,
  parameter  int unsigned Threads       = 64,
  parameter  int unsigned Priorities    = 32,
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

  localparam int unsigned LevelWidth = (Queues > 1) ? QueueWidth + PriorityWidth : PriorityWidth;
  // The bitmap of a queue: groups of bits, about as many as a group has bits
  localparam int unsigned BitWidth   = (PriorityWidth > 1) ? PriorityWidth / 2 : 1;
  localparam int unsigned Bits       = 2**BitWidth;
  localparam int unsigned Groups     = (Priorities + Bits - 1) / Bits;
  localparam int unsigned GroupWidth = (Groups > 1) ? $clog2(Groups) : 1;
  localparam int unsigned WordWidth  = (Queues > 1) ? QueueWidth + GroupWidth : GroupWidth;

  typedef logic    [QueueWidth-1:0] queue_t;
  typedef logic [PriorityWidth-1:0] priority_t;
  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic    [GroupWidth-1:0] group_t;
  typedef logic      [BitWidth-1:0] bit_t;

  typedef enum logic [1:0] {StIdle, StRead, StWrite, StPush} state_e;

  function automatic group_t group_of(input priority_t p);
    group_of = group_t'(p >> BitWidth);
  endfunction

  function automatic logic [LevelWidth-1:0] level_of(input queue_t q, input priority_t p);
    level_of = LevelWidth'({q, p});
  endfunction

  state_e                         state_q, state_d;
  logic                           accept, idle, post_q;

  logic [Queues-1:0]              best_valid_q, best_last_q;
  priority_t [Queues-1:0]         best_priority_q;
  tid_t      [Queues-1:0]         best_tid_q;
  logic [Queues-1:0] [Groups-1:0] summary_q;

  assign idle            = state_q == StIdle;
  assign accept          = idle & valid_i;
  assign ready_o         = idle;
  assign best_valid_o    = best_valid_q;
  assign best_priority_o = best_priority_q;
  assign best_tid_o      = best_tid_q;

  // ---------------------------------------------------------------------------------------------
  // A level against the best one: of an operation when it is taken, of a move's second half when it writes its first.

  logic      compare, push;
  logic      push_q, front_q, move_q;
  queue_t    queue, queue_q;
  priority_t level, level_q, to_level_q;
  tid_t      tid, tid_q;

  logic      best_valid;
  priority_t best;
  tid_t      best_tid;

  assign compare    = accept | (state_q == StWrite & move_q);
  assign push       = ~idle | op_i == QueuePushBack | op_i == QueuePushFront;
  assign queue      = idle ? queue_i : queue_q;
  assign best_valid = best_valid_q[queue];
  assign best       = best_priority_q[queue];
  assign best_tid   = best_tid_q[queue];
  assign level      = !idle ? to_level_q : (op_i == QueuePop) ? best : priority_i;
  assign tid        = (op_i == QueuePop) ? best_tid : tid_i;

  logic            is_best, above_best, last, live;
  logic            is_best_q, above_best_q, best_valid_at_q, last_q, top_valid_q, used_q;
  group_t          group_q;
  bit_t            bit_q;
  logic [Bits-1:0] word;  // of the bitmap

  assign is_best    = best_valid & level == best;
  assign above_best = ~best_valid | level > best;
  assign last       = ~push & is_best & best_last_q[queue];  // empties the best level

  // The highest group of the bitmap that has a bit
  logic   top_valid, unused_multiple;
  group_t top_group;

  cl_find_last_set #(.Width(Groups)) u_top_group (
    .bits_i     (summary_q[queue]),
    .valid_o    (top_valid),
    .multiple_o (unused_multiple),
    .index_o    (top_group)
  );

  // Possible change to the bitmap: the level that goes there or leaves it
  priority_t change, probe_next;
  group_t    group;
  logic      probe;  // a move looks at its second level first, unless the bitmap must find the next best

  assign probe      = idle & op_i == QueueMove;
  assign probe_next = last_q ? to_level_q : level_q;
  assign change     = (push && above_best) ? best : probe ? to_priority_i : level;
  assign group      = last ? top_group : group_of(change);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      front_q         <= 1'b0;
      move_q          <= 1'b0;
      queue_q         <= '0;
      to_level_q      <= '0;
      tid_q           <= '0;
      last_q          <= 1'b0;
      top_valid_q     <= 1'b0;
      push_q          <= 1'b0;
      level_q         <= '0;
      is_best_q       <= 1'b0;
      above_best_q    <= 1'b0;
      best_valid_at_q <= 1'b0;
      group_q         <= '0;
      bit_q           <= '0;
      used_q          <= 1'b0;
    end else begin
      if (accept) begin
        front_q     <= op_i == QueuePushFront;
        move_q      <= op_i == QueueMove;
        queue_q     <= queue_i;
        to_level_q  <= to_priority_i;
        tid_q       <= tid;
        last_q      <= last;
        top_valid_q <= top_valid;
      end
      if (compare) begin
        push_q          <= push;
        level_q         <= level;
        is_best_q       <= is_best;
        above_best_q    <= above_best;
        best_valid_at_q <= best_valid;
        group_q         <= group;
        bit_q           <= bit_t'(change);
      end
      if (state_q == StRead && move_q) begin
        group_q <= group_of(probe_next);
        bit_q   <= bit_t'(probe_next);
      end
      // Whether the level that the thread goes to is in use, seen when the bitmap has nothing else to do
      if (state_q == StRead || last_q) used_q <= live & word[bit_q];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Memories

  logic                  write, join_in, hit_level_q, hit_next_q, hit_prev_q, single, single_q, single_wdata;
  logic                  same, same_q, next_we, prev_we;
  logic [LevelWidth-1:0] level_raddr, level_waddr;
  tid_t                  head, tail, next, prev, head_q, tail_q, next_q, prev_q;
  tid_t                  head_wdata, tail_wdata, left, right;
  priority_t             found;  // the level that follows an emptied best one

  assign write       = state_q == StWrite || state_q == StPush || post_q;
  assign join_in     = (state_q == StRead && push_q) || state_q == StPush;  // of a push: best and bitmap
  assign level_waddr = level_of(queue_q, level_q);

  always_comb begin
    unique case (state_q)
      StIdle:  level_raddr = level_of(queue, (op_i == QueuePop) ? best : priority_i);
      StRead:  level_raddr = level_of(queue, move_q ? to_level_q : found);
      default: level_raddr = level_of(queue, best);  // the one found, for a move
    endcase
  end

  cl_ram_1r1w #(.Width(1 + 2 * TidWidth), .AddrWidth(LevelWidth)) u_level (
    .clk_i,
    .we_i    (write),
    .waddr_i (level_waddr),
    .wdata_i ({single_wdata, head_wdata, tail_wdata}),
    .raddr_i (level_raddr),
    .rdata_o ({single, head, tail})
  );
  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(TidWidth)) u_next (
    .clk_i, .we_i(write & next_we), .waddr_i(left), .wdata_i(right), .raddr_i(tid), .rdata_o(next)
  );
  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(TidWidth)) u_prev (
    .clk_i, .we_i(write & prev_we), .waddr_i(right), .wdata_i(left), .raddr_i(tid), .rdata_o(prev)
  );

  always_ff @(posedge clk_i) begin
    same_q      <= same;
    hit_level_q <= post_q && level_raddr == level_waddr;
    hit_next_q  <= post_q && next_we && tid == left;
    hit_prev_q  <= post_q && prev_we && tid == right;
    if (post_q || (state_q == StWrite && same)) begin  // or a move to where the thread is
      head_q <= head_wdata;
      tail_q <= tail_wdata;
    end else if (!(state_q == StRead && hit_level_q)) begin
      head_q <= head;
      tail_q <= tail;
    end
    if (post_q)                                       single_q <= single_wdata;
    else if (!(state_q == StRead && hit_level_q))     single_q <= single;
    if (post_q)                                       next_q   <= right;
    else if (state_q == StRead && !hit_next_q)        next_q   <= next;
    if (post_q)                                       prev_q   <= left;
    else if (state_q == StRead && !hit_prev_q)        prev_q   <= prev;
  end

  // The bitmap is small and is read at once: then there is a cycle to find the highest bit.
  (* ram_style = "distributed" *) logic [Bits-1:0] bits [2**WordWidth];
  logic      [Bits-1:0] word_wdata, word_change;
  logic [WordWidth-1:0] word_addr;
  logic                 word_we, multiple, find, unused_valid;
  bit_t                 top_bit;

  assign word_addr = WordWidth'({queue_q, group_q});
  assign word      = bits[word_addr];
  assign live      = summary_q[queue_q][group_q];

  always_ff @(posedge clk_i) begin
    if (word_we) bits[word_addr] <= word_wdata;
  end

  cl_find_last_set #(.Width(Bits)) u_top_bit (
    .bits_i     (word),
    .valid_o    (unused_valid),
    .multiple_o (multiple),  // something stays when a bit is taken
    .index_o    (top_bit)
  );

  assign find        = state_q == StRead & last_q;
  assign found       = PriorityWidth'({group_q, top_bit});
  assign word_change = Bits'(1) << bit_q;

  for (genvar i = 0; i < Bits; i++) begin : g_word
    logic keep;  // when a level leaves the bitmap: the highest one if it is to be the best
    assign keep          = find ? (32'(word) >> (i + 1)) != '0 : ~word_change[i];
    assign word_wdata[i] = push_q ? (word[i] & live) | word_change[i] : word[i] & keep;
  end

  // ---------------------------------------------------------------------------------------------
  // Link the thread in or out: the two that are neighbours then are `left` and `right`.

  logic used, is_head, is_tail;

  assign same    = level_q == to_level_q;
  // A thread that was alone at a level and goes there again finds it empty.
  assign used    = is_best_q | (~above_best_q & used_q & ~(move_q & single_q & same_q));
  assign is_head = head_q == tid_q;
  assign is_tail = tail_q == tid_q;

  always_comb begin
    head_wdata = head_q;
    tail_wdata = tail_q;
    if (push_q) begin
      left         = front_q ? tid_q  : tail_q;
      right        = front_q ? head_q : tid_q;
      next_we      = used;
      prev_we      = used;
      single_wdata = ~used;
      if (front_q  || !used) head_wdata = tid_q;
      if (!front_q || !used) tail_wdata = tid_q;
    end else begin
      left         = prev_q;
      right        = next_q;
      next_we      = ~is_head;
      prev_we      = ~is_tail;
      single_wdata = is_head ? next_q == tail_q : is_tail && prev_q == head_q;
      if (is_head) head_wdata = next_q;
      if (is_tail) tail_wdata = prev_q;
    end
  end

  always_comb begin
    if (find)         word_we = top_valid_q;
    else if (join_in) word_we = above_best_q ? best_valid_at_q : ~is_best_q;
    else              word_we = state_q == StWrite & ~is_best_q & single_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      summary_q       <= '0;
      best_valid_q    <= '0;
      best_last_q     <= '0;
      best_priority_q <= '0;
      best_tid_q      <= '0;
    end else begin
      if (word_we) summary_q[queue_q][group_q] <= push_q | multiple;

      if (find) begin
        best_valid_q[queue_q]    <= top_valid_q;
        best_priority_q[queue_q] <= found;
      end else if (join_in && above_best_q) begin
        best_valid_q[queue_q]    <= 1'b1;
        best_priority_q[queue_q] <= level_q;
      end

      if (join_in && above_best_q) begin
        best_tid_q[queue_q]  <= tid_q;
        best_last_q[queue_q] <= 1'b1;
      end else if (join_in || state_q == StWrite) begin
        if (last_q) begin  // the head of the level found is there now
          best_tid_q[queue_q]  <= head;
          best_last_q[queue_q] <= single & ~(push_q & is_best_q);
        end else if (is_best_q) begin
          if (push_q ? front_q : is_head) best_tid_q[queue_q] <= push_q ? tid_q : next_q;
          best_last_q[queue_q] <= ~push_q & single_wdata;
        end
      end
    end
  end

  always_comb begin
    unique case (state_q)
      StIdle:  state_d = valid_i ? StRead : StIdle;
      StRead:  state_d = push_q ? StIdle : StWrite;
      StWrite: state_d = move_q ? StPush : StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      post_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      post_q  <= state_q == StRead & push_q;
    end
  end

endmodule
