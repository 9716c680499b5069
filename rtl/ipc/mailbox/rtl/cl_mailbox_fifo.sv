// SPDX-License-Identifier: Apache-2.0
// The mailbox from one processor to another: a FIFO of words, and at each end a count and an error that stays.
//
// What comes in one cycle counts in this order: the sender's, the receiver's, the reset from the sending end, the
// reset from the receiving end. So a word that is put can be got in the same cycle, and no reset is overwritten.
module cl_mailbox_fifo
  import cl_ipc_pkg::*;
#(
  parameter  int unsigned Depth      = 16,   // a power of two, 2..256
  localparam int unsigned LevelWidth = $clog2(Depth) + 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  // Sending end, one of these a cycle
  input  logic                           put_i,             // never when full_o
  input  logic                           put_gives_up_i,
  input  error_e                         put_code_i,        // why it gives up
  input  logic                           clear_sent_i,
  input  logic                           reset_sent_i,
  input  logic [31:0]                    word_i,
  output logic                           full_o,
  output logic [LevelWidth-1:0]          space_o,           // words that fit
  output error_e                         sent_error_o,
  output logic [StateWordCountWidth-1:0] sent_o,

  // Receiving end, one of these a cycle; level_o, some_o and head_o count the word that is put in this cycle
  input  logic                           get_i,             // never without some_o
  input  logic                           get_gives_up_i,
  input  error_e                         get_code_i,
  input  logic                           clear_received_i,
  input  logic                           reset_received_i,
  output logic                           some_o,
  output logic [LevelWidth-1:0]          level_o,
  output logic [31:0]                    head_o,
  output error_e                         received_error_o,
  output logic [StateWordCountWidth-1:0] received_o
);

  localparam int unsigned PointerWidth = $clog2(Depth);

  logic [31:0]                    ram_q [Depth];
  logic [PointerWidth-1:0]        write_q, read_q;
  logic [LevelWidth-1:0]          level_q;
  logic                           empty;
  logic [StateWordCountWidth-1:0] sent_q, received_q;
  error_e                         sent_error_q, received_error_q;

  assign empty            = level_q == '0;
  assign full_o           = level_q[LevelWidth-1];
  assign space_o          = LevelWidth'(Depth) - level_q;
  assign sent_error_o     = sent_error_q;
  assign sent_o           = sent_q;
  assign some_o           = ~empty | put_i;
  assign level_o          = level_q + LevelWidth'(put_i);
  assign head_o           = empty ? word_i : ram_q[read_q];
  assign received_error_o = received_error_q;
  assign received_o       = received_q;

  always_ff @(posedge clk_i) begin
    if (put_i) ram_q[write_q] <= word_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q          <= '0;
      read_q           <= '0;
      level_q          <= '0;
      sent_q           <= '0;
      received_q       <= '0;
      sent_error_q     <= ErrorOk;
      received_error_q <= ErrorOk;
    end else begin
      level_q <= level_q + LevelWidth'(put_i) - LevelWidth'(get_i);
      if (put_i) begin
        write_q <= write_q + 1'b1;
        sent_q  <= sent_q + 1'b1;
      end
      if (get_i) begin
        read_q     <= read_q + 1'b1;
        received_q <= received_q + 1'b1;
      end
      if (put_gives_up_i)   sent_error_q     <= put_code_i;
      if (clear_sent_i)     sent_error_q     <= ErrorOk;
      if (get_gives_up_i)   received_error_q <= get_code_i;
      if (clear_received_i) received_error_q <= ErrorOk;
      if (reset_sent_i || reset_received_i) begin
        write_q <= '0;
        read_q  <= '0;
        level_q <= '0;
      end
      if (reset_sent_i) begin
        sent_q           <= '0;
        sent_error_q     <= ErrorOk;
        received_error_q <= ErrorReset;
      end
      if (reset_received_i) begin
        received_q       <= '0;
        received_error_q <= ErrorOk;
        sent_error_q     <= ErrorReset;
      end
    end
  end

endmodule
