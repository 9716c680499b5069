// SPDX-License-Identifier: Apache-2.0
// How cl_axil_port is used: an AXI4-Lite slave in front of a port with req, gnt and rvalid, here of a small memory.
// An access takes one cycle more than the port does.
module cl_axil_port_tb;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_axil_port: no end after 100 cycles.");

  logic        awvalid, awready, wready, bvalid, arvalid, arready, rvalid, req, we, answer;
  logic  [5:0] axi_addr;
  logic  [3:0] addr, wstrb;
  logic [31:0] axi_wdata, axi_rdata, wdata, rdata;
  logic  [1:0] bresp, rresp;

  cl_axil_port #(.AddrWidth(4)) u_port (
    .clk_i(clk), .rst_ni(rst_n), .awvalid_i(awvalid), .awready_o(awready), .awaddr_i(axi_addr), .wvalid_i(awvalid),
    .wready_o(wready), .wdata_i(axi_wdata), .wstrb_i(wstrb), .bvalid_o(bvalid), .bready_i(1'b1), .bresp_o(bresp),
    .arvalid_i(arvalid), .arready_o(arready), .araddr_i(axi_addr), .rvalid_o(rvalid), .rready_i(1'b1),
    .rdata_o(axi_rdata), .rresp_o(rresp), .req_o(req), .gnt_i(1'b1), .we_o(we), .addr_o(addr), .wdata_o(wdata),
    .rvalid_i(answer), .rdata_i(rdata), .err_i(1'b0)
  );

  // The memory: it takes each request at once, and answers in the next cycle.
  logic [15:0][31:0] memory;
  always_ff @(posedge clk) begin
    answer <= req;
    if (req && we) memory[addr] <= wdata;
    if (req) rdata <= memory[addr];
  end

  // An access to a word, whose address counts bytes: checks the word of a load, the response and the cycles.
  task automatic access(input logic [3:0] at, input logic store, input logic [31:0] word, input int cycles,
                        input logic [1:0] response = '0, input logic [3:0] bytes = '1);
    int taken = 0;
    {awvalid, arvalid, axi_addr, axi_wdata, wstrb} = {store, !store, at, 2'b00, word, bytes};
    @(posedge clk);
    check("ready", 32'(store ? awready && wready : arready), 1);
    @(negedge clk);
    {awvalid, arvalid} = '0;
    do begin
      @(posedge clk);
      taken++;
    end while (!bvalid && !rvalid);
    check("bvalid_o", 32'(bvalid), 32'(store));
    if (!store) check("rdata_o", axi_rdata, word);
    check("the response", 32'(store ? bresp : rresp), 32'(response));
    check("cycles from the request", taken, cycles);
    @(negedge clk);
  endtask

  initial begin
    {awvalid, arvalid, axi_addr, axi_wdata, wstrb} = '0;
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
