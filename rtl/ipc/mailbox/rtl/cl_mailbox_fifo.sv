// SPDX-License-Identifier: Apache-2.0
// The mailbox from one processor to another: a FIFO of words, and at each end a count and a sticky error.
//
// Order within one cycle: put, get, reset from the sending end, reset from the receiving end. So a word can be got in
// the cycle in which it is put, and no reset is overwritten.
module cl_mailbox_fifo
  import cl_ipc_pkg::*;
#(
  parameter  int unsigned Depth      = 16,   // a power of two, 2..256
  localparam int unsigned LevelWidth = $clog2(Depth) + 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  // Sending end, one of these a cycle
  input  logic                           put_i,             // never when full_o
  input  logic                           put_gives_up_i,
  input  error_e                         put_code_i,        // why it gives up
  input  logic                           clear_sent_i,
  input  logic                           reset_sent_i,
  input  logic [31:0]                    word_i,
  output logic                           full_o,
  output logic [LevelWidth-1:0]          space_o,           // words that fit
  output error_e                         sent_error_o,
  output logic [StateWordCountWidth-1:0] sent_o,

  // Receiving end, one of these a cycle; level_o, some_o and head_o count the word that is put in this cycle
  input  logic                           get_i,             // never without some_o
  input  logic                           get_gives_up_i,
  input  error_e                         get_code_i,
  input  logic                           clear_received_i,
  input  logic                           reset_received_i,
  output logic                           some_o,
  output logic [LevelWidth-1:0]          level_o,
  output logic [31:0]                    head_o,
  output error_e                         received_error_o,
  output logic [StateWordCountWidth-1:0] received_o
);

  localparam int unsigned PointerWidth = $clog2(Depth);

  logic [31:0]                    ram_q [Depth];
  logic [PointerWidth-1:0]        write_q, read_q;
  logic [LevelWidth-1:0]          level_q;
  logic                           empty;
  logic [StateWordCountWidth-1:0] sent_q, received_q;
  error_e                         sent_error_q, received_error_q;

  assign empty            = level_q == '0;
  assign full_o           = level_q[LevelWidth-1];
  assign space_o          = LevelWidth'(Depth) - level_q;
  assign sent_error_o     = sent_error_q;
  assign sent_o           = sent_q;
  assign some_o           = ~empty | put_i;
  assign level_o          = level_q + LevelWidth'(put_i);
  assign head_o           = empty ? word_i : ram_q[read_q];
  assign received_error_o = received_error_q;
  assign received_o       = received_q;

  always_ff @(posedge clk_i) begin
    if (put_i) ram_q[write_q] <= word_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q          <= '0;
      read_q           <= '0;
      level_q          <= '0;
      sent_q           <= '0;
      received_q       <= '0;
      sent_error_q     <= ErrorOk;
      received_error_q <= ErrorOk;
    end else begin
      level_q <= level_q + LevelWidth'(put_i) - LevelWidth'(get_i);
      if (put_i) begin
        write_q <= write_q + 1'b1;
        sent_q  <= sent_q + 1'b1;
      end
      if (get_i) begin
        read_q     <= read_q + 1'b1;
        received_q <= received_q + 1'b1;
      end
      if (put_gives_up_i)   sent_error_q     <= put_code_i;
      if (clear_sent_i)     sent_error_q     <= ErrorOk;
      if (get_gives_up_i)   received_error_q <= get_code_i;
      if (clear_received_i) received_error_q <= ErrorOk;
      if (reset_sent_i || reset_received_i) begin
        write_q <= '0;
        read_q  <= '0;
        level_q <= '0;
      end
      if (reset_sent_i) begin
        sent_q           <= '0;
        sent_error_q     <= ErrorOk;
        received_error_q <= ErrorReset;
      end
      if (reset_received_i) begin
        received_q       <= '0;
        received_error_q <= ErrorOk;
        sent_error_q     <= ErrorReset;
      end
    end
  end

