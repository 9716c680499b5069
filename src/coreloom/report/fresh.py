# SPDX-License-Identifier: Apache-2.0
"""Whether a result still is what the tree would give: a digest of all that decides its figures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from coreloom.paths import ROOT
from coreloom.report.results import tools

# What says how something is made or runs; texts, pictures and published results decide no figure.
_SUFFIXES = {".sv", ".svh", ".v", ".vlt", ".c", ".h", ".S", ".ld", ".cpp", ".toml", ".py", ".json", ".j2"}
_SUFFIXES |= {".sh", ".js"}  # what runs in a guest
_PROOFS = "formal"  # a folder of properties, beside the RTL that they are about


def digest(places: Sequence[str], packages: Sequence[str]) -> str:
    """Of the files in these folders of the checkout (or of single files), and of packages' versions."""
    made = hashlib.sha256()
    for name in sorted(set(_files(places))):
        made.update(name.encode() + b"\0" + (ROOT / name).read_bytes() + b"\0")
    for package, version in tools(packages).items():
        if package != "coreloom":  # whose files are among the places
            made.update(f"{package} {version}".encode() + b"\0")
    return made.hexdigest()[:16]


def _files(places: Sequence[str]) -> Iterator[str]:
    for place in places:
        path = ROOT / place
        # A file that is named counts whatever its suffix, as scripts have none.
        found = (f for f in path.rglob("*") if f.suffix in _SUFFIXES) if path.is_dir() else (path,)
        files = (file.relative_to(ROOT) for file in found if file.is_file())
        yield from (str(file) for file in files if _PROOFS not in file.parts)
