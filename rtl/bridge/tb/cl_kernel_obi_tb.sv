// SPDX-License-Identifier: Apache-2.0
// How cl_kernel_obi is used: a semaphore from one processor's port, and a processor that waits for a thread.
// Words are those of docs/reference/kernel.md, cycles those of the kernel's README.
module cl_kernel_obi_tb;
  import cl_kernel_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_kernel_obi: no end after 1000 cycles.");

  logic [1:0]       req, gnt, we, rvalid, idle;
  logic [1:0][17:0] addr;
  logic [1:0][31:0] wdata, rdata;

  cl_kernel_obi u_kernel (
    .clk_i(clk), .rst_ni(rst_n), .tick_i(1'b0), .now_i('0), .req_i(req), .gnt_o(gnt), .we_i(we), .addr_i(addr),
    .wdata_i(wdata), .rvalid_o(rvalid), .rdata_o(rdata), .irq_o(), .intr_i('0), .idle_o(idle), .line_i('0)
  );

  // An access of a processor to its port: checks the word, and the cycles from the request to the answer.
  task automatic access(input int cpu, input op_e op, input logic [9:0] id, input logic store, input logic [31:0] word,
                        input int cycles);
    int taken = 0;
    {req[cpu], we[cpu], addr[cpu], wdata[cpu]} = {1'b1, store, op, id, word};
    @(posedge clk);
    check("gnt_o", 32'(gnt[cpu]), 1);
    @(negedge clk);
    req[cpu] = 1'b0;
    do begin
      @(posedge clk);
      taken++;
    end while (!rvalid[cpu]);
    if (!store) check({"the word of ", op.name()}, rdata[cpu], word);
    check({"the cycles of ", op.name()}, taken, cycles);
    @(negedge clk);
  endtask

  initial begin
    {req, we, addr, wdata} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    // Semaphore 0 with the count 3: a post, its value, a wait.
    access(0, OpWord0, 0, Store, 3, 1);
    access(0, OpSemaphoreCreate, 0, Load, 0, 3);
    access(0, OpSemaphorePost, 0, Load, 0, 3);
    access(0, OpSemaphoreValue, 0, Load, 4, 3);
    access(0, OpSemaphoreWait, 0, Load, 0, 3);
    access(0, OpSemaphoreValue, 1, Load, 32'h0016_0000, 3);  // einval: there is no semaphore 1

    // Thread 1 of priority 16. Processor 1 waits for one: its load is answered 4 cycles after the start.
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

    passed("cl_kernel_obi");
  end

endmodule
