/* SPDX-License-Identifier: Apache-2.0
 *
 * The fuzzer itself, not instrumented: changes, coverage, and a process that watches the one that runs the target. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "place.h"

#define MAP 65536
#define POOL 4096
#define ARENA ((size_t)64 << 20)
#define INPUT_MOST ((size_t)1 << 18)
#define FAILURES 5    /* then it ends */
#define CPU_S 10      /* an input that takes so long never ends */
#define WALL_S 180
#define REPORT 6000   /* bytes of a report that are shown */

/* Survives the process that runs the target. */
struct shared {
  uint64_t next, ran; /* number of the next input; how many ran */
  uint32_t pool;
  size_t used;
  struct {
    size_t at, size;
  } entry[POOL];
  unsigned char seen[MAP];
  size_t size; /* of the input that runs */
  char input[INPUT_MOST + 1];
  char arena[ARENA];
};

static struct fuzz_target *targets;
static const struct fuzz_target *target;
static struct shared *shared;
static unsigned char map[MAP];
static uint64_t seed = 1, state, digest;
static const char *out;
static int report, printed;
unsigned char fuzz_fill = 'x';

void fuzz_add(struct fuzz_target *t) {
  t->next = targets;
  targets = t;
}

/* Random numbers: splitmix64, anew for each input */

static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static uint64_t draw(void) { return mixed(state += UINT64_C(0x9e3779b97f4a7c15)); }

static size_t below(size_t most) { return most ? (size_t)(draw() % most) : 0; }

/* Coverage: the compilers call this at each edge. */

static uintptr_t before_pc;

void __sanitizer_cov_trace_pc(void);
extern const char __executable_start;
void __sanitizer_cov_trace_pc(void) {
  uintptr_t pc = (uintptr_t)__builtin_return_address(0) - (uintptr_t)&__executable_start;
  pc = (uintptr_t)mixed(pc);
  unsigned char *at = &map[(pc ^ before_pc) % MAP];
  if (*at < 255) ++*at;
  before_pc = pc >> 1;
}

static unsigned char bucket(unsigned char times) {
  return times == 0    ? 0
         : times == 1  ? 1
         : times == 2  ? 2
         : times == 3  ? 4
         : times < 8   ? 8
         : times < 16  ? 16
         : times < 32  ? 32
         : times < 128 ? 64
                       : 128;
}

static bool is_new(void) {
  bool any = false;
  for (size_t i = 0; i < MAP; i++) {
    unsigned char got = bucket(map[i]);
    if ((got & ~shared->seen[i]) == 0) continue;
    shared->seen[i] |= got;
    any = true;
  }
  return any;
}

static size_t edges(void) {
  size_t count = 0;
  for (size_t i = 0; i < MAP; i++) count += shared->seen[i] != 0;
  return count;
}

/* The pool of samples */

static void keep(const char *data, size_t size) {
  if (shared->pool == POOL || shared->used + size > ARENA) return;
  memcpy(shared->arena + shared->used, data, size);
  shared->entry[shared->pool].at = shared->used;
  shared->entry[shared->pool++].size = size;
  shared->used += size;
}

static const char *sample(size_t number, size_t *size) {
  *size = shared->entry[number].size;
  return shared->arena + shared->entry[number].at;
}

/* Changes: all at random places, in place */

static const char *const numbers[] = {"0",
                                      "1",
                                      "-1",
                                      "-0",
                                      "+1",
                                      "2",
                                      "3",
                                      "7",
                                      "63",
                                      "64",
                                      "65",
                                      "100",
                                      "127",
                                      "128",
                                      "255",
                                      "256",
                                      "1022",
                                      "1023",
                                      "1024",
                                      "1025",
                                      "4095",
                                      "4096",
                                      "32767",
                                      "32768",
                                      "65535",
                                      "65536",
                                      "4194304",
                                      "4194305",
                                      "2147483647",
                                      "2147483648",
                                      "-2147483648",
                                      "-2147483649",
                                      "4294967295",
                                      "4294967296",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "-9223372036854775808",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "99999999999999999999999",
                                      "007",
                                      "0x10",
                                      "1e9",
                                      "1e999",
                                      "inf",
                                      "nan",
                                      "",
                                      " 5",
                                      "5 "};
