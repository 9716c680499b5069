// SPDX-License-Identifier: Apache-2.0
// cl_backdoor with a memory behind each DMA, and ports that C++ can drive.
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

  // The memory of processor 0, which the window has when near_grant_i and near is not on the bus, and the local memory,
  // which the DMA has when grant_i. The former answers at MemoryBytes from RamBase on, and nothing elsewhere.
  input  logic        near_grant_i,
  input  logic        grant_i,
  input  logic        near_mem_i,    // poke and mem_rdata_o are of the former
  input  logic        poke_i,        // writes mem_wdata_i to mem_addr_i
  input  logic [31:0] mem_addr_i,    // bytes
  input  logic [31:0] mem_wdata_i,
  output logic [31:0] mem_rdata_o    // in the same cycle
);

  logic [31:0] mem [MemoryBytes / 4], near_mem [MemoryBytes / 4];
  logic        window_req, window_gnt, window_here, window_rvalid_q, window_err_q;
  obi_req_t    window_cmd;
  logic [31:0] window_rdata_q;
  logic        dma_req, dma_gnt, dma_rvalid_q;
  obi_req_t    dma_cmd;
  logic [31:0] dma_rdata_q;

  assign dma_gnt     = dma_req & grant_i;
  assign mem_rdata_o = near_mem_i ? near_mem[mem_addr_i[2 +: MemW]] : mem[mem_addr_i[2 +: MemW]];
  assign window_gnt  = window_req & near_grant_i & ~near_req_i;
  assign window_here = ((window_cmd.addr ^ cl_soc_map_pkg::RamBase) & ~(MemoryBytes - 1)) == '0;

  always_ff @(posedge clk0_i) begin
    window_rvalid_q <= window_gnt;
    window_err_q    <= window_gnt & ~window_here;
    if (window_gnt && !window_cmd.we) window_rdata_q <= near_mem[window_cmd.addr[2 +: MemW]];
    if (poke_i && near_mem_i)              near_mem[mem_addr_i[2 +: MemW]]      <= mem_wdata_i;
    else if (window_gnt && window_cmd.we && window_here) near_mem[window_cmd.addr[2 +: MemW]] <= window_cmd.wdata;
  end

  always_ff @(posedge clk1_i) begin
    dma_rvalid_q <= dma_gnt;
    if (dma_gnt && !dma_cmd.we) dma_rdata_q <= mem[dma_cmd.addr[2 +: MemW]];
    if (poke_i && !near_mem_i)       mem[mem_addr_i[2 +: MemW]]   <= mem_wdata_i;
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
    .window_req_o   (window_req),
    .window_cmd_o   (window_cmd),
    .window_gnt_i   (window_gnt),
    .window_rvalid_i(window_rvalid_q),
    .window_err_i   (window_err_q),
    .window_rdata_i (window_rdata_q),
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
