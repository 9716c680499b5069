// SPDX-License-Identifier: Apache-2.0
// How cl_ipc is used: two processors share mailboxes, doorbells and mutexes through their own ports.
// An access is {patience, operation, index}. Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_ipc_tb;
  import cl_ipc_pkg::*;
  import cl_tb_pkg::*;

  localparam logic [4:0] Try = 5'd0, Ever = 5'd31;  // patience: n waits 2**n cycles

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #2000 $fatal(1, "cl_ipc: no end after 200 cycles.");

  logic [1:0]       req, gnt, we, rvalid, err, irq;
  logic [1:0][18:0] addr;
  logic [1:0][31:0] wdata, rdata;

  cl_ipc #(.Cpus(2)) u_ipc (
    .clk_i(clk), .rst_ni(rst_n), .req_i(req), .gnt_o(gnt), .we_i(we), .addr_i(addr), .wdata_i(wdata),
    .rvalid_o(rvalid), .err_o(err), .rdata_o(rdata), .intr_i('0), .irq_o(irq)
  );

  // An access of processor p: checks the word, and the cycles from the grant to the answer.
  task automatic access(input int p, input logic [4:0] patience, input logic [5:0] op, input logic [7:0] index,
                        input logic store, input logic [31:0] word, input int cycles = 1, input logic error = 1'b0);
    int taken = 0;
    {req[p], we[p], addr[p], wdata[p]} = {1'b1, store, patience, op, index, word};
    do @(posedge clk); while (!gnt[p]);
    @(negedge clk);
    req[p] = 1'b0;
    do begin
      @(posedge clk);
      taken++;
    end while (!rvalid[p]);
    if (!store) check($sformatf("the word of operation %0d", op), rdata[p], word);
    check($sformatf("the cycles of operation %0d", op), taken, cycles);
    check($sformatf("err_o of operation %0d", op), 32'(err[p]), 32'(error));
    @(negedge clk);
  endtask

  initial begin
    {req, we, addr, wdata} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    // A word from processor 0 to processor 1, which waits for it: it comes one cycle after the grant of the put.
    fork
      access(1, Ever, OpMailboxGet, 0, Load, 32'h1234_5678, 9);
      begin
        repeat (8) @(negedge clk);
        access(0, Ever, OpMailboxPut, 'b10, Store, 32'h1234_5678);
      end
    join

    // A try gives up at once, patience 3 after 1 + 2**3 cycles; the sentinel says that no word has come.
    access(1, Try, OpMailboxLevel, 0, Load, {ErrorTimeout, 28'd0});
    access(1, 3, OpMailboxLevel, 0, Load, {ErrorTimeout, 28'd0}, 9);
    access(1, Try, OpMailboxGet, 0, Load, Sentinel);

    // A mutex, and a bell that interrupts.
    access(0, Ever, OpMutexLock, 15, Load, 0);
    access(1, Try, OpMutexLock, 15, Load, {ErrorTimeout, 28'd0});
    access(1, Ever, OpDoorbellEnable, 0, Store, 32'h80);
    access(0, Ever, OpDoorbellRing, 'b10, Store, 32'h80);
    @(negedge clk);
    check("irq_o", 32'(irq), 'b10);
    access(1, Ever, OpDoorbellTake, 8'hff, Load, 32'h80);

    // There is no mutex 16: a bus error.
    access(0, Ever, OpMutexLock, 16, Load, 0, 1, 1);

    passed("cl_ipc");
  end

endmodule
