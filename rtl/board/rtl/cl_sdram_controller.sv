// SPDX-License-Identifier: Apache-2.0
// Controller of an SDRAM of 256 Mbit, 16 bits wide (4 banks of 8192 rows of 512 columns), as the memory of cl_bus.
//
// In each cycle without a command under way it chooses the next one: refresh before the write that waits, that before a
// read. Rows stay open until another one of their bank is needed, or a refresh. A read brings four words (a burst of
// eight), first the one asked for, into one of two lines; loads of a word in a line are answered from there. A store is
// taken into a buffer of one word, and changes the line that has its word.
// Times are the larger ones of IS42S16160G-7 and MT48LC16M16A2-75, in cycles rounded up; CAS latency 2, so up to 100 MHz.
// The part's clock is this one inverted. data_i comes half a cycle later than the part drives it: the top samples it with
// the falling edge.
// ready_o depends on registers only. An access may be withdrawn: a read under way then fills its line all the same.
module cl_sdram_controller
  import cl_soc_pkg::*;
#(
  parameter int unsigned Bytes   = 32'h0200_0000,  // power of two, up to 32 MiB
  parameter int unsigned ClockHz = 50_000_000,     // 10 to 100 MHz
  parameter int unsigned InitUs  = 200             // after reset, without commands
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // As cl_sdram and cl_ram of rtl/soc
  input  logic        req_i,
  input  obi_req_t    cmd_i,
  output logic        ready_o,  // the access of the last cycle can be taken now
  input  logic        taken_i,  // it is
  output logic [31:0] rdata_o,  // in the next cycle, kept until the next load

  // The part; all outputs from registers
  output logic        cke_o,
  output logic        cs_no,
  output logic        ras_no,
  output logic        cas_no,
  output logic        we_no,
  output logic [12:0] addr_o,
  output logic  [1:0] bank_o,
  output logic  [1:0] mask_o,
  output logic [15:0] data_o,
  output logic        drive_o,
  input  logic [15:0] data_i
);

  function automatic int unsigned cycles(int unsigned ns);
    return int'((longint'(ns) * longint'(ClockHz) + 64'd999_999_999) / 64'd1_000_000_000);
  endfunction

  function automatic int unsigned larger(int unsigned a, int unsigned b);
    return (a > b) ? a : b;
  endfunction

  // In cycles, from command to command
  localparam int unsigned Cas      = 2;
  localparam int unsigned Burst    = 8;
  localparam int unsigned Rcd      = cycles(20);                              // activate to read, write
  localparam int unsigned Rp       = cycles(20);                              // precharge to activate, refresh
  localparam int unsigned Rc       = cycles(66);                              // activate to activate of a bank
  localparam int unsigned Ras      = (Rc > Rp + cycles(44)) ? Rc - Rp : cycles(44);   // activate to precharge
  localparam int unsigned Rfc      = larger(cycles(66), Rc);                  // refresh to activate, refresh
  localparam int unsigned Wr       = cycles(15);                              // write to precharge
  localparam int unsigned Mrd      = 2;                                       // mode register to activate
  localparam int unsigned ReadEnd  = Cas + Burst + 1;                         // read until its last word has come
  localparam int unsigned Slack    = ReadEnd + Ras + Wr + Rp + 4;             // of a refresh, for what is under way
  localparam int unsigned Interval = int'(longint'(ClockHz) * 64'd64 / 64'd8_192_000) - Slack;
  localparam int unsigned Initial  = InitUs * (ClockHz / 1_000_000);
  localparam int unsigned InitRefreshes = 8;

  localparam int unsigned AddrW  = $clog2(Bytes / 4);   // word address: row, bank, column, as cl_sdram
  localparam int unsigned TagW   = AddrW - 2;
  localparam int unsigned WaitW  = $clog2(larger(ReadEnd, Rfc) + 1);
  localparam int unsigned PreW   = $clog2(larger(Ras, Wr) + 1);
  localparam int unsigned TimerW = $clog2(larger(Initial, Interval) + 1);
  localparam logic [12:0] Mode   = {3'b0, 1'b1, 2'b0, 3'(Cas), 1'b0, 3'b011};   // single writes, bursts of 8 in order

  typedef enum logic [2:0] {   // ras, cas, we
    CmdMode      = 3'b000,
    CmdRefresh   = 3'b001,
    CmdPrecharge = 3'b010,
    CmdActivate  = 3'b011,
    CmdWrite     = 3'b100,
    CmdRead      = 3'b101,
    CmdNone      = 3'b111
  } cmd_e;

  // The access of the last cycle
  logic             req_q, we_q;
  logic [AddrW-1:0] addr_q;

  // The store that waits
  logic             store_q, high_q;   // high_q: its lower half is written
  logic [AddrW-1:0] store_addr_q;
  logic      [31:0] store_data_q;
  logic       [3:0] store_be_q;

  // Lines
  logic [1:0][TagW-1:0]      tag_q;
  logic [1:0]                there_q;         // there is a tag
  logic [1:0][3:0]           valid_q;
  logic [1:0][3:0][31:0]     line_q;
  logic                      fill_q, used_q;  // the line that is filled; the one used last
  logic [1:0]                fill_word_q;     // the word that comes next
  logic [$clog2(ReadEnd):0]  left_q;          // cycles of a read that are left, those of its burst last
  logic [15:0]               lower_q;         // half of a word
  logic [1:0]                same, has;
  logic                      hit, line, fills, beat;

  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      same[i] = there_q[i] && tag_q[i] == addr_q[AddrW-1:2];
      has[i]  = same[i] && valid_q[i][addr_q[1:0]];
    end
  end

  assign hit     = |has;
  assign line    = has[1];
  assign fills   = |(same & ~has);
  assign ready_o = req_q && (we_q ? !store_q && !fills : hit);
  assign beat    = left_q != '0 && 32'(left_q) <= Burst;

  // The next command
  logic                  ready_q;       // the part is initialised
  logic [3:0]            init_q;        // refreshes to do before
  logic [TimerW-1:0]     timer_q;
  logic                  due_q, closed_q;
  logic [WaitW-1:0]      wait_q;        // cycles before the next command
  logic [PreW-1:0]       pre_q;         // cycles before a precharge
  logic [3:0]            open_q;
  logic [3:0][12:0]      row_q;
  logic                  reads, last;
  logic [AddrW-1:0]      target;
  logic [12:0]           row;
  logic [1:0]            bank;
  cmd_e                  cmd;

  assign reads  = req_q && !we_q && same == '0;
  assign target = store_q ? store_addr_q : addr_q;
  assign row    = 13'(target >> 10);
  assign bank   = target[9:8];
  assign last   = timer_q == TimerW'((closed_q ? Interval : Initial) - 1);

  always_comb begin
    cmd = CmdNone;
    if (wait_q == '0 && closed_q) begin
      if (high_q) begin
        cmd = CmdWrite;
      end else if (!ready_q || due_q) begin
        if (|open_q)                        cmd = (pre_q == '0) ? CmdPrecharge : CmdNone;
        else if (!ready_q && init_q == '0)  cmd = CmdMode;
        else                                cmd = CmdRefresh;
      end else if (store_q || reads) begin
        if (!open_q[bank])                  cmd = CmdActivate;
        else if (row_q[bank] != row)        cmd = (pre_q == '0) ? CmdPrecharge : CmdNone;
        else                                cmd = store_q ? CmdWrite : CmdRead;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q  <= 1'b0;
      closed_q <= 1'b0;
      init_q   <= 4'(InitRefreshes);
      timer_q  <= '0;
      due_q    <= 1'b0;
      wait_q   <= '0;
      pre_q    <= '0;
      open_q   <= '1;   // unknown: the first command closes all
      high_q   <= 1'b0;
      left_q   <= '0;
    end else begin
      timer_q <= last ? '0 : timer_q + 1'b1;
      if (last && !closed_q) closed_q <= 1'b1;
      if (last && ready_q)   due_q <= 1'b1;
      if (wait_q != '0)      wait_q <= wait_q - 1'b1;
      if (pre_q != '0)       pre_q <= pre_q - 1'b1;
      if (left_q != '0)      left_q <= left_q - 1'b1;
      unique case (cmd)
        CmdPrecharge: begin
          wait_q <= WaitW'(Rp - 1);
          if (!ready_q || due_q) open_q <= '0;
          else                   open_q[bank] <= 1'b0;
        end
        CmdRefresh: begin
          wait_q <= WaitW'(Rfc - 1);
          due_q  <= 1'b0;
          if (!ready_q) init_q <= init_q - 4'd1;
        end
        CmdMode: begin
          wait_q  <= WaitW'(Mrd - 1);
          ready_q <= 1'b1;
          timer_q <= '0;
        end
        CmdActivate: begin
          wait_q       <= WaitW'(Rcd - 1);
          pre_q        <= PreW'(Ras - 1);
          open_q[bank] <= 1'b1;
        end
        CmdWrite: begin
          high_q <= !high_q;
          if (32'(pre_q) < Wr) pre_q <= PreW'(Wr - 1);
        end
        CmdRead: begin
          wait_q <= WaitW'(ReadEnd - 1);
          left_q <= ($clog2(ReadEnd)+1)'(ReadEnd - 1);
        end
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd == CmdActivate) row_q[bank] <= row;
  end

  // Accesses
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      req_q       <= 1'b0;
      we_q        <= 1'b0;
      addr_q      <= '0;
      store_q     <= 1'b0;
      there_q     <= '0;
      valid_q     <= '0;
      fill_q      <= 1'b0;
      used_q      <= 1'b0;
      fill_word_q <= '0;
    end else begin
      req_q  <= req_i;
      we_q   <= cmd_i.we;
      addr_q <= cmd_i.addr[2 +: AddrW];
      if (cmd == CmdWrite && high_q) store_q <= 1'b0;
      if (taken_i && we_q) store_q <= 1'b1;
      if (taken_i && !we_q) used_q <= line;
      if (cmd == CmdRead) begin
        fill_q           <= !used_q;
        used_q           <= !used_q;
        there_q[!used_q] <= 1'b1;
        valid_q[!used_q] <= '0;
        fill_word_q      <= addr_q[1:0];
      end
      if (beat && left_q[0]) begin
        valid_q[fill_q][fill_word_q] <= 1'b1;
        fill_word_q                  <= fill_word_q + 2'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd == CmdRead) tag_q[!used_q] <= addr_q[AddrW-1:2];
    if (beat && !left_q[0]) lower_q <= data_i;
    for (int unsigned i = 0; i < 2; i++) begin
      for (int unsigned b = 0; b < 4; b++) begin
        if (taken_i && we_q && has[i] && cmd_i.be[b]) line_q[i][addr_q[1:0]][8*b +: 8] <= cmd_i.wdata[8*b +: 8];
      end
    end
    if (beat && left_q[0]) line_q[fill_q][fill_word_q] <= {data_i, lower_q};
    if (taken_i && we_q) begin
      store_addr_q <= addr_q;
      store_data_q <= cmd_i.wdata;
      store_be_q   <= cmd_i.be;
    end
    if (taken_i && !we_q) rdata_o <= line_q[line][addr_q[1:0]];
  end

  // To the part
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cke_o                     <= 1'b0;
      cs_no                     <= 1'b1;
      {ras_no, cas_no, we_no}   <= '1;
      drive_o                   <= 1'b0;
    end else begin
      cke_o                     <= 1'b1;
      cs_no                     <= 1'b0;
      {ras_no, cas_no, we_no}   <= cmd;
      drive_o                   <= cmd == CmdWrite;
    end
  end

  always_ff @(posedge clk_i) begin
    bank_o <= bank;
    mask_o <= (cmd == CmdWrite) ? (high_q ? ~store_be_q[3:2] : ~store_be_q[1:0]) : '0;
    data_o <= high_q ? store_data_q[31:16] : store_data_q[15:0];
    unique case (cmd)
      CmdMode:      addr_o <= Mode;
      CmdPrecharge: addr_o <= {2'b0, !ready_q || due_q, 10'b0};   // bit 10: all banks
      CmdActivate:  addr_o <= row;
      default:      addr_o <= {4'b0, target[7:0], high_q};        // bit 10: 0, the row stays open
    endcase
    if (cmd == CmdMode) bank_o <= '0;
  end

  logic unused;
  assign unused = ^{cmd_i.addr};

`ifdef FORMAL
  // Not proved: that the words are right (tests/board/test_units.py); a withdrawn access.
  // What the part sees: open banks and their rows, and for how many cycles each time has passed, at most 255.
  localparam int unsigned Bound = larger(larger(ReadEnd, Ras), Wr + 2) + Rp;   // of a refresh that is due

  logic [3:0]       up_q;
  logic [3:0][12:0] up_row_q;
  logic [3:0][7:0]  activated_q, closed_age_q, written_q;
  logic [7:0]       refreshed_q, mode_q;
  logic [3:0]       refreshes_q;
  logic [15:0]      since_q;     // the last refresh, or the mode
  logic             all;
  logic [31:0]      left;        // cycles until a refresh that is due, at most

  assign all  = !ready_q || due_q;
  assign left = (|open_q) ? larger(larger(32'(wait_q), 32'(pre_q)), high_q ? Wr + 1 : 0) + 1 + Rp : 32'(wait_q);

  function automatic logic [7:0] older(logic [7:0] age);
    return (age == '1) ? age : age + 8'd1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      up_q         <= '1;
      activated_q  <= '1;
      closed_age_q <= '1;
      written_q    <= '1;
      refreshed_q  <= '1;
      mode_q       <= '1;
      refreshes_q  <= '0;
      since_q      <= '0;
      up_row_q     <= '0;
    end else begin
      for (int unsigned b = 0; b < 4; b++) begin
        activated_q[b]  <= older(activated_q[b]);
        closed_age_q[b] <= older(closed_age_q[b]);
        written_q[b]    <= older(written_q[b]);
        if (cmd == CmdPrecharge && up_q[b] && (all || 32'(bank) == b)) begin
          up_q[b]         <= 1'b0;
          closed_age_q[b] <= 8'd1;
        end
        if (cmd == CmdActivate && 32'(bank) == b) begin
          up_q[b]        <= 1'b1;
          up_row_q[b]    <= row;
          activated_q[b] <= 8'd1;
        end
        if (cmd == CmdWrite && 32'(bank) == b) written_q[b] <= 8'd1;
      end
      refreshed_q <= (cmd == CmdRefresh) ? 8'd1 : older(refreshed_q);
      mode_q      <= (cmd == CmdMode) ? 8'd1 : older(mode_q);
      since_q     <= (cmd == CmdRefresh || cmd == CmdMode) ? '0 : since_q + 16'd1;
      if (cmd == CmdRefresh && refreshes_q != '1) refreshes_q <= refreshes_q + 4'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The bus takes what it has shown, when it may.
      assume (!taken_i || (req_i && ready_o && cmd_i.we == we_q && cmd_i.addr[2 +: AddrW] == addr_q));
      // REQ-controller-1: between two refreshes are never more cycles than the part allows.
      assert (!ready_q || 32'(since_q) <= Interval + Bound);
      assert (Interval + Bound <= ClockHz / 128_000);
      // REQ-controller-2: a command finds its bank as it must be, after all times that the part needs.
      if (cmd == CmdActivate) begin
        assert (!up_q[bank] && 32'(closed_age_q[bank]) >= Rp && 32'(activated_q[bank]) >= Rc);
        for (int unsigned b = 0; b < 4; b++) assert (32'(activated_q[b]) >= cycles(15));
      end
      if (cmd == CmdRead || cmd == CmdWrite) begin
        assert (up_q[bank] && up_row_q[bank] == row && 32'(activated_q[bank]) >= Rcd);
      end
      if (cmd == CmdPrecharge) begin
        for (int unsigned b = 0; b < 4; b++) begin
          if (up_q[b] && (all || 32'(bank) == b)) begin
            assert (32'(activated_q[b]) >= Ras && 32'(written_q[b]) >= Wr);
          end
        end
      end
      if (cmd == CmdRefresh || cmd == CmdMode) begin
        assert (up_q == '0);
        for (int unsigned b = 0; b < 4; b++) assert (32'(closed_age_q[b]) >= Rp);
      end
      if (cmd != CmdNone && cmd != CmdPrecharge) assert (32'(refreshed_q) >= Rfc && 32'(mode_q) >= Mrd);
      // REQ-controller-3: none comes while a read is under way, and data are driven by one side only.
      assert (cmd == CmdNone || left_q == '0);
      // REQ-controller-4: accesses come after the mode, that after eight refreshes.
      assert (cmd != CmdMode || refreshes_q >= 4'(InitRefreshes));
      assert (ready_q || cmd == CmdNone || cmd == CmdPrecharge || cmd == CmdRefresh || cmd == CmdMode);
      // Invariants from which these follow
      assert (up_q == open_q);
      for (int unsigned b = 0; b < 4; b++) begin
        assert (!up_q[b] || !ready_q || up_row_q[b] == row_q[b]);
        assert (32'(activated_q[b]) + 32'(wait_q) >= Rcd);
        assert (!up_q[b] || 32'(activated_q[b]) + 32'(pre_q) >= Ras);
        assert (32'(written_q[b]) + 32'(pre_q) >= Wr);
        assert (32'(closed_age_q[b]) + 32'(wait_q) >= Rp);
        assert (up_q[b] || activated_q[b] == '1 || 32'(activated_q[b]) >= Ras + 32'(closed_age_q[b]));
      end
      assert (32'(refreshed_q) + 32'(wait_q) >= Rfc && 32'(mode_q) + 32'(wait_q) >= Mrd);
      assert (32'(left_q) <= 32'(wait_q));
      assert (32'(wait_q) < larger(larger(ReadEnd, Rfc), larger(Rp, Mrd)) && 32'(pre_q) < larger(Ras, Wr));
      assert (!high_q || (ready_q && store_q && wait_q == '0 && open_q[bank] && row_q[bank] == row));
      assert (!ready_q || closed_q);
      assert (ready_q || (!high_q && !due_q && left_q == '0));
      assert (ready_q || (|open_q) || closed_q);
      assert (ready_q || 32'(refreshes_q) + 32'(init_q) == InitRefreshes);
      assert (ready_q || open_q == '0 || open_q == '1);
      assert (32'(timer_q) < (closed_q ? Interval : Initial));
      if (ready_q) begin
        assert (due_q || 32'(since_q) <= 32'(timer_q));
        assert (!due_q || 32'(since_q) <= Interval + 32'(timer_q));
        assert (!due_q || 32'(timer_q) + left <= Bound);
      end
    end
    CoverReads:     cover (rst_ni && cmd == CmdRead);
    CoverWrites:    cover (rst_ni && cmd == CmdWrite && high_q);
  end
`endif

endmodule
