/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 of Ethernet (reflected 0x04C11DB7, initial value and final inversion all ones), as in the FCS. */
#ifndef CRC32_H
#define CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Make the tables; once, before anything else. */
void crc32_init(void);

/* CRC-32 of `length` bytes at any alignment. Reads whole aligned words. */
uint32_t crc32(const uint8_t *data, size_t length);

/* The change of a message's CRC-32 (exclusive or) when its four bytes before the last `behind` ones change
 * by the exclusive or `change`, first byte in the low bits. behind < CRC32_BEHIND. */
#define CRC32_BEHIND 2048
uint32_t crc32_change(uint32_t change, uint32_t behind);

#endif
