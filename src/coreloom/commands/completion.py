# SPDX-License-Identifier: Apache-2.0
"""`coreloom completion`: words that a shell completes, from the options of every command."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from coreloom import paths
from coreloom.apps import APPS
from coreloom.commands import board, lists
from coreloom.commands.console import Command
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.mutation import sample
from coreloom.scheduling import builtin
from coreloom.simulation.experiment import PLACEMENTS, PORTS
from coreloom.synthesis import export, units
from coreloom.synthesis.board import boards
from coreloom.toolchain import firmware, front_end
from coreloom.vm import kernel, vm

SHELLS = ("bash", "zsh", "fish")


def _of_model() -> list[str]:
    return [policy for policy in firmware.policies() if policy != firmware.PRIORITY]


# Values that a word may have, by command and name of the argument: argparse knows only what it checks itself.
_NAMES: dict[tuple[str, str], Callable[[], Iterable[str]]] = {
    ("doctor", "platform"): platform.names,
    ("doctor", "kernel"): lambda: firmware.KERNELS,
    ("list", "kind"): lambda: lists.KINDS,
    ("run", "app"): lambda: APPS,
    ("run", "platform"): platform.names,
    ("run", "kernel"): lambda: [*firmware.GROUNDS, firmware.LINUX],
    ("run", "api"): lambda: front_end.APIS,
    ("run", "policy"): lambda: dict.fromkeys([*firmware.policies(), *platform.BUILT_POLICIES]),
    ("run", "placement"): lambda: PLACEMENTS,
    ("run", "ports"): lambda: PORTS,
    ("conformance", "platform"): platform.names,
    ("model", "workload"): lambda: builtin.CASES,
    ("mutate", "units"): sample.areas,
    ("model", "policy"): _of_model,
    ("synth", "unit"): units.known,
    ("synth", "platform"): platform.names,
    ("export", "name"): export.known,
    ("export", "platform"): platform.names,
    ("board", "board"): lambda: boards.BOARDS,
    ("board", "action"): lambda: board.ACTIONS,
    ("board", "platform"): platform.names,
    ("board", "api"): lambda: front_end.APIS,
    ("bench linux", "kernel"): lambda: kernel.CHOICES,
    ("vm", "kernel"): lambda: kernel.CHOICES,
    ("vm", "cgroup"): lambda: vm.CGROUPS,
}
# Of these it may also be a file that ends so.
_ENDING = {
    **{("run", "app"): ".c", ("run", "platform"): ".toml"},
    **{
        ("synth", "platform"): ".toml",
        ("export", "name"): ".toml",
        ("export", "platform"): ".toml",
        ("board", "platform"): ".toml",
    },
    **{("conformance", "platform"): ".toml", ("model", "workload"): ".toml"},
}


_AS_RUN = ("debug", "compare", "explore")  # with the same arguments


def script(root: argparse.ArgumentParser, shell: str) -> str:
    """The completion script of `root` and its commands for one of SHELLS; a UserError without shtab."""
    if importlib.util.find_spec("shtab") is None:
        raise UserError(f"shtab is not installed: run `{paths.setup()}`")
    import shtab

    for verb, action in arguments(root):
        place = ("run" if verb in _AS_RUN else verb, action.dest)
        if place in _ENDING:
            _name_or_file(action, list(_NAMES[place]()), _ENDING[place])
        elif place in _NAMES:
            action.choices = list(_NAMES[place]())
        elif action.metavar == "DIR" or action.dest in ("prefix", "destdir"):
            _complete(action, shtab.DIRECTORY)
        elif action.type is Path:
            _complete(action, shtab.FILE)
    return shtab.complete(root, shell)


def arguments(parser: argparse.ArgumentParser, verb: str = "") -> Iterator[tuple[str, argparse.Action]]:
    """Every argument of the command line, with its command."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from arguments(below, f"{verb} {name}".lstrip())
        else:
            yield verb, action


def _complete(action: argparse.Action, how: object) -> None:
    """Say to shtab how the words of an option are completed."""
    action.complete = how  # type: ignore[attr-defined]


def _name_or_file(action: argparse.Action, names: list[str], ending: str) -> None:
    function, words = f"_coreloom_file_{ending[1:]}_{action.dest}", " ".join(names)
    _complete(
        action,
        {
            "bash": function,
            "zsh": function,
            "fish": f"{words} (__fish_complete_suffix {ending})",
            "preamble": {
                "bash": f"{function}() {{\n"
                f'  compgen -W "{words}" -- "$1"\n'
                f'  compgen -f -X "!*{ending}" -- "$1"\n'
                '  compgen -d -S / -- "$1"\n'
                "}\n",
                "zsh": f"{function}() {{\n"
                f"  _alternative 'names:name:({words})' 'files:file:_files -g \"*{ending}\"'\n"
                "}\n",
            },
        },
    )


def _run(args: argparse.Namespace) -> int:
    sys.stdout.write(script(args.root, args.shell))
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell",
        choices=SHELLS,
        metavar="SHELL",
        help=f"the shell that will read the script: {', '.join(SHELLS)}",
    )


COMMAND = Command(
    "completion",
    _run,
    _options,
)
