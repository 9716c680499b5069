// SPDX-License-Identifier: Apache-2.0
// A Wishbone B4 slave in front of a port with req/gnt/rvalid and one outstanding access, such as the kernel's.
//
// Words only: an access with other than all of sel_i is answered by err_o, and reaches nothing. An access is one answer,
// ack_o or err_o, for one cycle; a load that the port answers late is a wait state. Classic cycles leave stall_o open;
// pipelined ones go on in the cycle in which it is low. Cycles: those of the port.
// Whoever ends a cycle (cyc_i) before its answer gets none; the port has done it all the same.
module cl_wb_port #(
  parameter int unsigned AddrWidth = 18   // of words
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 cyc_i,
  input  logic                 stb_i,
  input  logic                 we_i,
  input  logic [AddrWidth-1:0] adr_i,
  input  logic           [3:0] sel_i,
  input  logic          [31:0] dat_i,
  output logic          [31:0] dat_o,
  output logic                 ack_o,
  output logic                 err_o,
  output logic                 stall_o,

  output logic                 req_o,
  input  logic                 gnt_i,
  output logic                 we_o,
  output logic [AddrWidth-1:0] addr_o,
  output logic          [31:0] wdata_o,
  input  logic                 rvalid_i,
  input  logic          [31:0] rdata_i,
  input  logic                 err_i
);

  logic asks, whole, busy_q, wanted_q, refused_q;

  assign asks  = cyc_i & stb_i & ~busy_q & ~refused_q;
  assign whole = &sel_i;

  assign req_o   = asks & whole;
  assign we_o    = we_i;
  assign addr_o  = adr_i;
  assign wdata_o = dat_i;

  assign dat_o   = rdata_i;
  assign ack_o   = rvalid_i & ~err_i & wanted_q & cyc_i;
  assign err_o   = (rvalid_i & err_i & wanted_q & cyc_i) | (refused_q & cyc_i);
  assign stall_o = ~asks | (whole & ~gnt_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {busy_q, wanted_q, refused_q} <= '0;
    end else begin
      refused_q <= asks & ~whole;
      if (rvalid_i) busy_q <= 1'b0;
      if (rvalid_i || !cyc_i) wanted_q <= 1'b0;
      if (req_o && gnt_i) {busy_q, wanted_q} <= '1;
    end
  end

endmodule
