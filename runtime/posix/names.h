/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of objects: up to NAME_MAX characters, the first a slash and the only one. */
#ifndef CL_NAMES_H
#define CL_NAMES_H

/* The first part of a named object. */
struct cl_named {
  struct cl_named *next;
  char *name;
};

int cl_name_check(const char *name); /* 0, EINVAL or ENAMETOOLONG */
int cl_name_check_known(const char *name); /* of an object that should be there: ENOENT instead of EINVAL */
/* Where in a list, which begins at `first`, the object of a name is; its end if there is none. */
struct cl_named **cl_name_find(struct cl_named **first, const char *name);

#endif
