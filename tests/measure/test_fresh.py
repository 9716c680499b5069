# SPDX-License-Identifier: Apache-2.0
"""What makes a published result stale: what can change its figures, and nothing else."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path

import pytest

from coreloom import paths, sources, uses
from coreloom.benches import registry, stale
from coreloom.benches.bench import Bench, Plan, Work
from coreloom.commands.bench import Shown, measure
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.job import Job, prepare, whole
from coreloom.jobs.local import Local
from coreloom.paths import ROOT
from coreloom.report import fresh, results
from coreloom.report.page import Summary
from coreloom.report.results import Result
from coreloom.report.table import Table
from coreloom.toolchain import firmware, verilate

Edit = Callable[[Mapping[str, bytes]], None]  # of files of the checkout: what stands before their content

# One or two of each kind, those that are quickly planned.
BENCHES = ("scheduler", "synth", "fairness", "linux", "exclusive")


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

    def edited(before: Mapping[str, bytes]) -> None:
        assert all((ROOT / name).is_file() for name in before)
        texts = {ROOT / name: text for name, text in before.items()}
        monkeypatch.setattr(sources, "_read", lambda path: texts.get(path, b"") + path.read_bytes())

    return edited


SHOWN: dict[str, set[str]] = {  # what shows figures decides none
    "src/coreloom/benches/scheduler/page.py": set(),
    "src/coreloom/report/table.py": set(),
}
CONCERNED = {
    "rtl/soc/rtl/cl_uart.sv": {"scheduler", "synth"},
    "rtl/kernel/tb/scheduler.cpp": {"scheduler"},
    "runtime/hw/cl_hw.c": {"scheduler"},
    "policies/dwrr.c": {"fairness"},
    "linux/lagmeter/meter.c": {"linux"},
    "linux/exclusive/run.c": {"exclusive"},
    "linux/user/session.c": {"exclusive", "linux"},
    "src/coreloom/benches/scheduler/delays.py": {"scheduler"},
    "src/coreloom/simulation/measure.py": {"scheduler"},
    "src/coreloom/scheduling/workload.py": {"fairness"},
} | SHOWN
COMMENT = {".py": b"# one\n\n"}
STATEMENT = {".sv": b"`define ONE 1\n", ".py": b"import os\n"}


@pytest.mark.synth
def test_a_comment_concerns_no_bench(edit: Edit) -> None:
    edit({name: COMMENT.get(Path(name).suffix, b"/* one */ // two\n\n") for name in CONCERNED})
    assert _digests() == _before()


@pytest.mark.parametrize("name", CONCERNED)
@pytest.mark.synth
def test_a_statement_concerns_those_that_have_it(name: str, edit: Edit) -> None:
    edit({name: STATEMENT.get(Path(name).suffix, b"static int one;\n")})
    changed = {bench for bench, digest in _digests().items() if digest != _before()[bench]}
    assert changed == CONCERNED[name]


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
        return Result(name=self.name, tools={"rows": str(rows)})

    def run(self) -> list[int]:
        uses.note("model of all")
        uses.runs()
        return [1]

    def tables(self, content: Result) -> list[Table]:
        return []

    def summary(self, content: Result) -> Summary:
        return Summary("", Table("", (), ()))


def test_a_plan_has_what_is_run_and_runs_nothing() -> None:
    assert _Some().planned(uses.IMAGES) == {"image one", "image two", "model of all"}
    work = Plan(uses.IMAGES)
    assert work.steps(1, lambda **_: [1]) == []


def test_what_runs_must_be_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = _Some()
    planned = bench.planned(uses.IMAGES)
    work = Shown(Local())
    assert bench.measure(bench.defaults(), work).tools == {"rows": "[1]"}
    assert work.found == planned
    assert stale.unlike(planned, work.found, bench, True) == ""
    less = planned - {"model of all"}
    assert stale.unlike(less, planned, bench, True) == "some ran model of all, which is not in its plan"
    assert stale.unlike(planned, less, bench, True) == "some did not run model of all, which is in its plan"
    assert stale.unlike(planned, less, bench, False) == ""  # on a cluster nobody noted
    monkeypatch.setattr(_Some, "exact", False)
    assert stale.unlike(planned, less, bench, True) == ""


def test_a_result_of_a_wrong_plan_is_kept_and_has_no_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    monkeypatch.setattr(_Some, "plan", lambda self, options, work: None)
    bench = _Some()
    with pytest.raises(
        UserError, match=r"^some ran image one, which is not in its plan, so .*some\.json stays"
    ):
        measure(bench, Namespace(dask=None, jobs=None, against=None))
    content = results.read(Result, tmp_path / "some.json", "bench some")
    assert (content.inputs, content.images, content.tools["rows"]) == ("", "", "[1]")


def test_a_result_is_current_by_its_sources_or_by_its_images(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = _Some()
    sources_now, images_now = stale.digests(bench, bench.planned(uses.IMAGES))
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
