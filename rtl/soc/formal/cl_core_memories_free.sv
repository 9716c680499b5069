// SPDX-License-Identifier: Apache-2.0
// Data cache and local memory of a core, for the proofs of its adapter: any, as their outputs are free.

module cl_dcache  // verilog_lint: waive module-filename
  import cl_soc_pkg::*;
#(
  parameter int unsigned Bytes     = 4096,
  parameter int unsigned LineWords = 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        req_i,
  input  obi_req_t    cmd_i,
  output logic        gnt_o,
  output logic        rvalid_o,
  output logic        err_o,
  output logic [31:0] rdata_o,
  output logic        bus_req_o,
  output logic        bus_late_o,
  output obi_req_t    bus_cmd_o,
  input  logic        bus_gnt_i,
  input  logic        bus_gnt_late_i,
  input  logic        bus_rvalid_i,
  input  logic        bus_err_i,
  input  logic [31:0] bus_rdata_i,
  input  logic        snoop_valid_i,
  input  logic [31:0] snoop_addr_i
);
endmodule

module cl_local_memory #(  // verilog_lint: waive module-filename
  parameter  int unsigned Bytes = 32'h2_0000,
  localparam int unsigned AddrW = $clog2(Bytes / 4)
) (
  input  logic             clk_i,
  input  logic             fetch_req_i,
  input  logic [AddrW-1:0] fetch_addr_i,
  output logic      [31:0] fetch_rdata_o,
  input  logic             req_i,
  input  logic             we_i,
  input  logic       [3:0] be_i,
  input  logic [AddrW-1:0] addr_i,
  input  logic      [31:0] wdata_i,
  output logic      [31:0] rdata_o
);
endmodule
