/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <unistd.h>, and the options of POSIX that Coreloom has. */
#include "cl_options.h"
#include_next <unistd.h>
