# SPDX-License-Identifier: Apache-2.0
"""What docs/exclusive.md shows is what the tool prints, but for the numbers."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from coreloom.paths import LINUX, ROOT
from coreloom.programs import exclusive
from coreloom.toolchain import native
from coreloom.vm import vm
from linux.exclusive_guest import guest

pytestmark = [pytest.mark.linux, pytest.mark.nightly]

_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
# Tasks and interrupts that are listed, and may be others or none on another day.
_LISTED = re.compile(r"write /proc/irq/|  \S+ \d+, kernel|strays: ")


def _shape(line: str) -> str:
    """A line without its numbers, plurals and widths."""
    line = re.sub(r'cpumask "[0-9a-f]+"', "cpumask", line)  # which depends on the CPU
    line = re.sub(r"\b(task|thread|interrupt|switch|change|IRQ|time)(e?s)?\b", r"\1", line)
    return re.sub(r"\s+", " ", re.sub(r"\d+(([.,-]|, )\d+)*|\bstays?\b", "0", line))


def _commands() -> list[tuple[str, list[str]]]:
    """Each command of the page and the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for block in _BLOCK.findall((ROOT / "docs" / "exclusive.md").read_text()):
        for line in block.splitlines():
            if line.startswith("# "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def test_every_command_of_the_page() -> None:
    commands = _commands()
    lines = ["hog -p 8 >/dev/null &", "sleep 1"]
    for number, (command, _) in enumerate(commands):
        background = command.endswith("&")
        lines.append(
            f"echo {number} >/out/last; {command.rstrip('&')} >/out/{number} 2>&1 {'&' * background}"
        )
    base = guest(exclusive.program())
    programs: dict[str, Path | bytes] = {
        "/usr/bin/burn": native.static("burn", [LINUX / "vm" / "programs" / "burn.c"]),
        "/usr/bin/coreloom": b"#!/bin/sh\nshift\n"
        b'exec -a "coreloom exclusive" /usr/bin/coreloom-exclusive "$@"\n',
    }
    with_them = dataclasses.replace(base, files={**base.files, **programs})
    outcome = vm.run(with_them, "\n".join(lines) + "\n", deterministic=True, timeout=600)
    wrong = []
    for number, (command, shown) in enumerate(commands):
        printed = outcome.files[str(number)].decode().splitlines()
        shapes = [{_shape(line) for line in text if not _LISTED.match(line)} for text in (shown, printed)]
        if shapes[0] - shapes[1]:
            wrong.append((command, sorted(shapes[0] - shapes[1]), printed))
    assert wrong == []
