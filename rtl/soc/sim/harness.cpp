// SPDX-License-Identifier: Apache-2.0
// Runs a program on the verilated cl_soc. C++ because that is Verilator's interface; everything else about a
// run (building, reading the results, drawing progress) is in src/coreloom.
//
// usage: sim --program FILE [--input FILE] [--output FILE] [--events FILE] [--names FILE] [--uart FILE] [--result FILE]
//            [--max-cycles N] [--max-simulated N] [--window N] [--profile FILE] [--watch ADDRESS]...
//            [--line LINE,FIRST,LEAST,MOST,COUNT,SEED]... [--loader FILE] [--far-period N] [--far-stop CYCLE]
//            [--modules 1] [--stacks THREADS,STRIDE,COUNT,POOL,EACH,GIVEN,MAIN,BYTES,BOOT,ALL,FROM,TO]
//            [--timers ADDRESS] [--takes-faults 1] [--memory FILE] [--every-cycle 1] [--endless 1]
//            [--waves FILE [--waves-from BEGIN] [--waves-to END] [--waves-scope SCOPE]... [--waves-most BYTES]
//             [--waves-words KIND.NUMBER=WORD,...] [--waves-names ADDRESS,STEP,COUNT] [--waves-states ADDRESS,STEP,COUNT]]
//            [--files FOLDER [--current PATH]] [--temporary FOLDER] [--debug IN,OUT] [--jtag SOCKET]
// --max-simulated: as --max-cycles, but cycles that are skipped do not count
// --names: for each NAME event its text, as it was in memory at that time, and a NUL
// --profile: cycles from the first READY on, or from reset if there is none, by CPU and instruction, except those of
//            idle CPUs; 32-bit words cpu, pc, cycles
// --watch: an event of kind 32 + n when a processor reaches the n-th address given, at most 224; processor 1 behind a
//          Back-Door is cpu 1
// --line: interrupt line LINE rises for a cycle, COUNT times, first in cycle FIRST, then at random intervals of LEAST to
//         MOST cycles (uniform); each rise is an event
// --loader: contents of the ROM of processor 1 behind a Back-Door
// --far-period: period of its clock in thousandths of processor 0's; default 1000: the same edges. The first edges of
//               both clocks coincide, and cycles are those of processor 0
// --far-stop: its clock stops in this cycle
// --modules: 1: events also of the kernel's scheduling modules and of the Lock Unit
// --stacks: ends the run when a thread's sp leaves its stack downwards. THREADS: the address of COUNT control blocks of
//           STRIDE bytes, to which tp points. A thread's stack is in POOL, EACH bytes a thread, or as GIVEN says, two
//           words a thread: its first address and its size; that of thread 0 is MAIN with BYTES. BOOT: the stacks of
//           CPUs without a thread, ALL bytes. Between the addresses FROM and TO threads are switched
// --timers: ends the run when every thread is blocked: all CPUs are idle, no hardware thread runs, no line is still to
//           rise, and the word at ADDRESS, how many time limits there are, is 0; ADDRESS 0: there are none
// --takes-faults: 1: the program itself takes the bus errors of its cores
// --every-cycle: 1: simulates also the cycles in which every CPU waits and only the time passes. Else they are skipped,
//                but not with a Back-Door; all figures are the same
// --endless: 1: ends the run when it is proven that the program repeats the same cycles for ever
// --memory: the memory after a run that ended otherwise than by its window, or by an exit with a status below
//           128
// --waves: a waveform, see waves.h; in a model that was built for it. Nothing is skipped while it is written. BEGIN, END:
//          a cycle, or when the thread of that name first runs. SCOPE: only what is in it. It ends when the file has BYTES.
//          --waves-words: names of operations, states ...; --waves-names: the table of threads' names in the memory;
//          --waves-states: that of their states in the software kernel
// --files: the folder in which the program's files are, see host.h; --current: where it begins, below that
// --temporary: its /tmp, if those have none
// --debug: descriptors of pipes to a debugger, see debug.h; in a model that was built for it
// --jtag: descriptor of a socket to a debugger at the JTAG port, see jtag.h; in a model that has one
// stdin: the program's
// stderr: `progress CYCLES` about four times a second, `error: ...` if the run fails
// stdout: UART text as it comes, unless --uart; then the result as JSON in one line, unless --result
// SIGINT and SIGTERM end the run
// exit status: 0 the run ended by exit, window, max-cycles, deadlock, endless, stack, a debugger (killed, left halted) or
//              a signal (stopped); 1 an error before or during the run; 3 bus error or halted core

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verilated.h"
#include "Vmodel.h"
#include "Vmodel___024root.h"
#include "Vmodel__Syms.h" // includes the class of the tiles
// cl_soc is the top, or u_soc in a top of the user's.
#if CORELOOM_TOP
#define SOC(name) cl_top__DOT__u_soc__DOT__##name
#define PVT_SOC(name) __PVT__cl_top__DOT__u_soc__DOT__##name
#else
#define SOC(name) cl_soc__DOT__##name
#define PVT_SOC(name) __PVT__cl_soc__DOT__##name
#endif
#define SEEN(name) top->rootp->SOC(name)
#include "host.h"
#include "waves.h"
#if CORELOOM_DEBUG
#include "debug.h"
#endif
#if CORELOOM_JTAG
#include "jtag.h"
#endif

// Of the model: computes what follows from its registers.
void Vmodel___024root___eval_settle(Vmodel___024root *root);

#ifndef CORELOOM_CPUS
#error "CORELOOM_CPUS and the other sizes and addresses come from the build"
#endif

namespace {

constexpr int kCpus = CORELOOM_CPUS;
constexpr int kUnits = CORELOOM_UNITS; // hardware threads
constexpr uint64_t kRamBytes = CORELOOM_RAM_BYTES;
constexpr uint64_t kInput = CORELOOM_INPUT; // INPUT region: length word, then data
constexpr uint64_t kOutput = CORELOOM_OUTPUT; // OUTPUT region, the same
constexpr uint32_t kRamBase = CORELOOM_RAM_BASE;
constexpr uint64_t kLocalBytes = CORELOOM_LOCAL_BYTES; // of each local memory; 0: there is none
constexpr uint32_t kLocalBase = CORELOOM_LOCAL_BASE;
constexpr uint64_t kRomBytes = CORELOOM_ROM_BYTES; // of processor 1 behind a Back-Door; 0: there is none
constexpr int kCores = kCpus + (kRomBytes != 0); // with it
constexpr uint64_t kHalf = 1000; // half a cycle, in the unit of time
constexpr uint64_t kPeriodMost = 1000 * kHalf;
constexpr uint32_t kUncachedBase = CORELOOM_UNCACHED_BASE; // of the same memory, for the fast core
constexpr uint32_t kTextBase = kLocalBytes ? kLocalBase : kRamBase; // where programs run
constexpr uint8_t kReady = 0; // event kinds of the program that the harness itself uses
constexpr uint8_t kRun = 2;
constexpr uint8_t kIdle = 4;
constexpr uint8_t kName = 6;
constexpr uint8_t kNew = 9;
constexpr uint8_t kHost = 10; // no event: asks the host
constexpr uint8_t kRequest = 16; // kinds above 15 come from the harness: the kernel's interrupt rises
constexpr uint8_t kInterrupt = 17; // an interrupt line rises; value = the line
constexpr uint8_t kUnit = 18; // a hardware thread changes state; value = its `unit`
constexpr uint8_t kModule = 19; // what the kernel does for a client, instead of a CPU; value: a Module
constexpr uint8_t kLockWaits = 20; // a CPU asks the Lock Unit for an address; value = the address
constexpr uint8_t kLockHolds = 21; // it is granted
constexpr uint8_t kLockFree = 22; // it is released
constexpr uint8_t kWatch = 32; // a watched address is reached
constexpr uint32_t kFree = 0, kBlocked = 4; // states of a thread in the kernel
constexpr uint32_t kUnitRuns = 1; // what a hardware thread does, in `unit`
constexpr size_t kWatchMost = 224;
constexpr uint32_t kNameMost = 64; // bytes of a name
constexpr int kDeadlineBits = 17; // DeadlineWidth of cl_ready_queue_pkg
constexpr uint64_t kLines = CORELOOM_LINE_PINS; // interrupt lines with a pin
constexpr uint64_t kChunk = 16384; // cycles between two looks at the clock
constexpr uint64_t kPeriod = CORELOOM_PERIOD; // cycles, a multiple of all periods in the hardware: ticks, refreshes
constexpr uint64_t kQuiet = 256; // cycles until what is under way has mostly ended
constexpr uint64_t kMargin = 16; // cycles before an event that are not skipped
constexpr unsigned kLooksMost = 64;
constexpr uint64_t kCounters = CORELOOM_COUNTERS; // bit n: word n of the local device tells the time or another count
constexpr uint64_t kEndless = 1 << 20; // the first cycle that may repeat for ever

[[noreturn]] void fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::fputs("error: ", stderr);
  std::vfprintf(stderr, format, args);
  std::fputc('\n', stderr);
  va_end(args);
  std::exit(1);
}

