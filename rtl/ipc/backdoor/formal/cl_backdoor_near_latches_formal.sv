// SPDX-License-Identifier: Apache-2.0
// The errors that the near side of the Back-Door remembers until its processor clears them: none is lost that comes in
// the cycle of the clear. The registers are numbers here.
module cl_backdoor_near_latches_formal
  import cl_soc_pkg::*;
  import cl_backdoor_pkg::*;
  import cl_backdoor_types_pkg::*;
(
  input logic           clk_i,
  input logic           rst_ni,
  input logic           req_i,
  input obi_req_t       cmd_i,
  input logic     [7:0] room_i,
  input logic     [7:0] waiting_i,
  input logic           take_i,
  input logic    [31:0] bells_i,
  input logic           running_i,
  input logic           cut_i,
  input far_bundle_t    far_i,
  input window_answer_t window_answer_i,
  input logic           window_busy_i
);

  logic [31:0] rdata;

  cl_backdoor_near #(
    .BlockBytes(8)
  ) u_near (
    .clk_i,
    .rst_ni,
    .req_i,
    .cmd_i,
    .rdata_o        (rdata),
    .err_o          (),
    .irq_o          (),
    .block_addr_o   (),
    .word_o         (),
    .down_write_o   (),
    .up_read_o      (),
    .up_word_i      (32'd0),
    .put_o          (),
    .room_i,
    .written_i      (8'd0),
    .get_o          (),
    .waiting_i,
    .mail_i         (32'd0),
    .ring_o         (),
    .bundle_o       (),
    .take_i,
    .bells_i,
    .running_i,
    .cut_i,
    .far_i,
    .window_base_o  (),
    .window_o       (),
    .window_change_o(),
    .window_live_o  (),
    .window_answer_i,
    .window_busy_i,
    .window_moved_i (1'b0)
  );

  logic load, store, sent;

  assign load  = req_i & ~cmd_i.we & cmd_i.addr[21:8] == '0;
  assign store = req_i & cmd_i.we & cmd_i.be == 4'hF & cmd_i.addr[21:8] == '0;
  assign sent  = store & cmd_i.addr[7:0] == 8'h40;

  logic  [3:0] errors_q;
  logic        met_q;
  logic [31:0] again_q;    // bells that came while they rang
  logic [15:0] merged_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      errors_q <= '0;
      met_q    <= 1'b0;
      again_q  <= '0;
      merged_q <= '0;
    end else begin
      again_q  <= take_i ? u_near.again : '0;
      merged_q <= store && cmd_i.addr[7:0] == 8'h30 ? '0 : u_near.merged_d[16] ? '1 : u_near.merged_d[15:0];
      met_q <= store & cmd_i.addr[7:0] == 8'h10 & cmd_i.wdata[3] & take_i & far_i.running & ~running_i & cut_i;
      // The processor's clear comes first, what happens in its cycle second.
      if (store && cmd_i.addr[7:0] == 8'h10) errors_q <= errors_q & ~cmd_i.wdata[3:0];
      if (sent && u_near.live && room_i == 0)  errors_q[0] <= 1'b1;
      if (sent && !u_near.live)                errors_q[2] <= 1'b1;
      if (load && cmd_i.addr[7:0] == 8'h44 && (waiting_i == 0 || !u_near.running)) errors_q[1] <= 1'b1;
      if (take_i && far_i.running && !running_i && cut_i) errors_q[3] <= 1'b1;
      if (store && cmd_i.addr[7:0] == 8'h08 && !cmd_i.wdata[0] && window_busy_i) errors_q[3] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    // REQ-backdoor-latch-4: an error is remembered until it is cleared; a transfer that is cut by a hold in the cycle of
    // the clear stays.
    AssertErrors: assert (u_near.error_q == errors_q);

    // REQ-backdoor-latch-6: a bell that comes while it rings is counted, up to 65535, until a store. Not proved: the sum of
    // more than one that come in the same cycle.
    AssertMerged: assert (u_near.again_q == again_q && u_near.merged_q == merged_q);
    if (again_q == '0)       AssertNone: assert (u_near.merged_d == 17'(merged_q));
    if ($onehot(again_q)) AssertOne: assert (u_near.merged_d == 17'(merged_q) + 17'd1);

    CoverMerged:  cover (merged_q == 16'd2);
    CoverErrors:  cover (errors_q == 4'b1111);
    CoverHeldInItsClear: cover (met_q && errors_q[3]);
  end

endmodule
