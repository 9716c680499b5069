// SPDX-License-Identifier: Apache-2.0
// cl_kernel as referee.cpp and concurrent.cpp want it: arrays that C++ can index, and a look inside.
module cl_kernel_referee
  import cl_kernel_pkg::*;
#(
  parameter  cfg_t        Cfg     = Default,
  localparam int unsigned Cpus    = Cfg.Cpus,
  localparam int unsigned Clients = Cfg.Cpus + Cfg.HwThreads
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   tick_i,
  input  logic            [31:0] now_i,
  input  logic            [15:0] req_i,
  output logic            [15:0] gnt_o,
  input  logic            [15:0] we_i,
  input  logic            [31:0] addr_i  [Clients],
  input  logic            [31:0] wdata_i [Clients],
  output logic            [15:0] rvalid_o,
  output logic            [31:0] rdata_o [Clients],
  output logic            [15:0] irq_o,
  input  logic            [15:0] intr_i,
  output logic            [15:0] idle_o,
  input  logic            [63:0] line_i,
  output logic            [15:0] rests_o,    // irq_o is low for a while, whatever the model says (cl_kernel_rest)
  output logic            [31:0] cpus_o,     // the parameters
  output logic            [31:0] clients_o,
  output logic            [31:0] lines_o,
  output logic            [15:0] take_o,     // the engine takes what this CPU's port holds:
  output logic            [15:0] take_op_o,  // an operation, not just a save
  output logic                   line_take_o,  // the engine takes line line_o
  output logic            [31:0] line_o,
  output logic                   offered_o,  // a port holds something the engine has not taken yet; a wait may end
  output logic                   quiet_o     // the engine and the ready queue have nothing to do
);

  logic    [Cpus-1:0]       irq;
  logic [Clients-1:0]       idle;
  logic                     engine_idle, line_pending, settling;
  logic                     looking;     // for a thread whose time is over, or its operation may begin a wait
  client_request_t [Clients-1:0] request;
  client_answer_t  [Clients-1:0] answer;

  for (genvar c = 0; c < Clients; c++) begin : g_client
    assign request[c]  = '{req: req_i[c], we: we_i[c], addr: addr_i[c][17:0], wdata: wdata_i[c]};
    assign rdata_o[c]  = answer[c].rdata;
  end

  always_comb begin
    gnt_o    = '0;
    rvalid_o = '0;
    for (int unsigned c = 0; c < Clients; c++) begin
      gnt_o[c]    = answer[c].gnt;
      rvalid_o[c] = answer[c].rvalid;
    end
  end

  assign irq_o     = 16'(irq);
  assign idle_o    = 16'(idle);
  assign rests_o   = 16'(u_dut.rests);
  assign cpus_o    = Cpus;
  assign clients_o = Clients;
  assign lines_o   = Cfg.Lines;
  assign take_o    = 16'(u_dut.take);
  assign take_op_o = 16'(u_dut.take & u_dut.op_valid);
  assign offered_o = (u_dut.op_valid | u_dut.save) != '0 || looking;
  assign quiet_o   = !offered_o && engine_idle && u_dut.queue_ready && !line_pending && !settling &&
                     (u_dut.waiting & Clients'(intr_i[Cpus-1:0])) == '0;

`ifdef NETLIST
  // The netlist of Yosys: one module, without parameters, with dots in its names.
  assign engine_idle  = u_dut.\u_engine.idle ;
  assign line_pending = u_dut.\u_tables.u_services.line_pending_o ;
  assign line_take_o  = u_dut.\u_engine.line_take ;
  assign line_o       = 32'(u_dut.\u_tables.u_services.line_o );
`ifdef NETLIST_DWRR
  assign settling = u_dut.\u_engine.settling  || u_dut.\g_dwrr.u_dwrr.load_address_q  || u_dut.\g_dwrr.u_dwrr.load_q  ||
                    u_dut.\g_dwrr.u_dwrr.fresh_any  || u_dut.\g_dwrr.u_dwrr.product_valid_q ;
`else
  assign settling = 1'b0;
`endif

  assign looking = 1'b0;

  cl_kernel u_dut (
`else
  assign engine_idle  = u_dut.u_engine.idle;
  assign line_pending = u_dut.pending.line;
  assign line_take_o  = u_dut.u_engine.line_take;
  assign line_o       = 32'(u_dut.pending.line_index);
  if (Cfg.Timeouts) begin : g_timeouts
    assign looking = u_dut.u_tables.g_timeouts.u_timeouts.looking || !engine_idle;
  end else begin : g_no_timeouts
    assign looking = 1'b0;
  end
  // Until a new slice is there a tick would be lost.
  if (Cfg.Policy == 1) begin : g_dwrr
    assign settling = u_dut.u_engine.settling || u_dut.g_dwrr.u_dwrr.load_address_q || u_dut.g_dwrr.u_dwrr.load_q ||
                      u_dut.g_dwrr.u_dwrr.fresh_any || u_dut.g_dwrr.u_dwrr.product_valid_q;
  end else begin : g_settled
    assign settling = 1'b0;
  end

  cl_kernel #(.Cfg(Cfg)) u_dut (
`endif
    .clk_i,
    .rst_ni,
    .tick_i,
    .now_i,
    .request_i (request),
    .answer_o  (answer),
    .irq_o     (irq),
    .intr_i    (intr_i[Cpus-1:0]),
    .idle_o    (idle),
    .line_i    (line_i[Cfg.Lines-1:0])
  );

endmodule
