/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Generated from linux/scx_dwrr/options.toml; do not edit. */
#define VERSION "0.1.0"

static const char help[] =
    "usage: scx_dwrr [OPTION]...\n"
    "\n"
    "Distributed weighted round-robin scheduler for Linux. While it runs, all normal threads get CPU time in\n"
    "proportion to their weight, and any two CPU-bound threads of nice 4 or lower in one cgroup differ by at most\n"
    "two round slices and two ticks. Ctrl-C returns to the kernel's own scheduler.\n"
    "\n"
    "  -s, --slice-us B       round slice of a nice 0 thread in microseconds (default 12000)\n"
    "      --sleepers-wait    make a woken thread wait its turn instead of running before others in the open rounds\n"
    "      --no-cgroups       ignore cgroups: cpu.weight and cpu.max have no effect\n"
    "      --stats SEC        print the counters every SEC seconds, and their totals at the end\n"
    "      --monitor SEC      print the counters of the running scx_dwrr every SEC seconds; load nothing\n"
    "      --help-stats       explain each counter\n"
    "      --exit-dump-len N  size of the kernel's dump after an error in bytes (default 32768)\n"
    "  -v, --verbose          print libbpf messages and the verifier cost of each BPF program\n"
    "  -V, --version          print the version\n"
    "  -h, --help             print this help\n"
    "\n"
    "Examples:\n"
    "  sudo scx_dwrr --stats 1\n"
    "  sudo systemctl enable --now scx_dwrr\n"
    "\n"
    "Exit status: 0 ended on request; 1 could not start, or ended with an error; 2 usage error.\n";
