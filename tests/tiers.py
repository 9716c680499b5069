# SPDX-License-Identifier: Apache-2.0
"""The tiers of the tests: what belongs to which, what each must have installed, which changes ask for which.

A test's tier is that of its folder, unless a marker of a tier's name says another one. With names of cases,
as pytest writes them in brackets, it is about these only: `@pytest.mark.test("standard-2")`; or about all but
these: `@pytest.mark.nightly(but=("standard-1", "standard-2"))`.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass

SUBJECTS = ("rtl", "runtime", "formal", "synth", "linux", "docs")
TIERS = ("test", *SUBJECTS, "nightly", "outside")

# Below tests/; of the patterns that match the first counts.
FOLDERS = (
    ("*/test_*formal.py", "formal"),
    ("kernel_rtl/test_induction.py", "formal"),
    ("kernel_rtl/*", "rtl"),
    ("ipc_rtl/*", "rtl"),
    ("backdoor_rtl/*", "rtl"),
    ("bridge_rtl/*", "rtl"),
    ("debug_rtl/*", "rtl"),
    ("hwt/*", "rtl"),
    ("soc/*", "rtl"),
    ("board/test_build.py", "synth"),
    ("board/*", "rtl"),
    ("apps/*", "runtime"),
    ("runtime/*", "runtime"),
    ("system/*", "runtime"),
    ("debug/test_packets.py", "test"),
    ("debug/test_session.py", "test"),
    ("debug/test_bad_input.py", "test"),
    ("debug/*", "runtime"),  # which has a model of its own for each core
    ("synth/*", "synth"),
    ("litex_soc/*", "synth"),
    ("outside/*", "outside"),
    *((f"linux/test_{name}.py", "test") for name in (
        "as_user", "exclusive_arguments", "exclusive_io", "exclusive_irq", "exclusive_mechanisms",
        "exclusive_read_*", "exclusive_run", "exclusive_settle", "exclusive_systemd", "lagmeter_arithmetic",
        "lagmeter_arguments", "lagmeter_command", "lagmeter_files", "scx_dwrr_arguments", "scx_dwrr_loader",
        "scx_dwrr_stats", "state",
    )),
    ("linux/*", "linux"),
    ("mutation/test_run.py", "runtime"),
    ("sweep/test_file.py", "test"),
    ("sweep/*", "runtime"),  # which has Parquet and Dask
    ("*", "test"),
)  # fmt: skip

# `make setup-NAME` of each tier.
SETUP = {
    "test": ("test", "report"),
    "rtl": ("test", "export"),
    "runtime": ("test", "cluster"),
    "formal": ("test",),
    "synth": ("test", "synth", "export", "litex"),
    "linux": ("test", "linux"),
    "docs": ("test", "docs", "report"),
    "outside": ("test",),
    "nightly": ("test", "synth", "export", "litex", "cluster", "linux"),
}

# What `make test-soc` runs, of all tiers but nightly: a unit or an SoC in flows of others, and on a board.
SOC = (
    *("bridge_rtl", "kernel_rtl/test_export.py", "synth/test_export.py", "soc/test_fusesoc.py", "litex_soc"),
    *("board", "debug_rtl"),
)

# Which subjects a changed file asks for; the first prefix that matches counts, all subjects where none does.
CHANGES = (
    ("rtl/", "rtl runtime formal synth docs"),
    ("runtime/", "rtl runtime docs"),
    ("policies/", "runtime linux docs"),
    ("apps/", "runtime docs"),
    ("examples/", "runtime docs"),
    ("linux/", "linux"),
    ("src/coreloom/vm/", "linux"),
    ("src/coreloom/synthesis/", "synth"),
    ("src/coreloom/litex/", "synth"),
    ("src/coreloom/benches/", "runtime docs"),
    ("src/coreloom/exploration/", "runtime docs"),
    ("tests/kernel_rtl/", "rtl formal"),
    ("tests/ipc_rtl/", "rtl formal"),
    ("tests/backdoor_rtl/", "rtl formal"),
    ("tests/bridge_rtl/", "rtl formal"),
    ("tests/debug_rtl/", "rtl formal"),
    ("tests/hwt/", "rtl formal"),
    ("tests/soc/", "rtl formal"),
    ("tests/board/", "rtl formal synth"),
    *((f"tests/{folder}/", folder) for folder in ("runtime", "synth", "linux", "docs")),
    ("tests/litex_soc/", "synth"),
    ("tests/debug/", "runtime"),
    ("tests/outside/", ""),
    ("docs/", "docs"),
    ("LICENSES/", ""),
)
# What a test compares besides behaviour, by the name of its file or its own; a marker says so of others:
# golden: cycle counts, which a change of speed alone moves; planted: a source's text, to plant faults in it.
KINDS = {
    "golden": r"test_(?:cycles|instructions_per_cycle)\w*(?:\.py)?|test_sessions\.py",
    "planted": r"test_\w*(?:notices?|planted\w*)",
}
_TEXT = ".md"  # a page elsewhere: the tier `test` reads all of them


@dataclass(frozen=True)
class Mark:
    """A marker of a tier: of all cases, of those named, or of all but those named."""

    tier: str
    cases: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


def tier(path: str, case: str, marks: Iterable[Mark]) -> str:
    """The tier of a test's case; path: of its file, from tests/."""
    marks = list(marks)
    for mark in marks:
        if case in mark.cases:
            return mark.tier
    said = {mark.tier for mark in marks if not mark.cases and case not in mark.but}
    for name in ("nightly", *SUBJECTS, "test"):
        if name in said:
            return name
    return next(name for pattern, name in FOLDERS if fnmatch.fnmatch(path, pattern))


def kinds(file: str, test: str) -> list[str]:
    """Of KINDS, by the names of a test and of its file."""
    return [kind for kind, pattern in KINDS.items() if any(re.fullmatch(pattern, n) for n in (file, test))]


def asked_for(paths: Iterable[str]) -> list[str]:
    """The subjects that changes of these files ask for."""
    asked: set[str] = set()
    for path in paths:
        found = (subjects for prefix, subjects in CHANGES if path.startswith(prefix))
        asked |= set(next(found, "" if path.endswith(_TEXT) else " ".join(SUBJECTS)).split())
    return [subject for subject in SUBJECTS if subject in asked]


def of_target(target: str) -> tuple[str, ...]:
    """The tiers that `make TARGET` runs."""
    if target == "test-all":
        return ("test", *SUBJECTS)
    name = re.sub("^test-", "", target)
    return (name,) if name in TIERS else ()
