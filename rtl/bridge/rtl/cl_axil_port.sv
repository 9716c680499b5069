// SPDX-License-Identifier: Apache-2.0
// An AXI4-Lite slave in front of a port with req/gnt/rvalid and one outstanding access, such as the kernel's.
//
// One access at a time, loads and stores in turn where both are there. A store is taken when its address and its word are
// there, in the same cycle; without all of wstrb it is answered by SLVERR, and reaches nothing. Addresses are of bytes,
// their lowest two bits do not count; the protection bits of AXI are not there. A load that the port answers late keeps
// rvalid_o low.
// Cycles: one more than the port, for its answer goes through a register.
module cl_axil_port #(
  parameter int unsigned AddrWidth = 18   // of words
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 awvalid_i,
  output logic                 awready_o,
  input  logic [AddrWidth+1:0] awaddr_i,
  input  logic                 wvalid_i,
  output logic                 wready_o,
  input  logic          [31:0] wdata_i,
  input  logic           [3:0] wstrb_i,
  output logic                 bvalid_o,
  input  logic                 bready_i,
  output logic           [1:0] bresp_o,
  input  logic                 arvalid_i,
  output logic                 arready_o,
  input  logic [AddrWidth+1:0] araddr_i,
  output logic                 rvalid_o,
  input  logic                 rready_i,
  output logic          [31:0] rdata_o,
  output logic           [1:0] rresp_o,

  output logic                 req_o,
  input  logic                 gnt_i,
  output logic                 we_o,
  output logic [AddrWidth-1:0] addr_o,
  output logic          [31:0] wdata_o,
  input  logic                 rvalid_i,
  input  logic          [31:0] rdata_i,
  input  logic                 err_i
);

  localparam logic [1:0] Slverr = 2'b10;

  logic        store, load, whole, idle, takes, refuses;
  logic        busy_q, we_q, answer_q, store_last_q, err_q;
  logic [31:0] rdata_q;

  assign idle    = ~busy_q & ~answer_q;
  assign whole   = &wstrb_i;
  assign store   = awvalid_i & wvalid_i & ~(arvalid_i & store_last_q);
  assign load    = arvalid_i & ~store;
  assign refuses = idle & store & ~whole;
  assign takes   = (req_o & gnt_i) | refuses;

  assign req_o   = idle & (load | (store & whole));
  assign we_o    = store;
  assign addr_o  = store ? awaddr_i[2+:AddrWidth] : araddr_i[2+:AddrWidth];
  assign wdata_o = wdata_i;

  assign awready_o = takes & store;
  assign wready_o  = takes & store;
  assign arready_o = takes & ~store;

  assign bvalid_o = answer_q & we_q;
  assign rvalid_o = answer_q & ~we_q;
  assign bresp_o  = err_q ? Slverr : '0;
  assign rresp_o  = err_q ? Slverr : '0;
  assign rdata_o  = rdata_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {busy_q, we_q, answer_q, store_last_q, err_q} <= '0;
      rdata_q <= '0;
    end else begin
      if (takes) begin
        busy_q       <= ~refuses;
        we_q         <= store;
        store_last_q <= store;
      end
      if (refuses) {answer_q, err_q} <= '1;
      if (busy_q && rvalid_i) begin
        busy_q   <= 1'b0;
        answer_q <= 1'b1;
        err_q    <= err_i;
        rdata_q  <= rdata_i;
      end
      if (answer_q && (we_q ? bready_i : rready_i)) answer_q <= 1'b0;
    end
  end

  // The two lowest bits of an address are those of a byte.
  logic unused;
  assign unused = ^{awaddr_i[1:0], araddr_i[1:0]};

endmodule
