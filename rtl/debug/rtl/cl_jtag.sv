// SPDX-License-Identifier: Apache-2.0
// JTAG port of a debug module: the TAP of IEEE 1149.1 with the registers of the RISC-V debug specification 0.13
// (IDCODE, DTMCS, DMI). The wires are sampled, so all of it runs by clk_i, which must be eight times as fast as TCK.
//
// An access to the debug module takes one cycle, less than a bit of TCK: it never asks the debugger to wait.
module cl_jtag #(
  parameter logic [31:0] IdCode = 32'h1000_0001  // bit 0 is 1, bits 11:1 are no manufacturer's
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        tck_i,         // of any clock
  input  logic        tms_i,
  input  logic        tdi_i,
  output logic        tdo_o,         // changes at the falling edge of TCK
  output logic        tdo_oe_o,      // it is driven: something is shifted

  // Debug module interface: a request lasts one cycle, and the word that is read is there in the next one
  output logic        dmi_req_o,
  output logic        dmi_we_o,
  output logic  [6:0] dmi_addr_o,
  output logic [31:0] dmi_wdata_o,
  input  logic [31:0] dmi_rdata_i
);

  localparam int unsigned DmiWidth = 41;  // address, word, operation

  typedef enum logic [4:0] {
    IrIdCode = 5'h01,
    IrDtmcs  = 5'h10,
    IrDmi    = 5'h11
  } ir_e;

  typedef enum logic [3:0] {
    TestLogicReset, RunTestIdle,
    SelectDr, CaptureDr, ShiftDr, Exit1Dr, PauseDr, Exit2Dr, UpdateDr,
    SelectIr, CaptureIr, ShiftIr, Exit1Ir, PauseIr, Exit2Ir, UpdateIr
  } tap_e;

  // Version 0.13, seven bits of address, no waiting in Run-Test/Idle, and no error ever
  localparam logic [31:0] Dtmcs = {17'd0, 3'd0, 2'd0, 6'd7, 4'd1};

  // Each wire through two registers; a third one shows TCK's edges
  logic [2:0] tck_q;
  logic [1:0] tms_q, tdi_q;
  logic       rises, falls, tms, tdi;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tck_q <= '0;
      tms_q <= '0;
      tdi_q <= '0;
    end else begin
      tck_q <= {tck_q[1:0], tck_i};
      tms_q <= {tms_q[0], tms_i};
      tdi_q <= {tdi_q[0], tdi_i};
    end
  end

  assign rises = tck_q[1] & ~tck_q[2];
  assign falls = ~tck_q[1] & tck_q[2];
  assign tms   = tms_q[1];
  assign tdi   = tdi_q[1];

  tap_e tap_q, tap_d;

  always_comb begin
    unique case (tap_q)
      TestLogicReset: tap_d = tms ? TestLogicReset : RunTestIdle;
      RunTestIdle:    tap_d = tms ? SelectDr       : RunTestIdle;
      SelectDr:       tap_d = tms ? SelectIr       : CaptureDr;
      CaptureDr:      tap_d = tms ? Exit1Dr        : ShiftDr;
      ShiftDr:        tap_d = tms ? Exit1Dr        : ShiftDr;
      Exit1Dr:        tap_d = tms ? UpdateDr       : PauseDr;
      PauseDr:        tap_d = tms ? Exit2Dr        : PauseDr;
      Exit2Dr:        tap_d = tms ? UpdateDr       : ShiftDr;
      UpdateDr:       tap_d = tms ? SelectDr       : RunTestIdle;
      SelectIr:       tap_d = tms ? TestLogicReset : CaptureIr;
      CaptureIr:      tap_d = tms ? Exit1Ir        : ShiftIr;
      ShiftIr:        tap_d = tms ? Exit1Ir        : ShiftIr;
      Exit1Ir:        tap_d = tms ? UpdateIr       : PauseIr;
      PauseIr:        tap_d = tms ? Exit2Ir        : PauseIr;
      Exit2Ir:        tap_d = tms ? UpdateIr       : ShiftIr;
      UpdateIr:       tap_d = tms ? SelectDr       : RunTestIdle;
      default:        tap_d = TestLogicReset;
    endcase
  end

  // The instruction, the register that is shifted, and what the last access of the debug module gave
  ir_e                 ir_q;
  logic [DmiWidth-1:0] shift_q;
  logic         [31:0] dmi_data_q;
  logic                answered_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tap_q       <= TestLogicReset;
      ir_q        <= IrIdCode;
      shift_q     <= '0;
      tdo_o       <= 1'b0;
      tdo_oe_o    <= 1'b0;
      dmi_req_o   <= 1'b0;
      dmi_we_o    <= 1'b0;
      dmi_addr_o  <= '0;
      dmi_wdata_o <= '0;
      dmi_data_q  <= '0;
      answered_q  <= 1'b0;
    end else begin
      dmi_req_o  <= 1'b0;
      answered_q <= dmi_req_o & ~dmi_we_o;
      if (answered_q) dmi_data_q <= dmi_rdata_i;

      if (rises) begin
        tap_q <= tap_d;
        unique case (tap_q)
          CaptureIr: shift_q <= DmiWidth'(1);  // the standard asks for 01 at the end
          ShiftIr:   shift_q <= {shift_q[DmiWidth-1:5], tdi, shift_q[4:1]};
          CaptureDr: begin
            unique case (ir_q)
              IrIdCode: shift_q <= DmiWidth'(IdCode);
              IrDtmcs:  shift_q <= DmiWidth'(Dtmcs);
              IrDmi:    shift_q <= {dmi_addr_o, dmi_data_q, 2'd0};
              default:  shift_q <= '0;
            endcase
          end
          ShiftDr: begin
            unique case (ir_q)
              IrIdCode, IrDtmcs: shift_q <= {shift_q[DmiWidth-1:32], tdi, shift_q[31:1]};
              IrDmi:             shift_q <= {tdi, shift_q[DmiWidth-1:1]};
              default:           shift_q <= DmiWidth'(tdi);  // BYPASS, one bit
            endcase
          end
          default: ;
        endcase
      end

      if (falls) begin
        tdo_o    <= shift_q[0];
        tdo_oe_o <= tap_q == ShiftDr || tap_q == ShiftIr;
        unique case (tap_q)
          TestLogicReset: ir_q <= IrIdCode;
          UpdateIr:       ir_q <= ir_e'(shift_q[4:0]);
          UpdateDr: if (ir_q == IrDmi && (shift_q[1:0] == 2'd1 || shift_q[1:0] == 2'd2)) begin
            dmi_req_o   <= 1'b1;
            dmi_we_o    <= shift_q[1];
            dmi_addr_o  <= shift_q[40:34];
            dmi_wdata_o <= shift_q[33:2];
            dmi_data_q  <= shift_q[33:2];
          end
          default: ;
        endcase
      end
    end
  end

endmodule
