// SPDX-License-Identifier: Apache-2.0
// The far side of a Back-Door: processor 1 with a bus, a local memory and a ROM of its own. Nothing but the Back-Door
// joins it to processor 0, and all of it has the clock and the reset of this side.
//
// The core starts in the ROM (its loader). Its private port reaches the Back-Door's registers (0xF030_0000, 256 B) and
// its local device (0xF010_0000, 256 B); both answer in the cycle after the request. Other private addresses, and
// stores of less than a word, are errors. On its bus are the local memory (0x4000_0000) and the ROM (0x1000_0000), and
// as the other master the Back-Door's DMA.
//
// A bus error is an exception on the standard core. The economy core goes on; fault_o tells the Back-Door, which asks
// for interrupt 4 (bus_error_irq_i).
module cl_far_side
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter  cfg_t        Cfg         = Default,
  parameter               RomInitFile = "",           // see cl_rom
  localparam int unsigned MemoryBytes = Cfg.FarBytes  // of its local memory
) (
  input  logic            clk_i,
  input  logic            rst_ni,          // also when processor 1 is held

  // Registers of the Back-Door, and its interrupts (level)
  output logic            far_req_o,
  output logic            far_we_o,
  output logic      [7:0] far_addr_o,
  output logic     [31:0] far_wdata_o,
  input  logic     [31:0] far_rdata_i,     // in the cycle after the request
  input  logic            far_err_i,
  input  logic            bell_irq_i,
  input  logic            dma_irq_i,
  input  logic            bus_error_irq_i,

  // Master port for the DMA of the Back-Door
  input  logic            dma_req_i,
  input  obi_req_t        dma_cmd_i,
  output logic            dma_gnt_o,
  output logic            dma_rvalid_o,
  output logic            dma_err_o,
  output logic     [31:0] dma_rdata_o,

  output logic            fault_o,         // bus error of the core, one cycle
  output logic     [31:0] fault_addr_o,
  output logic     [31:0] pc_o
);

  obi_req_t    core_cmd, priv_cmd;
  logic        core_req, core_late, core_gnt, core_gnt_late, core_rvalid;
  logic        priv_req, priv_rvalid, priv_err;
  logic [31:0] priv_rdata;
  logic        irq_timer, unused_halt;
  logic        bus_err;
  logic [31:0] bus_rdata;
  logic        snoop_valid;
  logic [31:0] snoop_addr;

  // The core alone is that of the other processors.
  function automatic cfg_t plain();
    plain      = Default;
    plain.Core = Cfg.Core;
  endfunction

  cl_core #(.Cfg(plain()), .BootAddr(RomBase)) u_core (
    .clk_i,
    .rst_ni,
    .cpu_id_i      (4'd1),
    .cmd_o         (core_cmd),
    .bus_req_o     (core_req),
    .bus_late_o    (core_late),
    .bus_gnt_i     (core_gnt),
    .bus_gnt_late_i(core_gnt_late),
    .bus_rvalid_i  (core_rvalid),
    .bus_err_i     (bus_err),
    .bus_rdata_i   (bus_rdata),
    .priv_cmd_o    (priv_cmd),
    .priv_req_o    (priv_req),
    .priv_gnt_i    (1'b1),
    .priv_rvalid_i (priv_rvalid),
    .priv_err_i    (priv_err),
    .priv_rdata_i  (priv_rdata),
    .irq_kernel_i  (bus_error_irq_i && Cfg.Core == CoreEconomy),
    .irq_timer_i   (irq_timer),
    .irq_ipi_i     (1'b0),
    .irq_line_i    (dma_irq_i),
    .irq_ipc_i     (bell_irq_i),
    .debug_req_i   (1'b0),
    .snoop_valid_i (snoop_valid),
    .snoop_addr_i  (snoop_addr),
    .fault_o,
    .fault_addr_o,
    .halt_o        (unused_halt),
    .pc_o
  );

  // Private port decoder. Every target answers in the next cycle.
  logic        whole_word, to_far, to_local, far_q, local_q, none_q, local_err, unused_local_rvalid;
  logic [31:0] local_rdata;

  assign whole_word = ~priv_cmd.we | (priv_cmd.be == '1);
  assign to_far     = whole_word & (priv_cmd.addr[31:8] == FarTop);
  assign to_local   = whole_word & (priv_cmd.addr[31:8] == LocalTop);

  assign far_req_o   = priv_req & to_far;
  assign far_we_o    = priv_cmd.we;
  assign far_addr_o  = priv_cmd.addr[7:0];
  assign far_wdata_o = priv_cmd.wdata;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      far_q   <= 1'b0;
      local_q <= 1'b0;
      none_q  <= 1'b0;
    end else begin
      far_q   <= priv_req & to_far;
      local_q <= priv_req & to_local;
      none_q  <= priv_req & ~to_far & ~to_local;
    end
  end

  assign priv_rvalid = far_q | local_q | none_q;
  assign priv_err    = none_q | (far_q & far_err_i) | (local_q & local_err);
  assign priv_rdata  = far_q ? far_rdata_i : local_rdata;

  // Local device: time of this side, timer, transfers on this bus
  logic [63:0] cycle_q;
  logic [31:0] bus_count_q;
  logic        unused_lock_set, unused_lock_clear, unused_ipi_set, unused_irq_ipi, unused_irq_line;
  logic        unused_trace_valid, unused_exit_valid;
  logic  [3:0] unused_trace_kind;
  logic [31:0] unused_lock_addr, unused_value;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q     <= '0;
      bus_count_q <= '0;
    end else begin
      cycle_q     <= cycle_q + 64'd1;
      bus_count_q <= bus_count_q + 32'(core_rvalid | dma_rvalid_o);
    end
  end

  cl_local #(
    .Cpus (1),
    .Alone(1'b1)
  ) u_local (
    .clk_i,
    .rst_ni,
    .cpu_id_i     (4'd1),
    .cycle_i      (cycle_q),
    .bus_count_i  (bus_count_q),
    .req_i        (priv_req & to_local),
    .we_i         (priv_cmd.we),
    .addr_i       (priv_cmd.addr[7:0]),
    .wdata_i      (priv_cmd.wdata),
    .rvalid_o     (unused_local_rvalid),
    .err_o        (local_err),
    .rdata_o      (local_rdata),
    .lock_set_o   (unused_lock_set),
    .lock_clear_o (unused_lock_clear),
    .lock_addr_o  (unused_lock_addr),
    .lock_busy_i  (1'b0),
    .lock_grant_i (1'b0),
    .ipi_set_o    (unused_ipi_set),
    .ipi_set_i    (1'b0),
    .irq_timer_o  (irq_timer),
    .irq_ipi_o    (unused_irq_ipi),
    .line_i       ('0),
    .irq_line_o   (unused_irq_line),
    .trace_valid_o(unused_trace_valid),
    .trace_kind_o (unused_trace_kind),
    .exit_valid_o (unused_exit_valid),
    .value_o      (unused_value)
  );

  // Bus: master 0 the core, 1 the DMA
  localparam int unsigned MemoryAddrW = $clog2(MemoryBytes / 4);
  localparam int unsigned RomAddrW    = $clog2(Cfg.RomBytes / 4);

  obi_req_t    dev_cmd;
  logic        memory_req, rom_req, rom_err, unused_ask, unused_dma_late, unused_snoop, unused_uart_req, unused_unit_req,
               unused_scheduler_ask, unused_scheduler_req, unused_user_req, unused_debug_req;
  logic [31:0] memory_rdata, rom_rdata;

  cl_bus #(
    .Masters    (2),
    .RamBytes   (MemoryBytes),
    .Uart       (1'b0),
    .WindowBase (RomBase),
    .WindowBytes(Cfg.RomBytes)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .req_i            ({dma_req_i, core_req}),
    .late_i           ({1'b0, core_late}),
    .first_i          ('0),
    .cmd_i            ({dma_cmd_i, core_cmd}),
    .gnt_o            ({dma_gnt_o, core_gnt}),
    .gnt_late_o       ({unused_dma_late, core_gnt_late}),
    .rvalid_o         ({dma_rvalid_o, core_rvalid}),
    .err_o            (bus_err),
    .rdata_o          (bus_rdata),
    .snoop_valid_o    ({snoop_valid, unused_snoop}),
    .snoop_addr_o     (snoop_addr),
    .dev_cmd_o        (dev_cmd),
    .ram_ask_o        (unused_ask),
    .ram_ready_i      (1'b1),
    .ram_req_o        (memory_req),
    .ram_rdata_i      (memory_rdata),
    .uart_req_o       (unused_uart_req),
    .uart_rdata_i     ('0),
    .unit_req_o       (unused_unit_req),
    .unit_rdata_i     ('0),
    .unit_err_i       (1'b0),
    .scheduler_ask_o  (unused_scheduler_ask),
    .scheduler_ready_i(1'b1),
    .scheduler_req_o  (unused_scheduler_req),
    .scheduler_rdata_i('0),
    .scheduler_err_i  (1'b0),
    .window_req_o     (rom_req),
    .window_rdata_i   (rom_rdata),
    .window_err_i     (rom_err),
    .debug_req_o      (unused_debug_req),
    .debug_rdata_i    ('0),
    .user_req_o       (unused_user_req),
    .user_gnt_i       (1'b1),
    .user_rvalid_i    (1'b0),
    .user_rsp_i       ('0)
  );

  assign dma_err_o   = bus_err;
  assign dma_rdata_o = bus_rdata;

  cl_ram #(
    .Bytes(MemoryBytes)
  ) u_memory (
    .clk_i,
    .req_i  (memory_req),
    .we_i   (dev_cmd.we),
    .be_i   (dev_cmd.be),
    .addr_i (dev_cmd.addr[2 +: MemoryAddrW]),
    .wdata_i(dev_cmd.wdata),
    .rdata_o(memory_rdata)
  );

  cl_rom #(
    .Bytes   (Cfg.RomBytes),
    .InitFile(RomInitFile)
  ) u_rom (
    .clk_i,
    .req_i  (rom_req),
    .we_i   (dev_cmd.we),
    .addr_i (dev_cmd.addr[2 +: RomAddrW]),
    .rdata_o(rom_rdata),
    .err_o  (rom_err)
  );

  logic unused;
  assign unused = ^{unused_halt, unused_local_rvalid, unused_lock_set, unused_lock_clear, unused_ipi_set,
                    unused_irq_ipi, unused_irq_line, unused_trace_valid, unused_exit_valid, unused_trace_kind,
                    unused_lock_addr, unused_value, unused_ask, unused_dma_late, unused_snoop, unused_uart_req, unused_unit_req,
                    unused_scheduler_ask, unused_scheduler_req, unused_user_req};

endmodule
