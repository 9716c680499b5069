// SPDX-License-Identifier: Apache-2.0
// Platforms smp-bus and amp: identical cores, hardware threads, one shared bus and memory; the kernel, the lock unit
// and the communication port on private ports; in amp a local memory in each processor. Client and master n is
// processor n, Cpus + n hardware thread n.
// Platform backdoor: all that with one processor, and behind a Back-Door another (cl_far_side) with its own clock.
// What the simulation looks at is bound to it from outside (../sim/cl_observer.sv).
module cl_soc
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter  cfg_t        Cfg         = Default,
  parameter               RomInitFile = "",        // of the processor behind the Back-Door, see cl_rom
  parameter  bit          User        = 1'b0,      // there is a device of the user's at user_req_o
  parameter  bit          UserWaits   = 1'b0,      // it may withhold its grant: each access takes a cycle more, as with Sdram
  parameter  bit          Outside     = 1'b0,      // memory and console are at the ports below, not in here
  parameter  bit          Debug       = 1'b0,      // there is cl_debug at debug_page_req_o; the standard core only
  localparam int unsigned Cpus        = Cfg.Kernel.Cpus,
  localparam int unsigned HwThreads   = Cfg.Kernel.HwThreads,
  localparam int unsigned Units       = (HwThreads == 0) ? 1 : HwThreads,
  localparam int unsigned Cores       = Cpus + 32'(Cfg.BackDoor)
) (
  input  logic                clk_i,
  input  logic                far_clk_i, // of the processor behind the Back-Door; any clock
  input  logic                rst_ni,
  input  logic [LinePins-1:0] line_i,    // interrupt lines: a rising edge, synchronous to clk_i
  output logic                uart_tx_o,

  // An OBI subordinate of the user's at UserBase; all inputs 0 without one
  output logic                user_req_o,
  output obi_req_t            user_cmd_o,
  input  logic                user_gnt_i,    // at once unless UserWaits, Sdram or Scheduler
  input  logic                user_rvalid_i, // in the cycle after the grant
  input  obi_rsp_t            user_rsp_i,

  // With Debug, and user_cmd_o: the page of cl_debug, whose Base is DebugBase; inputs 0 without
  output logic                debug_page_req_o,
  input  logic         [31:0] debug_page_rdata_i, // in the cycle after the request
  input  logic     [Cpus-1:0] debug_req_i,

  // With Outside, and user_cmd_o: memory and console, as cl_ram, cl_sdram and cl_uart are to cl_bus; inputs 0 without
  output logic                ram_ask_o,
  input  logic                ram_ready_i,   // only with Cfg.Sdram; depends on registers alone
  output logic                ram_req_o,
  input  logic         [31:0] ram_rdata_i,   // in the cycle after ram_req_o
  output logic                uart_req_o,
  input  logic         [31:0] uart_rdata_i,  // in the cycle after uart_req_o
  output logic                exit_o,        // a processor has stored to EXIT
  output logic          [7:0] exit_status_o  // with it
);

  localparam int unsigned Clients = Cpus + HwThreads;
  // The last masters: the window of the Back-Door, the scheduler
  localparam int unsigned Masters = Clients + 32'(Cfg.BackDoor) + 32'(Cfg.Scheduler);

  if (!Cfg.HasKernel && HwThreads > 0) begin : g_no_kernel
    $error("cl_soc: hardware threads need the kernel");
  end

  cl_soc_rules #(.Cfg(Cfg)) u_rules ();

  // Time: CYCLE, mtime and the tick of the time slice
  logic [63:0] cycle_q;
  logic [31:0] tick_count_q;
  logic        tick_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycle_q      <= '0;
      tick_count_q <= '0;
      tick_q       <= 1'b0;
    end else begin
      cycle_q      <= cycle_q + 64'd1;
      tick_q       <= tick_count_q == 32'(TickCycles - 1);
      tick_count_q <= (tick_count_q == 32'(TickCycles - 1)) ? '0 : tick_count_q + 32'd1;
    end
  end

  // Interrupt lines, for the kernel and for processor 0
  logic [Lines-1:0] line;
  logic             near_irq, preempt;   // after the pins: of the Back-Door, of the scheduler
  assign line = {{(Lines-LinePins-2){1'b0}}, preempt, near_irq, line_i};

  // Processors
  logic     [Masters-1:0]        bus_req, bus_late, bus_first, bus_gnt, bus_gnt_late, bus_rvalid, snoop_valid;
  obi_req_t [Masters-1:0]        bus_cmd;
  logic                          bus_err;
  logic                   [31:0] bus_rdata, snoop_addr;
  logic     [Clients-1:0]        kernel_req, kernel_gnt, kernel_we, kernel_rvalid;
  logic     [Clients-1:0] [17:0] kernel_addr;
  logic     [Clients-1:0] [31:0] kernel_wdata, kernel_rdata;
  logic     [Cpus-1:0]           kernel_irq, kernel_intr;
  logic     [Clients-1:0]        kernel_idle;
  logic     [Cpus-1:0]           ipc_req, ipc_gnt, ipc_we, ipc_rvalid, ipc_err, ipc_irq, ipc_intr;
  logic     [Cpus-1:0]    [18:0] ipc_addr;
  logic     [Cpus-1:0]    [31:0] ipc_wdata, ipc_rdata;
  logic     [Cpus-1:0]           lock_set, lock_clear, lock_busy, lock_grant;
  logic     [Cpus-1:0]    [31:0] lock_addr;
  logic     [Cpus-1:0][Cpus-1:0] ipi_by;     // [source][target]
  logic     [Cpus-1:0]           ipi_set;

  // For the simulation
  logic     [Cpus-1:0]           trace_valid, exit_valid, fault, halt;
  logic     [Cpus-1:0]     [3:0] trace_kind;
  logic     [Cpus-1:0]    [31:0] value, fault_addr;   // of the trace or exit store; of the bus error
  logic    [Cores-1:0]    [31:0] pc;
  logic    [Units-1:0]    [31:0] unit;                // of a hardware thread: its activity (unit_e, 17:16) and its thread
  logic                          uart_valid;
  logic                    [7:0] uart_byte;

  always_comb begin
    exit_o        = 1'b0;
    exit_status_o = '0;
    for (int unsigned i = 0; i < Cpus; i++) begin
      if (Outside && exit_valid[i]) begin
        exit_o        = 1'b1;
        exit_status_o = value[i][7:0];
      end
    end
  end

  always_comb begin
    ipi_set = '0;
    for (int unsigned i = 0; i < Cpus; i++) ipi_set = ipi_set | ipi_by[i];
  end

  // Transfers on the shared bus, counted with their response
  logic [31:0] bus_count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bus_count_q <= '0;
    else         bus_count_q <= bus_count_q + 32'(|bus_rvalid);
  end

  // An SDRAM outside takes what is shown to it, so an access that a core has shown must stay, as with a scheduler; the
  // fast core has a register for that.
  function automatic cfg_t tile();
    tile             = Cfg;
    tile.Scheduler   = Cfg.Scheduler || (Outside && Cfg.Sdram && Cfg.Core != CoreFast);
    tile.BusPipeline = Cfg.BusPipeline || (Outside && Cfg.Sdram && Cfg.Core == CoreFast);
  endfunction

  for (genvar i = 0; i < Cpus; i++) begin : g_tile
    cl_tile #(.Cfg(tile()), .Debug(Debug)) u_tile (
      .clk_i,
      .rst_ni,
      .cpu_id_i       (4'(i)),
      .cycle_i        (cycle_q),
      .bus_count_i    (bus_count_q),
      .bus_req_o      (bus_req[i]),
      .bus_late_o     (bus_late[i]),
      .bus_first_o    (bus_first[i]),
      .bus_cmd_o      (bus_cmd[i]),
      .bus_gnt_i      (bus_gnt[i]),
      .bus_gnt_late_i (bus_gnt_late[i]),
      .bus_rvalid_i   (bus_rvalid[i]),
      .bus_err_i      (bus_err),
      .bus_rdata_i    (bus_rdata),
      .snoop_valid_i  (|(snoop_valid & ~(Masters'(1) << i))),
      .snoop_addr_i   (snoop_addr),
      .kernel_req_o   (kernel_req[i]),
      .kernel_gnt_i   (Cfg.HasKernel & kernel_gnt[i]),
      .kernel_we_o    (kernel_we[i]),
      .kernel_addr_o  (kernel_addr[i]),
      .kernel_wdata_o (kernel_wdata[i]),
      .kernel_rvalid_i(Cfg.HasKernel & kernel_rvalid[i]),
      .kernel_rdata_i ({32{Cfg.HasKernel}} & kernel_rdata[i]),
      .kernel_irq_i   (Cfg.HasKernel & kernel_irq[i]),
      .kernel_intr_o  (kernel_intr[i]),
      .ipc_req_o      (ipc_req[i]),
      .ipc_gnt_i      (ipc_gnt[i]),
      .ipc_we_o       (ipc_we[i]),
      .ipc_addr_o     (ipc_addr[i]),
      .ipc_wdata_o    (ipc_wdata[i]),
      .ipc_rvalid_i   (ipc_rvalid[i]),
      .ipc_err_i      (ipc_err[i]),
      .ipc_rdata_i    (ipc_rdata[i]),
      .ipc_irq_i      (ipc_irq[i]),
      .ipc_intr_o     (ipc_intr[i]),
      .lock_set_o     (lock_set[i]),
      .lock_clear_o   (lock_clear[i]),
      .lock_addr_o    (lock_addr[i]),
      .lock_busy_i    (lock_busy[i]),
      .lock_grant_i   (lock_grant[i]),
      .ipi_set_o      (ipi_by[i]),
      .ipi_set_i      (ipi_set[i]),
      .line_i         ((i == 0) ? line : '0),
      .debug_req_i    (debug_req_i[i]),
      .trace_valid_o  (trace_valid[i]),
      .trace_kind_o   (trace_kind[i]),
      .exit_valid_o   (exit_valid[i]),
      .value_o        (value[i]),
      .fault_o        (fault[i]),
      .fault_addr_o   (fault_addr[i]),
      .halt_o         (halt[i]),
      .pc_o           (pc[i])
    );
  end

  // Operating-system services
  function automatic cl_kernel_pkg::cfg_t kernel();
    kernel            = Cfg.Kernel;
    kernel.ReadyQueue = (HwThreads != 0) ? cl_ready_queue_pkg::BuildHybrid :
                        Cfg.LinearQueue  ? cl_ready_queue_pkg::BuildLinear : cl_ready_queue_pkg::BuildBitmap;
  endfunction

  cl_kernel_pkg::client_request_t [Clients-1:0] kernel_request;
  cl_kernel_pkg::client_answer_t  [Clients-1:0] kernel_answer;

  for (genvar c = 0; c < Clients; c++) begin : g_kernel_client
    assign kernel_request[c] = '{req: kernel_req[c], we: kernel_we[c], addr: kernel_addr[c], wdata: kernel_wdata[c]};
    assign {kernel_gnt[c], kernel_rvalid[c], kernel_rdata[c]} = kernel_answer[c];
  end

  cl_kernel #(.Cfg(kernel())) u_kernel (
    .clk_i,
    .rst_ni,
    .tick_i    (tick_q),
    .now_i     (cycle_q[31:0]),
    .request_i (kernel_request),
    .answer_o  (kernel_answer),
    .irq_o     (kernel_irq),
    .intr_i    (kernel_intr),
    .idle_o    (kernel_idle),
    .line_i    (line)
  );

  // Communication between processors
  if (Cfg.Ipc) begin : g_ipc
    cl_ipc #(
      .Cpus        (Cpus),
      .MailboxDepth(Cfg.MailboxDepth),
      .Mutexes     (Cfg.CpuMutexes),
      .Barriers    (Cfg.Barriers),
      .Pipeline    (Cfg.Kernel.Pipeline)
    ) u_ipc (
      .clk_i,
      .rst_ni,
      .req_i   (ipc_req),
      .gnt_o   (ipc_gnt),
      .we_i    (ipc_we),
      .addr_i  (ipc_addr),
      .wdata_i (ipc_wdata),
      .rvalid_o(ipc_rvalid),
      .err_o   (ipc_err),
      .rdata_o (ipc_rdata),
      .intr_i  (ipc_intr),
      .irq_o   (ipc_irq)
    );
  end else begin : g_no_ipc
    assign ipc_gnt    = '0;
    assign ipc_rvalid = '0;
    assign ipc_err    = '0;
    assign ipc_rdata  = '0;
    assign ipc_irq    = Cpus'(near_irq);   // for handlers of bells: the way by the line takes two cycles more
    logic unused;
    assign unused = ^{ipc_req, ipc_we, ipc_addr, ipc_wdata, ipc_intr};
  end

  cl_lock_unit #(
    .Clients(Cpus),
    .Fair   (Cfg.LockFair)
  ) u_lock_unit (
    .clk_i,
    .rst_ni,
    .set_i  (lock_set),
    .clear_i(lock_clear),
    .addr_i (lock_addr),
    .busy_o (lock_busy),
    .grant_o(lock_grant)
  );

  // Shared bus and its devices
  localparam int unsigned RamBytes = Outside ? 8 : Cfg.RamBytes;   // of what is in here
  localparam int unsigned RamAddrW = $clog2(RamBytes / 4);

  obi_req_t    dev_cmd;
  logic        ram_ask, ram_ready, ram_req, uart_req, unit_req, unit_err, near_req, near_err;
  logic        scheduler_ask, scheduler_ready, scheduler_req, scheduler_err;
  logic [31:0] ram_rdata, inside_rdata, uart_rdata, console_rdata, unit_rdata, scheduler_rdata, near_rdata;
  logic [Units-1:0] unit_busy;

  cl_bus #(
    .Masters    (Masters),
    .RamBytes   (Cfg.RamBytes),
    .Waits      (Cfg.Sdram || Cfg.Scheduler || UserWaits),
    .First      (Cfg.LowJitter && Cpus > 1),
    .Pipeline   (Cfg.BusPipeline),
    .Uncached   (Cfg.Core == CoreFast),
    .Units      (HwThreads),
    .Scheduler  (Cfg.Scheduler),
    .WindowBase (BackDoorBase),
    .WindowBytes(Cfg.BackDoor ? BackDoorSize : 0),
    .User       (User),
    .Debug      (Debug)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .req_i            (bus_req),
    .late_i           (bus_late),
    .first_i          (bus_first),
    .cmd_i            (bus_cmd),
    .gnt_o            (bus_gnt),
    .gnt_late_o       (bus_gnt_late),
    .rvalid_o         (bus_rvalid),
    .err_o            (bus_err),
    .rdata_o          (bus_rdata),
    .snoop_valid_o    (snoop_valid),
    .snoop_addr_o     (snoop_addr),
    .dev_cmd_o        (dev_cmd),
    .ram_ask_o        (ram_ask),
    .ram_ready_i      (ram_ready),
    .ram_req_o        (ram_req),
    .ram_rdata_i      (ram_rdata),
    .uart_req_o       (uart_req),
    .uart_rdata_i     (uart_rdata),
    .unit_req_o       (unit_req),
    .unit_rdata_i     (unit_rdata),
    .unit_err_i       (unit_err),
    .scheduler_ask_o  (scheduler_ask),
    .scheduler_ready_i(scheduler_ready),
    .scheduler_req_o  (scheduler_req),
    .scheduler_rdata_i(scheduler_rdata),
    .scheduler_err_i  (scheduler_err),
    .window_req_o     (near_req),
    .window_rdata_i   (near_rdata),
    .window_err_i     (near_err),
    .debug_req_o      (debug_page_req_o),
    .debug_rdata_i    (debug_page_rdata_i),
    .user_req_o,
    .user_gnt_i,
    .user_rvalid_i,
    .user_rsp_i
  );

  assign user_cmd_o = dev_cmd;
  assign ram_ask_o  = Outside & ram_ask;
  assign ram_req_o  = Outside & ram_req;
  assign uart_req_o = Outside & uart_req;
  assign ram_rdata  = Outside ? ram_rdata_i : inside_rdata;
  assign uart_rdata = Outside ? uart_rdata_i : console_rdata;

  cl_ram #(
    .Bytes(RamBytes)
  ) u_ram (
    .clk_i,
    .req_i  (ram_req),
    .we_i   (dev_cmd.we),
    .be_i   (dev_cmd.be),
    .addr_i (dev_cmd.addr[2 +: RamAddrW]),
    .wdata_i(dev_cmd.wdata),
    .rdata_o(inside_rdata)
  );

  if (Cfg.Sdram && !Outside) begin : g_sdram
    cl_sdram #(
      .Bytes   (RamBytes),
      .Hit     (SdramHit),
      .Miss    (SdramMiss),
      .Refresh (SdramRefresh),
      .Interval(SdramInterval)
    ) u_sdram (
      .clk_i,
      .rst_ni,
      .req_i  (ram_ask),
      .addr_i (dev_cmd.addr[2 +: RamAddrW]),
      .ready_o(ram_ready),
      .taken_i(ram_req)
    );
  end else begin : g_sram
    assign ram_ready = Outside ? ram_ready_i : 1'b1;
    logic unused;
    assign unused = ram_ask;
  end

  cl_uart u_uart (
    .clk_i,
    .rst_ni,
    .req_i       (uart_req),
    .we_i        (dev_cmd.we),
    .status_i    (dev_cmd.addr[2]),
    .wdata_i     (dev_cmd.wdata[7:0]),
    .rdata_o     (console_rdata),
    .byte_valid_o(uart_valid),
    .byte_o      (uart_byte),
    .tx_o        (uart_tx_o)
  );

  // Hardware threads: clients and masters behind the processors. Their registers read 0 and no error unless asked.
  if (HwThreads == 0) begin : g_no_hw_thread
    assign unit_rdata = '0;
    assign unit_err   = 1'b0;
    assign unit       = '0;
    assign unit_busy  = '0;
    logic unused;
    assign unused = unit_req;
  end else begin : g_hw_threads
    cl_hw_threads #(
      .HwThreads(HwThreads),
      .Kinds    (Cfg.HwKinds)
    ) u_hw_threads (
      .clk_i,
      .rst_ni,
      .reg_req_i      (unit_req),
      .reg_cmd_i      (dev_cmd),
      .reg_rdata_o    (unit_rdata),
      .reg_err_o      (unit_err),
      .kernel_req_o   (kernel_req[Clients-1:Cpus]),
      .kernel_gnt_i   (kernel_gnt[Clients-1:Cpus]),
      .kernel_we_o    (kernel_we[Clients-1:Cpus]),
      .kernel_addr_o  (kernel_addr[Clients-1:Cpus]),
      .kernel_wdata_o (kernel_wdata[Clients-1:Cpus]),
      .kernel_rvalid_i(kernel_rvalid[Clients-1:Cpus]),
      .kernel_rdata_i (kernel_rdata[Clients-1:Cpus]),
      .kernel_idle_i  (kernel_idle[Clients-1:Cpus]),
      .bus_req_o      (bus_req[Clients-1:Cpus]),
      .bus_cmd_o      (bus_cmd[Clients-1:Cpus]),
      .bus_gnt_i      (bus_gnt[Clients-1:Cpus]),
      .bus_rvalid_i   (bus_rvalid[Clients-1:Cpus]),
      .bus_err_i      (bus_err),
      .bus_rdata_i    (bus_rdata),
      .busy_o         (unit_busy),
      .unit_o         (unit)
    );
  end

  // [HT]'s scheduler, the last master
  if (!Cfg.Scheduler) begin : g_no_scheduler
    assign scheduler_ready = 1'b1;
    assign scheduler_rdata = '0;
    assign scheduler_err   = 1'b0;
    assign preempt         = 1'b0;
    logic unused;
    assign unused = ^{scheduler_ask, scheduler_req, unit_busy};
  end else begin : g_scheduler
    cl_scheduler_unit #(
      .Threads   (Cfg.Kernel.Threads),
      .Priorities(Cfg.Kernel.Priorities),
      .HwThreads (HwThreads)
    ) u_scheduler_unit (
      .clk_i,
      .rst_ni,
      .ask_i    (scheduler_ask),
      .cmd_i    (dev_cmd),
      .ready_o  (scheduler_ready),
      .taken_i  (scheduler_req),
      .rdata_o  (scheduler_rdata),
      .err_o    (scheduler_err),
      .busy_i   (unit_busy),
      .bus_req_o(bus_req[Masters-1]),
      .bus_cmd_o(bus_cmd[Masters-1]),
      .bus_gnt_i(bus_gnt[Masters-1]),
      .preempt_o(preempt)
    );
  end

  // The Back-Door and the processor behind it
  if (!Cfg.BackDoor) begin : g_no_backdoor
    assign near_rdata = '0;
    assign near_err   = 1'b0;
    assign near_irq   = 1'b0;
    logic unused;
    assign unused = ^{far_clk_i, near_req, RomInitFile != ""};
  end else begin : g_backdoor
    cl_far_system #(.Cfg(Cfg), .RomInitFile(RomInitFile)) u_far_system (
      .clk_i,
      .far_clk_i,
      .rst_ni,
      .near_req_i     (near_req),
      .near_cmd_i     (dev_cmd),
      .near_rdata_o   (near_rdata),
      .near_err_o     (near_err),
      .near_irq_o     (near_irq),
      .window_req_o   (bus_req[Clients]),
      .window_cmd_o   (bus_cmd[Clients]),
      .window_gnt_i   (bus_gnt[Clients]),
      .window_rvalid_i(bus_rvalid[Clients]),
      .window_err_i   (bus_err),
      .window_rdata_i (bus_rdata),
      .pc_o           (pc[Cpus])
    );
  end

  // Masters that are no processors are never late and never first.
  if (Masters > Cpus) begin : g_on_time
    assign bus_late[Masters-1:Cpus]  = '0;
    assign bus_first[Masters-1:Cpus] = '0;
    logic unused;
    assign unused = ^{bus_gnt_late[Masters-1:Cpus], bus_rvalid[Masters-1:Cpus]};
  end

  logic unused;
  assign unused = ^{trace_valid, trace_kind, exit_valid, value, fault, fault_addr, halt, pc, unit, uart_valid, uart_byte,
                    kernel_idle, ram_ready_i, ram_rdata_i, uart_rdata_i};

endmodule
