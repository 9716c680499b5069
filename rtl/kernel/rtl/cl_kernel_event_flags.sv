// SPDX-License-Identifier: Apache-2.0
// Event flags: what each thread waits for or has found, and whom a set wakes. The flags themselves are the word of a
// condition variable (cl_kernel_condition_ops), which decides what the operations answer.
//
//   set_i   flags_i are the flags then: the engine looks at each waiter, with look_i, in the order of the wait list; those
//           that the flags satisfy have found them. With the last one word_o are the flags without those that the
//           satisfied ones clear.
//   note_i  the caller waits for flags_i, as how_i says, or has found them
// A record is read in the cycle after raddr_i, as that of the thread table is.
module cl_kernel_event_flags
  import cl_outcome_pkg::*;
#(
  parameter  int unsigned Threads  = 64,
  localparam int unsigned TidWidth = $clog2(Threads)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [TidWidth-1:0] raddr_i,
  input  logic [TidWidth-1:0] tid_i,       // the thread read
  output logic         [31:0] record_o,

  input  logic                create_i,    // a new thread has found nothing
  input  logic [TidWidth-1:0] new_tid_i,

  input  logic [TidWidth-1:0] caller_i,
  input  logic         [31:0] flags_i,
  input  logic          [1:0] how_i,       // 1: clear them, 0: all of them
  input  logic                set_i,
  input  logic                note_i,

  input  logic                look_i,
  output logic                satisfied_o,
  output logic         [31:0] word_o
);

  typedef struct packed {
    logic  [1:0] how;
    logic [31:0] flags;
  } record_t;

  record_t             record, wdata;
  logic                we;
  logic [TidWidth-1:0] waddr;
  logic         [31:0] flags_q, cleared_q, cleared;

  cl_ram_1r1w #(.Width($bits(record_t)), .AddrWidth(TidWidth)) u_record (
    .clk_i, .we_i(we), .waddr_i(waddr), .wdata_i(wdata), .raddr_i, .rdata_o(record)
  );

  assign record_o    = record.flags;
  assign satisfied_o = suffice(flags_q, record.flags, record.how[0]);
  assign cleared     = cleared_q | ((satisfied_o && record.how[1]) ? record.flags : '0);
  assign word_o      = flags_q & ~cleared;

  always_comb begin
    we    = create_i | note_i | (look_i & satisfied_o);
    waddr = tid_i;
    wdata = '{how: '0, flags: flags_q};
    if (create_i) begin
      waddr = new_tid_i;
      wdata = '0;
    end else if (note_i) begin
      waddr = caller_i;
      wdata = '{how: how_i, flags: flags_i};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flags_q   <= '0;
      cleared_q <= '0;
    end else if (set_i) begin
      flags_q   <= flags_i;
      cleared_q <= '0;
    end else if (look_i) begin
      cleared_q <= cleared;
    end
  end

endmodule
