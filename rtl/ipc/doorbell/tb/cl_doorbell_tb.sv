// SPDX-License-Identifier: Apache-2.0
// How cl_doorbell is used: a bell is rung, waited for, taken, and interrupts.
// Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_doorbell_tb;
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_doorbell: no end after 100 cycles.");

  access_t [1:0] access_to;
  reply_t  [1:0] reply;
  logic    [1:0] irq;

  cl_doorbell #(.Cpus(2)) u_doorbell (
    .clk_i(clk), .rst_ni(rst_n), .access_i(access_to), .reply_o(reply), .irq_o(irq)
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

  // The interrupts in this cycle, which then passes.
  task automatic interrupts(input logic [1:0] levels);
    @(posedge clk);
    check("irq_o", 32'(irq), 32'(levels));
    @(negedge clk);
  endtask

  initial begin
    access_to = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    // Bells 0 and 3 of processor 1 ring until they are taken; one that rings already is an overrun.
    access(0, OpDoorbellRing, 'b10, Store, 'b1001);
    access(0, OpDoorbellRing, 'b10, Store, 'b1000);
    access(1, OpDoorbellPending, 0, Load, 'b1001);
    access(1, OpDoorbellOverrun, 0, Load, 'b1000);
    access(1, OpDoorbellTake, 'b0001, Load, 'b0001);
    access(1, OpDoorbellTake, 'b1111, Load, 'b1000);

    // Processor 1 waits for bell 2. The ring, granted four cycles after the take, ends the wait within one cycle.
    fork
      access(1, OpDoorbellTake, 'b0100, Load, 'b0100, 5);
      begin
        repeat (4) @(negedge clk);
        access(0, OpDoorbellRing, 'b11, Store, 'b0100);  // at both processors
      end
    join
    access(1, OpDoorbellPending, 0, Load, 0);
    access(0, OpDoorbellPending, 0, Load, 'b0100);

    // Interrupts rise and fall two cycles after the grant: in the cycle after the one in which ring and take execute.
    access(1, OpDoorbellEnable, 0, Store, 'b1);
    fork
      access(0, OpDoorbellRing, 'b10, Store, 'b1);
      begin
        interrupts(2'b00);  // one cycle after the grant
        interrupts(2'b10);
      end
    join
    access(1, OpDoorbellTake, 'b1, Load, 'b1);
    interrupts(2'b00);

    passed("cl_doorbell");
  end

endmodule
