# SPDX-License-Identifier: Apache-2.0
"""The command line: it joins the commands and reports mistakes in one line."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from types import FrameType

from coreloom import __version__, paths
from coreloom.commands.console import Command, HelpAll, Parser, err
from coreloom.errors import FAILED, Ended, UserError, WrongOutput, meant
from coreloom.programs.registry import PROGRAMS
from coreloom.verbs import VERBS, overview

_TOOLS = ("cc", "ar", "ranlib")  # whose words are gcc's and ar's


class _Root(Parser):
    """Its help is the overview of all verbs."""

    def format_help(self) -> str:
        return overview()


class _Formatter(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)


def commands(names: Sequence[str] = tuple(VERBS)) -> list[Command]:
    """The commands with these names, all of them unless given."""
    found = []
    for name in names:
        module = importlib.import_module(f"coreloom.commands.{VERBS[name].module}")
        own = getattr(module, "COMMANDS", None) or (module.COMMAND,)
        found += [command for command in own if command.name == name]
    return found


def parser(verb: str | None = None) -> argparse.ArgumentParser:
    """The command line with all its commands, or with one."""
    root = _Root(prog="coreloom")
    root.add_argument("--version", action="version", version=f"coreloom {__version__}")
    root.set_defaults(root=root)
    _build_dir(root)
    verbs = root.add_subparsers(dest="command", required=True, metavar="VERB", parser_class=Parser)
    for command in commands((verb,)) if verb in VERBS else commands():
        made: Parser = verbs.add_parser(
            command.name,
            help=VERBS[command.name].help,
            description=command.description or VERBS[command.name].help,
            formatter_class=_Formatter,
        )
        made.examples, made.summary = VERBS[command.name].examples, VERBS[command.name].help
        if command.common:
            made.common = command.common
            made.add_argument("--help-all", action=HelpAll, nargs=0, help="show all options")
        command.options(made)
        if command.name not in PROGRAMS:
            _build_dir(made)
        made.set_defaults(function=command.run, runs_program=command.runs_program)
        made.failure = FAILED if command.runs_program else made.failure
        made.takes_arguments = command.takes_arguments
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
    """Cases that entry.py leaves open: it had no folder, or was not asked."""

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
    if words and words[0] in _TOOLS:
        from coreloom.commands import cc

        return cc.main(words)
    # A program's options are its own, not argparse's.
    if words and words[0] in PROGRAMS and words[1:] != ["--build"]:
        from coreloom.commands import programs

        args = argparse.Namespace(function=programs.run, program=words[0], build=False, words=words[1:])
    else:
        if words and not words[0].startswith("-") and words[0] not in VERBS:
            _Root(prog="coreloom").error(
                f"unknown verb '{words[0]}'" + (f": {near}" if (near := meant(words[0], VERBS)) else "")
            )
        # `completion` writes about all of them.
        alone = words[0] if words and words[0] in VERBS and words[0] != "completion" else None
        args = parser(alone).parse_args(words)
        args.given = words
    try:
        with _terminable():
            return _call(args)
    except _Terminated as end:
        return _stopped("terminated", end, 143)
    except KeyboardInterrupt as end:
        return _stopped("interrupted", end, 130)


def _stopped(how: str, end: KeyboardInterrupt, status: int) -> int:
    """The place where a stopped program was, if it is known."""
    err.print(f"coreloom: {how}: {end}" if str(end) else f"coreloom: {how}; no partial file was left")
    return status


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
        err.print(f"coreloom: error: {ended}")
        return ended.status if runs else 1
    except UserError as error:
        err.print(f"coreloom: error: {error}")
        return FAILED if runs else 1
    except WrongOutput as error:
        err.print(f"coreloom: error: wrong output, a bug in Coreloom: {error}")
        return FAILED if runs else 3
    except BrokenPipeError:
        return FAILED if runs else 1
    except OSError as error:  # no space, no permission in build/, a closed stdout
        where = "" if error.filename is None else f"{error.filename}: "
        err.print(f"coreloom: error: {where}{error.strerror or error}")
        return FAILED if runs else 1


if __name__ == "__main__":
    sys.exit(main())
