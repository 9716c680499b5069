/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Generated from linux/lagmeter/options.toml; do not edit. */
#define VERSION "0.1.0"

static const char help[] =
    "usage: lagmeter [OPTION]... [-p PID | -n NAME | -g CGROUP | -a] [-- COMMAND [ARGUMENT]...]\n"
    "\n"
    "Measures how unfairly runnable threads are served under any scheduler: how far each is behind or ahead of an\n"
    "ideal scheduler that always gives every thread its share by weight, and the largest gap between two threads.\n"
    "Watches a command and its descendants until it ends, or the selected threads until Ctrl-C.\n"
    "\n"
    "  -p, --pid PID        the threads of one process\n"
    "  -n, --name NAME      threads with this name\n"
    "  -g, --cgroup CGROUP  threads in this cgroup and its descendants, such as user.slice\n"
    "  -a, --all            all threads except kernel threads\n"
    "  -k, --kernel         include kernel threads\n"
    "      --as USER        run the command as USER or UID:GID, on a terminal of its own (default: as root)\n"
    "  -t, --time S         stop after S seconds\n"
    "  -c, --cpus N         number of CPUs they share (default: all); threads allowed on fewer are listed as pinned\n"
    "      --json FILE      write all figures as JSON\n"
    "      --perfetto FILE  write a timeline for ui.perfetto.dev\n"
    "      --sample MS      sample /proc every MS milliseconds instead of using BPF; needs no root\n"
    "      --interval S     print the figures every S seconds (default: 1 on a terminal)\n"
    "  -v, --verbose        print libbpf messages\n"
    "  -V, --version        print the version\n"
    "  -h, --help           print this help\n"
    "\n"
    "Examples:\n"
    "  sudo lagmeter -- make -j8\n"
    "  sudo lagmeter -t 10 -g system.slice --json lag.json\n"
    "\n"
    "Exit status: the command's; 0 without a command; 1 error, or no watched thread was ever runnable; 2 usage\n"
    "error.\n";
