// SPDX-License-Identifier: Apache-2.0
// What Yosys' own models of the ECP5's cells leave out, as far as netlists of boards use it: block RAM without output
// registers, the multiplier without any, pins of both directions, the register of a clock's pin.

// Ports of 36 bits: A writes, B reads; the data of both are one word.
module DP16KD #(
  parameter [319:0]
    INITVAL_00 = 320'h0, INITVAL_01 = 320'h0, INITVAL_02 = 320'h0, INITVAL_03 = 320'h0, INITVAL_04 = 320'h0, INITVAL_05 = 320'h0,
    INITVAL_06 = 320'h0, INITVAL_07 = 320'h0, INITVAL_08 = 320'h0, INITVAL_09 = 320'h0, INITVAL_0A = 320'h0, INITVAL_0B = 320'h0,
    INITVAL_0C = 320'h0, INITVAL_0D = 320'h0, INITVAL_0E = 320'h0, INITVAL_0F = 320'h0, INITVAL_10 = 320'h0, INITVAL_11 = 320'h0,
    INITVAL_12 = 320'h0, INITVAL_13 = 320'h0, INITVAL_14 = 320'h0, INITVAL_15 = 320'h0, INITVAL_16 = 320'h0, INITVAL_17 = 320'h0,
    INITVAL_18 = 320'h0, INITVAL_19 = 320'h0, INITVAL_1A = 320'h0, INITVAL_1B = 320'h0, INITVAL_1C = 320'h0, INITVAL_1D = 320'h0,
    INITVAL_1E = 320'h0, INITVAL_1F = 320'h0, INITVAL_20 = 320'h0, INITVAL_21 = 320'h0, INITVAL_22 = 320'h0, INITVAL_23 = 320'h0,
    INITVAL_24 = 320'h0, INITVAL_25 = 320'h0, INITVAL_26 = 320'h0, INITVAL_27 = 320'h0, INITVAL_28 = 320'h0, INITVAL_29 = 320'h0,
    INITVAL_2A = 320'h0, INITVAL_2B = 320'h0, INITVAL_2C = 320'h0, INITVAL_2D = 320'h0, INITVAL_2E = 320'h0, INITVAL_2F = 320'h0,
    INITVAL_30 = 320'h0, INITVAL_31 = 320'h0, INITVAL_32 = 320'h0, INITVAL_33 = 320'h0, INITVAL_34 = 320'h0, INITVAL_35 = 320'h0,
    INITVAL_36 = 320'h0, INITVAL_37 = 320'h0, INITVAL_38 = 320'h0, INITVAL_39 = 320'h0, INITVAL_3A = 320'h0, INITVAL_3B = 320'h0,
    INITVAL_3C = 320'h0, INITVAL_3D = 320'h0, INITVAL_3E = 320'h0, INITVAL_3F = 320'h0,
  parameter integer DATA_WIDTH_A = 18,
  parameter integer DATA_WIDTH_B = 18,
  parameter WRITEMODE_A = "NORMAL",
  parameter WRITEMODE_B = "NORMAL",
  parameter REGMODE_A = "NOREG",
  parameter REGMODE_B = "NOREG",
  parameter RESETMODE = "SYNC",
  parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A = "0b000",
  parameter CSDECODE_B = "0b000",
  parameter CLKAMUX = "CLKA",
  parameter CLKBMUX = "CLKB",
  parameter GSR = "DISABLED"
) (
  input DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
  input ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
  input DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
  input ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);

  initial begin
    if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG") $error("DP16KD: this model has no output registers");
    if (CLKAMUX != "CLKA" || CLKBMUX != "CLKB") $error("DP16KD: this model has no inverted clocks");
    if (CSDECODE_A != "0b000" || CSDECODE_B != "0b000") $error("DP16KD: this model is always selected");
  end

  // Of 20 bits that belong to a word of 18, two are nothing.
  localparam [20479:0] Init = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
  };
  function [18431:0] packed_init(input [20479:0] from);
    integer i;
    for (i = 0; i < 1024; i = i + 1) packed_init[18*i +: 18] = from[20*i +: 18];
  endfunction

  wire [17:0] dia = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [13:0] ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [17:0] dib = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  wire [13:0] adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [35:0] qa, qb;

  cl_block_ram_cell #(
    .Init(packed_init(Init)), .WidthA(DATA_WIDTH_A), .WidthB(DATA_WIDTH_B), .Async(RESETMODE == "ASYNC"), .ResetFirst(1),
    .ModeA(WRITEMODE_A == "WRITETHROUGH" ? 1 : WRITEMODE_A == "READBEFOREWRITE" ? 2 : 0),
    .ModeB(WRITEMODE_B == "WRITETHROUGH" ? 1 : WRITEMODE_B == "READBEFOREWRITE" ? 2 : 0)
  ) u_cell (
    .clk_a(CLKA), .en_a(CEA), .we_a(WEA), .rst_a(RSTA), .addr_a(ada), .be_a(ada[3:0]), .data_a({dib, dia}), .q_a(qa),
    .clk_b(CLKB), .en_b(CEB), .we_b(WEB), .rst_b(RSTB), .addr_b(adb), .be_b(adb[3:0]), .data_b({18'b0, dib}), .q_b(qb)
  );

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0}
    = DATA_WIDTH_B == 36 ? qb[17:0] : qa[17:0];
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0}
    = DATA_WIDTH_B == 36 ? qb[35:18] : qb[17:0];

