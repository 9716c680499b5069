// SPDX-License-Identifier: Apache-2.0
// The bundles that the two sides of the Back-Door send each other.
package cl_backdoor_types_pkg;

  import cl_backdoor_pkg::*;

  typedef struct packed {
    dma_error_e error;
    logic       done;
    logic       busy;
  } dma_status_t;

  // A window transfer, as the far side asks for it: one that is not done yet while start differs from the answer's done.
  typedef struct packed {
    logic        up;             // from the up block to the window; else from the window to the down block
    logic [19:0] words;
    logic [31:0] offset, block;  // bytes in the window and in the block
  } window_request_t;

  typedef struct packed {
    logic          done;
    window_error_e error;
  } window_answer_t;

  typedef struct packed {
    logic        writable;
    logic [29:0] words;          // 0: closed
  } window_t;

  typedef struct packed {
    logic                   run;      // 0: hold processor 1
    logic             [7:0] mail;     // words put into the mailbox since reset, modulo 256
    logic [Words-1:0][31:0] words;
    window_t                window;
    window_answer_t         answer;   // to the far side's window transfer
  } near_bundle_t;

  typedef struct packed {
    logic                   running;  // processor 1 is not held
    logic             [7:0] mail;
    logic [Words-1:0][31:0] words;
    dma_status_t            dma;
    logic                   start;    // of a window transfer: changes with each
    // Sent along: a change of these does not send a bundle
    logic                   cut;      // not running: the DMA was busy when processor 1 was held
    logic            [31:0] pc;       // of processor 1 when it was last held
    logic            [31:0] down_bytes;
    logic            [31:0] up_bytes;
    logic            [31:0] dma_cycles;
    window_request_t        request;  // stable from the change of start to its answer
  } far_bundle_t;

  localparam int unsigned FarNoTrigger = 1 + 4 * 32 + $bits(window_request_t);   // bits from cut to request

  function automatic logic [31:0] dma_status_word(dma_status_t status);
    logic [31:0] word;
    word = '0;
    word[DmaStatusWordBusyLsb]                           = status.busy;
    word[DmaStatusWordDoneLsb]                           = status.done;
    word[DmaStatusWordErrorLsb+:DmaStatusWordErrorWidth] = status.error;
    return word;
  endfunction

  function automatic logic [31:0] window_word(window_t window);
    logic [31:0] word;
    word = '0;
    word[WindowWordWritableLsb]                  = window.writable;
    word[WindowWordWordsLsb+:WindowWordWordsWidth] = window.words;
    return word;
  endfunction

endpackage
