// SPDX-License-Identifier: Apache-2.0
// A register that a parameter puts into a path, or leaves out. It has no reset: its reader knows when it is valid.
module cl_pipeline_register #(
  parameter bit          Registered = 1'b0,
  parameter int unsigned Width      = 1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Registered) begin : g_registered
    always_ff @(posedge clk_i) q_o <= d_i;
  end else begin : g_passed
    logic unused_clk;
    assign unused_clk = clk_i;
    assign q_o = d_i;
  end

endmodule
