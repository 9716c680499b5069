// SPDX-License-Identifier: Apache-2.0
// The UART of the SoC (cl_uart): every store, load and bit on the line, from what has been asked of it.
module cl_uart_formal #(
  parameter int unsigned ClocksPerBit = 0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       req_i,
  input logic       we_i,
  input logic       status_i,
  input logic [7:0] wdata_i
);

  logic [31:0] rdata;
  logic  [7:0] sent;
  logic        taken, tx;

  cl_uart #(.ClocksPerBit(ClocksPerBit)) u_uart (
    .clk_i,
    .rst_ni,
    .req_i,
    .we_i,
    .status_i,
    .wdata_i,
    .rdata_o      (rdata),
    .byte_valid_o (taken),
    .byte_o       (sent),
    .tx_o         (tx)
  );

  // The bits of a byte, the next at 0, and the cycles that are left of it and of all
  logic [31:0] left_q, all_q;
  logic  [9:0] bits_q;
  logic        asked_q, ready_q, ready;

  assign ready = all_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {left_q, all_q, bits_q, asked_q, ready_q} <= '0;
    end else begin
      if (req_i) {asked_q, ready_q} <= {status_i, ready};
      if (taken) begin
        all_q  <= 10 * ClocksPerBit;
        left_q <= ClocksPerBit;
        bits_q <= {1'b1, wdata_i, 1'b0};
      end else if (!ready) begin
        all_q  <= all_q - 1;
        left_q <= left_q == 1 ? ClocksPerBit : left_q - 1;
        if (left_q == 1) bits_q <= {1'b1, bits_q[9:1]};
      end
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    // REQ-uart-1: a store to TX is taken while it is ready, and nothing else is.
    assert (taken == (req_i && we_i && !status_i && ready));
    if (taken) assert (sent == wdata_i);
    // REQ-uart-2: a load of STATUS says whether it is ready, a load of TX 0.
    assert (rdata == 32'(asked_q && ready_q));
    // REQ-uart-3: a start bit, eight bits with the lowest first, a stop bit, each ClocksPerBit cycles; 1 between.
    assert (tx == (ready || bits_q[0]));

    CoverTaken: cover (taken && asked_q && ready_q);
    CoverBusy:  cover (ClocksPerBit != 0 ? !ready && asked_q && !ready_q : taken);
    CoverBits:  cover (ClocksPerBit != 0 ? all_q == 8 * ClocksPerBit && !tx : taken);
  end

  if (ClocksPerBit == 0) begin : g_always_ready
    always_ff @(posedge clk_i) if (rst_ni) assert (ready && tx);
  end else begin : g_why
    always_ff @(posedge clk_i) if (rst_ni) begin
      assert ((u_uart.g_line.bits_q == '0) == ready);
      assert (ready || (left_q >= 1 && left_q <= ClocksPerBit && 32'(u_uart.g_line.clock_q) == left_q - 1));
      assert (ready || all_q == 32'(u_uart.g_line.bits_q - 4'd1) * ClocksPerBit + left_q);
      assert (u_uart.g_line.bits_q <= 4'd10);
      assert (ready || u_uart.g_line.shift_q == bits_q);
    end
  end

endmodule
