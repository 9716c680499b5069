// SPDX-License-Identifier: Apache-2.0
// Two-flip-flop synchroniser for one bit, or for several of which at most one changes at a time (a Gray pointer).
//
// With CL_SYNC_LATE (simulation and proofs) a bit that changed since the last edge may settle to its old value, as in
// a flip-flop whose input changes at its edge. Several changes between two edges are not modelled as late: only the
// last could be that close to the edge.
module cl_sync #(
  parameter int unsigned Width = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,      // directly from flip-flops
  output logic [Width-1:0] q_o       // two edges later
);

  (* async_reg = "true" *) logic [Width-1:0] first_q, second_q;
  logic [Width-1:0] first_d;

`ifdef CL_SYNC_LATE
  logic [Width-1:0] before_q;
  logic             late;

  assign first_d = late && $onehot(d_i ^ before_q) ? before_q : d_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) before_q <= '0;
    else         before_q <= d_i;
  end
`ifndef FORMAL   // in proofs it is a free value
  always_ff @(posedge clk_i) late <= 1'($urandom());
`endif
`else
  assign first_d = d_i;
`endif

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q  <= '0;
      second_q <= '0;
    end else begin
      first_q  <= first_d;
      second_q <= first_q;
    end
  end

  assign q_o = second_q;

endmodule
