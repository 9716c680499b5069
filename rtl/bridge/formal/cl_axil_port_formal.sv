// SPDX-License-Identifier: Apache-2.0
// The rules of AXI4-Lite for a slave, and of the port behind it, for every master.
// Not proved: that the port behind answers, and that the master takes what it is answered.
module cl_axil_port_formal (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        awvalid_i,
  input logic  [5:0] awaddr_i,
  input logic        wvalid_i,
  input logic [31:0] wdata_i,
  input logic  [3:0] wstrb_i,
  input logic        bready_i,
  input logic        arvalid_i,
  input logic  [5:0] araddr_i,
  input logic        rready_i,
  input logic        gnt_i,
  input logic        rvalid_i,
  input logic [31:0] rdata_i,
  input logic        err_i
);

  logic        awready, wready, bvalid, arready, rvalid, req, we;
  logic  [1:0] bresp, rresp;
  logic [31:0] rdata, wdata;
  logic  [3:0] addr;

  cl_axil_port #(
    .AddrWidth(4)
  ) u_port (
    .clk_i,
    .rst_ni,
    .awvalid_i,
    .awready_o(awready),
    .awaddr_i,
    .wvalid_i,
    .wready_o (wready),
    .wdata_i,
    .wstrb_i,
    .bvalid_o (bvalid),
    .bready_i,
    .bresp_o  (bresp),
    .arvalid_i,
    .arready_o(arready),
    .araddr_i,
    .rvalid_o (rvalid),
    .rready_i,
    .rdata_o  (rdata),
    .rresp_o  (rresp),
    .req_o    (req),
    .gnt_i,
    .we_o     (we),
    .addr_o   (addr),
    .wdata_o  (wdata),
    .rvalid_i,
    .rdata_i,
    .err_i
  );

  logic        aw_q, w_q, ar_q, open_q, b_owed_q, r_owed_q, b_q, r_q, half_q, err_q;
  logic  [1:0] bresp_q, rresp_q;
  logic [31:0] rdata_q, word_q;
  logic [41:0] store_q;
  logic  [5:0] araddr_q;
  logic        waits_q;   // a load has waited while a store was served

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {aw_q, w_q, ar_q, open_q, b_owed_q, r_owed_q, b_q, r_q, half_q, err_q, waits_q} <= '0;
      {bresp_q, rresp_q, rdata_q, word_q, store_q, araddr_q} <= '0;
    end else begin
      aw_q     <= awvalid_i & ~awready;
      w_q      <= wvalid_i & ~wready;
      ar_q     <= arvalid_i & ~arready;
      store_q  <= {awaddr_i, wdata_i, wstrb_i};
      araddr_q <= araddr_i;
      b_q      <= bvalid & ~bready_i;
      r_q      <= rvalid & ~rready_i;
      {bresp_q, rresp_q, rdata_q} <= {bresp, rresp, rdata};
      if (bvalid && bready_i) b_owed_q <= 1'b0;
      if (rvalid && rready_i) r_owed_q <= 1'b0;
      if (awready) b_owed_q <= 1'b1;
      if (arready) r_owed_q <= 1'b1;
      if (rvalid_i) open_q <= 1'b0;
      if (req && gnt_i) open_q <= 1'b1;
      if (awready) half_q <= ~(&wstrb_i);
      if (rvalid_i) {err_q, word_q} <= {err_i, rdata_i};
      if (arready || !arvalid_i) waits_q <= 1'b0;
      else if (awready) waits_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      AssumeAw:     assume (!aw_q || (awvalid_i && awaddr_i == store_q[41:36]));
      AssumeW:      assume (!w_q || (wvalid_i && {wdata_i, wstrb_i} == store_q[35:0]));
      AssumeAr:     assume (!ar_q || (arvalid_i && araddr_i == araddr_q));
      AssumeAnswer: assume (!rvalid_i || open_q);

      // REQ-axil-valid: an answer stays, as it is, until it is taken.
      AssertB: assert (!b_q || (bvalid && bresp == bresp_q));
      AssertR: assert (!r_q || (rvalid && rresp == rresp_q && rdata == rdata_q));
      // REQ-axil-answer: one answer for each store and each load that was taken, none besides.
      AssertBOwed: assert (!bvalid || b_owed_q);
      AssertROwed: assert (!rvalid || r_owed_q);
      AssertBNext: assert (!awready || !b_owed_q);
      AssertRNext: assert (!arready || !r_owed_q);
      AssertTaken: assert (awready == wready && (!awready || (awvalid_i && wvalid_i)) && (!arready || arvalid_i));
      // REQ-axil-half: a store of less than a word is answered by SLVERR, and reaches nothing.
      AssertHalf:    assert (!(bvalid && half_q) || bresp == 2'b10);
      AssertNothing: assert (!(req && we) || &wstrb_i);
      // REQ-axil-port: the port gets one access at a time, as the master gave it, and its answer goes to the master.
      AssertSingle: assert (!req || !open_q);
      AssertSame:   assert (!req || (we ? addr == awaddr_i[5:2] && wdata == wdata_i : addr == araddr_i[5:2]));
      AssertResp:   assert (!(bvalid && !half_q) || bresp == {err_q, 1'b0});
      AssertWord:   assert (!rvalid || (rdata == word_q && rresp == {err_q, 1'b0}));
      // REQ-axil-turn: a load waits for one store at most.
      AssertTurn: assert (!(waits_q && awready));

      AssertInv:  assert (u_port.busy_q == open_q);
      AssertInv2: assert ((b_owed_q | r_owed_q) == (u_port.busy_q | u_port.answer_q) && !(b_owed_q & r_owed_q));
      AssertInv3: assert (!(u_port.busy_q & u_port.answer_q));
      AssertInv4: assert (!b_owed_q || u_port.we_q);
      AssertInv5: assert (!r_owed_q || !u_port.we_q);
      AssertInv6: assert (!(u_port.answer_q && u_port.we_q && half_q) || u_port.err_q);
      AssertInv7: assert (!(u_port.answer_q && !(u_port.we_q && half_q)) || u_port.err_q == err_q);
      AssertInv8: assert (!(u_port.answer_q && !u_port.we_q) || u_port.rdata_q == word_q);
      AssertInv9: assert (!waits_q || u_port.store_last_q);
      AssertInv10: assert (!(u_port.busy_q && u_port.we_q) || !half_q);

      CoverStore: cover (bvalid && bready_i && bresp == 2'b00);
      CoverLoad:  cover (rvalid && rready_i && rdata == 32'h5);
      CoverHalf:  cover (bvalid && bready_i && half_q);
      CoverError: cover (rvalid && rready_i && rresp == 2'b10);
      CoverWait:  cover (r_q);
      CoverTurn:  cover (waits_q && arready);
    end
  end

endmodule
