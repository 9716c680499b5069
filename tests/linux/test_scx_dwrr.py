# SPDX-License-Identifier: Apache-2.0
"""scx_dwrr on real kernels: it loads, shares as its bound says, lets go; the kernel has nothing to say."""

from __future__ import annotations

import json
import re

import pytest

from coreloom.benches.linux import loads as linux_loads
from coreloom.programs import bpf
from coreloom.vm import vm

pytestmark = pytest.mark.linux

_SLICE_MS, _TICK_MS = 12, 4
_START = """\
scx_dwrr 2>/out/said & pid=$!
while kill -0 $pid && [ "$(cat /sys/kernel/sched_ext/state)" != enabled ]; do sleep 0.1; done
"""
_END = """
cat /sys/kernel/sched_ext/*/ops >/out/ops
kill $pid; wait $pid; echo $? >/out/status
cat /sys/kernel/sched_ext/state >/out/state
dmesg >/out/log
"""


def _run(script: str, **options: object) -> dict[str, str]:
    """The files that it left, after scx_dwrr has begun and ended as it should."""
    guest = vm.Guest(
        files={
            "/usr/bin/scx_dwrr": bpf.program("scx_dwrr"),
            **{f"/usr/bin/{name}": linux_loads.program(name) for name in ("hog", "start")},
        },
        packages=["libc6"],
    )
    outcome = vm.run(guest, _START + script + _END, timeout=300, **options)  # type: ignore[arg-type]
    found = {name: content.decode() for name, content in outcome.files.items()}
    assert (found["ops"], found["status"], found["state"]) == ("dwrr\n", "0\n", "disabled\n"), found["said"]
    assert found["said"].splitlines()[-1] == "EXIT: unregistered from user space"
    wrong = re.findall(r".*(?:BUG|WARNING|Call Trace|sched_ext:.*(?:error|stall)).*", found["log"])
    assert wrong == []
    return found


def _cpu_ms(found: dict[str, str], name: str) -> list[float]:
    return [1e3 * seconds for seconds in json.loads(found[name])["cpu_s"]]


@pytest.mark.parametrize("kernel", ["7", "6.18"])
@pytest.mark.nightly("6.18")
def test_it_loads_and_lets_go(kernel: str) -> None:
    found = _run("hog -t 1 5 >/out/hogs; taskset 2 hog -t 1 2 >/out/pinned\n", kernel=kernel)
    assert [len(_cpu_ms(found, name)) for name in ("hogs", "pinned")] == [5, 2]


def test_five_threads_on_four_cpus_have_the_same() -> None:
    times = _cpu_ms(_run("hog -t 5 5 >/out/hogs\n", deterministic=True), "hogs")
    assert max(times) - min(times) <= 2 * _SLICE_MS + 2 * _TICK_MS


@pytest.mark.nightly
def test_threads_have_cpu_time_by_their_weight() -> None:
    found = _run(
        "start -n 5 hog -t 5 4 >/out/light & light=$!; hog -t 5 1 >/out/heavy; wait $light\n",
        deterministic=True,
        cpus=2,
    )
    (heavy,), light = _cpu_ms(found, "heavy"), [time * 1024 / 335 for time in _cpu_ms(found, "light")]
    bound = 2 * _SLICE_MS + _TICK_MS + _TICK_MS * 1024 / 335
    assert max(heavy, *light) - min(heavy, *light) <= bound
