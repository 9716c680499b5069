// SPDX-License-Identifier: Apache-2.0
// How cl_mailbox is used: words from processor 0 to processor 1, with and without waiting.
// Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_mailbox_tb;
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_mailbox: no end after 100 cycles.");

  access_t [1:0] access_to;
  reply_t  [1:0] reply;

  cl_mailbox #(.Cpus(2), .Depth(4)) u_mailbox (
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

    // A put to the set {1}, one word a cycle; a get from processor 0.
    access(0, OpMailboxPut, 'b10, Store, 32'hcafe_0001);
    access(0, OpMailboxPut, 'b10, Store, 32'hcafe_0002);
    access(0, OpMailboxRoom, 1, Load, 2);  // words that fit now
    access(1, OpMailboxLevel, 0, Load, 2);
    access(1, OpMailboxGet, 0, Load, 32'hcafe_0001);
    access(1, OpMailboxGet, 0, Load, 32'hcafe_0002);
    access(1, OpMailboxReceived, 0, Load, 2);  // no error, two words taken

    // A get that waits has its word one cycle after the grant of the put.
    fork
      access(1, OpMailboxGet, 0, Load, 32'hcafe_0003, 5);
      begin
        repeat (4) @(negedge clk);
        access(0, OpMailboxPut, 'b10, Store, 32'hcafe_0003);
      end
    join

    // A put that waits for room is done one cycle after the get.
    for (int word = 0; word < 4; word++) access(0, OpMailboxPut, 'b10, Store, word);
    fork
      access(0, OpMailboxPut, 'b10, Store, 4, 6);
      begin
        repeat (4) @(negedge clk);
        access(1, OpMailboxGet, 0, Load, 0);
      end
    join
    for (int word = 1; word < 5; word++) access(1, OpMailboxGet, 0, Load, word);

    // A reset by the receiver is an error at the sending end until that is cleared.
    access(1, OpMailboxResetReceived, 0, Store, 0);
    access(0, OpMailboxSent, 1, Load, {ErrorReset, 28'd8});
    access(0, OpMailboxClearSent, 1, Store, {ErrorReset, 28'd8});
    access(0, OpMailboxRoom, 1, Load, 4);

    passed("cl_mailbox");
  end

endmodule
