// SPDX-License-Identifier: Apache-2.0
// Memory in block RAM with initial contents: one port, synchronous, byte enables, read data one cycle after the request.
module cl_block_ram #(
  parameter  int unsigned Bytes    = 32'h1000,   // power of two
  parameter               InitFile = "",         // one word a line for $readmemh; "": none
  localparam int unsigned AddrW    = $clog2(Bytes / 4)
) (
  input  logic             clk_i,
  input  logic             req_i,
  input  logic             we_i,
  input  logic       [3:0] be_i,
  input  logic [AddrW-1:0] addr_i,    // word address
  input  logic      [31:0] wdata_i,
  output logic      [31:0] rdata_o    // kept until the next load
);

  logic [31:0] mem [Bytes / 4];

  if (InitFile != "") begin : g_init
    initial $readmemh(InitFile, mem);
  end

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
