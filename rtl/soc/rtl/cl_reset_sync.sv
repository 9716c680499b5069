// SPDX-License-Identifier: Apache-2.0
// A reset for another clock: begins at once, with no clock needed, and ends with the second edge of clk_i after rst_ni.
module cl_reset_sync (
  input  logic clk_i,
  input  logic rst_ni,   // asynchronous
  output logic rst_no    // its end synchronous to clk_i
);

  logic first_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b0;
      rst_no  <= 1'b0;
    end else begin
      first_q <= 1'b1;
      rst_no  <= first_q;
    end
  end

endmodule
