// SPDX-License-Identifier: Apache-2.0
// The shared port for every master and every behaviour of the clients' ports that answers what it has taken.
// Not proved: that the kernel answers; of the words of answers, those of client 0 are followed.
module cl_kernel_shared_formal #(
  parameter  int unsigned Clients  = 2,
  parameter  int unsigned Patience = 2,
  localparam int unsigned Width    = (Clients > 1) ? $clog2(Clients) : 1
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic                     req_i,
  input logic                     we_i,
  input logic       [Width+17:0]  addr_i,
  input logic              [31:0] wdata_i,
  input logic       [Clients-1:0] gnt_i,
  input logic       [Clients-1:0] rvalid_i,
  input logic [Clients-1:0][31:0] rdata_i
);

  localparam logic [31:0] Pending = 32'd1 << 29;

  logic               gnt, rvalid, err, we;
  logic        [31:0] rdata, wdata;
  logic        [17:0] addr;
  logic [Clients-1:0] done, req;

  cl_kernel_shared #(
    .Clients (Clients),
    .Patience(Patience)
  ) u_shared (
    .clk_i,
    .rst_ni,
    .req_i,
    .gnt_o   (gnt),
    .we_i,
    .addr_i,
    .wdata_i,
    .rvalid_o(rvalid),
    .rdata_o (rdata),
    .err_o   (err),
    .done_o  (done),
    .req_o   (req),
    .gnt_i,
    .we_o    (we),
    .addr_o  (addr),
    .wdata_o (wdata),
    .rvalid_i,
    .rdata_i
  );

  logic               held_q, open_q, mine_q, fetch_q, answered_q;
  logic         [7:0] age_q;
  logic [Clients-1:0] busy_q;      // what a client's port has to answer
  logic        [31:0] word_q;      // its last answer to client 0
  logic               result, to_0;
  logic [Clients-1:0] waits;       // the client whose answer the open access waits for

  assign waits  = u_shared.state_q == 2 ? Clients'(1) << u_shared.client_q : '0;
  assign result = addr_i[17:10] == 8'hFF;
  assign to_0   = addr_i[18+:Width] == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {held_q, open_q, mine_q, fetch_q, answered_q} <= '0;
      age_q  <= '0;
      busy_q <= '0;
      word_q <= '0;
    end else begin
      held_q <= req_i & ~gnt;
      age_q  <= gnt ? 8'd1 : age_q + 8'd1;
      if (rvalid) open_q <= 1'b0;
      if (gnt) open_q <= 1'b1;
      busy_q <= (busy_q & ~rvalid_i) | (req & gnt_i);
      if (rvalid_i[0]) word_q <= rdata_i[0];
      if (gnt) mine_q <= req[0] & gnt_i[0];
      if (gnt) fetch_q <= to_0 & result & ~we_i & done[0];
      // An answer that nobody has been given yet.
      if (rvalid_i[0] && !(mine_q && open_q && rvalid)) answered_q <= 1'b1;
      else if (gnt && to_0 && result && !we_i && done[0]) answered_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      AssumeHeld: assume (!held_q || (req_i && $stable(we_i) && $stable(addr_i) && $stable(wdata_i)));
      AssumeAnswer: assume ((rvalid_i & ~busy_q) == '0);
      AssumeFree:   assume ((req & ~busy_q & ~gnt_i) == '0);   // a port that is not busy grants at once
      AssumeWord:   assume (!rdata_i[0][29]);

      // REQ-shared-patience: never blocks: taken in the cycle of the request, unless another access is open, and answered
      // within Patience + 1 cycles.
      AssertTaken: assert (!(req_i && !open_q) || gnt);
      AssertTime:  assert (!open_q || age_q <= Patience + 1);
      // REQ-shared-answer: one answer for each access, none besides.
      AssertOwed: assert (!rvalid || open_q);
      AssertOne:  assert (!gnt || !open_q);
      // REQ-shared-client: one access at a time reaches one client, and none that has an answer to fetch or to come.
      AssertOneClient: assert ($onehot0(req));
      AssertFree:      assert ((req & (busy_q | done)) == '0);
      AssertSame:      assert (req == '0 || (we == we_i && addr == addr_i[17:0] && wdata == wdata_i));
      // REQ-shared-lost: no answer of the kernel is lost, nor given twice; PENDING is never an answer.
      AssertKept:   assert (answered_q == done[0]);
      AssertGiven:  assert (!(open_q && mine_q && rvalid && rvalid_i[0]) || (rdata == rdata_i[0] && !err));
      AssertLater:  assert (!(open_q && mine_q && rvalid && !rvalid_i[0]) || (rdata == Pending && !err));
      AssertFetch:  assert (!(open_q && fetch_q && rvalid) || (!err && rdata == $past(word_q)));

      AssertInv:  assert (open_q == (u_shared.state_q != 0));
      AssertInv2: assert (u_shared.state_q != 3);
      AssertInv3: assert ((u_shared.pending_q & done) == '0);
      AssertInv4: assert (busy_q == (u_shared.pending_q | waits));
      AssertInv5: assert ((waits & (u_shared.pending_q | done)) == '0);
      AssertInv6: assert (u_shared.state_q != 2 || (32'(u_shared.client_q) < Clients && u_shared.left_q + age_q == Patience));
      AssertInv7: assert (u_shared.state_q != 1 || age_q == 1);
      AssertInv8: assert (!done[0] || u_shared.result_q[0] == word_q);
      AssertInv9: assert (!open_q || mine_q == (u_shared.state_q == 2 && u_shared.client_q == '0));
      AssertInv10: assert (!(open_q && fetch_q) || (u_shared.state_q == 1 && !u_shared.err_q && u_shared.word_q == $past(word_q)));
      AssertInv11: assert (u_shared.state_q != 2 || u_shared.left_q < Patience);

      CoverAnswer: cover (open_q && mine_q && rvalid && rvalid_i[0]);
      CoverLater:  cover (open_q && mine_q && rvalid && !rvalid_i[0]);
      CoverFetch:  cover (open_q && fetch_q && rvalid && rdata == 32'h5);
      CoverOther:  cover (open_q && rvalid && err);
      CoverBoth:   cover (&done);
    end
  end

endmodule
