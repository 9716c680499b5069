/* SPDX-License-Identifier: Apache-2.0
 *
 * There are no co-routines: for programs that include this and use none. */
#ifndef CO_ROUTINE_H
#define CO_ROUTINE_H

#endif
