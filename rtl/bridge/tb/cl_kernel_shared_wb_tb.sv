// SPDX-License-Identifier: Apache-2.0
// How cl_kernel_shared_wb is used: two clients on one bus, of which one waits without holding the bus.
// Words are those of docs/reference/kernel.md and of the README, as are the cycles.
module cl_kernel_shared_wb_tb;
  import cl_kernel_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_kernel_shared_wb: no end after 1000 cycles.");

  localparam logic [7:0]  Result  = 8'hff, State = 8'hfe;  // the form's own words
  localparam logic [31:0] Pending = 32'h2000_0000;

  logic [1:0] irq;
  cl_tb_wb_if #(.AddrWidth(19)) bus (clk);

  cl_kernel_shared_wb u_kernel (
    .clk_i(clk), .rst_ni(rst_n), .tick_i(1'b0), .now_i('0), .cyc_i(bus.stb), .stb_i(bus.stb), .we_i(bus.we),
    .adr_i(bus.adr), .sel_i(bus.sel), .dat_i(bus.wdat), .dat_o(bus.rdat), .ack_o(bus.ack), .err_o(bus.err), .stall_o(),
    .irq_o(irq), .preempt_o(), .intr_i('0), .idle_o(), .line_i('0)
  );

  // A cycle for a client.
  task automatic access(input logic client, input logic [7:0] op, input logic [9:0] id, input logic store,
                        input logic [31:0] word, input int cycles, input logic error = 1'b0);
    bus.access($sformatf("operation %0d", op), 0, {client, op, id}, store, word, cycles, error);
  endtask

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    // Client 0: semaphore 0 with the count 3, a post, its value.
    access(0, OpWord0, 0, Store, 3, 1);
    access(0, OpSemaphoreCreate, 0, Load, 0, 3);
    access(0, OpSemaphorePost, 0, Load, 0, 3);
    access(0, OpSemaphoreValue, 0, Load, 4, 3);

    // Client 1 waits for a thread. After 8 cycles (Patience) its load says PENDING: the bus is free for client 0.
    access(1, OpNext, 0, Load, Pending, 8);
    access(0, State, 0, Load, 32'h0002_0000, 1);  // an answer to client 1 is to come
    check("irq_o", 32'(irq), 0);
    access(0, OpWord0, 0, Store, 16, 1);
    access(0, OpThreadCreate, 0, Load, 1, 3);
    access(0, OpThreadStart, 1, Load, 0, 3);

    // The answer is there: an interrupt, until RESULT gives it. GIVE_WAY, to thread 1.
    repeat (2) @(negedge clk);
    check("irq_o", 32'(irq), 'b10);
    access(0, State, 0, Load, 32'h0000_0002, 1);
    access(1, Result, 0, Load, 32'h8000_0001, 1);
    check("irq_o", 32'(irq), 0);
    access(1, Result, 0, Load, Pending, 1, 1);  // an error: there is none to come

    passed("cl_kernel_shared_wb");
  end

endmodule
