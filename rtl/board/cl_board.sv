// SPDX-License-Identifier: Apache-2.0
// What a board has around cl_soc: memory, boot ROM, UART, LEDs, buttons, debug module, and the reset of the SoC. Nothing in it is of a
// vendor; the top of a board (../ulx3s) has its clock and its pins.
//
// After rst_ni the SoC boots: loads and fetches of the first RomBytes of its memory come from the boot ROM, stores go to
// the memory. The ROM's program receives one over the UART, and stores to START: the SoC is reset, and starts again
// with the memory alone. When a program ends (EXIT) the SoC boots again, with its status in ENDED.
// With a program in the bitstream (RamFile) that one starts first.
// A debugger at the JTAG port resets the SoC, too, which then starts with what it had: boot ROM or memory.
module cl_board
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter cfg_t        Cfg     = Default,
  parameter int unsigned ClockHz = 25_000_000,
  parameter int unsigned Baud    = 1_000_000,
  parameter              RomFile = "",            // the boot ROM, for $readmemh
  parameter              RamFile = "",            // only without Cfg.Sdram: the memory's initial contents
  parameter int unsigned Bounce  = ClockHz / 100  // cycles after which a button is as it is
) (
  input  logic        clk_i,
  input  logic        rst_ni,        // its end synchronous to clk_i
  input  logic        again_i,       // boot again: level, synchronous

  input  logic        rx_i,
  output logic        tx_o,
  output logic  [7:0] led_o,
  input  logic  [5:0] button_i,      // 1: pressed; fire 1 and 2, up, down, left, right

  // JTAG, with the standard core (cl_debug); else tdo_o is 0
  input  logic        tck_i,
  input  logic        tms_i,
  input  logic        tdi_i,
  output logic        tdo_o,

  // The SDRAM, see cl_sdram_controller; without Cfg.Sdram it is not selected
  output logic        sdram_cke_o,
  output logic        sdram_cs_no,
  output logic        sdram_ras_no,
  output logic        sdram_cas_no,
  output logic        sdram_we_no,
  output logic [12:0] sdram_addr_o,
  output logic  [1:0] sdram_bank_o,
  output logic  [1:0] sdram_mask_o,
  output logic [15:0] sdram_data_o,
  output logic        sdram_drive_o,
  input  logic [15:0] sdram_data_i
);

  localparam int unsigned RomBytes = 4096;
  localparam int unsigned RomAddrW = $clog2(RomBytes / 4);
  localparam int unsigned RamBits  = $clog2(Cfg.RamBytes);
  localparam bit          Program  = RamFile != "";
  localparam bit          Debug    = Cfg.Core == CoreStandard;
  localparam int unsigned Cpus     = Cfg.Kernel.Cpus;

  // Registers, from UserBase
  localparam logic [1:0] RegLeds    = 2'd0;   // rw
  localparam logic [1:0] RegButtons = 2'd1;   // ro
  localparam logic [1:0] RegStart   = 2'd2;   // wo: START; ro: ENDED: bit 8: a program has ended, 7:0 its status
  localparam logic [1:0] RegClock   = 2'd3;   // ro: Hz

  logic        user_req, user_rvalid_q, ram_ask, ram_ready, ram_req, ram_taken, uart_req, exit_valid, there;
  logic        in_rom, rom_read, rom_q, rom_shown_q;
  obi_req_t    cmd;
  obi_rsp_t    user_rsp;
  logic  [5:0] button;
  logic [31:0] rom_rdata, ram_rdata, uart_rdata;
  logic  [7:0] exit_status;
  logic        unused_tx, page_req, ndmreset;
  logic [31:0] page_rdata;
  logic [Cpus-1:0] debug_req;

  // Reset of the SoC, and what it boots
  logic        boot_q, ended_q, start, soc_rst_nq, runs_q;   // the last two are equal: a reset, and a value
  logic  [7:0] status_q;
  logic  [3:0] reset_q;   // cycles of reset that are left

  assign start = user_req && cmd.we && cmd.addr[23:2] == 22'(RegStart);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      boot_q     <= !Program;
      ended_q    <= 1'b0;
      status_q   <= '0;
      reset_q    <= '1;
      soc_rst_nq <= 1'b0;
      runs_q     <= 1'b0;
    end else begin
      soc_rst_nq <= reset_q == '0;
      runs_q     <= reset_q == '0;
      if (reset_q != '0) reset_q <= reset_q - 4'd1;
      if (runs_q && reset_q == '0) begin
        if (start) begin
          boot_q  <= 1'b0;
          ended_q <= 1'b0;
          reset_q <= '1;
        end else if (exit_valid || again_i) begin
          boot_q   <= 1'b1;
          ended_q  <= exit_valid;
          status_q <= exit_status;
          reset_q  <= '1;
        end
      end
      if (ndmreset) reset_q <= '1;
    end
  end

  cl_soc #(.Cfg(Cfg), .User(1'b1), .Outside(1'b1), .Debug(Debug)) u_soc (
    .clk_i,
    .far_clk_i    (clk_i),
    .rst_ni       (soc_rst_nq),
    .line_i       ({|button[5:2], button[1:0], there}),
    .uart_tx_o    (unused_tx),
    .user_req_o   (user_req),
    .user_cmd_o   (cmd),
    .user_gnt_i   (1'b1),
    .user_rvalid_i(user_rvalid_q),
    .user_rsp_i   (user_rsp),
    .debug_page_req_o  (page_req),
    .debug_page_rdata_i(page_rdata),
    .debug_req_i       (debug_req),
    .ram_ask_o    (ram_ask),
    .ram_ready_i  (ram_ready | rom_shown_q),
    .ram_req_o    (ram_req),
    .ram_rdata_i  (rom_q ? rom_rdata : ram_rdata),
    .uart_req_o   (uart_req),
    .uart_rdata_i (uart_rdata),
    .exit_o       (exit_valid),
    .exit_status_o(exit_status)
  );

  if (Debug) begin : g_debug
    logic unused_oe;

    cl_debug #(
      .Harts(Cpus),
      .Base (DebugBase)
    ) u_debug (
      .clk_i,
      .rst_ni,
      .tck_i,
      .tms_i,
      .tdi_i,
      .tdo_o,
      .tdo_oe_o    (unused_oe),
      .req_i       (page_req),
      .we_i        (cmd.we),
      .addr_i      (cmd.addr[11:2]),
      .wdata_i     (cmd.wdata),
      .rdata_o     (page_rdata),
      .harts_rst_ni(runs_q),
      .debug_req_o (debug_req),
      .ndmreset_o  (ndmreset)
    );
  end else begin : g_no_debug
    assign tdo_o      = 1'b0;
    assign page_rdata = '0;
    assign debug_req  = '0;
    assign ndmreset   = 1'b0;
    logic unused;
    assign unused = ^{tck_i, tms_i, tdi_i, page_req};
  end

  cl_uart_line #(
    .ClocksPerBit(ClockHz / Baud)
  ) u_uart (
    .clk_i,
    .rst_ni,
    .req_i   (uart_req),
    .we_i    (cmd.we),
    .status_i(cmd.addr[2]),
    .wdata_i (cmd.wdata[7:0]),
    .rdata_o (uart_rdata),
    .rx_i,
    .tx_o,
    .there_o (there)
  );

  // Boot ROM in front of the memory
  assign in_rom   = cmd.addr[RamBits-1:RomAddrW+2] == '0;
  assign rom_read = boot_q && in_rom && !cmd.we;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rom_shown_q <= 1'b0;
      rom_q       <= 1'b0;
    end else begin
      rom_shown_q <= rom_read;
      if (ram_req) rom_q <= rom_read;
    end
  end

  cl_block_ram #(
    .Bytes   (RomBytes),
    .InitFile(RomFile)
  ) u_rom (
    .clk_i,
    .req_i  (ram_req & rom_read),
    .we_i   (1'b0),
    .be_i   ('0),
    .addr_i (cmd.addr[2 +: RomAddrW]),
    .wdata_i('0),
    .rdata_o(rom_rdata)
  );

  // Memory
  assign ram_taken = ram_req & ~rom_read;

  if (Cfg.Sdram) begin : g_sdram
    cl_sdram_controller #(
      .Bytes  (Cfg.RamBytes),
      .ClockHz(ClockHz)
    ) u_sdram (
      .clk_i,
      .rst_ni,
      .req_i  (ram_ask & ~rom_read),
      .cmd_i  (cmd),
      .ready_o(ram_ready),
      .taken_i(ram_taken),
      .rdata_o(ram_rdata),
      .cke_o  (sdram_cke_o),
      .cs_no  (sdram_cs_no),
      .ras_no (sdram_ras_no),
      .cas_no (sdram_cas_no),
      .we_no  (sdram_we_no),
      .addr_o (sdram_addr_o),
      .bank_o (sdram_bank_o),
      .mask_o (sdram_mask_o),
      .data_o (sdram_data_o),
      .drive_o(sdram_drive_o),
      .data_i (sdram_data_i)
    );
  end else begin : g_block
    assign ram_ready = 1'b1;
    assign {sdram_cke_o, sdram_addr_o, sdram_bank_o, sdram_mask_o, sdram_data_o, sdram_drive_o} = '0;
    assign {sdram_cs_no, sdram_ras_no, sdram_cas_no, sdram_we_no} = '1;

    cl_block_ram #(
      .Bytes   (Cfg.RamBytes),
      .InitFile(RamFile)
    ) u_ram (
      .clk_i,
      .req_i  (ram_taken),
      .we_i   (cmd.we),
      .be_i   (cmd.be),
      .addr_i (cmd.addr[2 +: RamBits-2]),
      .wdata_i(cmd.wdata),
      .rdata_o(ram_rdata)
    );
    logic unused;
    assign unused = ^{ram_ask, sdram_data_i};
  end

  // Buttons, LEDs
  for (genvar i = 0; i < 6; i++) begin : g_button
    cl_button #(.Clocks(Bounce)) u_button (
      .clk_i,
      .rst_ni,
      .pin_i    (button_i[i]),
      .pressed_o(button[i])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) led_o <= '0;
    else if (user_req && cmd.we && cmd.be[0] && cmd.addr[23:2] == 22'(RegLeds)) led_o <= cmd.wdata[7:0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) user_rvalid_q <= 1'b0;
    else         user_rvalid_q <= user_req && runs_q;
  end

  always_ff @(posedge clk_i) begin
    user_rsp.err <= cmd.addr[23:4] != '0;
    unique case (cmd.addr[3:2])
      RegLeds:    user_rsp.rdata <= 32'(led_o);
      RegButtons: user_rsp.rdata <= 32'(button);
      RegStart:   user_rsp.rdata <= {23'b0, ended_q, status_q};
      RegClock:   user_rsp.rdata <= 32'(ClockHz);
      default:    user_rsp.rdata <= '0;
    endcase
  end

endmodule
