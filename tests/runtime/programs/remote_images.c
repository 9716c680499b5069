/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads the images of INPUT, each behind its number of bytes, and says what became of each; then its own. */
#include "remote.h"

int far_main(const void *argument, size_t bytes) { return play(argument, bytes); }

int main(void) {
  size_t length;
  const uint32_t *at = cl_input(&length), *end = at + length / 4;
  while (at < end) {
    size_t bytes = *at++;
    struct remote_status now = {0};
    int error = remote_load(at, bytes);
    remote_status(&now);
    printf("%d %d %u\n", error, now.state, (unsigned)now.detail);
    at += (bytes + 3) / 4;
  }
  begin(RETURN, 5, 0);
  EQUAL(remote_wait(), 0);
  status(REMOTE_DONE, 5);
  return finish();
}
