// SPDX-License-Identifier: Apache-2.0
// Says when a processor is first on the shared bus (cl_bus): for Cycles from an interrupt on, while it stores the
// registers of one thread and loads those of another; then for as many not, so that the others have half of the bus at
// least.
module cl_first #(
  parameter int unsigned Cycles = 128   // 0: never
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic irq_i,                   // an interrupt is pending
  output logic first_o                  // from the same cycle on
);

  if (Cycles == 0) begin : g_never
    logic unused;
    assign unused  = ^{clk_i, rst_ni, irq_i};
    assign first_o = 1'b0;
  end else begin : g_first
    localparam int unsigned Width = $clog2(2 * Cycles + 1);
    logic [Width-1:0] left_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)           left_q <= '0;
      else if (left_q != '0) left_q <= left_q - Width'(1);
      else if (irq_i)        left_q <= Width'(2 * Cycles - 1);
    end

    assign first_o = (left_q > Width'(Cycles)) | (irq_i & (left_q == '0));

`ifdef FORMAL
    // REQ-first-1: it is first for Cycles at a time, and then for as many not.
    logic [31:0] on_q, off_q;   // cycles that it has been first, that it has not

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        on_q  <= '0;
        off_q <= Cycles;
      end else begin
        on_q <= first_o ? on_q + 32'd1 : '0;
        if (first_o)             off_q <= '0;
        else if (off_q < Cycles) off_q <= off_q + 32'd1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!first_o || on_q < Cycles);
        assert (!first_o || on_q != 0 || off_q == Cycles);
        // For the induction
        assert (left_q < Width'(2 * Cycles));
        assert (!first_o || on_q == ((left_q == '0) ? 32'd0 : 2 * Cycles - 32'(left_q)));
        assert (first_o || left_q == '0 || off_q + 32'(left_q) == Cycles);
        assert (first_o || left_q != '0 || off_q == Cycles);
      end
    end
`endif
  end

endmodule
