// SPDX-License-Identifier: Apache-2.0
// DMA of the Back-Door: works on a list of descriptors in the local memory, a word in each cycle that is granted.
//
// A descriptor costs four cycles before its words: one for each of its own words, and one in which the last of them
// comes and the first word is read of the block. After the last descriptor there is one more, for the answer of the
// bus to the last word. So a list of N words in D descriptors takes N + 4 D + 1 cycles when every request is granted;
// a descriptor without words takes one cycle as if it had one.
//
// Everything of a descriptor is checked before its first word is moved; of several errors, `op` comes before `memory`
// before `block`. The address of `check` is ignored, as are unused bits of the control word. Should the bus answer
// with an error within the checked bounds, the list ends: `list` in a descriptor, `memory` in what is moved.
module cl_backdoor_dma
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_backdoor_pkg::DmaOpDown, cl_backdoor_pkg::DmaOpUp, cl_backdoor_pkg::DmaOpCheck;
  import cl_backdoor_pkg::DmaErrorNone, cl_backdoor_pkg::DmaErrorMemory, cl_backdoor_pkg::DmaErrorBlock;
  import cl_backdoor_pkg::DmaErrorList, cl_backdoor_pkg::DmaErrorOp;
  import cl_backdoor_pkg::DescriptorControlWordsLsb, cl_backdoor_pkg::DescriptorControlWordsWidth;
  import cl_backdoor_pkg::DescriptorControlOpLsb, cl_backdoor_pkg::DescriptorControlOpWidth;
  import cl_backdoor_pkg::DescriptorControlLastLsb;
