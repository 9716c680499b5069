// SPDX-License-Identifier: Apache-2.0
// How cl_kernel_axil is used: a semaphore on one processor's bus, and a processor that waits for a thread.
// Words are those of docs/reference/kernel.md, cycles one more than in the kernel's README.
module cl_kernel_axil_tb;
  import cl_kernel_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_kernel_axil: no end after 1000 cycles.");

  logic [1:0] idle;
  cl_tb_axil_if #(.Masters(2), .AddrWidth(20)) bus (clk);

  cl_kernel_axil u_kernel (
    .clk_i(clk), .rst_ni(rst_n), .tick_i(1'b0), .now_i('0), .awvalid_i(bus.awvalid), .awready_o(bus.awready),
    .awaddr_i(bus.addr), .wvalid_i(bus.awvalid), .wready_o(bus.wready), .wdata_i(bus.wdata), .wstrb_i(bus.wstrb),
    .bvalid_o(bus.bvalid), .bready_i('1), .bresp_o(bus.bresp), .arvalid_i(bus.arvalid), .arready_o(bus.arready),
    .araddr_i(bus.addr), .rvalid_o(bus.rvalid), .rready_i('1), .rdata_o(bus.rdata), .rresp_o(bus.rresp), .irq_o(),
    .intr_i('0), .idle_o(idle), .line_i('0)
  );

  // An access of a processor; the answer to a store of less than a word is SLVERR.
  task automatic access(input int cpu, input op_e op, input logic [9:0] id, input logic store, input logic [31:0] word,
                        input int cycles, input logic [3:0] bytes = '1);
    bus.access(op.name(), cpu, {op, id, 2'b00}, store, word, cycles, bytes == '1 ? 0 : 2, bytes);
  endtask

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    // Semaphore 0 with the count 3: a post, its value, a wait.
    access(0, OpWord0, 0, Store, 3, 2);
    access(0, OpSemaphoreCreate, 0, Load, 0, 4);
    access(0, OpSemaphorePost, 0, Load, 0, 4);
    access(0, OpSemaphoreValue, 0, Load, 4, 4);
    access(0, OpSemaphoreWait, 0, Load, 0, 4);
    access(0, OpSemaphoreValue, 1, Load, 32'h0016_0000, 4);  // einval: there is no semaphore 1

    // Thread 1 of priority 16. Processor 1 waits for one: its load is answered 5 cycles after the start.
    access(0, OpWord0, 0, Store, 16, 2);
    access(0, OpThreadCreate, 0, Load, 1, 4);
    fork
      access(1, OpNext, 0, Load, 32'h8000_0001, 25);  // GIVE_WAY, to thread 1
      begin
        repeat (20) @(negedge clk);
        check("idle_o", 32'(idle), 'b10);
        access(0, OpThreadStart, 1, Load, 0, 4);
      end
    join

    access(0, OpWord0, 0, Store, 5, 1, 4'b0011);  // whole words only: SLVERR, and it reaches nothing

    passed("cl_kernel_axil");
  end

endmodule
