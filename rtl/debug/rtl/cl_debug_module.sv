// SPDX-License-Identifier: Apache-2.0
// Debug module of the RISC-V debug specification 0.13: a debugger halts harts, reads and writes their registers and
// memory, and resumes them.
//
// A hart in debug mode executes the code of this module's page, by which it keeps s0 and s1, then asks again and again
// for where to go on. So a load of its word in the page says that it is halted, and the answer is what it is to do.
// All other registers are its own; memory and CSRs are reached by the program buffer.
module cl_debug_module #(
  parameter int unsigned Harts = 2,              // 1..16, mhartid 0 to Harts - 1
  parameter logic [31:0] Base  = 32'h1A11_0000   // of the page of 4 KiB, as harts see it
) (
  input  logic              clk_i,
  input  logic              rst_ni,              // not by ndmreset_o

  // Debug module interface, see cl_jtag
  input  logic              dmi_req_i,
  input  logic              dmi_we_i,
  input  logic        [6:0] dmi_addr_i,
  input  logic       [31:0] dmi_wdata_i,
  output logic       [31:0] dmi_rdata_o,

  // The page, on the bus of the harts: words, each answered in the next cycle. Nobody else may load from it
  input  logic              req_i,
  input  logic              we_i,
  input  logic       [11:2] addr_i,
  input  logic       [31:0] wdata_i,
  output logic       [31:0] rdata_o,

  input  logic              harts_rst_ni,        // the reset of the harts
  output logic  [Harts-1:0] debug_req_o,         // a hart is to halt; debug mode begins at Base + 'h200
  output logic              ndmreset_o           // resets all but this module
);

  localparam int unsigned ProgWords = 8;
  localparam int unsigned HartW     = Harts > 1 ? $clog2(Harts) : 1;

  typedef logic [31:0] word_t;

  // Addresses in the page
  localparam logic [11:0] Next      = 12'h000;   // a word a hart: where it is to go on
  localparam logic [11:0] Failed    = 12'h040;   // a word a hart: stored to by one whose command trapped
  localparam logic [11:0] Data      = 12'h080;
  localparam logic [11:0] Abstract  = 12'h100;   // four words: what a command does
  localparam logic [11:0] Prog      = 12'h110;   // the program buffer, behind them
  localparam logic [11:0] ProgEnd   = 12'h130;   // ebreak
  localparam logic [11:0] Halt      = 12'h200;   // where debug mode begins
  localparam logic [11:0] Trap      = 12'h208;   // a trap in debug mode
  localparam logic [11:0] Enter     = 12'h210;
  localparam logic [11:0] Loop      = 12'h220;
  localparam logic [11:0] Tell      = 12'h234;
  localparam logic [11:0] Resume    = 12'h258;

  // Instructions. s1 has the address of the page wherever this code runs
  localparam logic  [4:0] S0 = 5'd8, S1 = 5'd9;
  localparam logic [11:0] Mhartid = 12'hF14, Dscratch0 = 12'h7B2, Dscratch1 = 12'h7B3;
  localparam word_t       Nop = 32'h0000_0013, Ebreak = 32'h0010_0073, Dret = 32'h7B20_0073;

  function automatic word_t load(logic [4:0] rd, logic [4:0] rs1, logic [11:0] at);
    load = {at, rs1, 3'b010, rd, 7'h03};
  endfunction

  function automatic word_t store(logic [4:0] rs2, logic [4:0] rs1, logic [11:0] at);
    store = {at[11:5], rs2, rs1, 3'b010, at[4:0], 7'h23};
  endfunction

  function automatic word_t read_csr(logic [4:0] rd, logic [11:0] csr);
    read_csr = {csr, 5'd0, 3'b010, rd, 7'h73};
  endfunction

  function automatic word_t write_csr(logic [11:0] csr, logic [4:0] rs1);
    write_csr = {csr, rs1, 3'b001, 5'd0, 7'h73};
  endfunction

  function automatic word_t add_number(logic [4:0] rd, logic [4:0] rs1, logic [11:0] number);
    add_number = {number, rs1, 3'b000, rd, 7'h13};
  endfunction

  function automatic word_t jump(logic [11:0] from, logic [11:0] to);
    automatic logic [20:1] by = 20'(to >> 1) - 20'(from >> 1);
    jump = {by[20], by[10:1], by[11], by[19:12], 5'd0, 7'h6F};
  endfunction

  // The code that does not change: s0 and s1 are kept in dscratch0 and dscratch1
  function automatic word_t code(logic [11:0] at);
    unique case (at)
      Halt:            code = jump(Halt, Enter);
      Trap:            code = jump(Trap, Tell);
      Enter:           code = write_csr(Dscratch0, S0);
      Enter + 12'd4:   code = write_csr(Dscratch1, S1);
      Enter + 12'd8:   code = {20'd0, S1, 7'h17};                        // auipc s1, 0
      Enter + 12'd12:  code = add_number(S1, S1, -(Enter + 12'd8));
      Loop:            code = read_csr(S0, Mhartid);
      Loop + 12'd4:    code = {7'd0, 5'd2, S0, 3'b001, S0, 7'h13};       // slli s0, s0, 2
      Loop + 12'd8:    code = {7'd0, S1, S0, 3'b000, S0, 7'h33};         // add s0, s0, s1
      Loop + 12'd12:   code = load(S0, S0, Next);
      Loop + 12'd16:   code = {12'd0, S0, 3'b000, 5'd0, 7'h67};          // jr s0
      Tell:            code = write_csr(Dscratch0, S0);
      Tell + 12'd4:    code = write_csr(Dscratch1, S1);
      Tell + 12'd8:    code = {20'd0, S1, 7'h17};
      Tell + 12'd12:   code = add_number(S1, S1, -(Tell + 12'd8));
      Tell + 12'd16:   code = read_csr(S0, Mhartid);
      Tell + 12'd20:   code = {7'd0, 5'd2, S0, 3'b001, S0, 7'h13};
      Tell + 12'd24:   code = {7'd0, S1, S0, 3'b000, S0, 7'h33};
      Tell + 12'd28:   code = store(5'd0, S0, Failed);
      Tell + 12'd32:   code = jump(Tell + 12'd32, Loop);
      Resume:          code = read_csr(S1, Dscratch1);
      Resume + 12'd4:  code = read_csr(S0, Dscratch0);
      Resume + 12'd8:  code = Dret;
      ProgEnd:         code = Ebreak;
      default:         code = Nop;
    endcase
  endfunction

  // What the debugger sees of the module; numbers of the specification
  localparam logic [6:0] Data0 = 7'h04, DmControl = 7'h10, DmStatus = 7'h11, AbstractCs = 7'h16, CommandReg = 7'h17;
  localparam logic [6:0] AbstractAuto = 7'h18, ProgBuf0 = 7'h20, HaltSum0 = 7'h40;

  typedef enum logic [2:0] {
    ErrNone       = 3'd0,
    ErrBusy       = 3'd1,   // the last command is not done
    ErrCannot     = 3'd2,   // there is no such command
    ErrTrap       = 3'd3,   // it trapped
    ErrNotHalted  = 3'd4    // the hart runs
  } error_e;

  typedef enum logic [1:0] {
    Idle,
    Asked,                  // a command waits for its hart
    Runs                    // the hart carries it out
  } command_e;

  logic                 active_q, ndmreset_q;
  logic           [9:0] select_q;                        // the hart that the debugger has chosen
  logic     [Harts-1:0] halt_q, halted_q, resume_q, resumed_q, reset_q;
  word_t                data_q;
  word_t                prog_q [ProgWords];
  logic                 auto_data_q;
  logic [ProgWords-1:0] auto_prog_q;
  command_e             command_q;
  error_e               error_q;
  logic    [HartW-1:0]  doer_q;                          // the hart of the command
  logic           [4:0] register_q;
  logic                 write_q, transfer_q, execute_q;

  logic                 exists;
  logic    [HartW-1:0]  hart;                            // that is chosen, if it exists
  assign exists = select_q < 10'(Harts);
  assign hart   = exists ? select_q[HartW-1:0] : '0;

  // Harts at the page
  logic             asks, fails;                         // a hart for where to go on; its command trapped
  logic [HartW-1:0] asker;
  logic             known;                               // there is that hart
  assign asker = addr_i[2+:HartW];
  assign known = 32'(addr_i[5:2]) < Harts;
  assign asks  = req_i & ~we_i & known & (addr_i[11:6] == Next[11:6]);
  assign fails = req_i & we_i & known & (addr_i[11:6] == Failed[11:6]);

  logic begins, ends, leaves;                            // a hart begins the command, has ended it, resumes
  assign begins = asks & halted_q[asker] & (command_q == Asked) & (doer_q == asker);
  assign ends   = asks & (command_q == Runs) & (doer_q == asker);
  assign leaves = asks & halted_q[asker] & resume_q[asker] & ~begins & ~ends;

  // The words of a command: the transfer, then back to the loop, or s1 and s0 as they were and on to the program buffer
  word_t abstract [4];
  always_comb begin
    abstract[0] = Nop;
    abstract[1] = Nop;
    if (transfer_q) begin
      unique case (register_q)
        S0, S1: begin  // which are in dscratch0 and dscratch1
          abstract[0] = write_q ? load(S0, S1, Data) : read_csr(S0, register_q == S0 ? Dscratch0 : Dscratch1);
          abstract[1] = write_q ? write_csr(register_q == S0 ? Dscratch0 : Dscratch1, S0) : store(S0, S1, Data);
        end
        default: abstract[0] = write_q ? load(register_q, S1, Data) : store(register_q, S1, Data);
      endcase
    end
    abstract[2] = execute_q ? read_csr(S1, Dscratch1) : jump(Abstract + 12'd8, Loop);
    abstract[3] = read_csr(S0, Dscratch0);
  end

  word_t answer;
  always_comb begin
    answer = code({addr_i, 2'b00});
    if (addr_i[11:6] == Next[11:6]) answer = {Base[31:12], begins ? Abstract : leaves ? Resume : Loop};
    if (addr_i == Data[11:2]) answer = data_q;
    if (addr_i[11:4] == Abstract[11:4]) answer = abstract[addr_i[3:2]];
    for (int unsigned i = 0; i < ProgWords; i++) begin
      if ({addr_i, 2'b00} == Prog + 12'(4 * i)) answer = prog_q[i];
    end
  end

  always_ff @(posedge clk_i) if (req_i) rdata_o <= answer;

  // The debugger's registers
  logic  is_data, is_prog;
  logic [2:0] word;                                      // of the program buffer
  assign is_data = dmi_addr_i == Data0;
  assign is_prog = dmi_addr_i[6:3] == ProgBuf0[6:3];
  assign word    = dmi_addr_i[2:0];

  word_t status, seen;
  always_comb begin
    status        = '0;
    status[3:0]   = 4'd2;                                // version 0.13
    status[7]     = 1'b1;                                // authenticated
    status[9:8]   = {2{exists & halted_q[hart]}};
    status[11:10] = {2{exists & ~halted_q[hart]}};
    status[15:14] = {2{~exists}};
    status[17:16] = {2{exists & resumed_q[hart]}};
    status[19:18] = {2{exists & reset_q[hart]}};
    status[22]    = 1'b1;                                // an ebreak behind the program buffer
    unique case (dmi_addr_i)
      Data0:        seen = data_q;
      DmControl:    seen = {6'd0, select_q, 14'd0, ndmreset_q, active_q};
      DmStatus:     seen = status;
      AbstractCs:   seen = {3'd0, 5'(ProgWords), 11'd0, command_q != Idle, 1'b0, error_q, 4'd0, 4'd1};
      AbstractAuto: seen = {8'd0, auto_prog_q, 15'd0, auto_data_q};
      HaltSum0:     seen = word_t'(halted_q);
      default:      seen = is_prog ? prog_q[word] : '0;
    endcase
  end

  always_ff @(posedge clk_i) if (dmi_req_i) dmi_rdata_o <= seen;

  // A command: one that is written, or the last one again, by an access to what it uses
  logic writes, again, asked, possible;
  logic [31:0] wanted;
  assign writes   = dmi_req_i & dmi_we_i;
  assign again    = dmi_req_i & ((is_data & auto_data_q) | (is_prog & auto_prog_q[word]));
  assign asked    = (writes & dmi_addr_i == CommandReg) | again;
  assign wanted   = dmi_wdata_i;
  // Access to a register: 32 bits, without a step to the next, of x0 to x31 if something is transferred
  assign possible = wanted[31:23] == 9'd0 & ~wanted[19] &
                    (~wanted[17] | (wanted[22:20] == 3'd2 & wanted[15:5] == 11'h080));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q    <= 1'b0;
      ndmreset_q  <= 1'b0;
      select_q    <= '0;
      halt_q      <= '0;
      halted_q    <= '0;
      resume_q    <= '0;
      resumed_q   <= '0;
      reset_q     <= '1;
      data_q      <= '0;
      auto_data_q <= 1'b0;
      auto_prog_q <= '0;
      command_q   <= Idle;
      error_q     <= ErrNone;
      doer_q      <= '0;
      register_q  <= '0;
      write_q     <= 1'b0;
      transfer_q  <= 1'b0;
      execute_q   <= 1'b0;
      for (int unsigned i = 0; i < ProgWords; i++) prog_q[i] <= '0;
    end else begin
      // What harts do
      if (asks) halted_q[asker] <= ~leaves;
      if (begins) command_q <= Runs;
      if (ends) command_q <= Idle;
      if (fails && command_q == Runs && doer_q == asker && error_q == ErrNone) error_q <= ErrTrap;
      if (leaves) begin
        resume_q[asker]  <= 1'b0;
        resumed_q[asker] <= 1'b1;
      end
      if (req_i && we_i && addr_i == Data[11:2]) data_q <= wdata_i;

      // What the debugger does
      if (writes) begin
        unique case (dmi_addr_i)
          DmControl: begin
            active_q   <= dmi_wdata_i[0];
            ndmreset_q <= dmi_wdata_i[1];
            select_q   <= dmi_wdata_i[25:16];
            if (dmi_wdata_i[25:16] < 10'(Harts)) begin
              halt_q[dmi_wdata_i[16+:HartW]] <= dmi_wdata_i[31];
              if (dmi_wdata_i[30] && !dmi_wdata_i[31]) begin
                resume_q[dmi_wdata_i[16+:HartW]]  <= halted_q[dmi_wdata_i[16+:HartW]];
                resumed_q[dmi_wdata_i[16+:HartW]] <= ~halted_q[dmi_wdata_i[16+:HartW]];
              end
              if (dmi_wdata_i[28]) reset_q[dmi_wdata_i[16+:HartW]] <= 1'b0;
            end
          end
          AbstractCs: begin
            if (command_q != Idle) begin
              if (error_q == ErrNone) error_q <= ErrBusy;
            end else begin
              error_q <= error_e'(error_q & ~dmi_wdata_i[10:8]);
            end
          end
          AbstractAuto: if (command_q == Idle) begin
            auto_data_q <= dmi_wdata_i[0];
            auto_prog_q <= dmi_wdata_i[16+:ProgWords];
          end
          default: ;
        endcase
        if (command_q == Idle && is_data) data_q <= dmi_wdata_i;
        if (command_q == Idle && is_prog) prog_q[word] <= dmi_wdata_i;
      end
      if (dmi_req_i && command_q != Idle && error_q == ErrNone &&
          (is_data || is_prog || (writes && (dmi_addr_i == CommandReg || dmi_addr_i == AbstractAuto)))) begin
        error_q <= ErrBusy;
      end
      if (asked && command_q == Idle && error_q == ErrNone) begin
        if (!again) begin
          register_q <= wanted[4:0];
          write_q    <= wanted[16];
          transfer_q <= wanted[17];
          execute_q  <= wanted[18];
        end
        if (!again && !possible) begin
          error_q    <= ErrCannot;
        end else if (!exists || !halted_q[hart] || resume_q[hart] || !harts_rst_ni) begin
          error_q    <= ErrNotHalted;
        end else if (again ? transfer_q | execute_q : wanted[17] | wanted[18]) begin
          command_q  <= Asked;
          doer_q     <= hart;
        end
      end

      // Resets: of the harts, and of this module by its debugger
      if (!harts_rst_ni) begin
        halted_q <= '0;
        resume_q <= '0;
        reset_q  <= '1;
        if (command_q != Idle) begin
          command_q <= Idle;
          if (error_q == ErrNone) error_q <= ErrTrap;
        end
      end
      if (!active_q) begin
        ndmreset_q  <= 1'b0;
        select_q    <= '0;
        halt_q      <= '0;
        resume_q    <= '0;
        resumed_q   <= '0;
        data_q      <= '0;
        auto_data_q <= 1'b0;
        auto_prog_q <= '0;
        error_q     <= ErrNone;
        if (command_q == Asked && !begins) command_q <= Idle;
      end
    end
  end

  assign debug_req_o = halt_q;
  assign ndmreset_o  = ndmreset_q;

`ifdef FORMAL
  logic             asks_past_q, begins_past_q, leaves_past_q, restart_past_q, clears_past_q;
  logic [HartW-1:0] asker_past_q;
  logic [Harts-1:0] halted_past_q, resume_past_q;
  command_e         command_past_q;
  error_e           error_past_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asks_past_q    <= 1'b0;
      begins_past_q  <= 1'b0;
      leaves_past_q  <= 1'b0;
      restart_past_q <= 1'b0;
      clears_past_q  <= 1'b0;
      asker_past_q   <= '0;
      halted_past_q  <= '0;
      resume_past_q  <= '0;
      command_past_q <= Idle;
      error_past_q   <= ErrNone;
    end else begin
      asks_past_q    <= asks;
      begins_past_q  <= begins;
      leaves_past_q  <= leaves;
      restart_past_q <= ~harts_rst_ni;
      clears_past_q  <= ~active_q | (writes & (dmi_addr_i == AbstractCs) & (command_q == Idle));
      asker_past_q   <= asker;
      halted_past_q  <= halted_q;
      resume_past_q  <= resume_q;
      command_past_q <= command_q;
      error_past_q   <= error_q;
    end
  end

  always_ff @(posedge clk_i) begin
    // REQ-debug-14: a hart that asks is told to begin the command, to resume, or to ask again.
    if (asks_past_q) begin
      assert (rdata_o == {Base[31:12], begins_past_q ? Abstract : leaves_past_q ? Resume : Loop});
    end
    // REQ-debug-15: it is halted from its first question until it is told to resume, or is reset.
    for (int unsigned h = 0; h < Harts; h++) begin
      if (halted_q[h] && !halted_past_q[h]) assert (asks_past_q && asker_past_q == HartW'(h));
      if (!halted_q[h] && halted_past_q[h]) begin
        assert (restart_past_q || (leaves_past_q && asker_past_q == HartW'(h) && resume_past_q[h]));
      end
    end
    // REQ-debug-16: a command is of a hart that is halted, and begins once.
    assert (32'(doer_q) < Harts);
    assert (command_q == Idle || command_q == Asked || command_q == Runs);
    if (command_q != Idle) assert (halted_q[doer_q]);
    if (begins_past_q) begin
      assert (asker_past_q == doer_q && command_past_q == Asked && (command_q == Runs || restart_past_q));
    end
    if (command_q == Runs) assert (begins_past_q || command_past_q == Runs);
    // REQ-debug-17: an error stays until the debugger clears it, and nothing begins meanwhile.
    if (error_q != error_past_q && error_past_q != ErrNone) assert (clears_past_q);
    if (command_q == Asked && command_past_q == Idle) assert (error_past_q == ErrNone);

    CoverBegins: cover (begins_past_q);
    CoverLeaves: cover (leaves_past_q);
    CoverTrap:   cover (error_q == ErrTrap);
    CoverBusy:   cover (error_q == ErrBusy);
  end
`endif

endmodule
