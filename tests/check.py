# SPDX-License-Identifier: Apache-2.0
"""`make check`: style, types, import layers, generated files, licences.

    python tests/check.py [FILE...]

With files only what these need, as before a commit. The tools are those beside this Python.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
_GENERATED = """
import sys
from coreloom.commands.generated import FILES
old = [path for path, made in FILES.items() if not path.is_file() or path.read_text() != made()]
sys.exit("\\n".join(f"{path}: run `coreloom generate`" for path in old) or 0)
"""


@dataclass(frozen=True)
class Check:
    """A command for files of these names; `whole`: for all of them, whichever changed."""

    name: str
    files: str
    command: tuple[str, ...]
    whole: bool = False


# The checks that take longest come first.
CHECKS = (
    Check("types", r"^(src|tests)/.*\.py$", ("mypy",)),
    Check("licences", r"", ("reuse", "lint-file")),
    Check("style of C", r"\.(c|h|cpp)$", ("clang-format", "--dry-run", "--Werror")),
    Check(
        "generated files",
        r"\.(toml|py|h|sv|core)$|^docs/reference/",
        ("python", "-c", _GENERATED),
        whole=True,
    ),
    Check("import layers", r"^src/.*\.py$", ("lint-imports", "--no-logo"), whole=True),
    Check("Python", r"^(src|tests|docs)/.*\.py$", ("ruff", "check", "--quiet")),
    Check("style of Python", r"^(src|tests|docs)/.*\.py$", ("ruff", "format", "--check", "--quiet")),
    Check("style of RTL", r"^rtl/.*\.sv$", ("verible-verilog-lint", "--rules_config", ".rules.verible_lint")),
)


def main(files: Sequence[str]) -> int:
    """Exit status; prints what is wrong."""
    started = time.monotonic()
    try:
        names = [name for name in files or tracked() if (ROOT / name).is_file()]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda check: wrong(check, names), CHECKS))
    except FileNotFoundError as missing:
        sys.stderr.write(f"check: {missing.filename} is missing: remove .venv, then run it again\n")
        return 1
    sys.stdout.writelines(f"{text.rstrip()}\n" for text in said if text)
    bad = [check.name for check, text in zip(CHECKS, said, strict=True) if text]
    sys.stdout.write(f"check: {', '.join(bad) or 'nothing'} to fix, {time.monotonic() - started:.0f} s\n")
    return 1 if bad else 0


def tracked() -> list[str]:
    """All files of the checkout, new ones too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


def wrong(check: Check, names: Sequence[str]) -> str:
    """What a check says is wrong with some of these files."""
    looked_at = [name for name in names if re.search(check.files, name)]
    if not looked_at:
        return ""
    tool, *options = check.command
    program = BIN / tool
    done = subprocess.run(
        [program, *options, *(() if check.whole else looked_at)], cwd=ROOT, capture_output=True, text=True
    )
    return (done.stdout + done.stderr or f"{tool} ended with {done.returncode}") if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
