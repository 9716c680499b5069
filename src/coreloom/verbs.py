# SPDX-License-Identifier: Apache-2.0
"""The verbs of the command line: where each is, what it does in a line, and two examples.

A leaf without imports of ours: `coreloom --help` needs nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Verb(NamedTuple):
    """Of coreloom.commands.`module`."""

    group: str
    module: str
    help: str
    examples: tuple[str, str]


GROUPS = ("Try", "Build", "Measure", "Linux", "Maintain")
VERBS = {
    "demo": Verb(
        "Try",
        "demo",
        "compare both kernels in four examples, in two minutes",
        ("demo", "compare examples/pingpong.c"),
    ),
    "run": Verb(
        "Try",
        "run",
        "run your program, or an application, on a simulated machine",
        ("run program.c", "run a.c b.c -Iinclude -O3 --on sw --cpus 2 -- input.txt"),
    ),
    "compare": Verb(
        "Try",
        "compare",
        "run a program on several kernels: cycles, and where they go",
        ("compare program.c", "compare program.c --on hw,sw,linux --cpus 1,2,4 --html page.html"),
    ),
    "debug": Verb(
        "Try", "debug", "run a program under gdb", ("debug program.c", "debug a.c b.c --on sw -- input.txt")
    ),
    "list": Verb(
        "Try",
        "lists",
        "list platforms, policies, applications ...",
        ("list platforms", "list policies"),
    ),
    "new": Verb(
        "Try",
        "new",
        "make a project: program, platform, hardware thread, policy, tests",
        ("new mysoc", "new path/to/mysoc"),
    ),
    "cc": Verb(
        "Build",
        "tools",
        "compile and link with gcc's command line, for make and CMake",
        ("cc main.c list.c -o program.elf", 'make CC="coreloom cc" AR="coreloom ar"'),
    ),
    "ar": Verb(
        "Build", "tools", "make an archive, with ar's command line", ("ar rcs list.a list.o", "ar t list.a")
    ),
    "ranlib": Verb("Build", "tools", "index an archive", ("ranlib list.a", "ranlib a.a b.a")),
    "synth": Verb(
        "Build",
        "synth",
        "measure area, clock and longest path of a unit on an ECP5 FPGA",
        ("synth cl_kernel --threads 64 --priorities 32 --seeds 1", "synth cl_dcache --critical"),
    ),
    "export": Verb(
        "Build",
        "export",
        "write a unit or a whole SoC for other tools, as SystemVerilog or Verilog",
        ("export cl_kernel --as verilog", "export cl_kernel --platform mine.toml --to ip"),
    ),
    "board": Verb(
        "Build",
        "board",
        "make a bitstream for an FPGA board, and run programs on it",
        ("board ulx3s build", "board ulx3s run program.c --cpus 2"),
    ),
    "bench": Verb(
        "Measure",
        "bench",
        "measure the figures of the result pages, and print their tables",
        ("bench rtos --only yield,line", "bench stale"),
    ),
    "model": Verb(
        "Measure",
        "model",
        "simulate scheduling policies on up to 4096 CPUs: shares, latencies",
        ("model five-on-four --policy dwrr", "model counterexample --policy cfs --policy dwrr"),
    ),
    "sweep": Verb(
        "Measure",
        "sweep",
        "run a program at each combination of platforms, kernels, values",
        ("sweep sweep.toml", "sweep sweep.toml --restart"),
    ),
    "explore": Verb(
        "Measure",
        "explore",
        "find cores, CPUs and kernel for a program: LUT4 against time",
        ("explore program.c", "explore program.c --luts 15000 --all"),
    ),
    "advise": Verb(
        "Measure",
        "advise",
        "choose a mechanism between processors, from measured figures",
        ("advise ipc --words 32 --cores 4", "advise ipc --signal --core economy"),
    ),
    "conformance": Verb(
        "Measure",
        "conformance",
        "test the requirements of POSIX on both kernels and Linux",
        ("conformance", "conformance --on sw --only mutex,sem_wait"),
    ),
    "exclusive": Verb(
        "Linux",
        "programs",
        "give a program its own CPUs, then restore everything",
        ("exclusive run -- ./benchmark", "exclusive status"),
    ),
    "scx_dwrr": Verb(
        "Linux",
        "programs",
        "share all CPUs fairly by DWRR, while it runs (sched_ext)",
        ("scx_dwrr --stats 1", "scx_dwrr --help"),
    ),
    "lagmeter": Verb(
        "Linux",
        "programs",
        "measure how far threads are from their fair share",
        ("lagmeter -- ./program", "lagmeter --help"),
    ),
    "package": Verb(
        "Linux",
        "package",
        "install these tools, or make a Debian package",
        ("package deb", "package install"),
    ),
    "vm": Verb(
        "Linux",
        "vm",
        "run a command as root in a virtual machine with Linux",
        ("vm -- uname -a", "vm --cpus 2 -- ./program"),
    ),
    "doctor": Verb(
        "Maintain",
        "doctor",
        "check this machine's tools, or that a platform can host an RTOS",
        ("doctor", "doctor --platform amp-standard"),
    ),
    "report": Verb(
        "Maintain", "report", "write the result pages from the results", ("report", "report --stale")
    ),
    "mutate": Verb(
        "Maintain",
        "mutate",
        "plant small faults, and count those that the tests notice",
        ("mutate --list", "mutate sw posix --tier test"),
    ),
    "generate": Verb(
        "Maintain",
        "generate",
        "write RTL packages, C headers and reference pages from the design's data",
        ("generate", "report --stale"),
    ),
    "completion": Verb(
        "Maintain",
        "completion",
        "print the script that completes commands in your shell",
        ("completion bash", "completion zsh"),
    ),
}


def examples(lines: Iterable[str]) -> str:
    """The lines with which a verb's --help begins."""
    shown = (f"  {'' if line.startswith('make ') else 'coreloom '}{line}\n" for line in lines)
    return "".join(shown) + "\n"


def overview() -> str:
    """The text that `coreloom` alone and `coreloom --help` print."""
    lines = ["usage: coreloom VERB ...    operating-system services in hardware or software", ""]
    width = max(map(len, VERBS))
    for group in GROUPS:
        lines.append(group)
        lines += [f"  {name:{width}}  {verb.help}" for name, verb in VERBS.items() if verb.group == group]
    lines += [
        "",
        "  coreloom VERB --help    its options, with examples; coreloom --version: the version",
        "  --build-dir DIR         where to build and write (or CORELOOM_BUILD_DIR; default: build)",
        "Exit status: 0 done, 1 a mistake or a failure, 2 a wrong command line, 3 a wrong result,",
        "130 Ctrl-C, 143 SIGTERM; for run and debug the program's (coreloom run --help-all).",
    ]
    return "\n".join(lines) + "\n"
