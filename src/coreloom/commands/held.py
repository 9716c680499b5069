# SPDX-License-Identifier: Apache-2.0
"""A run that a debugger holds: `coreloom debug`, and `coreloom run` with --gdb or --jtag."""

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
from coreloom.errors import SIGNALLED, Ended, UserError
from coreloom.files import write_atomically
from coreloom.paths import BUILD
from coreloom.toolchain.firmware import KERNELS, LINUX
from coreloom.toolchain.zig import UNOPTIMISED

if TYPE_CHECKING:
    from coreloom.simulation.experiment import Experiment
    from coreloom.simulation.jtag import Port

PORT = 3333
_JTAG_PORT = 9823
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
    """The options --gdb and --jtag of `coreloom run`."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--gdb",
        type=_port,
        nargs="?",
        const=PORT,
        metavar="PORT",
        help=f"wait for a gdb on this port (default: {PORT})",
    )
    either.add_argument(
        "--jtag",
        type=_port,
        nargs="?",
        const=_JTAG_PORT,
        metavar="PORT",
        help="simulate the SoC with its debug module, and wait for an OpenOCD at its JTAG port on this TCP "
        f"port (default: {_JTAG_PORT}); only with the standard core",
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
    """A program that is compiled for a debugger is not optimised, unless its flags say so."""
    words = args.app
    asked = args.gdb is not None or args.jtag is not None
    if asked and not (len(words) == 1 and words[0] in APPS) and not is_elf(Path(words[0])):
        args.flags = [*UNOPTIMISED, *args.flags]


def check(args: argparse.Namespace, core: str) -> None:
    """UserError, before anything is built, if no debugger can hold the run."""
    if args.kernel == LINUX or (args.gdb is None and args.jtag is None):
        return
    from coreloom.simulation.gdb import debugger

    if args.jtag is not None:
        if args.gdb is not None:
            raise UserError("coreloom debug starts gdb without OpenOCD: use coreloom run --jtag")
        if core != "standard":
            raise UserError(
                f"the {core} core has no debug mode: leave out --jtag, or choose the standard core"
            )
        debugger.listen(args.jtag, "--jtag").close()
        return
    if args.gdb == 0:
        debugger.find()
    debugger.listen(args.gdb).close()


def held(args: argparse.Namespace, experiment: Experiment, given: Given, program: Path) -> Held | None:
    """How the run of an experiment is held, if it is."""
    if args.gdb is None:
        return None
    return Held(experiment, given, program, args.gdb, starts=args.gdb == 0)


def jtag(args: argparse.Namespace, experiment: Experiment, given: Given, program: Path) -> Port | None:
    """The JTAG port of the run, once a debugger is there; None if it has none."""
    if args.jtag is None:
        return None
    from coreloom.simulation.gdb import debugger
    from coreloom.simulation.jtag import Port

    port = Port(debugger.listen(args.jtag, "--jtag"), experiment.platform.cpus)
    elf = BUILD / "output" / f"{given.name}.elf"
    write_atomically(elf, program.read_bytes())
    commands = elf.with_suffix(".cfg")
    write_atomically(commands, port.configuration().encode())
    script = elf.with_suffix(".gdb")
    write_atomically(script, port.script(elf).encode())
    err.print(
        f"waiting for OpenOCD on port {port.number}: openocd -f {shown(commands)}; "
        f"then gdb: {debugger.USUAL} -x {shown(script)}"
    )
    port.wait()
    return port
