/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine around the program, on Linux: input, output and what the program reports are two files that `coreloom
 * run` gives it (toolchain/host.py), both mapped. Without them there is no input, and what is reported is lost. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl_end.h"
#include "coreloom.h"
#include "ground.h"

/* The output file. Its reader has the same layout. */
struct report {
  uint64_t done, ready_ns, last_done_ns; /* cl_ready, and the last cl_done: CLOCK_MONOTONIC */
  uint32_t reserved, length;
  uint32_t output[];
};

enum { OUTPUT_MAX = (16 << 20) - 4 };

static struct report *report;
static size_t capacity;
static const void *input;
static size_t input_length;
static cpu_set_t allowed; /* at the start, and no more than CL_CPUS */
static unsigned cpus;

static void *map(const char *variable, int writable, size_t *length) {
  const char *const path = getenv(variable);
  if (path == NULL) return NULL;
  const int file = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  struct stat about;
  void *at = MAP_FAILED;
  if (file >= 0 && fstat(file, &about) == 0) {
    *length = (size_t)about.st_size;
    at = *length ? mmap(NULL, *length, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, file, 0) : NULL;
  }
  if (at == MAP_FAILED) {
    perror(path);
    _exit(125); /* as coreloom run when it cannot run a program */
  }
  close(file);
  unsetenv(variable); /* no part of the program's environment */
  return at;
}

/* Before the constructors of the program. */
__attribute__((constructor(101))) static void begin(void) {
  input = map("CL_INPUT_FILE", 0, &input_length);
  size_t length = 0;
  report = map("CL_OUTPUT_FILE", 1, &length);
  if (report) capacity = length - sizeof *report;
#if CL_THREAD_STACK_BYTES
  pthread_attr_t defaults;
  pthread_attr_init(&defaults);
  pthread_attr_setstacksize(&defaults,
                            CL_THREAD_STACK_BYTES < PTHREAD_STACK_MIN ? PTHREAD_STACK_MIN : CL_THREAD_STACK_BYTES);
  pthread_setattr_default_np(&defaults);
#endif
  cpu_set_t all;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof all, &all)) return;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus < CL_CPUS; cpu++) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_SET(cpu, &allowed);
    cpus++;
  }
  sched_setaffinity(0, sizeof allowed, &allowed);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct timespec cl_after(clockid_t clock, uint32_t cycles) {
  struct timespec at;
  clock_gettime(clock, &at);
  const uint64_t ns = (uint64_t)at.tv_nsec + (uint64_t)cycles * 1000000000u / CL_CLOCK_HZ + 1; /* never early */
  at.tv_sec += (time_t)(ns / 1000000000u);
  at.tv_nsec = (long)(ns % 1000000000u);
  return at;
}

int cl_host_cpu(unsigned number) {
  int cpu = 0;
  for (unsigned seen = 0;; cpu++) {
    if (CPU_ISSET(cpu, &allowed) && seen++ == number) return cpu;
  }
}

const void *cl_input(size_t *length) {
  static const uint32_t none[1];
  if (length) *length = input_length;
  return input ? input : none;
}

void *cl_output(size_t *room) {
  static uint32_t nowhere[1];
  if (room) *room = capacity;
  return report ? report->output : nowhere;
}

void cl_output_set_length(size_t length) {
  if (report) report->length = (uint32_t)(length > capacity ? capacity : length);
}

unsigned cl_cpu_count(void) { return cpus; }

unsigned cl_cpu_id(void) {
  const int here = sched_getcpu();
  unsigned number = 0;
  for (int cpu = 0; cpu < here; cpu++) number += CPU_ISSET(cpu, &allowed) != 0;
  return number;
}

uint32_t cl_cycle(void) { return (uint32_t)((unsigned __int128)now_ns() * CL_CLOCK_HZ / 1000000000u); }

void cl_ready(void) {
  if (report) report->ready_ns = report->last_done_ns = now_ns();
}

void cl_done(uint32_t units) {
  if (!report) return;
  __atomic_fetch_add(&report->done, units, __ATOMIC_RELAXED);
  __atomic_store_n(&report->last_done_ns, now_ns(), __ATOMIC_RELAXED);
}

void cl_mark(uint32_t value) { (void)value; }

void cl_broken(const char *which, const void *where) {
  fprintf(stderr, "broken: %s at %p was overwritten, freed or initialised again while it was in use\n", which, where);
  abort();
}

void cl_exit(int status) {
  fflush(NULL);
  _exit(status);
}

/* Interrupt lines, hardware threads, reserved processors: this machine has none, or not for a program. */
int interrupt_bind_thread_np(unsigned line) { return (void)line, ENODEV; }
int interrupt_bind_semaphore_np(unsigned line, sem_t *sem) { return (void)line, (void)sem, ENODEV; }
int interrupt_bind_port_np(unsigned line, unsigned port) { return (void)line, (void)port, ENODEV; }
int interrupt_unbind_np(unsigned line) { return (void)line, ENODEV; }
int interrupt_wait_np(unsigned line) { return (void)line, ENODEV; }
int interrupt_raise_np(unsigned line) { return (void)line, ENODEV; }

int hardware_count_np(void) { return 0; }
int hardware_find_np(const char *name) { return (void)name, -1; }
const char *hardware_name_np(int unit) { return (void)unit, NULL; }
int hardware_command_np(int unit, int command) { return (void)unit, (void)command, ENODEV; }
int hardware_status_np(int unit, struct hardware_status_np *status) { return (void)unit, (void)status, ENODEV; }

int cl_cpu_reserve(unsigned cpu, uint32_t thread) { return (void)cpu, (void)thread, ENOTSUP; }
int cl_cpu_release(unsigned cpu) { return (void)cpu, ENOTSUP; }

const struct coreloom_features *coreloom_features(void) {
  static const struct coreloom_features features = {
      .kernel = "linux",
      .scheduling = CORELOOM_SOFTWARE,
      .objects = CORELOOM_SOFTWARE,
      .more_objects = CORELOOM_SOFTWARE,
      .time_limits = CORELOOM_SOFTWARE,
      .interrupts = CORELOOM_NONE,
      .hardware_threads = CORELOOM_NONE,
      .communication = CORELOOM_SOFTWARE,
      .backdoor = CORELOOM_NONE,
  };
  return &features;
}
