// SPDX-License-Identifier: Apache-2.0
// Transmit-only UART: +0 TX (a store sends its low byte), +4 STATUS (bit 0: ready for the next byte).
//
// ClocksPerBit = 0 (simulation): every byte is taken at once and handed over on byte_o, STATUS is always 1.
// Otherwise 8N1 on tx_o; a store while STATUS is 0 is lost, so the driver reads STATUS first.
module cl_uart #(
  parameter int unsigned ClocksPerBit = 0   // 0..65535
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Device port of the bus: never stalls, read data one cycle after the request
  input  logic        req_i,
  input  logic        we_i,
  input  logic        status_i,   // address bit 2: 1 STATUS, 0 TX
  input  logic  [7:0] wdata_i,
  output logic [31:0] rdata_o,

  output logic        byte_valid_o,   // a byte is accepted in this cycle
  output logic  [7:0] byte_o,
  output logic        tx_o
);

  logic ready;

  assign byte_valid_o = req_i & we_i & ~status_i & ready;
  assign byte_o       = wdata_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)    rdata_o <= '0;
    else if (req_i) rdata_o <= {31'b0, status_i & ready};
  end

  if (ClocksPerBit == 0) begin : g_sim
    assign ready = 1'b1;
    assign tx_o  = 1'b1;
  end else begin : g_line
    localparam logic [15:0] LastClock = 16'(ClocksPerBit - 1);

    logic [15:0] clock_q;
    logic  [3:0] bits_q;    // bits still to send, start and stop included
    logic  [9:0] shift_q;

    assign ready = bits_q == '0;
    assign tx_o  = ready | shift_q[0];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        clock_q <= '0;
        bits_q  <= '0;
        shift_q <= '1;
      end else if (byte_valid_o) begin
        clock_q <= LastClock;
        bits_q  <= 4'd10;
        shift_q <= {1'b1, wdata_i, 1'b0};
      end else if (!ready) begin
        clock_q <= clock_q - 16'd1;
        if (clock_q == '0) begin
          clock_q <= LastClock;
          bits_q  <= bits_q - 4'd1;
          shift_q <= {1'b1, shift_q[9:1]};
        end
      end
    end
  end

endmodule
