// SPDX-License-Identifier: Apache-2.0
// How cl_hw_thread is used, with the unit `template`, which sums an array and posts a semaphore: a bare run by its
// registers, then a thread that the kernel starts. The testbench is the kernel and the bus with its memory.
module cl_hw_thread_tb;
  import cl_kernel_pkg::*;
  import cl_soc_pkg::*;
  import cl_tb_pkg::*;

  localparam logic [7:0] Command = 8'h00, Status = 8'h04, Argument = 8'h08, Result = 8'h0c, Unit = 8'h18;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_hw_thread: no end after 1000 cycles.");

  logic        reg_req, reg_err, kernel_req, kernel_gnt, kernel_we, kernel_rvalid, bus_req, bus_rvalid;
  obi_req_t    reg_cmd, bus_cmd;
  logic [31:0] reg_rdata, kernel_rdata, bus_rdata;
  logic [17:0] kernel_addr;

  cl_hw_thread #(.Kind(14)) u_thread (
    .clk_i(clk), .rst_ni(rst_n), .reg_req_i(reg_req), .reg_cmd_i(reg_cmd), .reg_rdata_o(reg_rdata), .reg_err_o(reg_err),
    .kernel_req_o(kernel_req), .kernel_gnt_i(kernel_gnt), .kernel_we_o(kernel_we), .kernel_addr_o(kernel_addr),
    .kernel_wdata_o(), .kernel_rvalid_i(kernel_rvalid), .kernel_rdata_i(kernel_rdata),
    .bus_req_o(bus_req), .bus_cmd_o(bus_cmd), .bus_gnt_i(1'b1), .bus_rvalid_i(bus_rvalid), .bus_err_i(1'b0),
    .bus_rdata_i(bus_rdata), .busy_o(), .has_thread_o(), .stopped_o(), .tid_o()
  );

  // The memory, 512 bytes: 100 words, and behind them {words, count, semaphore}, which is the argument.
  logic [127:0][31:0] memory;
  always_ff @(posedge clk) begin
    bus_rvalid <= bus_req;
    bus_rdata  <= memory[bus_cmd.addr[8:2]];
    if (bus_req) check("an access of the unit is a load", 32'(bus_cmd.we), 0);
  end

  // An access to a register, which is answered in the next cycle.
  task automatic register(input logic [7:0] offset, input logic we, input logic [31:0] value);
    {reg_req, reg_cmd} = {1'b1, we, 4'b1111, 24'he1_0000, offset, value};
    @(negedge clk);
    reg_req = 1'b0;
    @(posedge clk);
    if (!we) check($sformatf("register 0x%0h", offset), reg_rdata, value);
    check("reg_err_o", 32'(reg_err), 0);
    @(negedge clk);
  endtask

  // The unit's next access to the kernel is this operation, which is answered 3 cycles after the request.
  task automatic kernel(input op_e op, input logic [9:0] id, input logic we, input logic [31:0] answer);
    while (!kernel_req) @(negedge clk);
    check("the operation of the unit", 32'(kernel_addr[17:10]), 32'(op));
    check({"the id of ", op.name()}, 32'(kernel_addr[9:0]), 32'(id));
    check({"the direction of ", op.name()}, 32'(kernel_we), 32'(we));
    kernel_gnt = 1'b1;
    @(negedge clk);
    kernel_gnt = 1'b0;
    repeat (2) @(negedge clk);
    {kernel_rvalid, kernel_rdata} = {1'b1, answer};
    @(negedge clk);
    kernel_rvalid = 1'b0;
  endtask

  initial begin
    {reg_req, reg_cmd, kernel_gnt, kernel_rvalid, kernel_rdata} = '0;
    for (int word = 0; word < 100; word++) memory[word] = word;
    memory[102:100] = {32'd7, 32'd100, 32'h4000_0000};
    repeat (2) @(negedge clk);
    rst_n = 1;

    // A bare run of 110 cycles, and 2 for the post, which does nothing without a thread.
    register(Unit, Load, 14);
    register(Argument, Store, 32'h4000_0000 + 400);
    fork
      register(Command, Store, 1);  // START
      repeat (110) @(negedge clk);
    join
    register(Status, Load, 1);     // running, in cycle 110
    register(Status, Load, 0);     // idle, in cycle 112
    register(Result, Load, 4950);  // 0 + 1 + ... + 99

    // A thread: the unit has waited in `next` for it. GIVE_WAY, to thread 5.
    kernel(OpNext, 0, Load, 32'h8000_0005);
    kernel(OpSaved, 0, Store, 0);           // it has no context to save
    register(Status, Load, 32'h0005_0011);  // thread 5, running
    kernel(OpSemaphorePost, 7, Load, 0);
    kernel(OpThreadExit, 0, Load, 32'h8000_0006);  // its end, and the next thread
    kernel(OpSaved, 0, Store, 0);
    register(Status, Load, 32'h0006_0011);

    passed("cl_hw_thread");
  end

endmodule
