// SPDX-License-Identifier: Apache-2.0
// What a client's port of the kernel remembers until the engine takes it, and that nothing is lost that comes in the
// cycle in which it is taken.
// Not proved: that the engine takes it; see cl_kernel_formal.sv and tests/kernel_rtl/test_fairness.py.
module cl_kernel_port_formal
  import cl_kernel_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        req_i,
  input logic        we_i,
  input logic [17:0] addr_i,
  input logic [31:0] wdata_i,
  input logic        take_i,
  input logic        words_we_i,
  input logic [31:0] words_i,
  input logic        answer_valid_i,
  input logic [31:0] answer_i
);

  logic        gnt, rvalid, op_valid, save;
  logic  [7:0] op;
  logic  [9:0] id;
  logic [31:0] rdata, word;

  cl_kernel_port u_port (
    .clk_i,
    .rst_ni,
    .request_i ({req_i, we_i, addr_i, wdata_i}),
    .answer_o  ({gnt, rvalid, rdata}),
    .op_valid_o(op_valid),
    .op_o      (op),
    .id_o      (id),
    .save_o    (save),
    .take_i,
    .words_o   (word),
    .words_we_i,
    .words_i,
    .answer_valid_i,
    .word_i    (answer_i)
  );

  logic stores_word, loads_word, stores_saved, begins, and_saves;

  assign stores_word  = req_i & we_i & addr_i[17:10] == OpWord0;
  assign loads_word   = req_i & ~we_i & addr_i[17:10] == OpWord0;
  assign stores_saved = req_i & we_i & addr_i[17:10] == OpSaved;
  assign begins       = req_i & ~we_i & addr_i[17:10] != OpWord0;
  assign and_saves      = begins & ~op_any_time(addr_i[17:10]);

  logic        save_q, op_q, busy_q, local_q, answer_q, taken_save_q, taken_word_q;
  logic [31:0] word_q, answer_word_q;
  logic [17:0] asked_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {save_q, op_q, busy_q, local_q, answer_q, taken_save_q, taken_word_q} <= '0;
      {word_q, answer_word_q} <= '0;
      asked_q <= '0;
    end else begin
      taken_save_q <= take_i & gnt & stores_saved;
      taken_word_q <= words_we_i & gnt & stores_word;
      local_q      <= gnt & ~begins;
      answer_q     <= answer_valid_i;
      if (answer_valid_i) begin
        busy_q        <= 1'b0;
        answer_word_q <= answer_i;
      end
      if (take_i) {save_q, op_q} <= '0;
      if (words_we_i) word_q <= words_i;
      if (gnt) begin
        if (stores_saved || and_saves) save_q <= 1'b1;
        if (stores_word) word_q <= wdata_i;
        if (begins) begin
          {busy_q, op_q} <= '1;
          asked_q <= addr_i;
        end
      end
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    assume (!take_i || op_valid || save);
    assume (!answer_valid_i || (busy_q && !op_q));

    // REQ-kernel-port-1: a save is shown to the engine until it takes it; one that comes in the cycle of the take is shown
    // after it. So is an operation.
    AssertSave:      assert (save == save_q);
    AssertOperation: assert (op_valid == op_q && (!op_q || {op, id} == asked_q));
    // REQ-kernel-port-2: while an operation has no answer nothing is granted; else everything is. A word or a store is
    // answered a cycle later, an operation in the cycle after the engine's answer.
    AssertGrant:     assert (gnt == (req_i && !busy_q));
    AssertAnswer:    assert (rvalid == (local_q || answer_q));
    if (answer_q && !local_q) AssertAnswerWord: assert (rdata == answer_word_q);
    // REQ-kernel-port-3: WORD0 is what came last; the client's store is later than a message of the same cycle.
    AssertWord:      assert (word == word_q);
    if (local_q) AssertLoad: assert (rdata == word_q);
    assert (u_port.busy_q == busy_q && (!op_q || busy_q));
    assert (!answer_q || local_q || !u_port.rsel_word_q);

    CoverSavedInItsTake: cover (taken_save_q && save);
    CoverWordOverMessage: cover (taken_word_q && word == 32'd5);
    CoverOperation:      cover (rvalid && answer_q && !local_q && rdata == 32'd9);
  end

endmodule
