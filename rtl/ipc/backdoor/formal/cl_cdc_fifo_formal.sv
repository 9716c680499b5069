// SPDX-License-Identifier: Apache-2.0
// The promises of cl_cdc_fifo, for any two clocks: a step of the proof is one in which either, both or neither ticks.
// The reading side gets at any time any number of words written by then, never fewer than before.
module cl_cdc_fifo_formal #(
  parameter  int unsigned Width  = 2,
  parameter  int unsigned Depth  = 4,
  localparam int unsigned CountW = $clog2(Depth) + 1
) (
  input logic              rst_ni,
  input logic              from_clk_i,
  input logic              put_i,
  input logic  [Width-1:0] word_i,
  input logic              watch_i,   // any word, watched from its put on
  input logic              to_clk_i,
  input logic              get_i,
  input logic [CountW-1:0] tell_i
);

  logic [CountW-1:0] room, written, waiting, told_q;
  logic  [Width-1:0] word;

  cl_cdc_fifo #(.Width(Width), .Depth(Depth)) u_dut (
    .from_clk_i,
    .from_rst_ni(rst_ni),
    .put_i, .word_i,
    .room_o     (room),
    .written_o  (written),
    .to_clk_i,
    .to_rst_ni  (rst_ni),
    .written_i  (told_q),
    .get_i,
    .waiting_o  (waiting),
    .word_o     (word)
  );

  logic              watched_q, got_q;
  logic [CountW-1:0] place_q, gray_before_q;
  logic  [Width-1:0] word_q;

  always_ff @(posedge from_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      watched_q <= 1'b0;
      place_q   <= '0;
      word_q    <= '0;
    end else if (watch_i && !watched_q && put_i && room != '0) begin
      watched_q <= 1'b1;
      place_q   <= written;
      word_q    <= word_i;
    end
  end

  always_ff @(posedge to_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      told_q        <= '0;
      got_q         <= 1'b0;
      gray_before_q <= '0;
    end else begin
      if (CountW'(tell_i - told_q) <= CountW'(written - told_q)) told_q <= tell_i;
      if (watched_q && get_i && waiting != '0 && u_dut.read_q == place_q) got_q <= 1'b1;
      gray_before_q <= u_dut.gray_q;
    end
  end

  // How many words there are, by the reading side's count as it is and on its way
  logic [CountW-1:0] level, level0, level1, level2;

  function automatic logic [CountW-1:0] binary(logic [CountW-1:0] gray);
    logic [CountW-1:0] result;
    for (int i = 0; i < CountW; i++) result[i] = ^(gray >> i);
    return result;
  endfunction

  assign level  = written - u_dut.read_q;
  assign level0 = written - binary(u_dut.u_read.before_q);
  assign level1 = written - binary(u_dut.u_read.first_q);
  assign level2 = written - binary(u_dut.u_read.second_q);

  always_comb begin
    if (rst_ni) begin
      // REQ-backdoor-11: no overflow or underflow: neither side sees more words or room than there is.
      assert (level <= CountW'(Depth) && room <= CountW'(Depth) - level);
      assert (CountW'(written - told_q) <= level && waiting <= level);
      assert (level <= level0 && level0 <= level1 && level1 <= level2 && level2 <= CountW'(Depth));
      // REQ-backdoor-12: of the Gray pointer one bit changes at an edge at most.
      assert ($countones(u_dut.gray_q ^ gray_before_q) <= 1);
      assert (binary(u_dut.gray_q) == u_dut.read_q);
      // REQ-backdoor-13: words are read in order, once, and are stable while they can be read.
      if (waiting != '0 && put_i && room != '0) assert (u_dut.written_q[CountW-2:0] != u_dut.read_q[CountW-2:0]);
      if (watched_q && !got_q) begin
        assert (CountW'(written - place_q) != '0 && CountW'(written - place_q) <= level);
        assert (u_dut.ram_q[place_q[CountW-2:0]] == word_q);
        if (waiting != '0 && u_dut.read_q == place_q) assert (word == word_q);
      end
      assert (watched_q || !got_q);
    end
  end

endmodule
