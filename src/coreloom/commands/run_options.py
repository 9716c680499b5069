# SPDX-License-Identifier: Apache-2.0
"""The options of `coreloom run`, of which debug and compare have many, too."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from coreloom.commands import held
from coreloom.commands.given import DEFAULT_KERNEL, DEFAULT_PLATFORM
from coreloom.design import platform
from coreloom.options import add_freertos, add_on, positive
from coreloom.simulation import waves
from coreloom.simulation.experiment import PLACEMENTS, PORTS, WITH_PORTS
from coreloom.simulation.simulate import FAR_PERIOD, Pulses
from coreloom.toolchain import firmware, front_end
from coreloom.toolchain.firmware import GROUNDS

MAX_SIMULATED = 500_000_000  # cycles, without skipped ones
UNNAMED = Path()  # --trace or --waves without a file

_FAR_CLOCK = (0.1, 10)


def _far_period(text: str) -> int:
    """Period of processor 1's clock in thousandths of that of processor 0, from the ratio of the clocks."""
    low, high = _FAR_CLOCK
    try:
        ratio = float(text)
    except ValueError:
        ratio = 0
    if not low <= ratio <= high:
        raise argparse.ArgumentTypeError(f"must be a number from {low:g} to {high:g}, not '{text}'")
    return round(FAR_PERIOD / ratio)


_PULSES = "LINE,FIRST,LEAST,MOST,TIMES,SEED"


def _pulses(text: str) -> Pulses:
    parts = text.split(",")
    if len(parts) == 6 and all(part.isdecimal() for part in parts):
        pulses = Pulses(*map(int, parts))
        if pulses.line < platform.LINE_PINS and pulses.first > 0 and 2 <= pulses.least <= pulses.most:
            return pulses
    most = platform.LINE_PINS - 1
    raise argparse.ArgumentTypeError(
        f"must be {_PULSES} with LINE 0 to {most}, FIRST above 0 and 2 <= LEAST <= MOST, not '{text}'"
    )


def _size(text: str) -> int:
    """In KiB."""
    found = re.fullmatch(r"(\d+)([KMkm])(?:iB)?", text)
    size = int(found[1]) << (10 if found[2] in "Mm" else 0) if found else 0
    if size < 1:
        raise argparse.ArgumentTypeError(f"must be a size such as 64K or 2M, not '{text}'")
    return size


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"must be a folder, which '{text}' is not")
    return Path(text).resolve()


def _variable(text: str) -> str:
    if not text.partition("=")[0] or "=" not in text:
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, not '{text}'")
    return text


def add_sizes(parser: argparse.ArgumentParser) -> None:
    """Of stacks and heap."""
    for name, what in (
        ("stack", "stack of main (default: a quarter of the memory)"),
        ("thread-stack", "stack of a thread that asks for no other (default: 64K)"),
        ("heap", "memory for malloc (default: all that is left)"),
    ):
        parser.add_argument(f"--{name}", type=_size, metavar="SIZE", help=f"{what}; such as 64K or 2M")


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """The files that a program reads."""
    parser.add_argument(
        "--image", type=Path, metavar="FILE", help="picture for image (default: a generated one)"
    )
    parser.add_argument(
        "--pcap", type=Path, metavar="FILE", help="capture for packets (default: a generated one)"
    )
    parser.add_argument("--input", type=Path, metavar="FILE", help="input of your own program: cl_input()")
    parser.add_argument(
        "--files",
        type=_folder,
        metavar="DIR",
        help="the folder that is the program's / (default: it has no files)",
    )
    parser.add_argument(
        "--env",
        type=_variable,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set an environment variable; may be repeated",
    )


