# SPDX-License-Identifier: Apache-2.0
"""Programs of other people that judge Coreloom (outside.toml), and the page that says which of them pass."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from coreloom.report.table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_DATA = Path(__file__).with_name("outside.toml")
GROUNDS = ("hw", "sw", "linux")


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A source package, how its own files build it, and what is run of it.

    source, sha256: the archive of its authors, as Debian serves it; build, run: lines of shell in its folder
    (tests/outside/runner.py says what they may use); host: whether its output must be that of the same
    program compiled for this machine, as the program does not judge itself; left: what of its tests is not
    run, and why; fails: by ground, why it does not pass there.
    """

    what: str
    source: str
    sha256: str
    build: str
    run: str
    host: bool = False
    left: str = ""
    fails: dict[str, str] = {}


def load() -> dict[str, Package]:
    return msgspec.convert(tomllib.loads(_DATA.read_text(encoding="utf-8")), dict[str, Package])


def page() -> str:
    """The page that says which packages pass, and why the rest does not."""
    packages = load()
    rows, remarks = [], []
    for name, package in packages.items():
        version = package.source.split("_")[1].split(".orig.")[0]
        judge = "this machine" if package.host else "itself"
        passes = ("no" if ground in package.fails else "yes" for ground in GROUNDS)
        rows.append((name, version, package.what, judge, *passes))
        said = []
        for reason in dict.fromkeys(package.fails.values()):
            grounds = [ground for ground in GROUNDS if package.fails.get(ground) == reason]
            said.append(f"{', '.join(grounds)}: {reason}")
        said += [f"not run: {package.left}"] if package.left else []
        remarks += [f"- {name}: {'; '.join(said)}."] if said else []
    count = {ground: sum(ground not in package.fails for package in packages.values()) for ground in GROUNDS}
    columns = ("package", "version", "what it is", "judged by", *GROUNDS)
    parts = [
        "# Public programs that pass",
        "<!-- Generated from src/coreloom/conformance/outside.toml by `coreloom generate`; do not edit. -->",
        "Source packages of Debian, pinned and unmodified, built by their own build files with `coreloom cc` "
        "and run by `make test-outside` on both kernels and on ground linux.",
        "Judged by: the program's own tests, or its output, which must be that of the same program compiled "
        "for this machine.",
        f"Of {len(packages)} packages "
        + ", ".join(f"{number} pass on {ground}" for ground, number in count.items())
        + ".",
        "## Packages",
        Table("Packages", columns, tuple(rows), text_columns=len(columns)).markdown(),
        "## What does not pass or is not run",
        "\n".join(remarks),
    ]
    return "\n\n".join(parts) + "\n"
