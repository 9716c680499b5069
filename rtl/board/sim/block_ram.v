// SPDX-License-Identifier: Apache-2.0
// verilog_lint: waive-start module-filename
// A block RAM of 18 kbit with two ports, as those of ECP5 and Gowin are: 2048 bytes of nine bits. A port of one, two or
// four bits leaves the ninth out; one of 8, 16 or 32 takes bytes of nine here, too. No registers behind the outputs.
module cl_block_ram_cell #(
  parameter [18431:0] Init       = 18432'b0,
  parameter integer   WidthA     = 18,       // 1, 2, 4, 9, 18, 36
  parameter integer   WidthB     = 18,
  parameter integer   ModeA      = 0,        // the output at a write: 0 as before, 1 the new word, 2 the old one
  parameter integer   ModeB      = 0,
  parameter integer   Async      = 0,        // of the resets, which clear the outputs
  parameter integer   ResetFirst = 0         // no write with a reset
) (
  input             clk_a, en_a, we_a, rst_a,
  input      [13:0] addr_a,                  // in bits, as of one port of one bit
  input       [3:0] be_a,
  input      [35:0] data_a,
  output     [35:0] q_a,
  input             clk_b, en_b, we_b, rst_b,
  input      [13:0] addr_b,
  input       [3:0] be_b,
  input      [35:0] data_b,
  output     [35:0] q_b
);

  reg [8:0] mem [0:2047];
  integer i;
  initial for (i = 0; i < 2048; i = i + 1) mem[i] = Init[9*i +: 9];

  wire  [1:0] clk = {clk_b, clk_a}, en = {en_b, en_a}, we = {we_b, we_a}, rst = {rst_b, rst_a};
  wire [27:0] addrs = {addr_b, addr_a};
  wire  [7:0] bes   = {be_b, be_a};
  wire [71:0] datas = {data_b, data_a};

  genvar p;
  generate
    for (p = 0; p < 2; p = p + 1) begin : g_port
      localparam integer Width = p == 0 ? WidthA : WidthB;
      localparam integer Mode  = p == 0 ? ModeA : ModeB;

      // Bytes from the one of an address on
      wire [13:0] addr = addrs[14*p +: 14];
      wire [10:0] at   = Width == 36 ? {addr[13:5], 2'b0} : Width == 18 ? {addr[13:4], 1'b0} : addr[13:3];
      wire [35:0] old  = {mem[at | 11'd3], mem[at | 11'd2], mem[at | 11'd1], mem[at]};

      // Which bits of them are the port's, lowest first, and which of them change
      wire  [2:0] low = Width >= 9 ? 3'd0 : Width == 4 ? {addr[2], 2'b0} : Width == 2 ? {addr[2:1], 1'b0} : addr[2:0];
      wire [35:0] all = (36'd1 << Width) - 36'd1;
      wire  [3:0] be  = bes[4*p +: 4];
      wire [35:0] by  = Width < 18 ? all << low : all & {{9{be[3]}}, {9{be[2]}}, {9{be[1]}}, {9{be[0]}}};
      wire [35:0] now = (old & ~by) | ((datas[36*p +: 36] << low) & by);

      always @(posedge clk[p]) begin
        if (en[p] && we[p] && !(ResetFirst != 0 && rst[p])) begin
          mem[at] <= now[8:0];
          if (Width >= 18) mem[at | 11'd1] <= now[17:9];
          if (Width == 36) mem[at | 11'd2] <= now[26:18];
          if (Width == 36) mem[at | 11'd3] <= now[35:27];
        end
      end

      wire [35:0] out = ((we[p] && Mode == 1 ? now : old) >> low) & all;
      wire        to  = en[p] && (!we[p] || Mode != 0);
      reg  [35:0] q;
      initial q = 36'b0;
      if (Async != 0) begin : g_async
        always @(posedge clk[p] or posedge rst[p]) if (rst[p]) q <= 36'b0; else if (to) q <= out;
      end else begin : g_sync
        always @(posedge clk[p]) if (rst[p]) q <= 36'b0; else if (to) q <= out;
      end
    end
  endgenerate

  assign q_a = g_port[0].q;
  assign q_b = g_port[1].q;

endmodule
