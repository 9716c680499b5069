// SPDX-License-Identifier: Apache-2.0
// The reset of a board, from a stable clock on, and its button that boots again. Configuration clears every register.
module cl_board_start #(
  parameter int unsigned Bounce = 250_000   // as cl_button's Clocks
) (
  input  logic clk_i,
  input  logic locked_i,  // the clock is stable; not synchronous to it
  input  logic pin_i,     // 1: the button is pressed; not synchronous either
  output logic rst_no,
  output logic again_o
);

  logic [5:0] count_q  = '0;    // 64 cycles with a stable clock
  logic       rst_nq   = 1'b0;
  logic [1:0] locked_q = '0;

  always_ff @(posedge clk_i) begin
    locked_q <= {locked_q[0], locked_i};
    if (!locked_q[1])       count_q <= '0;
    else if (count_q != '1) count_q <= count_q + 6'd1;
    rst_nq <= count_q == '1;
  end

  assign rst_no = rst_nq;

  cl_button #(.Clocks(Bounce)) u_again (
    .clk_i,
    .rst_ni   (rst_nq),
    .pin_i,
    .pressed_o(again_o)
  );

endmodule
