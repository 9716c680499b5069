// SPDX-License-Identifier: Apache-2.0
// Memories and multiplications of all the shapes that Yosys makes cells of, for tests/board/test_cells.py.
module rams (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [9:0] at_i,
  input  logic  [9:0] to_i,
  input  logic [35:0] data_i,
  input  logic  [3:0] be_i,
  input  logic        read_i,
  input  logic        write_i,
  output logic [31:0] bytes_o,    // one port with byte enables
  output logic [31:0] words_o,    // one port that reads, one that writes
  output logic [35:0] both_o,     // the same with more bits, and the new word at once
  output logic [15:0] first_o,    // two ports that read and write
  output logic [15:0] second_o,
  output logic  [3:0] narrow_o,
  output logic        bit_o,      // one port of one bit
  output logic [31:0] reset_o,    // its output has a reset
  output logic [31:0] filled_o,   // with contents
  output logic [65:0] signed_o,
  output logic [33:0] product_o
);

  logic [31:0] bytes [512];
  logic [31:0] words [512];
  logic [35:0] both  [512];
  logic [15:0] dual  [1024];
  logic  [3:0] narrow[4096];
  logic        single[16384];
  logic [31:0] clear [512];
  logic [31:0] filled[512];

  initial begin
    for (int i = 0; i < 512; i++) begin
      bytes[i] = '0;
      words[i] = 32'(i * 3);
      both[i] = '0;
      clear[i] = '1;
      filled[i] = 32'(i) * 32'h0101_0307;
    end
    for (int i = 0; i < 1024; i++) dual[i] = 16'(i);
  end

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      for (int b = 0; b < 4; b++) if (be_i[b]) bytes[at_i[8:0]][8*b +: 8] <= data_i[8*b +: 8];
    end
    if (read_i) bytes_o <= bytes[at_i[8:0]];
  end

  always_ff @(posedge clk_i) begin
    if (write_i) words[to_i[8:0]] <= data_i[31:0];
    words_o <= words[at_i[8:0]];
  end

  logic [8:0] both_at_q;
  always_ff @(posedge clk_i) begin
    if (write_i) both[to_i[8:0]] <= data_i;
    both_at_q <= at_i[8:0];
  end
  assign both_o = both[both_at_q];

  always_ff @(posedge clk_i) begin
    if (write_i) dual[to_i] <= data_i[15:0];
    first_o <= dual[to_i];
  end
  always_ff @(posedge clk_i) begin
    if (read_i) second_o <= dual[at_i];
  end

  always_ff @(posedge clk_i) begin
    if (write_i) narrow[{be_i[1:0], to_i}] <= data_i[3:0];
    if (read_i)  narrow_o <= narrow[{be_i[3:2], at_i}];
  end

  always_ff @(posedge clk_i) begin
    if (write_i)     single[{be_i, at_i}] <= data_i[0];
    else if (read_i) bit_o <= single[{be_i, at_i}];
  end

  always_ff @(posedge clk_i) begin
    if (write_i) clear[to_i[8:0]] <= data_i[31:0];
    if (!rst_ni)     reset_o <= '0;
    else if (read_i) reset_o <= clear[at_i[8:0]];
  end

  always_ff @(posedge clk_i) begin
    if (read_i) filled_o <= filled[at_i[8:0]];
  end

  logic [35:0] data_q;
  always_ff @(posedge clk_i) begin
    data_q    <= data_i;
    signed_o  <= 66'($signed(data_i[32:0]) * $signed({data_q[15:0], data_q[35:19]}));
    product_o <= 34'(data_i[16:0]) * 34'(data_q[16:0]);
  end

endmodule
