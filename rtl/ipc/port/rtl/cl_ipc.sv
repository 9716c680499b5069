// SPDX-License-Identifier: Apache-2.0
// Communication between processors: a private port for each, and the units behind it.
//
// A unit sees the accesses of all processors and replies to each; the replies are ORed, as a unit replies 0 to what is
// not its own. A reply depends on registers and on the accesses that execute in the same cycle.
module cl_ipc
  import cl_ipc_port_pkg::*;
#(
  parameter int unsigned Cpus         = 2,    // 1..8
  parameter int unsigned MailboxDepth = 16,   // words in each mailbox: a power of two, 2..256
  parameter int unsigned Mutexes      = 16,   // 1..64
  parameter int unsigned Barriers     = 4,    // 1..16
  parameter bit          Pipeline     = 1'b0  // answers from registers: a cycle later, at a higher clock
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [Cpus-1:0]       req_i,
  output logic [Cpus-1:0]       gnt_o,
  input  logic [Cpus-1:0]       we_i,
  input  logic [Cpus-1:0][18:0] addr_i,       // bits 20:2 of the address
  input  logic [Cpus-1:0][31:0] wdata_i,
  output logic [Cpus-1:0]       rvalid_o,     // one cycle after the grant, two with Pipeline, or later when it waits
  output logic [Cpus-1:0]       err_o,
  output logic [Cpus-1:0][31:0] rdata_o,
  input  logic [Cpus-1:0]       intr_i,       // pending interrupt: ends a wait
  output logic [Cpus-1:0]       irq_o         // level
);

  access_t [Cpus-1:0] access;
  reply_t  [Cpus-1:0] reply;

  for (genvar p = 0; p < Cpus; p++) begin : g_port
    cl_ipc_port #(.Pipeline(Pipeline)) u_port (
      .clk_i, .rst_ni,
      .req_i   (req_i[p]),
      .gnt_o   (gnt_o[p]),
      .we_i    (we_i[p]),
      .addr_i  (addr_i[p]),
      .wdata_i (wdata_i[p]),
      .rvalid_o(rvalid_o[p]),
      .err_o   (err_o[p]),
      .rdata_o (rdata_o[p]),
      .intr_i  (intr_i[p]),
      .access_o(access[p]),
      .reply_i (reply[p])
    );
  end

  // --- Units ---------------------------------------------------------------------------------------------

  reply_t [Cpus-1:0] mailbox_reply, doorbell_reply, channel_reply, mutex_reply, barrier_reply;
  logic   [Cpus-1:0] doorbell_irq, channel_irq;

  cl_mailbox #(.Cpus(Cpus), .Depth(MailboxDepth)) u_mailbox (
    .clk_i, .rst_ni, .access_i(access), .reply_o(mailbox_reply)
  );

  cl_doorbell #(.Cpus(Cpus)) u_doorbell (
    .clk_i, .rst_ni, .access_i(access), .reply_o(doorbell_reply), .irq_o(doorbell_irq)
  );

  cl_channel #(.Cpus(Cpus)) u_channel (
    .clk_i, .rst_ni, .access_i(access), .reply_o(channel_reply), .irq_o(channel_irq)
  );

  cl_mutex #(.Cpus(Cpus), .Mutexes(Mutexes)) u_mutex (
    .clk_i, .rst_ni, .access_i(access), .reply_o(mutex_reply)
  );

  cl_barrier #(.Cpus(Cpus), .Barriers(Barriers)) u_barrier (
    .clk_i, .rst_ni, .access_i(access), .reply_o(barrier_reply)
  );

  assign reply = mailbox_reply | doorbell_reply | channel_reply | mutex_reply | barrier_reply;
  assign irq_o = doorbell_irq | channel_irq;

`ifdef FORMAL
  // REQ-port-7: an operation is one unit's at most, and an answer has nothing of another unit in it.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      for (int unsigned p = 0; p < Cpus; p++) begin
        assert ($countones({mailbox_reply[p].hit, doorbell_reply[p].hit, channel_reply[p].hit,
                            mutex_reply[p].hit, barrier_reply[p].hit}) <= 1);
        assert (mailbox_reply[p].hit   || mailbox_reply[p]  == '0);
        assert (doorbell_reply[p].hit || doorbell_reply[p] == '0);
        assert (channel_reply[p].hit   || channel_reply[p]  == '0);
        assert (mutex_reply[p].hit     || mutex_reply[p]    == '0);
        assert (barrier_reply[p].hit   || barrier_reply[p]  == '0);
      end
    end
  end
`endif

endmodule
