// SPDX-License-Identifier: Apache-2.0
// Everything of a hardware thread but its module: registers on the shared bus, a client port of the kernel,
// a master of the bus, STOP, RESUME and RESET, faults, and what pthread_exit does. See ../README.md.
//
// Two machines. The module's (state_q, what STATUS shows): idle, running, stopped, faulted. The thread's
// (step_q): waits in the kernel for a thread, starts the module for it, carries out its operations, ends it.
// A bare START runs the module while the thread's machine keeps waiting; a thread started then waits for its end.
module cl_hw_control
  import cl_soc_pkg::*;
  import cl_hw_pkg::*;
  import cl_kernel_pkg::*;
#(
  parameter int unsigned Kind = 0   // what the register UNIT reads
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Registers: never stall, the response is one cycle after the request
  input  logic        reg_req_i,
  input  obi_req_t    reg_cmd_i,
  output logic [31:0] reg_rdata_o,     // 0 unless it was asked in the cycle before
  output logic        reg_err_o,

  // Client port of the kernel
  output logic        kernel_req_o,
  input  logic        kernel_gnt_i,
  output logic        kernel_we_o,
  output logic [17:0] kernel_addr_o,   // {op[7:0], id[9:0]}
  output logic [31:0] kernel_wdata_o,
  input  logic        kernel_rvalid_i, // one cycle after the grant or later
  input  logic [31:0] kernel_rdata_i,

  // Master of the shared bus
  output logic        bus_req_o,
  output obi_req_t    bus_cmd_o,
  input  logic        bus_gnt_i,
  input  logic        bus_rvalid_i,    // exactly one cycle after the grant
  input  logic        bus_err_i,
  input  logic [31:0] bus_rdata_i,

  output logic        busy_o,          // START is refused

  // To the simulation harness
  output logic        has_thread_o,
  output logic        stopped_o,
  output logic [15:0] tid_o,           // its current or last thread

  // The module: its ports, seen from here
  output logic        unit_rst_no,
  output logic        run_o,
  output logic        start_o,
  output logic [31:0] argument_o,
  input  logic        done_i,
  input  logic [31:0] result_i,
  input  logic        call_valid_i,
  input  logic  [7:0] call_op_i,
  input  logic  [9:0] call_id_i,
  input  logic        call_store_i,
  input  logic [31:0] call_word_i,
  input  logic        call_load_i,
  output logic        call_done_o,
  output logic [31:0] call_answer_o,
  output logic [31:0] call_message_o,
  input  logic        mem_req_i,
  input  obi_req_t    mem_cmd_i,
  output logic        mem_gnt_o,
  output logic        mem_rvalid_o,
  output logic [31:0] mem_rdata_o
);

  typedef enum logic [3:0] {
    StepNext,        // ask for a thread
    StepWait,        // the load of next or thread_exit is pending
    StepSaved,       // there is no context to save
    StepStart,       // wait for the end of a bare run
    StepRun,         // the module computes
    StepWord,        // an operation: its argument,
    StepOp,          // its load,
    StepAnswer,      // the answer,
    StepMessage,     // the message it left,
    StepMessaged,
    StepCalled,      // the module hears of it
    StepValue,       // the end: the value to the record,
    StepJoin,        // is there a joiner,
    StepJoined,
    StepJoinValue,   // the value to it,
    StepJoinSet
  } step_e;

  state_e      state_q, state_d;
  step_e       step_q, step_d;
  logic        exit_q, exit_d;         // the last step: tell the kernel
  logic        bare_q, start_q, unit_rst_nq, refused_q, has_thread_q, ending_q, bare_called_q;
  logic [15:0] tid_q;
  logic [31:0] argument_q, value_q, record_q, fault_addr_q, answer_q, message_q;

  logic        running, alive, unit_rsp, fault, done, accept, over;
  logic        thread_start, thread_given, thread_gone, calling, woken_again, mem_free, exit_req, exit_fault;
  logic        mem_busy_q, mem_unit_q, kernel_busy_q, kernel_free, kernel_gnt;
  logic [31:0] mem_addr_q;
  obi_req_t    exit_cmd;

  // Registers
  logic        reg_store, reg_ok, command;
  logic [31:0] reg_rdata_d;

  always_comb begin
    reg_ok      = 1'b1;
    reg_rdata_d = '0;
    unique case (reg_cmd_i.addr[7:0])
      RegCommand:      reg_rdata_d = '0;
      RegStatus:       reg_rdata_d = {tid_q, 11'b0, has_thread_q, refused_q, 1'b0, state_q};
      RegArgument:     reg_rdata_d = argument_q;
      RegResult:       reg_rdata_d = value_q;
      RegExitRecord:   reg_rdata_d = record_q;
      RegFaultAddress: reg_rdata_d = fault_addr_q;
      RegUnit:         reg_rdata_d = Kind;
      default:         reg_ok = 1'b0;
    endcase
    if (reg_cmd_i.we) begin
      if (reg_cmd_i.be != '1) reg_ok = 1'b0;   // words only
      if (reg_cmd_i.addr[7:0] != RegCommand && reg_cmd_i.addr[7:0] != RegArgument &&
          reg_cmd_i.addr[7:0] != RegExitRecord) reg_ok = 1'b0;
    end
  end

  assign reg_store = reg_req_i & reg_cmd_i.we & reg_ok;
  assign command   = reg_store & (reg_cmd_i.addr[7:0] == RegCommand);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      argument_q  <= '0;
      record_q    <= '0;
      refused_q   <= 1'b0;
      reg_rdata_o <= '0;
      reg_err_o   <= 1'b0;
    end else begin
      if (reg_store && reg_cmd_i.addr[7:0] == RegArgument)   argument_q <= reg_cmd_i.wdata;
      if (reg_store && reg_cmd_i.addr[7:0] == RegExitRecord) record_q   <= reg_cmd_i.wdata;
      if (command)                                           refused_q  <= ~accept;
      reg_rdata_o <= (reg_req_i && !reg_cmd_i.we) ? reg_rdata_d : '0;
      reg_err_o   <= reg_req_i & ~reg_ok;
    end
  end

  // The module's machine
  assign running = state_q == StateRunning;
  assign alive   = running | (state_q == StateStopped);
  assign fault   = unit_rsp & bus_err_i;
  // A stopped module still gets the response to its last access, one cycle later: nothing must be kept for it.
  assign run_o   = running | unit_rsp;
  assign done    = run_o & ~fault & (done_i | (call_valid_i & (call_op_i == OpThreadExit)));
  assign over    = alive & (state_d != StateRunning) & (state_d != StateStopped);

  always_comb begin
    accept = 1'b0;
    if (command && !done) begin
      unique case (reg_cmd_i.wdata)
        CommandStart:  accept = ~busy_o;
        CommandStop:   accept = running & ~fault;
        CommandResume: accept = (state_q == StateStopped) & ~fault;
        CommandReset:  accept = state_q != StateIdle;
        default:       accept = 1'b0;
      endcase
    end
  end

  always_comb begin
    state_d = state_q;
    if (done)       state_d = StateIdle;
    else if (fault) state_d = StateFaulted;
    if (accept) begin
      unique case (reg_cmd_i.wdata)
        CommandStop:  state_d = StateStopped;
        CommandReset: state_d = StateIdle;
        default:      state_d = StateRunning;
      endcase
    end
    if (thread_start) state_d = StateRunning;
    if (exit_fault)   state_d = StateFaulted;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StateIdle;
      bare_q       <= 1'b0;
      start_q      <= 1'b0;
      unit_rst_nq  <= 1'b0;
      value_q      <= '0;
      fault_addr_q <= '0;
    end else begin
      state_q     <= state_d;
      unit_rst_nq <= (state_d == StateRunning) | (state_d == StateStopped);
      start_q     <= ~alive & (state_d == StateRunning);
      if (!alive) bare_q <= ~thread_start;
      if (over)   value_q <= ~done ? '1 : done_i ? result_i : call_word_i;
      if (state_d == StateFaulted && (fault || exit_fault)) fault_addr_q <= mem_addr_q;
    end
  end

  assign busy_o       = (state_q != StateIdle) | has_thread_q;
  assign has_thread_o = has_thread_q;
  assign stopped_o    = state_q == StateStopped;
  assign tid_o        = tid_q;

  assign unit_rst_no = unit_rst_nq;
  assign start_o     = start_q;
  assign argument_o  = argument_q;

  // The thread's machine
  assign kernel_free = ~kernel_busy_q | kernel_rvalid_i;
  assign kernel_gnt  = kernel_req_o & kernel_gnt_i;
  assign calling     = (step_q == StepRun) & running & ~fault & ~done & ~ending_q & ~exit_q & call_valid_i;
  // Woken because there is room, or a message: the operation itself is still to be done.
  assign woken_again = kernel_rdata_i[WordResumedLsb] & ((call_op_i == OpPortSend) | (call_op_i == OpPortReceive))
                     & (kernel_rdata_i[WordStatusLsb +: WordStatusWidth] == StatusOk);

  always_comb begin
    step_d       = step_q;
    exit_d       = exit_q;
    thread_start = 1'b0;
    thread_given = 1'b0;
    thread_gone  = 1'b0;
    unique case (step_q)
      StepNext: if (kernel_gnt) step_d = StepWait;
      StepWait: if (kernel_rvalid_i) begin
        thread_given = kernel_rdata_i[WordGiveWayLsb];
        step_d       = thread_given ? StepSaved : StepNext;
      end
      StepSaved: if (kernel_gnt) step_d = StepStart;
      StepStart: if (!alive) begin
        thread_start = 1'b1;
        step_d       = StepRun;
      end
      StepRun: begin
        if (exit_q) begin
          if (kernel_gnt) begin
            exit_d      = 1'b0;
            thread_gone = 1'b1;
            step_d      = StepWait;
          end
        end else if (ending_q) begin
          if (record_q == '0) exit_d = 1'b1;
          else                step_d = StepValue;
        end else if (calling) begin
          if (call_store_i) step_d = kernel_gnt ? StepOp     : StepWord;
          else              step_d = kernel_gnt ? StepAnswer : StepOp;
        end
      end
      StepWord: begin
        if (kernel_gnt)    step_d = StepOp;
        else if (ending_q) step_d = StepRun;
      end
      StepOp: begin
        if (kernel_gnt)    step_d = StepAnswer;
        else if (ending_q) step_d = StepRun;
      end
      StepAnswer: if (kernel_rvalid_i) begin
        if (ending_q || woken_again) step_d = StepRun;
        else                         step_d = call_load_i ? StepMessage : StepCalled;
      end
      StepMessage: begin
        if (kernel_gnt)    step_d = StepMessaged;
        else if (ending_q) step_d = StepRun;
      end
      StepMessaged: if (kernel_rvalid_i) step_d = StepCalled;
      StepCalled:   if (run_o || ending_q) step_d = StepRun;
      // As pthread_exit does: first the value, then the joiner.
      StepValue:    if (bus_gnt_i && exit_req) step_d = StepJoin;
      StepJoin:     if (bus_gnt_i && exit_req) step_d = StepJoined;
      StepJoined: if (bus_rvalid_i) begin
        if (bus_rdata_i == '0) begin
          exit_d = 1'b1;
          step_d = StepRun;
        end else begin
          step_d = StepJoinValue;
        end
      end
      StepJoinValue: if (bus_gnt_i && exit_req) step_d = StepJoinSet;
      default: if (bus_gnt_i && exit_req) begin
        exit_d = 1'b1;
        step_d = StepRun;
      end
    endcase
    if (exit_fault) begin
      exit_d = 1'b1;
      step_d = StepRun;
    end
  end

  always_comb begin
    kernel_req_o   = 1'b0;
    kernel_we_o    = 1'b0;
    kernel_addr_o  = {call_op_i, call_id_i};
    kernel_wdata_o = call_word_i;
    unique case (step_q)
      StepNext: begin
        kernel_req_o  = kernel_free;
        kernel_addr_o = {OpNext, 10'b0};
      end
      StepSaved: begin
        kernel_req_o  = kernel_free;
        kernel_we_o   = 1'b1;
        kernel_addr_o = {OpSaved, 10'b0};
      end
      StepRun: begin
        if (exit_q) begin
          // Every store of the end has gone through, or its error has been seen.
          kernel_req_o  = kernel_free & ~mem_busy_q;
          kernel_addr_o = {OpThreadExit, 10'b0};
        end else begin
          kernel_req_o = kernel_free & calling;
          kernel_we_o  = call_store_i;
          if (call_store_i) kernel_addr_o = {OpWord0, 10'b0};
        end
      end
      StepWord: begin
        kernel_req_o  = kernel_free & ~ending_q;
        kernel_we_o   = 1'b1;
        kernel_addr_o = {OpWord0, 10'b0};
      end
      StepOp: kernel_req_o = kernel_free & ~ending_q;
      StepMessage: begin
        kernel_req_o  = kernel_free & ~ending_q;
        kernel_addr_o = {OpWord0, 10'b0};
      end
      default: kernel_req_o = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q        <= StepNext;
      exit_q        <= 1'b0;
      kernel_busy_q <= 1'b0;
      has_thread_q  <= 1'b0;
      ending_q      <= 1'b0;
      tid_q         <= '0;
      answer_q      <= '0;
      message_q     <= '0;
      bare_called_q <= 1'b0;
    end else begin
      step_q        <= step_d;
      exit_q        <= exit_d;
      kernel_busy_q <= kernel_gnt | (kernel_busy_q & ~kernel_rvalid_i);
      if (thread_given)     tid_q <= kernel_rdata_i[WordValueLsb +: WordValueWidth];
      if (thread_given)     has_thread_q <= 1'b1;
      else if (thread_gone) has_thread_q <= 1'b0;
      if (thread_gone)            ending_q <= 1'b0;
      else if (over && !bare_q)   ending_q <= 1'b1;
      if (step_q == StepAnswer)   answer_q  <= kernel_rdata_i;
      if (step_q == StepMessaged) message_q <= kernel_rdata_i;
      if (step_q == StepJoined)   answer_q  <= bus_rdata_i;   // the joiner
      // A bare run has no thread to call for.
      if (!alive)     bare_called_q <= 1'b0;
      else if (run_o) bare_called_q <= bare_q & running & call_valid_i & ~bare_called_q;
    end
  end

  assign call_done_o    = run_o & (bare_called_q | (step_q == StepCalled));
  assign call_answer_o  = bare_called_q ? 32'(StatusEsrch) << WordStatusLsb : answer_q;
  assign call_message_o = message_q;

  // Memory: the module's accesses, or those of the end of a thread; never both
  assign mem_free     = ~mem_busy_q | bus_rvalid_i;
  assign unit_rsp     = bus_rvalid_i & mem_busy_q & mem_unit_q & alive;
  assign exit_fault   = bus_rvalid_i & mem_busy_q & ~mem_unit_q & bus_err_i;
  assign mem_gnt_o    = bus_req_o & bus_gnt_i & running;
  assign mem_rvalid_o = unit_rsp & ~bus_err_i;
  assign mem_rdata_o  = bus_rdata_i;

  always_comb begin
    exit_req = mem_free & ~exit_fault;
    exit_cmd = '{we: 1'b1, be: '1, addr: {record_q[31:2], 2'b0}, wdata: value_q};
    unique case (step_q)
      StepValue: exit_cmd.we = 1'b1;
      StepJoin: begin
        exit_cmd.we   = 1'b0;
        exit_cmd.addr = {record_q[31:2] + 30'd1, 2'b0};
      end
      StepJoinValue: exit_cmd.addr = {answer_q[31:2], 2'b0};
      StepJoinSet: begin
        exit_cmd.addr  = {answer_q[31:2] + 30'd1, 2'b0};
        exit_cmd.wdata = 32'd1;
      end
      default: exit_req = 1'b0;
    endcase
  end

  assign bus_req_o = running ? mem_req_i & mem_free & ~fault : exit_req;
  assign bus_cmd_o = running ? mem_cmd_i : exit_cmd;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mem_busy_q <= 1'b0;
      mem_unit_q <= 1'b0;
      mem_addr_q <= '0;
    end else begin
      mem_busy_q <= (bus_req_o & bus_gnt_i) | (mem_busy_q & ~bus_rvalid_i);
      if (bus_req_o && bus_gnt_i) begin
        mem_unit_q <= running;
        mem_addr_q <= bus_cmd_o.addr;
      end
    end
  end

`ifdef FORMAL
  // The kernel answers what it was asked; the bus answers one cycle after its grant; the module keeps an operation
  // until it is done.
  logic       f_kernel_q, f_bus_q, f_call_q;
  logic [7:0] f_op_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_kernel_q <= 1'b0;
      f_bus_q    <= 1'b0;
      f_call_q   <= 1'b0;
      f_op_q     <= '0;
    end else begin
      f_kernel_q <= kernel_gnt | (f_kernel_q & ~kernel_rvalid_i);
      f_bus_q    <= bus_req_o & bus_gnt_i;
      f_call_q   <= call_valid_i & ~call_done_o & unit_rst_nq & (state_d == StateRunning || state_d == StateStopped);
      assume (f_kernel_q || !kernel_rvalid_i);
      assume (bus_rvalid_i == f_bus_q);
      f_op_q     <= call_op_i;
      assume (!f_call_q || (call_valid_i && call_op_i == f_op_q));
    end
  end

  logic f_reset_q;    // there has been no start since the last reset
  logic f_thread_q;   // the kernel has given a thread that has not exited
  logic f_begun_q;    // its module has been started
  logic f_held_q;     // a request of the kernel waits for its grant
  logic f_exit;

  assign f_exit = kernel_gnt & ~kernel_we_o & (kernel_addr_o[17:10] == OpThreadExit);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_reset_q  <= 1'b1;
      f_thread_q <= 1'b0;
      f_begun_q  <= 1'b0;
      f_held_q   <= 1'b0;
    end else begin
      if (accept && reg_cmd_i.wdata == CommandReset)                            f_reset_q <= 1'b1;
      if (thread_start || (accept && reg_cmd_i.wdata == CommandStart))          f_reset_q <= 1'b0;
      f_thread_q <= thread_given | (f_thread_q & ~f_exit);
      f_begun_q  <= thread_start | (f_begun_q & ~f_exit);
      f_held_q   <= kernel_req_o & ~kernel_gnt_i;
    end
  end

  // REQ-hwt-5, the other half: a thread whose run is over exits. Cycles in which nobody makes it wait are counted;
  // each brings the machine nearer to its end, so there are few of them.
  logic       f_waits;
  logic [4:0] f_count_q, f_left;

  assign f_waits = (kernel_req_o & ~kernel_gnt_i) | (bus_req_o & ~bus_gnt_i) | (kernel_busy_q & ~kernel_rvalid_i);

  always_comb begin
    unique case (step_q)
      StepWord, StepOp:        f_left = 5'd14;
      StepAnswer, StepMessage: f_left = 5'd13;
      StepMessaged:            f_left = 5'd12;
      StepCalled:              f_left = 5'd11;
      StepRun:                 f_left = exit_q ? (mem_busy_q ? 5'd2 : 5'd1) : 5'd10;
      StepValue:               f_left = 5'd9;
      StepJoin:                f_left = 5'd8;
      StepJoined:              f_left = 5'd7;
      StepJoinValue:           f_left = 5'd6;
      StepJoinSet:             f_left = 5'd5;
      default:                 f_left = 5'd0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                  f_count_q <= '0;
    else if (!ending_q || f_exit) f_count_q <= '0;
    else if (!f_waits)            f_count_q <= f_count_q + 5'd1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // REQ-hwt-1: never two outstanding accesses, of the kernel or of the memory.
      assert (kernel_busy_q == f_kernel_q && mem_busy_q == f_bus_q);
      assert (!(kernel_req_o && f_kernel_q && !kernel_rvalid_i));
      // REQ-hwt-2: a module that does not run is granted no access and begins no operation.
      assert (running || !mem_gnt_o);
      assert (running || step_q != StepRun || exit_q || !kernel_req_o);
      assert (run_o || (!call_done_o && !mem_rvalid_o));
      assert (unit_rst_nq == alive);
      // REQ-hwt-3: after RESET there is nothing of the module until the next start.
      assert (!(f_reset_q && (alive || mem_gnt_o || mem_rvalid_o || call_done_o)));
      // REQ-hwt-4: a module is never between two masters; the end of a thread finds it in reset.
      assert (!ending_q || !alive);
      assert (!exit_req || (ending_q && !alive));
      // REQ-hwt-5: every thread exits exactly once, and only one that there is.
      assert (has_thread_q == f_thread_q);
      assert (!thread_given || !f_thread_q);
      assert (!f_exit || (f_thread_q && f_begun_q && ending_q && !alive));
      assert (!ending_q || (32'(f_count_q) + 32'(f_left) <= 32'd15 && f_left != '0));
      // REQ-hwt-6: a request of the kernel is held until it is granted, unless the thread is ending.
      assert (!f_held_q || kernel_req_o || ending_q);
      // A command that is refused, or a bus error, changes no state; see state_d.
      assert (!(command && !accept && !done && !fault && !thread_start && !exit_fault) || state_d == state_q);
      // How the two machines go together
      assert (!ending_q || f_begun_q);
      assert (!f_begun_q || f_thread_q);
      assert (!(f_begun_q && !ending_q) || (alive && !bare_q));
      assert (!exit_q || (step_q == StepRun && ending_q));
      assert ((step_q == StepNext || step_q == StepWait) == !f_thread_q);
      assert ((step_q == StepNext || step_q == StepWait || step_q == StepSaved || step_q == StepStart) == !f_begun_q);
      assert (!alive || bare_q == !f_begun_q);
      assert (!bare_called_q || (bare_q && step_q != StepCalled));
      assert (!(step_q inside {StepWord, StepOp, StepAnswer, StepMessage, StepMessaged, StepCalled} && alive) ||
              (f_call_q && f_op_q != OpThreadExit));
      assert (!(step_q inside {StepValue, StepJoin, StepJoined, StepJoinValue, StepJoinSet}) || ending_q);
      assert (step_q != StepJoined || mem_busy_q);
      assert (!(mem_busy_q && mem_unit_q) || !(step_q inside {StepJoin, StepJoined, StepJoinValue, StepJoinSet}));
      assert (step_q != StepWait || kernel_busy_q);
      assert (!(step_q inside {StepAnswer, StepMessaged}) || kernel_busy_q);
    end
  end
`endif

endmodule
