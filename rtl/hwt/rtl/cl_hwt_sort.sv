// SPDX-License-Identifier: Apache-2.0
// Sorts words in place: any number of them, in memory, ascending, unsigned. struct hwt_sort in hwt_units.h.
//
// Radix exchange: a range whose words differ is split at the highest bit in which they do. Two ends move
// towards each other; a word with a 1 on the left and one with a 0 on the right change places. Each word is
// read once and half of them are written, so a split takes about 1.5 cycles a word. While it is split, what
// differs within each half is gathered, so no split is idle and none comes after the 32nd: no input is slow.
// A range of up to Cells words is loaded into a row of cells that sorts as it is filled, and stored from it.
module cl_hwt_sort
  import cl_soc_pkg::*;
#(
  parameter int unsigned Cells = 16   // 2..64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,
  input  logic        start_i,
  input  logic [31:0] argument_i,
  output logic        done_o,
  output logic [31:0] result_o,
  output logic        call_valid_o,
  output logic  [7:0] call_op_o,
  output logic  [9:0] call_id_o,
  output logic        call_store_o,
  output logic [31:0] call_word_o,
  output logic        call_load_o,
  input  logic        call_done_i,
  input  logic [31:0] call_answer_i,
  input  logic [31:0] call_message_i,
  output logic        mem_req_o,
  output obi_req_t    mem_cmd_o,
  input  logic        mem_gnt_i,
  input  logic        mem_rvalid_i,
  input  logic [31:0] mem_rdata_i
);

  localparam logic [31:0] CountMax = 32'h3fff_ffff;   // HWT_SORT_COUNT_MAX
  localparam logic [31:0] Einval   = 32'd22;
  localparam int unsigned N        = 30;              // bits of a word's address

  typedef enum logic [3:0] {
    StIdle,
    StBlock,    // read the parameters
    StRange,    // what to do with [lo, hi)
    StSplit,
    StHalves,   // continue with the left half, push the right one
    StLoad,
    StStore,
    StNext,     // the range is sorted: the one that was kept last
    StFinish,
    StDone
  } state_e;

  // A range that waits: it begins where the one before it ends
  typedef struct packed {
    logic [N-1:0] hi;
    logic         equal;   // no need to look at it
    logic   [4:0] place;   // its highest bit that differs
  } kept_t;

  // A word on its way: read from one end and not in its half yet
  typedef struct packed {
    logic [31:0] word;
    logic        one;      // its bit at `place`
  } item_t;

  state_e       state_q;
  logic [N-1:0] lo_q, hi_q;          // the range: addresses of words, hi beyond it
  logic   [4:0] place_q;
  logic  [31:0] count_q;
  logic   [1:0] ask_q, wait_q;
  logic         bad_q;

  kept_t        kept [32];
  logic   [4:0] kept_at_q;   // of the next one to be kept
  logic         kept_any_q;
  kept_t        last;

  // Split: left[0] is the word at left_at, right[0] the one at right_at; read_left to read_right is unread.
  item_t  [1:0] left_q, right_q;
  logic   [1:0] left_count_q, right_count_q;
  logic [N-1:0] left_at_q, right_at_q, read_left_q, read_right_q, unread_count_q;
  logic         unread_q;                             // unread_count is not 0
  logic         reading_q, reading_left_q;            // a load is outstanding, for the left end
  logic         second_q;                             // of an exchange, the left word is still to be written
  logic  [31:0] left_or_q, left_and_q, right_or_q, right_and_q;

  logic         settled, exchange, exchanged, lone_left, lone_right;
  logic         drop_left, drop_right, pop_left, pop_right;
  logic         move_left, move_right, push_left, push_right, want_left, want_read;
  logic         to_left, to_right, to_left_q, to_right_q;
  logic  [31:0] to_left_word, to_right_word, to_left_word_q, to_right_word_q;
  item_t        came;

  assign settled = ~unread_q & ~reading_q;              // all that is left is here
  assign last    = kept[kept_at_q - 5'd1];

  // The last words are all at one end: two of them may have to change places, one may belong to the other half.
  assign lone_left  = settled & (right_count_q == '0) & left_q[0].one;
  assign lone_right = settled & (left_count_q == '0) & ~right_q[0].one;
  assign move_left  = (state_q == StSplit) & settled & (right_count_q == '0) & (left_count_q == 2'd2);
  assign move_right = (state_q == StSplit) & settled & (left_count_q == '0) & (right_count_q == 2'd2);
  assign exchange   = (state_q == StSplit) & (left_count_q != '0) & left_q[0].one
                    & (right_count_q != '0) & ~right_q[0].one;
  assign exchanged  = exchange & second_q & mem_gnt_i;
  assign drop_left  = (state_q == StSplit) & (left_count_q != '0) & ~move_left & (~left_q[0].one | lone_left);
  assign drop_right = (state_q == StSplit) & (right_count_q != '0) & ~move_right & (right_q[0].one | lone_right);
  assign pop_left   = exchanged | drop_left;
  assign pop_right  = exchanged | drop_right;

  // Which half a word is known to be in now; at most one for each
  always_comb begin
    to_left       = (pop_left & ~left_q[0].one) | (pop_right & ~right_q[0].one);
    to_right      = (pop_left & left_q[0].one) | (pop_right & right_q[0].one);
    to_left_word  = (left_count_q != '0 && !left_q[0].one) ? left_q[0].word : right_q[0].word;
    to_right_word = (right_count_q != '0 && right_q[0].one) ? right_q[0].word : left_q[0].word;
  end

  // Read for the end that has less; one may be read in the cycle in which one goes.
  logic [1:0] left_have, right_have;

  assign left_have  = left_count_q + 2'(reading_q & reading_left_q) - 2'(drop_left);
  assign right_have = right_count_q + 2'(reading_q && !reading_left_q) - 2'(drop_right);
  assign want_left  = left_have <= right_have;
  assign want_read  = (state_q == StSplit) & unread_q & ~exchange & ((want_left ? left_have : right_have) < 2'd2);
  assign push_left  = mem_rvalid_i & reading_q & reading_left_q;
  assign push_right = mem_rvalid_i & reading_q & ~reading_left_q;
  assign came       = '{word: mem_rdata_i, one: mem_rdata_i[place_q]};

  // The highest bit that differs in each half
  logic       left_differs, right_differs, unused_left, unused_right;
  logic [4:0] left_place, right_place;

  cl_find_last_set #(
    .Width(32)
  ) u_left_place (
    .bits_i    (left_or_q & ~left_and_q),
    .valid_o   (left_differs),
    .multiple_o(unused_left),
    .index_o   (left_place)
  );

  cl_find_last_set #(
    .Width(32)
  ) u_right_place (
    .bits_i    (right_or_q & ~right_and_q),
    .valid_o   (right_differs),
    .multiple_o(unused_right),
    .index_o   (right_place)
  );

  // Cells: the smallest word in cell 0. A new word goes before the first larger one.
  logic [Cells-1:0][31:0] cell_q;
  logic [Cells-1:0]       full_q, after;
  logic            [31:0] word_q;
  logic                   word_valid_q, shift;
  logic             [6:0] size_q, todo_q;             // words of the range; to be loaded or stored still
  logic                   more_q;                     // todo is not 0
  logic           [N-1:0] next_q;                     // the word to load or store next

  always_comb begin
    for (int unsigned i = 0; i < Cells; i++) after[i] = ~full_q[i] | (word_q < cell_q[i]);
  end

  assign shift = (state_q == StStore) & mem_gnt_i;

  always_ff @(posedge clk_i) begin
    if (run_i) begin
      for (int unsigned i = 0; i < Cells; i++) begin
        if (word_valid_q && after[i]) cell_q[i] <= (i != 0 && after[(i + Cells - 1) % Cells]) ?
                                                   cell_q[(i + Cells - 1) % Cells] : word_q;
        else if (shift)               cell_q[i] <= cell_q[(i + 1) % Cells];
      end
    end
  end

  // Memory
  logic [N-1:0] address;

  always_comb begin
    mem_req_o       = 1'b0;
    mem_cmd_o       = '{we: 1'b0, be: '1, addr: '0, wdata: cell_q[0]};
    address         = next_q;
    unique case (state_q)
      StBlock: mem_req_o = ask_q != '0;
      StSplit: begin
        mem_req_o = exchange | want_read;
        if (exchange) begin
          mem_cmd_o.we    = 1'b1;
          mem_cmd_o.wdata = second_q ? left_q[0].word : right_q[0].word;
          address         = second_q ? right_at_q : left_at_q;
        end else begin
          address = want_left ? read_left_q : read_right_q;
        end
      end
      StLoad: mem_req_o = more_q;
      StStore: begin
        mem_req_o    = more_q;
        mem_cmd_o.we = 1'b1;
      end
      default: mem_req_o = 1'b0;
    endcase
    mem_cmd_o.addr = {address, 2'b0};
  end

  assign done_o   = state_q == StDone;
  assign result_o = bad_q ? Einval : 32'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= StIdle;
      lo_q           <= '0;
      hi_q           <= '0;
      place_q        <= '0;
      count_q        <= '0;
      ask_q          <= '0;
      wait_q         <= '0;
      bad_q          <= 1'b0;
      kept_at_q      <= '0;
      kept_any_q     <= 1'b0;
      left_q         <= '0;
      right_q        <= '0;
      left_count_q   <= '0;
      right_count_q  <= '0;
      left_at_q      <= '0;
      right_at_q     <= '0;
      read_left_q    <= '0;
      read_right_q   <= '0;
      unread_count_q <= '0;
      unread_q       <= 1'b0;
      reading_q      <= 1'b0;
      reading_left_q <= 1'b0;
      second_q       <= 1'b0;
      left_or_q      <= '0;
      left_and_q     <= '0;
      to_left_q       <= 1'b0;
      to_right_q      <= 1'b0;
      to_left_word_q  <= '0;
      to_right_word_q <= '0;
      right_or_q     <= '0;
      right_and_q    <= '0;
      full_q         <= '0;
      word_q         <= '0;
      word_valid_q   <= 1'b0;
      next_q         <= '0;
      size_q         <= '0;
      todo_q         <= '0;
      more_q         <= 1'b0;
    end else if (run_i) begin
      unique case (state_q)
        StIdle: if (start_i) begin
          next_q  <= argument_i[31:2];
          ask_q   <= 2'd2;
          wait_q  <= 2'd2;
          state_q <= StBlock;
        end
        StBlock: begin
          if (mem_gnt_i) begin
            next_q <= next_q + N'(1);
            ask_q  <= ask_q - 2'd1;
          end
          if (mem_rvalid_i) begin
            wait_q  <= wait_q - 2'd1;
            count_q <= mem_rdata_i;
            if (wait_q == 2'd2) bad_q <= mem_rdata_i[1:0] != '0;
            if (wait_q == 2'd1) lo_q <= count_q[31:2];
          end
          if (wait_q == '0) begin
            bad_q   <= bad_q | (count_q > CountMax);
            hi_q    <= lo_q + count_q[N-1:0];
            place_q <= 5'd31;
            state_q <= (bad_q || count_q > CountMax) ? StDone : StRange;
          end
        end
        StRange: begin
          next_q       <= lo_q;
          size_q       <= 7'(hi_q - lo_q);
          todo_q       <= 7'(hi_q - lo_q);
          more_q       <= 1'b1;
          full_q       <= '0;
          left_at_q    <= lo_q;
          right_at_q   <= hi_q - N'(1);
          read_left_q  <= lo_q;
          read_right_q <= hi_q - N'(1);
          unread_count_q <= hi_q - lo_q;
          unread_q     <= 1'b1;
          left_or_q    <= '0;
          left_and_q   <= '1;
          right_or_q   <= '0;
          right_and_q  <= '1;
          if (hi_q - lo_q <= N'(1))          state_q <= StNext;
          else if (hi_q - lo_q <= N'(Cells)) state_q <= StLoad;
          else                               state_q <= StSplit;
        end
        StSplit: begin
          reading_q <= (mem_gnt_i & ~exchange) | (reading_q & ~mem_rvalid_i);
          if (mem_gnt_i) begin
            if (exchange) begin
              second_q <= ~second_q;
            end else begin
              reading_left_q <= want_left;
              unread_count_q <= unread_count_q - N'(1);
              unread_q       <= unread_count_q != N'(1);
              if (want_left) read_left_q  <= read_left_q + N'(1);
              else           read_right_q <= read_right_q - N'(1);
            end
          end
          left_count_q  <= left_count_q - 2'(pop_left) - 2'(move_left) + 2'(push_left) + 2'(move_right);
          right_count_q <= right_count_q - 2'(pop_right) - 2'(move_right) + 2'(push_right) + 2'(move_left);
          // None comes in the cycle in which an exchange ends: reads have stopped two grants before.
          if (pop_left || push_left || move_right) begin
            if (push_left && left_count_q == 2'(drop_left)) left_q[0] <= came;
            else if (move_right)                            left_q[0] <= right_q[1];
            else if (!push_left || drop_left)               left_q[0] <= left_q[1];
          end
          if (pop_right || push_right || move_left) begin
            if (push_right && right_count_q == 2'(drop_right)) right_q[0] <= came;
            else if (move_left)                                right_q[0] <= left_q[1];
            else if (!push_right || drop_right)                right_q[0] <= right_q[1];
          end
          if (push_left)  left_q[1]  <= came;
          if (push_right) right_q[1] <= came;
          if (to_left) begin
            left_at_q <= left_at_q + N'(1);
          end
          if (to_right) begin
            right_at_q <= right_at_q - N'(1);
          end
          // Gathered a cycle later, which is in time for StHalves.
          to_left_q       <= to_left;
          to_right_q      <= to_right;
          to_left_word_q  <= to_left_word;
          to_right_word_q <= to_right_word;
          if (to_left_q) begin
            left_or_q  <= left_or_q | to_left_word_q;
            left_and_q <= left_and_q & to_left_word_q;
          end
          if (to_right_q) begin
            right_or_q  <= right_or_q | to_right_word_q;
            right_and_q <= right_and_q & to_right_word_q;
          end
          if (settled && left_count_q == '0 && right_count_q == '0) state_q <= StHalves;
        end
        StHalves: begin
          // left_at is where the right half begins.
          if (left_at_q != lo_q && left_differs) begin
            hi_q    <= left_at_q;
            place_q <= left_place;
            state_q <= StRange;
            if (left_at_q != hi_q) begin
              kept_at_q  <= kept_at_q + 5'd1;
              kept_any_q <= 1'b1;
            end
          end else begin
            lo_q    <= left_at_q;
            place_q <= right_place;
            state_q <= right_differs && left_at_q != hi_q ? StRange : StNext;
          end
        end
        StLoad: begin
          if (mem_gnt_i) begin
            next_q <= next_q + N'(1);
            todo_q <= todo_q - 7'd1;
            more_q <= todo_q != 7'd1;
          end
          word_q       <= mem_rdata_i;
          word_valid_q <= mem_rvalid_i;
          if (word_valid_q) full_q <= {full_q[Cells-2:0], 1'b1};
          reading_q    <= mem_gnt_i;
          if (!more_q && !reading_q && !mem_rvalid_i) begin
            next_q  <= lo_q;
            todo_q  <= size_q;
            more_q  <= 1'b1;
            state_q <= StStore;
          end
        end
        StStore: begin
          if (mem_gnt_i) begin
            next_q <= next_q + N'(1);
            todo_q <= todo_q - 7'd1;
            more_q <= todo_q != 7'd1;
          end
          if (!more_q && mem_rvalid_i) state_q <= StNext;
        end
        StNext: begin
          lo_q <= hi_q;
          if (kept_any_q) begin
            hi_q       <= last.hi;
            place_q    <= last.place;
            kept_at_q  <= kept_at_q - 5'd1;
            kept_any_q <= kept_at_q != 5'd1;
            state_q    <= last.equal ? StNext : StRange;
          end else begin
            state_q <= StDone;
          end
        end
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (run_i && state_q == StHalves && left_at_q != lo_q && left_differs && left_at_q != hi_q) begin
      kept[kept_at_q] <= '{hi: hi_q, equal: ~right_differs, place: right_place};
    end
  end

  // Makes no kernel calls.
  assign call_valid_o = 1'b0;
  assign call_op_o    = '0;
  assign call_id_o    = '0;
  assign call_store_o = 1'b0;
  assign call_word_o  = '0;
  assign call_load_o  = 1'b0;
  logic unused;
  assign unused = ^{call_done_i, call_answer_i, call_message_i, argument_i[1:0], unused_left, unused_right};

endmodule
