// SPDX-License-Identifier: Apache-2.0
// Plays a stream of the model (coreloom.bench.scheduler_unit) on cl_scheduler and compares every answer.
//
//   scheduler STREAM SEED SETTLE
//
// A step is 8 words: op, tid, argument, hw_running, the word answered, the address START is written to or 0, what next_*_o and
// preempt_o show afterwards {next_valid, preempt, 6'd0, priority[7:0], tid[15:0]}, label. SETTLE: after so many cycles
// without a request they must show it. SEED 0: a request in every cycle, the bus takes START at once; else random pauses.
// Prints one line of JSON: for each label [least, most] cycles from the grant to the answer, and to the next grant if that is
// waited for; cycles in which a START waits for the bus not counted. Exit status 1: a mismatch; it is on stderr.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "Vmodel.h"
#include "verilated.h"

namespace {

struct Step {
  uint32_t op, tid, argument, hw_running, word, start, shown, label;
};

struct Range {
  uint64_t least = UINT64_MAX, most = 0;
  void add(uint64_t n) {
    if (n < least) least = n;
    if (n > most) most = n;
  }
  void print(const char *name) const {
    if (most) std::printf(", \"%s\": [%llu, %llu]", name, (unsigned long long)least, (unsigned long long)most);
  }
};

uint64_t state;

uint32_t random_below(uint32_t n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return static_cast<uint32_t>(state >> 20) % n;
}

} // namespace

int main(int argc, char **argv) {
  FILE *file = argc == 4 ? std::fopen(argv[1], "rb") : nullptr;
  if (!file) {
    std::fprintf(stderr, "usage: scheduler STREAM SEED SETTLE\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[2], nullptr, 0);
  const uint32_t settle = static_cast<uint32_t>(std::atol(argv[3]));
  state = seed * 0x9e3779b97f4a7c15u + 1;
  std::vector<Step> steps;
  for (Step step; std::fread(&step, sizeof step, 1, file) == 1;) steps.push_back(step);
  std::fclose(file);

  VerilatedContext context;
  auto *top = new Vmodel(&context);
  const auto tick = [&] {
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
  };
  top->rst_ni = 0;
  top->clk_i = 0;
  top->eval();
  tick();
  top->rst_ni = 1;

  std::vector<Range> answers, nexts;
  size_t issued = 0, granted = SIZE_MAX;
  bool outstanding = false, pressed = false, started = false;
  uint64_t now = 0, granted_at = 0, issue_at = 0, quiet = 0, bus = 0, delay = 0, shown = 0;
  const auto fail = [&](const char *what, uint32_t got, uint32_t expected) {
    const Step &step = steps[granted];
    std::fprintf(stderr, "step %zu (op %u, thread %u, argument %u), cycle %llu: %s is 0x%08x, expected 0x%08x\n",
                 granted, step.op, step.tid, step.argument, (unsigned long long)now, what, got, expected);
    return 1;
  };

  while (issued < steps.size() || outstanding) {
    const bool request = issued < steps.size() && now >= issue_at;
    if (request) {
      const Step &step = steps[issued];
      top->addr_i = step.op << 10 | step.tid;
      top->wdata_i = step.argument;
    }
    top->req_i = request;
    top->start_gnt_i = 0;
    top->eval();
    if (top->start_req_o) {
      if (bus == 0) delay = seed ? random_below(6) : 0;
      top->start_gnt_i = bus == delay;
      bus++;
      top->eval();
      if (!outstanding || top->start_addr_o != steps[granted].start) {
        return fail("the address of START", top->start_addr_o, outstanding ? steps[granted].start : 0);
      }
      if (top->start_wdata_o != 1) return fail("the word of START", top->start_wdata_o, 1);
      if (top->start_gnt_i) started = true;
    }
    if (top->rvalid_o) {
      const Step &step = steps[granted];
      if (!outstanding) return fail("an answer without a request", top->rdata_o, 0);
      if (top->rdata_o != step.word) return fail("the answer", top->rdata_o, step.word);
      if (started != (step.start != 0)) return fail("START", started, step.start != 0);
      answers[step.label].add(now - granted_at - bus);
      outstanding = false;
    }
    if (granted != SIZE_MAX && !outstanding && quiet >= settle) {
      const uint32_t got = static_cast<uint32_t>(top->next_valid_o) << 31 |
                           static_cast<uint32_t>(top->preempt_o) << 30 |
                           (top->next_valid_o ? static_cast<uint32_t>(top->next_priority_o) << 16 |
                                                    static_cast<uint32_t>(top->next_tid_o)
                                              : 0);
      if (got != steps[granted].shown) return fail("the next thread shown", got, steps[granted].shown);
      shown++;
    }
    quiet = request ? 0 : quiet + 1;
    if (top->gnt_o) {
      if (outstanding) return fail("a grant before the answer", 1, 0);
      if (pressed) nexts[steps[granted].label].add(now - granted_at - bus);
      granted = issued++;
      granted_at = now;
      outstanding = true;
      started = false;
      bus = 0;
      if (steps[granted].label >= answers.size()) {
        answers.resize(steps[granted].label + 1);
        nexts.resize(steps[granted].label + 1);
      }
      const uint32_t kind = seed ? random_below(64) : 0;
      const uint32_t gap = kind < 32 ? 0 : kind < 62 ? 1 + random_below(6) : settle + 8;
      pressed = gap == 0;
      issue_at = now + 1 + gap;
    }
    tick();
    top->hw_running_i = granted == SIZE_MAX ? 0 : steps[granted].hw_running;
    now++;
    if (now > granted_at + 100000) return fail("a grant", 0, 1);
  }
  std::printf("{\"steps\": %zu, \"shown\": %llu, \"labels\": [", steps.size(), (unsigned long long)shown);
  for (size_t label = 0; label < answers.size(); label++) {
    std::printf("%s{\"label\": %zu", label ? ", " : "", label);
    answers[label].print("answer");
    nexts[label].print("next");
    std::printf("}");
  }
  std::printf("]}\n");
  top->final();
  delete top;
  return 0;
}
