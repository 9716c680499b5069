// SPDX-License-Identifier: Apache-2.0
// The rules of Wishbone B4 and of the port behind, for every master that keeps its request until it is taken.
// Not proved: that the port behind answers.
module cl_wb_port_formal (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        cyc_i,
  input logic        stb_i,
  input logic        we_i,
  input logic  [3:0] adr_i,
  input logic  [3:0] sel_i,
  input logic [31:0] dat_i,
  input logic        gnt_i,
  input logic        rvalid_i,
  input logic [31:0] rdata_i,
  input logic        err_i
);

  logic [31:0] dat, wdata;
  logic        ack, err, stall, req, we;
  logic  [3:0] addr;

  cl_wb_port #(
    .AddrWidth(4)
  ) u_port (
    .clk_i,
    .rst_ni,
    .cyc_i,
    .stb_i,
    .we_i,
    .adr_i,
    .sel_i,
    .dat_i,
    .dat_o  (dat),
    .ack_o  (ack),
    .err_o  (err),
    .stall_o(stall),
    .req_o  (req),
    .gnt_i,
    .we_o   (we),
    .addr_o (addr),
    .wdata_o(wdata),
    .rvalid_i,
    .rdata_i,
    .err_i
  );

  // What is open: a request that the master holds, an access of the port, an answer that the master is owed.
  logic        held_q, open_q, owed_q, half_q, dropped_q;
  logic [40:0] request_q;
  logic        taken;

  assign taken = cyc_i & stb_i & ~stall;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {held_q, open_q, owed_q, half_q, dropped_q} <= '0;
      request_q <= '0;
    end else begin
      held_q    <= cyc_i & stb_i & stall;
      request_q <= {we_i, adr_i, sel_i, dat_i};
      if (rvalid_i) open_q <= 1'b0;
      if (req && gnt_i) open_q <= 1'b1;
      if (ack || err || !cyc_i) owed_q <= 1'b0;
      if (taken) owed_q <= 1'b1;
      half_q    <= taken & ~(&sel_i);
      dropped_q <= (dropped_q & ~rvalid_i) | (open_q & ~rvalid_i & ~cyc_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A master keeps what is not taken, unless it ends the cycle; the port answers what it has taken.
      AssumeHeld:   assume (!(held_q && cyc_i) || (stb_i && {we_i, adr_i, sel_i, dat_i} == request_q));
      AssumeAnswer: assume (!rvalid_i || open_q);

      // REQ-wishbone-answer: one answer for each request that is taken, and none besides; ack_o or err_o, not both.
      AssertOwed: assert (!(ack || err) || owed_q);
      AssertOne:  assert (!(ack && err));
      AssertNext: assert (!taken || !owed_q);
      AssertPass: assert (!(rvalid_i && cyc_i && !dropped_q) || (ack == !err_i && err == err_i && dat == rdata_i));
      // REQ-wishbone-half: an access of less than a word is answered by err_o, and reaches nothing.
      AssertHalf:    assert (!half_q || !cyc_i || err);
      AssertNothing: assert (!req || &sel_i);
      // REQ-wishbone-port: the port gets one access at a time, as the master gave it.
      AssertSingle: assert (!req || !open_q);
      AssertSame:   assert (!req || (we == we_i && addr == adr_i && wdata == dat_i));
      AssertInv:    assert (u_port.busy_q == open_q);
      AssertInv2:   assert (!u_port.wanted_q || open_q);
      AssertInv3:   assert (!u_port.refused_q || half_q);
      AssertInv4:   assert (!owed_q || half_q || (open_q && u_port.wanted_q));
      AssertInv5:   assert (!(open_q && !dropped_q) || u_port.wanted_q);
      AssertInv6:   assert (!u_port.wanted_q || (owed_q && !half_q));

      CoverAck:   cover (ack && dat == 32'h5);
      CoverError: cover (err && !half_q);
      CoverHalf:  cover (err && half_q);
      CoverWait:  cover (ack && $past(open_q, 3));
      CoverDrop:  cover (rvalid_i && dropped_q);
    end
  end

endmodule
