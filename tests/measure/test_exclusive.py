# SPDX-License-Identifier: Apache-2.0
"""The bench of exclusive: its scripts, what it makes of a guest's files, its tables and its page."""

from __future__ import annotations

import io
import json
import wave
from typing import Any

import msgspec
import pytest

from coreloom.benches.exclusive import BENCH, encoding, guest, killed, page, reach
from coreloom.benches.exclusive import bench as exclusive
from coreloom.benches.exclusive.bench import Result, Row
from coreloom.benches.exclusive.cases import JOBS, LOADS, LOADS_OF_ENCODERS, SHOWN, TRIES, cells, chosen
from coreloom.benches.exclusive.killed import Kill
from coreloom.errors import UserError
from coreloom.report.figure import Figure
from coreloom.vm import vm

BURN, PROBE, THREADS = (
    next(job for job in JOBS if job.name == name) for name in ("burn", "probe", "threads")
)
NONE, LIGHT, MEDIUM, HOGS = (
    next(load for load in LOADS if load.name == name) for name in ("none", "light", "medium", "16 hogs")
)


def _line(label: str, **figures: Any) -> dict[str, Any]:
    usual = {"status": 0, "wall_s": 2.0, "cpu_s": 1.0, "voluntary": 1, "involuntary": 3}
    return {"label": label, **usual, "shown": 0, "dropped": 0, "others_cpu_s": 0.0, **figures}


def _files(*lines: dict[str, Any], **more: str) -> dict[str, bytes]:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return {"rows": text.encode(), **{name.replace("_", "."): said.encode() for name, said in more.items()}}


def test_every_job_is_run_by_every_method() -> None:
    wanted = cells([BURN, THREADS])
    assert [(cell.job.name, cell.method, cell.cpus) for cell in wanted] == [
        ("burn", "plain", None),
        ("burn", "taskset", 1),
        ("burn", "nice -20", None),
        ("burn", "SCHED_FIFO", None),
        ("burn", "ours", 1),
        ("threads", "plain", None),
        ("threads", "taskset", 1),
        ("threads", "taskset", 2),
        ("threads", "nice -20", None),
        ("threads", "SCHED_FIFO", None),
        ("threads", "ours", 1),
        ("threads", "ours", 2),
    ]
    assert [cell.command() for cell in wanted[5:]] == [
        "",
        "start -c 3",
        "start -c 3 -c 2",
        "start -n -20",
        "start -f 50",
        "coreloom-exclusive run --quiet --report /tmp/report --count 1 --",
        "coreloom-exclusive run --quiet --report /tmp/report --count 2 --",
    ]


def test_the_script_of_a_load() -> None:
    wanted = [cell for cell in cells([BURN]) if cell.method in ("plain", "ours")]
    measure = "measure -o /out/rows -g /sys/fs/cgroup/others -p /tmp/player0"
    tool = "coreloom-exclusive run --quiet --report /tmp/report --count 1 --"
    assert guest.script(LIGHT, wanted).splitlines() == [
        "sleep 5",
        "mkdir /sys/fs/cgroup/others",
        "(echo 0 >/sys/fs/cgroup/others/cgroup.procs; exec mpeg4 -p /job/clip.m1v -c /tmp/player0) "
        ">/tmp/others.log 2>&1 &",
        "sleep 1",
        f"{measure} -l base -t 2",
        "sleep 0.3",
        f"{measure} -l 0 -- burn 1 >/out/0.out 2>/out/0.err",
        "sleep 0.3",
        f"{tool} {measure} -l 1 -- burn 1 >/out/1.out 2>/out/1.err",
        "echo 1 >/sys/fs/cgroup/others/cgroup.kill",
    ]
    assert "exec hog 16) " in guest.script(HOGS, wanted)
    medium = guest.script(MEDIUM, wanted)
    assert "\nmpeg4 -i /job/clip.m1v -o /tmp/clip.m4v 50 >/tmp/clip.log\n" in medium
    assert "exec mpeg4 -p /tmp/clip.m4v -c /tmp/player1) " in medium
    assert " -p /tmp/player0 -p /tmp/player1 -l base " in medium


def test_quick_is_a_part_of_the_whole() -> None:
    jobs, loads = chosen(quick=True)
    assert ([job.name for job in jobs], [load.name for load in loads]) == (
        ["burn", "probe"],
        ["none", "16 hogs"],
    )
    assert chosen(quick=False) == (list(JOBS), list(LOADS))
    first, wanted = exclusive.jobs(quick=True, seeds=2)
    assert [job.text for job in (*first, *wanted)] == [
        "prepare the guest",
        "kill -9 at 5 moments, isolated",
        "kill -9 at 5 moments, root",
        "kill -9 at 5 moments, affinity",
        "none: nothing else, seed 1",
        "16 hogs: 16 CPU-bound threads, seed 1",
        "start, seed 1",
        "encoders on 2 CPUs, two encoders: two encoders, seed 1",
        "none: nothing else, seed 2",
        "16 hogs: 16 CPU-bound threads, seed 2",
        "start, seed 2",
        "encoders on 2 CPUs, two encoders: two encoders, seed 2",
    ]


