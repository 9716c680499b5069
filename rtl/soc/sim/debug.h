// SPDX-License-Identifier: Apache-2.0
// Holds the simulated time for a debugger: breakpoints, watchpoints, steps, registers, memory.
//
// Only models built for it include this file; src/coreloom/simulation/gdb is the other side. Nothing is added to the
// machine: a breakpoint is a comparison with what the cores are about to execute, so caches do not matter, and while
// the time stands still all CPUs do.
//
// An instruction *commits* in the cycle after which nothing can undo it. In that cycle everything before it is done
// and nothing of it is, so that is where a CPU can be looked at exactly:
//   economy   PicoRV32 has just launched the instruction
//   standard  it leaves Ibex's decode stage; what is in write-back ends in the same cycle, and is read from there
//   fast      it has come to VexRiscv's last stage
// A CPU that commits nothing in the cycle of a stop is shown before the instruction that it committed last, whose
// write to a register is undone for that.
//
// Commands and answers are lines of words, numbers in decimal or with 0x:
//   layout THREADS STRIDE COUNT BOOT BYTES   control blocks, to which tp points, and the stacks of CPUs without a thread
//   hide FROM TO      code of thread switches and traps: no step ends there
//   trap FROM TO      in hidden code: a thread that comes there is in a trap until its sp is back
//   break A, unbreak A, watch A BYTES WHAT, unwatch A BYTES WHAT; WHAT: 2 changes, 3 loads, 4 all accesses -> ok
//   read A BYTES -> hex digits, or error;  write A DIGITS -> ok, or error
//   cpus -> for each CPU: thread, pc, x0 to x31;  trapped THREAD -> pc, x0 to x31 where a trap has
//     interrupted it, or none
//   states -> states of the hardware kernel's threads
//   go;  step THREAD FROM TO: until it is about to execute an instruction that is not between FROM and TO
//     -> stop REASON CPU THREAD ADDRESS;  REASON: start break watch step pause, or what would end the run
//   pause, while it runs;  detach: no more stops;  kill
// A thread is its number; COUNT + n: CPU n without a thread.
#ifndef CORELOOM_DEBUG_H
#define CORELOOM_DEBUG_H

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

// The visible state of one core.
#if CORELOOM_CORE == 0
struct Probe {
  const uint32_t *registers = nullptr, *pc = nullptr, *trapped_pc = nullptr;
  const uint8_t *launch = nullptr;
  bool launched = false;
  bool commits() { // in the cycle after the launch
    const bool before = launched;
    launched = *launch;
    return before;
  }
  void forward(uint32_t *) const {}
};
#elif CORELOOM_CORE == 1
struct Probe {
  const uint32_t *registers = nullptr, *pc = nullptr, *trapped_pc = nullptr;
  const uint8_t *done = nullptr, *write = nullptr, *to = nullptr;
  const uint32_t *value = nullptr;
  bool commits() const { return *done; }
  void forward(uint32_t *x) const {
    if (*write) x[*to & 31] = *value;
  }
};
#else
struct Probe {
  const uint32_t *registers = nullptr, *pc = nullptr, *trapped_pc = nullptr;
  const uint8_t *firing = nullptr, *valid = nullptr;
  bool fresh = true;
  bool commits() { // in its first cycle there
    const bool now = *valid && fresh;
    fresh = !*valid || *firing;
    return now;
  }
  void forward(uint32_t *) const {}
};
#endif

