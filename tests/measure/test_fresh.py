# SPDX-License-Identifier: Apache-2.0
"""What makes a published result stale: what can change its figures, and nothing else."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

import pytest

from coreloom import sources, uses
from coreloom.benches import registry, stale
from coreloom.benches.bench import Bench, Plan, Work
from coreloom.commands.bench import Shown
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, prepare, whole
from coreloom.jobs.local import Local
from coreloom.paths import ROOT
from coreloom.report import fresh
from coreloom.report.results import Result
from coreloom.toolchain import firmware, verilate

Edit = Callable[[str, bytes], None]  # of a file of the checkout: what stands before its content

# One or two of each kind, those that are quickly planned.
BENCHES = ("scheduler", "model", "synth", "fairness", "linux", "exclusive")


def _digests() -> dict[str, str]:
    return {name: bench.digest(bench.planned(uses.SOURCES)) for name, bench in _benches().items()}


def _benches() -> dict[str, Bench[Result]]:
    return {name: registry.get(name) for name in BENCHES}


@lru_cache(maxsize=1)
def _before() -> dict[str, str]:
    return _digests()


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch) -> Edit:
    _before()

    def edited(name: str, text: bytes) -> None:
        def read(path: Path) -> bytes:
            content = path.read_bytes()
            return text + content if path == ROOT / name else content

        assert (ROOT / name).is_file()
        monkeypatch.setattr(sources, "_read", read)

    return edited


@pytest.mark.parametrize(
    ("file", "comment", "statement", "concerned"),
    [
        ("rtl/soc/rtl/cl_uart.sv", b"// one\n\n", b"`define ONE 1\n", {"scheduler", "model", "synth"}),
        ("rtl/kernel/tb/scheduler.cpp", b"/* one\ntwo */\n", b"static int one;\n", {"scheduler"}),
        ("runtime/hw/cl_hw.c", b"// one\n", b"static int one;\n", {"scheduler", "model"}),
        ("apps/packets/rules.c", b"// one\n", b"static int one;\n", {"model"}),
        ("policies/dwrr.c", b"// one\n", b"static int one;\n", {"fairness", "model"}),
        ("linux/lagmeter/meter.c", b"// one\n", b"static int one;\n", {"linux"}),
        ("linux/exclusive/run.c", b"// one\n", b"static int one;\n", {"exclusive"}),
        ("linux/user/session.c", b"// one\n", b"static int one;\n", {"exclusive", "linux"}),
        ("src/coreloom/benches/scheduler/delays.py", b"# one\n", b"import os\n", {"scheduler"}),
        ("src/coreloom/simulation/measure.py", b"# one\n", b"import os\n", {"scheduler", "model"}),
        ("src/coreloom/scheduling/workload.py", b"# one\n", b"import os\n", {"fairness", "model"}),
        ("src/coreloom/benches/scheduler/page.py", b"# one\n", b"import os\n", set()),
        ("src/coreloom/report/table.py", b"# one\n", b"import os\n", set()),
    ],
)
def test_a_change_concerns(
    file: str, comment: bytes, statement: bytes, concerned: set[str], edit: Edit
) -> None:
    """A comment no bench, a statement those that have it."""
    edit(file, comment)
    assert _digests() == _before()
    edit(file, statement)
    assert {name for name, digest in _digests().items() if digest != _before()[name]} == concerned


@pytest.mark.parametrize(
    ("file", "stale"),
    [
        ("rtl/unit/rtl/unit.sv", True),
        ("rtl/unit/tb/bench.cpp", True),
        ("rtl/unit/formal/properties.sv", False),
        ("rtl/unit/README.md", False),
    ],
)
def test_a_change_of_a_file(file: str, stale: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "ROOT", tmp_path)
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text("before")
    before = fresh.digest(["rtl"], ())
    path.write_text("after")
    assert (fresh.digest(["rtl"], ()) != before) == stale


def _noted(make: Callable[[], object], plan: str = "") -> set[str]:
    with uses.recorded(plan) as found:
        make()
    return found


def test_a_program_counts_by_its_image(tmp_path: Path) -> None:
    soc = platform.load("smp-standard", 1)

    def built(text: str) -> set[str]:
        (tmp_path / "some.c").write_text(text)
        return _noted(lambda: firmware.build(str(tmp_path / "some.c"), soc, "hw"))

    before = built("int main(void) { return 1; }\n")
    assert [each.partition(" ")[0] for each in before] == ["image"]
    # Another program by its source, the same one as it is loaded.
    assert built("// one\nstatic int unused;\nint main(void) { return 2 - 1; }\n") == before
    assert built("int main(void) { return 2; }\n") != before


def test_a_plan_of_sources_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORELOOM_CACHE", str(tmp_path / "cache"))
    soc = platform.load("smp-standard", 1)
    model = _noted(lambda: verilate.build_model(soc), uses.SOURCES)
    program = _noted(lambda: firmware.build("packets", soc, "sw"), uses.SOURCES)
    assert [each.partition(" ")[0] for each in (*model, *program)] == ["model", "program"]
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


class _Some(Bench[Result]):
    """Runs what `parts` has, which its plan knows of as long as `planned_parts` is the same."""

    name, paper, help, title, order, result = "some", "", "", "", 1, Result
    runs = True
    parts: tuple[str, ...] = ("one", "two")

    def measure(self, options: Namespace, work: Work) -> Result:
        first = [prepare(part, partial(uses.note, f"image {part}")) for part in self.parts]
        rows = work.jobs(first, [Job("run", whole(self.run))])
        work.ran()
        return Result(name=self.name, method=str(rows))

    def run(self) -> list[int]:
        uses.note("model of all")
        uses.runs()
        return [1]

    def tables(self, content: Result) -> list[object]:  # type: ignore[override]
        return []


def test_a_plan_has_what_is_run_and_runs_nothing() -> None:
    assert _Some().planned(uses.IMAGES) == {"image one", "image two", "model of all"}
    work = Plan(uses.IMAGES)
    assert work.steps(1, lambda **_: [1]) == []


def test_what_runs_must_be_planned() -> None:
    bench = _Some()
    planned = bench.planned(uses.IMAGES)
    work = Shown(Local(), planned)
    assert bench.measure(bench.defaults(), work).method == "[1]"
    assert work.found == planned
    with pytest.raises(UserError, match=r"^run: model of all is not in the bench's plan: a bug in Coreloom$"):
        bench.measure(bench.defaults(), Shown(Local(), planned - {"model of all"}))


def test_a_result_is_current_by_its_sources_or_by_its_images(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = _Some()
    sources_now, images_now = stale.digests(bench)
    assert sources_now == images_now  # what it notes has no sources
    for inputs, images, expected in (
        (sources_now, "", True),
        ("another", images_now, True),
        ("another", "another", False),
        ("", "", False),
    ):
        assert stale.current(bench, Result(name="some", inputs=inputs, images=images)) is expected
    monkeypatch.setattr(_Some, "parts", ("one", "three"))
    assert not stale.current(bench, Result(name="some", inputs=sources_now, images=images_now))


def test_how_long_a_stale_page_takes() -> None:
    bench = _Some()
    assert str(stale.Stale(bench, None)) == "some: coreloom bench some"
    assert str(stale.Stale(bench, 20)) == "some: coreloom bench some, about 1 min"
    assert str(stale.Stale(bench, 4000)) == "some: coreloom bench some, about 67 min"
