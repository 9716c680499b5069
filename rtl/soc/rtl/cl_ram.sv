// SPDX-License-Identifier: Apache-2.0
// Shared memory: one port, synchronous, byte enables, read data one cycle after the request.
//
// The simulation harness loads the program straight into `mem`; nothing is initialised here.
module cl_ram #(
  parameter  int unsigned Bytes = 32'h0200_0000,        // power of two
  localparam int unsigned Words = Bytes / 4,
  localparam int unsigned AddrW = $clog2(Words)
) (
  input  logic             clk_i,
  input  logic             req_i,
  input  logic             we_i,
  input  logic       [3:0] be_i,
  input  logic [AddrW-1:0] addr_i,    // word address
  input  logic      [31:0] wdata_i,
  output logic      [31:0] rdata_o    // kept until the next load
);

  logic [31:0] mem [Words];

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (we_i) begin
        for (int unsigned i = 0; i < 4; i++) begin
          if (be_i[i]) mem[addr_i][8*i +: 8] <= wdata_i[8*i +: 8];
        end
      end else begin
        rdata_o <= mem[addr_i];
      end
    end
  end

endmodule
