// SPDX-License-Identifier: Apache-2.0
// Front of the communication units for one processor: takes its accesses, one at a time, and ends those that wait.
//
// An access is granted when none executes or the one before completes, and executes from the next cycle on, until a
// unit is ready or it gives up: when its patience ends, or from the cycle after one with intr_i on.
//
//            c      c+1             c+2
//   client   gnt    rvalid, gnt     rvalid          an access in every cycle when nothing waits
//   units           access 1        access 2
module cl_ipc_port
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_i,
  output logic        gnt_o,
  input  logic        we_i,
  input  logic [18:0] addr_i,        // {-, patience, op, index}: bits 20:2 of the address
  input  logic [31:0] wdata_i,
  output logic        rvalid_o,
  output logic        err_o,
  output logic [31:0] rdata_o,
  input  logic        intr_i,        // the client has an interrupt to take

  output access_t     access_o,
  input  reply_t      reply_i        // of all units, ORed
);

  // For ever is the one patience whose count is never looked at.
  localparam logic [AddressPatienceWidth-1:0] Forever = '1;

  logic [AddressPatienceWidth-1:0] patience, patience_q;
  logic [30:0]                     count_q;    // cycles that it has executed, this one counted
  logic                            accept, ends, done;
  logic                            valid_q, we_q, expired_q, intr_q;
  op_e                             op_q;
  logic [7:0]                      index_q;
  logic [31:0]                     wdata_q;

  assign patience = addr_i[AddressPatienceLsb - AddressIndexLsb +: AddressPatienceWidth];
  assign gnt_o    = req_i & (~valid_q | done);
  assign accept   = gnt_o;

  assign ends     = reply_i.ready | expired_q | intr_q;
  assign done      = valid_q & (~reply_i.mine | ends);
  assign rvalid_o  = done;
  assign err_o     = valid_q & ~reply_i.mine;
  assign rdata_o   = reply_i.rdata;

  // A patience that ends wins over an interrupt: a try that fails is told so, whatever the interrupts do.
  assign access_o = '{
    valid: valid_q,
    we:    we_q,
    op:    op_q,
    index: index_q,
    wdata: wdata_q,
    code:  expired_q ? ErrorTimeout : ErrorInterrupted,
    last:  expired_q | intr_q
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q    <= 1'b0;
      we_q       <= 1'b0;
      op_q       <= op_e'('0);
      index_q    <= '0;
      wdata_q    <= '0;
      patience_q <= '0;
      count_q    <= '0;
      expired_q  <= 1'b0;
      intr_q     <= 1'b0;
    end else begin
      intr_q    <= intr_i;
      valid_q   <= accept | (valid_q & ~done);
      count_q   <= count_q + 31'd1;
      expired_q <= (patience_q != Forever) & count_q[patience_q];
      if (accept) begin
        we_q       <= we_i;
        op_q       <= op_e'(addr_i[AddressOpLsb - AddressIndexLsb +: AddressOpWidth]);
        index_q    <= addr_i[0 +: AddressIndexWidth];
        wdata_q    <= wdata_i;
        patience_q <= patience;
        count_q    <= 31'd1;
        expired_q  <= patience == '0;
      end
    end
  end

endmodule
