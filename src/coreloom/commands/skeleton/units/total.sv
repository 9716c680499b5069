// A hardware thread: adds up `count` words from address `words`; its argument points to these two.
// The ports and what they mean: docs/hardware-thread.md of Coreloom.
module total (
  input  logic        clk_i, rst_ni, run_i, start_i,
  input  logic [31:0] argument_i,
  output logic        done_o,
  output logic [31:0] result_o,
  output logic        call_valid_o, call_store_o, call_load_o,
  output logic  [7:0] call_op_o,
  output logic  [9:0] call_id_o,
  output logic [31:0] call_word_o,
  input  logic        call_done_i,
  input  logic [31:0] call_answer_i, call_message_i,
  output logic        mem_req_o,
  output cl_soc_pkg::obi_req_t mem_cmd_o,
  input  logic        mem_gnt_i, mem_rvalid_i,
  input  logic [31:0] mem_rdata_i
);
  enum logic [1:0] {Idle, Block, Sum, Done} state_q;
  logic [31:0] address_q, ask_q, wait_q;   // next word; words still to request, still to arrive
  logic [31:0] words_q, count_q, sum_q;

  assign mem_req_o = ask_q != '0;          // may not depend on mem_gnt_i
  assign mem_cmd_o = '{we: 1'b0, be: '1, addr: address_q, wdata: '0};
  assign {done_o, result_o} = {state_q == Done, sum_q};
  // It calls no operation of the kernel.
  assign {call_valid_o, call_store_o, call_load_o, call_op_o, call_id_o, call_word_o} = '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      {address_q, ask_q, wait_q, words_q, count_q, sum_q} <= '0;
    end else if (run_i) begin              // low while the thread is stopped
      if (mem_gnt_i) {address_q, ask_q} <= {address_q + 32'd4, ask_q - 32'd1};
      if (mem_rvalid_i) begin
        wait_q <= wait_q - 32'd1;
        if (state_q == Block) {count_q, words_q} <= {mem_rdata_i, count_q};
        else                  sum_q <= sum_q + mem_rdata_i;
      end
      unique case (state_q)
        Idle:    if (start_i)      {state_q, address_q, ask_q, wait_q} <= {Block, argument_i, 32'd2, 32'd2};
        Block:   if (wait_q == '0) {state_q, address_q, ask_q, wait_q} <= {Sum, words_q, count_q, count_q};
        Sum:     if (wait_q == '0) state_q <= Done;
        default: state_q <= Idle;
      endcase
    end
  end
  wire unused = ^{call_done_i, call_answer_i, call_message_i};
endmodule