#(
  parameter  int unsigned BlockBytes  = 32'h8000,   // each block, power of two, at least 8
  parameter  int unsigned MemoryBytes = 32'h4_0000, // local memory, power of two, at least 16, at most 64 MiB
  parameter  logic [31:0] MemoryBase  = RamBase,    // a multiple of MemoryBytes
  localparam int unsigned AddrW       = $clog2(BlockBytes / 4)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             start_i,       // only while not busy
  input  logic      [31:0] list_i,        // with it: address of the first descriptor
  output logic             busy_o,        // from the cycle after start_i to that of end_o
  output logic             end_o,         // for a cycle
  output logic       [3:0] error_o,       // with it: dma_error_e

  input  logic             crc_clear_i,   // also of a word of the cycle before
  output logic      [31:0] crc_o,         // CRC-32 (IEEE) of the words moved or checked up to two cycles before
  output logic      [31:0] down_bytes_o,  // read of the down block and moved or checked, modulo 2^32
  output logic      [31:0] up_bytes_o,    // written to the up block, modulo 2^32
  output logic      [31:0] cycles_o,      // in which it was busy, modulo 2^32

  output logic             down_req_o,
  output logic [AddrW-1:0] down_addr_o,   // words
  input  logic      [31:0] down_rdata_i,  // from the cycle after down_req_o to the next one
  output logic             up_req_o,
  output logic [AddrW-1:0] up_addr_o,     // words
  output logic      [31:0] up_wdata_o,

  output logic             bus_req_o,     // held until bus_gnt_i
  output obi_req_t         bus_cmd_o,
  input  logic             bus_gnt_i,     // same cycle as bus_req_o
  input  logic             bus_rvalid_i,  // one cycle after bus_gnt_i
  input  logic             bus_err_i,
  input  logic      [31:0] bus_rdata_i
);

  localparam int unsigned Words    = BlockBytes / 4;
  localparam int unsigned MemWords = MemoryBytes / 4;
  localparam int unsigned MemW     = $clog2(MemWords);
  localparam int unsigned CountW   = DescriptorControlWordsWidth;

  typedef enum logic [2:0] {
    StIdle,
    StControl, StOffset, StAddress,  // these words of the descriptor are asked for, in this order
    StBegin,                         // its last word comes
    StMove,
    StEnd                            // the answer to the last word comes
  } state_e;

  state_e              state_q, state_d;
  state_e              sent_q;         // which state the answer of this cycle belongs to; StIdle: none
  logic [MemW:0]       list_q;         // next word of the list to read; MemWords and more: there is none
  logic [MemW-1:0]     memory_q;       // next word in the memory
  logic [AddrW-1:0]    block_q;        // next word in the block
  logic [CountW-1:0]   left_q;         // words that are not moved yet
  logic [1:0]          op_q;
  logic                last_q;
  logic                memory_bad_q, block_bad_q;
  logic                crc_add_q;
  logic [31:0]         crc_q, crc_word_q;
  logic [29:0]         down_words_q, up_words_q;
  logic [31:0]         cycles_q;

  logic                sent, answer, step, no_list, fault;
  logic [3:0]          bad;
  logic [31:0]         crc_mixed, crc_next;

  function automatic logic in_memory(logic [31:0] addr);
    return ((addr ^ MemoryBase) & ~(MemoryBytes - 1)) == '0 && addr[1:0] == '0;
  endfunction

  // Whether words from a place on, below `size`, a power of two, go beyond it: one adder, and no comparison.
  function automatic logic beyond(logic [CountW-1:0] words, logic [31:0] place, int unsigned size);
    logic [31:0] last;
    last = 32'(words) + place;
    return (last & ~(2 * size - 1)) != '0 || ((last & size) != '0 && (last & (size - 1)) != '0);
  endfunction

  // The CRC after a word depends linearly on that before with the word added: [i][j]: bit i is made from j.
  typedef logic [31:0][31:0] matrix_t;

  function automatic matrix_t matrix();
    logic [31:0] crc;
    for (int unsigned j = 0; j < 32; j++) begin
      crc = 32'd1 << j;
      for (int unsigned k = 0; k < 32; k++) crc = {1'b0, crc[31:1]} ^ (crc[0] ? 32'hEDB8_8320 : 32'd0);
      for (int unsigned i = 0; i < 32; i++) matrix[i][j] = crc[i];
    end
  endfunction

  localparam matrix_t ByWord = matrix();

  // --- checks ---

  assign no_list = 32'(list_q) > MemWords - 3;

  // Checks the remaining count, so it can become true only before the first word.
  always_comb begin
    bad = DmaErrorNone;
    if (op_q == 2'd3) bad = DmaErrorOp;
    else if (op_q != DmaOpCheck && (memory_bad_q || beyond(left_q, 32'(memory_q), MemWords))) bad = DmaErrorMemory;
    else if (block_bad_q) bad = DmaErrorBlock;
  end

  assign answer = sent_q != StIdle && bus_rvalid_i;
  assign fault  = answer && bus_err_i;

  // --- bus and blocks ---

  always_comb begin
    unique case (state_q)
      StControl:           bus_req_o = !no_list;
      StOffset, StAddress: bus_req_o = 1'b1;
      StMove:              bus_req_o = bad == DmaErrorNone && left_q != '0 && op_q != DmaOpCheck;
      default:             bus_req_o = 1'b0;
    endcase
  end

  assign sent = bus_req_o && bus_gnt_i;
  assign step = state_q == StMove && (op_q == DmaOpCheck ? left_q != '0 && !block_bad_q : sent);

  assign bus_cmd_o = '{
    we:    state_q == StMove && op_q == DmaOpDown,
    be:    '1,
    addr:  MemoryBase | (32'(state_q == StMove ? memory_q : list_q[MemW-1:0]) << 2),
    wdata: down_rdata_i
  };

  // One word ahead of the transfer
  assign down_req_o  = op_q != DmaOpUp && (state_q == StBegin || (step && left_q != CountW'(1)));
  assign down_addr_o = block_q;
  assign up_req_o    = answer && sent_q == StMove && op_q == DmaOpUp && !bus_err_i;
  assign up_addr_o   = block_q;
  assign up_wdata_o  = bus_rdata_i;

  // --- the list ---

  always_comb begin
    state_d = state_q;
    end_o   = 1'b0;
    error_o = DmaErrorNone;
    unique case (state_q)
      StIdle:    if (start_i) state_d = StControl;
      StControl: begin
        if (no_list) {end_o, error_o} = {1'b1, DmaErrorList};
        if (sent) state_d = StOffset;
      end
      StOffset:  if (sent) state_d = StAddress;
      StAddress: if (sent) state_d = StBegin;
      StBegin:   state_d = StMove;
      StMove: begin
        if (bad != DmaErrorNone) {end_o, error_o} = {1'b1, bad};
        if (left_q == '0 || (step && left_q == CountW'(1))) state_d = last_q ? StEnd : StControl;
      end
      default:   end_o = 1'b1;
    endcase
    if (fault) {end_o, error_o} = {1'b1, sent_q == StMove ? DmaErrorMemory : DmaErrorList};
    if (end_o) state_d = StIdle;
  end

  assign busy_o = state_q != StIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      sent_q       <= StIdle;
      list_q       <= '0;
      memory_q     <= '0;
      block_q      <= '0;
      left_q       <= '0;
      op_q         <= '0;
      last_q       <= 1'b0;
      memory_bad_q <= 1'b0;
      block_bad_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      sent_q  <= sent && !end_o ? state_q : StIdle;

      if (state_q == StIdle && start_i) begin
        list_q <= in_memory(list_i) ? {1'b0, list_i[MemW+1:2]} : '1;
      end else if (sent && state_q != StMove) begin
        // control, offset, address, the next control
        list_q <= state_q == StOffset ? list_q - 1'b1 : list_q + (MemW + 1)'(2);
      end

      if (step) begin
        left_q   <= left_q - 1'b1;
        memory_q <= memory_q + 1'b1;
      end
      if (down_req_o || up_req_o) block_q <= block_q + 1'b1;
      if (state_q == StBegin) block_bad_q <= block_bad_q || beyond(left_q, 32'(block_q), Words);

      if (answer) begin
        unique case (sent_q)
          StControl: begin
            left_q <= bus_rdata_i[DescriptorControlWordsLsb+:DescriptorControlWordsWidth];
            op_q   <= bus_rdata_i[DescriptorControlOpLsb+:DescriptorControlOpWidth];
            last_q <= bus_rdata_i[DescriptorControlLastLsb];
          end
          StOffset: begin
            block_q     <= bus_rdata_i[AddrW+1:2];
            block_bad_q <= (bus_rdata_i & ~(BlockBytes - 4)) != '0;
          end
          StAddress: begin
            memory_q     <= bus_rdata_i[MemW+1:2];
            memory_bad_q <= !in_memory(bus_rdata_i);
          end
          default: ;
        endcase
      end
    end
  end

  // --- CRC and counters ---

  // A word is registered before it is added: a memory output is late in its cycle.
  assign crc_mixed = crc_q ^ crc_word_q;

  always_comb begin
    for (int unsigned i = 0; i < 32; i++) crc_next[i] = ^(crc_mixed & ByWord[i]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      crc_add_q    <= 1'b0;
      crc_word_q   <= '0;
      crc_q        <= '1;
      down_words_q <= '0;
      up_words_q   <= '0;
      cycles_q     <= '0;
    end else begin
      crc_add_q  <= up_req_o || (step && op_q != DmaOpUp);
      crc_word_q <= op_q == DmaOpUp ? bus_rdata_i : down_rdata_i;
      if (crc_clear_i)    crc_q <= '1;
      else if (crc_add_q) crc_q <= crc_next;
      if (step && op_q != DmaOpUp) down_words_q <= down_words_q + 1'b1;
      if (up_req_o) up_words_q <= up_words_q + 1'b1;
      if (busy_o)   cycles_q   <= cycles_q + 1'b1;
    end
  end

  assign crc_o        = ~crc_q;
  assign down_bytes_o = {down_words_q, 2'b0};
  assign up_bytes_o   = {up_words_q, 2'b0};
  assign cycles_o     = cycles_q;

endmodule
