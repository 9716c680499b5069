// SPDX-License-Identifier: Apache-2.0
// Read-only memory: one port, synchronous, read data one cycle after the request; a store is an error.
//
// The simulation harness loads the content straight into `mem`; for an FPGA it is in InitFile, one word a line for
// $readmemh.
module cl_rom #(
  parameter  int unsigned Bytes = 32'h4000,             // power of two
  parameter               InitFile = "",
  localparam int unsigned Words = Bytes / 4,
  localparam int unsigned AddrW = $clog2(Words)
) (
  input  logic             clk_i,
  input  logic             req_i,
  input  logic             we_i,
  input  logic [AddrW-1:0] addr_i,    // word address
  output logic      [31:0] rdata_o,   // kept until the next request
  output logic             err_o      // with it
);

  logic [31:0] mem [Words];

  if (InitFile != "") begin : g_init
    initial $readmemh(InitFile, mem);
  end

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      rdata_o <= mem[addr_i];
      err_o   <= we_i;
    end
  end

endmodule
