// SPDX-License-Identifier: Apache-2.0
// Two processors at a unit of rtl/ipc, each of which accesses it as its port does.
interface cl_tb_ipc_if
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
  import cl_tb_pkg::*;
(
  input bit         clk,
  input logic [1:0] irq   // '0: the unit has no interrupts
);

  access_t [1:0] access_to = '0;
  reply_t  [1:0] reply;

  // Processor p executes one operation: a store of a word, or a load that must return it. Checks the cycles from the
  // grant to the answer, too.
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

endinterface
