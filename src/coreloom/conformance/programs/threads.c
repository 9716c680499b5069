/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads: create, join, detach, exit, self, equal. */
#include "conformance.h"

static volatile int ran, go;

static void *pass_on(void *argument) { return argument; }

static void *note(void *argument) {
  ran = 1;
  return argument;
}

static void *wait_for_go(void *argument) {
  AWAIT(go);
  return argument;
}

TEST(pthread_create, runs_with_argument, "the thread runs the function with its argument") {
  IS(41, joined(started(pass_on, (void *)41)));
}

TEST(pthread_create, default_attributes, "without attributes it is joinable") {
  ran = 0;
  pthread_t thread;
  OK(pthread_create(&thread, NULL, note, NULL));
  OK(pthread_join(thread, NULL));
  IS(1, ran);
}

TEST(pthread_create, attributes_are_copied, "a change of the attributes afterwards does not affect the thread") {
  pthread_attr_t attr;
  pthread_t thread;
  go = 0;
  OK(pthread_attr_init(&attr));
  OK(pthread_create(&thread, &attr, wait_for_go, (void *)3));
  OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
  OK(pthread_attr_destroy(&attr));
  go = 1;
  IS(3, joined(thread));
}

static pthread_t own_number;

static void *look_at_own(void *unused) {
  (void)unused;
  AWAIT(go);
  return (void *)(long)pthread_equal(own_number, pthread_self());
}

TEST(pthread_create, number_is_self, "what it stores is what pthread_self returns in the thread") {
  go = 0;
  OK(pthread_create(&own_number, NULL, look_at_own, NULL));
  go = 1;
  IS(1, joined(own_number));
}

TEST(pthread_create, many_at_once, "eight threads can be alive at once, each with its own argument") {
  pthread_t threads[8];
  go = 0;
  for (long i = 0; i < 8; i++) OK(pthread_create(&threads[i], NULL, wait_for_go, (void *)(i + 1)));
  go = 1;
  for (long i = 0; i < 8; i++) IS(i + 1, joined(threads[i]));
}

TEST(pthread_create, no_more_eagain, "_SC_THREAD_THREADS_MAX can be alive, then EAGAIN; an end makes room again") {
  NOT_ON_LINUX("this machine has too many");
  for (int round = 0; round < 2; round++) {
    static pthread_t all[1024];
    int made = 0, error;
    go = 0;
    while (!(error = pthread_create(&all[made], NULL, wait_for_go, NULL))) made++;
    go = 1;
    for (int i = 0; i < made; i++) OK(pthread_join(all[i], NULL));
    IS(EAGAIN, error);
    IS(sysconf(_SC_THREAD_THREADS_MAX) - 1, made); /* main is one of them */
  }
}

TEST(pthread_create, no_room_eagain, "a stack larger than the memory: EAGAIN") {
  pthread_attr_t attr;
  OK(pthread_attr_init(&attr));
  OK(pthread_attr_setstacksize(&attr, SIZE_MAX / 2 + 1));
  pthread_t thread;
  IS(EAGAIN, pthread_create(&thread, &attr, wait_for_go, NULL));
  OK(pthread_attr_destroy(&attr));
}

TEST(pthread_create, one_after_another, "a joined thread's resources are free again: 200 threads one by one") {
  for (long i = 0; i < 200; i++) {
    pthread_t thread;
    OK(pthread_create(&thread, NULL, pass_on, (void *)i));
    IS(i, joined(thread));
  }
}

static sem_t over;

static void *post_over(void *unused) {
  sem_post(&over);
  return unused;
}

TEST(pthread_create, detached_are_freed, "a detached thread's resources are free when it ends: 200 one by one") {
  pthread_attr_t attr;
  OK(pthread_attr_init(&attr));
  OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
  OK(sem_init(&over, 0, 0));
  for (int i = 0; i < 200; i++) {
    pthread_t thread;
    int error;
    while ((error = pthread_create(&thread, &attr, post_over, NULL)) == EAGAIN) sched_yield();
    OK(error);
    OK(sem_wait(&over));
  }
  OK(sem_destroy(&over));
  OK(pthread_attr_destroy(&attr));
}

static void *create_another(void *unused) {
  (void)unused;
  return (void *)joined(started(pass_on, (void *)17));
}

TEST(pthread_create, by_any_thread, "a thread that is not main can create and join threads") {
  IS(17, joined(started(create_another, NULL)));
}

static pthread_t left_behind;

