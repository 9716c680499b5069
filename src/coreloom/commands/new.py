# SPDX-License-Identifier: Apache-2.0
"""`coreloom new`: a project of the user's, outside of Coreloom."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from coreloom.commands.console import Command, out, shown
from coreloom.errors import UserError

_SKELETON = Path(__file__).with_name("skeleton")
_NAME = "NAME"  # stands for the project's, in file names and in files


def _files(name: str) -> dict[Path, str]:
    """The files of a new project, by their paths in it."""
    return {
        Path(str(path.relative_to(_SKELETON)).replace(_NAME, name)): path.read_text("utf-8").replace(
            _NAME, name
        )
        for path in sorted(_SKELETON.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }


def _run(args: argparse.Namespace) -> int:
    folder: Path = args.folder
    name = folder.absolute().name
    if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        raise UserError(f"a project's name has lower-case letters, digits, - and _ only, not '{name}'")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} exists: choose another name, or remove it")
    for path, text in _files(name).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        out.print(f"made {shown(target)}")
    out.print(
        f"\nNow: cd {shown(folder)}, then coreloom run .\n"
        "README.md there says what each file is, and what else to try."
    )
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="NAME", help="its folder, and its platform's name")


COMMAND = Command(
    "new",
    _run,
    _options,
)
