// SPDX-License-Identifier: Apache-2.0
// Platforms smp-bus and amp: identical cores, hardware threads, one shared bus and memory; the kernel, the lock unit
// and the communication port on private ports; in amp a local memory in each processor. Client and master n is
// processor n, Cpus + n hardware thread n.
// Platform backdoor: all that with one processor, and behind a Back-Door another (cl_far_side) with its own clock.
module cl_soc
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter  cfg_t        Cfg         = Default,
  parameter               RomInitFile = "",        // of the processor behind the Back-Door, see cl_rom
  localparam int unsigned Cpus        = Cfg.Kernel.Cpus,
  localparam int unsigned HwThreads   = Cfg.Kernel.HwThreads,
  localparam int unsigned Units       = (HwThreads == 0) ? 1 : HwThreads,
  localparam int unsigned Cores       = Cpus + 32'(Cfg.BackDoor)
) (
  input  logic                  clk_i,
  input  logic                  far_clk_i, // of the processor behind the Back-Door; any clock
  input  logic                  rst_ni,
  input  logic   [LinePins-1:0] line_i,    // interrupt lines: a rising edge, synchronous to clk_i
  output logic                  uart_tx_o,

  // To the simulation harness. event_o: at least one of the outputs below is valid in this cycle.
  output logic                  event_o,
  output logic           [63:0] cycle_o,
  output logic                  uart_valid_o,
  output logic            [7:0] uart_byte_o,
  output logic       [Cpus-1:0] trace_valid_o,
  output logic  [Cpus-1:0][3:0] trace_kind_o,
  output logic       [Cpus-1:0] exit_valid_o,
  output logic [Cpus-1:0][31:0] value_o,          // of the trace or exit store
  output logic       [Cpus-1:0] idle_o,           // waits in the kernel for a thread to run
  output logic [Units-1:0][31:0] unit_o,          // of a hardware thread: its activity (unit_e, 17:16) and its thread
  output logic       [Cpus-1:0] request_o,        // the kernel begins to ask for a preempt
  output logic       [Cpus-1:0] fault_o,          // bus error
  output logic [Cpus-1:0][31:0] fault_addr_o,
  output logic       [Cpus-1:0] halt_o,           // core stopped for good
  output logic [Cores-1:0][31:0] pc_o             // pc of each core, for profiles; not covered by event_o
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

  assign cycle_o = cycle_q;

  // Interrupt lines, for the kernel and for processor 0
  logic [Lines-1:0] line;
  logic             near_irq, preempt;   // after the pins: of the Back-Door, of the scheduler
  assign line = {{(Lines-LinePins-2){1'b0}}, preempt, near_irq, line_i};

  // Processors
  logic     [Masters-1:0]        bus_req, bus_late, bus_first, bus_gnt, bus_gnt_late, bus_rvalid, snoop_valid;
  bus_cmd_t [Masters-1:0]        bus_cmd;
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

  for (genvar i = 0; i < Cpus; i++) begin : g_tile
    cl_tile #(.Cfg(Cfg)) u_tile (
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
      .trace_valid_o  (trace_valid_o[i]),
      .trace_kind_o   (trace_kind_o[i]),
      .exit_valid_o   (exit_valid_o[i]),
      .value_o        (value_o[i]),
      .fault_o        (fault_o[i]),
      .fault_addr_o   (fault_addr_o[i]),
      .halt_o         (halt_o[i]),
      .pc_o           (pc_o[i])
    );
  end

  // Operating-system services
  function automatic cl_kernel_pkg::cfg_t kernel();
    kernel            = Cfg.Kernel;
    kernel.ReadyQueue = (HwThreads != 0) ? cl_ready_queue_pkg::BuildHybrid :
                        Cfg.LinearQueue  ? cl_ready_queue_pkg::BuildLinear : cl_ready_queue_pkg::BuildBitmap;
  endfunction

  cl_kernel #(.Cfg(kernel())) u_kernel (
    .clk_i,
    .rst_ni,
    .tick_i  (tick_q),
    .now_i   (cycle_q[31:0]),
    .req_i   (kernel_req),
    .gnt_o   (kernel_gnt),
    .we_i    (kernel_we),
    .addr_i  (kernel_addr),
    .wdata_i (kernel_wdata),
    .rvalid_o(kernel_rvalid),
    .rdata_o (kernel_rdata),
    .irq_o   (kernel_irq),
    .intr_i  (kernel_intr),
    .idle_o  (kernel_idle),
    .line_i  (line)
  );

  assign idle_o = kernel_idle[Cpus-1:0];

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
  localparam int unsigned RamAddrW = $clog2(Cfg.RamBytes / 4);

  bus_cmd_t    dev_cmd;
  logic        ram_ask, ram_ready, ram_req, uart_req, unit_req, unit_err, near_req, near_err;
  logic        scheduler_ask, scheduler_ready, scheduler_req, scheduler_err;
  logic [31:0] ram_rdata, uart_rdata, unit_rdata, scheduler_rdata, near_rdata;
  logic [Units-1:0] unit_busy;

  cl_bus #(
    .Masters    (Masters),
    .RamBytes   (Cfg.RamBytes),
    .Waits      (Cfg.Sdram || Cfg.Scheduler),
    .First      (Cfg.LowJitter && Cpus > 1),
    .Pipeline   (Cfg.BusPipeline),
    .Uncached   (Cfg.Core == CoreFast),
    .Units      (HwThreads),
    .Scheduler  (Cfg.Scheduler),
    .WindowBase (BackDoorBase),
    .WindowBytes(Cfg.BackDoor ? BackDoorSize : 0)
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
    .window_err_i     (near_err)
  );

  cl_ram #(
    .Bytes(Cfg.RamBytes)
  ) u_ram (
    .clk_i,
    .req_i  (ram_req),
    .we_i   (dev_cmd.we),
    .be_i   (dev_cmd.be),
    .addr_i (dev_cmd.addr[2 +: RamAddrW]),
    .wdata_i(dev_cmd.wdata),
    .rdata_o(ram_rdata)
  );

  if (Cfg.Sdram) begin : g_sdram
    cl_sdram #(
      .Bytes   (Cfg.RamBytes),
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
    assign ram_ready = 1'b1;
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
    .rdata_o     (uart_rdata),
    .byte_valid_o(uart_valid_o),
    .byte_o      (uart_byte_o),
    .tx_o        (uart_tx_o)
  );

  // Hardware threads. Their registers read 0 and no error unless asked.
  if (HwThreads == 0) begin : g_no_hw_thread
    assign unit_rdata = '0;
    assign unit_err   = 1'b0;
    assign unit_o     = '0;
    assign unit_busy  = '0;
    logic unused;
    assign unused = unit_req;
  end else begin : g_hw_threads
    logic [HwThreads-1:0][31:0] rdata;
    logic [HwThreads-1:0]       err;

    for (genvar n = 0; n < HwThreads; n++) begin : g_hw_thread
      logic        has_thread, stopped;
      logic [15:0] tid;
      unit_e       does;

      cl_hw_thread #(
        .Kind(32'(Cfg.HwKinds[4*n +: 4]))
      ) u_hw_thread (
        .clk_i,
        .rst_ni,
        .reg_req_i      (unit_req & (dev_cmd.addr[11:8] == 4'(n))),
        .reg_cmd_i      (dev_cmd),
        .reg_rdata_o    (rdata[n]),
        .reg_err_o      (err[n]),
        .kernel_req_o   (kernel_req[Cpus+n]),
        .kernel_gnt_i   (kernel_gnt[Cpus+n]),
        .kernel_we_o    (kernel_we[Cpus+n]),
        .kernel_addr_o  (kernel_addr[Cpus+n]),
        .kernel_wdata_o (kernel_wdata[Cpus+n]),
        .kernel_rvalid_i(kernel_rvalid[Cpus+n]),
        .kernel_rdata_i (kernel_rdata[Cpus+n]),
        .bus_req_o      (bus_req[Cpus+n]),
        .bus_cmd_o      (bus_cmd[Cpus+n]),
        .bus_gnt_i      (bus_gnt[Cpus+n]),
        .bus_rvalid_i   (bus_rvalid[Cpus+n]),
        .bus_err_i      (bus_err),
        .bus_rdata_i    (bus_rdata),
        .busy_o         (unit_busy[n]),
        .has_thread_o   (has_thread),
        .stopped_o      (stopped),
        .tid_o          (tid)
      );

      always_comb begin
        does = UnitRuns;
        if (!has_thread)              does = UnitEnded;
        else if (stopped)             does = UnitStopped;
        else if (kernel_idle[Cpus+n]) does = UnitWaits;
      end

      assign unit_o[n]        = {14'b0, does, tid};
      assign bus_late[Cpus+n] = 1'b0;
      assign bus_first[Cpus+n] = 1'b0;
    end

    // Not granted late, as they never ask so
    logic unused;
    assign unused = ^bus_gnt_late[Clients-1:Cpus];

    always_comb begin
      unit_rdata = '0;
      for (int unsigned n = 0; n < HwThreads; n++) unit_rdata = unit_rdata | rdata[n];
    end

    assign unit_err = |err;
  end

  // [HT]'s scheduler
  if (!Cfg.Scheduler) begin : g_no_scheduler
    assign scheduler_ready = 1'b1;
    assign scheduler_rdata = '0;
    assign scheduler_err   = 1'b0;
    assign preempt         = 1'b0;
    logic unused;
    assign unused = ^{scheduler_ask, scheduler_req, unit_busy};
  end else begin : g_scheduler
    localparam int unsigned Master = Masters - 1;

    logic                          op_req, op_gnt, op_rvalid, start_req, start_gnt;
    logic                   [13:0] op_addr;
    logic                   [31:0] op_wdata, op_rdata, start_addr, start_wdata;
    logic              [Units-1:0] hw_running;
    logic                          next_valid;
    logic    [$clog2(Cfg.Kernel.Threads)-1:0] next_tid;
    logic [$clog2(Cfg.Kernel.Priorities)-1:0] next_priority;

    cl_scheduler_port #(
      .HwThreads(HwThreads)
    ) u_port (
      .clk_i,
      .rst_ni,
      .ask_i        (scheduler_ask),
      .cmd_i        (dev_cmd),
      .ready_o      (scheduler_ready),
      .taken_i      (scheduler_req),
      .rdata_o      (scheduler_rdata),
      .err_o        (scheduler_err),
      .op_req_o     (op_req),
      .op_gnt_i     (op_gnt),
      .op_addr_o    (op_addr),
      .op_wdata_o   (op_wdata),
      .op_rvalid_i  (op_rvalid),
      .op_rdata_i   (op_rdata),
      .start_req_i  (start_req),
      .start_gnt_o  (start_gnt),
      .start_addr_i (start_addr),
      .start_wdata_i(start_wdata),
      .hw_running_o (hw_running),
      .bus_req_o    (bus_req[Master]),
      .bus_cmd_o    (bus_cmd[Master]),
      .bus_gnt_i    (bus_gnt[Master]),
      .busy_i       (unit_busy)
    );

    cl_scheduler #(
      .Build     (cl_ready_queue_pkg::BuildHybrid),
      .Threads   (Cfg.Kernel.Threads),
      .Priorities(Cfg.Kernel.Priorities),
      .HwThreads (HwThreads)
    ) u_scheduler (
      .clk_i,
      .rst_ni,
      .req_i          (op_req),
      .gnt_o          (op_gnt),
      .addr_i         (op_addr),
      .wdata_i        (op_wdata),
      .rvalid_o       (op_rvalid),
      .rdata_o        (op_rdata),
      .start_req_o    (start_req),
      .start_gnt_i    (start_gnt),
      .start_addr_o   (start_addr),
      .start_wdata_o  (start_wdata),
      .hw_running_i   (hw_running),
      .next_valid_o   (next_valid),
      .next_tid_o     (next_tid),
      .next_priority_o(next_priority),
      .preempt_o      (preempt)
    );

    assign bus_late[Master] = 1'b0;
    assign bus_first[Master] = 1'b0;
    logic unused;
    assign unused = ^{bus_gnt_late[Master], bus_rvalid[Master], next_valid, next_tid, next_priority};
  end

  // The Back-Door and the processor behind it
  if (!Cfg.BackDoor) begin : g_no_backdoor
    assign near_rdata = '0;
    assign near_err   = 1'b0;
    assign near_irq   = 1'b0;
    logic unused;
    assign unused = ^{far_clk_i, near_req, RomInitFile != ""};
  end else begin : g_backdoor
    logic        far_rst_n, core_rst_n, far_req, far_we, far_err, fault;
    logic        bell_irq, dma_irq, bus_error_irq, dma_req, dma_gnt, dma_rvalid, dma_err;
    logic  [7:0] far_addr;
    logic [31:0] far_wdata, far_rdata, fault_addr, pc, dma_rdata;
    bus_cmd_t    dma_cmd;

    cl_reset_sync u_reset (
      .clk_i (far_clk_i),
      .rst_ni,
      .rst_no(far_rst_n)
    );

    cl_backdoor #(
      .BlockBytes (Cfg.BlockBytes),
      .MailDepth  (Cfg.MailDepth),
      .MemoryBytes(Cfg.FarBytes)
    ) u_backdoor (
      .clk0_i           (clk_i),
      .rst0_ni          (rst_ni),
      .near_req_i       (near_req),
      .near_cmd_i       (dev_cmd),
      .near_rdata_o     (near_rdata),
      .near_err_o       (near_err),
      .near_irq_o       (near_irq),
      .window_req_o     (bus_req[Clients]),
      .window_cmd_o     (bus_cmd[Clients]),
      .window_gnt_i     (bus_gnt[Clients]),
      .window_rvalid_i  (bus_rvalid[Clients]),
      .window_err_i     (bus_err),
      .window_rdata_i   (bus_rdata),
      .clk1_i           (far_clk_i),
      .rst1_ni          (far_rst_n),
      .core_rst_no      (core_rst_n),
      .core_pc_i        (pc),
      .core_fault_i     (fault),
      .core_fault_addr_i(fault_addr),
      .far_req_i        (far_req),
      .far_we_i         (far_we),
      .far_addr_i       (far_addr),
      .far_wdata_i      (far_wdata),
      .far_rdata_o      (far_rdata),
      .far_err_o        (far_err),
      .bell_irq_o       (bell_irq),
      .dma_irq_o        (dma_irq),
      .bus_error_irq_o  (bus_error_irq),
      .dma_req_o        (dma_req),
      .dma_cmd_o        (dma_cmd),
      .dma_gnt_i        (dma_gnt),
      .dma_rvalid_i     (dma_rvalid),
      .dma_err_i        (dma_err),
      .dma_rdata_i      (dma_rdata)
    );

    cl_far_side #(.Cfg(Cfg), .RomInitFile(RomInitFile)) u_far_side (
      .clk_i          (far_clk_i),
      .rst_ni         (core_rst_n),
      .far_req_o      (far_req),
      .far_we_o       (far_we),
      .far_addr_o     (far_addr),
      .far_wdata_o    (far_wdata),
      .far_rdata_i    (far_rdata),
      .far_err_i      (far_err),
      .bell_irq_i     (bell_irq),
      .dma_irq_i      (dma_irq),
      .bus_error_irq_i(bus_error_irq),
      .dma_req_i      (dma_req),
      .dma_cmd_i      (dma_cmd),
      .dma_gnt_o      (dma_gnt),
      .dma_rvalid_o   (dma_rvalid),
      .dma_err_o      (dma_err),
      .dma_rdata_o    (dma_rdata),
      .fault_o        (fault),
      .fault_addr_o   (fault_addr),
      .pc_o           (pc)
    );

    assign pc_o[Cpus]        = pc;
    assign bus_late[Clients] = 1'b0;
    assign bus_first[Clients] = 1'b0;
    logic unused;
    assign unused = bus_gnt_late[Clients];
  end

  // One bit for the harness to look at in every cycle
  logic  [Cpus-1:0]       idle_q, irq_q;
  logic [Units-1:0][31:0] unit_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      idle_q <= '0;
      irq_q  <= '0;
      unit_q <= '0;
    end else begin
      idle_q <= idle_o;
      irq_q  <= kernel_irq;
      unit_q <= unit_o;
    end
  end

  assign request_o = kernel_irq & ~irq_q;
  assign event_o   = (|trace_valid_o) | (|exit_valid_o) | uart_valid_o | (|request_o) | (|fault_o) | (|halt_o)
                   | (idle_o != idle_q) | (unit_o != unit_q);

endmodule
