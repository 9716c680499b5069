// SPDX-License-Identifier: Apache-2.0
// Four data caches on the bus with its memory, each with somebody at its core's side: see litmus.cpp.
module cl_dcache_bench
  import cl_soc_pkg::*;
#(
  parameter  int unsigned Bytes     = 64,
  parameter  int unsigned LineWords = 1,
  localparam int unsigned Cpus      = 4,
  localparam int unsigned RamBytes  = 4096
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic       [Cpus-1:0] req_i,
  input  logic       [Cpus-1:0] we_i,
  input  logic [Cpus-1:0] [3:0] be_i,
  input  logic [Cpus-1:0][31:0] addr_i,
  input  logic [Cpus-1:0][31:0] wdata_i,
  output logic       [Cpus-1:0] gnt_o,
  output logic       [Cpus-1:0] rvalid_o,
  output logic       [Cpus-1:0] err_o,
  output logic [Cpus-1:0][31:0] rdata_o,
  output logic                  write_o,      // what the memory writes in this cycle
  output logic            [3:0] write_be_o,
  output logic           [31:0] write_addr_o,
  output logic           [31:0] write_data_o
);

  localparam int unsigned AddrW = $clog2(RamBytes / 4);

  obi_req_t [Cpus-1:0] bus_cmd;
  logic     [Cpus-1:0] bus_req, bus_late, bus_gnt, bus_gnt_late, bus_rvalid, snoop_valid;
  logic                bus_err, ram_ask, ram_req, unused_uart_req, unused_unit_req, unused_window_req, unused_user_req, unused_debug_req;
  logic         [31:0] bus_rdata, ram_rdata, snoop_addr;
  obi_req_t            dev_cmd;

  for (genvar i = 0; i < Cpus; i++) begin : g_cache
    cl_dcache #(
      .Bytes    (Bytes),
      .LineWords(LineWords)
    ) u_dcache (
      .clk_i,
      .rst_ni,
      .req_i         (req_i[i]),
      .cmd_i         ('{we: we_i[i], be: be_i[i], addr: addr_i[i], wdata: wdata_i[i]}),
      .gnt_o         (gnt_o[i]),
      .rvalid_o      (rvalid_o[i]),
      .err_o         (err_o[i]),
      .rdata_o       (rdata_o[i]),
      .bus_req_o     (bus_req[i]),
      .bus_late_o    (bus_late[i]),
      .bus_cmd_o     (bus_cmd[i]),
      .bus_gnt_i     (bus_gnt[i]),
      .bus_gnt_late_i(bus_gnt_late[i]),
      .bus_rvalid_i  (bus_rvalid[i]),
      .bus_err_i     (bus_err),
      .bus_rdata_i   (bus_rdata),
      .snoop_valid_i (|(snoop_valid & ~(Cpus'(1) << i))),
      .snoop_addr_i  (snoop_addr)
    );
  end

  cl_bus #(
    .Masters (Cpus),
    .RamBytes(RamBytes),
    .Uart    (1'b0)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .req_i         (bus_req),
    .late_i        (bus_late),
    .first_i       ('0),
    .cmd_i         (bus_cmd),
    .gnt_o         (bus_gnt),
    .gnt_late_o    (bus_gnt_late),
    .rvalid_o      (bus_rvalid),
    .err_o         (bus_err),
    .rdata_o       (bus_rdata),
    .snoop_valid_o (snoop_valid),
    .snoop_addr_o  (snoop_addr),
    .dev_cmd_o     (dev_cmd),
    .ram_ask_o     (ram_ask),
    .ram_ready_i   (1'b1),
    .ram_req_o     (ram_req),
    .ram_rdata_i   (ram_rdata),
    .uart_req_o    (unused_uart_req),
    .uart_rdata_i  ('0),
    .unit_req_o    (unused_unit_req),
    .unit_rdata_i  ('0),
    .unit_err_i    (1'b0),
    .window_req_o  (unused_window_req),
    .window_rdata_i('0),
    .window_err_i  (1'b0),
    .debug_req_o   (unused_debug_req),
    .debug_rdata_i ('0),
    .user_req_o    (unused_user_req),
    .user_gnt_i    (1'b1),
    .user_rvalid_i (1'b0),
    .user_rsp_i    ('0)
  );

  cl_ram #(
    .Bytes(RamBytes)
  ) u_ram (
    .clk_i,
    .req_i  (ram_req),
    .we_i   (dev_cmd.we),
    .be_i   (dev_cmd.be),
    .addr_i (dev_cmd.addr[2 +: AddrW]),
    .wdata_i(dev_cmd.wdata),
    .rdata_o(ram_rdata)
  );

  assign write_o      = ram_req & dev_cmd.we;
  assign write_be_o   = dev_cmd.be;
  assign write_addr_o = dev_cmd.addr;
  assign write_data_o = dev_cmd.wdata;

  logic unused;
  assign unused = ram_ask;

endmodule
