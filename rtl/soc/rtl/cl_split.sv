// SPDX-License-Identifier: Apache-2.0
// One master, three targets: addresses with PrivateTop go to the private port, those of the local memory there, the
// rest to the bus port.
//
// Adds no cycle. One transaction is outstanding at a time; the next is passed on in the cycle of the
// response to the last, which is as fast as Ibex and PicoRV32 can issue. Without Overlap it waits a cycle behind a
// private response, so that a request on the bus does not depend on one. A failed access is reported on fault_o.
module cl_split
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter int unsigned LocalBytes = 0,    // size of the local memory, 0: none
  parameter bit          Overlap    = 1'b1
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Master
  input  logic        req_i,
  input  obi_req_t    cmd_i,
  output logic        gnt_o,
  output logic        rvalid_o,
  output logic        err_o,
  output logic [31:0] rdata_o,

  // All targets see the same command; their responses come one cycle after the grant or later
  output obi_req_t    cmd_o,
  output logic        bus_req_o,
  input  logic        bus_gnt_i,
  input  logic        bus_rvalid_i,
  input  logic        bus_err_i,
  input  logic [31:0] bus_rdata_i,
  output logic        priv_req_o,
  input  logic        priv_gnt_i,
  input  logic        priv_rvalid_i,
  input  logic        priv_err_i,
  input  logic [31:0] priv_rdata_i,
  output logic        mem_req_o,      // always granted
  input  logic [31:0] mem_rdata_i,    // one cycle later

  output logic        fault_o,        // with the response
  output logic [31:0] fault_addr_o
);

  logic        is_priv, is_mem, free;
  logic        busy_q, priv_q, mem_q;
  logic [31:0] addr_q;

  assign is_priv = cmd_i.addr[31:28] == PrivateTop;
  assign is_mem  = in_local_memory(cmd_i.addr, LocalBytes);
  assign free    = ~busy_q | (rvalid_o & (Overlap | ~priv_q));

  assign cmd_o      = cmd_i;
  assign bus_req_o  = req_i & free & ~is_priv & ~is_mem;
  assign priv_req_o = req_i & free & is_priv;
  assign mem_req_o  = req_i & free & is_mem;
  assign gnt_o      = (bus_req_o & bus_gnt_i) | (priv_req_o & priv_gnt_i) | mem_req_o;

  assign rvalid_o = busy_q & (mem_q | (priv_q ? priv_rvalid_i : bus_rvalid_i));
  assign err_o    = ~mem_q & (priv_q ? priv_err_i : bus_err_i);
  assign rdata_o  = mem_q ? mem_rdata_i : priv_q ? priv_rdata_i : bus_rdata_i;

  assign fault_o      = rvalid_o & err_o;
  assign fault_addr_o = addr_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      priv_q <= 1'b0;
      mem_q  <= 1'b0;
      addr_q <= '0;
    end else begin
      if (gnt_o) begin
        priv_q <= is_priv;
        mem_q  <= is_mem;
        addr_q <= cmd_i.addr;
      end
      busy_q <= gnt_o | (busy_q & ~rvalid_o);
    end
  end

endmodule
