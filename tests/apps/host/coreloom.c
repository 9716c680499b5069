/* SPDX-License-Identifier: Apache-2.0
 *
 * The Coreloom services of the applications on host threads: one lock, one condition a port. A buffered port shows its
 * words when their sender waits or ends, or another one sends.
 *
 * Program INPUT OUTPUT: the region's contents. CL_PORT_DEPTH words a port (8), CL_OUTPUT_CAPACITY bytes.
 * At exit prints "done N": the units reported. Stops with status 99 where the services are misused. */
#include "coreloom.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PORTS = 32, MAX_DEPTH = 64, MISUSE = 99 };

struct port {
  int open, direct;
  pthread_t receiver, writer; /* writer: of the words that are not visible yet */
  unsigned first, count, visible;
  uint32_t words[MAX_DEPTH];
  pthread_cond_t changed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct port ports[PORTS];
static unsigned depth = 8;
static uint8_t *input, *output;
static size_t input_length, output_length, output_capacity;
static uint64_t units;
static int ready;
static pthread_key_t at_end; /* of a thread that has sent to a buffered port */

static void misuse(const char *text, int port) {
  fprintf(stderr, "misuse: %s %d\n", text, port);
  _exit(MISUSE);
}

static struct port *opened(int port) {
  if (port < 0 || port >= PORTS || !ports[port].open) {
    misuse("port is not open:", port);
  }
  return &ports[port];
}

/* What this thread has sent becomes visible. */
static void publish(void) {
  for (struct port *p = ports; p != ports + PORTS; ++p) {
    if (p->visible != p->count && pthread_equal(p->writer, pthread_self())) {
      p->visible = p->count;
      pthread_cond_broadcast(&p->changed);
    }
  }
}

static void publish_at_end(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  publish();
  pthread_mutex_unlock(&lock);
}

#undef pthread_join
int host_join(pthread_t thread, void **result) {
  publish_at_end(NULL);
  return pthread_join(thread, result);
}

int port_open(int port, int flags) {
  pthread_mutex_lock(&lock);
  if (port < 0 || port >= PORTS || ports[port].open) {
    misuse("cannot open port", port);
  }
  ports[port].open = 1;
  ports[port].direct = flags == PORT_DIRECT;
  ports[port].receiver = pthread_self();
  pthread_cond_init(&ports[port].changed, NULL);
  pthread_mutex_unlock(&lock);
  return 0;
}

static int send(int port, uint32_t word, int wait) {
  pthread_mutex_lock(&lock);
  struct port *const p = opened(port);
  if (p->count == depth) {
    publish();
  }
  while (p->count == depth && wait) {
    pthread_cond_wait(&p->changed, &lock);
  }
  const int error = p->count == depth ? EAGAIN : 0;
  if (error == 0) {
    const int two_writers = p->visible != p->count && !pthread_equal(p->writer, pthread_self());
    p->words[(p->first + p->count++) % depth] = word;
    p->writer = pthread_self();
    if (p->direct || two_writers) {
      p->visible = p->count;
      pthread_cond_broadcast(&p->changed);
    } else {
      pthread_setspecific(at_end, p);
    }
  }
  pthread_mutex_unlock(&lock);
  return error;
}

int port_send(int port, uint32_t word) { return send(port, word, 1); }

int port_trysend(int port, uint32_t word) { return send(port, word, 0); }

int port_receive(int port, uint32_t *word) {
  pthread_mutex_lock(&lock);
  struct port *const p = opened(port);
  if (!pthread_equal(p->receiver, pthread_self())) {
    misuse("receive on another's port", port);
  }
  if (p->visible == 0) {
    publish();
  }
  while (p->visible == 0) {
    pthread_cond_wait(&p->changed, &lock);
  }
  *word = p->words[p->first];
  p->first = (p->first + 1) % depth;
  --p->count;
  --p->visible;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&lock);
  return 0;
}

const void *cl_input(size_t *length) {
  *length = input_length;
  return input;
}

void *cl_output(size_t *capacity) {
  *capacity = output_capacity;
  return output;
}

void cl_output_set_length(size_t length) { output_length = length; }

unsigned cl_cpu_count(void) { return 2; }

uint32_t cl_cycle(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint32_t)now.tv_sec * 1000000u + (uint32_t)(now.tv_nsec / 1000);
}

void cl_ready(void) { ready = 1; }

void cl_done(uint32_t more) {
  pthread_mutex_lock(&lock);
  if (!ready) {
    misuse("work before cl_ready, units:", (int)more);
  }
  units += more;
  pthread_mutex_unlock(&lock);
}

void cl_exit(int status) { exit(status); }

int pthread_attr_setplacement_np(pthread_attr_t *attr, int placement, unsigned cpu) {
  (void)attr;
  if (placement != PTHREAD_PLACEMENT_STATIC_NP || cpu >= cl_cpu_count()) {
    misuse("placement on CPU", (int)cpu);
  }
  return 0;
}

#undef main

int main(int count, char **arguments) {
  if (count != 3) {
    return MISUSE;
  }
  const char *const depth_text = getenv("CL_PORT_DEPTH");
  const char *const capacity_text = getenv("CL_OUTPUT_CAPACITY");
  depth = depth_text ? (unsigned)atoi(depth_text) : depth;
  output_capacity = capacity_text ? (size_t)atol(capacity_text) : (16u << 20) - 4;
  FILE *const in = fopen(arguments[1], "rb");
  if (in == NULL || fseek(in, 0, SEEK_END) != 0) {
    return MISUSE;
  }
  pthread_key_create(&at_end, publish_at_end);
  input_length = (size_t)ftell(in);
  rewind(in);
  /* The applications read whole words: up to 3 bytes more, as memory has them. */
  input = malloc((input_length + 3) / 4 * 4);
  output = malloc((output_capacity + 3) / 4 * 4);
  if (input == NULL || output == NULL || fread(input, 1, input_length, in) != input_length) {
    return MISUSE;
  }
  fclose(in);
  memset(output, 0xA5, output_capacity);
  const int status = app_main();
  FILE *const out = fopen(arguments[2], "wb");
  if (out == NULL || fwrite(output, 1, output_length, out) != output_length || fclose(out) != 0) {
    return MISUSE;
  }
  printf("done %llu\n", (unsigned long long)units);
  free(input);
  free(output);
  return status;
}
