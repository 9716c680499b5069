# SPDX-License-Identifier: Apache-2.0
"""The search on programs whose cycles are a formula: bounds leave out what cannot pay, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from coreloom.design.platform import Platform
from coreloom.errors import UserError
from coreloom.exploration import explore, page, point
from coreloom.exploration.area import Error, Model
from coreloom.exploration.explore import Asked, Found, Search
from coreloom.exploration.grain import Map, Place
from coreloom.exploration.point import Program, Row
from coreloom.exploration.profile import Calls, Profile
from coreloom.exploration.response import deadline
from coreloom.exploration.space import Config
from coreloom.jobs.job import Job
from coreloom.jobs.kept import Kept

LUT4 = {"economy": 3000, "standard": 7000, "fast": 3500}
KERNEL_LUT4 = {"small": 4000, "fast": 4200, "full": 6000}
MODEL = Model(
    bare_lut4={core: [(1, lut4), (2, 2 * lut4)] for core, lut4 in LUT4.items()},
    bare_mhz={"economy": [(1, 60.0)], "standard": [(1, 30.0)], "fast": [(1, 70.0)]},
    core_blocks={"economy": 2, "standard": 6, "fast": 10},
    kernel_lut4={build: [(1, lut4), (2, lut4 + 400)] for build, lut4 in KERNEL_LUT4.items()},
    kernel_mhz={"small": [(1, 60.0)], "fast": [(1, 80.0)], "full": [(1, 55.0)]},
    kernel_blocks=2,
    services={"timeouts": 600},
    cache=(400, 4),
    placed={},
)  # fmt: skip
MAP = Map((Place(1, 10, 1.2), Place(1, 1000, 1.0), Place(2, 10, 2.0), Place(2, 1000, 1.1)))
# Cycles of an instruction, of a call of each kernel.
CORES = {"economy": 4.0, "standard": 1.5, "fast": 1.8}
KERNELS = {"sw": 200, "small": 40, "fast": 50, "full": 40}


class Kind:
    """A program: its own instructions, calls, and threads that share its work evenly, but for `serial`."""

    def __init__(
        self, own: int, calls: int, threads: int, serial: float = 0.0, error: str = "", done: int = 100
    ) -> None:
        self.own, self.calls, self.threads, self.serial, self.error = own, calls, threads, serial, error
        self.done = done

    def cycles(self, config: Config) -> int:
        own = self.own * CORES[config.core]
        parallel = own * (1 - self.serial) / min(config.cpus, self.threads)
        kernel = self.calls * KERNELS[config.kernel] * (1 if config.kernel == "sw" else 1 / config.cpus)
        return round(own * self.serial + parallel + kernel)

    def row(self, task: Task) -> Row:
        config = task.config
        cycles, own = self.cycles(config), round(self.own * CORES[config.core])
        profile = None
        if task.profiled:
            even = round(cycles * (1 - self.serial) / self.threads)
            each = {f"thread {n}": even for n in range(self.threads - 1)}
            each["main"] = cycles - sum(each.values())
            profile = Profile(
                core=config.core, cycles=cycles, own=own, kernel=cycles - own, idle=0,
                calls=[Calls(kind="port", calls=self.calls, waits=0)] if self.calls else [],
                threads=each, interrupts=0, done=self.done, services=[], communicates=False,
            )  # fmt: skip
        failed = self.error if config.cpus == 2 else ""
        return Row(
            key=task.key, error=failed or None, printed="right\n", cycles=cycles, done=self.done,
            own=own if config.cpus == 1 else 0, image_bytes=10_000, profile=profile,
            responses={"service": KERNELS[config.kernel] * 10},
        )  # fmt: skip


class Flat(Kind):
    """Its threads could share the work, and do not."""

    def cycles(self, config: Config) -> int:
        return super().cycles(Config(config.core, 1, config.kernel))


class Task:
    def __init__(self, kind: Kind, config: Config, profiled: bool) -> None:
        self.kind, self.config, self.profiled = kind, config, profiled
        self.key = f"{config.name} {profiled} {vars(kind)}"

    def job(self) -> Job[Row]:
        return Job(self.config.name, lambda progress: [self.kind.row(self)])


class Serial:
    """A pool that remembers what it ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def threads(self) -> int:
        return 1

    def run(
        self,
        first: Sequence[Job[Any]],
        wanted: Sequence[Job[Any]],
        on_start: Callable[[str], None] | None = None,
        on_done: Callable[[], None] | None = None,
        on_rows: Callable[[int, Sequence[Any]], None] | None = None,
    ) -> list[Any]:
        found: list[Any] = []
        for n, job in enumerate(wanted):
            self.ran.append(job.text)
            rows = job.measure(lambda cycles: None)
            if on_rows:
                on_rows(n, rows)
            found += rows
        return found


