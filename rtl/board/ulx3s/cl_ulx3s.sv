// SPDX-License-Identifier: Apache-2.0
// ULX3S with an LFE5U-85F: its clock, reset and pins around cl_board. The only file with primitives of the vendor.
module cl_ulx3s
  import cl_soc_cfg_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter cfg_t        Cfg     = Default,
  parameter int unsigned Mhz     = 25,           // 25, or a multiple of 5 from 10 to 100, by the PLL
  parameter int unsigned Baud    = 1_000_000,
  parameter              RomFile = "",
  parameter              RamFile = "",
  parameter int unsigned Bounce  = Mhz * 10_000
) (
  input  logic        crystal,     // 25 MHz
  input  logic        rx,          // from the FTDI
  output logic        tx,          // to it
  input  logic  [6:0] btn,         // 0: 0 when pressed, the others 1
  output logic  [7:0] led,
  output logic        wifi_gpio0,  // 1: the board stays on

  input  logic        tck,         // JTAG: pins GP0 to GP3
  input  logic        tms,
  input  logic        tdi,
  output logic        tdo,

  output logic        sdram_clk,
  output logic        sdram_cke,
  output logic        sdram_csn,
  output logic        sdram_rasn,
  output logic        sdram_casn,
  output logic        sdram_wen,
  output logic [12:0] sdram_a,
  output logic  [1:0] sdram_ba,
  output logic  [1:0] sdram_dqm,
  inout  wire  [15:0] sdram_d
);

  logic clk, locked;

  if (Mhz == 25) begin : g_no_pll
    assign clk    = crystal;
    assign locked = 1'b1;
  end else begin : g_pll
    // 25 MHz / 5 * Mhz / 5, the oscillator in it at 400 to 800 MHz
    localparam int unsigned Divide = 600 / Mhz;
    EHXPLLL #(
      .PLLRST_ENA("DISABLED"), .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED"),
      .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"), .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD"),
      .CLKI_DIV(5), .CLKFB_DIV(Mhz / 5), .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(Divide),
      .CLKOP_CPHASE(Divide / 2 - 1), .CLKOP_FPHASE(0), .FEEDBK_PATH("CLKOP")
    ) u_pll (
      .RST(1'b0), .STDBY(1'b0), .CLKI(crystal), .CLKOP(clk), .CLKFB(clk), .CLKINTFB(), .PHASESEL0(1'b0),
      .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0),
      .LOCK(locked)
    );
  end

  logic        rst_n, again, drive;
  logic [15:0] data_in, data_out, data_mid_q;

  cl_board_start #(.Bounce(Bounce)) u_start (
    .clk_i   (clk),
    .locked_i(locked),
    .pin_i   (~btn[0]),
    .rst_no  (rst_n),
    .again_o (again)
  );

  cl_board #(
    .Cfg    (Cfg),
    .ClockHz(Mhz * 1_000_000),
    .Baud   (Baud),
    .RomFile(RomFile),
    .RamFile(RamFile),
    .Bounce (Bounce)
  ) u_board (
    .clk_i        (clk),
    .rst_ni       (rst_n),
    .again_i      (again),
    .rx_i         (rx),
    .tx_o         (tx),
    .led_o        (led),
    .button_i     (btn[6:1]),
    .tck_i        (tck),
    .tms_i        (tms),
    .tdi_i        (tdi),
    .tdo_o        (tdo),
    .sdram_cke_o  (sdram_cke),
    .sdram_cs_no  (sdram_csn),
    .sdram_ras_no (sdram_rasn),
    .sdram_cas_no (sdram_casn),
    .sdram_we_no  (sdram_wen),
    .sdram_addr_o (sdram_a),
    .sdram_bank_o (sdram_ba),
    .sdram_mask_o (sdram_dqm),
    .sdram_data_o (data_out),
    .sdram_drive_o(drive),
    .sdram_data_i (data_mid_q)
  );

  assign wifi_gpio0 = 1'b1;

  // SDRAM: its clock is this one inverted, so that it takes commands and data in the middle of a cycle, and its data are
  // sampled there.
  ODDRX1F u_clk (.SCLK(clk), .RST(1'b0), .D0(1'b0), .D1(1'b1), .Q(sdram_clk));

  always_ff @(negedge clk) data_mid_q <= data_in;

  for (genvar i = 0; i < 16; i++) begin : g_data
    BB u_data (.I(data_out[i]), .T(~drive), .O(data_in[i]), .B(sdram_d[i]));
  end

endmodule
