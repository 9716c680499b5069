// SPDX-License-Identifier: Apache-2.0
// How cl_mutex is used: two processors lock a mutex, wait for it, hand it over and read it as a register.
// Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_mutex_tb;
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_mutex: no end after 100 cycles.");

  access_t [1:0] access_to;
  reply_t  [1:0] reply;

  cl_mutex #(.Cpus(2), .Mutexes(4)) u_mutex (
    .clk_i(clk), .rst_ni(rst_n), .access_i(access_to), .reply_o(reply)
  );

  // Processor p executes one operation, as its port does: a store of a word, or a load that must return it. Checks the
  // cycles from the grant to the answer, too.
  task automatic access(input int p, input op_e op, input logic [7:0] index, input logic we, input logic [31:0] word,
                        input int cycles = 1);
    int taken = 0;
    access_to[p] = '{valid: 1'b1, we: we, op: op, index: index, wdata: word, code: ErrorTimeout, last: 1'b0};
    do begin
      @(posedge clk);
      taken++;
    end while (!(reply[p].hit && reply[p].ready));
    if (!we) check({"the word of ", op.name()}, reply[p].rdata, word);
    check({"the cycles of ", op.name()}, taken, cycles);
    @(negedge clk);
    access_to[p] = '0;
  endtask

  initial begin
    access_to = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    // A free mutex is locked in one cycle. The answer names its owner, and a second lock is a deadlock.
    access(1, OpMutexLock, 3, Load, 1);
    access(1, OpMutexLock, 3, Load, {ErrorDeadlock, 28'd0});
    access(0, OpMutexWord, 3, Load, {16'd1, 16'd1});         // {owner, value}
    access(0, OpMutexUnlock, 3, Load, {ErrorOwner, 28'd0});  // only its owner unlocks it
    access(0, OpMutexLock, 2, Load, 0);                      // another mutex is not concerned

    // Processor 0 waits. The unlock, granted four cycles after that lock, hands the mutex over within one cycle.
    fork
      access(0, OpMutexLock, 3, Load, 0, 5);
      begin
        repeat (4) @(negedge clk);
        access(1, OpMutexUnlock, 3, Load, 0);
      end
    join
    access(1, OpMutexWord, 3, Load, {16'd0, 16'd1});
    access(0, OpMutexUnlock, 3, Load, 0);
    access(1, OpMutexWord, 3, Load, {16'd0, 16'd0});  // value 0: it is free

    passed("cl_mutex");
  end

endmodule
