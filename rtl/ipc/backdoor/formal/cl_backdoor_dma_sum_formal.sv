// SPDX-License-Identifier: Apache-2.0
// Sum and counters of cl_backdoor_dma, for every list, memory, bus and reset: which words they count, and when. Which words
// move is proved in cl_backdoor_dma_formal, which needs that no state comes twice: so counters are not in it.
// Not proved: what a word makes of the sum (tests/backdoor_rtl/test_dma.py).
module cl_backdoor_dma_sum_formal
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter  int unsigned BlockBytes  = 16,
  parameter  int unsigned MemoryBytes = 32,
  localparam int unsigned AddrW       = $clog2(BlockBytes / 4)
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        start_i,
  input logic [31:0] list_i,
  input logic        crc_clear_i,
  input logic [31:0] down_rdata_i,
  input logic        bus_gnt_i,
  input logic        bus_rvalid_i,
  input logic        bus_err_i,
  input logic [31:0] bus_rdata_i
);

  logic             busy_o, end_o, down_req_o, up_req_o, bus_req_o;
  logic       [3:0] error_o;
  logic [AddrW-1:0] down_addr_o, up_addr_o;
  logic      [31:0] up_wdata_o, crc_o, down_bytes_o, up_bytes_o, cycles_o;
  obi_req_t         bus_cmd_o;

  cl_backdoor_dma #(.BlockBytes(BlockBytes), .MemoryBytes(MemoryBytes)) u_dut (.*);

  // A word of the down block that moves or is checked, and one that goes to the up block
  logic        down, adds_q;
  logic [31:0] word_q, sum_q, cycles_q;
  logic [29:0] downs_q, ups_q;

  assign down = u_dut.step && u_dut.op_q != 2'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {adds_q, word_q, cycles_q, downs_q, ups_q} <= '0;
      sum_q <= '1;
    end else begin
      adds_q <= down || up_req_o;
      word_q <= up_req_o ? bus_rdata_i : down_rdata_i;
      if (crc_clear_i) sum_q <= '1;
      else if (adds_q) sum_q <= u_dut.crc_next;
      if (down)     downs_q  <= downs_q + 30'd1;
      if (up_req_o) ups_q    <= ups_q + 30'd1;
      if (busy_o)   cycles_q <= cycles_q + 1;
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    // REQ-backdoor-sum-1: a word is added to the sum a cycle after it has moved or was checked; a clear in that cycle forgets
    // it, and nothing else changes the sum.
    assert (crc_o == ~sum_q && u_dut.crc_add_q == adds_q && u_dut.crc_mixed == (sum_q ^ u_dut.crc_word_q));
    if (adds_q) assert (u_dut.crc_word_q == word_q);
    // REQ-backdoor-sum-2: bytes that went down or were checked, that went up, and cycles in which it is busy.
    assert (down_bytes_o == {downs_q, 2'b00} && up_bytes_o == {ups_q, 2'b00} && cycles_o == cycles_q);

    CoverSum:  cover (adds_q && !crc_clear_i && sum_q != '1);
    CoverDown: cover (downs_q == 1 && ups_q == 1);
  end

endmodule
