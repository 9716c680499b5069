// SPDX-License-Identifier: Apache-2.0
// verilog_lint: waive-start module-filename
// The ports of the cells of an ECP5 that cl_ulx3s uses, for tools that do not know them; what they do is the vendor's.
(* blackbox *)
module BB (
  input  logic I,
  input  logic T,
  output logic O,
  inout  wire  B
);
endmodule

(* blackbox *)
module ODDRX1F (
  input  logic SCLK,
  input  logic RST,
  input  logic D0,
  input  logic D1,
  output logic Q
);
endmodule

(* blackbox *)
module EHXPLLL #(
  parameter int CLKI_DIV      = 1,
  parameter int CLKFB_DIV     = 1,
  parameter int CLKOP_DIV     = 8,
  parameter int CLKOP_CPHASE  = 0,
  parameter int CLKOP_FPHASE  = 0,
  parameter     CLKOP_ENABLE  = "ENABLED",
  parameter     FEEDBK_PATH   = "CLKOP",
  parameter     PLLRST_ENA    = "DISABLED",
  parameter     INTFB_WAKE    = "DISABLED",
  parameter     STDBY_ENABLE  = "DISABLED",
  parameter     DPHASE_SOURCE = "DISABLED",
  parameter     OUTDIVIDER_MUXA = "DIVA",
  parameter     OUTDIVIDER_MUXB = "DIVB",
  parameter     OUTDIVIDER_MUXC = "DIVC",
  parameter     OUTDIVIDER_MUXD = "DIVD"
) (
  input  logic RST,
  input  logic STDBY,
  input  logic CLKI,
  input  logic CLKFB,
  input  logic PHASESEL0,
  input  logic PHASESEL1,
  input  logic PHASEDIR,
  input  logic PHASESTEP,
  input  logic PHASELOADREG,
  input  logic PLLWAKESYNC,
  input  logic ENCLKOP,
  output logic CLKOP,
  output logic CLKINTFB,
  output logic LOCK
);
endmodule
