// SPDX-License-Identifier: Apache-2.0
// Mailboxes: a FIFO of words from each processor to each other one.
//
// A put is done in the first cycle in which all its receivers have room, as of the beginning of the cycle. A get can take
// a word in the cycle in which it is put. This unit also answers reset_end, which all units obey.
module cl_mailbox
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
#(
  parameter int unsigned Cpus  = 2,    // 1..8; with 1 there is no mailbox
  parameter int unsigned Depth = 16    // words in each: a power of two, 2..256
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  access_t [Cpus-1:0] access_i,
  output reply_t  [Cpus-1:0] reply_o
);

  localparam int unsigned LevelWidth = $clog2(Depth) + 1;
  localparam int unsigned IndexWidth = (Cpus > 1) ? $clog2(Cpus) : 1;

  // --- What each processor executes -------------------------------------------------------------------------

  logic [Cpus-1:0]           hit, blocked, refused;
  logic [Cpus-1:0][Cpus-1:0] peers;      // [p]: at the other end of what p executes

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      logic legal;
      for (int unsigned c = 0; c < Cpus; c++) peers[p][c] = c != p && access_i[p].index == 8'(c);
      legal = peers[p] != '0;
      unique case (access_i[p].op)
        OpMailboxPut: begin
          peers[p] = access_i[p].index[Cpus-1:0];
          legal    = access_i[p].we && peers[p] != '0 && access_i[p].index == 8'(peers[p]) && !peers[p][p];
        end
        OpMailboxClearSent, OpMailboxResetSent, OpMailboxClearReceived, OpMailboxResetReceived: begin
          legal &= access_i[p].we;
        end
        OpMailboxRoom, OpMailboxSent, OpMailboxGet, OpMailboxLevel, OpMailboxReceived: begin
          legal &= !access_i[p].we;
        end
        OpMailboxAny: legal = !access_i[p].we && access_i[p].index == '0;
        OpResetEnd: begin
          peers[p]    = '1;
          peers[p][p] = 1'b0;
          legal       = access_i[p].we && access_i[p].index == '0;
        end
        default: legal = 1'b0;
      endcase
      hit[p] = access_i[p].valid && legal;
    end
  end

  // --- The mailboxes, [sender][receiver] --------------------------------------------------------------------

  logic   [Cpus-1:0][Cpus-1:0]                          full, sent_failed;
  logic   [Cpus-1:0][Cpus-1:0][LevelWidth-1:0]          space;
  error_e [Cpus-1:0][Cpus-1:0]                          sent_error;
  logic   [Cpus-1:0][Cpus-1:0][StateWordCountWidth-1:0] sent;

  // The receiving ends, [receiver][sender]
  logic   [Cpus-1:0][Cpus-1:0]                          some;
  logic   [Cpus-1:0][Cpus-1:0][LevelWidth-1:0]          level;
  logic   [Cpus-1:0][Cpus-1:0][31:0]                    head;
  error_e [Cpus-1:0][Cpus-1:0]                          received_error;
  logic   [Cpus-1:0][Cpus-1:0][StateWordCountWidth-1:0] received;

  for (genvar s = 0; s < Cpus; s++) begin : g_sender
    for (genvar r = 0; r < Cpus; r++) begin : g_receiver
      if (s == r) begin : g_none
        assign full[s][r]           = 1'b0;
        assign space[s][r]          = '0;
        assign sent_error[s][r]     = ErrorOk;
        assign sent[s][r]           = '0;
        assign some[r][s]           = 1'b0;
        assign level[r][s]          = '0;
        assign head[r][s]           = '0;
        assign received_error[r][s] = ErrorOk;
        assign received[r][s]       = '0;
      end else begin : g_fifo
        logic send, receive, put, get, clears_sent, clears_received, resets_sent, resets_received;

        assign send            = hit[s] & peers[s][r];
        assign receive         = hit[r] & peers[r][s];
        assign put             = send & access_i[s].op == OpMailboxPut & ~refused[s];
        assign get             = receive & access_i[r].op == OpMailboxGet & received_error[r][s] == ErrorOk;
        assign clears_sent     = access_i[s].op == OpMailboxClearSent &
                                 access_i[s].wdata[WordErrorLsb+:WordErrorWidth] == sent_error[s][r];
        assign clears_received = access_i[r].op == OpMailboxClearReceived &
                                 access_i[r].wdata[WordErrorLsb+:WordErrorWidth] == received_error[r][s];
        assign resets_sent     = access_i[s].op == OpMailboxResetSent | access_i[s].op == OpResetEnd;
        assign resets_received = access_i[r].op == OpMailboxResetReceived | access_i[r].op == OpResetEnd;

        cl_mailbox_fifo #(.Depth(Depth)) u_fifo (
          .clk_i, .rst_ni,
          .put_i           (put & ~blocked[s]),
          .put_gives_up_i  (put & access_i[s].last & full[s][r]),
          .put_code_i      (access_i[s].code),
          .clear_sent_i    (send & clears_sent),
          .reset_sent_i    (send & resets_sent),
          .word_i          (access_i[s].wdata),
          .full_o          (full[s][r]),
          .space_o         (space[s][r]),
          .sent_error_o    (sent_error[s][r]),
          .sent_o          (sent[s][r]),
          .get_i           (get & some[r][s]),
          .get_gives_up_i  (get & access_i[r].last & ~some[r][s]),
          .get_code_i      (access_i[r].code),
          .clear_received_i(receive & clears_received),
          .reset_received_i(receive & resets_received),
          .some_o          (some[r][s]),
          .level_o         (level[r][s]),
          .head_o          (head[r][s]),
          .received_error_o(received_error[r][s]),
          .received_o      (received[r][s])
        );
      end
      assign sent_failed[s][r] = sent_error[s][r] != ErrorOk;
    end

    // A put depends on registers only, as the receivers depend on it in this cycle.
    assign blocked[s] = (peers[s] & full[s]) != '0;
    assign refused[s] = (peers[s] & sent_failed[s]) != '0;
  end

  // --- Replies ----------------------------------------------------------------------------------------------

  for (genvar p = 0; p < Cpus; p++) begin : g_reply
    logic                           ready, any, its_room, its_some;
    logic [31:0]                    rdata;
    logic [IndexWidth-1:0]          from;
    logic [Cpus-1:0]                unused_grant;
    // The mailbox end of p that the operation addresses
    logic [LevelWidth-1:0]          its_space, its_level;
    error_e                         its_sent_error, its_received_error;
    logic [StateWordCountWidth-1:0] its_sent, its_received;
    logic [31:0]                    its_head;

    assign its_room = (peers[p] & ~full[p]) != '0;
    assign its_some = (peers[p] & some[p]) != '0;

    // Only while it executes: free in hardware, and saves work in simulation.
    always_comb begin
      its_space          = '0;
      its_level          = '0;
      its_sent_error     = ErrorOk;
      its_received_error = ErrorOk;
      its_sent           = '0;
      its_received       = '0;
      its_head           = '0;
      for (int unsigned c = 0; c < Cpus; c++) begin
        if (hit[p] && peers[p][c]) begin
          its_space          |= space[p][c];
          its_level          |= level[p][c];
          its_sent_error      = error_e'(its_sent_error | sent_error[p][c]);
          its_received_error  = error_e'(its_received_error | received_error[p][c]);
          its_sent           |= sent[p][c];
          its_received       |= received[p][c];
          its_head           |= head[p][c];
        end
      end
    end

    cl_round_robin #(.Clients(Cpus)) u_any (
      .clk_i, .rst_ni,
      .req_i   (some[p]),
      .served_i(hit[p] & any & access_i[p].op == OpMailboxAny),
      .valid_o (any),
      .index_o (from),
      .grant_o (unused_grant)
    );

    always_comb begin
      ready = 1'b1;
      rdata = '0;
      if (hit[p]) begin
        unique case (access_i[p].op)
          OpMailboxPut: ready = ~blocked[p] | refused[p];
          OpMailboxRoom: begin
            ready = its_room || its_sent_error == ErrorReset;
            rdata = its_sent_error == ErrorReset ? result(ErrorReset, '0)
                  : !its_room                    ? result(access_i[p].code, '0)
                  :                                result(ErrorOk, WordValueWidth'(its_space));
          end
          OpMailboxSent: rdata = result(its_sent_error, WordValueWidth'(its_sent));
          OpMailboxGet: begin
            ready = its_some || its_received_error != ErrorOk;
            rdata = its_some && its_received_error == ErrorOk ? its_head : Sentinel;
          end
          OpMailboxLevel: begin
            ready = its_some || its_received_error == ErrorReset;
            rdata = its_received_error == ErrorReset ? result(ErrorReset, '0)
                  : !its_some                        ? result(access_i[p].code, '0)
                  :                                    result(ErrorOk, WordValueWidth'(its_level));
          end
          OpMailboxReceived: rdata = result(its_received_error, WordValueWidth'(its_received));
          OpMailboxAny: begin
            ready = any;
            rdata = any ? result(ErrorOk, WordValueWidth'(from)) : result(access_i[p].code, '0);
          end
          default: begin end
        endcase
      end
    end

    assign reply_o[p] = hit[p] ? '{hit: 1'b1, ready: ready, rdata: rdata} : '0;
  end

`ifdef FORMAL
  // Inputs of the FIFOs, [sender][receiver]
  logic [Cpus-1:0][Cpus-1:0] puts, gets, room;

  for (genvar s = 0; s < Cpus; s++) begin : g_fifo_inputs
    for (genvar r = 0; r < Cpus; r++) begin : g_fifo_inputs
      if (s == r) begin : g_none
        assign {puts[s][r], gets[s][r], room[s][r]} = '0;
      end else begin : g_fifo
        assign puts[s][r] = g_sender[s].g_receiver[r].g_fifo.u_fifo.put_i;
        assign gets[s][r] = g_sender[s].g_receiver[r].g_fifo.u_fifo.get_i;
        assign room[s][r] = !g_sender[s].g_receiver[r].g_fifo.u_fifo.full_o;
      end
    end
  end

  // REQ-mailbox-7: while a sender has a word for p, p's mailbox_any selects others at most Cpus - 1 times before it.
  logic [Cpus-1:0]           names;
  logic [Cpus-1:0][Cpus-1:0] fair;

  for (genvar p = 0; p < Cpus; p++) begin : g_turns
    assign names[p] = hit[p] && reply_o[p].ready && access_i[p].op == OpMailboxAny;
    for (genvar s = 0; s < Cpus; s++) begin : g_turn
      int unsigned     passed_q, left;   // left: senders from the one after that named last up to this one
      logic [Cpus-1:0] after;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) passed_q <= 0;
        else if (!some[p][s] || (names[p] && reply_o[p].rdata == 32'(s))) passed_q <= 0;
        else if (names[p]) passed_q <= passed_q + 1;
      end

      assign after      = g_reply[p].u_any.after_q;
      assign left       = s + 1 + 32'($countones(after)) - (after[s] ? Cpus : 0);
      assign fair[p][s] = passed_q < Cpus && passed_q + left <= Cpus;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (&fair);
      for (int unsigned p = 0; p < Cpus; p++) begin
        // REQ-mailbox-5: a put is done at all its receivers in one cycle, or at none.
        assert (puts[p] == '0 || (puts[p] == access_i[p].index[Cpus-1:0] && hit[p] && reply_o[p].ready &&
                                  access_i[p].op == OpMailboxPut && (puts[p] & ~room[p]) == '0));
        if (hit[p] && access_i[p].op == OpMailboxPut) begin
          assert (!access_i[p].index[p]);
          // A put that gives up is the only one answered without effect; it never waits while there is room.
          if (reply_o[p].ready && puts[p] == '0) assert ((access_i[p].index[Cpus-1:0] & sent_failed[p]) != '0);
          if ((access_i[p].index[Cpus-1:0] & ~room[p]) == '0) assert (reply_o[p].ready);
        end
        // REQ-mailbox-6: no wait for a word while there is one, put in this cycle or before.
        for (int unsigned s = 0; s < Cpus; s++) begin
          if (hit[p] && access_i[p].index == 8'(s) &&
              (access_i[p].op == OpMailboxGet || access_i[p].op == OpMailboxLevel)) begin
            if (some[p][s] || puts[s][p]) assert (reply_o[p].ready);
            if (access_i[p].op == OpMailboxGet && received_error[p][s] == ErrorOk) begin
              assert (gets[s][p] == (some[p][s] && reply_o[p].ready));
            end
          end
          if (gets[s][p]) assert (hit[p] && access_i[p].op == OpMailboxGet && access_i[p].index == 8'(s));
        end
        if (hit[p] && access_i[p].op == OpMailboxAny && some[p] != '0) begin
          assert (reply_o[p].ready);
          assert (reply_o[p].rdata < Cpus && some[p][reply_o[p].rdata[IndexWidth-1:0]]);
        end
        assert (hit[p] ? access_i[p].valid : reply_o[p] == '0);
      end
    end
  end
`endif

endmodule