// That of a tile.
template <typename Tile>
Probe probe(const Tile *tile, const uint32_t *registers) {
  Probe made;
  made.registers = registers;
#if CORELOOM_CORE == 0
#define SIGNAL(name) &tile->u_core__DOT__g_economy__DOT__u_core__DOT__u_core__DOT__##name
  made.pc = SIGNAL(reg_pc);
  made.trapped_pc = registers + 32; // q0
  made.launch = SIGNAL(launch_next_insn);
#elif CORELOOM_CORE == 1
#if CORELOOM_BANKS == 1
#define SIGNAL(name) \
  &tile->u_core__DOT__g_standard__DOT__u_core__DOT__u_core__DOT__g_one__DOT__u_core__DOT__u_ibex_core__DOT__##name
#else
#define SIGNAL(name) &tile->u_core__DOT__g_standard__DOT__u_core__DOT__u_core__DOT__g_two__DOT__u_core__DOT__##name
#endif
  made.pc = SIGNAL(pc_id);
  made.trapped_pc = SIGNAL(cs_registers_i__DOT__mepc_q);
  made.done = SIGNAL(instr_id_done);
  made.write = SIGNAL(rf_we_wb);
  made.to = SIGNAL(rf_waddr_wb);
  made.value = SIGNAL(rf_wdata_wb);
#else
#define SIGNAL(name) &tile->u_core__DOT__g_fast__DOT__u_core__DOT__u_core__DOT__##name
  made.pc = SIGNAL(lastStagePc);
  made.trapped_pc = SIGNAL(CsrPlugin_mepc);
  made.firing = SIGNAL(lastStageIsFiring);
  made.valid = SIGNAL(lastStageIsValid);
#endif
#undef SIGNAL
  return made;
}

struct Memory {
  uint8_t *bytes;
  uint64_t size;
  uint32_t base, uncached;
};

template <size_t kCpus>
class Debugger {
 public:
  // in, out: descriptors of pipes; flush: so that what the program has printed is seen before a stop is;
  // states: prints those of the threads.
  Debugger(int in, int out, const std::array<Probe, kCpus> &probes, Memory memory, uint32_t reset,
           std::function<void()> flush, std::function<std::string()> states)
      : in_(in), out_(::fdopen(out, "w")), probes_(probes), memory_(memory), flush_(flush), states_(states) {
    for (Cpu &cpu : cpus_) cpu.last = reset;
    stop("start", 0, 0);
  }

  bool killed() const { return killed_; }

  // After each rising edge, when everything has settled.
  void cycle() {
    if (detached_) return;
    for (size_t c = 0; c < kCpus; ++c) {
      cpus_[c].commits = probes_[c].commits();
      if (cpus_[c].commits) look(c);
    }
    settle();
    for (size_t c = 0; c < kCpus && !detached_; ++c) {
      cpus_[c].passed = true;
      if (cpus_[c].commits) check(c);
    }
    if (++since_poll_ >= 1024 && !detached_) {
      since_poll_ = 0;
      flush_();
      pollfd poll_in{in_, POLLIN, 0};
      if (::poll(&poll_in, 1, 0) > 0 && line() == "pause") stop("pause", 0, 0);
    }
    for (size_t c = 0; c < kCpus; ++c) {
      if (cpus_[c].commits) commit(c);
      cpus_[c].commits = cpus_[c].passed = false;
    }
  }

  // The run would end now; it does when the debugger lets it go on.
  void stop(const char *reason, size_t cpu, uint32_t address) {
    if (detached_) return;
    flush_();
    step_ = kNobody;
    pass_ = kNobody;
    reported_ = cpus_[cpu].commits ? who(cpu) : kNobody;
    std::fprintf(out_, "stop %s %zu %" PRIu32 " %" PRIu32 "\n", reason, cpu, who(cpu), address);
    std::fflush(out_);
    while (!serve(line())) {}
  }

  void ended(uint32_t status) {
    flush_();
    std::fprintf(out_, "exit %" PRIu32 "\n", status);
    std::fflush(out_);
  }

 private:
  static constexpr uint32_t kNobody = UINT32_MAX;
  static constexpr uint64_t kOld = 100'000; // cycles: a store has reached the memory, or another one followed

  struct Cpu {
    bool commits = false, passed = false; // in this cycle; its stop has been told, or there was none
    uint32_t last = 0; // the instruction that was committed last, what it wrote to and what was there
    uint32_t undo = 0, before = 0;
    uint32_t hit = 0; // what it has written is watched
    bool has_hit = false;
    std::array<uint32_t, 32> x{}; // before the instruction that commits
  };
  struct State {
    uint32_t pc;
    std::array<uint32_t, 32> x;
  };
  struct Trap { // of a thread; of one that is in none, sp is 0
    uint32_t sp = 0;
    State before{};
  };
  struct Range {
    uint32_t from, to;
    bool has(uint32_t address) const { return address >= from && address < to; }
  };
  enum What : uint32_t { kChanges = 2, kLoads = 3, kAccesses = 4 }; // as gdb counts them
  struct Watch {
    uint32_t address, bytes, what;
    std::vector<uint8_t> seen;
    bool overlaps(uint32_t at, uint32_t count) const { return at < address + bytes && address < at + count; }
  };
  struct Store { // committed, and perhaps not in the memory yet
    uint32_t address, bytes, value;
    uint64_t cycle;
  };

