// SPDX-License-Identifier: Apache-2.0
// Semaphores: their table, and what their operations answer and change.
//
// A service: `outcome_o` is the outcome of operation op_i on object id_i, whose record was read in the cycle
// before (read_id_i); combinational. Its changes to the table happen with commit_i.
module cl_kernel_semaphore_ops
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg = Default
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [9:0] read_id_i,
  input  logic  [7:0] op_i,
  input  logic  [9:0] id_i,
  input  logic [31:0] word0_i,
  input  logic [31:0] read_word0_i,    // it in the next cycle
  input  logic  [9:0] bind_id_i,
  output logic        bindable_o,      // in the next cycle: there is a semaphore bind_id_i
  input  logic        waiter_valid_i,  // the semaphore's wait list is not empty
  output outcome_t    outcome_o,
  output logic  [9:0] new_o,           // with semaphore_create: the new semaphore
  input  logic        commit_i  // with Pipeline a cycle after the decision
);

  localparam int unsigned CountWidth = $clog2(SemaphoreMax + 1);
  localparam int unsigned Slots      = (Cfg.Semaphores > 0) ? Cfg.Semaphores : 1;
  localparam int unsigned IdWidth    = (Slots > 1) ? $clog2(Slots) : 1;

  logic                  exists, room, create, destroy, set, too_many;
  logic [CountWidth-1:0] count, set_to;
  logic [Slots-1:0] used;

  logic unused;  // the count is shorter than a word
  assign unused = ^word0_i;

  always_ff @(posedge clk_i) begin
    bindable_o <= 32'(bind_id_i) < Slots && used[IdWidth'(bind_id_i)];
    too_many   <= read_word0_i > SemaphoreMax;
  end

  always_comb begin
    outcome_o = '0;
    create    = 1'b0;
    destroy   = 1'b0;
    set       = 1'b0;
    set_to    = count - 1'b1;
    unique case (op_i)
      OpSemaphoreCreate: begin
        if (too_many)               outcome_o = failed(StatusEinval);
        else if (!room)             outcome_o = failed(StatusEagain);
        else begin
          create          = 1'b1;
          set_to          = CountWidth'(word0_i);
          outcome_o       = answered(WordValueWidth'(new_o));
          outcome_o.clear = 1'b1;
        end
      end

      OpSemaphoreDestroy: begin
        if (!exists)             outcome_o = failed(StatusEinval);
        else if (waiter_valid_i) outcome_o = failed(StatusEbusy);
        else                     destroy   = 1'b1;
      end

      OpSemaphoreWait: begin
        if (!exists)          outcome_o = failed(StatusEinval);
        else if (count != '0) set       = 1'b1;
        else begin
          outcome_o.course = CourseBlock;
          outcome_o.insert = 1'b1;
        end
      end

      OpSemaphoreTrywait: begin
        if (!exists)          outcome_o = failed(StatusEinval);
        else if (count == '0) outcome_o = failed(StatusEagain);
        else                  set       = 1'b1;
      end

      OpSemaphorePost: begin
        if (!exists)                          outcome_o      = failed(StatusEinval);
        else if (waiter_valid_i)              outcome_o.wake = WakeWaiter;
        else if (32'(count) == SemaphoreMax)  outcome_o      = failed(StatusErange);
        else begin
          set    = 1'b1;
          set_to = count + 1'b1;
        end
      end

      OpSemaphoreValue: begin
        if (!exists) outcome_o = failed(StatusEinval);
        else         outcome_o = answered(WordValueWidth'(count));
      end

      OpSemaphoreLeave: begin
        if (!exists)              outcome_o        = failed(StatusEinval);
        else if (!waiter_valid_i) outcome_o        = failed(StatusEnoent);
        else                      outcome_o.course = CourseLeave;
      end

      default: ;  // another service's
    endcase
  end

  logic create_now, destroy_now, set_now;

  cl_pipeline_register #(.Registered(Cfg.Pipeline), .Width(3)) u_decided (
    .clk_i, .d_i({create, destroy, set}), .q_o({create_now, destroy_now, set_now})
  );

  cl_object_table #(.Count(Cfg.Semaphores), .Width(CountWidth)) u_table (
    .clk_i,
    .rst_ni,
    .read_id_i,
    .rdata_o   (count),
    .used_o    (used),
    .id_i,
    .exists_o  (exists),
    .room_o    (room),
    .new_o,
    .create_i  (create_now & commit_i),
    .destroy_i (destroy_now & commit_i),
    .we_i      (set_now & commit_i),
    .wdata_i   (set_to)
  );

endmodule
