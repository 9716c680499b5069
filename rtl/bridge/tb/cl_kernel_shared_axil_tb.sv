// SPDX-License-Identifier: Apache-2.0
// How cl_kernel_shared_axil is used: two clients on one bus, of which one waits without holding the bus.
// Words are those of docs/reference/kernel.md and of the README, as are the cycles.
module cl_kernel_shared_axil_tb;
  import cl_kernel_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_kernel_shared_axil: no end after 1000 cycles.");

  localparam logic [7:0]  Result  = 8'hff, State = 8'hfe;  // the form's own words
  localparam logic [31:0] Pending = 32'h2000_0000;

  logic [1:0] irq;
  cl_tb_axil_if #(.AddrWidth(21)) bus (clk);

  cl_kernel_shared_axil u_kernel (
    .clk_i(clk), .rst_ni(rst_n), .tick_i(1'b0), .now_i('0), .awvalid_i(bus.awvalid), .awready_o(bus.awready),
    .awaddr_i(bus.addr), .wvalid_i(bus.awvalid), .wready_o(bus.wready), .wdata_i(bus.wdata), .wstrb_i(bus.wstrb),
    .bvalid_o(bus.bvalid), .bready_i(1'b1), .bresp_o(bus.bresp), .arvalid_i(bus.arvalid), .arready_o(bus.arready),
    .araddr_i(bus.addr), .rvalid_o(bus.rvalid), .rready_i(1'b1), .rdata_o(bus.rdata), .rresp_o(bus.rresp), .irq_o(irq),
    .preempt_o(), .intr_i('0), .idle_o(), .line_i('0)
  );

  // An access for a client.
  task automatic access(input logic client, input logic [7:0] op, input logic [9:0] id, input logic store,
                        input logic [31:0] word, input int cycles, input logic [1:0] response = '0);
    bus.access($sformatf("operation %0d", op), 0, {client, op, id, 2'b00}, store, word, cycles, response);
  endtask

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    // Client 0: semaphore 0 with the count 3, a post, its value.
    access(0, OpWord0, 0, Store, 3, 2);
    access(0, OpSemaphoreCreate, 0, Load, 0, 4);
    access(0, OpSemaphorePost, 0, Load, 0, 4);
    access(0, OpSemaphoreValue, 0, Load, 4, 4);

    // Client 1 waits for a thread. After 8 cycles (Patience) its load says PENDING: the bus is free for client 0.
    access(1, OpNext, 0, Load, Pending, 9);
    access(0, State, 0, Load, 32'h0002_0000, 2);  // an answer to client 1 is to come
    check("irq_o", 32'(irq), 0);
    access(0, OpWord0, 0, Store, 16, 2);
    access(0, OpThreadCreate, 0, Load, 1, 4);
    access(0, OpThreadStart, 1, Load, 0, 4);

    // The answer is there: an interrupt, until RESULT gives it. GIVE_WAY, to thread 1.
    repeat (2) @(negedge clk);
    check("irq_o", 32'(irq), 'b10);
    access(0, State, 0, Load, 32'h0000_0002, 2);
    access(1, Result, 0, Load, 32'h8000_0001, 2);
    check("irq_o", 32'(irq), 0);
    access(1, Result, 0, Load, Pending, 2, 2);  // an error: there is none to come

    passed("cl_kernel_shared_axil");
  end

endmodule
