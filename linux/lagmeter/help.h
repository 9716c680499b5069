/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Generated from linux/lagmeter/options.toml by `coreloom generate`; do not edit. */
#define VERSION "0.1.0"

static const char help[] =
    "usage: lagmeter [OPTION]... [-p PID | -n NAME | -g CGROUP | -a] [-- COMMAND [ARGUMENT]...]\n"
    "\n"
    "How unfairly runnable threads are served, under any scheduler: how far each is behind or ahead of an ideal one\n"
    "that always gives all their shares by weight, and the largest gap of two threads. Watches the command with all\n"
    "that it starts, else what is chosen, until Ctrl-C.\n"
    "\n"
    "  -p, --pid PID        the threads of one process\n"
    "  -n, --name NAME      threads of that name\n"
    "  -g, --cgroup CGROUP  threads in that control group and below, as user.slice\n"
    "  -a, --all            all threads, but not the kernel's\n"
    "  -k, --kernel         the kernel's threads, too\n"
    "      --as USER        run the command as that user, in an environment of its own; without it as root, under\n"
    "                       sudo too\n"
    "  -t, --time S         end after so many seconds\n"
    "  -c, --cpus N         how many CPUs they share (all); threads allowed on fewer are reported apart\n"
    "      --json FILE      write all figures\n"
    "      --perfetto FILE  write a timeline for ui.perfetto.dev\n"
    "      --sample MS      look into /proc so often instead of using BPF, which needs root\n"
    "      --interval S     print how it stands so often (1 on a terminal)\n"
    "  -v, --verbose        what libbpf says\n"
    "  -V, --version        print the version\n"
    "  -h, --help           print this\n"
    "\n"
    "Examples:\n"
    "  sudo lagmeter -- make -j8\n"
    "  sudo lagmeter -t 10 -g system.slice --json lag.json\n"
    "\n"
    "Exit status: the command's; without one 0; 1 an error, or nothing was runnable; 2 wrong usage.\n";
