// SPDX-License-Identifier: Apache-2.0
// A button: synchronous to the clock, and without bouncing: it changes when it has been so for `Clocks` cycles.
module cl_button #(
  parameter  int unsigned Clocks = 250_000,   // 2 or more
  localparam int unsigned CountW = $clog2(Clocks)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic pin_i,    // 1: pressed; not synchronous to clk_i
  output logic pressed_o
);

  logic        [1:0] pin_q;
  logic [CountW-1:0] count_q;   // cycles for which the pin has differed

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pin_q     <= '0;
      count_q   <= '0;
      pressed_o <= 1'b0;
    end else begin
      pin_q <= {pin_q[0], pin_i};
      if (pin_q[1] == pressed_o) begin
        count_q <= '0;
      end else begin
        count_q <= count_q + 1'b1;
        if (count_q == CountW'(Clocks - 1)) begin
          count_q   <= '0;
          pressed_o <= pin_q[1];
        end
      end
    end
  end

endmodule
