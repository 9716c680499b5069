// SPDX-License-Identifier: Apache-2.0
// When a CPU's slice begins, and how much of it has passed already: a preempted thread goes on with its slice.
//
// A thread that gives way in front of its equals keeps its slice; any other way to leave its CPU forgets it.
// Everything is read from the CPUs' state one cycle after the command, so no path begins in the engine: a slice
// begins (start_o) two cycles after the command that runs or resumes a thread. Ticks in between are lost.
module cl_kernel_slices #(
  parameter  int unsigned Clients  = 2,
  parameter  int unsigned TidWidth = 6,
  localparam int unsigned CpuWidth = (Clients > 1) ? $clog2(Clients) : 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // The command of this cycle (sched_cmd_t),
  input  logic                              run_i,
  input  logic                              resume_i,
  input  logic                              exit_i,
  input  logic               [CpuWidth-1:0] cpu_i,            // for this CPU;
  input  logic                              create_i,         // or a new thread,
  input  logic               [TidWidth-1:0] new_i,            // this one

  // State of the CPUs
  input  logic [Clients-1:0] [TidWidth-1:0] tid_i,
  input  logic [Clients-1:0]                leaving_i,
  input  logic [Clients-1:0]                leaving_ready_i,
  input  logic [Clients-1:0]                leaving_front_i,
  input  logic [Clients-1:0] [TidWidth-1:0] leaving_tid_i,
  input  logic [Clients-1:0]         [15:0] ran_i,            // ticks of the slice
  input  logic                              on_i,             // there are slices

  output logic [Clients-1:0]                start_o,          // a slice begins now, of which
  output logic                       [15:0] ran_o             // so many ticks have passed
);

  logic                run_q, resume_q, exit_q, create_q, ran_q, resumed_q;
  logic [CpuWidth-1:0] cpu_q, started_q;
  logic [TidWidth-1:0] new_q, waddr;
  logic                we, keeps;
  logic         [15:0] kept;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q     <= 1'b0;
      resume_q  <= 1'b0;
      exit_q    <= 1'b0;
      create_q  <= 1'b0;
      ran_q     <= 1'b0;
      resumed_q <= 1'b0;
      cpu_q     <= '0;
      started_q <= '0;
      new_q     <= '0;
    end else begin
      run_q     <= run_i;
      resume_q  <= resume_i;
      exit_q    <= exit_i;
      create_q  <= create_i;
      ran_q     <= run_q;
      resumed_q <= resume_q;
      cpu_q     <= cpu_i;
      started_q <= cpu_q;
      new_q     <= new_i;
    end
  end

  assign we    = create_q | exit_q | (run_q & leaving_i[cpu_q]);
  assign keeps = on_i & run_q & leaving_ready_i[cpu_q] & leaving_front_i[cpu_q];
  assign waddr = create_q ? new_q : exit_q ? tid_i[cpu_q] : leaving_tid_i[cpu_q];

  cl_ram_1r1w #(.Width(16), .AddrWidth(TidWidth)) u_kept (
    .clk_i,
    .we_i    (we),
    .waddr_i (waddr),
    .wdata_i (keeps ? ran_i[cpu_q] : '0),
    .raddr_i (tid_i[cpu_q]),
    .rdata_o (kept)
  );

  assign ran_o = ran_q ? kept : '0;

  for (genvar c = 0; c < Clients; c++) begin : g_start
    assign start_o[c] = (ran_q | resumed_q) && started_q == CpuWidth'(c);
  end

endmodule
