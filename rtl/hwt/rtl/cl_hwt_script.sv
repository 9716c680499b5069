// SPDX-License-Identifier: Apache-2.0
// Carries out a list of steps, for tests: operations of the kernel, accesses of the memory, delays, hanging.
// struct hwt_script in hwt_units.h; the argument is the address of the first step.
module cl_hwt_script
  import cl_soc_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,
  input  logic        start_i,
  input  logic [31:0] argument_i,
  output logic        done_o,
  output logic [31:0] result_o,
  output logic        call_valid_o,
  output logic  [7:0] call_op_o,
  output logic  [9:0] call_id_o,
  output logic        call_store_o,
  output logic [31:0] call_word_o,
  output logic        call_load_o,
  input  logic        call_done_i,
  input  logic [31:0] call_answer_i,
  input  logic [31:0] call_message_i,
  output logic        mem_req_o,
  output obi_req_t    mem_cmd_o,
  input  logic        mem_gnt_i,
  input  logic        mem_rvalid_i,
  input  logic [31:0] mem_rdata_i
);

  typedef enum logic [3:0] {
    StIdle, StFetch, StDecide, StCall, StLoad, StStore, StDelay, StAnswer, StMessage, StWait, StSpin, StDone
  } state_e;

  localparam logic [31:0] ScriptEnd   = 32'h100;
  localparam logic [31:0] ScriptSpin  = 32'h101;
  localparam logic [31:0] ScriptLoad  = 32'h102;
  localparam logic [31:0] ScriptStore = 32'h103;
  localparam logic [31:0] ScriptDelay = 32'h104;
  localparam logic [31:0] ScriptJump  = 32'h105;

  state_e      state_q;
  logic [31:0] step_q, op_q, id_q, word_q, answer_q, message_q, delay_q;
  logic  [1:0] ask_q, wait_q;   // words of the step to ask for and to come
  logic        asked_q;         // the one access of StLoad, StStore

  always_comb begin
    mem_req_o = 1'b0;
    mem_cmd_o = '{we: 1'b1, be: '1, addr: {word_q[31:2], 2'b0}, wdata: id_q};
    unique case (state_q)
      StFetch: begin
        mem_req_o      = ask_q != '0;
        mem_cmd_o.we   = 1'b0;
        mem_cmd_o.addr = step_q + {28'b0, 2'd3 - ask_q, 2'b0};
      end
      StLoad: begin
        mem_req_o    = ~asked_q;
        mem_cmd_o.we = 1'b0;
      end
      StStore:   mem_req_o = ~asked_q;
      StAnswer: begin
        mem_req_o = 1'b1;
        mem_cmd_o = '{we: 1'b1, be: '1, addr: step_q + 32'd12, wdata: answer_q};
      end
      StMessage: begin
        mem_req_o = 1'b1;
        mem_cmd_o = '{we: 1'b1, be: '1, addr: step_q + 32'd16, wdata: message_q};
      end
      default: mem_req_o = 1'b0;
    endcase
  end

  assign call_valid_o = state_q == StCall;
  assign call_op_o    = op_q[7:0];
  assign call_id_o    = id_q[9:0];
  assign call_store_o = 1'b1;
  assign call_word_o  = word_q;
  assign call_load_o  = 1'b1;
  assign done_o       = state_q == StDone;
  assign result_o     = word_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      step_q    <= '0;
      op_q      <= '0;
      id_q      <= '0;
      word_q    <= '0;
      answer_q  <= '0;
      message_q <= '0;
      delay_q   <= '0;
      ask_q     <= '0;
      wait_q    <= '0;
      asked_q   <= 1'b0;
    end else if (run_i) begin
      unique case (state_q)
        StIdle: if (start_i) begin
          step_q  <= argument_i;
          ask_q   <= 2'd3;
          wait_q  <= 2'd3;
          state_q <= StFetch;
        end
        StFetch: begin
          if (mem_gnt_i) ask_q <= ask_q - 2'd1;
          if (mem_rvalid_i) begin
            wait_q               <= wait_q - 2'd1;
            {op_q, id_q, word_q} <= {id_q, word_q, mem_rdata_i};
            if (wait_q == 2'd1) state_q <= StDecide;
          end
        end
        StDecide: begin
          asked_q  <= 1'b0;
          delay_q  <= '0;
          answer_q <= '0;
          unique case (op_q)
            ScriptEnd:   state_q <= StDone;
            ScriptLoad:  state_q <= StLoad;
            ScriptStore: state_q <= StStore;
            ScriptDelay: state_q <= StDelay;
            ScriptJump: begin
              step_q  <= word_q;
              ask_q   <= 2'd3;
              wait_q  <= 2'd3;
              state_q <= StFetch;
            end
            default:     state_q <= (op_q == ScriptSpin || op_q[31:8] != '0) ? StSpin : StCall;
          endcase
        end
        StCall: if (call_done_i) begin
          answer_q  <= call_answer_i;
          message_q <= call_message_i;
          state_q   <= StAnswer;
        end
        StLoad, StStore: begin
          if (mem_gnt_i) asked_q <= 1'b1;
          if (mem_rvalid_i) begin
            if (state_q == StLoad) answer_q <= mem_rdata_i;
            state_q <= StAnswer;
          end
        end
        StDelay: begin
          delay_q <= delay_q + 32'd1;
          if (delay_q == word_q) state_q <= StAnswer;
        end
        StAnswer:  if (mem_gnt_i) state_q <= (op_q[31:8] == '0) ? StMessage : StWait;
        StMessage: if (mem_gnt_i) state_q <= StWait;
        StWait: if (mem_rvalid_i) begin
          step_q  <= step_q + 32'd20;
          ask_q   <= 2'd3;
          wait_q  <= 2'd3;
          state_q <= StFetch;
        end
        StSpin:  state_q <= StSpin;
        default: state_q <= StIdle;
      endcase
    end
  end

endmodule