static void *leave_behind(void *unused) {
  left_behind = started(wait_for_go, (void *)23);
  return unused;
}

TEST(pthread_create, outlives_creator, "a thread outlives the one that created it, and any thread may join it") {
  go = 0;
  IS(0, joined(started(leave_behind, NULL)));
  go = 1;
  IS(23, joined(left_behind));
}

static void *use_locals(void *argument) {
  volatile char area[512];
  memset((void *)area, (int)(long)argument, sizeof area);
  AWAIT(go);
  for (unsigned i = 0; i < sizeof area; i++)
    if (area[i] != (char)(long)argument) return (void *)1;
  return NULL;
}

TEST(pthread_create, own_stack, "each thread has a stack of its own") {
  pthread_t threads[4];
  go = 0;
  for (long i = 0; i < 4; i++) threads[i] = started(use_locals, (void *)(i + 1));
  nap();
  go = 1;
  for (int i = 0; i < 4; i++) IS(0, joined(threads[i]));
}

TEST(pthread_join, waits_for_end, "it returns when the thread has ended, not before") {
  go = ran = 0;
  const pthread_t thread = started(note, NULL);
  OK(pthread_join(thread, NULL));
  IS(1, ran);
}

static volatile int has_joined;

static void *join_it(void *thread) {
  const int error = pthread_join(*(pthread_t *)thread, NULL);
  has_joined = 1;
  return (void *)(long)error;
}

TEST(pthread_join, blocks, "while the thread runs the caller waits") {
  go = has_joined = 0;
  pthread_t first = started(wait_for_go, NULL);
  const pthread_t second = started(join_it, &first);
  nap();
  IS(0, has_joined);
  go = 1;
  IS(0, joined(second));
  IS(1, has_joined);
}

TEST(pthread_join, limits, "pthread_tryjoin_np: EBUSY, pthread_timedjoin_np: ETIMEDOUT while the thread runs") {
  go = 0;
  const pthread_t thread = started(wait_for_go, NULL);
  const struct timespec soon = in_ms(CLOCK_REALTIME, 2), late = in_ms(CLOCK_REALTIME, 60000);
  IS(EBUSY, pthread_tryjoin_np(thread, NULL));
  IS(ETIMEDOUT, pthread_timedjoin_np(thread, NULL, &soon));
  TRUE(has_come(CLOCK_REALTIME, soon));
  go = 1;
  OK(pthread_timedjoin_np(thread, NULL, &late));
}

TEST(pthread_join, value_of_return, "it stores what the function returned") {
  void *value = NULL;
  OK(pthread_join(started(pass_on, &own_number), &value));
  TRUE(value == &own_number);
}

static void *exit_with(void *argument) { pthread_exit(argument); }

TEST(pthread_join, value_of_exit, "it stores what the thread gave pthread_exit") {
  IS(99, joined(started(exit_with, (void *)99)));
}

TEST(pthread_join, ended_before, "a thread that has ended before is joined at once, its value kept") {
  ran = 0;
  const pthread_t thread = started(note, (void *)6);
  AWAIT(ran);
  nap();
  IS(6, joined(thread));
}

TEST(pthread_join, null_value, "without a place for the value that is dropped") {
  OK(pthread_join(started(pass_on, (void *)1), NULL));
}

TEST(pthread_join, self_deadlk, "a thread cannot join itself: EDEADLK") {
  IS(EDEADLK, pthread_join(pthread_self(), NULL));
}

