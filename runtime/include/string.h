/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <string.h> without names that glibc does not define: programs have their own. */
#ifndef _LIBC
#define strlwr cl_hidden_strlwr
#define strupr cl_hidden_strupr
#define strnstr cl_hidden_strnstr
#endif
#include_next <string.h>
#ifndef _LIBC
#undef strlwr
#undef strupr
#undef strnstr
#endif
