// SPDX-License-Identifier: Apache-2.0
// Properties of cl_backdoor_window, for every window, request, bus and use of the blocks by processor 0. The reference
// keeps the window and the request of a transfer and counts its words.
//
// REQ-backdoor-18: an access to the bus of processor 0 is to a whole word inside the window as it is in that cycle, and
//   a store only to a writable window. There is none while closed, held, or idle.
// REQ-backdoor-19: the words of a transfer are those that were asked for, in order and once each: word n of the bus is
//   word n of the block, in both directions, whatever processor 0 does with the blocks meanwhile.
// REQ-backdoor-20: an invalid request moves nothing, and its error is the one defined in the RTL's header; a request ends
//   once, without an error only when all of its words have arrived, and with `cut` when the window changed.
module cl_backdoor_window_formal
  import cl_soc_pkg::*;
  import cl_backdoor_pkg::*;
  import cl_backdoor_types_pkg::*;
#(
  parameter  int unsigned BlockBytes = 16,
  localparam int unsigned AddrW      = $clog2(BlockBytes / 4)
) (
  input logic            clk_i,
  input logic            rst_ni,
  input logic     [29:0] base_i,
  input window_t         window_i,
  input logic            change_i,
  input logic            live_i,
  input logic            start_i,
  input window_request_t request_i,
  input logic            near_store_i,
  input logic            near_load_i,
  input logic     [31:0] other_i,       // word that processor 0 loads
  input logic     [31:0] salt_i,        // word n of the up block is n ^ salt
  input logic            gnt_i,
  input logic            err_i,
  input logic     [31:0] rdata_i
);

  window_answer_t   answer;
  logic             busy, moved, down_write, up_read, bus_req, sent_q;
  logic [AddrW-1:0] block_addr;
  logic      [31:0] down_word, up_word_q;
  obi_req_t         cmd;

  cl_backdoor_window #(
    .BlockBytes(BlockBytes)
  ) u_dut (
    .clk_i, .rst_ni,
    .base_i, .window_i, .change_i, .live_i, .start_i, .request_i,
    .answer_o    (answer),
    .busy_o      (busy),
    .moved_o     (moved),
    .near_store_i, .near_load_i,
    .down_write_o(down_write),
    .up_read_o   (up_read),
    .block_addr_o(block_addr),
    .down_word_o (down_word),
    .up_word_i   (up_word_q),
    .bus_req_o   (bus_req),
    .bus_cmd_o   (cmd),
    .bus_gnt_i   (gnt_i),
    .bus_rvalid_i(sent_q),
    .bus_err_i   (err_i),
    .bus_rdata_i (rdata_i)
  );

  // --- what is around it ---

  logic            been_q, asked_q, change_q, live_q, start_q, done_q, busy_q;
  window_request_t request_q;
  window_t         window_q;
  logic     [29:0] base_q;
  logic     [31:0] salt_q;

  assign asked_q = start_q != done_q;   // in the cycle before

  always_comb begin
    assume (!(gnt_i && (near_store_i || near_load_i)) && !(near_store_i && near_load_i));
    if (been_q) begin
      assume (salt_i == salt_q);
      if (!change_q && live_q) assume (window_i == window_q && base_i == base_q);
      if (asked_q && live_q) assume (start_i == start_q && request_i == request_q);
    end
    if (!live_q && live_i) assume (!start_i);   // start is 0 when processor 1 is let go
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {been_q, change_q, live_q, start_q, done_q, busy_q, sent_q} <= '0;
      request_q <= '0;
      window_q  <= '0;
      base_q    <= '0;
      salt_q    <= '0;
      up_word_q <= '0;
    end else begin
      been_q    <= 1'b1;
      change_q  <= change_i;
      live_q    <= live_i;
      start_q   <= start_i;
      done_q    <= answer.done;
      busy_q    <= busy;
      sent_q    <= bus_req & gnt_i;
      request_q <= request_i;
      window_q  <= window_i;
      base_q    <= base_i;
      salt_q    <= salt_i;
      if (near_load_i)  up_word_q <= other_i;
      else if (up_read) up_word_q <= 32'(block_addr) ^ salt_i;
    end
  end

  // --- the reference ---

  logic [31:0] granted_q, written_q, answered_q;   // words of the transfer
  logic        fault_q, end_q, cut_q, died_q;      // in the cycle before: an error came, ...
  logic        kept_q;                             // a word has been answered and is not written
  logic [31:0] keep_q;
  logic        window_ok, block_ok, ok, answers;
  logic [31:0] words, place;

  assign words     = 32'(request_i.words);
  assign place     = 32'(request_i.offset[31:2]);
  assign window_ok = request_i.offset[1:0] == '0 && window_i.words != '0 && place + words <= 32'(window_i.words);
  assign block_ok  = request_i.block[1:0] == '0 && request_i.block < BlockBytes
                     && request_i.block / 4 + words <= BlockBytes / 4;
  assign ok        = window_ok && (window_i.writable || !request_i.up) && block_ok;
  assign answers   = sent_q && busy && !err_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {granted_q, written_q, answered_q, keep_q} <= '0;
      {fault_q, cut_q, died_q, kept_q} <= '0;
    end else begin
      granted_q  <= busy ? granted_q + 32'(bus_req & gnt_i) : '0;
      written_q  <= busy ? written_q + 32'(down_write) : '0;
      answered_q <= busy ? answered_q + 32'(answers) : '0;
      fault_q    <= busy & sent_q & err_i;
      cut_q      <= busy & change_i;
      died_q     <= !live_i;
      kept_q     <= busy && !request_i.up && (kept_q || answers) && !down_write;
      if (answers && !kept_q) keep_q <= rdata_i;
    end
  end

  // --- properties ---

  always_comb begin
    // REQ-backdoor-18
    if (bus_req) begin
      assert (busy && cmd.be == '1 && cmd.addr[1:0] == '0);
      assert (cmd.addr[31:2] - base_i < window_i.words);
      assert (!cmd.we || window_i.writable);
    end
    if (died_q || !been_q) assert (!bus_req && !down_write);
    if (window_i.words == '0) assert (!bus_req);

    // REQ-backdoor-19
    if (bus_req) begin
      assert (ok && granted_q < words && cmd.we == request_i.up);
      assert (cmd.addr[31:2] == base_i + 30'(place + granted_q));
      if (cmd.we) assert (cmd.wdata == ((request_i.block / 4 + granted_q) ^ salt_i));
    end
    if (down_write) begin
      assert (!near_store_i && ok && !request_i.up && written_q < words);
      assert (32'(block_addr) == request_i.block / 4 + written_q);
      assert (down_word == (kept_q ? keep_q : rdata_i) && (kept_q || answers));
    end
    assert (!(kept_q && answers));
    if (up_read) assert (!near_load_i && request_i.up && ok);

    // REQ-backdoor-20
    if (been_q && !died_q && answer.done != done_q) begin
      assert (busy_q && !busy);
      unique case (answer.error)
        WindowErrorCut:    assert (cut_q);
        WindowErrorMemory: assert (fault_q && !cut_q);
        WindowErrorNone:   assert (!cut_q && !fault_q && (words == '0 ||
                                   (request_q.up ? granted_q == words : written_q == words)));
        WindowErrorWindow: assert (!window_ok && granted_q == '0);
        WindowErrorWrite:  assert (window_ok && !window_i.writable && request_i.up && granted_q == '0);
        WindowErrorBlock:  assert (window_ok && !block_ok && granted_q == '0);
        default:           assert (1'b0);
      endcase
    end
    if (been_q && !died_q && busy_q && !busy) assert (answer.done != done_q);
    if (been_q && !died_q && !busy_q) assert (answer.done == done_q);
  end

  // --- lemmas ---

  always_comb begin
    assert (busy == (u_dut.state_q != 2'd0));
    if (busy) assert (live_q && start_i != answer.done);
    if (!busy) assert (!u_dut.sent_q);
    if (busy) begin
      assert (u_dut.sent_q == sent_q);
      assert (u_dut.place_q == base_i + 30'(place + granted_q));
      assert (32'(u_dut.left_q) == words - granted_q && granted_q <= words);
      assert (granted_q == answered_q + 32'(sent_q));
      assert (u_dut.window_bad_q == !window_ok && u_dut.block_bad_q == !block_ok);
    end
    if (busy && u_dut.state_q == 2'd1) assert (granted_q == '0 && !sent_q && !kept_q && !u_dut.have_q);
    if (busy && u_dut.state_q == 2'd1) assert (u_dut.block_q == request_i.block[AddrW+1:2] && written_q == '0);
    if (busy && u_dut.state_q == 2'd2) begin
      assert (ok && words != '0);
      if (request_i.up) begin
        assert (u_dut.block_q == AddrW'(request_i.block / 4 + granted_q) && written_q == '0 && !kept_q);
        if (u_dut.have_q) assert (granted_q < words && up_word_q == ((request_i.block / 4 + granted_q) ^ salt_i));
      end else begin
        assert (u_dut.block_q == AddrW'(request_i.block / 4 + written_q));
        assert (u_dut.have_q == kept_q && answered_q == written_q + 32'(kept_q));
        if (kept_q) assert (u_dut.kept_q == keep_q && !sent_q);
      end
    end
    assert (u_dut.state_q != 2'd3);
    if (!live_q) assert (!answer.done && !busy);
    if (busy) assert (answer.done == done_q);
    if (!been_q) assert (!live_q);
  end

endmodule
