// SPDX-License-Identifier: Apache-2.0
// cl_sdram_controller against SdramChip: random accesses as those of cl_bus, each answer compared with a memory of words.
// Arguments: seed, accesses, and how far apart they are. One line: what was done, then what was wrong.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <unordered_map>
#include "Vmodel.h"
#include "sdram_chip.h"

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[1])));
  const unsigned wanted = static_cast<unsigned>(std::atoi(argv[2])), spread = static_cast<unsigned>(std::atoi(argv[3]));
  Vmodel top;
  SdramChip chip(1'000'000'000'000ull / CLOCK_HZ);
  std::unordered_map<uint32_t, uint32_t> memory;
  const auto below = [&](unsigned limit) { return static_cast<uint32_t>(random() % limit); };
  const auto place = [&] { // within some rows of all banks, or anywhere
    const uint32_t near = below(4) << 10 | below(4) << 8 | below(spread);
    return below(16) ? near : below(1u << 23);
  };

  // One cycle: the rising edge, then the falling one, at which the part takes its pins and data_i is sampled.
  uint64_t cycles = 0;
  const auto cycle = [&] {
    top.clk_i = 1, top.eval();
    const unsigned sampled = chip.out();
    chip.edge({top.cke_o != 0, top.cs_no != 0, top.ras_no != 0, top.cas_no != 0, top.we_no != 0, top.drive_o != 0,
               top.addr_o, top.bank_o, top.mask_o, top.data_o});
    top.clk_i = 0, top.data_i = sampled, top.eval();
    cycles++;
  };
  top.clk_i = 0, top.rst_ni = 0, top.eval();
  cycle();
  top.rst_ni = 1;

  unsigned done = 0, loads = 0, differ = 0, withdrawn = 0;
  uint64_t longest = 0, waited = 0, begin = 0;
  while (done < wanted) {
    for (unsigned idle = below(4) ? 0 : below(40); idle; idle--) top.req_i = 0, top.eval(), cycle();
    const bool store = below(3) == 0;
    const uint32_t word = place(), value = below(1u << 31) << 1 ^ below(2), bytes = below(2) ? 15 : below(16);
    const unsigned give_up = below(32) == 0 ? 1 + below(8) : 0;
    // Shown for a cycle before it can be taken; cmd_i: we, be, addr, wdata
    top.req_i = 1;
    const unsigned __int128 cmd = static_cast<unsigned __int128>(store) << 68 |
                                  static_cast<unsigned __int128>(bytes) << 64 |
                                  static_cast<unsigned __int128>(word << 2) << 32 | value;
    for (int i = 0; i < 3; i++) top.cmd_i[i] = static_cast<uint32_t>(cmd >> (32 * i));
    top.taken_i = 0, top.eval();
    begin = cycles;
    cycle();
    top.eval();
    bool gone = false;
    while (!top.ready_o && !gone) {
      cycle(), top.eval();
      gone = give_up && cycles - begin > give_up;
      if (cycles - begin > 100'000) return std::printf("no answer\n"), 1;
    }
    if (gone) {
      top.req_i = 0, top.eval(), cycle();
      withdrawn++;
      continue;
    }
    top.taken_i = 1, top.eval(), cycle();
    top.taken_i = 0, top.req_i = 0, top.eval();
    if (done > 0 && cycles - begin > longest) longest = cycles - begin;
    if (done > 0) waited += cycles - begin;
    done++;
    if (store) {
      uint32_t &is = memory[word];
      for (int b = 0; b < 4; b++) {
        if (bytes >> b & 1) is = (is & ~(0xFFu << 8 * b)) | (value & 0xFFu << 8 * b);
      }
    } else {
      loads++;
      const auto is = memory.find(word);
      if (top.rdata_o != (is == memory.end() ? 0 : is->second)) differ++;
    }
  }
  if (chip.gap_ps() > 7'812'500) chip.wrong.insert("tREF");
  std::printf("%u accesses, %u loads, %u withdrawn, %u differ; longest %lu cycles, refreshes %d\n", done, loads,
              withdrawn, differ, static_cast<unsigned long>(longest), chip.refreshes > 8);
  std::fprintf(stderr, "cycles %lu, mean %.2f, activates %lu reads %lu writes %lu refreshes %lu, gap %lu ns\n", cycles,
               double(waited) / done, chip.activates, chip.reads, chip.writes, chip.refreshes, chip.longest_ps / 1000);
  for (const auto &each : chip.wrong) std::printf("%s\n", each.c_str());
}
