// SPDX-License-Identifier: Apache-2.0
// 3x3 convolution of an image of 8 bits a pixel, one pixel a cycle. struct hwt_convolution in hwt_units.h.
//
// The image is walked in columns and rows of one more than it has: at (x, y) the column x of the rows y-2, y-1
// and y moves into a window of 3x3, whose centre is then (x-1, y-1). Two lines are kept, so every word is read
// once; what lies outside repeats what is nearest. All stages advance together (step), or none does.
//
//   words in -> pixel -> lines: column -> window -> products -> sums -> sum -> shifted -> clamped -> words out
module cl_hwt_convolution
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

  localparam int unsigned XWidth    = 11;          // to HWT_CONVOLUTION_WIDTH_MAX
  localparam int unsigned YWidth    = 16;          // to HWT_CONVOLUTION_HEIGHT_MAX
  localparam logic [31:0] WidthMax  = 32'd1024;
  localparam logic [31:0] HeightMax = 32'd65535;
  localparam logic [31:0] Einval    = 32'd22;
  localparam int unsigned Stages    = 6;           // from the window to the clamped pixel
  localparam logic  [3:0] Words     = 4'd10;       // of the parameter block

  typedef enum logic [1:0] {StIdle, StBlock, StRun, StDone} state_e;

  // Pipeline data of a centre pixel
  typedef struct packed {
    logic       valid;
    logic       last;   // of its row
    logic [1:0] lane;   // its byte of a word
  } tag_t;

  state_e             state_q;

  // Parameters
  logic               bad_q, bad;
  logic         [3:0] ask_q, got_q;                // words of the block to ask for; that have come
  logic        [31:0] read_q, read_row_q, write_q, write_row_q;   // next word and its row, in both images
  logic        [31:0] stride_q, offset_q;
  logic  [XWidth-1:0] width_q;
  logic  [YWidth-1:0] height_q;
  logic         [4:0] shift_q;
  logic    [8:0][7:0] kernel_q;

  // Input: up to two words ahead
  logic        [31:0] in0_q, in1_q;                // head, tail
  logic         [1:0] in_count_q;
  logic               reading_q, writing_q;        // a load, a store is outstanding
  logic  [XWidth-1:0] read_left_q;                 // pixels still to be read in the row
  logic  [YWidth-1:0] read_rows_q;                 // rows still to be read
  logic               want_read, want_write, push, pop;

  // The place whose pixel is taken
  logic  [XWidth-1:0] x_q;
  logic  [YWidth-1:0] y_q;
  logic               walking_q, x_end, y_end, need, step;

  // The column, one step later
  logic               column_q, first_q, repeat_q, second_q, bottom_q, centre_q;
  logic  [XWidth-2:0] column_x_q;
  logic         [7:0] pixel_q, above, below;
  logic        [15:0] lines [2**(XWidth-1)];       // of each column the pixels of the last two rows
  logic        [15:0] lines_q;

  // Arithmetic
  logic [2:0][2:0][7:0]  window_q;                 // [row][column]
  logic signed    [16:0] product_q [9];
  logic signed    [18:0] sums_q [3];
  logic signed    [20:0] sum_q, shifted_q;
  logic signed    [32:0] value;
  logic            [7:0] value_q;
  tag_t [Stages-1:0]     tag_q;
  tag_t                  tag;
  logic                  moving;                   // a centre is on its way

  // Output: one word ahead
  logic        [31:0] pack_q, pack, out_q, out_addr_q;
  logic         [3:0] be_q, be, out_be_q;
  logic               emit, out_valid_q;

  assign x_end = x_q == width_q;
  assign y_end = y_q == height_q;
  assign need  = walking_q & ~x_end & ~y_end;
  assign step  = (state_q == StRun) & (~need | (in_count_q != '0)) & ~(emit & out_valid_q);
  assign pop   = step & need & ((x_q[1:0] == 2'd3) | (x_q + XWidth'(1) == width_q));
  assign push  = mem_rvalid_i & reading_q;

  // Memory: parameters, then output before input
  assign want_write = (state_q == StRun) & out_valid_q;
  assign want_read  = (state_q == StRun) & (read_rows_q != '0) & (in_count_q + 2'(reading_q) < 2'd2);

  always_comb begin
    mem_req_o = (ask_q != '0) | want_write | want_read;
    mem_cmd_o = '{we: 1'b0, be: '1, addr: read_q, wdata: out_q};
    if (want_write) begin
      mem_cmd_o.we   = 1'b1;
      mem_cmd_o.be   = out_be_q;
      mem_cmd_o.addr = out_addr_q;
    end
  end

  assign above = second_q ? lines_q[7:0] : lines_q[15:8];
  assign below = bottom_q ? lines_q[7:0] : pixel_q;

  // The place after the row's end and the row after the last one have no line of their own.
  always_ff @(posedge clk_i) begin
    if (run_i && step) begin
      lines_q <= lines[x_q[XWidth-2:0]];
      if (column_q && !repeat_q) lines[column_x_q] <= {lines_q[7:0], pixel_q};
    end
  end

  always_ff @(posedge clk_i) begin
    if (run_i && step) begin
      pixel_q <= in0_q[{x_q[1:0], 3'b0} +: 8];
      for (int unsigned row = 0; row < 3; row++) begin
        window_q[row][0] <= window_q[row][1];
        window_q[row][1] <= window_q[row][2];
      end
      if (!repeat_q) begin
        window_q[0][2] <= above;
        window_q[1][2] <= lines_q[7:0];
        window_q[2][2] <= below;
      end
      if (first_q) begin
        window_q[0][1] <= above;
        window_q[1][1] <= lines_q[7:0];
        window_q[2][1] <= below;
      end
      for (int unsigned i = 0; i < 9; i++) begin
        product_q[i] <= 17'(signed'(kernel_q[i])) * 17'(signed'({1'b0, window_q[i / 3][i % 3]}));
      end
      for (int unsigned row = 0; row < 3; row++) begin
        sums_q[row] <= 19'(product_q[3 * row]) + 19'(product_q[3 * row + 1]) + 19'(product_q[3 * row + 2]);
      end
      sum_q     <= 21'(sums_q[0]) + 21'(sums_q[1]) + 21'(sums_q[2]);
      shifted_q <= sum_q >>> shift_q;
      value_q   <= value[32] ? 8'd0 : (value[31:8] != '0) ? 8'd255 : value[7:0];
    end
  end

  assign value = 33'(signed'(offset_q)) + 33'(shifted_q);

  assign tag  = tag_q[Stages-1];
  assign emit = tag.valid & (tag.last | (tag.lane == 2'd3));

  always_comb begin
    pack                          = pack_q;
    be                            = be_q;
    pack[{tag.lane, 3'b0} +: 8]   = value_q;
    be[tag.lane]                  = 1'b1;
    moving = walking_q | column_q;
    for (int unsigned i = 0; i < Stages; i++) moving = moving | tag_q[i].valid;
  end

  // Validity of the arriving word of the block
  always_comb begin
    unique case (got_q)
      4'd0, 4'd1: bad = mem_rdata_i[1:0] != '0;
      4'd2:       bad = mem_rdata_i == '0 || mem_rdata_i > WidthMax;
      4'd3:       bad = mem_rdata_i == '0 || mem_rdata_i > HeightMax;
      4'd4:       bad = mem_rdata_i[1:0] != '0 || mem_rdata_i < 32'(width_q);
      4'd5:       bad = mem_rdata_i > 32'd31;
      default:    bad = 1'b0;
    endcase
  end

  assign done_o   = state_q == StDone;
  assign result_o = bad_q ? Einval : 32'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StIdle;
      bad_q       <= 1'b0;
      ask_q       <= '0;
      got_q       <= '0;
      read_q      <= '0;
      read_row_q  <= '0;
      write_q     <= '0;
      write_row_q <= '0;
      stride_q    <= '0;
      offset_q    <= '0;
      width_q     <= '0;
      height_q    <= '0;
      shift_q     <= '0;
      kernel_q    <= '0;
      in0_q       <= '0;
      in1_q       <= '0;
      in_count_q  <= '0;
      reading_q   <= 1'b0;
      writing_q   <= 1'b0;
      read_left_q <= '0;
      read_rows_q <= '0;
      x_q         <= '0;
      y_q         <= '0;
      walking_q   <= 1'b0;
      column_q    <= 1'b0;
      first_q     <= 1'b0;
      repeat_q    <= 1'b0;
      second_q    <= 1'b0;
      bottom_q    <= 1'b0;
      centre_q    <= 1'b0;
      column_x_q  <= '0;
      tag_q       <= '0;
      pack_q      <= '0;
      be_q        <= '0;
      out_valid_q <= 1'b0;
      out_q       <= '0;
      out_addr_q  <= '0;
      out_be_q    <= '0;
    end else if (run_i) begin
      unique case (state_q)
        StIdle: if (start_i) begin
          read_q  <= argument_i;
          ask_q   <= Words;
          state_q <= StBlock;
        end
        StBlock: begin
          if (mem_gnt_i) begin
            read_q <= read_q + 32'd4;
            ask_q  <= ask_q - 4'd1;
          end
          if (mem_rvalid_i) begin
            got_q <= got_q + 4'd1;
            bad_q <= bad_q | bad;
            unique case (got_q)
              4'd0:    read_row_q    <= mem_rdata_i;
              4'd1:    write_row_q   <= mem_rdata_i;
              4'd2:    width_q       <= mem_rdata_i[XWidth-1:0];
              4'd3:    height_q      <= mem_rdata_i[YWidth-1:0];
              4'd4:    stride_q      <= mem_rdata_i;
              4'd5:    shift_q       <= mem_rdata_i[4:0];
              4'd6:    offset_q      <= mem_rdata_i;
              4'd7:    kernel_q[3:0] <= mem_rdata_i;
              4'd8:    kernel_q[7:4] <= mem_rdata_i;
              default: kernel_q[8]   <= mem_rdata_i[7:0];
            endcase
          end
          if (got_q == Words) begin
            read_q      <= read_row_q;
            read_left_q <= width_q;
            read_rows_q <= height_q;
            write_q     <= write_row_q;
            walking_q   <= ~bad_q;
            state_q     <= bad_q ? StDone : StRun;
          end
        end
        StRun: begin
          // Input
          reading_q <= (mem_gnt_i & ~want_write) | (reading_q & ~mem_rvalid_i);
          if (mem_gnt_i && !want_write) begin
            if (read_left_q <= XWidth'(4)) begin
              read_q      <= read_row_q + stride_q;
              read_row_q  <= read_row_q + stride_q;
              read_left_q <= width_q;
              read_rows_q <= read_rows_q - YWidth'(1);
            end else begin
              read_q      <= read_q + 32'd4;
              read_left_q <= read_left_q - XWidth'(4);
            end
          end
          in_count_q <= in_count_q + 2'(push) - 2'(pop);
          if (pop) in0_q <= in1_q;
          if (push) begin
            if (in_count_q == 2'(pop)) in0_q <= mem_rdata_i;
            else                       in1_q <= mem_rdata_i;
          end
          // Place, column, centres
          if (step) begin
            if (!x_end) begin
              x_q <= x_q + XWidth'(1);
            end else begin
              x_q <= '0;
              y_q <= y_q + YWidth'(1);
              if (y_end) walking_q <= 1'b0;
            end
            column_q   <= walking_q;
            column_x_q <= x_q[XWidth-2:0];
            first_q    <= x_q == '0;
            repeat_q   <= x_end;
            second_q   <= y_q == YWidth'(1);
            bottom_q   <= y_end;
            centre_q   <= walking_q & (x_q != '0) & (y_q != '0);
            tag_q[0]   <= '{valid: centre_q, last: repeat_q, lane: column_x_q[1:0] - 2'd1};
            for (int unsigned i = 1; i < Stages; i++) tag_q[i] <= tag_q[i-1];
            if (tag.valid) begin
              pack_q <= pack;
              be_q   <= emit ? '0 : be;
            end
          end
          // Output
          writing_q <= (mem_gnt_i & want_write) | (writing_q & ~mem_rvalid_i);
          if (mem_gnt_i && want_write) out_valid_q <= 1'b0;
          if (step && emit) begin
            out_valid_q <= 1'b1;
            out_q       <= pack;
            out_be_q    <= be;
            out_addr_q  <= write_q;
            write_q     <= tag.last ? write_row_q + stride_q : write_q + 32'd4;
            if (tag.last) write_row_q <= write_row_q + stride_q;
          end
          if (!moving && !out_valid_q && !writing_q) state_q <= StDone;
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
  assign unused = ^{call_done_i, call_answer_i, call_message_i};

endmodule
