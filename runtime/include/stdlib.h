/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <stdlib.h> without names that glibc does not define: programs have their own. */
#ifndef _LIBC
#define itoa cl_hidden_itoa
#define utoa cl_hidden_utoa
#endif
#include_next <stdlib.h>
#ifndef _LIBC
#undef itoa
#undef utoa
#endif
