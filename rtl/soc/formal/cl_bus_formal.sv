// SPDX-License-Identifier: Apache-2.0
// Where an access on the shared bus goes, and what is answered: for every master, address and answer of the devices,
// with each stage that a platform can have (cl_bus_stage before it, Pipeline, Waits, First). Who is served when is proved
// in cl_bus itself. The ranges are numbers here, as the memory map in rtl/soc/README.md has them.
// Not proved: memories of other sizes than the one given, and that a device that says to wait becomes ready.
module cl_bus_formal
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter int unsigned Masters     = 2,
  parameter bit          Waits       = 1'b0,
  parameter bit          First       = 1'b0,
  parameter bit          Pipeline    = 1'b0,   // with a stage (cl_bus_stage) before each master, as in cl_tile
  parameter bit          Uncached    = 1'b0,
  parameter int unsigned Units       = 0,
  parameter bit          Scheduler   = 1'b0,
  parameter int unsigned WindowBytes = 0,
  parameter bit          User        = 1'b0,
  parameter bit          Debug       = 1'b0,
  localparam int unsigned RamBytes   = 65536
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic     [Masters-1:0] req_i,
  input logic     [Masters-1:0] late_i,
  input logic     [Masters-1:0] first_i,
  input obi_req_t [Masters-1:0] cmd_i,
  input logic                   ram_ready_i,
  input logic                   scheduler_ready_i,
  input logic                   unit_err_i,
  input logic                   scheduler_err_i,
  input logic                   window_err_i,
  input logic                   user_gnt_i,
  input obi_rsp_t               user_rsp_i,
  input logic            [31:0] ram_rdata_i,
  input logic            [31:0] uart_rdata_i,
  input logic            [31:0] unit_rdata_i,
  input logic            [31:0] scheduler_rdata_i,
  input logic            [31:0] window_rdata_i,
  input logic            [31:0] debug_rdata_i
);

  logic     [Masters-1:0] gnt, gnt_late, bus_req, bus_late, bus_gnt, bus_gnt_late, rvalid, snoop_valid;
  obi_req_t [Masters-1:0] bus_cmd;
  obi_req_t               dev_cmd;
  logic                   err, ram_ask, ram_req, uart_req, unit_req, scheduler_ask, scheduler_req, window_req;
  logic                   user_req, user_gnt, user_rvalid_q, debug_req;
  logic            [31:0] rdata, snoop_addr;

  for (genvar m = 0; m < Masters; m++) begin : g_stage
    cl_bus_stage #(
      .Registered(Pipeline)
    ) u_stage (
      .clk_i,
      .rst_ni,
      .req_i         (req_i[m]),
      .late_i        (late_i[m]),
      .cmd_i         (cmd_i[m]),
      .gnt_o         (gnt[m]),
      .gnt_late_o    (gnt_late[m]),
      .bus_req_o     (bus_req[m]),
      .bus_late_o    (bus_late[m]),
      .bus_cmd_o     (bus_cmd[m]),
      .bus_gnt_i     (bus_gnt[m]),
      .bus_gnt_late_i(bus_gnt_late[m]),
      .bus_rvalid_i  (rvalid[m])
    );
  end

  cl_bus #(
    .Masters    (Masters),
    .RamBytes   (RamBytes),
    .Waits      (Waits),
    .First      (First),
    .Pipeline   (Pipeline),
    .Uncached   (Uncached),
    .Units      (Units),
    .Scheduler  (Scheduler),
    .WindowBase (BackDoorBase),
    .WindowBytes(WindowBytes),
    .User       (User),
    .Debug      (Debug)
  ) u_bus (
    .clk_i,
    .rst_ni,
    .req_i            (bus_req),
    .late_i           (bus_late),
    .first_i,
    .cmd_i            (bus_cmd),
    .gnt_o            (bus_gnt),
    .gnt_late_o       (bus_gnt_late),
    .rvalid_o         (rvalid),
    .err_o            (err),
    .rdata_o          (rdata),
    .snoop_valid_o    (snoop_valid),
    .snoop_addr_o     (snoop_addr),
    .dev_cmd_o        (dev_cmd),
    .ram_ask_o        (ram_ask),
    .ram_ready_i,
    .ram_req_o        (ram_req),
    .ram_rdata_i,
    .uart_req_o       (uart_req),
    .uart_rdata_i,
    .unit_req_o       (unit_req),
    .unit_rdata_i,
    .unit_err_i,
    .scheduler_ask_o  (scheduler_ask),
    .scheduler_ready_i,
    .scheduler_req_o  (scheduler_req),
    .scheduler_rdata_i,
    .scheduler_err_i,
    .window_req_o     (window_req),
    .window_rdata_i,
    .window_err_i,
    .debug_req_o      (debug_req),
    .debug_rdata_i,
    .user_req_o       (user_req),
    .user_gnt_i       (user_gnt),
    .user_rvalid_i    (user_rvalid_q),
    .user_rsp_i
  );

  // The user's device: grants at once or, with Waits, when it likes; answers in the cycle after the grant
  assign user_gnt = user_gnt_i | !Waits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) user_rvalid_q <= 1'b0;
    else         user_rvalid_q <= user_req & user_gnt;
  end

  // The devices of an address, a bit each: memory, UART, hardware threads, scheduler, window, the user's, debug
  typedef logic [6:0] devices_t;

  function automatic devices_t devices(logic [31:0] addr);
    devices    = '0;
    devices[0] = (addr >= RamBase && addr - RamBase < RamBytes) ||
                 (Uncached && addr >= UncachedBase && addr - UncachedBase < RamBytes);
    devices[1] = addr >= UartBase && addr - UartBase < 8;
    devices[2] = addr >= UnitBase && addr - UnitBase < 256 * Units;
    devices[3] = Scheduler && addr >= SchedulerBase && addr - SchedulerBase < 32'h0100_0000;
    devices[4] = addr >= BackDoorBase && addr - BackDoorBase < WindowBytes;
    devices[5] = User && addr >= UserBase && addr - UserBase < 32'h0100_0000;
    devices[6] = Debug && addr >= DebugBase && addr - DebugBase < 4096;
  endfunction

  // The access granted to some master in this cycle; which of them; whether a first one asks, on time or late
  logic [Masters-1:0] winner;
  obi_req_t           granted;
  devices_t           asked;

  assign winner = bus_gnt | bus_gnt_late;
  assign asked  = {debug_req, user_req & user_gnt, window_req, scheduler_req, unit_req, uart_req, ram_req};

  always_comb begin
    granted = '0;
    for (int unsigned m = 0; m < Masters; m++) if (winner[m]) granted = granted | bus_cmd[m];
  end

  // The same a cycle later, and what the devices have seen a cycle ago
  logic     [Masters-1:0] winner_q, served_q, served;
  obi_req_t               granted_q, shown;
  devices_t               asked_q, again_q;
  logic                   load_q, shown_late_q;

  assign served = Pipeline ? winner_q : winner;
  assign shown  = Pipeline ? granted_q : granted;

  // Of each master: an access was granted and is not answered, and its address. The bus answers one cycle later, or two.
  logic [Masters-1:0]       out_q, store_q;
  logic [Masters-1:0][31:0] addr_q;
  logic [Masters-1:0]       waits_q, late_q, taken;
  obi_req_t [Masters-1:0]   was_q;   // payloads of the last cycle

  always_ff @(posedge clk_i) was_q <= bus_cmd;

  assign taken = gnt | gnt_late;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {winner_q, served_q, out_q, store_q, waits_q, late_q} <= '0;
      {asked_q, again_q}    <= '0;
      {load_q, shown_late_q} <= '0;
      granted_q <= '0;
      addr_q    <= '0;
    end else begin
      winner_q     <= winner;
      granted_q    <= granted;
      served_q     <= served;
      asked_q      <= asked;
      again_q      <= asked_q;
      load_q       <= ~shown.we;
      shown_late_q <= |bus_gnt_late;
      out_q        <= taken | (out_q & ~rvalid);
      waits_q      <= bus_req & ~bus_gnt;
      late_q       <= bus_late & ~bus_req & ~bus_gnt_late;
      for (int unsigned m = 0; m < Masters; m++) begin
        if (taken[m]) begin
          addr_q[m]  <= cmd_i[m].addr;
          store_q[m] <= cmd_i[m].we;
        end
      end
    end
  end

  // The master whose answer this is
  logic [31:0] answers;
  logic        answers_store;

  always_comb begin
    answers       = '0;
    answers_store = 1'b0;
    for (int unsigned m = 0; m < Masters; m++) if (rvalid[m]) begin
      answers       = answers | addr_q[m];
      answers_store = answers_store | store_q[m];
    end
  end

  // What the user's device was shown in the last cycle and has not granted; whose it is; whether it has waited
  logic               user_shown_q, user_long_q;
  logic [Masters-1:0] user_by_q;
  obi_req_t           user_cmd_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {user_shown_q, user_long_q, user_by_q} <= '0;
    else begin
      user_shown_q <= user_req & ~user_gnt;
      user_long_q  <= user_req & user_gnt & user_shown_q;
      user_by_q    <= u_bus.chosen;
    end
  end
  always_ff @(posedge clk_i) user_cmd_q <= dev_cmd;

  always_ff @(posedge clk_i) if (rst_ni) begin
    // OBI's rule for managers, where a device of the user's may wait: a request that goes on is the same.
    for (int unsigned m = 0; m < Masters; m++)
      if (User && Waits && waits_q[m] && bus_req[m]) assume (bus_cmd[m] == was_q[m]);
    for (int unsigned m = 0; m < Masters; m++) begin
      assume (cmd_i[m].addr[1:0] == '0);
      assume (!(req_i[m] && late_i[m]));
      // A load or store that was answered may be followed at once, one that was not must not.
      if (out_q[m] && !rvalid[m]) assume (!req_i[m] && !late_i[m]);
    end

    // REQ-bus-6: an access that is granted reaches in the same cycle, with Pipeline in the next one, the device of its
    // address as it is, and no other; nothing else reaches a device.
    AssertOneDevice: assert (asked == ((served != '0) ? devices(shown.addr) : '0));
    AssertAtMostOne: assert ((asked & (asked - devices_t'(1))) == '0);
    if (served != '0) AssertAsItIs: assert (dev_cmd == shown);
    // REQ-bus-7: a cycle later it is answered to its master and to nobody else, so the answers to a master come in the
    // order of its accesses.
    AssertAnswer:    assert (rvalid == served_q);
    AssertNoOther:   assert ((rvalid & ~out_q) == '0);
    // REQ-bus-8: the answer is that of the device of its address: another's word and another's error do not count, and
    // without a device it is an error.
    if (rvalid != '0) begin
      AssertError: assert (err == (devices(answers) == '0 || (devices(answers)[2] && unit_err_i) ||
                                   (devices(answers)[3] && scheduler_err_i) || (devices(answers)[4] && window_err_i) ||
                                   (devices(answers)[5] && user_rsp_i.err)));
      if (devices(answers)[0]) AssertMemory:    assert (rdata == ram_rdata_i);
      if (devices(answers)[1]) AssertUart:      assert (rdata == uart_rdata_i);
      if (devices(answers)[2]) AssertUnit:      assert (rdata == unit_rdata_i);
      if (devices(answers)[3]) AssertScheduler: assert (rdata == scheduler_rdata_i);
      if (devices(answers)[4]) AssertWindow:    assert (rdata == window_rdata_i);
      if (devices(answers)[5]) AssertUser:      assert (rdata == user_rsp_i.rdata);
      if (devices(answers)[6]) AssertDebug:     assert (rdata == debug_rdata_i);
    end
    // REQ-bus-9: a cache is told of the stores that reach the memory, of all of them and of nothing else, with their
    // master and address.
    AssertSnoop:     assert (snoop_valid == ((served != '0 && shown.we && devices(shown.addr)[0]) ? served : '0));
    if (snoop_valid != '0) AssertSnoopAddress: assert (snoop_addr == shown.addr);
    // REQ-bus-10: a late request is granted only if none is on time, and if a first one is late, only to a first one.
    // A late request changes no grant of one on time.
    if (bus_gnt_late != '0) AssertLate: assert (bus_req == '0 && (bus_gnt_late & ~bus_late) == '0);
    if (First && (bus_late & first_i) != '0) AssertFirstOfLate: assert ((bus_gnt_late & ~first_i) == '0);
    if (First && (bus_req & first_i) != '0)  AssertFirst:       assert (!Waits && (winner & ~first_i) == '0);
    if (bus_req != '0 && !Waits)             AssertOnTime:      assert (bus_gnt != '0);
    if (bus_late != '0 && bus_req == '0 && !Waits) AssertLateServed: assert (bus_gnt_late != '0);
    // With Waits memory and scheduler see the access that is to be taken before it is, and take what they have seen.
    if (ram_req)       AssertRamAsked:       assert (ram_ask);
    if (scheduler_req) AssertSchedulerAsked: assert (scheduler_ask);
    AssertOneAsks:   assert (!(ram_ask && scheduler_ask));
    if (Waits && bus_req != '0)
      AssertShown:   assert (ram_ask == devices(dev_cmd.addr)[0] && scheduler_ask == devices(dev_cmd.addr)[3]);

    // REQ-bus-11: as OBI asks of a manager: a request shown to the user's device stays as it is until it is granted,
    // unless its own manager takes it back.
    if (user_shown_q && (bus_req & waits_q & user_by_q) != '0)
      AssertUserStable: assert (user_req && dev_cmd == user_cmd_q);

    // Why: it remembers where the accesses are.
    assert ((served_q & (served_q - Masters'(1))) == '0);
    for (int unsigned m = 0; m < Masters; m++) begin
      if (served_q[m]) assert (out_q[m] && asked_q == devices(addr_q[m]));
      if (Pipeline && winner_q[m]) assert (out_q[m] && granted_q.addr == addr_q[m] && granted_q.we == store_q[m]);
      if (Pipeline && bus_req[m])  assert (out_q[m] && bus_cmd[m].addr == addr_q[m] && bus_cmd[m].we == store_q[m]);
      assert (32'(Pipeline && bus_req[m]) + 32'(Pipeline && winner_q[m]) + 32'(served_q[m]) == 32'(out_q[m]));
    end
    assert (u_bus.err_q == (served_q != '0 && asked_q == '0));
    assert ({u_bus.user_q, u_bus.window_q, u_bus.scheduler_q, u_bus.unit_q, u_bus.uart_q} == asked_q[5:1]);
    if (User && Waits) assert (u_bus.kept == '0 || u_bus.kept == (u_bus.kept & waits_q));

    CoverMemoryLoad:  cover (rvalid[Masters-1] && asked_q[0] && load_q);
    CoverMemoryStore: cover (snoop_valid[Masters-1] && snoop_addr == RamBase + 32'hFFFC);
    CoverUart:        cover (rvalid[0] && asked_q[1]);
    CoverNobody:      cover (rvalid[0] && err && answers[31:28] == 4'hE);
    CoverBackToBack:  cover (Masters > 1 && !Waits ? rvalid[Masters-1] && asked_q[0] && again_q[1] : rvalid[0]);
    CoverUnit:        cover (Units != 0 ? rvalid != '0 && answers == UnitBase + 32'hFC + 256 * (Units - 1) && err : rvalid[0]);
    CoverScheduler:   cover (Scheduler ? rvalid != '0 && asked_q[3] && scheduler_err_i : rvalid[0]);
    CoverWindow:      cover (WindowBytes != 0 ? rvalid != '0 && asked_q[4] && !err : rvalid[0]);
    CoverUser:        cover (User ? rvalid != '0 && asked_q[5] && !err && (!Waits || user_long_q) : rvalid[0]);
    CoverUncached:    cover (Uncached ? snoop_valid != '0 && snoop_addr == UncachedBase : rvalid[0]);
    // Late: after it was not served; a first one before one that has waited
    CoverLate:        cover (!Waits && !Pipeline && Masters > 1 ? bus_gnt_late[0] && shown_late_q && late_q[0] : rvalid[0]);
    CoverFirstLate:   cover (First && !Pipeline && Masters > 1 ? bus_gnt_late[1] && late_q[0] && bus_late[0] : rvalid[0]);
    CoverFirst:       cover (First && Masters > 1 ? bus_gnt[1] && bus_req[0] && u_bus.last_q == 1 : rvalid[0]);
    CoverWaits:       cover (Waits ? ram_req && again_q == '0 && asked_q == '0 && waits_q != '0 : rvalid[0]);
  end

endmodule
