// SPDX-License-Identifier: Apache-2.0
// The DMA of the Back-Door on the bus of processor 0: moves words from the window that processor 0 has opened to the
// down block, or from the up block to the window, as processor 1 asks; a word in each cycle that is granted.
//
// A transfer is checked completely before its first word moves; of several errors, `window` comes before `write` before
// `block`. Every address is in the window as it is in that very cycle: a change of the window, or a hold, ends the
// transfer, from the next cycle on.
//
// From the request to the change of answer_o.done: N + 3 cycles for N words from the window, N + 4 to it, if the bus
// grants each request and processor 0 does not use the blocks; 2 for 0 words or an error.
//
// The blocks have one port on this side, which the bus device of processor 0 (near) has first. It is on the same bus,
// so near_store_i and near_load_i exclude a grant in the same cycle, and one word kept is enough.
module cl_backdoor_window
  import cl_soc_pkg::*;
  import cl_backdoor_pkg::*;
  import cl_backdoor_types_pkg::*;
#(
  parameter  int unsigned BlockBytes = 32'h8000,
  localparam int unsigned AddrW      = $clog2(BlockBytes / 4)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // The window, and whether it is another from the next cycle on
  input  logic      [29:0] base_i,        // words
  input  window_t          window_i,
  input  logic             change_i,

  // Processor 1: asks while start_i differs from answer_o.done; the request is stable until then
  input  logic             live_i,        // 0: it is held; ends everything, done is 0
  input  logic             start_i,
  input  window_request_t  request_i,
  output window_answer_t   answer_o,
  output logic             busy_o,
  output logic             moved_o,       // a word arrives in the down block, or was granted to the window

  // Blocks
  input  logic             near_store_i,  // processor 0 stores to the down block: no write
  input  logic             near_load_i,   // processor 0 loads from the up block: no read
  output logic             down_write_o,
  output logic             up_read_o,
  output logic [AddrW-1:0] block_addr_o,  // words, of either
  output logic      [31:0] down_word_o,
  input  logic      [31:0] up_word_i,     // from the cycle after a read to the next read of either side

  // Bus of processor 0
  output logic             bus_req_o,     // until bus_gnt_i, or withdrawn
  output obi_req_t         bus_cmd_o,
  input  logic             bus_gnt_i,     // same cycle as bus_req_o
  input  logic             bus_rvalid_i,  // one cycle after bus_gnt_i
  input  logic             bus_err_i,
  input  logic      [31:0] bus_rdata_i
);

  localparam int unsigned CountW = WindowStartWordWordsWidth;

  typedef enum logic [1:0] {
    StIdle,
    StCheck,
    StMove
  } state_e;

  state_e            state_q, state_d;
  logic              sent_q;       // a word was granted in the cycle before: its answer comes
  logic [29:0]       place_q;      // next word on the bus
  logic [AddrW-1:0]  block_q;      // up: word of the block that goes over the bus next; down: that is written next
  logic [CountW-1:0] left_q;       // words that were not granted yet
  logic              window_bad_q, block_bad_q;
  logic              have_q;       // down: kept_q is a word that is not written yet; up: up_word_i is the next word
  logic [31:0]       kept_q;
  window_answer_t    answer_q;

  logic              begins, sent, answer, arrives, ends;
  window_error_e     error, bad;
  logic [31:0]       end_word, block_end;

  // --- checks ---

  assign end_word  = 32'(request_i.offset[31:2]) + 32'(request_i.words);
  assign block_end = 32'(request_i.block[31:2]) + 32'(request_i.words);

  always_comb begin
    bad = WindowErrorNone;
    if (window_bad_q)                           bad = WindowErrorWindow;
    else if (request_i.up & ~window_i.writable) bad = WindowErrorWrite;
    else if (block_bad_q)                       bad = WindowErrorBlock;
  end

  // --- bus and blocks ---

  assign begins    = state_q == StIdle && live_i && !change_i && start_i != answer_q.done;
  assign bus_req_o = state_q == StMove && left_q != '0 && (!request_i.up || have_q);
  assign bus_cmd_o = '{we: request_i.up, be: '1, addr: {place_q, 2'b00}, wdata: up_word_i};
  assign sent      = bus_req_o & bus_gnt_i;
  assign answer    = sent_q & bus_rvalid_i;
  assign arrives   = answer & ~bus_err_i & ~request_i.up;

  assign down_write_o = state_q == StMove && !request_i.up && (have_q || arrives) && !near_store_i;
  assign down_word_o  = have_q ? kept_q : bus_rdata_i;
  // One word ahead of the bus
  assign up_read_o    = state_q == StMove && request_i.up && !near_load_i
                      && (have_q ? sent && left_q != CountW'(1) : left_q != '0);
  assign block_addr_o = request_i.up && have_q ? block_q + 1'b1 : block_q;
  assign moved_o      = down_write_o | (sent & request_i.up);

  // --- states ---

  always_comb begin
    state_d = state_q;
    ends    = 1'b0;
    error   = WindowErrorNone;
    unique case (state_q)
      StIdle:  if (begins) state_d = StCheck;
      StCheck: begin
        if (bad != WindowErrorNone || request_i.words == '0) {ends, error} = {1'b1, bad};
        state_d = StMove;
      end
      default: if (left_q == '0 && !(near_store_i && (have_q || arrives))) ends = 1'b1;
    endcase
    if (answer && bus_err_i)           {ends, error} = {1'b1, WindowErrorMemory};
    if (state_q != StIdle && change_i) {ends, error} = {1'b1, WindowErrorCut};
    if (ends || !live_i) state_d = StIdle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      sent_q       <= 1'b0;
      place_q      <= '0;
      block_q      <= '0;
      left_q       <= '0;
      window_bad_q <= 1'b0;
      block_bad_q  <= 1'b0;
      have_q       <= 1'b0;
      kept_q       <= '0;
      answer_q     <= '0;
    end else begin
      state_q <= state_d;
      sent_q  <= sent && state_d != StIdle;
      if (!live_i)   answer_q <= '0;
      else if (ends) answer_q <= '{done: ~answer_q.done, error: error};

      if (begins) begin
        place_q      <= base_i + request_i.offset[31:2];
        block_q      <= request_i.block[AddrW+1:2];
        left_q       <= request_i.words;
        window_bad_q <= request_i.offset[1:0] != '0 || window_i.words == '0 || end_word > 32'(window_i.words);
        block_bad_q  <= (request_i.block & ~(BlockBytes - 4)) != '0 || block_end > BlockBytes / 4;
      end
      if (sent) begin
        place_q <= place_q + 1'b1;
        left_q  <= left_q - 1'b1;
      end
      if (request_i.up ? sent : down_write_o) block_q <= block_q + 1'b1;

      if (state_q != StMove)  have_q <= 1'b0;
      else if (request_i.up)  have_q <= up_read_o | (have_q & ~sent & ~near_load_i);
      else                    have_q <= near_store_i & (have_q | arrives);
      if (arrives && !have_q) kept_q <= bus_rdata_i;
    end
  end

  assign answer_o = answer_q;
  assign busy_o   = state_q != StIdle;

endmodule
