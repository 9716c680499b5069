// SPDX-License-Identifier: Apache-2.0
// Tells the other clock a bundle of bits, whole: it lies still from the toggle that says it to the one that says that
// it was taken.
//
// A bundle is said when no other is under way and a bit of Tell differs from what was said last, or a bell was rung.
// Bells that ring while one is under way go together with the next, and none is lost.
module cl_cdc_bundle #(
  parameter int unsigned     Bells = 1,
  parameter int unsigned     Width = 1,
  parameter logic [Width-1:0] Tell = '1   // the others go along, but a change of them alone says nothing
) (
  // The side that speaks
  input  logic             from_clk_i,
  input  logic             from_rst_ni,
  input  logic             ring_i,        // bells_i ring
  input  logic [Bells-1:0] bells_i,
  input  logic [Width-1:0] data_i,
  output logic             heard_o,       // the other side has taken the bits of Tell as they are now

  // The side that hears
  input  logic             to_clk_i,
  input  logic             to_rst_ni,
  output logic             take_o,        // a bundle comes in this cycle: bells_o and new_o
  output logic [Bells-1:0] bells_o,
  output logic [Width-1:0] new_o,
  output logic [Width-1:0] data_o         // of the last that came, 0 before the first
);

  logic             say_q, heard, idle, differs, send;
  logic             owed_q;               // bells_q has bells that were not said
  logic [Bells-1:0] bells_q, said_bells_q;
  logic [Width-1:0] said_q;
  logic             said, taken_q;
  logic [Width-1:0] data_q;

  assign idle    = heard == say_q;
  assign differs = |((data_i ^ said_q) & Tell);
  assign send    = idle & (differs | owed_q | ring_i);
  assign heard_o = idle & ~differs;

  always_ff @(posedge from_clk_i or negedge from_rst_ni) begin
    if (!from_rst_ni) begin
      say_q        <= 1'b0;
      owed_q       <= 1'b0;
      bells_q      <= '0;
      said_bells_q <= '0;
      said_q       <= '0;
    end else if (send) begin
      say_q        <= ~say_q;
      owed_q       <= 1'b0;
      bells_q      <= '0;
      said_bells_q <= bells_q | (ring_i ? bells_i : '0);
      said_q       <= data_i;
    end else if (ring_i) begin
      owed_q       <= 1'b1;
      bells_q      <= bells_q | bells_i;
    end
  end

  cl_sync u_said  (.clk_i(to_clk_i),   .rst_ni(to_rst_ni),   .d_i(say_q),   .q_o(said));
  cl_sync u_heard (.clk_i(from_clk_i), .rst_ni(from_rst_ni), .d_i(taken_q), .q_o(heard));

  // These two cross the clocks; they lie still while they are looked at.
  assign bells_o = said_bells_q;
  assign new_o   = said_q;
  assign take_o  = said != taken_q;
  assign data_o  = data_q;

  always_ff @(posedge to_clk_i or negedge to_rst_ni) begin
    if (!to_rst_ni) begin
      taken_q <= 1'b0;
      data_q  <= '0;
    end else if (take_o) begin
      taken_q <= said;
      data_q  <= said_q;
    end
  end

endmodule
