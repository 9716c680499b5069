// SPDX-License-Identifier: Apache-2.0
// Four data caches on a bus (cl_dcache_bench): litmus tests with every combination of delays and of words that are in
// the caches before, then accesses at random, with resets in the midst of them. usage: sim SEED ROUNDS
//
// In all of it each load is compared with a model of the memory: it returns a value that its word has had since the
// load was accepted. Prints a line for each litmus test, with the outcomes seen as a set of bits, and the random
// accesses that were compared, and those cut by a reset. Exit status 1: a wrong value.

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "Vmodel.h"
#include "verilated.h"

namespace {

constexpr unsigned kCpus = 4, kWords = 1024, kCache = 16;  // words of the memory and of a cache
constexpr uint32_t kBase = 0x40000000u;

struct Op {
  bool we;
  uint32_t word, value;
  unsigned wait;  // cycles after the answer to the last one
  uint32_t be = 15;
};

VerilatedContext context;
Vmodel *top;
std::array<uint32_t, kWords> memory;
uint64_t compared = 0;

// One processor: accesses one after the other
struct Cpu {
  std::vector<Op> ops;
  std::vector<uint32_t> loaded;
  size_t next = 0;
  unsigned wait = 0;
  bool out = false;
  std::vector<uint32_t> had;  // values of the word since the load under way was accepted
};

std::array<Cpu, kCpus> cpus;

void fail(const char *what, unsigned cpu, uint32_t value) {
  std::printf("wrong: %s, processor %u, %08" PRIx32 "\n", what, cpu, value);
  std::exit(1);
}

void answer(unsigned n) {
  Cpu &cpu = cpus[n];
  if (!(top->rvalid_o >> n & 1)) return;
  if (!cpu.out || (top->err_o >> n & 1)) fail("answer", n, 0);
  const Op &op = cpu.ops[cpu.next];
  if (!op.we) {
    bool right = false;
    for (uint32_t value : cpu.had) right = right || value == top->rdata_o[n];
    if (!right) fail("load", n, top->rdata_o[n]);
    cpu.loaded.push_back(top->rdata_o[n]);
    compared++;
  }
  cpu.out = false;
  if (++cpu.next < cpu.ops.size()) cpu.wait = cpu.ops[cpu.next].wait;
}

void step() {
  top->req_i = 0;
  top->eval();
  for (unsigned n = 0; n < kCpus; n++) answer(n);
  for (unsigned n = 0; n < kCpus; n++) {
    Cpu &cpu = cpus[n];
    if (cpu.out || cpu.next == cpu.ops.size()) continue;
    if (cpu.wait) {
      cpu.wait--;
      continue;
    }
    const Op &op = cpu.ops[cpu.next];
    top->req_i |= 1u << n;
    top->we_i = (top->we_i & ~(1u << n)) | uint32_t(op.we) << n;
    top->be_i = (top->be_i & ~(15u << 4 * n)) | op.be << 4 * n;
    top->addr_i[n] = kBase + 4 * op.word;
    top->wdata_i[n] = op.value;
  }
  top->eval();
  for (unsigned n = 0; n < kCpus; n++) {
    Cpu &cpu = cpus[n];
    if (top->gnt_o >> n & 1) {
      cpu.out = true;
      cpu.had.clear();
    }
    if (cpu.out) cpu.had.push_back(memory[cpu.ops[cpu.next].word]);
  }
  if (top->write_o) {
    uint32_t &word = memory[(top->write_addr_o - kBase) / 4];
    for (unsigned i = 0; i < 4; i++) {
      const uint32_t mask = 255u << 8 * i;
      if (top->write_be_o >> i & 1) word = (word & ~mask) | (top->write_data_o & mask);
    }
  }
  top->clk_i = 1;
  top->eval();
  top->clk_i = 0;
}

void reset() {
  top->rst_ni = 0;
  top->req_i = 0;
  top->clk_i = 0;
  top->eval();
  top->clk_i = 1;
  top->eval();
  top->clk_i = 0;
  top->rst_ni = 1;
}

// Runs what each processor is to do to its end, or for so many cycles.
void run(const std::array<std::vector<Op>, kCpus> &programs, unsigned most = ~0u) {
  for (unsigned n = 0; n < kCpus; n++) {
    cpus[n] = Cpu{programs[n], {}, 0, programs[n].empty() ? 0 : programs[n][0].wait, false, {}};
  }
  for (unsigned cycles = 0;; cycles++) {
    bool busy = false;
    for (const Cpu &cpu : cpus) busy = busy || cpu.next < cpu.ops.size();
    if (!busy || cycles == most) return;
    if (cycles > 100000) fail("no answer", 0, 0);
    step();
  }
}

Op load(uint32_t word, unsigned wait = 0) { return {false, word, 0, wait}; }
Op store(uint32_t word, uint32_t value, unsigned wait = 0) { return {true, word, value, wait}; }

struct Test {
  const char *name;
  unsigned roles, values;                                     // values: a load may return 0 to values - 1
  std::vector<Op> (*program)(unsigned role, uint32_t x, uint32_t y);
  bool (*forbidden)(const std::vector<uint32_t> &loaded);     // of all roles, one after the other
};

const Test tests[] = {
    {"message passing", 2, 2,
     [](unsigned role, uint32_t x, uint32_t y) {
       return role ? std::vector<Op>{load(y), load(x)} : std::vector<Op>{store(x, 1), store(y, 1)};
     },
     [](const std::vector<uint32_t> &r) { return r[0] == 1 && r[1] == 0; }},
    {"store buffering", 2, 2,
     [](unsigned role, uint32_t x, uint32_t y) {
       return role ? std::vector<Op>{store(y, 1), load(x)} : std::vector<Op>{store(x, 1), load(y)};
     },
     [](const std::vector<uint32_t> &r) { return r[0] == 0 && r[1] == 0; }},
    {"load buffering", 2, 2,
     [](unsigned role, uint32_t x, uint32_t y) {
       return role ? std::vector<Op>{load(y), store(x, 1)} : std::vector<Op>{load(x), store(y, 1)};
     },
     [](const std::vector<uint32_t> &r) { return r[0] == 1 && r[1] == 1; }},
    {"coherence", 2, 3,
     [](unsigned role, uint32_t x, uint32_t) {
       return role ? std::vector<Op>{load(x), load(x)} : std::vector<Op>{store(x, 1), store(x, 2)};
     },
     [](const std::vector<uint32_t> &r) { return r[1] < r[0]; }},
    {"IRIW", 4, 2,
     [](unsigned role, uint32_t x, uint32_t y) {
       if (role < 2) return std::vector<Op>{store(role ? y : x, 1)};
       return role == 2 ? std::vector<Op>{load(x), load(y)} : std::vector<Op>{load(y), load(x)};
     },
     [](const std::vector<uint32_t> &r) { return r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0; }},
};

// Every delay of every role, every wait between the two accesses of a role, every word in the cache or not.
void litmus(const Test &test) {
  const unsigned delays = test.roles == 2 ? 8 : 4, waits = 3;
  unsigned delayed = 1;
  for (unsigned i = 0; i < test.roles; i++) delayed *= delays;
  uint64_t runs = 0, seen = 0;
  for (uint32_t distance : {1u, 8u, kCache}) {
    for (unsigned warm = 0; warm < 16; warm++) {
      for (unsigned gaps = 0; gaps < waits * waits; gaps++) {
        for (unsigned delay = 0; delay < delayed; delay++) {
          const uint32_t x = 16, y = x + distance;
          run({{{store(x, 0), store(y, 0)}, {}, {}, {}}});
          std::array<std::vector<Op>, kCpus> before, programs;
          unsigned rest = delay;
          for (unsigned role = 0; role < test.roles; role++) {
            const unsigned pair = role % 2;  // of two writers and two readers, likewise
            if (warm >> 2 * pair & 1) before[role].push_back(load(x));
            if (warm >> 2 * pair & 2) before[role].push_back(load(y));
            programs[role] = test.program(role, x, y);
            programs[role][0].wait = rest % delays;
            rest /= delays;
            if (programs[role].size() == 2) programs[role][1].wait = pair ? gaps / waits : gaps % waits;
          }
          run(before);
          run(programs);
          std::vector<uint32_t> loaded;
          for (const Cpu &cpu : cpus) loaded.insert(loaded.end(), cpu.loaded.begin(), cpu.loaded.end());
          if (test.forbidden(loaded)) fail(test.name, 0, delay);
          unsigned outcome = 0;
          for (uint32_t value : loaded) outcome = outcome * test.values + value;
          seen |= uint64_t(1) << outcome;
          runs++;
        }
      }
    }
  }
  std::printf("%s %" PRIu64 " %" PRIx64 "\n", test.name, runs, seen);
}

void at_random(uint32_t seed, unsigned rounds) {
  std::mt19937 bits(seed);
  compared = 0;
  unsigned cut = 0;  // accesses under way at a reset
  for (unsigned round = 0; round < rounds; round++) {
    const uint32_t words = 1u << (1 + bits() % 6);
    std::array<std::vector<Op>, kCpus> programs;
    for (auto &program : programs) {
      for (unsigned i = 0; i < 100; i++) {
        const uint32_t word = bits() % words * (1 + bits() % 2), r = bits();
        Op op = r % 3 ? load(word) : store(word, bits());
        op.be = r & 64 ? 15 : r & 128 ? 3 << (r >> 8 & 2) : 1 << (r >> 8 & 3);
        op.wait = r >> 12 & 1 ? r >> 13 & 3 : 0;
        program.push_back(op);
      }
    }
    if (bits() % 8) {
      run(programs);
      continue;
    }
    run(programs, bits() % 100);
    for (const Cpu &cpu : cpus) cut += cpu.out;
    reset();
  }
  std::printf("random %" PRIu64 " %u\n", compared, cut);
}

}  // namespace

int main(int, char **argv) {
  const uint32_t seed = uint32_t(std::strtoul(argv[1], nullptr, 0));
  // Of a model that starts from garbage: registers without a reset, and memories
  context.randReset(2);
  context.randSeed(int(seed % 1000003 + 1));
  top = new Vmodel(&context);
  reset();
  std::array<std::vector<Op>, kCpus> clear;
  for (uint32_t word = 0; word < kWords; word++) clear[0].push_back(store(word, 0));
  run(clear);
  for (const Test &test : tests) litmus(test);
  at_random(seed, unsigned(std::strtoul(argv[2], nullptr, 0)));
  return 0;
}
