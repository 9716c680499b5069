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
  input logic        gnt_i,
  input logic        rvalid_i,
  input logic        err_i,
  input logic [31:0] rdata_i
);

  logic             busy, end_list, down_req, up_req, bus_req;
  logic       [3:0] error;
  logic [AddrW-1:0] down_addr, up_addr;
  logic      [31:0] up_wdata, crc, down_bytes, up_bytes, cycles;
  obi_req_t         cmd;

  cl_backdoor_dma #(
    .BlockBytes  (BlockBytes),
    .MemoryBytes (MemoryBytes)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .start_i,
    .list_i,
    .busy_o       (busy),
    .end_o        (end_list),
    .error_o      (error),
    .crc_clear_i,
    .crc_o        (crc),
    .down_bytes_o (down_bytes),
    .up_bytes_o   (up_bytes),
    .cycles_o     (cycles),
    .down_req_o   (down_req),
    .down_addr_o  (down_addr),
    .down_rdata_i,
    .up_req_o     (up_req),
    .up_addr_o    (up_addr),
    .up_wdata_o   (up_wdata),
    .bus_req_o    (bus_req),
    .bus_cmd_o    (cmd),
    .bus_gnt_i    (gnt_i),
    .bus_rvalid_i (rvalid_i),
    .bus_err_i    (err_i),
    .bus_rdata_i  (rdata_i)
  );

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
      adds_q <= down || up_req;
      word_q <= up_req ? rdata_i : down_rdata_i;
      if (crc_clear_i) sum_q <= '1;
      else if (adds_q) sum_q <= u_dut.crc_next;
      if (down)   downs_q  <= downs_q + 30'd1;
      if (up_req) ups_q    <= ups_q + 30'd1;
      if (busy)   cycles_q <= cycles_q + 1;
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    // REQ-backdoor-sum-1: a word is added to the sum a cycle after it has moved or was checked; a clear in that cycle forgets
    // it, and nothing else changes the sum.
    assert (crc == ~sum_q && u_dut.crc_add_q == adds_q && u_dut.crc_mixed == (sum_q ^ u_dut.crc_word_q));
    if (adds_q) assert (u_dut.crc_word_q == word_q);
    // REQ-backdoor-sum-2: bytes that went down or were checked, that went up, and cycles in which it is busy.
    assert (down_bytes == {downs_q, 2'b00} && up_bytes == {ups_q, 2'b00} && cycles == cycles_q);

    CoverSum:  cover (adds_q && !crc_clear_i && sum_q != '1);
    CoverDown: cover (downs_q == 1 && ups_q == 1);
  end

endmodule
