// SPDX-License-Identifier: Apache-2.0
// How cl_channel is used: the four phases of a handshake by req and ack wires, and the interrupt of a wire.
// Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_channel_tb;
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_channel: no end after 100 cycles.");

  access_t [1:0] access_to;
  reply_t  [1:0] reply;
  logic    [1:0] irq;

  cl_channel #(.Cpus(2)) u_channel (
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

    // A store, and the read behind it: {ack_out, req_out, ack_in, req_in} of the two wires each way.
    access(0, OpChannelReq, 1, Store, 1);
    access(0, OpChannelRead, 1, Load, 'b0100);
    access(1, OpChannelRead, 0, Load, 'b0001);
    access(0, OpChannelReq, 1, Store, 0);

    // A handshake: each of its four phases ends one cycle after the grant of the store that it waits for.
    // A wait names {level, wire, cpu}: the wire is 0 for req and 1 for ack.
    fork
      begin
        access(0, OpChannelReq, 1, Store, 1);
        access(0, OpChannelWait, {2'd0, 1'b1, 1'b1, 4'd1}, Load, 1, 1);  // ack is 1
        access(0, OpChannelReq, 1, Store, 0);
        access(0, OpChannelWait, {2'd0, 1'b0, 1'b1, 4'd1}, Load, 0, 1);  // ack is 0
      end
      begin
        access(1, OpChannelWait, {2'd0, 1'b1, 1'b0, 4'd0}, Load, 1, 1);  // req is 1
        access(1, OpChannelAck, 0, Store, 1);
        access(1, OpChannelWait, {2'd0, 1'b0, 1'b0, 4'd0}, Load, 0, 1);  // req is 0
        access(1, OpChannelAck, 0, Store, 0);
      end
    join

    // An interrupt: two cycles after the grant of the store, so in the cycle after the one in which it executes.
    access(1, OpChannelEnable, 0, Store, 'b01);  // while req of processor 0 is 1
    fork
      access(0, OpChannelReq, 1, Store, 1);
      begin
        interrupts(2'b00);  // one cycle after the grant
        interrupts(2'b10);
      end
    join

    passed("cl_channel");
  end

endmodule
