// SPDX-License-Identifier: Apache-2.0
// How cl_block_ram is used: stores of bytes, and loads whose word is there in the next cycle and stays.
module cl_block_ram_tb;
  import cl_tb_pkg::*;

  bit clk;
  always #5 clk = !clk;

  logic        req, we;
  logic  [3:0] be;
  logic  [5:0] addr;
  logic [31:0] wdata, rdata;

  cl_block_ram #(.Bytes(256)) u_ram (
    .clk_i(clk), .req_i(req), .we_i(we), .be_i(be), .addr_i(addr), .wdata_i(wdata), .rdata_o(rdata)
  );

  task automatic store(input logic [5:0] at, input logic [31:0] word, input logic [3:0] bytes = '1);
    {req, we, addr, be, wdata} = {1'b1, 1'b1, at, bytes, word};
    @(negedge clk);
    req = 1'b0;
  endtask

  // The word in the cycle after the request.
  task automatic load(input logic [5:0] at, input logic [31:0] word);
    {req, we, addr} = {1'b1, 1'b0, at};
    @(negedge clk);
    req = 1'b0;
    @(posedge clk);
    check("rdata_o", rdata, word);
    @(negedge clk);
  endtask

  initial begin
    @(negedge clk);
    store(0, 32'h0123_4567);
    store(63, 32'h89ab_cdef);
    load(0, 32'h0123_4567);
    load(63, 32'h89ab_cdef);

    store(0, 32'hffff_ffff, 4'b0110);        // the two bytes in the middle
    check("rdata_o", rdata, 32'h89ab_cdef);  // a store leaves the word of the last load
    load(0, 32'h01ff_ff67);

    passed("cl_block_ram");
  end

endmodule
