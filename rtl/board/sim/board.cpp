// SPDX-License-Identifier: Apache-2.0
// A board as a program sees it from outside: standard input is what comes over its UART, standard output what it sends.
// The model is cl_board (RTL) or, with NETLIST, the netlist of the board's top: with SDRAM, with the levels BUTTONS of
// buttons that are not pressed and DARK of LEDs that are off. Arguments: the most cycles; then, for the tests,
// `press N C`: button N is pressed at cycle C, for 5000 cycles, `memory FILE`: what the SDRAM has from its start on, or
// `jtag SOCKET`: the descriptor of a socket to a debugger (jtag.h), until whose end it goes on; of the RTL only.
// Ends at the last cycle, when standard input has ended and nothing was sent for 100 000 cycles, or at a kill.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include "Vmodel.h"
#include <cstring>
#include "sdram_chip.h"
#ifndef NETLIST
#include "../../soc/sim/jtag.h"
#endif

static Vmodel top;
#ifdef NETLIST
#define CLOCK top.crystal
#define TO_BOARD top.rx
#define FROM_BOARD top.tx
#define LEDS (top.led ^ DARK)
#else
#define CLOCK top.clk_i
#define TO_BOARD top.rx_i
#define FROM_BOARD top.tx_o
#define LEDS top.led_o
#endif

int main(int argc, char **argv) {
  const uint64_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : ~0ull;
  const unsigned button = argc > 4 ? static_cast<unsigned>(std::atoi(argv[3])) : 0;
  const uint64_t pressed = argc > 4 ? std::strtoull(argv[4], nullptr, 0) : ~0ull;
  fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
  SdramChip chip(1'000'000'000'000ull / CLOCK_HZ);
#ifndef NETLIST
  Jtag jtag(argc == 4 && !std::strcmp(argv[2], "jtag") ? std::atoi(argv[3]) : -1);
  top.tms_i = 1;
#endif
  if (argc == 4 && !std::strcmp(argv[2], "memory")) {
    std::FILE *file = std::fopen(argv[3], "rb");
    if (!file) return 1;
    unsigned char half[2];
    for (uint32_t at = 0; std::fread(half, 1, 2, file) == 2; at++) {
      chip.half(at) = static_cast<uint16_t>(half[0] | half[1] << 8);
    }
    std::fclose(file);
  }
  const auto pins = [] {
#if defined NETLIST && !SDRAM
    return SdramChip::Pins{};
#elif defined NETLIST
    return SdramChip::Pins{top.sdram_cke != 0,  top.sdram_csn != 0, top.sdram_rasn != 0,
                           top.sdram_casn != 0, top.sdram_wen != 0, !top.sdram_wen && top.sdram_casn == 0,
                           top.sdram_a,         top.sdram_ba,       top.sdram_dqm,
                           top.sdram_d_driven};
#else
    return SdramChip::Pins{top.sdram_cke_o != 0, top.sdram_cs_no != 0,   top.sdram_ras_no != 0, top.sdram_cas_no != 0,
                           top.sdram_we_no != 0, top.sdram_drive_o != 0, top.sdram_addr_o,      top.sdram_bank_o,
                           top.sdram_mask_o,     top.sdram_data_o};
#endif
  };
  CLOCK = 0, TO_BOARD = 1;
#ifdef NETLIST
  top.btn = BUTTONS;
#endif
  top.eval();

  unsigned send = 0, send_bits = 0, send_clock = 0; // to the board, stop bit on top
  unsigned got = 0, got_bits = 0, got_clock = 0, leds = 0, before = 1; // from it
  uint64_t quiet = 0;
  bool open = true;
  for (uint64_t cycle = 0; cycle < most; cycle++) {
    const bool held = cycle >= pressed && cycle - pressed < 5000;
#ifdef NETLIST
    top.btn = BUTTONS ^ (held ? 1u << button : 0);
#else
    top.rst_ni = cycle >= 4;
    top.button_i = held && button ? 1u << (button - 1) : 0;
    top.again_i = held && !button;
    jtag.cycle(top);
#endif
    if (send_clock) {
      send_clock--;
    } else if (send_bits) {
      TO_BOARD = send & 1, send >>= 1, send_bits--, send_clock = CLOCKS_PER_BIT - 1;
    } else if (open && cycle % 64 == 0) {
      unsigned char byte;
      const ssize_t read_now = read(0, &byte, 1);
      if (read_now == 1) send = 0x600u | byte << 1, send_bits = 11, quiet = 0; // a start bit, two stop bits
      else if (read_now == 0) open = false;
    }
    CLOCK = 1, top.eval();
    // The part's clock rises here; what it drove before is sampled.
    const unsigned sampled = chip.out();
    chip.edge(pins());
#ifndef NETLIST
    top.sdram_data_i = sampled;
#elif SDRAM
    top.sdram_d = sampled;
#endif
    CLOCK = 0, top.eval();

    const unsigned line = FROM_BOARD;
    if (!got_bits) {
      if (before && !line) got_bits = 10, got_clock = CLOCKS_PER_BIT / 2, got = 0;
    } else if (got_clock) {
      got_clock--;
    } else {
      got |= line << (10 - got_bits);
      if (!--got_bits) {
        const unsigned char byte = static_cast<unsigned char>(got >> 1);
        if (!(got & 1) && got >> 9 && write(1, &byte, 1) != 1) return 1;
        quiet = 0;
      }
      got_clock = CLOCKS_PER_BIT - 1;
    }
    before = line;
    if (static_cast<unsigned>(LEDS) != leds) std::fprintf(stderr, "cycle %lu: LEDs %02x\n", cycle, leds = LEDS);
#ifndef NETLIST
    if (jtag.there()) quiet = 0;
#endif
    if (!open && !send_bits && ++quiet > 100'000) break;
  }
  for (const auto &each : chip.wrong) std::fprintf(stderr, "SDRAM: %s\n", each.c_str());
}
