// SPDX-License-Identifier: Apache-2.0
// The memory that Ibex asks its platform for (tags and lines of its instruction cache): one port, synchronous,
// a write mask in groups of DataBitsPerMask bits, read data one cycle after the request. A plain block RAM.
module prim_ram_1p #(
  parameter  int Width           = 32,
  parameter  int Depth           = 128,
  parameter  int DataBitsPerMask = 1,    // divides Width; the bits of a group have the same mask
  parameter      MemInitFile     = "",   // not supported: the cache clears itself after reset
  localparam int Aw              = $clog2(Depth)
) (
  input  logic                         clk_i,
  input  prim_ram_1p_pkg::ram_1p_cfg_t cfg_i,
  input  logic                         req_i,
  input  logic                         write_i,
  input  logic                [Aw-1:0] addr_i,
  input  logic             [Width-1:0] wdata_i,
  input  logic             [Width-1:0] wmask_i,
  output logic             [Width-1:0] rdata_o
);

  logic [Width-1:0] mem [Depth];

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      if (write_i) begin
        for (int i = 0; i < Width; i += DataBitsPerMask) begin
          if (wmask_i[i]) mem[addr_i][i +: DataBitsPerMask] <= wdata_i[i +: DataBitsPerMask];
        end
      end else begin
        rdata_o <= mem[addr_i];
      end
    end
  end

  logic unused;
  assign unused = ^{cfg_i, wmask_i, MemInitFile != ""};

endmodule