def test_the_sound_is_the_same_every_time() -> None:
    sound = guest.sweep_wav(0.5)
    assert sound == guest.sweep_wav(0.5)
    with wave.open(io.BytesIO(sound)) as file:
        assert (file.getnchannels(), file.getframerate(), file.getnframes()) == (2, 44_100, 22_050)


def test_a_row_of_a_job_and_of_the_probe() -> None:
    wanted = [cell for cell in cells([BURN, PROBE]) if cell.method == "ours"]
    base = _line("base", others_cpu_s=8.0)
    said = '{"program": "probe", "count": 9, "p50_us": 5.5, "p99_us": 40.25, "max_us": 41.0}\n'
    files = _files(
        base, _line("0", wall_s=1.5, others_cpu_s=4.5), _line("1", others_cpu_s=6.0), **{"1_out": said}
    )
    burn, probe = exclusive.rows_of(HOGS, wanted, 7, files)
    assert burn == Row(
        job="burn",
        load="16 hogs",
        method="ours",
        cpus=1,
        seed=7,
        wall_over_cpu=1.5,
        involuntary=3,
        voluntary=1,
        probe_p50_us=None,
        probe_p99_us=None,
        probe_max_us=None,
        others_throughput=0.75,
        wall_s=1.5,
        cpu_s=1.0,
    )
    assert (probe.wall_over_cpu, probe.others_throughput) == (None, 0.75)
    assert (probe.probe_p50_us, probe.probe_p99_us, probe.probe_max_us) == (5.5, 40.25, 41.0)


def test_players_get_the_part_of_their_frames_that_is_in_time() -> None:
    wanted = cells([BURN])[:1]
    base = _line("base", shown=50, others_cpu_s=0.2)
    (row,) = exclusive.rows_of(
        LIGHT, wanted, 1, _files(base, _line("0", shown=18, dropped=6, others_cpu_s=0.9))
    )
    assert row.others_throughput == 0.75
    (row,) = exclusive.rows_of(LIGHT, wanted, 1, _files(base, _line("0")))  # shorter than a frame
    assert row.others_throughput is None
    (row,) = exclusive.rows_of(NONE, wanted, 1, _files(_line("base"), _line("0")))
    assert row.others_throughput is None


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({}, "the load '16 hogs' could not be measured: the guest returned nothing"),
        (
            _files(_line("base")),
            "'burn 1' by plain under 16 hogs failed in the guest: no output",
        ),
        (
            _files(_line("base"), _line("0", status=127), **{"0_err": "one\nmeasure: burn: not here\n"}),
            "'burn 1' by plain under 16 hogs failed in the guest: measure: burn: not here",
        ),
    ],
    ids=["nothing", "no line", "failed"],
)
def test_what_is_missing_is_an_error(files: dict[str, bytes], text: str) -> None:
    with pytest.raises(UserError) as error:
        exclusive.rows_of(HOGS, cells([BURN])[:1], 1, files)
    assert str(error.value) == text


def _starts() -> dict[str, bytes]:
    lines = [
        _line(f"{machine}.{attempt}.{what}", wall_s=wall)
        for machine in range(3)
        for attempt in range(TRIES)
        for what, wall in (("alone", 0.001), ("ours", 0.1 + machine + attempt / 1000))
    ]
    proofs = {
        f"{machine}_{attempt}_json": json.dumps(
            {"cleared_ms": 20 + machine + attempt, "mechanism": "isolated"}
        )
        for machine in range(3)
        for attempt in range(TRIES)
    }
    return _files(*lines, **proofs)


def test_a_start_for_each_machine_and_try() -> None:
    found = exclusive.starts_of(2, _starts())
    assert len(found) == 3 * TRIES
    assert found[4] == exclusive.Start(
        machine="2000 threads",
        seed=2,
        alone_ms=1.0,
        ours_ms=1101.0,
        cleared_ms=22,
        mechanism="isolated",
    )
    files = _starts() | {"errors": b"coreloom exclusive: refused\n"}
    del files["1.0.json"]
    with pytest.raises(UserError) as error:
        exclusive.starts_of(2, files)
    assert str(error.value) == (
        "coreloom exclusive failed in the guest (2000 threads): coreloom exclusive: refused"
    )


