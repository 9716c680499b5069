# SPDX-License-Identifier: Apache-2.0
"""The command line: it joins the commands and reports mistakes in one line."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from types import FrameType

from coreloom import __version__, paths
from coreloom.apps import WrongOutput
from coreloom.commands import (
    advise,
    bench,
    completion,
    conformance,
    doctor,
    generate,
    lists,
    model,
    new,
    package,
    programs,
    report,
    run,
    sweep,
    synth,
    vm,
)
from coreloom.commands.console import Command, Parser, err
from coreloom.errors import FAILED, Ended, UserError
from coreloom.programs.registry import PROGRAMS

COMMANDS: tuple[Command, ...] = (
    *(
        module.COMMAND
        for module in (doctor, lists, new, run, conformance, sweep, bench, model, advise, synth)
    ),
    *programs.COMMANDS,
    *(module.COMMAND for module in (package, vm, report, generate, completion)),
)


def parser() -> argparse.ArgumentParser:
    """The command line with all its commands."""
    root = Parser(prog="coreloom", description="Operating-system services in hardware or software.")
    root.add_argument("--version", action="version", version=f"coreloom {__version__}")
    root.set_defaults(root=root)
    _build_dir(root)
    verbs = root.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for command in COMMANDS:
        verb: Parser = verbs.add_parser(
            command.name, help=command.help, description=command.description or command.help
        )
        command.options(verb)
        if command.name not in PROGRAMS:
            _build_dir(verb)
        verb.set_defaults(function=command.run, runs_program=command.runs_program)
        verb.failure = FAILED if command.runs_program else verb.failure
    return root


def _build_dir(parser: argparse.ArgumentParser) -> None:
    """Here for --help and completion: entry.py takes it before anything is imported."""
    parser.add_argument(
        "--build-dir",
        action=_Late,
        metavar="DIR",
        default=argparse.SUPPRESS,
        help=f"folder for what is built, for results and for output (default: {paths.BUILD_DIR}, else build/ "
        "of the checkout, else build/ in ~/.cache/coreloom)",
    )


class _Late(argparse.Action):
    """What entry.py has left: it had no folder, or was not asked."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, folder: object, *_: object
    ) -> None:
        if not folder:
            raise argparse.ArgumentError(self, "expected one argument")
        raise argparse.ArgumentError(self, f"only the command coreloom takes it: set {paths.BUILD_DIR}")


def _check_build_dir() -> None:
    """UserError if the folder that the user has chosen cannot be made or written."""
    if os.environ.get(paths.BUILD_DIR):
        try:
            paths.BUILD.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=paths.BUILD):
                pass
        except OSError as error:
            raise UserError(
                f"the build folder {paths.BUILD} cannot be written: {error.strerror}; choose another by "
                f"--build-dir or {paths.BUILD_DIR}"
            ) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `coreloom`.

    0 done, 1 a UserError, 2 wrong usage, 3 wrong output, 130 interrupted, 143 terminated; of a command that
    runs a program its status, and errors.FAILED instead of 1, 2 and 3.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8
    words = list(sys.argv[1:] if arguments is None else arguments)
    # A program's options are its own, not argparse's.
    if words and words[0] in PROGRAMS and words[1:] != ["--build"]:
        args = argparse.Namespace(function=programs.run, program=words[0], build=False, words=words[1:])
    else:
        args = parser().parse_args(words)
    try:
        with _terminable():
            return _call(args)
    except _Terminated:
        err.print("coreloom: terminated; no partial file was left", markup=False)
        return 143
    except KeyboardInterrupt:
        err.print("coreloom: interrupted; no partial file was left", markup=False)
        return 130


class _Terminated(KeyboardInterrupt):
    """SIGTERM: cleans up as Ctrl-C does."""


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM raises _Terminated in the block; not in another thread than the main one."""

    def terminate(number: int, frame: FrameType | None) -> None:
        raise _Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _call(args: argparse.Namespace) -> int:
    """The command, with its mistakes printed."""
    runs = getattr(args, "runs_program", False)
    try:
        _check_build_dir()
        return int(args.function(args))
    except Ended as ended:
        err.print(f"coreloom: error: {ended}", markup=False)
        return ended.status if runs else 1
    except UserError as error:
        err.print(f"coreloom: error: {error}", markup=False)
        return FAILED if runs else 1
    except WrongOutput as error:
        err.print(f"coreloom: error: wrong output, a bug in Coreloom: {error}", markup=False)
        return FAILED if runs else 3
    except BrokenPipeError:
        return FAILED if runs else 1
    except OSError as error:  # no space, no permission in build/, a closed stdout
        where = "" if error.filename is None else f"{error.filename}: "
        err.print(f"coreloom: error: {where}{error.strerror or error}", markup=False)
        return FAILED if runs else 1


if __name__ == "__main__":
    sys.exit(main())
