// SPDX-License-Identifier: Apache-2.0
// Message ports: their table and messages, what their operations answer and change, and publishing.
//
// A port is a ring: [rd, commit) is the receive buffer (frozen event of [SMP]), [commit, wr) the send buffer
// (active event). Publishing moves commit to wr. The waiting senders are in the port's wait list.
//
// A service: `outcome_o` is the outcome of operation op_i on port id_i, whose record was read in the cycle
// before (read_i, read_id_i); combinational. Its changes happen with commit_i; a message received is on
// message_o in the cycle after, with message_valid_o.
//
// Publishing: walk_i reads the newest port of the caller's `sent` list; from the next cycle on, every cycle
// with publish_i publishes the port read and reads the one after it. In that cycle publish_wakes_o:
// receiver_o waits and becomes eligible; publish_more_o: the list goes on.
module cl_kernel_port_ops
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg       = Default,
  localparam int unsigned PortWords = Cfg.PortWords,
  localparam int unsigned Clients   = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth  = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth  = $clog2(Cfg.Threads),
  localparam int unsigned LineWidth = (Cfg.Lines > 1) ? $clog2(Cfg.Lines) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                read_i,
  input  logic          [9:0] read_id_i,
  input  logic          [7:0] op_i,
  input  logic          [9:0] id_i,
  input  logic [CpuWidth-1:0] cpu_i,
  input  logic [TidWidth-1:0] caller_i,
  input  logic         [31:0] word0_i,
  input  logic [PortWords:0][31:0] words_i,         // what the client sends
  input  logic                by_line_i,        // no thread sends, but interrupt line line_i, its number:
  input  logic [LineWidth-1:0] line_i,
  input  logic          [9:0] bind_id_i,        // a port that a line is to be bound to
  output logic                bind_exists_o,    // in the next cycle: there is such a port,
  output logic                bind_open_o,      // and it is open
  input  logic                waiter_valid_i,   // a sender is in the port's wait list
  output outcome_t            outcome_o,
  input  logic                commit_i,  // with Pipeline a cycle after the decision

  output logic [TidWidth-1:0] receiver_o,       // of the port read
  output logic                message_valid_o,
  output logic [PortWords:0][31:0] message_o,

  output logic  [Clients-1:0] unpublished_o,    // the CPU's thread has something to publish
  input  logic                walk_i,
  input  logic                publish_i,
  output logic                publish_wakes_o,
  output logic                publish_more_o
);

  localparam int unsigned PortWidth = (Cfg.Ports > 1) ? $clog2(Cfg.Ports) : 1;
  localparam int unsigned SlotWidth = (Cfg.PortDepth > 1) ? $clog2(Cfg.PortDepth) : 1;

  typedef logic [PortWidth-1:0] port_id_t;
  typedef logic   [SlotWidth:0] pointer_t;   // a slot and a wrap bit
  typedef logic [PortWords:0][31:0] message_t;

  typedef struct packed {
    logic [TidWidth-1:0] receiver;
    logic                receiver_waits;
    logic                immediate;
    pointer_t            rd;
    pointer_t            commit;
    pointer_t            wr;
  } port_t;

  typedef struct packed {
    logic open;
    logic close;
    logic put;     // the payload becomes the newest message,
    logic expose;  // and all messages are published
    logic list;    // and the port is on the caller's `sent` list
    logic take;    // the oldest message is received
    logic set_wait;    // the receiver starts to wait
    logic clear_wait;  // it no longer waits
  } change_t;

  port_id_t         raddr, port_q, sent_head, sent_next;
  port_t            port, port_wdata;
  logic [Cfg.Ports-1:0] open_q;
  logic             exists, is_open, is_receiver, full, listed, by_other, publishes, port_we;
  pointer_t         used, frozen;
  change_t          decided, decided_now, change;
  message_t         payload;

  assign exists          = 32'(id_i) < Cfg.Ports;
  assign is_receiver     = port.receiver == caller_i;
  assign used            = port.wr - port.rd;
  assign frozen          = port.commit - port.rd;
  assign full            = 32'(used) == Cfg.PortDepth;
  assign receiver_o      = port.receiver;
  assign payload         = by_line_i ? message_t'(line_i) : words_i;

  // ---------------------------------------------------------------------------------------------
  // Decision

  always_comb begin
    outcome_o = '0;
    decided   = '0;
    unique case (op_i)
      OpPortOpen: begin
        if (!exists)      outcome_o = failed(StatusEinval);
        else if (is_open) outcome_o = failed(StatusEbusy);
        else begin
          decided.open    = 1'b1;
          outcome_o.clear = 1'b1;
        end
      end

      OpPortClose: begin
        if (!exists)             outcome_o = failed(StatusEinval);
        else if (!is_open)       outcome_o = failed(StatusEbadf);
        else if (!is_receiver)   outcome_o = failed(StatusEperm);
        else if (waiter_valid_i) outcome_o = failed(StatusEbusy);
        else begin
          decided.close = 1'b1;
          outcome_o     = answered(WordValueWidth'(used));
        end
      end

      OpPortSend, OpPortTrysend: begin
        if (!exists)       outcome_o = failed(StatusEinval);
        else if (!is_open) outcome_o = failed(StatusEbadf);
        else if (full) begin
          if (op_i == OpPortTrysend) outcome_o        = failed(StatusEagain);
          else                       outcome_o.course = CourseBlock;
          outcome_o.insert  = op_i == OpPortSend;
          outcome_o.publish = !by_line_i;
        end else begin
          // Two writers meet: publish now, or the second's message would wait for the first. A line has no thread
          // that could publish later.
          decided.put    = 1'b1;
          decided.expose = port.immediate | by_other | by_line_i;
          decided.list   = !decided.expose && !listed;
          outcome_o.wake = (decided.expose && port.receiver_waits) ? WakeReceiver : WakeNone;
        end
      end

      OpPortReceive, OpPortTryreceive: begin
        if (!exists)           outcome_o = failed(StatusEinval);
        else if (!is_open)     outcome_o = failed(StatusEbadf);
        else if (!is_receiver) outcome_o = failed(StatusEperm);
        else if (frozen == '0) begin
          // Publishing may fill this very port.
          if (op_i == OpPortTryreceive) outcome_o        = failed(StatusEagain);
          else                          outcome_o.course = CourseBlock;
          decided.set_wait  = op_i == OpPortReceive;
          outcome_o.publish = 1'b1;
        end else begin
          decided.take   = 1'b1;
          outcome_o      = answered(WordValueWidth'(pointer_t'(frozen - 1'b1)));
          outcome_o.wake = waiter_valid_i ? WakeWaiter : WakeNone;
        end
      end

      OpPortLeave: begin
        if (!exists)       outcome_o = failed(StatusEinval);
        else if (!is_open) outcome_o = failed(StatusEbadf);
        else if (port.receiver_waits && 32'(port.receiver) == word0_i) begin
          decided.clear_wait = 1'b1;
          outcome_o.wake = WakeReceiver;
        end
        else if (!waiter_valid_i) outcome_o        = failed(StatusEnoent);
        else                      outcome_o.course = CourseLeave;
      end

      OpPortPublish: outcome_o.course = CoursePublish;

      default: ;  // another service's
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // Tables

  always_comb begin
    raddr = port_q;
    if (read_i)         raddr = port_id_t'(read_id_i);
    else if (walk_i)    raddr = sent_head;
    else if (publish_i) raddr = sent_next;
  end

  logic unused_id;  // an id has more bits than a small table needs
  assign unused_id = ^read_id_i;

  cl_pipeline_register #(.Registered(Cfg.Pipeline), .Width($bits(change_t))) u_decided (
    .clk_i, .d_i(decided), .q_o(decided_now)
  );

  assign change          = commit_i ? decided_now : '0;
  assign publishes       = open_q[port_q] && port.commit != port.wr;
  assign publish_wakes_o = publishes && port.receiver_waits;
  assign port_we         = publish_i ? publishes : change.open | change.put | change.take | change.set_wait | change.clear_wait;

  always_comb begin
    port_wdata = port;
    if (change.open) begin
      port_wdata           = '0;
      port_wdata.receiver  = caller_i;
      port_wdata.immediate = word0_i[PortFlagsImmediateLsb +: PortFlagsImmediateWidth];
    end
    if (change.put)  port_wdata.wr = port.wr + 1'b1;
    if (change.take) port_wdata.rd = port.rd + 1'b1;
    if (change.expose || publish_i) begin
      port_wdata.commit         = port_wdata.wr;
      port_wdata.receiver_waits = 1'b0;
    end
    if (change.set_wait) port_wdata.receiver_waits = 1'b1;
    if (change.clear_wait) port_wdata.receiver_waits = 1'b0;
  end

  cl_ram_1r1w #(.Width($bits(port_t)), .AddrWidth(PortWidth)) u_port (
    .clk_i, .we_i(port_we), .waddr_i(port_q), .wdata_i(port_wdata), .raddr_i(raddr), .rdata_o(port)
  );
  cl_ram_1r1w #(.Width($bits(message_t)), .AddrWidth(PortWidth + SlotWidth)) u_payload (
    .clk_i, .we_i(change.put), .waddr_i({port_q, port.wr[SlotWidth-1:0]}), .wdata_i(payload),
    .raddr_i({port_q, port.rd[SlotWidth-1:0]}), .rdata_o(message_o)
  );

  cl_kernel_sent #(.Clients(Clients), .Ports(Cfg.Ports)) u_sent (
    .clk_i,
    .rst_ni,
    .cpu_i,
    .read_i,
    .read_id_i  (port_id_t'(read_id_i)),
    .raddr_i    (raddr),
    .port_i     (port_q),
    .listed_o   (listed),
    .by_other_o (by_other),
    .valid_o    (unpublished_o),
    .head_o     (sent_head),
    .more_o     (publish_more_o),
    .next_o     (sent_next),
    .add_i      (change.list),
    .pop_i      (publish_i)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      port_q          <= '0;
      open_q          <= '0;
      is_open         <= 1'b0;
      bind_exists_o   <= 1'b0;
      bind_open_o     <= 1'b0;
      message_valid_o <= 1'b0;
    end else begin
      port_q          <= raddr;
      if (read_i) is_open <= open_q[port_id_t'(read_id_i)];
      bind_exists_o   <= 32'(bind_id_i) < Cfg.Ports;
      bind_open_o     <= open_q[port_id_t'(bind_id_i)];
      message_valid_o <= change.take;
      if (change.open)  open_q[port_q] <= 1'b1;
      if (change.close) open_q[port_q] <= 1'b0;
    end
  end

endmodule
