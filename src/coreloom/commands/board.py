# SPDX-License-Identifier: Apache-2.0
"""`coreloom board`: an SoC on an FPGA board, and programs on it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from coreloom.apps import APPS
from coreloom.commands import given
from coreloom.commands.console import Command, doing, out, shown
from coreloom.commands.given import Given
from coreloom.commands.run_options import add_flags
from coreloom.errors import UserError
from coreloom.options import add_on, positive
from coreloom.report.table import number
from coreloom.simulation.experiment import PLACEMENTS, check
from coreloom.synthesis.board import boards, build, line, load
from coreloom.synthesis.board.boards import Machine
from coreloom.synthesis.board.build import Made
from coreloom.toolchain import firmware, front_end

ACTIONS = {
    "build": "make the bitstream",
    "load": "load it",
    "run": "load it, send a program, and show what it prints",
}
_BACK = 5.0  # seconds after which the port must be there again


def _tell(made: Made) -> None:
    used = ", ".join(
        f"{number(made.report.used.get(cell, 0))} of {number(made.room.get(cell, 0))} {text}"
        for cell, text in made.machine.board.family.cells.items()
    )
    out.print(f"clock: {made.report.mhz:.1f} MHz, {made.machine.mhz} asked for (seed {made.seed})")
    out.print(f"longest path: {made.report.critical.text()}")
    out.print(f"used: {used}")
    out.print(f"bitstream: {shown(made.bitstream)}")


def _build(machine: Machine) -> Made:
    with doing(f"{machine.label}: synthesise, place and route (some minutes)"):
        return build.build(machine)


def _given(args: argparse.Namespace) -> Given:
    """The program; settings missing in args are its coreloom.toml's. UserError for what no board has."""
    if not args.app:
        raise UserError("name a program to run: C files, or a folder with coreloom.toml")
    args.app = [str(path) for path in args.app]
    found = given.resolve(args)
    if found.name in APPS and found.app == found.name:
        raise UserError(f"{found.name} needs an input, which a board has not: give a program of your own")
    if found.elf:
        raise UserError(f"{found.elf} is linked already: give its sources, which are built for the board")
    if args.input:
        raise UserError(f"{args.app[0]} has an input, which a board has not: give its C files instead")
    args.kernel = args.kernel or "hw"
    if args.kernel not in firmware.KERNELS:
        kernels = " or ".join(firmware.KERNELS)
        raise UserError(f"a board has no kernel '{args.kernel}': choose {kernels} by --kernel")
    if args.policy and args.kernel == "hw":
        raise UserError(
            f"{args.app[0]} has policy {args.policy}, which on a board is the platform's: give its C files, "
            "and a platform by --platform"
        )
    return found


def _program(args: argparse.Namespace, found: Given, machine: Machine) -> bytes:
    """The image of the program for the machine."""
    warnings: list[str] = []
    defines: dict[str, str | int] = {**machine.macros()}
    if args.placement:
        check(found.app, args.placement)
        defines["CL_PLACEMENT"] = PLACEMENTS[args.placement]
    elf = firmware.build(
        front_end.on(found.app, args.kernel),
        machine.soc,
        args.kernel,
        defines,
        args.policy or firmware.PRIORITY,
        warnings=warnings,
    )
    for warning in warnings:
        sys.stderr.write(warning + "\n")
    image = elf.with_suffix(".bin").read_bytes()
    line.check_program(machine, found.name, len(image))
    return image


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _run(args: argparse.Namespace) -> int:
    boards.board(args.board)
    if args.action not in ACTIONS:
        raise UserError(f"unknown action '{args.action}': choose one of {', '.join(ACTIONS)}")
    if args.action == "run":
        return _send(args)
    if args.app:
        raise UserError(f"{args.app[0]}: only `board {args.board} run` takes a program")
    machine = _machine(args)
    if args.action == "load":
        _load(machine)
        return 0
    made = _build(machine)
    _tell(made)
    build.check_clock(made)
    return 0


def _machine(args: argparse.Namespace) -> Machine:
    return boards.machine(args.board, args.platform, args.cpus or 1, args.memory, args.mhz)


def _load(machine: Machine) -> None:
    load.tool(machine.board)
    made = _build(machine)
    build.check_clock(made)
    load.load(machine.board, made.bitstream)


def _send(args: argparse.Namespace) -> int:
    found = _given(args)
    machine = _machine(args)
    program = _program(args, found, machine)
    port = line.port(args.port, machine.board.name)
    if not args.loaded:
        with line.opened(port):  # what is wrong with it is said before a bitstream takes minutes
            pass
        _load(machine)  # which may take the port away for a moment
    with line.opened(port, wait=0 if args.loaded else _BACK) as board:
        line.check_board(machine, board.info())
        with doing("send", -(-len(program) // line.CHUNK)) as task:
            board.send(program, task.advance)
        board.start()
        return board.console(_write)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "board", help="; ".join(f"{board.name}: {board.about}" for board in boards.BOARDS.values())
    )
    parser.add_argument("action", help="; ".join(f"{name}: {text}" for name, text in ACTIONS.items()))
    parser.add_argument(
        "app",
        nargs="*",
        type=Path,
        default=[],
        metavar="PROGRAM",
        help="C files, or a folder with coreloom.toml",
    )
    socs = ", ".join(f"{board.name} {board.soc}" for board in boards.BOARDS.values())
    parser.add_argument("--platform", metavar="NAME|FILE", help=f"the SoC (default: {socs})")
    parser.add_argument("--cpus", type=positive, metavar="N", help="its processors (default: 1)")
    parser.add_argument(
        "--memory",
        choices=list(boards.MEMORIES),
        help="; ".join(f"{name}: {text}" for name, text in boards.MEMORIES.items())
        + " (default: sdram, if it has one)",
    )
    clocks = "; ".join(
        f"{board.name}: " + ", ".join(f"{core} {mhz}" for core, mhz in board.mhz.items())
        for board in boards.BOARDS.values()
    )
    parser.add_argument("--mhz", type=positive, metavar="N", help=f"its clock (default: {clocks})")
    parser.add_argument("--port", type=Path, metavar="FILE", help="the board's serial port (default: found)")
    parser.add_argument("--loaded", action="store_true", help="run: the bitstream is on the board already")
    add_on(parser, "kernel", "--kernel", choices=list(firmware.KERNELS), help="of the program (default: hw)")
    add_flags(parser)
    parser.set_defaults(policy=None, placement=None, input=None, arguments=[])


COMMAND = Command("board", _run, _options)
