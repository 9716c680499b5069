// SPDX-License-Identifier: Apache-2.0
// How cl_sdram_controller is used: stores and loads of words, in the cycles of the README, at 25 MHz.
// The part here is a small one: it keeps the data, and checks no times (rtl/board/sim/sdram_chip.h does).
module cl_sdram_controller_tb;
  import cl_soc_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_sdram_controller: no end after 1000 cycles.");

  logic        req, ready, taken, ras_n, cas_n, we_n;
  obi_req_t    cmd;
  logic [31:0] rdata;
  logic [12:0] column;
  logic  [1:0] bank, mask;
  logic [15:0] to_part, from_part;

  cl_sdram_controller #(.ClockHz(25_000_000), .InitUs(1)) u_controller (
    .clk_i(clk), .rst_ni(rst_n), .req_i(req), .cmd_i(cmd), .ready_o(ready), .taken_i(taken), .rdata_o(rdata),
    .cke_o(), .cs_no(), .ras_no(ras_n), .cas_no(cas_n), .we_no(we_n), .addr_o(column), .bank_o(bank), .mask_o(mask),
    .data_o(to_part), .drive_o(), .data_i(from_part)
  );

  // The part, with the inverted clock: a burst of eight half words, of which the top registers each, too.
  bit   [15:0] halves [4096];  // {lowest bit of the row, bank, column}
  logic  [3:0] row_q;          // of each bank
  logic [11:0] next_q;
  logic [15:0] driven_q;
  always_ff @(negedge clk) begin
    from_part <= driven_q;
    driven_q  <= halves[next_q];
    next_q    <= {next_q[11:3], next_q[2:0] + 3'd1};
    unique case ({ras_n, cas_n, we_n})
      3'b011: row_q[bank] <= column[0];
      3'b101: next_q <= {row_q[bank], bank, column[8:0]};
      3'b100: if (mask == '0) halves[{row_q[bank], bank, column[8:0]}] <= to_part;
      default: ;
    endcase
  end

  // An access of a word on an idle bus, and the cycles from its request to its answer.
  task automatic access(input logic [31:0] addr, input logic we, input logic [31:0] word, input int cycles);
    int waited = 0;
    cmd = '{we: we, be: '1, addr: addr, wdata: word};
    req = 1'b1;
    do begin
      @(negedge clk);
      waited++;
    end while (!ready);
    taken = 1'b1;  // in the same cycle
    @(negedge clk);
    waited++;
    {req, taken} = '0;
    if (!we) check("rdata_o", rdata, word);
    check($sformatf("cycles of an access to 0x%0h", addr), waited, cycles);
    repeat (12) @(negedge clk);  // until what is left of it is done
  endtask

  initial begin
    {req, taken, cmd} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;
    repeat (60) @(negedge clk);  // it initialises the part

    access(32'h0000, Store, 32'h1234_5678, 2);  // into the buffer, from there to row 0 of bank 0
    access(32'h0004, Store, 32'h9abc_def0, 2);
    access(32'h0000, Load, 32'h1234_5678, 7);  // that row is open
    access(32'h0004, Load, 32'h9abc_def0, 2);  // came with the same burst
    access(32'h0400, Load, 32'h0000_0000, 8);  // no row is open in bank 1
    access(32'h1000, Load, 32'h0000_0000, 9);  // row 1 of bank 0: another one is open

    passed("cl_sdram_controller");
  end

endmodule