  // --- registers, memory --------------------------------------------------------------------------------

  std::array<uint32_t, 32> read_registers(size_t c) const {
    std::array<uint32_t, 32> x;
    std::copy_n(probes_[c].registers, 32, x.begin());
    if (cpus_[c].commits) probes_[c].forward(x.data());
    x[0] = 0;
    return x;
  }

  State state(size_t c) {
    Cpu &cpu = cpus_[c];
    State s{0, read_registers(c)};
    if (cpu.commits) {
      s.pc = *probes_[c].pc;
    } else {
      s.pc = cpu.last;
      if (cpu.undo) s.x[cpu.undo] = cpu.before;
    }
    return s;
  }

  uint8_t *at(uint32_t address, uint64_t bytes) {
    const uint64_t place = address - (address < memory_.uncached ? memory_.base : memory_.uncached);
    return place < memory_.size && bytes <= memory_.size - place ? memory_.bytes + place : nullptr;
  }

  // As the CPUs see it: with what is on its way.
  bool read(uint32_t address, uint8_t *to, uint32_t bytes) {
    const uint8_t *from = at(address, bytes);
    if (!from) return false;
    std::copy_n(from, bytes, to);
    for (const Store &store : stores_) {
      for (uint32_t n = 0; n < store.bytes; ++n) {
        const uint32_t byte = store.address + n - address;
        if (byte < bytes) to[byte] = static_cast<uint8_t>(store.value >> 8 * n);
      }
    }
    return true;
  }

  uint32_t word(uint32_t address) {
    uint32_t value = 0;
    read(address, reinterpret_cast<uint8_t *>(&value), 4);
    return value;
  }

  // --- threads ------------------------------------------------------------------------------------------

  uint32_t thread(size_t c, uint32_t tp, uint32_t sp) {
    const bool boots = sp - 1 - (boot_ + static_cast<uint32_t>(c) * boot_each_) < boot_each_;
    const uint32_t number = stride_ ? (tp - threads_) / stride_ : count_;
    if (number < count_ && !boots) {
      begun_ = true;
      return number;
    }
    return begun_ || c ? count_ + static_cast<uint32_t>(c) : 0; // the first CPU becomes thread 0
  }

  uint32_t who(size_t c) {
    const State s = state(c);
    return thread(c, s.x[4], s.x[2]);
  }

  bool trapped(uint32_t t) const { return t < traps_.size() && traps_[t].sp; }

  bool hidden(uint32_t pc) const {
    return std::any_of(hide_.begin(), hide_.end(), [&](const Range &r) { return r.has(pc); });
  }

  // --- what is about to be committed --------------------------------------------------------------------

  // Registers, traps and stores of the instruction that CPU c commits.
  void look(size_t c) {
    Cpu &cpu = cpus_[c];
    cpu.x = read_registers(c);
    const uint32_t pc = *probes_[c].pc;
    const bool in_trap = std::any_of(trap_.begin(), trap_.end(), [&](const Range &r) { return r.has(pc); });
    const uint32_t t = thread(c, cpu.x[4], cpu.x[2]);
    if (t >= traps_.size()) return;
    if (in_trap && !traps_[t].sp) traps_[t] = {cpu.x[2], {*probes_[c].trapped_pc, cpu.x}};
    else if (traps_[t].sp == cpu.x[2] && !hidden(pc)) traps_[t].sp = 0;
  }