// Nothing; an operation waits for one of another client; it is executed; something without an operation is.
enum Module : uint32_t { kNothing, kWaits, kExecutes, kExecutesOther };
constexpr uint32_t kEngineIdle = 1; // StIdle of cl_kernel_engine; 0 is its start

// The source of one interrupt line.
struct Pulses {
  uint64_t line, next, least, most, left, state;

  void advance() {
    --left;
    // splitmix64: any seed will do
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    next += least + (z ^ (z >> 31)) % (most - least + 1);
  }
};

// Where the threads' stacks are; see --stacks.
struct Stacks {
  uint32_t threads, stride, count, pool, each, given, main, bytes, boot, all, from, to;
};

struct Options {
  std::string program, input, output, events, names, uart, result, profile, loader, files, current, temporary;
  WavesOptions waves;
  std::vector<uint32_t> watch;
  std::vector<Pulses> pulses;
  uint64_t max_cycles = UINT64_MAX, max_simulated = UINT64_MAX;
  uint64_t window = UINT64_MAX;
  uint64_t far_period = kHalf; // in thousandths of a cycle; half a period in units of simulation time
  uint64_t far_stop = UINT64_MAX;
  bool modules = false;
  bool takes_faults = false;
  int jtag = -1;
  bool every_cycle = false;
  bool endless = false;
  bool detects_deadlock = false;
  uint32_t timers = 0;
  std::string memory;
  std::unique_ptr<Stacks> stacks;
  std::array<int, 2> debug{-1, -1};
};

uint64_t number(const char *text) {
  char *end = nullptr;
  const uint64_t value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0') fail("not a number: %s", text);
  return value;
}

Pulses pulses(const char *text) {
  Pulses p{};
  int end = 0;
  if (std::sscanf(text, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 "%n", &p.line, &p.next,
                  &p.least, &p.most, &p.left, &p.state, &end) != 6 ||
      text[end] != '\0' || p.line >= kLines || p.least < 2 || p.most < p.least) {
    fail("--line %s is invalid; give LINE,FIRST,LEAST,MOST,COUNT,SEED with LINE below %" PRIu64
         " and 2 <= LEAST <= MOST",
         text, kLines);
  }
  return p;
}

std::unique_ptr<Stacks> stacks(const char *text) {
  std::unique_ptr<Stacks> s(new Stacks{});
  int end = 0;
  if (std::sscanf(text,
                  "%" SCNu32 ",%" SCNu32 ",%" SCNu32 ",%" SCNu32 ",%" SCNu32 ",%" SCNu32 ",%" SCNu32 ",%" SCNu32
                  ",%" SCNu32 ",%" SCNu32 ",%" SCNu32 ",%" SCNu32 "%n",
                  &s->threads, &s->stride, &s->count, &s->pool, &s->each, &s->given, &s->main, &s->bytes, &s->boot,
                  &s->all, &s->from, &s->to, &end) != 12 ||
      text[end] != '\0' || s->stride == 0) {
    fail("--stacks %s is invalid; give twelve numbers", text);
  }
  return s;
}

WavesTable table(const char *text) {
  WavesTable t;
  if (std::sscanf(text, "%" SCNu32 ",%" SCNu32 ",%" SCNu32, &t.at, &t.step, &t.count) != 3) fail("no table: %s", text);
  return t;
}

std::map<std::string, std::string> words(const std::string &text) {
  std::map<std::string, std::string> found;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) {
    const size_t sign = word.find('=');
    if (sign == std::string::npos) fail("no word: %s", word.c_str());
    found[word.substr(0, sign)] = word.substr(sign + 1);
  }
  return found;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) fail("%s needs a value", argv[i]);
    const char *value = argv[i + 1];
    if (name == "--program") options.program = value;
    else if (name == "--input") options.input = value;
    else if (name == "--output") options.output = value;
    else if (name == "--events") options.events = value;
    else if (name == "--names") options.names = value;
    else if (name == "--uart") options.uart = value;
    else if (name == "--result") options.result = value;
    else if (name == "--waves") options.waves.file = value;
    else if (name == "--waves-from") options.waves.from = value;
    else if (name == "--waves-to") options.waves.to = value;
    else if (name == "--waves-scope") options.waves.scopes.push_back(value);
    else if (name == "--waves-most") options.waves.most = number(value);
    else if (name == "--waves-words") options.waves.words = words(value);
    else if (name == "--waves-names") options.waves.names = table(value);
    else if (name == "--waves-states") options.waves.states = table(value);
    else if (name == "--profile") options.profile = value;
    else if (name == "--max-cycles") options.max_cycles = number(value);
    else if (name == "--max-simulated") options.max_simulated = number(value);
    else if (name == "--watch") options.watch.push_back(static_cast<uint32_t>(number(value)));
    else if (name == "--line") options.pulses.push_back(pulses(value));
    else if (name == "--window") options.window = number(value);
    else if (name == "--loader") options.loader = value;
    else if (name == "--far-period") options.far_period = number(value);
    else if (name == "--far-stop") options.far_stop = number(value);
    else if (name == "--modules") options.modules = number(value) != 0;
    else if (name == "--stacks") options.stacks = stacks(value);
    else if (name == "--takes-faults") options.takes_faults = number(value) != 0;
    else if (name == "--memory") options.memory = value;
    else if (name == "--files") options.files = value;
    else if (name == "--temporary") options.temporary = value;
    else if (name == "--current") options.current = value;
    else if (name == "--every-cycle") options.every_cycle = number(value) != 0;
    else if (name == "--endless") options.endless = number(value) != 0;
    else if (name == "--debug") {
      if (std::sscanf(value, "%d,%d", &options.debug[0], &options.debug[1]) != 2) fail("--debug needs IN,OUT");
    } else if (name == "--jtag") {
      options.jtag = static_cast<int>(number(value));
    } else if (name == "--timers") {
      options.detects_deadlock = true;
      options.timers = static_cast<uint32_t>(number(value));
    } else fail("unknown option %s", argv[i]);
  }
  if (options.program.empty()) fail("--program is missing");
  if (options.watch.size() > kWatchMost) fail("too many --watch addresses; at most %zu are possible", kWatchMost);
  if (kRomBytes == 0 && (!options.loader.empty() || options.far_period != kHalf || options.far_stop != UINT64_MAX)) {
    fail("this platform has no Back-Door; omit --loader, --far-period and --far-stop");
  }
  if (options.far_period == 0 || options.far_period > kPeriodMost) {
    fail("--far-period must be from 1 to %" PRIu64 ", not %" PRIu64, kPeriodMost, options.far_period);
  }
  return options;
}

using File = std::unique_ptr<FILE, int (*)(FILE *)>;

File open(const std::string &path, const char *mode) {
  File file(std::fopen(path.c_str(), mode), std::fclose);
  if (!file) fail("cannot open %s", path.c_str());
  return file;
}

// Reads a whole file to `to`; returns its length.
uint64_t load(const std::string &path, uint8_t *to, uint64_t room) {
  const File file = open(path, "rb");
  const uint64_t length = std::fread(to, 1, room, file.get());
  if (std::fgetc(file.get()) != EOF) {
    fail("%s is too long; at most %" PRIu64 " bytes fit", path.c_str(), room);
  }
  return length;
}

// Element c of a port with `width` bits a CPU or hardware thread; Verilator makes it an integer or an array of words
// by its size.
template <typename T>
uint32_t element(const T &port, int c, int width) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint32_t>((static_cast<uint64_t>(port) >> (c * width)) & ((1ull << width) - 1));
  } else {
    static_assert(sizeof(port[0]) == 4);
    const int bit = c * width;
    return static_cast<uint32_t>((port[bit / 32] >> (bit % 32)) & ((1ull << width) - 1));
  }
}

