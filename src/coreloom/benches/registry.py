# SPDX-License-Identifier: Apache-2.0
"""Every bench that there is: a folder of this package that has a BENCH."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import coreloom.benches
from coreloom.benches.bench import Bench
from coreloom.errors import UserError, suggest

# Folders of benches from elsewhere can be added to coreloom.benches.__path__.


@lru_cache(maxsize=1)
def _found(folders: tuple[str, ...]) -> dict[str, Bench[Any]]:
    modules = (import_module(f"coreloom.benches.{m.name}") for m in iter_modules(folders) if m.ispkg)
    benches: list[Bench[Any]] = [module.BENCH for module in modules if hasattr(module, "BENCH")]
    return {bench.name: bench for bench in sorted(benches, key=lambda bench: (bench.order, bench.name))}


def benches() -> dict[str, Bench[Any]]:
    """Name -> bench, in the order of commands and pages."""
    return _found(tuple(coreloom.benches.__path__))


def get(name: str) -> Bench[Any]:
    """The bench of that name. UserError if there is none."""
    found = benches()
    if name not in found:
        raise UserError(f"unknown bench '{name}': {suggest(name, found)}")
    return found[name]
