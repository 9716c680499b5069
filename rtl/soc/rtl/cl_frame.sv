// SPDX-License-Identifier: Apache-2.0
// Stores the frame of an interrupted thread behind its core, which goes on with another bank of registers.
//
// It stands before cl_split, where it adds the words of the frame to the core's accesses, and behind it at the private
// port. A trap entry has no free register, so there the last 2 KiB of the addresses, which x0 reaches, have what it
// needs: again the kernel's operations without object (near_kernel) and the local device (near_local), and in the
// region `banks` three stores, each answered one cycle after its grant:
//   SAVE    from the next instruction on the core has the other bank. The frame is stored from the address in the data
//           on: word 0 what RESUME says, 4 to 31 the registers x1, x5, x6 to x31 of the bank that the core had, 32 the
//           pc of the trap, 33 the kernel port's WORD0. To the private port it is the load of WORD0, as PREEMPT may
//           change that. Waits until the last frame is stored.
//   BACK    the core has the bank again that it had before SAVE, and no more is stored.
//   RESUME  the first word of every frame.
//
// The kernel must not give the old thread to another processor before its frame is stored. So as long as one is being
// stored the kernel's SAVED, with which the next thread begins, is answered here and passed on behind the last word;
// other accesses to the kernel wait, but for PREEMPT before SAVED, which asks for the next thread.
//
// A word of the frame goes when the core asks for nothing or waits here, and a fetch is not likely, or when it has been
// refused for Patience cycles: at most Patience + 1 accesses of the core go before it.
module cl_frame
  import cl_kernel_pkg::*;
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter  int unsigned Patience = 15,
  localparam int unsigned PatienceWidth = $clog2(Patience + 1)
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // The core's accesses; one is outstanding
  input  logic        req_i,
  input  obi_req_t    cmd_i,
  output logic        gnt_o,
  output logic        rvalid_o,

  // To cl_split, those of the frame among them; one is outstanding
  output logic        req_o,
  output obi_req_t    cmd_o,
  input  logic        gnt_i,
  input  logic        rvalid_i,     // one cycle after the grant or later
  input  logic        fetch_i,      // a fetch had the bus port in the last cycle, or waits for it

  // From the private port of cl_split
  input  logic        priv_req_i,
  output logic        priv_gnt_o,
  output logic        priv_rvalid_o,
  output logic        priv_err_o,

  // To the private port of the processor; its data go to cl_split and come here, too
  output logic        priv_req_o,
  output obi_req_t    priv_cmd_o,
  input  logic        priv_gnt_i,
  input  logic        priv_rvalid_i,
  input  logic        priv_err_i,
  input  logic [31:0] priv_rdata_i,

  // The core: its bank, a register of the other one, and where the last trap came from
  output logic        bank_o,
  output logic  [4:0] addr_o,
  input  logic [31:0] data_i,
  input  logic [31:0] mepc_i
);

  localparam logic [5:0] Ra = 6'd4, Pc = 6'd32, Argument = 6'd33;   // words of a frame
  localparam logic [31:0] SavedAddress = KernelBase | (32'(OpSaved) << AddressOpLsb);
  localparam logic [31:0] Word0Address = KernelBase | (32'(OpWord0) << AddressOpLsb);

  // State
  logic        bank_q;
  logic [31:0] resume_q, pc_q, word0_q;
  logic        storing_q;      // words of a frame are left: the next is word_q, at address_q
  logic  [5:0] word_q;
  logic [29:0] address_q;
  logic        begun_q;        // the last cycle had SAVE: WORD0 comes
  logic        held_q;         // the core has stored to SAVED
  logic        here_q;         // a private access was granted here, and is answered in this cycle
  logic        waits_q;        // the core's access waits here
  logic        out_q, own_q;   // an access is outstanding; it is the frame's
  logic        shown_q, shown_own_q;   // a request was refused; it is the frame's
  logic [PatienceWidth-1:0] refused_q;

  // Arbitration; a request that has been shown stays until it is granted
  logic busy, own, granted, free, impatient;

  assign busy      = storing_q | held_q;
  assign free      = ~out_q | rvalid_i;
  assign impatient = 32'(refused_q) == Patience;

  always_comb begin
    if (shown_q) own = shown_own_q;
    else         own = busy & free & ((~fetch_i & (~req_i | waits_q)) | impatient);
  end

  assign req_o    = own | req_i;
  assign granted  = req_o & gnt_i;
  assign gnt_o    = gnt_i & req_i & ~own;
  assign rvalid_o = rvalid_i & ~own_q;

  always_comb begin
    cmd_o = cmd_i;
    if (own) begin
      cmd_o = '{we: 1'b1, be: '1, addr: storing_q ? {address_q, 2'b00} : SavedAddress, wdata: data_i};
      unique case (word_q)
        6'd0:     cmd_o.wdata = resume_q;
        Pc:       cmd_o.wdata = pc_q;
        Argument: cmd_o.wdata = word0_q;
        default: ;
      endcase
    end
  end

  assign bank_o = bank_q;
  assign addr_o = (word_q == Ra) ? 5'd1 : word_q[4:0];

  // The core's private accesses
  logic       word, banks, is_save, is_back, is_resume, is_kernel, is_saved, here, waits;
  logic [7:0] op;

  always_comb begin
    priv_cmd_o = cmd_o;
    if (is_save) begin
      priv_cmd_o.we   = 1'b0;
      priv_cmd_o.addr = Word0Address;
    end else if (cmd_o.addr[31:8] == NearKernelTop) begin
      priv_cmd_o.addr = KernelBase | (32'(cmd_o.addr[7:2]) << AddressOpLsb);
    end else if (cmd_o.addr[31:8] == NearLocalTop) begin
      priv_cmd_o.addr = {LocalTop, cmd_o.addr[7:0]};
    end
  end

  assign word      = cmd_o.we & (cmd_o.be == '1);
  assign banks     = word & (cmd_o.addr[31:4] == BanksTop);
  assign is_save   = banks & (8'(cmd_o.addr[3:0]) == BanksSave);
  assign is_back   = banks & (8'(cmd_o.addr[3:0]) == BanksBack);
  assign is_resume = banks & (8'(cmd_o.addr[3:0]) == BanksResume);
  assign is_kernel = (cmd_o.addr[31:20] == KernelTop) | (cmd_o.addr[31:8] == NearKernelTop);
  assign op        = (cmd_o.addr[31:20] == KernelTop) ? cmd_o.addr[AddressOpLsb +: AddressOpWidth] : 8'(cmd_o.addr[7:2]);
  assign is_saved  = is_kernel & word & (op == OpSaved);

  always_comb begin
    here  = 1'b0;
    waits = 1'b0;
    if (own) begin
      here = 1'b0;
    end else if (is_back) begin
      here  = ~held_q;
      waits = held_q;
    end else if (is_save || is_resume) begin
      here  = is_resume & ~busy;
      waits = busy;
    end else if (is_saved) begin
      here  = storing_q & ~held_q;
      waits = held_q;
    end else if (is_kernel) begin
      waits = held_q | (storing_q & (op != OpPreempt));
    end
  end

  assign priv_req_o    = priv_req_i & ~here & ~waits;
  assign priv_gnt_o    = priv_req_i & (here | (priv_gnt_i & ~waits));
  assign priv_rvalid_o = here_q | priv_rvalid_i;
  assign priv_err_o    = priv_err_i & ~here_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bank_q      <= 1'b0;
      resume_q    <= '0;
      pc_q        <= '0;
      word0_q     <= '0;
      storing_q   <= 1'b0;
      word_q      <= '0;
      address_q   <= '0;
      begun_q     <= 1'b0;
      held_q      <= 1'b0;
      here_q      <= 1'b0;
      waits_q     <= 1'b0;
      out_q       <= 1'b0;
      own_q       <= 1'b0;
      shown_q     <= 1'b0;
      shown_own_q <= 1'b0;
      refused_q   <= '0;
    end else begin
      here_q      <= priv_req_i & here;
      waits_q     <= own ? waits_q : (priv_req_i & waits);
      out_q       <= granted | (out_q & ~rvalid_i);
      // Behind an access without an answer, and here, a request waits unseen.
      shown_q     <= req_o & ~gnt_i & free & ~(priv_req_i & waits);
      shown_own_q <= own;
      if (granted) own_q <= own;

      if (granted && own) begin
        refused_q <= '0;
        if (storing_q) begin
          word_q    <= (word_q == '0) ? Ra : word_q + 6'd1;
          address_q <= address_q + ((word_q == '0) ? 30'(Ra) : 30'd1);
          storing_q <= word_q != Argument;
        end else begin
          held_q <= 1'b0;
        end
      end else if (busy && !impatient) begin
        refused_q <= refused_q + PatienceWidth'(1);
      end

      begun_q <= 1'b0;
      if (begun_q) word0_q <= priv_rdata_i;

      if (priv_req_i && priv_gnt_o && !own) begin
        if (is_save) begin
          bank_q    <= ~bank_q;
          storing_q <= 1'b1;
          begun_q   <= 1'b1;
          word_q    <= '0;
          address_q <= cmd_i.wdata[31:2];
          pc_q      <= mepc_i;
          refused_q <= '0;
        end
        if (is_back) begin
          bank_q    <= ~bank_q;
          storing_q <= 1'b0;
        end
        if (is_resume)        resume_q <= cmd_i.wdata;
        if (is_saved && here) held_q   <= 1'b1;
      end
    end
  end

endmodule
