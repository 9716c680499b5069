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
  logic [Clients-1:0]       gnt, rvalid, idle;
  logic                     engine_idle, line_pending, settling;
  logic                     looking;     // for a thread whose time is over, or its operation may begin a wait
  logic [Clients-1:0][17:0] addr;
  logic [Clients-1:0][31:0] wdata, rdata;

  for (genvar c = 0; c < Clients; c++) begin : g_client
    assign addr[c]    = addr_i[c][17:0];
    assign wdata[c]   = wdata_i[c];
    assign rdata_o[c] = rdata[c];
  end

  assign gnt_o     = 16'(gnt);
  assign rvalid_o  = 16'(rvalid);
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
  assign line_pending = u_dut.\u_engine.line_pending ;
  assign line_take_o  = u_dut.\u_engine.line_take ;
  assign line_o       = 32'(u_dut.\u_engine.line );
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
  assign line_pending = u_dut.u_engine.line_pending;
  assign line_take_o  = u_dut.u_engine.line_take;
  assign line_o       = 32'(u_dut.u_engine.line);
  if (Cfg.Timeouts) begin : g_timeouts
    assign looking = u_dut.u_engine.g_timeouts.u_timeouts.looking || !engine_idle;
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
    .req_i    (req_i[Clients-1:0]),
    .gnt_o    (gnt),
    .we_i     (we_i[Clients-1:0]),
    .addr_i   (addr),
    .wdata_i  (wdata),
    .rvalid_o (rvalid),
    .rdata_o  (rdata),
    .irq_o    (irq),
    .intr_i   (intr_i[Cpus-1:0]),
    .idle_o   (idle),
    .line_i   (line_i[Cfg.Lines-1:0])
  );

endmodule
