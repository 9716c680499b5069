// SPDX-License-Identifier: Apache-2.0
// The time slice of one CPU, counted in strobes of tick_i.
//
// clear_i says that another slice is about to begin: used_o is 0 from the next cycle on, and ran_o stands still until
// start_i loads `ran_i`, the ticks that have passed of it already; a tick in that cycle counts.
// used_o rises with the tick that uses the slice up and stays until the next clear_i or start_i. length_i 0: slices
// are off, and ran_o stands still.
module cl_slice_timer (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        tick_i,
  input  logic        run_i,     // ticks count only while there is a thread
  input  logic        clear_i,
  input  logic        start_i,
  input  logic [15:0] ran_i,
  input  logic [15:0] length_i,
  output logic [15:0] ran_o,     // ticks since its begin, 65535 or more: 65535
  output logic        used_o
);

  logic [15:0] ran, ran_d;
  logic        stands_q;

  assign ran   = start_i ? ran_i : ran_o;
  assign ran_d = ran + 16'(!(&ran));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ran_o    <= '0;
      used_o   <= 1'b0;
      stands_q <= 1'b0;
    end else if (clear_i) begin
      used_o   <= 1'b0;
      stands_q <= 1'b1;
    end else if (start_i || !stands_q) begin
      stands_q <= 1'b0;
      if (start_i) begin
        ran_o  <= ran_i;
        used_o <= 1'b0;
      end
      if (tick_i && run_i && length_i != '0) begin
        ran_o  <= ran_d;
        if (ran_d >= length_i) used_o <= 1'b1;
      end
    end
  end

endmodule
