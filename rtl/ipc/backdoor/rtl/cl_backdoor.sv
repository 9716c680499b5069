// SPDX-License-Identifier: Apache-2.0
// The Back-Door between two processors on buses that are not connected, and on clocks that need not match: registers
// and blocks on the bus of processor 0 (near, clk0_i), registers and a DMA engine next to processor 1 (far, clk1_i),
// which the near side holds and starts; and a DMA engine on the bus of processor 0 for the window of its memory that
// processor 1 may reach. See ../README.md.
//
// All clock crossings are in here: two bundles, two mailboxes, two blocks. rst0_ni and rst1_ni are asserted
// together; each is released synchronously to its clock.
module cl_backdoor
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_backdoor_pkg::dma_error_e;
  import cl_backdoor_types_pkg::*;
#(
  parameter int unsigned BlockBytes  = 32'h8000,    // each block: a power of two, 4096..1 MiB
  parameter int unsigned MailDepth   = 16,          // words in each mailbox: a power of two, 2..128
  parameter int unsigned MemoryBytes = 32'h4_0000,  // local memory of processor 1, a power of two
  parameter logic [31:0] MemoryBase  = RamBase
) (
  // Near: device of the bus of processor 0
  input  logic        clk0_i,
  input  logic        rst0_ni,
  input  logic        near_req_i,
  input  obi_req_t    near_cmd_i,        // addr[21:0]: offset
  output logic [31:0] near_rdata_o,      // in the cycle after the request
  output logic        near_err_o,
  output logic        near_irq_o,

  // Near: master of the bus of processor 0, for the window; no grant in a cycle of near_req_i
  output logic        window_req_o,
  output obi_req_t    window_cmd_o,
  input  logic        window_gnt_i,
  input  logic        window_rvalid_i,
  input  logic        window_err_i,
  input  logic [31:0] window_rdata_i,

  // Far: processor 1
  input  logic        clk1_i,
  input  logic        rst1_ni,
  output logic        core_rst_no,
  input  logic [31:0] core_pc_i,
  input  logic        core_fault_i,      // the core accessed an unmapped address, core_fault_addr_i
  input  logic [31:0] core_fault_addr_i,
  input  logic        far_req_i,         // whole words only
  input  logic        far_we_i,
  input  logic  [7:0] far_addr_i,
  input  logic [31:0] far_wdata_i,
  output logic [31:0] far_rdata_o,       // in the cycle after the request
  output logic        far_err_o,
  output logic        bell_irq_o,
  output logic        dma_irq_o,
  output logic        bus_error_irq_o,

  // Far: master of the bus of processor 1
  output logic        dma_req_o,
  output obi_req_t    dma_cmd_o,
  input  logic        dma_gnt_i,
  input  logic        dma_rvalid_i,
  input  logic        dma_err_i,
  input  logic [31:0] dma_rdata_i
);

  localparam int unsigned AddrW  = $clog2(BlockBytes / 4);
  localparam int unsigned CountW = $clog2(MailDepth) + 1;

  // Near
  near_bundle_t            near_bundle, near_new, near_received;   // to send; arriving; last received
  logic                    near_ring, near_take, near_delivered;
  logic             [31:0] near_bells, near_word;
  logic        [AddrW-1:0] near_addr;
  logic                    down_write, up_read, near_put, near_get;
  logic             [31:0] up_word, near_mail;
  logic       [CountW-1:0] near_room, near_written, near_waiting;
  logic             [29:0] window_base;
  window_t                 window;
  window_answer_t          window_answer;
  logic                    window_change, window_live, window_busy, window_moved, window_write, window_read;
  logic        [AddrW-1:0] window_addr;
  logic             [31:0] window_word_down;

  // Far
  far_bundle_t             far_bundle, far_new, far_received;
  logic                    far_ring, far_take, far_delivered, far_rst_n;
  logic             [31:0] far_bells;
  logic        [AddrW-1:0] down_addr, up_addr;
  logic                    down_read, up_write, far_put, far_get;
  logic             [31:0] down_word, up_wdata, far_mail;
  logic       [CountW-1:0] far_room, far_written, far_waiting;
  logic                    dma_start, dma_crc_clear, dma_busy, dma_end;
  logic              [3:0] dma_error;
  logic             [31:0] dma_crc, dma_down_bytes, dma_up_bytes, dma_cycles;

  cl_backdoor_near #(
    .BlockBytes(BlockBytes)
  ) u_near (
    .clk_i       (clk0_i),
    .rst_ni      (rst0_ni),
    .req_i       (near_req_i),
    .cmd_i       (near_cmd_i),
    .rdata_o     (near_rdata_o),
    .err_o       (near_err_o),
    .irq_o       (near_irq_o),
    .block_addr_o(near_addr),
    .word_o      (near_word),
    .down_write_o(down_write),
    .up_read_o   (up_read),
    .up_word_i   (up_word),
    .put_o       (near_put),
    .room_i      (8'(near_room)),
    .written_i   (8'(near_written)),
    .get_o       (near_get),
    .waiting_i   (8'(near_waiting)),
    .mail_i      (near_mail),
    .ring_o      (near_ring),
    .bundle_o    (near_bundle),
    .take_i      (far_take),
    .bells_i     (far_bells),
    .running_i   (far_new.running),
    .cut_i       (far_new.cut),
    .far_i       (far_received),
    .window_base_o  (window_base),
    .window_o       (window),
    .window_change_o(window_change),
    .window_live_o  (window_live),
    .window_answer_i(window_answer),
    .window_busy_i  (window_busy),
    .window_moved_i (window_moved)
  );

  cl_backdoor_window #(
    .BlockBytes(BlockBytes)
  ) u_window (
    .clk_i       (clk0_i),
    .rst_ni      (rst0_ni),
    .base_i      (window_base),
    .window_i    (window),
    .change_i    (window_change),
    .live_i      (window_live),
    .start_i     (far_received.start),
    .request_i   (far_received.request),
    .answer_o    (window_answer),
    .busy_o      (window_busy),
    .moved_o     (window_moved),
    .near_store_i(down_write),
    .near_load_i (up_read),
    .down_write_o(window_write),
    .up_read_o   (window_read),
    .block_addr_o(window_addr),
    .down_word_o (window_word_down),
    .up_word_i   (up_word),
    .bus_req_o   (window_req_o),
    .bus_cmd_o   (window_cmd_o),
    .bus_gnt_i   (window_gnt_i),
    .bus_rvalid_i(window_rvalid_i),
    .bus_err_i   (window_err_i),
    .bus_rdata_i (window_rdata_i)
  );

  cl_backdoor_far #(
    .BlockBytes (BlockBytes),
    .MemoryBytes(MemoryBytes)
  ) u_far (
    .clk_i           (clk1_i),
    .rst_ni          (rst1_ni),
    .core_rst_no,
    .rst_no          (far_rst_n),
    .core_pc_i,
    .core_fault_i,
    .core_fault_addr_i,
    .bell_irq_o,
    .dma_irq_o,
    .bus_error_irq_o,
    .req_i           (far_req_i),
    .we_i            (far_we_i),
    .addr_i          (far_addr_i),
    .wdata_i         (far_wdata_i),
    .rdata_o         (far_rdata_o),
    .err_o           (far_err_o),
    .put_o           (far_put),
    .room_i          (8'(far_room)),
    .written_i       (8'(far_written)),
    .get_o           (far_get),
    .waiting_i       (8'(far_waiting)),
    .mail_i          (far_mail),
    .dma_start_o     (dma_start),
    .dma_crc_clear_o (dma_crc_clear),
    .dma_busy_i      (dma_busy),
    .dma_end_i       (dma_end),
    .dma_error_i     (dma_error_e'(dma_error)),
    .dma_crc_i       (dma_crc),
    .dma_down_bytes_i(dma_down_bytes),
    .dma_up_bytes_i  (dma_up_bytes),
    .dma_cycles_i    (dma_cycles),
    .ring_o          (far_ring),
    .bundle_o        (far_bundle),
    .delivered_i     (far_delivered),
    .take_i          (near_take),
    .bells_i         (near_bells),
    .run_i           (near_new.run),
    .near_i          (near_received)
  );

  cl_backdoor_dma #(
    .BlockBytes (BlockBytes),
    .MemoryBytes(MemoryBytes),
    .MemoryBase (MemoryBase)
  ) u_dma (
    .clk_i       (clk1_i),
    .rst_ni      (far_rst_n),
    .start_i     (dma_start),
    .list_i      (far_wdata_i),
    .busy_o      (dma_busy),
    .end_o       (dma_end),
    .error_o     (dma_error),
    .crc_clear_i (dma_crc_clear),
    .crc_o       (dma_crc),
    .down_bytes_o(dma_down_bytes),
    .up_bytes_o  (dma_up_bytes),
    .cycles_o    (dma_cycles),
    .down_req_o  (down_read),
    .down_addr_o (down_addr),
    .down_rdata_i(down_word),
    .up_req_o    (up_write),
    .up_addr_o   (up_addr),
    .up_wdata_o  (up_wdata),
    .bus_req_o   (dma_req_o),
    .bus_cmd_o   (dma_cmd_o),
    .bus_gnt_i   (dma_gnt_i),
    .bus_rvalid_i(dma_rvalid_i),
    .bus_err_i   (dma_err_i),
    .bus_rdata_i (dma_rdata_i)
  );

  // --- from near to far -----------------------------------------------------------------------------------------

  cl_cdc_bundle #(
    .Bells(32),
    .Width($bits(near_bundle_t))
  ) u_down_bundle (
    .from_clk_i (clk0_i),
    .from_rst_ni(rst0_ni),
    .ring_i     (near_ring),
    .bells_i    (near_word),
    .data_i     (near_bundle),
    .delivered_o(near_delivered),
    .to_clk_i   (clk1_i),
    .to_rst_ni  (rst1_ni),
    .take_o     (near_take),
    .bells_o    (near_bells),
    .new_o      (near_new),
    .data_o     (near_received)
  );

  cl_cdc_fifo #(
    .Depth(MailDepth)
  ) u_down_mail (
    .from_clk_i (clk0_i),
    .from_rst_ni(rst0_ni),
    .put_i      (near_put),
    .word_i     (near_word),
    .room_o     (near_room),
    .written_o  (near_written),
    .to_clk_i   (clk1_i),
    .to_rst_ni  (rst1_ni),
    .written_i  (near_received.mail[CountW-1:0]),
    .get_i      (far_get),
    .waiting_o  (far_waiting),
    .word_o     (far_mail)
  );

  cl_dual_clock_ram #(
    .Words(BlockBytes / 4)
  ) u_down_block (
    .write_clk_i (clk0_i),
    .write_i     (down_write | window_write),
    .write_addr_i(down_write ? near_addr : window_addr),
    .word_i      (down_write ? near_word : window_word_down),
    .read_clk_i  (clk1_i),
    .read_i      (down_read),
    .read_addr_i (down_addr),
    .word_o      (down_word)
  );

  // --- from far to near -----------------------------------------------------------------------------------------

  cl_cdc_bundle #(
    .Bells(32),
    .Width($bits(far_bundle_t)),
    .Trigger({{$bits(far_bundle_t) - FarNoTrigger{1'b1}}, {FarNoTrigger{1'b0}}})
  ) u_up_bundle (
    .from_clk_i (clk1_i),
    .from_rst_ni(rst1_ni),
    .ring_i     (far_ring),
    .bells_i    (far_wdata_i),
    .data_i     (far_bundle),
    .delivered_o(far_delivered),
    .to_clk_i   (clk0_i),
    .to_rst_ni  (rst0_ni),
    .take_o     (far_take),
    .bells_o    (far_bells),
    .new_o      (far_new),
    .data_o     (far_received)
  );

  cl_cdc_fifo #(
    .Depth(MailDepth)
  ) u_up_mail (
    .from_clk_i (clk1_i),
    .from_rst_ni(rst1_ni),
    .put_i      (far_put),
    .word_i     (far_wdata_i),
    .room_o     (far_room),
    .written_o  (far_written),
    .to_clk_i   (clk0_i),
    .to_rst_ni  (rst0_ni),
    .written_i  (far_received.mail[CountW-1:0]),
    .get_i      (near_get),
    .waiting_o  (near_waiting),
    .word_o     (near_mail)
  );

  cl_dual_clock_ram #(
    .Words(BlockBytes / 4)
  ) u_up_block (
    .write_clk_i (clk1_i),
    .write_i     (up_write),
    .write_addr_i(up_addr),
    .word_i      (up_wdata),
    .read_clk_i  (clk0_i),
    .read_i      (up_read | window_read),
    .read_addr_i (up_read ? near_addr : window_addr),
    .word_o      (up_word)
  );

  logic unused;
  assign unused = ^{near_delivered, near_new, far_new};

endmodule
