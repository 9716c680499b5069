# SPDX-License-Identifier: Apache-2.0
"""Entry point of `coreloom`: a command of PROGRAMS becomes its C program before anything else is imported.

Before that, --build-dir becomes CORELOOM_BUILD_DIR, which says for this process and all that it starts where
things are built.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

BUILD_DIR = "--build-dir"
_PROGRAMS = ("exclusive", "scx_dwrr", "lagmeter")  # those of programs/registry.py, whose words are their own


def build_dir(words: list[str]) -> tuple[str | None, list[str]]:
    """The folder that the last --build-dir names, and the other words; a program's are left alone."""
    folder: str | None = None
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equal, value = word.partition("=")
        if name == BUILD_DIR and (value := value if equal else next(rest, "")):
            folder = value
            continue
        others.append(word)
        if word == "--" or others[0] in _PROGRAMS:
            break
    return folder, [*others, *rest]


def _refuse(said: str) -> int:
    sys.stderr.write(f"coreloom: error: {said}\n")
    return 1


def main() -> int:
    if sys.version_info < (3, 10):  # noqa: UP036 - started without pip, which would refuse
        version = ".".join(map(str, sys.version_info[:3]))
        return _refuse(f"Coreloom needs Python 3.10 or newer, this is {version}: install it with a newer one")
    folder, words = build_dir(sys.argv[1:])
    if folder is not None:
        os.environ["CORELOOM_BUILD_DIR"] = str(Path(folder).absolute())
    if words in ([], ["-h"], ["--help"]):
        from coreloom.verbs import overview

        sys.stdout.write(overview())
        return 0
    if words == ["--version"]:
        from coreloom import __version__

        sys.stdout.write(f"coreloom {__version__}\n")
        return 0
    from coreloom.programs.registry import PROGRAMS, made

    program = made(words[0]) if words and words[0] in PROGRAMS else None
    if program is not None and words[1:] != ["--build"]:  # which is coreloom's own
        os.execv(program, [f"coreloom {words[0]}", *words[1:]])
    try:
        if words and words[0] in ("cc", "ar", "ranlib"):
            from coreloom.commands import cc

            return cc.main(words)
        from coreloom import cli

        return cli.main(words)
    except ModuleNotFoundError as error:
        from coreloom.paths import setup

        return _refuse(f"the Python package of the module {error.name} is missing: run `{setup()}`")


if __name__ == "__main__":
    sys.exit(main())