static const char signs[] =
    "\0\n\t \\,-:/.\r\"'()[]{}=;%@<>\x1b\x7f\x80\xff\xc2\xe2\x1d\x1e\x1f"
    "059aAfz";

struct change {
  char *data;
  size_t size, most;
};

static void replace(struct change *c, size_t at, size_t gone, const char *text, size_t size) {
  if (at > c->size) at = c->size;
  if (gone > c->size - at) gone = c->size - at;
  if (size > c->most - (c->size - gone)) size = c->most - (c->size - gone);
  memmove(c->data + at + size, c->data + at + gone, c->size - at - gone);
  if (size) memmove(c->data + at, text, size);
  c->size += size - gone;
}

/* A range between two of these signs, as lines, fields or files are. */
static void piece(const char *data, size_t size, char sign, size_t *from, size_t *to) {
  *from = below(size + 1);
  while (*from > 0 && data[*from - 1] != sign) --*from;
  *to = *from;
  while (*to < size && data[*to] != sign) ++*to;
  if (*to < size) ++*to;
}

static void put_number(struct change *c) {
  size_t at = below(c->size), tries = c->size, length = 0;
  while (tries-- && !(c->data[at] >= '0' && c->data[at] <= '9')) at = (at + 1) % c->size;
  while (at > 0 && c->data[at - 1] >= '0' && c->data[at - 1] <= '9') at--;
  while (at + length < c->size && c->data[at + length] >= '0' && c->data[at + length] <= '9') length++;
  const char *text = numbers[below(sizeof numbers / sizeof *numbers)];
  replace(c, at, length, text, strlen(text));
}

static void put_word(struct change *c) {
  size_t count = 0;
  while (target->words && target->words[count]) count++;
  if (count == 0) return;
  const char *text = target->words[below(count)];
  replace(c, below(c->size + 1), below(2) ? strlen(text) : 0, text, strlen(text));
}

static void put_piece(struct change *c) {
  static const char between[] = "\n\t \x1e\x1f,\x1d";
  char text[4096], sign = between[below(sizeof between - 1)];
  size_t from, to, size;
  const char *other = sample(below(shared->pool), &size);
  piece(other, size, sign, &from, &to);
  size = to - from < sizeof text ? to - from : sizeof text;
  memcpy(text, other + from, size);
  if (c->size) piece(c->data, c->size, sign, &from, &to);
  else from = to = 0;
  replace(c, from, below(2) ? to - from : 0, text, size);
}

static void repeat(struct change *c) {
  static char text[70000];
  size_t from = below(c->size), length = 1 + below(below(4) ? 1 : 16), times = (size_t)1 << below(17);
  if (length > c->size - from) length = c->size - from;
  size_t size = length * times < sizeof text ? length * times : sizeof text;
  for (size_t i = 0; i < size; i++) text[i] = c->data[from + i % length];
  replace(c, from, 0, text, size);
}

static void change_once(struct change *c) {
  size_t from, to, at = below(c->size + 1);
  char one;
  if (c->size == 0) {
    replace(c, 0, 0, signs + below(sizeof signs - 1), 1);
    return;
  }
  switch (below(16)) {
    case 0: c->data[below(c->size)] ^= (char)(1 << below(8)); break;
    case 1: c->data[below(c->size)] = (char)draw(); break;
    case 2: c->data[below(c->size)] = signs[below(sizeof signs - 1)]; break;
    case 3: one = signs[below(sizeof signs - 1)], replace(c, at, 0, &one, 1); break;
    case 4: replace(c, at, 1 + below(below(2) ? 4 : 64), "", 0); break;
    case 5:
    case 6: put_number(c); break;
    case 7:
    case 8: put_word(c); break;
    case 9:
    case 10:
    case 11: put_piece(c); break;
    case 12: c->size = at; break;
    case 13:
      piece(c->data, c->size, below(2) ? '\n' : below(2) ? '\x1e' : '\t', &from, &to);
      replace(c, from, to - from, "", 0);
      break;
    case 14:
      if (below(8) == 0) repeat(c);
      break;
    default: {
      size_t size;
      const char *other = sample(below(shared->pool), &size);
      from = below(size + 1);
      replace(c, at, c->size - at, other + from, size - from);
    }
  }
}