// A core as the harness sees it: its registers and counters.
#define APPLY(to, ...) to(__VA_ARGS__)
#if CORELOOM_CORE == 0 // economy
#define CORE(name) u_core__DOT__g_economy__DOT__u_core__DOT__u_core__DOT__##name
#define REGISTERS CORE(cpuregs)
#define COUNTERS(of, to) APPLY(to, of, CORE(count_cycle)) APPLY(to, of, CORE(count_instr))
#define DCACHE(name) u_core__DOT__g_economy__DOT__u_core__DOT__u_dcache__DOT__g_cache__DOT__##name
#elif CORELOOM_CORE == 1 // standard
#if CORELOOM_BANKS == 1
#define CORE(name) u_core__DOT__g_standard__DOT__u_core__DOT__u_core__DOT__g_one__DOT__##name
#define REGISTERS CORE(u_core__DOT__gen_regfile_fpga__DOT__register_file_i__DOT__mem)
#define CSRS(name) CORE(u_core__DOT__u_ibex_core__DOT__cs_registers_i__DOT__##name)
#else // sp and tp are the same in both banks
#define CORE(name) u_core__DOT__g_standard__DOT__u_core__DOT__u_core__DOT__g_two__DOT__##name
#define REGISTERS CORE(u_registers__DOT__mem)
#define CSRS(name) CORE(u_core__DOT__cs_registers_i__DOT__##name)
#endif
#define COUNTERS(of, to) \
  APPLY(to, of, CSRS(mcycle_counter_i__DOT__counter_q)) APPLY(to, of, CSRS(minstret_counter_i__DOT__counter_q))
#define DCACHE(name) u_core__DOT__g_standard__DOT__u_core__DOT__u_dcache__DOT__g_cache__DOT__##name
#else // fast
#define CORE(name) u_core__DOT__g_fast__DOT__u_core__DOT__u_core__DOT__##name
#define REGISTERS CORE(RegFilePlugin_regFile)
#define COUNTERS(of, to) APPLY(to, of, CORE(CsrPlugin_mcycle)) APPLY(to, of, CORE(CsrPlugin_minstret))
#define DCACHE(name) there_is_none_##name
#endif
#define TILE(n) root->PVT_SOC(g_tile__BRA__##n##__KET____DOT__u_tile)
auto tiles(const Vmodel___024root *root) {
  return std::array<decltype(TILE(0)), kCpus>{
      TILE(0),
#if CORELOOM_CPUS > 1
      TILE(1),
#endif
#if CORELOOM_CPUS > 2
      TILE(2),
#endif
#if CORELOOM_CPUS > 3
      TILE(3),
#endif
#if CORELOOM_CPUS > 4
      TILE(4),
#endif
#if CORELOOM_CPUS > 5
      TILE(5),
#endif
#if CORELOOM_CPUS > 6
      TILE(6),
#endif
#if CORELOOM_CPUS > 7
      TILE(7),
#endif
#if CORELOOM_CPUS > 8
      TILE(8),
#endif
#if CORELOOM_CPUS > 9
      TILE(9),
#endif
#if CORELOOM_CPUS > 10
      TILE(10),
#endif
#if CORELOOM_CPUS > 11
      TILE(11),
#endif
#if CORELOOM_CPUS > 12
      TILE(12),
#endif
#if CORELOOM_CPUS > 13
      TILE(13),
#endif
#if CORELOOM_CPUS > 14
      TILE(14),
#endif
#if CORELOOM_CPUS > 15
      TILE(15),
#endif
  };
}

// Makes a tile's cache of data empty, if it has one.
template <typename Tile>
void forget_cached(Tile *tile) {
  if constexpr (requires { tile->DCACHE(tags); }) {
    for (auto *table : {&tile->DCACHE(tags), &tile->DCACHE(snoop_tags)}) {
      for (size_t n = 0; n < std::size(table->m_storage); ++n) (*table)[n] = 0;
    }
  }
}

#if CORELOOM_DEBUG
// The states of the hardware kernel's threads.
std::string thread_states(const Vmodel___024root *root) {
  const auto &run = root->SOC(u_kernel__DOT__u_tables__DOT__u_threads__DOT__u_run__DOT__g_early__DOT__mem);
  uint32_t cpu_bits = 1;
  while ((1u << cpu_bits) < kCpus + kUnits) ++cpu_bits;
  std::string text;
  for (size_t thread = 0; thread < std::size(run.m_storage); ++thread)
    text += std::to_string(run[thread] >> cpu_bits) + ' ';
  return text;
}
#endif

#if VM_TRACE
// The same, with where each runs or ran last.
std::vector<WavesThread> thread_table(const Vmodel___024root *root) {
  const auto &run = root->SOC(u_kernel__DOT__u_tables__DOT__u_threads__DOT__u_run__DOT__g_early__DOT__mem);
  uint32_t cpu_bits = 1;
  while ((1u << cpu_bits) < kCpus + kUnits) ++cpu_bits;
  std::vector<WavesThread> found(std::size(run.m_storage));
  for (size_t thread = 0; thread < found.size(); ++thread)
    found[thread] = {static_cast<uint32_t>(run[thread] >> cpu_bits), run[thread] & ((1u << cpu_bits) - 1u)};
  return found;
}
#endif

// A register of the communication port of CPU n.
#define IPC(n, name) SOC(g_ipc__DOT__u_ipc__DOT__g_port__BRA__##n##__KET____DOT__u_port__DOT__##name)
// Applies `to` to each of them.
#define IPC_PORTS(to) to(0) to(1) to(2) to(3) to(4) to(5) to(6) to(7)

