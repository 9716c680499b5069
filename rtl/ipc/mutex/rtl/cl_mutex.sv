// SPDX-License-Identifier: Apache-2.0
// Mutexes as {owner, value} registers, as in soft-core vendors' IP, with an additional blocking lock.
//
// Value 0 means free. A mutex that is freed goes to a requester in the same cycle, round-robin after its last owner. So
// no processor waits for a free mutex, and each waits for at most one turn of every other processor.
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

  typedef logic [Cpus-1:0]                    set_t;
  typedef logic [CpuBits-1:0]                 cpu_t;
  typedef logic [MutexBits-1:0]               mutex_t;
  typedef logic [MutexRegisterValueWidth-1:0] value_t;

  value_t [Mutexes-1:0] value_q;
  logic   [Mutexes-1:0] held_q;     // value is not 0
  cpu_t   [Mutexes-1:0] owner_q;    // the processor that wrote last
  logic   [Mutexes-1:0] orphan_q;   // a reset freed it, and no mutex_lock has returned that yet

  // The operation of each processor, and its mutex
  set_t              lock, unlock, store, load, reset, legal, zero;
  value_t [Cpus-1:0] word;
  cpu_t   [Cpus-1:0] owner;
  set_t              held, own, orphan;
  set_t   [Cpus-1:0] same;                 // names the same one
  mutex_t [Cpus-1:0] at;                   // which one, if it is there

  set_t              releases;             // frees its mutex, if it holds it
  set_t              freed;                // its holder frees it in this cycle
  set_t              abandoned;            // and does so by its reset
  set_t              want, win;            // wants to have it from this cycle on, and gets it

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      at[p]     = access_i[p].index[MutexBits-1:0];
      held[p]   = held_q[at[p]];
      owner[p]  = owner_q[at[p]];
      orphan[p] = orphan_q[at[p]];
      for (int unsigned o = 0; o < Cpus; o++) same[p][o] = access_i[p].index == access_i[o].index;
      legal[p]    = access_i[p].valid && 32'(access_i[p].index) < Mutexes;
      lock[p]     = legal[p] && access_i[p].op == OpMutexLock && !access_i[p].we;
      unlock[p]   = legal[p] && access_i[p].op == OpMutexUnlock && !access_i[p].we;
      store[p]    = legal[p] && access_i[p].op == OpMutexWord && access_i[p].we;
      load[p]     = legal[p] && access_i[p].op == OpMutexWord && !access_i[p].we;
      reset[p]    = access_i[p].valid && access_i[p].op == OpResetEnd && access_i[p].we &&
                    access_i[p].index == '0;
      word[p]     = access_i[p].wdata[MutexRegisterValueLsb+:MutexRegisterValueWidth];
      zero[p]     = word[p] == '0;
      releases[p] = unlock[p] || (store[p] && zero[p]);
      own[p]      = held[p] && owner[p] == cpu_t'(p);
      want[p]     = !own[p] && (lock[p] || (store[p] && !zero[p]));
    end
  end

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      freed[p]     = 1'b0;
      abandoned[p] = 1'b0;
      win[p]       = 1'b0;
      if (want[p]) begin
        if (held[p]) begin
          abandoned[p] = reset[owner[p]];
          freed[p]     = reset[owner[p]] | (releases[owner[p]] & same[p][owner[p]]);
        end
        win[p] = !held[p] | freed[p];
        // Ahead of p: first the processors after the last owner, then those up to it, each in rising order
        for (int unsigned o = 0; o < Cpus; o++) begin
          if (o != p && want[o] && same[p][o] &&
              ((cpu_t'(o) > owner[p]) == (cpu_t'(p) > owner[p]) ? o < p : cpu_t'(o) > owner[p])) begin
            win[p] = 1'b0;
          end
        end
      end
    end
  end

  set_t change, drop;                      // gives the one that it names another value; makes it 0

  assign change = win | (own & store & ~zero);
  assign drop   = own & releases;

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      reply_o[p]       = '0;
      reply_o[p].hit   = lock[p] | unlock[p] | store[p] | load[p];
      reply_o[p].ready = lock[p] ? own[p] | win[p] : reply_o[p].hit;
      if (load[p]) begin
        reply_o[p].rdata[MutexRegisterValueLsb+:MutexRegisterValueWidth] = value_q[at[p]];
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

  // For one mutex: its owner acts, or another processor gets it, or both when it is handed over. Later assignments win.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      value_q  <= '0;
      held_q   <= '0;
      owner_q  <= '0;
      orphan_q <= '0;
    end else begin
      if (reset != '0) begin
        for (int unsigned m = 0; m < Mutexes; m++) begin
          if (held_q[m] && reset[owner_q[m]]) begin
            value_q[m]  <= '0;
            held_q[m]   <= 1'b0;
            orphan_q[m] <= 1'b1;
          end
        end
      end
      for (int unsigned p = 0; p < Cpus; p++) begin
        if (drop[p]) begin
          value_q[at[p]] <= '0;
          held_q[at[p]]  <= 1'b0;
        end
        if (store[p] && !held[p]) owner_q[at[p]] <= cpu_t'(p);
      end
      for (int unsigned p = 0; p < Cpus; p++) begin
        if (change[p]) begin
          value_q[at[p]] <= lock[p] ? value_t'(1) : word[p];
          held_q[at[p]]  <= 1'b1;
        end
        if (win[p]) begin
          owner_q[at[p]] <= cpu_t'(p);
          if (lock[p]) orphan_q[at[p]] <= 1'b0;
        end
      end
    end
  end

`ifdef FORMAL
  // For each mutex: the registers are checked a cycle later, against the answers at the ports.
  set_t [Mutexes-1:0]   locks, waits, frees, waits_past_q;  // processors that lock it, wait for it, free it
  logic [Mutexes-1:0]   busy, abandons;
  logic [Mutexes-1:0]   locked_past_q, freed_past_q, busy_past_q, orphan_past_q, mine_past_q, other_past_q;
  cpu_t [Mutexes-1:0]   by, by_past_q, owner_past_q;
  value_t [Mutexes-1:0] value_past_q, stored_past_q;

  // How many turns p may have to wait after o's
  function automatic int unsigned turns(input int unsigned o, input int unsigned p);
    return p > o ? p - o : p + Cpus - o;
  endfunction

  always_comb begin
    for (int unsigned m = 0; m < Mutexes; m++) begin
      busy[m]     = value_q[m] != '0;
      locks[m]    = '0;
      waits[m]    = '0;
      frees[m]    = '0;
      abandons[m] = 1'b0;
      by[m]       = '0;
      for (int unsigned p = 0; p < Cpus; p++) begin
        if (access_i[p].valid && access_i[p].index == 8'(m) && access_i[p].op == OpMutexLock && !access_i[p].we) begin
          waits[m][p] = !reply_o[p].ready;
          locks[m][p] = reply_o[p].ready && reply_o[p].rdata[31:28] == ErrorOk;
          if (locks[m][p]) by[m] = cpu_t'(p);
        end
        if (access_i[p].valid && access_i[p].index == 8'(m) && busy[m] && owner_q[m] == cpu_t'(p) &&
            (access_i[p].op == OpMutexUnlock && !access_i[p].we ||
             access_i[p].op == OpMutexWord && access_i[p].we && access_i[p].wdata[15:0] == '0)) begin
          frees[m][p] = 1'b1;
        end
        if (access_i[p].valid && access_i[p].op == OpResetEnd && access_i[p].we && access_i[p].index == '0 &&
            busy[m] && owner_q[m] == cpu_t'(p)) begin
          frees[m][p] = 1'b1;
          abandons[m] = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_past_q  <= '0;
      locked_past_q <= '0;
      freed_past_q  <= '0;
      busy_past_q   <= '0;
      orphan_past_q <= '0;
      mine_past_q   <= '0;
      other_past_q  <= '0;
      by_past_q     <= '0;
      owner_past_q  <= '0;
      value_past_q  <= '0;
      stored_past_q <= '0;
    end else begin
      waits_past_q <= waits;
      by_past_q    <= by;
      owner_past_q <= owner_q;
      value_past_q <= value_q;
      busy_past_q  <= busy;
      for (int unsigned m = 0; m < Mutexes; m++) begin
        locked_past_q[m] <= locks[m] != '0;
        freed_past_q[m]  <= frees[m] != '0;
        orphan_past_q[m] <= (orphan_q[m] | abandons[m]) & ~(locks[m] != '0);
        mine_past_q[m]   <= 1'b0;  // its owner stored
        other_past_q[m]  <= 1'b0;  // another one stored
        for (int unsigned p = 0; p < Cpus; p++) begin
          if (access_i[p].valid && access_i[p].index == 8'(m) && access_i[p].op == OpMutexWord && access_i[p].we) begin
            if (busy[m] && owner_q[m] == cpu_t'(p)) begin
              mine_past_q[m]   <= 1'b1;
              stored_past_q[m] <= access_i[p].wdata[15:0];
            end else begin
              other_past_q[m] <= 1'b1;
            end
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned m = 0; m < Mutexes; m++) begin
      // REQ-mutex-1: exclusion. At most one processor locks it, and only if it is free or its owner frees it.
      assert ((locks[m] & (locks[m] - set_t'(1))) == '0);
      if (locks[m] != '0) assert (!busy[m] || frees[m] != '0);
if (locked_past_q[m]) assert (owner_q[m] == by_past_q[m] && value_q[m] == value_t'(1));
      // REQ-mutex-3: a held mutex changes only by its owner, whatever the others do.
      if (busy_past_q[m] && !freed_past_q[m]) begin
        assert (owner_q[m] == owner_past_q[m]);
        assert (value_q[m] == (mine_past_q[m] ? stored_past_q[m] : value_past_q[m]));
      end
      // A mutex that is freed, and neither locked nor stored to, is free.
      if (freed_past_q[m] && !locked_past_q[m] && !other_past_q[m]) assert (!busy[m]);
      // Nobody stored, nobody locked: a free one stays so.
      if (!busy_past_q[m] && !locked_past_q[m] && !other_past_q[m]) begin
        assert (!busy[m] && owner_q[m] == owner_past_q[m]);
      end
      for (int unsigned p = 0; p < Cpus; p++) begin
        if (waits_past_q[m][p]) begin
          // REQ-mutex-4: no processor waits a cycle for a free mutex.
          assert (busy[m] && owner_q[m] != cpu_t'(p));
          // REQ-mutex-5: each turn of another processor brings its own nearer, so at most Cpus - 1 come first.
          if (freed_past_q[m] || !busy_past_q[m]) begin
            assert (turns(32'(owner_q[m]), p) < turns(32'(owner_past_q[m]), p));
          end
        end
      end
      // REQ-mutex-6: the orphan flag is exact.
      assert (orphan_q[m] == orphan_past_q[m]);
      for (int unsigned p = 0; p < Cpus; p++) begin
        if (locks[m][p]) begin
          assert (reply_o[p].rdata == {23'd0, orphan_q[m] | abandons[m], 8'(p)});
        end
        // REQ-mutex-7: the word is the register.
        if (access_i[p].valid && access_i[p].index == 8'(m) && access_i[p].op == OpMutexWord && !access_i[p].we) begin
          assert (reply_o[p] == {2'b11, 16'(owner_q[m]), value_q[m]});
        end
        // REQ-mutex-8: unlock is refused to others; a second lock is a deadlock, at once.
        if (access_i[p].valid && access_i[p].index == 8'(m) && !access_i[p].we && access_i[p].op == OpMutexUnlock) begin
          assert (reply_o[p] == {2'b11, busy[m] && owner_q[m] == cpu_t'(p) ? ErrorOk : ErrorOwner, 28'd0});
        end
        if (access_i[p].valid && access_i[p].index == 8'(m) && !access_i[p].we && access_i[p].op == OpMutexLock &&
            busy[m] && owner_q[m] == cpu_t'(p)) begin
          assert (reply_o[p] == {2'b11, ErrorDeadlock, 28'd0});
        end
        if (waits[m][p]) assert (reply_o[p].rdata == {access_i[p].code, 28'd0});
      end
      assert (32'(owner_q[m]) < Cpus);
      assert (held_q[m] == busy[m]);
    end
    // REQ-mutex-9: no reply to other units' operations.
    for (int unsigned p = 0; p < Cpus; p++) begin
      if (!access_i[p].valid || !reply_o[p].hit) assert (reply_o[p] == '0);
    end
  end
`endif

endmodule