static void make_input(uint64_t number) {
  struct change c = {shared->input, 0, target->most < INPUT_MOST ? target->most : INPUT_MOST};
  state = seed + mixed(number);
  if (number < shared->pool && number < POOL / 2) { /* first the samples as they are */
    const char *text = sample(number, &c.size);
    memcpy(c.data, text, c.size);
  } else {
    size_t recent = shared->pool < 64 ? shared->pool : 64;
    size_t which = below(3) ? shared->pool - 1 - below(recent) : below(shared->pool);
    const char *text = sample(which, &c.size);
    if (c.size > c.most) c.size = c.most;
    memcpy(c.data, text, c.size);
    for (size_t left = (size_t)1 << below(4); left > 0; left--) change_once(&c);
  }
  shared->size = c.size;
}

/* One input */

int fuzz_split(char *text, char **word, int count, int most) {
  char *save = NULL;
  for (char *one = strtok_r(text, "\n", &save); one && count < most; one = strtok_r(NULL, "\n", &save))
    word[count++] = one;
  return count;
}

void fuzz_note(const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) digest = (digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
}

void fuzz_note_text(const char *text) { fuzz_note(text, strlen(text) + 1); }

void fuzz_note_number(uint64_t number) { fuzz_note(&number, sizeof number); }

void fuzz_check(bool holds, const char *format, ...) {
  va_list values;
  if (holds) return;
  va_start(values, format);
  dprintf(report, "fuzz: ");
  vdprintf(report, format, values);
  dprintf(report, "\n");
  va_end(values);
  abort();
}

static char *text_of(int fd, bool ours) {
  static char text[2][1 << 20];
  fflush(NULL);
  ssize_t got = pread(fd, text[ours], sizeof text[0] - 1, 0);
  text[ours][got > 0 ? got : 0] = '\0';
  return text[ours];
}

static void plain(const char *text, const char *which) {
  for (const unsigned char *at = (const unsigned char *)text; *at; at++)
    fuzz_check((*at >= 0x20 && *at != 0x7f) || *at == '\n', "byte %02x on the standard %s: a terminal would obey it",
               *at, which);
}

const char *fuzz_printed(bool errors) {
  const char *text = text_of(errors ? report : printed, errors);
  plain(text, errors ? "error" : "output");
  return text;
}

static void empty(int fd) {
  if (lseek(fd, 0, SEEK_CUR) > 0 && (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))) abort();
}

void fuzz_forget(void) {
  fflush(NULL);
  empty(printed);
  empty(report);
}

/* The input lies right before a page that cannot be read. */
static const char *guarded(void) {
  static char *region;
  static size_t size;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (region == NULL) {
    size = (INPUT_MOST / page + 1) * page;
    region = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED || mprotect(region + size, page, PROT_NONE)) abort();
  }
  char *at = region + size - shared->size - 1;
  memcpy(at, shared->input, shared->size);
  at[shared->size] = '\0';
  return at;
}

__attribute__((noinline)) static void dirty(unsigned char byte) {
  volatile unsigned char below_here[200000];
  for (size_t i = 0; i < sizeof below_here; i++) below_here[i] = byte;
  fuzz_fill = byte;
}

static uint64_t run_once(void) {
  const char *data = guarded();
  dup2(printed, STDOUT_FILENO); /* it may have been given another */
  clearerr(stdout);
  empty(printed);
  empty(report);
  digest = 1469598103934665603u;
  before_pc = 0;
  target->run(data, shared->size);
  fflush(stdout);
  return digest;
}

/* Again, with other bytes in what was never written: the same must come out, and no memory be kept. */
static void run_again(void) {
  dirty('7');
  uint64_t first = run_once();
  dirty('\xa5');
  size_t before = fuzz_allocated();
  uint64_t second = run_once();
  size_t after = fuzz_allocated();
  fuzz_check(first == second, "another result the second time: it depends on memory that was never written");
  if (after <= before) return;
  size_t third = (run_once(), fuzz_allocated());
  fuzz_check(third <= after, "%zu bytes are kept by each run", third - after);
}

