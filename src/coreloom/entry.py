"""Entry point of `coreloom`: `coreloom exclusive` becomes its C program before anything else is imported."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from coreloom.paths import BUILD, LINUX

_MADE = BUILD / "linux" / "bin" / "exclusive"  # of which sources the program was made last, and where it is


def sources() -> list[Path]:
    return sorted(path for path in (LINUX / "exclusive").iterdir() if path.suffix in (".c", ".h"))


def _state() -> str:
    """Names, sizes and times: to read 40 files and hash them takes longer than the program's own start."""
    return " ".join(
        f"{path.name}:{(at := path.stat()).st_size}:{at.st_mtime_ns}"
        for path in [*sources(), Path(__file__).parent / "linux" / "native.py"]
    )


def made() -> Path | None:
    """The program, if it is made of the sources as they are."""
    try:
        state, program = _MADE.read_text().splitlines()
    except (OSError, ValueError):
        return None
    return Path(program) if state == _state() and os.access(program, os.X_OK) else None


def remember(program: Path) -> None:
    part = _MADE.with_name(f".exclusive.{os.getpid()}")
    part.write_text(f"{_state()}\n{program}\n")
    part.replace(_MADE)


def main() -> int:
    words = sys.argv[1:]
    program = made() if words[:1] == ["exclusive"] else None
    if program is not None:
        os.execv(program, [str(program), *words[1:]])
    from coreloom import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