TEST(pthread_join, detached_einval, "a detached thread cannot be joined: EINVAL") {
  pthread_attr_t attr;
  pthread_t thread;
  go = 0;
  OK(pthread_attr_init(&attr));
  OK(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
  OK(pthread_create(&thread, &attr, wait_for_go, NULL));
  OK(pthread_attr_destroy(&attr));
  const int error = pthread_join(thread, NULL);
  go = 1;
  IS(EINVAL, error);
}

TEST(pthread_join, no_thread_esrch, "a number that no thread has: ESRCH") {
  KERNELS_ONLY();
  IS(ESRCH, pthread_join((pthread_t)0x7fff0, NULL));
}

TEST(pthread_join, joined_by_other_einval, "a thread that another one joins: EINVAL, from pthread_detach, too") {
  KERNELS_ONLY();
  go = 0;
  pthread_t thread = started(wait_for_go, NULL);
  const pthread_t other = started(join_it, &thread);
  nap();
  IS(EINVAL, pthread_join(thread, NULL));
  IS(EINVAL, pthread_detach(thread));
  go = 1;
  IS(0, joined(other));
}

TEST(pthread_detach, running, "a running thread can be detached, and then not joined") {
  go = 0;
  const pthread_t thread = started(wait_for_go, NULL);
  OK(pthread_detach(thread));
  const int error = pthread_join(thread, NULL);
  go = 1;
  IS(EINVAL, error);
}

TEST(pthread_detach, ended, "a thread that has ended can be detached: its resources are free") {
  for (int i = 0; i < 100; i++) {
    ran = 0;
    const pthread_t thread = started(note, NULL);
    AWAIT(ran);
    OK(pthread_detach(thread));
  }
}

static void *detach_self(void *unused) {
  const int error = pthread_detach(pthread_self());
  ran = error ? -1 : 1;
  return unused;
}

TEST(pthread_detach, self, "a thread can detach itself") {
  ran = 0;
  started(detach_self, NULL);
  AWAIT(ran);
  IS(1, ran);
}

TEST(pthread_detach, twice_einval, "a detached thread is not joinable: EINVAL") {
  go = 0;
  const pthread_t thread = started(wait_for_go, NULL);
  OK(pthread_detach(thread));
  const int error = pthread_detach(thread);
  go = 1;
  IS(EINVAL, error);
}

TEST(pthread_detach, no_thread_esrch, "a number that no thread has: ESRCH") {
  KERNELS_ONLY();
  IS(ESRCH, pthread_detach((pthread_t)0x7fff0));
}

static void deep_exit(int depth) {
  if (depth == 0) pthread_exit((void *)8);
  deep_exit(depth - 1);
  ran = 1;
}

static void *call_deep(void *argument) {
  deep_exit(5);
  return argument;
}

TEST(pthread_exit, from_any_depth, "it ends the thread from any function") {
  ran = 0;
  IS(8, joined(started(call_deep, NULL)));
  IS(0, ran);
}

TEST(pthread_exit, others_go_on, "the end of one thread does not end others") {
  go = 0;
  const pthread_t other = started(wait_for_go, (void *)5);
  IS(2, joined(started(exit_with, (void *)2)));
  go = 1;
  IS(5, joined(other));
}

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;

static void *lock_and_exit(void *unused) {
  pthread_mutex_lock(&kept);
  pthread_exit(unused);
}

TEST(pthread_exit, keeps_locks, "resources of the process are not released: a locked mutex stays locked") {
  IS(0, joined(started(lock_and_exit, NULL)));
  IS(EBUSY, pthread_mutex_trylock(&kept));
}

static void *own_identity(void *place) {
  *(pthread_t *)place = pthread_self();
  return (void *)(long)pthread_equal(*(pthread_t *)place, pthread_self());
}

TEST(pthread_self, constant, "it returns the same in a thread at every call") {
  pthread_t seen;
  IS(1, joined(started(own_identity, &seen)));
  TRUE(pthread_equal(pthread_self(), pthread_self()));
}

TEST(pthread_self, differs, "two threads that are alive have two numbers") {
  go = 0;
  const pthread_t a = started(wait_for_go, NULL), b = started(wait_for_go, NULL);
  const int equal = pthread_equal(a, b) || pthread_equal(a, pthread_self()) || pthread_equal(b, pthread_self());
  go = 1;
  IS(0, joined(a));
  IS(0, joined(b));
  IS(0, equal);
}

TEST(pthread_equal, same, "not zero for two equal numbers") {
  const pthread_t self = pthread_self();
  TRUE(pthread_equal(self, self) != 0);
}

TEST(pthread_equal, different, "zero for the numbers of two threads") {
  go = 0;
  const pthread_t other = started(wait_for_go, NULL);
  const int equal = pthread_equal(other, pthread_self());
  go = 1;
  IS(0, joined(other));
  IS(0, equal);
}

static void *set_errno(void *argument) {
  errno = (int)(long)argument;
  AWAIT(go);
  return (void *)(long)errno;
}

TEST(errno, per_thread, "each thread has its own errno") {
  go = 0;
  errno = 77;
  const pthread_t a = started(set_errno, (void *)11), b = started(set_errno, (void *)22);
  nap();
  errno = 77;
  go = 1;
  IS(11, joined(a));
  IS(22, joined(b));
  IS(77, errno);
}

TEST(pthread_create, keeps_errno, "no function of threads changes errno") {
  errno = 5;
  IS(0, joined(started(pass_on, NULL)));
  IS(5, errno);
}
