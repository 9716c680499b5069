// SPDX-License-Identifier: Apache-2.0
// [HT]'s scheduler (cl_scheduler) on the shared bus: a device whose operations are loads, and a master that stores
// START to the command registers of hardware threads.
//
// An operation is a load at {op[3:0], tid[9:0], argument[7:0], 00} in the region of the scheduler; the bus waits for its
// answer, so it is atomic whoever asks. START is sent after the answer, as it needs the bus: in `pending_q` until then,
// and its hardware thread counts as running. As the bus is round-robin, it comes before the asker's next access.
module cl_scheduler_port
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter int unsigned HwThreads = 1   // 1..15
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Device of the bus
  input  logic                 ask_i,         // an access, with cmd_i; stays until it is taken
  input  obi_req_t             cmd_i,
  output logic                 ready_o,       // it can take that of the last cycle
  input  logic                 taken_i,
  output logic          [31:0] rdata_o,       // in the cycle after that
  output logic                 err_o,         // likewise: a store

  // cl_scheduler
  output logic                 op_req_o,
  input  logic                 op_gnt_i,
  output logic          [13:0] op_addr_o,
  output logic          [31:0] op_wdata_o,
  input  logic                 op_rvalid_i,
  input  logic          [31:0] op_rdata_i,    // until the next rvalid
  input  logic                 start_req_i,
  output logic                 start_gnt_o,
  input  logic          [31:0] start_addr_i,
  input  logic          [31:0] start_wdata_i,
  output logic [HwThreads-1:0] hw_running_o,

  // Master of the bus
  output logic                 bus_req_o,
  output obi_req_t             bus_cmd_o,
  input  logic                 bus_gnt_i,

  input  logic [HwThreads-1:0] busy_i         // hardware threads that would refuse START
);

  // Operations
  logic asked_q, store_q, err_q;

  assign op_req_o   = ask_i & ~cmd_i.we & ~asked_q;
  assign op_addr_o  = cmd_i.addr[23:10];
  assign op_wdata_o = 32'(cmd_i.addr[9:2]);
  assign ready_o    = (asked_q & op_rvalid_i) | store_q;
  assign rdata_o    = op_rdata_i;
  assign err_o      = err_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q <= 1'b0;
      store_q <= 1'b0;
      err_q   <= 1'b0;
    end else begin
      asked_q <= (asked_q | (op_req_o & op_gnt_i)) & ~op_rvalid_i;
      store_q <= ask_i & cmd_i.we & ~taken_i;
      err_q   <= taken_i & cmd_i.we;
    end
  end

  // START: the lowest hardware thread first
  logic [HwThreads-1:0] pending_q, wanted, first;

  assign start_gnt_o  = 1'b1;
  assign first        = pending_q & (~pending_q + HwThreads'(1));
  assign hw_running_o = pending_q | busy_i;
  assign bus_req_o    = |pending_q;

  always_comb begin
    wanted    = '0;
    bus_cmd_o = '{we: 1'b1, be: '1, addr: UnitBase, wdata: start_wdata_i};
    for (int unsigned n = 0; n < HwThreads; n++) begin
      if (start_req_i && 32'(start_addr_i[11:8]) == n) wanted[n] = 1'b1;
      if (first[n]) bus_cmd_o.addr[11:8] = 4'(n);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pending_q <= '0;
    else         pending_q <= (pending_q & ~(bus_gnt_i ? first : '0)) | wanted;
  end

  logic unused;
  assign unused = ^{start_addr_i[31:12], start_addr_i[7:0], cmd_i.be, cmd_i.addr[31:24], cmd_i.addr[1:0], cmd_i.wdata};

`ifndef SYNTHESIS
  // A master does not put another access in the place of one that it has shown: else that would be taken at once.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertAnswered: assert (!taken_i || ready_o);
      AssertStays:    assert (!asked_q || ask_i);
    end
  end
`endif

`ifdef FORMAL
  // The bus and its masters: an access stays until it is taken, from its second cycle on and once it is ready.
  logic asks_q;      // an access has not been taken
  obi_req_t cmd_q;
  // The scheduler answers each operation, and between them asks for at most one START, of a unit that does not run.
  logic out_q, started_q;
  logic [HwThreads-1:0] owed_q;   // START was asked for, and not stored

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asks_q    <= 1'b0;
      cmd_q     <= '0;
      out_q     <= 1'b0;
      started_q <= 1'b0;
      owed_q    <= '0;
    end else begin
      asks_q    <= ask_i & ~taken_i;
      cmd_q     <= cmd_i;
      out_q     <= (op_req_o & op_gnt_i) | (out_q & ~op_rvalid_i);
      started_q <= start_req_i;
      for (int unsigned n = 0; n < HwThreads; n++) begin
        if (start_req_i && start_addr_i == (UnitBase | n << 8))                   owed_q[n] <= 1'b1;
        else if (bus_req_o && bus_gnt_i && bus_cmd_o.addr == (UnitBase | n << 8)) owed_q[n] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!asks_q || (ask_i && cmd_i == cmd_q));
      assume (taken_i == (asks_q & ready_o));
      assume (!op_rvalid_i || out_q);
      assume (!op_gnt_i || op_req_o);
      assume (!start_req_i || (out_q && !started_q && start_addr_i[31:12] == UnitTop && start_addr_i[7:0] == '0 &&
                               32'(start_addr_i[11:8]) < HwThreads && !hw_running_o[start_addr_i[11:8]]));
      assume (!bus_gnt_i || bus_req_o);
      // REQ-scheduler-1: each load is one operation, and is taken with its answer; a store is none.
      assert (!(op_req_o && out_q));
      assert (out_q == asked_q);
      assert (!out_q || (asks_q && !cmd_q.we));
      assert (!(taken_i && !cmd_i.we) || op_rvalid_i);
      assert (!op_rvalid_i || taken_i);
      // REQ-scheduler-2: every START is sent once; until then its hardware thread counts as running.
      assert (owed_q == pending_q && bus_req_o == (owed_q != '0));
      assert ((wanted & pending_q) == '0 && (hw_running_o & owed_q) == owed_q);
      assert (!bus_req_o || (bus_cmd_o.we && bus_cmd_o.be == '1 && owed_q[bus_cmd_o.addr[11:8]]));
    end
  end
`endif

endmodule
