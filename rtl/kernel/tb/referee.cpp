// SPDX-License-Identifier: Apache-2.0
// Plays a stream of the reference model (src/coreloom/reference/stream.py, `pack`) on cl_kernel and compares.
//
//   referee STREAM SEED [CYCLES]
//
// Compared: every word each CPU reads, in order; irq_o and idle_o after a step, once the unit is quiet.
// Also checked: WORD0 and stores are granted at once and answered in the next cycle; irq_o is never high
// for a CPU between a GIVE_WAY answer and the save.
// SEED 0: each step waits until the unit is quiet. Other seeds: requests come some cycles late, or, half
// of the time, while the engine still works on the step before (its order is then given by having been taken).
// Ends with one line of JSON: for each operation the cycles from request to rvalid on a quiet unit, of the
// steps that were answered without another CPU's doing; the file CYCLES gets four 32-bit words for each step,
// cycles from its request (the rising edge of a line, a new time) to its own answer, to the last answer another CPU got by it, to
// the unit being quiet again, and to the last irq_o that rose (0: none, or not measured). Exit status 1: a mismatch; it is on stderr.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <vector>

#include "../../../runtime/include/cl_kernel_ops.h"
#include "Vmodel.h"
#include "verilated.h"

namespace {

enum Kind { kLoad, kStore, kTick, kInterrupt, kReset, kLine, kTime };
constexpr uint32_t kGiveWay = 1u << CL_WORD_GIVE_WAY_LSB, kEsrch = CL_STATUS_ESRCH << CL_WORD_STATUS_LSB;
constexpr int kMaxClients = 16, kQuietCycles = 3, kPatience = 20000;

// Operations that do not imply the save
bool any_time(uint32_t op) { return CL_IS_ANY_TIME(op); }

struct Step {
  uint32_t kind, cpu, op, id, word, irq, idle, count;
  std::vector<std::pair<uint32_t, uint32_t>> words;
};

struct Span {
  uint64_t count = 0, sum = 0, min = UINT64_MAX, max = 0;
  void add(uint64_t n) {
    count++, sum += n;
    if (n < min) min = n;
    if (n > max) max = n;
  }
};

VerilatedContext context;
Vmodel *top;
uint64_t cycle_count = 0, step_number = 0, state = 1;
uint32_t clients;
int quiet = 0; // cycles since the unit became quiet
std::deque<uint32_t> expected[kMaxClients]; // words to come, by CPU
bool outstanding[kMaxClients], storing[kMaxClients]; // an access has no rvalid yet; it is a store
bool exiting[kMaxClients], plain[kMaxClients]; // the outstanding load is thread_exit; is of WORD0
bool threaded[kMaxClients], unsaved[kMaxClients]; // it has a thread; it left one whose context is not saved
uint64_t answered_at[kMaxClients]; // cycle of the last rvalid
uint64_t asked_at = 0; // cycle in which irq_o rose last
uint32_t asked = 0; // irq_o

uint32_t random_below(uint32_t n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return static_cast<uint32_t>(state >> 20) % n;
}

[[noreturn]] void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::fprintf(stderr, "step %llu, cycle %llu: ", static_cast<unsigned long long>(step_number),
               static_cast<unsigned long long>(cycle_count));
  std::vfprintf(stderr, format, arguments);
  std::fprintf(stderr, "\n");
  std::exit(1);
}

// One clock cycle with the inputs as they are; looks at the outputs before the edge.
void cycle() {
  top->clk_i = 0;
  top->eval();
  if (top->irq_o & ~asked) asked_at = cycle_count;
  asked = top->irq_o;
  if (top->rst_ni) {
    for (uint32_t c = 0; c < clients; c++) {
      if (unsaved[c] && (top->irq_o >> c & 1)) fail("cpu %u: irq_o before the context was saved", c);
      if (!(top->rvalid_o >> c & 1)) continue;
      if (!outstanding[c]) fail("cpu %u: rvalid_o without an access", c);
      outstanding[c] = false;
      answered_at[c] = cycle_count;
      if (storing[c]) {
        storing[c] = false;
        continue;
      }
      const uint32_t got = top->rdata_o[c];
      if (expected[c].empty()) fail("cpu %u: unexpected word %08x", c, got);
      if (expected[c].front() != got) fail("cpu %u: expected %08x, got %08x", c, expected[c].front(), got);
      expected[c].pop_front();
      if (exiting[c] && got != kEsrch) threaded[c] = false;
      exiting[c] = false;
      if (!plain[c] && (got & kGiveWay)) {
        unsaved[c] = threaded[c];
        threaded[c] = true;
      }
    }
  }
  quiet = top->quiet_o ? quiet + 1 : 0;
  top->clk_i = 1;
  top->eval();
  cycle_count++;
  context.timeInc(1);
}

void settle() {
  for (int i = 0; quiet < kQuietCycles; i++) {
    if (i == kPatience) fail("the unit does not become idle");
    cycle();
  }
}

void reset() {
  for (uint32_t c = 0; c < kMaxClients; c++) {
    expected[c].clear();
    outstanding[c] = storing[c] = exiting[c] = unsaved[c] = false;
    threaded[c] = c == 0;
  }
  top->rst_ni = 0;
  top->req_i = top->we_i = top->intr_i = top->tick_i = top->line_i = top->now_i = 0;
  cycle();
  cycle();
  top->rst_ni = 1;
  quiet = 0;
}