`ifdef FORMAL
  // Any word, watched from the put on: how many words are ahead of it, and whether it is there.
  logic                           watch, watched_q, any_reset, lawful;
  logic [31:0]                    watched_word_q;
  logic [LevelWidth-1:0]          ahead_q;
  logic [StateWordCountWidth-1:0] puts_q, gets_q;
  // A cycle ago
  error_e                         f_sent_error_q, f_received_error_q, f_put_code_q, f_get_code_q;
  logic                           f_put_q, f_get_q, f_clear_sent_q, f_clear_received_q, f_sent_q, f_received_q;
  logic                           f_live_q;

  assign lawful    = (!put_i || !full_o) && (!get_i || some_o) &&
                     $countones({put_i, put_gives_up_i, clear_sent_i, reset_sent_i}) <= 1 &&
                     $countones({get_i, get_gives_up_i, clear_received_i, reset_received_i}) <= 1;
  assign watch     = put_code_i[0];   // any value: nobody looks at it with put_i
  assign any_reset = reset_sent_i | reset_received_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      watched_q <= 1'b0;
      ahead_q   <= '0;
      puts_q    <= '0;
      gets_q    <= '0;
      f_live_q  <= 1'b0;
    end else begin
      f_live_q <= 1'b1;
      if (!watched_q && watch && put_i) begin
        watched_q      <= !(get_i && level_q == '0);
        ahead_q        <= level_q - LevelWidth'(get_i);
        watched_word_q <= word_i;
      end else if (watched_q && get_i) begin
        watched_q <= ahead_q != '0;
        ahead_q   <= ahead_q - 1'b1;
      end
      if (any_reset) watched_q <= 1'b0;
      puts_q <= reset_sent_i ? '0 : puts_q + StateWordCountWidth'(put_i);
      gets_q <= reset_received_i ? '0 : gets_q + StateWordCountWidth'(get_i);
    end
  end

  always_ff @(posedge clk_i) begin
    f_sent_error_q     <= sent_error_q;
    f_received_error_q <= received_error_q;
    f_put_code_q       <= put_code_i;
    f_get_code_q       <= get_code_i;
    f_put_q            <= put_gives_up_i;
    f_get_q            <= get_gives_up_i;
    f_clear_sent_q     <= clear_sent_i;
    f_clear_received_q <= clear_received_i;
    f_sent_q           <= reset_sent_i;
    f_received_q       <= reset_received_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
`ifdef FORMAL_ALONE
      assume (lawful);
`else
      assert (lawful);
`endif
      // REQ-mailbox-1: words are got in the order in which they were put, once each.
      if (get_i && watched_q && ahead_q == '0) assert (head_o == watched_word_q);
      if (get_i && put_i && level_q == '0)     assert (head_o == word_i);
      if (watched_q) begin
        assert (ahead_q < level_q);
        assert (ram_q[read_q + PointerWidth'(ahead_q)] == watched_word_q);
      end
      assert (some_o == (level_q != '0 || put_i));
      assert (write_q == read_q + PointerWidth'(level_q));
      assert (level_q <= LevelWidth'(Depth) && full_o == (level_q == LevelWidth'(Depth)));
      assert (space_o + level_q == LevelWidth'(Depth));
      // REQ-mailbox-2: the counts are exact.
      assert (sent_o == puts_q && received_o == gets_q);
      if (f_live_q) begin
        // REQ-mailbox-3: a reset empties the mailbox and sets the other end's error, whatever happens in the same cycle.
        if (f_sent_q || f_received_q) assert (level_q == '0);
        if (f_received_q)             assert (sent_error_q == ErrorReset && received_error_q == ErrorOk);
        else if (f_sent_q)            assert (received_error_q == ErrorReset && sent_error_q == ErrorOk);
        // REQ-mailbox-4: an error stays until it is cleared or its end is reset.
        if (!f_sent_q && !f_received_q) begin
          assert (sent_error_q == (f_put_q ? f_put_code_q : f_clear_sent_q ? ErrorOk : f_sent_error_q));
          assert (received_error_q ==
                  (f_get_q ? f_get_code_q : f_clear_received_q ? ErrorOk : f_received_error_q));
        end
      end
    end
  end
`endif

endmodule
