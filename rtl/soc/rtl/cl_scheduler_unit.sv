// SPDX-License-Identifier: Apache-2.0
// [HT]'s scheduler as a device of the shared bus that waits, and as a master that starts hardware threads.
module cl_scheduler_unit
  import cl_soc_pkg::*;
#(
  parameter int unsigned Threads    = 256,
  parameter int unsigned Priorities = 128,
  parameter int unsigned HwThreads  = 4
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Device, see cl_scheduler_port
  input  logic                 ask_i,
  input  obi_req_t             cmd_i,
  output logic                 ready_o,
  input  logic                 taken_i,
  output logic          [31:0] rdata_o,
  output logic                 err_o,
  input  logic [HwThreads-1:0] busy_i,

  // Master
  output logic                 bus_req_o,
  output obi_req_t             bus_cmd_o,
  input  logic                 bus_gnt_i,

  output logic                 preempt_o    // the best queued thread beats the one dequeued last
);

  logic                          op_req, op_gnt, op_rvalid, start_req, start_gnt;
  logic                   [13:0] op_addr;
  logic                   [31:0] op_wdata, op_rdata, start_addr, start_wdata;
  logic              [HwThreads-1:0] hw_running;
  logic                          next_valid;
  logic    [$clog2(Threads)-1:0] next_tid;
  logic [$clog2(Priorities)-1:0] next_priority;

  cl_scheduler_port #(
    .HwThreads(HwThreads)
  ) u_port (
    .clk_i,
    .rst_ni,
    .ask_i,
    .cmd_i,
    .ready_o,
    .taken_i,
    .rdata_o,
    .err_o,
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
    .bus_req_o,
    .bus_cmd_o,
    .bus_gnt_i,
    .busy_i
  );

  cl_scheduler #(
    .Build     (cl_ready_queue_pkg::BuildHybrid),
    .Threads   (Threads),
    .Priorities(Priorities),
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
    .preempt_o
  );

  logic unused;
  assign unused = ^{next_valid, next_tid, next_priority};

endmodule
