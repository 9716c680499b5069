// SPDX-License-Identifier: Apache-2.0
// The core of a processor: economy, standard or fast, by parameter. All adapters have these ports; see there.
module cl_core
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter cfg_t        Cfg      = Default,
  parameter logic [31:0] BootAddr = RamBase, // reset at +0x80
  parameter bit          Debug    = 1'b0     // it can be halted by a debug module; the standard core only
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [3:0] cpu_id_i,        // mhartid of the standard core; the others read CPU_ID of the local device

  // Bus port (instructions and data) and private port (data only)
  output obi_req_t    cmd_o,
  output logic        bus_req_o,
  output logic        bus_late_o,      // see cl_bus
  input  logic        bus_gnt_i,
  input  logic        bus_gnt_late_i,
  input  logic        bus_rvalid_i,    // exactly one cycle after the grant
  input  logic        bus_err_i,
  input  logic [31:0] bus_rdata_i,
  output obi_req_t    priv_cmd_o,
  output logic        priv_req_o,
  input  logic        priv_gnt_i,
  input  logic        priv_rvalid_i,   // one cycle after the grant or later
  input  logic        priv_err_i,
  input  logic [31:0] priv_rdata_i,

  // Interrupts (level)
  input  logic        irq_kernel_i,
  input  logic        irq_timer_i,
  input  logic        irq_ipi_i,
  input  logic        irq_line_i,
  input  logic        irq_ipc_i,
  input  logic        debug_req_i,     // 0 without Debug

  // Writes of other masters, for the data cache
  input  logic        snoop_valid_i,
  input  logic [31:0] snoop_addr_i,

  output logic        fault_o,         // bus error, one cycle
  output logic [31:0] fault_addr_o,
  output logic        halt_o,          // the core has stopped for good
  output logic [31:0] pc_o             // where the program is; for profiles
);

  if (Debug && Cfg.Core != CoreStandard) begin : g_no_debug
    $error("cl_core: only the standard core has debug mode");
  end

  if (Cfg.Core != CoreStandard) begin : g_never_halts
    logic unused;
    assign unused = debug_req_i;
  end

  if (Cfg.Core == CoreEconomy) begin : g_economy
    cl_core_economy #(.Cfg(Cfg), .BootAddr(BootAddr)) u_core (
      .clk_i,
      .rst_ni,
      .cpu_id_i,
      .cmd_o,
      .bus_req_o,
      .bus_late_o,
      .bus_gnt_i,
      .bus_gnt_late_i,
      .bus_rvalid_i,
      .bus_err_i,
      .bus_rdata_i,
      .priv_cmd_o,
      .priv_req_o,
      .priv_gnt_i,
      .priv_rvalid_i,
      .priv_err_i,
      .priv_rdata_i,
      .irq_kernel_i,
      .irq_timer_i,
      .irq_ipi_i,
      .irq_line_i,
      .irq_ipc_i,
      .snoop_valid_i,
      .snoop_addr_i,
      .fault_o,
      .fault_addr_o,
      .halt_o,
      .pc_o
    );
  end else if (Cfg.Core == CoreFast) begin : g_fast
    cl_core_fast #(
      .BootAddr(BootAddr)
    ) u_core (
      .clk_i,
      .rst_ni,
      .cpu_id_i,
      .cmd_o,
      .bus_req_o,
      .bus_late_o,
      .bus_gnt_i,
      .bus_gnt_late_i,
      .bus_rvalid_i,
      .bus_err_i,
      .bus_rdata_i,
      .priv_cmd_o,
      .priv_req_o,
      .priv_gnt_i,
      .priv_rvalid_i,
      .priv_err_i,
      .priv_rdata_i,
      .irq_kernel_i,
      .irq_timer_i,
      .irq_ipi_i,
      .irq_line_i,
      .irq_ipc_i,
      .snoop_valid_i,
      .snoop_addr_i,
      .fault_o,
      .fault_addr_o,
      .halt_o,
      .pc_o
    );
  end else begin : g_standard
    cl_core_standard #(.Cfg(Cfg), .BootAddr(BootAddr), .Debug(Debug)) u_core (
      .clk_i,
      .rst_ni,
      .cpu_id_i,
      .cmd_o,
      .bus_req_o,
      .bus_late_o,
      .bus_gnt_i,
      .bus_gnt_late_i,
      .bus_rvalid_i,
      .bus_err_i,
      .bus_rdata_i,
      .priv_cmd_o,
      .priv_req_o,
      .priv_gnt_i,
      .priv_rvalid_i,
      .priv_err_i,
      .priv_rdata_i,
      .irq_kernel_i,
      .irq_timer_i,
      .irq_ipi_i,
      .irq_line_i,
      .irq_ipc_i,
      .debug_req_i,
      .snoop_valid_i,
      .snoop_addr_i,
      .fault_o,
      .fault_addr_o,
      .halt_o,
      .pc_o
    );
  end

endmodule
