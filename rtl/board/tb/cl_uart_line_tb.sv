// SPDX-License-Identifier: Apache-2.0
// How cl_uart_line is used: it sends a byte, 8N1, and receives it, as its line is connected to itself.
// Registers are those of the README.
module cl_uart_line_tb;
  import cl_tb_pkg::*;

  localparam logic Tx = 1'b0, Status = 1'b1;
  localparam int   Bit = 10;  // cycles

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_uart_line: no end after 1000 cycles.");

  logic        req, we, status, line, there;
  logic  [7:0] wdata;
  logic [31:0] rdata;

  cl_uart_line #(.ClocksPerBit(Bit)) u_uart (
    .clk_i(clk), .rst_ni(rst_n), .req_i(req), .we_i(we), .status_i(status), .wdata_i(wdata), .rdata_o(rdata),
    .rx_i(line), .tx_o(line), .there_o(there)
  );

  task automatic store(input logic register, input logic [7:0] value);
    {req, we, status, wdata} = {1'b1, 1'b1, register, value};
    @(negedge clk);
    req = 1'b0;
  endtask

  task automatic load(input logic register, input logic [31:0] value);
    {req, we, status} = {1'b1, 1'b0, register};
    @(negedge clk);
    req = 1'b0;
    @(posedge clk);
    check(register == Tx ? "TX" : "STATUS", rdata, value);
    @(negedge clk);
  endtask

  // The level of the line in the middle of each bit: start bit, the lowest bit first, stop bit.
  task automatic sent(input logic [7:0] value);
    logic [9:0] levels = {1'b1, value, 1'b0};
    repeat (1 + Bit / 2) @(negedge clk);  // a cycle from the store to the start bit
    for (int i = 0; i < 10; i++) begin
      check($sformatf("tx_o, bit %0d", i), 32'(line), 32'(levels[i]));
      repeat (Bit) @(negedge clk);
    end
  endtask

  initial begin
    {req, we, status, wdata} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    load(Status, 'b001);  // ready for a byte to send
    store(Tx, 8'h59);
    sent(8'h59);
    check("there_o", 32'(there), 1);
    load(Status, 'b011);  // a byte has been received
    load(Tx, 32'h59);
    load(Tx, 0);  // no other one
    load(Status, 'b001);

    store(Tx, 8'ha6);
    load(Status, 'b000);  // not ready: a store is lost
    store(Tx, 8'hff);
    repeat (11 * Bit) @(negedge clk);
    load(Tx, 32'ha6);
    load(Tx, 0);

    passed("cl_uart_line");
  end

endmodule
