// SPDX-License-Identifier: Apache-2.0
// The time slice of one CPU, counted in strobes of tick_i.
//
// start_i loads `length_i` (0: slices are off) and clears used_o; it wins over a tick in the same cycle.
// used_o rises with the tick that uses the slice up and stays until the next start.
module cl_slice_timer (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        tick_i,
  input  logic        run_i,     // ticks count only while there is a thread
  input  logic        start_i,
  input  logic [15:0] length_i,
  output logic        used_o
);

  logic [15:0] left_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      used_o <= 1'b0;
    end else if (start_i) begin
      left_q <= length_i;
      used_o <= 1'b0;
    end else if (tick_i && run_i && left_q != '0) begin
      left_q <= left_q - 16'd1;
      used_o <= left_q == 16'd1;
    end
  end

endmodule
