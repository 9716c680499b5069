// SPDX-License-Identifier: Apache-2.0
// Local memory of one core: a port for fetches and one for data, both in every cycle, read data one cycle after the
// request. A fetch of a word that is stored in the same cycle gets the word before.
//
// Nothing is initialised here: the program copies itself into it (runtime/arch).
module cl_local_memory #(
  parameter  int unsigned Bytes = 32'h2_0000,           // power of two
  localparam int unsigned Words = Bytes / 4,
  localparam int unsigned AddrW = $clog2(Words)
) (
  input  logic             clk_i,

  // Fetches
  input  logic             fetch_req_i,
  input  logic [AddrW-1:0] fetch_addr_i,   // word address
  output logic      [31:0] fetch_rdata_o,  // kept until the next fetch

  // Data
  input  logic             req_i,
  input  logic             we_i,
  input  logic       [3:0] be_i,
  input  logic [AddrW-1:0] addr_i,         // word address
  input  logic      [31:0] wdata_i,
  output logic      [31:0] rdata_o         // kept until the next load
);

  logic [31:0] mem [Words];

  always_ff @(posedge clk_i) begin
    if (fetch_req_i) fetch_rdata_o <= mem[fetch_addr_i];
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
