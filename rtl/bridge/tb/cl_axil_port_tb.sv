// SPDX-License-Identifier: Apache-2.0
// How cl_axil_port is used: an AXI4-Lite slave in front of a port with req, gnt and rvalid, here of a small memory.
// An access takes one cycle more than the port does.
module cl_axil_port_tb;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_axil_port: no end after 100 cycles.");

  logic        req, we, answer;
  logic  [3:0] addr;
  logic [31:0] wdata, rdata;
  cl_tb_axil_if #(.AddrWidth(6)) bus (clk);

  cl_axil_port #(.AddrWidth(4)) u_port (
    .clk_i(clk), .rst_ni(rst_n), .awvalid_i(bus.awvalid), .awready_o(bus.awready), .awaddr_i(bus.addr),
    .wvalid_i(bus.awvalid), .wready_o(bus.wready), .wdata_i(bus.wdata), .wstrb_i(bus.wstrb), .bvalid_o(bus.bvalid),
    .bready_i(1'b1), .bresp_o(bus.bresp), .arvalid_i(bus.arvalid), .arready_o(bus.arready), .araddr_i(bus.addr),
    .rvalid_o(bus.rvalid), .rready_i(1'b1), .rdata_o(bus.rdata), .rresp_o(bus.rresp), .req_o(req), .gnt_i(1'b1),
    .we_o(we), .addr_o(addr), .wdata_o(wdata), .rvalid_i(answer), .rdata_i(rdata), .err_i(1'b0)
  );

  // The memory: it takes each request at once, and answers in the next cycle.
  logic [15:0][31:0] memory;
  always_ff @(posedge clk) begin
    answer <= req;
    if (req && we) memory[addr] <= wdata;
    if (req) rdata <= memory[addr];
  end

  // An access to a word, whose address on the bus counts bytes.
  task automatic access(input logic [3:0] at, input logic store, input logic [31:0] word, input int cycles,
                        input logic [1:0] response = '0, input logic [3:0] bytes = '1);
    bus.access($sformatf("word %0d", at), 0, {at, 2'b00}, store, word, cycles, response, bytes);
  endtask

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    access(3, Store, 32'h1234_5678, 2);
    access(4, Store, 32'h9abc_def0, 2);
    access(3, Load, 32'h1234_5678, 2);
    access(4, Load, 32'h9abc_def0, 2);
    access(3, Store, 32'hffff_ffff, 1, 2'b10, 4'b0001);  // not a whole word: SLVERR, and the port hears nothing of it
    access(3, Load, 32'h1234_5678, 2);

    passed("cl_axil_port");
  end

endmodule