static void limit_cpu(void) { setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = CPU_S}, NULL); }

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void run_inputs(uint64_t inputs, double until) {
  uint64_t end = target->program && shared->next + 1 < inputs ? shared->next + 1 : inputs;
  dup2(printed, STDOUT_FILENO);
  dup2(report, STDERR_FILENO);
  fuzz_place_enter();
  for (; shared->next < end; shared->next++, shared->ran++) {
    limit_cpu();
    if (now_s() >= until) break;
    make_input(shared->next);
    memset(map, 0, sizeof map);
    run_once();
    bool news = is_new();
    if (news && shared->next >= shared->pool) keep(shared->input, shared->size);
    if (!target->program && (news || shared->next % 32 == 0)) run_again();
  }
  _exit(0);
}

/* The process that watches */

static int await(pid_t pid, int *status) {
  uint64_t last = ~UINT64_C(0);
  double since = now_s();
  for (;;) {
    pid_t got = waitpid(pid, status, WNOHANG);
    if (got == pid) return 0;
    if (shared->ran != last) last = shared->ran, since = now_s();
    if (now_s() - since > WALL_S) syscall(SYS_kill, pid, SIGKILL);
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd >= 0) {
      poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 1000);
      close(fd);
    } else {
      usleep(1000);
    }
  }
}

static void save(int status) {
  char path[512];
  uint64_t name = 1469598103934665603u;
  for (size_t i = 0; i < shared->size; i++) name = (name ^ (unsigned char)shared->input[i]) * UINT64_C(1099511628211);
  snprintf(path, sizeof path, "%s/%s-%016llx", out, target->name, (unsigned long long)name);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd >= 0) {
    if (write(fd, shared->input, shared->size) < 0) perror(path);
    close(fd);
  }
  static char text[REPORT + 1];
  ssize_t got = pread(report, text, REPORT, 0);
  text[got > 0 ? got : 0] = '\0';
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) strcpy(text, "fuzz: it does not end\n");
  fprintf(stderr, "%s: input %llu of seed %llu fails (%s %d), kept as %s\n%s\n", target->name,
          (unsigned long long)shared->next, (unsigned long long)seed, WIFSIGNALED(status) ? "signal" : "status",
          WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), path, text);
}

static void add_sample(char *data, size_t size) {
  if (size <= target->most) keep(data, size);
}

/* "=== PATH" in a line of its own begins a file. */
static size_t marked(char *text, size_t size) {
  static const char mark[] = "=== /";
  size_t to = 0, at = 0;
  if (size < strlen(mark) || memcmp(text, mark, strlen(mark)) != 0) return size;
  while (at < size) {
    const char *end = memchr(text + at, '\n', size - at);
    size_t next = end ? (size_t)(end - text) + 1 : size;
    bool path = next - at > strlen(mark) && memcmp(text + at, mark, strlen(mark)) == 0;
    if (path) text[to++] = *FUZZ_FILE, at += strlen(mark) - 1;
    memmove(text + to, text + at, next - at);
    to += next - at;
    if (path) text[to - 1] = *FUZZ_TEXT;
    at = next;
  }
  return to;
}

/* A file, or a folder: its files with their paths. */
static size_t read_sample(const char *path, const char *name, char *to, size_t room) {
  struct stat is;
  if (stat(path, &is)) return 0;
  if (S_ISDIR(is.st_mode)) {
    size_t size = 0;
    struct dirent **entry;
    int count = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
      char below_it[4096], short_name[4096];
      snprintf(below_it, sizeof below_it, "%s/%s", path, entry[i]->d_name);
      snprintf(short_name, sizeof short_name, "%s/%s", name, entry[i]->d_name);
      if (strcmp(entry[i]->d_name, ".") != 0 && strcmp(entry[i]->d_name, "..") != 0)
        size += read_sample(below_it, short_name, to + size, room - size);
      free(entry[i]);
    }
    if (count >= 0) free(entry);
    return size;
  }
  size_t size = 0; /* of the path, which is shorter than the room */
  if (name[0] == '/' && strlen(name) + 2 < room) size = (size_t)sprintf(to, FUZZ_FILE "%s" FUZZ_TEXT, name);
  int fd = open(path, O_RDONLY);
  ssize_t got = fd < 0 ? 0 : read(fd, to + size, room - size);
  close(fd);
  if (got < 0) got = 0;
  return size + (name[0] == '/' ? (size_t)got : marked(to, (size_t)got));
}

