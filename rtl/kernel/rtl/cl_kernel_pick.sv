// SPDX-License-Identifier: Apache-2.0
// Which client the engine serves next, round-robin among those that ask: that hold an operation or a save, or wait while
// an interrupt is pending.
//
// In a cycle with valid_o client client_o is taken. With Pipeline it was chosen a cycle before: it keeps its turn until
// it is served, or no longer asks, and an operation is taken when it and the thread that it reads are registered here.
module cl_kernel_pick
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  bit          Pipeline    = 1'b0,
  parameter  bit          Inheritance = 1'b0,
  parameter  bit          EventFlags  = 1'b0,
  parameter  int unsigned Clients     = 2,
  parameter  int unsigned TidWidth    = 6,
  localparam int unsigned CpuWidth    = (Clients > 1) ? $clog2(Clients) : 1,
  parameter  type         requests_t  = logic  // defined by cl_kernel
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  requests_t                        requests_i,
  input  logic [Clients-1:0]               waiting_i,
  input  logic [Clients-1:0][TidWidth-1:0] caller_i,  // their threads
  input  logic                             turn_i,    // it is the clients' turn
  output logic                             valid_o,
  output logic              [CpuWidth-1:0] client_o,
  output logic                             busy_o,    // it has an operation or a save; else its wait ends
  output logic                       [5:0] op_o,
  output logic                       [9:0] id_o,
  output logic              [TidWidth-1:0] tid_o,     // with Pipeline: the thread that it reads, if not a new one
  output logic [Clients-1:0]               take_o     // the port's operation or save is taken
);

  typedef logic [CpuWidth-1:0] cpu_t;

  logic [Clients-1:0] request, candidates;
  cpu_t               candidate;
  logic               any, candidate_valid, candidate_taken;

  assign request = requests_i.op_valid | requests_i.save | (waiting_i & requests_i.intr);
  assign busy_o  = requests_i.op_valid[client_o] | requests_i.save[client_o];
  assign valid_o = any && turn_i;

  for (genvar c = 0; c < Clients; c++) begin : g_take
    assign take_o[c] = valid_o && busy_o && client_o == cpu_t'(c);
  end

  cl_round_robin #(.Clients(Clients)) u_round_robin (
    .clk_i,
    .rst_ni,
    .req_i    (candidates),
    .served_i (candidate_taken),
    .valid_o  (candidate_valid),
    .index_o  (candidate)
  );

  if (Pipeline) begin : g_pipeline
    logic  [Clients-1:0] known_q;  // the operation has been there for a cycle
    logic                pick_q, again;
    cpu_t                index_q, index_d;
    logic          [5:0] op;
    logic [TidWidth-1:0] object;

    assign index_d = again ? index_q : candidate;
    assign op      = requests_i.op[index_d];
    assign object  = TidWidth'((op == OpReserve) ? requests_i.words[index_d][0][9:0] : requests_i.id[index_d]);

    always_ff @(posedge clk_i) begin
      op_o  <= op;
      id_o  <= requests_i.id[index_d];
      tid_o <= (record_of(op, Inheritance, EventFlags) == RecordOfCaller) ? caller_i[index_d] : object;
    end

    assign again           = pick_q && request[index_q] && !valid_o;
    assign candidates      = request & ~(Clients'(pick_q) << index_q);
    assign candidate_taken = candidate_valid && !again;
    assign any             = pick_q && request[index_q] && (known_q[index_q] || !requests_i.op_valid[index_q]);
    assign client_o        = index_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        pick_q  <= 1'b0;
        index_q <= '0;
        known_q <= '0;
      end else begin
        pick_q  <= again | candidate_valid;
        index_q <= index_d;
        known_q <= requests_i.op_valid & ~take_o;
      end
    end
  end else begin : g_at_once
    assign candidates      = request;
    assign candidate_taken = valid_o;
    assign any             = candidate_valid;
    assign client_o        = candidate;
    assign op_o            = requests_i.op[client_o];
    assign id_o            = requests_i.id[client_o];
    assign tid_o           = '0;

    logic unused;
    assign unused = ^{caller_i, requests_i};
  end

endmodule
