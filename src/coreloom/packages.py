# SPDX-License-Identifier: Apache-2.0
"""Installed Python packages, for a command that has no time: importlib.metadata takes longer to load."""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
from pathlib import Path

from coreloom import paths
from coreloom.errors import UserError


def folder(package: str, extra: str = "") -> Path:
    """Where its modules are; a UserError if it is not installed. extra: what of ours asks for it."""
    spec = importlib.util.find_spec(package.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise UserError(f"the Python package {package} is missing: run `{paths.setup(extra)}`")
    return Path(spec.origin).parent


@functools.cache
def version(package: str) -> str | None:
    """Its version; None if it is not installed."""
    for place in map(Path, sys.path):
        for found in place.glob(f"{_normal(package)}-*.dist-info"):
            return found.name.removesuffix(".dist-info").split("-")[1]
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _normal(package: str) -> str:
    """Its name in that of its folder, whose letters' case and punctuation installers may have changed."""
    letters = (f"[{c}{c.upper()}]" if c.isalpha() else c for c in package.lower())
    return re.sub(r"[-_.]+", "[_.]", "".join(letters))
