// SPDX-License-Identifier: Apache-2.0
// verilog_lint: waive-start module-filename
// The ports of the cell of a Gowin FPGA that cl_tang_nano_20k uses, for tools that do not know it; what it does is the
// vendor's.
(* blackbox *)
module rPLL #(
  parameter       FCLKIN           = "27",
  parameter       DYN_IDIV_SEL     = "false",
  parameter int   IDIV_SEL         = 0,
  parameter       DYN_FBDIV_SEL    = "false",
  parameter int   FBDIV_SEL        = 0,
  parameter       DYN_ODIV_SEL     = "false",
  parameter int   ODIV_SEL         = 8,
  parameter       PSDA_SEL         = "0000",
  parameter       DYN_DA_EN        = "false",
  parameter       DUTYDA_SEL       = "1000",
  parameter bit   CLKOUT_FT_DIR    = 1'b1,
  parameter bit   CLKOUTP_FT_DIR   = 1'b1,
  parameter int   CLKOUT_DLY_STEP  = 0,
  parameter int   CLKOUTP_DLY_STEP = 0,
  parameter       CLKFB_SEL        = "internal",
  parameter       CLKOUT_BYPASS    = "false",
  parameter       CLKOUTP_BYPASS   = "false",
  parameter       CLKOUTD_BYPASS   = "false",
  parameter int   DYN_SDIV_SEL     = 2,
  parameter       CLKOUTD_SRC      = "CLKOUT",
  parameter       CLKOUTD3_SRC     = "CLKOUT",
  parameter       DEVICE           = "GW2AR-18C"
) (
  input  logic       CLKIN,
  input  logic       CLKFB,
  input  logic       RESET,
  input  logic       RESET_P,
  input  logic [5:0] FBDSEL,
  input  logic [5:0] IDSEL,
  input  logic [5:0] ODSEL,
  input  logic [3:0] PSDA,
  input  logic [3:0] FDLY,
  input  logic [3:0] DUTYDA,
  output logic       CLKOUT,
  output logic       LOCK,
  output logic       CLKOUTP,
  output logic       CLKOUTD,
  output logic       CLKOUTD3
);
endmodule
