// SPDX-License-Identifier: Apache-2.0
// How cl_mutex is used: two processors lock a mutex, wait for it, hand it over and read it as a register.
// Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_mutex_tb;
  import cl_ipc_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_mutex: no end after 100 cycles.");

  cl_tb_ipc_if cpus (.clk, .irq('0));
  cl_mutex #(.Cpus(2), .Mutexes(4)) u_mutex (
    .clk_i(clk), .rst_ni(rst_n), .access_i(cpus.access_to), .reply_o(cpus.reply)
  );

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    // A free mutex is locked in one cycle. The answer names its owner, and a second lock is a deadlock.
    cpus.access(1, OpMutexLock, 3, Load, 1);
    cpus.access(1, OpMutexLock, 3, Load, {ErrorDeadlock, 28'd0});
    cpus.access(0, OpMutexWord, 3, Load, {16'd1, 16'd1});         // {owner, value}
    cpus.access(0, OpMutexUnlock, 3, Load, {ErrorOwner, 28'd0});  // only its owner unlocks it
    cpus.access(0, OpMutexLock, 2, Load, 0);                      // another mutex is not concerned

    // Processor 0 waits. The unlock, granted four cycles after that lock, hands the mutex over within one cycle.
    fork
      cpus.access(0, OpMutexLock, 3, Load, 0, 5);
      begin
        repeat (4) @(negedge clk);
        cpus.access(1, OpMutexUnlock, 3, Load, 0);
      end
    join
    cpus.access(1, OpMutexWord, 3, Load, {16'd0, 16'd1});
    cpus.access(0, OpMutexUnlock, 3, Load, 0);
    cpus.access(1, OpMutexWord, 3, Load, {16'd0, 16'd0});  // value 0: it is free

    passed("cl_mutex");
  end

endmodule
