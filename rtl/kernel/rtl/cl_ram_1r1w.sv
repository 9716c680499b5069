// SPDX-License-Identifier: Apache-2.0
// Memory with one write port and one synchronous read port; the contents have no reset.
//
// rdata_o is the word at raddr_i of the previous cycle. Reading the address that is being written returns an undefined
// word, as block RAMs do: telling synthesis so saves bypass logic; in simulation the word is wrong on purpose, so that a
// design that relies on it fails.
//
// Early: built from LUTs whatever its size. A block RAM's output is late in the cycle, this one's is early; it is for the
// few bits that decide what happens in that cycle.
module cl_ram_1r1w #(
  parameter int unsigned Width     = 32,
  parameter int unsigned AddrWidth = 8,
  parameter bit          Early     = 1'b0
) (
  input  logic                 clk_i,
  input  logic                 we_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic     [Width-1:0] wdata_i,
  input  logic [AddrWidth-1:0] raddr_i,
  output logic     [Width-1:0] rdata_o
);

  if (Early) begin : g_early
    (* ram_style = "distributed" *) logic [Width-1:0] mem [2**AddrWidth];

    always_ff @(posedge clk_i) begin
      if (we_i) mem[waddr_i] <= wdata_i;
    end

    always_ff @(posedge clk_i) begin
`ifdef SYNTHESIS
      rdata_o <= (we_i && waddr_i == raddr_i) ? 'x : mem[raddr_i];
`else
      rdata_o <= (we_i && waddr_i == raddr_i) ? ~mem[raddr_i] : mem[raddr_i];
`endif
    end
  end else begin : g_any
    logic [Width-1:0] mem [2**AddrWidth];

    always_ff @(posedge clk_i) begin
      if (we_i) mem[waddr_i] <= wdata_i;
    end

    always_ff @(posedge clk_i) begin
`ifdef SYNTHESIS
      rdata_o <= (we_i && waddr_i == raddr_i) ? 'x : mem[raddr_i];
`else
      rdata_o <= (we_i && waddr_i == raddr_i) ? ~mem[raddr_i] : mem[raddr_i];
`endif
    end
  end

endmodule
