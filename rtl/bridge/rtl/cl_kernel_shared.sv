// SPDX-License-Identifier: Apache-2.0
// The kernel's client ports behind one port that never blocks: for a bus that several masters share, and for masters that
// cannot wait, such as a core without wait states or a DMA.
//
// An address is {client, op, id}; loads and stores are those of the client's own port, but a load waits for its answer at
// most Patience cycles. Later it is answered by PENDING, a word that the kernel never gives, and the operation goes on:
// when its answer is there, done_o of the client rises. A load of RESULT then gives it, and done_o falls; before that it
// gives PENDING, too. STATE tells the same of all clients: pending in the upper half, done in the lower.
// Until the answer is fetched the client does nothing else: its other accesses are answered by err_o, and reach nothing;
// so are those of a client that is not there.
//
// Words here (any id):  RESULT op 0xFF (load)   STATE op 0xFE (load, any client)
// Cycles: those of the client's port, at most Patience + 1 from gnt_o to rvalid_o. The fixed order is that of the bus.
module cl_kernel_shared #(
  parameter  int unsigned Clients  = 2,   // 1 to 16
  parameter  int unsigned Patience = 8,   // 1 to 255
  localparam int unsigned Width    = (Clients > 1) ? $clog2(Clients) : 1
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     req_i,
  output logic                     gnt_o,
  input  logic                     we_i,
  input  logic       [Width+17:0]  addr_i,
  input  logic              [31:0] wdata_i,
  output logic                     rvalid_o,
  output logic              [31:0] rdata_o,
  output logic                     err_o,
  output logic       [Clients-1:0] done_o,   // an answer waits to be fetched

  // The kernel's clients
  output logic       [Clients-1:0] req_o,
  input  logic       [Clients-1:0] gnt_i,
  output logic                     we_o,
  output logic              [17:0] addr_o,
  output logic              [31:0] wdata_o,
  input  logic       [Clients-1:0] rvalid_i,
  input  logic [Clients-1:0][31:0] rdata_i
);

  localparam logic  [7:0] OpResult = 8'hFF;
  localparam logic  [7:0] OpState  = 8'hFE;
  localparam logic [31:0] Pending  = 32'd1 << 29;

  typedef enum logic [1:0] {
    StIdle,
    StHere,    // answered here, in the next cycle
    StWait     // for the client's port
  } state_e;

  state_e                   state_q;
  logic         [Width-1:0] client, client_q;
  logic               [7:0] op;
  logic               [7:0] left_q;
  logic                     known, free, here, fetches, over;
  logic                     err_q;
  logic              [31:0] word_q;
  logic       [Clients-1:0] at, at_q, pending_q, done_q;
  logic [Clients-1:0][31:0] result_q;

  assign client  = addr_i[18+:Width];
  assign op      = addr_i[10+:8];
  assign known   = 32'(client) < Clients;
  assign at      = known ? Clients'(1) << client : '0;
  assign at_q    = Clients'(1) << client_q;
  assign free    = (at & ~pending_q & ~done_q) != '0;
  assign fetches = ~we_i & op == OpResult & known;
  assign here    = op == OpState | op == OpResult | ~free;

  assign req_o   = (req_i && state_q == StIdle && !here) ? at : '0;
  assign we_o    = we_i;
  assign addr_o  = addr_i[17:0];
  assign wdata_o = wdata_i;
  assign gnt_o   = req_i && state_q == StIdle && (here || (req_o & gnt_i) != '0);

  // The answer itself wins over the end of patience.
  assign over     = left_q == '0;
  assign rvalid_o = state_q == StHere || (state_q == StWait && ((rvalid_i & at_q) != '0 || over));
  assign err_o    = state_q == StHere && err_q;
  assign done_o   = done_q;

  always_comb begin
    rdata_o = word_q;
    if (state_q == StWait) begin
      rdata_o = Pending;
      for (int unsigned c = 0; c < Clients; c++) if (at_q[c] && rvalid_i[c]) rdata_o = rdata_i[c];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      client_q  <= '0;
      left_q    <= '0;
      err_q     <= 1'b0;
      word_q    <= '0;
      pending_q <= '0;
      done_q    <= '0;
      result_q  <= '0;
    end else begin
      if (rvalid_o) state_q <= StIdle;
      left_q <= left_q - 8'(!over);
      for (int unsigned c = 0; c < Clients; c++) begin
        if (pending_q[c] && rvalid_i[c]) begin
          pending_q[c] <= 1'b0;
          done_q[c]    <= 1'b1;
          result_q[c]  <= rdata_i[c];
        end else if (state_q == StWait && at_q[c] && over && !rvalid_i[c]) begin
          pending_q[c] <= 1'b1;
        end
      end
      if (gnt_o) begin
        state_q  <= here ? StHere : StWait;
        client_q <= client;
        left_q   <= 8'(Patience) - 8'd1;
        err_q    <= we_i ? here : !(op == OpState || (fetches && !free));
        word_q   <= op == OpState ? 32'(done_q) | 32'(pending_q) << 16 : Pending;
        for (int unsigned c = 0; c < Clients; c++) begin
          if (fetches && at[c] && done_q[c]) begin
            word_q    <= result_q[c];
            done_q[c] <= 1'b0;
          end
        end
      end
    end
  end

endmodule