@pytest.fixture
def search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Found, list[str]]]:
    def run(kind: Kind, asked: Asked, window: int | None = None) -> tuple[Found, list[str]]:
        def profiled(program: Program, config: Config, base: Platform) -> Task:
            return Task(kind, config, True)

        def build(program: Program, config: Config, communicates: bool) -> Task:
            return Task(kind, config, False)

        monkeypatch.setattr(point, "build_profiled", profiled)
        monkeypatch.setattr(point, "build", build)
        monkeypatch.setattr(explore, "build", lambda soc, text: Job(text, lambda progress: []))
        pool, kept = Serial(), Kept(tmp_path / "rows.jsonl", Row, "busy")
        program = Program("mine", "mine.c", "smp-standard", window=window)
        found = Search(program, asked, MODEL, pool, kept, lambda text: None).run()
        return found, pool.ran

    return run


Run = Callable[..., tuple[Found, list[str]]]

KINDS = {
    "fine": Kind(20_000, 2_000, 4),
    "coarse": Kind(400_000, 20, 4),
    "one thread": Kind(100_000, 0, 1),
    "serial": Kind(100_000, 300, 4, 0.8),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize(
    "asked",
    [{}, {"ram_kib": 20}, {"luts": 8_000}, {"luts": 16_000}, {"throughput": 20_000.0}],
    ids=("none", "ram", "8k", "16k", "rate"),
)
def test_the_choice_and_the_front_are_those_of_all_points(
    search: Run, kind: Kind, asked: dict[str, Any]
) -> None:
    some, _ = search(kind, Asked(**asked))
    all_of_them, _ = search(kind, Asked(**asked, prune=False))
    assert [each.config for each in some.front] == [each.config for each in all_of_them.front]
    both = [
        {*(m.config for m in each.measured), *(m.config for m in each.left)} for each in (some, all_of_them)
    ]
    assert both[0] == both[1]
    try:
        chosen = explore.choose(all_of_them, Asked(**asked)).config
    except UserError as error:
        with pytest.raises(UserError) as same:
            explore.choose(some, Asked(**asked))
        assert str(same.value) == str(error)
    else:
        assert explore.choose(some, Asked(**asked)).config == chosen


def test_what_cannot_pay_is_not_run(search: Run) -> None:
    found, ran = search(KINDS["one thread"], Asked())
    assert ran == ["standard-1-small", "economy-1-sw", "standard-1-sw", "fast-1-sw"]
    assert found.left == []
    found, ran = search(Kind(100_000, 30, 4, 1.0), Asked(cores=("economy", "fast")))
    assert ran == [
        *("economy-1-small", "economy-1-sw", "economy-1-small", "fast-1-sw", "fast-1-small", "fast-1-fast"),
        *("fast-2-sw", "fast-2-fast"),
    ]
    assert {each.config.name: each.why for each in found.left if each.config.core == "fast"} == {
        "fast-2-small": "takes at least 2.85 ms, and fast-1-sw no more",
        "fast-4-sw": "fast-2-sw is no faster than fast-1-sw",
        "fast-4-small": "takes at least 2.85 ms, and fast-1-sw no more",
        "fast-4-fast": "fast-2-fast is no faster than fast-1-fast",
    }
    kind = KINDS["fine"]
    found, _ = search(kind, Asked(cores=("economy", "standard")))
    assert {each.config.name: each.why for each in found.left if each.config.kernel == "fast"} == {
        "economy-1-fast": "takes at least 2.667 ms, and economy-1-small no more",
        "standard-1-fast": "takes at least 3.667 ms, and economy-1-small no more",
        "economy-2-fast": "takes at least 1.333 ms, and economy-2-small no more",
        "standard-2-fast": "takes at least 1.833 ms, and economy-2-small no more",
        "economy-4-fast": "takes at least 0.6667 ms, and economy-4-small no more",
        "standard-4-fast": "takes at least 0.9167 ms, and economy-4-small no more",
    }


def test_more_cpus_are_not_run_where_the_last_ones_brought_nothing(search: Run) -> None:
    found, ran = search(Flat(100_000, 4_000, 5), Asked(cores=("fast",)))
    assert "fast-2-small" in ran and "fast-4-small" not in ran
    assert {each.config.name: each.why for each in found.left if each.config.kernel == "small"} == {
        "fast-4-small": "fast-2-small is no faster than fast-1-small",
        "fast-8-small": "fast-2-small is no faster than fast-1-small",
    }


def test_a_second_search_makes_no_run_again(search: Run) -> None:
    first, ran = search(KINDS["coarse"], Asked())
    again, nothing = search(KINDS["coarse"], Asked())
    assert (first.before, first.runs) == (0, len(ran))
    assert (again.before, again.runs, nothing) == (len(ran), len(ran), [])


def test_a_point_that_fails_is_told_and_not_chosen(search: Run) -> None:
    found, _ = search(Kind(20_000, 2_000, 4, error="a fault"), Asked(cores=("fast",), most_cpus=2))
    assert [(each.config.name, each.why) for each in found.failed] == [
        ("fast-2-sw", "a fault"), ("fast-2-small", "a fault"), ("fast-2-fast", "a fault"),
    ]  # fmt: skip
    assert {each.config.cpus for each in found.measured} == {1}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"luts": 2000}, "no configuration needs at most 2000 LUT4: the smallest, economy-1-sw, needs 3000"),
        ({"ram_kib": 8}, "no configuration needs at most 8 KiB of RAM: the smallest, economy-1-sw, needs 14"),
        (
            {"throughput": 1e9},
            "no configuration does 1e+09 units a second: the fastest, fast-4-small, does 2.069e+05",
        ),
        (
            {"deadlines": (deadline("service<=1us"),)},
            "no configuration meets service<=1 us: the nearest, economy-1-small, takes 6.667 us, 6.67 "
            "times as "
            "long",
        ),
    ],
    ids=("luts", "ram", "throughput", "deadline"),
)
def test_what_nothing_meets(search: Run, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as error:
        wanted = Asked(**asked, most_cpus=4, prune=False)
        explore.choose(search(KINDS["fine"], wanted)[0], wanted)
    assert str(error.value) == message


def test_the_smallest_that_meets_a_deadline(search: Run) -> None:
    wanted = Asked(deadlines=(deadline("service<=20us"),))
    found, _ = search(KINDS["fine"], wanted)
    assert explore.choose(found, wanted).config == Config("economy", 1, "small")
    assert page.sentence(found, wanted, explore.choose(found, wanted)).startswith(
        "economy-1-small (the smallest that meets service<=20 us): gates pay here: "
    )


def test_a_deadline_of_a_thread_that_no_line_wakes(search: Run) -> None:
    wanted = Asked(deadlines=(deadline("other<=20us"),))
    with pytest.raises(UserError, match=r"^other never responded to an interrupt line: drive the line"):
        explore.choose(search(KINDS["fine"], wanted)[0], wanted)


def test_a_budget_that_is_too_small_for_any_program(search: Run, tmp_path: Path) -> None:
    """It is said before the first run."""
    with pytest.raises(UserError, match=r"^no configuration needs at most 2000 LUT4: the smallest, "):
        search(KINDS["fine"], Asked(luts=2000))
    assert not (tmp_path / "rows.jsonl").exists()


def test_a_rate_of_a_program_that_counts_nothing(search: Run, tmp_path: Path) -> None:
    """It is said after the first run."""
    with pytest.raises(UserError, match=r"^the program counts no units of work, which --throughput is of: "):
        search(Kind(20_000, 2_000, 4, done=0), Asked(throughput=1.0))
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 1


def test_with_a_window_time_is_that_of_a_unit(search: Run) -> None:
    whole, _ = search(KINDS["fine"], Asked())
    part, _ = search(KINDS["fine"], Asked(), window=1000)  # in which all of the 100 units are done
    for all_of_it, unit in zip(whole.measured, part.measured, strict=True):
        assert unit.config == all_of_it.config
        assert unit.seconds == pytest.approx(all_of_it.seconds / 100)
        assert unit.per_second == all_of_it.per_second
    assert page.table(part, Asked(), None).columns[2] == "time a unit"


# --- what is said ------------------------------------------------------------------------------------------


def test_the_choice_in_a_sentence(search: Run) -> None:
    said = {}
    for name, kind in KINDS.items():
        found, _ = search(kind, Asked())
        said[name] = page.sentence(found, Asked(), explore.choose(found, Asked()))
    assert said == {
        "fine": "fast-4-small (the least LUT4 times time): gates pay here: 15 cycles between calls, and "
        "with 4 "
        "CPUs they are 12.09 times as fast as the software kernel for 5 200 LUT4 more; 4 CPUs do: 2.00 times "
        "as fast as 2",
        "coarse": "fast-1-sw (the least LUT4 times time): gates do not pay here: 30 000 cycles between "
        "calls, "
        "and with 1 CPU they are 1.00 times as fast as the software kernel for 4 200 LUT4 more; a second CPU "
        "would be 1.99 times as fast for 3 500 LUT4 more",
        "one thread": "fast-1-sw (the least LUT4 times time): no kernel matters, as the program has one "
        "thread",
        "serial": "fast-1-sw (the least LUT4 times time): gates do not pay here: 500 cycles between calls, "
        "and "
        "with 1 CPU they are 1.23 times as fast as the software kernel for 4 200 LUT4 more; a second CPU "
        "would "
        "be 1.08 times as fast for 3 500 LUT4 more",
    }
    wanted = Asked(luts=8000)
    found, _ = search(KINDS["coarse"], wanted)
    assert page.sentence(found, wanted, explore.choose(found, wanted)) == (
        "fast-2-sw (the fastest within 8 000 LUT4): gates do not pay here: 30 000 cycles between calls, and "
        "with 1 CPU they are 1.00 times as fast as the software kernel for 4 200 LUT4 more; a second CPU "
        "does: "
        "1.99 times as fast as 1"
    )


def test_the_profile_in_lines(search: Run) -> None:
    found, _ = search(KINDS["serial"], Asked())
    assert page.profile("mine", found.profile, MAP) == [
        "mine, 1 CPU (standard), hardware kernel: 162 000 cycles: program 93 %, kernel 7 %, waiting 0 %",
        "calls of the kernel: 300: port 300",
        "threads: 4; the longest, main, has 85 % of the cycles",
        "grain: 500 cycles of work between calls; there the map of `bench grain` says what the hardware "
        "kernel "
        "gains over its best rival: 1.03 times with 1 CPU and 1.24 times with 2 CPUs",
    ]
    found, _ = search(KINDS["one thread"], Asked())
    assert page.profile("mine", found.profile, MAP) == [
        "mine, 1 CPU (standard), hardware kernel: 150 000 cycles: program 100 %, kernel 0 %, waiting 0 %",
        "calls of the kernel: none",
        "threads: one, so no kernel matters",
    ]


def test_the_front_as_a_table_and_a_plot(search: Run) -> None:
    found, _ = search(KINDS["coarse"], Asked(cores=("fast",), most_cpus=2, prune=False))
    choice = explore.choose(found, Asked())
    table = page.table(found, Asked(), choice)
    assert (table.title, table.columns) == (
        "mine: the front of LUT4 and time (* the choice)",
        ("", "LUT4", "time", "MHz", "cycles", "RAM KiB", "units/s"),
    )
    assert table.rows == (
        ("fast-1-sw *", "~3 500", "10.34 ms", "~70.0", "724 000", "30", "9 669"),
        ("fast-2-sw", "~7 000", "5.2 ms", "~70.0", "364 000", "50", "19 231"),
        ("fast-2-fast", "~11 600", "5.15 ms", "~70.0", "360 500", "54", "19 417"),
    )
    plot = page.plot(found, choice)
    assert "".join(plot[:12]).count("o") == 3  # fast-1-small, fast-1-fast, fast-2-small
    assert "".join(plot[:12]).count("*") == 2
    assert plot[2] == "         |#                                   o"
    assert plot[11] == " 5.15 ms |                                *                      *"
    assert plot[13] == "          3 500                                        11 600 LUT4"
    assert page.stated(found, Error(0.05, 0.15)) == [
        "~ estimated from placed SoCs: LUT4 to 5 %, MHz to 15 %, the largest errors over every SoC that "
        "was placed"
    ]
