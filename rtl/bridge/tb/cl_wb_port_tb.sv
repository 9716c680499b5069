// SPDX-License-Identifier: Apache-2.0
// How cl_wb_port is used: a Wishbone slave in front of a port with req, gnt and rvalid, here of a small memory.
// An access takes as long as the port does.
module cl_wb_port_tb;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_wb_port: no end after 100 cycles.");

  logic        req, we, rvalid;
  logic  [3:0] addr;
  logic [31:0] wdata, rdata;
  cl_tb_wb_if #(.AddrWidth(4)) bus (clk);

  cl_wb_port #(.AddrWidth(4)) u_port (
    .clk_i(clk), .rst_ni(rst_n), .cyc_i(bus.stb), .stb_i(bus.stb), .we_i(bus.we), .adr_i(bus.adr), .sel_i(bus.sel),
    .dat_i(bus.wdat), .dat_o(bus.rdat), .ack_o(bus.ack), .err_o(bus.err), .stall_o(), .req_o(req), .gnt_i(1'b1),
    .we_o(we), .addr_o(addr), .wdata_o(wdata), .rvalid_i(rvalid), .rdata_i(rdata), .err_i(addr == 15)
  );

  // The memory: it takes each request at once, and answers two cycles later; address 15 is an error.
  logic [15:0][31:0] memory;
  logic              taken_q;
  always_ff @(posedge clk) begin
    taken_q <= req;
    rvalid  <= taken_q;
    if (req && we) memory[addr] <= wdata;
    if (taken_q) rdata <= memory[addr];
  end

  // A cycle at a word.
  task automatic access(input logic [3:0] at, input logic store, input logic [31:0] word, input int cycles,
                        input logic error = 1'b0, input logic [3:0] bytes = '1);
    bus.access($sformatf("word %0d", at), 0, at, store, word, cycles, error, bytes);
  endtask

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    access(3, Store, 32'h1234_5678, 2);
    access(4, Store, 32'h9abc_def0, 2);  // at once behind it
    access(3, Load, 32'h1234_5678, 2);
    access(4, Load, 32'h9abc_def0, 2);
    access(3, Store, 32'hffff_ffff, 1, 1, 4'b0001);  // not a whole word: err_o, and the port hears nothing of it
    access(3, Load, 32'h1234_5678, 2);
    access(15, Store, 0, 2, 1);  // an error of the port
    access(15, Load, 0, 2, 1);

    passed("cl_wb_port");
  end

endmodule
