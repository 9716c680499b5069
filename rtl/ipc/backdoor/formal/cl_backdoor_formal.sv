// SPDX-License-Identifier: Apache-2.0
// Properties of cl_backdoor's hold and start for any two clocks: in a step of the proof either, both or neither of them
// ticks.
module cl_backdoor_formal
  import cl_soc_pkg::*;
  import cl_backdoor_pkg::NearControl;
  import cl_backdoor_types_pkg::*;
#(
  parameter int unsigned MailDepth = 2
) (
  input logic        rst_ni,
  input logic        clk0_i,
  input logic        near_req_i,
  input logic        near_we_i,
  input logic  [3:0] near_be_i,
  input logic [21:0] near_offset_i,
  input logic        near_wdata_i,     // bit 0: the other bits make no difference here
  input logic        clk1_i,
  input logic        far_req_i,
  input logic        far_we_i,
  input logic  [7:0] far_addr_i,
  input logic        far_wdata_i,
  input logic        dma_gnt_i,
  input logic        dma_rvalid_i,
  input logic        dma_err_i,
  input logic [31:0] dma_rdata_i
);

  logic     core_rst_n;
  obi_req_t near_cmd;

  assign near_cmd = '{we: near_we_i, be: near_be_i, addr: 32'(near_offset_i), wdata: 32'(near_wdata_i)};

  cl_backdoor #(
    .BlockBytes (8),
    .MailDepth  (MailDepth),
    .MemoryBytes(16)
  ) u_dut (
    .clk0_i,
    .rst0_ni          (rst_ni),
    .near_req_i,
    .near_cmd_i       (near_cmd),
    .near_rdata_o     (),
    .near_err_o       (),
    .near_irq_o       (),
    .clk1_i,
    .rst1_ni          (rst_ni),
    .core_rst_no      (core_rst_n),
    .core_pc_i        (32'h0),
    .core_fault_i     (1'b0),
    .core_fault_addr_i(32'h0),
    .far_req_i        (far_req_i & core_rst_n),   // a core in reset asks for nothing
    .far_we_i,
    .far_addr_i,
    .far_wdata_i      (32'(far_wdata_i)),
    .far_rdata_o      (),
    .far_err_o        (),
    .bell_irq_o       (),
    .dma_irq_o        (),
    .bus_error_irq_o  (),
    .dma_req_o        (),
    .dma_cmd_o        (),
    .dma_gnt_i,
    .dma_rvalid_i,
    .dma_err_i,
    .dma_rdata_i
  );

  // --- path of a hold or start: requested by near, sent, received by far, in effect there, and back -----------------

  near_bundle_t near_sent, near_received;
  far_bundle_t  far_sent, far_received;
  logic         live, running;
  logic   [5:0] way;

  assign near_sent     = near_bundle_t'(u_dut.u_down_bundle.sent_q);
  assign near_received = u_dut.near_received;
  assign far_sent      = far_bundle_t'(u_dut.u_up_bundle.sent_q);
  assign far_received  = u_dut.far_received;
  assign live          = u_dut.u_far.live_q;
  assign running       = far_received.running;
  assign way           = {u_dut.u_near.sent_run_q, near_sent.run, near_received.run, live, far_sent.running, running};

  // --- count of processor 1's starts, and its value at the last store of a 0 ----------------------------------------

  logic [1:0] lives_q, life_q, since;
  logic       stored_q;

  always_ff @(posedge clk1_i or negedge rst_ni) begin
    if (!rst_ni) lives_q <= '0;
    else         lives_q <= lives_q + 2'(u_dut.u_far.live_d & ~live);
  end

  always_ff @(posedge clk0_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stored_q <= 1'b0;
      life_q   <= '0;
    end else if (near_req_i && near_we_i && near_be_i == '1 && near_offset_i == 22'(NearControl) && !near_wdata_i) begin
      stored_q <= 1'b1;
      life_q   <= lives_q;
    end
  end

  assign since = lives_q - life_q;

  // --- words put into the mailboxes ---------------------------------------------------------------------------------

  logic [7:0] down_mail, up_mail;

  assign down_mail = 8'(u_dut.near_written);
  assign up_mail   = 8'(u_dut.far_written);

  // --- the toggles of both bundles, as in cl_cdc_bundle_formal -----------------------------------------------------

  logic [7:0] down_way, up_way;

  assign down_way = {
    u_dut.u_down_bundle.req_q, u_dut.u_down_bundle.u_req_sync.before_q,  u_dut.u_down_bundle.u_req_sync.first_q,
    u_dut.u_down_bundle.u_req_sync.second_q,
    u_dut.u_down_bundle.ack_q, u_dut.u_down_bundle.u_ack_sync.before_q, u_dut.u_down_bundle.u_ack_sync.first_q,
    u_dut.u_down_bundle.u_ack_sync.second_q};
  assign up_way = {
    u_dut.u_up_bundle.req_q, u_dut.u_up_bundle.u_req_sync.before_q, u_dut.u_up_bundle.u_req_sync.first_q,
    u_dut.u_up_bundle.u_req_sync.second_q,
    u_dut.u_up_bundle.ack_q, u_dut.u_up_bundle.u_ack_sync.before_q, u_dut.u_up_bundle.u_ack_sync.first_q,
    u_dut.u_up_bundle.u_ack_sync.second_q};

  always_comb begin
    if (rst_ni) begin
      assert ($countones(down_way[7:1] ^ down_way[6:0]) <= 1);
      assert ($countones(up_way[7:1] ^ up_way[6:0]) <= 1);
      if (down_way[7] == down_way[3])
        assert (near_sent.run == near_received.run && near_sent.mail == near_received.mail);
      if (up_way[7] == up_way[3])
        assert (far_sent.running == far_received.running && far_sent.mail == far_received.mail);

      // Each step of hold and start waits for the one before.
      assert ($countones(way[5:1] ^ way[4:0]) <= 1);
      // REQ-backdoor-9: if near reads held, processor 1 is held.
      if (!u_dut.u_near.sent_run_q && !running) assert (!live && !core_rst_n);
      if (u_dut.u_near.sent_run_q) assert (u_dut.u_near.run_q || u_dut.u_near.hold_owed_q);
      else if (running)           assert (u_dut.u_near.hold_owed_q);
      // ... and if it reads running after a 0 and then a 1 were stored, processor 1 was started after that 0.
      if (stored_q) begin
        assert (since <= 2'd2);
        if (u_dut.u_near.hold_owed_q && u_dut.u_near.sent_run_q && !live) assert (since == '0);
        if (u_dut.u_near.hold_owed_q || !live) assert (since <= 2'd1);
        if (!u_dut.u_near.hold_owed_q && live) assert (since != '0);
        if (u_dut.u_near.run_q && u_dut.u_near.running) assert (since != '0);
      end
      // The core runs only when near has received that, and when everything else on the far side is out of reset.
      assert (core_rst_n == u_dut.u_far.started_q && u_dut.far_rst_n == live);
      if (core_rst_n) assert (live && far_sent.running && running);
      // No DMA list is started while another is running.
      assert (!(u_dut.dma_start && u_dut.dma_busy));
      // REQ-backdoor-7: no mail passes from one program to the next.
      if (!running || (!u_dut.u_near.sent_run_q && !near_sent.run)) assert (near_sent.mail == down_mail);
      if (!running || !near_received.run) assert (near_received.mail == down_mail);
      if (u_dut.u_far.live_d && !live) assert (u_dut.u_down_mail.read_q == u_dut.near_written);
      if (!far_sent.running) assert (far_sent.mail == up_mail);
      if (!running)          assert (far_received.mail == up_mail);
      if (u_dut.u_near.sent_run_d && !u_dut.u_near.sent_run_q) assert (u_dut.u_up_mail.read_q == u_dut.far_written);
    end
  end

endmodule
