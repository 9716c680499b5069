// SPDX-License-Identifier: Apache-2.0
// A register between a master and the shared bus, so that no path leads from a core to the arbiter and back.
//
// A request is granted at once and reaches the bus in the next cycle. One access is on its way at a time: the next one is
// granted in the cycle of the response at the earliest. With Registered 0 these are wires.
module cl_bus_stage
  import cl_soc_pkg::*;
#(
  parameter bit Registered = 1'b0
) (
  input  logic     clk_i,
  input  logic     rst_ni,

  // Master
  input  logic     req_i,
  input  logic     late_i,       // only without the register, see cl_bus
  input  obi_req_t cmd_i,
  output logic     gnt_o,
  output logic     gnt_late_o,

  // Bus
  output logic     bus_req_o,
  output logic     bus_late_o,
  output obi_req_t bus_cmd_o,
  input  logic     bus_gnt_i,
  input  logic     bus_gnt_late_i,
  input  logic     bus_rvalid_i   // the response, which passes by
);

  if (Registered) begin : g_registered
    logic     asks_q, busy_q;   // not granted yet; not answered yet
    obi_req_t cmd_q;

    assign gnt_o      = req_i & (~busy_q | bus_rvalid_i);
    assign gnt_late_o = 1'b0;
    assign bus_req_o  = asks_q;
    assign bus_late_o = 1'b0;
    assign bus_cmd_o  = cmd_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        asks_q <= 1'b0;
        busy_q <= 1'b0;
      end else begin
        asks_q <= gnt_o | (asks_q & ~bus_gnt_i);
        busy_q <= gnt_o | (busy_q & ~bus_rvalid_i);
      end
    end

    always_ff @(posedge clk_i) begin
      if (!asks_q) cmd_q <= cmd_i;
    end

    logic unused;
    assign unused = ^{late_i, bus_gnt_late_i};

`ifdef FORMAL
    // The bus answers what it granted, once, and not in the same cycle.
    logic granted_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) granted_q <= 1'b0;
      else         granted_q <= (bus_req_o & bus_gnt_i) | (granted_q & ~bus_rvalid_i);
    end
    always_comb assume (!bus_rvalid_i || granted_q);

    // REQ-stage-1: a command that the bus has not granted stays there; none is there twice.
    logic     taken_q, stood_q;
    obi_req_t taken_cmd_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        taken_q <= 1'b0;
        stood_q <= 1'b0;
      end else begin
        taken_q <= gnt_o;
        stood_q <= bus_req_o & ~bus_gnt_i;
      end
    end
    always_ff @(posedge clk_i) begin
      if (gnt_o) taken_cmd_q <= cmd_i;
      if (rst_ni) begin
        assert (bus_req_o == (taken_q | stood_q));
        assert (!bus_req_o || bus_cmd_o == taken_cmd_q);
        assert (busy_q == (asks_q | granted_q));
        assert (!(asks_q & granted_q));
        // REQ-stage-2: one access at a time.
        assert (!gnt_o || !asks_q);
        assert (!gnt_o || !granted_q || bus_rvalid_i);
      end
    end
`endif
  end else begin : g_wires
    assign gnt_o      = bus_gnt_i;
    assign gnt_late_o = bus_gnt_late_i;
    assign bus_req_o  = req_i;
    assign bus_late_o = late_i;
    assign bus_cmd_o  = cmd_i;
    logic unused;
    assign unused = ^{clk_i, rst_ni, bus_rvalid_i};
  end

endmodule
