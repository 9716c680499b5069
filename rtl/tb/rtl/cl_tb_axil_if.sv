// SPDX-License-Identifier: Apache-2.0
// AXI4-Lite masters, which offer address and data together and take each answer at once.
interface cl_tb_axil_if
  import cl_tb_pkg::*;
#(
  parameter int unsigned Masters   = 1,
  parameter int unsigned AddrWidth = 8   // of an address in bytes
) (
  input bit clk
);

  logic [Masters-1:0]                awready, wready, bvalid, arready, rvalid;
  logic [Masters-1:0]                awvalid = '0, arvalid = '0;  // awvalid: wvalid, too
  logic [Masters-1:0][AddrWidth-1:0] addr = '0;
  logic [Masters-1:0]         [31:0] wdata = '0, rdata;
  logic [Masters-1:0]          [3:0] wstrb = '0;
  logic [Masters-1:0]          [1:0] bresp, rresp;

  // An access of a master: checks the word of a load, the response, and the cycles from the request to the answer.
  task automatic access(input string what, input int master, input logic [AddrWidth-1:0] at, input logic store,
                        input logic [31:0] word, input int cycles, input logic [1:0] response = '0,
                        input logic [3:0] bytes = '1);
    int taken = 0;
    {awvalid[master], arvalid[master], addr[master], wdata[master], wstrb[master]} = {store, !store, at, word, bytes};
    @(posedge clk);
    check("ready", 32'(store ? awready[master] && wready[master] : arready[master]), 1);
    @(negedge clk);
    {awvalid[master], arvalid[master]} = '0;
    do begin
      @(posedge clk);
      taken++;
    end while (!bvalid[master] && !rvalid[master]);
    check({"bvalid of ", what}, 32'(bvalid[master]), 32'(store));
    if (!store) check({"the word of ", what}, rdata[master], word);
    check({"the response of ", what}, 32'(store ? bresp[master] : rresp[master]), 32'(response));
    check({"the cycles of ", what}, taken, cycles);
    @(negedge clk);
  endtask

endinterface
