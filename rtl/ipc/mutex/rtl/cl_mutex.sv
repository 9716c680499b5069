// SPDX-License-Identifier: Apache-2.0
// Mutexes with their owner in the word, as soft-core vendors have them, and with a lock that waits.
//
// A mutex is a register {owner, value}; value 0 means free. A mutex that is freed goes in the same cycle to one that
// wants it: the next after its last owner, round and round. So a free mutex is never waited for, and nobody waits
// longer than every other processor has it once.
module cl_mutex
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
#(
  parameter int unsigned Cpus    = 2,  // 1..8
  parameter int unsigned Mutexes = 16  // 1..64
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  access_t [Cpus-1:0] access_i,
  output reply_t  [Cpus-1:0] reply_o
);

  localparam int unsigned CpuBits   = Cpus > 1 ? $clog2(Cpus) : 1;
  localparam int unsigned MutexBits = Mutexes > 1 ? $clog2(Mutexes) : 1;

  typedef logic [CpuBits-1:0]               cpu_t;
  typedef logic [MutexRegisterValueWidth-1:0] value_t;

  value_t [Mutexes-1:0] value_q, value_d;
  cpu_t   [Mutexes-1:0] owner_q, owner_d;    // who wrote last
  logic   [Mutexes-1:0] orphan_q, orphan_d;  // a reset freed it, and no mutex_lock has told anybody yet

  // What a processor executes, and the mutex it names
  logic   [Cpus-1:0]    lock, unlock, store, load, reset, legal;
  value_t [Cpus-1:0]    word, value;
  cpu_t   [Cpus-1:0]    owner;
  logic   [Cpus-1:0]    held, own, orphan;

  logic   [Cpus-1:0]    freed;               // its holder frees it in this cycle
  logic   [Cpus-1:0]    abandoned;           // and does so by its reset
  logic   [Cpus-1:0]    want, win;           // wants to have it from this cycle on, and gets it

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      legal[p]  = access_i[p].valid && 32'(access_i[p].index) < Mutexes;
      lock[p]   = legal[p] && access_i[p].op == OpMutexLock && !access_i[p].we;
      unlock[p] = legal[p] && access_i[p].op == OpMutexUnlock && !access_i[p].we;
      store[p]  = legal[p] && access_i[p].op == OpMutexWord && access_i[p].we;
      load[p]   = legal[p] && access_i[p].op == OpMutexWord && !access_i[p].we;
      reset[p]  = access_i[p].valid && access_i[p].op == OpResetEnd && access_i[p].we &&
                  access_i[p].index == '0;
      word[p]   = access_i[p].wdata[MutexRegisterValueLsb+:MutexRegisterValueWidth];
      value[p]  = '0;
      owner[p]  = '0;
      orphan[p] = 1'b0;
      for (int unsigned m = 0; m < Mutexes; m++) begin
        if (access_i[p].index[MutexBits-1:0] == MutexBits'(m)) begin
          value[p]  = value_q[m];
          owner[p]  = owner_q[m];
          orphan[p] = orphan_q[m];
        end
      end
      held[p] = value[p] != '0;
      own[p]  = held[p] && owner[p] == cpu_t'(p);
      want[p] = !own[p] && (lock[p] || (store[p] && word[p] != '0));
    end
  end

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      freed[p]     = 1'b0;
      abandoned[p] = 1'b0;
      for (int unsigned o = 0; o < Cpus; o++) begin
        if (held[p] && owner[p] == cpu_t'(o)) begin
          abandoned[p] = reset[o];
          freed[p]     = reset[o] ||
                         ((unlock[o] || (store[o] && word[o] == '0)) && access_i[o].index == access_i[p].index);
        end
      end
      win[p] = want[p] && (!held[p] || freed[p]);
      // Ahead of p: those after the last owner before those up to it, and of both the lower first
      for (int unsigned o = 0; o < Cpus; o++) begin
        if (o != p && want[o] && access_i[o].index == access_i[p].index &&
            ((cpu_t'(o) > owner[p]) == (cpu_t'(p) > owner[p]) ? o < p : cpu_t'(o) > owner[p])) begin
          win[p] = 1'b0;
        end
      end
    end
  end

  always_comb begin
    value_d  = value_q;
    owner_d  = owner_q;
    orphan_d = orphan_q;
    for (int unsigned m = 0; m < Mutexes; m++) begin
      for (int unsigned p = 0; p < Cpus; p++) begin
        if (reset[p] && value_q[m] != '0 && owner_q[m] == cpu_t'(p)) begin
          value_d[m]  = '0;
          orphan_d[m] = 1'b1;
        end
        if (access_i[p].index == 8'(m)) begin
          if (unlock[p] && own[p]) value_d[m] = '0;
          if (store[p] && own[p]) value_d[m] = word[p];
          if (store[p] && !held[p]) owner_d[m] = cpu_t'(p);
        end
      end
      for (int unsigned p = 0; p < Cpus; p++) begin
        if (win[p] && access_i[p].index == 8'(m)) begin
          value_d[m] = lock[p] ? value_t'(1) : word[p];
          owner_d[m] = cpu_t'(p);
          if (lock[p]) orphan_d[m] = 1'b0;
        end
      end
    end
  end

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      reply_o[p]       = '0;
      reply_o[p].mine  = lock[p] | unlock[p] | store[p] | load[p];
      reply_o[p].ready = lock[p] ? own[p] | win[p] : reply_o[p].mine;
      if (load[p]) begin
        reply_o[p].rdata[MutexRegisterValueLsb+:MutexRegisterValueWidth] = value[p];
        reply_o[p].rdata[MutexRegisterOwnerLsb+:MutexRegisterOwnerWidth] = MutexRegisterOwnerWidth'(owner[p]);
      end
      if (unlock[p] && !own[p]) reply_o[p].rdata = result(ErrorOwner, '0);
      if (lock[p]) begin
        if (own[p]) begin
          reply_o[p].rdata = result(ErrorDeadlock, '0);
        end else if (win[p]) begin
          reply_o[p].rdata[MutexValueOwnerLsb+:MutexValueOwnerWidth]   = MutexValueOwnerWidth'(p);
          reply_o[p].rdata[MutexValueOrphanLsb+:MutexValueOrphanWidth] = orphan[p] | abandoned[p];
        end else begin
          reply_o[p].rdata = result(access_i[p].code, '0);
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      value_q  <= '0;
      owner_q  <= '0;
      orphan_q <= '0;
    end else begin
      value_q  <= value_d;
      owner_q  <= owner_d;
      orphan_q <= orphan_d;
    end
  end

endmodule
