/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of objects: up to NAME_MAX characters, the first a slash and the only one. */
#ifndef CL_NAMES_H
#define CL_NAMES_H

/* Named objects are in the heap, between the program's blocks, so each says in which list it is, and a list how many it
 * has. */
struct cl_names {
  struct cl_named *first;
  unsigned count;
};

/* The first part of a named object. */
struct cl_named {
  struct cl_named *next;
  const struct cl_names *names;
  char *name;
};

int cl_name_check(const char *name); /* 0, EINVAL or ENAMETOOLONG */
int cl_name_check_known(const char *name); /* of an object that should be there: ENOENT instead of EINVAL */
/* The object at a place of the list, NULL: its end. `left`, at first the list's count: how many there can be from here. */
struct cl_named *cl_name_at(const struct cl_names *names, struct cl_named *const *place, unsigned *left);
/* Where in the list the object of a name is; its end if there is none. */
struct cl_named **cl_name_find(struct cl_names *names, const char *name);
void cl_name_add(struct cl_names *names, struct cl_named **place, struct cl_named *named);
void cl_name_remove(struct cl_names *names, struct cl_named **place);

#endif
