// SPDX-License-Identifier: Apache-2.0
// How cl_barrier is used: two processors are members of a barrier, and continue in the same cycle.
// Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_barrier_tb;
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_barrier: no end after 100 cycles.");

  access_t [1:0] access_to;
  reply_t  [1:0] reply;

  cl_barrier #(.Cpus(2), .Barriers(4)) u_barrier (
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

    access(0, OpBarrierArrive, 2, Load, {ErrorOwner, 28'd0});  // it has no members yet
    access(0, OpBarrierMembers, 2, Store, 'b11);
    access(1, OpBarrierMembers, 2, Load, 'b11);

    // Processor 0 comes first. Processor 1, four cycles later, is the last: both go on in the cycle after its grant.
    fork
      access(0, OpBarrierArrive, 2, Load, 0, 5);
      begin
        repeat (4) @(negedge clk);
        access(1, OpBarrierArrive, 2, Load, 0);
      end
    join

    // If both come back at once, a phase takes one cycle.
    fork
      repeat (3) access(0, OpBarrierArrive, 2, Load, 0);
      repeat (3) access(1, OpBarrierArrive, 2, Load, 0);
    join

    // A member that is reset breaks the barrier: the one that waits gets the error reset, until members are stored.
    fork
      access(0, OpBarrierArrive, 2, Load, {ErrorReset, 28'd0}, 5);
      begin
        repeat (4) @(negedge clk);
        access_to[1] = '{valid: 1'b1, we: 1'b1, op: OpResetEnd, code: ErrorTimeout, default: '0};
        @(negedge clk);
        access_to[1] = '0;
      end
    join
    access(1, OpBarrierMembers, 2, Load, 32'h103);  // broken, and its members
    access(1, OpBarrierMembers, 2, Store, 'b01);
    access(0, OpBarrierArrive, 2, Load, 0);  // alone

    passed("cl_barrier");
  end

endmodule
