/* SPDX-License-Identifier: Apache-2.0
 *
 * One character of a stream, whose lock the caller has, or which nobody else knows. */
#include "file.h"

#define MARK 0x100 /* of a character that was given back */

__attribute__((weak)) int getc_unlocked(FILE *stream) {
  if (!(stream->flags & __SRD)) return EOF;
  const int back = stream->unget;
  stream->unget = 0;
  if (back) return back & 0xff;
  const int c = stream->get(stream);
  if (c >= 0) return c & 0xff;
  stream->flags |= c == _FDEV_ERR ? __SERR : __SEOF;
  return EOF;
}

int ungetc_unlocked(int c, FILE *stream) {
  if (!(stream->flags & __SRD) || c == EOF || stream->unget) return EOF;
  stream->unget = (__ungetc_t)((c & 0xff) | MARK);
  stream->flags &= (uint8_t)~__SEOF;
  return c & 0xff;
}
