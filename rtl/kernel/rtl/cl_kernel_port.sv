// SPDX-License-Identifier: Apache-2.0
// The kernel's port for one client: takes its accesses and holds its argument register WORD0, and with PortWords the
// other words of a message, WORD1 and so on.
//
// These words (load and store) and every store are answered here, one cycle after the grant, whatever the engine
// does. Any other load is handed to the engine (op_valid_o until take_i) and answered when answer_valid_i
// comes, rvalid_o in the cycle after it. A store to SAVED is remembered for the engine (save_o until take_i); so
// are the operations that imply it.
// One access is outstanding at a time: no grant from the grant of a load to its answer.
//
//   client  req gnt . . . . . . . . rvalid        WORD0: req gnt rvalid
//   engine          op_valid take answer
module cl_kernel_port
  import cl_kernel_pkg::*;
#(
  parameter  int unsigned PortWords  = 0,
  localparam int unsigned IndexWidth = (PortWords > 0) ? $clog2(PortWords + 1) : 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  client_request_t request_i,
  output client_answer_t  answer_o,

  output logic        op_valid_o,
  output logic  [7:0] op_o,
  output logic  [9:0] id_o,
  output logic        save_o,
  input  logic        take_i,
  output logic [PortWords:0][31:0] words_o,
  input  logic        words_we_i,    // a received message
  input  logic [PortWords:0][31:0] words_i,
  input  logic        answer_valid_i,
  input  logic [31:0] word_i
);

  logic        accept, is_word;
  logic  [7:0] op;
  logic  [9:0] id;
  logic        busy_q, op_valid_q, save_q, rvalid_q, rsel_word_q;
  logic  [7:0] op_q;
  logic  [9:0] id_q;
  logic [31:0] answer_q;
  logic [PortWords:0][31:0] words_q;
  logic [IndexWidth-1:0] index, index_q;

  assign accept   = request_i.req & ~busy_q;
  assign op       = request_i.addr[AddressOpLsb - AddressIdLsb +: AddressOpWidth];
  assign id       = request_i.addr[0 +: AddressIdWidth];
  assign is_word  = op == OpWord0;
  assign index    = (PortWords > 0 && 32'(id) <= PortWords) ? IndexWidth'(id) : '0;

  assign answer_o   = '{gnt: accept, rvalid: rvalid_q, rdata: rsel_word_q ? words_q[index_q] : answer_q};
  assign op_valid_o = op_valid_q;
  assign op_o       = op_q;
  assign id_o       = id_q;
  assign save_o     = save_q;
  assign words_o    = words_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q       <= 1'b0;
      op_valid_q   <= 1'b0;
      save_q       <= 1'b0;
      rvalid_q     <= 1'b0;
      rsel_word_q  <= 1'b0;
      op_q         <= '0;
      id_q         <= '0;
      index_q      <= '0;
      words_q      <= '0;
      answer_q     <= '0;
    end else begin
      rvalid_q <= answer_valid_i;
      if (answer_valid_i) begin
        busy_q       <= 1'b0;
        rsel_word_q  <= 1'b0;
        answer_q     <= word_i;
      end
      if (take_i) begin
        op_valid_q <= 1'b0;
        save_q     <= 1'b0;
      end
      if (words_we_i) words_q <= words_i;
      // The client's access comes last in each register: it is later in program order.
      if (accept) begin
        index_q <= index;
        if (request_i.we || is_word) begin
          rvalid_q    <= 1'b1;
          rsel_word_q <= 1'b1;
          if (request_i.we && is_word)       words_q[index] <= request_i.wdata;
          if (request_i.we && op == OpSaved) save_q         <= 1'b1;
        end else begin
          busy_q     <= 1'b1;
          op_valid_q <= 1'b1;
          op_q       <= op;
          id_q       <= id;
          if (!op_any_time(op)) save_q <= 1'b1;
        end
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertAnswerWanted: assert (!answer_valid_i || busy_q);
      AssertTakeOffered:  assert (!take_i || op_valid_q || save_q);
    end
  end
`endif

endmodule
