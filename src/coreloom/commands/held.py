# SPDX-License-Identifier: Apache-2.0
"""A run that a gdb holds: `coreloom debug`, and `coreloom run --gdb`."""

from __future__ import annotations

import argparse
import signal
import subprocess
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from coreloom.apps import APPS
from coreloom.commands.console import err, shown
from coreloom.commands.given import Given, is_elf
from coreloom.errors import SIGNALLED, Ended
from coreloom.files import write_atomically
from coreloom.paths import BUILD
from coreloom.toolchain.firmware import KERNELS, LINUX
from coreloom.toolchain.zig import UNOPTIMISED

if TYPE_CHECKING:
    from coreloom.simulation.experiment import Experiment

PORT = 3333
_EXAMPLE = """\
An example session:
  break NAME             stop where a function begins, or at a line: break work.c:12
  continue               to a breakpoint, a fault or the end; Ctrl-C stops the time
  next, step, finish     a line, into a function, out of it
  info threads           the kernel's threads, wherever they run; thread 2 chooses one
  backtrace, print x     where it is, and its variables
  watch total            stop when total is changed
  quit                   end the program, and gdb
"""


def add_option(parser: argparse.ArgumentParser) -> None:
    """The option --gdb of `coreloom run`."""
    parser.add_argument(
        "--gdb",
        type=_port,
        nargs="?",
        const=PORT,
        metavar="PORT",
        help=f"wait for a gdb on this port (default: {PORT})",
    )


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 1 << 16:
        raise argparse.ArgumentTypeError(f"must be a port from 1 to 65535, not '{text}'")
    return int(text)


class Held:
    """A run that a gdb holds; starts: one that is started here, else it is waited for."""

    def __init__(self, experiment: Experiment, given: Given, built: Path, port: int, *, starts: bool) -> None:
        from coreloom.simulation.gdb import debugger

        soc = experiment.platform
        program = debugger.find() if starts else None
        far = _far(experiment, given)
        self.debugger = debugger.Debugger(port, soc, built, far[1] if far else None)
        elf = BUILD / "output" / f"{given.name}.elf"
        write_atomically(elf, built.read_bytes())
        commands = elf.with_suffix(".gdb")
        text = debugger.script(elf, self.debugger.port, far)
        if starts:
            text += "tbreak main\ncontinue\n"
        write_atomically(commands, text.encode())
        self._gdb: subprocess.Popen[bytes] | None = None
        if program is None:
            line = f"{debugger.USUAL} -x {shown(commands)}"
            err.print(f"waiting for gdb on port {self.debugger.port}: {line}")
            return
        err.print(_EXAMPLE)
        # gdb has the terminal, and Ctrl-C.
        signal.signal(signal.SIGINT, lambda *_: None)
        self._gdb = subprocess.Popen([program, "-q", "-x", str(commands)])
        Thread(target=self._watch, args=(self._gdb,), daemon=True).start()

    def _watch(self, gdb: subprocess.Popen[bytes]) -> None:
        gdb.wait()
        self.debugger.abandon()

    def finish(self, name: str) -> bool:
        """After the run: whether there is something to tell of it. Ended if a gdb that came has ended it."""
        if self._gdb is not None:
            self._gdb.wait()
        elif self.debugger.killed:
            raise Ended(f"{name} was ended by gdb", SIGNALLED + signal.SIGKILL)
        return not self.debugger.killed


def _far(experiment: Experiment, given: Given) -> tuple[Path, Path] | None:
    """The program of processor 1 behind a Back-Door, and its loader; None if there is none with symbols."""
    from coreloom.simulation.experiment import PLACEMENTS
    from coreloom.toolchain import far
    from coreloom.toolchain.application import application

    if not experiment.platform.backdoor or experiment.kernel not in KERNELS or given.elf:
        return None
    if not application(experiment.app).has_far_program:
        return None
    defines = {**experiment.defines, "CL_PLACEMENT": PLACEMENTS[experiment.placement]}
    image = far.build(experiment.app, experiment.platform, defines)
    return image.with_suffix(".elf"), far.build_loader(experiment.platform).with_suffix(".elf")


def set_flags(args: argparse.Namespace) -> None:
    """A program that is compiled for gdb is not optimised, unless its flags say so."""
    words = args.app
    if args.gdb is not None and not (len(words) == 1 and words[0] in APPS) and not is_elf(Path(words[0])):
        args.flags = [*UNOPTIMISED, *args.flags]


def check(args: argparse.Namespace) -> None:
    """UserError, before anything is built, if gdb cannot hold the run."""
    if args.gdb is None or args.kernel == LINUX:
        return
    from coreloom.simulation.gdb import debugger

    if args.gdb == 0:
        debugger.find()
    debugger.listen(args.gdb).close()


def held(args: argparse.Namespace, experiment: Experiment, given: Given, program: Path) -> Held | None:
    """How the run of an experiment is held, if it is."""
    if args.gdb is None:
        return None
    return Held(experiment, given, program, args.gdb, starts=args.gdb == 0)
