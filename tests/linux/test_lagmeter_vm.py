# SPDX-License-Identifier: Apache-2.0
"""lagmeter in a guest: by BPF and by samples, and what it says when something is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from coreloom.paths import LINUX
from coreloom.programs import bpf
from coreloom.toolchain import native
from coreloom.vm import vm

_TICK_MS, _SAMPLE_MS = 4, 5
_QUIET = "while grep -qs cryptomgr /proc/[0-9]*/comm; do sleep 0.2; done\n"
# Each command's status and what it said go to a file of its own.
_SCRIPT = (
    _QUIET
    + f"""
say() {{ name=$1; shift; "$@" >/out/$name 2>&1; echo "status $?" >>/out/$name; }}
lagmeter --json /out/bpf.json --perfetto /out/bpf.trace -- \\
    lagmeter --sample {_SAMPLE_MS} --json /out/proc.json -- hog -t 2 5 2>/out/both
say command lagmeter --json /out/command.json -- sh -c 'kill -9 $$'
say missing lagmeter -- nothing-of-that-name
say short lagmeter --sample 100 -- true
lagmeter --json /out/pipe.json -- true 2>&1 | true
say unwritable lagmeter --json /nowhere/lag.json -- touch /out/ran
say nobody lagmeter -t 0.2 -n nobody-has-it
hog -t 60 3 >/dev/null &
hog=$!
mkdir /sys/fs/cgroup/some
echo $hog >/sys/fs/cgroup/some/cgroup.procs
say name lagmeter -t 0.5 --json /out/name.json -n hog
say group lagmeter -t 0.5 --json /out/group.json -g some
say pid lagmeter -t 0.5 --json /out/pid.json -p $hog
say group_samples lagmeter -t 0.5 --sample 5 --json /out/group_samples.json -g some
say no_group lagmeter -g none
echo 'nobody:x:65534:65534::/:/bin/sh' >>/etc/passwd
say no_root su nobody -s /bin/sh -c "exec lagmeter -t 0.3 -p $hog"
lagmeter -a --interval 0.2 >/out/all 2>&1 &
until [ $(grep -c CPUs /out/all) -ge 3 ]; do sleep 0.1; done
kill -INT $!
wait $!
echo "status $?" >>/out/all
kill $hog
"""
)


def _guest() -> vm.Guest:
    hog = native.static("hog", [LINUX / "vm" / "programs" / "hog.c"])
    files = {"/usr/bin/lagmeter": bpf.program("lagmeter"), "/usr/bin/hog": hog}
    return vm.Guest(dict(files), packages=["libc6"])


@pytest.fixture(scope="module")
def left() -> dict[str, bytes]:
    """What the script left, of one boot."""
    return vm.run(_guest(), _SCRIPT, deterministic=True, timeout=300).files


def _json(left: dict[str, bytes], name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(left[f"{name}.json"])
    return found


def _said(left: dict[str, bytes], name: str) -> list[str]:
    return left[name].decode().splitlines()


def _hogs(found: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The threads that compute all the time."""
    return {row["tid"]: row for row in found["threads"] if row["command"] == "hog" and row["cpu_ms"] > 100}


@pytest.mark.linux
def test_events_and_samples_agree(left: dict[str, bytes]) -> None:
    by_events, by_samples = _json(left, "bpf"), _json(left, "proc")
    assert (by_events["source"], by_events["lost_events"], by_events["gap"]["all_pairs"]) == ("bpf", 0, True)
    assert (by_samples["source"], by_samples["sample_ms"]) == ("proc", _SAMPLE_MS)
    exact, sampled = _hogs(by_events), _hogs(by_samples)
    assert len(exact) == 5
    assert exact.keys() == sampled.keys()
    missed_ms = 2 * by_samples["longest_sample_ms"] + _TICK_MS  # at most, of a thread in all
    assert (by_events["longest_sample_ms"], by_samples["longest_sample_ms"] > _SAMPLE_MS) == (0, True)
    for tid, row in exact.items():
        assert row["cpu_ms"] - missed_ms <= sampled[tid]["cpu_ms"] <= row["cpu_ms"] + _TICK_MS
    assert by_samples["gap"]["max_ms"] == pytest.approx(by_events["gap"]["max_ms"], abs=2 * missed_ms)
    # The pair is that of the table.
    assert {by_events["gap"][end]["tid"] for end in ("ahead", "behind")} <= exact.keys()


