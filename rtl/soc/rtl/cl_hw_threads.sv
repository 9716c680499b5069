// SPDX-License-Identifier: Apache-2.0
// The hardware threads of a platform, their registers as one device, and what each does at the moment.
module cl_hw_threads
  import cl_soc_pkg::*;
#(
  parameter int unsigned HwThreads = 1,      // 1..15
  parameter logic [63:0] Kinds     = 64'h1   // the kind of number n in bits 4n+3:4n
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // Registers: of number addr[11:8]
  input  logic                       reg_req_i,
  input  obi_req_t                   reg_cmd_i,
  output logic                [31:0] reg_rdata_o,
  output logic                       reg_err_o,

  // Client ports of the kernel
  output logic       [HwThreads-1:0] kernel_req_o,
  input  logic       [HwThreads-1:0] kernel_gnt_i,
  output logic       [HwThreads-1:0] kernel_we_o,
  output logic [HwThreads-1:0][17:0] kernel_addr_o,
  output logic [HwThreads-1:0][31:0] kernel_wdata_o,
  input  logic       [HwThreads-1:0] kernel_rvalid_i,
  input  logic [HwThreads-1:0][31:0] kernel_rdata_i,
  input  logic       [HwThreads-1:0] kernel_idle_i,    // waits in the kernel

  // Master ports of the shared bus
  output logic       [HwThreads-1:0] bus_req_o,
  output obi_req_t   [HwThreads-1:0] bus_cmd_o,
  input  logic       [HwThreads-1:0] bus_gnt_i,
  input  logic       [HwThreads-1:0] bus_rvalid_i,
  input  logic                       bus_err_i,
  input  logic                [31:0] bus_rdata_i,

  output logic       [HwThreads-1:0] busy_o,
  output logic [HwThreads-1:0][31:0] unit_o            // its activity (unit_e, 17:16) and its thread
);

  logic [HwThreads-1:0][31:0] rdata;
  logic [HwThreads-1:0]       err;

  for (genvar n = 0; n < HwThreads; n++) begin : g_hw_thread
    logic        has_thread, stopped;
    logic [15:0] tid;
    unit_e       does;

    cl_hw_thread #(
      .Kind(32'(Kinds[4*n +: 4]))
    ) u_hw_thread (
      .clk_i,
      .rst_ni,
      .reg_req_i      (reg_req_i & (reg_cmd_i.addr[11:8] == 4'(n))),
      .reg_cmd_i      (reg_cmd_i),
      .reg_rdata_o    (rdata[n]),
      .reg_err_o      (err[n]),
      .kernel_req_o   (kernel_req_o[n]),
      .kernel_gnt_i   (kernel_gnt_i[n]),
      .kernel_we_o    (kernel_we_o[n]),
      .kernel_addr_o  (kernel_addr_o[n]),
      .kernel_wdata_o (kernel_wdata_o[n]),
      .kernel_rvalid_i(kernel_rvalid_i[n]),
      .kernel_rdata_i (kernel_rdata_i[n]),
      .bus_req_o      (bus_req_o[n]),
      .bus_cmd_o      (bus_cmd_o[n]),
      .bus_gnt_i      (bus_gnt_i[n]),
      .bus_rvalid_i   (bus_rvalid_i[n]),
      .bus_err_i,
      .bus_rdata_i,
      .busy_o         (busy_o[n]),
      .has_thread_o   (has_thread),
      .stopped_o      (stopped),
      .tid_o          (tid)
    );

    always_comb begin
      does = UnitRuns;
      if (!has_thread)              does = UnitEnded;
      else if (stopped)             does = UnitStopped;
      else if (kernel_idle_i[n])    does = UnitWaits;
    end

    assign unit_o[n] = {14'b0, does, tid};
  end

  always_comb begin
    reg_rdata_o = '0;
    for (int unsigned n = 0; n < HwThreads; n++) reg_rdata_o = reg_rdata_o | rdata[n];
  end

  assign reg_err_o = |err;

endmodule
