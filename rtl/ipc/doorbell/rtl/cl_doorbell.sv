// SPDX-License-Identifier: Apache-2.0
// Eight latched bells a processor: anybody rings them, their owner takes them, waits for them or is interrupted.
//
// What happens in one cycle happens in this order: processors begin anew, bells that ring already are taken, bells
// are rung, takes that found nothing look again. So a ring ends a waiting take in the same cycle, and the ring of a
// bell that is just taken rings anew.
module cl_doorbell
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
#(
  parameter int unsigned Cpus = 2  // 1..8
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  access_t [Cpus-1:0] access_i,
  output reply_t  [Cpus-1:0] reply_o,
  output logic    [Cpus-1:0] irq_o      // a bell that is enabled rings
);

  localparam logic [7:0] All = 8'((32'd1 << Cpus) - 1);

  typedef logic [Bells-1:0] bells_t;

  bells_t [Cpus-1:0] bells_q, bells_d, overrun_q, overrun_d, enable_q, enable_d;
  bells_t [Cpus-1:0] rung, again;   // rung in this cycle, and by more than one
  bells_t [Cpus-1:0] offered;       // what a take gets, of its set
  bells_t [Cpus-1:0] kept;          // what still rings when the rings of this cycle come
  logic   [Cpus-1:0] ring, take, found;

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      ring[p]  = access_i[p].valid && access_i[p].op == OpDoorbellRing && access_i[p].we &&
                 access_i[p].index != '0 && (access_i[p].index & ~All) == '0;
      take[p]  = access_i[p].valid && access_i[p].op == OpDoorbellTake && !access_i[p].we &&
                 access_i[p].index != '0;
      found[p] = (bells_q[p] & access_i[p].index) != '0;
    end
  end

  always_comb begin
    rung  = '0;
    again = '0;
    for (int unsigned p = 0; p < Cpus; p++) begin
      for (int unsigned r = 0; r < Cpus; r++) begin
        if (ring[r] && access_i[r].index[p]) begin
          again[p] |= rung[p] & access_i[r].wdata[Bells-1:0];
          rung[p]  |= access_i[r].wdata[Bells-1:0];
        end
      end
    end
  end

  always_comb begin
    overrun_d = overrun_q;
    enable_d  = enable_q;
    for (int unsigned p = 0; p < Cpus; p++) begin
      offered[p] = (found[p] ? bells_q[p] : rung[p]) & access_i[p].index;
      kept[p]    = take[p] ? bells_q[p] & ~access_i[p].index : bells_q[p];
      reply_o[p] = '0;
      if (access_i[p].valid) begin
        unique case (access_i[p].op)
          OpDoorbellRing: begin
            reply_o[p].mine  = ring[p];
            reply_o[p].ready = ring[p];
          end
          OpDoorbellTake: if (take[p]) begin
            reply_o[p].mine  = 1'b1;
            reply_o[p].ready = offered[p] != '0;
            reply_o[p].rdata = offered[p] != '0 ? result(ErrorOk, WordValueWidth'(offered[p]))
                                                : result(access_i[p].code, '0);
          end
          OpDoorbellPending: if (!access_i[p].we && access_i[p].index == '0) begin
            reply_o[p] = '{mine: 1'b1, ready: 1'b1, rdata: 32'(bells_q[p])};
          end
          OpDoorbellOverrun: if (!access_i[p].we && access_i[p].index == '0) begin
            reply_o[p]   = '{mine: 1'b1, ready: 1'b1, rdata: 32'(overrun_q[p])};
            overrun_d[p] = '0;
          end
          OpDoorbellEnable: if (access_i[p].index == '0) begin
            reply_o[p] = '{mine: 1'b1, ready: 1'b1, rdata: access_i[p].we ? '0 : 32'(enable_q[p])};
            if (access_i[p].we) enable_d[p] = access_i[p].wdata[Bells-1:0];
          end
          OpResetEnd: if (access_i[p].we && access_i[p].index == '0) begin
            kept[p]      = '0;
            overrun_d[p] = '0;
            enable_d[p]  = '0;
          end
          default: ;
        endcase
      end
      bells_d[p]   = kept[p] | (take[p] && !found[p] ? rung[p] & ~access_i[p].index : rung[p]);
      overrun_d[p] = overrun_d[p] | (rung[p] & kept[p]) | again[p];
      irq_o[p]     = (bells_q[p] & enable_q[p]) != '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bells_q   <= '0;
      overrun_q <= '0;
      enable_q  <= '0;
    end else begin
      bells_q   <= bells_d;
      overrun_q <= overrun_d;
      enable_q  <= enable_d;
    end
  end

endmodule
