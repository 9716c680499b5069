// SPDX-License-Identifier: Apache-2.0
// How cl_kernel_wb is used: a semaphore on one processor's bus, and a processor that waits for a thread by wait states.
// Words are those of docs/reference/kernel.md, cycles those of the kernel's README.
module cl_kernel_wb_tb;
  import cl_kernel_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_kernel_wb: no end after 1000 cycles.");

  logic [1:0] idle;
  cl_tb_wb_if #(.Masters(2), .AddrWidth(18)) bus (clk);

  cl_kernel_wb u_kernel (
    .clk_i(clk), .rst_ni(rst_n), .tick_i(1'b0), .now_i('0), .cyc_i(bus.stb), .stb_i(bus.stb), .we_i(bus.we),
    .adr_i(bus.adr), .sel_i(bus.sel), .dat_i(bus.wdat), .dat_o(bus.rdat), .ack_o(bus.ack), .err_o(bus.err), .stall_o(),
    .irq_o(), .intr_i('0), .idle_o(idle), .line_i('0)
  );

  // A cycle of a processor; a store of less than a word ends by err_o.
  task automatic access(input int cpu, input op_e op, input logic [9:0] id, input logic store, input logic [31:0] word,
                        input int cycles, input logic [3:0] bytes = '1);
    bus.access(op.name(), cpu, {op, id}, store, word, cycles, bytes != '1, bytes);
  endtask

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    // Semaphore 0 with the count 3: a post, its value, a wait.
    access(0, OpWord0, 0, Store, 3, 1);
    access(0, OpSemaphoreCreate, 0, Load, 0, 3);
    access(0, OpSemaphorePost, 0, Load, 0, 3);
    access(0, OpSemaphoreValue, 0, Load, 4, 3);
    access(0, OpSemaphoreWait, 0, Load, 0, 3);
    access(0, OpSemaphoreValue, 1, Load, 32'h0016_0000, 3);  // einval: there is no semaphore 1

    // Thread 1 of priority 16. Processor 1 waits for one: its cycle ends 4 cycles after the start.
    access(0, OpWord0, 0, Store, 16, 1);
    access(0, OpThreadCreate, 0, Load, 1, 3);
    fork
      access(1, OpNext, 0, Load, 32'h8000_0001, 24);  // GIVE_WAY, to thread 1
      begin
        repeat (20) @(negedge clk);
        check("idle_o", 32'(idle), 'b10);
        access(0, OpThreadStart, 1, Load, 0, 3);
      end
    join

    access(0, OpWord0, 0, Store, 5, 1, 4'b0011);  // whole words only

    passed("cl_kernel_wb");
  end

endmodule