  void check(size_t c) {
    Cpu &cpu = cpus_[c];
    const uint32_t pc = *probes_[c].pc;
    const uint32_t t = thread(c, cpu.x[4], cpu.x[2]);
    if (cpu.has_hit) {
      cpu.has_hit = false;
      stop("watch", c, cpu.hit);
      return;
    }
    if (t == pass_) {
      pass_ = kNobody;
      if (passes_ == pc) return;
    }
    if (std::find(breaks_.begin(), breaks_.end(), pc) != breaks_.end()) {
      stop("break", c, pc);
      return;
    }
    if (t != step_ || inside_.has(pc)) return;
    if (!shows_hidden_ && (hidden(pc) || trapped(t))) return;
    stop("step", c, pc);
  }

  void commit(size_t c) {
    Cpu &cpu = cpus_[c];
    cpu.last = *probes_[c].pc;
    const uint32_t code = word(cpu.last), opcode = code & 0x7f;
    const bool writes = opcode != 0x63 && opcode != 0x23 && opcode != 0x0f;
    cpu.undo = writes ? code >> 7 & 31 : 0;
    cpu.before = cpu.x[cpu.undo];
    const uint32_t from = cpu.x[code >> 15 & 31], bytes = 1u << (code >> 12 & 3);
    const auto hit = [&](const Watch &w) {
      cpu.hit = w.address;
      cpu.has_hit = true;
    };
    if (opcode == 0x03) {
      const uint32_t at = from + static_cast<uint32_t>(static_cast<int32_t>(code) >> 20);
      for (const Watch &w : watches_) {
        if (w.what != kChanges && w.overlaps(at, bytes)) hit(w);
      }
    }
    if (opcode != 0x23) return;
    const uint32_t offset = static_cast<uint32_t>(static_cast<int32_t>(code & 0xfe000000) >> 20) | (code >> 7 & 31);
    const Store store{from + offset, bytes, cpu.x[code >> 20 & 31], cycles_};
    if (!at(store.address, store.bytes)) return;
    stores_.push_back(store);
    for (Watch &w : watches_) {
      if (w.what == kLoads || !w.overlaps(store.address, store.bytes)) continue;
      if (changes(w) || w.what == kAccesses) hit(w);
    }
  }

  // Stores that have reached the memory, and whether another master has written a watched address.
  void settle() {
    ++cycles_;
    if (!stores_.empty()) {
      const auto arrived = [&](const Store &s) {
        return std::memcmp(at(s.address, s.bytes), &s.value, s.bytes) == 0 || cycles_ - s.cycle > kOld;
      };
      stores_.erase(std::remove_if(stores_.begin(), stores_.end(), arrived), stores_.end());
    }
    for (Watch &w : watches_) {
      if (w.what != kLoads && changes(w)) stop("watch", 0, w.address);
    }
  }

  // Whether it has changed since it was looked at.
  bool changes(Watch &w) {
    std::vector<uint8_t> now(w.bytes);
    read(w.address, now.data(), w.bytes);
    now.swap(w.seen);
    return now != w.seen;
  }

  // --- the other side -----------------------------------------------------------------------------------

  std::string line() {
    for (;;) {
      const size_t end = input_.find('\n');
      if (end != std::string::npos) {
        const std::string found = input_.substr(0, end);
        input_.erase(0, end + 1);
        return found;
      }
      char part[4096];
      const ssize_t got = ::read(in_, part, sizeof part);
      if (got <= 0) return "kill";
      input_.append(part, static_cast<size_t>(got));
    }
  }

  void answer(const std::string &text) {
    std::fputs(text.c_str(), out_);
    std::fputc('\n', out_);
    std::fflush(out_);
  }

  static std::string digits(const uint8_t *bytes, size_t count) {
    std::string text;
    char two[3];
    for (size_t n = 0; n < count; ++n) {
      std::snprintf(two, sizeof two, "%02x", bytes[n]);
      text += two;
    }
    return text;
  }

