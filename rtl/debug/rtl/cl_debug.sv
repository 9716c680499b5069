// SPDX-License-Identifier: Apache-2.0
// Debug module with a JTAG port: cl_jtag and cl_debug_module.
module cl_debug #(
  parameter int unsigned Harts  = 2,              // 1..16, mhartid 0 to Harts - 1
  parameter logic [31:0] Base   = 32'h1A11_0000,  // of the page of 4 KiB, as harts see it
  parameter logic [31:0] IdCode = 32'h1000_0001   // bit 0 is 1, bits 11:1 are no manufacturer's
) (
  input  logic             clk_i,
  input  logic             rst_ni,                // not by ndmreset_o

  // JTAG, of a clock of its own: at most an eighth of clk_i
  input  logic             tck_i,
  input  logic             tms_i,
  input  logic             tdi_i,
  output logic             tdo_o,
  output logic             tdo_oe_o,

  // The page, on the bus of the harts, see cl_debug_module
  input  logic             req_i,
  input  logic             we_i,
  input  logic      [11:2] addr_i,
  input  logic      [31:0] wdata_i,
  output logic      [31:0] rdata_o,

  input  logic             harts_rst_ni,          // the reset of the harts
  output logic [Harts-1:0] debug_req_o,           // a hart is to halt; debug mode begins at Base + 'h200
  output logic             ndmreset_o             // resets all but this module
);

  logic        dmi_req, dmi_we;
  logic  [6:0] dmi_addr;
  logic [31:0] dmi_wdata, dmi_rdata;

  cl_jtag #(
    .IdCode(IdCode)
  ) u_jtag (
    .clk_i,
    .rst_ni,
    .tck_i,
    .tms_i,
    .tdi_i,
    .tdo_o,
    .tdo_oe_o,
    .dmi_req_o  (dmi_req),
    .dmi_we_o   (dmi_we),
    .dmi_addr_o (dmi_addr),
    .dmi_wdata_o(dmi_wdata),
    .dmi_rdata_i(dmi_rdata)
  );

  cl_debug_module #(
    .Harts(Harts),
    .Base (Base)
  ) u_module (
    .clk_i,
    .rst_ni,
    .dmi_req_i  (dmi_req),
    .dmi_we_i   (dmi_we),
    .dmi_addr_i (dmi_addr),
    .dmi_wdata_i(dmi_wdata),
    .dmi_rdata_o(dmi_rdata),
    .req_i,
    .we_i,
    .addr_i,
    .wdata_i,
    .rdata_o,
    .harts_rst_ni,
    .debug_req_o,
    .ndmreset_o
  );

endmodule
