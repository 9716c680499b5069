// SPDX-License-Identifier: Apache-2.0
// How cl_backdoor is used: processor 0 starts processor 1, rings it, sends mail, and hands over a block that its DMA
// fetches. Here both clocks are the same one; the cycles are those of the README.
module cl_backdoor_tb;
  import cl_backdoor_pkg::*;
  import cl_soc_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_backdoor: no end after 1000 cycles.");

  logic        near_req, near_err, far_req, far_we, far_err, core_rst_n, bell, dma_req, dma_rvalid;
  obi_req_t    near_cmd, dma_cmd;
  logic [31:0] near_rdata, far_wdata, far_rdata, dma_rdata;
  logic  [7:0] far_addr;

  cl_backdoor #(.BlockBytes(4096), .MemoryBytes(4096)) u_backdoor (
    .clk0_i(clk), .rst0_ni(rst_n), .near_req_i(near_req), .near_cmd_i(near_cmd), .near_rdata_o(near_rdata),
    .near_err_o(near_err), .near_irq_o(), .window_req_o(), .window_cmd_o(), .window_gnt_i(1'b0), .window_rvalid_i(1'b0),
    .window_err_i(1'b0), .window_rdata_i('0), .clk1_i(clk), .rst1_ni(rst_n), .core_rst_no(core_rst_n), .core_pc_i('0),
    .core_fault_i(1'b0), .core_fault_addr_i('0), .far_req_i(far_req), .far_we_i(far_we), .far_addr_i(far_addr),
    .far_wdata_i(far_wdata), .far_rdata_o(far_rdata), .far_err_o(far_err), .bell_irq_o(bell), .dma_irq_o(),
    .bus_error_irq_o(), .dma_req_o(dma_req), .dma_cmd_o(dma_cmd), .dma_gnt_i(1'b1), .dma_rvalid_i(dma_rvalid),
    .dma_err_i(1'b0), .dma_rdata_i(dma_rdata)
  );

  // The local memory of processor 1: it grants each access of the DMA, and answers in the next cycle.
  logic [63:0][31:0] memory;
  always @(posedge clk) begin
    dma_rvalid <= dma_req;
    dma_rdata  <= memory[dma_cmd.addr[7:2]];
    if (dma_req && dma_cmd.we) memory[dma_cmd.addr[7:2]] <= dma_cmd.wdata;
  end

  // Accesses of processor 0 and processor 1, which are answered in the cycle after the request.
  task automatic near(input logic [21:0] offset, input logic we, input logic [31:0] word);
    near_cmd = '{we: we, be: '1, addr: NearBase + 32'(offset), wdata: word};
    near_req = 1'b1;
    @(negedge clk);
    near_req = 1'b0;
    @(posedge clk);
    check("near_err_o", 32'(near_err), 0);
    if (!we) check($sformatf("near register 0x%0h", offset), near_rdata, word);
    @(negedge clk);
  endtask

  task automatic far(input logic [7:0] offset, input logic we, input logic [31:0] word);
    {far_req, far_we, far_addr, far_wdata} = {1'b1, we, offset, word};
    @(negedge clk);
    far_req = 1'b0;
    @(posedge clk);
    check("far_err_o", 32'(far_err), 0);
    if (!we) check($sformatf("far register 0x%0h", offset), far_rdata, word);
    @(negedge clk);
  endtask

  initial begin
    {near_req, near_cmd, far_req, far_we, far_addr, far_wdata} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;
    repeat (10) @(negedge clk);

    // A start: 13 cycles from the store to the end of the core's reset.
    fork
      near(22'(NearControl), Store, 1);
      begin
        repeat (12) @(negedge clk);
        check("core_rst_no, 12 cycles after the start", 32'(core_rst_n), 0);
        @(negedge clk);
        check("core_rst_no, 13 cycles after the start", 32'(core_rst_n), 1);
      end
    join
    far(FarBellEnable, Store, 'b10);

    // A bell: 4 cycles to the interrupt on the other side.
    fork
      near(22'(NearBellRing), Store, 'b10);
      begin
        repeat (3) @(negedge clk);
        check("bell_irq_o, 3 cycles after the ring", 32'(bell), 0);
        @(negedge clk);
        check("bell_irq_o, 4 cycles after the ring", 32'(bell), 1);
      end
    join
    far(FarBellTake, Load, 'b10);
    repeat (5) @(negedge clk);

    // Mail: 5 cycles to the first load that takes it.
    fork
      near(22'(NearMailSend), Store, 32'hcafe_0001);
      begin
        repeat (5) @(negedge clk);
        far(FarMailReceive, Load, 32'hcafe_0001);
      end
    join

    // Eight words through the block. The list has one descriptor: words, local address, offset in the block.
    for (int i = 0; i < 8; i++) near(22'(DownOffset + 4 * i), Store, 32'hd00d_0000 + i);
    memory[2:0] = {32'd0, MemoryBase + 32'd128, 32'h8000_0008};
    far(FarDmaList, Store, MemoryBase);
    repeat (20) @(negedge clk);
    far(FarDmaStatus, Load, 'b10);  // done, without an error
    far(FarDmaCycles, Load, 8 + 4 + 1);
    for (int i = 0; i < 8; i++) check("a word in the local memory", memory[32+i], 32'hd00d_0000 + i);

    passed("cl_backdoor");
  end

endmodule