def test_the_script_of_the_starts_measures_both() -> None:
    text = guest.start_script()
    tool = "coreloom-exclusive run --quiet --json --report /out/1.2.json -- true"
    assert "measure -o /out/rows -l 1.2.alone -- true 2>>/out/errors\n" in text
    assert f"measure -o /out/rows -l 1.2.ours -- {tool} 2>>/out/errors\n" in text
    assert text.count("measure ") == 2 * 3 * TRIES


# --- kill -9 ---


def _kills() -> list[Kill]:
    """Four hit the tool, of which one has left a difference; two came too late, one of them likewise."""
    return [
        Kill(mechanism="isolated", phase=phase, moment_us=7, killed=whom, equal=equal)
        for phase, whom, equal in (
            *(("start", "tool", True), ("start", "all", False), ("hold", "all", True)),
            *(("stop", "tool", True), ("stop", "none", True), ("stop", "none", False)),
        )
    ]


@pytest.mark.linux
def test_the_rows_of_kills(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "start 211178 all yes\nnoise\nstop 12 none yes\nlines 40 tool no\n"
    asked: list[Any] = []

    def run(guest: vm.Guest, script: str, **options: Any) -> vm.Outcome:
        asked.append((guest.files["/moments"], script, options["kernel"], options["cgroup"]))
        return vm.Outcome(0, said, {})

    monkeypatch.setattr(vm, "run", run)
    case = killed.CASES[2]
    assert [msgspec.structs.astuple(row) for row in killed.run(case, 2)] == [
        ("affinity", "start", 211178, "all", True),
        ("affinity", "stop", 12, "none", True),
        ("affinity", "lines", 40, "tool", False),
    ]
    assert [asked[0][2:], len(asked[0][0].splitlines())] == [("7", "none"), 6]
    assert asked[0][1] == "how='--mechanism affinity'\n. /check/moments.sh\nmoments 2 </moments\n"
    with pytest.raises(UserError) as error:
        killed.run(case, 3)
    assert str(error.value) == f"kill -9 under affinity: 2 of 3 were measured in the guest:\n{said}"


def test_too_late_counts_where_it_left_a_difference() -> None:
    (figure,) = killed.figures(_kills())
    assert figure == Figure(
        what="restored byte for byte after kill -9 at 5 random moments (isolated)",
        measured=3,
        at_most=None,
        at_least=5,
        bound=5,
    )
    assert not figure.reached
    assert page.restored(_kills()).rows == (("isolated", "1 of 2", "1 of 1", "1 of 2", "0 of 0", "3 of 5"),)
    assert page.restored([]).rows == (("not run", "-", "-", "-", "-", "-"),)


# --- rows, tables, page ------------------------------------------------------------------------

_RATIO = {"plain": 4.25, "taskset": 4.125, "nice -20": 1.008, "SCHED_FIFO": 1.054, "ours": 1.0005}
_DELAY = {"plain": 4000.0, "taskset": 3800.0, "nice -20": 1100.0, "SCHED_FIFO": 900.0, "ours": 500.0}


def _row(job: str, load: str, method: str, cpus: int | None, seed: int) -> Row:
    alone = load == "none"
    probe = job == "probe"
    delay = 6.0 if alone else _DELAY[method] + seed
    return Row(
        job=job,
        load=load,
        method=method,
        cpus=cpus,
        seed=seed,
        wall_over_cpu=None if probe else (1.0 if alone else _RATIO[method]) / (cpus or 1),
        involuntary=0 if alone or method == "ours" else 2 * seed,
        voluntary=1,
        probe_p50_us=5.0 if probe else None,
        probe_p99_us=delay if probe else None,
        probe_max_us=delay + 10 if probe else None,
        others_throughput=None if alone else 0.75 if method == "ours" else 0.9375,
        wall_s=1.0,
        cpu_s=1.0,
    )


@pytest.fixture
def content() -> Result:
    rows = [
        _row(cell.job.name, load, cell.method, cell.cpus, seed)
        for seed in (1, 2, 3)
        for load in ("none", "16 hogs")
        for cell in cells([BURN, PROBE, THREADS])
    ]
    starts = exclusive.starts_of(1, _starts())
    return Result(
        name="exclusive",
        commit="0123456789ab",
        tools={"coreloom": "0.1.0", "linux": "7.3.4", "qemu": "10.0.2"},
        rows=rows,
        start=starts,
        encoding=_encoded(),
        killed=_kills(),
        reach=reach.figures(rows, starts, _kills()),
    )


def test_figures_to_reach(content: Result) -> None:
    assert [(f.what, f.measured, f.at_most, f.reached) for f in content.reach] == [
        ("slowdown under 16 hogs on 4 CPUs, worst job and seed (plain 4.2)", 1.0, 1.01, True),
        ("involuntary switches of all jobs under hogs (best other method: plain, 24)", 0, 23, True),
        ("clearing the CPU with 2000 threads on the machine, maximum (ms)", 23, 50, True),
        ("start-up time added to the command's own, idle machine, maximum (ms)", 101.0, 150, True),
        ("restored byte for byte after kill -9 at 5 random moments (isolated)", 3, None, False),
    ]


def test_the_tables(content: Result) -> None:
    shown = {table.title: table for table in page.tables(content)}
    assert len(shown) == 11
    hogs = "16 CPU-bound threads"
    assert shown["Wall time over CPU time (ratio)"].columns == ("job", "others", *SHOWN.values())
    assert shown["Wall time over CPU time (ratio)"].rows == (
        ("1 s of CPU time", "nothing else", *["1.000"] * 5),
        ("1 s of CPU time", hogs, "4.250", "4.125", "1.008", "1.054", "1.000"),
    )
    assert shown["Wake-up latency of the probe, 99th percentile (us)"].rows[1][2:] == (
        "4 002",
        "3 802",
        "1 102",
        "902",
        "502",
    )
    longest = shown["Wake-up latency of the probe, maximum over all seeds (us)"].rows[1]
    assert longest[2:] == ("4 013", "3 813", "1 113", "913", "513")
    assert [
        row[0] for row in next(t for title, t in shown.items() if "Throughput of the others" in title).rows
    ] == [
        "1 s of CPU time",
        "probe: 1000 wake-ups, one per ms",
    ]
    threads = next(table for title, table in shown.items() if "4 threads" in title)
    assert threads.rows[-2:] == (
        (hogs, "exclusive", "1", "1.000", "0", "0.75"),
        (hogs, "exclusive", "2", "0.500", "0", "0.75"),
    )
    assert shown["Run time of `true`, alone and with a CPU of its own (ms)"].rows[1] == (
        *("2000 threads", "isolated", "1.0", "1 101.0", "22.0", "23.0"),
    )


_TWICE = ("LAME, 2 s of audio", "MP3 Enc (40MB)")


def test_encoders_without_and_with_a_cpu_of_their_own() -> None:
    heavy = next(load for load in LOADS_OF_ENCODERS if load.name == "heavy")
    lines = [_line(str(n), wall_s=1.5 if n % 2 == 0 else 1.0) for n in range(len(encoding.CELLS))]
    found = encoding.rows_of(heavy, 2, 7, _files(_line("base"), *lines))
    assert [(row.job, row.method, row.seconds, row.speedup) for row in found[:4]] == [
        ("lame small", "plain", 1.5, None),
        ("lame small", "ours", 1.0, 1.5),
        ("lame large", "plain", 1.5, None),
        ("lame large", "ours", 1.0, 1.5),
    ]
    assert {(row.load, row.cpus, row.seed) for row in found} == {("heavy", 2, 7)}
    with pytest.raises(UserError) as error:
        encoding.rows_of(heavy, 2, 7, _files(_line("base"), *lines[:3]))
    assert str(error.value) == (
        "'lame --quiet /job/long.wav /tmp/job.mp3' by ours under heavy failed in the guest: no output"
    )


def _encoded() -> list[encoding.Encoded]:
    """Alone and beside two encoders, on both machines: 1.5, 2 and 3 times as fast by seed, if at all."""
    return [
        encoding.Encoded(
            job=cell.job.name,
            load=load,
            cpus=cpus,
            seed=seed,
            method=cell.method,
            seconds=gain if cell.method == "plain" else 1.0,
            cpu_s=1.0,
            speedup=None if cell.method == "plain" else gain,
        )
        for cpus in (2, 4)
        for load in ("none", "two encoders")
        for seed, much in ((1, 1.5), (2, 2.0), (3, 3.0))
        for gain in (much if load != "none" and cpus == 2 else 1.0,)
        for cell in encoding.CELLS
    ]


def test_the_paper_is_beside_its_heavy_load() -> None:
    rows = _encoded()
    heavy = [msgspec.structs.replace(row, load="heavy") for row in rows if row.load == "two encoders"]
    table = encoding.table([*rows, *heavy], 2)
    assert table.rows[:3] == (
        (*_TWICE, "nothing else", "1.000", "1.000", "100", "1.00", "-"),
        (*_TWICE, "Heavy: an encoder", "2.000", "1.000", "50", "2.00", "up to 2.1"),
        (*_TWICE, "two encoders", "2.000", "1.000", "50", "2.00", "-"),
    )
    assert encoding.table(rows, 4).rows[1][-2:] == ("1.00", "-")
    assert encoding.table([], 2).rows == ()


def test_the_papers_plots(content: Result) -> None:
    assert len(BENCH.charts(content)) == 2 * 2
    assert encoding.drawn([]) == []
