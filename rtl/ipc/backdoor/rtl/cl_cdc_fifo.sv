// SPDX-License-Identifier: Apache-2.0
// FIFO from one clock to another. The read count comes back as a Gray pointer. The user passes the write count to the
// reading side (by cl_cdc_bundle), so that no word overtakes what is sent in the same bundle.
module cl_cdc_fifo #(
  parameter  int unsigned Width    = 32,
  parameter  int unsigned Depth    = 16,            // a power of two, 2..2^30
  localparam int unsigned CountW   = $clog2(Depth) + 1
) (
  // Writing side
  input  logic              from_clk_i,
  input  logic              from_rst_ni,
  input  logic              put_i,                  // ignored when full
  input  logic [Width-1:0]  word_i,
  output logic [CountW-1:0] room_o,                 // words that fit at least
  output logic [CountW-1:0] written_o,              // since reset, modulo twice the depth

  // Reading side
  input  logic              to_clk_i,
  input  logic              to_rst_ni,
  input  logic [CountW-1:0] written_i,              // written_o, delayed by the crossing
  input  logic              get_i,                  // ignored when empty
  output logic [CountW-1:0] waiting_o,              // words that can be read
  output logic [Width-1:0]  word_o                  // the oldest, while waiting_o is not 0
);

  localparam int unsigned IndexW = CountW - 1;

  logic [Width-1:0]  ram_q [Depth];
  logic [CountW-1:0] written_q, read_q, read_next, gray_q, gray_there, read_there;
  logic              put, get;

  assign room_o    = CountW'(Depth) - (written_q - read_there);
  assign put       = put_i & (room_o != '0);
  assign written_o = written_q;

  always_ff @(posedge from_clk_i) begin
    if (put) ram_q[written_q[IndexW-1:0]] <= word_i;
  end

  always_ff @(posedge from_clk_i or negedge from_rst_ni) begin
    if (!from_rst_ni) written_q <= '0;
    else if (put)     written_q <= written_q + 1'b1;
  end

  cl_sync #(.Width(CountW)) u_read (.clk_i(from_clk_i), .rst_ni(from_rst_ni), .d_i(gray_q), .q_o(gray_there));

  // Gray to binary: each bit is the parity of those from it upwards.
  for (genvar i = 0; i < CountW; i++) begin : g_binary
    assign read_there[i] = ^(gray_there >> i);
  end

  assign waiting_o = written_i - read_q;
  assign get       = get_i & (waiting_o != '0);
  assign read_next = read_q + 1'b1;
  assign word_o    = ram_q[read_q[IndexW-1:0]];   // written before written_i counts it, kept until read

  always_ff @(posedge to_clk_i or negedge to_rst_ni) begin
    if (!to_rst_ni) begin
      read_q <= '0;
      gray_q <= '0;
    end else if (get) begin
      read_q <= read_next;
      gray_q <= read_next ^ (read_next >> 1);
    end
  end

endmodule
