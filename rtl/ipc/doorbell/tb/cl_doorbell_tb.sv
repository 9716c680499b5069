// SPDX-License-Identifier: Apache-2.0
// How cl_doorbell is used: a bell is rung, waited for, taken, and interrupts.
// Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_doorbell_tb;
  import cl_ipc_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_doorbell: no end after 100 cycles.");

  logic [1:0] irq;
  cl_tb_ipc_if cpus (.clk, .irq);
  cl_doorbell #(.Cpus(2)) u_doorbell (
    .clk_i(clk), .rst_ni(rst_n), .access_i(cpus.access_to), .reply_o(cpus.reply), .irq_o(irq)
  );

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    // Bells 0 and 3 of processor 1 ring until they are taken; one that rings already is an overrun.
    cpus.access(0, OpDoorbellRing, 'b10, Store, 'b1001);
    cpus.access(0, OpDoorbellRing, 'b10, Store, 'b1000);
    cpus.access(1, OpDoorbellPending, 0, Load, 'b1001);
    cpus.access(1, OpDoorbellOverrun, 0, Load, 'b1000);
    cpus.access(1, OpDoorbellTake, 'b0001, Load, 'b0001);
    cpus.access(1, OpDoorbellTake, 'b1111, Load, 'b1000);

    // Processor 1 waits for bell 2. The ring, granted four cycles after the take, ends the wait within one cycle.
    fork
      cpus.access(1, OpDoorbellTake, 'b0100, Load, 'b0100, 5);
      begin
        repeat (4) @(negedge clk);
        cpus.access(0, OpDoorbellRing, 'b11, Store, 'b0100);  // at both processors
      end
    join
    cpus.access(1, OpDoorbellPending, 0, Load, 0);
    cpus.access(0, OpDoorbellPending, 0, Load, 'b0100);

    // Interrupts rise and fall two cycles after the grant: in the cycle after the one in which ring and take execute.
    cpus.access(1, OpDoorbellEnable, 0, Store, 'b1);
    fork
      cpus.access(0, OpDoorbellRing, 'b10, Store, 'b1);
      begin
        cpus.interrupts(2'b00);  // one cycle after the grant
        cpus.interrupts(2'b10);
      end
    join
    cpus.access(1, OpDoorbellTake, 'b1, Load, 'b1);
    cpus.interrupts(2'b00);

    passed("cl_doorbell");
  end

endmodule
