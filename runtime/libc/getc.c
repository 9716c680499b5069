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

/* What was just read goes back into the buffer: so there is room for a character after scanf has given one back. */
int ungetc_unlocked(int c, FILE *stream) {
  if (!(stream->flags & __SRD) || c == EOF || stream->unget) return EOF;
  struct __file_bufio *const file = (struct __file_bufio *)stream;
  const int is_last = (stream->flags & __SBUF) && file->dir == __SRD && file->off > 0;
  if (is_last && file->buf[file->off - 1] == (char)c) file->off--;
  else stream->unget = (__ungetc_t)((c & 0xff) | MARK);
  stream->flags &= (uint8_t)~__SEOF;
  return c & 0xff;
}
