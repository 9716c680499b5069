// SPDX-License-Identifier: Apache-2.0
// verilog_lint: waive-start module-filename
// What Yosys' own models of the cells of a Gowin GW2A leave out, as far as netlists of boards use it: block RAM and
// multipliers without registers, the PLL.

`define INITS(BITS) parameter [BITS-1:0] \
    INIT_RAM_00 = 0, INIT_RAM_01 = 0, INIT_RAM_02 = 0, INIT_RAM_03 = 0, INIT_RAM_04 = 0, INIT_RAM_05 = 0, INIT_RAM_06 = 0, INIT_RAM_07 = 0, \
    INIT_RAM_08 = 0, INIT_RAM_09 = 0, INIT_RAM_0A = 0, INIT_RAM_0B = 0, INIT_RAM_0C = 0, INIT_RAM_0D = 0, INIT_RAM_0E = 0, INIT_RAM_0F = 0, \
    INIT_RAM_10 = 0, INIT_RAM_11 = 0, INIT_RAM_12 = 0, INIT_RAM_13 = 0, INIT_RAM_14 = 0, INIT_RAM_15 = 0, INIT_RAM_16 = 0, INIT_RAM_17 = 0, \
    INIT_RAM_18 = 0, INIT_RAM_19 = 0, INIT_RAM_1A = 0, INIT_RAM_1B = 0, INIT_RAM_1C = 0, INIT_RAM_1D = 0, INIT_RAM_1E = 0, INIT_RAM_1F = 0, \
    INIT_RAM_20 = 0, INIT_RAM_21 = 0, INIT_RAM_22 = 0, INIT_RAM_23 = 0, INIT_RAM_24 = 0, INIT_RAM_25 = 0, INIT_RAM_26 = 0, INIT_RAM_27 = 0, \
    INIT_RAM_28 = 0, INIT_RAM_29 = 0, INIT_RAM_2A = 0, INIT_RAM_2B = 0, INIT_RAM_2C = 0, INIT_RAM_2D = 0, INIT_RAM_2E = 0, INIT_RAM_2F = 0, \
    INIT_RAM_30 = 0, INIT_RAM_31 = 0, INIT_RAM_32 = 0, INIT_RAM_33 = 0, INIT_RAM_34 = 0, INIT_RAM_35 = 0, INIT_RAM_36 = 0, INIT_RAM_37 = 0, \
    INIT_RAM_38 = 0, INIT_RAM_39 = 0, INIT_RAM_3A = 0, INIT_RAM_3B = 0, INIT_RAM_3C = 0, INIT_RAM_3D = 0, INIT_RAM_3E = 0, INIT_RAM_3F = 0
`define ALL_INITS { \
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38, \
    INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30, \
    INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28, \
    INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20, \
    INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18, \
    INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10, \
    INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08, \
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00}

