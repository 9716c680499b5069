/* SPDX-License-Identifier: Apache-2.0
 *
 * The software kernel with fine-grained locks: cl_sw.c, which includes cl_fine.h for CL_KERNEL_FINE. */
#include "cl_sw.c"
