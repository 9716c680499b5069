// SPDX-License-Identifier: Apache-2.0
// The clock gate that Ibex asks its platform for: a wire. Sleeping then stops the core but not its clock, which
// is right on FPGAs (one global clock) and keeps the simulated model to a single clock edge.
module prim_clock_gating (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);

  assign clk_o = clk_i;

  logic unused;
  assign unused = en_i ^ test_en_i;

endmodule
