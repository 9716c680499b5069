# SPDX-License-Identifier: Apache-2.0
"""python -m tests.runtime.explore [SCENARIO... | --list]: explores these, or all."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from coreloom.errors import UserError

from .scenarios import all_scenarios


def main(names: Sequence[str]) -> int:
    known = all_scenarios()
    if list(names) == ["--list"]:
        sys.stdout.write("".join(f"{name}\n" for name in known))
        return 0
    for name in names:
        if name not in known:
            raise UserError(f"unknown scenario '{name}': --list prints all")
    for name in names or known:
        found = known[name].explore()
        if wrong := known[name].wrong(found):
            raise UserError("\n".join((f"{name}: {wrong}", *found.schedule[-40:])))
        sys.stdout.write(f"{name}: {found.executions} executions, {found.method}\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"error: {error}")
