// SPDX-License-Identifier: Apache-2.0
// From a Wishbone master to a port that grants a request and answers later.
//
// Wishbone has one handshake, which is the answer here; so a load takes one cycle more than its answer. Two cases wait
// less: a store is acknowledged with its grant, as nothing waits for what it returns, and the address of the next word
// of a burst follows from that of this one, so it is requested while this one is answered.
module cl_wishbone
  import cl_soc_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  // Wishbone master; a cycle is never given up
  input  logic        stb_i,
  input  logic        we_i,
  input  logic  [3:0] sel_i,
  input  logic [29:0] adr_i,
  input  logic [31:0] dat_i,
  input  logic  [2:0] cti_i,      // 010: the next word comes next, up to the last of the line of 8
  output logic        ack_o,      // with the answer's data, which pass by

  // Port, with one request outstanding
  output logic        req_o,
  output obi_req_t    cmd_o,
  input  logic        gnt_i,
  input  logic        rvalid_i,
  input  logic        overlap_i   // with rvalid_i: the next request may go out now
);

  logic loading_q, more_q, next;

  assign next  = loading_q & overlap_i & more_q;
  assign req_o = stb_i & (~loading_q | next);
  assign ack_o = (loading_q & rvalid_i) | (gnt_i & we_i);

  always_comb begin
    cmd_o.we    = we_i;
    cmd_o.be    = sel_i;
    cmd_o.addr  = {adr_i[29:3], adr_i[2:0] + 3'(next), 2'b00};
    cmd_o.wdata = dat_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) loading_q <= 1'b0;
    else         loading_q <= (gnt_i & ~we_i) | (loading_q & ~rvalid_i);
  end

  // Whether another word follows that was granted: from a register, as the master's own logic for cti_i is long.
  always_ff @(posedge clk_i) begin
    if (gnt_i) more_q <= (cti_i == 3'b010) & (cmd_o.addr[4:2] != '1);
  end

endmodule
