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

  cl_tb_ipc_if cpus (.clk, .irq('0));
  cl_barrier #(.Cpus(2), .Barriers(4)) u_barrier (
    .clk_i(clk), .rst_ni(rst_n), .access_i(cpus.access_to), .reply_o(cpus.reply)
  );

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    cpus.access(0, OpBarrierArrive, 2, Load, {ErrorOwner, 28'd0});  // it has no members yet
    cpus.access(0, OpBarrierMembers, 2, Store, 'b11);
    cpus.access(1, OpBarrierMembers, 2, Load, 'b11);

    // Processor 0 comes first. Processor 1, four cycles later, is the last: both go on in the cycle after its grant.
    fork
      cpus.access(0, OpBarrierArrive, 2, Load, 0, 5);
      begin
        repeat (4) @(negedge clk);
        cpus.access(1, OpBarrierArrive, 2, Load, 0);
      end
    join

    // If both come back at once, a phase takes one cycle.
    fork
      repeat (3) cpus.access(0, OpBarrierArrive, 2, Load, 0);
      repeat (3) cpus.access(1, OpBarrierArrive, 2, Load, 0);
    join

    // A member that is reset breaks the barrier: the one that waits gets the error reset, until members are stored.
    fork
      cpus.access(0, OpBarrierArrive, 2, Load, {ErrorReset, 28'd0}, 5);
      begin
        repeat (4) @(negedge clk);
        cpus.access_to[1] = '{valid: 1'b1, we: 1'b1, op: OpResetEnd, code: ErrorTimeout, default: '0};
        @(negedge clk);
        cpus.access_to[1] = '0;
      end
    join
    cpus.access(1, OpBarrierMembers, 2, Load, 32'h103);  // broken, and its members
    cpus.access(1, OpBarrierMembers, 2, Store, 'b01);
    cpus.access(0, OpBarrierArrive, 2, Load, 0);  // alone

    passed("cl_barrier");
  end

endmodule