// The whole state of the model but for the memory, to see whether it repeats itself. If it is what it was some cycles
// ago, but for what only counts, it will be so again after as many cycles, as long as nothing looks at a counter.
class Repetition {
 public:
  explicit Repetition(Vmodel___024root *root) : root_(root) {
    const auto *start = reinterpret_cast<const uint8_t *>(root->vlSymsp);
    const auto *memory = reinterpret_cast<const uint8_t *>(&root->SOC(u_ram__DOT__mem));
    const auto *behind = memory + sizeof root->SOC(u_ram__DOT__mem);
    parts_[0] = {start, static_cast<size_t>(memory - start)};
    parts_[1] = {behind, static_cast<size_t>(start + sizeof(Vmodel__Syms) - behind)};
    // Where the platform has the register: its number of bits, and Verilator's next value of it, if that is kept.
#define COUNT(of, name, width)                                                        \
  [this](auto *in) {                                                                  \
    if constexpr (requires { in->name; }) count(in->name, width);                     \
    if constexpr (requires { in->__Vdly__##name; }) count(in->__Vdly__##name, width); \
  }(of);
#define COUNT_ALL(of, name) COUNT(of, name, 64)
    APPLY(COUNT, root, SOC(cycle_q), 64)
    APPLY(COUNT, root, SOC(bus_count_q), 32)
    APPLY(COUNT, root, SOC(u_kernel__DOT__u_tables__DOT__g_deadlines__DOT__u_deadline__DOT__now_q), kDeadlineBits)
    // While a port has no access, its second register follows the first one.
#define PORT(n) COUNT_PORT(IPC(n, count_q), IPC(n, expired_q))
#define COUNT_PORT(count, expired) COUNT(root, count, 31) COUNT(root, expired, 1)
    IPC_PORTS(PORT)
    for (const auto *tile : tiles(root)) {
      COUNTERS(tile, COUNT_ALL)
    }
#undef PORT
#undef COUNT_PORT
#undef COUNT_ALL
#undef COUNT
  }

  // Remembers the state.
  void note() {
    Vmodel___024root___eval_settle(root_);
    noted_.clear();
    for (const Part &part : parts_) noted_.insert(noted_.end(), part.at, part.at + part.bytes);
    for (Counter &c : counters_) c.noted = c.read();
  }

  // Whether the state is again what was noted, but for the counters.
  bool repeats() {
    for (Counter &c : counters_) c.now = c.read();
    for (const Counter &c : counters_) c.write(c.noted);
    Vmodel___024root___eval_settle(root_);
    const uint8_t *noted = noted_.data();
    bool same = true;
    for (const Part &part : parts_) {
      same = same && std::memcmp(noted, part.at, part.bytes) == 0;
      noted += part.bytes;
    }
    skip(0);
    return same;
  }

  // After repeats(): as if what has happened since note() had happened `times` times more.
  void skip(uint64_t times) {
    for (const Counter &c : counters_) c.write(c.now + times * (c.now - c.noted));
    Vmodel___024root___eval_settle(root_);
  }

 private:
  struct Part {
    const uint8_t *at;
    size_t bytes;
  };
  struct Counter {
    void *at;
    size_t bytes;
    uint64_t mask;
    uint64_t noted, now;

    uint64_t read() const {
      uint64_t value = 0;
      std::memcpy(&value, at, bytes);
      return value;
    }
    void write(uint64_t value) const {
      value &= mask;
      std::memcpy(at, &value, bytes);
    }
  };

  template <typename T>
  void count(const T &reg, int width) {
    counters_.push_back({const_cast<T *>(&reg), sizeof reg, UINT64_MAX >> (64 - width), 0, 0});
  }

  Vmodel___024root *root_;
  std::array<Part, 2> parts_;
  std::vector<Counter> counters_;
  std::vector<uint8_t> noted_;
};

// Whether a communication port has an access.
template <typename Root>
bool communicates(const Root *root) {
  bool any = false;
#define PORT(n) \
  if constexpr (requires { root->IPC(n, valid_q); }) any |= root->IPC(n, valid_q) != 0;
  IPC_PORTS(PORT)
#undef PORT
  return any;
}

// The cycle in which the hardware kernel ends the next wait by itself; UINT64_MAX: none.
template <typename Root>
uint64_t next_timeout(const Root *root, uint64_t cycle) {
#define TIMEOUTS(name) root->SOC(u_kernel__DOT__u_tables__DOT__g_timeouts__DOT__u_timeouts__DOT__##name)
  if constexpr (requires { TIMEOUTS(first_valid_q); }) {
    const auto left = static_cast<int32_t>(TIMEOUTS(first_deadline_q) - static_cast<uint32_t>(cycle));
    if (TIMEOUTS(first_valid_q)) return left > 0 ? cycle + static_cast<uint64_t>(left) : cycle;
  }
#undef TIMEOUTS
  return UINT64_MAX;
}

// Whether threads have deadlines, which are compared with a counter.
template <typename Root>
constexpr bool has_deadlines(const Root *root) {
  return requires { root->SOC(u_kernel__DOT__u_tables__DOT__g_deadlines__DOT__u_deadline__DOT__now_q); };
}

// The threads of the hardware kernel: [thread, state] each, with what those that are blocked wait for: [thread, kind,
// object], kind as in the operations' bits 4:3, 4: the end of a thread; and which thread has which mutex.
void print_threads(FILE *to, const Vmodel___024root *root) {
#define KERNEL(name) root->SOC(u_kernel__DOT__u_tables__DOT__##name##__DOT__mem)
  const auto &run = KERNEL(u_threads__DOT__u_run__DOT__g_early);
  const auto &attributes = KERNEL(u_threads__DOT__u_attr__DOT__g_early);
  const auto &joiners = KERNEL(u_threads__DOT__u_joiner__DOT__g_any);
  const auto &links = KERNEL(u_threads__DOT__u_link__DOT__g_any);
  const auto &lists = KERNEL(u_wait_lists__DOT__u_first__DOT__g_early);
  const auto &tails = KERNEL(u_wait_lists__DOT__u_tail__DOT__g_any);
  const auto &mutexes = KERNEL(u_services__DOT__u_mutex_ops__DOT__u_table__DOT__u_record__DOT__g_any);
#undef KERNEL
  const uint32_t threads = std::size(run.m_storage), objects = std::size(lists.m_storage) / 4;
  uint32_t cpu_bits = 1;
  while ((1u << cpu_bits) < kCpus + kUnits) ++cpu_bits;
  const auto blocked = [&](uint32_t thread) { return run[thread] >> cpu_bits == kBlocked; };
  const char *comma = "";
  std::fprintf(to, ", \"threads\": [");
  for (uint32_t thread = 0; thread < threads; ++thread) {
    const uint32_t state = run[thread] >> cpu_bits;
    if (state == kFree) continue;
    std::fprintf(to, "%s[%" PRIu32 ", %" PRIu32 "]", comma, thread, state);
    comma = ", ";
  }
  comma = "";
  std::fprintf(to, "], \"waits\": [");
  const auto waits = [&](uint32_t thread, uint32_t kind, uint32_t object) {
    std::fprintf(to, "%s[%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", comma, thread, kind, object);
    comma = ", ";
  };
  for (uint32_t list = 0; list < 4 * objects; ++list) {
    if (!(lists[list] & threads)) continue; // valid
    uint32_t thread = lists[list] & (threads - 1);
    for (uint32_t n = 0; n < threads && blocked(thread); ++n) {
      waits(thread, list / objects, list % objects);
      if (thread == tails[list]) break;
      thread = links[thread];
    }
  }
  for (uint32_t thread = 0; thread < threads; ++thread) {
    const uint32_t state = run[thread] >> cpu_bits;
    if (state != kFree && (attributes[thread] & 1) && blocked(joiners[thread])) waits(joiners[thread], 4, thread);
  }
  std::fprintf(to, "], \"owners\": [");
  comma = "";
  for (uint32_t mutex = 0; mutex < std::size(mutexes.m_storage); ++mutex) {
    if (!(mutexes[mutex] & threads)) continue; // locked
    std::fprintf(to, "%s[%" PRIu32 ", %" PRIu32 "]", comma, mutex,
                 static_cast<uint32_t>(mutexes[mutex] & (threads - 1)));
    comma = ", ";
  }
  std::fprintf(to, "]");
}

// Where in the memory an address is.
uint32_t place(uint32_t address) { return address - (address < kUncachedBase ? kRamBase : kUncachedBase); }

// SIGINT or SIGTERM: the run ends, and tells where the threads are.
volatile std::sig_atomic_t stopped = 0;
void stop_run(int) { stopped = 1; }

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

double sc_time_stamp() { return 0; }

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  VerilatedContext context;
#if CORELOOM_GARBAGE
  context.randReset(2);
  context.randSeed(CORELOOM_GARBAGE);
#endif
  const std::unique_ptr<Vmodel> top(new Vmodel(&context));

  auto *ram = reinterpret_cast<uint8_t *>(&top->rootp->SOC(u_ram__DOT__mem)[0]);
#if CORELOOM_GARBAGE
  std::mt19937 garbage(CORELOOM_GARBAGE);
  for (uint64_t at = 0; at < kRamBytes; ++at) ram[at] = static_cast<uint8_t>(garbage());
  std::memset(ram + kInput, 0, 4); // the host's: there are no bytes
  std::memset(ram + kOutput, 0, 4);
#endif
  load(options.program, ram, kRamBytes);
  if (!options.input.empty()) {
    const auto length = static_cast<uint32_t>(load(options.input, ram + kInput + 4, kOutput - kInput - 4));
    std::memcpy(ram + kInput, &length, 4);
  }
#if CORELOOM_ROM_BYTES
  if (!options.loader.empty()) {
    load(options.loader,
         reinterpret_cast<uint8_t *>(
             &top->rootp->SOC(g_backdoor__DOT__u_far_system__DOT__u_far_side__DOT__u_rom__DOT__mem)[0]),
         kRomBytes);
  }
#endif
  File events(nullptr, std::fclose);
  if (!options.events.empty()) events = open(options.events, "wb");
  File names(nullptr, std::fclose);
  if (!options.names.empty()) names = open(options.names, "wb");
  File uart_file(nullptr, std::fclose);
  if (!options.uart.empty()) {
    uart_file = open(options.uart, "wb");
    std::setvbuf(uart_file.get(), nullptr, _IOLBF, BUFSIZ); // its reader shows each line as it comes
  }
  FILE *const uart = uart_file ? uart_file.get() : stdout;

  const auto word = [&](uint32_t address) {
    uint32_t value = 0;
    if (place(address) < kRamBytes) std::memcpy(&value, ram + place(address), 4);
    return value;
  };
#if VM_TRACE
  Waves<kCpus, kUnits> waves(options.waves, options.far_period != kHalf, word);
  const auto look_for_waves = [&] {
    const auto *root = top->rootp;
    std::array<WavesClient, kCpus + kUnits> clients;
    for (int c = 0; c < kCpus + kUnits; ++c) {
#define PORT(name, width) element(root->SOC(u_kernel__DOT__##name), c, width)
      clients[c] = {PORT(op_valid, 1) != 0, PORT(answer_valid, 1) != 0, PORT(op, 8), PORT(id, 10),
                    static_cast<uint32_t>(root->SOC(u_kernel__DOT__answer))};
#undef PORT
    }
    waves.look(clients, thread_table(root));
  };
  if (!options.waves.file.empty()) waves.attach(context, *top, thread_table(top->rootp).size(), look_for_waves);
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is told of as a full disk
#else
  NoWaves waves;
  if (!options.waves.file.empty()) fail("this model was built without waveforms; build it with waves to use --waves");
#endif

  // Empty the data caches, because the host's writes do not pass the bus.
  const auto forget = [&] {
    for (auto *tile : tiles(top->rootp)) forget_cached(tile);
  };
  Host host(
      options.files, options.current, options.temporary,
      [ram](uint32_t address, uint64_t bytes) {
        const uint64_t at = place(address);
        return at + bytes <= kRamBytes ? ram + at : nullptr;
      },
      [uart] { std::fflush(uart); }, stopped);
  if (!options.files.empty() && !host.has_root()) fail("cannot open the folder %s", options.files.c_str());

  bool printed = false; // since the text was flushed
  bool heard = false; // something was printed since a repetition is watched
  bool touched = false; // since Repetition::note(): something has happened that is not in the state
  uint64_t time = 0; // of the next edge of clk_i
  uint64_t cycles = 0;
  const auto log = [&](uint8_t cpu, uint8_t kind, uint32_t value) {
    touched = true;
    if (kind == kRun) waves.runs(cpu, value, cycles, time - kHalf);
    else if (kind == kNew) waves.is_new(cpu, value);
    else if (kind == kIdle) waves.idles(cpu, value != 0);
    else if (kind == kUnit) waves.unit(cpu, value >> 16, value & 0xffff, cycles, time - kHalf);
    if (!events) return;
    uint8_t record[16] = {};
    const uint64_t cycle = SEEN(cycle_q);
    std::memcpy(record, &cycle, 8);
    std::memcpy(record + 8, &value, 4);
    record[12] = cpu;
    record[13] = kind;
    std::fwrite(record, 1, sizeof record, events.get());
  };

  // Reset: asserted over two edges of each clock; cycle 0 begins when it is released.
  top->rst_ni = 0;
  for (int i = 0; i < 5; ++i, time += kHalf) {
    top->clk_i = i & 1;
    top->far_clk_i = i & 1;
    top->rst_ni = i == 4;
    top->eval();
    if (i == 3) waves.cycle(0);
    waves.dump(time);
  }

  const char *reason = nullptr;
  uint32_t exit_status = 0, fault_address = 0;
  int fault_cpu = -1, exit_cpu = -1;
  uint64_t all_idle_since = UINT64_MAX, no_timers_since = UINT64_MAX;
  uint64_t stop = options.max_cycles;
  bool stop_is_window = false;
  uint32_t idle = 0; // bit c: CPU c waits in the hardware kernel
  uint32_t reported_idle = 0; // bit c: CPU c's software kernel has reported that it is idle
  std::array<uint32_t, kUnits> units{}; // what was logged last
  // One counter an instruction of the program; more than enough for a run.
  std::vector<uint32_t> profile(options.profile.empty() ? 0 : kCpus * (kInput / 4));
  const bool counting = !profile.empty();
  bool ready = false;
  const bool watching = !options.watch.empty();
  // Most instructions are not watched: bit n, one of those whose address ends in n is.
  std::vector<bool> watched(4096);
  for (const uint32_t address : options.watch) watched[address / 4 % watched.size()] = true;
  const bool driving = !options.pulses.empty();

  // The harness looks at more than the model only in the cycle `pause`, and in this one for a repetition.
  uint64_t pause = 0, look_at = UINT64_MAX;
  const auto pause_at = [&](uint64_t cycle) {
    look_at = cycle;
    if (cycle < pause) pause = cycle;
  };
  const auto all_idle = [&] { return (idle | reported_idle) == (1u << kCpus) - 1; };
  const auto note_idle = [&] {
    if (!all_idle()) all_idle_since = no_timers_since = UINT64_MAX;
    else if (all_idle_since == UINT64_MAX) all_idle_since = cycles;
  };

  // While every CPU waits, one period after another is skipped in which only the time passes.
  Repetition repetition(top->rootp);
  uint64_t noted_at = 0, skipped = 0, transfers = 0, noted_transfers = 0, stores = 0; // of the shared bus
  unsigned looks = 0; // since looking began
  bool looking = false;
  const auto begin_to_look = [&] {
    looks = 0;
    looking = false;
    look_at = UINT64_MAX;
    if (kRomBytes == 0 && !options.every_cycle && !waves.writes() && all_idle()) pause_at(cycles + kQuiet);
  };

  // Looks at the outputs of the current cycle. Only called when the model says there is something to see.
  const auto look = [&] {
    touched = true;
    if (SEEN(uart_valid)) {
      std::fputc(SEEN(uart_byte), uart);
      printed = heard = true;
    }
    for (int n = 0; n < kUnits; ++n) {
      const uint32_t unit_now = element(SEEN(unit), n, 32);
      if (unit_now == units[n]) continue;
      units[n] = unit_now;
      log(static_cast<uint8_t>(n), kUnit, unit_now);
    }
    for (int c = 0; c < kCpus; ++c) {
      if (element(SEEN(trace_valid), c, 1)) {
        const auto kind = static_cast<uint8_t>(element(SEEN(trace_kind), c, 4));
        if (kind == kHost) {
          host.answer(element(SEEN(value), c, 32));
          forget();
          touched = heard = true; // what the host has done is not in the state
        } else {
          log(static_cast<uint8_t>(c), kind, element(SEEN(value), c, 32));
        }
        if (kind == kName) {
          // From anywhere in the memory; an address outside of it has no name. A constant in the local
          // memory is read where it was copied from.
          uint32_t at = element(SEEN(value), c, 32);
          at = at - kLocalBase < kLocalBytes ? at - kLocalBase : place(at);
          std::string text;
          for (; text.size() < kNameMost && at < kRamBytes && ram[at] != 0; ++at) text += static_cast<char>(ram[at]);
          waves.is_named(c, text, cycles, time - kHalf);
          if (names) std::fwrite(text.c_str(), 1, text.size() + 1, names.get());
        }
        if (kind == kReady && !ready) { // what was before is not asked for
          ready = true;
          std::fill(profile.begin(), profile.end(), 0);
          transfers = noted_transfers = stores = 0;
        }
        if (kind == kIdle) {
          const uint32_t bit = 1u << c;
          reported_idle = element(SEEN(value), c, 32) ? reported_idle | bit : reported_idle & ~bit;
          note_idle();
        }
        if (kind == kReady && !stop_is_window && options.window != UINT64_MAX) {
          const uint64_t end = SEEN(cycle_q) + options.window;
          stop_is_window = true; // only the first READY opens the window
          if (end < stop) stop = end;
          if (end < pause) pause = end;
        }
      }
      if (element(SEEN(u_observer__DOT__request), c, 1)) log(static_cast<uint8_t>(c), kRequest, 0);
      const uint32_t idle_now = element(SEEN(kernel_idle), c, 1);
      if (idle_now != ((idle >> c) & 1u)) {
        idle ^= 1u << c;
        note_idle();
        log(static_cast<uint8_t>(c), kIdle, idle_now);
      }
      if (reason) continue;
      if (element(SEEN(exit_valid), c, 1)) {
        reason = "exit";
        exit_status = element(SEEN(value), c, 32);
        exit_cpu = c;
      } else if (element(SEEN(fault), c, 1) && !options.takes_faults) {
        reason = "bus-error";
        fault_cpu = c;
        fault_address = element(SEEN(fault_addr), c, 32);
      } else if (element(SEEN(halt), c, 1)) {
        reason = "halt";
        fault_cpu = c;
      }
    }
    begin_to_look();
  };

  // Whether every thread is blocked. Anything under way when the last CPU becomes idle arrives within kSettle cycles.
  constexpr uint64_t kSettle = 10000;
  const auto only_time_limits_left = [&] {
    for (const Pulses &p : options.pulses) {
      if (p.left != 0) return false;
    }
    for (const uint32_t unit : units) {
      if (unit >> 16 == kUnitRuns) return false;
    }
    return true;
  };
  const auto time_limits = [&] {
    uint32_t timers = 0;
    if (options.timers) std::memcpy(&timers, ram + place(options.timers), 4);
    return timers + top->rootp->SOC(u_kernel__DOT__u_tables__DOT__timeout_waits);
  };
  const auto deadlocked = [&] {
    if (kRomBytes != 0 || all_idle_since == UINT64_MAX || cycles - all_idle_since < kSettle) return false;
    if (!only_time_limits_left()) return false;
    // The last time limit may have ended just now, and its thread be about to run: look again.
    if (time_limits() != 0) {
      no_timers_since = UINT64_MAX;
      return false;
    }
    if (no_timers_since == UINT64_MAX) no_timers_since = cycles;
    return cycles - no_timers_since >= kSettle;
  };

  // The cycle in which the time alone makes something happen, or the run ends.
  const auto model_tiles = tiles(top->rootp);
  const auto next_event = [&] {
    uint64_t next = std::min({stop, next_timeout(top->rootp, cycles), waves.begin(cycles)});
    for (const auto *tile : model_tiles) {
      if (tile->u_local__DOT__mtimecmp_q > cycles) next = std::min<uint64_t>(next, tile->u_local__DOT__mtimecmp_q);
    }
    for (const Pulses &p : options.pulses) {
      if (p.left != 0) next = std::min(next, p.next);
    }
    return next;
  };
  // Stores, and loads of the local devices, which have the time.
  const auto note_accesses = [&] {
    touched |= top->rootp->SOC(snoop_valid) != 0 || communicates(top->rootp);
    for (const auto *tile : model_tiles) touched |= tile->u_local__DOT__rsp_q != 0;
  };
  // Called every kPeriod cycles while all CPUs wait. A longer period is found as by Brent: the state is compared with
  // that of the last power of two.
  const auto look_for_repetition = [&] {
    if (waves.writes()) {
      begin_to_look();
      return;
    }
    const uint64_t next = next_event();
    // The deadlock is found first.
    const bool endless = next == UINT64_MAX || (options.detects_deadlock && only_time_limits_left() && !time_limits());
    if (endless || next < cycles + kPeriod + kMargin || looks == kLooksMost) {
      begin_to_look();
      look_at = endless ? UINT64_MAX : std::max(next, cycles + kLooksMost * kPeriod) + kQuiet;
      return;
    }
    if (looking && !touched && repetition.repeats()) {
      const uint64_t period = cycles - noted_at;
      const uint64_t times = (next - kMargin - cycles) / period;
      repetition.skip(times);
      cycles += times * period;
      skipped += times * period;
      time += 2 * kHalf * times * period;
      transfers += times * (transfers - noted_transfers);
      begin_to_look();
      look_at = next + kQuiet;
      return;
    }
    if ((looks & (looks - 1)) == 0) {
      repetition.note();
      noted_at = cycles;
      noted_transfers = transfers;
      looking = true;
      touched = false;
    }
    ++looks;
    look_at = cycles + kPeriod;
  };

  std::array<const uint32_t *, kCpus> cores;
  for (int c = 0; c < kCpus; ++c) cores[c] = &model_tiles[c]->REGISTERS[0];

  // Where each thread goes round: for its tp and each pc the cycles, and if a load is there, from where.
  struct Visit {
    uint64_t cycles = 0;
    uint32_t base = 0;
  };
  std::unordered_map<uint64_t, Visit> visits;
  uint64_t recorded_from = UINT64_MAX;
  bool counters_read = false; // cycles, instructions or transfers on the bus
  const auto record = [&] {
    for (int c = 0; c < kCpus; ++c) {
      const uint32_t pc = element(SEEN(pc), c, 32);
      const uint32_t at = pc - kLocalBase < kLocalBytes ? pc - kLocalBase : place(pc);
      uint32_t instruction = 0;
      if (at < kInput) std::memcpy(&instruction, ram + at, 4);
      const uint32_t csr = instruction >> 20;
      counters_read |= at >= kInput || pc % 4 != 0;
      counters_read |= (instruction & 0x7f) == 0x73 && (csr >> 8 == 0xb || csr >> 8 == 0xc) && (csr & 0x7f) < 0x20;
      counters_read |= model_tiles[c]->u_local__DOT__load &&
                       (kCounters >> model_tiles[c]->u_local__DOT__addr_i / 4 & 1);
      if ((idle | reported_idle) >> c & 1u) continue;
      Visit &visit = visits[uint64_t{cores[c][4]} << 32 | pc];
      ++visit.cycles;
      visit.base = cores[c][instruction >> 15 & 31];
    }
  };
  const auto begin_to_record = [&] {
    visits.clear();
    recorded_from = cycles;
  };

  // Whether the program repeats the same cycles for ever. Every kPeriod cycles the CPUs are compared with what they were
  // at the last power of two of cycles; if they are the same and the whole state with the memory is, too, the same cycles
  // are simulated once more. If the state is then the same again, and meanwhile nothing was printed, no counter read and
  // no time limit pending, it will be so for ever. As by Brent, else the next power of two is waited for.
  Repetition whole(top->rootp);
  std::vector<uint8_t> memory;
  using Seen = std::array<std::array<uint32_t, 33>, kCpus>;
  Seen seen{};
  uint64_t seen_at = 0;
  uint64_t look_for_end_at = options.endless && kRomBytes == 0 && !has_deadlines(top->rootp) ? kEndless : UINT64_MAX;
  bool once_more = false; // these cycles have been repeated once, and are again
  bool ends = false; // since then: something else can come
  const auto look_at_cores = [&] {
    Seen now;
    for (int c = 0; c < kCpus; ++c) {
      std::copy_n(cores[c], 32, now[c].begin());
      now[c][32] = element(SEEN(pc), c, 32);
    }
    return now;
  };
  const auto may_end = [&] {
    const uint64_t next = next_event();
    return heard || counters_read || !only_time_limits_left() || communicates(top->rootp) ||
           (next < stop && next < UINT64_MAX / 2);
  };
  const auto note_whole = [&] {
    whole.note();
    memory.assign(ram, ram + kRamBytes);
    seen = look_at_cores();
    seen_at = cycles;
  };
  const auto look_for_end = [&] {
    const bool same = seen == look_at_cores() && whole.repeats() && std::memcmp(memory.data(), ram, kRamBytes) == 0;
    if (once_more) {
      once_more = false;
      if (same && !ends && cycles == look_for_end_at) reason = "endless";
      look_for_end_at = 2 * cycles;
      seen_at = 0;
    } else if (seen_at && same) {
      once_more = true;
      look_for_end_at = cycles + (cycles - seen_at);
      note_whole();
      begin_to_record();
      heard = counters_read = ends = false;
    } else {
      if (cycles >= 2 * seen_at) note_whole();
      look_for_end_at = cycles + kPeriod;
    }
  };

  // Watches the stack pointer of each CPU.
  struct Stack {
    uint32_t low = 0, high = 0;
  };
  std::array<uint32_t, kCpus> sp_before{};
  std::array<bool, kCpus> on_boot_stack{};
  std::array<std::array<uint32_t, 32>, kCpus> left{}; // registers when a CPU went to its boot stack, as in a fault
  struct Switch {
    uint64_t until = 0; // cycles: longer than any handler
    uint32_t tp = 0;
  };
  std::array<Switch, kCpus> switches{}; // interrupted between sp and tp
  std::vector<Stack> bounds(options.stacks ? options.stacks->count : 0);
  uint32_t stack_thread = 0, stack_pc = 0, stack_sp = 0;
  // sp is that of a suspended thread: tp follows, perhaps after an interrupt's handler.
  const auto begins_switch = [&](int c, uint32_t sp) {
    const Stacks &s = *options.stacks;
    const uint32_t tp = cores[c][4];
    for (uint32_t thread = s.threads; thread != s.threads + s.count * s.stride; thread += s.stride) {
      if (thread == tp || word(thread) != sp) continue;
      switches[c] = {cycles + 100'000, tp};
      return true;
    }
    return false;
  };
  const auto check_stack = [&](int c, uint32_t sp) {
    const Stacks &s = *options.stacks;
    const uint32_t pc = element(SEEN(pc), c, 32);
    const uint32_t before = std::exchange(sp_before[c], sp);
    if (pc >= s.from && pc < s.to) { // sp and tp are not of one thread here
      begins_switch(c, sp);
      return;
    }
    const uint32_t boot_bytes = s.all / kCpus;
    const uint32_t top_of_boot = s.boot + static_cast<uint32_t>(c + 1) * boot_bytes;
    if (sp == top_of_boot) {
      on_boot_stack[c] = true;
      std::copy_n(cores[c], left[c].size(), left[c].begin());
      left[c][2] = before;
    }
    if (on_boot_stack[c] && top_of_boot - sp < boot_bytes) return;
    on_boot_stack[c] = false;
    const uint32_t thread = (cores[c][4] - s.threads) / s.stride;
    if (thread >= s.count || place(sp) >= kRamBytes) return;
    if (cycles < switches[c].until && cores[c][4] == switches[c].tp) return;
    switches[c].until = 0;
    Stack &b = bounds[thread];
    if (sp - b.low <= b.high - b.low && b.high) return;
    const auto is_in = [&](uint32_t low, uint32_t bytes) {
      if (sp - low > bytes || bytes == 0) return false;
      b = {low, low + bytes};
      return true;
    };
    if (thread == 0 ? is_in(s.main, s.bytes)
                    : is_in(s.pool + thread * s.each, s.each) ||
                          is_in(word(s.given + 8 * thread), word(s.given + 8 * thread + 4)))
      return;
    if (b.high == 0 || sp > b.low) return; // a stack of the program's own
    if (begins_switch(c, sp)) return;
    reason = "stack";
    fault_cpu = c;
    stack_thread = thread;
    stack_pc = pc;
    stack_sp = sp;
  };

  const auto count = [&] {
    transfers += top->rootp->SOC(bus_rvalid) != 0;
    stores += top->rootp->SOC(snoop_valid) != 0;
    for (int c = 0; c < kCpus; ++c) {
      const uint32_t at = element(SEEN(pc), c, 32) - kTextBase;
      if (!((idle | reported_idle) >> c & 1u) && at < kInput) ++profile[c * (kInput / 4) + at / 4];
    }
  };

  std::array<uint32_t, kCores> pc_before{};
  const auto watch = [&] {
    for (int c = 0; c < kCores; ++c) {
      const uint32_t pc = element(SEEN(pc), c, 32);
      if (pc == pc_before[c]) continue;
      pc_before[c] = pc;
      if (!watched[pc / 4 % watched.size()]) continue;
      for (size_t n = 0; n < options.watch.size(); ++n) {
        if (pc == options.watch[n]) log(static_cast<uint8_t>(c), static_cast<uint8_t>(kWatch + n), pc);
      }
    }
  };

  std::array<uint32_t, kCpus + kUnits> modules{};
  std::array<uint8_t, kCpus> locks;
  locks.fill(kLockFree);
  const auto look_at_modules = [&] {
    const auto *root = top->rootp;
    const uint32_t engine = root->SOC(u_kernel__DOT__u_engine__DOT__state_q);
    const uint32_t served = root->SOC(u_kernel__DOT__u_engine__DOT__cpu_q);
    const bool by_line = root->SOC(u_kernel__DOT__u_engine__DOT__by_line_q);
    for (int c = 0; c < kCpus + kUnits; ++c) {
      const bool asks = element(root->SOC(u_kernel__DOT__op_valid), c, 1);
      const bool taken = element(root->SOC(u_kernel__DOT__take), c, 1);
      uint32_t now = asks ? kWaits : kNothing;
      if (taken) now = asks ? kExecutes : kExecutesOther;
      else if (engine > kEngineIdle && !by_line && served == static_cast<uint32_t>(c))
        now = modules[c] == kExecutes ? kExecutes : kExecutesOther;
      // Each operation is an event, also one right after another.
      if (now != modules[c] || (taken && asks)) log(static_cast<uint8_t>(c), kModule, now);
      modules[c] = now;
    }
    for (int c = 0; c < kCpus; ++c) {
      uint8_t now = kLockFree;
      if (element(root->SOC(u_lock_unit__DOT__req_q), c, 1)) {
        now = element(root->SOC(u_lock_unit__DOT__grant_q), c, 1) ? kLockHolds : kLockWaits;
      }
      if (now == locks[c]) continue;
      locks[c] = now;
      log(static_cast<uint8_t>(c), now, element(root->SOC(u_lock_unit__DOT__addr_q), c, 32));
    }
  };

  // The lines of the cycle to come.
  const auto drive = [&] {
    top->line_i = 0;
    for (Pulses &p : options.pulses) {
      if (p.left == 0 || p.next != cycles) continue;
      top->line_i |= 1u << p.line;
      log(0, kInterrupt, static_cast<uint32_t>(p.line));
      p.advance();
    }
  };

#if CORELOOM_DEBUG
  std::unique_ptr<Debugger<kCpus, kCores>> debugger;
  bool far_was = false;
  const auto hold = [&](bool rises) { // after each evaluation; of clk_i in its other half
    const bool far_rises = top->far_clk_i && !far_was;
    far_was = top->far_clk_i;
    if (debugger && (rises || far_rises)) debugger->cycle(rises, far_rises);
  };
#endif

  // The clock of processor 1: its edges before the next one of clk_i by themselves, one at the same time with it.
  uint64_t far_time = time; // of its next edge
  const auto far_edge = [&] {
    if (top->far_clk_i == 0 && cycles >= options.far_stop) {
      far_time = UINT64_MAX;
      return false;
    }
    top->far_clk_i ^= 1;
    far_time += options.far_period;
    return true;
  };
  const auto far_edges = [&] {
    if constexpr (kRomBytes == 0) return;
    while (far_time < time) {
      const uint64_t now = far_time;
      if (!far_edge()) break;
      top->eval();
#if CORELOOM_DEBUG
      hold(false);
#endif
      waves.dump(now);
      if (__builtin_expect(watching, 0)) watch();
    }
    if (far_time == time) far_edge();
  };

  std::signal(SIGINT, stop_run);
  std::signal(SIGTERM, stop_run);
#if CORELOOM_DEBUG
  if (options.debug[0] >= 0) {
    std::array<Core, kCores> seen;
    for (int c = 0; c < kCpus; ++c) {
      auto *tile = tiles(top->rootp)[c];
      const std::vector<Memory> shared{{kRamBase, ram, kRamBytes}, {kUncachedBase, ram, kRamBytes}};
      seen[c] = near_core(tile, &tile->REGISTERS[0], shared, kRamBase + 0x80);
    }
#if CORELOOM_ROM_BYTES
    seen[kCpus] = far_core(top->rootp);
#endif
    debugger = std::make_unique<Debugger<kCpus, kCores>>(
        options.debug[0], options.debug[1], seen, cycles, [&] { std::fflush(uart); },
        [&] { return thread_states(top->rootp); });
  }
#else
  if (options.debug[0] >= 0) fail("this model was built without a debugger; build it with one to use --debug");
#endif
#if CORELOOM_JTAG
  Jtag jtag(options.jtag);
#else
  if (options.jtag >= 0) fail("this model has no JTAG port; build it with one to use --jtag");
#endif

  const auto start = std::chrono::steady_clock::now();
  double next_progress = 0.25;
  const auto limit = [&] { return options.max_simulated < stop - skipped ? options.max_simulated + skipped : stop; };
  while (!reason && cycles < limit()) {
    // The clock, and whether there is a deadlock, are looked at only between chunks.
    const uint64_t chunk_end = std::min(limit(), (cycles / kChunk + 1) * kChunk);
    if (recorded_from == UINT64_MAX && options.stacks && options.window == UINT64_MAX && limit() - cycles <= 2 * kChunk)
      begin_to_record();
    pause = std::min({chunk_end, look_at, look_for_end_at});
    while (cycles < pause) {
      far_edges();
#if CORELOOM_JTAG
      jtag.cycle(*top);
#endif
      top->clk_i = 1;
      top->eval();
      ++cycles;
      waves.cycle(cycles);
      waves.dump(time);
      if (waves.ends(cycles)) begin_to_look();
      time += kHalf;
#if CORELOOM_DEBUG
      hold(true);
      if (debugger && debugger->killed()) {
        reason = "killed";
        break;
      }
#endif
#if CORELOOM_JTAG
      if (jtag.left(top->page_req_o)) {
        reason = "left";
        break;
      }
#endif
      if (__builtin_expect(counting, 0)) count(); // before look(): READY's own cycle is not in the window
      if (__builtin_expect(watching, 0)) watch();
      if (__builtin_expect(looking, 0)) note_accesses();
      if (__builtin_expect(recorded_from != UINT64_MAX, 0)) record();
      if (__builtin_expect(once_more, 0)) ends |= may_end();
      if (__builtin_expect(options.modules, 0)) look_at_modules();
      if (options.stacks) {
        for (int c = 0; c < kCpus; ++c) {
          if (const uint32_t sp = cores[c][2]; __builtin_expect(sp != sp_before[c], 0)) check_stack(c, sp);
        }
        if (__builtin_expect(reason != nullptr, 0)) break;
      }
      if (__builtin_expect(SEEN(u_observer__DOT__active), 0)) {
        look();
        if (reason) break;
      }
      if (__builtin_expect(driving, 0)) drive();
      far_edges();
      top->clk_i = 0;
      top->eval();
#if CORELOOM_DEBUG
      if constexpr (kRomBytes != 0) hold(false);
#endif
      waves.dump(time);
      time += kHalf;
    }
    if (printed) std::fflush(uart);
    printed = false;
    if (stopped && !reason) reason = "stopped";
    if (!reason && cycles == look_at) look_for_repetition();
    if (!reason && cycles >= look_for_end_at) look_for_end();
    if (!reason && cycles != chunk_end && cycles < limit()) continue;
    if (seconds_since(start) >= next_progress) {
      next_progress = seconds_since(start) + 0.25;
      std::fprintf(stderr, "progress %" PRIu64 "\n", cycles);
    }
    if (!reason && options.detects_deadlock && deadlocked()) reason = "deadlock";
    if (context.gotFinish() || context.gotError()) {
      waves.close();
      fail("an RTL assertion failed; see the message above");
    }
  }
  if (!reason) reason = (stop_is_window && stop != options.max_cycles && cycles == stop) ? "window" : "max-cycles";
  const double seconds = seconds_since(start);
#if CORELOOM_DEBUG
  if (debugger && std::strcmp(reason, "exit") == 0) debugger->ended(exit_status);
  else if (debugger) debugger->stop(reason, fault_cpu < 0 ? 0 : fault_cpu, fault_address);
#endif
  top->final();
  waves.close();
#if VM_TRACE
  if (waves.failed()) {
    std::fputs(waves.kFailed, stderr);
    return 1;
  }
#endif

  if (!options.output.empty()) {
    uint32_t length = 0;
    std::memcpy(&length, ram + kOutput, 4);
    // A run that is cut short, or a program without output, leaves an undefined length there.
    if (length > kRamBytes - kOutput - 4) length = 0;
    const File file = open(options.output, "wb");
    if (std::fwrite(ram + kOutput + 4, 1, length, file.get()) != length)
      fail("cannot write %s", options.output.c_str());
  }
  if (!options.profile.empty()) {
    const File file = open(options.profile, "wb");
    for (uint32_t i = 0; i < profile.size(); ++i) {
      const auto cpu = static_cast<uint32_t>(i / (kInput / 4));
      const uint32_t record[3] = {cpu, kTextBase + 4 * static_cast<uint32_t>(i % (kInput / 4)), profile[i]};
      if (profile[i] && std::fwrite(record, sizeof record, 1, file.get()) != 1) {
        fail("cannot write %s", options.profile.c_str());
      }
    }
  }
  if (events && std::fflush(events.get()) != 0) fail("cannot write %s", options.events.c_str());
  if (names && std::fflush(names.get()) != 0) fail("cannot write %s", options.names.c_str());
  std::fflush(uart);

  const bool stack = std::strcmp(reason, "stack") == 0;
  const bool halted = fault_cpu >= 0 && !stack;
  // A program that ends itself tells nothing more, but for abort() and faults.
  const bool tells = exit_cpu >= 0 ? (exit_status & 0x80) != 0 : std::strcmp(reason, "window") != 0;
  if (!options.memory.empty() && tells) {
    const File file = open(options.memory, "wb");
    if (std::fwrite(ram, 1, kRamBytes, file.get()) != kRamBytes) fail("cannot write %s", options.memory.c_str());
  }
  if (halted && std::strcmp(reason, "bus-error") == 0) {
    std::fprintf(stderr, "bus error: cpu %d, address 0x%08" PRIx32 "\n", fault_cpu, fault_address);
  } else if (halted) {
    std::fprintf(stderr, "cpu %d halted\n", fault_cpu);
  }
  File result_file(nullptr, std::fclose);
  if (!options.result.empty()) result_file = open(options.result, "wb");
  FILE *const result = result_file ? result_file.get() : stdout;
  std::fprintf(result, "{\"reason\": \"%s\", \"exit_status\": ", reason);
  if (exit_cpu >= 0) std::fprintf(result, "%" PRIu32, exit_status);
  else std::fprintf(result, "null");
  std::fprintf(result, ", \"cycles\": %" PRIu64 ", \"skipped\": %" PRIu64 ", \"seconds\": %.6f", cycles, skipped,
               seconds);
  if (!options.profile.empty()) {
    std::fprintf(result, ", \"transfers\": %" PRIu64 ", \"stores\": %" PRIu64, transfers, stores);
  }
#if VM_TRACE
  if (!options.waves.file.empty()) {
    std::fprintf(result, ", \"waves\": ");
    waves.report(result);
  }
#endif
  if (halted) {
    // The processor and where it is: economy's is at most one instruction ahead.
    std::fprintf(result, ", \"cpu\": %d, \"address\": %" PRIu32 ", \"pc\": %" PRIu32, fault_cpu, fault_address,
                 element(SEEN(pc), fault_cpu, 32));
  }
  if (stack) {
    const Stack &b = bounds[stack_thread];
    std::fprintf(result,
                 ", \"cpu\": %d, \"thread\": %" PRIu32 ", \"pc\": %" PRIu32 ", \"used\": %" PRIu32
                 ", \"bytes\": %" PRIu32,
                 fault_cpu, stack_thread, stack_pc, b.high - stack_sp, b.high - b.low);
  }
  if (exit_cpu >= 0) std::fprintf(result, ", \"cpu\": %d", exit_cpu);
  if (tells) {
    print_threads(result, top->rootp);
    // Of each CPU its pc and its registers; and those that it had before it went to its boot stack, if it is there. A
    // CPU that is idle there, or waits, still has those of the thread that was the last.
    const auto print_registers = [&](const uint32_t *registers) {
      std::fprintf(result, "[");
      for (int r = 0; r < 32; ++r) std::fprintf(result, "%s%" PRIu32, r ? ", " : "", registers[r]);
      std::fprintf(result, "]");
    };
    std::fprintf(result, ", \"cores\": [");
    for (int c = 0; c < kCpus; ++c) {
      std::fprintf(result, "%s{\"pc\": %" PRIu32 ", \"registers\": ", c ? ", " : "", element(SEEN(pc), c, 32));
      print_registers(cores[c]);
      std::fprintf(result, ", \"left\": ");
      if (on_boot_stack[c]) print_registers(left[c].data());
      else std::fprintf(result, "null");
      std::fprintf(result, "}");
    }
    std::fprintf(result, "]");
  }
  if (tells && recorded_from != UINT64_MAX && exit_cpu < 0 && fault_cpu < 0) {
    // The instructions executed at the end: [tp, pc, cycles, the register that a load there adds to].
    std::fprintf(result, ", \"recorded\": %" PRIu64 ", \"visits\": [", cycles - recorded_from);
    const char *comma = "";
    for (const auto &[at, visit] : visits) {
      std::fprintf(result, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu32 "]", comma, at >> 32, at & UINT32_MAX,
                   visit.cycles, visit.base);
      comma = ", ";
    }
    std::fprintf(result, "]");
  }
  std::fprintf(result, "}\n");
  if (std::fflush(result) != 0) fail("cannot write the result");
  return halted ? 3 : 0;
}
