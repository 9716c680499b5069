// SPDX-License-Identifier: Apache-2.0
// Numbers in use, and the lowest free one.
//
// take_i puts id_o, the lowest free number, into use; release_i frees id_i; each takes effect in the next
// cycle. valid_o = 0: all are in use, and id_o means nothing. The caller takes only what is valid.
module cl_free_id #(
  parameter  int unsigned Count   = 32,
  localparam int unsigned IdWidth = (Count > 1) ? $clog2(Count) : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               take_i,
  input  logic               release_i,
  input  logic [IdWidth-1:0] id_i,
  output logic   [Count-1:0] used_o,
  output logic               valid_o,
  output logic [IdWidth-1:0] id_o
);

  // The lowest free number is the last one in reverse order.
  logic   [Count-1:0] free_reversed;
  logic [IdWidth-1:0] last;
  logic               unused;

  for (genvar i = 0; i < Count; i++) begin : g_reverse
    assign free_reversed[i] = ~used_o[Count-1-i];
  end

  cl_find_last_set #(.Width(Count)) u_find (
    .bits_i     (free_reversed),
    .valid_o,
    .multiple_o (unused),
    .index_o    (last)
  );

  assign id_o = IdWidth'(Count - 1) - last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_o <= '0;
    end else begin
      if (take_i)    used_o[id_o] <= 1'b1;
      if (release_i) used_o[id_i] <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertTakeValid:   assert (!take_i || valid_o);
      AssertReleaseUsed: assert (!release_i || used_o[id_i]);
    end
  end
`endif

endmodule
