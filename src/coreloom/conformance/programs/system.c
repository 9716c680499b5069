/* SPDX-License-Identifier: Apache-2.0
 *
 * sysconf, write, locks of memory, and the program as a whole: stdio and malloc of several threads. */
#include <limits.h>
#include <sys/mman.h>

#include "conformance.h"

static volatile int go;

TEST(sysconf, options, "the options of threads are there: 200809, or another version") {
  const int names[] = {_SC_THREADS,
                       _SC_THREAD_PRIORITY_SCHEDULING,
                       _SC_THREAD_ATTR_STACKSIZE,
                       _SC_TIMERS,
                       _SC_MONOTONIC_CLOCK,
                       _SC_BARRIERS,
                       _SC_SPIN_LOCKS,
                       _SC_READER_WRITER_LOCKS,
                       _SC_CLOCK_SELECTION,
                       _SC_SEMAPHORES,
                       _SC_TIMEOUTS,
                       _SC_THREAD_PRIO_INHERIT,
                       _SC_MESSAGE_PASSING};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) TRUE(sysconf(names[i]) >= 200112);
}

TEST(sysconf, limits, "limits are at least what POSIX asks for") {
  TRUE(sysconf(_SC_THREAD_KEYS_MAX) >= 128);
  TRUE(sysconf(_SC_THREAD_DESTRUCTOR_ITERATIONS) >= 4);
  TRUE(sysconf(_SC_SEM_VALUE_MAX) >= 32767);
  TRUE(sysconf(_SC_MQ_PRIO_MAX) >= 32);
  TRUE(sysconf(_SC_THREAD_STACK_MIN) > 0);
  TRUE(sysconf(_SC_PAGESIZE) > 0);
}

TEST(sysconf, processors, "_SC_NPROCESSORS_ONLN is the number of processors") {
  IS(cl_cpu_count(), sysconf(_SC_NPROCESSORS_ONLN));
}

TEST(sysconf, unknown_einval, "a name that there is not: EINVAL") { FAILS(EINVAL, sysconf(-12345)); }

TEST(pathconf, names, "the longest name and path: at least what POSIX asks for") {
  TRUE(pathconf("/", _PC_NAME_MAX) >= 14);
  TRUE(pathconf("/", _PC_PATH_MAX) >= 256);
}

TEST(pathconf, unknown_einval, "a name that there is not: EINVAL") { FAILS(EINVAL, pathconf("/", -12345)); }

TEST(write, to_stdout, "it writes all bytes to standard output and returns their number") {
  fflush(stdout);
  IS(1, write(1, "\n", 1));
}

TEST(write, bad_descriptor_ebadf, "a descriptor that is not open: EBADF") { FAILS(EBADF, write(77, "x", 1)); }

TEST(getpid, constant, "a number above 0, the same in every thread") {
  TRUE(getpid() > 0);
  IS(getpid(), getpid());
}

static void *allocate(void *pattern) {
  for (int round = 0; round < 20; round++) {
    unsigned char *const bytes = malloc(64);
    if (!bytes) return (void *)1;
    memset(bytes, (int)(long)pattern, 64);
    sched_yield();
    for (int i = 0; i < 64; i++)
      if (bytes[i] != (unsigned char)(long)pattern) return (void *)2;
    free(bytes);
  }
  return NULL;
}

TEST(malloc, by_threads, "threads allocate at once, and no block is given twice") {
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) threads[i] = started(allocate, (void *)(i + 1));
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
}

TEST(malloc, with_all_mutexes_taken, "it works when the program has taken 100 mutexes and locked them") {
  static pthread_mutex_t many[100];
  for (int i = 0; i < 100; i++) {
    OK(pthread_mutex_init(&many[i], NULL));
    OK(pthread_mutex_lock(&many[i]));
  }
  const pthread_t thread = started(allocate, (void *)9);
  void *const block = malloc(100);
  TRUE(block != NULL);
  free(block);
  IS(0, joined(thread));
  for (int i = 0; i < 100; i++) {
    OK(pthread_mutex_unlock(&many[i]));
    OK(pthread_mutex_destroy(&many[i]));
  }
}

static void *lock_stdout(void *unused) {
  (void)unused;
  flockfile(stdout);
  go = 1;
  AWAIT(go == 2);
  funlockfile(stdout);
  return NULL;
}

static void *try_stdout(void *unused) {
  (void)unused;
  const int busy = ftrylockfile(stdout);
  if (!busy) funlockfile(stdout);
  return (void *)(long)(busy != 0);
}

TEST(flockfile, excludes, "a thread that has locked a stream keeps others out") {
  go = 0;
  const pthread_t thread = started(lock_stdout, NULL);
  AWAIT(go);
  IS(1, joined(started(try_stdout, NULL)));
  go = 2;
  IS(0, joined(thread));
  IS(0, joined(started(try_stdout, NULL)));
}

TEST(flockfile, recursive, "its owner may lock it again") {
  flockfile(stdout);
  flockfile(stdout);
  funlockfile(stdout);
  const long busy = joined(started(try_stdout, NULL));
  funlockfile(stdout);
  IS(1, busy);
}

TEST(ftrylockfile, free_stream, "0 if it is free") {
  OK(ftrylockfile(stdout));
  funlockfile(stdout);
}

TEST(funlockfile, frees, "behind it another thread may lock the stream") {
  flockfile(stdout);
  funlockfile(stdout);
  IS(0, joined(started(try_stdout, NULL)));
}

TEST(mlock, own, "an object of the program: 0") {
  static char object[64];
  OK(mlock(object, sizeof object));
  OK(munlock(object, sizeof object));
}

TEST(mlock, enomem, "an address where there is no memory: ENOMEM") {
  FAILS(ENOMEM, mlock((void *)(LONG_MAX & ~0xFFFFL), 16));
}

TEST(munlock, enomem, "an address where there is no memory: ENOMEM") {
  FAILS(ENOMEM, munlock((void *)(LONG_MAX & ~0xFFFFL), 16));
}

TEST(mlockall, flags, "what is there, and what will be; anything else: EINVAL") {
  FAILS(EINVAL, mlockall(0));
  FAILS(EINVAL, mlockall(~(MCL_CURRENT | MCL_FUTURE)));
  NOT_ON_LINUX("the user may lock too little");
  OK(mlockall(MCL_CURRENT | MCL_FUTURE));
}

TEST(munlockall, always, "it succeeds, whatever is locked") { OK(munlockall()); }