  // Whether the time goes on.
  bool serve(const std::string &text) {
    std::istringstream words(text);
    words.unsetf(std::ios::basefield);
    std::string verb;
    words >> verb;
    uint32_t a = 0, b = 0, e = 0;
    if (verb == "write") {
      std::string hex;
      words >> a >> hex;
      uint8_t *to = at(a, hex.size() / 2);
      if (to) {
        for (size_t n = 0; n < hex.size() / 2; ++n)
          to[n] = static_cast<uint8_t>(std::stoul(hex.substr(2 * n, 2), nullptr, 16));
        for (Watch &w : watches_) read(w.address, w.seen.data(), w.bytes);
      }
      answer(to ? "ok" : "error");
      return false;
    }
    if (verb == "pause") return false; // it has stopped by itself
    if (verb == "layout") {
      words >> threads_ >> stride_ >> count_ >> boot_ >> boot_each_;
      boot_each_ /= kCpus;
      traps_.assign(count_, {});
    } else if (words >> a >> b; verb == "hide") {
      hide_.push_back({a, b});
    } else if (verb == "trap") {
      trap_.push_back({a, b});
    } else if (verb == "break") {
      breaks_.push_back(a);
    } else if (verb == "unbreak") {
      breaks_.erase(std::remove(breaks_.begin(), breaks_.end(), a), breaks_.end());
    } else if (verb == "watch") {
      words >> e;
      Watch w{a, b, e, std::vector<uint8_t>(b)};
      if (!read(a, w.seen.data(), b)) return answer("error"), false;
      watches_.push_back(w);
    } else if (verb == "unwatch") {
      words >> e;
      const auto same = [&](const Watch &w) { return w.address == a && w.bytes == b && w.what == e; };
      watches_.erase(std::remove_if(watches_.begin(), watches_.end(), same), watches_.end());
    } else if (verb == "read") {
      std::vector<uint8_t> bytes(b);
      return answer(read(a, bytes.data(), b) ? digits(bytes.data(), b) : "error"), false;
    } else if (verb == "cpus") {
      std::ostringstream text;
      for (size_t c = 0; c < kCpus; ++c) {
        const State s = state(c);
        text << thread(c, s.x[4], s.x[2]) << ' ' << s.pc;
        for (const uint32_t x : s.x) text << ' ' << x;
        text << ' ';
      }
      return answer(text.str()), false;
    } else if (verb == "trapped") {
      std::ostringstream text;
      if (!trapped(a)) return answer("none"), false;
      text << traps_[a].before.pc;
      for (const uint32_t x : traps_[a].before.x) text << ' ' << x;
      return answer(text.str()), false;
    } else if (verb == "states") {
      return answer(states_()), false;
    } else if (verb == "go") {
      return true;
    } else if (verb == "step") {
      words >> e;
      step_ = a;
      inside_ = {b, e};
      shows_hidden_ = false;
      for (size_t c = 0; c < kCpus; ++c) {
        const State s = state(c);
        if (thread(c, s.x[4], s.x[2]) != a) continue;
        shows_hidden_ = a == reported_ && (hidden(s.pc) || trapped(a));
        if (cpus_[c].commits && !cpus_[c].passed) {
          pass_ = a;
          passes_ = s.pc;
        }
      }
      return true;
    } else if (verb == "detach") {
      detached_ = true;
      return true;
    } else if (verb == "kill") {
      killed_ = detached_ = true;
      return true;
    }
    answer("ok");
    return false;
  }

  int in_;
  FILE *out_;
  std::array<Probe, kCpus> probes_;
  Memory memory_;
  std::function<void()> flush_;
  std::function<std::string()> states_;
  std::array<Cpu, kCpus> cpus_;
  std::vector<Range> hide_, trap_;
  std::vector<uint32_t> breaks_;
  std::vector<Watch> watches_;
  std::vector<Store> stores_;
  std::vector<Trap> traps_; // of each thread
  uint32_t threads_ = 0, stride_ = 0, count_ = 0, boot_ = 0, boot_each_ = 0;
  uint32_t step_ = kNobody, pass_ = kNobody, passes_ = 0;
  uint32_t reported_ = kNobody; // the thread that has stopped, if one has
  Range inside_{0, 0};
  bool shows_hidden_ = false;
  bool begun_ = false, detached_ = false, killed_ = false;
  uint32_t since_poll_ = 0;
  uint64_t cycles_ = 0;
  std::string input_;
};

#endif
