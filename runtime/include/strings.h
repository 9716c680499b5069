/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <strings.h> without names that glibc does not define: programs have their own. */
#ifndef _LIBC
#define fls cl_hidden_fls
#define flsl cl_hidden_flsl
#define flsll cl_hidden_flsll
#endif
#include_next <strings.h>
#ifndef _LIBC
#undef fls
#undef flsl
#undef flsll
#endif
