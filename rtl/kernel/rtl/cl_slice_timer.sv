// SPDX-License-Identifier: Apache-2.0
// The time slice of one CPU, counted in strobes of tick_i.
//
// clear_i says that another slice begins: used_o is 0 from the next cycle on, and a tick of this cycle is lost. start_i
// loads `length_i` (0: slices are off), in the cycle after clear_i or by itself; a tick in its cycle counts.
// used_o rises with the tick that uses the slice up and stays until the next one begins.
module cl_slice_timer (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        tick_i,
  input  logic        run_i,     // ticks count only while there is a thread
  input  logic        clear_i,
  input  logic        start_i,
  input  logic [15:0] length_i,
  output logic [15:0] left_o,    // ticks
  output logic        used_o
);

  logic [15:0] left;
  logic        counts;

  assign left   = start_i ? length_i : left_o;
  assign counts = tick_i && run_i && left != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_o <= '0;
      used_o <= 1'b0;
    end else if (clear_i) begin
      used_o <= 1'b0;
    end else begin
      left_o <= left - 16'(counts);
      if (start_i) used_o <= 1'b0;
      if (counts)  used_o <= left == 16'd1;
    end
  end

endmodule
