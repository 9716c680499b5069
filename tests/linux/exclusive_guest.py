# SPDX-License-Identifier: Apache-2.0
"""A guest with `coreloom exclusive`, the programs of linux/vm and the checks of guest/checks.sh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from coreloom.benches.exclusive.guest import SHELL as CHECKS
from coreloom.benches.exclusive.guest import programs
from coreloom.vm import vm

SHELL = Path(__file__).parent / "guest"
USERS = b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n"
_PROGRAMS = ("hog", "killat", "spawn", "state", "terminal", "threads")


def guest(tool: Path) -> vm.Guest:
    files = programs(*_PROGRAMS)
    files["/usr/bin/coreloom-exclusive"] = tool
    files["/usr/bin/alone"] = (SHELL / "alone.sh").read_bytes()
    files["/check"] = SHELL
    files["/check/lib.sh"] = CHECKS / "lib.sh"
    files["/etc/passwd"] = USERS
    return vm.Guest(files)


def texts(names: Iterable[str], how: str = "") -> dict[str, str]:
    """Checks for vm.run_checks. how: options of every run in them."""
    head = f"how='{how}'\n. /check/lib.sh\n. /check/checks.sh\n"
    return {name: f"{head}{name}\n" for name in names}


def failed(done: Mapping[str, tuple[int, str]]) -> dict[str, str]:
    """What the checks that failed have printed."""
    return {name: output for name, (status, output) in done.items() if status}