endmodule

module MULT18X18D (
  input A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0,
  input B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0,
  input C17, C16, C15, C14, C13, C12, C11, C10, C9, C8, C7, C6, C5, C4, C3, C2, C1, C0,
  input SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
  input CLK3, CLK2, CLK1, CLK0, CE3, CE2, CE1, CE0, RST3, RST2, RST1, RST0,
  output P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0,
  output SIGNEDP
);
  parameter REG_INPUTA_CLK = "NONE";
  parameter REG_INPUTB_CLK = "NONE";
  parameter REG_PIPELINE_CLK = "NONE";
  parameter REG_OUTPUT_CLK = "NONE";
  wire signed [18:0] a = {SIGNEDA & A17, A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire signed [18:0] b = {SIGNEDB & B17, B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  wire signed [37:0] p = a * b;
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18, P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p[35:0];
  assign SIGNEDP = SIGNEDA | SIGNEDB;
endmodule

// A pin of both directions, B and what is driven there apart: simulate.py makes two ports of one.
module TRELLIS_IO (
  input  B,
  input  I,
  input  T,
  output O,
  output driven
);
  parameter DIR = "INPUT";
  assign driven = I & ~T;
  assign O = B;
endmodule

module ODDRX1F (
  input  SCLK, RST, D0, D1,
  output Q
);
  assign Q = SCLK ? D0 : D1;
endmodule

// Its clock is that of the SoC: what drives the pin is taken as CLKOP.
module EHXPLLL (
  input  RST, STDBY, CLKI, CLKFB, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC, ENCLKOP,
  output CLKOP, CLKINTFB, LOCK
);
  parameter CLKI_DIV = 1;
  parameter CLKFB_DIV = 1;
  parameter CLKOP_DIV = 1;
  parameter CLKOP_CPHASE = 0;
  parameter CLKOP_FPHASE = 0;
  parameter CLKOP_ENABLE = "";
  parameter FEEDBK_PATH = "";
  parameter PLLRST_ENA = "";
  parameter INTFB_WAKE = "";
  parameter STDBY_ENABLE = "";
  parameter DPHASE_SOURCE = "";
  parameter OUTDIVIDER_MUXA = "";
  parameter OUTDIVIDER_MUXB = "";
  parameter OUTDIVIDER_MUXC = "";
  parameter OUTDIVIDER_MUXD = "";
  assign CLKOP = CLKI;
  assign CLKINTFB = 1'b0;
  assign LOCK = 1'b1;
endmodule
