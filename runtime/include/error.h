/* SPDX-License-Identifier: Apache-2.0
 *
 * GNU's message on standard error; a status that is not 0 ends the program. */
#ifndef CORELOOM_ERROR_H
#define CORELOOM_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

void error(int status, int number, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
