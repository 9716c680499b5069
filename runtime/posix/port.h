/* SPDX-License-Identifier: Apache-2.0
 *
 * For message.c: port_send, port_receive and so on for a message of up to CL_PORT_WORDS words, whose first word in the
 * port is their number. */
#ifndef CL_PORT_H
#define CL_PORT_H

#include <stdint.h>

int cl_port_send_words(int port, const uint32_t *words, uint32_t count);
int cl_port_trysend_words(int port, const uint32_t *words, uint32_t count);
int cl_port_timedsend_words(int port, const uint32_t *words, uint32_t count, uint32_t cycles);

/* *word: the number of words, of which up to `room` are stored; or if it is more than CL_PORT_WORDS, a word that was
 * sent alone. */
int cl_port_receive_words(int port, uint32_t *word, uint32_t *words, uint32_t room);
int cl_port_tryreceive_words(int port, uint32_t *word, uint32_t *words, uint32_t room);
int cl_port_timedreceive_words(int port, uint32_t *word, uint32_t *words, uint32_t room, uint32_t cycles);

#endif
