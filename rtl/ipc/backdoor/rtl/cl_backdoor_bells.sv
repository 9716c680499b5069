// SPDX-License-Identifier: Apache-2.0
// The bells of one side: latched until they are cleared, with an interrupt while one that is enabled rings.
module cl_backdoor_bells (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        deaf_i,       // forgets all, hears none

  input  logic        ring_i,       // bells_i come
  input  logic [31:0] bells_i,
  input  logic        clear_i,      // a store of word_i to bell_clear; a bell that comes in this cycle wins
  input  logic        enable_i,     // a store of word_i to bell_enable
  input  logic [31:0] word_i,

  output logic [31:0] pending_o,
  output logic [31:0] enabled_o,
  output logic [31:0] again_o,      // came in this cycle and was pending
  output logic        irq_o         // low in the cycle after clear_i, so that what is left makes an edge
);

  logic [31:0] kept, come, pending_q, enabled_q;
  logic        cleared_q;

  assign kept      = pending_q & ~(clear_i ? word_i : '0);
  assign come      = ring_i ? bells_i : '0;
  assign again_o   = kept & come;
  assign pending_o = pending_q;
  assign enabled_o = enabled_q;
  assign irq_o     = |(pending_q & enabled_q) & ~cleared_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
      enabled_q <= '0;
      cleared_q <= 1'b0;
    end else if (deaf_i) begin
      pending_q <= '0;
      enabled_q <= '0;
      cleared_q <= 1'b0;
    end else begin
      pending_q <= kept | come;
      cleared_q <= clear_i;
      if (enable_i) enabled_q <= word_i;
    end
  end

endmodule
