// SPDX-License-Identifier: Apache-2.0
// The bells of one side: latched until they are cleared, with an interrupt while an enabled one is pending.
module cl_backdoor_bells (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        hold_i,       // clears all bells and enables, ignores ring_i

  input  logic        ring_i,       // bells_i arrive
  input  logic [31:0] bells_i,
  input  logic        clear_i,      // a store of word_i to bell_clear; a bell that arrives in this cycle wins
  input  logic        enable_i,     // a store of word_i to bell_enable
  input  logic [31:0] word_i,

  output logic [31:0] pending_o,
  output logic [31:0] enabled_o,
  output logic [31:0] again_o,      // arrived in this cycle while pending
  output logic        irq_o         // low in the cycle after clear_i, so that bells still pending make a new edge
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
    end else if (hold_i) begin
      pending_q <= '0;
      enabled_q <= '0;
      cleared_q <= 1'b0;
    end else begin
      pending_q <= kept | come;
      cleared_q <= clear_i;
      if (enable_i) enabled_q <= word_i;
    end
  end

`ifdef FORMAL
  // A cycle ago
  logic [31:0] f_pending_q, f_come_q, f_word_q, f_enabled_q;
  logic        f_clear_q, f_enable_q, f_hold_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {f_pending_q, f_come_q, f_word_q, f_enabled_q} <= '0;
      {f_clear_q, f_enable_q, f_hold_q}              <= '0;
    end else begin
      f_pending_q <= pending_o;
      f_come_q    <= ring_i ? bells_i : '0;
      f_word_q    <= word_i;
      f_enabled_q <= enabled_o;
      f_clear_q   <= clear_i;
      f_enable_q  <= enable_i;
      f_hold_q    <= hold_i;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // REQ-backdoor-6: a bell that arrives is pending, whatever is cleared in that cycle; it stays until cleared.
      if (f_hold_q) assert (pending_o == '0 && enabled_o == '0);
      else begin
        assert ((f_come_q & ~pending_o) == '0);
        assert ((f_pending_q & ~pending_o & ~f_word_q) == '0);
        if (!f_clear_q) assert ((f_pending_q & ~pending_o) == '0);
        else            assert ((f_word_q & pending_o & ~f_come_q) == '0);
        assert ((pending_o & ~f_pending_q & ~f_come_q) == '0);
        assert (enabled_o == (f_enable_q ? f_word_q : f_enabled_q));
      end
      // The interrupt is up while an enabled bell is pending, except in the cycle after a clear.
      assert (irq_o == ((pending_o & enabled_o) != '0 && (f_hold_q || !f_clear_q)));
      if (ring_i) assert (again_o == (bells_i & pending_o & ~(clear_i ? word_i : '0)));
      else        assert (again_o == '0);
    end
  end
`endif

endmodule
