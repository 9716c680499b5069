/* SPDX-License-Identifier: Apache-2.0
 *
 * picolibc's <arpa/inet.h>, and the rest of it, which is in our <sys/socket.h>. */
#include_next <arpa/inet.h>
#include <sys/socket.h>
