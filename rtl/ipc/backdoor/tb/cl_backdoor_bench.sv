// SPDX-License-Identifier: Apache-2.0
// cl_backdoor with a memory behind its DMA, and ports that C++ can drive.
module cl_backdoor_bench
  import cl_soc_pkg::*;
#(
  parameter  int unsigned BlockBytes  = 32'h1000,
  parameter  int unsigned MailDepth   = 16,
  parameter  int unsigned MemoryBytes = 32'h4000,
  localparam int unsigned MemW        = $clog2(MemoryBytes / 4)
) (
  input  logic        clk0_i,
  input  logic        clk1_i,
  input  logic        rst_ni,

  input  logic        near_req_i,
  input  logic        near_we_i,
  input  logic  [3:0] near_be_i,
  input  logic [31:0] near_addr_i,
  input  logic [31:0] near_wdata_i,
  output logic [31:0] near_rdata_o,
  output logic        near_err_o,
  output logic        near_irq_o,

  output logic        core_rst_no,
  input  logic [31:0] core_pc_i,
  input  logic        core_fault_i,
  input  logic [31:0] core_fault_addr_i,
  input  logic        far_req_i,
  input  logic        far_we_i,
  input  logic  [7:0] far_addr_i,
  input  logic [31:0] far_wdata_i,
  output logic [31:0] far_rdata_o,
  output logic        far_err_o,
  output logic        bell_irq_o,
  output logic        dma_irq_o,
  output logic        bus_error_irq_o,

  // The local memory, which the DMA has when grant_i
  input  logic        grant_i,
  input  logic        poke_i,        // writes mem_wdata_i to mem_addr_i
  input  logic [31:0] mem_addr_i,    // bytes
  input  logic [31:0] mem_wdata_i,
  output logic [31:0] mem_rdata_o    // in the same cycle
);

  logic [31:0] mem [MemoryBytes / 4];
  logic        dma_req, dma_gnt, dma_rvalid_q;
  bus_cmd_t    dma_cmd;
  logic [31:0] dma_rdata_q;

  assign dma_gnt     = dma_req & grant_i;
  assign mem_rdata_o = mem[mem_addr_i[2 +: MemW]];

  always_ff @(posedge clk1_i) begin
    dma_rvalid_q <= dma_gnt;
    if (dma_gnt && !dma_cmd.we) dma_rdata_q <= mem[dma_cmd.addr[2 +: MemW]];
    if (poke_i)                      mem[mem_addr_i[2 +: MemW]]   <= mem_wdata_i;
    else if (dma_gnt && dma_cmd.we)  mem[dma_cmd.addr[2 +: MemW]] <= dma_cmd.wdata;
  end

  cl_backdoor #(
    .BlockBytes (BlockBytes),
    .MailDepth  (MailDepth),
    .MemoryBytes(MemoryBytes)
  ) u_backdoor (
    .clk0_i,
    .rst0_ni     (rst_ni),
    .near_req_i,
    .near_cmd_i  ('{we: near_we_i, be: near_be_i, addr: near_addr_i, wdata: near_wdata_i}),
    .near_rdata_o,
    .near_err_o,
    .near_irq_o,
    .clk1_i,
    .rst1_ni     (rst_ni),
    .core_rst_no,
    .core_pc_i,
    .core_fault_i,
    .core_fault_addr_i,
    .far_req_i,
    .far_we_i,
    .far_addr_i,
    .far_wdata_i,
    .far_rdata_o,
    .far_err_o,
    .bell_irq_o,
    .dma_irq_o,
    .bus_error_irq_o,
    .dma_req_o   (dma_req),
    .dma_cmd_o   (dma_cmd),
    .dma_gnt_i   (dma_gnt),
    .dma_rvalid_i(dma_rvalid_q),
    .dma_err_i   (1'b0),
    .dma_rdata_i (dma_rdata_q)
  );

endmodule
