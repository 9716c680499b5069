// SPDX-License-Identifier: Apache-2.0
// How cl_debug is used: a debugger reads its IDCODE by JTAG, and asks hart 1 to halt.
// Registers are those of RISC-V External Debug Support 0.13.2, cycles those of the README.
module cl_debug_tb;
  import cl_tb_pkg::*;

  localparam logic [4:0] Dtmcs = 5'h10, Dmi = 5'h11;             // instructions
  localparam logic [6:0] DmControl = 7'h10, DmStatus = 7'h11;    // registers of the module
  localparam logic [1:0] Nop = 2'd0, Read = 2'd1, Write = 2'd2;  // operations of DMI

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #200000 $fatal(1, "cl_debug: no end after 20000 cycles.");

  logic        tck, tms, tdi, tdo, level;
  logic  [1:0] debug_req;
  logic        ndmreset;
  logic [40:0] got;  // of the last scan

  cl_debug #(.Harts(2)) u_debug (
    .clk_i(clk), .rst_ni(rst_n), .tck_i(tck), .tms_i(tms), .tdi_i(tdi), .tdo_o(tdo), .tdo_oe_o(), .req_i(1'b0),
    .we_i(1'b0), .addr_i('0), .wdata_i('0), .rdata_o(), .harts_rst_ni(rst_n), .debug_req_o(debug_req),
    .ndmreset_o(ndmreset)
  );

  // One cycle of TCK, a sixteenth of the clock: TDO is read before its rising edge.
  task automatic jtag(input logic mode, input logic value);
    {tms, tdi} = {mode, value};
    repeat (8) @(negedge clk);
    level = tdo;
    tck   = 1'b1;
    repeat (8) @(negedge clk);
    tck   = 1'b0;
  endtask

  // From Run-Test/Idle through the data or the instruction register, and back; `got` is what has come out.
  task automatic scan(input logic instruction, input int width, input logic [40:0] value);
    repeat (instruction ? 2 : 1) jtag(1'b1, 1'b0);
    repeat (2) jtag(1'b0, 1'b0);
    got = '0;
    for (int i = 0; i < width; i++) begin
      jtag(i == width - 1, value[i]);
      got[i] = level;
    end
    jtag(1'b1, 1'b0);
    jtag(1'b0, 1'b0);
  endtask

  task automatic data(input int width, input logic [40:0] value);
    scan(1'b0, width, value);
  endtask

  task automatic select(input logic [4:0] instruction);
    scan(1'b1, 5, 41'(instruction));
  endtask

  initial begin
    {tck, tms, tdi} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    repeat (5) jtag(1'b1, 1'b0);  // to Test-Logic-Reset, whatever the state is
    jtag(1'b0, 1'b0);
    data(32, '0);                 // there IDCODE is selected
    check("IDCODE", got[31:0], 32'h1000_0001);
    select(Dtmcs);
    data(32, '0);
    check("DTMCS", got[31:0], {22'd0, 6'd7, 4'd1});  // seven bits of address, version 0.13

    // dmcontrol: dmactive, then haltreq for hart 1.
    select(Dmi);
    data(41, {DmControl, 32'h0000_0001, Write});
    check("debug_req_o", 32'(debug_req), 0);
    data(41, {DmControl, 32'h8001_0001, Write});
    check("debug_req_o", 32'(debug_req), 'b10);

    // dmcontrol is read by the scan behind: success, hart 1.
    data(41, {DmControl, 32'd0, Read});
    data(41, {DmStatus, 32'd0, Nop});
    check("dmcontrol", got[33:2], 32'h0001_0001);
    check("the status of DMI", 32'(got[1:0]), 0);
    check("ndmreset_o", 32'(ndmreset), 0);

    passed("cl_debug");
  end

endmodule