@pytest.mark.linux
def test_all_cpu_time_is_there(left: dict[str, bytes]) -> None:
    """5 hogs and the sampler keep 4 CPUs busy: what they got and what they waited is the time that passed."""
    found = _json(left, "bpf")
    for row in _hogs(found).values():
        assert row["cpu_ms"] + row["wait_ms"] == pytest.approx(2000, abs=20)
    records = json.loads(left["bpf.trace"])["traceEvents"]
    ran = sum(r["dur"] for r in records if r["ph"] == "X" and r["pid"] == 1)
    # From switch to switch; the kernel counts the time of a switch otherwise.
    assert ran / 1000 == pytest.approx(found["cpu_ms"], rel=0.005)


@pytest.mark.linux
def test_the_status_is_the_commands(left: dict[str, bytes]) -> None:
    assert _said(left, "command")[-1] == "status 137"
    assert _json(left, "command")["threads_counted"] == 1
    assert (
        _said(left, "missing")[0]
        == "lagmeter: error: cannot run nothing-of-that-name: No such file or directory"
    )
    assert _said(left, "missing")[-1] == "status 127"


@pytest.mark.linux
def test_a_command_that_no_sample_saw(left: dict[str, bytes]) -> None:
    lines = _said(left, "short")
    assert (lines[1], lines[-1]) == ("no gap: no two threads were ever runnable at the same time", "status 0")


@pytest.mark.linux
def test_the_figures_are_written_though_nobody_reads_the_table(left: dict[str, bytes]) -> None:
    assert _json(left, "pipe")["threads_counted"] == 1


@pytest.mark.linux
def test_errors_come_before_the_command(left: dict[str, bytes]) -> None:
    assert _said(left, "unwritable") == [
        "lagmeter: error: cannot write /nowhere/lag.json: No such file or directory",
        "status 1",
    ]
    assert "ran" not in left
    assert _said(left, "nobody") == [
        "lagmeter: error: no watched thread was ever runnable: check what is watched",
        "status 1",
    ]
    assert _said(left, "no_group") == [
        "lagmeter: error: -g none: there is no such cgroup below /sys/fs/cgroup",
        "status 2",
    ]


@pytest.mark.linux
@pytest.mark.parametrize("choice", ["name", "group", "pid", "group_samples"])
def test_three_hogs_that_are_there_already(left: dict[str, bytes], choice: str) -> None:
    """They have a CPU each, so no one is unfairly served, though they may never be switched."""
    found = _json(left, choice)
    hogs = _hogs(found)
    assert len(hogs) == 3
    assert _said(left, choice)[-1] == "status 0"
    for row in hogs.values():
        assert row["cpu_ms"] == pytest.approx(found["wall_ms"], rel=0.1)


@pytest.mark.linux
def test_without_root_it_samples(left: dict[str, bytes]) -> None:
    lines = _said(left, "no_root")
    assert lines[0] == (
        "lagmeter: sampling /proc every 10 ms, as BPF cannot be used: "
        "needs root (CAP_BPF and CAP_PERFMON): run it with sudo"
    )
    assert "by sampling /proc" in lines[1]
    assert lines[-1] == "status 0"


@pytest.mark.linux
def test_a_block_for_each_interval_and_one_at_the_end(left: dict[str, bytes]) -> None:
    lines = _said(left, "all")
    assert lines[-1] == "status 0"
    heads = [line for line in lines if " CPUs by BPF: " in line]
    assert len(heads) >= 4  # and the last one
    assert len({line.split()[0] for line in heads}) == len(heads)


@pytest.mark.linux
@pytest.mark.nightly
def test_the_same_guest_has_the_same_figures() -> None:
    script = f"{_QUIET}exec lagmeter --json /out/lag.json -- hog -t 1 5\n"
    first, second = (vm.run(_guest(), script, deterministic=True, seed=3, timeout=300) for _ in range(2))
    assert first.files["lag.json"] == second.files["lag.json"]
