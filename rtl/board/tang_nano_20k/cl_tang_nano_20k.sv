// SPDX-License-Identifier: Apache-2.0
// Tang Nano 20K with a GW2AR-18: its clock and pins around cl_board, which has block RAM only here.
module cl_tang_nano_20k
  import cl_soc_cfg_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter cfg_t        Cfg     = Default,
  parameter int unsigned Mhz     = 27,           // 27, or a multiple of 3 from 12 to 99, by the PLL
  parameter int unsigned Baud    = 1_000_000,
  parameter              RomFile = "",
  parameter              RamFile = "",
  parameter int unsigned Bounce  = Mhz * 10_000
) (
  input  logic       crystal,  // 27 MHz
  input  logic       rx,       // from the BL616, which makes a USB port of it
  output logic       tx,       // to it
  input  logic [1:0] btn,      // S1, S2: 1 when pressed
  output logic [5:0] led       // 0: on
);

  logic clk, locked;

  if (Mhz == 27) begin : g_no_pll
    assign clk    = crystal;
    assign locked = 1'b1;
  end else begin : g_pll
    // 27 MHz / 9 * Mhz / 3, the oscillator in it at 500 to 1250 MHz
    localparam int unsigned Divide = Mhz < 18 ? 48 : Mhz < 36 ? 32 : Mhz < 72 ? 16 : 8;
    rPLL #(
      .FCLKIN("27"), .IDIV_SEL(8), .FBDIV_SEL(Mhz / 3 - 1), .ODIV_SEL(Divide), .DYN_IDIV_SEL("false"),
      .DYN_FBDIV_SEL("false"), .DYN_ODIV_SEL("false"), .PSDA_SEL("0000"), .DYN_DA_EN("false"), .DUTYDA_SEL("1000"),
      .CLKOUT_FT_DIR(1'b1), .CLKOUTP_FT_DIR(1'b1), .CLKOUT_DLY_STEP(0), .CLKOUTP_DLY_STEP(0), .CLKFB_SEL("internal"),
      .CLKOUT_BYPASS("false"), .CLKOUTP_BYPASS("false"), .CLKOUTD_BYPASS("false"), .DYN_SDIV_SEL(2),
      .CLKOUTD_SRC("CLKOUT"), .CLKOUTD3_SRC("CLKOUT"), .DEVICE("GW2AR-18C")
    ) u_pll (
      .CLKIN(crystal), .CLKFB(1'b0), .RESET(1'b0), .RESET_P(1'b0), .FBDSEL('0), .IDSEL('0), .ODSEL('0), .DUTYDA('0),
      .PSDA('0), .FDLY('0), .CLKOUT(clk), .LOCK(locked), .CLKOUTP(), .CLKOUTD(), .CLKOUTD3()
    );
  end

  logic       rst_n, again, unused;
  logic [7:0] lit;

  cl_board_start #(.Bounce(Bounce)) u_start (
    .clk_i   (clk),
    .locked_i(locked),
    .pin_i   (btn[0]),
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
    .led_o        (lit),
    .button_i     ({5'b0, btn[1]}),
    .tck_i        (1'b0),   // no pins for JTAG
    .tms_i        (1'b1),
    .tdi_i        (1'b1),
    .tdo_o        (),
    .sdram_cke_o  (),
    .sdram_cs_no  (),
    .sdram_ras_no (),
    .sdram_cas_no (),
    .sdram_we_no  (),
    .sdram_addr_o (),
    .sdram_bank_o (),
    .sdram_mask_o (),
    .sdram_data_o (),
    .sdram_drive_o(),
    .sdram_data_i ('0)
  );

  assign led    = ~lit[5:0];
  assign unused = ^lit[7:6];

endmodule
