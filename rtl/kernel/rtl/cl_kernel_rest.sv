// SPDX-License-Identifier: Apache-2.0
// A CPU that was asked to give way in vain is not asked again for 2 to 3 beats, so that its thread goes on.
//
// Threads that hand over to each other on another CPU are ready for moments only: each time this CPU is asked, and finds
// nothing when its trap has come to `preempt`. If the next moment came before the end of the trap, its thread would never
// go on. Two beats are longer than the rest of a trap on any core. The counter of all CPUs stands still while none rests.
module cl_kernel_rest #(
  parameter int unsigned Cpus     = 2,
  parameter int unsigned BeatBits = 7   // a beat has 2**BeatBits cycles
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [Cpus-1:0] vain_i,  // its `preempt` has found no thread
  output logic [Cpus-1:0] rests_o  // from the next cycle on
);

  logic [BeatBits-1:0]  beat_q;
  logic [Cpus-1:0][1:0] left_q;    // beats that end before the rest does

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) rests_o[c] = left_q[c] != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= '0;
      left_q <= '0;
    end else begin
      beat_q <= (rests_o != '0) ? beat_q + BeatBits'(1) : '0;
      for (int unsigned c = 0; c < Cpus; c++) begin
        if (vain_i[c])                   left_q[c] <= 2'd3;
        else if (rests_o[c] && &beat_q)  left_q[c] <= left_q[c] - 2'd1;
      end
    end
  end

`ifdef FORMAL
  // REQ-kernel-rest: a CPU rests for 2 to 3 beats after each vain_i, and at no other time.
  localparam int unsigned Beat = 2**BeatBits;

  logic [31:0] since_q [Cpus];  // cycles since the last vain_i
  logic        ever_q  [Cpus];

  for (genvar c = 0; c < Cpus; c++) begin : g_since
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        since_q[c] <= '0;
        ever_q[c]  <= 1'b0;
      end else if (vain_i[c]) begin
        since_q[c] <= '0;
        ever_q[c]  <= 1'b1;
      end else if (since_q[c] < 3 * Beat) begin
        since_q[c] <= since_q[c] + 1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int unsigned c = 0; c < Cpus; c++) begin
        assert (!rests_o[c] || (ever_q[c] && since_q[c] < 3 * Beat));
        assert (rests_o[c] || !ever_q[c] || since_q[c] >= 2 * Beat);
        // By induction: so many beats have ended since, and this one has come so far.
        if (rests_o[c]) begin
          assert (since_q[c] <= 32'(3 - left_q[c]) * Beat + 32'(beat_q));
          assert (since_q[c] + Beat > 32'(3 - left_q[c]) * Beat + 32'(beat_q));
        end
      end
      if (rests_o == '0) assert (beat_q == '0);
    end
  end
`endif

endmodule
