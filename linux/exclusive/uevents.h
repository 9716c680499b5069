/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel tells of CPUs that go and come. */
#ifndef CL_UEVENTS_H
#define CL_UEVENTS_H

#include "cpus.h"

/* -1: not in this network namespace, say; then a CPU that goes and comes is seen if it is gone when it is looked at. */
int cl_uevents_open(void);
/* The CPUs that went offline since the last call. Does not wait; fd may be -1. */
struct cl_cpus cl_uevents_offline(int fd);

#endif
