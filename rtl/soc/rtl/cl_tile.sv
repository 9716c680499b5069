// SPDX-License-Identifier: Apache-2.0
// One processor: a core, its local memory if it has one, its private port decoder and its local device.
//
// The private port reaches the kernel (0xF000_0000, 256 KiB), the local device (0xF010_0000, 256 B) and the
// communication port (0xF020_0000, 2 MiB) without the shared bus. Grant and response of all pass through without a
// cycle of their own. Other private addresses, and stores of less than a word, are answered with an error after one
// cycle.
module cl_tile
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter  cfg_t        Cfg         = Default,
  parameter  bit          Debug       = 1'b0,   // see cl_core
  localparam int unsigned Cpus        = Cfg.Kernel.Cpus,
  // How long it is first on the bus after an interrupt (cl_first): about what a switch takes it alone
  parameter  int unsigned FirstCycles = (Cfg.LowJitter && Cpus > 1) ? ((Cfg.Core == CoreStandard) ? 128 : 512) : 0
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic      [3:0] cpu_id_i,
  input  logic     [63:0] cycle_i,
  input  logic     [31:0] bus_count_i,

  // Master port of the shared bus
  output logic            bus_req_o,
  output logic            bus_late_o,
  output logic            bus_first_o,
  output obi_req_t        bus_cmd_o,
  input  logic            bus_gnt_i,
  input  logic            bus_gnt_late_i,
  input  logic            bus_rvalid_i,
  input  logic            bus_err_i,
  input  logic     [31:0] bus_rdata_i,
  input  logic            snoop_valid_i,    // another master wrote
  input  logic     [31:0] snoop_addr_i,

  // Client port of the kernel
  output logic            kernel_req_o,
  input  logic            kernel_gnt_i,
  output logic            kernel_we_o,
  output logic     [17:0] kernel_addr_o,    // {op[7:0], id[9:0]}
  output logic     [31:0] kernel_wdata_o,
  input  logic            kernel_rvalid_i,  // one cycle after the grant or later
  input  logic     [31:0] kernel_rdata_i,
  input  logic            kernel_irq_i,
  output logic            kernel_intr_o,    // another interrupt is pending here, since a cycle ago

  // Communication port, see cl_ipc
  output logic            ipc_req_o,
  input  logic            ipc_gnt_i,
  output logic            ipc_we_o,
  output logic     [18:0] ipc_addr_o,       // {patience[4:0], op[5:0], index[7:0]}
  output logic     [31:0] ipc_wdata_o,
  input  logic            ipc_rvalid_i,     // one cycle after the grant or later
  input  logic            ipc_err_i,
  input  logic     [31:0] ipc_rdata_i,
  input  logic            ipc_irq_i,
  output logic            ipc_intr_o,       // an interrupt is pending here

  // Lock unit, see cl_lock_unit
  output logic            lock_set_o,
  output logic            lock_clear_o,
  output logic     [31:0] lock_addr_o,
  input  logic            lock_busy_i,
  input  logic            lock_grant_i,

  output logic [Cpus-1:0] ipi_set_o,
  input  logic            ipi_set_i,
  input  logic [Lines-1:0] line_i,          // interrupt lines, of processor 0
  input  logic            debug_req_i,      // 0 without Debug

  // To the harness
  output logic            trace_valid_o,
  output logic      [3:0] trace_kind_o,
  output logic            exit_valid_o,
  output logic     [31:0] value_o,
  output logic            fault_o,
  output logic     [31:0] fault_addr_o,
  output logic            halt_o,
  output logic     [31:0] pc_o
);

  obi_req_t    priv_cmd;
  logic        priv_req, priv_gnt, priv_rvalid, priv_err;
  logic [31:0] priv_rdata;
  logic        irq_timer, irq_ipi, irq_line;

  logic     core_req, core_late, core_gnt, core_gnt_late;
  obi_req_t core_cmd;

  cl_bus_stage #(
    .Registered(Cfg.BusPipeline)
  ) u_bus_stage (
    .clk_i,
    .rst_ni,
    .req_i         (core_req),
    .late_i        (core_late),
    .cmd_i         (core_cmd),
    .gnt_o         (core_gnt),
    .gnt_late_o    (core_gnt_late),
    .bus_req_o,
    .bus_late_o,
    .bus_cmd_o,
    .bus_gnt_i,
    .bus_gnt_late_i,
    .bus_rvalid_i
  );

  cl_core #(.Cfg(Cfg), .Debug(Debug)) u_core (
    .clk_i,
    .rst_ni,
    .cpu_id_i,
    .cmd_o         (core_cmd),
    .bus_req_o     (core_req),
    .bus_late_o    (core_late),
    .bus_gnt_i     (core_gnt),
    .bus_gnt_late_i(core_gnt_late),
    .bus_rvalid_i,
    .bus_err_i,
    .bus_rdata_i,
    .priv_cmd_o    (priv_cmd),
    .priv_req_o    (priv_req),
    .priv_gnt_i    (priv_gnt),
    .priv_rvalid_i (priv_rvalid),
    .priv_err_i    (priv_err),
    .priv_rdata_i  (priv_rdata),
    .irq_kernel_i  (kernel_irq_i),
    .irq_timer_i   (irq_timer),
    .irq_ipi_i     (irq_ipi),
    .irq_line_i    (irq_line),
    .irq_ipc_i     (ipc_irq_i),
    .debug_req_i,
    .snoop_valid_i,
    .snoop_addr_i,
    .fault_o,
    .fault_addr_o,
    .halt_o,
    .pc_o
  );

  // Private port decoder. One transaction is outstanding, so its target is remembered in one place.
  typedef enum logic [1:0] {TargetKernel, TargetLocal, TargetIpc, TargetNone} target_e;

  target_e     target, target_q;
  logic        whole_word, local_req, local_rvalid, local_err, none_q;
  logic [31:0] local_rdata;

  assign whole_word = ~priv_cmd.we | (priv_cmd.be == '1);

  always_comb begin
    target = TargetNone;
    if (whole_word && Cfg.HasKernel && priv_cmd.addr[31:20] == KernelTop) target = TargetKernel;
    else if (whole_word && priv_cmd.addr[31:8] == LocalTop)       target = TargetLocal;
    else if (whole_word && Cfg.Ipc && priv_cmd.addr[31:21] == IpcTop) target = TargetIpc;
  end

  assign kernel_req_o   = priv_req & (target == TargetKernel);
  assign kernel_we_o    = priv_cmd.we;
  assign kernel_addr_o  = priv_cmd.addr[19:2];
  assign kernel_wdata_o = priv_cmd.wdata;
  assign local_req      = priv_req & (target == TargetLocal);
  assign ipc_req_o      = priv_req & (target == TargetIpc);
  assign ipc_we_o       = priv_cmd.we;
  assign ipc_addr_o     = priv_cmd.addr[20:2];
  assign ipc_wdata_o    = priv_cmd.wdata;

  always_comb begin
    unique case (target)
      TargetKernel: priv_gnt = kernel_gnt_i;
      TargetIpc:    priv_gnt = ipc_gnt_i;
      default:      priv_gnt = 1'b1;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      target_q <= TargetNone;
      none_q   <= 1'b0;
    end else begin
      if (priv_req && priv_gnt) target_q <= target;
      none_q <= priv_req & (target == TargetNone);
    end
  end

  always_comb begin
    unique case (target_q)
      TargetKernel: begin
        priv_rvalid = kernel_rvalid_i;
        priv_err    = 1'b0;
        priv_rdata  = kernel_rdata_i;
      end
      TargetLocal: begin
        priv_rvalid = local_rvalid;
        priv_err    = local_err;
        priv_rdata  = local_rdata;
      end
      TargetIpc: begin
        priv_rvalid = ipc_rvalid_i;
        priv_err    = ipc_err_i;
        priv_rdata  = ipc_rdata_i;
      end
      default: begin
        priv_rvalid = none_q;
        priv_err    = 1'b1;
        priv_rdata  = '0;
      end
    endcase
  end

  cl_local #(
    .Cpus(Cpus)
  ) u_local (
    .clk_i,
    .rst_ni,
    .cpu_id_i,
    .cycle_i,
    .bus_count_i,
    .req_i        (local_req),
    .we_i         (priv_cmd.we),
    .addr_i       (priv_cmd.addr[7:0]),
    .wdata_i      (priv_cmd.wdata),
    .rvalid_o     (local_rvalid),
    .err_o        (local_err),
    .rdata_o      (local_rdata),
    .lock_set_o,
    .lock_clear_o,
    .lock_addr_o,
    .lock_busy_i,
    .lock_grant_i,
    .ipi_set_o,
    .ipi_set_i,
    .irq_timer_o  (irq_timer),
    .irq_ipi_o    (irq_ipi),
    .line_i,
    .irq_line_o   (irq_line),
    .trace_valid_o,
    .trace_kind_o,
    .exit_valid_o,
    .value_o
  );

  // Registered for the kernel, whose choice of a client depends on it: the interrupts' own logic is long.
  logic intr;

  // A debug request ends a wait as an interrupt does, so that the core can halt.
  assign intr       = irq_timer | irq_ipi | irq_line | ipc_irq_i | debug_req_i;
  assign ipc_intr_o = kernel_irq_i | intr;

  cl_first #(
    .Cycles(FirstCycles)
  ) u_first (
    .clk_i,
    .rst_ni,
    .irq_i  (kernel_irq_i | intr),
    .first_o(bus_first_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kernel_intr_o <= 1'b0;
    else         kernel_intr_o <= intr;
  end

endmodule
