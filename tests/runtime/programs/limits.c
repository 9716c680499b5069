/* SPDX-License-Identifier: Apache-2.0
 *
 * sysconf, the options, and what else a program asks of its one process. */
#include "check.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void *end(void *argument) { return argument; }

int main(int count, char *arguments[]) {
  EQUAL(count, 1);
  CHECK(!strcmp(arguments[0], "program") && arguments[1] == NULL);
  EQUAL(sysconf(_SC_NPROCESSORS_ONLN), CL_CPUS);
  EQUAL(sysconf(_SC_THREAD_THREADS_MAX), CL_THREADS);
  EQUAL(sysconf(_SC_THREAD_KEYS_MAX), PTHREAD_KEYS_MAX);
  EQUAL(sysconf(_SC_THREAD_STACK_MIN), PTHREAD_STACK_MIN);
  EQUAL(sysconf(_SC_SEM_VALUE_MAX), 32767);
  EQUAL(sysconf(_SC_THREADS), 200809);
  EQUAL(sysconf(_SC_VERSION), _POSIX_VERSION);
  errno = 0;
  EQUAL(sysconf(_SC_SEM_NSEMS_MAX), -1); /* no limit */
  EQUAL(sysconf(_SC_REALTIME_SIGNALS), 200809);
  EQUAL(sysconf(_SC_THREAD_PROCESS_SHARED), -1);
  EQUAL(errno, 0);
  EQUAL(sysconf(-1), -1);
  EQUAL(errno, EINVAL);
  errno = 0;
  EQUAL(sysconf(10000), -1);
  EQUAL(errno, EINVAL);
  EQUAL(getpid(), 1);
  CHECK(getenv("HOME") == NULL);

  pthread_t ended;
  EQUAL(pthread_create(&ended, NULL, end, NULL), 0);
  EQUAL(pthread_join(ended, NULL), 0);
  EQUAL(pthread_kill(pthread_self(), 0), 0);
  EQUAL(pthread_kill(ended, 0), ESRCH);
  EQUAL(pthread_kill(pthread_self(), -1), EINVAL);

  const struct coreloom_features *features = coreloom_features();
  EQUAL(features->scheduling, features->kernel[0] == 'h' ? CORELOOM_HARDWARE : CORELOOM_SOFTWARE);
  EQUAL(features->communication, CORELOOM_HARDWARE);
  EQUAL(features->backdoor, CORELOOM_NONE);

  struct utsname name;
  EQUAL(uname(&name), 0);
  CHECK(!strcmp(name.sysname, "Coreloom") && !strcmp(name.machine, "riscv32"));
  return finish();
}
