// SPDX-License-Identifier: Apache-2.0
// How cl_wb_port is used: a Wishbone slave in front of a port with req, gnt and rvalid, here of a small memory.
// An access takes as long as the port does.
module cl_wb_port_tb;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_wb_port: no end after 100 cycles.");

  logic        cyc, we, ack, err, req, port_we, rvalid;
  logic  [3:0] adr, addr, sel;
  logic [31:0] wdat, rdat, wdata, rdata;

  cl_wb_port #(.AddrWidth(4)) u_port (
    .clk_i(clk), .rst_ni(rst_n), .cyc_i(cyc), .stb_i(cyc), .we_i(we), .adr_i(adr), .sel_i(sel), .dat_i(wdat),
    .dat_o(rdat), .ack_o(ack), .err_o(err), .stall_o(), .req_o(req), .gnt_i(1'b1), .we_o(port_we), .addr_o(addr),
    .wdata_o(wdata), .rvalid_i(rvalid), .rdata_i(rdata), .err_i(addr == 15)
  );

  // The memory: it takes each request at once, and answers two cycles later; address 15 is an error.
  logic [15:0][31:0] memory;
  logic              taken_q;
  always_ff @(posedge clk) begin
    taken_q <= req;
    rvalid  <= taken_q;
    if (req && port_we) memory[addr] <= wdata;
    if (taken_q) rdata <= memory[addr];
  end

  // A classic cycle: checks the word of a load, how it ends, and after how many cycles.
  task automatic access(input logic [3:0] at, input logic store, input logic [31:0] word, input int cycles,
                        input logic error = 1'b0, input logic [3:0] bytes = '1);
    int taken = 0;
    {cyc, we, adr, sel, wdat} = {1'b1, store, at, bytes, word};
    @(posedge clk);
    do begin
      @(posedge clk);
      taken++;
    end while (!ack && !err);
    if (!store && !error) check("dat_o", rdat, word);
    check("err_o", 32'(err), 32'(error));
    check("cycles from the request", taken, cycles);
    @(negedge clk);
    cyc = 1'b0;
  endtask

  initial begin
    {cyc, we, adr, sel, wdat} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    access(3, Store, 32'h1234_5678, 2);
    access(4, Store, 32'h9abc_def0, 2);  // at once behind it
    access(3, Load, 32'h1234_5678, 2);
    access(4, Load, 32'h9abc_def0, 2);
    access(3, Store, 32'hffff_ffff, 1, 1, 4'b0001);  // not a whole word: err_o, and the port hears nothing of it
    access(3, Load, 32'h1234_5678, 2);
    access(15, Load, 0, 2, 1);  // an error of the port

    passed("cl_wb_port");
  end

endmodule
