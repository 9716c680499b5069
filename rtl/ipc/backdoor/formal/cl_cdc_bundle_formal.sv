// SPDX-License-Identifier: Apache-2.0
// What cl_cdc_bundle promises, for any two clocks: a step of the proof is one in which either, both or neither ticks.
module cl_cdc_bundle_formal #(
  parameter int unsigned      Bells = 2,
  parameter int unsigned      Width = 3,
  parameter logic [Width-1:0] Tell  = 3'b011
) (
  input logic             rst_ni,
  input logic             from_clk_i,
  input logic             ring_i,
  input logic [Bells-1:0] bells_i,
  input logic [Width-1:0] data_i,
  input logic             to_clk_i
);

  logic             heard, take;
  logic [Bells-1:0] bells, rung;
  logic [Width-1:0] now_q, new_data, data;

  assign rung = ring_i ? bells_i : '0;

  // What is told is in flip-flops; bit 0 is something that is done once.
  always_ff @(posedge from_clk_i or negedge rst_ni) begin
    if (!rst_ni) now_q <= '0;
    else         now_q <= data_i | Width'(now_q[0]);
  end

  cl_cdc_bundle #(.Bells(Bells), .Width(Width), .Tell(Tell)) u_dut (
    .from_clk_i,
    .from_rst_ni(rst_ni),
    .ring_i, .bells_i,
    .data_i     (now_q),
    .heard_o    (heard),
    .to_clk_i,
    .to_rst_ni  (rst_ni),
    .take_o     (take),
    .bells_o    (bells),
    .new_o      (new_data),
    .data_o     (data)
  );

  // --- the side that speaks: what each bundle has to say --------------------------------------------------------

  logic [Bells-1:0] since_q, said_bells_q;          // bells that rang since the last bundle, and those of that
  logic [Bells-1:0] after_q, said_after_q;          // of these: rang when bit 0 was done
  logic [Width-1:0] said_q;
  logic       [1:0] said_count_q, taken_count_q;
  logic             send;

  assign send = u_dut.send;

  always_ff @(posedge from_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      since_q      <= '0;
      said_bells_q <= '0;
      after_q      <= '0;
      said_after_q <= '0;
      said_q       <= '0;
      said_count_q <= '0;
    end else if (send) begin
      since_q      <= '0;
      said_bells_q <= since_q | rung;
      after_q      <= '0;
      said_after_q <= after_q | (now_q[0] ? rung : '0);
      said_q       <= now_q;
      said_count_q <= said_count_q + 1'b1;
    end else begin
      since_q      <= since_q | rung;
      after_q      <= after_q | (now_q[0] ? rung : '0);
    end
  end

  // --- the side that hears: what lay there at the last two edges ------------------------------------------------

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
        taken_q       <= said_q;
        taken_count_q <= taken_count_q + 1'b1;
      end
    end
  end

  // --- the two toggles and their way across ---------------------------------------------------------------------

  logic [7:0] way;   // from the toggle that says to the one that has come back

  assign way = {u_dut.say_q,   u_dut.u_said.before_q,  u_dut.u_said.first_q,  u_dut.u_said.second_q,
                u_dut.taken_q, u_dut.u_heard.before_q, u_dut.u_heard.first_q, u_dut.u_heard.second_q};

  always_comb begin
    if (rst_ni) begin
      // One bundle is under way at most.
      assert ($countones(way[7:1] ^ way[6:0]) <= 1);
      // REQ-backdoor-2: each bundle is taken, once, before the next is said,
      assert (said_count_q - taken_count_q == 2'(u_dut.say_q != u_dut.taken_q));
      if (take) assert (u_dut.say_q != u_dut.taken_q);
      // ... as it was said, whole; it lies still for two cycles before it is taken and in that cycle.
      assert (wires == {said_bells_q, said_q});
      if (take) assert (before_q == wires && before2_q == wires && !send);
      if (u_dut.u_said.before_q != u_dut.taken_q) assert (before_q == wires);
      if (u_dut.u_said.first_q  != u_dut.taken_q) assert (before_q == wires);
      if (take)                                   assert (before2_q == wires);
      assert (data == taken_q);
      if (u_dut.say_q == u_dut.taken_q) assert (taken_q == said_q);
      // REQ-backdoor-3: no bell is lost, none is made up; it goes as soon as nothing is under way.
      assert (u_dut.owed_q || since_q == '0);
      assert (since_q == u_dut.bells_q);
      if (u_dut.heard == u_dut.say_q && since_q != '0) assert (send);
      // REQ-backdoor-5: a bell does not overtake what was done before it.
      assert (now_q[0] || after_q == '0);
      assert ((after_q & ~since_q) == '0 && (said_after_q & ~said_bells_q) == '0);
      if (said_after_q != '0) assert (said_q[0]);
      if (take && (said_after_q & bells) != '0) assert (new_data[0]);
      // REQ-backdoor-4: what is told is told when it changes, and heard_o says that the other side knows it.
      if (u_dut.heard == u_dut.say_q && ((now_q ^ said_q) & Tell) != '0) assert (send);
      if (heard) assert (((data ^ now_q) & Tell) == '0);
    end
  end

endmodule
