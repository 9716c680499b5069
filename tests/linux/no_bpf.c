/* SPDX-License-Identifier: GPL-2.0-only
 *
 * lagmeter's source of events where there is no BPF: it samples /proc. */
#include <errno.h>

#include "source.h"

int lag_bpf_open(struct lag_source *s, bool verbose) {
  (void)s;
  return lag_refuse(ENOTSUP, "none in this test%s", verbose ? ", verbose" : "");
}
