// SPDX-License-Identifier: Apache-2.0
// Which client the engine serves next, round-robin among those that ask: that hold an operation or a save, or wait while
// an interrupt is pending.
//
// In a cycle with valid_o client client_o is taken. With Pipeline it was chosen a cycle before: it keeps its turn until
// it is served, or no longer asks, and an operation is taken when it and the thread that it reads are registered here.
// A wake in that cycle may change what its save does: then it is not the clients' turn.
module cl_kernel_pick
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg      = Default,
  localparam int unsigned Clients  = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth = $clog2(Cfg.Threads),
  // Defined by cl_kernel
  parameter  type         requests_t    = logic,
  parameter  type         sched_state_t = logic
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  requests_t                        requests_i,
  input  sched_state_t                     sched_i,
  input  logic                             turn_i,    // it is the clients' turn
  output logic                             valid_o,
  output logic              [CpuWidth-1:0] client_o,
  output logic                             busy_o,    // it has an operation or a save; else its wait ends
  output logic                             op_valid_o,
  output logic                       [7:0] op_o,
  output logic                       [9:0] id_o,
  output logic                             requeue_o, // its save is of a thread that is ready again: this is queued first,
  output logic                             front_o,   // at the head of its priority
  output logic              [TidWidth-1:0] tid_o,     // that thread; else with Pipeline the one that the operation reads
  output logic [Clients-1:0]               take_o     // the port's operation or save is taken
);

  typedef logic [CpuWidth-1:0] cpu_t;

  // A client's request
  typedef struct packed {
    logic                op_valid, requeue, front;
    logic          [7:0] op;
    logic          [9:0] id;
    logic [TidWidth-1:0] tid;
  } asked_t;

  logic   [Clients-1:0] request, candidates, grant;
  asked_t [Clients-1:0] of_client;
  asked_t               asked;
  cpu_t                 candidate;
  logic                 any, candidate_valid, candidate_taken;

  assign request = requests_i.op_valid | requests_i.save | (sched_i.waiting & requests_i.intr);
  assign busy_o  = requests_i.op_valid[client_o] | requests_i.save[client_o];
  assign valid_o = any && turn_i;

  for (genvar c = 0; c < Clients; c++) begin : g_client
    logic requeue;

    assign requeue   = requests_i.save[c] & sched_i.leaving[c] & sched_i.leaving_ready[c];
    assign take_o[c] = valid_o && busy_o && client_o == cpu_t'(c);

    always_comb begin
      of_client[c] = '{op_valid: requests_i.op_valid[c], requeue: requeue, front: sched_i.leaving_front[c],
                       op: requests_i.op[c], id: requests_i.id[c], tid: sched_i.leaving_tid[c]};
      if (Cfg.Pipeline && !requeue) begin
        of_client[c].tid = TidWidth'((requests_i.op[c] == OpReserve) ? requests_i.words[c][0][9:0] : requests_i.id[c]);
        if (record_of(requests_i.op[c], Cfg.Inheritance) == RecordOfCaller) of_client[c].tid = sched_i.tid[c];
      end
    end
  end

  cl_round_robin #(.Clients(Clients)) u_round_robin (
    .clk_i,
    .rst_ni,
    .req_i    (candidates),
    .served_i (candidate_taken),
    .valid_o  (candidate_valid),
    .index_o  (candidate),
    .grant_o  (grant)
  );

  assign op_valid_o = asked.op_valid;
  assign requeue_o  = asked.requeue;
  assign front_o    = asked.front;
  assign op_o       = asked.op;
  assign id_o       = asked.id;
  assign tid_o      = asked.tid;

  if (Cfg.Pipeline) begin : g_pipeline
    logic [Clients-1:0] known_q;  // the operation has been there for a cycle
    logic [Clients-1:0] pick_q;   // the client picked, if any, as one bit
    cpu_t               index_q;
    logic               again, stands;
    asked_t             of_pick, of_candidate;

    // Both are selected before it is known which one it is.
    always_comb begin
      of_pick      = '0;
      of_candidate = '0;
      for (int unsigned c = 0; c < Clients; c++) begin
        if (pick_q[c]) of_pick      |= of_client[c];
        if (grant[c])  of_candidate |= of_client[c];
      end
    end

    assign stands          = (pick_q & request) != '0;
    assign again           = stands && !valid_o;
    assign candidates      = request & ~pick_q;
    assign candidate_taken = candidate_valid && !again;
    assign any             = stands && (pick_q & requests_i.op_valid & ~known_q) == '0;
    assign client_o        = index_q;

    logic unused;
    assign unused = ^sched_i;

    always_ff @(posedge clk_i) asked <= again ? of_pick : of_candidate;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        pick_q  <= '0;
        index_q <= '0;
        known_q <= '0;
      end else begin
        pick_q  <= again ? pick_q : grant;
        if (!again) index_q <= candidate;
        known_q <= requests_i.op_valid & ~take_o;
      end
    end
  end else begin : g_at_once
    assign candidates      = request;
    assign candidate_taken = valid_o;
    assign any             = candidate_valid;
    assign client_o        = candidate;
    assign asked           = of_client[client_o];

    logic unused;
    assign unused = ^{sched_i, requests_i, grant};
  end

endmodule
