// SPDX-License-Identifier: Apache-2.0
// UART of a board, 8N1: the registers of cl_uart, and a receiver.
//
// +0 TX: a store sends its low byte; a load takes the oldest byte received, 0 if there is none.
// +4 STATUS: bit 0: ready for a byte to send, bit 1: a byte has been received, bit 2: one was lost, as the FIFO was full,
// since the last store here. A store to TX while bit 0 is 0 is lost, as in cl_uart.
module cl_uart_line #(
  parameter  int unsigned ClocksPerBit = 25,   // 8..65535
  parameter  int unsigned Depth        = 16,   // bytes that wait to be loaded, a power of two
  localparam int unsigned PlaceW       = $clog2(Depth)
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Device port of the bus: never stalls, read data one cycle after the request
  input  logic        req_i,
  input  logic        we_i,
  input  logic        status_i,   // address bit 2: 1 STATUS, 0 TX
  input  logic  [7:0] wdata_i,
  output logic [31:0] rdata_o,

  input  logic        rx_i,       // not synchronous to clk_i
  output logic        tx_o,
  output logic        there_o     // STATUS bit 1
);

  localparam logic [15:0] LastClock = 16'(ClocksPerBit - 1);
  localparam logic [15:0] HalfClock = 16'(ClocksPerBit / 2 - 1);

  // Transmitter
  logic [15:0] tx_clock_q;
  logic  [3:0] tx_bits_q;    // bits still to send, start and stop included
  logic  [9:0] tx_shift_q;
  logic        tx_ready, send;

  assign tx_ready = tx_bits_q == '0;
  assign send     = req_i & we_i & ~status_i & tx_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tx_clock_q <= '0;
      tx_bits_q  <= '0;
      tx_shift_q <= '1;
      tx_o       <= 1'b1;
    end else begin
      tx_o <= tx_ready | tx_shift_q[0];
      if (send) begin
        tx_clock_q <= LastClock;
        tx_bits_q  <= 4'd10;
        tx_shift_q <= {1'b1, wdata_i, 1'b0};
      end else if (!tx_ready) begin
        tx_clock_q <= tx_clock_q - 16'd1;
        if (tx_clock_q == '0) begin
          tx_clock_q <= LastClock;
          tx_bits_q  <= tx_bits_q - 4'd1;
          tx_shift_q <= {1'b1, tx_shift_q[9:1]};
        end
      end
    end
  end

  // Receiver: samples in the middle of each bit, counted from the falling edge of the start bit.
  logic  [2:0] rx_q;          // synchroniser, and the value before
  logic [15:0] rx_clock_q;
  logic  [3:0] rx_bits_q;     // bits still to sample
  logic  [7:0] rx_shift_q;
  logic        sample, take;  // a whole byte with its stop bit

  assign sample = rx_bits_q != '0 && rx_clock_q == '0;
  assign take   = sample && rx_bits_q == 4'd1 && rx_q[1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rx_q       <= '1;
      rx_clock_q <= '0;
      rx_bits_q  <= '0;
      rx_shift_q <= '0;
    end else begin
      rx_q <= {rx_q[1:0], rx_i};
      if (rx_bits_q == '0) begin
        rx_clock_q <= HalfClock;
        if (rx_q[2:1] == 2'b10) rx_bits_q <= 4'd10;
      end else if (!sample) begin
        rx_clock_q <= rx_clock_q - 16'd1;
      end else begin
        rx_clock_q <= LastClock;
        rx_bits_q  <= rx_bits_q - 4'd1;
        rx_shift_q <= {rx_q[1], rx_shift_q[7:1]};
        if (rx_bits_q == 4'd10 && rx_q[1]) rx_bits_q <= '0;   // a disturbance, no start bit
      end
    end
  end

  // Bytes received
  logic      [7:0] fifo [Depth];
  logic [PlaceW:0] head_q, tail_q;
  logic            full, lost_q, load;

  assign there_o = head_q != tail_q;
  assign full    = head_q == {~tail_q[PlaceW], tail_q[PlaceW-1:0]};
  assign load    = req_i & ~we_i & ~status_i & there_o;

  always_ff @(posedge clk_i) begin
    if (take && !full) fifo[tail_q[PlaceW-1:0]] <= rx_shift_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      lost_q <= 1'b0;
    end else begin
      if (take && !full) tail_q <= tail_q + 1'b1;
      if (load) head_q <= head_q + 1'b1;
      if (take && full) lost_q <= 1'b1;
      else if (req_i && we_i && status_i) lost_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_o <= '0;
    else if (req_i) begin
      rdata_o <= status_i ? {29'b0, lost_q, there_o, tx_ready} : load ? {24'b0, fifo[head_q[PlaceW-1:0]]} : '0;
    end
  end

endmodule
