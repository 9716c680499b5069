// SPDX-License-Identifier: Apache-2.0
// How cl_channel is used: the four phases of a handshake by req and ack wires, and the interrupt of a wire.
// Words and cycles are those of the README and of docs/reference/ipc.md.
module cl_channel_tb;
  import cl_ipc_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #1000 $fatal(1, "cl_channel: no end after 100 cycles.");

  logic [1:0] irq;
  cl_tb_ipc_if cpus (.clk, .irq);
  cl_channel #(.Cpus(2)) u_channel (
    .clk_i(clk), .rst_ni(rst_n), .access_i(cpus.access_to), .reply_o(cpus.reply), .irq_o(irq)
  );

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;

    // A store, and the read behind it: {ack_out, req_out, ack_in, req_in} of the two wires each way.
    cpus.access(0, OpChannelReq, 1, Store, 1);
    cpus.access(0, OpChannelRead, 1, Load, 'b0100);
    cpus.access(1, OpChannelRead, 0, Load, 'b0001);
    cpus.access(0, OpChannelReq, 1, Store, 0);

    // A handshake: each of its four phases ends one cycle after the grant of the store that it waits for.
    // A wait names {level, wire, cpu}: the wire is 0 for req and 1 for ack.
    fork
      begin
        cpus.access(0, OpChannelReq, 1, Store, 1);
        cpus.access(0, OpChannelWait, {2'd0, 1'b1, 1'b1, 4'd1}, Load, 1, 1);  // ack is 1
        cpus.access(0, OpChannelReq, 1, Store, 0);
        cpus.access(0, OpChannelWait, {2'd0, 1'b0, 1'b1, 4'd1}, Load, 0, 1);  // ack is 0
      end
      begin
        cpus.access(1, OpChannelWait, {2'd0, 1'b1, 1'b0, 4'd0}, Load, 1, 1);  // req is 1
        cpus.access(1, OpChannelAck, 0, Store, 1);
        cpus.access(1, OpChannelWait, {2'd0, 1'b0, 1'b0, 4'd0}, Load, 0, 1);  // req is 0
        cpus.access(1, OpChannelAck, 0, Store, 0);
      end
    join

    // An interrupt: two cycles after the grant of the store, so in the cycle after the one in which it executes.
    cpus.access(1, OpChannelEnable, 0, Store, 'b01);  // while req of processor 0 is 1
    fork
      cpus.access(0, OpChannelReq, 1, Store, 1);
      begin
        cpus.interrupts(2'b00);  // one cycle after the grant
        cpus.interrupts(2'b10);
      end
    join

    passed("cl_channel");
  end

endmodule
