/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

int cl_name_check(const char *name) {
  if (strlen(name) > NAME_MAX) return ENAMETOOLONG;
  return *name != '/' || !name[1] || strchr(name + 1, '/') ? EINVAL : 0;
}

int cl_name_check_known(const char *name) {
  int status = cl_name_check(name);
  return status == EINVAL ? ENOENT : status;
}

struct cl_named **cl_name_find(struct cl_named **first, const char *name) {
  while (*first && strcmp((*first)->name, name) != 0) first = &(*first)->next;
  return first;
}
