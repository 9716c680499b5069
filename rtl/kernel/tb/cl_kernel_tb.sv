// SPDX-License-Identifier: Apache-2.0
// How cl_kernel is used: two CPUs, each with a thread, share a mutex. An operation is a load from the CPU's own port;
// its argument is stored to WORD0 before. Words are those of docs/reference/kernel.md, cycles those of the README.
module cl_kernel_tb;
  import cl_kernel_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_kernel: no end after 1000 cycles.");

  function automatic cfg_t sized();
    sized         = Default;  // 2 CPUs
    sized.Threads = 16;
  endfunction

  client_request_t [1:0] request;
  client_answer_t  [1:0] answer;
  logic            [1:0] irq, idle;

  cl_kernel #(.Cfg(sized())) u_kernel (
    .clk_i(clk), .rst_ni(rst_n), .tick_i(1'b0), .now_i('0), .request_i(request), .answer_o(answer),
    .irq_o(irq), .intr_i('0), .idle_o(idle), .line_i('0)
  );

  // An access of a CPU to its port: a store of a word, or a load that must return it. Checks the cycles from the
  // request to the answer, too.
  task automatic access(input int cpu, input op_e op, input logic [9:0] id, input logic we, input logic [31:0] word,
                        input int cycles = 3);
    int taken = 0;
    request[cpu] = '{req: 1'b1, we: we, addr: {op, id}, wdata: word};
    @(posedge clk);
    check("gnt", 32'(answer[cpu].gnt), 1);
    @(negedge clk);
    request[cpu] = '0;
    do begin
      @(posedge clk);
      taken++;
    end while (!answer[cpu].rvalid);
    if (!we) check({"the word of ", op.name()}, answer[cpu].rdata, word);
    check({"the cycles of ", op.name()}, taken, cycles);
    repeat (4) @(negedge clk);  // work after the answer: then the unit is quiet
  endtask

  initial begin
    request = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    // CPU 0 runs thread 0. It makes a mutex, and thread 1 of priority 16, which CPU 1 takes up: GIVE_WAY, to thread 1.
    access(0, OpSelf, 0, Load, 0);
    access(0, OpMutexCreate, 0, Load, 0);  // mutex 0
    access(0, OpWord0, 0, Store, 16, 1);
    access(0, OpThreadCreate, 0, Load, 1);
    access(0, OpThreadStart, 1, Load, 0);
    access(1, OpNext, 0, Load, 32'h8000_0001);
    access(1, OpSelf, 0, Load, 1);

    // Thread 0 has the mutex, thread 1 waits: its load is pending, its CPU idle.
    access(0, OpMutexLock, 0, Load, 0);
    access(1, OpMutexTrylock, 0, Load, 32'h0010_0000);  // ebusy
    fork
      access(1, OpMutexLock, 0, Load, 32'h4000_0000, 14);  // RESUMED, 4 cycles after the request of the unlock
      begin
        repeat (10) @(negedge clk);
        check("idle_o", 32'(idle), 'b10);
        access(0, OpMutexUnlock, 0, Load, 0);
      end
    join
    access(0, OpMutexUnlock, 0, Load, 32'h0001_0000);  // eperm: it is thread 1's
    access(1, OpMutexUnlock, 0, Load, 0);
    check("irq_o", 32'(irq), 0);

    passed("cl_kernel");
  end

endmodule
