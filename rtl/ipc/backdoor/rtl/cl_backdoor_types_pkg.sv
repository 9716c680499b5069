// SPDX-License-Identifier: Apache-2.0
// The bundles that the two sides of the Back-Door send each other.
package cl_backdoor_types_pkg;

  import cl_backdoor_pkg::*;

  typedef struct packed {
    dma_error_e error;
    logic       done;
    logic       busy;
  } dma_status_t;

  typedef struct packed {
    logic                   run;      // 0: hold processor 1
    logic             [7:0] mail;     // words put into the mailbox since reset, modulo 256
    logic [Words-1:0][31:0] words;
  } near_bundle_t;

  typedef struct packed {
    logic                   running;  // processor 1 is not held
    logic             [7:0] mail;
    logic [Words-1:0][31:0] words;
    dma_status_t            dma;
    // Sent along: a change of these does not send a bundle
    logic                   cut;      // not running: the DMA was busy when processor 1 was held
    logic            [31:0] pc;       // of processor 1 when it was last held
    logic            [31:0] down_bytes;
    logic            [31:0] up_bytes;
    logic            [31:0] dma_cycles;
  } far_bundle_t;

  localparam int unsigned FarNoTrigger = 1 + 4 * 32;   // bits from cut to dma_cycles

  function automatic logic [31:0] dma_status_word(dma_status_t status);
    logic [31:0] word;
    word = '0;
    word[DmaStatusWordBusyLsb]                           = status.busy;
    word[DmaStatusWordDoneLsb]                           = status.done;
    word[DmaStatusWordErrorLsb+:DmaStatusWordErrorWidth] = status.error;
    return word;
  endfunction

endpackage
