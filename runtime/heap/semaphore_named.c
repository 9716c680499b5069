/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../posix/names.h"
#include "../posix/posix.h"

struct named {
  struct cl_named named; /* the first; one that is unlinked has the name "" */
  sem_t sem;
  unsigned opened; /* how often */
  char text[];
};

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct cl_names semaphores;

static void drop(struct cl_named **place) {
  struct named *found = (struct named *)*place;
  if (found->opened || *found->named.name) return;
  cl_name_remove(&semaphores, place);
  sem_destroy(&found->sem);
  free(found);
}

static int open_named(const char *name, int flags, unsigned value, sem_t **sem) {
  struct cl_named **place = cl_name_find(&semaphores, name);
  struct named *found = (struct named *)*place;
  if (found && flags & O_CREAT && flags & O_EXCL) return EEXIST;
  if (!found) {
    if (!(flags & O_CREAT)) return ENOENT;
    if (value > SEM_VALUE_MAX) return EINVAL;
    size_t length = strlen(name) + 1;
    found = malloc(sizeof *found + length);
    if (!found) return ENOSPC;
    *found = (struct named){.named.name = memcpy(found->text, name, length)};
    sem_init(&found->sem, 0, value);
    cl_name_add(&semaphores, place, &found->named);
  }
  found->opened++;
  *sem = &found->sem;
  return 0;
}

sem_t *sem_open(const char *name, int flags, ...) {
  sem_t *sem = SEM_FAILED;
  unsigned value = 0;
  if (flags & O_CREAT) {
    va_list more;
    va_start(more, flags);
    (void)va_arg(more, mode_t);
    value = va_arg(more, unsigned);
    va_end(more);
  }
  int status = cl_name_check(name);
  if (!status) {
    pthread_mutex_lock(&opening);
    status = open_named(name, flags, value, &sem);
    pthread_mutex_unlock(&opening);
  }
  if (status) cl_fail(status);
  return sem;
}

int sem_close(sem_t *sem) {
  int status = EINVAL;
  pthread_mutex_lock(&opening);
  unsigned left = semaphores.count;
  struct cl_named **place = &semaphores.first, *each;
  for (; (each = cl_name_at(&semaphores, place, &left)); place = &each->next) {
    struct named *found = (struct named *)each;
    if (&found->sem != sem || !found->opened) continue;
    found->opened--;
    drop(place);
    status = 0;
    break;
  }
  pthread_mutex_unlock(&opening);
  return status ? cl_fail(status) : 0;
}

int sem_unlink(const char *name) {
  int status = cl_name_check_known(name);
  if (status) return cl_fail(status);
  pthread_mutex_lock(&opening);
  struct cl_named **place = cl_name_find(&semaphores, name);
  if (*place) {
    *(*place)->name = '\0';
    drop(place);
  } else {
    status = ENOENT;
  }
  pthread_mutex_unlock(&opening);
  return status ? cl_fail(status) : 0;
}
