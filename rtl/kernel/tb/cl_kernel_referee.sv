// SPDX-License-Identifier: Apache-2.0
// cl_kernel as referee.cpp and concurrent.cpp want it: arrays that C++ can index, and a look inside.
module cl_kernel_referee #(
  parameter int unsigned Cpus       = 2,
  parameter int unsigned Threads    = 64,
  parameter int unsigned Priorities = 32,
  parameter int unsigned Ports      = 32,
  parameter int unsigned PortDepth  = 8,
  parameter int unsigned Mutexes    = 32,
  parameter int unsigned Semaphores = 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   tick_i,
  input  logic            [15:0] req_i,
  output logic            [15:0] gnt_o,
  input  logic            [15:0] we_i,
  input  logic            [31:0] addr_i  [Cpus],
  input  logic            [31:0] wdata_i [Cpus],
  output logic            [15:0] rvalid_o,
  output logic            [31:0] rdata_o [Cpus],
  output logic            [15:0] irq_o,
  input  logic            [15:0] intr_i,
  output logic            [15:0] idle_o,
  output logic            [31:0] cpus_o,     // the parameter
  output logic            [31:0] word0_o [Cpus],
  output logic            [15:0] take_o,     // the engine takes what this CPU's port holds:
  output logic            [15:0] take_op_o,  // an operation, not just a save
  output logic                   offered_o,  // a port holds something the engine has not taken yet
  output logic                   quiet_o     // the engine and the ready queue have nothing to do
);

  logic [Cpus-1:0] gnt, rvalid, irq, idle;
  logic                  engine_idle;
  logic [Cpus-1:0][15:0] addr;
  logic [Cpus-1:0][31:0] wdata, rdata;

  for (genvar c = 0; c < Cpus; c++) begin : g_cpu
    assign addr[c]    = addr_i[c][15:0];
    assign wdata[c]   = wdata_i[c];
    assign rdata_o[c] = rdata[c];
    assign word0_o[c] = u_dut.word0[c];
  end

  assign gnt_o     = 16'(gnt);
  assign rvalid_o  = 16'(rvalid);
  assign irq_o     = 16'(irq);
  assign idle_o    = 16'(idle);
  assign cpus_o    = Cpus;
  assign take_o    = 16'(u_dut.take);
  assign take_op_o = 16'(u_dut.take & u_dut.op_valid);
  assign offered_o = (u_dut.op_valid | u_dut.save) != '0;
  assign quiet_o   = !offered_o && engine_idle && u_dut.queue_ready &&
                     (u_dut.waiting & intr_i[Cpus-1:0]) == '0;

`ifdef NETLIST
  // What Yosys read: one module, without parameters, with dots in its names.
  assign engine_idle = u_dut.\u_engine.idle ;

  cl_kernel u_dut (
`else
  assign engine_idle = u_dut.u_engine.idle;

  cl_kernel #(
    .Cpus       (Cpus),
    .Threads    (Threads),
    .Priorities (Priorities),
    .Ports      (Ports),
    .PortDepth  (PortDepth),
    .Mutexes    (Mutexes),
    .Semaphores (Semaphores)
  ) u_dut (
`endif
    .clk_i,
    .rst_ni,
    .tick_i,
    .req_i    (req_i[Cpus-1:0]),
    .gnt_o    (gnt),
    .we_i     (we_i[Cpus-1:0]),
    .addr_i   (addr),
    .wdata_i  (wdata),
    .rvalid_o (rvalid),
    .rdata_o  (rdata),
    .irq_o    (irq),
    .intr_i   (intr_i[Cpus-1:0]),
    .idle_o   (idle)
  );

endmodule