// Bytes of eight bits in those of nine, and back
`define NINES(D) {1'b0, D[31:24], 1'b0, D[23:16], 1'b0, D[15:8], 1'b0, D[7:0]}
`define EIGHTS(Q) {Q[34:27], Q[25:18], Q[16:9], Q[7:0]}
`define NINE_WIDE(BITS) (BITS >= 8 ? BITS / 8 * 9 : BITS)
`define NINE_INITS \
  function [18431:0] nine_inits(input [16383:0] from); \
    integer i; \
    for (i = 0; i < 2048; i = i + 1) nine_inits[9*i +: 9] = {1'b0, from[8*i +: 8]}; \
  endfunction

module SP #(
  `INITS(256),
  parameter READ_MODE = 0, WRITE_MODE = 0, BIT_WIDTH = 32, BLK_SEL = 0, RESET_MODE = "SYNC"
) (
  output [31:0] DO, input [31:0] DI, input [2:0] BLKSEL, input [13:0] AD, input WRE, CLK, CE, OCE, RESET
);
  `NINE_INITS
  localparam [16383:0] Init = `ALL_INITS;
  wire [35:0] q;
  initial if (READ_MODE != 0 || BLK_SEL != 0) $error("SP: this model has no output registers, and is always selected");
  cl_block_ram_cell #(
    .Init(nine_inits(Init)), .WidthA(`NINE_WIDE(BIT_WIDTH)), .ModeA(WRITE_MODE), .Async(RESET_MODE == "ASYNC")
  ) u_cell (
    .clk_a(CLK), .en_a(CE), .we_a(WRE), .rst_a(RESET), .addr_a(AD), .be_a(AD[3:0]), .data_a(`NINES(DI)), .q_a(q),
    .clk_b(1'b0), .en_b(1'b0), .we_b(1'b0), .rst_b(1'b0), .addr_b(14'b0), .be_b(4'b0), .data_b(36'b0), .q_b()
  );
  assign DO = `EIGHTS(q);
endmodule

module SPX9 #(
  `INITS(288),
  parameter READ_MODE = 0, WRITE_MODE = 0, BIT_WIDTH = 36, BLK_SEL = 0, RESET_MODE = "SYNC"
) (
  output [35:0] DO, input [35:0] DI, input [2:0] BLKSEL, input [13:0] AD, input WRE, CLK, CE, OCE, RESET
);
  initial if (READ_MODE != 0 || BLK_SEL != 0) $error("SPX9: this model has no output registers, and is always selected");
  cl_block_ram_cell #(
    .Init(`ALL_INITS), .WidthA(BIT_WIDTH), .ModeA(WRITE_MODE), .Async(RESET_MODE == "ASYNC")
  ) u_cell (
    .clk_a(CLK), .en_a(CE), .we_a(WRE), .rst_a(RESET), .addr_a(AD), .be_a(AD[3:0]), .data_a(DI), .q_a(DO),
    .clk_b(1'b0), .en_b(1'b0), .we_b(1'b0), .rst_b(1'b0), .addr_b(14'b0), .be_b(4'b0), .data_b(36'b0), .q_b()
  );
endmodule

// A writes, B reads
module SDPX9B #(
  `INITS(288),
  parameter READ_MODE = 0, BIT_WIDTH_0 = 36, BIT_WIDTH_1 = 36, BLK_SEL_0 = 0, BLK_SEL_1 = 0, RESET_MODE = "SYNC"
) (
  input CLKA, CEA, CLKB, CEB, OCE, RESETA, RESETB, input [13:0] ADA, ADB, input [2:0] BLKSELA, BLKSELB, input [35:0] DI,
  output [35:0] DO
);
  initial if (READ_MODE != 0 || BLK_SEL_0 != 0 || BLK_SEL_1 != 0)
    $error("SDPX9B: this model has no output registers, and is always selected");
  cl_block_ram_cell #(
    .Init(`ALL_INITS), .WidthA(BIT_WIDTH_0), .WidthB(BIT_WIDTH_1), .Async(RESET_MODE == "ASYNC")
  ) u_cell (
    .clk_a(CLKA), .en_a(CEA), .we_a(1'b1), .rst_a(1'b0), .addr_a(ADA), .be_a(ADA[3:0]), .data_a(DI), .q_a(),
    .clk_b(CLKB), .en_b(CEB), .we_b(1'b0), .rst_b(RESETB), .addr_b(ADB), .be_b(4'b0), .data_b(36'b0), .q_b(DO)
  );
endmodule

module DPB #(
  `INITS(256),
  parameter READ_MODE0 = 0, READ_MODE1 = 0, WRITE_MODE0 = 0, WRITE_MODE1 = 0, BIT_WIDTH_0 = 16, BIT_WIDTH_1 = 16,
  parameter BLK_SEL_0 = 0, BLK_SEL_1 = 0, RESET_MODE = "SYNC"
) (
  input CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB, input [13:0] ADA, ADB,
  input [2:0] BLKSELA, BLKSELB, input [15:0] DIA, DIB, output [15:0] DOA, DOB
);
  `NINE_INITS
  localparam [16383:0] Init = `ALL_INITS;
  wire [35:0] qa, qb;
  initial if (READ_MODE0 != 0 || READ_MODE1 != 0 || BLK_SEL_0 != 0 || BLK_SEL_1 != 0)
    $error("DPB: this model has no output registers, and is always selected");
  cl_block_ram_cell #(
    .Init(nine_inits(Init)), .WidthA(`NINE_WIDE(BIT_WIDTH_0)), .WidthB(`NINE_WIDE(BIT_WIDTH_1)), .ModeA(WRITE_MODE0),
    .ModeB(WRITE_MODE1), .Async(RESET_MODE == "ASYNC")
  ) u_cell (
    .clk_a(CLKA), .en_a(CEA), .we_a(WREA), .rst_a(RESETA), .addr_a(ADA), .be_a(ADA[3:0]),
    .data_a({19'b0, DIA[15:8], 1'b0, DIA[7:0]}), .q_a(qa),
    .clk_b(CLKB), .en_b(CEB), .we_b(WREB), .rst_b(RESETB), .addr_b(ADB), .be_b(ADB[3:0]),
    .data_b({19'b0, DIB[15:8], 1'b0, DIB[7:0]}), .q_b(qb)
  );
  assign DOA = {qa[16:9], qa[7:0]};
  assign DOB = {qb[16:9], qb[7:0]};
endmodule

module DPX9B #(
  `INITS(288),
  parameter READ_MODE0 = 0, READ_MODE1 = 0, WRITE_MODE0 = 0, WRITE_MODE1 = 0, BIT_WIDTH_0 = 18, BIT_WIDTH_1 = 18,
  parameter BLK_SEL_0 = 0, BLK_SEL_1 = 0, RESET_MODE = "SYNC"
) (
  input CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB, input [13:0] ADA, ADB, input [17:0] DIA, DIB,
  input [2:0] BLKSELA, BLKSELB, output [17:0] DOA, DOB
);
  wire [35:0] qa, qb;
  initial if (READ_MODE0 != 0 || READ_MODE1 != 0 || BLK_SEL_0 != 0 || BLK_SEL_1 != 0)
    $error("DPX9B: this model has no output registers, and is always selected");
  cl_block_ram_cell #(
    .Init(`ALL_INITS), .WidthA(BIT_WIDTH_0), .WidthB(BIT_WIDTH_1), .ModeA(WRITE_MODE0), .ModeB(WRITE_MODE1),
    .Async(RESET_MODE == "ASYNC")
  ) u_cell (
    .clk_a(CLKA), .en_a(CEA), .we_a(WREA), .rst_a(RESETA), .addr_a(ADA), .be_a(ADA[3:0]), .data_a({18'b0, DIA}), .q_a(qa),
    .clk_b(CLKB), .en_b(CEB), .we_b(WREB), .rst_b(RESETB), .addr_b(ADB), .be_b(ADB[3:0]), .data_b({18'b0, DIB}), .q_b(qb)
  );
  assign DOA = qa[17:0];
  assign DOB = qb[17:0];
endmodule

// Numbers with a sign bit in front, which is 0 without a sign
`define MULTIPLIER(NAME, BITS) \
module NAME #( \
  parameter AREG = 0, BREG = 0, OUT_REG = 0, OUT0_REG = 0, OUT1_REG = 0, PIPE_REG = 0, ASIGN_REG = 0, BSIGN_REG = 0, \
  parameter SOA_REG = 0, MULT_RESET_MODE = "SYNC" \
) ( \
  input [BITS-1:0] A, SIA, B, SIB, input ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET, output [2*BITS-1:0] DOUT, \
  output [BITS-1:0] SOA, SOB \
); \
  initial if (AREG || BREG || OUT_REG || OUT0_REG || OUT1_REG || PIPE_REG || ASIGN_REG || BSIGN_REG) \
    $error("a multiplier: this model has no registers"); \
  wire signed [BITS:0] a = {ASIGN & A[BITS-1], A}; \
  wire signed [BITS:0] b = {BSIGN & B[BITS-1], B}; \
  wire signed [2*BITS+1:0] p = a * b; \
  assign DOUT = p[2*BITS-1:0]; \
  assign SOA = {BITS{1'b0}}; \
  assign SOB = {BITS{1'b0}}; \
