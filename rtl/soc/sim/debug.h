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
// Every cache writes through, so the memory is what all CPUs see, but for stores on their way. What the debugger writes
// goes there and to the copies in the caches of data, which changes no time.
//
// Processor 1 behind a Back-Door is the last CPU here. It has a program, a memory and a clock of its own.
//
// Commands and answers are lines of words, numbers in decimal or with 0x. An address is one of a CPU: local memories
// differ, and so does what is behind a Back-Door. For a place in a program it is any CPU that runs the program.
//   layout THREADS STRIDE COUNT BOOT BYTES ROM   control blocks, to which tp points; the stacks of CPUs without a
//     thread; the ROM of processor 1
//   hide CPU FROM TO  code of thread switches and traps: no step ends there
//   trap CPU FROM TO  in hidden code: a thread that comes there is in a trap until its sp is back
//   end CPU A         an instruction from which no trap goes back
//   break CPU A, unbreak CPU A; fault CPU A WORD: a break that holds if a0 is WORD -> ok
//   watch CPU A BYTES WHAT, unwatch CPU A BYTES WHAT; WHAT: 2 changes, 3 loads, 4 all accesses -> ok, or error
//   read CPU A BYTES -> hex digits, or error;  write CPU A DIGITS -> ok, or error
//   cpus -> for each CPU: thread, pc, x0 to x31;  trapped THREAD -> pc, x0 to x31 where a trap has
//     interrupted it, or none;  ran THREAD -> the CPU that has run it last
//   states -> states of the hardware kernel's threads;  cycles -> since reset
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
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
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
  uint32_t at(uint32_t n, bool) const { return registers[n]; }
};
#elif CORELOOM_CORE == 1
struct Probe {
  const uint32_t *registers = nullptr, *pc = nullptr, *trapped_pc = nullptr;
  const uint8_t *done = nullptr, *write = nullptr, *number = nullptr;
  const uint32_t *value = nullptr;
  const uint8_t *bank = nullptr; // of two, that the core has; sp, gp and tp are in the first one
  bool commits() const { return *done; }
  uint32_t at(uint32_t n, bool commits) const {
    if (commits && *write && n == (*number & 31u)) return *value;
    return registers[bank && *bank && (n < 2 || n > 4) ? 32 + n : n];
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
  uint32_t at(uint32_t n, bool) const { return registers[n]; }
};
#endif

struct Memory { // that a core has at `base`
  uint32_t base;
  uint8_t *bytes;
  uint64_t size;
  bool writable = true;
};

struct Core {
  Probe probe;
  std::vector<Memory> memories;
  uint32_t reset; // its first instruction; of processor 1, from the begin of its ROM
  // Makes what its cache of data has of a word of the shared memory, the n-th, what is in that memory.
  std::function<void(uint32_t n, const uint8_t *memory)> refresh = [](uint32_t, const uint8_t *) {};
};

// Names of what is in the core; path: what comes before it in the model.
#if CORELOOM_CORE == 0
#define IN_CORE(path, name) path##u_core__DOT__g_economy__DOT__u_core__DOT__##name
#define SIGNAL(path, name) IN_CORE(path, u_core__DOT__##name)
#define FAR_SIGNAL SIGNAL
#elif CORELOOM_CORE == 1
#define IN_CORE(path, name) path##u_core__DOT__g_standard__DOT__u_core__DOT__##name
#define FAR_SIGNAL(path, name) IN_CORE(path, u_core__DOT__g_one__DOT__u_core__DOT__u_ibex_core__DOT__##name)
#if CORELOOM_BANKS == 1
#define SIGNAL FAR_SIGNAL
#else
#define SIGNAL(path, name) IN_CORE(path, u_core__DOT__g_two__DOT__u_core__DOT__##name)
#endif
#else
#define IN_CORE(path, name) path##u_core__DOT__g_fast__DOT__u_core__DOT__##name
#define SIGNAL(path, name) IN_CORE(path, u_core__DOT__##name)
#endif

#if CORELOOM_CORE == 0
#define PROBE(to, of, path, names)            \
  to.pc = &of->names(path, reg_pc);           \
  to.trapped_pc = to.registers + 32; /* q0 */ \
  to.launch = &of->names(path, launch_next_insn)
#elif CORELOOM_CORE == 1
#define PROBE(to, of, path, names)                               \
  to.pc = &of->names(path, pc_id);                               \
  to.trapped_pc = &of->names(path, cs_registers_i__DOT__mepc_q); \
  to.done = &of->names(path, instr_id_done);                     \
  to.write = &of->names(path, rf_we_wb);                         \
  to.number = &of->names(path, rf_waddr_wb);                     \
  to.value = &of->names(path, rf_wdata_wb)
#else
#define PROBE(to, of, path, names)                  \
  to.pc = &of->names(path, lastStagePc);            \
  to.trapped_pc = &of->names(path, CsrPlugin_mepc); \
  to.firing = &of->names(path, lastStageIsFiring);  \
  to.valid = &of->names(path, lastStageIsValid)
#endif

// The core of a tile.
template <typename Tile>
Core near_core(Tile *tile, const uint32_t *registers, std::vector<Memory> memories, uint32_t reset) {
  Core made{{}, std::move(memories), reset};
  made.probe.registers = registers;
  PROBE(made.probe, tile, , SIGNAL);
#if CORELOOM_BANKS > 1
  made.probe.bank = &tile->IN_CORE(, g_two_banks__DOT__u_frame__DOT__bank_q);
#endif
#if CORELOOM_LOCAL_BYTES
  auto &local = tile->IN_CORE(, g_local_memory__DOT__u_memory__DOT__mem);
  made.memories.push_back({CORELOOM_LOCAL_BASE, reinterpret_cast<uint8_t *>(&local[0]), sizeof local});
#endif
#if CORELOOM_CORE == 2
#define CACHE(name) SIGNAL(, dataCache_1__DOT__ways_0_##name)
  made.refresh = [tile](uint32_t n, const uint8_t *memory) {
    const uint32_t place = n % std::size(tile->CACHE(data_symbol0).m_storage);
    const uint32_t address = CORELOOM_RAM_BASE + 4 * n, line = place / 8; // of eight words
    if (tile->CACHE(tags)[line] >> 2 != address >> 12) return;
    tile->CACHE(data_symbol0)[place] = memory[4 * n];
    tile->CACHE(data_symbol1)[place] = memory[4 * n + 1];
    tile->CACHE(data_symbol2)[place] = memory[4 * n + 2];
    tile->CACHE(data_symbol3)[place] = memory[4 * n + 3];
  };
#else
#define CACHE(name) IN_CORE(, u_dcache__DOT__g_cache__DOT__##name)
  if constexpr (requires { tile->CACHE(tags); }) {
    made.refresh = [tile](uint32_t n, const uint8_t *memory) {
      const uint32_t words = std::size(tile->CACHE(data).m_storage), lines = std::size(tile->CACHE(tags).m_storage);
      const uint32_t place = n % words, tags = (1u << 26) / words - 1; // below the bit `valid`
      if ((tile->CACHE(tags)[place / (words / lines)] & tags) != n / words) return;
      std::memcpy(&tile->CACHE(data)[place], memory + 4 * n, 4);
    };
  }
#endif
#undef CACHE
  return made;
}

#if CORELOOM_ROM_BYTES
// Processor 1.
template <typename Root>
Core far_core(Root *root) {
#define FAR(name) SOC(g_backdoor__DOT__u_far_system__DOT__u_far_side__DOT__##name)
#if CORELOOM_CORE == 0
#define FAR_REGISTERS(path) SIGNAL(path, cpuregs)
#else
#define FAR_REGISTERS(path) \
  IN_CORE(path, u_core__DOT__g_one__DOT__u_core__DOT__gen_regfile_fpga__DOT__register_file_i__DOT__mem)
#endif
  auto &memory = root->FAR(u_memory__DOT__mem);
  auto &rom = root->FAR(u_rom__DOT__mem);
  Core made{{}, {{CORELOOM_RAM_BASE, reinterpret_cast<uint8_t *>(&memory[0]), sizeof memory}}, 0x80};
  made.memories.push_back({0, reinterpret_cast<uint8_t *>(&rom[0]), sizeof rom, false}); // layout says where
  made.probe.registers = &root->FAR_REGISTERS(FAR())[0];
  PROBE(made.probe, root, FAR(), FAR_SIGNAL);
  return made;
}
#endif

// kCpus processors that run one program, kCores with the one behind a Back-Door.
template <size_t kCpus, size_t kCores>
class Debugger {
 public:
  // in, out: descriptors of pipes; flush: so that what the program has printed is seen before a stop is;
  // states: prints those of the threads; cycles: since reset.
  Debugger(int in, int out, const std::array<Core, kCores> &cores, const uint64_t &cycles, std::function<void()> flush,
           std::function<std::string()> states)
      : in_(in), out_(::fdopen(out, "w")), cores_(cores), cycles_(cycles), flush_(flush), states_(states) {
    for (size_t c = 0; c < kCores; ++c) cpus_[c].last = cores_[c].reset;
    stop("start", 0, 0);
  }

