// SPDX-License-Identifier: Apache-2.0
// What a side of the Back-Door remembers until its processor clears it: errors, the end of a list, a bus error. None of
// it is lost that comes in the cycle of the clear. The registers are numbers here. Bells: cl_backdoor_bells and
// cl_cdc_bundle.
module cl_backdoor_far_latches_formal
  import cl_backdoor_pkg::*;
  import cl_backdoor_types_pkg::*;
(
  input logic         clk_i,
  input logic         rst_ni,
  input logic  [31:0] core_pc_i,
  input logic         core_fault_i,
  input logic  [31:0] core_fault_addr_i,
  input logic         req_i,
  input logic         we_i,
  input logic   [7:0] addr_i,
  input logic  [31:0] wdata_i,
  input logic   [7:0] room_i,
  input logic   [7:0] waiting_i,
  input logic         dma_busy_i,
  input logic         dma_end_i,
  input dma_error_e   dma_error_i,
  input logic         delivered_i,
  input logic         take_i,
  input logic         run_i,
  input near_bundle_t near_i
);

  logic        dma_irq, bus_error_irq, live;
  logic [31:0] rdata;
  far_bundle_t bundle;

  cl_backdoor_far #(
    .BlockBytes (8),
    .MemoryBytes(16)
  ) u_far (
    .clk_i,
    .rst_ni,
    .core_rst_no      (),
    .rst_no           (live),
    .core_pc_i,
    .core_fault_i,
    .core_fault_addr_i,
    .bell_irq_o       (),
    .dma_irq_o        (dma_irq),
    .bus_error_irq_o  (bus_error_irq),
    .req_i,
    .we_i,
    .addr_i,
    .wdata_i,
    .rdata_o          (rdata),
    .err_o            (),
    .put_o            (),
    .room_i,
    .written_i        (8'd0),
    .get_o            (),
    .waiting_i,
    .mail_i           (32'd0),
    .dma_start_o      (),
    .dma_crc_clear_o  (),
    .dma_busy_i,
    .dma_end_i,
    .dma_error_i,
    .dma_crc_i        (32'd0),
    .dma_down_bytes_i (32'd0),
    .dma_up_bytes_i   (32'd0),
    .dma_cycles_i     (32'd0),
    .ring_o           (),
    .bundle_o         (bundle),
    .delivered_i,
    .take_i,
    .bells_i          (32'd0),
    .run_i,
    .near_i
  );

  logic load, store;

  assign load  = req_i & ~we_i;
  assign store = req_i & we_i;

  logic  [3:0] errors_q, met_q;
  logic        done_q, enabled_q, fault_q, done_met_q, fault_met_q, loaded_q;
  logic [31:0] fault_addr_q, fault_pc_q;
  logic        asked_q;      // a store to the window's registers

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {errors_q, met_q} <= '0;
      {done_q, enabled_q, fault_q, done_met_q, fault_met_q, loaded_q} <= '0;
      {fault_addr_q, fault_pc_q} <= '0;
      asked_q <= 1'b0;
    end else if (!live) begin
      {errors_q, met_q} <= '0;
      {done_q, enabled_q, fault_q, done_met_q, fault_met_q, loaded_q} <= '0;
      {fault_addr_q, fault_pc_q} <= '0;
      asked_q <= 1'b0;
    end else begin
      loaded_q    <= load & addr_i == 8'h10;
      done_met_q  <= dma_end_i & store & addr_i == 8'h88;
      fault_met_q <= core_fault_i & store & addr_i == 8'hA4 & fault_q;
      // The processor's clear comes first, what happens in its cycle second.
      if (store && addr_i == 8'h10) errors_q <= errors_q & ~wdata_i[3:0];
      if (store && addr_i == 8'h40 && room_i == 0)     errors_q[0] <= 1'b1;
      if (load && addr_i == 8'h44 && waiting_i == 0)   errors_q[1] <= 1'b1;
      if (store && addr_i == 8'h80 && dma_busy_i)      errors_q[2] <= 1'b1;
      if (store && addr_i inside {8'hB4, 8'hB8, 8'hBC} && bundle.start != near_i.answer.done) errors_q[3] <= 1'b1;
      if (store && (addr_i == 8'h88 || (addr_i == 8'h80 && !dma_busy_i))) done_q <= 1'b0;
      if (dma_end_i) done_q <= 1'b1;
      if (store && addr_i == 8'hA4) fault_q <= 1'b0;
      if (core_fault_i) begin
        fault_q      <= 1'b1;
        fault_addr_q <= core_fault_addr_i;
        fault_pc_q   <= core_pc_i;
      end
      if (store && addr_i inside {8'hB4, 8'hB8, 8'hBC}) asked_q <= 1'b1;
      enabled_q <= (store && addr_i == 8'h84) ? wdata_i[0] : enabled_q;
    end
  end

  always_ff @(posedge clk_i) if (rst_ni && live) begin
    // REQ-backdoor-latch-1: an error is remembered until it is cleared.
    AssertErrors: assert (u_far.error_q == errors_q);
    // REQ-backdoor-latch-2: so is the end of a list; one in the cycle of DMA_CLEAR stays.
    AssertDone:   assert (bundle.dma.done == done_q && dma_irq == (done_q && u_far.dma_enable_q));
    // REQ-backdoor-latch-3: so is a bus error of the core, with the address and pc of the last one.
    AssertFault:  assert (bus_error_irq == fault_q);
    if (fault_q) AssertFaultPlace: assert (u_far.fault_addr_q == fault_addr_q && u_far.fault_pc_q == fault_pc_q);
    // REQ-backdoor-latch-5: no transfer of the window is asked for from reset or hold on.
    if (!asked_q) AssertNoRequest: assert (u_far.request_q == '0);

    CoverErrors:        cover (errors_q == 4'b1111);
    CoverCleared:       cover (loaded_q && rdata == 32'd2);
    CoverDoneInClear:   cover (done_met_q && bundle.dma.done);
    CoverFaultInClear:  cover (fault_met_q && bus_error_irq);
  end

  // Held: nothing is remembered.
  always_ff @(posedge clk_i) if (rst_ni && !live) begin
    AssertHeld: assert (u_far.error_q == '0 && !u_far.done_q && !bus_error_irq);
  end

endmodule
