/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cl_end.h"
#include "posix.h"

int cl_name_check(const char *name) {
  if (strlen(name) > NAME_MAX) return ENAMETOOLONG;
  return *name != '/' || !name[1] || strchr(name + 1, '/') ? EINVAL : 0;
}

int cl_name_check_known(const char *name) {
  int status = cl_name_check(name);
  return status == EINVAL ? ENOENT : status;
}

static int is_memory(const void *at) {
  extern const char __program_end[];
  return (uintptr_t)at >= CL_RAM && (uintptr_t)at < (uintptr_t)__program_end;
}

struct cl_named *cl_name_at(const struct cl_names *names, struct cl_named *const *place, unsigned *left) {
  struct cl_named *const named = *place;
  const int is_sound = !*left ? !named
                              : (uintptr_t)named % sizeof named == 0 && is_memory(named) && named->names == names &&
                                    is_memory(named->name);
  if (CL_UNLIKELY(!is_sound)) cl_broken("the list of names", names);
  if (named) --*left;
  return named;
}

struct cl_named **cl_name_find(struct cl_names *names, const char *name) {
  struct cl_named **place = &names->first, *each;
  for (unsigned left = names->count; (each = cl_name_at(names, place, &left)); place = &each->next) {
    if (strcmp(each->name, name) == 0) break;
  }
  return place;
}

void cl_name_add(struct cl_names *names, struct cl_named **place, struct cl_named *named) {
  named->names = names;
  named->next = *place;
  *place = named;
  names->count++;
}

void cl_name_remove(struct cl_names *names, struct cl_named **place) {
  *place = (*place)->next;
  names->count--;
}