def add_line(parser: argparse.ArgumentParser) -> None:
    """The interrupts that a program gets."""
    parser.add_argument(
        "--line",
        type=_pulses,
        action="append",
        default=[],
        metavar=_PULSES,
        help="interrupt line LINE rises TIMES times, first in cycle FIRST, then LEAST to MOST cycles later, "
        "at random; may be repeated",
    )


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "app",
        nargs="+",
        metavar="PROGRAM",
        help="C files (and objects and archives), an ELF file of `coreloom cc`, a folder with a "
        "coreloom.toml, or one of `coreloom list apps`",
    )
    parser.add_argument(
        "--platform",
        metavar="NAME",
        help=f"one of `coreloom list platforms`, or a TOML file (default: {DEFAULT_PLATFORM})",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="find misuse of the heap: double free, overrun, use after free",
    )
    add_on(
        parser,
        "kernel",
        "--kernel",
        "--ground",
        metavar="KERNEL",
        help=f"one of {', '.join(GROUNDS)}, {firmware.LINUX} (default: {DEFAULT_KERNEL})",
    )
    add_flags(parser)
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print only what the program prints, and errors"
    )
    parser.add_argument("--json", action="store_true", help="print the facts of the run as JSON, on stderr")
    add_freertos(parser)
    parser.add_argument(
        "--policy",
        metavar="NAME",
        help="one of `coreloom list policies`, or of the software kernel a C file (default: priority)",
    )
    parser.add_argument("--cpus", type=positive, metavar="N", help="processors (default: the platform's)")
    parser.add_argument(
        "--clock-hz",
        type=positive,
        metavar="N",
        help="cycles of a second of the program's clocks and sleeps (default: the platform's)",
    )
    add_sizes(parser)
    parser.add_argument("--placement", help=f"one of {', '.join(PLACEMENTS)} (default: dynamic)")
    add_inputs(parser)
    parser.add_argument("--grain", type=positive, metavar="N", help="pixels per message (image)")
    parser.add_argument(
        "--ports",
        metavar="KIND",
        help=f"of {' and '.join(WITH_PORTS)}: one of {', '.join(PORTS)}; buffered: a message becomes visible "
        "when its sender waits, as in [SMP] (default: direct)",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="where the output goes (default: build/output)"
    )
    parser.add_argument(
        "--trace",
        type=Path,
        nargs="?",
        const=UNNAMED,
        metavar="FILE",
        help="write a timeline for Perfetto",
    )
    parser.add_argument(
        "--waves",
        type=Path,
        nargs="?",
        const=UNNAMED,
        metavar="FILE",
        help="write a waveform (FST) for GTKWave and Surfer",
    )
    for option, what in (("from", "begin"), ("to", "end")):
        parser.add_argument(
            f"--waves-{option}",
            metavar="WHEN",
            help=f"{what} the waveform in this cycle, or when the thread of this name first runs",
        )
    parser.add_argument(
        "--waves-scope",
        action="append",
        metavar="SCOPE",
        help="only the signals of this unit (kernel, cpu0, bus ...) or path in the design; may be repeated",
    )
    parser.add_argument(
        "--waves-max",
        type=positive,
        metavar="MB",
        help=f"end the waveform when it has so many megabytes (default: {waves.MOST // 10**6})",
    )
    add_line(parser)
    parser.add_argument(
        "--far-clock",
        dest="far_period",
        type=_far_period,
        metavar="RATIO",
        help="clock of processor 1 behind a Back-Door as a multiple of that of processor 0, "
        f"{_FAR_CLOCK[0]:g} to {_FAR_CLOCK[1]:g} (default: 1)",
    )
    held.add_option(parser)
    parser.add_argument(
        "--max-cycles",
        type=positive,
        metavar="N",
        help=f"end after N cycles and tell where each thread is (default: {MAX_SIMULATED}, without skipped "
        "ones)",
    )


class _Flag(argparse.Action):
    """Keeps an option of the compiler with its value, in the order given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        value: object,
        name: str | None = None,
    ) -> None:
        assert name is not None
        words = [name] if value in (None, []) else [name, str(value)]
        if len(words) == 2 and name not in ("-include", "-isystem"):
            words = [f"{name}={value}" if name == "-std" else f"{name}{value}"]
        namespace.flags = [*namespace.flags, *words]


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Options for programs of the user's own: their API, and those of the compiler."""
    parser.add_argument(
        "--api",
        metavar="API",
        help=f"the program's API: one of {', '.join(front_end.APIS)} (default: by what it includes)",
    )
    group = parser.add_argument_group("options of gcc, for your own sources")
    for names, metavar, text in (
        (("-D",), "NAME[=VALUE]", "define a macro"),
        (("-U",), "NAME", "undefine a macro"),
        (("-I", "-isystem"), "DIR", "look for headers there"),
        (("-include",), "FILE", "include it first"),
        (("-std",), "STANDARD", "language: c11, c17, c23, gnu17 ... (default: gnu17)"),
        (("-O",), "LEVEL", "optimise: 0 1 2 3 s g (default: 2)"),
        (
            ("-W", "-f"),
            "NAME",
            "warnings, and how code is made, as for gcc (default: -Wall -Wextra -Wformat)",
        ),
        (("-l",), "NAME", "link this library"),
        (("-L",), "DIR", "look for libraries there"),
    ):
        group.add_argument(
            *names, dest="flags", action=_Flag, default=[], metavar=metavar, type=str, help=text
        )
    for name, text in (("-w", "show no warnings"), ("-g", "always on"), ("-pthread", "always on")):
        group.add_argument(name, dest="flags", action=_Flag, default=[], nargs=0, help=text)
