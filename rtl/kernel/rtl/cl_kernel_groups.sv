// SPDX-License-Identifier: Apache-2.0
// Policy partitioned ([GF]: ARTiS): CPUs and threads in a real-time and a non-real-time group; combinational.
//
// CPUs 0 to RtCpus - 1 are real-time CPUs; dynamic threads of priority RtPriority and above are real-time threads and
// have their own queue. As their priorities are above all others, a real-time CPU takes them first anyway. The other CPUs
// take them only in surplus: while every real-time CPU runs a real-time thread.
// A CPU that is waiting when a surplus arises is served (serve_o) before the engine takes anything else (busy_o).
module cl_kernel_groups #(
  parameter  int unsigned Cpus       = 2,
  parameter  int unsigned RtCpus     = 1,
  parameter  int unsigned RtPriority = 16,
  parameter  int unsigned LevelWidth = 6,
  parameter  int unsigned CpuWidth   = 1
) (
  input  logic [Cpus-1:0]                 running_i,
  input  logic [Cpus-1:0]                 waiting_i,
  input  logic [Cpus-1:0][LevelWidth-1:0] level_i,
  input  logic                            rt_valid_i,  // a real-time thread is in its queue,
  input  logic                            ready_i,     // which shows what it has
  output logic [Cpus-1:0]                 takes_rt_o,  // the CPU takes real-time threads
  output logic                            busy_o,
  output logic                            serve_o,
  output logic             [CpuWidth-1:0] serve_cpu_o
);

  localparam logic [LevelWidth-1:0] RtLevel = LevelWidth'(2**(LevelWidth-1) + RtPriority);

  logic surplus, waits;

  always_comb begin
    surplus     = 1'b1;
    waits       = 1'b0;
    serve_cpu_o = '0;
    for (int unsigned c = Cpus; c > 0; c--) begin
      if (c <= RtCpus) begin
        if (!running_i[c-1] || level_i[c-1] < RtLevel) surplus = 1'b0;
      end else if (waiting_i[c-1]) begin
        waits       = 1'b1;
        serve_cpu_o = CpuWidth'(c - 1);
      end
    end
    for (int unsigned c = 0; c < Cpus; c++) takes_rt_o[c] = c < RtCpus || surplus;
  end

  assign busy_o  = surplus && waits && (!ready_i || rt_valid_i);
  assign serve_o = busy_o && ready_i;

endmodule
