// SPDX-License-Identifier: Apache-2.0
// CRC-32 of any number of bytes at any address: a word a cycle, the bytes before and after whole words one a
// cycle. struct hwt_crc32 in hwt_units.h.
module cl_hwt_crc32
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

  typedef enum logic [2:0] {
    StIdle,
    StBlock,   // read the parameters
    StPlan,    // whole words, or the bytes of one word, or the end
    StWords,
    StWord,    // read the word that bytes are taken of
    StBytes,
    StDone
  } state_e;

  // The CRC after `bits` more bits depends linearly on the one before: [i][j] says whether bit i is made from j.
  typedef logic [31:0][31:0] matrix_t;

  function automatic matrix_t matrix(int unsigned bits);
    logic [31:0] crc;
    matrix = '0;
    for (int unsigned j = 0; j < 32; j++) begin
      crc = 32'd1 << j;
      for (int unsigned k = 0; k < bits; k++) crc = {1'b0, crc[31:1]} ^ (crc[0] ? 32'hEDB8_8320 : 32'd0);
      for (int unsigned i = 0; i < 32; i++) matrix[i][j] = crc[i];
    end
  endfunction

  localparam matrix_t ByWord = matrix(32);
  localparam matrix_t ByByte = matrix(8);

  state_e      state_q;
  logic [31:0] address_q, ask_q, wait_q;   // next word; words to ask for, words to come
  logic [31:0] data_q, left_q, crc_q, word_q;
  logic [31:0] crc_word, crc_byte, mixed_word, mixed_byte;

  assign mixed_word = crc_q ^ mem_rdata_i;
  assign mixed_byte = crc_q ^ {24'b0, word_q[7:0]};

  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      crc_word[i] = ^(mixed_word & ByWord[i]);
      crc_byte[i] = ^(mixed_byte & ByByte[i]);
    end
  end

  assign mem_req_o = ask_q != '0;
  assign mem_cmd_o = '{we: 1'b0, be: '1, addr: {address_q[31:2], 2'b0}, wdata: '0};
  assign done_o    = state_q == StDone;
  assign result_o  = ~crc_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      address_q <= '0;
      ask_q     <= '0;
      wait_q    <= '0;
      data_q    <= '0;
      left_q    <= '0;
      crc_q     <= '0;
      word_q    <= '0;
    end else if (run_i) begin
      if (mem_gnt_i) begin
        address_q <= address_q + 32'd4;
        ask_q     <= ask_q - 32'd1;
      end
      if (mem_rvalid_i) wait_q <= wait_q - 32'd1;
      unique case (state_q)
        StIdle: if (start_i) begin
          address_q <= argument_i;
          ask_q     <= 32'd3;
          wait_q    <= 32'd3;
          state_q   <= StBlock;
        end
        StBlock: begin
          if (mem_rvalid_i) {crc_q, left_q, data_q} <= {mem_rdata_i, crc_q, left_q};
          if (wait_q == '0) begin
            crc_q   <= ~crc_q;
            state_q <= StPlan;
          end
        end
        StPlan: begin
          address_q <= data_q;
          if (left_q == '0) begin
            state_q <= StDone;
          end else if (data_q[1:0] == '0 && left_q[31:2] != '0) begin
            ask_q   <= {2'b0, left_q[31:2]};
            wait_q  <= {2'b0, left_q[31:2]};
            left_q  <= {30'b0, left_q[1:0]};
            data_q  <= data_q + {left_q[31:2], 2'b0};
            state_q <= StWords;
          end else begin
            ask_q   <= 32'd1;
            wait_q  <= 32'd1;
            state_q <= StWord;
          end
        end
        StWords: begin
          if (mem_rvalid_i) begin
            crc_q <= crc_word;
            if (wait_q == 32'd1) state_q <= StPlan;
          end
        end
        StWord: if (mem_rvalid_i) begin
          word_q  <= mem_rdata_i >> {data_q[1:0], 3'b0};
          state_q <= StBytes;
        end
        StBytes: begin
          crc_q  <= crc_byte;
          word_q <= {8'b0, word_q[31:8]};
          data_q <= data_q + 32'd1;
          left_q <= left_q - 32'd1;
          if (left_q == 32'd1 || data_q[1:0] == 2'd3) state_q <= StPlan;
        end
        default: state_q <= StIdle;
      endcase
    end
  end

  // Makes no kernel calls.
  assign call_valid_o = 1'b0;
  assign call_op_o    = '0;
  assign call_id_o    = '0;
  assign call_store_o = 1'b0;
  assign call_word_o  = '0;
  assign call_load_o  = 1'b0;

  logic unused;
  assign unused = ^{call_done_i, call_answer_i, call_message_i, address_q[1:0]};

endmodule
