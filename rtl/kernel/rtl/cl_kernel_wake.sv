// SPDX-License-Identifier: Apache-2.0
// How a woken thread becomes ready or running; combinational.
//
// A thread that is still its CPU's current one resumes in place. One whose context is not saved yet waits for that.
// Otherwise the lowest-numbered waiting CPU that may run it takes it at once, and if there is none, its queue does.
// A hardware unit runs its own thread only, which is static, and a reserved CPU its owner (cl_kernel_reserve).
module cl_kernel_wake
  import cl_kernel_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg      = Default,
  localparam int unsigned Clients  = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth = $clog2(Cfg.Threads)
) (
  input  logic              [TidWidth-1:0] tid_i,     // the thread, and its record
  input  logic              [CpuWidth-1:0] cpu_i,
  input  logic                             only_i,    // one client alone may run it:
  input  logic              [CpuWidth-1:0] client_i,

  input  logic [Clients-1:0]                  current_valid_i,
  input  logic [Clients-1:0]   [TidWidth-1:0] current_tid_i,
  input  logic [Clients-1:0]                  leaving_i,
  input  logic [Clients-1:0]   [TidWidth-1:0] leaving_tid_i,
  input  logic [Clients-1:0]                  waiting_i,
  input  logic [Clients-1:0]                  open_i,     // any thread may run there

  output wake_way_e                        way_o,
  output logic              [CpuWidth-1:0] cpu_o      // the CPU it is on, or that takes it
);

  logic                taker_valid;
  logic [CpuWidth-1:0] taker;

  always_comb begin
    taker_valid = 1'b0;
    taker       = '0;
    for (int unsigned c = Clients; c > 0; c--) begin
      if (waiting_i[c-1] && (only_i ? client_i == CpuWidth'(c - 1) : open_i[c-1])) begin
        taker_valid = 1'b1;
        taker       = CpuWidth'(c - 1);
      end
    end
  end

  always_comb begin
    cpu_o = cpu_i;
    if (current_valid_i[cpu_i] && current_tid_i[cpu_i] == tid_i) begin
      way_o = WakeInPlace;
    end else if (leaving_i[cpu_i] && leaving_tid_i[cpu_i] == tid_i) begin
      way_o = WakeWhenSaved;
    end else if (taker_valid) begin
      way_o = WakeTaken;
      cpu_o = taker;
    end else begin
      way_o = WakeQueued;
    end
  end

endmodule
