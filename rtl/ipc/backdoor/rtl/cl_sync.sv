// SPDX-License-Identifier: Apache-2.0
// Brings single bits into a clock: two flip-flops each. Bits of one bundle may arrive in different cycles.
//
// With CL_SYNC_LATE (simulation) and FORMAL a bit that changed since the last edge may settle to either value, as a
// flip-flop does whose input changes at its edge; nothing of it is left otherwise.
module cl_sync #(
  parameter int unsigned Width = 1   // at most 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,      // straight from flip-flops
  output logic [Width-1:0] q_o       // two edges later, or three
);

  (* async_reg = "true" *) logic [Width-1:0] first_q, second_q;
  logic [Width-1:0] first_d;

`ifdef CL_SYNC_LATE
  `define CL_SYNC_MODEL
`elsif FORMAL
  `define CL_SYNC_MODEL
`endif
`ifdef CL_SYNC_MODEL
  logic [Width-1:0] before_q, late_q;

  assign first_d = (d_i & ~late_q) | (before_q & late_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) before_q <= '0;
    else         before_q <= d_i;
  end
`ifndef FORMAL   // any value there
  always_ff @(posedge clk_i) late_q <= Width'($urandom());
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
