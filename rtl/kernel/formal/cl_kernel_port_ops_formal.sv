// SPDX-License-Identifier: Apache-2.0
// Properties of messages, by induction over cycles: the words of a client when its send begins are, together and as they
// were, those of the client that receives the message, after as many others as were in the port before it; and a line's
// message is its number.
//
// Two clients (cl_kernel_port) do anything at any time. An engine serves one of them, or a line, and publishes, decides
// or waits as it likes. One message, any, is followed.
module cl_kernel_port_ops_formal
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg       = Default,
  localparam int unsigned Ports     = Cfg.Ports,
  localparam int unsigned PortDepth = Cfg.PortDepth,
  localparam int unsigned PortWords = Cfg.PortWords,
  localparam int unsigned Clients   = Cfg.Cpus
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic       [Clients-1:0] req_i,           // the clients' accesses
  input logic       [Clients-1:0] we_i,
  input logic [Clients-1:0][17:0] addr_i,
  input logic [Clients-1:0][31:0] wdata_i,
  input logic                     pick_i,          // what the engine takes: the operation of this client,
  input logic                     by_line_i,       // or line line_i, bound to port line_port_i
  input logic                     line_i,
  input logic               [9:0] line_port_i,
  input logic                     decide_i,
  input logic                     publish_i,
  input logic                     waiter_valid_i,
  input logic                     follow_i         // the message that is sent now
);

  localparam int unsigned PortWidth = (Ports > 1) ? $clog2(Ports) : 1;
  localparam int unsigned SlotWidth = (PortDepth > 1) ? $clog2(PortDepth) : 1;

  typedef logic [PortWords:0][31:0] message_t;
  typedef logic     [PortWidth-1:0] port_id_t;
  typedef logic       [SlotWidth:0] pointer_t;

  // ---------------------------------------------------------------------------------------------
  // The clients

  logic     [Clients-1:0]       gnt, rvalid, op_valid, save, take, words_we, answer, busy;
  logic     [Clients-1:0][31:0] rdata;
  logic     [Clients-1:0] [7:0] op;
  logic     [Clients-1:0] [9:0] id;
  message_t [Clients-1:0]       words;
  message_t                     message;
  message_t [Clients-1:0]       own_q;   // what it stored or received last
  message_t [Clients-1:0]       sent_q;  // the same when its operation began

  for (genvar c = 0; c < Clients; c++) begin : g_client
    logic       word_access, loaded_q;
    logic [9:0] n, n_q;

    cl_kernel_port #(.PortWords(PortWords)) u_port (
      .clk_i,
      .rst_ni,
      .request_i      ({req_i[c], we_i[c], addr_i[c], wdata_i[c]}),
      .answer_o       ({gnt[c], rvalid[c], rdata[c]}),
      .op_valid_o     (op_valid[c]),
      .op_o           (op[c]),
      .id_o           (id[c]),
      .save_o         (save[c]),
      .take_i         (take[c]),
      .words_o        (words[c]),
      .words_we_i     (words_we[c]),
      .words_i        (message),
      .answer_valid_i (answer[c]),
      .word_i         ('0)
    );
    assign busy[c]     = u_port.busy_q;
    assign word_access = gnt[c] && addr_i[c][17:10] == OpWord0;
    assign n           = (32'(addr_i[c][9:0]) <= PortWords) ? addr_i[c][9:0] : '0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        own_q[c]  <= '0;
        sent_q[c] <= '0;
        loaded_q  <= 1'b0;
        n_q       <= '0;
      end else begin
        if (words_we[c])             own_q[c]    <= message;
        if (word_access && we_i[c])  own_q[c][n] <= wdata_i[c];
        if (gnt[c])                  sent_q[c]   <= words_we[c] ? message : own_q[c];
        loaded_q <= word_access && !we_i[c];
        n_q      <= n;
        AssertLoaded:  assert (!loaded_q || (rvalid[c] && rdata[c] == own_q[c][n_q]));
        AssertOwn:     assert (words[c] == own_q[c] && 32'(n_q) <= PortWords);
        AssertSent:    assert (!busy[c] || own_q[c] == sent_q[c]);
        AssertOffered: assert (!op_valid[c] || busy[c]);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The engine

  typedef enum logic [1:0] {StIdle, StDispatch, StPublish, StFetch} state_e;

  state_e             state_q;
  logic               cpu_q, by_line_q, line_q, commit, walk, read, publish_wakes, publish_more, message_valid;
  logic               bind_exists, bind_open, receiver;
  logic         [7:0] op_q;
  logic         [9:0] id_q, read_id;
  logic [Clients-1:0] unpublished;
  outcome_t           outcome;

  assign read    = state_q inside {StIdle, StFetch};
  assign read_id = (state_q == StFetch) ? id_q : by_line_i ? line_port_i : id[pick_i];
  assign commit  = state_q == StDispatch && decide_i;
  assign walk    = state_q == StDispatch && !decide_i && publish_i && unpublished[cpu_q];

  always_comb begin
    take     = '0;
    answer   = '0;
    words_we = '0;
    take[pick_i]    = state_q == StIdle && !by_line_i && op_valid[pick_i];
    answer[cpu_q]   = commit && !by_line_q;
    words_we[cpu_q] = message_valid;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      cpu_q     <= 1'b0;
      by_line_q <= 1'b0;
      line_q    <= 1'b0;
      op_q      <= '0;
      id_q      <= '0;
    end else begin
      unique case (state_q)
        StIdle: if (by_line_i || take != '0) begin
          state_q   <= StDispatch;
          cpu_q     <= pick_i;
          by_line_q <= by_line_i;
          line_q    <= line_i;
          op_q      <= by_line_i ? OpPortTrysend : op[pick_i];
          id_q      <= read_id;
        end
        StDispatch: if (commit) state_q <= StIdle;
                    else if (walk) state_q <= StPublish;
        StPublish:  if (!publish_more) state_q <= StFetch;
        StFetch:    state_q <= StDispatch;
      endcase
      AssertServed: assert (state_q == StIdle || (by_line_q ? op_q == OpPortTrysend : busy[cpu_q] && !op_valid[cpu_q]));
      AssertEnded:  assert (!message_valid || (state_q == StIdle && !busy[cpu_q]));
    end
  end

  cl_kernel_port_ops #(.Cfg(Cfg)) u_dut (
    .clk_i,
    .rst_ni,
    .read_i          (read),
    .read_id_i       (read_id),
    .op_i            (op_q),
    .id_i            (id_q),
    .cpu_i           (cpu_q),
    .caller_i        (cpu_q),
    .word0_i         (words[cpu_q][0]),
    .words_i         (words[cpu_q]),
    .by_line_i       (by_line_q),
    .line_i          (line_q),
    .bind_id_i       ('0),
    .bind_exists_o   (bind_exists),
    .bind_open_o     (bind_open),
    .waiter_valid_i,
    .outcome_o       (outcome),
    .commit_i        (commit),
    .receiver_o      (receiver),
    .message_valid_o (message_valid),
    .message_o       (message),
    .unpublished_o   (unpublished),
    .walk_i          (walk),
    .publish_i       (state_q == StPublish),
    .publish_wakes_o (publish_wakes),
    .publish_more_o  (publish_more)
  );

  // Proven of the kernel: only ports on the caller's list are published, each when it is the head, and each once.
  always_comb begin
    if (state_q == StPublish) assume (u_dut.u_sent.valid_o[cpu_q] && u_dut.u_sent.head_q[cpu_q] == u_dut.port_q &&
                                      32'(u_dut.port_q) < Ports && !(publish_more && u_dut.sent_next == u_dut.port_q));
  end

  // ---------------------------------------------------------------------------------------------
  // The message that is followed

  logic                done, sends, takes, closes;  // by this decision
  logic                follows_q, arrives_q;        // it is in its port; its receiver gets it now
  port_id_t            port, port_q;                // of the operation; of the message
  pointer_t            ahead_q;                     // messages that go before it
  message_t            data_q;
  pointer_t [Ports-1:0] count_q;                    // messages in each port

  assign done   = commit && outcome.status == StatusOk && outcome.course == CourseDone;
  assign sends  = done && op_q inside {OpPortSend, OpPortTrysend};
  assign takes  = done && op_q inside {OpPortReceive, OpPortTryreceive};
  assign closes = done && op_q inside {OpPortClose, OpPortOpen};
  assign port   = port_id_t'(id_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      follows_q <= 1'b0;
      arrives_q <= 1'b0;
      port_q    <= '0;
      ahead_q   <= '0;
      data_q    <= '0;
      count_q   <= '0;
    end else begin
      arrives_q <= 1'b0;
      if (sends)  count_q[port] <= count_q[port] + 1'b1;
      if (takes)  count_q[port] <= count_q[port] - 1'b1;
      if (closes) count_q[port] <= '0;
      if (sends && follow_i && !follows_q) begin
        follows_q <= 1'b1;
        port_q    <= port;
        ahead_q   <= count_q[port];
        data_q    <= by_line_q ? message_t'(line_q) : sent_q[cpu_q];
      end else if (follows_q && port == port_q) begin
        if (takes) begin
          arrives_q <= ahead_q == '0;
          follows_q <= ahead_q != '0;
          ahead_q   <= ahead_q - 1'b1;
        end
        if (closes) follows_q <= 1'b0;
      end
      AssertArrives: assert (!arrives_q || (message_valid && message == data_q));
    end
  end

  // Invariants that make it inductive: how the unit keeps messages
  logic    [Ports-1:0] counted;
  pointer_t            slot;

  for (genvar p = 0; p < Ports; p++) begin : g_port
    pointer_t rd, published, wr;
    logic     unused_waits, unused_immediate, unused_receiver;
    assign {unused_receiver, unused_waits, unused_immediate, rd, published, wr} = u_dut.u_port.g_any.mem[p];
    assign counted[p] = !u_dut.open_q[p] ? count_q[p] == '0 :
                        pointer_t'(wr - rd) == count_q[p] && 32'(count_q[p]) <= PortDepth &&
                        pointer_t'(published - rd) <= count_q[p];
  end

  assign slot = pointer_t'(u_dut.u_port.g_any.mem[port_q] >> 2 * (SlotWidth + 1)) + ahead_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertCounted: assert (counted == '1);
      AssertKept: assert (!follows_q || (u_dut.open_q[port_q] && ahead_q < count_q[port_q] && 32'(port_q) < Ports &&
                                         u_dut.u_payload.g_any.mem[{port_q, slot[SlotWidth-1:0]}] == data_q));
      AssertRead: assert (state_q != StDispatch || 32'(id_q) >= Ports ||
                          (u_dut.port_q == port && u_dut.is_open == u_dut.open_q[port] &&
                           u_dut.listed == u_dut.u_sent.listed_q[port]));
      AssertRecord: assert (read || u_dut.port == u_dut.u_port.g_any.mem[u_dut.port_q]);
    end
  end

endmodule