  bool killed() const { return killed_; }

  // When everything has settled after a rising edge: of the near clock, of the far one, or of both.
  void cycle(bool near, bool far) {
    if (detached_) return;
    for (size_t c = 0; c < kCores; ++c) {
      cpus_[c].commits = (c < kCpus ? near : far) && cores_[c].probe.commits();
      if (cpus_[c].commits) look(c);
    }
    settle();
    for (size_t c = 0; c < kCores && !detached_; ++c) {
      cpus_[c].passed = true;
      if (cpus_[c].commits) check(c);
    }
    if (++since_poll_ >= 1024 && !detached_) {
      since_poll_ = 0;
      flush_();
      pollfd poll_in{in_, POLLIN, 0};
      if (::poll(&poll_in, 1, 0) > 0 && line() == "pause") stop("pause", 0, 0);
    }
    for (size_t c = 0; c < kCores; ++c) {
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
  static constexpr uint64_t kOld = 100'000; // looks: a store has reached the memory, or another one followed
  static constexpr uint64_t kArrives = 1000; // so does a line that a cache reads

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
  struct Thread {
    uint32_t sp = 0; // before the trap that it is in; 0: it is in none
    State before{}; // that trap
    size_t cpu = 0; // that has run it last
  };
  struct Range {
    uint32_t from, to;
    bool has(uint32_t address) const { return address >= from && address < to; }
  };
  struct Break {
    uint32_t address;
    bool always;
    uint32_t word; // else: if a0 is that
    bool operator==(const Break &) const = default;
  };
  struct Program { // of processors 0 and on, and of processor 1 behind a Back-Door
    std::vector<Range> hide, trap;
    std::vector<Break> breaks;
    std::vector<uint32_t> ends;
    static bool has(const std::vector<Range> &ranges, uint32_t pc) {
      return std::any_of(ranges.begin(), ranges.end(), [&](const Range &r) { return r.has(pc); });
    }
  };
  enum What : uint32_t { kChanges = 2, kLoads = 3, kAccesses = 4 }; // as gdb counts them
  struct Watch {
    size_t cpu;
    uint32_t address, bytes, what;
    const uint8_t *place;
    std::vector<uint8_t> seen{};
    bool overlaps(const uint8_t *at, uint32_t count) const { return at < place + bytes && place < at + count; }
    bool operator==(const Watch &w) const {
      return cpu == w.cpu && address == w.address && bytes == w.bytes && what == w.what;
    }
  };
  struct Store { // committed, and perhaps not in the memory yet
    uint8_t *place;
    uint32_t bytes, value;
    uint32_t after; // what is there when it has arrived: the debugger may have written meanwhile
    uint64_t look;
  };
  struct Poke { // words that the debugger has written
    uint32_t from, to;
    uint64_t look;
  };

  // --- registers, memory --------------------------------------------------------------------------------

  std::array<uint32_t, 32> read_registers(size_t c) const {
    std::array<uint32_t, 32> x;
    for (uint32_t n = 1; n < 32; ++n) x[n] = cores_[c].probe.at(n, cpus_[c].commits);
    x[0] = 0;
    return x;
  }

  State state(size_t c) {
    Cpu &cpu = cpus_[c];
    State s{0, read_registers(c)};
    if (cpu.commits) {
      s.pc = *cores_[c].probe.pc;
    } else {
      s.pc = cpu.last;
      if (cpu.undo) s.x[cpu.undo] = cpu.before;
    }
    return s;
  }

  // Where the bytes at a CPU's address are; null if not all of them are memory.
  uint8_t *place(size_t c, uint32_t address, uint64_t bytes, bool writes = false) {
    for (const Memory &memory : cores_[c].memories) {
      const uint64_t past = address - memory.base;
      if (address >= memory.base && past < memory.size && bytes <= memory.size - past && (memory.writable || !writes))
        return memory.bytes + past;
    }
    return nullptr;
  }

  // As the CPUs see it: with what is on its way.
  void read(const uint8_t *from, uint8_t *to, uint32_t bytes) {
    std::copy_n(from, bytes, to);
    for (const Store &store : stores_) {
      for (uint32_t n = 0; n < store.bytes; ++n) {
        const ptrdiff_t byte = store.place + n - from;
        if (byte >= 0 && byte < bytes) to[byte] = static_cast<uint8_t>(store.after >> 8 * n);
      }
    }
  }

  uint32_t word(size_t c, uint32_t address) {
    uint32_t value = 0;
    if (const uint8_t *at = place(c, address, 4)) read(at, reinterpret_cast<uint8_t *>(&value), 4);
    return value;
  }

  // Behind all stores that have been committed.
  void write(uint8_t *to, const std::vector<uint8_t> &bytes) {
    std::copy(bytes.begin(), bytes.end(), to);
    for (Store &store : stores_) {
      for (uint32_t n = 0; n < store.bytes; ++n) {
        const ptrdiff_t byte = store.place + n - to;
        if (byte < 0 || byte >= static_cast<ptrdiff_t>(bytes.size())) continue;
        store.after = (store.after & ~(0xffu << 8 * n)) | static_cast<uint32_t>(bytes[byte]) << 8 * n;
      }
    }
    const Memory &shared = cores_[0].memories[0];
    if (to >= shared.bytes && to < shared.bytes + shared.size) {
      const auto from = static_cast<uint32_t>(to - shared.bytes);
      pokes_.push_back({from / 4, static_cast<uint32_t>(from + bytes.size() + 3) / 4, looks_});
      refresh(pokes_.back());
    }
    for (Watch &w : watches_) read(w.place, w.seen.data(), w.bytes);
  }

  void refresh(const Poke &poke) {
    for (size_t c = 0; c < kCpus; ++c) {
      for (uint32_t n = poke.from; n < poke.to; ++n) cores_[c].refresh(n, cores_[0].memories[0].bytes);
    }
  }

  // --- threads ------------------------------------------------------------------------------------------

  uint32_t thread(size_t c, uint32_t tp, uint32_t sp) {
    if (c >= kCpus) return count_ + static_cast<uint32_t>(c);
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

  bool trapped(uint32_t t) const { return t < count_ + kCores && all_[t].sp; }

  Program &program(size_t c) { return programs_[c >= kCpus]; }
  bool hidden(size_t c, uint32_t pc) { return Program::has(program(c).hide, pc); }

  // --- what is about to be committed --------------------------------------------------------------------

  // Registers, traps and stores of the instruction that CPU c commits.
  void look(size_t c) {
    Cpu &cpu = cpus_[c];
    cpu.x = read_registers(c);
    const uint32_t pc = *cores_[c].probe.pc, t = thread(c, cpu.x[4], cpu.x[2]);
    if (t >= count_ && c < kCpus) return;
    Thread &found = all_[t];
    found.cpu = c;
    const bool in_trap = Program::has(program(c).trap, pc);
    if (in_trap && !found.sp) found.sp = cpu.x[2], found.before = {*cores_[c].probe.trapped_pc, cpu.x};
    else if (found.sp == cpu.x[2] && !hidden(c, pc)) found.sp = 0;
  }

  void check(size_t c) {
    Cpu &cpu = cpus_[c];
    const uint32_t pc = *cores_[c].probe.pc;
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
    for (const Break &each : program(c).breaks) {
      if (each.address == pc && (each.always || each.word == cpu.x[10])) return stop("break", c, pc);
    }
    if (t != step_ || inside_.has(pc)) return;
    if (!shows_hidden_ && (hidden(c, pc) || trapped(t))) return;
    stop("step", c, pc);
  }

  void commit(size_t c) {
    Cpu &cpu = cpus_[c];
    cpu.last = *cores_[c].probe.pc;
    const uint32_t code = word(c, cpu.last), opcode = code & 0x7f;
    const bool writes = opcode != 0x63 && opcode != 0x23 && opcode != 0x0f;
    cpu.undo = writes ? code >> 7 & 31 : 0;
    cpu.before = cpu.x[cpu.undo];
    const std::vector<uint32_t> &ends = program(c).ends;
    if (std::find(ends.begin(), ends.end(), cpu.last) != ends.end()) all_[thread(c, cpu.x[4], cpu.x[2])].sp = 0;
    const bool loads = opcode == 0x03;
    if (!loads && opcode != 0x23) return;
    const uint32_t from = cpu.x[code >> 15 & 31], bytes = 1u << (code >> 12 & 3);
    uint32_t offset = static_cast<uint32_t>(static_cast<int32_t>(code) >> 20);
    if (!loads) offset = (offset & ~31u) | (code >> 7 & 31);
    uint8_t *at = place(c, from + offset, bytes, !loads);
    if (!at) return;
    const uint32_t value = cpu.x[code >> 20 & 31];
    if (!loads) stores_.push_back({at, bytes, value, value, looks_});
    for (Watch &w : watches_) {
      if (w.what == (loads ? kChanges : kLoads) || !w.overlaps(at, bytes)) continue;
      const bool changed = !loads && changes(w);
      if (!changed && w.what == kChanges) continue;
      cpu.hit = w.address;
      cpu.has_hit = true;
    }
  }

  // Stores that have reached the memory, what the debugger has written, and whether another master has written a
  // watched address.
  void settle() {
    ++looks_;
    if (!stores_.empty()) {
      const auto arrived = [&](const Store &s) {
        const bool there = std::memcmp(s.place, &s.value, s.bytes) == 0;
        if (there && s.after != s.value && looks_ - s.look < kArrives) std::memcpy(s.place, &s.after, s.bytes);
        return there || looks_ - s.look > kOld;
      };
      stores_.erase(std::remove_if(stores_.begin(), stores_.end(), arrived), stores_.end());
    }
    if (!pokes_.empty()) {
      for (const Poke &poke : pokes_) refresh(poke);
      const auto old = [&](const Poke &poke) { return looks_ - poke.look > kArrives; };
      pokes_.erase(std::remove_if(pokes_.begin(), pokes_.end(), old), pokes_.end());
    }
    for (Watch &w : watches_) {
      if (w.what != kLoads && changes(w)) stop("watch", w.cpu, w.address);
    }
  }

  // Whether it has changed since it was looked at.
  bool changes(Watch &w) {
    std::vector<uint8_t> now(w.bytes);
    read(w.place, now.data(), w.bytes);
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
    uint32_t c = 0, a = 0, b = 0, e = 0;
    if (verb == "pause") return false; // it has stopped by itself
    if (verb == "go") return true;
    if (verb == "detach" || verb == "kill") {
      detached_ = true;
      killed_ = verb == "kill";
      return true;
    }
    if (verb == "layout") {
      words >> threads_ >> stride_ >> count_ >> boot_ >> boot_each_ >> a;
      boot_each_ /= kCpus;
      all_.assign(count_ + kCores, {});
      if (kCores > kCpus) {
        cores_[kCpus].memories.back().base = a;
        cpus_[kCpus].last = a + cores_[kCpus].reset;
      }
    } else if (verb == "states") {
      return answer(states_()), false;
    } else if (verb == "cycles") {
      return answer(std::to_string(cycles_)), false;
    } else if (verb == "cpus") {
      std::ostringstream text;
      for (size_t n = 0; n < kCores; ++n) {
        const State s = state(n);
        text << thread(n, s.x[4], s.x[2]) << ' ' << s.pc;
        for (const uint32_t x : s.x) text << ' ' << x;
        text << ' ';
      }
      return answer(text.str()), false;
    } else if (verb == "ran") {
      words >> a;
      return answer(std::to_string(a < all_.size() ? all_[a].cpu : 0)), false;
    } else if (verb == "trapped") {
      words >> a;
      std::ostringstream text;
      if (!trapped(a)) return answer("none"), false;
      text << all_[a].before.pc;
      for (const uint32_t x : all_[a].before.x) text << ' ' << x;
      return answer(text.str()), false;
    } else if (verb == "step") {
      words >> a >> b >> e;
      step_ = a;
      inside_ = {b, e};
      shows_hidden_ = false;
      for (size_t n = 0; n < kCores; ++n) {
        const State s = state(n);
        if (thread(n, s.x[4], s.x[2]) != a) continue;
        shows_hidden_ = a == reported_ && (hidden(n, s.pc) || trapped(a));
        if (cpus_[n].commits && !cpus_[n].passed) {
          pass_ = a;
          passes_ = s.pc;
        }
      }
      return true;
    }
    words >> c >> a;
    if (c >= kCores) return answer("error"), false;
    Program &here = program(c);
    if (verb == "hide" || verb == "trap") {
      words >> b;
      (verb == "hide" ? here.hide : here.trap).push_back({a, b});
    } else if (verb == "end") {
      here.ends.push_back(a);
    } else if (verb == "break") {
      here.breaks.push_back({a, true, 0});
    } else if (verb == "fault") {
      words >> b;
      here.breaks.push_back({a, false, b});
    } else if (verb == "unbreak") {
      here.breaks.erase(std::remove(here.breaks.begin(), here.breaks.end(), Break{a, true, 0}), here.breaks.end());
    } else if (verb == "write") {
      std::string hex;
      words >> hex;
      std::vector<uint8_t> bytes(hex.size() / 2);
      for (size_t n = 0; n < bytes.size(); ++n)
        bytes[n] = static_cast<uint8_t>(std::stoul(hex.substr(2 * n, 2), nullptr, 16));
      uint8_t *to = place(c, a, bytes.size(), true);
      if (!to) return answer("error"), false;
      write(to, bytes);
    } else {
      words >> b >> e;
      const uint8_t *from = place(c, a, b);
      if (!from) return answer("error"), false;
      Watch w{c, a, b, e, from};
      w.seen.resize(b);
      read(from, w.seen.data(), b);
      if (verb == "read") return answer(digits(w.seen.data(), b)), false;
      if (verb == "watch") watches_.push_back(w);
      else watches_.erase(std::remove(watches_.begin(), watches_.end(), w), watches_.end());
    }
    answer("ok");
    return false;
  }

  int in_;
  FILE *out_;
  std::array<Core, kCores> cores_;
  const uint64_t &cycles_;
  std::function<void()> flush_;
  std::function<std::string()> states_;
  std::array<Cpu, kCores> cpus_;
  std::array<Program, 2> programs_;
  std::vector<Watch> watches_;
  std::vector<Store> stores_;
  std::vector<Poke> pokes_;
  std::vector<Thread> all_{kCores}; // the threads
  uint32_t threads_ = 0, stride_ = 0, count_ = 0, boot_ = 0, boot_each_ = 0;
  uint32_t step_ = kNobody, pass_ = kNobody, passes_ = 0;
  uint32_t reported_ = kNobody; // the thread that has stopped, if one has
  Range inside_{0, 0};
  bool shows_hidden_ = false;
  bool begun_ = false, detached_ = false, killed_ = false;
  uint32_t since_poll_ = 0;
  uint64_t looks_ = 0;
  std::string input_;
};

#endif
