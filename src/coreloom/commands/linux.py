# SPDX-License-Identifier: Apache-2.0
"""The commands about Linux, for coreloom.cli."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console

from coreloom.errors import UserError
from coreloom.programs import bpf, exclusive, package, registry
from coreloom.vm import kernel, vm

_err = Console(highlight=False, stderr=True, soft_wrap=True)

_PROGRAMS: dict[str, tuple[Callable[[], Path], str]] = {
    "exclusive": (
        exclusive.program,
        "a CPU of its own for one program: nobody else gets there, and all is put back",
    ),
    "scx_dwrr": (
        partial(bpf.program, "scx_dwrr"),
        "schedule this machine by distributed weighted round-robin while the command runs (sched_ext)",
    ),
    "lagmeter": (
        partial(bpf.program, "lagmeter"),
        "how far threads are from their fair share of CPU time, under any scheduler",
    ),
}

Add = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]


def add(command: Add, positive: Callable[[str], int]) -> None:
    """Add the commands by `command(name, function, text)`; positive reads a number of the command line."""
    for name, (_, text) in _PROGRAMS.items():
        program = command(name, run_program, text)
        program.add_argument(
            "words", nargs="*", metavar="ARGUMENT", help=f"coreloom {name} --help lists them"
        )
        program.add_argument(
            "--build", action="store_true", help="only make the program and print where it is"
        )
        program.set_defaults(program=name)
    packed = command(
        "package", _package, "install the programs for Linux, take them away again, or make a Debian package"
    )
    packed.add_argument("what", choices=("install", "uninstall", "deb"))
    packed.add_argument("--prefix", default="/usr/local", help="of install (default: %(default)s)")
    packed.add_argument("--destdir", default="", help="likewise: below this folder instead of /")
    packed.add_argument(
        "--output", type=Path, default=package.FOLDER, metavar="DIR", help="of deb (default: %(default)s)"
    )
    machine = command(
        "vm", _vm, "run a command as root in a virtual machine with Linux; ends with the command's status"
    )
    machine.add_argument(
        "words", nargs="*", metavar="COMMAND", help="behind --; the guest has busybox and --file"
    )
    machine.add_argument(
        "--file",
        type=_file,
        action="append",
        default=[],
        metavar="GUEST=HOST",
        help="a file or folder of the host and its absolute path in the guest; may be given more than once",
    )
    machine.add_argument(
        "--package",
        action="append",
        default=[],
        metavar="NAME",
        help="a package of Debian with all that it depends on; may be given more than once",
    )
    machine.add_argument(
        "--program",
        action="append",
        default=[],
        metavar="NAME",
        help="likewise, but of what it depends on only the libraries that it loads: a smaller guest",
    )
    machine.add_argument("--kernel", default="7", help=f"one of {', '.join(kernel.CHOICES)} (default: 7)")
    machine.add_argument(
        "--cgroup", default="v2", help=f"one of {', '.join(vm.CGROUPS)} (default: v2; v1 needs kernel 6.1)"
    )
    machine.add_argument("--cpus", type=positive, default=4, metavar="N", help="default: %(default)s")
    machine.add_argument("--smt", action="store_true", help="two threads a core")
    machine.add_argument("--memory", type=positive, default=1024, metavar="MB", help="default: %(default)s")
    machine.add_argument(
        "--deterministic",
        action="store_true",
        help="the same run bit for bit, output at the end (what times mean: linux/vm/README.md)",
    )
    machine.add_argument(
        "--constant-rate",
        action="store_true",
        help="with --deterministic: every CPU does as many instructions a second; half as fast here",
    )
    machine.add_argument("--seed", type=positive, default=1, metavar="N", help="of a deterministic run")
    machine.add_argument(
        "--timeout", type=positive, default=600, metavar="S", help="give up then (default: %(default)s)"
    )
    machine.add_argument("--output", type=Path, metavar="DIR", help="where files go that it left in /out")
    other = machine.add_mutually_exclusive_group()
    other.add_argument(
        "--prepare",
        action="store_true",
        help=f"only fetch all that a guest needs: kernels {' and '.join(kernel.USUAL)}, and that of --kernel",
    )
    other.add_argument("--list", action="store_true", help="say what is here of that, and end")


def run_program(args: argparse.Namespace) -> int:
    """Makes the program and becomes it; entry.py does so alone once it is made."""
    if registry.made(args.program) is None:
        _err.print(f"coreloom: making the program of {args.program}, once", markup=False)
    make, _ = _PROGRAMS[args.program]
    program = make()
    if args.build:
        sys.stdout.write(f"{program}\n")
        return 0
    os.execv(program, [str(program), *args.words])


def _package(args: argparse.Namespace) -> int:
    """Says what was kept or left, and where it is."""
    place = f"{args.destdir}{args.prefix}"
    if args.what == "uninstall":
        said = package.uninstall(args.prefix, args.destdir)
        said.append(f"uninstalled from {place}")
    elif args.what == "install":
        programs = package.programs()
        said = package.install(args.prefix, args.destdir, programs)
        said.append(f"installed in {place}: {', '.join(programs)}, with units, man pages and completion")
    else:
        said = [str(package.deb(args.output, package.programs()))]
    _write("".join(f"{line}\n" for line in said))
    return 0


def _file(text: str) -> tuple[str, Path]:
    place, equal, source = text.partition("=")
    if not (place and equal and source):
        raise argparse.ArgumentTypeError(f"must be GUEST=HOST, not '{text}'")
    return place, Path(source)


def _vm(args: argparse.Namespace) -> int:
    if args.prepare or args.list:
        if args.words:
            raise UserError(f"--{'list' if args.list else 'prepare'} runs no command: leave it out")
        if args.prepare:
            with _err.status("fetch kernels, QEMU and busybox"):
                vm.prepare(sorted({*kernel.USUAL, args.kernel}))
        _write("".join(f"{line}\n" for line in vm.cached()))
        return 0
    if not args.words:
        raise UserError("no command for the guest: give one behind --, as coreloom vm -- uname -a")
    if args.output is not None and args.output.exists() and not args.output.is_dir():
        raise UserError(f"{args.output} is no folder: give another --output")
    outcome = vm.run(
        vm.Guest(dict(args.file), args.package, args.program),
        f"exec {shlex.join(args.words)}\n",
        cpus=args.cpus,
        memory_mb=args.memory,
        smt=args.smt,
        deterministic=args.deterministic,
        constant_rate=args.constant_rate,
        seed=args.seed,
        kernel=args.kernel,
        cgroup=args.cgroup,
        timeout=args.timeout,
        on_output=_write,
    )
    if args.output is not None:
        for name, content in outcome.files.items():
            target = args.output / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return outcome.status


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