endmodule
`MULTIPLIER(MULT18X18, 18)
`MULTIPLIER(MULT36X36, 36)

// Its clock is that of the SoC: what drives the pin is taken as CLKOUT.
module rPLL #(
  parameter FCLKIN = "27", DYN_IDIV_SEL = "false", DYN_FBDIV_SEL = "false", DYN_ODIV_SEL = "false", PSDA_SEL = "0000",
  parameter DYN_DA_EN = "false", DUTYDA_SEL = "1000", CLKFB_SEL = "internal", CLKOUT_BYPASS = "false",
  parameter CLKOUTP_BYPASS = "false", CLKOUTD_BYPASS = "false", CLKOUTD_SRC = "CLKOUT", CLKOUTD3_SRC = "CLKOUT",
  parameter DEVICE = "GW2AR-18C", IDIV_SEL = 0, FBDIV_SEL = 0, ODIV_SEL = 8, CLKOUT_FT_DIR = 1'b1,
  parameter CLKOUTP_FT_DIR = 1'b1, CLKOUT_DLY_STEP = 0, CLKOUTP_DLY_STEP = 0, DYN_SDIV_SEL = 2
) (
  input CLKIN, CLKFB, RESET, RESET_P, input [5:0] FBDSEL, IDSEL, ODSEL, input [3:0] PSDA, FDLY, DUTYDA,
  output CLKOUT, LOCK, CLKOUTP, CLKOUTD, CLKOUTD3
);
  assign CLKOUT = CLKIN;
  assign LOCK = 1'b1;
  assign {CLKOUTP, CLKOUTD, CLKOUTD3} = 3'b0;
endmodule
