// SPDX-License-Identifier: Apache-2.0
// The `sent` lists: for every running thread the ports it sent to and has not published, newest first.
//
// Only a running thread has such a list, as every way to stop running publishes first: so it belongs to the
// CPU. A port is on one list at most: a second writer publishes it at once. port_i is the port read, raddr_i
// what it will be in the next cycle, with read_i read_id_i; the list is that of CPU cpu_i. add_i puts port_i at its
// head; pop_i takes it away from there (it must be the head). Both take effect in the next cycle.
module cl_kernel_sent #(
  parameter  int unsigned Clients   = 2,
  parameter  int unsigned Ports     = 32,
  localparam int unsigned CpuWidth  = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned PortWidth = (Ports > 1) ? $clog2(Ports) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic  [CpuWidth-1:0] cpu_i,
  input  logic                 read_i,
  input  logic [PortWidth-1:0] read_id_i,   // early: raddr_i may follow from an operation's outcome
  input  logic [PortWidth-1:0] raddr_i,
  input  logic [PortWidth-1:0] port_i,
  output logic                 listed_o,    // when read_id_i was read, it was on a list
  output logic                 by_other_o,  // and that is another CPU's
  output logic      [Clients-1:0] valid_o,     // the CPU's list is not empty
  output logic [PortWidth-1:0] head_o,      // of CPU cpu_i
  output logic                 more_o,      // another port follows port_i:
  output logic [PortWidth-1:0] next_o,
  input  logic                 add_i,
  input  logic                 pop_i
);

  typedef struct packed {
    logic  [CpuWidth-1:0] cpu;
    logic                 more;
    logic [PortWidth-1:0] next;
  } sent_t;

  logic                [Ports-1:0] listed_q;
  logic [Clients-1:0] [PortWidth-1:0] head_q;
  sent_t                           sent;

  cl_ram_1r1w #(.Width($bits(sent_t)), .AddrWidth(PortWidth)) u_sent (
    .clk_i, .we_i(add_i), .waddr_i(port_i),
    .wdata_i({cpu_i, valid_o[cpu_i], head_q[cpu_i]}), .raddr_i, .rdata_o(sent)
  );

  assign by_other_o = listed_o && sent.cpu != cpu_i;
  assign head_o     = head_q[cpu_i];
  assign more_o     = sent.more;
  assign next_o     = sent.next;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)     listed_o <= 1'b0;
    else if (read_i) listed_o <= listed_q[read_id_i];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      listed_q <= '0;
      valid_o  <= '0;
      head_q   <= '0;
    end else if (add_i) begin
      listed_q[port_i] <= 1'b1;
      valid_o[cpu_i]   <= 1'b1;
      head_q[cpu_i]    <= port_i;
    end else if (pop_i) begin
      listed_q[port_i] <= 1'b0;
      valid_o[cpu_i]   <= sent.more;
      head_q[cpu_i]    <= sent.next;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertAddNew:  assert (!add_i || !listed_q[port_i]);
      AssertPopHead: assert (!pop_i || (valid_o[cpu_i] && head_o == port_i));
    end
  end
`endif

endmodule
