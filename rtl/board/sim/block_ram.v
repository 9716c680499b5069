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
  output reg [35:0] q_a,
  input             clk_b, en_b, we_b, rst_b,
  input      [13:0] addr_b,
  input       [3:0] be_b,
  input      [35:0] data_b,
  output reg [35:0] q_b
);

  reg [8:0] mem [0:2047];
  integer i;
  initial begin
    for (i = 0; i < 2048; i = i + 1) mem[i] = Init[9*i +: 9];
    q_a = 36'b0;
    q_b = 36'b0;
  end

  // Bytes from the one of an address on
  wire [10:0] at_a = WidthA == 36 ? {addr_a[13:5], 2'b0} : WidthA == 18 ? {addr_a[13:4], 1'b0} : addr_a[13:3];
  wire [10:0] at_b = WidthB == 36 ? {addr_b[13:5], 2'b0} : WidthB == 18 ? {addr_b[13:4], 1'b0} : addr_b[13:3];
  wire [35:0] old_a = {mem[at_a | 11'd3], mem[at_a | 11'd2], mem[at_a | 11'd1], mem[at_a]};
  wire [35:0] old_b = {mem[at_b | 11'd3], mem[at_b | 11'd2], mem[at_b | 11'd1], mem[at_b]};

  // Which bits of them are the port's, lowest first, and which of them change
  wire  [2:0] bit_a = WidthA >= 9 ? 3'd0 : WidthA == 4 ? {addr_a[2], 2'b0} : WidthA == 2 ? {addr_a[2:1], 1'b0} : addr_a[2:0];
  wire  [2:0] bit_b = WidthB >= 9 ? 3'd0 : WidthB == 4 ? {addr_b[2], 2'b0} : WidthB == 2 ? {addr_b[2:1], 1'b0} : addr_b[2:0];
  wire [35:0] all_a = (36'd1 << WidthA) - 36'd1;
  wire [35:0] all_b = (36'd1 << WidthB) - 36'd1;
  wire [35:0] by_a  = WidthA < 18 ? all_a << bit_a : all_a & {{9{be_a[3]}}, {9{be_a[2]}}, {9{be_a[1]}}, {9{be_a[0]}}};
  wire [35:0] by_b  = WidthB < 18 ? all_b << bit_b : all_b & {{9{be_b[3]}}, {9{be_b[2]}}, {9{be_b[1]}}, {9{be_b[0]}}};
  wire [35:0] new_a = (old_a & ~by_a) | ((data_a << bit_a) & by_a);
  wire [35:0] new_b = (old_b & ~by_b) | ((data_b << bit_b) & by_b);
  wire        do_a  = en_a && we_a && !(ResetFirst != 0 && rst_a);
  wire        do_b  = en_b && we_b && !(ResetFirst != 0 && rst_b);

  always @(posedge clk_a) begin
    if (do_a) begin
      mem[at_a] <= new_a[8:0];
      if (WidthA >= 18) mem[at_a | 11'd1] <= new_a[17:9];
      if (WidthA == 36) mem[at_a | 11'd2] <= new_a[26:18];
      if (WidthA == 36) mem[at_a | 11'd3] <= new_a[35:27];
    end
  end

  always @(posedge clk_b) begin
    if (do_b) begin
      mem[at_b] <= new_b[8:0];
      if (WidthB >= 18) mem[at_b | 11'd1] <= new_b[17:9];
      if (WidthB == 36) mem[at_b | 11'd2] <= new_b[26:18];
      if (WidthB == 36) mem[at_b | 11'd3] <= new_b[35:27];
    end
  end

  wire [35:0] out_a = ((we_a && ModeA == 1 ? new_a : old_a) >> bit_a) & all_a;
  wire [35:0] out_b = ((we_b && ModeB == 1 ? new_b : old_b) >> bit_b) & all_b;
  wire        to_a  = en_a && (!we_a || ModeA != 0);
  wire        to_b  = en_b && (!we_b || ModeB != 0);

  generate
    if (Async != 0) begin : g_async
      always @(posedge clk_a or posedge rst_a) if (rst_a) q_a <= 36'b0; else if (to_a) q_a <= out_a;
      always @(posedge clk_b or posedge rst_b) if (rst_b) q_b <= 36'b0; else if (to_b) q_b <= out_b;
    end else begin : g_sync
      always @(posedge clk_a) if (rst_a) q_a <= 36'b0; else if (to_a) q_a <= out_a;
      always @(posedge clk_b) if (rst_b) q_b <= 36'b0; else if (to_b) q_b <= out_b;
    end
  endgenerate

endmodule