static void read_corpus(const char *folder) {
  static char text[INPUT_MOST];
  struct dirent **entry;
  int count = scandir(folder, &entry, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
    if (entry[i]->d_name[0] != '.') add_sample(text, read_sample(path, "", text, sizeof text));
    free(entry[i]);
  }
  if (count >= 0) free(entry);
}

static int try_files(char **file) {
  for (; *file; file++) {
    int fd = open(*file, O_RDONLY);
    ssize_t got = fd < 0 ? -1 : read(fd, shared->input, INPUT_MOST);
    if (got < 0) {
      perror(*file);
      return 2;
    }
    close(fd);
    shared->size = marked(shared->input, (size_t)got);
    pid_t pid = (pid_t)syscall(SYS_fork);
    if (pid == 0) {
      dup2(printed, STDOUT_FILENO);
      dup2(report, STDERR_FILENO);
      fuzz_place_enter();
      limit_cpu();
      run_once();
      if (!target->program) run_again();
      _exit(0);
    }
    int status;
    await(pid, &status);
    if (status == 0) continue;
    static char text[REPORT + 1];
    ssize_t size = pread(report, text, REPORT, 0);
    text[size > 0 ? size : 0] = '\0';
    fprintf(stderr, "%s: fails\n%s\n", *file, text);
    return 1;
  }
  return 0;
}

static int fuzz(uint64_t inputs, double seconds_) {
  double begun = now_s(), until = begun + seconds_;
  int failures = 0, status;
  while (shared->next < inputs && now_s() < until && failures < (target->planted ? 1 : FAILURES)) {
    pid_t pid = (pid_t)syscall(SYS_fork);
    if (pid == 0) run_inputs(inputs, until);
    if (pid < 0) return perror("fork"), 2;
    await(pid, &status);
    if (status == 0) continue;
    save(status);
    failures++;
    shared->next++;
    shared->ran++;
  }
  printf(
      "{\"target\": \"%s\", \"seed\": %llu, \"inputs\": %llu, \"kept\": %u, \"edges\": %zu, \"failures\": %d, \"seconds\": %.1f}\n",
      target->name, (unsigned long long)seed, (unsigned long long)shared->ran, shared->pool, edges(), failures,
      now_s() - begun);
  return failures != 0;
}

static int usage(void) {
  fputs(
      "usage: fuzz --list | TARGET [--seed N] [--inputs N] [--seconds S] [--corpus DIR] [--out DIR] | TARGET --try FILE...\n",
      stderr);
  return 2;
}

int main(int count, char **word) {
  uint64_t inputs = UINT64_MAX;
  double seconds_ = 1;
  if (count == 2 && strcmp(word[1], "--list") == 0) {
    for (target = targets; target; target = target->next)
      if (!target->planted) puts(target->name);
    return 0;
  }
  for (target = count > 1 ? targets : NULL; target && strcmp(target->name, word[1]) != 0;) target = target->next;
  if (target == NULL) return usage();
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED) return perror("mmap"), 2;
  report = memfd_create("report", MFD_CLOEXEC);
  printed = memfd_create("printed", MFD_CLOEXEC);
  fuzz_place_begin();
  int status = 0, at = 2;
  if (count > 3 && strcmp(word[2], "--try") == 0) status = try_files(word + 3), at = count;
  bool tried = at == count && count > 3 && strcmp(word[2], "--try") == 0;
  out = ".";
  for (; at + 1 < count; at += 2) {
    const char *value = word[at + 1];
    if (strcmp(word[at], "--seed") == 0) seed = strtoull(value, NULL, 10);
    else if (strcmp(word[at], "--inputs") == 0) inputs = strtoull(value, NULL, 10);
    else if (strcmp(word[at], "--seconds") == 0) seconds_ = strtod(value, NULL);
    else if (strcmp(word[at], "--corpus") == 0) read_corpus(value);
    else if (strcmp(word[at], "--out") == 0) out = value;
    else return usage();
  }
  if (!tried) {
    if (shared->pool == 0) add_sample("", 0);
    status = fuzz(inputs, seconds_);
  }
  fuzz_place_end();
  return status;
}
