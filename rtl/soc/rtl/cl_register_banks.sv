// SPDX-License-Identifier: Apache-2.0
// Register file of Ibex with two banks. The core has one of them; sp, gp and tp are the same registers in both, so
// stack and thread do not change with the bank. A third port reads the bank that the core does not have.
//
// Reads are combinational, a write is seen from the next cycle on. x0 is 0, x1 to x31 are undefined after reset.
module cl_register_banks (
  input  logic        clk_i,

  // Of the core, in bank bank_i
  input  logic        bank_i,
  input  logic  [4:0] raddr_a_i,
  output logic [31:0] rdata_a_o,
  input  logic  [4:0] raddr_b_i,
  output logic [31:0] rdata_b_o,
  input  logic        we_i,
  input  logic  [4:0] waddr_i,
  input  logic [31:0] wdata_i,

  // The other bank
  input  logic  [4:0] other_addr_i,
  output logic [31:0] other_rdata_o
);

  logic [31:0] mem [64];

  // Bank and number of a register; those that both banks share are in bank 0.
  function automatic logic [5:0] place(logic bank, logic [4:0] number);
    logic shared;
    shared = (number >= 5'd2) & (number <= 5'd4);
    return {bank & ~shared, number};
  endfunction

  always_ff @(posedge clk_i) begin
    if (we_i && waddr_i != '0) mem[place(bank_i, waddr_i)] <= wdata_i;
  end

  assign rdata_a_o     = (raddr_a_i == '0) ? '0 : mem[place(bank_i, raddr_a_i)];
  assign rdata_b_o     = (raddr_b_i == '0) ? '0 : mem[place(bank_i, raddr_b_i)];
  assign other_rdata_o = mem[place(~bank_i, other_addr_i)];

endmodule
