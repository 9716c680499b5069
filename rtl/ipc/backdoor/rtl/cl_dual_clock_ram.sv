// SPDX-License-Identifier: Apache-2.0
// Memory that one clock writes and another reads, read data one cycle after the request. A word that is read in the
// cycle in which it is written is undefined: announce data to the reader only after writing them.
module cl_dual_clock_ram #(
  parameter  int unsigned Words = 8192,   // a power of two
  localparam int unsigned AddrW = $clog2(Words)
) (
  input  logic             write_clk_i,
  input  logic             write_i,
  input  logic [AddrW-1:0] write_addr_i,
  input  logic      [31:0] word_i,

  input  logic             read_clk_i,
  input  logic             read_i,
  input  logic [AddrW-1:0] read_addr_i,
  output logic      [31:0] word_o          // kept until the next read
);

  logic [31:0] mem [Words];

  always_ff @(posedge write_clk_i) begin
    if (write_i) mem[write_addr_i] <= word_i;
  end

  always_ff @(posedge read_clk_i) begin
    if (read_i) word_o <= mem[read_addr_i];
  end

endmodule
