// SPDX-License-Identifier: Apache-2.0
// What a core may rely on, whatever it and the other masters do: the memory model of rtl/dcache/README.md for one word
// of the memory, which may be any, and one value, which may be any.
module dcache_formal
  import cl_soc_pkg::*;
#(
  parameter int unsigned Bytes     = 16,
  parameter int unsigned LineWords = 1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        req_i,
  input obi_req_t    cmd_i,
  input logic        gnt_i,           // the bus is free for this master,
  input logic        gnt_late_i,      // and nobody else wants it
  input logic        err_i,
  input logic [31:0] rdata_i,         // what other words hold
  input logic        write_i,         // another master writes
  input logic [25:0] write_word_i,
  input logic [31:0] write_data_i,
  input logic  [3:0] write_be_i,
  input logic [25:0] any_word_i,
  input logic [31:0] any_value_i
);

  localparam int unsigned IndexW = $clog2(Bytes / 4);
  localparam int unsigned LineW  = $clog2(Bytes / 4 / LineWords);

  obi_req_t    bus_cmd;
  logic        gnt, rvalid, err, bus_req, bus_late, bus_gnt, bus_gnt_late, granted, write, here;
  logic [31:0] rdata, memory_q, bus_rdata;

  // One word and one value, chosen once
  logic [25:0] word_q;
  logic [31:0] value_q;

  always_ff @(posedge clk_i) begin
    word_q  <= any_word_i;
    value_q <= any_value_i;
    if (rst_ni) assume (word_q == any_word_i && value_q == any_value_i);
  end

  // The bus: one grant a cycle, an answer in the next one. The word is in the memory, so it answers without error.
  logic answer_q, answer_here_q, answer_load_q;
  logic [31:0] answer_data_q;

  assign bus_gnt      = bus_req & gnt_i & rst_ni;
  assign bus_gnt_late = bus_late & ~bus_req & gnt_late_i & rst_ni;
  assign granted      = bus_gnt | bus_gnt_late;
  assign write        = write_i & ~granted & rst_ni;
  assign here         = bus_cmd.addr[31:28] == 4'h4 && bus_cmd.addr[27:2] == word_q;

  function automatic logic [31:0] merge(logic [31:0] old, logic [31:0] data, logic [3:0] be);
    for (int unsigned i = 0; i < 4; i++) merge[8*i +: 8] = be[i] ? data[8*i +: 8] : old[8*i +: 8];
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answer_q      <= 1'b0;
      answer_here_q <= 1'b0;
      answer_load_q <= 1'b0;
    end else begin
      answer_q      <= granted;
      answer_here_q <= granted & here;
      answer_load_q <= granted & ~bus_cmd.we;
    end
  end

  always_ff @(posedge clk_i) begin
    answer_data_q <= memory_q;
    if (granted && here && bus_cmd.we)  memory_q <= merge(memory_q, bus_cmd.wdata, bus_cmd.be);
    else if (write && write_word_i == word_q) memory_q <= merge(memory_q, write_data_i, write_be_i);
  end

  assign bus_rdata = answer_here_q ? answer_data_q : rdata_i;

  cl_dcache #(
    .Bytes    (Bytes),
    .LineWords(LineWords)
  ) u_dcache (
    .clk_i,
    .rst_ni,
    .req_i,
    .cmd_i,
    .gnt_o        (gnt),
    .rvalid_o     (rvalid),
    .err_o        (err),
    .rdata_o      (rdata),
    .bus_req_o    (bus_req),
    .bus_late_o   (bus_late),
    .bus_cmd_o    (bus_cmd),
    .bus_gnt_i    (bus_gnt),
    .bus_gnt_late_i(bus_gnt_late),
    .bus_rvalid_i (answer_q),
    .bus_err_i    (err_i & ~answer_here_q),
    .bus_rdata_i  (bus_rdata),
    .snoop_valid_i(write),
    .snoop_addr_i ({4'h4, write_word_i, 2'b00})
  );

  // The core: one access outstanding.
  logic        out_q, ours_q, load_q, seen_q;
  logic [25:0] asked_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_q, ours_q, load_q, seen_q} <= '0;
    else begin
      out_q <= gnt | (out_q & ~rvalid);
      if (gnt) begin
        ours_q <= cmd_i.addr[31:28] == 4'h4 && cmd_i.addr[27:2] == word_q;
        load_q <= ~cmd_i.we;
        asked_q <= cmd_i.addr[27:2];
      end
      // Whether the word has had the value since the load was accepted
      seen_q <= (memory_q == value_q) | (seen_q & ~gnt);
    end
  end

  // What is inside
  localparam logic [2:0] Idle = 3'd0, Look = 3'd1, Fill = 3'd2, Store = 3'd3, Pass = 3'd4;

  typedef struct packed {
    logic                valid;
    logic [25-IndexW:0]  tag;
  } entry_t;

  function automatic logic [LineW-1:0] line(logic [25:0] word);
    return word[IndexW-1 -: LineW];
  endfunction

  function automatic logic [25:0] step(logic [25:0] word, int by);
    return (word & ~26'(LineWords - 1)) | ((word + 26'(by)) & 26'(LineWords - 1));
  endfunction

  logic  [2:0] state;
  logic [25:0] at;
  logic [$clog2(LineWords):0] left;
  entry_t      tag, snoop_tag;
  logic        early, snoop, snoop_here, pending, cleared, cached, here_before;
  logic [31:0] data, arrived;

  assign state      = u_dcache.g_cache.state_q;
  assign at         = u_dcache.g_cache.word_q;
  assign left       = u_dcache.g_cache.left_q;
  assign early      = u_dcache.g_cache.early_q;
  assign snoop      = u_dcache.g_cache.snoop_q;
  assign snoop_here = snoop && u_dcache.g_cache.snoop_word_q == word_q;
  assign tag        = u_dcache.g_cache.tags[line(word_q)];
  assign snoop_tag  = u_dcache.g_cache.snoop_tags[line(word_q)];
  assign data       = u_dcache.g_cache.data[word_q[IndexW-1:0]];
  assign cleared    = {1'b0, line(word_q)} < u_dcache.g_cache.clear_q;
  assign cached     = cleared && tag.valid && tag.tag == word_q[25:IndexW];
  assign pending    = snoop_here || (state == Store && at == word_q);   // written in the last cycle
  // Words of a line that have come, and whether the word is among them
  assign arrived     = LineWords - 32'(left) - 32'(answer_q);
  assign here_before = state == Fill && step(word_q, -int'(word_q)) == step(asked_q, -int'(asked_q)) &&
                       32'((word_q - asked_q) & 26'(LineWords - 1)) < arrived;

  always_ff @(posedge clk_i) if (rst_ni) begin
    assume (cmd_i.addr[1:0] == '0);
    if (out_q && !rvalid) assume (!req_i);

    // REQ-dcache-1: a load returns no value that the word has not had since the load was accepted: none that is older
    // than the last write before it.
    if (rvalid && ours_q && load_q && rdata == value_q) assert (seen_q);
    if (rvalid && ours_q) assert (!err);

    // REQ-dcache-2: every access is answered once. A store is on the bus in the cycle in which it is accepted.
    if (rvalid) assert (out_q);
    if (gnt && cmd_i.we) assert (bus_gnt && bus_cmd == cmd_i);
    if (granted && bus_cmd.we) assert (gnt && bus_gnt);

    // REQ-dcache-3: no load waits for ever: where there is no answer, the bus is asked or answers.
    if (out_q && !rvalid) assert (bus_req || (answer_q && answer_load_q));

    // Why: what it remembers of the access under way
    assert (state <= Pass);
    assert (out_q == (state == Look || state == Store || state == Pass ||
                      (state == Fill && (32'(left) == LineWords || (32'(left) == LineWords - 1 && answer_q)))));
    assert (32'(left) <= LineWords);
    if (state == Idle)                   assert (!answer_q);
    if (state == Look)                   assert (answer_q == early && (!early || answer_load_q));
    if (state == Store || state == Pass) assert (answer_q && !answer_load_q == !load_q);
    if (state == Store)                  assert (!load_q);
    if (state == Look)                   assert (32'(left) == LineWords - 32'(early));
    if (state == Fill && 32'(left) == LineWords) assert (!answer_q);
    if (state == Fill && left == 0)      assert (answer_q);
    if (state == Fill && answer_q)       assert (answer_load_q);
    if (state == Look || state == Fill)  assert (load_q || !out_q);
    if (state == Store)                  assert (at == asked_q);
    if (state == Look || state == Store) assert (ours_q == (asked_q == word_q));
    if (state == Pass)                   assert (!ours_q && !answer_here_q);
    if (state == Look || state == Fill)  assert (at == step(asked_q, LineWords - 32'(left)));
    if (state == Fill)                   assert (ours_q == (asked_q == word_q));
    if ((state == Look || state == Fill) && answer_q) assert (answer_here_q == (step(at, -1) == word_q));
    if (state == Store)                  assert (answer_here_q == (at == word_q));
    if (answer_q)                        assert (!snoop);

    // what the word was a cycle ago, and why it is another one now
    assert (memory_q == ((state == Store && at == word_q) ?
                         merge(answer_data_q, u_dcache.g_cache.wdata_q, u_dcache.g_cache.be_q) : memory_q));
    if (!pending) assert (memory_q == answer_data_q);
    if (state == Look && ours_q) assert (seen_q == (answer_data_q == value_q));
    if (out_q && ours_q && state == Fill && answer_q && answer_data_q == value_q) assert (seen_q);

    // that both copies of its tag are the same, and known when they count
    if (cleared) assert (tag == snoop_tag);
    if (cleared && !u_dcache.g_cache.clear_q[LineW]) assert (!tag.valid);
    if ((state == Look || state == Store) && line(at) == line(word_q)) assert (u_dcache.g_cache.found == tag);
    if (line(u_dcache.g_cache.snoop_word_q) == line(word_q) && snoop) assert (u_dcache.g_cache.snooped == snoop_tag);
    assert (u_dcache.g_cache.clear_q[LineW] == 1'b0 || u_dcache.g_cache.clear_q[LineW-1:0] == '0);

    // that what is here is right: what is valid, what was read, and what has come of a line.
    if (cached) assert (data == (pending ? answer_data_q : memory_q));
    if (state == Look && asked_q == word_q && !u_dcache.g_cache.clash_q) assert (u_dcache.g_cache.data_q == data);
    if (state == Fill && line(at) == line(word_q) && arrived != 0 && cleared) assert (!tag.valid);
    if (here_before && !u_dcache.g_cache.killed_q && !snoop_here) assert (data == memory_q);
  end

endmodule
