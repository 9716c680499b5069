// SPDX-License-Identifier: Apache-2.0
// Properties of cl_cdc_bundle for any two clocks: in a step of the proof either, both or neither of them ticks.
module cl_cdc_bundle_formal #(
  parameter int unsigned      Bells   = 2,
  parameter int unsigned      Width   = 3,
  parameter logic [Width-1:0] Trigger = 3'b011
) (
  input logic             rst_ni,
  input logic             from_clk_i,
  input logic             ring_i,
  input logic [Bells-1:0] bells_i,
  input logic [Width-1:0] data_i,
  input logic             to_clk_i
);

  logic             delivered, take;
  logic [Bells-1:0] bells, rung;
  logic [Width-1:0] now_q, new_data, data;

  assign rung = ring_i ? bells_i : '0;

  // The data are in flip-flops; bit 0 stands for an event that happens once.
  always_ff @(posedge from_clk_i or negedge rst_ni) begin
    if (!rst_ni) now_q <= '0;
    else         now_q <= data_i | Width'(now_q[0]);
  end

  cl_cdc_bundle #(.Bells(Bells), .Width(Width), .Trigger(Trigger)) u_dut (
    .from_clk_i,
    .from_rst_ni(rst_ni),
    .ring_i, .bells_i,
    .data_i     (now_q),
    .delivered_o(delivered),
    .to_clk_i,
    .to_rst_ni  (rst_ni),
    .take_o     (take),
    .bells_o    (bells),
    .new_o      (new_data),
    .data_o     (data)
  );

  // --- sending side: what each bundle must contain ---------------------------------------------------------------

  logic [Bells-1:0] since_q, sent_bells_q;          // bells that rang since the last bundle, and those of that
  logic [Bells-1:0] after_q, sent_after_q;          // of these: rang when bit 0 was done
  logic [Width-1:0] sent_q;
  logic       [1:0] sent_count_q, taken_count_q;
  logic             send;

  assign send = u_dut.send;

  always_ff @(posedge from_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      since_q      <= '0;
      sent_bells_q <= '0;
      after_q      <= '0;
      sent_after_q <= '0;
      sent_q       <= '0;
      sent_count_q <= '0;
    end else if (send) begin
      since_q      <= '0;
      sent_bells_q <= since_q | rung;
      after_q      <= '0;
      sent_after_q <= after_q | (now_q[0] ? rung : '0);
      sent_q       <= now_q;
      sent_count_q <= sent_count_q + 1'b1;
    end else begin
      since_q      <= since_q | rung;
      after_q      <= after_q | (now_q[0] ? rung : '0);
    end
  end

  // --- receiving side: the wires at the last two edges ----------------------------------------------------------

  logic [Bells+Width-1:0] wires, before_q, before2_q;
  logic [Width-1:0]       taken_q;

  assign wires = {bells, new_data};

  always_ff @(posedge to_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      before_q      <= '0;
      before2_q     <= '0;
      taken_q       <= '0;
      taken_count_q <= '0;
    end else begin
      before_q  <= wires;
      before2_q <= before_q;
      if (take) begin
        taken_q       <= sent_q;
        taken_count_q <= taken_count_q + 1'b1;
      end
    end
  end

  // --- the request and acknowledge toggles and their synchronisers ----------------------------------------------

  logic [7:0] way;   // from req_q to the acknowledge that has come back

  assign way = {u_dut.req_q, u_dut.u_req_sync.before_q, u_dut.u_req_sync.first_q, u_dut.u_req_sync.second_q,
                u_dut.ack_q, u_dut.u_ack_sync.before_q, u_dut.u_ack_sync.first_q, u_dut.u_ack_sync.second_q};

  always_comb begin
    if (rst_ni) begin
      // At most one bundle is in flight.
      assert ($countones(way[7:1] ^ way[6:0]) <= 1);
      // REQ-backdoor-2: each bundle is taken exactly once, before the next is sent,
      assert (sent_count_q - taken_count_q == 2'(u_dut.req_q != u_dut.ack_q));
      if (take) assert (u_dut.req_q != u_dut.ack_q);
      // ... as it was sent, whole; it is stable for two cycles before it is taken and in that cycle.
      assert (wires == {sent_bells_q, sent_q});
      if (take) assert (before_q == wires && before2_q == wires && !send);
      if (u_dut.u_req_sync.before_q != u_dut.ack_q) assert (before_q == wires);
      if (u_dut.u_req_sync.first_q  != u_dut.ack_q) assert (before_q == wires);
      if (take)                                   assert (before2_q == wires);
      assert (data == taken_q);
      if (u_dut.req_q == u_dut.ack_q) assert (taken_q == sent_q);
      // REQ-backdoor-3: no bell is lost or made up; it is sent as soon as nothing is in flight.
      assert (u_dut.owed_q || since_q == '0);
      assert (since_q == u_dut.bells_q);
      if (u_dut.ack == u_dut.req_q && since_q != '0) assert (send);
      // REQ-backdoor-5: a bell does not overtake an event before it.
      assert (now_q[0] || after_q == '0);
      assert ((after_q & ~since_q) == '0 && (sent_after_q & ~sent_bells_q) == '0);
      if (sent_after_q != '0) assert (sent_q[0]);
      if (take && (sent_after_q & bells) != '0) assert (new_data[0]);
      // REQ-backdoor-4: a change is sent as soon as nothing is in flight; delivered_o means the other side has it.
      if (u_dut.ack == u_dut.req_q && ((now_q ^ sent_q) & Trigger) != '0) assert (send);
      if (delivered) assert (((data ^ now_q) & Trigger) == '0);
    end
  end

endmodule
