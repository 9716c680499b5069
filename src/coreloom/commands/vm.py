# SPDX-License-Identifier: Apache-2.0
"""`coreloom vm`: a command in a virtual machine with Linux."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from coreloom.commands.console import Command, doing
from coreloom.errors import UserError
from coreloom.options import positive
from coreloom.programs import bpf
from coreloom.vm import kernel, vm


def _file(text: str) -> tuple[str, Path]:
    place, equal, source = text.partition("=")
    if not (place and equal and source):
        raise argparse.ArgumentTypeError(f"must be GUEST=HOST, not '{text}'")
    return place, Path(source)


def _run(args: argparse.Namespace) -> int:
    if args.prepare or args.list:
        if args.words:
            raise UserError(f"--{'list' if args.list else 'prepare'} runs no command: leave it out")
        if args.prepare:
            with doing("fetch kernels, QEMU, busybox and libraries"):
                vm.prepare(sorted({*kernel.USUAL, args.kernel}))
                bpf.prepare()
        _write("".join(f"{line}\n" for line in vm.cached()))
        return 0
    if not args.words:
        raise UserError("no command for the guest: give one after --, as coreloom vm -- uname -a")
    if args.output is not None and args.output.exists() and not args.output.is_dir():
        raise UserError(f"{args.output} is not a folder: give another --output")
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


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words", nargs="*", metavar="COMMAND", help="after --; the guest has busybox and every --file"
    )
    parser.add_argument(
        "--file",
        type=_file,
        action="append",
        default=[],
        metavar="GUEST=HOST",
        help="a file or folder of the host and its absolute path in the guest; may be repeated",
    )
    parser.add_argument(
        "--package",
        action="append",
        default=[],
        metavar="NAME",
        help="a Debian package with all its dependencies; may be repeated",
    )
    parser.add_argument(
        "--program",
        action="append",
        default=[],
        metavar="NAME",
        help="a Debian package with only the libraries that it loads: a smaller guest",
    )
    parser.add_argument("--kernel", default="7", help=f"one of {', '.join(kernel.CHOICES)} (default: 7)")
    parser.add_argument(
        "--cgroup", default="v2", help=f"one of {', '.join(vm.CGROUPS)} (default: v2; v1 needs kernel 6.1)"
    )
    parser.add_argument("--cpus", type=positive, default=4, metavar="N", help="default: %(default)s")
    parser.add_argument("--smt", action="store_true", help="two hardware threads per core")
    parser.add_argument("--memory", type=positive, default=1024, metavar="MB", help="default: %(default)s")
    parser.add_argument(
        "--deterministic",
        action="store_true",
        help="a repeatable run, bit for bit; output appears at the end (what times mean: linux/vm/README.md)",
    )
    parser.add_argument(
        "--constant-rate",
        action="store_true",
        help="with --deterministic: all CPUs run the same number of instructions per second; half as fast",
    )
    parser.add_argument("--seed", type=positive, default=1, metavar="N", help="seed of a deterministic run")
    parser.add_argument(
        "--timeout", type=positive, default=600, metavar="S", help="time limit (default: %(default)s)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="folder for the files that the command leaves in /out"
    )
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--prepare",
        action="store_true",
        help=f"only download what a guest needs: kernels {' and '.join(kernel.USUAL)}, and --kernel's",
    )
    other.add_argument("--list", action="store_true", help="list which of these are present, then exit")


COMMAND = Command(
    "vm",
    _run,
    _options,
)
