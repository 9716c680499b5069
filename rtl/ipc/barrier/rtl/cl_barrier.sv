// SPDX-License-Identifier: Apache-2.0
// Barriers: all members of a barrier continue in the cycle in which the last one arrives.
//
// Arrivals are not stored: a processor is present only while it waits. So no phase is lost or counted twice.
// The members are those in the register; a store to it takes effect in the next cycle.
module cl_barrier
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
#(
  parameter int unsigned Cpus     = 2,  // 1..8
  parameter int unsigned Barriers = 4   // 1..16
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  access_t [Cpus-1:0] access_i,
  output reply_t  [Cpus-1:0] reply_o
);

  localparam logic [7:0] All = 8'((32'd1 << Cpus) - 1);

  typedef logic [Cpus-1:0] set_t;

  set_t [Barriers-1:0] members_q, members_d;
  logic [Barriers-1:0] broken_q, broken_d;

  set_t                arrive, read, write, reset;
  set_t [Barriers-1:0] at;        // processors that address the barrier
  set_t [Barriers-1:0] here;      // processors that wait there
  logic [Barriers-1:0] broken;    // by a member's reset, including one in this cycle
  logic [Barriers-1:0] open;      // all members are here

  always_comb begin
    at = '0;
    for (int unsigned p = 0; p < Cpus; p++) begin
      for (int unsigned b = 0; b < Barriers; b++) at[b][p] = access_i[p].index == 8'(b);
      arrive[p] = access_i[p].valid && access_i[p].op == OpBarrierArrive && !access_i[p].we;
      read[p]   = access_i[p].valid && access_i[p].op == OpBarrierMembers && !access_i[p].we;
      // A processor that does not exist never arrives, so it cannot be a member.
      write[p]  = access_i[p].valid && access_i[p].op == OpBarrierMembers && access_i[p].we &&
                  (access_i[p].wdata[MembersWordMembersLsb+:MembersWordMembersWidth] & ~All) == '0;
      reset[p]  = access_i[p].valid && access_i[p].op == OpResetEnd && access_i[p].we &&
                  access_i[p].index == '0;
    end
  end

  always_comb begin
    members_d = members_q;
    for (int unsigned b = 0; b < Barriers; b++) begin
      here[b]     = arrive & at[b];
      broken[b]   = broken_q[b] | ((members_q[b] & reset) != '0);
      open[b]     = (members_q[b] & ~here[b]) == '0;
      broken_d[b] = broken[b];
      for (int unsigned p = 0; p < Cpus; p++) begin
        if (write[p] && at[b][p]) begin
          members_d[b] = access_i[p].wdata[MembersWordMembersLsb+:Cpus];
          broken_d[b]  = 1'b0;
        end
      end
    end
  end

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      reply_o[p] = '0;
      for (int unsigned b = 0; b < Barriers; b++) begin
        if (at[b][p] && (arrive[p] || read[p] || write[p])) begin
          reply_o[p].hit   = 1'b1;
          reply_o[p].ready = 1'b1;
          if (read[p]) begin
            reply_o[p].rdata[MembersWordMembersLsb+:Cpus]                  = members_q[b];
            reply_o[p].rdata[MembersWordBrokenLsb+:MembersWordBrokenWidth] = broken_q[b];
          end
          if (arrive[p]) begin
            if (!members_q[b][p]) begin
              reply_o[p].rdata = result(ErrorOwner, '0);
            end else if (broken[b]) begin
              reply_o[p].rdata = result(ErrorReset, '0);
            end else if (!open[b]) begin
              reply_o[p].ready = 1'b0;
              reply_o[p].rdata = result(access_i[p].code, '0);
            end
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      members_q <= '0;
      broken_q  <= '0;
    end else begin
      members_q <= members_d;
      broken_q  <= broken_d;
    end
  end

`ifdef FORMAL
  // The registers are checked a cycle later, against the answers at the ports.
  set_t [Barriers-1:0] came, went, refused, ended;  // present; continuing; not a member; ended by a reset
  set_t [Barriers-1:0] members_past_q;
  logic [Barriers-1:0] broken_past_q, breaks;
  logic [Cpus-1:0]     anew;
  // Phases that each has completed since the members were written, modulo 4
  logic [Barriers-1:0][Cpus-1:0][1:0] phase_q;

  always_comb begin
    came    = '0;
    went    = '0;
    refused = '0;
    ended   = '0;
    for (int unsigned p = 0; p < Cpus; p++) begin
      anew[p] = access_i[p].valid && access_i[p].op == OpResetEnd && access_i[p].we && access_i[p].index == '0;
      for (int unsigned b = 0; b < Barriers; b++) begin
        if (access_i[p].valid && access_i[p].op == OpBarrierArrive && !access_i[p].we &&
            access_i[p].index == 8'(b)) begin
          came[b][p]    = 1'b1;
          went[b][p]    = reply_o[p] == {2'b11, ErrorOk, 28'd0};
          refused[b][p] = reply_o[p] == {2'b11, ErrorOwner, 28'd0};
          ended[b][p]   = reply_o[p] == {2'b11, ErrorReset, 28'd0};
        end
      end
    end
    for (int unsigned b = 0; b < Barriers; b++) breaks[b] = (members_q[b] & anew) != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      members_past_q <= '0;
      broken_past_q  <= '0;
      phase_q        <= '0;
    end else begin
      members_past_q <= members_q;
      broken_past_q  <= broken_q | breaks;
      for (int unsigned b = 0; b < Barriers; b++) begin
        for (int unsigned p = 0; p < Cpus; p++) phase_q[b][p] <= phase_q[b][p] + 2'(went[b][p]);
        for (int unsigned p = 0; p < Cpus; p++) begin
          if (reply_o[p].hit && access_i[p].op == OpBarrierMembers && access_i[p].we &&
              access_i[p].index == 8'(b)) begin
            members_past_q[b] <= access_i[p].wdata[Cpus-1:0];
            broken_past_q[b]  <= 1'b0;
            phase_q[b]        <= '0;
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < Barriers; b++) begin
      // REQ-barrier-1: all or none, in one cycle.
      assert (went[b] == '0 || went[b] == members_q[b]);
      // REQ-barrier-2: they continue in the cycle in which all are present, and not before.
      assert ((went[b] != '0) == (members_q[b] != '0 && (members_q[b] & ~came[b]) == '0 && !broken_q[b] && !breaks[b]));
      // REQ-barrier-3: a non-member is refused at once; a reset ends the wait of all members at once.
      assert (refused[b] == (came[b] & ~members_q[b]));
      assert (ended[b] == (broken_q[b] || breaks[b] ? came[b] & members_q[b] : '0));
      // REQ-barrier-4: the members are those stored last; it is broken from a member's reset until the next store.
      assert (members_q[b] == members_past_q[b] && broken_q[b] == broken_past_q[b]);
      // REQ-barrier-5: no phase is lost or doubled: all members have completed equally many.
      for (int unsigned p = 0; p < Cpus; p++) begin
        for (int unsigned o = 0; o < Cpus; o++) begin
          if (members_q[b][p] && members_q[b][o]) assert (phase_q[b][p] == phase_q[b][o]);
        end
        // REQ-barrier-6: a processor that gives up gets the reason.
        if (came[b][p] && !reply_o[p].ready) assert (reply_o[p].rdata == {access_i[p].code, 28'd0});
      end
    end
    // REQ-barrier-7: no reply to other units' operations.
    for (int unsigned p = 0; p < Cpus; p++) begin
      if (!access_i[p].valid || !reply_o[p].hit) assert (reply_o[p] == '0);
    end
  end
`endif

endmodule
