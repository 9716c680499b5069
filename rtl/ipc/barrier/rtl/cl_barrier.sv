// SPDX-License-Identifier: Apache-2.0
// Processors that wait for one another: all members of a barrier go on in the cycle in which the last one arrives.
//
// Nothing remembers who has arrived: who waits is here, who gave up is not. So no phase is lost or counted twice.
// Who meets is judged by the register; a store to it counts from the next cycle on.
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
  set_t [Barriers-1:0] at;        // who names the barrier
  set_t [Barriers-1:0] here;      // who waits there
  logic [Barriers-1:0] broken;    // by a member's reset, at the latest in this cycle
  logic [Barriers-1:0] open;      // all members are here

  always_comb begin
    at = '0;
    for (int unsigned p = 0; p < Cpus; p++) begin
      for (int unsigned b = 0; b < Barriers; b++) at[b][p] = access_i[p].index == 8'(b);
      arrive[p] = access_i[p].valid && access_i[p].op == OpBarrierArrive && !access_i[p].we;
      read[p]   = access_i[p].valid && access_i[p].op == OpBarrierMembers && !access_i[p].we;
      // Who is not there never arrives, so nobody may wait for it.
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
          reply_o[p].mine  = 1'b1;
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

endmodule
