/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Generated from linux/scx_dwrr/options.toml by `coreloom generate`; do not edit. */
#define VERSION "0.1.0"

static const char help[] =
    "usage: scx_dwrr [OPTION]...\n"
    "\n"
    "Distributed weighted round-robin for Linux: while this runs, all ordinary threads get CPU time by their\n"
    "weight, and no two of nice 4 or lower in one cgroup that always want a CPU are further apart than two round\n"
    "slices and two ticks. Ctrl-C gives the CPUs back to the kernel's own.\n"
    "\n"
    "  -s, --slice-us B       round slice of a thread of nice 0, in microseconds (12000)\n"
    "      --sleepers-wait    a thread that wakes waits its turn, instead of running before others of the open\n"
    "                         rounds\n"
    "      --no-cgroups       all threads are equal whatever their cgroup: cpu.weight and cpu.max are not looked at\n"
    "      --stats SEC        print the counters every SEC seconds while it runs, and their sums at the end\n"
    "      --monitor SEC      print the counters of the scx_dwrr that runs; load nothing\n"
    "      --help-stats       what each counter means\n"
    "      --exit-dump-len N  size of the kernel's dump after an error, in bytes (32768)\n"
    "  -v, --verbose          what libbpf says, and what each program cost the kernel's verifier\n"
    "  -V, --version          print the version\n"
    "  -h, --help             print this\n"
    "\n"
    "Examples:\n"
    "  sudo scx_dwrr --stats 1\n"
    "  sudo systemctl enable --now scx_dwrr\n"
    "\n"
    "Exit status: 0 ended by request; 1 not started, or ended by an error; 2 wrong usage.\n";
