// SPDX-License-Identifier: Apache-2.0
// How cl_mailbox is used: words from processor 0 to processor 1, with and without waiting.
// Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_mailbox_tb;
  import cl_ipc_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_mailbox: no end after 100 cycles.");

  cl_tb_ipc_if cpus (.clk, .irq('0));
  cl_mailbox #(.Cpus(2), .Depth(4)) u_mailbox (
    .clk_i(clk), .rst_ni(rst_n), .access_i(cpus.access_to), .reply_o(cpus.reply)
  );

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    // A put to the set {1}, one word a cycle; a get from processor 0.
    cpus.access(0, OpMailboxPut, 'b10, Store, 32'hcafe_0001);
    cpus.access(0, OpMailboxPut, 'b10, Store, 32'hcafe_0002);
    cpus.access(0, OpMailboxRoom, 1, Load, 2);  // words that fit now
    cpus.access(1, OpMailboxLevel, 0, Load, 2);
    cpus.access(1, OpMailboxGet, 0, Load, 32'hcafe_0001);
    cpus.access(1, OpMailboxGet, 0, Load, 32'hcafe_0002);
    cpus.access(1, OpMailboxReceived, 0, Load, 2);  // no error, two words taken

    // A get that waits has its word one cycle after the grant of the put.
    fork
      cpus.access(1, OpMailboxGet, 0, Load, 32'hcafe_0003, 5);
      begin
        repeat (4) @(negedge clk);
        cpus.access(0, OpMailboxPut, 'b10, Store, 32'hcafe_0003);
      end
    join

    // A put that waits for room is done one cycle after the get.
    for (int word = 0; word < 4; word++) cpus.access(0, OpMailboxPut, 'b10, Store, word);
    fork
      cpus.access(0, OpMailboxPut, 'b10, Store, 4, 6);
      begin
        repeat (4) @(negedge clk);
        cpus.access(1, OpMailboxGet, 0, Load, 0);
      end
    join
    for (int word = 1; word < 5; word++) cpus.access(1, OpMailboxGet, 0, Load, word);

    // A reset by the receiver is an error at the sending end until that is cleared.
    cpus.access(1, OpMailboxResetReceived, 0, Store, 0);
    cpus.access(0, OpMailboxSent, 1, Load, {ErrorReset, 28'd8});
    cpus.access(0, OpMailboxClearSent, 1, Store, {ErrorReset, 28'd8});
    cpus.access(0, OpMailboxRoom, 1, Load, 4);

    passed("cl_mailbox");
  end

endmodule
