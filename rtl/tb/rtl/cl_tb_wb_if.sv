// SPDX-License-Identifier: Apache-2.0
// Wishbone B4 masters with classic cycles.
interface cl_tb_wb_if
  import cl_tb_pkg::*;
#(
  parameter int unsigned Masters   = 1,
  parameter int unsigned AddrWidth = 8   // of an address in words
) (
  input bit clk
);

  logic [Masters-1:0]                ack, err;
  logic [Masters-1:0]                stb = '0, we = '0;  // stb: cyc, too
  logic [Masters-1:0][AddrWidth-1:0] adr = '0;
  logic [Masters-1:0]          [3:0] sel = '0;
  logic [Masters-1:0]         [31:0] wdat = '0, rdat;

  // A cycle of a master: checks the word of a load, and after how many clock cycles it ends by ack or err.
  task automatic access(input string what, input int master, input logic [AddrWidth-1:0] at, input logic store,
                        input logic [31:0] word, input int cycles, input logic error = 1'b0,
                        input logic [3:0] bytes = '1);
    int taken = 0;
    {stb[master], we[master], adr[master], sel[master], wdat[master]} = {1'b1, store, at, bytes, word};
    @(posedge clk);
    do begin
      @(posedge clk);
      taken++;
    end while (!ack[master] && !err[master]);
    if (!store) check({"the word of ", what}, rdat[master], word);
    check({"err of ", what}, 32'(err[master]), 32'(error));
    check({"the cycles of ", what}, taken, cycles);
    @(negedge clk);
    stb[master] = 1'b0;
  endtask

endinterface
