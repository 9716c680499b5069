// SPDX-License-Identifier: Apache-2.0
// Which accesses the units behind the ports know, each unit for every access of every processor, and what those answer
// that do not wait. The rest of a bus error is cl_ipc_port's.
module cl_ipc_accesses_formal
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
#(
  parameter int unsigned Cpus     = 3,
  parameter int unsigned Mutexes  = 3,
  parameter int unsigned Barriers = 3
) (
  input logic               clk_i,
  input logic               rst_ni,
  input access_t [Cpus-1:0] access_i
);

  reply_t [Cpus-1:0] mailbox, doorbell, channel, mutex, barrier;
  logic   [Cpus-1:0] doorbell_irq, channel_irq;

  cl_mailbox #(.Cpus(Cpus), .Depth(2)) u_mailbox (.clk_i, .rst_ni, .access_i, .reply_o(mailbox));
  cl_doorbell #(.Cpus(Cpus)) u_doorbell (.clk_i, .rst_ni, .access_i, .reply_o(doorbell), .irq_o(doorbell_irq));
  cl_channel #(.Cpus(Cpus)) u_channel (.clk_i, .rst_ni, .access_i, .reply_o(channel), .irq_o(channel_irq));
  cl_mutex #(.Cpus(Cpus), .Mutexes(Mutexes)) u_mutex (.clk_i, .rst_ni, .access_i, .reply_o(mutex));
  cl_barrier #(.Cpus(Cpus), .Barriers(Barriers)) u_barrier (.clk_i, .rst_ni, .access_i, .reply_o(barrier));

  typedef struct packed {
    logic mailbox, doorbell, channel, mutex, barrier;
  } units_t;

  // The unit of an access of processor p, by the reference of the port; none: it is a bus error.
  function automatic units_t unit_of(access_t a, int unsigned p);
    logic other, none, wire_of_other;
    other         = 32'(a.index) < Cpus && 32'(a.index) != p;
    none          = a.index == 0;
    wire_of_other = a.index < 64 && 32'(a.index[3:0]) < Cpus && 32'(a.index[3:0]) != p;
    unit_of       = '0;
    if (a.valid) begin
      unique case (a.op)
        OpMailboxPut: unit_of.mailbox = a.we && !none && 32'(a.index) < 32'd1 << Cpus && !a.index[p];
        OpMailboxClearSent, OpMailboxResetSent,
        OpMailboxClearReceived, OpMailboxResetReceived: unit_of.mailbox = a.we && other;
        OpMailboxRoom, OpMailboxSent, OpMailboxGet,
        OpMailboxLevel, OpMailboxReceived: unit_of.mailbox = !a.we && other;
        OpMailboxAny: unit_of.mailbox = !a.we && none;
        OpResetEnd: unit_of.mailbox = a.we && none;
        OpDoorbellRing: unit_of.doorbell = a.we && !none && 32'(a.index) < 32'd1 << Cpus;
        OpDoorbellTake: unit_of.doorbell = !a.we && !none;
        OpDoorbellPending, OpDoorbellOverrun: unit_of.doorbell = !a.we && none;
        OpDoorbellEnable: unit_of.doorbell = none;
        OpChannelReq, OpChannelAck: unit_of.channel = a.we && other;
        OpChannelRead: unit_of.channel = !a.we && other;
        OpChannelWait: unit_of.channel = !a.we && wire_of_other;
        OpChannelEnable: unit_of.channel = none;
        OpMutexLock, OpMutexUnlock: unit_of.mutex = !a.we && 32'(a.index) < Mutexes;
        OpMutexWord: unit_of.mutex = 32'(a.index) < Mutexes;
        OpBarrierMembers: unit_of.barrier = 32'(a.index) < Barriers && (!a.we || 32'(a.wdata[7:0]) < 32'd1 << Cpus);
        OpBarrierArrive: unit_of.barrier = !a.we && 32'(a.index) < Barriers;
        default: ;
      endcase
    end
  endfunction

  function automatic logic waits(op_e op);
    return op inside {OpMailboxPut, OpMailboxRoom, OpMailboxGet, OpMailboxLevel, OpMailboxAny, OpDoorbellTake,
                      OpChannelWait, OpMutexLock, OpBarrierArrive};
  endfunction

  units_t [Cpus-1:0] knows;
  reply_t [Cpus-1:0] all;    // as cl_ipc has it

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      knows[p] = unit_of(access_i[p], p);
      all[p]   = mailbox[p] | doorbell[p] | channel[p] | mutex[p] | barrier[p];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      // REQ-access-1: each access has the unit of its operation, if it is legal, and no other unit.
      assert ({mailbox[p].hit, doorbell[p].hit, channel[p].hit, mutex[p].hit, barrier[p].hit} == knows[p]);
      // REQ-access-2: what does not wait is done at once, and a store answers 0.
      if (knows[p] != '0 && !waits(access_i[p].op)) assert (all[p].ready);
      if (knows[p] != '0 && access_i[p].we) assert (all[p].rdata == '0);
      // REQ-access-3: loads of bells, wires and their enables.
      if (doorbell[p].hit && !access_i[p].we) begin
        if (access_i[p].op == OpDoorbellPending) assert (all[p].rdata == 32'(u_doorbell.bells_q[p]));
        if (access_i[p].op == OpDoorbellOverrun) assert (all[p].rdata == 32'(u_doorbell.overrun_q[p]));
        if (access_i[p].op == OpDoorbellEnable)  assert (all[p].rdata == 32'(u_doorbell.enable_q[p]));
      end
      if (channel[p].hit && !access_i[p].we) begin
        if (access_i[p].op == OpChannelEnable)
          assert (all[p].rdata == {16'd0, u_channel.ack_enable_q[p], u_channel.req_enable_q[p]});
        for (int unsigned o = 0; o < Cpus; o++) begin
          if (access_i[p].op == OpChannelRead && access_i[p].index == 8'(o))
            assert (all[p].rdata == {28'd0, u_channel.ack_q[p][o], u_channel.req_q[p][o], u_channel.ack_q[o][p],
                                     u_channel.req_q[o][p]});
        end
      end
    end
    CoverEach: cover (mailbox[0].hit && doorbell[1].hit && channel[2].hit);
    CoverMore: cover (mutex[0].hit && barrier[1].hit && knows[2] == '0 && access_i[2].valid);
  end

endmodule