void access(const Step &step) {
  const uint32_t c = step.cpu, bit = 1u << c;
  const bool local = step.kind == kStore || step.op == CL_OP_WORD0;
  for (int i = 0; outstanding[c]; i++) {
    if (i == kPatience) fail("cpu %u: no answer", c);
    cycle();
  }
  outstanding[c] = true;
  storing[c] = step.kind == kStore;
  exiting[c] = step.kind == kLoad && step.op == CL_OP_THREAD_EXIT;
  plain[c] = step.op == CL_OP_WORD0;
  if (step.kind == kLoad ? !local && !any_time(step.op) : step.op == CL_OP_SAVED) unsaved[c] = false;
  top->req_i = bit;
  top->we_i = step.kind == kStore ? bit : 0;
  top->addr_i[c] = step.op << 10 | step.id;
  top->wdata_i[c] = step.word;
  top->clk_i = 0;
  top->eval();
  for (int i = 0; !(top->gnt_o & bit); i++) {
    if (local && i == 1) fail("cpu %u: not granted at once", c);
    if (i == kPatience) fail("cpu %u: never granted", c);
    cycle();
    top->clk_i = 0;
    top->eval();
  }
  cycle();
  top->req_i = top->we_i = 0;
  if (local) {
    cycle();
    if (outstanding[c]) fail("cpu %u: WORD0 or a store was not answered in the next cycle", c);
  }
}

bool read_step(std::FILE *file, Step *step) {
  uint32_t head[8];
  if (std::fread(head, 4, 8, file) != 8) return false;
  *step = {head[0], head[1], head[2], head[3], head[4], head[5], head[6], head[7], {}};
  for (uint32_t i = 0; i < step->count; i++) {
    uint32_t pair[2];
    if (std::fread(pair, 4, 2, file) != 2) return false;
    step->words.emplace_back(pair[0], pair[1]);
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: referee STREAM SEED [CYCLES]\n");
    return 2;
  }
  std::FILE *file = std::fopen(argv[1], "rb");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[2], nullptr, 0);
  state = seed * 0x9e3779b97f4a7c15u + 1;
  context.randReset(2);
  context.randSeed(static_cast<int>(seed % 1000003 + 1));
  top = new Vmodel(&context);
  top->eval();
  clients = top->clients_o;
  reset();

  std::map<uint32_t, Span> spans;
  std::vector<uint32_t> cycles;
  Step step;
  for (; read_step(file, &step); step_number++) {
    const bool port = step.kind == kLoad || step.kind == kStore;
    const bool check = seed == 0 || random_below(2);
    cycles.insert(cycles.end(), 4, 0);
    if (!port) settle();
    if (seed != 0 && port) {
      for (uint32_t n = random_below(8); n < 3; n++) cycle();
    }
    const bool was_quiet = quiet >= kQuietCycles;
    const uint64_t start = cycle_count;
    if (step.kind == kReset) reset();
    for (const auto &[cpu, word] : step.words) expected[cpu].push_back(word);
    if (port) {
      access(step);
    } else if (step.kind == kTick) {
      top->tick_i = 1;
      cycle();
      top->tick_i = 0;
    } else if (step.kind == kInterrupt) {
      const uint32_t bit = 1u << step.cpu;
      top->intr_i = step.word ? top->intr_i | bit : top->intr_i & ~bit;
    } else if (step.kind == kTime) {
      top->now_i = step.word;
    } else if (step.kind == kLine) {
      top->line_i = 1ull << step.id;
      for (uint32_t n = seed != 0 ? 1 + random_below(8) : 1; n > 0; n--) cycle();
      top->line_i = 0;
    }
    quiet = 0;
    if (port && !check) {
      // The next step may come while the engine is busy, but must be taken after this one.
      for (int i = 0; top->offered_o; i++) {
        if (i == kPatience) fail("cpu %u: never taken by the engine", step.cpu);
        cycle();
      }
      continue;
    }
    settle();
    for (uint32_t c = 0; c < clients; c++) {
      if (!expected[c].empty()) fail("cpu %u: expected %08x, got nothing", c, expected[c].front());
    }
    const uint32_t asks = step.irq & ~top->rests_o;
    if (top->irq_o != asks) fail("irq_o: expected %x, got %x", asks, top->irq_o);
    if (top->idle_o != step.idle) fail("idle_o: expected %x, got %x", step.idle, top->idle_o);
    if (!was_quiet || !(port || step.kind == kLine || step.kind == kTime)) continue;
    uint32_t *const measured = &cycles[cycles.size() - 4];
    for (const auto &[cpu, word] : step.words) {
      measured[cpu != step.cpu || !port] = static_cast<uint32_t>(answered_at[cpu] - start);
    }
    measured[2] = static_cast<uint32_t>(cycle_count - kQuietCycles - start);
    if (asked_at > start) measured[3] = static_cast<uint32_t>(asked_at - start);
    if (step.kind == kLoad && measured[0] != 0) spans[step.op].add(measured[0]);
  }

  std::printf("{\"steps\": %llu, \"cycles\": %llu, \"ops\": {", static_cast<unsigned long long>(step_number),
              static_cast<unsigned long long>(cycle_count));
  const char *comma = "";
  for (const auto &[op, span] : spans) {
    std::printf("%s\"%u\": {\"count\": %llu, \"min\": %llu, \"max\": %llu, \"mean\": %.2f}", comma, op,
                static_cast<unsigned long long>(span.count), static_cast<unsigned long long>(span.min),
                static_cast<unsigned long long>(span.max),
                static_cast<double>(span.sum) / static_cast<double>(span.count));
    comma = ", ";
  }
  std::printf("}}\n");
  if (argc == 4) {
    std::FILE *out = std::fopen(argv[3], "wb");
    if (out == nullptr || std::fwrite(cycles.data(), 4, cycles.size(), out) != cycles.size()) {
      std::perror(argv[3]);
      return 2;
    }
    std::fclose(out);
  }
  top->final();
  delete top;
  return 0;
}
