// SPDX-License-Identifier: Apache-2.0
// Sends a bundle of bits to another clock as a whole, by a two-phase handshake: the data are stable from the change of
// req_q until ack_q has come back.
//
// A bundle is sent when none is in flight and either a bit of Trigger differs from the last bundle sent or a bell was
// rung. Bells that ring while a bundle is in flight are sent together with the next one; none is lost.
module cl_cdc_bundle #(
  parameter int unsigned      Bells   = 1,
  parameter int unsigned      Width   = 1,
  parameter logic [Width-1:0] Trigger = '1   // bits whose change sends a bundle; the others are sent along
) (
  // Sending side
  input  logic             from_clk_i,
  input  logic             from_rst_ni,
  input  logic             ring_i,        // bells_i ring
  input  logic [Bells-1:0] bells_i,
  input  logic [Width-1:0] data_i,
  output logic             delivered_o,   // the other side has the current value of the Trigger bits

  // Receiving side
  input  logic             to_clk_i,
  input  logic             to_rst_ni,
  output logic             take_o,        // a bundle arrives in this cycle: bells_o and new_o
  output logic [Bells-1:0] bells_o,
  output logic [Width-1:0] new_o,
  output logic [Width-1:0] data_o         // the last bundle received, 0 before the first
);

  logic             req_q, ack, idle, differs, send;
  logic             owed_q;               // bells_q has bells that have not been sent
  logic [Bells-1:0] bells_q, sent_bells_q;
  logic [Width-1:0] sent_q;
  logic             req, ack_q;
  logic [Width-1:0] data_q;

  assign idle        = ack == req_q;
  assign differs     = |((data_i ^ sent_q) & Trigger);
  assign send        = idle & (differs | owed_q | ring_i);
  assign delivered_o = idle & ~differs;

  always_ff @(posedge from_clk_i or negedge from_rst_ni) begin
    if (!from_rst_ni) begin
      req_q        <= 1'b0;
      owed_q       <= 1'b0;
      bells_q      <= '0;
      sent_bells_q <= '0;
      sent_q       <= '0;
    end else if (send) begin
      req_q        <= ~req_q;
      owed_q       <= 1'b0;
      bells_q      <= '0;
      sent_bells_q <= bells_q | (ring_i ? bells_i : '0);
      sent_q       <= data_i;
    end else if (ring_i) begin
      owed_q       <= 1'b1;
      bells_q      <= bells_q | bells_i;
    end
  end

  cl_sync u_req_sync (.clk_i(to_clk_i),   .rst_ni(to_rst_ni),   .d_i(req_q), .q_o(req));
  cl_sync u_ack_sync (.clk_i(from_clk_i), .rst_ni(from_rst_ni), .d_i(ack_q), .q_o(ack));

  // bells_o and new_o cross the clocks; they are stable while take_o is high.
  assign bells_o = sent_bells_q;
  assign new_o   = sent_q;
  assign take_o  = req != ack_q;
  assign data_o  = data_q;

  always_ff @(posedge to_clk_i or negedge to_rst_ni) begin
    if (!to_rst_ni) begin
      ack_q   <= 1'b0;
      data_q  <= '0;
    end else if (take_o) begin
      ack_q   <= req;
      data_q  <= sent_q;
    end
  end

endmodule
